/* SPDX-License-Identifier: Apache-2.0 */
#include "store/related_profiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bare/slice.h"
#include "base/bare/text.h"
#include "base/path.h"
#include "base/sha1.h"

static bool is_finished_device(const struct nx_profile_record *r)
{
	return r->kind == NX_PROFILE_DEVICE && r->state == NX_PROFILE_READY;
}

/* "<stem>_<rest>": the rest, or NULL. */
static const char *rest_after(const char *name, const char *stem)
{
	size_t len = strlen(stem);

	return len && !strncmp(name, stem, len) && name[len] == '_' && name[len + 1]
		       ? name + len + 1
		       : NULL;
}

/* Whether the device's capture lies below the system's directory. */
static bool is_made_of(const struct nx_profile_record *device,
		       const struct nx_profile_record *system)
{
	const char *path, *folder;
	size_t len;

	if (!device->sources.len || !system->sources.len)
		return false;
	path = device->sources.items[0].path;
	folder = system->sources.items[0].path;
	len = strlen(folder);
	while (len && folder[len - 1] == '/')
		len--;
	return !strncmp(path, folder, len) && path[len] == '/';
}

const struct nx_profile_record *nx_related_device(const struct nx_catalogue *catalogue,
						  const struct nx_profile_record *system,
						  const char *capture)
{
	const struct nx_profile_record *other = NULL;

	for (size_t i = 0; i < catalogue->records.len; i++) {
		const struct nx_profile_record *r = &catalogue->records.items[i];
		const char *rest = rest_after(r->begun_as, system->begun_as);
		size_t len = strlen(r->begun_as), end_len = strlen(capture);

		if (!is_finished_device(r) || !is_made_of(r, system))
			continue;
		if (rest && !strcmp(rest, capture))
			return r;
		/* The directory may also have been processed under another name. */
		if (!other && len > end_len && r->begun_as[len - end_len - 1] == '_' &&
		    !strcmp(r->begun_as + len - end_len, capture))
			other = r;
	}
	return other;
}

const struct nx_profile_record *nx_related_parent(const struct nx_catalogue *catalogue,
						  const struct nx_profile_record *device)
{
	const struct nx_profile_record *parent = NULL;

	for (size_t i = 0; device->kind == NX_PROFILE_DEVICE && i < catalogue->records.len; i++) {
		const struct nx_profile_record *r = &catalogue->records.items[i];

		if (r->kind != NX_PROFILE_SYSTEM || !is_made_of(device, r) ||
		    !rest_after(device->begun_as, r->begun_as))
			continue;
		/* Directories may be nested: the innermost is the parent. */
		if (!parent ||
		    strlen(r->sources.items[0].path) > strlen(parent->sources.items[0].path))
			parent = r;
	}
	return parent;
}

bool nx_related_is_simulated(const struct nx_catalogue *catalogue,
			     const struct nx_profile_record *record)
{
	if (record->kind == NX_PROFILE_DEVICE)
		return record->is_simulated;
	for (size_t i = 0; i < catalogue->records.len; i++) {
		const struct nx_profile_record *r = &catalogue->records.items[i];

		if (r->is_simulated && is_made_of(r, record))
			return true;
	}
	return false;
}

/* --- ranks --------------------------------------------------------------------------------- */

static const char *model_of(const struct nx_profile_record *r)
{
	return r->sources.len > 1 ? r->sources.items[1].path : "";
}

/* The folder of a capture. Each traced process has its own below it, <instance>_pid_<pid>. */
static struct nx_slice run_folder(const struct nx_profile_record *r)
{
	struct nx_slice folder = nx_path_folder(r->sources.items[0].path);
	struct nx_slice above = folder;
	const char *pid;

	while (above.len && above.data[above.len - 1] != '/')
		above.len--;
	pid = strstr((const char *)above.data + above.len, "_pid_");
	return above.len > 1 && pid && pid < (const char *)folder.data + folder.len
		       ? nx_slice_of(above.data, above.len - 1)
		       : folder;
}

/* Processes have copies of one NEFF; two files in one folder are two models. */
static bool is_one_model(const struct nx_profile_record *a, const struct nx_profile_record *b)
{
	if (!strcmp(model_of(a), model_of(b)))
		return true;
	if (nx_slice_equal(nx_path_folder(model_of(a)), nx_path_folder(model_of(b))))
		return false;
	return a->has_rank && b->has_rank && a->sources.len > 1 && b->sources.len > 1 &&
	       a->sources.items[1].size_bytes == b->sources.items[1].size_bytes;
}

/* Whether both are session files of one capture that ran one model. */
static bool is_one_run(const struct nx_profile_record *a, const struct nx_profile_record *b)
{
	return a->sources.len && b->sources.len && nx_slice_equal(run_folder(a), run_folder(b)) &&
	       is_one_model(a, b);
}

static uint32_t number_in(const char *name)
{
	uint64_t number;
	const char *found = NULL;
	size_t digits;

	for (const char *at = strstr(name, "rank_"); at; at = strstr(at + 1, "rank_"))
		found = at + strlen("rank_");
	digits = found ? strspn(found, "0123456789") : 0;
	if (!digits || !nx_slice_to_u64(nx_slice_of(found, digits), &number) ||
	    number >= NX_RANK_NONE)
		return NX_RANK_NONE;
	return (uint32_t)number;
}

/* What the capture tells; programs without collectives have no rank, but names of files do. */
static uint32_t number_of(const struct nx_profile_record *r)
{
	return r->has_rank ? r->rank : number_in(r->begun_as);
}

/* All profiles of one run, or, with a stem, only those named after it. */
static void collect(const struct nx_catalogue *catalogue, const struct nx_profile_record *one,
		    const char *stem, struct nx_ranks *ranks)
{
	for (size_t i = 0; i < catalogue->records.len; i++) {
		const struct nx_profile_record *r = &catalogue->records.items[i];

		if (is_finished_device(r) && is_one_run(r, one) &&
		    (!stem || rest_after(r->begun_as, stem)))
			nx_vec_push(ranks, ((struct nx_ranked_profile){r, number_of(r)}));
	}
}

static int compare(const void *a, const void *b)
{
	const struct nx_ranked_profile *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (x->record->core != y->record->core)
		return x->record->core < y->record->core ? -1 : 1;
	return strcmp(x->record->name, y->record->name);
}

/* Other profiles may start with the same word: choose the largest run. */
static void collect_named(const struct nx_catalogue *catalogue, const char *stem,
			  struct nx_ranks *ranks)
{
	struct nx_ranks found = {0};

	for (size_t i = 0; i < catalogue->records.len; i++) {
		const struct nx_profile_record *r = &catalogue->records.items[i];

		if (!is_finished_device(r) || !rest_after(r->begun_as, stem))
			continue;
		found.len = 0;
		collect(catalogue, r, stem, &found);
		if (found.len <= ranks->len)
			continue;
		ranks->len = 0;
		for (size_t k = 0; k < found.len; k++)
			nx_vec_push(ranks, found.items[k]);
	}
	nx_vec_release(&found);
}

/* The same capture may be stored under several names: the first counts, unless another was asked
 * for. Ranks of different groups may share a number, but not a core. */
static void drop_doubles(struct nx_ranks *ranks, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < ranks->len; i++) {
		const struct nx_ranked_profile *r = &ranks->items[i];
		struct nx_ranked_profile *before = kept ? &ranks->items[kept - 1] : NULL;

		if (before && before->number != NX_RANK_NONE && before->number == r->number &&
		    before->record->core == r->record->core) {
			if (!strcmp(r->record->name, name))
				*before = *r;
			continue;
		}
		ranks->items[kept++] = *r;
	}
	ranks->len = kept;
}

static void put_in_order(struct nx_ranks *ranks, const char *name)
{
	if (ranks->len)
		qsort(ranks->items, ranks->len, sizeof(*ranks->items), compare);
	drop_doubles(ranks, name);
}

void nx_related_ranks_id(const struct nx_ranks *ranks, char id[NX_RANKS_ID_MAX])
{
	struct nx_bytes keys = {0};
	uint8_t digest[NX_SHA1_BYTES];
	char digits[2 * sizeof(digest)];

	for (size_t i = 0; i < ranks->len; i++)
		nx_bytes_append(&keys, ranks->items[i].record->key,
				strlen(ranks->items[i].record->key));
	nx_sha1_digest(nx_slice_of(keys.items, keys.len), digest);
	nx_hex_encode(digits, nx_slice_of(digest, sizeof(digest)));
	snprintf(id, NX_RANKS_ID_MAX, "p_%.*s", (int)sizeof(digits), digits);
	nx_vec_release(&keys);
}

static void collect_by_id(const struct nx_catalogue *catalogue, const char *id,
			  struct nx_ranks *ranks)
{
	char its_id[NX_RANKS_ID_MAX];

	for (size_t i = 0; i < catalogue->records.len; i++) {
		const struct nx_profile_record *r = &catalogue->records.items[i];

		if (!is_finished_device(r))
			continue;
		ranks->len = 0;
		collect(catalogue, r, NULL, ranks);
		put_in_order(ranks, "");
		nx_related_ranks_id(ranks, its_id);
		if (!strcmp(its_id, id))
			return;
	}
	ranks->len = 0;
}

void nx_related_ranks(const struct nx_catalogue *catalogue, const char *name,
		      struct nx_ranks *ranks)
{
	const struct nx_profile_record *one = nx_catalogue_find(catalogue, name);

	if (one && is_finished_device(one))
		collect(catalogue, one, NULL, ranks);
	else
		collect_named(catalogue, name, ranks);
	if (!ranks->len && nx_slice_starts(nx_slice_text(name), "p_"))
		collect_by_id(catalogue, name, ranks);
	put_in_order(ranks, name);
}
