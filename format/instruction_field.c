/* SPDX-License-Identifier: Apache-2.0 */
#include "format/instruction_field.h"

#include "base/bare/bits.h"
#include "format/operand_text.h"

#include <assert.h>
#include <stdio.h>

/* --- numbers ------------------------------------------------------------------- */

enum nx_status nx_instruction_read_number(struct nx_instruction_reader *r, int64_t low,
					  int64_t high, int64_t *out, struct nx_error *err)
{
	size_t start = r->cursor.at;
	struct nx_expression_value value;
	enum nx_status status = nx_expression_read(&r->cursor, &value, err);

	assert(low <= high);
	if (status)
		return status;
	*out = value.whole;
	if (!value.is_real && value.whole >= low && value.whole <= high)
		return NX_OK;
	r->cursor.at = start;
	if (value.is_real)
		return nx_fail(err, NX_FORMAT, "expected an integer, not %g", value.real);
	return nx_fail(err, NX_FORMAT, "%lld is out of range; use %lld to %lld",
		       (long long)value.whole, (long long)low, (long long)high);
}

/* Fields of one number, by kind; l and U take any 64 bits. */
static const struct width {
	char kind;
	uint8_t bytes;
	int64_t low, high;
} widths[] = {
	{'b', 1, 0, UINT8_MAX},		 {'h', 2, 0, UINT16_MAX},
	{'u', 4, 0, UINT32_MAX},	 {'x', 4, 0, UINT32_MAX},
	{'t', 3, 0, 0xffffff},		 {'i', 4, INT32_MIN, INT32_MAX},
	{'w', 4, INT32_MIN, UINT32_MAX}, {'l', 8, INT64_MIN, INT64_MAX},
	{'U', 8, INT64_MIN, INT64_MAX},
};

static enum nx_status read_plain(struct nx_instruction_reader *r, const struct width *width,
				 uint8_t *at, struct nx_error *err)
{
	int64_t value;
	enum nx_status status = nx_instruction_read_number(r, width->low, width->high, &value, err);

	if (!status)
		memcpy(at, &value, width->bytes);
	return status;
}

static enum nx_status read_float(struct nx_instruction_reader *r, uint8_t *at, struct nx_error *err)
{
	struct nx_expression_value value = {0};
	enum nx_status status = nx_expression_read(&r->cursor, &value, err);
	float narrow = (float)value.real;

	if (!status)
		memcpy(at, &narrow, sizeof(narrow));
	return status;
}

/* In "128*64" the star separates two numbers. */
static enum nx_status read_factor(struct nx_instruction_reader *r, uint8_t *at,
				  struct nx_error *err)
{
	size_t start = r->cursor.at;
	struct nx_expression_value value = {0};
	enum nx_status status = nx_expression_read_primary(&r->cursor, &value, err);

	if (status)
		return status;
	*at = (uint8_t)value.whole;
	if (!value.is_real && value.whole >= 0 && value.whole <= UINT8_MAX)
		return NX_OK;
	r->cursor.at = start;
	return nx_fail(err, NX_FORMAT, "rows and columns are 0 to 255");
}

static enum nx_status expect(struct nx_instruction_reader *r, const char *word,
			     struct nx_error *err)
{
	return nx_cursor_take(&r->cursor, word)
		       ? NX_OK
		       : nx_fail(err, NX_FORMAT, "'%s' is missing here", word);
}

/* --- names ----------------------------------------------------------------------- */

/* The name of a code; NULL if it has none. */
typedef const char *(*name_of)(uint8_t code);

static const char *dtype_of(uint8_t code)
{
	return nx_dtype_name(code);
}

/* Functions without a name have their number as name. */
static const char *function_of(uint8_t code)
{
	char number[4];
	const char *name = nx_activation_name(code, number);

	return name == number ? NULL : name;
}

static bool find_code(name_of names, struct nx_slice name, uint8_t *code)
{
	if (names == dtype_of) { /* element types have several spellings */
		*code = (uint8_t)nx_dtype_find(name);
		return *code != NX_DTYPE_UNKNOWN;
	}
	for (unsigned i = 0; i < 256; i++) {
		const char *spelling = names((uint8_t)i);

		if (spelling && nx_slice_is(name, spelling)) {
			*code = (uint8_t)i;
			return true;
		}
	}
	return false;
}

static enum nx_status fail_with_names(struct nx_slice name, name_of names, struct nx_error *err)
{
	char list[512] = "";
	size_t used = 0;

	for (unsigned i = 0; i < 256 && used < sizeof(list); i++) {
		const char *known = names((uint8_t)i);

		if (known)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? ", " : "", known);
	}
	return nx_fail(err, NX_FORMAT, "'%.*s' is not a name that fits here; use a number or %s",
		       (int)name.len, (const char *)name.data, list);
}

/* A name of the list, or a number up to high. */
static enum nx_status read_code(struct nx_instruction_reader *r, name_of names, int64_t high,
				uint8_t *code, struct nx_error *err)
{
	size_t start = r->cursor.at;
	struct nx_slice name = nx_cursor_take_name(&r->cursor);
	enum nx_status status;
	int64_t number;

	if (name.len && find_code(names, name, code) && *code <= high)
		return NX_OK;
	r->cursor.at = start;
	status = nx_instruction_read_number(r, 0, high, &number, err);
	if (!status)
		*code = (uint8_t)number;
	else if (name.len)
		status = fail_with_names(name, names, err);
	return status;
}

bool nx_opcode_find(struct nx_slice name, uint8_t *opcode)
{
	char label[8];

	for (unsigned i = 0; i < 256; i++)
		if (nx_slice_is(name, nx_opcode_label((uint8_t)i, label))) {
			*opcode = (uint8_t)i;
			return true;
		}
	return false;
}

/* "A=0,B=1}": the code of a name. */
static bool find_in_list(const char *list, struct nx_slice name, uint8_t *code)
{
	while (*list != '}') {
		size_t len = strcspn(list, "=");
		const char *digit = list + len + 1;

		if (nx_slice_equal(name, nx_slice_of(list, len))) {
			for (*code = 0; *digit >= '0' && *digit <= '9'; digit++)
				*code = (uint8_t)(*code * 10 + (*digit - '0'));
			return true;
		}
		list += strcspn(list, ",}");
		list += *list == ',';
	}
	return false;
}

static enum nx_status read_listed(struct nx_instruction_reader *r, const char *list, uint8_t *at,
				  struct nx_error *err)
{
	size_t start = r->cursor.at;
	struct nx_slice name = nx_cursor_take_name(&r->cursor);
	enum nx_status status;
	int64_t number;

	if (name.len && find_in_list(list, name, at))
		return NX_OK;
	r->cursor.at = start;
	status = nx_instruction_read_number(r, 0, UINT8_MAX, &number, err);
	if (!status)
		*at = (uint8_t)number;
	else if (name.len)
		(void)nx_fail(err, NX_FORMAT, "'%.*s' is not one of %.*s", (int)name.len,
			      (const char *)name.data, (int)strcspn(list, "}"), list);
	return status;
}

/* --- fields with a shape of their own ---------------------------------------------- */

static enum nx_status read_list(struct nx_instruction_reader *r, int64_t low, int64_t high,
				int64_t *items, unsigned most, unsigned *count,
				struct nx_error *err)
{
	enum nx_status status = expect(r, "[", err);

	for (*count = 0; !status; ++*count) {
		if (*count == most)
			return nx_fail(err, NX_FORMAT, "at most %u numbers fit here", most);
		nx_cursor_skip_blanks(&r->cursor);
		status = nx_instruction_read_number(r, low, high, &items[*count], err);
		nx_cursor_skip_blanks(&r->cursor);
		if (!status && !nx_cursor_take(&r->cursor, ",")) {
			++*count;
			break;
		}
	}
	return status ? status : expect(r, "]", err);
}

/* A missing dimension has count 1 and step 0. */
static enum nx_status read_access_pattern(struct nx_instruction_reader *r, uint8_t *at,
					  unsigned dims, struct nx_error *err)
{
	int64_t steps[4] = {0}, counts[4] = {1, 1, 1, 1};
	unsigned step_count, count_count;
	enum nx_status status = read_list(r, INT16_MIN, INT16_MAX, steps, dims, &step_count, err);

	if (!status)
		status = read_list(r, 0, UINT16_MAX, counts, dims, &count_count, err);
	if (status)
		return status;
	if (step_count != count_count)
		return nx_fail(err, NX_FORMAT,
			       "%u steps but %u counts; give the same number of both", step_count,
			       count_count);
	for (unsigned i = 0; i < dims; i++) {
		nx_store16(at + 2 * i, (uint16_t)steps[i]);
		nx_store16(at + 2 * (dims + i), (uint16_t)counts[i]);
	}
	return NX_OK;
}

static enum nx_status read_register(struct nx_instruction_reader *r, int64_t high, uint8_t *at,
				    size_t bytes, struct nx_error *err)
{
	enum nx_status status = expect(r, "$R[", err);
	int64_t index = 0;

	if (!status)
		status = nx_instruction_read_number(r, 0, high, &index, err);
	if (!status)
		status = expect(r, "]", err);
	if (!status)
		memcpy(at, &index, bytes);
	return status;
}

static enum nx_status read_registers(struct nx_instruction_reader *r, uint8_t *at,
				     struct nx_error *err)
{
	enum nx_status status = NX_OK;
	unsigned count = 0;

	if (nx_instruction_is_at_end(r))
		return NX_OK;
	do {
		if (count == NX_REGISTER_LIST_MAX)
			return nx_fail(err, NX_FORMAT, "at most %d registers fit here",
				       NX_REGISTER_LIST_MAX);
		status = read_register(r, UINT8_MAX, at + count++, 1, err);
	} while (!status && nx_cursor_take(&r->cursor, ","));
	return status;
}

static enum nx_status read_lanes(struct nx_instruction_reader *r, uint8_t *at, struct nx_error *err)
{
	int64_t lanes[NX_MASK_LANES] = {0};
	unsigned count;
	enum nx_status status = read_list(r, 0, UINT8_MAX, lanes, NX_MASK_LANES, &count, err);

	for (unsigned i = 0; i < NX_MASK_LANES; i++)
		at[i] = (uint8_t)lanes[i];
	return status;
}

static enum nx_status read_zero_region(struct nx_instruction_reader *r, uint8_t *at,
				       struct nx_error *err)
{
	size_t start = r->cursor.at;
	int64_t bytes;
	enum nx_status status = nx_instruction_read_number(r, 0, UINT32_MAX, &bytes, err);

	if (status)
		return status;
	for (uint8_t code = 1; code < 31; code++)
		if (bytes == INT64_C(2) << code) {
			*at = code;
			return NX_OK;
		}
	if (bytes == 0) {
		*at = 0;
		return NX_OK;
	}
	r->cursor.at = start;
	return nx_fail(err, NX_FORMAT, "a zero region has 4, 8, 16, ... bytes, or 0 for none");
}

/* Other names than those of the core's queues are kept as they are. */
static enum nx_status read_queue(struct nx_instruction_reader *r, uint8_t *at, struct nx_error *err)
{
	struct nx_cursor *c = &r->cursor;
	size_t start = c->at;
	struct nx_slice name;
	char shown[NX_QUEUE_NAME_BYTES + 16];

	while (nx_cursor_peek(c) > ' ' && nx_cursor_peek(c) != '=' && nx_cursor_peek(c) != '#')
		c->at++;
	name = nx_slice_part(c->text, start, c->at - start);
	for (size_t i = 0; i < r->names->queue_count; i++) {
		const char *queue = r->names->queues[i];
		size_t len = nx_queue_display_name(queue, strlen(queue), shown, sizeof(shown));

		if (!nx_slice_equal(name, nx_slice_of(shown, len)))
			continue;
		name = nx_slice_text(queue);
		break;
	}
	if (name.len == 0 || name.len > NX_QUEUE_NAME_BYTES) {
		c->at = start;
		return nx_fail(err, NX_FORMAT, "a queue's name has 1 to %d characters",
			       NX_QUEUE_NAME_BYTES);
	}
	memset(at, 0, NX_QUEUE_NAME_BYTES);
	memcpy(at, name.data, name.len);
	return NX_OK;
}

static enum nx_status read_operand_sources(struct nx_instruction_reader *r, uint8_t *at,
					   struct nx_error *err)
{
	*at &= (uint8_t)~3u;
	for (unsigned k = 0; k < 2; k++) {
		if (k && expect(r, ",", err))
			return err->status;
		if (nx_cursor_take(&r->cursor, "PTR"))
			*at |= (uint8_t)(1u << k);
		else if (!nx_cursor_take(&r->cursor, "INSTRUCTION"))
			return nx_fail(err, NX_FORMAT, "expected PTR or INSTRUCTION");
	}
	return NX_OK;
}

static enum nx_status read_operand(struct nx_instruction_reader *r, unsigned which,
				   struct nx_error *err)
{
	r->has_operand[which] = true;
	return nx_expression_read(&r->cursor, &r->operands[which], err);
}

/* --- patterns ------------------------------------------------------------------------ */

static enum nx_status read_nibble(struct nx_instruction_reader *r, char kind, uint8_t *at,
				  struct nx_error *err)
{
	uint8_t code = 0;
	enum nx_status status = read_code(r, dtype_of, 15, &code, err);

	if (!status)
		*at = (uint8_t)(kind == 'n' ? (*at & 0xf0) | code : (*at & 0x0f) | code << 4);
	return status;
}

static enum nx_status read_kind(struct nx_instruction_reader *r, char kind, unsigned offset,
				const char *list, struct nx_error *err)
{
	uint8_t *at = r->slot + offset;

	assert(offset < NX_SLOT_BYTES);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		if (widths[i].kind == kind)
			return read_plain(r, &widths[i], at, err);
	switch (kind) {
	case '2':
	case '3':
	case '4':
		return read_access_pattern(r, at, (unsigned)(kind - '0'), err);
	case 'd':
		return read_code(r, dtype_of, UINT8_MAX, at, err);
	case 'n':
	case 'm':
		return read_nibble(r, kind, at, err);
	case 'a':
		return read_code(r, nx_alu_name, UINT8_MAX, at, err);
	case 'f':
		return read_code(r, function_of, UINT8_MAX, at, err);
	case 'g':
		return read_code(r, nx_group_name, UINT8_MAX, at, err);
	case 'r':
		return read_register(r, UINT32_MAX, at, 4, err);
	case 's':
		return read_register(r, UINT8_MAX, at, 1, err);
	case 'e':
		return read_listed(r, list, at, err);
	case 'F':
		return read_float(r, at, err);
	case 'k':
		return read_factor(r, at, err);
	case 'z':
		return read_zero_region(r, at, err);
	case 'q':
		return read_queue(r, at, err);
	case 'p':
		return read_operand_sources(r, at, err);
	case 'o':
		return read_operand(r, offset == 44, err);
	case 'v':
		return read_operand(r, 0, err);
	case 'L':
		return read_registers(r, at, err);
	default:
		assert(kind == 'B');
		return read_lanes(r, at, err);
	}
}

/* At a '{'; leaves *pattern after the '}'. */
static enum nx_status read_brace(struct nx_instruction_reader *r, const char **pattern,
				 struct nx_error *err)
{
	char kind = (*pattern)[1];
	const char *at = *pattern + ((*pattern)[2] == ':' ? 3 : 2), *list;
	unsigned offset = 0;

	for (; *at >= '0' && *at <= '9'; at++)
		offset = offset * 10 + (unsigned)(*at - '0');
	list = at + (*at == ':');
	*pattern = at + strcspn(at, "}") + 1;
	if (kind != '!')
		return read_kind(r, kind, offset, list, err);
	r->slot[offset] = 0;
	for (; *list >= '0' && *list <= '9'; list++)
		r->slot[offset] = (uint8_t)(r->slot[offset] * 10 + (*list - '0'));
	return NX_OK;
}

enum nx_status nx_instruction_read_field(struct nx_instruction_reader *r, const char *pattern,
					 struct nx_error *err)
{
	enum nx_status status = NX_OK;

	while (!status && *pattern && *pattern != ' ') {
		if (*pattern == '{')
			status = read_brace(r, &pattern, err);
		else if (nx_cursor_peek(&r->cursor) != *pattern)
			return nx_fail(err, NX_FORMAT, "'%c' is missing here", *pattern);
		else
			r->cursor.at++, pattern++;
	}
	return status;
}
