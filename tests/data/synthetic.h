/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synthetic: generated captures, for tests, demos and measurements.
 *
 * A small compiler lays out a transformer as five engine streams with static
 * DMA blocks, a small machine runs them, and the two halves are written as a
 * NEFF and an NTFF. Equal options give equal bytes. struct nx_synthetic_counts
 * has what a reader must find in them.
 *
 *	struct nx_synthetic_options options = nx_synthetic_tiny;
 *	struct nx_synthetic_counts counts;
 *	struct nx_bytes neff = {0}, ntff = {0};
 *	options.version = 5;
 *	nx_synthetic_capture(&options, &neff, &ntff, &counts);
 */
#ifndef NX_TESTS_SYNTHETIC_H
#define NX_TESTS_SYNTHETIC_H

#include <stdbool.h>

#include "base/vec.h"
#include "machine/hardware.h"

#define NX_SYNTHETIC_GRAPHS 2
#define NX_SYNTHETIC_SUBLAYERS 13
#define NX_SYNTHETIC_DMA_ENGINES 16

struct nx_synthetic_options {
	uint64_t seed;		   /* not 0 */
	unsigned version;	   /* of the NTFF: 4, 5 or 6 */
	unsigned arch;		   /* 1 = V2 (trn1, inf2), 2 = V3 (trn2) */
	unsigned graph_count;	   /* physical cores: 1 or 2 */
	unsigned layer_count;	   /* of the transformer */
	unsigned sublayer_count;   /* parts of each layer, at most NX_SYNTHETIC_SUBLAYERS */
	unsigned tile_count;	   /* matrix tiles of a projection */
	unsigned dma_engine_count; /* that each queue spreads over, at most 16 */
	unsigned packet_count;	   /* of a weight block on each DMA engine */
	unsigned package_version;  /* of the NEFF: 2 gzip, 1 plain */
	bool with_faults;	   /* errors, custom and DGE records, things nobody knows */
	bool without_debug_info;
};

/* The demo: two cores, some thousand instructions; and the smallest useful capture. */
extern const struct nx_synthetic_options nx_synthetic_demo;
extern const struct nx_synthetic_options nx_synthetic_tiny;

struct nx_synthetic_graph_counts {
	uint64_t instruction_count[NX_ENGINE_COUNT]; /* in the window */
	uint64_t packet_count;			     /* in the window */
	uint64_t packet_bytes;
	uint64_t transfer_count;    /* static blocks triggered; only a NEFF tells of them */
	uint64_t event_count;	    /* as model_info counts: versions 4, 5 also before the window */
	uint64_t early_event_count; /* those before the window */
	uint64_t throttle_count;
	uint64_t matmul_count;
	uint64_t dynamic_dma_count;
};

struct nx_synthetic_counts {
	struct nx_synthetic_graph_counts graphs[NX_SYNTHETIC_GRAPHS];
	uint64_t total_time_ps;
	uint64_t fault_count;
	uint64_t dge_record_count;
	uint64_t unknown_record_count;
	uint64_t unknown_ring_count; /* that hold something */
	uint64_t unknown_field_count;
	uint64_t record_count; /* in all rings */
	uint64_t layer_name_count;
};

/* Appends the files; neff may be NULL. counts may be NULL. */
void nx_synthetic_capture(const struct nx_synthetic_options *options, struct nx_bytes *neff,
			  struct nx_bytes *ntff, struct nx_synthetic_counts *counts);

/* Appends the source of the kernel that such a capture is a run of. */
void nx_synthetic_source(const struct nx_synthetic_options *options, struct nx_bytes *out);
#define NX_SYNTHETIC_KERNEL_FILE "llama/kernels/attention.py" /* as debug records name it */

/* --- captures larger than memory ------------------------------------------- */

/* Takes the next bytes of the file; false stops the writing. */
typedef bool (*nx_synthetic_sink)(void *context, const void *data, size_t len);

struct nx_synthetic_machine; /* the program, compiled and run once */

struct nx_synthetic_machine *nx_synthetic_machine_new(const struct nx_synthetic_options *options);
void nx_synthetic_machine_free(struct nx_synthetic_machine *machine);

/* What one run of the program adds to the rings. */
uint64_t nx_synthetic_bytes_per_run(const struct nx_synthetic_machine *machine);
void nx_synthetic_write_neff(const struct nx_synthetic_machine *machine, struct nx_bytes *neff);
/* An NTFF in which the program ran run_count times; memory does not depend on it. */
bool nx_synthetic_write_ntff(struct nx_synthetic_machine *machine, uint64_t run_count,
			     nx_synthetic_sink sink, void *context,
			     struct nx_synthetic_counts *counts);

/* --- seeds for the fuzz targets -------------------------------------------- */

/* Receives every seed: name of the target, name of the file, its bytes. */
typedef bool (*nx_synthetic_seed_fn)(void *context, const char *target, const char *name,
				     const struct nx_bytes *bytes);
bool nx_synthetic_corpus(nx_synthetic_seed_fn fn, void *context);

#endif
