/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/counting_sink.h"

static void begin(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	struct nx_counting_sink *c = (struct nx_counting_sink *)sink;

	c->is_begun[table] = true;
	nx_table_sink_begin(c->target, table);
}

static void put(struct nx_table_sink *sink, const struct nx_row *row)
{
	struct nx_counting_sink *c = (struct nx_counting_sink *)sink;

	c->row_count++;
	c->target->ops->put(c->target, row);
	if (c->progress)
		nx_progress_add(c->progress, 1);
	nx_table_sink_follow(&c->sink, c->target);
}

static void end(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	struct nx_counting_sink *c = (struct nx_counting_sink *)sink;

	nx_table_sink_end(c->target, table);
	nx_table_sink_follow(&c->sink, c->target);
}

void nx_counting_sink_init(struct nx_counting_sink *counting, struct nx_table_sink *target,
			   struct nx_progress *progress)
{
	static const struct nx_table_sink_ops ops = {begin, put, end};

	*counting = (struct nx_counting_sink){
		.sink = {.ops = &ops}, .target = target, .progress = progress};
}

void nx_counting_sink_complete(struct nx_counting_sink *counting, enum nx_schema_scope scope)
{
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++) {
		enum nx_schema_table_id table = (enum nx_schema_table_id)i;

		if (counting->is_begun[i] || (nx_schema_tables[i].scope != scope &&
					      nx_schema_tables[i].scope != NX_SCOPE_BOTH))
			continue;
		nx_table_sink_begin(&counting->sink, table);
		nx_table_sink_end(&counting->sink, table);
	}
}
