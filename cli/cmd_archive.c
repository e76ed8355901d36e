/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/path.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/workspace_view.h"
#include "store/archive.h"

struct archive {
	const char *data_path, *to;
	bool has_raw;
};

#define FIELD(name) NX_FIELD(struct archive, name)

static const struct nx_option options[] = {
	{"to", 0, NX_TEXT("PLACE"), FIELD(to),
	 "Where to: a folder, or s3://BUCKET/PREFIX on S3 or a server like it. Keys and address "
	 "come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and "
	 "AWS_ENDPOINT_URL."},
	{"raw", 0, NX_FLAG, FIELD(has_raw),
	 "Also copy the files that the profile was made from. They stay where they are."},
	NX_ROW_DATA_PATH(struct archive),
	{0},
};

static enum nx_status archive_one(struct nx_workspace *ws, const struct archive *o,
				  const struct nx_profile_record *r, struct nx_error *err)
{
	struct nx_archive_options how = {.to = o->to, .has_raw = o->has_raw};
	char size[NX_COUNT_TEXT_MAX];
	enum nx_status st = nx_archive_store(ws, r->name, &how, err);

	if (!st)
		nx_say("archived '%s' (%s) in %s", r->name, nx_size_text(r->size_bytes, size),
		       o->to);
	return st;
}

/* All profiles of a run that has this name and are here; their number, or the failure. */
static enum nx_status archive_run(struct nx_workspace *ws, const struct archive *o,
				  const struct nx_catalogue *c, const char *run, size_t *count,
				  struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (size_t i = 0; !st && i < c->records.len; i++) {
		const struct nx_profile_record *r = &c->records.items[i];

		if (r->state != NX_PROFILE_READY || !r->run || !*r->run ||
		    strcmp(nx_path_name(r->run), run) != 0)
			continue;
		st = archive_one(ws, o, r, err);
		*count += 1;
	}
	return st;
}

static enum nx_status archive_word(struct nx_workspace *ws, const struct archive *o,
				   const struct nx_catalogue *c, const char *word,
				   struct nx_error *err)
{
	const struct nx_profile_record *r = nx_catalogue_find(c, word);
	enum nx_status st = NX_OK;
	size_t count = 0;

	if (!r)
		st = archive_run(ws, o, c, word, &count, err);
	if (!r && !st && !count)
		return nx_workspace_view_refuse(c, word, err);
	if (!r)
		return st;
	if (r->state != NX_PROFILE_READY && r->state != NX_PROFILE_ARCHIVED)
		return nx_fail(err, NX_USAGE,
			       "profile '%s' is %s; only a finished one can be archived", r->name,
			       nx_profile_state_text(r->state));
	return archive_one(ws, o, r, err);
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct archive *o = values;
	struct nx_workspace *ws = NULL;
	struct nx_catalogue c = {0};
	enum nx_status st;

	(void)call;
	if (!operands->count)
		return nx_fail(err, NX_USAGE,
			       "name the profile or the run to archive; 'list' shows all");
	if (!o->to)
		return nx_fail(err, NX_USAGE,
			       "say where to with --to DIR or --to s3://BUCKET/PREFIX");
	st = nx_workspace_view_open(&ws, o->data_path, false, err);
	if (!st && ws)
		st = nx_catalogue_load(&c, ws, err);
	for (size_t i = 0; !st && i < operands->count; i++)
		st = archive_word(ws, o, &c, operands->items[i], err);
	nx_catalogue_release(&c);
	nx_workspace_close(ws);
	return st;
}

static const struct nx_example examples[] = {
	{"Move a profile to a folder:", "archive bert --to /mnt/archive"},
	{"Move all profiles of a run to a bucket:", "archive train --to s3://profiles/2026"},
	{"Open it again; its files are fetched:", "view bert"},
	{0},
};

const struct nx_command nx_command_archive = {
	.name = "archive",
	.summary = "move profiles to a folder or a bucket, from where they open again",
	.operands = "NAME|RUN...",
	.description =
		"Moves the tables of profiles to long-term storage. Every file is read back and "
		"compared before the local copy is removed; if anything fails, the profile stays "
		"as it was. An archived profile is still listed, with its annotations, and any "
		"command that opens it fetches its files first. A fetched profile can be archived "
		"again without being sent again.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct archive),
	.run = run,
};
