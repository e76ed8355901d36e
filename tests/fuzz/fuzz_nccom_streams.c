/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a file of streams: what is read can be run, and what is not has a sentence. */
#include <stdlib.h>

#include "cli/nccom/nccom_streams.h"
#include "tests/unit/cli/command_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_groups(const struct nx_nccom_request *r)
{
	require(!r->groups.groups || r->groups.rank_count == r->rank_count);
	for (size_t i = 0; i < r->groups.rank_count; i++)
		require(r->groups.ranks[i] < r->rank_count);
	for (size_t i = 0; i < r->groups.pair_count; i++)
		require(r->groups.pair_list[i][0] < r->rank_count &&
			r->groups.pair_list[i][1] < r->rank_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct nx_nccom_words words = {.ranks = {true, 4}};
	struct nx_nccom_streams streams;
	struct nx_arena arena = {0};
	struct nx_error err = {0};
	char op[] = "allr";
	char *ops[] = {op};
	uint32_t cores = 0;

	if (nx_nccom_streams_read(nx_slice_of(data, len), &words, ops, 1, &arena, &streams, &err)) {
		require(err.message[0]);
		nx_arena_release(&arena);
		return 0;
	}
	require(streams.count > 0 && streams.count <= NX_NCCOM_MAX_STREAMS);
	for (size_t i = 0; i < streams.count; i++) {
		const struct nx_nccom_request *r = &streams.items[i];

		require(r->op_count == 1 && r->ops[0] && r->dtype && r->size_count > 0);
		require(r->size_count <= NX_NCCOM_MAX_CASES && r->rank_count <= NX_NCCOM_MAX_RANKS);
		require(r->options.measured_count > 0 && r->options.measured_count <= 100000 &&
			r->options.warmup_count <= 100000);
		check_groups(r);
		cores += r->options.local_rank_count;
	}
	require(cores == streams.core_count);
	nx_arena_release(&arena);
	return 0;
}
