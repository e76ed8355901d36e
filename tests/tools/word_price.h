/* SPDX-License-Identifier: Apache-2.0 */
/*
 * word_price: a word's cost as plain numbers.
 *
 * A file of its own because the room that reads captures and the room that
 * times programs each have a struct nx_hardware, and no file can see both.
 */
#ifndef NX_TESTS_WORD_PRICE_H
#define NX_TESTS_WORD_PRICE_H

#include <stdint.h>

struct word_price {
	const char *kind;     /* "control", "compute", "weights", "matmul" */
	const char *evidence; /* "measured", ... */
	double latency_ns, occupancy_ns, gap_ns;
	double fixed_ns;	/* LDWEIGHTS, MATMUL: what comes on top of the latency */
	uint64_t element_count; /* of the longest operand, 0 when it has none */
	unsigned lanes;
	char operands[96]; /* "Pfp32>Sbfloat16/s": memories, types, more than 16 bytes apart */
};

/* name: "trn1", "inf2", "trn2" */
struct word_price price_word(const char *name, unsigned engine, const uint8_t *word);

#endif
