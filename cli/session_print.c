/* SPDX-License-Identifier: Apache-2.0 */
/* show-session for people and, with -j, for programs. */
#include <assert.h>
#include <string.h>

#include "base/bare/text.h"
#include "cli/session.h"
#include "cli/table.h"
#include "format/notification.h"
#include "model/measure.h"
#include "pipeline/data_quality.h"

/* --- values ---------------------------------------------------------------- */

static const char *id_text(struct nx_session *s, struct nx_slice id)
{
	char *text;

	id = nx_slice_part(id, 0, 16);
	text = nx_arena_zalloc(&s->arena, 2 * id.len + 1, 1);
	nx_hex_encode(text, id);
	return text;
}

static const char *uuid_of(struct nx_session *s)
{
	return id_text(s, s->capture.uid.len ? s->capture.uid : s->capture.uuid);
}

static size_t executions_of_model(const struct nx_capture *c, uint32_t model_idx)
{
	size_t count = 0;

	for (size_t i = 0; i < c->shown_execution_count; i++)
		count += c->executions[i].model_idx == model_idx;
	return count;
}

static const char *window_source(const struct nx_session *s)
{
	switch (s->capture.window_source) {
	case NX_WINDOW_TIMELINE:
		return "timeline";
	case NX_WINDOW_NOTIFY:
		return "start mark";
	case NX_WINDOW_FIRST_RECORD:
		break;
	}
	return "first record";
}

/* How long the graph ran according to the file, else until its last instruction ended. */
static uint64_t duration_ps(const struct nx_session *s, uint32_t graph)
{
	if (s->capture.graphs[graph].exec_duration_ps)
		return s->capture.graphs[graph].exec_duration_ps;
	if (s->capture.total_time_ps)
		return s->capture.total_time_ps;
	return s->counts[graph].last_end_ps;
}

static uint64_t window_ps(const struct nx_session *s)
{
	uint64_t latest_ps = 0;

	assert(s->capture.graph_count <= NX_MAX_GRAPHS);
	for (uint32_t g = 0; g < s->capture.graph_count; g++)
		if (s->counts[g].last_end_ps > latest_ps)
			latest_ps = s->counts[g].last_end_ps;
	return s->capture.total_time_ps ? s->capture.total_time_ps : latest_ps;
}

static const char *ring_name(const struct nx_ring_span *ring)
{
	static const char *const names[] = {"instruction", "event", "error",
					    "explicit",	   "dma",   "throttle"};

	if (ring->block_type == NX_BLOCK_DMA)
		return "dma";
	return ring->trace_type < sizeof(names) / sizeof(names[0]) ? names[ring->trace_type]
								   : "unknown";
}

/* --- text ------------------------------------------------------------------ */

static void print_row(struct nx_output *out, const char *name, const char *value)
{
	if (*value)
		nx_print(out, "  %-16s %s\n", name, value);
}

static void print_identity(struct nx_session *s, struct nx_output *out)
{
	const struct nx_capture *c = &s->capture;
	char duration[NX_COUNT_TEXT_MAX];

	nx_print(out, "%s: NTFF version %u\n", c->path, c->version);
	print_row(out, "model", c->model_name);
	print_row(out, "uuid", uuid_of(s));
	print_row(out, "instance", c->instance_type);
	print_row(out, "runtime", c->runtime_version);
	print_row(out, "driver", c->driver_version);
	print_row(out, "collectives", c->collectives_version);
	nx_print(out, "  %-16s V%u (%s)\n", "hardware", c->arch + 1, c->hardware->name);
	if (c->is_simulation)
		print_row(out, "times", "of a simulator, not of a device");
	if (c->pid)
		nx_print(out, "  %-16s %llu\n", "process", (unsigned long long)c->pid);
	if (c->execution_count)
		nx_print(out, "  %-16s %u\n", "executions", c->execution_count);
	nx_print(out, "  %-16s %s, from its %s\n", "window",
		 nx_duration_text(window_ps(s), duration), window_source(s));
	if (s->has_binary)
		print_row(out, "NEFF", s->binary.network_name);
}

/* Several models have a line each. */
static void print_models(struct nx_session *s, struct nx_output *out)
{
	const struct nx_capture *c = &s->capture;

	for (uint32_t m = 0; c->model_count > 1 && m < c->model_count; m++) {
		const char *label = nx_arena_printf(&s->arena, "model %u", m);
		const char *id = id_text(s, s->decoder.model_uids[m]);

		if (c->executions)
			nx_print(out, "  %-16s %s, executions: %zu\n", label, id,
				 executions_of_model(c, m));
		else
			print_row(out, label, id);
	}
}

static void print_engines(struct nx_session *s, struct nx_output *out, uint32_t g)
{
	struct nx_table_view table;
	char executed[NX_COUNT_TEXT_MAX], slots[NX_COUNT_TEXT_MAX];

	nx_table_begin(&table, &s->arena, "engine|>executed|>code slots");
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		nx_table_row(&table, nx_engines[e].label,
			     nx_count_text(s->counts[g].instruction_count[e], executed),
			     nx_count_text(s->capture.graphs[g].engines[e].slot_count, slots));
	nx_table_end(&table, out, 2);
}

static void print_rings(struct nx_session *s, struct nx_output *out, uint32_t g)
{
	const struct nx_graph_rings *rings = &s->decoder.graphs[g];
	struct nx_table_view table;
	char text[NX_COUNT_TEXT_MAX];

	nx_print(out, "\n");
	nx_table_begin(&table, &s->arena, "ring|>records|>bytes");
	for (size_t i = 0; i < rings->ring_count; i++) {
		size_t len = rings->rings[i].records.len;

		nx_table_add(&table, "%s%s%s", ring_name(&rings->rings[i]),
			     rings->rings[i].block_type == NX_BLOCK_TOPSP ? " (CC-core)" : "",
			     rings->rings[i].is_cut ? " (cut)" : "");
		nx_table_add(&table, "%s", nx_count_text(len / NX_NOTIFICATION_BYTES, text));
		nx_table_add(&table, "%s", nx_count_text(len, text));
	}
	nx_table_end(&table, out, 2);
}

/* A capture declares the same queue once per DMA engine; a longer list would not help. */
#define QUEUES_LISTED 4096u

static void print_queues(struct nx_session *s, struct nx_output *out, uint32_t g)
{
	const struct nx_graph *graph = &s->capture.graphs[g];
	size_t count = graph->queue_count < QUEUES_LISTED ? graph->queue_count : QUEUES_LISTED;
	struct nx_table_view table;

	nx_print(out, "\n");
	nx_table_begin(&table, &s->arena, "queue|class|>DMA engines");
	for (size_t i = 0; i < count; i++) {
		const struct nx_queue *q = &graph->queues[i];
		size_t before = 0, same = 0;

		for (size_t k = 0; k < count && !before; k++) {
			bool is_same = !strcmp(graph->queues[k].name, q->name);

			same += is_same;
			before += is_same && k < i;
		}
		if (before)
			continue;
		nx_table_add(&table, "%s", q->display_name);
		nx_table_add(&table, "%s", nx_queue_class_name(q->queue_class));
		nx_table_add(&table, "%zu", same);
	}
	nx_table_end(&table, out, 2);
}

static void print_memory(struct nx_session *s, struct nx_output *out, uint32_t g)
{
	const struct nx_graph *graph = &s->capture.graphs[g];
	struct nx_table_view table;
	char size[NX_COUNT_TEXT_MAX];

	nx_print(out, "\n");
	nx_table_begin(&table, &s->arena, "device memory|>size");
	for (size_t i = 0; i < graph->memory_count; i++)
		if (graph->memory[i].amount_bytes)
			nx_table_row(&table, graph->memory[i].usage_type,
				     nx_size_text(graph->memory[i].amount_bytes, size));
	nx_table_end(&table, out, 2);
}

static void print_graph(struct nx_session *s, struct nx_output *out, uint32_t g)
{
	const struct nx_graph *graph = &s->capture.graphs[g];
	const struct nx_session_counts *c = &s->counts[g];
	char a[NX_COUNT_TEXT_MAX], b[NX_COUNT_TEXT_MAX];

	nx_print(out, "\ngraph %u: %s, device %u, core %u\n", g, graph->name, graph->nd_idx,
		 graph->nc_idx);
	print_row(out, "execution time", nx_duration_text(duration_ps(s, g), a));
	nx_print(out, "  %-16s %s (%s)\n", "DMA packets", nx_count_text(c->packet_count, a),
		 nx_size_text(c->packet_bytes, b));
	print_row(out, "events", nx_count_text(c->event_count, a));
	print_row(out, "hardware errors", nx_count_text(c->error_count, a));
	if (c->warning_count)
		print_row(out, "interrupts", nx_count_text(c->warning_count, a));
	if (c->custom_count)
		print_row(out, "custom records", nx_count_text(c->custom_count, a));
	if (graph->collective_op_count)
		nx_print(out, "  %-16s %zu\n", "collectives", graph->collective_op_count);
	nx_print(out, "\n");
	print_engines(s, out, g);
	print_rings(s, out, g);
	print_queues(s, out, g);
	print_memory(s, out, g);
}

void nx_session_print(struct nx_session *s, struct nx_output *out)
{
	const char *findings[NX_DATA_QUALITY_FINDINGS];
	size_t count = nx_data_quality_findings(&s->decoder.loss, &s->arena, findings);

	print_identity(s, out);
	print_models(s, out);
	for (uint32_t g = 0; g < s->capture.graph_count; g++)
		if (nx_session_shows(s, g))
			print_graph(s, out, g);
	nx_print(out, "%s", count ? "\nnot usable:\n" : "");
	for (size_t i = 0; i < count; i++)
		nx_print(out, "  %s\n", findings[i]);
}

/* --- JSON ------------------------------------------------------------------ */

static void write_engines(struct nx_session *s, struct nx_json_writer *w, uint32_t g)
{
	nx_json_key(w, "Engines");
	nx_json_begin_array(w);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		nx_json_begin_object(w);
		nx_json_key_text(w, "Name", nx_engines[e].label);
		nx_json_key_u64(w, "InstructionCount", s->counts[g].instruction_count[e]);
		nx_json_key_u64(w, "CodeSlotCount", s->capture.graphs[g].engines[e].slot_count);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void write_rings(struct nx_session *s, struct nx_json_writer *w, uint32_t g)
{
	const struct nx_graph_rings *rings = &s->decoder.graphs[g];

	nx_json_key(w, "Rings");
	nx_json_begin_array(w);
	for (size_t i = 0; i < rings->ring_count; i++) {
		nx_json_begin_object(w);
		nx_json_key_text(w, "Name", ring_name(&rings->rings[i]));
		nx_json_key_u64(w, "TraceType", rings->rings[i].trace_type);
		nx_json_key_u64(w, "BlockType", rings->rings[i].block_type);
		nx_json_key_u64(w, "RecordCount",
				rings->rings[i].records.len / NX_NOTIFICATION_BYTES);
		nx_json_key_u64(w, "SizeBytes", rings->rings[i].records.len);
		nx_json_key_bool(w, "IsCut", rings->rings[i].is_cut);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void write_queues(const struct nx_graph *graph, struct nx_json_writer *w)
{
	nx_json_key(w, "Queues");
	nx_json_begin_array(w);
	for (size_t i = 0; i < graph->queue_count; i++) {
		const struct nx_queue *q = &graph->queues[i];

		nx_json_begin_object(w);
		nx_json_key_text(w, "Name", q->display_name);
		nx_json_key_text(w, "Class", nx_queue_class_name(q->queue_class));
		nx_json_key_u64(w, "DmaEngine", q->engine_idx);
		nx_json_key_u64(w, "Queue", q->queue_idx);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void write_memory(const struct nx_graph *graph, struct nx_json_writer *w)
{
	nx_json_key(w, "Memory");
	nx_json_begin_array(w);
	for (size_t i = 0; i < graph->memory_count; i++) {
		nx_json_begin_object(w);
		nx_json_key_text(w, "UsageType", graph->memory[i].usage_type);
		nx_json_key_u64(w, "SizeBytes", graph->memory[i].amount_bytes);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static uint64_t executed_count(const struct nx_session_counts *counts)
{
	uint64_t count = 0;

	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		count += counts->instruction_count[e];
	return count;
}

static void write_graph(struct nx_session *s, struct nx_json_writer *w, uint32_t g)
{
	const struct nx_graph *graph = &s->capture.graphs[g];
	const struct nx_session_counts *c = &s->counts[g];
	uint64_t ran_ps = duration_ps(s, g);

	nx_json_begin_object(w);
	/* NC, EventsCount and TotalInstructionTraceCount are the names that scripts read. */
	nx_json_key_text(w, "Name", graph->name);
	nx_json_key_u64(w, "DeviceIndex", graph->nd_idx);
	nx_json_key_u64(w, "CoreIndex", graph->nc_idx);
	nx_json_key_u64(w, "NC", graph->nc_idx);
	nx_json_key_u64(w, "CycleCount",
			nx_cycle_count(ran_ps, s->capture.hardware->engine_clock_ghz));
	nx_json_key_u64(w, "DurationPs", ran_ps);
	nx_json_key_u64(w, "DmaPacketCount", c->packet_count);
	nx_json_key_u64(w, "DmaPacketBytes", c->packet_bytes);
	nx_json_key_u64(w, "EventCount", c->event_count);
	nx_json_key_u64(w, "EventsCount", c->event_count);
	nx_json_key_u64(w, "TotalInstructionTraceCount", executed_count(c));
	nx_json_key_u64(w, "ErrorCount", c->error_count);
	nx_json_key_u64(w, "InterruptCount", c->warning_count);
	nx_json_key_u64(w, "CustomCount", c->custom_count);
	nx_json_key_u64(w, "CollectiveCount", graph->collective_op_count);
	write_engines(s, w, g);
	write_rings(s, w, g);
	write_queues(graph, w);
	write_memory(graph, w);
	nx_json_end_object(w);
}

/* The capture has one list of graphs; the file groups them by node. */
static void write_nodes(struct nx_session *s, struct nx_json_writer *w)
{
	const struct nx_ntff_info *info = &s->decoder.ntff.info;
	uint32_t g = 0;

	nx_json_key(w, "NeffNodes");
	nx_json_begin_array(w);
	for (size_t n = 0; n < info->nodes.count; n++) {
		size_t graph_count = info->nodes.items[n].device.graphs.count;

		nx_json_begin_object(w);
		nx_json_key_i64(w, "NodeId", info->nodes.items[n].node_id);
		nx_json_key_text(w, "Uuid", id_text(s, info->nodes.items[n].uid));
		nx_json_key(w, "NodeInfo");
		nx_json_begin_object(w);
		nx_json_key(w, "Graphs");
		nx_json_begin_array(w);
		for (size_t i = 0; i < graph_count && g < s->capture.graph_count; i++, g++)
			if (nx_session_shows(s, g))
				write_graph(s, w, g);
		nx_json_end_array(w);
		nx_json_end_object(w);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

void nx_session_write_json(struct nx_session *s, struct nx_json_writer *w)
{
	const struct nx_capture *c = &s->capture;
	const char *findings[NX_DATA_QUALITY_FINDINGS];
	size_t count = nx_data_quality_findings(&s->decoder.loss, &s->arena, findings);

	nx_json_key_u64(w, "Version", c->version);
	nx_json_key_text(w, "Name", c->model_name);
	nx_json_key_text(w, "Uuid", uuid_of(s));
	nx_json_key_text(w, "InstanceType", c->instance_type);
	nx_json_key_u64(w, "Pid", c->pid);
	nx_json_key_text(w, "RuntimeVersion", c->runtime_version);
	nx_json_key_text(w, "DriverVersion", c->driver_version);
	nx_json_key_text(w, "CollectivesVersion", c->collectives_version);
	nx_json_key_u64(w, "Arch", c->arch);
	nx_json_key_text(w, "Hardware", c->hardware->name);
	nx_json_key_u64(w, "ExecutionCount", c->execution_count);
	nx_json_key_text(w, "WindowSource", window_source(s));
	nx_json_key_u64(w, "WindowPs", window_ps(s));
	write_nodes(s, w);
	nx_json_key(w, "NotUsable");
	nx_json_begin_array(w);
	for (size_t i = 0; i < count; i++)
		nx_json_text(w, findings[i]);
	nx_json_end_array(w);
}
