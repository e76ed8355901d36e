/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/bench_times.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "analyse/repetition.h"
#include "base/json_reader.h"
#include "base/path.h"
#include "pipeline/system_profile.h"

#define KIND "neuron-explorer bench"

static struct nx_bench_model *model_of(struct nx_bench_times *times, struct nx_slice name)
{
	for (size_t i = 0; i < times->models.len; i++)
		if (nx_slice_is(name, times->models.items[i].name))
			return &times->models.items[i];
	nx_vec_push(&times->models,
		    ((struct nx_bench_model){.name = nx_arena_copy(&times->arena, name)}));
	assert(times->models.items);
	return &times->models.items[times->models.len - 1];
}

void nx_bench_times_release(struct nx_bench_times *times)
{
	for (size_t i = 0; i < times->models.len; i++) {
		nx_vec_release(&times->models.items[i].cold);
		nx_vec_release(&times->models.items[i].runs);
	}
	nx_vec_release(&times->models);
	nx_arena_release(&times->arena);
}

const struct nx_bench_model *nx_bench_times_find(const struct nx_bench_times *times,
						 const char *name)
{
	const struct nx_bench_model *best = NULL;
	double most = 0;

	for (size_t i = 0; i < times->models.len; i++) {
		const struct nx_bench_model *model = &times->models.items[i];
		double sum = 0;

		for (size_t k = 0; k < model->runs.len; k++)
			sum += model->runs.items[k];
		if (model->runs.len && name && !strcmp(model->name, name))
			return model;
		if (model->runs.len && !name && (!best || sum > most)) {
			best = model;
			most = sum;
		}
	}
	return best;
}

/* --- a capture ------------------------------------------------------------- */

/* The executions of a model on a logical core of a process, in order of time. */
struct lane {
	uint32_t process;
	int32_t core;
	uint64_t model_id;
	const char *name;
	uint64_t start_ns, end_ns; /* of the execution that may still grow */
	uint64_t first_ns;	   /* start of the first one */
	struct nx_times times;
	bool is_added;
};

struct reading {
	const struct nx_system_profile *profile;
	struct nx_arena *arena;
	NX_VEC(struct lane) lanes;
};

/* The file that the model was loaded from, without folder and suffix. */
static const char *model_name(const struct reading *r, const struct nx_system_event *event)
{
	struct nx_slice name = nx_system_interned(r->profile, event->process, event->model_id);

	if (!name.len || nx_slice_is(name, "_unknown_"))
		return nx_arena_printf(r->arena, "model %llu", (unsigned long long)event->model_id);
	name = nx_path_stem(nx_arena_copy(r->arena, name));
	return nx_arena_copy(r->arena, name);
}

static struct lane *lane_of(struct reading *r, const struct nx_system_event *event)
{
	struct lane new = {.process = event->process,
			   .core = event->nc_idx,
			   .model_id = event->model_id,
			   .start_ns = event->start_ns,
			   .end_ns = event->start_ns,
			   .first_ns = event->start_ns};

	for (size_t i = 0; i < r->lanes.len; i++) {
		struct lane *lane = &r->lanes.items[i];

		if (lane->process == new.process && lane->core == new.core &&
		    lane->model_id == new.model_id)
			return lane;
	}
	new.name = model_name(r, event);
	nx_vec_push(&r->lanes, new);
	assert(r->lanes.items);
	return &r->lanes.items[r->lanes.len - 1];
}

static void end_execution(struct lane *lane)
{
	if (lane->end_ns > lane->start_ns)
		nx_vec_push(&lane->times, (double)(lane->end_ns - lane->start_ns));
}

static void take_event(void *context, const void *row)
{
	const struct nx_system_event *event = row;
	struct reading *r = context;
	struct lane *lane;

	if (event->source != NX_SOURCE_HARDWARE ||
	    (event->flags & (NX_EVENT_UNFINISHED | NX_EVENT_ORPHAN)) ||
	    strcmp(nx_system_event_name(r->profile, event), "nc_exec_running") != 0)
		return;
	lane = lane_of(r, event);
	if (event->start_ns >= lane->end_ns) { /* else another physical core of the same one */
		end_execution(lane);
		lane->start_ns = event->start_ns;
	}
	if (event->end_ns > lane->end_ns)
		lane->end_ns = event->end_ns;
}

/* Ranks run at the same time; processes that ran one after the other are starts of their own. */
static bool is_rank_of(const struct lane *lane, const struct lane *first)
{
	return !lane->is_added && !strcmp(lane->name, first->name) &&
	       lane->first_ns < first->end_ns && lane->end_ns > first->first_ns;
}

static void add_start(struct nx_bench_times *times, struct reading *r, const struct lane *first,
		      size_t warm_up)
{
	struct nx_bench_model *model = model_of(times, nx_slice_text(first->name));
	struct nx_times slowest = {0};

	for (struct lane *lane = r->lanes.items; lane < r->lanes.items + r->lanes.len; lane++) {
		if (!is_rank_of(lane, first))
			continue;
		for (size_t k = 0; k < lane->times.len; k++)
			if (k == slowest.len)
				nx_vec_push(&slowest, lane->times.items[k]);
			else if (lane->times.items[k] > slowest.items[k])
				slowest.items[k] = lane->times.items[k];
		lane->is_added = lane != first; /* first is compared with the rest */
	}
	for (size_t k = 0; k < slowest.len; k++)
		if (k >= warm_up)
			nx_vec_push(&model->runs, slowest.items[k]);
		else if (!k)
			nx_vec_push(&model->cold, slowest.items[k]);
	model->execution_count += slowest.len;
	nx_vec_release(&slowest);
}

enum nx_status nx_bench_times_read(struct nx_bench_times *times, const char *folder, size_t warm_up,
				   struct nx_error *err)
{
	struct nx_system_options options = {.directory = folder, .skip_device = true};
	struct reading r = {.arena = &times->arena};
	struct nx_system_run *run = NULL;
	enum nx_status st = nx_system_run_open(&run, &options, err);

	if (st)
		return st;
	r.profile = nx_system_run_borrow(run);
	for (uint32_t p = 0; !st && p < r.profile->process_count; p++)
		st = nx_system_scan_process(r.profile, p, take_event, &r, err);
	for (size_t i = 0; i < r.lanes.len; i++)
		end_execution(&r.lanes.items[i]);
	for (size_t i = 0; !st && i < r.lanes.len; i++)
		if (!r.lanes.items[i].is_added)
			add_start(times, &r, &r.lanes.items[i], warm_up);
	for (size_t i = 0; i < r.lanes.len; i++)
		nx_vec_release(&r.lanes.items[i].times);
	nx_vec_release(&r.lanes);
	nx_system_run_close(run);
	return st;
}

/* --- JSON ------------------------------------------------------------------ */

static void put_times(struct nx_json_writer *w, const char *key, const struct nx_times *times)
{
	nx_json_key(w, key);
	nx_json_begin_array(w);
	for (size_t i = 0; i < times->len; i++)
		nx_json_f64(w, times->items[i]);
	nx_json_end_array(w);
}

static void put_statistics(struct nx_json_writer *w, const struct nx_times *runs)
{
	struct nx_repetition r = nx_repetition_of(runs->items, runs->len);

	nx_json_key_f64(w, "median_ns", r.median);
	if (r.has_interval) {
		nx_json_key_f64(w, "median_low_ns", r.low);
		nx_json_key_f64(w, "median_high_ns", r.high);
	}
	nx_json_key_f64(w, "mean_ns", r.mean);
	nx_json_key_f64(w, "min_ns", r.min);
	nx_json_key_f64(w, "max_ns", r.max);
	nx_json_key(w, "outliers");
	nx_json_begin_array(w);
	for (size_t i = 0; i < runs->len; i++)
		if (nx_repetition_is_outlier(&r, runs->items[i])) {
			nx_json_begin_object(w);
			nx_json_key_u64(w, "run", i + 1);
			nx_json_key_f64(w, "time_ns", runs->items[i]);
			nx_json_end_object(w);
		}
	nx_json_end_array(w);
}

void nx_bench_times_json(struct nx_json_writer *w, const struct nx_bench_times *times)
{
	nx_json_key_text(w, "kind", KIND);
	nx_json_key(w, "models");
	nx_json_begin_array(w);
	for (size_t i = 0; i < times->models.len; i++) {
		const struct nx_bench_model *model = &times->models.items[i];

		nx_json_begin_object(w);
		nx_json_key_text(w, "name", model->name);
		nx_json_key_u64(w, "executions", model->execution_count);
		put_times(w, "cold_ns", &model->cold);
		put_times(w, "runs_ns", &model->runs);
		if (model->runs.len)
			put_statistics(w, &model->runs);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void take_times(struct nx_times *times, const struct nx_json *array)
{
	for (size_t i = 0; array && array->kind == NX_JSON_ARRAY && i < array->count; i++) {
		double value = nx_json_as_f64(&array->children[i], -1);

		if (isfinite(value) && value >= 0)
			nx_vec_push(times, value);
	}
}

enum nx_status nx_bench_times_load(struct nx_bench_times *times, const char *path,
				   struct nx_error *err)
{
	const struct nx_json *models = NULL;
	struct nx_file file = {0};
	struct nx_json *root = NULL;
	enum nx_status st = nx_file_map(&file, path, err);

	if (st)
		return st;
	st = nx_json_parse(file.bytes, &times->arena, &root, err);
	if (!st)
		models = nx_json_get(root, "models");
	if (st || !nx_slice_is(nx_json_as_slice(nx_json_get(root, "kind")), KIND) || !models)
		st = nx_fail(err, NX_FORMAT, "%.500s is not a result of 'bench'", path);
	for (size_t i = 0; !st && models && i < models->count; i++) {
		const struct nx_json *from = &models->children[i];
		struct nx_slice name = nx_json_as_slice(nx_json_get(from, "name"));
		struct nx_bench_model *model = model_of(times, name);

		take_times(&model->cold, nx_json_get(from, "cold_ns"));
		take_times(&model->runs, nx_json_get(from, "runs_ns"));
	}
	nx_file_unmap(&file);
	return st;
}
