/* SPDX-License-Identifier: Apache-2.0 */
#include "export/page.h"

void nx_page_text(struct nx_bytes *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&':
			nx_bytes_printf(out, "&amp;");
			break;
		case '<':
			nx_bytes_printf(out, "&lt;");
			break;
		case '>':
			nx_bytes_printf(out, "&gt;");
			break;
		case '"':
			nx_bytes_printf(out, "&quot;");
			break;
		default:
			nx_vec_push(out, (uint8_t)*text);
		}
}

/* clang-format off */
static const char style[] =
	":root{color-scheme:light dark;--line:#8884;--soft:#8881;--less:#2a8f5b;--more:#c2572b;"
	"--other:#5b7fb8;--quiet:#6b7280;"
	/* categories of causes: export/profile_report.c */
	"--c0:#2f7fd0;--c1:#9467c9;--c2:#cf4436;--c3:#7c9a55;--c4:#c9a227;--c5:#e0812f;--c6:#a3abb8;"
	"--c7:#5c6370}\n"
	"@media(prefers-color-scheme:dark){:root{--quiet:#9aa3b0;--c0:#5aa2e8;--c1:#b08fdd;"
	"--c2:#e8695c;--c3:#9dbb74;--c4:#dcbb4c;--c5:#f09a50;--c6:#6d7684;--c7:#cfd5de}}\n"
	"body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2rem auto;padding:0 1rem}\n"
	"h1{font-size:1.5rem;margin-bottom:.25rem}h2{font-size:1.1rem;margin-top:2rem}\n"
	"h3{font-size:1rem;margin:1.25rem 0 .25rem}\n"
	"table{border-collapse:collapse;width:100%}th{text-align:left;font-weight:600}\n"
	"th,td{padding:.25rem .75rem;border-bottom:1px solid var(--line);vertical-align:top}\n"
	".n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
	".name{overflow-wrap:anywhere}.bar{width:20%}.quiet{color:var(--quiet)}\n"
	".bar i{display:block;height:.7rem;margin-top:.4rem;border-radius:2px;min-width:1px}\n"
	".less{background:var(--less)}.more{background:var(--more)}.other{background:var(--other)}\n"
	".cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(10rem,1fr));gap:.75rem}\n"
	".card{border:1px solid var(--line);border-radius:6px;padding:.6rem .8rem}\n"
	".card b{display:block;font-size:1.25rem;font-variant-numeric:tabular-nums}\n"
	".card span,dt{color:var(--quiet);font-size:.85rem}\n"
	".badge{border:1px solid var(--more);border-radius:1rem;padding:0 .6rem;font-size:.85rem;"
	"white-space:nowrap}\n"
	"dl{display:grid;grid-template-columns:7rem 1fr;gap:.2rem .75rem;margin:.25rem 0}dd{margin:0}\n"
	".legend{display:flex;flex-wrap:wrap;gap:.25rem 1rem;font-size:.85rem;margin:.5rem 0}\n"
	".legend i{display:inline-block;width:.8rem;height:.8rem;border-radius:2px;"
	"margin-right:.4rem;vertical-align:-1px}\n"
	"svg{display:block;width:100%;height:auto}svg text{fill:currentColor;font-size:12px}\n"
	"svg .tick{fill:var(--quiet);font-size:11px}svg .row{fill:var(--soft)}\n"
	".k0{fill:var(--c0);background:var(--c0)}.k1{fill:var(--c1);background:var(--c1)}\n"
	".k2{fill:var(--c2);background:var(--c2)}.k3{fill:var(--c3);background:var(--c3)}\n"
	".k4{fill:var(--c4);background:var(--c4)}.k5{fill:var(--c5);background:var(--c5)}\n"
	".k6{fill:var(--c6);background:var(--c6)}.k7{fill:var(--c7);background:var(--c7)}\n"
	"@media print{body{margin:0;max-width:none;font-size:12px}h2{break-after:avoid}"
	"*{print-color-adjust:exact;-webkit-print-color-adjust:exact}"
	"tr,.finding,.card,svg{break-inside:avoid}}\n";
/* clang-format on */

void nx_page_begin(struct nx_bytes *out, const char *title)
{
	nx_bytes_printf(out, "<!doctype html>\n<html lang=en><head><meta charset=utf-8>\n"
			     "<meta name=viewport content=\"width=device-width\"><title>");
	nx_page_text(out, title);
	nx_bytes_printf(out, "</title>\n<style>\n");
	nx_bytes_append(out, style, sizeof(style) - 1);
	nx_bytes_printf(out, "</style></head><body>\n");
}

void nx_page_end(struct nx_bytes *out)
{
	nx_bytes_printf(out, "</body></html>\n");
}
