/* SPDX-License-Identifier: Apache-2.0 */
/* Source code that is kept with a profile. */
#include "serve/handlers.h"
#include "store/profile_source.h"

NX_HANDLER(sources)
{
	const char *name = nx_request_variable(request, "p");
	struct nx_source_files files = {0};
	enum nx_status st =
		nx_profile_source_list(server->workspace, name, &request->arena, &files, err);
	struct nx_json_writer w;

	if (!st) {
		nx_reply_json(reply, &w);
		nx_json_key_array(&w, "files");
		for (size_t i = 0; i < files.len; i++) {
			nx_json_begin_object(&w);
			nx_json_key_text(&w, "path", files.items[i].path);
			nx_json_key_u64_text(&w, "size_bytes", files.items[i].size_bytes);
			nx_json_end_object(&w);
		}
		nx_json_end_array(&w);
		nx_json_end_object(&w);
	}
	nx_vec_release(&files);
	return st;
}

NX_HANDLER(source)
{
	enum nx_status st =
		nx_profile_source_open(server->workspace, nx_request_variable(request, "p"),
				       nx_request_variable(request, "path"), &reply->fd,
				       &reply->fd_bytes, err);

	reply->has_fd = !st;
	/* browsers show it as text and never run it */
	reply->type = NX_TYPE_TEXT;
	return st;
}
