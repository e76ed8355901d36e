/* SPDX-License-Identifier: Apache-2.0 */
/* The totals of a system profile as tables for people. Names come last, so columns align. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "export/exporters.h"
#include "export/system_totals.h"
#include "model/system_event.h"

#define LINE_MAX_BYTES 2048
#define QUANTITY_MAX 32

static void NX_PRINTF(2, 3) write_line(struct nx_output *out, const char *fmt, ...)
{
	char line[LINE_MAX_BYTES];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (len < 0)
		return;
	nx_output_write(out, line, (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1);
	nx_output_write(out, "\n", 1);
}

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
	write_line(out, "    %10s %14s %14s %14s  event", "count", "total", "mean", "max");
	for (size_t i = 0; i < events->name_count && i < NX_TOP_NAMES; i++) {
		const struct nx_name_total *n = &events->names[i];

		write_line(out, "    %10llu %14s %14s %14s  %s (%s)", (unsigned long long)n->count,
			   time_text(total, (double)n->total_ns),
			   time_text(mean, (double)n->total_ns / (double)n->count),
			   time_text(max, (double)n->max_ns), n->name,
			   nx_event_source_name(n->source));
	}
	if (events->name_count > NX_TOP_NAMES)
		write_line(out, "    and %zu names more with less time",
			   events->name_count - NX_TOP_NAMES);
}

static void write_peaks(struct nx_output *out, const struct nx_core_totals *core)
{
	char bytes[QUANTITY_MAX];

	if (core->peak_count)
		write_line(out, "    %14s  device memory at its peak", "bytes");
	for (size_t i = 0; i < core->peak_count; i++) {
		const struct nx_hbm_peak *peak = &core->peaks[i];

		write_line(out, "    %14s  ND%u HBM%u %s",
			   bytes_text(bytes, (double)peak->peak_bytes), peak->device_idx,
			   peak->hbm_idx, peak->category ? peak->category : "total");
	}
}

static void write_transfers(struct nx_output *out, const struct nx_core_totals *core)
{
	char bytes[QUANTITY_MAX], rate[QUANTITY_MAX];

	if (core->transfers[0].count || core->transfers[1].count)
		write_line(out, "    %10s %14s %16s  transfers", "count", "bytes", "bandwidth");
	for (uint8_t i = 0; i < 2; i++) {
		const struct nx_transfer_total *t = &core->transfers[i];

		if (t->count)
			write_line(out, "    %10llu %14s %14s/s  %s", (unsigned long long)t->count,
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
	write_line(out, "\n  %s%s: %llu events", name, worker,
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
			write_line(out, "    %10s %14s %13s  device time", "executions", "busy",
				   "of wall time");
		is_first = false;
		write_line(out, "    %10llu %14s %12.3g%%  %s",
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

	write_line(out, "  wall time    %s", time_text(wall, (double)t->wall_ns));
	write_line(out, "  events       %llu, unfinished %llu, without start %llu",
		   (unsigned long long)t->events.event_count,
		   (unsigned long long)t->unfinished_count, (unsigned long long)t->orphan_count);
	write_line(out, "  records      %llu stored of %llu, dropped %llu",
		   (unsigned long long)p->stored_event_count,
		   (unsigned long long)p->total_event_count,
		   (unsigned long long)nx_dropped_count(p));
	if (t->cpu_sample_count)
		write_line(out, "  CPU          mean %.1f%%, max %.1f%%",
			   t->cpu_sum / (double)t->cpu_sample_count, t->cpu_max);
	else if (t->has_cpu_samples)
		write_line(out, "  CPU          n/a: sampled once, and a load needs two samples");
	if (t->memory_peak_bytes && p->memory_capacity_bytes)
		write_line(out, "  memory peak  %s, %.1f%%",
			   bytes_text(bytes, (double)t->memory_peak_bytes),
			   100.0 * (double)t->memory_peak_bytes / (double)p->memory_capacity_bytes);
	else if (t->memory_peak_bytes)
		write_line(out, "  memory peak  %s",
			   bytes_text(bytes, (double)t->memory_peak_bytes));
}

static void write_process(struct nx_output *out, const struct nx_system_totals *t, uint32_t at)
{
	const struct nx_system_process *p = &t->profile->processes[at];

	write_line(out, "%s pid %llu%s%s", p->instance_id, (unsigned long long)p->pid,
		   p->instance_type ? " " : "", p->instance_type ? p->instance_type : "");
	write_host(out, p, &t->processes[at]);
	write_events(out, &t->processes[at].events);
	write_device_cores(out, t, at);
	for (size_t i = 0; i < t->cores.len; i++)
		if (t->cores.items[i].process == at)
			write_core(out, &t->cores.items[i]);
	nx_output_write(out, "\n", 1);
}

static void write_devices(struct nx_output *out, const struct nx_system_profile *p)
{
	if (p->devices.len)
		write_line(out, "device profiles");
	for (size_t i = 0; i < p->devices.len; i++) {
		const struct nx_device_capture *d = &p->devices.items[i];

		write_line(out, "  %s%s, %s%s", d->session_path, d->is_empty ? " (empty)" : "",
			   d->neff_path ? "NEFF " : "no NEFF found",
			   d->neff_path ? d->neff_path : "");
	}
	if (p->warnings.len)
		write_line(out, "warnings");
	for (size_t i = 0; i < p->warnings.len; i++)
		write_line(out, "  %s: %s", p->warnings.items[i].category,
			   p->warnings.items[i].message);
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
	for (uint32_t i = 0; i < profile->process_count; i++)
		write_process(out, &totals, i);
	write_devices(out, profile);
	nx_system_totals_release(&totals);
	return NX_OK;
}
