/* SPDX-License-Identifier: Apache-2.0 */
#include "format/npy.h"

#include <assert.h>
#include <stdio.h>

#include "base/bare/bits.h"

#define MAGIC "\x93NUMPY"
#define MAGIC_BYTES 6
/* NumPy pads the header to this, so that the payload is aligned. */
#define HEADER_ALIGNMENT 64

static void skip_blanks(struct nx_slice *text)
{
	while (text->len && (text->data[0] == ' ' || text->data[0] == '\n'))
		*text = nx_slice_part(*text, 1, text->len);
}

static bool skip_byte(struct nx_slice *text, char wanted)
{
	skip_blanks(text);
	if (text->len == 0 || text->data[0] != (uint8_t)wanted)
		return false;
	*text = nx_slice_part(*text, 1, text->len);
	return true;
}

/* What follows `'key':` in the header, which is a Python dictionary as text. */
static bool find_value(struct nx_slice header, const char *key, struct nx_slice *value)
{
	size_t len = strlen(key);

	for (size_t i = 1; i + len < header.len; i++) {
		uint8_t quote = header.data[i - 1];

		if ((quote != '\'' && quote != '"') || header.data[i + len] != quote ||
		    memcmp(header.data + i, key, len) != 0)
			continue;
		*value = nx_slice_part(header, i + len + 1, header.len);
		return skip_byte(value, ':');
	}
	return false;
}

/* A structured dtype is a list of fields, which nobody needs; it stays "". */
static bool read_dtype(struct nx_slice text, char *dtype, size_t cap)
{
	uint8_t quote;
	size_t len = 0;

	skip_blanks(&text);
	if (text.len == 0)
		return false;
	quote = text.data[0];
	if (quote != '\'' && quote != '"')
		return quote == '[';
	text = nx_slice_part(text, 1, text.len);
	while (len < text.len && text.data[len] != quote)
		len++;
	if (len == text.len || len >= cap)
		return false;
	memcpy(dtype, text.data, len);
	return true;
}

static bool read_dimension(struct nx_slice *text, uint64_t *dimension)
{
	size_t digits = 0;

	*dimension = 0;
	skip_blanks(text);
	for (; digits < text->len && text->data[digits] >= '0' && text->data[digits] <= '9';
	     digits++) {
		if (*dimension > (UINT64_MAX - 9) / 10)
			return false;
		*dimension = *dimension * 10 + (uint64_t)(text->data[digits] - '0');
	}
	*text = nx_slice_part(*text, digits, text->len);
	(void)skip_byte(text, 'L'); /* from Python 2 */
	return digits > 0;
}

static bool read_shape(struct nx_slice text, struct nx_npy *out)
{
	if (!skip_byte(&text, '('))
		return false;
	while (!skip_byte(&text, ')')) {
		if (out->dims == NX_NPY_MAX_DIMS || !read_dimension(&text, &out->shape[out->dims]))
			return false;
		out->dims++;
		if (!skip_byte(&text, ','))
			return skip_byte(&text, ')');
	}
	return true;
}

static bool split_header(struct nx_slice file, struct nx_slice *header, struct nx_slice *payload)
{
	size_t start = 10, len;

	if (file.len < 12 || memcmp(file.data, MAGIC, MAGIC_BYTES) != 0)
		return false;
	if (file.data[6] == 1) {
		len = nx_load16(file.data + 8);
	} else if (file.data[6] == 2 || file.data[6] == 3) {
		len = nx_load32(file.data + 8);
		start = 12;
	} else {
		return false;
	}
	*header = nx_slice_part(file, start, len);
	*payload = nx_slice_part(file, start + len, file.len);
	return header->len == len;
}

bool nx_npy_has_magic(struct nx_slice file)
{
	return nx_slice_starts(file, MAGIC);
}

bool nx_npy_read(struct nx_slice file, struct nx_npy *out)
{
	struct nx_slice header, value;

	memset(out, 0, sizeof(*out));
	if (!split_header(file, &header, &out->payload))
		return false;
	if (!find_value(header, "descr", &value) ||
	    !read_dtype(value, out->dtype, sizeof(out->dtype)))
		return false;
	if (!find_value(header, "fortran_order", &value))
		return false;
	skip_blanks(&value);
	out->is_fortran_order = nx_slice_starts(value, "True");
	return find_value(header, "shape", &value) && read_shape(value, out);
}

static size_t put_shape(const struct nx_npy *array, char *out, size_t cap)
{
	size_t at = 0;

	for (unsigned i = 0; i < array->dims; i++)
		at += (size_t)snprintf(out + at, cap - at, "%s%llu", i ? ", " : "",
				       (unsigned long long)array->shape[i]);
	/* A Python tuple of one needs its comma. */
	if (array->dims == 1)
		at += (size_t)snprintf(out + at, cap - at, ",");
	return at;
}

void nx_npy_write(const struct nx_npy *array, struct nx_bytes *out)
{
	char shape[NX_NPY_MAX_DIMS * 24], text[sizeof(shape) + 128];
	uint8_t head[10] = MAGIC "\x01";
	size_t padding;
	int len;

	assert(array->dims <= NX_NPY_MAX_DIMS && memchr(array->dtype, 0, sizeof(array->dtype)));
	shape[put_shape(array, shape, sizeof(shape))] = '\0';
	len = snprintf(text, sizeof(text), "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }",
		       array->dtype, array->is_fortran_order ? "True" : "False", shape);
	padding = HEADER_ALIGNMENT - (sizeof(head) + (size_t)len + 1) % HEADER_ALIGNMENT;
	padding %= HEADER_ALIGNMENT;
	nx_store16(head + 8, (uint16_t)((size_t)len + padding + 1));
	nx_bytes_append(out, head, sizeof(head));
	nx_bytes_append(out, text, (size_t)len);
	for (size_t i = 0; i < padding; i++)
		nx_bytes_append(out, " ", 1);
	nx_bytes_append(out, "\n", 1);
	if (array->payload.len)
		nx_bytes_append(out, array->payload.data, array->payload.len);
}
