/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/framework/framework_names.h"
#include "decode/framework/framework_decimal.h"

struct key {
	uint64_t is_thread, pid, thread_id;
};

static uint64_t hash_of(bool is_thread, uint64_t pid, uint64_t thread_id)
{
	struct key key = {is_thread, pid, is_thread ? thread_id : 0};

	return nx_fnv1a(NX_FNV_SEED, &key, sizeof(key));
}

static bool is_named(const struct nx_framework_name *name, bool is_thread, uint64_t pid,
		     uint64_t thread_id)
{
	return name->is_thread == is_thread && name->pid == pid &&
	       (!is_thread || name->thread_id == thread_id);
}

static const struct nx_framework_name *find(const struct nx_framework_names *names, bool is_thread,
					    uint64_t pid, uint64_t thread_id)
{
	uint64_t at;

	if (!nx_map_get(&names->index, hash_of(is_thread, pid, thread_id), &at))
		return NULL;
	/* Two that share a hash: the first keeps the place, the second has no name. */
	if (!is_named(&names->list.items[at], is_thread, pid, thread_id))
		return NULL;
	return &names->list.items[at];
}

const struct nx_framework_name *nx_framework_names_process(const struct nx_framework_names *names,
							   uint64_t pid)
{
	return find(names, false, pid, 0);
}

const struct nx_framework_name *nx_framework_names_thread(const struct nx_framework_names *names,
							  uint64_t pid, uint64_t thread_id)
{
	return find(names, true, pid, thread_id);
}

struct nx_framework_name *nx_framework_names_take(struct nx_framework_names *names, bool is_thread,
						  uint64_t pid, uint64_t thread_id)
{
	uint64_t hash = hash_of(is_thread, pid, thread_id);
	struct nx_framework_name *name;
	uint64_t at;

	if (nx_map_get(&names->index, hash, &at)) {
		name = &names->list.items[at];
		return is_named(name, is_thread, pid, thread_id) ? name : NULL;
	}
	if (names->list.len == NX_FRAMEWORK_NAMES_MAX)
		return NULL;
	nx_map_put(&names->index, hash, names->list.len);
	nx_vec_push(&names->list,
		    ((struct nx_framework_name){.pid = pid,
						.thread_id = is_thread ? thread_id : 0,
						.stream_id = NX_FRAMEWORK_NO_STREAM,
						.is_thread = is_thread}));
	return &names->list.items[names->list.len - 1];
}

/* Repeats are common (a text id comes with every event) and must cost no memory. */
void nx_framework_name_set(struct nx_framework_names *names, struct nx_framework_name *name,
			   struct nx_slice text, bool is_told)
{
	if (name->text && (name->is_told || !is_told))
		return;
	name->text = nx_arena_copy(names->arena, text);
	name->is_told = is_told;
	if (name->is_thread && nx_framework_stream_of(text) != NX_FRAMEWORK_NO_STREAM)
		name->stream_id = nx_framework_stream_of(text);
}

void nx_framework_names_release(struct nx_framework_names *names)
{
	nx_vec_release(&names->list);
	nx_map_release(&names->index);
}

uint32_t nx_framework_stream_of(struct nx_slice text)
{
	struct nx_decimal number;

	while (text.len && text.data[text.len - 1] == ' ')
		text.len--;
	while (text.len && text.data[0] == ' ')
		text = nx_slice_part(text, 1, text.len);
	if (!nx_slice_starts(text, "stream "))
		return NX_FRAMEWORK_NO_STREAM;
	text = nx_slice_part(text, strlen("stream "), text.len);
	if (!nx_decimal_parse(text, 0, &number) || number.is_negative ||
	    number.magnitude >= UINT32_MAX)
		return NX_FRAMEWORK_NO_STREAM;
	return (uint32_t)number.magnitude;
}
