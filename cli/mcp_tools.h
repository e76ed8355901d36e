/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp_tools: the tools that 'mcp' offers to coding agents. All of them only read; profiles are
 * named by their names in the workspace, never by paths. SQL runs in processes with limits, as on
 * the server (query/engine_pool.h).
 */
#ifndef NX_CLI_MCP_TOOLS_H
#define NX_CLI_MCP_TOOLS_H

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "query/engine_pool.h"

struct nx_mcp_tools {
	const char *data_path; /* of the workspace; NULL: the default one */
	struct nx_timer *timer;
	struct nx_engine_pool *engines;
};

NX_MUST_CHECK enum nx_status nx_mcp_tools_open(struct nx_mcp_tools *tools, const char *data_path,
					       struct nx_error *err);
void nx_mcp_tools_close(struct nx_mcp_tools *tools);

struct nx_mcp_question {
	const struct nx_json *arguments;
	struct nx_arena *arena;
	bool (*is_wanted)(void *context); /* called from another thread */
	void *context;
};

struct nx_mcp_tool {
	const char *name, *description;
	const char *schema; /* members of the JSON schema of its arguments */
	enum nx_status (*answer)(const struct nx_mcp_tools *tools,
				 const struct nx_mcp_question *question, struct nx_json_writer *w,
				 struct nx_error *err);
};

extern const struct nx_mcp_tool nx_mcp_tool_list[]; /* ends with a zeroed row */

/* NULL if there is none of that name. */
const struct nx_mcp_tool *nx_mcp_tool_find(struct nx_slice name);

#endif
