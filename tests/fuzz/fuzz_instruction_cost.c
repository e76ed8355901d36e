/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any 64 bytes have a cost on any engine of any generation, of less than a second. The first
 * byte chooses generation and engine, also engines that do not exist; the rest are slots.
 */
#include <stdlib.h>
#include <string.h>

#include "format/instruction.h"
#include "runtime/timing/hardware_table.h"

#define SECOND_PS UINT64_C(1000000000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void try_word(const struct nx_hardware_timing *hardware, unsigned engine,
		     const uint8_t *word)
{
	struct nx_cost cost;

	nx_hardware_cost(hardware, engine, word, &cost);
	check(cost.kind <= NX_COST_MATMUL && cost.evidence <= NX_ASSUMED);
	check(cost.latency_ps < SECOND_PS && cost.occupancy_ps < SECOND_PS);
	check(cost.gap_ps < SECOND_PS);
	check(cost.kind == NX_COST_CONTROL || cost.gap_ps == 0);
	check(cost.kind >= NX_COST_WEIGHTS || !cost.is_rate_bound);
	check(nx_hardware_software_more_ps(hardware, word) < (int64_t)SECOND_PS);
}

/* The same bytes as sizes of a packet. */
static void try_packet(const struct nx_hardware_timing *hardware, const uint8_t *word)
{
	struct nx_loaded_packet packet = {
		.is_from_hbm = word[0] & 1, .is_to_hbm = word[0] & 2, .is_semaphore = word[0] & 4};

	memcpy(&packet.bytes, word + 4, sizeof(packet.bytes));
	memcpy(&packet.elements, word + 8, sizeof(packet.elements));
	memcpy(&packet.run_bytes, word + 12, sizeof(packet.run_bytes));
	check(nx_hardware_packet_ps(hardware, &packet, false) >= hardware->dma.packet_ps);
	check(nx_hardware_packet_ps(hardware, &packet, true) < SECOND_PS);
	check(nx_hardware_settle_ps(hardware, &packet) < SECOND_PS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct nx_hardware_timing *hardware;
	unsigned engine;

	if (size < 1)
		return 0;
	hardware = nx_device_hardware_of((enum nx_device_arch)(data[0] & 7));
	engine = data[0] >> 3 & 7;
	for (size_t at = 1; at < size; at += NX_SLOT_BYTES) {
		uint8_t word[NX_SLOT_BYTES] = {0};
		size_t left = size - at;

		memcpy(word, data + at, left < sizeof(word) ? left : sizeof(word));
		try_word(hardware, engine, word);
		try_packet(hardware, word);
	}
	return 0;
}
