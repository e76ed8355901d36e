/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Session files and the NEFFs they belong to, by the names runtimes give them:
 *
 *	<model>_instid_<i>_vnc_<n>.ntff	beside neff_<model>.neff or neff_<model>_vnc_<n>.neff
 *	profile_nc_<n>_session_<s>.ntff	of a whole session: the only NEFF of its folder
 *	profile_rank_<i>.ntff, profile_exec_<k>.ntff	of `capture`: the NEFF given with -n
 *
 * Names can lie (a folder may hold another process's capture); whether the two
 * really belong together is checked when the pair is opened.
 */
#include <stdlib.h>
#include <string.h>

#include "pipeline/system_run.h"

static bool leading_number(const char *name, uint64_t *number)
{
	char *end;

	if (*name < '0' || *name > '9')
		return false;
	*number = strtoull(name, &end, 10);
	return *end == '_' || *end == '.';
}

static const struct nx_found_file *neff_of_model(const struct nx_capture_folders *found,
						 const char *folder, uint64_t model_id)
{
	const struct nx_found_file *elsewhere = NULL;

	for (size_t i = 0; i < found->neffs.len; i++) {
		const struct nx_found_file *neff = &found->neffs.items[i];
		uint64_t id;

		if (strncmp(neff->name, "neff_", 5) != 0 || !leading_number(neff->name + 5, &id) ||
		    id != model_id)
			continue;
		if (!strcmp(neff->folder, folder))
			return neff;
		elsewhere = neff;
	}
	return elsewhere;
}

static const struct nx_found_file *only_neff(const struct nx_capture_folders *found,
					     const char *folder)
{
	const struct nx_found_file *only = NULL;

	for (size_t i = 0; i < found->neffs.len; i++) {
		if (strcmp(found->neffs.items[i].folder, folder) != 0)
			continue;
		if (only)
			return NULL;
		only = &found->neffs.items[i];
	}
	return only;
}

static uint32_t process_in(const struct nx_system_profile *p, const char *folder)
{
	for (uint32_t i = 0; i < p->process_count; i++)
		if (!strcmp(p->processes[i].folder, folder))
			return i;
	return UINT32_MAX;
}

static void add_device(struct nx_system_run *run, const struct nx_found_file *session)
{
	struct nx_device_capture d = {.session_path = session->path,
				      .model_name = "",
				      .rank = UINT32_MAX,
				      .is_empty = !session->size_bytes};
	const struct nx_found_file *neff = NULL;
	uint64_t rank;

	if (leading_number(session->name, &d.model_id))
		neff = neff_of_model(&run->found, session->folder, d.model_id);
	else
		neff = only_neff(&run->found, session->folder);
	if (!strncmp(session->name, "profile_rank_", 13) &&
	    leading_number(session->name + 13, &rank) && rank < UINT32_MAX)
		d.rank = (uint32_t)rank;
	d.neff_path = run->options.neff_path ? run->options.neff_path : neff ? neff->path : NULL;
	if (!d.model_id && neff && !strncmp(neff->name, "neff_", 5))
		leading_number(neff->name + 5, &d.model_id);
	d.process = process_in(&run->profile, session->folder);
	if (d.process != UINT32_MAX && d.model_id) {
		struct nx_slice name =
			nx_ntrace_interned_text(&run->inputs[d.process].decoder, d.model_id);

		d.model_name = nx_arena_copy(&run->profile.arena, name);
	}
	nx_vec_push(&run->profile.devices, d);
}

void nx_system_find_devices(struct nx_system_run *run)
{
	for (size_t i = 0; i < run->found.sessions.len; i++)
		add_device(run, &run->found.sessions.items[i]);
}
