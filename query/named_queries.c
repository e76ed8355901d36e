/* SPDX-License-Identifier: Apache-2.0 */
/* The named queries, in the order they are listed. */
#include "query/named_query.h"

/* clang-format off */

/* A row belongs to the time range in which it starts. An open end is NULL. */
#define STARTS_IN_RANGE "($from IS NULL OR start_ts >= $from) AND ($to IS NULL OR start_ts < $to)"
#define OVERLAPS_RANGE "($from IS NULL OR end_ts > $from) AND ($to IS NULL OR start_ts < $to)"
/* least and greatest ignore NULL */
#define START_IN_RANGE "greatest(start_ts, $from)"
#define END_IN_RANGE "least(end_ts, $to)"
#define IS_OPEN "($from IS NULL AND $to IS NULL)"

/*
 * The peaks of the machine, and the length of the time range. A range that leaves no instruction
 * out is the whole measured window, so that its figures equal those of the profile.
 */
#define MACHINE \
	"recorded AS (SELECT min(start_ts) AS first_start, max(end_ts) AS last_end FROM Instruction " \
	"WHERE NOT " IS_OPEN "), " \
	"machine AS (SELECT 2.0 * tensor_engine_num_rows * tensor_engine_num_cols * " \
	"tensor_engine_clock_freq * 1e9 AS core_flops, greatest(1, num_physical_cores) AS cores, " \
	"CAST(hbm_ddr_bandwidth AS DOUBLE) AS hbm_rate, CAST(dma_ddr_bandwidth AS DOUBLE) / " \
	"greatest(1, num_dma_engines_per_neuroncore) AS dma_engine_rate, " \
	"coalesce($from <= first_start, $from IS NULL) AND coalesce($to >= last_end, $to IS NULL) " \
	"AS is_whole, CASE WHEN is_whole THEN last_hw_timestamp - first_hw_timestamp ELSE " \
	"coalesce($to, last_hw_timestamp) - coalesce($from, first_hw_timestamp) END AS span_ns " \
	"FROM Metadata, recorded)"
#define IS_PART "NOT " IS_OPEN " AND NOT (SELECT is_whole FROM machine)"

/* Events with their row in the table, which links to them carry. */
#define NUMBERED \
	"(SELECT *, row_number() OVER () - 1 AS row_idx FROM SystemProfileEvents)"

#define OF_PROCESS \
	"($instance IS NULL OR instance_id = $instance) AND ($process IS NULL OR process_id = $process)"
/* A logical core runs an execution on several physical cores: one exec_id on one core is one. */
#define EXECUTIONS \
	"(SELECT json_extract_string(extra_attributes_json, '$.model_id') AS model_id, instance_id, " \
	"process_id, nc_idx, json_extract_string(extra_attributes_json, '$.exec_id') AS exec_id, " \
	"max(end_ts) - min(start_ts) AS duration_ns FROM SystemProfileEvents " \
	"WHERE name = 'nc_exec_running' AND " OF_PROCESS " GROUP BY ALL)"

/*
 * Every instant of a process has one cause: a wait for other ranks, else a collective, else an
 * execution, else a call of the runtime, else the program itself. Counts of open events decide.
 */
#define PIECES \
	"classed AS (SELECT instance_id, process_id, start_ts, end_ts, CASE WHEN name IN " \
	"('enc_barrier', 'cc_exec_barrier') THEN 4 WHEN name = 'cc_running' THEN 3 WHEN name = " \
	"'nc_exec_running' THEN 2 WHEN trace_event_source = 'neuron_rt' THEN 1 ELSE 0 END AS class " \
	"FROM SystemProfileEvents WHERE end_ts > start_ts), " \
	"marks AS (SELECT instance_id, process_id, class, start_ts AS t, 1 AS d FROM classed UNION ALL " \
	"SELECT instance_id, process_id, class, end_ts, -1 FROM classed), " \
	"changes AS (SELECT instance_id, process_id, t, sum(d * (class = 4)::INTEGER) AS d4, " \
	"sum(d * (class = 3)::INTEGER) AS d3, sum(d * (class = 2)::INTEGER) AS d2, " \
	"sum(d * (class = 1)::INTEGER) AS d1 FROM marks GROUP BY ALL), " \
	"swept AS (SELECT instance_id, process_id, t AS a, lead(t) OVER own AS b, sum(d4) OVER own AS " \
	"n4, sum(d3) OVER own AS n3, sum(d2) OVER own AS n2, sum(d1) OVER own AS n1 FROM changes " \
	"WINDOW own AS (PARTITION BY instance_id, process_id ORDER BY t)), " \
	"pieces AS (SELECT instance_id, process_id, a, b, CASE WHEN n4 > 0 THEN 'other ranks' WHEN " \
	"n3 > 0 THEN 'collective' WHEN n2 > 0 THEN 'execution' WHEN n1 > 0 THEN 'runtime' ELSE 'host' " \
	"END AS cause FROM swept WHERE b > a)"

/* Ranks meet before each execution with collectives; the last to come lets the others go. */
#define MEETINGS \
	"arrivals AS (SELECT instance_id, process_id, start_ts, end_ts, " \
	"json_extract_string(extra_attributes_json, '$.exec_id') AS meeting, " \
	"TRY_CAST(json_extract_string(extra_attributes_json, '$.nec_dev_id') AS BIGINT) AS rank " \
	"FROM SystemProfileEvents WHERE name = 'enc_barrier'), " \
	"meetings AS (SELECT meeting, max(start_ts) AS met_ts, arg_max(instance_id, start_ts) AS " \
	"last_instance, arg_max(process_id, start_ts) AS last_process FROM arrivals GROUP BY meeting " \
	"HAVING count(DISTINCT (instance_id, process_id)) > 1)"

#define FROM {"from", NX_NAMED_TIME, NULL, NULL, "start of the time range, inclusive"}
#define TO {"to", NX_NAMED_TIME, NULL, NULL, "end of the time range, exclusive"}
#define INSTANCE {"instance", NX_NAMED_TEXT, NULL, NULL, "only this machine"}
#define PROCESS {"process", NX_NAMED_INTEGER, NULL, NULL, "only this process"}

const struct nx_named_query nx_named_queries[] = {
	{"figures", "device",
	 "Utilisation of compute and memory: MFU, HFU, MBU, arithmetic intensity, bytes moved.",
	 {FROM, TO},
	 "WITH " MACHINE ", "
	 "sums AS (SELECT 2 * sum(tensor_elements) AS flops, 2 * sum(tensor_elements_transpose) AS "
	 "transpose, "
	 "coalesce(sum(hbm_read_bytes), 0) AS read, coalesce(sum(hbm_write_bytes), 0) AS write, "
	 "coalesce(sum(spill_reload_bytes), 0) AS reload, coalesce(sum(spill_save_bytes), 0) AS save "
	 "FROM Instruction WHERE " IS_PART " AND " STARTS_IN_RANGE "), "
	 "dma AS (SELECT sum(transfer_bytes) // count(*) AS average FROM DmaPacketAggregated "
	 "WHERE " IS_PART " AND " STARTS_IN_RANGE "), "
	 "known AS (SELECT CAST(span_ns AS DOUBLE) AS span_ns, read, write, reload, save, "
	 "dma.average AS average_dma_bytes, 'instructions' AS mfu_source, "
	 "(flops - transpose) / nullif(core_flops * cores * span_ns / 1e9, 0) AS mfu_frac, "
	 "flops / nullif(core_flops * cores * span_ns / 1e9, 0) AS hfu_frac, "
	 "(read + write) / nullif(hbm_rate * span_ns / 1e9, 0) AS mbu_frac, "
	 "(flops - transpose) / nullif(read + write, 0) AS flops_per_byte "
	 "FROM machine, sums, dma WHERE NOT is_whole UNION ALL "
	 "SELECT total_time * 1e9, hbm_read_bytes, hbm_write_bytes, spill_reload_bytes, "
	 "spill_save_bytes, nullif(dma_transfer_average_bytes, 0), "
	 "CASE WHEN mfu_hlo_estimated_percent > 0 THEN 'hlo' ELSE 'instructions' END, "
	 "mfu_estimated_percent, hfu_estimated_percent, mbu_estimated_percent, "
	 "mm_arithmetic_intensity FROM Summary WHERE (SELECT is_whole FROM machine)) "
	 "SELECT known.span_ns, mfu_frac, mfu_source, hfu_frac, flops_per_byte, "
	 "core_flops * cores / nullif(hbm_rate, 0) AS ridge_flops_per_byte, mbu_frac, "
	 "hbm_rate * known.span_ns / 1e9 AS available_bytes, "
	 "greatest(0, coalesce(read, 0) - coalesce(reload, 0)) AS useful_read_bytes, "
	 "greatest(0, coalesce(write, 0) - coalesce(save, 0)) AS useful_write_bytes, "
	 "coalesce(reload, 0) AS spill_reload_bytes, coalesce(save, 0) AS spill_save_bytes, "
	 "greatest(0, hbm_rate * known.span_ns / 1e9 - coalesce(read, 0) - coalesce(write, 0)) "
	 "AS unused_bytes, (read - coalesce(reload, 0)) / nullif(read, 0) AS useful_read_frac, "
	 "average_dma_bytes FROM known, machine"},

	{"utilisation", "device",
	 "How each engine spent the time, as fractions that add up to 1.",
	 {FROM, TO},
	 "WITH " MACHINE ", "
	 "active AS (SELECT engine, pcore_idx AS core, sum(" END_IN_RANGE " - " START_IN_RANGE ") "
	 "AS ns FROM ActiveTime WHERE " OVERLAPS_RANGE " GROUP BY ALL), "
	 "work AS (SELECT pcore_idx AS core, sum(adjusted_flops) AS flops, "
	 "sum(adjusted_flops_transpose) AS transpose FROM Instruction WHERE " STARTS_IN_RANGE
	 " GROUP BY ALL), "
	 "limits AS (SELECT pcore_idx AS core, greatest(timestamp, $from) AS a, "
	 "least(timestamp + duration, $to) AS b, 1.0 - k * 1.0 / n AS held FROM Throttle WHERE n > 0), "
	 "held AS (SELECT core, sum((b - a) * held) AS ns FROM limits WHERE b > a GROUP BY ALL), "
	 "held_active AS (SELECT l.core, sum((least(l.b, x.end_ts) - greatest(l.a, x.start_ts)) * "
	 "l.held) AS ns FROM limits l JOIN ActiveTime x ON x.engine = 'tensor' AND "
	 "coalesce(l.core, x.pcore_idx) = x.pcore_idx AND x.end_ts > l.a AND x.start_ts < l.b "
	 "WHERE l.held > 0 AND l.b > l.a GROUP BY ALL), "
	 "shares AS (SELECT active.engine, active.core, active.engine = 'tensor' AS is_tensor, "
	 "least(1.0, active.ns / span_ns) AS busy, core_flops * span_ns / 1e9 AS peak, "
	 "coalesce(work.flops, 0) AS flops, coalesce(work.transpose, 0) AS transpose, "
	 "coalesce(held.ns, 0) / span_ns AS held, coalesce(held_active.ns, 0) / span_ns AS held_busy "
	 "FROM active CROSS JOIN machine LEFT JOIN work ON work.core = active.core "
	 "LEFT JOIN held ON held.core = active.core "
	 "LEFT JOIN held_active ON held_active.core = active.core WHERE span_ns > 0), "
	 "cut AS (SELECT *, CASE WHEN is_tensor THEN coalesce(least(busy, transpose / "
	 "nullif(peak, 0)), 0) ELSE 0 END AS t, CASE WHEN is_tensor THEN coalesce(least(busy - t, "
	 "greatest(0, (flops - transpose) / nullif(peak, 0))), 0) ELSE 0 END AS m, "
	 "CASE WHEN is_tensor THEN least(busy - t - m, held_busy) ELSE 0 END AS h, "
	 "CASE WHEN is_tensor THEN least(1 - busy, greatest(0, held - held_busy)) ELSE 0 END AS i "
	 "FROM shares) "
	 "SELECT CASE engine WHEN 'gpsimd' THEN 'GpSimd' ELSE upper(engine[1]) || engine[2:] END "
	 "AS engine, core, m AS model_frac, t AS transpose_frac, busy - t - m - h AS other_active_frac, "
	 "h AS throttled_active_frac, i AS throttled_idle_frac, 1 - busy - i AS unused_frac FROM cut "
	 "ORDER BY list_position(['tensor', 'vector', 'scalar', 'gpsimd', 'sync'], cut.engine), core"},

	{"kernel_share", "device",
	 "Instructions from NKI kernels, and how many there are in all, for each engine.",
	 {FROM, TO},
	 "SELECT engine, count(*) AS instruction_count, count(*) FILTER (nki_source_location IS NOT "
	 "NULL OR kernel_instruction_name IS NOT NULL) AS nki_count, nki_count / count(*) AS nki_frac "
	 "FROM Instruction WHERE " STARTS_IN_RANGE " GROUP BY engine ORDER BY "
	 "list_position(['Tensor', 'Vector', 'Scalar', 'GpSimd', 'Sync'], engine)"},

	{"dma_utilisation", "device",
	 "Fractions of their peak rate at which DMA engines moved data, by kind; 'busy' is the time "
	 "they were busy beyond that.",
	 {FROM, TO,
	  {"by", NX_NAMED_WORD, "queue engine core", "queue", "what a label stands for"},
	  {"split", NX_NAMED_WORD, "kind source", "kind",
	   "kinds of data, or who made the descriptors"}},
	 "WITH " MACHINE ", "
	 "packets AS (SELECT CASE $by WHEN 'engine' THEN 'E' || coalesce(CAST(engine_idx AS VARCHAR), "
	 "'?') WHEN 'core' THEN 'Core ' || coalesce(CAST(pcore_idx AS VARCHAR), '?') "
	 "ELSE coalesce(queue_name, '(not declared)') END AS label, engine_idx, transfer_bytes, "
	 "CASE WHEN queue_type = 'unknown' THEN 'unknown' WHEN $split = 'source' THEN CASE WHEN "
	 "queue_type IN ('software_dynamic', 'hardware_dynamic') THEN CAST(queue_type AS VARCHAR) "
	 "ELSE 'static' END WHEN queue_type IN ('software_dynamic', 'hardware_dynamic') THEN 'dynamic' "
	 "WHEN queue_type IN ('input', 'output') THEN 'io' ELSE CAST(queue_type AS VARCHAR) END "
	 "AS kind, " STARTS_IN_RANGE " AS is_counted, " START_IN_RANGE " AS a, " END_IN_RANGE " AS b "
	 "FROM DmaPacket WHERE " OVERLAPS_RANGE " OR (" STARTS_IN_RANGE ")), "
	 "labels AS (SELECT label, greatest(1, count(DISTINCT engine_idx)) AS engines FROM packets "
	 "GROUP BY label), "
	 /* covered time, overlaps counted once, added up over the engines of a label */
	 "islands AS (SELECT *, sum(is_new) OVER (PARTITION BY label, engine_idx ORDER BY a, b "
	 "ROWS UNBOUNDED PRECEDING) AS island FROM (SELECT label, engine_idx, a, b, CASE WHEN a <= "
	 "max(b) OVER (PARTITION BY label, engine_idx ORDER BY a, b ROWS BETWEEN UNBOUNDED PRECEDING "
	 "AND 1 PRECEDING) THEN 0 ELSE 1 END AS is_new FROM packets)), "
	 "covered AS (SELECT label, sum(ns) AS ns FROM (SELECT label, max(b) - min(a) AS ns FROM "
	 "islands GROUP BY label, engine_idx, island) GROUP BY label), "
	 "moved AS (SELECT label, kind, sum(transfer_bytes) / nullif(any_value(dma_engine_rate * "
	 "engines * span_ns / 1e9), 0) AS frac FROM packets JOIN labels USING (label), machine "
	 "WHERE is_counted GROUP BY ALL) "
	 "SELECT * FROM (SELECT label, kind, coalesce(frac, 0) AS frac FROM moved UNION ALL "
	 "SELECT label, 'busy', greatest(0, least(1.0, coalesce(covered.ns / nullif(span_ns * engines, "
	 "0), 0)) - coalesce((SELECT sum(frac) FROM moved WHERE moved.label = labels.label), 0)) "
	 "FROM labels JOIN covered USING (label), machine WHERE label IN (SELECT label FROM moved)) "
	 "ORDER BY label, kind = 'busy', kind"},

	{"dma_queues", "device",
	 "The DMA queues the program declares, and what went through them.",
	 {{0}},
	 "WITH traffic AS (SELECT queue_name AS name, pcore_idx AS core, any_value(queue_type) AS fed_by, "
	 "count(DISTINCT engine_idx) AS engine_count, count(*) AS packet_count, "
	 "sum(transfer_bytes) AS bytes, avg(transfer_bytes) AS bytes_per_packet, "
	 "sum(duration_ns) AS packet_time_ns, sum(transfer_bytes) * 1e9 / "
	 "nullif(max(end_ts) - min(start_ts), 0) AS bytes_per_second FROM DmaPacket GROUP BY ALL), "
	 "declared AS (SELECT name, pcore_idx AS core, any_value(type) AS carries FROM DmaQueuesInfo "
	 "GROUP BY ALL) "
	 "SELECT coalesce(t.name, d.name, '(not declared)') AS queue, coalesce(t.core, d.core) AS core, "
	 "carries, fed_by, engine_count, coalesce(packet_count, 0) AS packet_count, "
	 "coalesce(bytes, 0) AS bytes, bytes_per_packet, packet_time_ns, bytes_per_second "
	 "FROM traffic t FULL JOIN declared d ON t.name = d.name AND t.core IS NOT DISTINCT FROM d.core "
	 "ORDER BY coalesce(bytes, 0) DESC, queue, core"},

	{"layers", "device",
	 "What each layer costs: time in which an instruction of it ran, span, arithmetic, "
	 "instructions of each engine.",
	 {{"depth", NX_NAMED_INTEGER, NULL, "0",
	   "how many parts of a layer's name to keep; 0 for all"}},
	 "WITH named AS (SELECT *, CASE WHEN $depth = 0 THEN layer ELSE array_to_string(list_slice("
	 "string_split(layer, '/'), 1, $depth), '/') END AS name FROM Instruction WHERE layer != ''), "
	 /* covered time: what begins after all before it has ended adds its whole length */
	 "cover AS (SELECT name, end_ts, greatest(start_ts, coalesce(max(end_ts) OVER (PARTITION BY "
	 "name ORDER BY start_ts, end_ts ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), start_ts)) "
	 "AS from_ts FROM named), "
	 "busy AS (SELECT name, sum(greatest(0, end_ts - from_ts)) AS busy_ns FROM cover GROUP BY name) "
	 "SELECT name, any_value(busy_ns) AS busy_ns, max(end_ts) - min(start_ts) AS span_ns, "
	 "sum(duration_ns) AS instruction_time_ns, nullif(2 * sum(tensor_elements), 0) AS flops, "
	 "sum(tensor_elements_transpose) / nullif(sum(tensor_elements), 0) AS transpose_frac, "
	 "count(*) AS instruction_count, count(*) FILTER (engine = 'Tensor') AS tensor_count, "
	 "count(*) FILTER (engine = 'Vector') AS vector_count, "
	 "count(*) FILTER (engine = 'Scalar') AS scalar_count, "
	 "count(*) FILTER (engine = 'GpSimd') AS gpsimd_count, "
	 "count(*) FILTER (engine = 'Sync') AS sync_count, min(start_ts) AS start_ts, "
	 "max(end_ts) AS end_ts FROM named JOIN busy USING (name) GROUP BY name "
	 "ORDER BY min(start_ts), 1"},

	{"source_lines", "device",
	 "What each line of source costs on each engine.",
	 {FROM, TO},
	 "SELECT coalesce(nki_source_location, bir_debug_info_source_location) AS location, "
	 "CASE WHEN nki_source_location IS NULL THEN 'bir_debug_info_source_location' ELSE "
	 "'nki_source_location' END AS source_column, engine, count(*) AS instruction_count, "
	 "sum(duration_ns) AS duration_ns, 2 * sum(tensor_elements) AS flops FROM Instruction "
	 "WHERE location IS NOT NULL AND " OVERLAPS_RANGE " GROUP BY ALL ORDER BY ALL"},

	{"sbuf_cores", "device",
	 "The cores that allocate in the state buffer.",
	 {{0}},
	 "SELECT DISTINCT coalesce(pcore_idx, 0) AS core FROM SbufAllocation ORDER BY core"},

	{"sbuf_allocations", "device",
	 "What one partition of the state buffer held, the longest first.",
	 {FROM, TO,
	  {"partition", NX_NAMED_INTEGER, NULL, "0", "partition of the state buffer"},
	  {"core", NX_NAMED_INTEGER, NULL, "0", "physical core"}},
	 "SELECT start_ts, end_ts, start_address, end_address, op_source_type, opcode, operands, "
	 "queue_name, block_id, tensor_name, hlo_name FROM SbufAllocation WHERE partition = $partition "
	 "AND coalesce(pcore_idx, 0) = $core AND " OVERLAPS_RANGE
	 " ORDER BY end_ts - start_ts DESC, start_ts, start_address"},

	{"system_overview", "system",
	 "How much was recorded: events, threads, processes, machines, executions, peak of HBM.",
	 {INSTANCE, PROCESS},
	 "SELECT *, hbm_peak_bytes / hbm_capacity_bytes AS hbm_peak_frac FROM (SELECT "
	 "count(*) AS event_count, count(DISTINCT thread_id) AS thread_count, "
	 "count(DISTINCT (instance_id, process_id)) AS process_count, "
	 "count(DISTINCT instance_id) AS instance_count, "
	 "(SELECT count(*) FROM " EXECUTIONS ") AS execution_count, "
	 "(SELECT sum(duration_ns) FROM " EXECUTIONS ") AS execution_time_ns, "
	 "(SELECT CAST(last_ts_ns AS BIGINT) - CAST(first_ts_ns AS BIGINT) FROM SystemProfileMetadata) AS span_ns, "
	 "(SELECT max(total_bytes) FROM SystemProfileHbmUsage WHERE $instance IS NULL OR "
	 "instance_id = $instance) AS hbm_peak_bytes, "
	 "(SELECT nullif(hbm_capacity_bytes, 0) FROM SystemProfileMetadata) AS hbm_capacity_bytes "
	 "FROM SystemProfileEvents WHERE " OF_PROCESS ")"},

	{"process_time", "system",
	 "How each process spent its time, in parts that add up: execution, collective, wait for other "
	 "ranks, runtime, host.",
	 {{0}},
	 "WITH " PIECES ", parts AS (SELECT instance_id, process_id, cause, sum(b - a)::BIGINT AS "
	 "time_ns FROM pieces GROUP BY ALL) "
	 "SELECT *, time_ns / sum(time_ns) OVER (PARTITION BY instance_id, process_id) AS time_frac "
	 "FROM parts ORDER BY instance_id, process_id, time_ns DESC, cause"},

	{"host_work", "system",
	 "What each program did while no core ran and no call of the runtime was open, by the names of "
	 "its spans; spans inside others count in both.",
	 {{0}},
	 "WITH " PIECES ", spans AS (SELECT instance_id, process_id, name, start_ts, end_ts FROM "
	 "SystemProfileEvents e WHERE trace_event_source = 'framework' AND end_ts > start_ts AND NOT "
	 "EXISTS (SELECT 1 FROM Step s WHERE s.instance_id = e.instance_id AND s.process_id = "
	 "e.process_id AND s.event_id = e.id)) "
	 "SELECT instance_id, process_id, name, sum(least(b, end_ts) - greatest(a, start_ts))::BIGINT "
	 "AS time_ns FROM pieces JOIN spans USING (instance_id, process_id) WHERE cause = 'host' AND "
	 "b > start_ts AND a < end_ts GROUP BY ALL ORDER BY instance_id, process_id, time_ns DESC, name"},

	{"system_path", "system",
	 "The critical path over all processes: up to each meeting of the ranks, the one that comes "
	 "last; at the end, the process that ends last. The parts add up to the profile.",
	 {{0}},
	 "WITH " PIECES ", " MEETINGS ", "
	 "whole AS (SELECT min(a) AS first_ts, max(b) AS last_ts, arg_max(instance_id, b) AS "
	 "last_instance, arg_max(process_id, b) AS last_process FROM pieces), "
	 "segments AS (SELECT coalesce(lag(met_ts) OVER (ORDER BY met_ts, meeting), (SELECT first_ts "
	 "FROM whole)) AS a, met_ts AS b, last_instance, last_process FROM meetings UNION ALL "
	 "SELECT coalesce((SELECT max(met_ts) FROM meetings), first_ts), last_ts, last_instance, "
	 "last_process FROM whole), "
	 "known AS (SELECT p.instance_id, p.process_id, cause, sum(least(p.b, s.b) - greatest(p.a, "
	 "s.a))::BIGINT AS time_ns FROM segments s JOIN pieces p ON p.instance_id = s.last_instance AND "
	 "p.process_id = s.last_process AND p.b > s.a AND p.a < s.b GROUP BY ALL), "
	 "parts AS (SELECT * FROM known UNION ALL SELECT NULL, NULL, 'not recorded', (SELECT last_ts - "
	 "first_ts FROM whole) - (SELECT coalesce(sum(time_ns), 0) FROM known)) "
	 "SELECT instance_id, process_id, cause, time_ns::BIGINT AS time_ns, time_ns / (SELECT last_ts "
	 "- first_ts FROM whole) AS time_frac FROM parts WHERE time_ns > 0 ORDER BY time_ns DESC, cause, "
	 "instance_id, process_id"},

	{"late_ranks", "system",
	 "Who came last to the meetings of the ranks: slack is how long a rank waited for the last, stall "
	 "how long others waited for it, observed how long its meetings took.",
	 {{0}},
	 "WITH " MEETINGS ", "
	 "seen AS (SELECT *, met_ts - start_ts AS slack_ns, process_id = last_process AND instance_id = "
	 "last_instance AS is_last, sum(met_ts - start_ts) OVER (PARTITION BY meeting) AS all_ns "
	 "FROM arrivals JOIN meetings USING (meeting)) "
	 "SELECT any_value(rank) AS rank, instance_id, process_id, count(*) AS meeting_count, "
	 "count(*) FILTER (is_last) AS last_count, sum(slack_ns)::BIGINT AS slack_ns, "
	 "coalesce(sum(all_ns) FILTER (is_last), 0)::BIGINT AS stall_ns, "
	 "sum(end_ts - start_ts)::BIGINT AS observed_ns, median(slack_ns)::BIGINT AS median_slack_ns "
	 "FROM seen GROUP BY instance_id, process_id ORDER BY stall_ns DESC, rank, process_id"},

	{"executions", "system",
	 "How often and how long each core of a process ran each model.",
	 {INSTANCE, PROCESS},
	 "SELECT model_id, instance_id, process_id, nc_idx, count(*) AS execution_count, "
	 "sum(duration_ns) AS total_ns, avg(duration_ns) AS mean_ns, max(duration_ns) AS longest_ns "
	 "FROM " EXECUTIONS " GROUP BY ALL ORDER BY nc_idx, instance_id, process_id, model_id"},

	{"flows", "system",
	 "Chains of events that belong together, such as all events of one execution.",
	 {{0}},
	 "SELECT flow, arg_min(name, start_ts) AS first_name, count(*) AS event_count, "
	 "count(*) FILTER (trace_event_source = 'neuron_hw') AS device_event_count, "
	 "min(start_ts) AS start_ts, max(end_ts) AS end_ts FROM (SELECT unnest(flow_id) AS flow, * "
	 "FROM SystemProfileEvents) GROUP BY flow HAVING count(*) > 1 ORDER BY min(start_ts), flow"},

	{"flow_events", "system",
	 "The events of some flows, in order of time.",
	 {{"flows", NX_NAMED_TEXT, NULL, "", "ids of flows, separated by commas"}},
	 "SELECT row_idx, id, name, start_ts, end_ts, duration_ns, trace_event_source FROM " NUMBERED
	 " WHERE list_has_any(flow_id, string_split($flows, ',')) ORDER BY start_ts, row_idx"},

	{"calls", "system",
	 "What called an event (up) and what it called (down), itself included in both.",
	 {{"row", NX_NAMED_INTEGER, NULL, "0", "row of the event in SystemProfileEvents"}},
	 /* calls of one process enclose each other, so only what overlaps the event matters */
	 "WITH RECURSIVE numbered AS MATERIALIZED " NUMBERED ", "
	 "own AS (SELECT * FROM numbered WHERE row_idx = $row), "
	 "near AS MATERIALIZED (SELECT n.row_idx, CAST(n.id AS VARCHAR) AS id, n.name, n.start_ts, "
	 "n.flow_id, json_extract_string(n.extra_attributes_json, '$.parent_id') AS parent "
	 "FROM numbered n, own WHERE n.instance_id = own.instance_id AND n.process_id = own.process_id "
	 "AND n.start_ts <= own.end_ts AND n.end_ts >= own.start_ts), "
	 "up AS (SELECT * FROM near WHERE row_idx = $row UNION SELECT near.* FROM near JOIN up ON "
	 "near.id = up.parent), "
	 "down AS (SELECT * FROM near WHERE row_idx = $row UNION SELECT near.* FROM near JOIN down ON "
	 "near.parent = down.id) "
	 "SELECT 'up' AS way, row_idx, name, flow_id, start_ts FROM up UNION ALL "
	 "SELECT 'down', row_idx, name, flow_id, start_ts FROM down ORDER BY start_ts, row_idx, way"},

	{"hbm_usage", "system",
	 "Bytes in use in each device memory over time.",
	 {INSTANCE},
	 "SELECT timestamp, total_bytes AS value, 'Device ' || device_idx || ', HBM ' || hbm_idx "
	 "AS series, instance_id FROM SystemProfileHbmUsage WHERE $instance IS NULL OR "
	 "instance_id = $instance ORDER BY timestamp, series"},

	{"hbm_purposes", "system",
	 "What each device memory was used for: at the end, and at most.",
	 {{0}},
	 "SELECT replace(purpose, '_bytes', '') AS purpose, device_idx, hbm_idx, arg_max(bytes, timestamp) AS last_bytes, "
	 "max(bytes) AS most_bytes, instance_id FROM (UNPIVOT (SELECT * EXCLUDE (total_bytes) FROM "
	 "SystemProfileHbmUsage) ON COLUMNS('_bytes$') INTO NAME purpose VALUE bytes) "
	 "GROUP BY ALL HAVING max(bytes) > 0 ORDER BY most_bytes DESC, 1, 2, 3, 6"},

	{"memory_holders", "device",
	 "What each tensor holds of each memory: when the memory is fullest, and at most.",
	 {{0}},
	 "WITH numbered AS (SELECT *, row_number() OVER () AS row_idx FROM MemoryUsage), "
	 "tops AS (SELECT memory, pcore_idx, max(total_bytes) AS peak_bytes FROM MemoryUsage GROUP BY ALL), "
	 "moments AS (SELECT memory, pcore_idx, peak_bytes, min(timestamp) AS peak_ts FROM tops "
	 "JOIN MemoryUsage USING (memory, pcore_idx) WHERE total_bytes = peak_bytes GROUP BY ALL), "
	 /* the last row of that moment: several moments may be in one nanosecond */
	 "peaks AS (SELECT memory, pcore_idx, peak_bytes, peak_ts, max(row_idx) AS peak_row "
	 "FROM moments JOIN numbered USING (memory, pcore_idx) "
	 "WHERE timestamp = peak_ts AND total_bytes = peak_bytes GROUP BY ALL) "
	 "SELECT memory, pcore_idx, tensor_name, kind, coalesce(arg_max(live_bytes, row_idx) "
	 "FILTER (row_idx <= peak_row), 0) AS bytes_at_peak, max(live_bytes) AS most_bytes, peak_bytes, "
	 "peak_ts FROM numbered JOIN peaks USING (memory, pcore_idx) "
	 "GROUP BY memory, pcore_idx, tensor_name, kind, peak_bytes, peak_ts, peak_row "
	 "ORDER BY memory, pcore_idx, bytes_at_peak DESC, most_bytes DESC, tensor_name"},

	{"memory_curves", "device",
	 "What all tensors, and the seven largest at its peak, hold of a memory over time.",
	 {{"memory", NX_NAMED_TEXT, NULL, "sbuf", "sbuf, psum, scratchpad or hbm"},
	  {"core", NX_NAMED_INTEGER, NULL, "0", "physical core"}},
	 "WITH mine AS (SELECT *, row_number() OVER () AS row_idx FROM MemoryUsage "
	 "WHERE memory = $memory AND pcore_idx = $core), "
	 "fullest AS (SELECT * FROM mine WHERE total_bytes = (SELECT max(total_bytes) FROM mine)), "
	 "peak AS (SELECT max(row_idx) AS peak_row FROM fullest "
	 "WHERE timestamp = (SELECT min(timestamp) FROM fullest)), "
	 "largest AS (SELECT tensor_name FROM mine, peak GROUP BY 1 "
	 "ORDER BY coalesce(arg_max(live_bytes, row_idx) FILTER (row_idx <= peak_row), 0) DESC, "
	 "max(live_bytes) DESC, 1 LIMIT 7) "
	 /* the last row of a moment says what is held after it */
	 "SELECT timestamp, tensor_name AS series, arg_max(live_bytes, row_idx) AS value "
	 "FROM mine SEMI JOIN largest USING (tensor_name) GROUP BY 1, 2 UNION ALL "
	 "SELECT timestamp, NULL AS series, arg_max(total_bytes, row_idx) AS value FROM mine "
	 "GROUP BY 1 ORDER BY 1, 2"},

	{"stack_trace", "device",
	 "The calls of the framework that led to a stack frame, the innermost first.",
	 {{"frame", NX_NAMED_INTEGER, NULL, "0", "id of the frame: the first of stack_frame_ids"}},
	 "WITH RECURSIVE calls AS (SELECT 0 AS depth, * FROM StackFrame "
	 "WHERE id = CAST($frame AS VARCHAR) UNION ALL "
	 "SELECT depth + 1, caller.* FROM calls JOIN StackFrame caller "
	 "ON caller.id = calls.parent_frame_id WHERE depth < 127) "
	 "SELECT depth, calls.id AS frame_id, function.name AS function_name, file.name AS file_name, "
	 "nullif(place.line_number, 0) AS line_number FROM calls "
	 "LEFT JOIN StackFrameFileLocation place "
	 "ON place.id = CAST(calls.file_location_id AS VARCHAR) "
	 "LEFT JOIN StackFrameFileName file ON file.id = CAST(place.file_name_id AS VARCHAR) "
	 "LEFT JOIN StackFrameFunctionName function "
	 "ON function.id = CAST(place.function_name_id AS VARCHAR) ORDER BY depth"},

	{"host_memory", "system",
	 "Bytes in use in the memory of each machine over time.",
	 {INSTANCE},
	 "SELECT timestamp, used_bytes AS value, 'Used' AS series, instance_id FROM HostMemUsage "
	 "WHERE $instance IS NULL OR instance_id = $instance ORDER BY timestamp"},

	{"cpu_load", "system",
	 "Mean load of the processors of each machine over time, in percent.",
	 {INSTANCE},
	 "SELECT timestamp, util_percent AS value, 'Mean of all' AS series, instance_id FROM CpuUsage "
	 "WHERE cpu_id = 'average' AND ($instance IS NULL OR instance_id = $instance) "
	 "ORDER BY timestamp"},
};
/* clang-format on */

const size_t nx_named_query_count = sizeof(nx_named_queries) / sizeof(nx_named_queries[0]);
