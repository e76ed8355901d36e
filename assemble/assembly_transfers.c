/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_transfers: DMA queues, their blocks, and the descriptors in these. */
#include <assert.h>
#include <stdio.h>

#include "assemble/assembly_internal.h"

#define DEFAULT_RINGS 16
#define MAX_RINGS 256
#define MAX_SOURCES 64

/* --- queues ------------------------------------------------------------------------- */

static enum nx_status read_semaphores(struct nx_assembly *a, struct nx_cursor *c,
				      struct nx_plan_queue *queue, struct nx_error *err)
{
	int64_t items[NX_PLAN_MAX_DIMS];
	unsigned count;
	size_t start;
	enum nx_status status;
	uint8_t *semaphores;

	nx_cursor_skip_blanks(c);
	start = c->at;
	status = nx_assembly_list(c, 0, items, &count, err);
	if (status)
		return status;
	semaphores = nx_arena_alloc(&a->arena, count);
	for (unsigned i = 0; i < count; i++) {
		if (items[i] >= NX_SEMAPHORE_COUNT) {
			c->at = start;
			return nx_fail(err, NX_FORMAT, "semaphores are 0 to %d",
				       NX_SEMAPHORE_COUNT - 1);
		}
		semaphores[i] = (uint8_t)items[i];
		if (items[i] >= a->next_semaphore)
			a->next_semaphore = (uint32_t)items[i] + 1;
	}
	queue->semaphores = semaphores;
	queue->semaphore_count = count;
	return NX_OK;
}

static enum nx_status read_owner(struct nx_assembly *a, struct nx_cursor *c,
				 struct nx_plan_queue *queue, struct nx_error *err)
{
	unsigned engine;
	enum nx_status status = nx_assembly_read_engine(a, c, &engine, err);

	if (!status)
		queue->owner = nx_engines[engine].neff_key;
	return status;
}

static enum nx_status read_queue_parts(struct nx_assembly *a, struct nx_cursor *c,
				       struct nx_plan_queue *queue, struct nx_error *err)
{
	int64_t rings = DEFAULT_RINGS, scratch[NX_PLAN_MAX_DIMS];
	enum nx_status status = NX_OK;
	unsigned count;

	for (bool goes_on = true; goes_on && !status; queue->ring_count = (uint32_t)rings) {
		if (nx_assembly_key(c, "owner"))
			status = read_owner(a, c, queue, err);
		else if (nx_assembly_key(c, "type"))
			status = nx_assembly_word(a, c, "in, data or dynamic", &queue->type, err);
		else if (nx_assembly_key(c, "semaphores"))
			status = read_semaphores(a, c, queue, err);
		else if (nx_assembly_key(c, "rings"))
			status = nx_assembly_number(c, 1, MAX_RINGS, &rings, err);
		else if (nx_assembly_key(c, "scratch")) {
			status = nx_assembly_list(c, 0, scratch, &count, err);
			if (!status && count != 2)
				return nx_fail(err, NX_FORMAT, "scratch= is [offset,bytes]");
			queue->scratch_offset = status ? 0 : (uint64_t)scratch[0];
			queue->scratch_bytes = status ? 0 : (uint64_t)scratch[1];
		} else {
			goes_on = false;
		}
	}
	return status;
}

static size_t find_queue(struct nx_assembly_core *core, const char *name)
{
	size_t i = 0;

	while (i < core->queues.len && strcmp(core->queues.items[i].name, name) != 0)
		i++;
	return i;
}

enum nx_status nx_directive_queue(struct nx_assembly *a, struct nx_cursor *c, struct nx_error *err)
{
	struct nx_assembly_core *core = nx_assembly_core(a);
	struct nx_plan_queue queue = {.type = "data"};
	enum nx_status status = nx_assembly_word(a, c, "the queue's name", &queue.name, err);

	if (!status && find_queue(core, queue.name) < core->queues.len)
		return nx_fail(err, NX_FORMAT, "core %u has a queue '%s' already", a->core,
			       queue.name);
	if (!status)
		status = read_queue_parts(a, c, &queue, err);
	if (!status)
		status = nx_assembly_end(c, err);
	if (status)
		return status;
	if (!queue.owner || !queue.semaphores)
		return nx_fail(err, NX_FORMAT, "a queue needs owner= and semaphores=[...]");
	nx_vec_push(&core->queues, queue);
	nx_vec_push(&core->queue_names, queue.name);
	nx_vec_push(&core->block_counts, 0);
	return NX_OK;
}

/* --- blocks --------------------------------------------------------------------------- */

/* NULL when the line is wrong; *status says why. */
static struct nx_assembly_block *begin_block(struct nx_assembly *a, struct nx_cursor *c,
					     enum nx_status *status, struct nx_error *err)
{
	struct nx_assembly_core *core = nx_assembly_core(a);
	struct nx_assembly_block block = {0};
	const struct nx_plan_queue *queue;
	const char *name;
	size_t index;

	*status = nx_assembly_word(a, c, "a queue", &name, err);
	if (!*status && a->engine == NX_ASSEMBLY_NO_ENGINE)
		*status = nx_fail(err, NX_FORMAT, "no engine is chosen; write .engine first");
	if (*status)
		return NULL;
	index = find_queue(core, name);
	if (index == core->queues.len) {
		*status =
			nx_fail(err, NX_FORMAT, "unknown queue '%s'; declare it with .queue", name);
		return NULL;
	}
	queue = &core->queues.items[index];
	assert(queue->semaphore_count);
	block.plan.queue = queue->name;
	block.plan.id = core->block_counts.items[index]++;
	block.plan.semaphore = queue->semaphores[block.plan.id % queue->semaphore_count];
	*status = nx_assembly_define(a, nx_slice_text("last_block"),
				     nx_value_of((int64_t)block.plan.id), err);
	nx_vec_push(&core->engines[a->engine].blocks, block);
	return &core->engines[a->engine].blocks.items[core->engines[a->engine].blocks.len - 1];
}

enum nx_status nx_directive_block(struct nx_assembly *a, struct nx_cursor *c, struct nx_error *err)
{
	enum nx_status status;
	struct nx_assembly_block *block = begin_block(a, c, &status, err);
	int64_t number;

	if (!block)
		return status;
	number = block->plan.id;
	if (!status && nx_assembly_key(c, "id"))
		status = nx_assembly_number(c, 0, UINT32_MAX, &number, err);
	block->plan.id = (uint32_t)number;
	number = block->plan.semaphore;
	if (!status && nx_assembly_key(c, "semaphore"))
		status = nx_assembly_number(c, 0, NX_SEMAPHORE_COUNT - 1, &number, err);
	block->plan.semaphore = (uint32_t)number;
	if (!status && nx_assembly_key(c, "comment"))
		status = nx_assembly_word(a, c, "a comment", &block->plan.comment, err);
	a->has_block = !status;
	return status;
}

/* --- descriptors ----------------------------------------------------------------------- */

static enum nx_status read_pattern(struct nx_cursor *c, struct nx_plan_side *side,
				   struct nx_error *err)
{
	int64_t sizes[NX_PLAN_MAX_DIMS];
	unsigned count;
	enum nx_status status = nx_assembly_list(c, INT64_MIN, side->steps, &side->dims, err);

	if (!status)
		status = nx_assembly_list(c, 0, sizes, &count, err);
	if (status)
		return status;
	if (count != side->dims)
		return nx_fail(err, NX_FORMAT,
			       "%u steps but %u sizes; give the same number of both", side->dims,
			       count);
	for (unsigned i = 0; i < count; i++)
		side->sizes[i] = (uint64_t)sizes[i];
	return NX_OK;
}

/* The element type before an '@', if there is one. */
static const char *take_dtype(struct nx_assembly *a, struct nx_cursor *c)
{
	size_t start = c->at;
	struct nx_slice word = nx_cursor_take_name(c);
	enum nx_dtype dtype = nx_dtype_find(word);

	if (word.len == 0 || !nx_cursor_take(c, "@")) {
		c->at = start;
		return NULL;
	}
	return dtype ? nx_dtype_neff_name(dtype) : nx_arena_copy(&a->arena, word);
}

/* Names the core's variables, as many as one line holds. */
static enum nx_status fail_without_variable(const struct nx_assembly *a,
					    const struct nx_assembly_core *core, const char *name,
					    struct nx_error *err)
{
	char list[256] = "";
	size_t used = 0, i;

	for (i = 0; i < core->variables.len && used < sizeof(list) - 64; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%.60s",
					 used ? ", " : "", core->variables.items[i].name);
	return nx_fail(err, NX_FORMAT, "core %u has no variable '%s'; it has %s%s", a->core, name,
		       list, i < core->variables.len ? ", ..." : "");
}

/* [DTYPE@]VARIABLE[+offset][[steps][sizes]]; without a pattern all of the variable. */
static enum nx_status read_side(struct nx_assembly *a, struct nx_cursor *c,
				struct nx_plan_side *side, struct nx_error *err)
{
	struct nx_assembly_core *core = nx_assembly_core(a);
	const struct nx_plan_variable *v;
	size_t start;
	enum nx_status status;
	int64_t offset = 0;
	uint64_t index;

	side->dtype = take_dtype(a, c);
	start = c->at;
	status = nx_assembly_word(a, c, "a variable", &side->variable, err);
	if (status)
		return status;
	if (!nx_text_map_get(&core->variable_of_name, nx_slice_text(side->variable), &index)) {
		c->at = start;
		return fail_without_variable(a, core, side->variable, err);
	}
	v = &core->variables.items[index];
	if (nx_cursor_take(c, "+"))
		status = nx_assembly_number(c, 0, INT64_MAX, &offset, err);
	if (status)
		return status;
	side->offset = (uint64_t)offset;
	if (!side->dtype)
		side->dtype = v->dtype;
	if (nx_cursor_peek(c) == '[')
		return read_pattern(c, side, err);
	if (!v->size_bytes)
		return nx_fail(err, NX_FORMAT, "[steps][sizes] are missing: '%s' has no size",
			       side->variable);
	side->dims = 1;
	side->steps[0] = 1;
	side->sizes[0] = v->size_bytes;
	return NX_OK;
}

static uint64_t bytes_of(const struct nx_plan_side *side)
{
	uint64_t bytes = 1;

	for (unsigned i = 0; i < side->dims; i++)
		if (__builtin_mul_overflow(bytes, side->sizes[i], &bytes))
			return UINT64_MAX;
	return bytes;
}

static enum nx_status check_sides(struct nx_plan_descriptor *d, struct nx_plan_side *from,
				  struct nx_error *err)
{
	const char *known = d->to.dtype;

	for (size_t i = 0; i < d->from_count; i++)
		known = from[i].dtype ? from[i].dtype : known;
	if (!known)
		return nx_fail(err, NX_FORMAT, "the element type is missing: from=fp32@...");
	if (!d->to.dtype)
		d->to.dtype = known;
	for (size_t i = 0; i < d->from_count; i++) {
		if (!from[i].dtype)
			from[i].dtype = d->to.dtype;
		if (strcmp(from[i].dtype, d->to.dtype) == 0 &&
		    bytes_of(&from[i]) != bytes_of(&d->to))
			return nx_fail(err, NX_FORMAT, "from= has %llu bytes and to= %llu",
				       (unsigned long long)bytes_of(&from[i]),
				       (unsigned long long)bytes_of(&d->to));
	}
	return NX_OK;
}

static enum nx_status read_sides(struct nx_assembly *a, struct nx_cursor *c,
				 struct nx_plan_descriptor *d, struct nx_error *err)
{
	struct nx_plan_side *from = NX_NEW_ARRAY(&a->arena, struct nx_plan_side, 1), more[1];
	size_t room = 1;
	enum nx_status status = NX_OK;

	d->from = from;
	while (!status && nx_assembly_key(c, "from")) {
		memset(more, 0, sizeof(more));
		status = read_side(a, c, more, err);
		if (d->from_count == MAX_SOURCES)
			return nx_fail(err, NX_LIMIT, "a sum has at most %d parts", MAX_SOURCES);
		if (d->from_count == room) {
			struct nx_plan_side *old = from;

			room *= 4;
			from = NX_NEW_ARRAY(&a->arena, struct nx_plan_side, room);
			memcpy(from, old, d->from_count * sizeof(*old));
			d->from = from;
		}
		from[d->from_count++] = more[0];
	}
	if (!status && (d->from_count == 0 || !nx_assembly_key(c, "to")))
		return nx_fail(err, NX_FORMAT, "expected %s=", d->from_count ? "to" : "from");
	if (!status)
		status = read_side(a, c, &d->to, err);
	return status ? status : check_sides(d, from, err);
}

static enum nx_status add_descriptor(struct nx_assembly *a, struct nx_cursor *c,
				     struct nx_plan_descriptor *d, struct nx_error *err)
{
	struct nx_assembly_engine *engine;
	enum nx_status status;
	size_t start = c->at;

	if (!a->has_block)
		return nx_fail(err, NX_FORMAT, "a transfer belongs to a block; write .block first");
	status = read_sides(a, c, d, err);
	if (!status)
		status = nx_assembly_end(c, err);
	if (status)
		return status;
	if (d->from_count > 1 && (!d->op || strcmp(d->op, "add") != 0)) {
		c->at = start;
		return nx_fail(err, NX_FORMAT, "only .add has several from=");
	}
	engine = &nx_assembly_core(a)->engines[a->engine];
	assert(engine->blocks.len);
	nx_vec_push(&engine->blocks.items[engine->blocks.len - 1].descriptors, *d);
	return NX_OK;
}

/* .copy, .cast and .add */
enum nx_status nx_directive_transfer(struct nx_assembly *a, struct nx_cursor *c,
				     struct nx_error *err)
{
	return add_descriptor(a, c, &(struct nx_plan_descriptor){.op = a->directive}, err);
}

/* element=BYTES [tiling=DIMS] [op=WZXY] and the two sides */
enum nx_status nx_directive_transpose(struct nx_assembly *a, struct nx_cursor *c,
				      struct nx_error *err)
{
	struct nx_plan_descriptor d = {.transpose_op = "WZXY"};
	int64_t element = 0, tiling = 0;
	enum nx_status status = NX_OK;

	if (!nx_assembly_key(c, "element"))
		return nx_fail(err, NX_FORMAT, "expected element=, in bytes");
	status = nx_assembly_number(c, 1, 8, &element, err);
	if (!status && nx_assembly_key(c, "tiling"))
		status = nx_assembly_number(c, 0, NX_PLAN_MAX_DIMS, &tiling, err);
	if (!status && nx_assembly_key(c, "op"))
		status = nx_assembly_word(a, c, "an order of dimensions", &d.transpose_op, err);
	d.transpose_element_bytes = (uint32_t)element;
	d.tiling_dims = (uint32_t)tiling;
	return status ? status : add_descriptor(a, c, &d, err);
}

/* --- both in one line -------------------------------------------------------------------- */

/* Waits and updates between the queue and from=: they belong to the trigger. */
static struct nx_slice take_meetings(struct nx_cursor *c)
{
	size_t start = c->at, end;

	for (end = start; end < c->text.len; end++) {
		struct nx_cursor here = {.text = c->text, .at = end};

		if (nx_assembly_key(&here, "from"))
			break;
	}
	c->at = end;
	return nx_slice_part(c->text, start, end - start);
}

/* QUEUE [waits] from=... to=...: a block of one descriptor, and the instruction that starts it. */
enum nx_status nx_directive_dma(struct nx_assembly *a, struct nx_cursor *c, struct nx_error *err)
{
	struct nx_plan_descriptor d = {.op = "copy"};
	enum nx_status status;
	struct nx_assembly_block *block = begin_block(a, c, &status, err);
	struct nx_cursor trigger;
	struct nx_slice meetings;
	size_t start = c->at;
	const char *text;

	if (!block)
		return status;
	meetings = take_meetings(c);
	status = read_sides(a, c, &d, err);
	if (!status)
		status = nx_assembly_end(c, err);
	if (status)
		return status;
	assert(d.from[0].dtype && d.to.dtype); /* read_sides has read both */
	if (strcmp(d.from[0].dtype, d.to.dtype) != 0)
		d.op = "cast";
	if (d.from_count > 1)
		d.op = "add";
	nx_vec_push(&block->descriptors, d);
	text = nx_arena_printf(&a->arena, "PSEUDO_DMA_TRIGGER%.*s %s block_id=%u",
			       (int)meetings.len, (const char *)meetings.data, block->plan.queue,
			       block->plan.id);
	trigger = (struct nx_cursor){.text = nx_slice_text(text)};
	status = nx_assembly_instruction(a, &trigger, err);
	if (status)
		c->at = start + (trigger.at > 18 ? trigger.at - 18 : 0);
	return status;
}
