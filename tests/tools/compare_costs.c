/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare_costs: each executed instruction of a capture beside the cost that its word has.
 *
 *	compare_costs trn2 a.ntff [a.neff]
 *
 * One line of tab-separated fields per instruction, in no order: graph, engine, slot, opcode,
 * start and end in ns as captured, kind, evidence, predicted latency, occupancy, gap and fixed part
 * in ns, elements, partitions, operands. tests/golden/costs.py makes a table of them.
 */
#include <stdio.h>

#include "format/instruction.h"
#include "pipeline/device_session.h"
#include "tests/tools/word_price.h"

struct comparison {
	const struct nx_profile *profile;
	const char *hardware;
};

static void compare(void *context, const void *item)
{
	const struct comparison *c = context;
	const struct nx_instruction *row = item;
	const struct nx_graph *graph = &c->profile->capture.graphs[row->graph];
	const uint8_t *word = nx_instruction_word(graph->engines[row->engine].code, row->slot);
	struct word_price price;
	char label[8];

	if (!word)
		return;
	price = price_word(c->hardware, row->engine, word);
	printf("%u\t%u\t%u\t%s\t%.3f\t%.3f\t%s\t%s\t%.3f\t%.3f\t%.3f\t%.3f\t%llu\t%u\t%s\n",
	       row->graph, row->engine, row->slot, nx_opcode_label(word[0], label),
	       (double)row->start_ps / 1e3, (double)row->end_ps / 1e3, price.kind, price.evidence,
	       price.latency_ns, price.occupancy_ns, price.gap_ns, price.fixed_ns,
	       (unsigned long long)price.element_count, price.lanes, price.operands);
}

int main(int argc, char **argv)
{
	struct nx_device_session_options options = {0};
	struct nx_device_session *opened;
	struct comparison c;
	struct nx_error err = {0};

	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: compare_costs HARDWARE NTFF [NEFF]\n");
		return 2;
	}
	options.session_path = argv[2];
	options.neff_path = argc > 3 ? argv[3] : NULL;
	if (nx_device_session_open(&opened, &options, &err)) {
		fprintf(stderr, "compare_costs: %s\n", err.message);
		return 1;
	}
	c = (struct comparison){nx_device_session_borrow(opened), argv[1]};
	if (nx_profile_scan(c.profile, NX_TABLE_INSTRUCTION, compare, &c, &err))
		fprintf(stderr, "compare_costs: %s\n", err.message);
	nx_device_session_close(opened);
	return err.status ? 1 : 0;
}
