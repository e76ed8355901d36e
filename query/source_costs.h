/* SPDX-License-Identifier: Apache-2.0 */
/* source_costs: what each line of source costs: its share of the critical path and the causes
 * there, the pauses before its instructions, the engines it keeps busy, bytes and FLOPs. */
#ifndef NX_QUERY_SOURCE_COSTS_H
#define NX_QUERY_SOURCE_COSTS_H

#include "base/arena.h"
#include "base/vec.h"
#include "query/query_engine.h"

enum nx_line_section {
	NX_LINE_PATH,  /* by cause, as in CriticalPath */
	NX_LINE_STALL, /* pauses before its instructions, by the engine or queue that ended them */
	NX_LINE_BUSY,  /* by engine; overlapping instructions count once */
	NX_LINE_SECTION_COUNT,
};

struct nx_line_part {
	const char *name;
	int64_t time_ps;
};

struct nx_line_cost {
	const char *file; /* as the compiler recorded it; lines of a file share the text */
	uint32_t line;
	uint64_t instruction_count, flops;
	uint64_t hbm_bytes; /* read and written by the transfers that it starts */
	int64_t total_ps[NX_LINE_SECTION_COUNT];
	struct nx_line_parts NX_VEC_BODY(struct nx_line_part) parts[NX_LINE_SECTION_COUNT];
};

struct nx_source_costs {
	struct nx_arena arena;
	int64_t span_ps;		   /* of the run */
	NX_VEC(struct nx_line_cost) lines; /* by file and line; of parts, the longest first */
};

/* NOT_FOUND if the profile has no explanation of its time. Release after a failure too. */
NX_MUST_CHECK enum nx_status nx_source_costs_ask(struct nx_source_costs *costs,
						 const struct nx_query_engine *engine,
						 struct nx_error *err);
void nx_source_costs_release(struct nx_source_costs *costs);

/*
 * The file of the profile that a person means: the one that shares the most trailing parts of its
 * path with name, the last at least. NOT_FOUND with the files there are, USAGE if several fit.
 */
NX_MUST_CHECK enum nx_status nx_source_costs_find(const struct nx_source_costs *costs,
						  const char *name, const char **file,
						  struct nx_error *err);

#endif
