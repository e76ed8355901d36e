/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal.h"

#include <assert.h>
#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "base/arena.h"

#define RED "\033[1;31m"
#define YELLOW "\033[1;33m"
#define PLAIN "\033[0m"
#define WIDEST_TEXT 100u
#define USUAL_COLUMNS 80u
#define REPLACEMENT 0xfffdu

/* --- characters ------------------------------------------------------------ */

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

/* --- printing -------------------------------------------------------------- */

static void tame(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)text[i] < 0x20 && text[i] != '\n' && text[i] != '\t') ||
		    text[i] == 0x7f)
			text[i] = '?';
}

void nx_print(struct nx_output *out, const char *fmt, ...)
{
	char stack[512], *text = stack;
	va_list args, again;
	int len;

	assert(out);
	va_start(args, fmt);
	va_copy(again, args);
	len = vsnprintf(stack, sizeof(stack), fmt, args);
	if (len >= (int)sizeof(stack)) {
		text = nx_heap_alloc((size_t)len + 1);
		vsnprintf(text, (size_t)len + 1, fmt, again);
	}
	va_end(again);
	va_end(args);
	if (len > 0) {
		tame(text, (size_t)len);
		nx_output_write(out, text, (size_t)len);
	}
	if (text != stack)
		nx_heap_free(text);
}

enum nx_status nx_print_page(void (*write)(struct nx_output *out), struct nx_error *err)
{
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, "-", err);

	if (st)
		return st;
	write(&out);
	return nx_output_commit(&out, err);
}

enum nx_status nx_print_end(struct nx_output *out, enum nx_status st, struct nx_error *err)
{
	if (!st)
		return nx_output_commit(out, err);
	nx_output_abort(out);
	return st;
}

bool nx_terminal_is_error_shown(void)
{
	return isatty(STDERR_FILENO) == 1;
}

bool nx_terminal_is_coloured(int fd)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fd) == 1 && (!no_colour || !*no_colour) && term && *term &&
	       strcmp(term, "dumb") != 0;
}

static void say_text(const char *fmt, va_list args)
{
	char text[2048];
	int len = vsnprintf(text, sizeof(text), fmt, args);

	if (len < 0)
		return;
	tame(text, strlen(text));
	fprintf(stderr, "%s\n", text);
}

void nx_say_error(const char *program, const char *message)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s", message);
	tame(text, strlen(text));
	if (nx_terminal_is_coloured(STDERR_FILENO))
		fprintf(stderr, "%s: " RED "error:" PLAIN " %s\n", program, text);
	else
		fprintf(stderr, "%s: %s\n", program, text);
}

void nx_say_warning(const char *fmt, ...)
{
	va_list args;

	fputs(nx_terminal_is_coloured(STDERR_FILENO) ? YELLOW "warning:" PLAIN " " : "warning: ",
	      stderr);
	va_start(args, fmt);
	say_text(fmt, args);
	va_end(args);
}

void nx_say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say_text(fmt, args);
	va_end(args);
}

unsigned nx_terminal_width(void)
{
	struct winsize size;

	if (isatty(STDOUT_FILENO) != 1)
		return 0;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col < 20 ? USUAL_COLUMNS
									       : size.ws_col;
}

unsigned nx_terminal_columns(void)
{
	unsigned width = nx_terminal_width();

	width = width ? width : USUAL_COLUMNS;
	return width < WIDEST_TEXT ? width : WIDEST_TEXT;
}

void nx_print_wrapped(struct nx_output *out, const char *text, unsigned first_column,
		      unsigned indent, unsigned columns)
{
	unsigned at = first_column;
	bool is_line_start = true;

	assert(indent < columns);
	while (*text) {
		size_t len = strcspn(text, " \n");
		unsigned width = 0;

		for (size_t i = 0; i < len; i++) /* tail bytes of UTF-8 take no column */
			width += ((unsigned char)text[i] & 0xc0) != 0x80;
		if (!is_line_start && at + 1 + width > columns) {
			nx_print(out, "\n%*s", (int)indent, "");
			at = indent;
			is_line_start = true;
		}
		nx_print(out, "%s%.*s", is_line_start || !len ? "" : " ", (int)len, text);
		at += width + !is_line_start;
		is_line_start = is_line_start && !len;
		text += len;
		if (*text == '\n') {
			nx_print(out, "\n%*s", text[1] && text[1] != '\n' ? (int)indent : 0, "");
			at = indent;
			is_line_start = true;
		}
		text += *text != '\0';
	}
	nx_print(out, "\n");
}

const char *nx_count_text(uint64_t count, char *out)
{
	char digits[NX_COUNT_TEXT_MAX];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, count), at = 0;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return out;
}

const char *nx_size_text(uint64_t size_bytes, char *out)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double size = (double)size_bytes / 1024;
	size_t unit = 0;

	if (size_bytes < 1024) {
		snprintf(out, NX_COUNT_TEXT_MAX, "%u B", (unsigned)size_bytes);
		return out;
	}
	while (size >= 1023.95 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		size /= 1024;
		unit++;
	}
	snprintf(out, NX_COUNT_TEXT_MAX, "%.1f %s", size, units[unit]);
	return out;
}

const char *nx_duration_text(uint64_t duration_ps, char *out)
{
	static const struct {
		double ps;
		const char *unit;
	} units[] = {{1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if ((double)duration_ps >= units[i].ps || i == 3) {
			snprintf(out, NX_COUNT_TEXT_MAX, "%.3f %s",
				 (double)duration_ps / units[i].ps, units[i].unit);
			break;
		}
	return out;
}
