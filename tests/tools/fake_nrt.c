/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_nrt: a runtime that does what the environment says, for tests of those who call one.
 *
 *	FAKE_NRT_FAIL=nrt_load=9	the call returns status 9; nrt_execute=1004@2: its second
 *				call
 *	FAKE_NRT_FAIL_ALSO=nrt_unload=2	another call that fails, each time
 *	FAKE_NRT_CORES=2		visible cores (4)
 *	FAKE_NRT_ONE_PROFILE=1		a second profile at the same time is NRT_INVALID
 *	FAKE_NRT_EMPTY=1		profiles are files without bytes
 *	FAKE_NRT_DRIFT=1		outputs change with each execution
 *	FAKE_NRT_QUEUE=2		as many executions wait before the queue is full
 *	FAKE_NRT_EVENTS=TEXT		what a system trace holds
 *	FAKE_NRT_LOG=FILE		a line for each call
 *
 * An execution writes 7 into all bytes of its outputs. Compiled with FAKE_WITHOUT_EXECUTE it
 * lacks nrt_execute, with FAKE_WITHOUT_EXTRAS all that a runtime may lack.
 */
#include <nrt/nrt_async.h>
#include <nrt/nrt_experimental.h>
#include <nrt/nrt_profile.h>
#include <nrt/nrt_sys_trace.h>
#include <nrt/nrt_version.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_IN_SET 64

struct nrt_model {
	int32_t core;
};

struct nrt_tensor {
	uint8_t *bytes;
	size_t size;
	bool is_slice;
};

struct set {
	nrt_tensor_t *tensors[MOST_IN_SET];
	unsigned count;
};

struct nrt_sys_trace_config {
	int unused;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned execution_count;
#ifndef FAKE_WITHOUT_EXTRAS
static unsigned profile_count, waiting_count;
static nrta_seq_t last_sequence, completed_sequence;
#endif

static long number(const char *variable, long otherwise)
{
	const char *text = getenv(variable);

	return text && *text ? strtol(text, NULL, 10) : otherwise;
}

static void note(const char *call, long a, long b)
{
	const char *path = getenv("FAKE_NRT_LOG");
	FILE *log = path ? fopen(path, "a") : NULL;

	if (!log)
		return;
	fprintf(log, "%s %ld %ld\n", call, a, b);
	fclose(log);
}

/* What FAKE_NRT_FAIL says about this call. */
static NRT_STATUS outcome(const char *call)
{
	static unsigned calls;
	static char last[64]; /* a new wish counts anew */
	const char *fail = getenv("FAKE_NRT_FAIL"), *also = getenv("FAKE_NRT_FAIL_ALSO");
	size_t len = strlen(call);
	const char *at;
	NRT_STATUS status = NRT_SUCCESS;

	if (also && !strncmp(also, call, len) && also[len] == '=')
		return (NRT_STATUS)strtol(also + len + 1, NULL, 10);
	if (!fail || strncmp(fail, call, len) != 0 || fail[len] != '=')
		return NRT_SUCCESS;
	at = strchr(fail, '@');
	pthread_mutex_lock(&lock);
	if (strcmp(last, fail) != 0)
		calls = 0;
	snprintf(last, sizeof(last), "%s", fail);
	calls++;
	if (!at || (unsigned)strtoul(at + 1, NULL, 10) == calls)
		status = (NRT_STATUS)strtol(fail + len + 1, NULL, 10);
	pthread_mutex_unlock(&lock);
	return status;
}

#define OUTCOME_OR_RETURN()                                                                        \
	do {                                                                                       \
		NRT_STATUS told = outcome(__func__);                                               \
		if (told != NRT_SUCCESS)                                                           \
			return told;                                                               \
	} while (0)

/* --- life --- */

NRT_STATUS nrt_init(nrt_framework_type_t framework, const char *fw_version, const char *fal_version)
{
	(void)fw_version;
	(void)fal_version;
	note(__func__, framework, 0);
	OUTCOME_OR_RETURN();
	return NRT_SUCCESS;
}

void nrt_close(void)
{
	note(__func__, 0, 0);
}

NRT_STATUS nrt_get_visible_nc_count(uint32_t *vnc_count)
{
	*vnc_count = (uint32_t)number("FAKE_NRT_CORES", 4);
	OUTCOME_OR_RETURN();
	return NRT_SUCCESS;
}

static NRT_STATUS load(int32_t core, nrt_model_t **model)
{
	*model = calloc(1, sizeof(**model));
	(*model)->core = core;
	return NRT_SUCCESS;
}

NRT_STATUS nrt_load(const void *neff_bytes, size_t size, int32_t vnc, int32_t vnc_count,
		    nrt_model_t **model)
{
	(void)neff_bytes;
	(void)size;
	(void)vnc_count;
	OUTCOME_OR_RETURN();
	pthread_mutex_lock(&lock);
	note(__func__, vnc, 0);
	pthread_mutex_unlock(&lock);
	return load(vnc, model);
}

NRT_STATUS nrt_unload(nrt_model_t *model)
{
	free(model);
	return NRT_SUCCESS;
}

/* --- tensors --- */

NRT_STATUS nrt_tensor_allocate(nrt_tensor_placement_t tensor_placement, int vnc, size_t size,
			       const char *name, nrt_tensor_t **tensor)
{
	(void)tensor_placement;
	(void)vnc;
	(void)name;
	OUTCOME_OR_RETURN();
	*tensor = calloc(1, sizeof(**tensor));
	(*tensor)->bytes = malloc(size);
	(*tensor)->size = size;
	memset((*tensor)->bytes, 0xee, size);
	return NRT_SUCCESS;
}

void nrt_tensor_free(nrt_tensor_t **tensor)
{
	if (!(*tensor)->is_slice)
		free((*tensor)->bytes);
	free(*tensor);
	*tensor = NULL;
}

NRT_STATUS nrt_tensor_read(const nrt_tensor_t *tensor, void *buf, size_t offset, size_t size)
{
	OUTCOME_OR_RETURN();
	if (size > tensor->size || offset > tensor->size - size)
		return NRT_INVALID;
	memcpy(buf, tensor->bytes + offset, size);
	return NRT_SUCCESS;
}

NRT_STATUS nrt_tensor_write(nrt_tensor_t *tensor, const void *buf, size_t offset, size_t size)
{
	OUTCOME_OR_RETURN();
	if (size > tensor->size || offset > tensor->size - size)
		return NRT_INVALID;
	memcpy(tensor->bytes + offset, buf, size);
	return NRT_SUCCESS;
}

NRT_STATUS nrt_allocate_tensor_set(nrt_tensor_set_t **result)
{
	OUTCOME_OR_RETURN();
	*result = calloc(1, sizeof(struct set));
	return NRT_SUCCESS;
}

void nrt_destroy_tensor_set(nrt_tensor_set_t **tensor_set)
{
	free(*tensor_set);
	*tensor_set = NULL;
}

NRT_STATUS nrt_add_tensor_to_tensor_set(nrt_tensor_set_t *tensor_set, const char *tensor_name,
					nrt_tensor_t *tensor)
{
	struct set *to = tensor_set;

	(void)tensor_name;
	OUTCOME_OR_RETURN();
	if (to->count == MOST_IN_SET)
		return NRT_RESOURCE;
	to->tensors[to->count++] = tensor;
	return NRT_SUCCESS;
}

/* --- execution --- */

static void compute(nrt_tensor_set_t *outputs)
{
	struct set *set = outputs;
	unsigned value;

	pthread_mutex_lock(&lock);
	value = number("FAKE_NRT_DRIFT", 0) ? ++execution_count : 7;
	pthread_mutex_unlock(&lock);
	for (unsigned i = 0; i < set->count; i++)
		memset(set->tensors[i]->bytes, (int)value, set->tensors[i]->size);
}

#ifndef FAKE_WITHOUT_EXECUTE
NRT_STATUS nrt_execute(nrt_model_t *model, const nrt_tensor_set_t *input_set,
		       nrt_tensor_set_t *output_set)
{
	(void)model;
	(void)input_set;
	compute(output_set);
	OUTCOME_OR_RETURN();
	return NRT_SUCCESS;
}
#endif

#ifndef FAKE_WITHOUT_EXTRAS
NRT_STATUS nrt_load_collectives(const void *neff_bytes, size_t size, int32_t vnc, int32_t vnc_count,
				uint32_t ctx_device_id, uint32_t ctx_device_count,
				nrt_model_t **model)
{
	(void)neff_bytes;
	(void)size;
	(void)vnc_count;
	OUTCOME_OR_RETURN();
	pthread_mutex_lock(&lock);
	note(__func__, ctx_device_id, ctx_device_count);
	pthread_mutex_unlock(&lock);
	return load(vnc, model);
}

NRT_STATUS nrt_profile_start(nrt_model_t *model, const char *filename)
{
	NRT_STATUS status = NRT_SUCCESS;

	(void)model;
	(void)filename;
	OUTCOME_OR_RETURN();
	pthread_mutex_lock(&lock);
	if (profile_count && number("FAKE_NRT_ONE_PROFILE", 0))
		status = NRT_INVALID;
	else
		profile_count++;
	pthread_mutex_unlock(&lock);
	return status;
}

NRT_STATUS nrt_profile_stop(const char *filename)
{
	FILE *file;

	pthread_mutex_lock(&lock);
	profile_count--;
	pthread_mutex_unlock(&lock);
	OUTCOME_OR_RETURN();
	file = fopen(filename, "w");
	if (!file)
		return NRT_FAILURE;
	if (!number("FAKE_NRT_EMPTY", 0))
		fputs("a profile", file);
	return fclose(file) == 0 ? NRT_SUCCESS : NRT_RESOURCE;
}

NRT_STATUS nrt_tensor_allocate_slice(const nrt_tensor_t *tensor_source, size_t offset, size_t size,
				     const char *name, nrt_tensor_t **tensor_slice)
{
	(void)name;
	OUTCOME_OR_RETURN();
	if (size > tensor_source->size || offset > tensor_source->size - size)
		return NRT_INVALID;
	*tensor_slice = calloc(1, sizeof(**tensor_slice));
	**tensor_slice = (struct nrt_tensor){tensor_source->bytes + offset, size, true};
	return NRT_SUCCESS;
}

/* One input and one output of four bytes. */
NRT_STATUS nrt_get_model_tensor_info(nrt_model_t *model, nrt_tensor_info_array_t **tensor_info)
{
	static uint32_t shape[] = {4};
	nrt_tensor_info_array_t *list;

	(void)model;
	OUTCOME_OR_RETURN();
	list = calloc(1, sizeof(*list) + 2 * sizeof(list->tensor_array[0]));
	list->tensor_count = 2;
	list->tensor_array[0] = (nrt_tensor_info_t){
		"told_in", NRT_TENSOR_USAGE_INPUT, 4, NRT_DTYPE_UINT8, shape, 1};
	list->tensor_array[1] = (nrt_tensor_info_t){
		"told_out", NRT_TENSOR_USAGE_OUTPUT, 4, NRT_DTYPE_UINT8, shape, 1};
	*tensor_info = list;
	return NRT_SUCCESS;
}

NRT_STATUS nrt_free_model_tensor_info(nrt_tensor_info_array_t *tensor_info)
{
	free(tensor_info);
	return NRT_SUCCESS;
}

/* --- traces --- */

NRT_STATUS nrt_sys_trace_config_allocate(nrt_sys_trace_config_t **options)
{
	OUTCOME_OR_RETURN();
	*options = calloc(1, sizeof(**options));
	return NRT_SUCCESS;
}

void nrt_sys_trace_config_set_defaults(nrt_sys_trace_config_t *options)
{
	options->unused = 0;
}

void nrt_sys_trace_config_free(nrt_sys_trace_config_t *options)
{
	free(options);
}

NRT_STATUS nrt_sys_trace_config_set_capture_enabled_for_event_type(nrt_sys_trace_config_t *options,
								   const char *event_type,
								   bool enabled)
{
	(void)options;
	if (strcmp(event_type, "one") != 0 && strcmp(event_type, "two") != 0)
		return NRT_INVALID;
	note(event_type, enabled, 0);
	return NRT_SUCCESS;
}

NRT_STATUS nrt_sys_trace_get_event_types(const char ***event_types, size_t *count)
{
	OUTCOME_OR_RETURN();
	*event_types = calloc(2, sizeof(**event_types));
	(*event_types)[0] = "one";
	(*event_types)[1] = "two";
	*count = 2;
	return NRT_SUCCESS;
}

void nrt_sys_trace_free_event_types(const char **event_types, size_t count)
{
	(void)count;
	free(event_types);
}

NRT_STATUS nrt_sys_trace_start(nrt_sys_trace_config_t *options)
{
	(void)options;
	OUTCOME_OR_RETURN();
	return NRT_SUCCESS;
}

NRT_STATUS nrt_sys_trace_stop(void)
{
	OUTCOME_OR_RETURN();
	return NRT_SUCCESS;
}

NRT_STATUS nrt_sys_trace_fetch_events(char **buffer, size_t *written_size,
				      const nrt_sys_trace_fetch_options_t *options)
{
	const char *given = getenv("FAKE_NRT_EVENTS");

	(void)options;
	OUTCOME_OR_RETURN();
	*buffer = strdup(given ? given : "{\"events\":[{},{},{}]}");
	*written_size = strlen(*buffer);
	return NRT_SUCCESS;
}

void nrt_sys_trace_buffer_free(char *buffer)
{
	free(buffer);
}

/* --- queued: an execution ends when somebody asks for it --- */

NRT_STATUS nrta_execute_schedule(nrt_model_t *model, const nrt_tensor_set_t *input,
				 nrt_tensor_set_t *output, int queue, NRT_STATUS *ret,
				 nrta_seq_t *req_sequence)
{

	(void)model;
	(void)input;
	(void)queue;
	OUTCOME_OR_RETURN();
	pthread_mutex_lock(&lock);
	if (waiting_count >= (unsigned)number("FAKE_NRT_QUEUE", 1000)) {
		pthread_mutex_unlock(&lock);
		return NRT_QUEUE_FULL;
	}
	waiting_count++;
	*req_sequence = ++last_sequence;
	note(__func__, (long)last_sequence, (long)(last_sequence - completed_sequence));
	pthread_mutex_unlock(&lock);
	compute(output);
	*ret = outcome("execution");
	return NRT_SUCCESS;
}

NRT_STATUS nrta_is_completed(nrta_seq_t seq, bool *is_completed)
{
	OUTCOME_OR_RETURN();
	pthread_mutex_lock(&lock);
	*is_completed = seq <= completed_sequence;
	if (!*is_completed) {
		completed_sequence++;
		waiting_count--;
	}
	pthread_mutex_unlock(&lock);
	return NRT_SUCCESS;
}
#endif
