/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/data_quality.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/date.h"

static void report_missing(struct nx_profile *p, const struct nx_decode_loss *loss,
			   const struct nx_activity *activity)
{
	if (activity->dynamic_dma_count && !loss->dge_record_count)
		nx_profile_warn(
			p, NX_WARN_MISSING,
			"%" PRIu64 " dynamic DMAs ran, but the capture has no DGE "
			"notifications, so their packets cannot be matched to instructions. "
			"Capture with --enable-dge-notifs or "
			"NEURON_RT_ENABLE_DGE_NOTIFICATIONS=1 to see them.",
			activity->dynamic_dma_count);
	if (!p->has_binary) {
		nx_profile_warn(
			p, NX_WARN_MISSING,
			"No NEFF was given: semaphore names, layers, source lines, tensors, "
			"compiler instructions and static DMA descriptions are missing. Give "
			"the NEFF that was running with -n.");
		return;
	}
	if (!p->binary.has_compiler_metrics)
		nx_profile_warn(
			p, NX_WARN_MISSING,
			"The NEFF carries no compiler metrics; a newer compiler writes them.");
	if (!p->binary.has_hlo_statistics)
		nx_profile_warn(
			p, NX_WARN_MISSING,
			"The NEFF carries no HLO statistics, so model_flops and "
			"mfu_hlo_estimated_percent are 0. Use hardware_flops - transpose_flops "
			"and mfu_inst_estimated_percent instead.");
	for (size_t i = 0; i < p->binary.missing_count; i++)
		nx_profile_warn(p, NX_WARN_LOSS, "%s: %s", p->binary.missing[i].name,
				p->binary.missing[i].value);
}

static void warn_count(struct nx_profile *p, const char *category, uint64_t count, const char *text)
{
	if (count)
		nx_profile_warn(p, category, "%" PRIu64 " %s", count, text);
}

static void report_unaccounted(struct nx_profile *p, const struct nx_packet_transfers *transfers)
{
	const struct nx_queue *queue = transfers->unaccounted_queue;

	if (queue)
		nx_profile_warn(p, NX_WARN_LOSS,
				"DGE notifications tell of %" PRIu64
				" packets on DMA engine %u of %s, but the capture has %" PRIu64
				": records were lost, so packets of that queue are not matched to "
				"instructions. Capture a shorter program.",
				transfers->unaccounted_told, queue->engine_idx, queue->display_name,
				transfers->unaccounted_seen);
}

static void report_loss(struct nx_profile *p, const struct nx_ntff_decoder *d)
{
	const struct nx_decode_loss *loss = &d->loss;

	if (d->ntff.is_truncated)
		nx_profile_warn(p, NX_WARN_LOSS,
				"%s is cut short: %" PRIu64 " bytes of its traces are missing. All "
				"that came before is shown; capture again for the rest.",
				p->capture.path, loss->missing_bytes);
	warn_count(p, NX_WARN_LOSS, loss->odd_tail_bytes,
		   "bytes at the ends of trace rings do not form a complete record.");
	if (loss->unpaired_start_count || loss->unpaired_end_count)
		nx_profile_warn(p, NX_WARN_LOSS,
				"%" PRIu64 " instructions have no recorded end and %" PRIu64
				" no recorded start; they are not shown.",
				loss->unpaired_start_count, loss->unpaired_end_count);
	warn_count(p, NX_WARN_LOSS, loss->backwards_count,
		   "instructions or packets end before they start; they are not shown.");
	warn_count(p, NX_WARN_LOSS, loss->overlapping_bytes,
		   "bytes are claimed by so many code images or rings that they were left out; the "
		   "capture is damaged.");
	warn_count(p, NX_WARN_LOSS, loss->unpaired_packet_count,
		   "DMA records have no partner; their packets are not shown.");
	if (loss->dropped_queue_count)
		nx_profile_warn(p, NX_WARN_LOSS,
				"%" PRIu64 " DMA queues with %" PRIu64
				" packets are left out: a packet "
				"crosses the edge of the measured window, so their starts and ends "
				"do not match up.",
				loss->dropped_queue_count, loss->dropped_packet_count);
	warn_count(p, NX_WARN_LOSS, loss->outside_code_count,
		   "instruction records point outside the captured code.");
	warn_count(p, NX_WARN_LOSS, loss->unknown_model_count,
		   "executions are of models that the capture does not describe; they are not "
		   "shown.");
	if (loss->ignored_graph_count)
		nx_profile_warn(p, NX_WARN_LOSS,
				"%" PRIu64 " graphs beyond the first %d are ignored.",
				loss->ignored_graph_count, NX_MAX_GRAPHS);
}

static void report_unknown(struct nx_profile *p, const struct nx_ntff_decoder *d,
			   const struct nx_activity *activity)
{
	const struct nx_decode_loss *loss = &d->loss;

	if (d->ntff.loss.unknown_field_count || d->ntff.loss.wrong_type_count)
		nx_profile_warn(
			p, NX_WARN_UNKNOWN,
			"The capture has %" PRIu64 " fields this version does not know and %" PRIu64
			" of an unexpected type (first: field %u of %s); they were "
			"skipped.",
			d->ntff.loss.unknown_field_count, d->ntff.loss.wrong_type_count,
			d->ntff.loss.first_unknown_number,
			d->ntff.loss.first_unknown_message ? d->ntff.loss.first_unknown_message
							   : "a known message");
	if (loss->unknown_ring_count)
		nx_profile_warn(p, NX_WARN_UNKNOWN,
				"%" PRIu64
				" trace rings of an unknown kind were skipped (first: trace "
				"type %u, block type %u).",
				loss->unknown_ring_count, loss->first_unknown_ring >> 8,
				loss->first_unknown_ring & 0xff);
	if (loss->unknown_record_count)
		nx_profile_warn(p, NX_WARN_UNKNOWN,
				"%" PRIu64
				" records of an unknown type were skipped (first: 0x%02x).",
				loss->unknown_record_count, loss->first_unknown_record);
	warn_count(p, NX_WARN_UNKNOWN, activity->unknown_text_count,
		   "executed instructions have an undocumented operand layout; they are shown by "
		   "name with their raw words.");
	if (!nx_hardware_of(p->capture.arch))
		nx_profile_warn(
			p, NX_WARN_UNKNOWN,
			"Hardware generation %u is not known; clocks and bandwidths of %s are "
			"used, so utilisation numbers are only rough.",
			p->capture.arch, p->capture.hardware->name);
}

static void report_window(struct nx_profile *p)
{
	if (p->capture.window_source == NX_WINDOW_FIRST_RECORD)
		nx_profile_warn(p, NX_WARN_MISSING,
				"The capture marks no start of the execution; times count from its "
				"first record.");
	if (p->capture.execution_count > 1 && !p->capture.executions)
		nx_profile_warn(
			p, NX_WARN_MISSING,
			"The capture holds %u executions; number %u is shown. Choose another "
			"with --execution.",
			p->capture.execution_count, p->capture.execution);
}

/* Models without a NEFF lack what only a NEFF says. */
static void report_models(struct nx_profile *p)
{
	const struct nx_capture *c = &p->capture;
	size_t count = p->binary.part_count;

	if (!count || count >= c->model_count)
		return;
	if (count == 1)
		nx_profile_warn(p, NX_WARN_MISSING,
				"The capture holds %u models, and %s is the NEFF of model %u: "
				"layers, tensors and source lines of the others are missing. Put "
				"all NEFFs beside the session file and view their folder with -d.",
				c->model_count, p->binary_path, p->binary.parts[0].model_idx);
	else
		nx_profile_warn(
			p, NX_WARN_MISSING,
			"The capture holds %u models, and %zu have a NEFF: layers, tensors "
			"and source lines of the others are missing. Put their NEFFs beside "
			"the session file.",
			c->model_count, count);
}

void nx_data_quality_report(struct nx_profile *p, const struct nx_ntff_decoder *d,
			    const struct nx_packet_transfers *transfers,
			    const struct nx_activity *activity, uint64_t fault_count)
{
	report_missing(p, &d->loss, activity);
	report_unaccounted(p, transfers);
	report_window(p);
	report_models(p);
	report_loss(p, d);
	report_unknown(p, d, activity);
	if (fault_count)
		nx_profile_warn(p, NX_WARN_HARDWARE,
				"The hardware reported %" PRIu64
				" errors or custom notifications; see "
				"the error section.",
				fault_count);
}

void nx_data_quality_report_damage(struct nx_profile *p, const char *neff_path, const char *damage)
{
	nx_profile_warn(p, NX_WARN_LOSS, "%s is damaged: %s; copy it again", neff_path, damage);
}

void nx_data_quality_report_mismatch(struct nx_profile *p)
{
	nx_profile_warn(p, NX_WARN_MISMATCH,
			"%s was not captured from %s; joined because --force was given: "
			"names, layers and source lines may be wrong",
			p->capture.path, p->binary_path);
}

size_t nx_data_quality_findings(const struct nx_decode_loss *loss, struct nx_arena *arena,
				const char *findings[NX_DATA_QUALITY_FINDINGS])
{
	const struct {
		uint64_t count;
		const char *sentence;
	} all[] = {
		{loss->missing_bytes, "bytes of its traces are missing: the file is cut short"},
		{loss->odd_tail_bytes, "bytes at the ends of rings do not form a complete record"},
		{loss->unpaired_start_count + loss->unpaired_end_count,
		 "instruction records have no partner"},
		{loss->unpaired_packet_count, "DMA records have no partner"},
		{loss->dropped_packet_count,
		 "packets are on queues that cross the edge of the window"},
		{loss->outside_code_count, "instruction records point outside the captured code"},
		{loss->unknown_model_count,
		 "executions are of models that the file does not describe"},
		{loss->unknown_ring_count, "rings are of an unknown kind"},
		{loss->unknown_record_count, "records are of an unknown type"},
	};
	size_t count = 0;

	static_assert(sizeof(all) / sizeof(all[0]) <= NX_DATA_QUALITY_FINDINGS, "a place for each");

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].count)
			findings[count++] = nx_arena_printf(arena, "%" PRIu64 " %s", all[i].count,
							    all[i].sentence);
	return count;
}

/* --- processes of a system profile ----------------------------------------- */

static void warn_missing(struct nx_system_profile *p, uint32_t index,
			 const struct nx_ntrace_decoder *d)
{
	const struct nx_ntrace_loss *loss = &d->loss;
	const char *folder = p->processes[index].folder;
	const struct {
		bool is_missing;
		const char *file, *costs;
	} files[] = {
		{loss->info_is_missing, "trace_info.pb", "names, versions and session times"},
		{loss->events_are_missing, "ntrace.pb", "runtime and hardware events"},
		{loss->cpu_is_missing, "cpu_util.pb", "CPU utilisation"},
		{loss->memory_is_missing, "host_mem.pb", "host memory"},
	};

	/* A program that profiled itself without a runtime has nothing else to say. */
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i].is_missing && !d->files.has_spans)
			nx_system_warn(p, NX_WARN_MISSING,
				       "%s/%s is missing or empty, so this process has no %s.",
				       folder, files[i].file, files[i].costs);
	if (loss->info_is_damaged)
		nx_system_warn(p, NX_WARN_LOSS,
			       "%s/trace_info.pb is damaged; names and times of its session are "
			       "guessed.",
			       folder);
}

static void warn_end(struct nx_system_profile *p, uint32_t index, const struct nx_ntrace_decoder *d)
{
	const struct nx_system_process *process = &p->processes[index];
	uint64_t newest_ns = d->newest_ns;
	char date[NX_DATE_MAX];

	nx_format_date(date, newest_ns ? newest_ns : process->init_ns);
	nx_system_warn(p, NX_WARN_LOSS,
		       "%s: the capture ends at %s: the process was killed, its disk was "
		       "full, or it is still running.%s",
		       process->folder, date, newest_ns ? "" : " It has no events up to then.");
}

static void warn_loss(struct nx_system_profile *p, uint32_t index,
		      const struct nx_ntrace_decoder *d)
{
	const struct nx_ntrace_loss *loss = &d->loss;
	const struct nx_system_process *process = &p->processes[index];
	uint64_t torn = loss->torn_event_bytes + loss->torn_cpu_bytes + loss->torn_memory_bytes;
	const struct {
		uint64_t count;
		const char *category, *text;
	} counts[] = {
		{loss->unreadable_count, NX_WARN_LOSS, "records cannot be read."},
		{loss->unfinished_count, NX_WARN_LOSS,
		 "events have no recorded end; they end with the session."},
		{loss->orphan_count, NX_WARN_LOSS,
		 "events have no recorded start; they are shown without a duration."},
		{loss->backwards_count, NX_WARN_LOSS, "events end before they start."},
		{loss->unknown_type_count, NX_WARN_UNKNOWN,
		 "events are of a type this version cannot name; they are shown by number."},
	};

	/* Without an end the counts are too old to tell what was dropped. */
	if (loss->has_no_end)
		warn_end(p, index, d);
	else if (process->total_event_count > process->stored_event_count && process->was_disk_full)
		nx_system_warn(p, NX_WARN_LOSS,
			       "%" PRIu64 " trace events of %" PRIu64
			       " are missing in %s: the disk was full. Free some space, or capture "
			       "to another disk.",
			       process->total_event_count - process->stored_event_count,
			       process->total_event_count, process->folder);
	else if (process->total_event_count > process->stored_event_count)
		nx_system_warn(
			p, NX_WARN_LOSS,
			"%" PRIu64 " trace events were dropped during capture (stored %" PRIu64
			" out of %" PRIu64 " total events) in %s. Consider increasing buffer "
			"size, reducing trace duration, or filtering events.",
			process->total_event_count - process->stored_event_count,
			process->stored_event_count, process->total_event_count, process->folder);
	if (torn)
		nx_system_warn(p, NX_WARN_LOSS,
			       "%s: the last %" PRIu64
			       " bytes of its files do not form a complete record; all "
			       "before is shown.",
			       process->folder, torn);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (counts[i].count)
			nx_system_warn(p, counts[i].category, "%s: %" PRIu64 " %s", process->folder,
				       counts[i].count, counts[i].text);
}

void nx_data_quality_report_process(struct nx_system_profile *p, uint32_t process,
				    const struct nx_ntrace_decoder *d)
{
	warn_missing(p, process, d);
	warn_loss(p, process, d);
}

/* --- files of a system profile ---------------------------------------------- */

void nx_data_quality_report_folders(struct nx_system_profile *p,
				    const struct nx_capture_folders *found)
{
	if (found->outside_link_count)
		nx_system_warn(p, NX_WARN_MISSING,
			       "%" PRIu64 " links lead out of %s and were not followed.",
			       found->outside_link_count, p->path);
	if (found->unreadable_count)
		nx_system_warn(p, NX_WARN_MISSING, "%" PRIu64 " folders in %s cannot be opened.",
			       found->unreadable_count, p->path);
}

void nx_data_quality_report_framework(struct nx_system_profile *p, const char *path,
				      const struct nx_framework_loss *loss)
{
	if (loss->is_cut || loss->is_damaged)
		nx_system_warn(p, NX_WARN_LOSS,
			       "%s is %s; the %" PRIu64 " events before are shown.", path,
			       loss->is_damaged ? "damaged" : "cut short", loss->event_count);
	if (loss->malformed_count || loss->orphan_count || loss->unfinished_count)
		nx_system_warn(p, NX_WARN_LOSS,
			       "%s: %" PRIu64 " events are malformed, %" PRIu64
			       " have no start, %" PRIu64 " no end.",
			       path, loss->malformed_count, loss->orphan_count,
			       loss->unfinished_count);
}

void nx_data_quality_report_spans(struct nx_system_profile *p, const char *path,
				  const struct nx_spans_loss *loss)
{
	const struct {
		uint64_t count;
		const char *text;
	} counts[] = {
		{loss->unreadable_count, "records cannot be read."},
		{loss->unfinished_count, "spans have no recorded end; they end with the session."},
		{loss->orphan_count, "spans have no recorded start; they are left out."},
		{loss->backwards_count, "spans end before they start."},
		{loss->duplicate_count, "spans began twice; the first one ends where the second "
					"one begins."},
		{loss->unnamed_count, "spans use a name that the file does not define."},
	};

	if (loss->is_newer || loss->unknown_count)
		nx_system_warn(p, NX_WARN_UNKNOWN,
			       "%s: a later version of the profiler wrote it; %" PRIu64
			       " records are not understood. Update neuron-explorer.",
			       path, loss->unknown_count);
	if (loss->lost_count)
		nx_system_warn(p, NX_WARN_LOSS,
			       "%s: %" PRIu64 " of %" PRIu64
			       " events were dropped while the program ran. Give the profiler a "
			       "larger buffer, or record less.",
			       path, loss->lost_count, loss->recorded_count);
	if (loss->torn_bytes)
		nx_system_warn(p, NX_WARN_LOSS,
			       "%s: the last %" PRIu64
			       " bytes do not form a complete record; all before is shown.",
			       path, loss->torn_bytes);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (counts[i].count)
			nx_system_warn(p, NX_WARN_LOSS, "%s: %" PRIu64 " %s", path, counts[i].count,
				       counts[i].text);
}

/* What the profiler itself had to say. */
static void repeat_messages(struct nx_system_profile *p, const char *path,
			    const struct nx_xspace_texts *texts, const char *what)
{
	for (size_t i = 0; i < texts->len; i++)
		nx_system_warn(p, NX_WARN_LOSS, "%s: its profiler reported %s: %.*s", path, what,
			       (int)(texts->items[i].len < 300 ? texts->items[i].len : 300),
			       (const char *)texts->items[i].data);
}

void nx_data_quality_report_xspace(struct nx_system_profile *p, const char *path,
				   const struct nx_xspace_decoder *d)
{
	const struct nx_xspace_loss *loss = &d->loss;

	repeat_messages(p, path, &d->errors, "an error");
	repeat_messages(p, path, &d->warnings, "a warning");
	if (loss->is_cut || loss->is_damaged)
		nx_system_warn(p, NX_WARN_LOSS,
			       "%s is %s at byte %" PRIu64 "; the %" PRIu64
			       " events that can be read are shown.",
			       path, loss->is_damaged ? "damaged" : "cut short", loss->read_bytes,
			       loss->event_count - loss->malformed_count);
	if (loss->malformed_count || loss->backwards_count)
		nx_system_warn(p, NX_WARN_LOSS,
			       "%s: %" PRIu64 " events are malformed and left out, %" PRIu64
			       " have a negative duration and are shown without.",
			       path, loss->malformed_count, loss->backwards_count);
	if (loss->unnamed_count)
		nx_system_warn(p, NX_WARN_UNKNOWN,
			       "%s does not name %" PRIu64 " events; they are shown by number.",
			       path, loss->unnamed_count);
	if (loss->aggregated_count)
		nx_system_warn(p, NX_WARN_UNKNOWN,
			       "%s: %" PRIu64
			       " events are sums without a time; they are shown where "
			       "their line begins.",
			       path, loss->aggregated_count);
	if (loss->dropped_plane_count)
		nx_system_warn(p, NX_WARN_LOSS, "%s: %" PRIu64 " planes beyond %u are left out.",
			       path, loss->dropped_plane_count, 1u << 16);
}

void nx_data_quality_report_shift(struct nx_system_profile *p, const char *path, bool is_epoch)
{
	nx_system_warn(p, NX_WARN_MISSING, "%s %s; it is shown as if it began with the session.",
		       path,
		       is_epoch ? "was recorded at another time than the session"
				: "does not say what its clock counts from");
}

void nx_data_quality_report_memory(struct nx_profile *p)
{
	size_t declared = 0, unseen = 0, unnamed = 0, named = 0;

	assert(p->memory);
	for (size_t i = 0; i < p->memory->holder_count; i++) {
		const struct nx_memory_holder *h = &p->memory->holders[i];
		bool is_on_chip =
			h->shares[NX_MEMORY_SBUF].max_bytes || h->shares[NX_MEMORY_PSUM].max_bytes;

		declared += !strcmp(h->kind, "scratchpad");
		unseen += !strcmp(h->kind, "scratchpad") &&
			  !h->shares[NX_MEMORY_SCRATCHPAD].max_bytes;
		unnamed += is_on_chip && !strcmp(h->kind, "instruction");
		named += is_on_chip && (!strcmp(h->kind, "hlo") || !strcmp(h->kind, "kernel"));
	}
	if (!p->has_binary)
		nx_profile_warn(p, NX_WARN_MISSING,
				"The memory tracker has no tensors without the NEFF: SBUF and PSUM "
				"are shown by engine, and the scratchpad is missing. Give the NEFF "
				"that was running with -n.");
	if (unnamed && !named)
		nx_profile_warn(p, NX_WARN_MISSING,
				"The NEFF does not say which tensors its instructions compute, so "
				"the memory tracker names instructions. Compile with "
				"XLA_IR_DEBUG=1 and XLA_HLO_DEBUG=1.");
	if (unseen)
		nx_profile_warn(
			p, NX_WARN_MISSING,
			"The memory tracker does not show %zu of %zu tensors in the "
			"scratchpad: no DMA that the capture describes touched them. Dynamic "
			"DMAs are described if you capture with --enable-dge-notifs or "
			"NEURON_RT_ENABLE_DGE_NOTIFICATIONS=1.",
			unseen, declared);
}
