/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_device: measures how fast the software device executes each kind of instruction.
 * Prints instructions per second and their throughput.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/bare/bits.h"
#include "runtime/device/device.h"
#include "tests/unit/runtime/device/core_fixture.h"
#include "tests/unit/runtime/device/made_neff.h"

#define LANES 128
#define COLUMNS 512

struct kind {
	const char *name, *stream;
	unsigned count; /* of instructions */
	double work;	/* operations or bytes of one */
	const char *unit;
	void (*write)(uint8_t *word, unsigned index, unsigned dtype);
	unsigned dtype;
};

static void write_product(uint8_t *word, unsigned index, unsigned dtype)
{
	struct pattern down = {3, {-1, 0, 0}, {LANES, 1, 1}};
	unsigned size = dtype == NX_DTYPE_FP32 ? 4 : 2;

	word_clear(word, index % 2 ? NX_OP_MATMUL : NX_OP_LDWEIGHTS);
	if (index % 2)
		word_operand(word, 16, 20, 8192, row_of(3, COLUMNS));
	else
		word_operand(word, 16, 20, (LANES - 1) * size, down);
	word_operand(word, 48, 52, PSUM(0), row_of(3, COLUMNS));
	word[32] = (uint8_t)dtype;
	word[38] = word[39] = LANES;
	word[43] = 1;
}

static void write_sum(uint8_t *word, unsigned index, unsigned dtype)
{
	const uint32_t addresses[3] = {0, 4096, 8192};

	(void)index;
	word_pair(word, NX_OP_TENSOR_TENSOR, 4, addresses, COLUMNS, LANES);
	word[12] = (uint8_t)(dtype | dtype << 4);
	word[13] = (uint8_t)dtype;
}

static void write_exponential(uint8_t *word, unsigned index, unsigned dtype)
{
	(void)index;
	word_clear(word, NX_OP_ACTIVATE);
	word_operand(word, 16, 20, 0, row_of(3, COLUMNS));
	word_operand(word, 48, 52, 4096, row_of(3, COLUMNS));
	word[12] = word[15] = 1;
	word[32] = word[33] = (uint8_t)dtype;
	word[34] = LANES;
	word[35] = 7;
	word_store_float(word, 36, 1);
}

static void write_nothing(uint8_t *word, unsigned index, unsigned dtype)
{
	(void)index;
	(void)dtype;
	word_clear(word, NX_OP_NOP);
	word_update(word, 9);
}

static void write_transfer(uint8_t *word, unsigned index, unsigned dtype)
{
	(void)index;
	word_clear(word, NX_OP_PSEUDO_DMA_DIRECT2D);
	word[13] = 8;
	for (unsigned at = 16; at <= 40; at += 24) {
		nx_store32(word + at + 4, 0x10000000u | (at == 16));
		nx_store32(word + at + 8, at == 16 ? 4 * COLUMNS : NX_PARTITION_STRIDE);
		nx_store16(word + at + 16, LANES);
		nx_store16(word + at + 18, 1);
		nx_store16(word + at + 20, 4 * COLUMNS);
	}
	word[62] = word[63] = (uint8_t)dtype;
}

static const struct kind kinds[] = {
	{"LDWEIGHTS and MATMUL, fp32, 128x128x512", "sg00/PE.bin", 400,
	 2.0 * LANES *LANES *COLUMNS / 2, "flop", write_product, NX_DTYPE_FP32},
	{"LDWEIGHTS and MATMUL, bf16, 128x128x512", "sg00/PE.bin", 400,
	 2.0 * LANES *LANES *COLUMNS / 2, "flop", write_product, NX_DTYPE_BF16},
	{"TENSOR_TENSOR add, fp32, 128x512", "sg00/DVE.bin", 2000, LANES *COLUMNS, "element",
	 write_sum, NX_DTYPE_FP32},
	{"TENSOR_TENSOR add, bf16, 128x512", "sg00/DVE.bin", 2000, LANES *COLUMNS, "element",
	 write_sum, NX_DTYPE_BF16},
	{"ACTIVATE exp, fp32, 128x512", "sg00/Activation.bin", 400, LANES *COLUMNS, "element",
	 write_exponential, NX_DTYPE_FP32},
	{"DMA_DIRECT2D, 256 KiB to SBUF", "sg00/SP.bin", 2000, 4.0 * LANES *COLUMNS, "byte",
	 write_transfer, NX_DTYPE_FP32},
	{"NOP with an update", "sg00/Pool.bin", 1000000, 1, "step", write_nothing, 0},
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void make(struct made_neff *neff, const struct kind *k)
{
	struct nx_bytes code = {0};

	made_neff_begin(neff, 1, "cayman",
			"\"SB\":{\"type\":\"state-buffer\",\"var_id\":0},"
			"\"x\":{\"type\":\"input\",\"var_id\":1,\"size\":262144}");
	nx_bytes_append_zeros(&code, (size_t)k->count * NX_SLOT_BYTES);
	for (unsigned i = 0; i < k->count; i++)
		k->write(code.items + (size_t)i * NX_SLOT_BYTES, i, k->dtype);
	made_neff_add(neff, k->stream, code.items, code.len);
	nx_vec_release(&code);
}

/* The best of three; the first one meets memory that was never touched. */
static bool measure(const struct kind *k)
{
	static struct nx_device_report report;
	struct made_neff neff = {0};
	struct nx_device *device = NULL;
	struct nx_error err;
	double best = 1e9;
	bool is_good;

	make(&neff, k);
	is_good = nx_device_open(made_neff_read(&neff), NULL, &device, &err) == NX_OK;
	for (int i = 0; i < 3 && is_good; i++) {
		double start = now_s(), took;

		is_good = nx_device_run(device, &report, &err) == NX_OK &&
			  report.executed_count == k->count && report.fault_count == 0;
		took = now_s() - start;
		best = took < best ? took : best;
	}
	if (is_good)
		printf("%-42s %12.0f instructions/s %8.2f G%s/s\n", k->name, k->count / best,
		       1e-9 * k->count * k->work / best, k->unit);
	nx_device_close(device);
	made_neff_release(&neff);
	return is_good;
}

int main(void)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!measure(&kinds[i])) {
			fprintf(stderr, "bench: %s went wrong\n", kinds[i].name);
			return EXIT_FAILURE;
		}
	return EXIT_SUCCESS;
}
