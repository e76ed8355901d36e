/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/options.h"
#include "cli/service_run.h"

struct snapshot {
	struct nx_service_values service;
	const char *budget;
	struct nx_number_value horizon;
	bool is_start, is_stop;
};

#define FIELD(member) NX_FIELD(struct snapshot, member)

static const struct nx_option options[] = {
	NX_ROWS_SERVICE_SESSION(struct snapshot),
	NX_ROWS_SERVICE_SERIES(struct snapshot),
	{"start", 0, NX_FLAG, FIELD(is_start), "Start continuous recording instead."},
	{"stop", 0, NX_FLAG, FIELD(is_stop),
	 "Stop continuous recording instead. What it kept is dropped."},
	{"budget", 0, NX_TEXT("SIZE"), FIELD(budget),
	 "With --start: the memory for what is kept, as 64MiB (default: the server's)."},
	{"horizon-ms", 0, NX_NUMBER("MS"), FIELD(horizon),
	 "With --start: how far back it reaches (default: the server's)."},
	NX_ROWS_SERVICE_RECORDING(struct snapshot),
	{0},
};

#define OPTION_BYTES 64

/* Budget and horizon are advanced options of our server. */
static enum nx_status add_limits(const struct snapshot *o, struct nx_service_values *values,
				 char (*texts)[OPTION_BYTES], struct nx_error *err)
{
	struct nx_list_value *list = &values->advanced;
	uint64_t budget_bytes;
	enum nx_status st;

	if (list->count + 2 > NX_LIST_MAX)
		return nx_fail(err, NX_USAGE, "give at most %d advanced options", NX_LIST_MAX - 2);
	if (o->budget) {
		st = nx_size_parse("--budget", o->budget, &budget_bytes, err);
		if (st)
			return st;
		(void)snprintf(texts[0], OPTION_BYTES, NX_SERVICE_KEY_BUDGET "=%" PRIu64,
			       budget_bytes);
		list->items[list->count++] = texts[0];
	}
	if (o->horizon.is_given) {
		(void)snprintf(texts[1], OPTION_BYTES, NX_SERVICE_KEY_HORIZON "=%" PRIu32,
			       o->horizon.value);
		list->items[list->count++] = texts[1];
	}
	return NX_OK;
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct snapshot *o = values;
	struct nx_service_values service = o->service;
	struct nx_service_job job = {.kind = NX_SESSION_SNAPSHOT, .reason = "snapshot"};
	char texts[2][OPTION_BYTES];
	const struct nx_rule rules[] = {
		{operands->count != 1, "give the addresses as one word: HOST:PORT,HOST:PORT"},
		{o->is_start && o->is_stop, "give --start or --stop, not both"},
		{!o->is_start && (o->budget || o->horizon.is_given),
		 "--budget and --horizon-ms need --start"},
		{0},
	};
	enum nx_status st = nx_rules_check(rules, err);

	if (!st)
		st = add_limits(o, &service, texts, err);
	if (st)
		return st;
	job.addresses = operands->items[0];
	if (o->is_start || o->is_stop)
		return nx_service_switch(&service, &job, o->is_start, err);
	return nx_service_run(call, &service, &job, err);
}

static const struct nx_example examples[] = {
	{"Keep the last 30 seconds of two hosts from now on:",
	 "snapshot trn2-0:9012,trn2-1:9012 --start --horizon-ms 30000"},
	{"Save what led up to now:", "snapshot trn2-0:9012,trn2-1:9012 --logdir runs"},
	{"Save it every ten seconds, a hundred times:",
	 "snapshot trn2-0:9012 --logdir runs --repeat 100 --interval-ms 10000"},
	{0},
};

const struct nx_command nx_command_snapshot = {
	.name = "snapshot",
	.summary = "save what running programs have just done",
	.operands = "HOST:PORT[,HOST:PORT]...",
	.operand_choices = "",
	.description =
		"Programs that record continuously keep their latest events in memory. snapshot "
		"saves "
		"them as a session: what led up to now, of all hosts at once. Recording goes on "
		"meanwhile, if the program runs under our runtime; XProf's server begins anew.\n\n"
		"Continuous recording is started by the program, by NEURON_PROFILER_CONTINUOUS=1 "
		"in "
		"its environment, or with --start. See docs/capture.md.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct snapshot),
	.run = run,
};
