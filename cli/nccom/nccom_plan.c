/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_run.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "assemble/assembler.h"
#include "format/collective.h"
#include "format/instruction.h"

/* --- names ------------------------------------------------------------------------------- */

static const struct nx_nccom_op ops[] = {
	{"all_reduce", "allr", "ALL_REDUCE", NX_COLLECTIVE_ALL_REDUCE},
	{"all_gather", "allg", "ALL_GATHER", NX_COLLECTIVE_ALL_GATHER},
	{"all_gatherv", "allgv", "ALL_GATHER_V", NX_COLLECTIVE_ALL_GATHER_V},
	{"reduce_scatter", "redsct", "REDUCE_SCATTER", NX_COLLECTIVE_REDUCE_SCATTER},
	{"sendrecv", "sendrecv", "SEND_RECV", NX_COLLECTIVE_SEND_RECV},
	{"alltoall", "alltoall", "ALL_TO_ALL", NX_COLLECTIVE_ALL_TO_ALL},
	{"alltoallv", "alltoallv", "ALL_TO_ALL_V", NX_COLLECTIVE_ALL_TO_ALL_V},
	{"permute", "permute", "PERMUTE", NX_COLLECTIVE_PERMUTE},
	{"broadcast", "bcast", "BROADCAST", NX_COLLECTIVE_BROADCAST},
};

static_assert(sizeof(ops) / sizeof(ops[0]) == 9, "add a new operation to the names below too");
const char nx_nccom_op_names[] =
	"all_reduce all_gather all_gatherv reduce_scatter sendrecv alltoall "
	"alltoallv permute broadcast";

const struct nx_nccom_op *nx_nccom_op_find(const char *name)
{
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (!strcmp(name, ops[i].name) || !strcmp(name, ops[i].short_name))
			return &ops[i];
	return NULL;
}

unsigned nx_nccom_dtype_find(const char *name)
{
	static const char *const names[] = {"uint8", "int8",   "uint16", "int16", "fp16",
					    "bf16",  "uint32", "int32",	 "fp32"};

	if (!strcmp(name, "fp8"))
		return NX_DTYPE_FP8E4;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return nx_dtype_find(nx_slice_text(name));
	return NX_DTYPE_UNKNOWN;
}

/* --- sizes --------------------------------------------------------------------------------- */

enum nx_status nx_nccom_size_parse(const char *text, uint64_t *out, struct nx_error *err)
{
	static const struct {
		const char *suffix;
		unsigned shift;
	} units[] = {{"", 0},	{"b", 0},   {"k", 10}, {"kb", 10},
		     {"m", 20}, {"mb", 20}, {"g", 30}, {"gb", 30}};
	char *end = NULL;
	double number = isdigit((unsigned char)*text) ? strtod(text, &end) : -1;

	for (size_t i = 0; end && i < sizeof(units) / sizeof(units[0]); i++) {
		double bytes = number * (double)(UINT64_C(1) << units[i].shift);

		if (strcasecmp(end, units[i].suffix) != 0 || bytes > 1e15)
			continue;
		*out = (uint64_t)bytes;
		return NX_OK;
	}
	return nx_fail(err, NX_USAGE, "'%.40s' is not a size; write 100, 512kb, 32mb or 1gb", text);
}

enum nx_status nx_nccom_sizes_list(const struct nx_nccom_sizes *sizes, struct nx_arena *arena,
				   uint64_t **out, size_t *count, struct nx_error *err)
{
	uint64_t size = sizes->least, factor = sizes->factor, step = sizes->step;

	if (sizes->least > sizes->most || !sizes->least)
		return nx_fail(err, NX_USAGE,
			       "sizes go from %llu to %llu bytes; --minbytes must be positive "
			       "and at most --maxbytes",
			       (unsigned long long)sizes->least, (unsigned long long)sizes->most);
	step = step ? step : (sizes->most - sizes->least) / 10;
	step = step ? step : sizes->most - sizes->least + 1;
	*out = NX_NEW_ARRAY(arena, uint64_t, NX_NCCOM_MAX_CASES);
	for (*count = 0; size <= sizes->most;) {
		if (*count == NX_NCCOM_MAX_CASES)
			return nx_fail(err, NX_LIMIT,
				       "more than %u sizes; choose a larger step or a factor",
				       NX_NCCOM_MAX_CASES);
		(*out)[(*count)++] = size;
		if (factor > 1)
			size = size > UINT64_MAX / factor ? UINT64_MAX : size * factor;
		else
			size += step;
	}
	return NX_OK;
}

/* --- measures --------------------------------------------------------------------------------- */

static enum nx_status measure_counts(struct nx_nccom_case *c, struct nx_error *err)
{
	bool is_gather = c->op->kind == NX_COLLECTIVE_ALL_GATHER_V;
	const uint64_t *counts = c->groups->counts;
	size_t n = c->group_size, wanted = is_gather ? n : n * n;
	uint64_t sum = 0, largest = 0;

	if (!counts) {
		c->in_count = is_gather ? c->element_count / n : c->element_count;
		c->out_count = c->element_count;
		c->word_count = c->in_count;
		return NX_OK;
	}
	if (c->groups->count_count != wanted)
		return nx_fail(err, NX_MISMATCH,
			       "--variable-size-op-metadata has %zu counts; %s of %zu ranks needs "
			       "%zu",
			       c->groups->count_count, c->op->name, n, wanted);
	for (size_t i = 0; i < wanted; i++) {
		sum += counts[i];
		largest = counts[i] > largest ? counts[i] : largest;
	}
	c->in_count = is_gather ? largest : sum;
	c->out_count = sum;
	c->element_count = is_gather ? sum : sum / n;
	c->size_bytes = c->element_count * nx_dtype_bytes(c->dtype);
	c->word_count = c->in_count;
	return NX_OK;
}

enum nx_status nx_nccom_case_measure(struct nx_nccom_case *c, struct nx_error *err)
{
	uint64_t n = c->group_size, size = nx_dtype_bytes(c->dtype);

	assert(c->op && c->groups && n > 0 && size > 0);
	c->element_count = c->size_bytes / size;
	c->in_count = c->out_count = c->word_count = c->element_count;
	switch (c->op->kind) {
	case NX_COLLECTIVE_ALL_GATHER_V:
	case NX_COLLECTIVE_ALL_TO_ALL_V:
		return measure_counts(c, err);
	case NX_COLLECTIVE_ALL_GATHER:
		c->in_count = c->word_count = c->element_count / n;
		c->out_count = c->in_count * n;
		break;
	case NX_COLLECTIVE_REDUCE_SCATTER:
		c->out_count = c->element_count / n;
		break;
	default:
		break;
	}
	if ((c->op->kind == NX_COLLECTIVE_ALL_GATHER ||
	     c->op->kind == NX_COLLECTIVE_REDUCE_SCATTER ||
	     c->op->kind == NX_COLLECTIVE_ALL_TO_ALL) &&
	    (c->element_count % n || !c->element_count))
		return nx_fail(err, NX_MISMATCH,
			       "%s: %llu elements of %llu bytes cannot be split among %llu ranks; "
			       "choose a size that is a multiple of %" PRIu64,
			       c->op->name, (unsigned long long)c->element_count,
			       (unsigned long long)size, (unsigned long long)n, n * size);
	if (!c->element_count)
		return nx_fail(err, NX_MISMATCH, "%llu bytes are less than one %s",
			       (unsigned long long)c->size_bytes, c->dtype_name);
	return NX_OK;
}

/* --- the program ----------------------------------------------------------------------------- */

static const char *counts_text(const struct nx_nccom_case *c, struct nx_arena *arena)
{
	bool is_gather = c->op->kind == NX_COLLECTIVE_ALL_GATHER_V;
	size_t n = c->group_size, wanted = is_gather ? n : n * n;
	uint64_t each = c->element_count / n;
	struct nx_bytes text = {0};
	const char *out;
	char part[48];

	if (!is_gather && c->op->kind != NX_COLLECTIVE_ALL_TO_ALL_V)
		return "";
	for (size_t i = 0; i < wanted; i++) {
		uint64_t count = c->groups->counts ? c->groups->counts[i] : each;
		int len = snprintf(part, sizeof(part), "%s%" PRIu64, i ? "," : ".element_counts [",
				   count);

		nx_bytes_append(&text, part, (size_t)len);
	}
	nx_bytes_append(&text, "]\n", 2);
	out = nx_arena_copy(arena, nx_slice_of(text.items, text.len));
	nx_vec_release(&text);
	return out;
}

static const char *groups_text(const struct nx_nccom_case *c, struct nx_arena *arena)
{
	bool is_pairwise =
		c->op->kind == NX_COLLECTIVE_PERMUTE || c->op->kind == NX_COLLECTIVE_SEND_RECV;

	if (is_pairwise)
		return c->groups->pairs ? nx_arena_printf(arena, ".source_target_pairs %s\n",
							  c->groups->pairs)
					: "";
	return c->groups->groups ? nx_arena_printf(arena, ".replica_groups %s\n", c->groups->groups)
				 : "";
}

enum nx_status nx_nccom_case_assemble(const struct nx_nccom_case *c, struct nx_bytes *neff,
				      struct nx_error *err)
{
	const struct nx_assembly_options options = {.path = "nccom-test"};
	const char *type = nx_dtype_name(c->dtype);
	struct nx_arena arena = {0};
	enum nx_status st;
	const char *text = nx_arena_printf(
		&arena,
		".name nccom_%s_%llu\n.arch trn2\n.input x %s [%llu]\n.output y %s [%llu]\n%s%s"
		".engine pool\n.layer %s\n.repeat %u\n"
		"PSEUDO_TRIGGER_COLLECTIVE ctype=%s input_tensor_id=x output_tensor_id=y "
		"num_elements=%llu dtype=%s op=ADD group_id=0\n.end\n%s",
		c->op->short_name, (unsigned long long)c->size_bytes, type,
		(unsigned long long)(c->in_count ? c->in_count : 1), type,
		(unsigned long long)(c->out_count ? c->out_count : 1), groups_text(c, &arena),
		counts_text(c, &arena), c->op->name, c->op_count, c->op->word,
		(unsigned long long)c->word_count, type,
		c->core_size == 2 ? ".core 1\n.engine sp\nNOP cycle=0\n" : "");

	st = nx_assemble(nx_slice_text(text), &options, neff, err);
	nx_arena_release(&arena);
	return st;
}
