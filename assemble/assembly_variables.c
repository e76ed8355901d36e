/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_variables: what lies in device memory: tensors, constants, scratchpad. */
#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "assemble/assembly_internal.h"
#include "base/bare/bits.h"
#include "format/npy.h"

#define MAX_VARIABLES (1 << 20)
#define MAX_TENSOR_BYTES (INT64_C(1) << 44)

static enum nx_status add(struct nx_assembly *a, const struct nx_plan_variable *v,
			  struct nx_error *err)
{
	struct nx_assembly_core *core = nx_assembly_core(a);
	struct nx_slice name = nx_slice_text(v->name);
	uint64_t known;

	if (nx_text_map_get(&core->variable_of_name, name, &known))
		return nx_fail(err, NX_FORMAT, "core %u has a variable '%s' already", a->core,
			       v->name);
	if (core->variables.len == MAX_VARIABLES)
		return nx_fail(err, NX_LIMIT, "a core has at most %d variables", MAX_VARIABLES);
	nx_text_map_put(&core->variable_of_name, name, core->variables.len);
	nx_vec_push(&core->variables, *v);
	return NX_OK;
}

static enum nx_status read_dtype(struct nx_cursor *c, uint8_t *dtype, struct nx_error *err)
{
	size_t start;
	struct nx_slice word;

	nx_cursor_skip_blanks(c);
	start = c->at;
	word = nx_cursor_take_name(c);
	*dtype = (uint8_t)nx_dtype_find(word);
	if (*dtype)
		return NX_OK;
	c->at = start;
	return nx_fail(err, NX_FORMAT,
		       "expected an element type: fp32, bfloat16, fp16, int32, ...");
}

/* NAME DTYPE [shape] */
static enum nx_status read_tensor(struct nx_assembly *a, struct nx_cursor *c,
				  struct nx_plan_variable *v, uint8_t *dtype, struct nx_error *err)
{
	int64_t shape[NX_PLAN_MAX_DIMS], bytes;
	enum nx_status status = nx_assembly_word(a, c, "the variable's name", &v->name, err);

	if (!status)
		status = read_dtype(c, dtype, err);
	if (!status)
		status = nx_assembly_list(c, 1, shape, &v->dims, err);
	if (status)
		return status;
	v->dtype = nx_dtype_neff_name(*dtype);
	bytes = nx_dtype_bytes(*dtype);
	for (unsigned i = 0; i < v->dims; i++) {
		v->shape[i] = (uint64_t)shape[i];
		if (__builtin_mul_overflow(bytes, shape[i], &bytes) || bytes > MAX_TENSOR_BYTES)
			return nx_fail(err, NX_LIMIT,
				       "a tensor of this shape is too large for any memory");
	}
	v->size_bytes = (uint64_t)bytes;
	return NX_OK;
}

/* .input and .output */
enum nx_status nx_directive_tensor(struct nx_assembly *a, struct nx_cursor *c, struct nx_error *err)
{
	struct nx_plan_variable v = {.type = a->directive};
	uint8_t dtype;
	enum nx_status status = read_tensor(a, c, &v, &dtype, err);

	if (!status)
		status = nx_assembly_end(c, err);
	return status ? status : add(a, &v, err);
}

/* Behind the one before it, unless offset= says where. */
static enum nx_status place(struct nx_assembly *a, struct nx_cursor *c, struct nx_plan_variable *v,
			    struct nx_error *err)
{
	struct nx_assembly_core *core = nx_assembly_core(a);
	int64_t offset = (int64_t)((core->scratch_bytes + 63) & ~UINT64_C(63));
	enum nx_status status = NX_OK;

	if (nx_assembly_key(c, "offset"))
		status = nx_assembly_number(c, 0, MAX_TENSOR_BYTES, &offset, err);
	v->scratch_offset = (uint64_t)offset;
	if (v->scratch_offset + v->size_bytes > core->scratch_bytes)
		core->scratch_bytes = v->scratch_offset + v->size_bytes;
	if (!status && core->scratch_bytes > 2 * (uint64_t)MAX_TENSOR_BYTES)
		return nx_fail(err, NX_LIMIT, "the scratchpad is too large for any memory");
	return status;
}

enum nx_status nx_directive_scratch(struct nx_assembly *a, struct nx_cursor *c,
				    struct nx_error *err)
{
	struct nx_plan_variable v = {.type = "virtual"};
	uint8_t dtype;
	enum nx_status status = read_tensor(a, c, &v, &dtype, err);

	if (!status)
		status = place(a, c, &v, err);
	if (!status)
		status = nx_assembly_end(c, err);
	return status ? status : add(a, &v, err);
}

/* --- constants ----------------------------------------------------------------------- */

/* NumPy has no name for bfloat16 and fp8: plain bytes. */
static const char *npy_dtype(uint8_t dtype)
{
	const char *name = nx_dtype_npy(dtype);

	if (name)
		return name;
	return nx_dtype_bytes(dtype) == 2 ? "<V2" : "|V1";
}

/* An element as MEMSET would store it, so that there is one place that converts. */
static enum nx_status encode(struct nx_expression_value value, uint8_t dtype, uint8_t out[8],
			     struct nx_error *err)
{
	static const struct {
		double low, high;
	} ranges[NX_DTYPE_COUNT] = {
		[NX_DTYPE_INT8] = {INT8_MIN, INT8_MAX},	   [NX_DTYPE_UINT8] = {0, UINT8_MAX},
		[NX_DTYPE_INT16] = {INT16_MIN, INT16_MAX}, [NX_DTYPE_UINT16] = {0, UINT16_MAX},
		[NX_DTYPE_INT32] = {INT32_MIN, INT32_MAX}, [NX_DTYPE_UINT32] = {0, UINT32_MAX},
	};
	uint8_t slot[NX_SLOT_BYTES];
	char text[96];
	size_t at;

	assert(dtype < NX_DTYPE_COUNT);
	memset(out, 0, 8);
	if (dtype == NX_DTYPE_UINT64 || dtype == NX_DTYPE_INT64) {
		memcpy(out, &value.whole, sizeof(value.whole));
		return value.is_real ? nx_fail(err, NX_FORMAT, "expected an integer") : NX_OK;
	}
	if (dtype >= NX_DTYPE_FP32R)
		return nx_fail(err, NX_UNSUPPORTED,
			       "literals of this element type are not possible; use a .npy file");
	if (ranges[dtype].high != 0 &&
	    (value.is_real || value.real < ranges[dtype].low || value.real > ranges[dtype].high))
		return nx_fail(err, NX_FORMAT, "%g is not a valid %s", value.real,
			       nx_dtype_name(dtype));
	if (ranges[dtype].high != 0) {
		memcpy(out, &value.whole, nx_dtype_bytes(dtype));
		return NX_OK;
	}
	snprintf(text, sizeof(text), "MEMSET value=%s%.17e dst=%s@0[1][1] channels=1",
		 signbit(value.real) ? "" : "+", value.real, nx_dtype_name(dtype));
	if (nx_instruction_assemble(nx_slice_text(text), NULL, slot, &at, err))
		return nx_fail(err, NX_FORMAT, "%g does not fit type %s", value.real,
			       nx_dtype_name(dtype));
	memcpy(out, nx_word_of(slot)->memset.value.bytes, 4);
	return NX_OK;
}

/* Ones where row and column are the same: what transposes on the Tensor engine. */
static enum nx_status fill_identity(const struct nx_plan_variable *v, uint8_t dtype,
				    struct nx_bytes *payload, struct nx_error *err)
{
	unsigned bytes = nx_dtype_bytes(dtype);
	uint8_t one[8];
	enum nx_status status =
		encode((struct nx_expression_value){dtype == NX_DTYPE_FP16, 1, 1}, dtype, one, err);

	if (status)
		return status;
	if (v->dims != 2 || v->shape[0] != v->shape[1])
		return nx_fail(err, NX_FORMAT, "an identity has the shape [N,N]");
	nx_bytes_append_zeros(payload, (size_t)v->size_bytes);
	for (size_t i = 0; i < v->shape[0]; i++)
		memcpy(payload->items + i * (size_t)(v->shape[0] + 1) * bytes, one, bytes);
	return NX_OK;
}

/* "= 1, 2, 3": repeated until the shape is full. */
static enum nx_status read_values(struct nx_cursor *c, const struct nx_plan_variable *v,
				  uint8_t dtype, struct nx_bytes *payload, struct nx_error *err)
{
	unsigned bytes = nx_dtype_bytes(dtype);

	do {
		struct nx_expression_value value;
		uint8_t element[8];
		enum nx_status status;
		size_t start;

		nx_cursor_skip_blanks(c);
		start = c->at;
		status = nx_expression_read(c, &value, err);
		if (status)
			return status;
		status = encode(value, dtype, element, err);
		if (!status && payload->len + bytes > v->size_bytes)
			status = nx_fail(err, NX_FORMAT, "there are more values than elements");
		if (status) {
			c->at = start;
			return status;
		}
		nx_bytes_append(payload, element, bytes);
		nx_cursor_skip_blanks(c);
	} while (nx_cursor_take(c, ","));
	assert(payload->len);
	if (v->size_bytes % payload->len)
		return nx_fail(err, NX_FORMAT, "the values do not fill the shape evenly");
	for (size_t len = payload->len; payload->len < v->size_bytes;) {
		nx_vec_reserve(payload, payload->len + len);
		nx_bytes_append(payload, payload->items, len);
	}
	return NX_OK;
}

static enum nx_status read_payload(struct nx_assembly *a, struct nx_cursor *c,
				   const struct nx_plan_variable *v, uint8_t dtype,
				   struct nx_bytes *payload, struct nx_error *err)
{
	enum nx_status status;

	if (v->size_bytes > a->constant_budget)
		return nx_fail(err, NX_LIMIT,
			       "the constants are larger than allowed; use a .npy file");
	a->constant_budget -= v->size_bytes;
	nx_cursor_skip_blanks(c);
	if (!nx_cursor_take(c, "="))
		return nx_fail(err, NX_FORMAT, "expected '=' and values, or file=");
	nx_cursor_skip_blanks(c);
	if (nx_cursor_take(c, "identity"))
		return fill_identity(v, dtype, payload, err);
	c->allows_blanks = true;
	status = read_values(c, v, dtype, payload, err);
	c->allows_blanks = false;
	return status;
}

static enum nx_status read_literal(struct nx_assembly *a, struct nx_cursor *c,
				   struct nx_plan_variable *v, uint8_t dtype, struct nx_error *err)
{
	struct nx_npy array = {.dims = v->dims};
	struct nx_bytes payload = {0}, file = {0};
	enum nx_status status = read_payload(a, c, v, dtype, &payload, err);

	if (status)
		goto out;
	memcpy(array.dtype, npy_dtype(dtype), strlen(npy_dtype(dtype)));
	memcpy(array.shape, v->shape, sizeof(array.shape));
	array.payload = nx_slice_of(payload.items, payload.len);
	nx_npy_write(&array, &file);
	v->file =
		nx_slice_of(nx_arena_copy(&a->arena, nx_slice_of(file.items, file.len)), file.len);
out:
	nx_vec_release(&payload);
	nx_vec_release(&file);
	return status;
}

static enum nx_status read_npy(struct nx_assembly *a, struct nx_cursor *c,
			       struct nx_plan_variable *v, struct nx_error *err)
{
	const char *path;
	struct nx_npy array;
	enum nx_status status = nx_assembly_word(a, c, "a .npy file", &path, err);

	if (!status)
		status = nx_assembly_file(a, path, &v->file, err);
	if (status)
		return status;
	if (!nx_npy_read(v->file, &array) || array.payload.len == 0)
		return nx_fail(err, NX_FORMAT, "%s is not a .npy file with elements", path);
	v->size_bytes = array.payload.len;
	v->dims = array.dims;
	memcpy(v->shape, array.shape, sizeof(v->shape));
	v->dtype = !strcmp(array.dtype, "|V2") ? "bfloat16" : "";
	for (uint8_t dtype = NX_DTYPE_COUNT; dtype-- > 1;)
		if (!strcmp(array.dtype, npy_dtype(dtype)))
			v->dtype = nx_dtype_neff_name(dtype);
	return NX_OK;
}

/* NAME file="x.npy", or NAME DTYPE [shape] = values; as="..." is the member's name. */
enum nx_status nx_directive_constant(struct nx_assembly *a, struct nx_cursor *c,
				     struct nx_error *err)
{
	struct nx_plan_variable v = {.type = "file"};
	size_t start = c->at;
	enum nx_status status = nx_assembly_word(a, c, "the constant's name", &v.name, err);
	uint8_t dtype;

	if (status)
		return status;
	v.file_name = nx_arena_printf(&a->arena, "value_%s_CRSM.npy", v.name);
	if (nx_assembly_key(c, "file")) {
		status = read_npy(a, c, &v, err);
	} else {
		c->at = start;
		status = read_tensor(a, c, &v, &dtype, err);
		if (!status)
			status = read_literal(a, c, &v, dtype, err);
	}
	if (!status && nx_assembly_key(c, "as"))
		status = nx_assembly_word(a, c, "the member's name", &v.file_name, err);
	if (!status)
		status = nx_assembly_end(c, err);
	return status ? status : add(a, &v, err);
}

/* --- the rest --------------------------------------------------------------------------- */

/* NAME type=WORD [size=N] [offset=N]: what has no element type, such as SB{1} of type remote. */
enum nx_status nx_directive_variable(struct nx_assembly *a, struct nx_cursor *c,
				     struct nx_error *err)
{
	struct nx_plan_variable v = {0};
	enum nx_status status = nx_assembly_word(a, c, "the variable's name", &v.name, err);
	int64_t size = 0;

	if (!status && !nx_assembly_key(c, "type"))
		return nx_fail(err, NX_FORMAT, "type= is missing here");
	if (!status)
		status = nx_assembly_word(a, c, "a type", &v.type, err);
	if (!status && nx_assembly_key(c, "size"))
		status = nx_assembly_number(c, 0, MAX_TENSOR_BYTES, &size, err);
	v.size_bytes = (uint64_t)size;
	if (!status && !strcmp(v.type, "virtual"))
		status = place(a, c, &v, err);
	if (!status)
		status = nx_assembly_end(c, err);
	return status ? status : add(a, &v, err);
}

/* NAME = a, b: the variables that dynamic transfers reach by number. */
enum nx_status nx_directive_table(struct nx_assembly *a, struct nx_cursor *c, struct nx_error *err)
{
	struct nx_plan_variable v = {.type = "dge-table"};
	struct nx_assembly_core *core = nx_assembly_core(a);
	enum nx_status status = nx_assembly_word(a, c, "the table's name", &v.name, err);
	NX_VEC(uint32_t) list = {0};
	const char *name;
	uint64_t index;

	nx_cursor_skip_blanks(c);
	if (!status && !nx_cursor_take(c, "="))
		return nx_fail(err, NX_FORMAT, "'=' is missing here");
	while (!status) {
		status = nx_assembly_word(a, c, "a variable", &name, err);
		if (status)
			break;
		if (!nx_text_map_get(&core->variable_of_name, nx_slice_text(name), &index)) {
			status = nx_fail(err, NX_FORMAT, "unknown variable '%s'", name);
			break;
		}
		nx_vec_push(&list, (uint32_t)index);
		nx_cursor_skip_blanks(c);
		if (!nx_cursor_take(c, ","))
			break;
	}
	if (!status)
		status = nx_assembly_end(c, err);
	v.list = NX_COPY_ARRAY(&a->arena, list.items, list.len);
	v.list_count = list.len;
	nx_vec_release(&list);
	return status ? status : add(a, &v, err);
}
