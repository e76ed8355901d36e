/* SPDX-License-Identifier: Apache-2.0 */
#include "export/why_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_SHOWN 6u /* the rest is one line */
#define GROUPS_SHOWN 12u
#define STEPS_SAID 5u /* of a chain, in its sentence */
#define INDENT_MAX 12u

static double percent(int64_t part_ps, int64_t whole_ps)
{
	return whole_ps > 0 ? 100.0 * (double)part_ps / (double)whole_ps : 0;
}

/* Exact to the picosecond, so that a reader can add the parts up. */
#define US_FORMAT "%lld.%06lld us"
#define US(time_ps) (long long)((time_ps) / 1000000), (long long)(llabs(time_ps) % 1000000)

/* "5.379 us", for sentences. */
static const char *short_time(int64_t time_ps, char text[32])
{
	if (llabs(time_ps) < 1000000)
		snprintf(text, 32, "%lld ns", (long long)(time_ps / 1000));
	else
		snprintf(text, 32, "%.3f us", (double)time_ps / 1e6);
	return text;
}

/* --- what bound the run ---------------------------------------------------- */

static const char *explain_cause(const char *cause)
{
	static const struct {
		const char *cause, *text;
	} texts[] = {
		{"control", "words that the sequencer executes"},
		{"DMA issue", "instructions that start transfers"},
		{"issue", "from one word of an engine to the next"},
		{"wake", "from a semaphore to who waited for it"},
		{"DMA descriptors", "software that makes them"},
		{"DMA start-up", "from a trigger to its first packet"},
		{"DMA queueing", "behind earlier blocks of a DMA engine"},
		{"DMA completion", "from the last packet to its semaphore"},
		{"frame", "the runtime's start-up and epilogue"},
		{"trace", "the recording itself held the run up"},
		{"unexplained", "no cause was found"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(cause, texts[i].cause))
			return texts[i].text;
	return NULL;
}

static void put_part(struct nx_bytes *out, const struct nx_why_part *part, int64_t span_ps)
{
	const char *text = part->engine ? NULL : explain_cause(part->cause);

	nx_bytes_printf(out, "  %8lld.%06lld us %5.1f %%  %s%s%s%s%s\n", US(part->time_ps),
			percent(part->time_ps, span_ps), part->engine ? part->engine : "",
			part->engine ? " " : "", part->cause, text ? ": " : "", text ? text : "");
}

static void put_rest(struct nx_bytes *out, const struct nx_why_answer *answer)
{
	int64_t sum_ps = 0;

	for (size_t i = PARTS_SHOWN; i < answer->path.len; i++)
		sum_ps += answer->path.items[i].time_ps;
	if (answer->path.len > PARTS_SHOWN)
		nx_bytes_printf(
			out,
			"  %8lld.%06lld us %5.1f %%  %zu smaller parts (--format json lists all)\n",
			US(sum_ps), percent(sum_ps, answer->span_ps),
			answer->path.len - PARTS_SHOWN);
}

static void put_quality(struct nx_bytes *out, const struct nx_why_answer *answer)
{
	nx_bytes_printf(out,
			"%.2f %% of the path and %.2f %% of all pauses have no cause; %lld of %lld "
			"waits are "
			"matched, %lld of them without a record.\n",
			percent(answer->path_unexplained_ps, answer->span_ps),
			percent(answer->gap_unexplained_ps, answer->gap_ps),
			(long long)answer->matched_count, (long long)answer->wait_count,
			(long long)answer->filled_count + (long long)answer->assumed_count);
}

static const struct nx_what_if *best_scenario(const struct nx_why_answer *answer)
{
	for (size_t i = 0; i < answer->scenarios.len; i++)
		if (answer->scenarios.items[i].path_ps >= 0)
			return &answer->scenarios.items[i];
	return NULL;
}

static void put_closed_gate(struct nx_bytes *out, const struct nx_why_answer *answer)
{
	if (!answer->is_replayed)
		nx_bytes_printf(
			out, "No prediction: captures of more than a million instructions are not "
			     "replayed.\n");
	else
		nx_bytes_printf(
			out,
			"No prediction: a replay misses the measurement by %.3f %%, and %lld nodes "
			"stay where they were.\n",
			percent(answer->replay_error_ps, answer->span_ps),
			(long long)answer->pinned_count);
}

static void put_groups(struct nx_bytes *out, const struct nx_why_answer *answer)
{
	int64_t rest_ps = 0;

	if (!answer->grouped_by)
		return;
	nx_bytes_printf(out, "The path by %s:\n", answer->grouped_by);
	for (size_t i = 0; i < answer->groups.len; i++) {
		const struct nx_why_group *g = &answer->groups.items[i];

		if (i < GROUPS_SHOWN)
			nx_bytes_printf(out, "  %8lld.%06lld us %5.1f %%  %s\n", US(g->time_ps),
					percent(g->time_ps, answer->span_ps),
					g->name ? g->name : "(none)");
		else
			rest_ps += g->time_ps;
	}
	if (answer->groups.len > GROUPS_SHOWN)
		nx_bytes_printf(out, "  %8lld.%06lld us %5.1f %%  %zu more\n", US(rest_ps),
				percent(rest_ps, answer->span_ps),
				answer->groups.len - GROUPS_SHOWN);
}

void nx_why_report_text(struct nx_bytes *out, const struct nx_why_answer *answer,
			const char *profile)
{
	const struct nx_what_if *best = best_scenario(answer);

	nx_bytes_printf(out,
			"%s took " US_FORMAT ". The critical path, in parts that add up to it:\n",
			profile, US(answer->span_ps));
	for (size_t i = 0; i < answer->path.len && i < PARTS_SHOWN; i++)
		put_part(out, &answer->path.items[i], answer->span_ps);
	put_rest(out, answer);
	put_quality(out, answer);
	if (best)
		nx_bytes_printf(out,
				"The largest gain: %s, at most " US_FORMAT
				" (%.1f %%); --what-if shows all.\n",
				best->scenario, US(best->gain_ps),
				percent(best->gain_ps, answer->span_ps));
	else
		put_closed_gate(out, answer);
	put_groups(out, answer);
}

void nx_what_if_text(struct nx_bytes *out, const struct nx_why_answer *answer)
{
	if (!answer->scenarios.len) {
		put_closed_gate(out, answer);
		return;
	}
	nx_bytes_printf(out,
			"What if, by a replay (error %.3f %%; with the usual lags %+.1f %%):\n",
			percent(answer->replay_error_ps, answer->span_ps),
			percent(answer->nominal_ps - answer->span_ps, answer->span_ps));
	nx_bytes_printf(out, "        on the path              gain          scenario\n");
	for (size_t i = 0; i < answer->scenarios.len; i++) {
		const struct nx_what_if *s = &answer->scenarios.items[i];

		if (s->path_ps >= 0)
			nx_bytes_printf(out, "  %10.3f us %5.1f %%", (double)s->path_ps / 1e6,
					percent(s->path_ps, answer->span_ps));
		else
			nx_bytes_printf(out, "  %21s", "-");
		nx_bytes_printf(out, "  %10.3f us %5.1f %%  %s\n", (double)s->gain_ps / 1e6,
				percent(s->gain_ps, answer->span_ps), s->scenario);
	}
}

/* --- gaps ------------------------------------------------------------------ */

static const char *or_unknown(const char *text)
{
	return text ? text : "something";
}

static const char *engine_name(const struct nx_release_node *n)
{
	return n->engine < NX_ENGINE_COUNT ? nx_engines[n->engine].label : "an engine";
}

/* What happened in a piece, as a clause. */
static void put_clause(struct nx_bytes *out, const struct nx_why_gap_answer *gap,
		       const struct nx_why_piece *piece)
{
	const struct nx_release_node *n = &gap->graph->nodes.items[piece->node];
	const struct nx_node_label *label = &gap->labels[piece->node];

	switch (piece->cause) {
	case NX_CAUSE_WAIT:
		if (n->graph != gap->core)
			nx_bytes_printf(out, "%s of core %u ran %s", engine_name(n), n->graph,
					or_unknown(label->opcode));
		else
			nx_bytes_printf(out, "%s ran %s", engine_name(n),
					or_unknown(label->opcode));
		return;
	case NX_CAUSE_ISSUE:
		nx_bytes_printf(out, "%s went on to %s", engine_name(n), or_unknown(label->opcode));
		return;
	case NX_CAUSE_WAKE:
		nx_bytes_printf(out, "a semaphore reached %s", engine_name(n));
		return;
	case NX_CAUSE_DESCRIPTORS:
		nx_bytes_printf(out, "GpSimd made descriptors");
		return;
	case NX_CAUSE_STARTUP:
		nx_bytes_printf(out, "a transfer of %s started up", or_unknown(label->queue));
		return;
	case NX_CAUSE_QUEUEING:
		nx_bytes_printf(out, "earlier blocks kept DMA engine %u of %s busy",
				label->dma_engine, or_unknown(label->queue));
		return;
	case NX_CAUSE_TRANSFER:
		nx_bytes_printf(out, "%s moved data", or_unknown(label->queue));
		return;
	case NX_CAUSE_COMPLETION:
		nx_bytes_printf(out, "%s reported its end", or_unknown(label->queue));
		return;
	case NX_CAUSE_COLLECTIVE:
		nx_bytes_printf(out, "%s ran among the ranks", or_unknown(label->opcode));
		return;
	case NX_CAUSE_OTHER_CORE:
		nx_bytes_printf(out, "core %u was awaited", n->graph);
		return;
	case NX_CAUSE_FRAME:
		nx_bytes_printf(out, "the runtime's own code ran on %s", engine_name(n));
		return;
	case NX_CAUSE_TRACE:
		nx_bytes_printf(out, "the recording held up a signal of %s", engine_name(n));
		return;
	default:
		nx_bytes_printf(out, "nothing explains why %s did not begin %s", engine_name(n),
				label->opcode ? or_unknown(label->opcode)
					      : or_unknown(label->queue));
	}
}

static int compare_lengths(const void *left, const void *right)
{
	const struct nx_why_piece *l = *(const struct nx_why_piece *const *)left;
	const struct nx_why_piece *r = *(const struct nx_why_piece *const *)right;
	int64_t a = l->end_ps - l->start_ps, b = r->end_ps - r->start_ps;

	if (a != b)
		return a > b ? -1 : 1;
	return l->start_ps < r->start_ps ? -1 : l->start_ps > r->start_ps;
}

static int compare_starts(const void *left, const void *right)
{
	const struct nx_why_piece *l = *(const struct nx_why_piece *const *)left;
	const struct nx_why_piece *r = *(const struct nx_why_piece *const *)right;

	return (l->start_ps > r->start_ps) - (l->start_ps < r->start_ps);
}

/* Blocks that keep a DMA engine busy one after the other are one step of a sentence. */
static void join_queueing(const struct nx_why_pieces *pieces, struct nx_why_pieces *joined)
{
	for (size_t i = 0; i < pieces->len; i++) {
		struct nx_why_piece *last = joined->len ? &joined->items[joined->len - 1] : NULL;

		if (last && last->cause == NX_CAUSE_QUEUEING &&
		    pieces->items[i].cause == NX_CAUSE_QUEUEING)
			last->start_ps = pieces->items[i].start_ps;
		else
			nx_vec_push(joined, pieces->items[i]);
	}
}

/* The longest steps, in order of time. */
static void put_sentence(struct nx_bytes *out, const struct nx_why_gap_answer *gap)
{
	struct nx_why_pieces joined = {0};
	const struct nx_why_piece **steps;
	int64_t rest_ps = gap->end_ps - gap->start_ps;
	char length[32], time[32];
	size_t count, said;

	join_queueing(&gap->pieces, &joined);
	count = joined.len;
	said = count < STEPS_SAID ? count : STEPS_SAID;
	steps = nx_heap_alloc(sizeof(*steps) * (count + 1));
	for (size_t i = 0; i < count; i++)
		steps[i] = &joined.items[i];
	qsort(steps, count, sizeof(*steps), compare_lengths);
	qsort(steps, said, sizeof(*steps), compare_starts);
	nx_bytes_printf(out, "%s of core %u paused for %s from %s, before %s #%u: ",
			nx_engines[gap->engine].label, gap->core,
			short_time(gap->end_ps - gap->start_ps, length),
			short_time(gap->start_ps, time), or_unknown(gap->labels[gap->node].opcode),
			gap->node + 1);
	for (size_t i = 0; i < said; i++) {
		nx_bytes_printf(out, "%s", i ? ", then " : "");
		put_clause(out, gap, steps[i]);
		nx_bytes_printf(out, " (%s)",
				short_time(steps[i]->end_ps - steps[i]->start_ps, length));
		rest_ps -= steps[i]->end_ps - steps[i]->start_ps;
	}
	if (count > said)
		nx_bytes_printf(out, "; %zu shorter steps took %s", count - said,
				short_time(rest_ps, length));
	nx_bytes_printf(out, ".");
	nx_heap_free(steps);
	nx_vec_release(&joined);
}

void nx_gap_text(struct nx_bytes *out, const struct nx_why_gap_answer *gap)
{
	put_sentence(out, gap);
	nx_bytes_printf(out, "\n");
	for (size_t i = 0; i < gap->pieces.len; i++) {
		const struct nx_why_piece *p = &gap->pieces.items[i];
		unsigned indent = p->hops < INDENT_MAX ? p->hops : INDENT_MAX;

		nx_bytes_printf(out, "  %8lld.%06lld us %8lld ns  %*s", US(p->start_ps),
				(long long)((p->end_ps - p->start_ps) / 1000), (int)indent, "");
		nx_bytes_printf(
			out, "%s: ", p->cause == NX_CAUSE_WAIT ? "work" : nx_cause_name(p->cause));
		put_clause(out, gap, p);
		nx_bytes_printf(out, " (#%u)\n", p->node + 1);
	}
}

/* --- JSON ------------------------------------------------------------------ */

static void key_array(struct nx_json_writer *w, const char *key)
{
	nx_json_key(w, key);
	nx_json_begin_array(w);
}

static void key_text_or_null(struct nx_json_writer *w, const char *key, const char *text)
{
	nx_json_key(w, key);
	if (text)
		nx_json_text(w, text);
	else
		nx_json_null(w);
}

static void put_json_parts(struct nx_json_writer *w, const struct nx_why_answer *answer)
{
	key_array(w, "path");
	for (size_t i = 0; i < answer->path.len; i++) {
		const struct nx_why_part *p = &answer->path.items[i];

		nx_json_begin_object(w);
		nx_json_key_text(w, "cause", p->cause);
		key_text_or_null(w, "engine", p->engine);
		nx_json_key_i64(w, "time_ps", p->time_ps);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
	key_array(w, "engines");
	for (size_t i = 0; i < answer->engines.len; i++) {
		const struct nx_why_part *p = &answer->engines.items[i];

		nx_json_begin_object(w);
		nx_json_key_u64(w, "core", p->core);
		key_text_or_null(w, "engine", p->engine);
		nx_json_key_text(w, "cause", p->cause);
		key_text_or_null(w, "blocker", p->blocker);
		nx_json_key_i64(w, "time_ps", p->time_ps);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void put_json_scenarios(struct nx_json_writer *w, const struct nx_why_answer *answer)
{
	key_array(w, "what_if");
	for (size_t i = 0; i < answer->scenarios.len; i++) {
		const struct nx_what_if *s = &answer->scenarios.items[i];

		nx_json_begin_object(w);
		nx_json_key_text(w, "scenario", s->scenario);
		nx_json_key_i64(w, "total_ps", s->total_ps);
		nx_json_key_i64(w, "gain_ps", s->gain_ps);
		nx_json_key(w, "path_ps");
		if (s->path_ps >= 0)
			nx_json_i64(w, s->path_ps);
		else
			nx_json_null(w);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void put_json_replay(struct nx_json_writer *w, const struct nx_why_answer *answer)
{
	nx_json_key(w, "replay");
	if (!answer->is_replayed) {
		nx_json_null(w);
		return;
	}
	nx_json_begin_object(w);
	nx_json_key_i64(w, "error_ps", answer->replay_error_ps);
	nx_json_key_i64(w, "pinned", answer->pinned_count);
	nx_json_key_i64(w, "nominal_ps", answer->nominal_ps);
	nx_json_end_object(w);
}

void nx_why_report_json(struct nx_json_writer *w, const struct nx_why_answer *answer)
{
	nx_json_key_i64(w, "span_ps", answer->span_ps);
	nx_json_key_i64(w, "program_ps", answer->program_ps);
	nx_json_key_i64(w, "path_unexplained_ps", answer->path_unexplained_ps);
	nx_json_key_i64(w, "gap_ps", answer->gap_ps);
	nx_json_key_i64(w, "gap_unexplained_ps", answer->gap_unexplained_ps);
	nx_json_key_i64(w, "waits", answer->wait_count);
	nx_json_key_i64(w, "waits_matched", answer->matched_count);
	nx_json_key_i64(w, "waits_filled", answer->filled_count);
	nx_json_key_i64(w, "waits_assumed", answer->assumed_count);
	put_json_parts(w, answer);
	put_json_replay(w, answer);
	put_json_scenarios(w, answer);
	if (!answer->grouped_by)
		return;
	nx_json_key_text(w, "by", answer->grouped_by);
	key_array(w, "groups");
	for (size_t i = 0; i < answer->groups.len; i++) {
		nx_json_begin_object(w);
		key_text_or_null(w, "name", answer->groups.items[i].name);
		nx_json_key_i64(w, "time_ps", answer->groups.items[i].time_ps);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

void nx_gap_json(struct nx_json_writer *w, const struct nx_why_gap_answer *gap)
{
	struct nx_bytes sentence = {0};

	put_sentence(&sentence, gap);
	nx_json_key_u64(w, "core", gap->core);
	nx_json_key_text(w, "engine", nx_engines[gap->engine].label);
	nx_json_key_i64(w, "start_ps", gap->start_ps);
	nx_json_key_i64(w, "duration_ps", gap->end_ps - gap->start_ps);
	nx_json_key_u64(w, "before", (uint64_t)gap->node + 1);
	nx_json_key(w, "sentence");
	nx_json_slice(w, nx_slice_of(sentence.items, sentence.len));
	key_array(w, "steps");
	for (size_t i = 0; i < gap->pieces.len; i++) {
		const struct nx_why_piece *p = &gap->pieces.items[i];
		const struct nx_release_node *n = &gap->graph->nodes.items[p->node];

		nx_json_begin_object(w);
		nx_json_key_i64(w, "start_ps", p->start_ps);
		nx_json_key_i64(w, "duration_ps", p->end_ps - p->start_ps);
		nx_json_key_text(w, "cause",
				 p->cause == NX_CAUSE_WAIT ? "work" : nx_cause_name(p->cause));
		nx_json_key_u64(w, "release", (uint64_t)p->node + 1);
		nx_json_key_u64(w, "hops", p->hops);
		key_text_or_null(w, "engine",
				 n->engine < NX_ENGINE_COUNT ? nx_engines[n->engine].label : NULL);
		key_text_or_null(w, "opcode", gap->labels[p->node].opcode);
		key_text_or_null(w, "queue", gap->labels[p->node].queue);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
	nx_vec_release(&sentence);
}
