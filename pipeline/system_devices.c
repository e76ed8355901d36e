/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Session files and the NEFFs they belong to, by the names runtimes give them (ids are compared
 * when the pair is opened):
 *
 *	<model>_instid_<i>_vnc_<n>.ntff	beside neff_<model>.neff or neff_<model>_vnc_<n>.neff
 *	profile_nc_<n>_session_<s>.ntff	of a whole session: by ids, since it may have several
 *	profile_rank_<i>.ntff, profile_exec_<k>.ntff	of `capture`: the NEFF given with -n
 *
 * If no name decides, ids do: of the NEFFs in its folder and in neffs/ below, where servers such as
 * vLLM copy theirs as graph_<hash>.neff.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/path.h"
#include "decode/ntff/ntff_decoder.h"
#include "format/neff.h"
#include "format/ntff.h"
#include "pipeline/neff_match.h"
#include "pipeline/system_run.h"

static bool leading_number(const char *name, uint64_t *number)
{
	char *end;

	if (*name < '0' || *name > '9')
		return false;
	*number = strtoull(name, &end, 10);
	return *end == '_' || *end == '.';
}

/* The number after a word of the name; UINT32_MAX if there is none. */
static uint32_t number_after(const char *name, const char *word)
{
	const char *at = strstr(name, word);
	uint64_t number;

	if (!at || !leading_number(at + strlen(word), &number) || number >= UINT32_MAX)
		return UINT32_MAX;
	return (uint32_t)number;
}

/* --- NEFFs by folder and model --------------------------------------------- */

#define NO_VNC UINT64_MAX

struct neff_id {
	bool is_read, is_valid;
	uint8_t uuid[16];
};

/* A directory of thousands of ranks has as many NEFFs, so they are looked up. */
struct neff_index {
	const struct nx_capture_folders *found;
	struct nx_map by_place;	      /* folder, model and virtual core -> the first of them */
	struct nx_map by_model;	      /* model -> the last of them, wherever it lies */
	struct nx_text_map by_folder; /* the first NEFF of a folder; its others follow */
	struct neff_id *ids;	      /* of all, read when needed */
};

static uint64_t vnc_of(const char *name)
{
	uint32_t vnc = number_after(name, "_vnc_");

	return vnc != UINT32_MAX ? vnc : NO_VNC;
}

static uint64_t place_key(const char *folder, uint64_t model_id, uint64_t vnc)
{
	uint64_t h = nx_fnv1a(NX_FNV_SEED, folder, strlen(folder));

	h = nx_fnv1a(h, &model_id, sizeof(model_id));
	return nx_fnv1a(h, &vnc, sizeof(vnc));
}

static void put_first(struct nx_map *map, uint64_t key, uint64_t value)
{
	uint64_t older;

	if (!nx_map_get(map, key, &older))
		nx_map_put(map, key, value);
}

static void index_neffs(struct neff_index *index, const struct nx_capture_folders *found,
			struct nx_arena *arena)
{
	index->found = found;
	index->ids = NX_NEW_ARRAY(arena, struct neff_id, found->neffs.len);
	for (size_t i = 0; i < found->neffs.len; i++) {
		const struct nx_found_file *neff = &found->neffs.items[i];
		struct nx_slice folder = nx_slice_text(neff->folder);
		uint64_t id, other;

		if (!nx_text_map_get(&index->by_folder, folder, &other))
			nx_text_map_put(&index->by_folder, folder, i);
		if (strncmp(neff->name, "neff_", 5) != 0 || !leading_number(neff->name + 5, &id))
			continue;
		put_first(&index->by_place, place_key(neff->folder, id, vnc_of(neff->name)), i);
		/* one of another virtual core is still of the same model */
		put_first(&index->by_place, place_key(neff->folder, id, NO_VNC), i);
		nx_map_put(&index->by_model, id, i);
	}
}

static const struct nx_found_file *neff_of_model(const struct neff_index *index,
						 const struct nx_found_file *session,
						 uint64_t model_id)
{
	uint64_t at;

	if (nx_map_get(&index->by_place,
		       place_key(session->folder, model_id, vnc_of(session->name)), &at) ||
	    nx_map_get(&index->by_place, place_key(session->folder, model_id, NO_VNC), &at) ||
	    nx_map_get(&index->by_model, model_id, &at))
		return &index->found->neffs.items[at];
	return NULL;
}

/* --- NEFFs by id ----------------------------------------------------------- */

struct session_ids {
	struct nx_slice uid, uuid; /* see nx_neff_has_id */
};

static bool neff_has_ids(struct neff_index *index, size_t at, const struct session_ids *ids)
{
	struct neff_id *id = &index->ids[at];

	if (!id->is_read) {
		struct nx_neff_header header;
		struct nx_file file = {0};
		struct nx_error err = {0};

		id->is_read = true;
		id->is_valid = !nx_file_map(&file, index->found->neffs.items[at].path, &err) &&
			       !nx_neff_read_header(file.bytes, &header, &err);
		if (id->is_valid)
			memcpy(id->uuid, header.uuid, sizeof(id->uuid));
		nx_file_unmap(&file);
	}
	return id->is_valid && nx_neff_has_id(ids->uid, ids->uuid, id->uuid);
}

static const struct nx_found_file *neff_with_ids(struct neff_index *index, const char *folder,
						 const struct session_ids *ids)
{
	const struct nx_found_files *neffs = &index->found->neffs;
	uint64_t at;

	if (!nx_text_map_get(&index->by_folder, nx_slice_text(folder), &at))
		return NULL;
	for (; at < neffs->len && !strcmp(neffs->items[at].folder, folder); at++)
		if (neff_has_ids(index, at, ids))
			return &neffs->items[at];
	return NULL;
}

struct neff_list NX_VEC_BODY(const struct nx_found_file *);

static void take_neff(struct neff_list *list, const struct nx_found_file *neff)
{
	for (size_t i = 0; i < list->len; i++)
		if (list->items[i] == neff)
			return;
	if (neff)
		nx_vec_push(list, neff);
}

/* One for each model of the session whose NEFF is there. */
static void find_by_id(struct neff_index *index, const struct nx_found_file *session,
		       struct neff_list *list)
{
	struct nx_arena arena = {0};
	const char *below = nx_arena_printf(&arena, "%s/neffs", session->folder);
	struct session_ids ids = {0};
	struct nx_file file = {0};
	struct nx_error err = {0};
	struct nx_ntff ntff;
	uint64_t at;

	if ((nx_text_map_get(&index->by_folder, nx_slice_text(session->folder), &at) ||
	     nx_text_map_get(&index->by_folder, nx_slice_text(below), &at)) &&
	    !nx_file_map(&file, session->path, &err) &&
	    !nx_ntff_read(file.bytes, &arena, &ntff, &err)) {
		ids.uuid = ntff.info.uuid;
		for (size_t i = 0; i < ntff.info.nodes.count; i++) {
			const struct nx_found_file *neff;

			if (!ntff.info.nodes.items[i].has_device)
				continue;
			ids.uid = ntff.info.nodes.items[i].uid;
			neff = neff_with_ids(index, session->folder, &ids);
			take_neff(list, neff ? neff : neff_with_ids(index, below, &ids));
		}
	}
	nx_file_unmap(&file);
	nx_arena_release(&arena);
}

static const char *const *other_paths(const struct neff_list *list, struct nx_arena *arena)
{
	const char **paths = NX_NEW_ARRAY(arena, const char *, list->len);

	for (size_t i = 1; i < list->len; i++)
		paths[i - 1] = list->items[i]->path;
	return paths;
}

/* NULL if the folder has none or several. */
static const struct nx_found_file *only_neff(const struct neff_index *index, const char *folder)
{
	const struct nx_found_files *neffs = &index->found->neffs;
	uint64_t at;

	if (!nx_text_map_get(&index->by_folder, nx_slice_text(folder), &at) ||
	    (at + 1 < neffs->len && !strcmp(neffs->items[at + 1].folder, folder)))
		return NULL;
	return &neffs->items[at];
}

/* --- session files --------------------------------------------------------- */

/* What the capture itself tells. A file that cannot be read is reported when it is processed. */
static uint32_t told_rank(const struct nx_found_file *session)
{
	struct nx_arena arena = {0};
	struct nx_file file = {0};
	struct nx_ntff ntff;
	uint32_t rank = UINT32_MAX;

	if (session->size_bytes && !nx_file_map(&file, session->path, NULL)) {
		if (!nx_ntff_read(file.bytes, &arena, &ntff, NULL))
			rank = nx_ntff_rank(&ntff.info, &arena);
		nx_file_unmap(&file);
	}
	nx_arena_release(&arena);
	return rank;
}

static void add_device(struct nx_system_run *run, struct neff_index *neffs,
		       const struct nx_found_file *session)
{
	struct nx_device_capture d = {.session_path = session->path,
				      .model_name = "",
				      .rank = UINT32_MAX,
				      .nc_idx = number_after(session->name, "_vnc_"),
				      .session = number_after(session->name, "_session_"),
				      .is_empty = !session->size_bytes};
	const struct nx_found_file *neff = NULL;
	struct neff_list by_id = {0};
	struct nx_slice folder = nx_slice_text(session->folder);
	uint64_t rank, at;

	if (d.nc_idx == UINT32_MAX)
		d.nc_idx = number_after(session->name, "_nc_");
	if (leading_number(session->name, &d.model_id))
		neff = neff_of_model(neffs, session, d.model_id);
	else if (d.session == UINT32_MAX)
		neff = only_neff(neffs, session->folder);
	if (!neff && !run->options.neff_path && !d.is_empty)
		find_by_id(neffs, session, &by_id);
	if (by_id.len)
		neff = by_id.items[0];
	else if (d.session != UINT32_MAX)
		neff = only_neff(neffs, session->folder);
	if (by_id.len > 1)
		d.other_neffs = other_paths(&by_id, &run->profile.arena);
	nx_vec_release(&by_id);
	d.rank = told_rank(session);
	if (d.rank == UINT32_MAX && !strncmp(session->name, "profile_rank_", 13) &&
	    leading_number(session->name + 13, &rank) && rank < UINT32_MAX)
		d.rank = (uint32_t)rank;
	d.neff_path = run->options.neff_path ? run->options.neff_path : neff ? neff->path : NULL;
	if (!d.model_id && neff && !strncmp(neff->name, "neff_", 5))
		leading_number(neff->name + 5, &d.model_id);
	d.process =
		nx_text_map_get(&run->processes_by_folder, folder, &at) ? (uint32_t)at : UINT32_MAX;
	if (d.process != UINT32_MAX && d.model_id) {
		struct nx_slice name =
			nx_ntrace_interned_text(&run->inputs[d.process].decoder, d.model_id);

		d.model_name = nx_arena_copy(&run->profile.arena, name);
	}
	nx_vec_push(&run->profile.devices, d);
}

/* Files in folders below the directory do not count. */
static bool is_chosen(const struct nx_system_run *run, const struct nx_found_file *session)
{
	const char *prefix = run->options.session_prefix;

	return !prefix || (!strcmp(session->folder, run->found.path) &&
			   nx_slice_starts(nx_slice_text(session->name), nx_path_name(prefix)));
}

void nx_system_find_devices(struct nx_system_run *run)
{
	struct neff_index neffs = {0};

	index_neffs(&neffs, &run->found, &run->profile.arena);
	for (size_t i = 0; i < run->found.sessions.len; i++)
		if (is_chosen(run, &run->found.sessions.items[i]))
			add_device(run, &neffs, &run->found.sessions.items[i]);
	nx_map_release(&neffs.by_place);
	nx_map_release(&neffs.by_model);
	nx_text_map_release(&neffs.by_folder);
}
