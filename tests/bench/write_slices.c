/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes slices without arguments as fast as possible, to measure the Perfetto
 * writer. Eight tracks, 500 names, durations and gaps up to 4 microseconds.
 * usage: write_slices SLICES OUT [plain]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/perfetto/perfetto.h"

enum { TRACKS = 8, NAMES = 500 };

static uint64_t random_u64(void)
{
	static uint64_t s = 88172645463325252u;

	s ^= s << 13;
	s ^= s >> 7;
	s ^= s << 17;
	return s;
}

static void write_slices(struct nx_perfetto *p, uint64_t count)
{
	static char names[NAMES][40];
	uint32_t tracks[TRACKS];
	uint64_t time_ns[TRACKS];

	for (unsigned i = 0; i < NAMES; i++)
		snprintf(names[i], sizeof(names[i]), "fused_operator_number_%u", i);
	for (unsigned i = 0; i < TRACKS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "engine %u", i);
		tracks[i] = nx_perfetto_track(p, NX_PERFETTO_ROOT, name, i);
		time_ns[i] = 1700000000000000000;
	}
	for (uint64_t i = 0; i < count; i++) {
		uint64_t dice = random_u64();
		unsigned at = i % TRACKS;

		time_ns[at] += dice % 4096;
		nx_perfetto_begin(p, tracks[at], time_ns[at], names[(dice >> 12) % NAMES], NULL, 0,
				  NULL);
		time_ns[at] += (dice >> 32) % 4096;
		nx_perfetto_end(p, tracks[at], time_ns[at]);
	}
}

int main(int argc, char **argv)
{
	struct nx_error err = {0};
	struct nx_output out;
	struct nx_perfetto *p;

	if (argc < 3) {
		fprintf(stderr, "usage: write_slices SLICES OUT [plain]\n");
		return 2;
	}
	if (nx_output_open(&out, argv[2], &err))
		goto fail;
	p = nx_perfetto_new(&out, argc < 4 || strcmp(argv[3], "plain") != 0);
	write_slices(p, strtoull(argv[1], NULL, 10));
	nx_perfetto_finish(p);
	if (nx_output_commit(&out, &err))
		goto fail;
	return 0;
fail:
	fprintf(stderr, "write_slices: %s\n", err.message);
	return 1;
}
