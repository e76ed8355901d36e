/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs about sessions that stayed in the program's output folder; no other folder can be reached.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "format/process_folder.h"
#include "runtime/service/service_internal.h"

#define MAX_SESSIONS 1000

/* "<instance>_pid_<pid>/<start>": names that our runtime gives, and nothing that leaves the
 * folder. */
static bool is_session_id(struct nx_slice id)
{
	const uint8_t *slash = id.len ? memchr(id.data, '/', id.len) : NULL;
	struct nx_slice process, instance;
	uint64_t number;

	if (!slash || id.len >= NX_SERVICE_MAX_ID || id.data[0] == '.')
		return false;
	process = nx_slice_part(id, 0, (uint64_t)(slash - id.data));
	return nx_process_folder_parse(process, &instance, &number) &&
	       nx_slice_to_u64(nx_slice_part(id, process.len + 1, id.len), &number);
}

struct listing {
	const char *output_dir;
	struct nx_arena arena;
	NX_VEC(struct nx_service_session) sessions;
	struct nx_rpc_answer *answer;
};

static struct nx_slice tools[] = {
	{(const uint8_t *)NX_SERVICE_TOOL_XPLANE, sizeof(NX_SERVICE_TOOL_XPLANE) - 1},
	{(const uint8_t *)NX_SERVICE_SESSION_TAR, sizeof(NX_SERVICE_SESSION_TAR) - 1},
};

static void list_process(struct listing *l, const char *name)
{
	char path[NX_SERVICE_PATH_BYTES];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%s", l->output_dir, name);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) && l->sessions.len < MAX_SESSIONS) {
		struct nx_service_session session = {
			.available_tools = {tools, sizeof(tools) / sizeof(tools[0])}};

		session.session_id =
			nx_slice_text(nx_arena_printf(&l->arena, "%s/%s", name, entry->d_name));
		if (is_session_id(session.session_id))
			nx_vec_push(&l->sessions, session);
	}
	if (dir)
		closedir(dir);
}

static void list_sessions(void *context)
{
	struct nx_service_enum_response response = {0};
	struct listing *l = context;
	struct nx_bytes bytes = {0};
	struct dirent *entry;
	DIR *dir = opendir(l->output_dir);

	while (dir && (entry = readdir(dir)))
		list_process(l, entry->d_name);
	if (dir)
		closedir(dir);
	response.sessions.items = l->sessions.items;
	response.sessions.count = l->sessions.len;
	nx_wire_encode(&nx_service_enum_response_message, &response, &bytes);
	nx_rpc_answer_add_bytes(l->answer, nx_slice_of(bytes.items, bytes.len));
	nx_vec_release(&bytes);
}

void nx_job_enum_sessions(struct nx_service_task *job)
{
	struct nx_rpc_answer answer = NX_RPC_ANSWER;
	struct listing l = {.output_dir = job->output_dir, .answer = &answer};

	if (nx_heap_guarded(list_sessions, &l))
		nx_job_finish(job, &answer);
	else
		nx_job_fail(job, NX_LIMIT, "out of memory for the answer");
	nx_vec_release(&l.sessions);
	nx_arena_release(&l.arena);
}

static void answer_tool(struct nx_service_task *job, const struct nx_service_tool_request *request)
{
	struct nx_rpc_answer answer = NX_RPC_ANSWER;
	char folder[NX_SERVICE_PATH_BYTES];
	struct nx_error err = {0};
	struct stat st;
	enum nx_status status;

	if (!is_session_id(request->session_id)) {
		nx_job_refuse(job, NX_GRPC_INVALID_ARGUMENT,
			      "session_id is not one that EnumSessions returned");
		return;
	}
	snprintf(folder, sizeof(folder), "%.1000s/%.*s", job->output_dir,
		 (int)request->session_id.len, (const char *)request->session_id.data);
	if (stat(folder, &st) || !S_ISDIR(st.st_mode)) {
		nx_job_refuse(job, NX_GRPC_NOT_FOUND, "there is no session %.*s",
			      (int)request->session_id.len, (const char *)request->session_id.data);
		return;
	}
	status = nx_reply_tool(folder, nx_slice_is(request->tool_name, NX_SERVICE_SESSION_TAR),
			       &answer, &err);
	if (!status) {
		nx_job_finish(job, &answer);
		return;
	}
	nx_rpc_answer_release(&answer);
	nx_job_fail(job, status, err.message);
}

void nx_job_tool_data(struct nx_service_task *job)
{
	struct nx_service_tool_request request;
	struct nx_arena arena = {0};

	if (nx_job_read_request(job, &nx_service_tool_request_message, &request, &arena)) {
		if (nx_slice_is(request.tool_name, NX_SERVICE_TOOL_XPLANE) ||
		    nx_slice_is(request.tool_name, NX_SERVICE_SESSION_TAR))
			answer_tool(job, &request);
		else
			nx_job_refuse(job, NX_GRPC_UNIMPLEMENTED,
				      "tools are " NX_SERVICE_TOOL_XPLANE
				      " and " NX_SERVICE_SESSION_TAR);
	}
	nx_arena_release(&arena);
}
