/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare_timing: captures beside what the simulator makes of their NEFFs.
 *
 *	compare_timing [--rows] [--seed N] NEFF NTFF [NEFF NTFF]...
 *
 * A line per pair: measured and simulated total time, the error, and for each engine of the
 * first core the time it was active, measured/simulated. "code" says whether the compiled words
 * are the capture's, in its order; "packets" how many (DMA engine, queue) pairs carry as many
 * packets and bytes as the capture's. --rows prints each compiled instruction of all pairs with
 * both starts and ends, in ns, instead. DGE notifications are simulated if the capture has them.
 *The exit code is 1 when a pair fails or its code differs.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "format/instruction.h"
#include "pipeline/device_session.h"
#include "tests/tools/timed_neff.h"

#define MAX_PAIRS 64
#define ENGINES 5

struct word_list NX_VEC_BODY(struct timed_word);

struct measured {
	const struct nx_profile *profile;
	struct word_list words;
	struct timed_ring rings[2][16][16];
};

/* --- the capture --------------------------------------------------------------------------- */

static void add_word(void *context, const void *item)
{
	struct measured *m = context;
	const struct nx_instruction *row = item;
	const struct nx_engine_image *image =
		&m->profile->capture.graphs[row->graph].engines[row->engine];
	const uint8_t *word = nx_instruction_word(image->code, row->slot);
	struct timed_word w = {row->start_ps, row->end_ps, TIMED_NOT_COMPILED,
			       row->graph,    row->engine, 0};

	if (!word)
		return;
	w.opcode = word[0];
	if (image->compiler_slot && image->compiler_slot[row->slot] != NX_NONE)
		w.compiler_pc = image->compiler_slot[row->slot];
	nx_vec_push(&m->words, w);
}

static void add_packet(void *context, const void *item)
{
	struct measured *m = context;
	const struct nx_packet *row = item;
	struct timed_ring *ring =
		&m->rings[row->graph % 2][row->dma_engine % 16][row->dma_queue % 16];

	ring->packet_count++;
	ring->byte_count += row->size_bytes;
}

static int compare_words(const void *a, const void *b)
{
	const struct timed_word *x = a, *y = b;

	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	if (x->engine != y->engine)
		return x->engine < y->engine ? -1 : 1;
	return (x->compiler_pc > y->compiler_pc) - (x->compiler_pc < y->compiler_pc);
}

static int compare_starts(const void *a, const void *b)
{
	const struct timed_word *x = a, *y = b;

	return (x->start_ps > y->start_ps) - (x->start_ps < y->start_ps);
}

/* --- the two beside each other ------------------------------------------------------- */

static double active_us(const struct timed_word *words, size_t count, unsigned engine)
{
	struct timed_word *own = malloc((count + 1) * sizeof(*own));
	uint64_t active_ps = 0, until_ps = 0;
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (words[i].core == 0 && words[i].engine == engine &&
		    words[i].opcode != NX_OP_EVENT_SEMAPHORE)
			own[n++] = words[i];
	qsort(own, n, sizeof(*own), compare_starts);
	for (size_t i = 0; i < n; i++) {
		uint64_t from_ps = own[i].start_ps > until_ps ? own[i].start_ps : until_ps;

		if (own[i].end_ps > from_ps) {
			active_ps += own[i].end_ps - from_ps;
			until_ps = own[i].end_ps;
		}
	}
	free(own);
	return (double)active_ps / 1e6;
}

static bool is_next(const struct timed_neff *t, size_t *at, const struct timed_word *wanted)
{
	while (*at < t->word_count && t->words[*at].compiler_pc == TIMED_NOT_COMPILED)
		(*at)++;
	return *at < t->word_count && compare_words(&t->words[*at], wanted) == 0 &&
	       t->words[(*at)++].opcode == wanted->opcode;
}

/* All of the device image, as records of a capture may be lost. */
static bool has_same_code(const struct nx_capture *capture, const struct timed_neff *t)
{
	size_t at = 0;

	for (uint32_t g = 0; g < capture->graph_count; g++)
		for (uint8_t e = 0; e < ENGINES; e++) {
			const struct nx_engine_image *image = &capture->graphs[g].engines[e];

			for (uint32_t s = 0; s < image->code.len / NX_SLOT_BYTES; s++) {
				struct timed_word w = {.compiler_pc = image->compiler_slot[s],
						       .core = (uint8_t)g,
						       .engine = e,
						       .opcode =
							       image->code.data[s * NX_SLOT_BYTES]};

				if (w.compiler_pc != NX_NONE && !is_next(t, &at, &w))
					return false;
			}
		}
	while (at < t->word_count && t->words[at].compiler_pc == TIMED_NOT_COMPILED)
		at++;
	return at == t->word_count;
}

static void print_rows(const char *name, const struct word_list *a, const struct timed_neff *b)
{
	size_t j = 0;
	char label[8];

	for (size_t i = 0; i < a->len; i++) {
		const struct timed_word *w = &a->items[i];

		if (w->compiler_pc == TIMED_NOT_COMPILED)
			continue;
		while (j < b->word_count && (b->words[j].compiler_pc == TIMED_NOT_COMPILED ||
					     compare_words(&b->words[j], w) < 0))
			j++;
		if (j == b->word_count || compare_words(&b->words[j], w) != 0)
			continue;
		printf("%s\t%u\t%u\t%u\t%s\t%.1f\t%.1f\t%.1f\t%.1f\n", name, w->core, w->engine,
		       w->compiler_pc, nx_opcode_label(w->opcode, label), (double)w->start_ps / 1e3,
		       (double)w->end_ps / 1e3, (double)b->words[j].start_ps / 1e3,
		       (double)b->words[j].end_ps / 1e3);
	}
}

/* Queue 14 carries tables and instructions, which nobody simulates. */
static void count_rings(const struct measured *m, const struct timed_neff *t, unsigned *same,
			unsigned *all)
{
	*same = *all = 0;
	for (unsigned c = 0; c < 2; c++)
		for (unsigned e = 0; e < 16; e++)
			for (unsigned q = 0; q < 14; q++) {
				const struct timed_ring *a = &m->rings[c][e][q];
				const struct timed_ring *b = &t->rings[c][e][q];

				*all += a->packet_count || b->packet_count;
				*same += a->packet_count && a->packet_count == b->packet_count &&
					 a->byte_count == b->byte_count;
			}
}

static bool compare_pair(const char *neff, struct measured *m, struct timed_neff *t, bool has_rows,
			 double *error)
{
	double measured_us = (double)m->profile->capture.total_time_ps / 1e6;
	double simulated_us = (double)t->total_ps / 1e6;
	bool is_same;
	unsigned same, all;

	qsort(m->words.items, m->words.len, sizeof(*m->words.items), compare_words);
	qsort(t->words, t->word_count, sizeof(*t->words), compare_words);
	is_same = has_same_code(&m->profile->capture, t);
	*error = (simulated_us / measured_us - 1) * 100;
	if (has_rows) {
		print_rows(neff, &m->words, t);
		return is_same;
	}
	count_rings(m, t, &same, &all);
	printf("%s\t%.3f\t%.3f\t%+.1f %%", neff, measured_us, simulated_us, *error);
	for (unsigned e = 0; e < ENGINES; e++)
		printf("\t%.1f/%.1f", active_us(m->words.items, m->words.len, e),
		       active_us(t->words, t->word_count, e));
	printf("\t%s\t%u/%u\t%.1f\n", is_same ? "same" : "DIFFERS", same, all, t->seconds * 1e3);
	return is_same;
}

/* Dynamic transfers are known from DGE notifications only. */
static bool has_descriptors(const struct nx_profile *profile)
{
	for (size_t i = 0; i < profile->transfers.len; i++)
		if (profile->transfers.items[i].is_dynamic)
			return true;
	return false;
}

static bool run_pair(const char *neff, const char *ntff, uint64_t seed, bool has_rows,
		     double *error)
{
	struct nx_device_session_options options = {.session_path = ntff, .neff_path = neff};
	struct nx_device_session *opened;
	struct measured m = {0};
	struct timed_neff t;
	struct nx_error err = {0};
	const char *wrong;
	bool is_same;

	*error = 100;
	if (nx_device_session_open(&opened, &options, &err)) {
		fprintf(stderr, "compare_timing: %s\n", err.message);
		return false;
	}
	m.profile = nx_device_session_borrow(opened);
	if (nx_profile_scan(m.profile, NX_TABLE_INSTRUCTION, add_word, &m, &err) ||
	    nx_profile_scan(m.profile, NX_TABLE_PACKET, add_packet, &m, &err))
		fprintf(stderr, "compare_timing: %s\n", err.message);
	wrong = timed_neff_run(neff, seed, has_descriptors(m.profile), &t);
	if (wrong)
		fprintf(stderr, "compare_timing: %s: %s\n", neff, wrong);
	is_same = compare_pair(neff, &m, &t, has_rows, error);
	timed_neff_release(&t);
	nx_vec_release(&m.words);
	nx_device_session_close(opened);
	return is_same && !wrong;
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_median(double *errors, size_t count)
{
	for (size_t i = 0; i < count; i++)
		errors[i] = errors[i] < 0 ? -errors[i] : errors[i];
	qsort(errors, count, sizeof(*errors), compare_numbers);
	printf("median error %.1f %%, worst %.1f %%\n",
	       (errors[(count - 1) / 2] + errors[count / 2]) / 2, errors[count - 1]);
}

int main(int argc, char **argv)
{
	static const struct option names[] = {
		{"rows", no_argument, NULL, 'r'}, {"seed", required_argument, NULL, 's'}, {0}};
	double errors[MAX_PAIRS];
	bool has_rows = false, is_good = true;
	uint64_t seed = 0;
	size_t count = 0;
	int option;

	while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (option == 'r')
			has_rows = true;
		else if (option == 's')
			seed = strtoull(optarg, NULL, 10);
		else
			return 2;
	}
	if (optind == argc || (argc - optind) % 2) {
		fprintf(stderr, "usage: compare_timing [--rows] [--seed N] NEFF NTFF...\n");
		return 2;
	}
	if (!has_rows)
		printf("neff\tmeasured us\tsimulated us\terror\tPE\tAct\tPool\tDVE\tSP\tcode\t"
		       "packets\tms\n");
	for (int i = optind; i < argc && count < MAX_PAIRS; i += 2)
		is_good &= run_pair(argv[i], argv[i + 1], seed, has_rows, &errors[count++]);
	if (!has_rows && count)
		print_median(errors, count);
	return is_good ? 0 : 1;
}
