/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session: an NTFF as show-session shows it: its metadata, and counts of the records in its rings,
 * from one pass that keeps no rows.
 */
#ifndef NX_CLI_SESSION_H
#define NX_CLI_SESSION_H

#include "base/json_writer.h"
#include "decode/ntff/ntff_decoder.h"
#include "model/binary.h"
#include "model/program.h"

struct nx_session_counts { /* of one graph */
	uint64_t instruction_count[NX_ENGINE_COUNT];
	uint64_t last_end_ps;
	uint64_t packet_count, packet_bytes;
	uint64_t event_count;
	uint64_t error_count, warning_count, custom_count;
};

struct nx_session {
	struct nx_arena arena;
	struct nx_file file, neff_file;
	struct nx_capture capture;
	struct nx_ntff_decoder decoder;
	bool has_binary;
	struct nx_binary binary;
	struct nx_program program; /* semaphore names and layers; empty without NEFF */
	struct nx_session_counts counts[NX_MAX_GRAPHS];
	uint32_t graph;	       /* the only one to show; NX_NONE: all */
	enum nx_engine engine; /* the only one to list; NX_ENGINE_COUNT: all */
};

static inline bool nx_session_shows(const struct nx_session *s, uint32_t graph)
{
	return s->graph == NX_NONE || s->graph == graph;
}

void nx_session_print(struct nx_session *s, struct nx_output *out);
/* Writes the members of the open object. */
void nx_session_write_json(struct nx_session *s, struct nx_json_writer *w);

/* Executed instructions by time; w NULL: as lines on out, by core, with its collectives. */
NX_MUST_CHECK enum nx_status nx_session_list_trace(struct nx_session *s, struct nx_output *out,
						   struct nx_json_writer *w, struct nx_error *err);
/* What the hardware reported: errors and warnings, in the order of the rings. */
void nx_session_list_errors(struct nx_session *s, struct nx_output *out, struct nx_json_writer *w);
/* DMA records in the order of the rings. */
void nx_session_list_dma(struct nx_session *s, struct nx_output *out, struct nx_json_writer *w);

#endif
