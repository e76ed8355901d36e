/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/event_nesting.h"
#include <assert.h>

static_assert((NX_RECENT_STACKS & (NX_RECENT_STACKS - 1)) == 0, "the remainder is a mask");

static uint64_t stack_key(const struct nx_system_event *e, uint8_t source)
{
	uint64_t parts[] = {e->process, e->thread_id, source};

	return nx_hash_words(parts, sizeof(parts) / sizeof(parts[0]));
}

/* Index of the thread's stack, or NX_NO_STACK. */
static size_t find_stack(struct nx_event_nesting *n, const struct nx_system_event *e,
			 uint8_t source)
{
	struct nx_recent_stack *recent =
		&n->recent[(e->thread_id * 2 + (source == NX_SOURCE_FRAMEWORK)) % NX_RECENT_STACKS];
	uint64_t index;

	/* an entry for a missing stack is stale once a new stack was added */
	if (recent->stack_count && recent->thread_id == e->thread_id &&
	    recent->process == e->process && recent->source == source &&
	    (recent->stack != NX_NO_STACK || recent->stack_count == n->stacks.len))
		return recent->stack;
	*recent = (struct nx_recent_stack){e->thread_id, e->process, source, NX_NO_STACK,
					   n->stacks.len};
	if (nx_map_get(&n->threads, stack_key(e, source), &index))
		recent->stack = index;
	return recent->stack;
}

static struct nx_thread_stack *stack_of(struct nx_event_nesting *n, const struct nx_system_event *e)
{
	size_t index = find_stack(n, e, e->source);

	if (index == NX_NO_STACK) {
		index = n->stacks.len;
		nx_map_put(&n->threads, stack_key(e, e->source), index);
		nx_vec_push(&n->stacks, ((struct nx_thread_stack){0}));
	}
	return &n->stacks.items[index];
}

/* Events that ended by this time are on top. */
static void drop_until(struct nx_thread_stack *stack, uint64_t end_ns)
{
	struct nx_open_events *open = &stack->open;

	while (open->len && open->items[open->len - 1].end_ns <= end_ns)
		open->len--;
}

/* The innermost open event that encloses e. One that ends earlier only overlaps. */
static const struct nx_open_event *enclosing(const struct nx_open_events *open,
					     const struct nx_system_event *e)
{
	size_t low = 0, high = open->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (open->items[middle].end_ns >= e->end_ns &&
		    open->items[middle].end_ns > e->start_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &open->items[low - 1] : NULL;
}

static uint64_t framework_flow(struct nx_event_nesting *n, const struct nx_system_event *e)
{
	size_t index = find_stack(n, e, NX_SOURCE_FRAMEWORK);
	const struct nx_open_event *call;

	if (index == NX_NO_STACK)
		return 0;
	call = enclosing(&n->stacks.items[index].open, e);
	return call ? call->flow_id : 0;
}

void nx_event_nesting_place(struct nx_event_nesting *n, struct nx_system_event *e)
{
	struct nx_thread_stack *stack;
	const struct nx_open_event *parent;

	e->parent_id = 0;
	e->depth = 0;
	if (e->source == NX_SOURCE_HARDWARE)
		return;
	stack = stack_of(n, e);
	drop_until(stack, e->start_ns);
	parent = enclosing(&stack->open, e);
	e->parent_id = parent ? parent->id : 0;
	e->depth = parent ? (uint16_t)(parent->depth + (parent->depth < UINT16_MAX)) : 0;
	e->call_flow_id = e->source == NX_SOURCE_RUNTIME ? framework_flow(n, e) : 0;
	if (!e->flow_id) {
		e->flow_id = e->call_flow_id;
		e->call_flow_id = 0;
	}
	if (e->flags & NX_EVENT_INSTANT)
		return;
	drop_until(stack, e->end_ns);
	nx_vec_push(&stack->open, ((struct nx_open_event){e->id, e->end_ns, e->flow_id, e->depth}));
}

void nx_event_nesting_release(struct nx_event_nesting *n)
{
	for (size_t i = 0; i < n->stacks.len; i++)
		nx_vec_release(&n->stacks.items[i].open);
	nx_vec_release(&n->stacks);
	nx_map_release(&n->threads);
}
