/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/field_group.h"

#include <stddef.h>
#include <string.h>

/* How a name begins or ends ("*_ts"), or all of it; the first that fits is taken. */
static const struct {
	const char *pattern;
	const char *group;
} groups[] = {
	{"*_ts", "Timing"},
	{"*_ts_ns", "Timing"},
	{"timestamp", "Timing"},
	{"*_timestamp", "Timing"},
	{"duration*", "Timing"},
	{"*_time_ns", "Timing"},
	{"*_time", "Timing"},
	{"*_delay", "Timing"},

	{"nki_*", "Source"},
	{"bir_debug_info_*", "Source"},
	{"file_*", "Source"},
	{"line_number", "Source"},
	{"stack_frame*", "Source"},
	{"*_stack_frame_id", "Source"},
	{"*_source_location", "Source"},
	{"function_*", "Source"},

	{"kernel_*", "Kernel"},
	{"iteration_variable*", "Kernel"},
	{"modular_flow_*", "Kernel"},
	{"block_id", "Kernel"},

	{"hlo_*", "Model"},
	{"layer*", "Model"},
	{"framework_*", "Model"},
	{"*_framework_id", "Model"},
	{"*_hlo_id", "Model"},
	{"model_*", "Model"},
	{"network_*", "Model"},
	{"penguin_*", "Model"},
	{"tensor_name", "Model"},
	{"variable*", "Model"},

	{"*_bytes", "Memory"},
	{"*_size", "Memory"},
	{"size", "Memory"},
	{"*_address", "Memory"},
	{"*partition*", "Memory"},
	{"read_*", "Memory"},
	{"write_*", "Memory"},
	{"dram_*", "Memory"},
	{"hbm_*", "Memory"},
	{"sbuf_*", "Memory"},
	{"psum_*", "Memory"},
	{"*throughput", "Memory"},
	{"*bandwidth*", "Memory"},

	{"id", "Identity"},
	{"*_id", "Identity"},
	{"*_idx", "Identity"},
	{"pc", "Identity"},
	{"*_pc", "Identity"},
	{"engine", "Identity"},
	{"*_engine", "Identity"},
	{"timeline_track", "Identity"},
	{"queue_*", "Identity"},
	{"name", "Identity"},
	{"*_gid", "Identity"},
	{"trace_event_source", "Identity"},

	{"*opcode", "Operation"},
	{"*operands", "Operation"},
	{"op", "Operation"},
	{"op_*", "Operation"},
	{"operation", "Operation"},
	{"*flops*", "Operation"},
	{"*element*", "Operation"},
	{"dtype", "Operation"},
	{"*shape", "Operation"},
	{"algorithm", "Operation"},
	{"*semaphore*", "Operation"},
	{"*type", "Operation"},
	{"scalar_activation_fn", "Operation"},
};

static int fits(const char *pattern, const char *name)
{
	size_t len = strlen(pattern), name_len = strlen(name);
	int is_open_front = pattern[0] == '*', is_open_back = pattern[len - 1] == '*';
	size_t word_len = len - (size_t)is_open_front - (size_t)is_open_back;
	const char *word = pattern + is_open_front;

	if (name_len < word_len)
		return 0;
	if (is_open_front && is_open_back)
		return memmem(name, name_len, word, word_len) != NULL;
	if (is_open_front)
		return !memcmp(name + name_len - word_len, word, word_len);
	return !memcmp(name, word, word_len) && (is_open_back || name_len == word_len);
}

const char *nx_field_group(const char *column)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (fits(groups[i].pattern, column))
			return groups[i].group;
	return "Details";
}
