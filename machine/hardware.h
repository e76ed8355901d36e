/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hardware: the machine that programs run on and captures come from.
 *
 * Constants that hold for every generation are macros here; what differs is a row of nx_hardware
 * (published numbers of a generation) or of nx_chip (the names of a product). Ask here instead of
 * writing 128, 1 << 18 or "cayman".
 */
#ifndef NX_MACHINE_HARDWARE_H
#define NX_MACHINE_HARDWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bare/slice.h"

/* The engines of a NeuronCore, numbered as runtime and capture files do. */
enum nx_engine {
	NX_ENGINE_TENSOR, /* PE */
	NX_ENGINE_SCALAR, /* ACT */
	NX_ENGINE_GPSIMD, /* POOL */
	NX_ENGINE_VECTOR, /* DVE */
	NX_ENGINE_SYNC,	  /* SP */
	NX_ENGINE_COUNT,
};
const char *nx_engine_label(enum nx_engine engine); /* "PE", "Act", "Pool", "DVE", "SP" */

struct nx_engine_names {
	const char *label;    /* "Tensor": rows of a timeline */
	const char *word;     /* "tensor": in field names */
	const char *neff_key; /* "pe": in a NEFF's def.json */
	const char *stem;     /* "PE": file names in a NEFF */
};

extern const struct nx_engine_names nx_engines[NX_ENGINE_COUNT];

#define NX_SLOT_BYTES 64       /* an instruction word; a program is an array of slots */
#define NX_PC_COUNT (1u << 20) /* a program counter is (address / NX_SLOT_BYTES) modulo this */
#define NX_SEMAPHORE_COUNT 256
#define NX_REGISTER_COUNT 64u	/* per engine */
#define NX_DMA_ENGINE_COUNT 16u /* per core; each has one ring of every queue */

/*
 * On-chip memory is one flat space of two halves, SBUF and PSUM. Each half has 128 partitions,
 * which begin NX_PARTITION_STRIDE bytes apart; how many of these bytes exist differs.
 */
#define NX_PARTITION_COUNT 128u
#define NX_PARTITION_SHIFT 18
#define NX_PARTITION_STRIDE (1u << NX_PARTITION_SHIFT)
#define NX_PSUM_BASE (NX_PARTITION_COUNT * NX_PARTITION_STRIDE)
#define NX_ON_CHIP_BYTES (2u * NX_PSUM_BASE)
#define NX_PSUM_PARTITION_BYTES (16u << 10)
#define NX_PSUM_BANKS 8
#define NX_PSUM_BANK_BYTES (NX_PSUM_PARTITION_BYTES / NX_PSUM_BANKS)

#define NX_ARRAY_ROWS 128u
#define NX_ARRAY_COLUMNS 128u

/* --- generations ------------------------------------------------------------------------- */

/* Hardware generations, numbered as in an NTFF. */
enum nx_arch { NX_ARCH_V1, NX_ARCH_V2, NX_ARCH_V3, NX_ARCH_V4 };

struct nx_hardware {		  /* published constants of a generation */
	const char *name;	  /* "trn2" */
	double tensor_clock_ghz;  /* of the PE array */
	double engine_clock_ghz;  /* of the other engines */
	uint64_t hbm_bytes_per_s; /* one stack */
	uint64_t dma_bytes_per_s;
	uint32_t sbuf_partition_bytes;
	uint32_t psum_partition_bytes;
	uint32_t array_rows, array_columns;
	double vector_clock_ghz;
	uint32_t partition_count; /* that Vector, Scalar and GpSimd work on side by side */
	uint32_t dma_engine_count;
	uint64_t hbm_bytes; /* one stack */
};

/* NULL for a generation without published numbers: V1, and V4 (trn3) as of today. */
const struct nx_hardware *nx_hardware_of(unsigned arch);

/* Whether a 64-bit device address, as in a DMA_DIRECT2D, lies in a core's SBUF or PSUM. */
bool nx_address_is_on_chip(uint64_t address, unsigned arch);
#define NX_ON_CHIP_ADDRESS UINT64_C(0x802000000000) /* of the first core, V3 and later */

/* --- products ---------------------------------------------------------------------------- */

enum nx_device_arch {
	NX_DEVICE_ANY, /* what the NEFF was compiled for; trn2 if it does not say */
	NX_DEVICE_TRN1,
	NX_DEVICE_INF2,
	NX_DEVICE_TRN2,
	NX_DEVICE_TRN3,
};

struct nx_chip {
	enum nx_device_arch device;
	const char *name;   /* "trn2" */
	const char *target; /* "cayman", as compilers name it in a NEFF */
	enum nx_arch arch;
};

/* NULL for NX_DEVICE_ANY. */
const struct nx_chip *nx_chip_of(enum nx_device_arch device);
/* By product ("trn1"), compiler's target ("sunda") or generation ("v2"); NULL if unknown. */
const struct nx_chip *nx_chip_find(struct nx_slice name);

/* Bytes of an SBUF partition; for trn3 and NX_DEVICE_ANY the whole stride. */
uint32_t nx_device_sbuf_partition_bytes(enum nx_device_arch device);
/* V3 for NX_DEVICE_ANY. trn1 and inf2 share a generation and run the same programs. */
enum nx_arch nx_device_generation(enum nx_device_arch device);
/* Of a NEFF's target; V3, which current compilers write for, if unknown; V2 if empty. */
enum nx_arch nx_target_generation(const char *target);

#endif
