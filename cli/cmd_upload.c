/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/upload_client.h"
#include "cli/workspace_view.h"

#define DEFAULT_ENDPOINT "http://localhost:3001"

struct upload {
	const char *endpoint, *neff, *ntff, *directory, *name, *folder, *token;
	const char *name_space, *uploader;
	struct nx_list_value sources;
	bool overwrite, waits;
};

static const struct nx_option options[] = {
	{"endpoint", 0, NX_OPTION_TEXT, "URL", NX_FIELD(struct upload, endpoint),
	 "The server that shows the workspace (default " DEFAULT_ENDPOINT ").", NULL},
	{"neff", 0, NX_OPTION_FILE, "FILE", NX_FIELD(struct upload, neff),
	 "The compiled model that was running.", NULL},
	{"ntff", 0, NX_OPTION_FILE, "FILE", NX_FIELD(struct upload, ntff),
	 "The session file that was captured.", NULL},
	{"profile-directory", 0, NX_OPTION_FOLDER, "DIR", NX_FIELD(struct upload, directory),
	 "Instead of files: a directory that a capture wrote, with all that is in it.", NULL},
	{"name", 0, NX_OPTION_TEXT, "NAME", NX_FIELD(struct upload, name),
	 "What to call the profile there (default: the name of its file or directory).", NULL},
	{"folder", 0, NX_OPTION_TEXT, "NAME", NX_FIELD(struct upload, folder),
	 "The folder of the list of profiles to put it into.", NULL},
	{"source-code", 0, NX_OPTION_LIST, "PATH", NX_FIELD(struct upload, sources),
	 "Source code to keep with the profile: a folder, a file or a .tar.gz. May be repeated.",
	 NULL},
	{"overwrite", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct upload, overwrite),
	 "Replace a profile of that name; also join a session file and a NEFF that do not belong "
	 "together.",
	 NULL},
	{"wait", 0, NX_OPTION_FLAG, NULL, NX_FIELD(struct upload, waits),
	 "Wait until the profile is ready, and fail if it cannot be made.", NULL},
	NX_OPTION_TOKEN(struct upload, "The token the server wants."),
	{"namespace", 0, NX_OPTION_TEXT, "NAME", NX_FIELD(struct upload, name_space),
	 "For scripts of AWS's tool: there is one namespace, global.", NULL},
	{"uploader", 0, NX_OPTION_TEXT, "NAME", NX_FIELD(struct upload, uploader),
	 "For scripts of AWS's tool: taken and not kept.", NULL},
	{0},
};

static enum nx_status check(const struct upload *o, const struct nx_operands *operands,
			    struct nx_error *err)
{
	if (operands->count)
		return nx_fail(err, NX_USAGE,
			       "upload takes options only, not '%.100s'; name files with --neff "
			       "and --ntff",
			       operands->items[0]);
	if (!o->directory && !o->ntff)
		return nx_fail(err, NX_USAGE,
			       "nothing to upload: give a session file with --ntff and its model "
			       "with --neff, or a directory with --profile-directory");
	if (o->directory && (o->ntff || o->neff))
		return nx_fail(err, NX_USAGE,
			       "give a session file (--ntff) or a directory "
			       "(--profile-directory), not both");
	if (o->name_space && strcmp(o->name_space, "global") != 0)
		return nx_fail(err, NX_UNSUPPORTED,
			       "there is one namespace, global; leave "
			       "--namespace out");
	return NX_OK;
}

static enum nx_status make_plan(const struct upload *o, struct nx_upload_plan *plan,
				struct nx_error *err)
{
	enum nx_status st = NX_OK;

	if (o->directory)
		st = nx_upload_plan_add(plan, o->directory, NX_UPLOAD_DIRECTORY, err);
	if (!st && o->neff)
		st = nx_upload_plan_add(plan, o->neff, NX_UPLOAD_NEFF, err);
	if (!st && o->ntff)
		st = nx_upload_plan_add(plan, o->ntff, NX_UPLOAD_NTFF, err);
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

	if (!o->name) {
		nx_profile_name_make(nx_path_stem(o->directory ? o->directory : o->ntff), name);
		return NX_OK;
	}
	st = nx_profile_name_check(nx_slice_text(o->name), err);
	if (!st)
		memcpy(name, o->name, strlen(o->name) + 1);
	return st;
}

static enum nx_status send(const struct upload *o, const struct nx_upload_plan *plan,
			   const char *name, struct nx_error *err)
{
	const char *token = o->token ? o->token : getenv("NEURON_EXPLORER_TOKEN");
	struct nx_upload_client client;
	struct nx_bytes json = {0};
	char size[NX_COUNT_TEXT_MAX];
	enum nx_status st;

	nx_upload_plan_describe(plan, name, o->folder, o->overwrite, &json);
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

static enum nx_status run(const struct nx_invocation *call, int argc, char **argv,
			  struct nx_error *err)
{
	char name[NX_PROFILE_NAME_MAX];
	struct nx_upload_plan plan = {0};
	struct nx_operands operands;
	struct upload o = {0};
	bool wants_help;
	enum nx_status st =
		nx_options_parse(&nx_command_upload, argc, argv, &o, &operands, &wants_help, err);

	if (st)
		return st;
	if (wants_help)
		return nx_help_show(call, &nx_command_upload, err);
	st = check(&o, &operands, err);
	if (!st)
		st = choose_name(&o, name, err);
	if (!st)
		st = make_plan(&o, &plan, err);
	if (!st)
		st = send(&o, &plan, name, err);
	nx_upload_plan_release(&plan);
	return st;
}

static const struct nx_example examples[] = {
	{"Send a capture to a server and wait for the profile:",
	 "upload --endpoint http://profiles:3001 --neff model.neff --ntff profile.ntff --name bert "
	 "--wait"},
	{"A directory with the source code of the model:",
	 "upload --profile-directory output --source-code ./model"},
	{0},
};

const struct nx_command nx_command_upload = {
	"upload",
	"send a capture to a server that processes it",
	"",
	"Sends the files of a capture to a neuron-explorer that shows a workspace ('view'), here "
	"or on another machine, and has it process them. A connection that breaks is taken up "
	"again where it broke.",
	options,
	examples,
	run,
};
