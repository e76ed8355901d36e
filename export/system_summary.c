/* SPDX-License-Identifier: Apache-2.0 */
/* The totals of a system profile as JSON, for programs. */
#include <assert.h>

#include "base/json_writer.h"
#include "export/exporters.h"
#include "export/json_sections.h"
#include "export/system_totals.h"
#include "model/system_event.h"

/* Only the names with most time; event_name_count counts all. */
static void write_events(struct nx_json_writer *w, const struct nx_event_totals *events)
{
	nx_json_key_u64(w, "event_count", events->event_count);
	nx_json_key_u64(w, "event_name_count", events->name_count);
	nx_json_key(w, "events");
	nx_json_begin_array(w);
	for (size_t i = 0; i < events->name_count && i < NX_TOP_NAMES; i++) {
		const struct nx_name_total *n = &events->names[i];

		assert(n->count);
		nx_json_begin_object(w);
		nx_json_key_text(w, "name", n->name);
		nx_json_key_text(w, "trace_event_source", nx_event_source_name(n->source));
		nx_json_key_u64(w, "count", n->count);
		nx_json_key_u64(w, "total_ns", n->total_ns);
		nx_json_key_f64(w, "mean_ns", (double)n->total_ns / (double)n->count);
		nx_json_key_u64(w, "max_ns", n->max_ns);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void write_peaks(struct nx_json_writer *w, const struct nx_core_totals *core)
{
	nx_json_begin_array(w);
	for (size_t i = 0; i < core->peak_count; i++) {
		const struct nx_hbm_peak *peak = &core->peaks[i];

		nx_json_begin_object(w);
		nx_json_key_u64(w, "device_idx", peak->device_idx);
		nx_json_key_u64(w, "hbm_idx", peak->hbm_idx);
		nx_json_key_text(w, "category", peak->category ? peak->category : "total");
		nx_json_key_u64(w, "peak_bytes", peak->peak_bytes);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void write_transfers(struct nx_json_writer *w, const struct nx_core_totals *core)
{
	nx_json_begin_array(w);
	for (uint8_t i = 0; i < 2; i++) {
		const struct nx_transfer_total *t = &core->transfers[i];

		if (!t->count)
			continue;
		nx_json_begin_object(w);
		nx_json_key_text(w, "direction", nx_direction_name(i));
		nx_json_key_u64(w, "count", t->count);
		nx_json_key_u64(w, "size_bytes", t->size_bytes);
		nx_json_key_u64(w, "duration_ns", t->duration_ns);
		nx_json_key_f64(w, "bytes_per_s", nx_bytes_per_s(t));
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void write_cores(struct nx_json_writer *w, const struct nx_system_totals *t,
			uint32_t process)
{
	nx_json_begin_array(w);
	for (size_t i = 0; i < t->cores.len; i++) {
		const struct nx_core_totals *core = &t->cores.items[i];

		if (core->process != process)
			continue;
		nx_json_begin_object(w);
		nx_json_key_i64(w, "lnc_idx", core->nc_idx);
		if (core->worker_gid != UINT32_MAX)
			nx_json_key_u64(w, "worker_gid", core->worker_gid);
		write_events(w, &core->events);
		nx_json_key(w, "hbm_peaks");
		write_peaks(w, core);
		nx_json_key(w, "host_device_transfers");
		write_transfers(w, core);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void write_device_cores(struct nx_json_writer *w, const struct nx_system_totals *t,
			       uint32_t process)
{
	uint64_t wall_ns = t->processes[process].wall_ns;

	nx_json_begin_array(w);
	for (size_t i = 0; i < t->device_cores.len; i++) {
		const struct nx_device_core_totals *core = &t->device_cores.items[i];

		if (core->process != process)
			continue;
		nx_json_begin_object(w);
		if (core->device_idx != UINT32_MAX)
			nx_json_key_u64(w, "device_idx", core->device_idx);
		if (core->is_physical)
			nx_json_key_u64(w, "device_core_idx", core->core_idx);
		if (core->nc_idx >= 0)
			nx_json_key_u64(w, "lnc_idx", (uint64_t)core->nc_idx);
		nx_json_key_u64(w, "execution_count", core->execution_count);
		nx_json_key_u64(w, "device_time_ns", core->busy_ns);
		if (wall_ns)
			nx_json_key_f64(w, "device_time_frac",
					(double)core->busy_ns / (double)wall_ns);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void write_host(struct nx_json_writer *w, const struct nx_system_process *p,
		       const struct nx_process_totals *t)
{
	if (t->cpu_sample_count) {
		nx_json_key_f64(w, "cpu_mean_percent", t->cpu_sum / (double)t->cpu_sample_count);
		nx_json_key_f64(w, "cpu_max_percent", t->cpu_max);
	}
	nx_json_key_u64(w, "memory_peak_bytes", t->memory_peak_bytes);
	if (p->memory_capacity_bytes)
		nx_json_key_f64(w, "memory_peak_percent",
				100.0 * (double)t->memory_peak_bytes /
					(double)p->memory_capacity_bytes);
}

static void write_process(struct nx_json_writer *w, const struct nx_system_totals *t, uint32_t at)
{
	const struct nx_system_process *p = &t->profile->processes[at];

	nx_json_begin_object(w);
	nx_json_key_text(w, "instance_id", p->instance_id);
	nx_json_key_digits(w, "process_id", p->pid);
	if (p->instance_type)
		nx_json_key_text(w, "instance_type", p->instance_type);
	nx_json_key_u64(w, "wall_time_ns", t->processes[at].wall_ns);
	nx_json_key_u64(w, "stored_event_count", p->stored_event_count);
	nx_json_key_u64(w, "total_event_count", p->total_event_count);
	nx_json_key_u64(w, "dropped_event_count", nx_dropped_count(p));
	nx_json_key_u64(w, "unfinished_count", t->processes[at].unfinished_count);
	nx_json_key_u64(w, "orphan_count", t->processes[at].orphan_count);
	write_host(w, p, &t->processes[at]);
	write_events(w, &t->processes[at].events);
	nx_json_key(w, "device_cores");
	write_device_cores(w, t, at);
	nx_json_key(w, "cores");
	write_cores(w, t, at);
	nx_json_end_object(w);
}

static void write_sessions(struct nx_json_writer *w, const struct nx_system_profile *profile)
{
	if (!profile->sessions.len)
		return;
	nx_json_key(w, "sessions");
	nx_json_begin_array(w);
	for (size_t i = 0; i < profile->sessions.len; i++) {
		const struct nx_run_session *session = &profile->sessions.items[i];

		nx_json_begin_object(w);
		nx_json_key_text(w, "name", session->name);
		nx_json_key_text(w, "kind", session->kind);
		nx_json_key_text(w, "reason", session->reason);
		nx_json_key_digits(w, "start_ts_ns", session->start_ns);
		nx_json_key_digits(w, "end_ts_ns", session->end_ns);
		nx_json_key_u64(w, "gap_ns", session->gap_ns);
		nx_json_key(w, "hosts");
		nx_json_begin_array(w);
		for (size_t k = 0; k < session->hosts.len; k++) {
			nx_json_begin_object(w);
			nx_json_key_text(w, "name", session->hosts.items[k].name);
			nx_json_key_text(w, "state", session->hosts.items[k].state);
			nx_json_key_text(w, "failure", session->hosts.items[k].failure);
			nx_json_end_object(w);
		}
		nx_json_end_array(w);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

enum nx_status nx_system_export_summary_json(const struct nx_system_profile *profile,
					     const struct nx_system_export_options *options,
					     struct nx_output *out, struct nx_error *err)
{
	struct nx_system_totals totals;
	struct nx_json_writer w;
	enum nx_status st = nx_system_totals_read(&totals, profile, err);

	if (st)
		return st;
	nx_json_init_output(&w, out, options->pretty);
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "profiler_version", NX_PRODUCT_VERSION);
	nx_json_key_digits(&w, "first_ts_ns", profile->first_ns);
	nx_json_key_digits(&w, "last_ts_ns", profile->last_ns);
	write_sessions(&w, profile);
	nx_json_key(&w, "processes");
	nx_json_begin_array(&w);
	for (uint32_t i = 0; i < profile->process_count; i++)
		write_process(&w, &totals, i);
	nx_json_end_array(&w);
	st = nx_json_system_steps(&w, profile, false, err);
	nx_json_key(&w, "device_profile_list");
	nx_json_system_devices(&w, profile);
	nx_json_key(&w, "warnings");
	nx_json_warnings(&w, &profile->warnings);
	nx_json_end_object(&w);
	nx_output_write(out, "\n", 1);
	nx_system_totals_release(&totals);
	return st;
}
