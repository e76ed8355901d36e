/* SPDX-License-Identifier: Apache-2.0 */
#include "query/diagnosis.h"

#include <string.h>

/*
 * Each question returns messages. A profile without the table is not asked: device and system
 * profiles have different ones.
 */
static const struct {
	const char *category; /* NULL: each row has its own, behind the message */
	const char *sql;
} questions[] = {
	{NULL, "SELECT message, category FROM Warning"}, /* what decoding found */
	{"Simulated",
	 "SELECT 'The software NeuronCore made this capture: all times are predictions. Capture on "
	 "a device before you rely on a difference of a few percent.' FROM Metadata WHERE "
	 "is_simulation"},
	{"Errors",
	 "SELECT concat('The device or the program recorded ', count(*), ' errors (table Error); "
	 "results and times after the first one may be wrong.') FROM Error HAVING count(*) > 0"},
	{"Frame",
	 "SELECT concat('Of ', round(span_ps / 1e6, 3), ' us measured, ', round((span_ps - "
	 "program_ps) / 1e6, 3), ' us are the runtime''s start-up and epilogue. total_time and "
	 "every share of it, such as MFU, contain them. To compare kernels, use program_ps of "
	 "WhySummary.') FROM WhySummary WHERE span_ps - program_ps > span_ps / 10"},
	{"Unexplained",
	 "SELECT concat(round(100.0 * path_unexplained_ps / span_ps, 1), ' % of the critical path "
	 "has no known cause, so that ''why'' may name the wrong one. Lost records are the usual "
	 "reason: capture a shorter program.') FROM WhySummary WHERE path_unexplained_ps > span_ps "
	 "/ 50"},
	{"No Prediction",
	 "SELECT concat('''why --what-if'' predicts nothing: ', CASE WHEN replay_error_ps IS NULL "
	 "THEN 'the capture is too large to replay.' ELSE concat('a replay misses the measurement "
	 "by ', round(100.0 * replay_error_ps / span_ps, 3), ' %, and ', pinned, ' nodes have no "
	 "known cause.') END) FROM WhySummary WHERE replay_error_ps IS NULL OR replay_error_ps > "
	 "span_ps / 1000 OR pinned > 0"},
	{"No Device Profile",
	 "SELECT 'The capture has no device profiles, so it shows when a core ran, but not what it "
	 "did. ''inspect'' records them unless an option says otherwise; elsewhere set "
	 "NEURON_RT_INSPECT_DEVICE_PROFILE=1.' FROM DeviceProfileList HAVING count(*) = 0"},
	{"Unfinished Steps",
	 "SELECT concat(count(*), ' steps have no end; their durations are not compared.') FROM "
	 "Step WHERE is_unfinished HAVING count(*) > 0"},
};

static enum nx_status ask(struct nx_diagnosis *diagnosis, const struct nx_query_engine *engine,
			  const char *category, const char *sql, struct nx_error *err)
{
	struct nx_row_stream *rows = NULL;
	const struct nx_value *row;
	enum nx_status st = engine->ask(engine->context, nx_slice_text(sql), &rows, err);

	while (!st && !(st = nx_row_stream_next(rows, &row, err)) && row) {
		struct nx_symptom symptom = {.category = category};

		if (row[0].kind != NX_VALUE_TEXT || (!category && row[1].kind != NX_VALUE_TEXT))
			continue;
		symptom.message = nx_arena_copy(&diagnosis->arena, row[0].text);
		if (!category)
			symptom.category = nx_arena_copy(&diagnosis->arena, row[1].text);
		nx_vec_push(&diagnosis->symptoms, symptom);
	}
	nx_row_stream_close(rows);
	return st;
}

enum nx_status nx_diagnosis_ask(struct nx_diagnosis *diagnosis,
				const struct nx_query_engine *engine, struct nx_error *err)
{
	memset(diagnosis, 0, sizeof(*diagnosis));
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		enum nx_status st =
			ask(diagnosis, engine, questions[i].category, questions[i].sql, err);

		if (st && st != NX_NOT_FOUND)
			return st;
	}
	return NX_OK;
}

void nx_diagnosis_release(struct nx_diagnosis *diagnosis)
{
	nx_vec_release(&diagnosis->symptoms);
	nx_arena_release(&diagnosis->arena);
}
