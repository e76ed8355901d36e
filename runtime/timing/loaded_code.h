/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loaded_code: a program as the runtime loads it onto the device.
 *
 * The runtime inserts words before and after the compiler's streams, and replaces
 * pseudo words with real ones: PSEUDO_DMA_TRIGGER with WRITE, for example. A capture
 * has these images, and patches that lead back to the compiler's slots. The inserted
 * words are those of real captures; see docs/design/simulator.md.
 *
 * DMA queues are assigned to engines and rings, and their blocks divided into packets.
 */
#ifndef NX_RUNTIME_TIMING_LOADED_CODE_H
#define NX_RUNTIME_TIMING_LOADED_CODE_H

#include "format/instruction_word.h"
#include "runtime/device/device_program.h"

#define NX_LOADED_RINGS NX_DMA_ENGINE_COUNT /* a queue has one on each DMA engine */

enum nx_patch_kind { NX_LOADED_COMPILED, NX_LOADED_REPLACED, NX_LOADED_INSERTED };

struct nx_loaded_slot {
	union nx_word word;
	uint32_t compiler_pc; /* NX_NO_INDEX when inserted */
	uint8_t kind;	      /* enum nx_patch_kind */
	uint32_t queue;	      /* that it starts a transfer on, in nx_loaded_core; or NX_NO_INDEX */
	uint32_t block;	      /* position in that queue's blocks; NX_NO_INDEX for a dynamic one */
};

struct nx_loaded_stream {
	uint64_t start_address; /* bytes, of slot 0; a multiple of 64 */
	struct nx_loaded_slot *slots;
	size_t slot_count;
};

/* One packet of a transfer, in the order in which its DMA engine works on them. */
struct nx_loaded_packet {
	uint32_t bytes;
	uint32_t elements;	     /* contiguous runs, on the side that has more of them */
	uint32_t run_bytes;	     /* of the shortest side */
	bool is_from_hbm, is_to_hbm; /* else SBUF or PSUM */
	bool is_semaphore;	     /* the 4 bytes after the data of each ring */
};

struct nx_loaded_block {
	uint32_t id;
	uint32_t semaphore; /* counted up by one per ring */
	/* packets of ring r are packets[first[r]] to packets[first[r + 1]] */
	const struct nx_loaded_packet *packets;
	uint32_t first[NX_LOADED_RINGS + 1];
};

enum nx_loaded_queue_kind { NX_LOADED_STATIC, NX_LOADED_SOFTWARE_DGE, NX_LOADED_HARDWARE_DGE };

struct nx_loaded_queue {
	struct nx_slice name; /* as captures have it: "qSyncIO0", "qPoolDynamic" */
	uint8_t kind;	      /* enum nx_loaded_queue_kind */
	uint8_t engine;	      /* that starts it */
	uint8_t queue_index;  /* on each of its DMA engines, 0 to 15 */
	uint8_t queue_type;   /* as NTFFs number it */
	uint16_t first_dma_engine;
	struct nx_loaded_block *blocks; /* one per execution of a DMA instruction when dynamic */
	size_t block_count;
};

struct nx_loaded_core {
	struct nx_loaded_stream streams[NX_ENGINE_COUNT];
	struct nx_loaded_queue *queues;
	size_t queue_count;
};

struct nx_loaded_code {
	struct nx_arena arena;
	const struct nx_device_program *program; /* borrowed */
	struct nx_loaded_core *cores;
	size_t core_count;
};

/* LIMIT or UNSUPPORTED. A zeroed struct may be released; release it after a failure too. */
NX_MUST_CHECK enum nx_status nx_loaded_code_make(struct nx_loaded_code *code,
						 const struct nx_device_program *program,
						 struct nx_error *err);
void nx_loaded_code_release(struct nx_loaded_code *code);

#endif
