/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile: one device profile, as all code after the decoders sees it.
 *
 * Small tables are arrays here. Tables that grow with the trace are streamed by nx_profile_scan, in
 * order of time (events, throttles and faults graph by graph), as often as needed.
 */
#ifndef NX_MODEL_PROFILE_H
#define NX_MODEL_PROFILE_H

#include <stdarg.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"
#include "model/binary.h"
#include "model/capture.h"
#include "model/memory_use.h"
#include "model/program.h"
#include "model/rows.h"

/* This program, as the files and tables it writes name it. */
#define NX_PRODUCT_VERSION "open-neuron-explorer 0.1.0"

/* X(enum, JSON section name, row struct) */
#define NX_TABLE_MAP(X)                                                                            \
	X(INSTRUCTION, "instruction", struct nx_instruction)                                       \
	X(PACKET, "dma", struct nx_packet)                                                         \
	X(EVENT, "semaphore_update", struct nx_event)                                              \
	X(PENDING, "pending_dma", struct nx_pending)                                               \
	X(THROUGHPUT, "dma_throughput", struct nx_throughput)                                      \
	X(THROTTLE, "ham", struct nx_throttle)                                                     \
	X(ACTIVE, "active_time", struct nx_active)                                                 \
	X(BUFFER_USAGE, "instruction_usage", struct nx_buffer_usage)                               \
	X(MEMORY_USE, "memory_tracker", struct nx_memory_use)                                      \
	X(FAULT, "error", struct nx_fault)

enum nx_table {
#define NX_TABLE_ENUM(name, section, row) NX_TABLE_##name,
	NX_TABLE_MAP(NX_TABLE_ENUM)
#undef NX_TABLE_ENUM
		NX_TABLE_COUNT,
};

typedef void (*nx_row_fn)(void *context, const void *row);

struct nx_profile;

/* Instructions, packets and what is derived from them may be scanned by several threads at once;
 * events, throttles and faults by one. */
struct nx_row_source {
	enum nx_status (*scan)(void *context, enum nx_table table, nx_row_fn fn, void *fn_context,
			       struct nx_error *err);
	/* transfer a packet belongs to, NX_NONE if it belongs to none */
	uint32_t (*find_transfer)(void *context, const struct nx_packet *packet);
	void *context;
};

struct nx_warning {
	const char *category; /* "Missing Data", "Data Loss", … */
	const char *message;
};

struct nx_warnings NX_VEC_BODY(struct nx_warning);

/* Adds a warning; the message is formatted into the arena. */
void nx_warnings_add(struct nx_warnings *warnings, struct nx_arena *arena, const char *category,
		     const char *fmt, va_list args);

enum nx_metric_kind { NX_METRIC_COUNT, NX_METRIC_NUMBER, NX_METRIC_TEXT };

struct nx_metric {
	const char *name;
	enum nx_metric_kind kind;
	uint64_t count;
	double number;
	const char *text;
};

struct nx_graph_counts { /* one row of model_info */
	uint64_t instruction_count[NX_ENGINE_COUNT];
	uint64_t event_count;
	uint64_t packet_count;
	uint64_t transfer_count;
	uint64_t last_end_ps; /* end of its last instruction */
};

struct nx_tensor_load { /* what static DMAs brought into the state buffer */
	uint64_t dma_count;
	uint64_t total_bytes;
};

struct nx_profile {
	struct nx_arena arena;
	struct nx_capture capture;
	bool has_binary;
	const char *binary_path;
	struct nx_binary binary;
	struct nx_program program;
	const char *name; /* the session file without folder and suffix */

	struct nx_graph_counts graphs[NX_MAX_GRAPHS];
	uint64_t last_end_ps; /* of all graphs */
	struct nx_warnings warnings;
	struct nx_metrics NX_VEC_BODY(struct nx_metric) metrics;
	struct nx_layers NX_VEC_BODY(struct nx_layer) layers;
	struct nx_transfers NX_VEC_BODY(struct nx_transfer) transfers;
	uint64_t start_epoch_ns;	     /* host time of the window's start; 0 = not known */
	struct nx_tensor_load *tensor_loads; /* parallel to the binary's tensors */
	/* updates before a window without an end: not shown, but counted as AWS does */
	uint64_t early_semaphore_count;
	uint64_t with_layer_count; /* instructions that have a layer */
	/* only in the published summary */
	uint64_t exec_time_ps; /* from the first to the last instruction or packet of work */
	uint64_t adjusted_flop_count, adjusted_transpose_flop_count; /* in bf16 equivalents */
	struct nx_memory_report *memory; /* NULL: the memory tracker was not asked for */
	struct nx_row_source source;
};

NX_MUST_CHECK enum nx_status nx_profile_scan(const struct nx_profile *profile, enum nx_table table,
					     nx_row_fn fn, void *context, struct nx_error *err);

/* Instructions, packets and events of all graphs. */
uint64_t nx_profile_row_count(const struct nx_profile *profile);

uint32_t nx_profile_find_transfer(const struct nx_profile *profile, const struct nx_packet *packet);

/* "n_" and 40 hex digits, a SHA-1 of what the capture holds: its name in URLs and summaries. */
#define NX_PROFILE_KEY_MAX 48
void nx_profile_key(const struct nx_profile *profile, char key[NX_PROFILE_KEY_MAX]);

/* Adds a warning; the message is formatted into the profile's arena. */
void nx_profile_warn(struct nx_profile *profile, const char *category, const char *fmt, ...)
	NX_PRINTF(3, 4);

/* End of the shown span, in nanoseconds since the window began. */
static inline uint64_t nx_profile_last_ns(const struct nx_profile *profile)
{
	const struct nx_capture *c = &profile->capture;

	return (c->has_window_end ? c->total_time_ps : profile->last_end_ps) / 1000;
}

static inline const struct nx_slot *nx_profile_slot(const struct nx_profile *profile,
						    const struct nx_instruction *row)
{
	return &profile->program.slots[row->graph][row->engine][row->slot];
}

#endif
