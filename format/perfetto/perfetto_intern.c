/* SPDX-License-Identifier: Apache-2.0 */
/* perfetto_intern: the texts of a trace and their numbers in the sequence of each track. */
#include "format/perfetto/perfetto_internal.h"

#include <string.h>

#define NOT_STORED UINT64_MAX

static uint64_t key_of(uint64_t text_id, enum nx_perfetto_space space)
{
	return text_id * NX_SPACE_COUNT + space;
}

/* 0 if the track does not know the text. */
static uint64_t find_iid(const struct nx_perfetto_iids *iids, enum nx_perfetto_space space,
			 uint64_t text_id)
{
	const struct nx_perfetto_early *early = &iids->early[space];
	uint64_t iid;

	if (text_id < NX_PERFETTO_EARLY_TEXTS)
		return text_id < early->len ? early->items[text_id] : 0;
	return nx_map_get(&iids->known, key_of(text_id, space), &iid) ? iid : 0;
}

static void keep_iid(struct nx_perfetto_iids *iids, enum nx_perfetto_space space, uint64_t text_id,
		     uint64_t iid)
{
	struct nx_perfetto_early *early = &iids->early[space];

	if (text_id >= NX_PERFETTO_EARLY_TEXTS) {
		nx_map_put(&iids->known, key_of(text_id, space), iid);
		return;
	}
	while (early->len <= text_id)
		nx_vec_push(early, 0);
	early->items[text_id] = (uint16_t)iid;
}

static uint64_t intern(struct nx_perfetto_texts *texts, struct nx_perfetto_iids *iids,
		       enum nx_perfetto_space space, struct nx_slice text, uint64_t id,
		       bool *is_new)
{
	uint64_t iid = id == NOT_STORED ? 0 : find_iid(iids, space, id);

	assert(space < NX_SPACE_COUNT);
	*is_new = false;
	if (iid)
		return iid;
	if (iids->last[space] >= NX_PERFETTO_TEXTS_MAX)
		return 0;
	if (id == NOT_STORED) {
		const char *copy = nx_arena_copy(&texts->arena, text);

		id = texts->copies.len;
		nx_text_map_put(&texts->ids, nx_slice_of(copy, text.len), id);
		nx_vec_push(&texts->copies, copy);
	}
	iid = ++iids->last[space];
	keep_iid(iids, space, id, iid);
	*is_new = true;
	return iid;
}

uint64_t nx_perfetto_intern(struct nx_perfetto_texts *texts, struct nx_perfetto_iids *iids,
			    enum nx_perfetto_space space, struct nx_slice text, bool *is_new)
{
	uint64_t id;

	if (!nx_text_map_get(&texts->ids, text, &id))
		id = NOT_STORED;
	return intern(texts, iids, space, text, id, is_new);
}

uint64_t nx_perfetto_intern_name(struct nx_perfetto_texts *texts, struct nx_perfetto_iids *iids,
				 enum nx_perfetto_space space, const char *name, bool *is_new)
{
	size_t at = (((uintptr_t)name >> 12) ^ (uintptr_t)name) % NX_PERFETTO_RECENT_NAMES;
	uint64_t id = texts->recent[at].id;

	/* the text at that address may have changed */
	if (texts->recent[at].at != name || strcmp(texts->copies.items[id], name) != 0) {
		if (!nx_text_map_get(&texts->ids, nx_slice_text(name), &id))
			return intern(texts, iids, space, nx_slice_text(name), NOT_STORED, is_new);
		texts->recent[at].at = name;
		texts->recent[at].id = id;
	}
	return intern(texts, iids, space, nx_slice_text(name), id, is_new);
}

void nx_perfetto_iids_release(struct nx_perfetto_iids *iids)
{
	for (unsigned space = 0; space < NX_SPACE_COUNT; space++)
		nx_vec_release(&iids->early[space]);
	nx_map_release(&iids->known);
}

void nx_perfetto_texts_release(struct nx_perfetto_texts *texts)
{
	nx_text_map_release(&texts->ids);
	nx_vec_release(&texts->copies);
	nx_arena_release(&texts->arena);
}
