/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Session files and the NEFFs they belong to, by the names runtimes give them (ids are compared
 *when the pair is opened):
 *
 *	<model>_instid_<i>_vnc_<n>.ntff	beside neff_<model>.neff or neff_<model>_vnc_<n>.neff
 *	profile_nc_<n>_session_<s>.ntff	of a whole session: the only NEFF of its folder
 *	profile_rank_<i>.ntff, profile_exec_<k>.ntff	of `capture`: the NEFF given with -n
 */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
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
#define SEVERAL UINT64_MAX

/* A directory of thousands of ranks has as many NEFFs, so they are looked up. */
struct neff_index {
	const struct nx_capture_folders *found;
	struct nx_map by_place;	      /* folder, model and virtual core -> the first of them */
	struct nx_map by_model;	      /* model -> the last of them, wherever it lies */
	struct nx_text_map by_folder; /* the only NEFF of a folder, or SEVERAL */
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

static void index_neffs(struct neff_index *index, const struct nx_capture_folders *found)
{
	index->found = found;
	for (size_t i = 0; i < found->neffs.len; i++) {
		const struct nx_found_file *neff = &found->neffs.items[i];
		struct nx_slice folder = nx_slice_text(neff->folder);
		uint64_t id, other;

		nx_text_map_put(&index->by_folder, folder,
				nx_text_map_get(&index->by_folder, folder, &other) ? SEVERAL : i);
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

/* --- session files --------------------------------------------------------- */

static void add_device(struct nx_system_run *run, const struct neff_index *neffs,
		       const struct nx_found_file *session)
{
	struct nx_device_capture d = {.session_path = session->path,
				      .model_name = "",
				      .rank = UINT32_MAX,
				      .nc_idx = number_after(session->name, "_vnc_"),
				      .session = number_after(session->name, "_session_"),
				      .is_empty = !session->size_bytes};
	const struct nx_found_file *neff = NULL;
	struct nx_slice folder = nx_slice_text(session->folder);
	uint64_t rank, at;

	if (d.nc_idx == UINT32_MAX)
		d.nc_idx = number_after(session->name, "_nc_");
	if (leading_number(session->name, &d.model_id))
		neff = neff_of_model(neffs, session, d.model_id);
	else if (nx_text_map_get(&neffs->by_folder, folder, &at) && at != SEVERAL)
		neff = &neffs->found->neffs.items[at];
	if (!strncmp(session->name, "profile_rank_", 13) &&
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

	index_neffs(&neffs, &run->found);
	for (size_t i = 0; i < run->found.sessions.len; i++)
		if (is_chosen(run, &run->found.sessions.items[i]))
			add_device(run, &neffs, &run->found.sessions.items[i]);
	nx_map_release(&neffs.by_place);
	nx_map_release(&neffs.by_model);
	nx_text_map_release(&neffs.by_folder);
}
