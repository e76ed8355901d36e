/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/tools/word_price.h"

#include <stdio.h>
#include <string.h>

#include "format/instruction.h"
#include "runtime/timing/hardware_table.h"

static const struct nx_hardware_timing *hardware_named(const char *name)
{
	if (!strcmp(name, "trn1"))
		return nx_device_hardware_of(NX_DEVICE_TRN1);
	return nx_device_hardware_of(strcmp(name, "inf2") ? NX_DEVICE_TRN2 : NX_DEVICE_INF2);
}

/* Memory, type and stride of each operand: classes of captures differ by these. */
static void describe(const uint8_t *word, struct word_price *price)
{
	struct nx_instruction_effect effect;
	size_t len = 0;

	nx_instruction_effect(word, 2, &effect);
	for (unsigned i = 0; i < effect.access_count; i++) {
		const struct nx_access *a = &effect.accesses[i];
		uint64_t elements = nx_access_elements(a);
		int bytes = a->steps[0] * (int)nx_dtype_bytes(a->dtype);

		if (elements > price->element_count)
			price->element_count = elements;
		price->lanes = a->partition_count;
		len += (size_t)snprintf(price->operands + len, sizeof(price->operands) - len,
					"%s%c%s%s",
					a->is_write ? ">"
					: i	    ? "+"
						    : "",
					a->address >= NX_PSUM_BASE ? 'P' : 'S',
					nx_dtype_name(a->dtype), bytes > 16 ? "/s" : "");
	}
	if (word[0] == NX_OP_ACTIVATE && (word[13] & 1))
		snprintf(price->operands + len, sizeof(price->operands) - len, " scale@");
}

struct word_price price_word(const char *name, unsigned engine, const uint8_t *word)
{
	static const char *const kinds[] = {"control", "compute", "weights", "matmul"};
	static const char *const evidence[] = {"measured", "published", "derived", "assumed"};
	struct word_price price = {0};
	const struct nx_hardware_timing *hardware = hardware_named(name);
	struct nx_cost cost;

	nx_hardware_cost(hardware, engine, word, &cost);
	if (cost.kind == NX_COST_WEIGHTS)
		price.fixed_ns = (double)hardware->array.weights_base_ps / 1e3;
	if (cost.kind == NX_COST_MATMUL)
		price.fixed_ns = (double)hardware->array.base_ps / 1e3;
	price.kind = kinds[cost.kind];
	price.evidence = evidence[cost.evidence];
	price.latency_ns = (double)cost.latency_ps / 1e3;
	price.occupancy_ns = (double)cost.occupancy_ps / 1e3;
	price.gap_ns = (double)cost.gap_ps / 1e3;
	describe(word, &price);
	return price;
}
