/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/text_width.h"

#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <wchar.h>

#define REPLACEMENT 0xfffdu

/* Length of the character by its first byte; 0 if no character begins with it. */
static size_t length_of(uint8_t lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if ((lead & 0xf0) == 0xe0)
		return 3;
	return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

uint32_t nx_text_take(struct nx_slice *text)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* by length */
	size_t len = length_of(text->data[0]);
	uint32_t code = len <= 1 ? text->data[0] : text->data[0] & (0x7fu >> len);
	bool is_good = len && len <= text->len;

	assert(text->len);
	static_assert(sizeof(least) / sizeof(least[0]) == 5, "a length is at most 4");
	for (size_t i = 1; i < len && is_good; i++) {
		is_good = (text->data[i] & 0xc0) == 0x80;
		code = code << 6 | (text->data[i] & 0x3fu);
	}
	is_good = is_good && code >= least[len] && code <= 0x10ffff &&
		  (code < 0xd800 || code > 0xdfff);
	*text = nx_slice_part(*text, is_good ? len : 1, text->len);
	return is_good ? code : REPLACEMENT;
}

/* --- widths ---------------------------------------------------------------- */

static locale_t unicode;

/* Kept until the end of the process. */
static void load_unicode(void)
{
	unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* wcwidth knows Unicode's tables, but only in a locale that has Unicode. */
static unsigned width_of(uint32_t code)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	locale_t old;
	int width;

	if (code < 0x300)
		return 1;
	pthread_once(&once, load_unicode);
	if (!unicode)
		return 1;
	old = uselocale(unicode);
	width = wcwidth((wchar_t)code);
	uselocale(old);
	return width < 0 ? 1 : (unsigned)width;
}

unsigned nx_text_width(struct nx_slice text)
{
	unsigned width = 0;

	while (text.len)
		width += width_of(nx_text_take(&text));
	return width;
}

struct nx_slice nx_text_cut(struct nx_slice text, unsigned width)
{
	struct nx_slice rest = text;
	unsigned used = 0;
	size_t kept = 0;

	while (rest.len) {
		used += width_of(nx_text_take(&rest));
		if (used > width)
			break;
		kept = text.len - rest.len;
	}
	return nx_slice_part(text, 0, kept);
}

/* --- taming ---------------------------------------------------------------- */

/* The text to show instead of a character; NULL: the character itself. */
static const char *shown(uint32_t code)
{
	bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0) ||
			  (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);

	switch (code) {
	case '\n':
		return "\\n";
	case '\r':
		return "\\r";
	case '\t':
		return "\\t";
	case REPLACEMENT:
		return "\xef\xbf\xbd";
	default:
		return is_control ? "?" : NULL;
	}
}

void nx_text_append_tame(struct nx_bytes *to, struct nx_slice text)
{
	while (text.len) {
		const uint8_t *at = text.data;
		const char *instead = shown(nx_text_take(&text));

		if (instead)
			nx_bytes_append(to, instead, strlen(instead));
		else
			nx_bytes_append(to, at, (size_t)(text.data - at));
	}
}
