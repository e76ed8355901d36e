/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profiler extension of PJRT over libnxprofiler.so.1.
 *
 * Hosts differ from what the API's comments promise: they do not set struct_size in most arguments,
 * use the profiler even if create failed, call collect_data once with a NULL buffer, and keep only
 * the planes of the space. So create never fails, the buffer is ours, and problems are stats.
 */
#include <dirent.h>
#include <ftw.h>
#include <nx/profiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "format/wire.h"
#include "plugin/pjrt_profiler_api.h"
#include "runtime/session/session_space.h"

#define EXPORT __attribute__((visibility("default")))

/* As absl numbers them. */
enum { CODE_RESOURCE_EXHAUSTED = 8, CODE_FAILED_PRECONDITION = 9, CODE_INTERNAL = 13 };

/* Fields of ProfileOptions. */
enum { OPTION_HOST_LEVEL = 2, OPTION_DEVICE_LEVEL = 3, OPTION_VERSION = 5 };

struct nx_plugin_error {
	int code;
	char message[1024];
};

struct nx_plugin_profiler {
	bool wants_runtime;
	bool is_running;
	char folder[256];	   /* temporary; "" before start */
	char session_folder[1280]; /* where the files are */
	struct nx_session_space *space;
	struct nx_bytes bytes; /* what collect_data returned */
	bool is_collected;
};

struct nx_plugin_chunk {
	struct nx_bytes bytes;
};

/* --- errors ---------------------------------------------------------------- */

/* Out of memory has to be reported, too. */
static struct nx_plugin_error no_memory = {CODE_RESOURCE_EXHAUSTED,
					   "the profiler is out of memory"};

static struct nx_plugin_error *fail(int code, const char *sentence)
{
	struct nx_plugin_error *error = nx_heap_try_alloc(sizeof(*error));

	if (!error)
		return &no_memory;
	error->code = code;
	snprintf(error->message, sizeof(error->message), "%s", sentence);
	return error;
}

static void error_destroy(struct nx_error_destroy_args *args)
{
	if (args->error != &no_memory)
		nx_heap_free(args->error);
}

static void error_message(struct nx_error_message_args *args)
{
	args->message = args->error ? args->error->message : "";
	args->message_size = strlen(args->message);
}

static struct nx_plugin_error *error_get_code(struct nx_error_code_args *args)
{
	args->code = args->error ? args->error->code : 0;
	return NULL; /* anything else would end the host */
}

/* --- options --------------------------------------------------------------- */

static void read_options(struct nx_plugin_profiler *p, struct nx_slice options)
{
	struct nx_wire_reader reader = nx_wire_reader_of(options);
	struct nx_wire_value value;
	uint64_t version = 0, level = 0;

	p->wants_runtime = true;
	while (nx_wire_next(&reader, &value)) {
		if (value.wire_type)
			continue;
		if (value.number == OPTION_VERSION)
			version = value.integer;
		else if (value.number == OPTION_DEVICE_LEVEL)
			level = value.integer;
	}
	/* without a version, the other fields are not meant */
	if (!reader.failed && version)
		p->wants_runtime = level > 0;
}

/* --- sessions -------------------------------------------------------------- */

static struct nx_plugin_error *create(struct nx_create_args *args)
{
	struct nx_plugin_profiler *p = nx_heap_try_alloc(sizeof(*p)); /* zeroed */

	args->profiler = p; /* NULL: start reports it */
	if (p)
		read_options(p, nx_slice_of(args->options, args->options ? args->options_size : 0));
	return NULL;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return remove(path);
}

static void remove_folder(struct nx_plugin_profiler *p)
{
	if (*p->folder)
		(void)nftw(p->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	*p->folder = 0;
}

static struct nx_plugin_error *fail_start(struct nx_plugin_profiler *p, int code)
{
	char sentence[1024];

	snprintf(sentence, sizeof(sentence), "%s", nx_profiler_error());
	remove_folder(p);
	return fail(code, sentence);
}

struct new_space {
	struct nx_plugin_profiler *p;
	const char *warning;
};

static void make_space(void *context)
{
	struct new_space *make = context;

	make->p->space = nx_session_space_new(make->p->session_folder, make->warning);
}

static struct nx_plugin_error *start(struct nx_profiler_args *args)
{
	struct nx_plugin_profiler *p = args->profiler;
	nx_profiler_options options = NX_PROFILER_OPTIONS;
	const char *place = getenv("TMPDIR");
	struct new_space make = {.p = p};
	char warning[1024] = "";
	int status;

	if (!p)
		return fail(no_memory.code, no_memory.message);
	if (p->is_running)
		return fail(CODE_FAILED_PRECONDITION, "this profiler has started already");
	snprintf(p->folder, sizeof(p->folder), "%.200s/nx-pjrt-XXXXXX",
		 place && *place ? place : "/tmp");
	if (!mkdtemp(p->folder)) {
		snprintf(
			warning, sizeof(warning),
			"cannot make a temporary folder %.200s; set TMPDIR to a folder that can be "
			"written",
			p->folder);
		*p->folder = 0;
		return fail(CODE_FAILED_PRECONDITION, warning);
	}
	options.output_dir = p->folder;
	options.with_runtime = p->wants_runtime;
	status = nx_profiler_start(&options);
	if (status == NX_PROFILER_RUNTIME) /* the session runs, without the runtime's calls */
		snprintf(warning, sizeof(warning), "%s", nx_profiler_error());
	else if (status)
		return fail_start(p, status == NX_PROFILER_LIMIT ? CODE_RESOURCE_EXHAUSTED
								 : CODE_FAILED_PRECONDITION);
	p->is_running = true;
	snprintf(p->session_folder, sizeof(p->session_folder), "%s", nx_profiler_directory());
	make.warning = *warning ? warning : NULL;
	if (nx_heap_guarded(make_space, &make))
		return NULL;
	(void)nx_profiler_stop();
	p->is_running = false;
	remove_folder(p);
	return fail(no_memory.code, no_memory.message);
}

static struct nx_plugin_error *stop(struct nx_profiler_args *args)
{
	struct nx_plugin_profiler *p = args->profiler;
	int status;

	if (!p || !p->is_running)
		return fail(CODE_FAILED_PRECONDITION, "this profiler has not started");
	p->is_running = false;
	status = nx_profiler_stop();
	/* somebody else may have stopped the session: its files are complete then */
	return status && status != NX_PROFILER_IDLE ? fail(CODE_INTERNAL, nx_profiler_error())
						    : NULL;
}

/* --- data ------------------------------------------------------------------ */

struct reading {
	struct nx_plugin_profiler *p;
	struct nx_bytes *out;
	enum nx_status status;
	struct nx_error error;
};

static void read_space(void *context)
{
	struct reading *r = context;

	r->status = nx_session_space_read(r->p->space, !r->p->is_running, r->out, &r->error);
}

static struct nx_plugin_error *read_into(struct nx_plugin_profiler *p, struct nx_bytes *out)
{
	struct reading r = {.p = p, .out = out};

	if (!p || !p->space)
		return fail(CODE_FAILED_PRECONDITION, "this profiler has not started");
	if (!nx_heap_guarded(read_space, &r))
		return fail(no_memory.code, no_memory.message);
	return r.status ? fail(CODE_INTERNAL, r.error.message) : NULL;
}

/* Hosts call once with a NULL buffer. One that asks for the size first, as the API's comment has
 * it, brings its own buffer to a second call. */
static struct nx_plugin_error *collect_data(struct nx_collect_args *args)
{
	struct nx_plugin_profiler *p = args->profiler;
	struct nx_plugin_error *error = NULL;

	if (!p || !p->is_collected)
		error = read_into(p, p ? &p->bytes : NULL);
	if (error) {
		args->buffer_size_in_bytes = 0;
		return error;
	}
	p->is_collected = true;
	if (!args->buffer || args->buffer == p->bytes.items)
		args->buffer = p->bytes.items;
	else if (args->buffer_size_in_bytes >= p->bytes.len)
		memcpy(args->buffer, p->bytes.items, p->bytes.len);
	else
		return fail(CODE_FAILED_PRECONDITION,
			    "the buffer is too small; ask for the size with a NULL buffer");
	args->buffer_size_in_bytes = p->bytes.len;
	return NULL;
}

static void free_chunk(struct nx_plugin_chunk *chunk)
{
	if (chunk)
		nx_vec_release(&chunk->bytes);
	nx_heap_free(chunk);
}

static struct nx_plugin_error *consume(struct nx_consume_args *args)
{
	struct nx_plugin_chunk *chunk = nx_heap_try_alloc(sizeof(*chunk));
	struct nx_plugin_error *error;

	args->chunk = NULL;
	if (!chunk)
		return &no_memory;
	if (args->profiler && args->profiler->is_running)
		(void)nx_profiler_flush();
	error = read_into(args->profiler, &chunk->bytes);
	if (error)
		free_chunk(chunk);
	else
		args->chunk = chunk;
	return error;
}

static void consume_result_destroy(struct nx_chunk_args *args)
{
	free_chunk(args->chunk);
}

static struct nx_plugin_error *serialize(struct nx_serialize_args *args)
{
	if (!args->chunk)
		return fail(CODE_FAILED_PRECONDITION, "there is nothing to serialize");
	args->bytes = args->chunk->bytes.items;
	args->size = args->chunk->bytes.len;
	return NULL;
}

static struct nx_plugin_error *destroy(struct nx_profiler_args *args)
{
	struct nx_plugin_profiler *p = args->profiler;

	if (!p)
		return NULL;
	if (p->is_running)
		(void)nx_profiler_stop();
	remove_folder(p);
	nx_session_space_free(p->space);
	nx_vec_release(&p->bytes);
	nx_heap_free(p);
	args->profiler = NULL;
	return NULL;
}

/* --- the table ------------------------------------------------------------- */

static struct nx_profiler_api profiler_api = {
	.struct_size = sizeof(struct nx_profiler_api),
	.error_destroy = error_destroy,
	.error_message = error_message,
	.error_get_code = error_get_code,
	.create = create,
	.destroy = destroy,
	.start = start,
	.stop = stop,
	.collect_data = collect_data,
	.consume = consume,
	.consume_result_destroy = consume_result_destroy,
	.serialize = serialize,
};

static struct nx_pjrt_profiler_extension extension = {
	.base = {.struct_size = sizeof(extension), .type = NX_PJRT_EXTENSION_PROFILER},
	.profiler_api = &profiler_api,
	.traceme_context_id = -1,
};

static struct nx_pjrt_api api = {
	.struct_size = sizeof(api),
	.extension_start = &extension.base,
	.version = {.struct_size = sizeof(struct nx_pjrt_version), .minor = 114},
};

EXPORT const struct nx_pjrt_api *GetPjrtApi(void);
EXPORT const struct nx_pjrt_api *GetPjrtApi(void)
{
	return &api;
}

/* For a backend that has extensions of its own: next follows ours. */
EXPORT struct nx_pjrt_extension *nx_pjrt_profiler_extension(struct nx_pjrt_extension *next);
EXPORT struct nx_pjrt_extension *nx_pjrt_profiler_extension(struct nx_pjrt_extension *next)
{
	extension.base.next = next;
	return &extension.base;
}
