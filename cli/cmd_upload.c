/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "cli/input_files.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/upload_client.h"
#include "cli/workspace_view.h"

#define DEFAULT_ENDPOINT "http://localhost:3001"

struct upload {
	const char *endpoint, *neff_path, *session_path, *directory, *display_name, *folder, *token,
		*token_file;
	const char *name_space, *uploader;
	struct nx_list_value sources;
	bool overwrite, waits;
};

#define FIELD(member) NX_FIELD(struct upload, member)

static const struct nx_option options[] = {
	{"endpoint", 0, NX_TEXT("URL"), FIELD(endpoint),
	 "The server to send to (default " DEFAULT_ENDPOINT ")."},
	NX_ROW_NEFF(struct upload, "neff", 0, ""),
	NX_ROW_SESSION(struct upload, "ntff", 0, ""),
	NX_ROW_DIRECTORY(struct upload, "profile-directory", 0, " Instead of --neff and --ntff."),
	NX_ROW_NAME(struct upload, "name"),
	{"folder", 0, NX_TEXT("NAME"), FIELD(folder),
	 "The folder to show it in, in the list of profiles."},
	{"source-code", 0, NX_LIST("PATH"), FIELD(sources),
	 "Source code to keep with the profile: a folder, a file or a .tar.gz. May be repeated."},
	{"overwrite", 0, NX_FLAG, FIELD(overwrite),
	 "Replace a profile of the same name; also join a session file and a NEFF that do not "
	 "belong together."},
	{"wait", 0, NX_FLAG, FIELD(waits),
	 "Wait until the profile is ready; fail if processing does."},
	NX_ROW_TOKEN(struct upload, "The server's access token."),
	NX_ROW_TOKEN_FILE(struct upload),
	{"namespace", 0, NX_TEXT("NAME"), FIELD(name_space),
	 "For scripts written for AWS's tool: the same as --folder; global is no folder."},
	{"uploader", 0, NX_TEXT("NAME"), FIELD(uploader),
	 "For scripts written for AWS's tool: ignored."},
	{0},
};

static enum nx_status check(const struct upload *o, struct nx_error *err)
{
	if (!o->directory && !o->session_path)
		return nx_fail(err, NX_USAGE,
			       "nothing to upload: give a session file with --ntff and its model "
			       "with --neff, or a directory with --profile-directory");
	if (o->directory && (o->session_path || o->neff_path))
		return nx_fail(err, NX_USAGE,
			       "give a session file (--ntff) or a directory "
			       "(--profile-directory), not both");
	if (o->name_space && o->folder && strcmp(o->name_space, o->folder) != 0)
		return nx_fail(err, NX_USAGE,
			       "--namespace and --folder both name a folder; leave one out");
	return NX_OK;
}

static enum nx_status make_plan(const struct upload *o, struct nx_upload_plan *plan,
				struct nx_error *err)
{
	enum nx_status st = NX_OK;

	if (o->directory)
		st = nx_upload_plan_add(plan, o->directory, NX_UPLOAD_DIRECTORY, err);
	if (!st && o->neff_path)
		st = nx_upload_plan_add(plan, o->neff_path, NX_UPLOAD_NEFF, err);
	if (!st && o->session_path)
		st = nx_upload_plan_add(plan, o->session_path, NX_UPLOAD_NTFF, err);
	if (!st && o->directory && !plan->files.len)
		st = nx_fail(err, NX_NOT_FOUND, "%s has no files", o->directory);
	for (size_t i = 0; !st && i < o->sources.count; i++)
		st = nx_upload_plan_add(plan, o->sources.items[i], NX_UPLOAD_SOURCE, err);
	return st;
}

static enum nx_status choose_name(const struct upload *o, char name[NX_PROFILE_NAME_MAX],
				  struct nx_error *err)
{
	enum nx_status st;

	assert(o->directory || o->session_path);
	if (!o->display_name) {
		nx_profile_name_make(nx_path_stem(o->directory ? o->directory : o->session_path),
				     name);
		return NX_OK;
	}
	st = nx_profile_name_check(nx_slice_text(o->display_name), err);
	if (!st)
		memcpy(name, o->display_name, strlen(o->display_name) + 1);
	return st;
}

static const char *folder_of(const struct upload *o)
{
	bool has_namespace = o->name_space && strcmp(o->name_space, "global") != 0;

	return has_namespace ? o->name_space : o->folder;
}

static enum nx_status send(const struct upload *o, const struct nx_upload_plan *plan,
			   const char *name, struct nx_error *err)
{
	const char *token = o->token;
	struct nx_upload_client client;
	struct nx_bytes json = {0};
	char size[NX_COUNT_TEXT_MAX];
	enum nx_status st = nx_token_find(o->token_file, &token, err);

	if (st)
		return st;
	nx_upload_plan_describe(plan, name, folder_of(o), o->overwrite, &json);
	nx_upload_client_open(&client, o->endpoint ? o->endpoint : DEFAULT_ENDPOINT, token, true);
	st = nx_upload_client_send(&client, plan, nx_slice_of(json.items, json.len), err);
	if (!st)
		nx_say("uploaded %zu file%s, %s, as %s", plan->files.len,
		       plan->files.len == 1 ? "" : "s", nx_size_text(plan->size_bytes, size), name);
	if (!st && o->waits) {
		st = nx_upload_client_wait(&client, name, err);
		if (!st)
			nx_say("%s is ready", name);
	}
	nx_upload_client_close(&client);
	nx_vec_release(&json);
	return st;
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct upload *o = values;
	char name[NX_PROFILE_NAME_MAX];
	struct nx_upload_plan plan = {0};
	enum nx_status st = check(o, err);

	(void)call, (void)operands;
	if (!st)
		st = nx_input_files_check(&(struct nx_input_files){.neff_path = o->neff_path,
								   .session_path = o->session_path,
								   .neff_option = "--neff",
								   .session_option = "--ntff"},
					  err);
	if (!st)
		st = choose_name(o, name, err);
	if (!st)
		st = make_plan(o, &plan, err);
	if (!st)
		st = send(o, &plan, name, err);
	nx_upload_plan_release(&plan);
	return st;
}

static const struct nx_example examples[] = {
	{"Send a capture to a server and wait for the profile:",
	 "upload --endpoint http://profiles:3001 --neff model.neff --ntff profile.ntff --name bert "
	 "--wait"},
	{"Send a directory with the source code of the model:",
	 "upload --profile-directory output --source-code ./model"},
	{0},
};

const struct nx_command nx_command_upload = {
	.name = "upload",
	.summary = "send a capture to a server, which processes it",
	.operands = "",
	.operand_hint = "name files with --neff and --ntff",
	.description = "Sends the files of a capture to a neuron-explorer that serves a workspace "
		       "('view'), on this machine or another, which then processes them. If the "
		       "connection breaks, the upload resumes where it stopped.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct upload),
	.run = run,
};
