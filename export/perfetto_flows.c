/* SPDX-License-Identifier: Apache-2.0 */
#include "export/perfetto_flows.h"

#include "base/spool.h"
#include "model/executions.h"

#define SPOOL_BYTES ((size_t)8 << 20)
/* Compilers name a few dozen; with more the picture is unreadable. */
#define MAX_FLOWS_IN 64

struct edge {
	uint64_t at;	/* place of one instruction in the table: the key */
	uint64_t other; /* place of the other */
};

struct flow_end { /* all edges seen from one of their ends, in order */
	struct nx_spool *spool;
	struct nx_spool_cursor *cursor;
	const struct edge *next;
	struct nx_flow_ids NX_VEC_BODY(uint64_t) ids;
};

struct nx_flow_index {
	const struct nx_profile *profile;
	struct nx_executions executions;
	struct flow_end producers, consumers;
	struct nx_perfetto_flows flows;
	uint64_t row; /* places are counted from one */
	enum nx_status status;
	struct nx_error *err;
};

/* --- collecting ------------------------------------------------------------ */

static uint64_t latest_before(const struct nx_execution *list, size_t count, uint64_t row)
{
	uint64_t latest = 0;

	for (size_t i = 0; i < count; i++)
		if (list[i].id < row && list[i].id > latest)
			latest = list[i].id;
	return latest;
}

static void add_edge(struct nx_flow_index *x, uint64_t producer)
{
	if (!x->status)
		x->status =
			nx_spool_add(x->producers.spool, &(struct edge){producer, x->row}, x->err);
	if (!x->status)
		x->status =
			nx_spool_add(x->consumers.spool, &(struct edge){x->row, producer}, x->err);
}

/* Several kinds of dependence on one instruction are one arrow. */
static bool is_listed(const uint64_t *list, size_t count, uint64_t id)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == id)
			return true;
	return false;
}

static void collect_row(void *context, const void *opaque)
{
	struct nx_flow_index *x = context;
	const struct nx_instruction *row = opaque;
	const struct nx_slot *slot = nx_profile_slot(x->profile, row);
	const struct nx_binary_graph *graph = x->profile->program.binary_graphs[row->graph];
	const struct nx_bir *bir = slot->bir == NX_NONE ? NULL : &graph->birs[slot->bir];
	uint64_t producers[MAX_FLOWS_IN];
	size_t count = 0;

	x->row++;
	for (size_t i = 0; bir && i < bir->predecessor_count && i < MAX_FLOWS_IN; i++) {
		const struct nx_execution *ran;
		size_t id_count = nx_executions_of(&x->executions, row->graph,
						   bir->predecessors[i].bir_id, &ran);
		uint64_t producer = id_count ? latest_before(ran, id_count, x->row) : 0;

		if (!producer || is_listed(producers, count, producer))
			continue;
		producers[count++] = producer;
		add_edge(x, producer);
	}
	nx_executions_pass(&x->executions, row, x->row);
}

static enum nx_status start_reading(struct flow_end *end, struct nx_error *err)
{
	enum nx_status st = nx_spool_sort(end->spool, err);

	if (!st)
		st = nx_spool_cursor_open(&end->cursor, end->spool, err);
	if (!st)
		end->next = nx_spool_cursor_next(end->cursor);
	return st;
}

enum nx_status nx_flow_index_build(struct nx_flow_index **out, const struct nx_profile *profile,
				   struct nx_error *err)
{
	struct nx_flow_index *x = nx_heap_alloc(sizeof(*x));
	enum nx_status st;

	memset(x, 0, sizeof(*x));
	x->profile = profile;
	x->err = err;
	x->producers.spool = nx_spool_new(sizeof(struct edge), SPOOL_BYTES);
	x->consumers.spool = nx_spool_new(sizeof(struct edge), SPOOL_BYTES);
	*out = x;
	st = nx_executions_build(&x->executions, profile, err);
	if (!st)
		st = nx_profile_scan(profile, NX_TABLE_INSTRUCTION, collect_row, x, err);
	if (!st)
		st = x->status;
	nx_executions_release(&x->executions);
	if (!st)
		st = start_reading(&x->producers, err);
	if (!st)
		st = start_reading(&x->consumers, err);
	x->row = 0;
	return st;
}

/* --- reading --------------------------------------------------------------- */

/* An id of its own for every edge; both ends compute the same one. */
static uint64_t flow_id(uint64_t producer, uint64_t consumer)
{
	return producer << 32 ^ consumer;
}

static void collect_ids(struct flow_end *end, uint64_t row, bool is_producer)
{
	nx_vec_clear(&end->ids);
	while (end->next && end->next->at <= row) {
		uint64_t other = end->next->other;

		nx_vec_push(&end->ids, is_producer ? flow_id(row, other) : flow_id(other, row));
		end->next = nx_spool_cursor_next(end->cursor);
	}
}

const struct nx_perfetto_flows *nx_flow_index_next(struct nx_flow_index *x)
{
	x->row++;
	collect_ids(&x->producers, x->row, true);
	collect_ids(&x->consumers, x->row, false);
	x->flows = (struct nx_perfetto_flows){
		.out_ids = x->producers.ids.items,
		.out_count = x->producers.ids.len,
		.in_ids = x->consumers.ids.items,
		.in_count = x->consumers.ids.len,
	};
	return &x->flows;
}

static enum nx_status close_end(struct flow_end *end, struct nx_error *err)
{
	enum nx_status st = end->cursor ? nx_spool_cursor_close(end->cursor, err) : NX_OK;

	nx_spool_free(end->spool);
	nx_vec_release(&end->ids);
	return st;
}

enum nx_status nx_flow_index_close(struct nx_flow_index *x, struct nx_error *err)
{
	enum nx_status first, second;

	if (!x)
		return NX_OK;
	first = close_end(&x->producers, err);
	second = close_end(&x->consumers, first ? NULL : err);
	nx_heap_free(x);
	return first ? first : second;
}
