/* SPDX-License-Identifier: Apache-2.0 */
#include "model/release.h"

#include <assert.h>

const char *nx_release_kind_name(enum nx_release_kind kind)
{
	static const char *const names[] = {"",		  "PROGRAM",	"SEMAPHORE", "COMPLETE",
					    "CROSS_CORE", "COLLECTIVE", "TRIGGER",   "RING"};

	static_assert(sizeof(names) / sizeof(names[0]) == NX_RELEASE_KIND_COUNT, "a name each");
	return kind < NX_RELEASE_KIND_COUNT ? names[kind] : "";
}

const char *nx_release_how_name(enum nx_release_how how)
{
	static const char *const names[] = {"", "recorded", "filled", "assumed", "before"};

	static_assert(sizeof(names) / sizeof(names[0]) == NX_RELEASE_HOW_COUNT, "a name each");
	return how < NX_RELEASE_HOW_COUNT ? names[how] : "";
}

const char *nx_cause_name(enum nx_cause cause)
{
	static const char *const names[] = {
#define NX_CAUSE_TEXT(name, text) text,
		NX_CAUSE_MAP(NX_CAUSE_TEXT)
#undef NX_CAUSE_TEXT
	};

	return cause < NX_CAUSE_COUNT ? names[cause] : "";
}

void nx_release_graph_release(struct nx_release_graph *graph)
{
	nx_vec_release(&graph->nodes);
	nx_vec_release(&graph->blocks);
	*graph = (struct nx_release_graph){0};
}

void nx_why_answer_release(struct nx_why_answer *answer)
{
	nx_vec_release(&answer->path);
	nx_vec_release(&answer->engines);
	nx_vec_release(&answer->groups);
	nx_vec_release(&answer->scenarios);
	nx_arena_release(&answer->arena);
}
