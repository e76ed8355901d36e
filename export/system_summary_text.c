/* SPDX-License-Identifier: Apache-2.0 */
/* The totals of a system profile as tables for people. Names come last, so columns align. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "export/exporters.h"
#include "export/system_totals.h"
#include "model/system_event.h"

#define QUANTITY_MAX 32

/* Three decimals in the largest unit that leaves at least 1. */
static const char *scaled(char text[QUANTITY_MAX], double value, double step,
			  const char *const *units, unsigned unit_count)
{
	unsigned unit = 0;

	assert(unit_count);
	while (unit + 1 < unit_count && value >= step) {
		value /= step;
		unit++;
	}
	snprintf(text, QUANTITY_MAX, unit ? "%.3f %s" : "%.0f %s", value, units[unit]);
	return text;
}

static const char *time_text(char text[QUANTITY_MAX], double ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};

	return scaled(text, ns, 1000, units, 4);
}

static const char *bytes_text(char text[QUANTITY_MAX], double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};

	return scaled(text, bytes, 1024, units, 5);
}

static void write_events(struct nx_output *out, const struct nx_event_totals *events)
{
	char total[QUANTITY_MAX], mean[QUANTITY_MAX], max[QUANTITY_MAX];

	if (!events->name_count)
		return;
	nx_output_line(out, "    %10s %14s %14s %14s  event", "count", "total", "mean", "max");
	for (size_t i = 0; i < events->name_count && i < NX_TOP_NAMES; i++) {
		const struct nx_name_total *n = &events->names[i];

		nx_output_line(out, "    %10llu %14s %14s %14s  %s (%s)",
			       (unsigned long long)n->count, time_text(total, (double)n->total_ns),
			       time_text(mean, (double)n->total_ns / (double)n->count),
			       time_text(max, (double)n->max_ns), n->name,
			       nx_event_source_name(n->source));
	}
	if (events->name_count > NX_TOP_NAMES)
		nx_output_line(out, "    and %zu more names with less time",
			       events->name_count - NX_TOP_NAMES);
}

static void write_peaks(struct nx_output *out, const struct nx_core_totals *core)
{
	char bytes[QUANTITY_MAX];

	if (core->peak_count)
		nx_output_line(out, "    %14s  device memory at its peak", "bytes");
	for (size_t i = 0; i < core->peak_count; i++) {
		const struct nx_hbm_peak *peak = &core->peaks[i];

		nx_output_line(out, "    %14s  ND%u HBM%u %s",
			       bytes_text(bytes, (double)peak->peak_bytes), peak->device_idx,
			       peak->hbm_idx, peak->category ? peak->category : "total");
	}
}

static void write_transfers(struct nx_output *out, const struct nx_core_totals *core)
{
	char bytes[QUANTITY_MAX], rate[QUANTITY_MAX];

	if (core->transfers[0].count || core->transfers[1].count)
		nx_output_line(out, "    %10s %14s %16s  transfers", "count", "bytes", "bandwidth");
	for (uint8_t i = 0; i < 2; i++) {
		const struct nx_transfer_total *t = &core->transfers[i];

		if (t->count)
			nx_output_line(out, "    %10llu %14s %14s/s  %s",
				       (unsigned long long)t->count,
				       bytes_text(bytes, (double)t->size_bytes),
				       bytes_text(rate, nx_bytes_per_s(t)), nx_direction_name(i));
	}
}

static void write_core(struct nx_output *out, const struct nx_core_totals *core)
{
	char name[64] = "no core";
	char worker[64] = "";

	if (core->nc_idx >= 0)
		snprintf(name, sizeof(name), "logical core %d", core->nc_idx);
	if (core->worker_gid != UINT32_MAX)
		snprintf(worker, sizeof(worker), ", worker %u", core->worker_gid);
	nx_output_line(out, "\n  %s%s: %llu events", name, worker,
		       (unsigned long long)core->events.event_count);
	write_events(out, &core->events);
	write_peaks(out, core);
	write_transfers(out, core);
}

static const char *core_text(const struct nx_device_core_totals *core, char out[48])
{
	if (!core->is_physical)
		snprintf(out, 48, "logical core %llu", (unsigned long long)core->core_idx);
	else if (core->device_idx != UINT32_MAX)
		snprintf(out, 48, "device %u, core %llu", core->device_idx,
			 (unsigned long long)core->core_idx);
	else
		snprintf(out, 48, "core %llu of logical core %d",
			 (unsigned long long)core->core_idx, core->nc_idx);
	return out;
}

static void write_device_cores(struct nx_output *out, const struct nx_system_totals *t,
			       uint32_t process)
{
	uint64_t wall_ns = t->processes[process].wall_ns;
	char busy[QUANTITY_MAX], name[48];
	bool is_first = true;

	for (size_t i = 0; i < t->device_cores.len; i++) {
		const struct nx_device_core_totals *core = &t->device_cores.items[i];

		if (core->process != process)
			continue;
		if (is_first)
			nx_output_line(out, "    %10s %14s %13s  device time", "executions", "busy",
				       "of wall time");
		is_first = false;
		nx_output_line(out, "    %10llu %14s %12.3g%%  %s",
			       (unsigned long long)core->execution_count,
			       time_text(busy, (double)core->busy_ns),
			       wall_ns ? 100.0 * (double)core->busy_ns / (double)wall_ns : 0.0,
			       core_text(core, name));
	}
}

static void write_host(struct nx_output *out, const struct nx_system_process *p,
		       const struct nx_process_totals *t)
{
	char bytes[QUANTITY_MAX], wall[QUANTITY_MAX];

	nx_output_line(out, "  wall time    %s", time_text(wall, (double)t->wall_ns));
	nx_output_line(out, "  events       %llu, unfinished %llu, without start %llu",
		       (unsigned long long)t->events.event_count,
		       (unsigned long long)t->unfinished_count,
		       (unsigned long long)t->orphan_count);
	nx_output_line(out, "  records      %llu stored of %llu, dropped %llu",
		       (unsigned long long)p->stored_event_count,
		       (unsigned long long)p->total_event_count,
		       (unsigned long long)nx_dropped_count(p));
	if (t->cpu_sample_count)
		nx_output_line(out, "  CPU          mean %.1f%%, max %.1f%%",
			       t->cpu_sum / (double)t->cpu_sample_count, t->cpu_max);
	else if (t->has_cpu_samples)
		nx_output_line(out,
			       "  CPU          n/a: sampled once, and a load needs two samples");
	if (t->memory_peak_bytes && p->memory_capacity_bytes)
		nx_output_line(out, "  memory peak  %s, %.1f%%",
			       bytes_text(bytes, (double)t->memory_peak_bytes),
			       100.0 * (double)t->memory_peak_bytes /
				       (double)p->memory_capacity_bytes);
	else if (t->memory_peak_bytes)
		nx_output_line(out, "  memory peak  %s",
			       bytes_text(bytes, (double)t->memory_peak_bytes));
}

static void write_process(struct nx_output *out, const struct nx_system_totals *t, uint32_t at)
{
	const struct nx_system_process *p = &t->profile->processes[at];
	bool has_type = p->instance_type && *p->instance_type;

	nx_output_line(out, "%s pid %llu%s%s", p->instance_id, (unsigned long long)p->pid,
		       has_type ? " " : "", has_type ? p->instance_type : "");
	write_host(out, p, &t->processes[at]);
	write_events(out, &t->processes[at].events);
	write_device_cores(out, t, at);
	for (size_t i = 0; i < t->cores.len; i++)
		if (t->cores.items[i].process == at)
			write_core(out, &t->cores.items[i]);
	nx_output_write(out, "\n", 1);
}

/* --- steps ------------------------------------------------------------------ */

/* Printed in full up to this many; of more, only the slowest. */
#define MOST_STEPS 12u

struct steps_text {
	struct nx_output *out;
	const struct nx_system_profile *profile;
	const struct nx_step_total *total; /* whose steps are written */
	bool is_first;
	bool has_growth;
};

static const char *percent_text(char text[QUANTITY_MAX], bool is_known, uint64_t part_ns,
				uint64_t whole_ns)
{
	if (is_known && whole_ns)
		snprintf(text, QUANTITY_MAX, "%.1f%%", 100.0 * (double)part_ns / (double)whole_ns);
	else
		snprintf(text, QUANTITY_MAX, "n/a");
	return text;
}

static bool is_listed(const struct nx_step_total *total, const struct nx_step *step)
{
	return step->process == total->process && step->name == total->name &&
	       (total->step_count <= MOST_STEPS || step->is_outlier || step->is_unfinished ||
		(step->rank && step->rank <= MOST_STEPS));
}

static void write_step(void *context, const void *item)
{
	struct steps_text *x = context;
	const struct nx_step *step = item;
	uint64_t duration_ns = step->end_ns - step->start_ns;
	char duration[QUANTITY_MAX], busy[QUANTITY_MAX], runtime[QUANTITY_MAX], host[QUANTITY_MAX],
		gap[QUANTITY_MAX], late[QUANTITY_MAX] = "n/a";

	if (!is_listed(x->total, step))
		return;
	if (step->has_late)
		time_text(late, (double)step->late_ns);
	nx_output_line(x->out, "    %10lld %14s %12s %10s %12s %11llu %14s %14s%s",
		       (long long)step->step_num, time_text(duration, (double)duration_ns),
		       percent_text(host, step->has_shares, step->host_ns, duration_ns),
		       percent_text(runtime, step->has_shares, step->runtime_ns, duration_ns),
		       percent_text(busy, step->has_shares, step->busy_ns, duration_ns),
		       (unsigned long long)step->execution_count,
		       time_text(gap, (double)step->max_gap_ns), late,
		       step->is_unfinished ? "  unfinished"
		       : step->is_outlier  ? "  outlier"
		       : step->rank == 1   ? "  slowest"
					   : "");
}

static void write_step_total(struct steps_text *x, const struct nx_step_total *total,
			     struct nx_error *err, enum nx_status *st)
{
	const struct nx_system_process *p = &x->profile->processes[total->process];
	char median[QUANTITY_MAX], mad[QUANTITY_MAX], slowest[QUANTITY_MAX], busy[QUANTITY_MAX],
		runtime[QUANTITY_MAX], host[QUANTITY_MAX], late[QUANTITY_MAX], wait[QUANTITY_MAX];

	nx_output_line(x->out, "steps: %s, %s pid %llu", total->name, p->instance_id,
		       (unsigned long long)p->pid);
	nx_output_line(x->out,
		       "  %llu steps, median %s, MAD %s, slowest %s (step %lld), outliers %llu",
		       (unsigned long long)total->step_count,
		       time_text(median, (double)total->median_ns),
		       time_text(mad, (double)total->mad_ns),
		       time_text(slowest, (double)total->slowest_ns), (long long)total->slowest_num,
		       (unsigned long long)total->outlier_count);
	nx_output_line(x->out, "  host bound %s, in the runtime %s, device busy %s",
		       percent_text(host, total->has_shares, total->host_ns, total->total_ns),
		       percent_text(runtime, total->has_shares, total->runtime_ns, total->total_ns),
		       percent_text(busy, total->has_shares, total->busy_ns, total->total_ns));
	if (total->late_count)
		nx_output_line(
			x->out,
			"  launches the first execution of a step %s after the first process, "
			"waits %s for others (medians)",
			time_text(late, (double)total->median_late_ns),
			time_text(wait, (double)total->median_rank_wait_ns));
	nx_output_line(x->out, "    %10s %14s %12s %10s %12s %11s %14s %14s%s", "step", "duration",
		       "host bound", "runtime", "device busy", "executions", "longest gap", "late",
		       total->step_count > MOST_STEPS ? "  (the slowest and outliers)" : "");
	x->total = total;
	*st = nx_system_scan(x->profile, NX_SYSTEM_STEP, write_step, x, err);
	nx_output_write(x->out, "\n", 1);
}

static void write_gap_total(void *context, const void *item)
{
	struct steps_text *x = context;
	const struct nx_gap_total *g = item;
	const struct nx_system_process *p = &x->profile->processes[g->process];
	char total[QUANTITY_MAX], first[QUANTITY_MAX], last[QUANTITY_MAX], max[QUANTITY_MAX];

	if (x->is_first)
		nx_output_line(x->out,
			       "gaps between executions\n    %10s %14s %14s %14s %14s  core",
			       "count", "total", "first quarter", "last quarter", "max");
	x->is_first = false;
	nx_output_line(x->out, "    %10llu %14s %14s %14s %14s  %s pid %llu logical core %d%s",
		       (unsigned long long)g->count, time_text(total, (double)g->total_ns),
		       time_text(first, (double)g->first_median_ns),
		       time_text(last, (double)g->last_median_ns),
		       time_text(max, (double)g->max_ns), p->instance_id,
		       (unsigned long long)p->pid, g->nc_idx, g->is_growing ? ": grows" : "");
	x->has_growth |= g->is_growing;
}

struct step_total_list NX_VEC_BODY(struct nx_step_total);

static void keep_total(void *context, const void *item)
{
	struct step_total_list *totals = context;

	nx_vec_push(totals, *(const struct nx_step_total *)item);
}

static enum nx_status write_steps(struct nx_output *out, const struct nx_system_profile *profile,
				  struct nx_error *err)
{
	struct steps_text x = {.out = out, .profile = profile, .is_first = true};
	struct step_total_list totals = {0};
	enum nx_status st = nx_system_scan(profile, NX_SYSTEM_STEP_TOTAL, keep_total, &totals, err);

	for (size_t i = 0; i < totals.len && !st; i++)
		write_step_total(&x, &totals.items[i], err, &st);
	nx_vec_release(&totals);
	if (!st)
		st = nx_system_scan(profile, NX_SYSTEM_GAP_TOTAL, write_gap_total, &x, err);
	if (x.has_growth)
		nx_output_line(
			out, "  quarters are medians; a growing gap means that the host takes ever "
			     "longer to start the next execution");
	if (!x.is_first)
		nx_output_write(out, "\n", 1);
	return st;
}

static void write_devices(struct nx_output *out, const struct nx_system_profile *p)
{
	if (p->devices.len)
		nx_output_line(out, "device profiles");
	for (size_t i = 0; i < p->devices.len; i++) {
		const struct nx_device_capture *d = &p->devices.items[i];

		nx_output_line(out, "  %s%s, %s%s", d->session_path, d->is_empty ? " (empty)" : "",
			       d->neff_path ? "NEFF " : "no NEFF found",
			       d->neff_path ? d->neff_path : "");
		for (const char *const *neff = d->other_neffs; neff && *neff; neff++)
			nx_output_line(out, "    and NEFF %s", *neff);
	}
	if (p->warnings.len)
		nx_output_line(out, "warnings");
	for (size_t i = 0; i < p->warnings.len; i++)
		nx_output_line(out, "  %s: %s", p->warnings.items[i].category,
			       p->warnings.items[i].message);
}

/* --- sessions ---------------------------------------------------------------- */

static void write_session(struct nx_output *out, const struct nx_run_session *session)
{
	char length[QUANTITY_MAX], gap[QUANTITY_MAX];

	if (session->gap_ns)
		nx_output_line(out, "  %14s  not recorded",
			       time_text(gap, (double)session->gap_ns));
	nx_output_line(out, "  %14s  %s, %s%s%s",
		       session->end_ns
			       ? time_text(length, (double)(session->end_ns - session->start_ns))
			       : "no time",
		       session->name, nx_run_session_kind_text(session->kind),
		       *session->reason ? ": " : "", session->reason);
	for (size_t i = 0; i < session->hosts.len; i++)
		if (*session->hosts.items[i].failure)
			nx_output_line(out, "  %14s  %s: %s", "", session->hosts.items[i].name,
				       session->hosts.items[i].failure);
}

/* A directory with one session that a program recorded itself is as plain as one without. */
static void write_sessions(struct nx_output *out, const struct nx_system_profile *profile)
{
	const struct nx_run_sessions *all = &profile->sessions;

	if (!all->len || (all->len == 1 && !strcmp(all->items[0].kind, "programmatic")))
		return;
	nx_output_line(out, "%zu session%s of %s", all->len, all->len == 1 ? "" : "s",
		       nx_path_name(profile->run_path));
	for (size_t i = 0; i < all->len; i++)
		write_session(out, &all->items[i]);
	nx_output_write(out, "\n", 1);
}

enum nx_status nx_system_export_summary_text(const struct nx_system_profile *profile,
					     const struct nx_system_export_options *options,
					     struct nx_output *out, struct nx_error *err)
{
	struct nx_system_totals totals;
	enum nx_status st = nx_system_totals_read(&totals, profile, err);

	(void)options;
	if (st)
		return st;
	write_sessions(out, profile);
	for (uint32_t i = 0; i < profile->process_count; i++)
		write_process(out, &totals, i);
	nx_system_totals_release(&totals);
	st = write_steps(out, profile, err);
	if (!st)
		write_devices(out, profile);
	return st;
}
