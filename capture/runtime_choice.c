/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/runtime_choice.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"

#define LIBRARY "libnrt.so.1"

static bool holds_library(const char *folder, struct nx_arena *arena)
{
	return access(nx_arena_printf(arena, "%s/" LIBRARY, folder), R_OK) == 0;
}

/* As installed, then as built. */
const char *nx_runtime_own_folder(const char *program_folder, struct nx_arena *arena)
{
	static const char *const places[] = {"../lib/neuron-explorer", "../runtime/nrt", "lib"};

	for (size_t i = 0; program_folder && i < sizeof(places) / sizeof(places[0]); i++) {
		const char *folder = nx_arena_printf(arena, "%s/%s", program_folder, places[i]);
		char real[PATH_MAX];

		if (holds_library(folder, arena))
			return realpath(folder, real) ? nx_arena_copy_text(arena, real) : folder;
	}
	return NULL;
}

static const char *system_folder(const struct nx_runtime_wish *wish, struct nx_arena *arena)
{
	static const char *const places[] = {"/opt/aws/neuron/lib", "/usr/local/lib", "/usr/lib",
					     "/usr/lib/x86_64-linux-gnu", "/usr/lib64"};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const char *folder = nx_arena_printf(arena, "%s%s", wish->root, places[i]);

		if (holds_library(folder, arena))
			return folder;
	}
	return NULL;
}

static const char *listed_folder(const struct nx_runtime_wish *wish, struct nx_arena *arena)
{
	const char *at = wish->library_path;

	while (at && *at) {
		size_t len = strcspn(at, ":;");
		const char *folder = nx_arena_copy(arena, nx_slice_of(at, len));

		if (len && holds_library(folder, arena))
			return folder;
		at += len;
		at += *at != '\0';
	}
	return NULL;
}

/* The loader needs a folder, but people often name the file. */
static enum nx_status take_given(const struct nx_runtime_wish *wish, struct nx_arena *arena,
				 struct nx_runtime_choice *choice, struct nx_error *err)
{
	const char *folder = wish->given, *own;
	char real[PATH_MAX];
	struct stat st;

	if (stat(wish->given, &st) == 0 && !S_ISDIR(st.st_mode) &&
	    !strcmp(nx_path_name(wish->given), LIBRARY))
		folder = nx_arena_copy(arena, nx_path_folder(wish->given));
	if (*folder && holds_library(folder, arena) && realpath(folder, real)) {
		choice->origin = NX_RUNTIME_GIVEN;
		choice->folder = nx_arena_copy_text(arena, real);
		return NX_OK;
	}
	own = nx_runtime_own_folder(wish->program_folder, arena);
	return nx_fail(err, NX_NOT_FOUND, "--runtime %.300s holds no " LIBRARY "%s%s%s",
		       wish->given, own ? "; the one that comes with this program is in " : "",
		       own ? own : "", own ? ", and is taken without --runtime" : "");
}

enum nx_status nx_runtime_choose(const struct nx_runtime_wish *wish, struct nx_arena *arena,
				 struct nx_runtime_choice *choice, struct nx_error *err)
{
	const char *listed = listed_folder(wish, arena), *system = system_folder(wish, arena);
	const char *own = nx_runtime_own_folder(wish->program_folder, arena);

	assert(wish->root);
	*choice = (struct nx_runtime_choice){.has_system_runtime = system != NULL};
	choice->has_device =
		access(nx_arena_printf(arena, "%s/dev/neuron0", wish->root), F_OK) == 0;
	if (wish->given)
		return take_given(wish, arena, choice, err);
	if (listed)
		choice->origin = NX_RUNTIME_LIBRARY_PATH;
	else if (system && (choice->has_device || !own))
		choice->origin = NX_RUNTIME_SYSTEM;
	else if (own)
		choice->origin = NX_RUNTIME_OWN;
	choice->folder = listed ? listed : choice->origin == NX_RUNTIME_SYSTEM ? system : own;
	return NX_OK;
}

const char *nx_program_folder(struct nx_arena *arena)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len <= 0)
		return NULL;
	path[len] = '\0';
	return nx_arena_copy(arena, nx_path_folder(path));
}

void nx_runtime_choice_apply(const struct nx_runtime_choice *choice,
			     struct nx_child_environment *environment, struct nx_arena *arena)
{
	const char *old = nx_child_environment_get(environment, "LD_LIBRARY_PATH");

	if (choice->origin != NX_RUNTIME_GIVEN && choice->origin != NX_RUNTIME_OWN)
		return;
	nx_child_environment_set(environment, "LD_LIBRARY_PATH",
				 nx_arena_printf(arena, "%s%s%s", choice->folder,
						 old && *old ? ":" : "", old ? old : ""));
}
