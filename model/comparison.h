/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison: what captures measured, and how that changed from one side to another. A side is one
 * capture or several of the same program; the first side is the baseline.
 */
#ifndef NX_MODEL_COMPARISON_H
#define NX_MODEL_COMPARISON_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"

/*
 * X(name, word in JSON, title, whether values add up: then a name that a capture lacks means 0, and
 * the changes explain the change of the whole)
 */
#define NX_MEASURE_SECTION_MAP(X)                                                                  \
	X(METRIC, "metric", "Metrics", false)                                                      \
	X(PATH, "path", "Causes on the critical path", true)                                       \
	X(ENGINE, "engine", "Time of the engines", true)                                           \
	X(OPERATOR, "operator", "Operators and layers, busy time", true)                           \
	X(LINE, "line", "Source lines, time of their instructions", true)                          \
	X(OPCODE, "opcode", "Opcodes, busy time", true)                                            \
	X(STEP, "step", "Steps, median duration", false)                                           \
	X(GAP, "gap", "Gaps between executions, median", false)                                    \
	X(CALL, "call", "Calls and spans, total duration", true)

enum nx_measure_section {
#define NX_MEASURE_SECTION_ENUM(name, word, title, adds) NX_MEASURE_##name,
	NX_MEASURE_SECTION_MAP(NX_MEASURE_SECTION_ENUM)
#undef NX_MEASURE_SECTION_ENUM
		NX_MEASURE_SECTION_COUNT,
};

struct nx_measure_section_info {
	const char *word, *title;
	bool adds_up;
};
extern const struct nx_measure_section_info nx_measure_sections[NX_MEASURE_SECTION_COUNT];

#define NX_MEASURE_NS                                                                              \
	"nanoseconds" /* of every section but METRIC, whose units are the schema's                 \
		       */

struct nx_measure {
	enum nx_measure_section section;
	const char *name, *unit;
	double value;
};

/* What one capture measured. */
struct nx_measures {
	struct nx_arena arena;
	struct nx_measure_list NX_VEC_BODY(struct nx_measure) items;
};

void nx_measures_release(struct nx_measures *measures);

/* One name on one side. */
struct nx_measure_sample {
	size_t count; /* captures that have it */
	double mean, variance;
};

/* Of a side against the baseline. */
struct nx_change {
	bool is_known; /* both sides have it */
	double difference;
	bool has_share;	 /* the baseline is not 0 */
	double relative; /* 0.02 is 2 % more */
	bool has_interval;
	double low, high; /* of the difference, with a confidence of 95 % */
};

struct nx_compared {
	enum nx_measure_section section;
	const char *name, *unit;
	struct nx_measure_sample *samples; /* one for each side */
	struct nx_change *changes;	   /* the same; that of the baseline is empty */
};

struct nx_side {
	const char *name;
	size_t capture_count;
};

struct nx_comparison {
	struct nx_arena arena;
	struct nx_side *sides;
	size_t side_count;
	struct nx_compared_list NX_VEC_BODY(struct nx_compared) rows; /* by section, then name */
};

void nx_comparison_release(struct nx_comparison *comparison);

#endif
