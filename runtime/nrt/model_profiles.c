/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/model_profiles.h"

#include <nrt/nrt_profile.h>
#include <pthread.h>
#include <stdio.h>

#include "runtime/nrt/inspect.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/profile_files.h"

#define MAX_PROFILES NX_TRACE_MAX_CORES /* more models than cores cannot run at once */

struct taken {
	struct nx_model *model; /* held; NULL: nothing is taken here */
	char path[NX_INSPECT_PATH_MAX];
	struct nx_bytes ntff;
};

static struct {
	pthread_mutex_t lock;
	struct taken items[MAX_PROFILES];
} profiles = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* All of these under the lock. */

static struct taken *find_model(const struct nx_model *model)
{
	for (size_t i = 0; i < MAX_PROFILES; i++)
		if (profiles.items[i].model == model)
			return &profiles.items[i];
	return NULL;
}

static struct taken *find_path(const char *path)
{
	for (size_t i = 0; i < MAX_PROFILES; i++)
		if (profiles.items[i].model && strcmp(profiles.items[i].path, path) == 0)
			return &profiles.items[i];
	return NULL;
}

static void forget(struct taken *taken)
{
	if (taken->model)
		nx_object_drop(&taken->model->object);
	taken->model = NULL;
	taken->path[0] = '\0';
	nx_vec_release(&taken->ntff);
}

static NRT_STATUS refuse(const char *why)
{
	nx_log_error("%s", why);
	return NRT_INVALID;
}

/* Until the model runs, its profile is one without an execution. */
static NRT_STATUS start(struct nx_model *model, const char *path)
{
	const struct nx_device_recording nothing = {.model = model};
	struct taken *taken = find_model(NULL);

	if (find_model(model))
		return refuse("a profile of this model is already being taken; stop it first");
	if (find_path(path))
		return refuse("another model's profile goes to this file; name another");
	if (!taken)
		return NRT_RESOURCE;
	nx_object_hold(&model->object);
	taken->model = model;
	snprintf(taken->path, sizeof(taken->path), "%s", path);
	if (nx_profile_encode(&nothing, &taken->ntff))
		return NRT_SUCCESS;
	forget(taken);
	return NRT_RESOURCE;
}

/* --- for the others ----------------------------------------------------------------------- */

void nx_model_profiles_note(struct nx_model *model, const struct nx_port_run *run)
{
	struct taken *taken;

	pthread_mutex_lock(&profiles.lock);
	taken = find_model(model);
	if (taken)
		nx_profile_encode_run(model, run, false, &taken->ntff);
	pthread_mutex_unlock(&profiles.lock);
}

bool nx_model_profiles_are_taken(void)
{
	bool are_taken = false;

	pthread_mutex_lock(&profiles.lock);
	for (size_t i = 0; i < MAX_PROFILES; i++)
		are_taken |= profiles.items[i].model != NULL;
	pthread_mutex_unlock(&profiles.lock);
	return are_taken;
}

void nx_model_profiles_end(void)
{
	pthread_mutex_lock(&profiles.lock);
	for (size_t i = 0; i < MAX_PROFILES; i++)
		forget(&profiles.items[i]);
	pthread_mutex_unlock(&profiles.lock);
}

/* --- calls ---------------------------------------------------------------------------------- */

NX_EXPORT NRT_STATUS nrt_profile_start(nrt_model_t *model, const char *filename)
{
	struct nx_model *asked;
	NRT_STATUS st = nx_model_acquire(model, &asked);

	if (st != NRT_SUCCESS)
		return st;
	/* "-" would be the host's standard output. */
	if (!filename || !*filename || strcmp(filename, "-") == 0 ||
	    strlen(filename) >= NX_INSPECT_PATH_MAX) {
		st = NRT_INVALID;
	} else if (nx_device_profile_is_continuous()) {
		st = refuse("continuous profiling is on; stop it first");
	} else {
		pthread_mutex_lock(&profiles.lock);
		st = start(asked, filename);
		pthread_mutex_unlock(&profiles.lock);
	}
	nx_object_drop(&asked->object);
	return st;
}

NX_EXPORT NRT_STATUS nrt_profile_stop(const char *filename)
{
	NRT_STATUS st = nx_state_check();
	struct taken *taken;

	if (st != NRT_SUCCESS)
		return st;
	pthread_mutex_lock(&profiles.lock);
	taken = filename ? find_path(filename) : NULL;
	if (taken) {
		st = nx_profile_write(taken->path, nx_slice_of(taken->ntff.items, taken->ntff.len));
		forget(taken);
	} else {
		st = refuse(
			"no profile of that name is being taken; stop the file that was started");
	}
	pthread_mutex_unlock(&profiles.lock);
	return st;
}
