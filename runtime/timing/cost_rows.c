/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cost_rows: costs of single instructions and packets, measured or published.
 *
 * "n =" is the number of instructions in published captures behind a number. Bases are
 * for 128 partitions. If only the base or the slope is known, the other one is copied
 * from similar rows, and the evidence is that of the weaker half.
 */
#include "runtime/timing/cost_rows.h"

#define PE (1u << NX_ENGINE_TENSOR)
#define ACT (1u << NX_ENGINE_SCALAR)
#define POOL (1u << NX_ENGINE_GPSIMD)
#define DVE (1u << NX_ENGINE_VECTOR)
#define SP (1u << NX_ENGINE_SYNC)
#define ALL (PE | ACT | POOL | DVE | SP)

#define V2 NX_ON_V2
#define V3 NX_ON_V3
#define ANY NX_ON_ANY

#define WIDE (NX_FROM_WIDE | NX_TO_WIDE)
#define PSUM (NX_FROM_PSUM | NX_TO_PSUM)
#define STRIDED (NX_FROM_STRIDED | NX_TO_STRIDED)

#define ROW(opcode, engines, generations, has, lacks, base, cycles, overlap, least, weight, words) \
	FLAT_ROW(opcode, engines, generations, has, lacks, base, cycles, 0, overlap, least,        \
		 weight, words)
/* The base covers the first elements. */
#define FLAT_ROW(opcode, engines, generations, has, lacks, base, cycles, covered, overlap, least,  \
		 weight, words)                                                                    \
	{                                                                                          \
		opcode, engines, generations, has, lacks, NX_NS(base), cycles, covered,            \
			NX_NS(overlap), NX_NS(least),                                              \
		{                                                                                  \
			weight, words                                                              \
		}                                                                                  \
	}
/* COPY and CAST were never seen to differ. */
#define MOVE(engines, generations, has, lacks, base, cycles, overlap, least, weight, words)        \
	ROW(0x46, engines, generations, has, lacks, base, cycles, overlap, least, weight, words),  \
		ROW(0x47, engines, generations, has, lacks, base, cycles, overlap, least, weight,  \
		    words)
/* A published number of cycles per element, on an engine whose base is measured. */
#define VECTOR_RULE(opcode, cycles, words)                                                         \
	ROW(opcode, DVE, V3, 0, 0, 157, cycles, 93, 66.7, NX_PUBLISHED, words),                    \
		ROW(opcode, DVE, V2, 0, 0, 211, cycles, 143, 57.1, NX_PUBLISHED, words)

const struct nx_compute_row nx_compute_rows[] = {
	/* opcode, engines, generations, has, lacks, base, cycles, overlap, least occupancy */

	/* --- vector engine, copies ---------------------------------------------- */
	MOVE(DVE, V3, NX_TO_STRIDED | NX_FROM_PSUM, NX_TO_WIDE, 157, 4.2, 138, 64, NX_MEASURED,
	     "n = 12"),
	MOVE(DVE, V3, NX_TO_STRIDED | NX_FROM_PSUM, 0, 159, 1.75, 148, 64, NX_MEASURED, "n = 26"),
	MOVE(DVE, V3, NX_TO_STRIDED, NX_TO_WIDE, 157, 2.2, 167, 64, NX_MEASURED, "n = 48"),
	MOVE(DVE, V3, NX_TO_STRIDED, 0, 148, 1.0, 150, 64, NX_MEASURED, "n = 36"),
	MOVE(DVE, V3, NX_FROM_STRIDED, 0, 141, 1.0, 90, 64, NX_MEASURED, "n = 12"),
	MOVE(DVE, V3, NX_FROM_PSUM | NX_FROM_WIDE, 0, 158, 1.0, 94, 64, NX_MEASURED, "n = 576"),
	MOVE(DVE, V3, NX_TO_PSUM | NX_FROM_WIDE, 0, 158, 1.0, 94, 64, NX_DERIVED,
	     "as from PSUM: its port is the limit"),
	MOVE(DVE, V3, NX_FROM_PSUM, WIDE, 161, 0.5, 96, 64, NX_MEASURED, "n = 293"),
	MOVE(DVE, V3, NX_TO_PSUM, WIDE, 161, 0.5, 96, 64, NX_DERIVED, "as from PSUM"),
	MOVE(DVE, V3, NX_FROM_PSUM, NX_FROM_WIDE, 156.3, 1.0, 94, 64, NX_DERIVED,
	     "n = 3 with one element; slope as other 32-bit copies of PSUM"),
	MOVE(DVE, V3, NX_TO_PSUM, NX_FROM_WIDE, 158, 1.0, 94, 64, NX_DERIVED,
	     "as other 32-bit copies of PSUM"),
	MOVE(DVE, V3, 0, WIDE, 160, 0.25, 93, 64, NX_MEASURED, "n = 441; published: four a cycle"),
	MOVE(DVE, V3, 0, 0, 160, 0.5, 93, 64, NX_MEASURED, "n = 580; published: two a cycle"),
	MOVE(DVE, V2, 0, 0, 211, 1.0, 143, 57.1, NX_PUBLISHED,
	     "tensor_copy: max(64, N); base as TENSOR_TENSOR"),

	/* --- vector engine, two sources ------------------------------------------- */
	ROW(0x41, DVE, V3, NX_ALL_BF16, PSUM | STRIDED, 161.5, 0.5, 93, 64, NX_PUBLISHED,
	    "a published benchmark of bf16 adds"),
	ROW(0x41, DVE, V3, 0, 0, 157, 1.0, 93, 64, NX_MEASURED, "n = 2,319; fp32 and fp16"),
	ROW(0x41, DVE, V2, NX_FROM_MIXED, 0, 211, 1.0, 143, 57.1, NX_PUBLISHED,
	    "tensor_tensor: max(64, N) when the sources lie in different memories"),
	ROW(0x41, DVE, V2, NX_ALL_BF16, PSUM | STRIDED, 211, 1.0, 143, 57.1, NX_PUBLISHED,
	    "tensor_tensor: max(64, N) for bf16"),
	ROW(0x41, DVE, V2, WIDE, PSUM, 211.2, 2.021, 143, 57.1, NX_MEASURED, "n = 12"),
	ROW(0x41, DVE, V2, 0, 0, 211, 2.0, 143, 57.1, NX_PUBLISHED,
	    "tensor_tensor: max(64, 2 N); base as measured for fp32"),
	ROW(0x72, DVE, V3, NX_FROM_MIXED, 0, 157, 1.0, 93, 66.7, NX_PUBLISHED,
	    "tensor_copy_predicated: N when the sources lie in different memories"),
	ROW(0x72, DVE, V2, NX_FROM_MIXED, 0, 211, 1.0, 143, 57.1, NX_PUBLISHED,
	    "tensor_copy_predicated: N when the sources lie in different memories"),
	VECTOR_RULE(0x72, 2.0, "tensor_copy_predicated: 2 N"),
	VECTOR_RULE(0x9d, 2.0, "scalar_tensor_tensor: 2 N"),
	VECTOR_RULE(0x9e, 2.0, "scalar_tensor_tensor: 2 N"),
	VECTOR_RULE(0xe5, 2.0, "tensor_tensor_scan: 2 N, also in a published benchmark"),

	/* --- vector engine, one source --------------------------------------------- */
	ROW(0x42, DVE, V3, NX_FROM_PSUM, 0, 157, 1.0, 93, 64, NX_DERIVED,
	    "n = 115 of 147 ns on two partitions, which take 10 ns less; published: 156.3"),
	ROW(0x42, DVE, V3, 0, 0, 154, 1.0, 93, 64, NX_MEASURED, "n = 905"),
	ROW(0x42, DVE, V2, 0, 0, 211, 1.0, 143, 57.1, NX_PUBLISHED,
	    "tensor_reduce: N; base as TENSOR_TENSOR"),
	ROW(0x8c, DVE, V2, 0, 0, 211, 1.0, 143, 57.1, NX_ASSUMED, "as TENSOR_REDUCE"),
	ROW(0x8c, DVE, V3, 0, 0, 154, 1.0, 93, 64, NX_ASSUMED, "as TENSOR_REDUCE"),
	ROW(0x43, DVE, V3, NX_POINTER | NX_FROM_PSUM, 0, 218, 1.0, 92, 64, NX_MEASURED, "n = 26"),
	ROW(0x43, DVE, V3, NX_POINTER | WIDE, PSUM | STRIDED, 218, 0.5, 92, 64, NX_MEASURED,
	    "n = 5"),
	ROW(0x43, DVE, V3, NX_POINTER, PSUM | STRIDED | WIDE, 218, 0.25, 92, 64, NX_PUBLISHED,
	    "fast modes as of copies; base as with fp32"),
	ROW(0x43, DVE, V3, NX_POINTER, PSUM | STRIDED, 218, 0.5, 92, 64, NX_PUBLISHED,
	    "fast modes as of copies; base as with fp32"),
	ROW(0x43, DVE, V3, NX_POINTER, 0, 218, 1.0, 92, 64, NX_DERIVED,
	    "as from PSUM: a port is the limit"),
	ROW(0x43, DVE, V3, 0, PSUM | STRIDED | WIDE, 160.3, 0.25, 93, 64, NX_PUBLISHED,
	    "tensor_scalar has the fast modes of copies"),
	ROW(0x43, DVE, V3, 0, PSUM | STRIDED, 160.3, 0.5, 93, 64, NX_PUBLISHED,
	    "a published benchmark of fp32"),
	ROW(0x43, DVE, V3, 0, 0, 160.3, 1.0, 93, 64, NX_PUBLISHED, "tensor_scalar: max(64, N)"),
	ROW(0x43, DVE, V2, 0, 0, 211, 1.0, 143, 57.1, NX_PUBLISHED,
	    "tensor_scalar: max(64, N); base as TENSOR_TENSOR"),
	ROW(0x48, DVE, V3, 0, 0, 153.5, 6.0, 94, 64, NX_MEASURED, "n = 8; published: 6.25 ns"),
	ROW(0x48, DVE, V2, 0, 0, 211, 8.0, 143, 57.1, NX_PUBLISHED,
	    "reciprocal: max(64, 8 N); base as TENSOR_TENSOR"),
	FLAT_ROW(0x49, DVE, V3, NX_TO_PSUM, 0, 91.3, 1.0, 128, 36, 51, NX_MEASURED,
		 "n = 384 up to 128 elements, flat; published beyond: N"),
	FLAT_ROW(0x49, DVE, V3, 0, NX_TO_WIDE, 83.4, 0.5, 128, 32, 51, NX_MEASURED,
		 "n = 4 of 128 elements; published beyond: N / 2"),
	FLAT_ROW(0x49, DVE, V3, 0, 0, 83.4, 1.0, 128, 32, 51, NX_MEASURED,
		 "n = 43 up to 128 elements, flat; published beyond: N"),
	FLAT_ROW(0x49, DVE, V2, 0, 0, 83, 1.0, 64, 32, 57.1, NX_PUBLISHED,
		 "memset: max(64, N); base as on trn2"),
	ROW(0x6b, DVE, ANY, 0, 0, 200, 1.0, 140, 64, NX_PUBLISHED,
	    "a published benchmark: 233 ns for 32, 93 back to back"),
	VECTOR_RULE(0x60, 1.0, "bn_stats: max(64, N)"),
	VECTOR_RULE(0x61, 1.0, "bn_stats: max(64, N)"),
	VECTOR_RULE(0x62, 4.333, "bn_aggr: max(64, 13 N / 3)"),
	VECTOR_RULE(0x6a, 1.0, "nc_stream_shuffle: max(64, N)"),
	VECTOR_RULE(0x6c, 1.0, "max8: N"),
	VECTOR_RULE(0x6e, 1.0, "nc_find_index8: N"),
	VECTOR_RULE(0x6f, 1.0, "nc_match_replace8: max(64, N)"),
	VECTOR_RULE(0x7f, 1.0, "dropout: max(64, N)"),
	VECTOR_RULE(0xbc, 1.0, "range_select: max(64, N)"),
	ROW(0x9a, DVE, ANY, 0, 0, 223.7, 1.0, 93, 66.7, NX_PUBLISHED,
	    "tensor_scalar_reduce: max(64, N) + 64"),

	/* --- scalar engine ---------------------------------------------------------- */
	MOVE(ACT, V3, NX_TO_STRIDED | NX_FROM_PSUM, NX_TO_WIDE, 170.3, 5.2, 160, 64, NX_MEASURED,
	     "n = 7"),
	MOVE(ACT, V3, NX_TO_STRIDED | NX_FROM_PSUM, 0, 165.6, 2.1, 157, 64, NX_MEASURED, "n = 18"),
	MOVE(ACT, V3, NX_TO_STRIDED, NX_TO_WIDE, 193.7, 5.2, 177, 64, NX_MEASURED, "n = 34"),
	MOVE(ACT, V3, NX_TO_STRIDED, 0, 192.7, 2.1, 157, 64, NX_MEASURED, "n = 36"),
	MOVE(ACT, V3, NX_FROM_STRIDED | NX_FROM_PSUM, 0, 163, 2.1, 99, 64, NX_DERIVED,
	     "as from SBUF, and the 33 ns that PSUM is nearer"),
	MOVE(ACT, V3, NX_FROM_STRIDED, 0, 196, 2.1, 99, 64, NX_MEASURED, "n = 10"),
	MOVE(ACT, V3, NX_TO_PSUM | NX_FROM_PSUM, 0, 143.6, 0.78, 80, 64, NX_DERIVED,
	     "n = 53: one element on 128 partitions, 128 on one, which takes 10 ns less"),
	MOVE(ACT, V3, NX_TO_PSUM, 0, 161.8, 1.0, 96, 64, NX_DERIVED,
	     "n = 199: one element on 128 partitions, 128 on one, which takes 10 ns less"),
	MOVE(ACT, V3, NX_FROM_PSUM, 0, 159.2, 1.0, 99, 64, NX_MEASURED, "n = 878"),
	MOVE(ACT, V3, 0, 0, 192, 1.0, 99, 64, NX_MEASURED, "n = 38"),
	MOVE(ACT, V2, NX_FROM_PSUM, 0, 157.5, 1.0, 143, 15, NX_DERIVED,
	     "as ACTIVATE of the function that copies"),
	MOVE(ACT, V2, 0, 0, 190, 1.0, 143, 15, NX_ASSUMED, "as from PSUM, and trn2's difference"),
	ROW(0x21, ACT, V3, NX_TO_STRIDED, NX_TO_WIDE, 293.5, 5.2, 160, 64, NX_DERIVED,
	    "slope of COPY"),
	ROW(0x21, ACT, V3, NX_TO_STRIDED, 0, 293.5, 2.1, 157, 64, NX_DERIVED, "slope of COPY"),
	ROW(0x21, ACT, V3, NX_POINTER | NX_FROM_PSUM, 0, 343.3, 1.0, 109, 64, NX_MEASURED,
	    "n = 55 on one partition; published: 91 ns more for a scale in memory"),
	ROW(0x21, ACT, V3, NX_POINTER, 0, 385, 1.0, 109, 64, NX_MEASURED, "n = 200; likewise"),
	ROW(0x21, ACT, V3, NX_ACCUMULATE | NX_FROM_PSUM, 0, 260, 1.0, 109, 64, NX_PUBLISHED,
	    "a published benchmark: summing up takes no time of its own"),
	ROW(0x21, ACT, V3, NX_ACCUMULATE, 0, 293.5, 1.0, 109, 64, NX_PUBLISHED,
	    "a published benchmark: summing up takes no time of its own"),
	ROW(0x21, ACT, V3, NX_FROM_PSUM, 0, 260, 1.0, 109, 64, NX_MEASURED, "n = 51"),
	ROW(0x21, ACT, V3, 0, 0, 293.5, 1.0, 109, 64, NX_MEASURED, "n = 536"),
	ROW(0x21, ACT, V2, NX_FROM_PSUM, 0, 157.5, 1.0, 143, 15, NX_MEASURED, "n = 234"),
	ROW(0x21, ACT, V2, 0, 0, 190, 1.0, 143, 15, NX_ASSUMED,
	    "as from PSUM, and trn2's difference"),
	ROW(0x23, ACT, V3, 0, 0, 1283.3, 0, 0, 64, NX_MEASURED, "n = 93, all alike"),
	ROW(0x23, ACT, V2, 0, 0, 368.6, 0, 0, 15, NX_MEASURED, "n = 117, all alike"),
	ROW(0x24, ACT, ANY, 0, 0, 279, 0, 94, 64, NX_PUBLISHED, "a published benchmark"),
	ROW(0x43, ACT, ANY, 0, 0, 192, 1.0, 99, 64, NX_PUBLISHED,
	    "tensor_scalar: max(64, N); base as COPY"),
	ROW(0x48, ACT, ANY, 0, 0, 293.5, 1.0, 109, 64, NX_PUBLISHED,
	    "reciprocal: N on this engine; base as ACTIVATE"),

	/* --- GpSimd ------------------------------------------------------------------- */
	ROW(0x92, POOL, ANY, 0, 0, 198.3, 1.0, 67, 64, NX_DERIVED,
	    "n = 6 of 128 elements; published slope"),
	ROW(0x7e, POOL, ANY, 0, 0, 198.3, 1.0, 67, 125, NX_PUBLISHED, "iota: 150 + N"),
	MOVE(POOL, ANY, 0, 0, 198.3, 1.0, 67, 53.3, NX_PUBLISHED,
	     "tensor_copy: max(64, N); base as AFFINE_SELECT"),

	/* --- whatever is left ---------------------------------------------------------- */
	ROW(0, DVE, V3, 0, 0, 157, 1.0, 93, 66.7, NX_ASSUMED, "max(64, N); base of neighbours"),
	ROW(0, DVE, V2, 0, 0, 211, 1.0, 143, 57.1, NX_ASSUMED, "max(64, N); base of neighbours"),
	ROW(0, ACT, V3, 0, 0, 192, 1.0, 99, 64, NX_ASSUMED, "max(64, N); base of neighbours"),
	ROW(0, ACT, V2, 0, 0, 157.5, 1.0, 143, 45.7, NX_ASSUMED, "max(64, N); base of neighbours"),
	ROW(0, POOL, ANY, 0, 0, 198.3, 1.0, 67, 53.3, NX_ASSUMED,
	    "max(64, N); base as AFFINE_SELECT"),
	ROW(0, ALL, ANY, 0, 0, 100, 1.0, 73.3, 26.7, NX_ASSUMED, "max(64, N)"),
};
const size_t nx_compute_row_count = sizeof(nx_compute_rows) / sizeof(nx_compute_rows[0]);

#define ARRAY(opcode, generations, has, lacks, cycles, column_ps, weight, words)                   \
	{                                                                                          \
		opcode, generations, has, lacks, cycles, column_ps,                                \
		{                                                                                  \
			weight, words                                                              \
		}                                                                                  \
	}

const struct nx_array_row nx_array_rows[] = {
	/* opcode, generations, has, lacks, cycles or picoseconds per column */
	ARRAY(0x01, V3, NX_FROM_STRIDED | NX_FROM_WIDE, 0, 0, 1836, NX_DERIVED,
	      "235 ns for 128 columns at either rate, so memory is the limit"),
	ARRAY(0x01, V3, NX_FROM_STRIDED, 0, 0, 488, NX_DERIVED,
	      "62.5 ns for 128 columns (1,082 steps, 60.9 to 63.4) at either rate, so memory is "
	      "the "
	      "limit"),
	ARRAY(0x01, V3, NX_FROM_WIDE | NX_TRANSPOSE, 0, 1.0, 0, NX_MEASURED,
	      "53 ns for 128 columns, 107 at half rate"),
	ARRAY(0x01, V3, NX_FROM_WIDE, 0, 2.0, 0, NX_MEASURED,
	      "107 ns for 128 columns, 213 at half rate"),
	ARRAY(0x01, V3, 0, 0, 0.25, 0, NX_MEASURED,
	      "13.3 ns for 128 columns, 26.7 at half rate; published: four a cycle"),
	ARRAY(0x01, V2, NX_FROM_STRIDED | NX_FROM_WIDE, 0, 0, 1836, NX_ASSUMED, "as on trn2"),
	ARRAY(0x01, V2, NX_FROM_STRIDED, 0, 0, 488, NX_ASSUMED, "as on trn2"),
	ARRAY(0x01, V2, NX_FROM_WIDE, 0, 2.0, 0, NX_ASSUMED, "as on trn2"),
	ARRAY(0x01, V2, 0, 0, 0.25, 0, NX_MEASURED, "inf2; published: four a cycle"),
	ARRAY(0x02, V3, NX_WHOLE_FP32, 0, 2.0, 0, NX_MEASURED, "published: four for both passes"),
	ARRAY(0x02, V2, NX_WHOLE_FP32, 0, 2.0, 0, NX_PUBLISHED, "four for both passes"),
	ARRAY(0x02, ANY, NX_FROM_WIDE, 0, 1.0, 0, NX_DERIVED,
	      "half of what moves, so half the time of the whole"),
	ARRAY(0x02, ANY, 0, 0, 1.0, 0, NX_MEASURED, "to the clock; published as well"),
	ARRAY(0, ANY, 0, 0, 1.0, 0, NX_ASSUMED, "a column a cycle, as MATMUL"),
};
const size_t nx_array_row_count = sizeof(nx_array_rows) / sizeof(nx_array_rows[0]);

#define FIVE(pe, act, pool, dve, sp)                                                               \
	{                                                                                          \
		NX_NS(pe), NX_NS(act), NX_NS(pool), NX_NS(dve), NX_NS(sp)                          \
	}
#define CAPTURES NX_MEASURED, "medians of captures"
#define CONTROL(opcode, generations, has, latency, gap, assumed, ...)                              \
	{                                                                                          \
		opcode, generations, has, latency, gap, assumed,                                   \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}

const struct nx_control_row nx_control_rows[] = {
	/* opcode, generations, latency and gap of PE ACT POOL DVE SP, engines never seen */
	CONTROL(0xa2, V3, 0, FIVE(12.5, 7.5, 27.5, 13.5, 7.5), FIVE(77, 68, 44, 55, 55), 0,
		CAPTURES),
	CONTROL(0xa2, V2, 0, FIVE(6.4, 7.9, 23.6, 8.9, 7.9), FIVE(51, 47, 61, 57, 49), 0, CAPTURES),
	CONTROL(0xa0, V3, 0, FIVE(54, 40, 21, 24, 20), FIVE(74, 62, 42, 53, 42), 0, CAPTURES),
	CONTROL(0xa0, V2, 0, FIVE(10, 10, 10, 12, 10), FIVE(36, 34, 35, 44, 23), 0, NX_MEASURED,
		"steps of 744 that clear semaphores on trn1; medians of inf2 within 5 ns"),
	CONTROL(0xa6, V3, 0, FIVE(13.3, 4.2, 17.5, 18.2, 11.2), FIVE(80, 64, 47, 59, 55), 0,
		CAPTURES),
	CONTROL(0xa6, V2, 0, FIVE(8, 8.6, 11, 9.8, 8.6), FIVE(45, 39, 39, 50, 46), 0, CAPTURES),
	CONTROL(0xb1, V3, 0, FIVE(43, 42, 47, 56, 24), FIVE(100, 73, 52, 69, 56), 0, CAPTURES),
	CONTROL(0xb1, V2, 0, FIVE(6.4, 7.1, 7.1, 8.9, 7.1), FIVE(53, 47, 64, 61, 37), 0, CAPTURES),
	CONTROL(0xa9, V3, 0, FIVE(168, 249, 125, 146, 118), FIVE(90, 66, 222, 266, 218), 0,
		CAPTURES),
	CONTROL(0xa9, V2, 0, FIVE(49, 48, 68, 54, 43), FIVE(125, 116, 116, 152, 112), 0, CAPTURES),
	CONTROL(0xa5, V3, 0, FIVE(65, 25, 46, 33, 58), FIVE(74, 52, 36, 51, 25), 0, NX_MEASURED,
		"medians of captures; doorbells, as registers of other engines take PE 231"),
	CONTROL(0xa5, V2, 0, FIVE(65, 45, 74, 45, 51), FIVE(40, 35, 40, 35, 31), ACT | DVE,
		NX_MEASURED, "15 doorbells of trn1; Sync's step is 82"),
	CONTROL(0xa4, V3, 0, FIVE(22, 22, 21, 31, 22), FIVE(79, 62, 42, 53, 42), ACT | SP,
		CAPTURES),
	CONTROL(0xa4, V2, 0, FIVE(16, 16, 15, 16, 16), FIVE(60, 47, 47, 47, 47), ACT | DVE | SP,
		CAPTURES),
	CONTROL(0xaa, V3, NX_FROM_SBUF, FIVE(290, 290, 290, 290, 290), FIVE(83, 66, 43, 60, 55),
		PE | ACT | DVE | SP, NX_MEASURED, "n = 912, one register"),
	CONTROL(0xaa, V3, NX_REGISTERS, FIVE(1228, 985, 985, 1062, 972),
		FIVE(439, 214, 193, 188, 184), 0, CAPTURES),
	CONTROL(0xaa, V3, 0, FIVE(650, 630, 650, 767, 650), FIVE(83, 66, 48, 60, 55), 0, CAPTURES),
	CONTROL(0xaa, V2, 0, FIVE(330, 329, 366, 440, 328), FIVE(50, 53, 50, 62, 57), 0, CAPTURES),
	CONTROL(0xab, ANY, 0, FIVE(90, 90, 90, 90, 90), FIVE(50, 50, 39, 50, 50),
		PE | ACT | DVE | SP, CAPTURES),
	CONTROL(0xb0, V3, 0, FIVE(375, 274, 288, 313, 99), FIVE(123, 56, 38, 48, 39), 0, CAPTURES),
	CONTROL(0xb0, V2, 0, FIVE(333, 253, 249, 290, 95), FIVE(90, 39, 39, 50, 44), 0, CAPTURES),
	CONTROL(0xa7, V3, 0, FIVE(46, 46, 45.8, 46, 46), FIVE(78, 62, 36, 53, 42),
		PE | ACT | DVE | SP, NX_MEASURED, "n = 912; published: 68 ns a step"),
	CONTROL(0xa7, V2, 0, FIVE(54, 54, 54, 54, 54), FIVE(36, 36, 36, 36, 36),
		ACT | POOL | DVE | SP, CAPTURES),
	CONTROL(0xa8, V3, 0, FIVE(42, 42, 42, 42, 42), FIVE(78, 62, 36, 53, 42),
		PE | ACT | DVE | SP, NX_MEASURED, "n = 2,704"),
	CONTROL(0xa8, V2, 0, FIVE(54, 54, 54, 54, 54), FIVE(36, 36, 36, 36, 36),
		ACT | POOL | DVE | SP, CAPTURES),
	CONTROL(0xb8, V3, 0, FIVE(530, 548, 50, 530, 530), FIVE(50, 50, 532, 50, 50), PE | DVE,
		NX_MEASURED, "GpSimd: 582 a step; 120 of Scalar and Sync"),
	CONTROL(0xb8, V2, 0, FIVE(530, 548, 0.7, 530, 530), FIVE(50, 50, 647.3, 50, 50),
		PE | ACT | DVE | SP, NX_MEASURED, "GpSimd of inf2: 648 a step"),
	CONTROL(0, V3, 0, FIVE(26, 26, 22, 31, 26), FIVE(78, 62, 40, 53, 42), ALL, NX_ASSUMED,
		"as NOP"),
	CONTROL(0, ANY, 0, FIVE(16, 16, 15, 16, 16), FIVE(60, 47, 47, 47, 47), ALL, NX_ASSUMED,
		"as NOP"),
};
const size_t nx_control_row_count = sizeof(nx_control_rows) / sizeof(nx_control_rows[0]);

#define ELEMENT(is_from_hbm, is_to_hbm, least, most, base, rate, weight, words)                    \
	{                                                                                          \
		is_from_hbm, is_to_hbm, least, most, NX_NS(base), rate,                            \
		{                                                                                  \
			weight, words                                                              \
		}                                                                                  \
	}

const struct nx_element_row nx_element_rows[] = {
	/* from HBM, to HBM, run of at least and at most, base, bytes per ns */
	ELEMENT(true, true, 0, 3, 110, 1e9, NX_MEASURED, "46,000 packets of 2 and 4 bytes"),
	ELEMENT(true, true, 4, 63, 99, 1e9, NX_DERIVED, "as 4 bytes: an access to HBM for each"),
	ELEMENT(true, true, 64, 511, 7, 20, NX_ASSUMED, "as HBM to SBUF"),
	ELEMENT(true, false, 0, 8, 1.2, 1e9, NX_MEASURED, "1,100 packets: a cycle for each"),
	ELEMENT(true, false, 9, 31, 9.3, 20, NX_MEASURED,
		"1,024 packets of 64 runs of 18 bytes: 10.2 for each"),
	ELEMENT(true, false, 32, 511, 7, 20, NX_MEASURED, "27,900 packets of 32 to 448 bytes"),
	ELEMENT(true, false, 512, 1023, 8.1, 27.2, NX_DERIVED,
		"2,048 packets of eight runs of 512 bytes, 4 KiB apart: 27.5 for each, less the "
		"fixed part of a packet"),
	ELEMENT(false, true, 0, 511, 2.35, 27.2, NX_MEASURED, "11,500 packets of 14 to 222 bytes"),
	ELEMENT(false, true, 512, 1023, 5.6, 27.2, NX_DERIVED, "likewise: 25.0 for each"),
	ELEMENT(false, false, 0, 8, 1.2, 1e9, NX_MEASURED, "1,100 packets: a cycle for each"),
	ELEMENT(false, false, 9, 511, 2.35, 27.2, NX_ASSUMED, "as SBUF to HBM"),
};
const size_t nx_element_row_count = sizeof(nx_element_rows) / sizeof(nx_element_rows[0]);

const struct nx_lanes_row nx_lanes_rows[] = {
	{8, NX_NS(10), {NX_DERIVED, "one partition: 8 to 12 ns less than 128; two alike"}},
	{64, NX_NS(4.5), {NX_DERIVED, "64 partitions: 2 to 7 ns less; those between alike"}},
};
const size_t nx_lanes_row_count = sizeof(nx_lanes_rows) / sizeof(nx_lanes_rows[0]);

const struct nx_refill_row nx_refill_row = {
	25000,
	{NX_MEASURED, "24 to 26 ns in 390 of 440 pairs of three captures; the others overlapped"}};
