/* SPDX-License-Identifier: Apache-2.0 */
#include "model/capture.h"

#include <assert.h>

#include "base/map.h"

const char *nx_queue_class_name(enum nx_queue_class queue_class)
{
	static const char *const names[] = {"data", "instruction", "hardware_dynamic",
					    "software_dynamic"};

	static_assert(sizeof(names) / sizeof(names[0]) == NX_QUEUE_CLASS_COUNT, "all have names");
	assert(queue_class < NX_QUEUE_CLASS_COUNT);
	return names[queue_class];
}

const char *nx_queue_type_name(unsigned type)
{
	static const char *const names[] = {"unknown", "instructions", "weights", "input",
					    "output",  "unknown",      "h2t"};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "unknown";
}

const struct nx_execution_span *nx_capture_execution_at(const struct nx_capture *c, int64_t time_ps)
{
	size_t low = 0, high = c->executions ? c->shown_execution_count : 0;

	while (low < high) { /* finds the first that starts later */
		size_t middle = low + (high - low) / 2;

		if (c->executions[middle].start_ps <= time_ps)
			low = middle + 1;
		else
			high = middle;
	}
	return low && time_ps <= c->executions[low - 1].end_ps ? &c->executions[low - 1] : NULL;
}

const struct nx_queue *nx_graph_queue(const struct nx_graph *graph, uint32_t engine_idx,
				      uint32_t queue_idx)
{
	/* the last declaration wins, as in AWS's exports */
	for (size_t i = graph->queue_count; i-- > 0;)
		if (graph->queues[i].engine_idx == engine_idx &&
		    graph->queues[i].queue_idx == queue_idx)
			return &graph->queues[i];
	return NULL;
}

struct nx_ultraserver nx_ultraserver_of(uint64_t id, uint64_t size, uint64_t instance_idx)
{
	if (instance_idx >= UINT32_MAX || size > UINT32_MAX)
		return (struct nx_ultraserver){0};
	return (struct nx_ultraserver){true, id, (uint32_t)size, (uint32_t)instance_idx};
}

void nx_graph_each_queue(const struct nx_graph *graph,
			 void (*fn)(void *context, const struct nx_queue *queue), void *context)
{
	struct nx_text_map last = {0};
	uint64_t at = 0;

	for (size_t i = 0; i < graph->queue_count; i++)
		nx_text_map_put(&last, nx_slice_text(graph->queues[i].name), i);
	for (size_t i = 0; i < graph->queue_count; i++) {
		nx_text_map_get(&last, nx_slice_text(graph->queues[i].name), &at);
		if (at == i)
			fn(context, &graph->queues[i]);
	}
	nx_text_map_release(&last);
}

uint64_t nx_graph_memory_bytes(const struct nx_graph *graph)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < graph->memory_count; i++)
		bytes += graph->memory[i].amount_bytes;
	return bytes;
}
