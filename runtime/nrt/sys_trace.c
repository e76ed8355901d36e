/* SPDX-License-Identifier: Apache-2.0 */
/* sys_trace: the rings as JSON, for programs that trace themselves. */
#include <nrt/nrt_experimental.h>
#include <nrt/nrt_sys_trace.h>
#include <stdio.h>

#include "base/json_writer.h"
#include "runtime/nrt/inspect.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/nrt_state.h"
#include "runtime/trace/guest_files.h"
#include "runtime/trace/tracer.h"

#define DATA_VERSION 2

struct nrt_sys_trace_config {
	struct nx_trace_filter filter;
	uint64_t max_events;
};

struct nrt_sys_trace_fetch_options {
	uint64_t max_events;
	uint32_t core;
};

/* --- configuration --------------------------------------------------------------------------- */

NX_EXPORT NRT_STATUS nrt_sys_trace_config_allocate(nrt_sys_trace_config_t **options)
{
	if (!options)
		return NRT_INVALID;
	*options = nx_heap_try_alloc(sizeof(**options));
	nrt_sys_trace_config_set_defaults(*options);
	return *options ? NRT_SUCCESS : NRT_RESOURCE;
}

NX_EXPORT void nrt_sys_trace_config_set_defaults(nrt_sys_trace_config_t *options)
{
	if (!options)
		return;
	nx_trace_filter_set_all(&options->filter);
	options->max_events = NX_TRACE_DEFAULT_EVENTS;
}

NX_EXPORT void nrt_sys_trace_config_free(nrt_sys_trace_config_t *options)
{
	nx_heap_free(options);
}

NX_EXPORT void nrt_sys_trace_config_set_max_events_per_nc(nrt_sys_trace_config_t *options,
							  uint64_t max_events_per_nc)
{
	if (options && max_events_per_nc)
		options->max_events = max_events_per_nc;
	else
		nx_log_error(__func__, "needs options and at least 1 event per core; ignored");
}

NX_EXPORT void nrt_sys_trace_config_set_capture_enabled_for_nc(nrt_sys_trace_config_t *options,
							       uint32_t nc_idx, bool enabled)
{
	if (options && !nx_trace_filter_set_core(&options->filter, nc_idx, enabled))
		nx_log_error(__func__, "there is no core %u; the highest core number is %d", nc_idx,
			     NX_TRACE_MAX_CORES - 1);
}

NX_EXPORT NRT_STATUS nrt_sys_trace_config_set_capture_enabled_for_event_type(
	nrt_sys_trace_config_t *options, const char *event_type, bool enabled)
{
	struct nx_error err = {0};

	if (!options || !event_type)
		return NRT_INVALID;
	return nx_trace_filter_set_type(&options->filter, event_type, enabled, &err)
		       ? nx_state_fail(__func__, &err)
		       : NRT_SUCCESS;
}

static NRT_STATUS list_types(uint64_t types, const char ***event_types, size_t *count)
{
	const char *names[NX_TRACE_TYPE_COUNT];
	size_t name_count = 0;

	for (unsigned type = 0; type < NX_TRACE_TYPE_COUNT; type++)
		if (types >> type & 1)
			names[name_count++] = nx_ntrace_event_name(type);
	return nx_text_list_new(names, name_count, event_types, count);
}

NX_EXPORT NRT_STATUS nrt_sys_trace_get_event_types(const char ***event_types, size_t *count)
{
	return list_types(nx_trace_filter_all_types(), event_types, count);
}

NX_EXPORT void nrt_sys_trace_free_event_types(const char **event_types, size_t count)
{
	nx_text_list_free(event_types, count);
}

NX_EXPORT NRT_STATUS nrt_sys_trace_config_get_enabled_event_types(nrt_sys_trace_config_t *options,
								  const char ***event_types,
								  size_t *count)
{
	return options ? list_types(options->filter.types, event_types, count) : NRT_INVALID;
}

/* The session that nrt_sys_trace_start began. An inspect session's trace must not be touched. */
static _Atomic uint64_t own_session;

static bool is_ours(void)
{
	return own_session && own_session == nx_tracer_session();
}

/* --- start and stop -------------------------------------------------------------------------- */

NX_EXPORT NRT_STATUS nrt_sys_trace_start(nrt_sys_trace_config_t *options)
{
	struct nrt_sys_trace_config defaults;
	struct nx_tracer_options wanted = {0};
	struct nx_error err = {0};

	NX_RETURN_IF_FAILED(nx_state_check());
	nrt_sys_trace_config_set_defaults(&defaults);
	wanted.filter = options ? options->filter : defaults.filter;
	wanted.max_events = options ? options->max_events : defaults.max_events;
	wanted.core_count = nx_state_instance()->visible_count;
	wanted.workers = nx_state_instance()->visible;
	wanted.is_fetched = true;
	nx_inspect_filter_check(__func__, &wanted.filter);
	if (nx_tracer_begin(&wanted, &err))
		return nx_state_fail(__func__, &err);
	own_session = nx_tracer_session();
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_sys_trace_stop(void)
{
	NX_RETURN_IF_FAILED(nx_state_check());
	if (!is_ours() || !nx_tracer_is_on())
		return NRT_INVALID;
	nx_tracer_end();
	return NRT_SUCCESS;
}

/* --- fetching --------------------------------------------------------------------------------- */

NX_EXPORT NRT_STATUS nrt_sys_trace_fetch_options_allocate(nrt_sys_trace_fetch_options_t **options)
{
	if (!options)
		return NRT_INVALID;
	*options = nx_heap_try_alloc(sizeof(**options));
	nrt_sys_trace_fetch_options_set_defaults(*options);
	return *options ? NRT_SUCCESS : NRT_RESOURCE;
}

NX_EXPORT void nrt_sys_trace_fetch_options_set_defaults(nrt_sys_trace_fetch_options_t *options)
{
	if (options)
		*options = (struct nrt_sys_trace_fetch_options){UINT64_MAX, NX_TRACER_ALL_CORES};
}

NX_EXPORT void nrt_sys_trace_fetch_options_free(nrt_sys_trace_fetch_options_t *options)
{
	nx_heap_free(options);
}

NX_EXPORT void nrt_sys_trace_fetch_options_set_max_events_per_nc(
	nrt_sys_trace_fetch_options_t *options, uint64_t max_events_per_nc)
{
	if (options)
		options->max_events = max_events_per_nc;
}

NX_EXPORT void nrt_sys_trace_fetch_options_set_nc_idx(nrt_sys_trace_fetch_options_t *options,
						      uint64_t nc_idx)
{
	if (options)
		options->core = nc_idx < NX_TRACE_MAX_CORES ? (uint32_t)nc_idx : NX_TRACE_MAX_CORES;
}

struct fetching {
	struct nx_bytes text;
	struct nx_json_writer json;
	const struct nx_trace_place *place;
	const struct nx_trace_record *record;
	bool is_out_of_memory;
};

static void put_value(struct nx_json_writer *json, const struct nx_trace_value *value)
{
	const char *category = nx_ntrace_category_name(value->number);
	char text[24];

	if (value->style == NX_TRACE_CATEGORY && category) {
		nx_json_key_text(json, value->name, category);
	} else if (value->style == NX_TRACE_HEX) {
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value->number);
		nx_json_key_text(json, value->name, text);
	} else {
		nx_json_key_u64(json, value->name, value->number);
	}
}

static void put_event(void *context)
{
	static const char *const phases[] = {"unknown", "start", "stop", "instant"};
	struct fetching *f = context;
	const struct nx_trace_record *record = f->record;
	struct nx_trace_value values[NX_TRACE_MAX_VALUES];
	size_t count = nx_trace_event_values(record, values);
	uint64_t id = nx_trace_event_id(f->place, record->position + 1);

	nx_json_begin_object(&f->json);
	nx_json_key_text(&f->json, "event_type", nx_ntrace_event_name(record->type));
	nx_json_key_text(&f->json, "phase", phases[record->phase & 3]);
	nx_json_key_u64(&f->json, "id", id);
	nx_json_key_u64(&f->json, "nc_idx", f->place->core_idx);
	nx_json_key_u64(&f->json, "nc_local_id", record->position + 1 - f->place->first);
	nx_json_key_u64(&f->json, "tracking_id",
			record->tracking ? nx_trace_event_id(f->place, record->tracking) : id);
	nx_json_key_u64(&f->json, "thread_id", record->thread_id);
	nx_json_key_u64(&f->json, "worker_gid",
			nx_instance_worker(nx_state_instance(), f->place->core_idx));
	nx_json_key(&f->json, "data");
	nx_json_begin_object(&f->json);
	for (size_t i = 0; i < count; i++)
		put_value(&f->json, &values[i]);
	nx_json_end_object(&f->json);
	nx_json_key_u64(&f->json, "timestamp_ns", nx_trace_event_time(f->place, record));
	if (nx_trace_event_seq(record))
		nx_json_key_u64(&f->json, "nrta_seq_id", nx_trace_event_seq(record));
	nx_json_end_object(&f->json);
}

/* Called with the tracer locked, so running out of memory must not skip the unlock. */
static void fetch_event(void *context, const struct nx_trace_place *place,
			const struct nx_trace_record *record)
{
	struct fetching *f = context;

	f->place = place;
	f->record = record;
	if (!f->is_out_of_memory && !nx_heap_guarded(put_event, f))
		f->is_out_of_memory = true;
}

static void begin_text(void *context)
{
	struct fetching *f = context;

	nx_json_init_bytes(&f->json, &f->text, false);
	nx_json_begin_object(&f->json);
	nx_json_key(&f->json, "events");
	nx_json_begin_array(&f->json);
}

static void end_text(void *context)
{
	struct fetching *f = context;

	nx_json_end_array(&f->json);
	nx_json_key_u64(&f->json, "data_version", DATA_VERSION);
	nx_json_end_object(&f->json);
	nx_vec_push(&f->text, '\0');
}

/* Fills f->text with JSON that ends with NUL. */
static bool fetch(struct fetching *f, uint32_t core, uint64_t max_events)
{
	if (!nx_heap_guarded(begin_text, f))
		return false;
	nx_tracer_take(core, max_events, fetch_event, f);
	return !f->is_out_of_memory && nx_heap_guarded(end_text, f);
}

NX_EXPORT NRT_STATUS nrt_sys_trace_fetch_events(char **buffer, size_t *written_size,
						const nrt_sys_trace_fetch_options_t *options)
{
	struct fetching f = {.is_out_of_memory = false};

	NX_RETURN_IF_FAILED(nx_state_check());
	if (!buffer || !written_size)
		return NRT_INVALID;
	*buffer = NULL;
	*written_size = 0;
	if (!is_ours()) {
		nx_log_error(__func__, "call nrt_sys_trace_start first");
		return NRT_INVALID;
	}
	if (!fetch(&f, options ? options->core : NX_TRACER_ALL_CORES,
		   options ? options->max_events : UINT64_MAX)) {
		nx_vec_release(&f.text);
		nx_log_error(__func__,
			     "out of memory for the events as text; fetch fewer at a time");
		return NRT_RESOURCE;
	}
	*buffer = (char *)f.text.items;
	*written_size = f.text.len - 1;
	return NRT_SUCCESS;
}

NX_EXPORT void nrt_sys_trace_buffer_free(char *buffer)
{
	nx_heap_free(buffer);
}

/* --- the older interface ------------------------------------------------------------- */

NX_EXPORT NRT_STATUS nrt_trace_start(bool trace_mem)
{
	struct nrt_sys_trace_config config;

	nrt_sys_trace_config_set_defaults(&config);
	if (!trace_mem)
		config.filter.types &=
			~(UINT64_C(1) << NX_TRACE_MEM_ALLOC | UINT64_C(1) << NX_TRACE_MEM_DEALLOC);
	return nrt_sys_trace_start(&config);
}

NX_EXPORT NRT_STATUS nrt_trace_stop(const char *filename)
{
	struct fetching f = {.is_out_of_memory = false};
	struct nx_error err = {0};
	NRT_STATUS st = NRT_SUCCESS;

	NX_RETURN_IF_FAILED(nx_state_check());
	if (!filename || !*filename || strcmp(filename, "-") == 0)
		return NRT_INVALID;
	NX_RETURN_IF_FAILED(nrt_sys_trace_stop());
	if (!fetch(&f, NX_TRACER_ALL_CORES, UINT64_MAX))
		st = NRT_RESOURCE;
	else if (nx_guest_write_file(filename, nx_slice_of(f.text.items, f.text.len - 1), &err))
		st = nx_state_fail(__func__, &err);
	nx_vec_release(&f.text);
	return st;
}
