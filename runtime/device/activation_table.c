/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device/activation_table.h"

#include <assert.h>
#include <math.h>

#include "base/bare/bits.h"
#include "base/json_reader.h"
#include "runtime/device/real_functions.h"

#define ENTRY_BYTES 32
#define OPERAND_COEFFICIENT 2 /* fma_indirection_src_sel of parametric_relu */

static uint32_t number_of(const struct nx_json *function, const char *key)
{
	return (uint32_t)nx_json_as_u64(nx_json_get(function, key), 0);
}

static float float_at(const struct nx_json *function, const char *key)
{
	uint32_t bits = number_of(function, key);

	return nx_load_f32(&bits);
}

/* One side of zero; sign is "pos" or "neg". */
#define SIDE(f, sign)                                                                              \
	((struct nx_activation_side){                                                              \
		.control_base = number_of(f, "pwl_control_base_" sign),                            \
		.small_exponent = number_of(f, "small_" sign "_signal_exp_threshold"),             \
		.small_bucket = number_of(f, sign "_small_signal_pwl_control"),                    \
		.large_exponent = number_of(f, "large_" sign "_signal_exp_threshold"),             \
		.large_mantissa = number_of(f, "large_" sign "_signal_mantissa_threshold"),        \
		.large_bucket = number_of(f, sign "_large_signal_pwl_control"),                    \
	})

static void read_function(const struct nx_json *f, struct nx_activation_function *out)
{
	int64_t offset = nx_json_as_i64(nx_json_get(f, "exp_offset"), 0);

	out->id = (uint8_t)number_of(f, "func_id");
	out->is_symmetric = number_of(f, "symmetry_opt_en");
	out->is_odd = number_of(f, "sym_invert_sign_point");
	out->needs_operand = number_of(f, "fma_indirection_src_sel") == OPERAND_COEFFICIENT;
	out->exponent_offset = offset < -1024 || offset > 1024 ? 0 : (int32_t)offset;
	out->positive = SIDE(f, "pos");
	out->negative = SIDE(f, "neg");
	out->zero = float_at(f, "fzero_result");
	out->nan = float_at(f, "fnan_result");
	out->positive_infinity = float_at(f, "fpinf_result");
	out->negative_infinity = float_at(f, "fninf_result");
}

enum nx_status nx_activation_set_read(struct nx_slice json, struct nx_arena *arena,
				      struct nx_activation_set *set, struct nx_error *err)
{
	struct nx_arena scratch = {0};
	const struct nx_json *functions;
	struct nx_json *root;
	enum nx_status status = nx_json_parse(json, &scratch, &root, err);

	if (status)
		goto out;
	functions = nx_json_get(root, "profile_meta_data");
	if (!functions || functions->kind != NX_JSON_ARRAY) {
		status = nx_fail(err, NX_FORMAT, "it has no list profile_meta_data");
		goto out;
	}
	set->function_count = functions->count;
	set->functions = NX_NEW_ARRAY(arena, struct nx_activation_function, functions->count);
	for (size_t i = 0; i < functions->count; i++)
		read_function(&functions->children[i], &set->functions[i]);
out:
	nx_arena_release(&scratch);
	return status;
}

const struct nx_activation_function *nx_activation_find(const struct nx_activation_set *set,
							uint8_t id)
{
	for (size_t i = 0; i < set->function_count; i++)
		if (set->functions[i].id == id && !set->functions[i].needs_operand)
			return &set->functions[i];
	return NULL;
}

/* --- from tables ------------------------------------------------------------ */

static uint64_t bucket_of(const struct nx_activation_set *set,
			  const struct nx_activation_function *f,
			  const struct nx_activation_side *side, uint32_t bits)
{
	uint32_t exponent = bits >> 23 & 0xff, mantissa = bits & 0x7fffff, word;
	int64_t control;

	if (exponent > side->large_exponent ||
	    (exponent == side->large_exponent && mantissa >= side->large_mantissa))
		return side->large_bucket;
	if (exponent < side->small_exponent)
		return side->small_bucket;
	control = (int64_t)side->control_base + (int64_t)exponent - 127 - f->exponent_offset;
	if (control < 0 || (uint64_t)control >= set->controls.len / ENTRY_BYTES)
		return UINT64_MAX;
	word = nx_load32(set->controls.data + (size_t)control * ENTRY_BYTES);
	return nx_bits32(word, 10, 0) + (word >> 16 ? mantissa >> nx_bits32(word, 15, 11) : 0);
}

static float evaluate(const struct nx_activation_set *set, const struct nx_activation_function *f,
		      float x)
{
	uint32_t bits = nx_load32(&x);
	bool is_negative = bits >> 31;
	const struct nx_activation_side *side =
		is_negative && !f->is_symmetric ? &f->negative : &f->positive;
	const uint8_t *c;
	uint64_t bucket;
	float t, y;

	if (x != x)
		return f->nan;
	if (x == 0)
		return f->zero;
	if (isinf(x))
		return is_negative ? f->negative_infinity : f->positive_infinity;
	bucket = bucket_of(set, f, side, bits);
	if (bucket >= set->buckets.len / ENTRY_BYTES)
		return NAN;
	c = set->buckets.data + (size_t)bucket * ENTRY_BYTES;
	t = (f->is_symmetric ? fabsf(x) : x) - nx_load_f32(c + 16);
	y = nx_load_f32(c) +
	    t * (nx_load_f32(c + 4) + t * (nx_load_f32(c + 8) + t * nx_load_f32(c + 12)));
	return f->is_symmetric && f->is_odd && is_negative ? -y : y;
}

void nx_activation_evaluate(const struct nx_activation_set *set,
			    const struct nx_activation_function *function, float *values,
			    size_t count)
{
	assert(set && function);
	for (size_t i = 0; i < count; i++)
		values[i] = evaluate(set, function, values[i]);
}

/* --- exactly --------------------------------------------------------- */

enum function {
	IDENTITY = 1,
	RELU = 2,
	TANH = 6,
	EXP = 7,
	LN = 10,
	SIN = 19,
	RECIPROCAL_SQRT = 29,
	SQUARE = 30,
	SIGN = 31,
	ABS = 33,
	IS_FINITE = 35,
	SILU = 36,
	COPY = 128,
	MEMSET_ZERO = 130,
};

bool nx_activation_is_plain(uint8_t id)
{
	switch (id) {
	case IDENTITY:
	case RELU:
	case SQUARE:
	case SIGN:
	case ABS:
	case IS_FINITE:
	case COPY:
	case MEMSET_ZERO:
		return true;
	default:
		return false;
	}
}

static float compute_plain(uint8_t id, float x)
{
	switch (id) {
	case RELU:
		return x < 0 ? 0 : x;
	case SQUARE:
		return x * x;
	case SIGN:
		return x > 0 ? 1 : x < 0 ? -1 : x;
	case ABS:
		return fabsf(x);
	case IS_FINITE:
		return isfinite(x) ? 1 : 0;
	case MEMSET_ZERO:
		return 0;
	default:
		return x;
	}
}

static void (*const real_functions[256])(float *values, size_t count) = {
	[TANH] = nx_real_tanh,
	[EXP] = nx_real_exp,
	[LN] = nx_real_log,
	[SIN] = nx_real_sin,
	[RECIPROCAL_SQRT] = nx_real_reciprocal_sqrt,
	[SILU] = nx_real_silu,
};

bool nx_activation_compute(uint8_t id, float *values, size_t count)
{
	if (real_functions[id]) {
		real_functions[id](values, count);
		return true;
	}
	if (!nx_activation_is_plain(id))
		return false;
	for (size_t i = 0; id != IDENTITY && id != COPY && i < count; i++)
		values[i] = compute_plain(id, values[i]);
	return true;
}
