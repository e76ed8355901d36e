/* SPDX-License-Identifier: Apache-2.0 */
#include "format/perfetto_intern.h"

static uint64_t key_of(uint64_t text_id, enum nx_perfetto_space space)
{
	return text_id * NX_SPACE_COUNT + space;
}

uint64_t nx_perfetto_intern(struct nx_perfetto_texts *texts, struct nx_perfetto_iids *iids,
			    enum nx_perfetto_space space, struct nx_slice text, bool *is_new)
{
	uint64_t id, iid;
	bool is_stored = nx_text_map_get(&texts->ids, text, &id);

	*is_new = false;
	if (is_stored && nx_map_get(&iids->known, key_of(id, space), &iid))
		return iid;
	if (iids->last[space] >= NX_PERFETTO_TEXTS_MAX)
		return 0;
	if (!is_stored) {
		id = texts->ids.len;
		nx_text_map_put(&texts->ids,
				nx_slice_of(nx_arena_copy(&texts->arena, text), text.len), id);
	}
	iid = ++iids->last[space];
	nx_map_put(&iids->known, key_of(id, space), iid);
	*is_new = true;
	return iid;
}

void nx_perfetto_texts_release(struct nx_perfetto_texts *texts)
{
	nx_text_map_release(&texts->ids);
	nx_arena_release(&texts->arena);
}
