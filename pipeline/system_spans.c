/* SPDX-License-Identifier: Apache-2.0 */
/* What a process recorded about itself: spans as framework events, counters, names of threads. */
#include <stdlib.h>

#include "pipeline/data_quality.h"
#include "pipeline/system_run.h"

struct spans_read {
	struct nx_system_run *run;
	uint32_t process;
	/* of the scan of counters */
	nx_row_fn fn;
	void *context;
};

static void take(void *context, const struct nx_spans_event *event)
{
	struct spans_read *r = context;
	struct nx_system_event row = event->row;

	nx_system_sink_framework(r->run, r->process, &row, event->name);
}

static void count_sample(void *context, const struct nx_spans_sample *sample)
{
	struct spans_read *r = context;

	nx_system_name_id(r->run, r->process, sample->name);
	r->run->profile.rows[NX_SYSTEM_COUNTER]++;
}

static void name_threads(struct nx_system_run *run, uint32_t process)
{
	const struct nx_spans_threads *threads = &run->inputs[process].spans_decoder.threads;
	struct nx_thread_names names = {0};

	for (size_t i = 0; i < threads->len; i++)
		nx_vec_push(&names, ((struct nx_thread_name){
					    .thread_id = threads->items[i].thread_id,
					    .name = nx_arena_copy(&run->profile.arena,
								  threads->items[i].name)}));
	nx_system_name_threads(run, process, &names);
	nx_vec_release(&names);
}

void nx_system_read_spans(struct nx_system_run *run, uint32_t process)
{
	struct nx_process_input *input = &run->inputs[process];
	struct spans_read r = {.run = run, .process = process};
	const char *path;

	if (!input->spans.bytes.len)
		return;
	path = nx_arena_printf(&run->profile.arena, "%s/%s", run->profile.processes[process].folder,
			       NX_SPANS_FILE);
	nx_spans_decode(&input->spans_decoder, input->spans.bytes, take, &r);
	nx_spans_decode_counters(&input->spans_decoder, count_sample, &r);
	nx_data_quality_report_spans(&run->profile, path, &input->spans_decoder.loss);
	name_threads(run, process);
	if (input->spans_decoder.newest_ns > input->decoder.newest_ns)
		input->decoder.newest_ns = input->spans_decoder.newest_ns;
	nx_file_forget(input->spans.bytes);
}

static void show_sample(void *context, const struct nx_spans_sample *sample)
{
	struct spans_read *r = context;
	struct nx_counter_sample row = {nx_host_time(&r->run->inputs[r->process], sample->time_ns),
					sample->value, r->process,
					nx_system_name_id(r->run, r->process, sample->name)};

	r->fn(r->context, &row);
}

void nx_system_scan_counters(struct nx_system_run *run, uint32_t process, nx_row_fn fn,
			     void *context)
{
	struct spans_read r = {run, process, fn, context};

	nx_spans_decode_counters(&run->inputs[process].spans_decoder, show_sample, &r);
	nx_file_forget(run->inputs[process].spans.bytes);
}
