/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile_name.h"

#include <assert.h>

#include "base/utf8.h"

#define NOT_UTF8 UINT32_MAX

/* Characters that are invisible or change the direction of text: two names would look alike. */
static const struct {
	uint32_t first, last;
} invisible[] = {
	{0x00, 0x1f},	  {0x7f, 0x9f},	    {0xad, 0xad},     {0x180e, 0x180e}, {0x200b, 0x200f},
	{0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff},
};

/* The character at the start of a text that is not empty; len 1 if it is not UTF-8. */
static uint32_t first_character(const uint8_t *text, const uint8_t *end, size_t *len)
{
	uint32_t c = text[0];

	assert(text < end);
	*len = c < 0x80 ? 1 : nx_utf8_length(text, end);
	if (!*len) {
		*len = 1;
		return NOT_UTF8;
	}
	if (*len > 1)
		c &= 0xffu >> (*len + 1);
	for (size_t i = 1; i < *len; i++)
		c = c << 6 | (text[i] & 0x3f);
	return c;
}

static bool is_invisible(uint32_t c)
{
	for (size_t i = 0; i < sizeof(invisible) / sizeof(invisible[0]); i++)
		if (c >= invisible[i].first && c <= invisible[i].last)
			return true;
	return false;
}

static bool is_reserved(uint32_t c)
{
	return c < 0x80 && c && strchr("/\\@*?[]", (int)c);
}

static bool may_begin(uint8_t c)
{
	return c != '.' && c != '-' && c != ' ';
}

static enum nx_status check_characters(struct nx_slice name, struct nx_error *err)
{
	size_t count = 0, len;

	for (size_t at = 0; at < name.len; at += len, count++) {
		uint32_t c = first_character(name.data + at, name.data + name.len, &len);

		if (c == NOT_UTF8)
			return nx_fail(err, NX_USAGE,
				       "the name of a profile has to be UTF-8 text; byte %zu is "
				       "not",
				       at + 1);
		if (is_invisible(c))
			return nx_fail(err, NX_USAGE,
				       "the name of a profile may not contain the invisible "
				       "character U+%04X",
				       c);
		if (is_reserved(c))
			return nx_fail(err, NX_USAGE, "the name of a profile may not contain '%c'",
				       (int)c);
	}
	if (count > NX_PROFILE_NAME_CHARS)
		return nx_fail(err, NX_USAGE,
			       "the name of a profile may have %d characters, this one has %zu",
			       NX_PROFILE_NAME_CHARS, count);
	return NX_OK;
}

enum nx_status nx_profile_name_check(struct nx_slice name, struct nx_error *err)
{
	if (!name.len)
		return nx_fail(err, NX_USAGE, "the name of a profile may not be empty");
	if (name.len > NX_PROFILE_NAME_BYTES)
		return nx_fail(err, NX_USAGE,
			       "the name of a profile may have %d bytes, this one has %zu",
			       NX_PROFILE_NAME_BYTES, name.len);
	if (!may_begin(name.data[0]))
		return nx_fail(err, NX_USAGE, "the name of a profile may not begin with '%c'",
			       name.data[0]);
	if (name.data[name.len - 1] == ' ')
		return nx_fail(err, NX_USAGE, "the name of a profile may not end with a blank");
	return check_characters(name, err);
}

/* .../profiles/search is what other tools ask for the list. */
static bool is_address(struct nx_slice name)
{
	return nx_slice_is(name, "search");
}

enum nx_status nx_profile_name_check_new(struct nx_slice name, struct nx_error *err)
{
	enum nx_status st = nx_profile_name_check(name, err);

	if (!st && is_address(name))
		st = nx_fail(err, NX_USAGE,
			     "a profile cannot be called '%.*s', because the server has an address "
			     "of that name; choose another name",
			     (int)name.len, (const char *)name.data);
	return st;
}

void nx_profile_name_make(struct nx_slice text, char name[NX_PROFILE_NAME_MAX])
{
	size_t used = 0, count = 0, len;

	for (size_t at = 0; at < text.len && count < NX_PROFILE_NAME_CHARS; at += len, count++) {
		uint32_t c = first_character(text.data + at, text.data + text.len, &len);
		bool is_good = c != NOT_UTF8 && !is_invisible(c) && !is_reserved(c) &&
			       (count || may_begin(text.data[at]));
		size_t need = is_good ? len : 1;

		if (used + need > NX_PROFILE_NAME_BYTES)
			break;
		memcpy(name + used, is_good ? (const char *)text.data + at : "_", need);
		used += need;
	}
	if (!used || name[used - 1] == ' ') {
		used -= used > 0;
		name[used++] = '_';
	}
	if (is_address(nx_slice_of(name, used)))
		name[used++] = '_';
	name[used] = '\0';
}

struct nx_slice nx_profile_name_without_version(struct nx_slice text)
{
	if (nx_slice_ends(text, NX_PROFILE_VERSION_SUFFIX))
		text.len -= sizeof(NX_PROFILE_VERSION_SUFFIX) - 1;
	return text;
}
