/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives and the streams they ran on. Only captures of our own runtime record when a
 * collective ran; the records of other captures are not documented. CcInstruction, the steps of
 * collective cores, has no filler for that reason.
 */
#include "base/json_writer.h"
#include "format/collective.h"
#include "format/instruction.h"
#include "model/binary.h"
#include "tables/fillers.h"
#include "tables/row_numbers.h"

struct collective_fill {
	const struct nx_capture *capture;
	const struct nx_graph *graph;
	struct nx_table_sink *sink;
	struct nx_row row;
	struct nx_bytes text;
};

/* "[0,1,2]" */
static const char *list_text(struct nx_bytes *out, const uint32_t *narrow, const uint64_t *wide,
			     size_t count)
{
	struct nx_json_writer w;

	nx_vec_clear(out);
	nx_json_init_bytes(&w, out, false);
	nx_json_begin_array(&w);
	for (size_t i = 0; i < count; i++)
		nx_json_u64(&w, narrow ? narrow[i] : wide[i]);
	nx_json_end_array(&w);
	nx_vec_push(out, 0);
	return (const char *)out->items;
}

/* --- sizes ------------------------------------------------------------------------------- */

static void put_sizes(struct nx_row *row, const struct nx_collective_op *op, uint64_t rank_count,
		      uint64_t duration_ps)
{
	uint64_t size = nx_dtype_bytes((unsigned)(op->dtype & 0xff));
	uint64_t out = nx_collective_output_count(op->type, op->element_count, rank_count);
	uint64_t in_bytes, out_bytes, larger;
	double rate;

	if (!size || !rank_count || __builtin_mul_overflow(op->element_count, size, &in_bytes) ||
	    __builtin_mul_overflow(out, size, &out_bytes))
		return;
	nx_row_put_u64(row, NX_COL_CcOp_input_size, in_bytes);
	nx_row_put_u64(row, NX_COL_CcOp_output_size, out_bytes);
	larger = in_bytes > out_bytes ? in_bytes : out_bytes;
	if (!duration_ps)
		return;
	rate = (double)larger / ((double)duration_ps / 1e12);
	nx_row_put_f64(row, NX_COL_CcOp_algorithm_bandwidth, rate);
	nx_row_put_f64(row, NX_COL_CcOp_bus_bandwidth,
		       rate * nx_collective_bus_factor(op->type, rank_count));
}

static void put_group(struct collective_fill *x, const struct nx_collective_op *op,
		      const struct nx_collective_group *group)
{
	if (!group)
		return;
	nx_row_put_u64(&x->row, NX_COL_CcOp_replica_group_id, op->comm_id);
	if (group->ranks)
		nx_row_put_text(&x->row, NX_COL_CcOp_replica_group,
				list_text(&x->text, group->ranks, NULL, group->rank_count));
}

/* --- rows --------------------------------------------------------------------------------- */

static void put_times(struct collective_fill *x, const struct nx_collective_run *run)
{
	int64_t origin = x->capture->window_start_ps;
	struct nx_row *row = &x->row;
	uint64_t start_ps = run->start_ps - (uint64_t)origin;

	nx_row_put_i64(row, NX_COL_CcOp_start_ts, nx_ps_to_ns(start_ps));
	nx_row_put_i64(row, NX_COL_CcOp_end_ts, nx_ps_to_ns(run->end_ps - (uint64_t)origin));
	nx_row_put_i64(row, NX_COL_CcOp_duration_ns, nx_ps_to_ns(run->end_ps - run->start_ps));
	if ((int64_t)run->trigger_ps < origin)
		return;
	nx_row_put_i64(row, NX_COL_CcOp_trigger_start_ts,
		       nx_ps_to_ns(run->trigger_ps - (uint64_t)origin));
	nx_row_put_i64(row, NX_COL_CcOp_cc_trigger_start_delay,
		       nx_ps_to_ns(run->start_ps - run->trigger_ps));
}

static void put_op(struct collective_fill *x, const struct nx_collective_run *run)
{
	const struct nx_collective_op *op = &x->graph->collective_ops[run->op_idx];
	const struct nx_collective_group *group = NULL;
	const char *kind = nx_collective_kind_name(op->type), *type;
	struct nx_row *row = &x->row;

	for (size_t i = 0; i < x->graph->collective_group_count && !group; i++)
		if (x->graph->collective_groups[i].comm_id == op->comm_id)
			group = &x->graph->collective_groups[i];
	type = nx_dtype_name((unsigned)(op->dtype & 0xff));
	put_times(x, run);
	nx_row_put_text(row, NX_COL_CcOp_operation, kind ? kind : "unknown");
	nx_row_put_text(row, NX_COL_CcOp_algorithm, op->algorithm_name);
	nx_row_put_u64(row, NX_COL_CcOp_num_elements, op->element_count);
	nx_row_put_text(row, NX_COL_CcOp_dtype, type ? type : "unknown");
	nx_row_put_i64(row, NX_COL_CcOp_op_id, run->op_idx);
	nx_row_put_u64(row, NX_COL_CcOp_stream_id,
		       x->graph->collective_stream_count ? x->graph->collective_streams[0].id : 0);
	nx_row_put_i64(row, NX_COL_CcOp_stream_index, 0);
	nx_row_put_text(row, NX_COL_CcOp_trigger_engine,
			run->engine < NX_ENGINE_COUNT ? nx_engines[run->engine].label : "unknown");
	put_sizes(row, op, group ? group->rank_count : 0, run->end_ps - run->start_ps);
	put_group(x, op, group);
	nx_table_sink_put(x->sink, row);
}

/* Cores of a logical core share their streams: those of the first core that has some are enough. */
static void put_streams(struct collective_fill *x)
{
	for (uint32_t g = 0; g < x->capture->graph_count; g++) {
		const struct nx_graph *graph = &x->capture->graphs[g];

		for (size_t i = 0; i < graph->collective_stream_count; i++) {
			const struct nx_collective_stream *stream = &graph->collective_streams[i];

			nx_row_put_u64(&x->row, NX_COL_CcStream_stream_id, stream->id);
			nx_row_put_i64(&x->row, NX_COL_CcStream_stream_index, (int64_t)i);
			nx_row_put_text(&x->row, NX_COL_CcStream_cc_core_ids,
					list_text(&x->text, NULL, stream->cc_cores,
						  stream->cc_core_count));
			nx_table_sink_put(x->sink, &x->row);
		}
		if (graph->collective_stream_count)
			return;
	}
}

enum nx_status nx_fill_collectives(struct nx_device_fill *fill)
{
	struct collective_fill x = {.capture = &fill->profile->capture, .sink = fill->sink};

	nx_begin_table(fill->sink, &x.row, NX_SCHEMA_CcOp);
	for (uint32_t g = 0; g < x.capture->graph_count; g++) {
		x.graph = &x.capture->graphs[g];
		for (size_t i = 0; i < x.graph->collective_run_count; i++) {
			const struct nx_collective_run *run = &x.graph->collective_runs[i];

			if ((int64_t)run->start_ps >= x.capture->window_start_ps &&
			    (!x.capture->has_window_end ||
			     (int64_t)run->end_ps <= x.capture->window_end_ps))
				put_op(&x, run);
		}
	}
	nx_table_sink_end(fill->sink, NX_SCHEMA_CcOp);
	nx_begin_table(fill->sink, &x.row, NX_SCHEMA_CcStream);
	put_streams(&x);
	nx_table_sink_end(fill->sink, NX_SCHEMA_CcStream);
	nx_vec_release(&x.text);
	return NX_OK;
}
