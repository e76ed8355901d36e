/* SPDX-License-Identifier: Apache-2.0 */
/* synthetic_framework: trace.json.gz as a framework's profiler writes it, in microseconds. */
#include <stdio.h>
#include <zlib.h>

#include "base/json_writer.h"
#include "tests/data/synthetic_system_inside.h"

#define MAX_STEPS 400
#define GZIP_WINDOW (15 + 16)

struct writer {
	struct nx_json_writer json;
	const struct nx_synthetic_process *process;
	uint64_t thread;
	struct nx_synthetic_system_counts *counts;
};

/* Times with three decimals: nanoseconds since the base time. */
static void put_time(struct writer *w, const char *key, uint64_t ns)
{
	nx_json_key_f64(&w->json, key, (double)ns / 1000);
}

static void begin_event(struct writer *w, const char *phase, const char *category, const char *name,
			uint64_t start_ns)
{
	nx_json_begin_object(&w->json);
	nx_json_key_text(&w->json, "ph", phase);
	nx_json_key_text(&w->json, "cat", category);
	nx_json_key_text(&w->json, "name", name);
	nx_json_key_u64(&w->json, "pid", w->process->pid);
	nx_json_key_u64(&w->json, "tid", w->thread);
	put_time(w, "ts", start_ns);
}

static void put_call(struct writer *w, const char *category, const char *name, uint64_t start_ns,
		     uint64_t end_ns)
{
	begin_event(w, "X", category, name, start_ns);
	put_time(w, "dur", end_ns - start_ns);
	nx_json_key(&w->json, "args");
	nx_json_begin_object(&w->json);
	nx_json_key_u64(&w->json, "External id", w->counts->framework_event_count + 1);
	nx_json_end_object(&w->json);
	nx_json_end_object(&w->json);
	w->counts->framework_event_count++;
}

static void put_flow_side(struct writer *w, const char *phase, uint64_t id, uint64_t at_ns)
{
	begin_event(w, phase, "ac2g", "ac2g", at_ns);
	nx_json_key_u64(&w->json, "id", id);
	if (*phase == 'f')
		nx_json_key_text(&w->json, "bp", "e");
	nx_json_end_object(&w->json);
}

static void put_metadata(struct writer *w, const char *what, const char *name)
{
	nx_json_begin_object(&w->json);
	nx_json_key_text(&w->json, "ph", "M");
	nx_json_key_text(&w->json, "name", what);
	nx_json_key_u64(&w->json, "pid", w->process->pid);
	nx_json_key_u64(&w->json, "tid", w->thread);
	nx_json_key(&w->json, "args");
	nx_json_begin_object(&w->json);
	nx_json_key_text(&w->json, "name", name);
	nx_json_end_object(&w->json);
	nx_json_end_object(&w->json);
}

/* A step of the training loop around one nrt_execute; the flow leads from the call to its launch.
 */
static void put_step(struct writer *w, uint64_t step)
{
	uint64_t at = nx_synthetic_step_ns(w->process, step) - w->process->init_ns;
	bool is_slow = w->process->growing_step_count && step == NX_SYNTHETIC_SLOW_STEP;
	char name[64];

	snprintf(name, sizeof(name), "ProfilerStep#%llu", (unsigned long long)step);
	put_call(w, "user_annotation", name, at - 20000 - (is_slow ? NX_SYNTHETIC_SLOW_NS : 0),
		 at + 3500000);
	put_call(w, "python_function", "model.py(123): forward", at - 15000, at + 3000000);
	put_call(w, "cpu_op", "aten::linear", at - 12000, at - 9500);
	put_call(w, "cpu_op", "aten::addmm", at - 11800, at - 9600);
	put_call(w, "cpu_op", "neuron::launch", at - 5000, at + 2900125);
	put_flow_side(w, "s", step + 1, at - 11800);
	put_flow_side(w, "f", step + 1, at - 5000);
	w->counts->flow_count++;
	begin_event(w, "i", "cpu_instant_event", "[memory]", at + 1001);
	nx_json_key_text(&w->json, "s", "t");
	nx_json_end_object(&w->json);
	w->counts->framework_event_count++;
}

static void put_trace(struct writer *w, uint64_t step_count)
{
	nx_json_begin_object(&w->json);
	nx_json_key_u64(&w->json, "schemaVersion", 1);
	nx_json_key_u64(&w->json, "baseTimeNanoseconds", w->process->init_ns);
	nx_json_key_text(&w->json, "displayTimeUnit", "ms");
	nx_json_key(&w->json, "traceEvents");
	nx_json_begin_array(&w->json);
	put_metadata(w, "process_name", "python train.py");
	put_metadata(w, "thread_name", "main");
	for (uint64_t step = 0; step < step_count && step < MAX_STEPS; step++)
		put_step(w, step);
	nx_json_end_array(&w->json);
	nx_json_end_object(&w->json);
}

static void compress_into(struct nx_bytes *out, const struct nx_bytes *text)
{
	z_stream z = {0};

	if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return;
	nx_vec_reserve(out, (size_t)deflateBound(&z, text->len));
	z.next_in = text->items;
	z.avail_in = (uInt)text->len;
	z.next_out = out->items;
	z.avail_out = (uInt)out->cap;
	(void)deflate(&z, Z_FINISH);
	out->len = z.total_out;
	deflateEnd(&z);
}

void nx_synthetic_write_framework(const struct nx_synthetic_process *process, uint64_t step_count,
				  struct nx_bytes *out, struct nx_synthetic_system_counts *counts)
{
	struct writer w = {
		.process = process,
		.thread = nx_synthetic_thread(process, 0),
		.counts = counts,
	};
	struct nx_bytes text = {0};

	nx_json_init_bytes(&w.json, &text, false);
	put_trace(&w, step_count);
	compress_into(out, &text);
	nx_vec_release(&text);
}
