/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pjrt_profiler_api: the profiler extension of PJRT, as far as a plugin needs it. The layouts are
 * those of the published C API; names are ours. docs/formats/xspace.md says what hosts really do.
 */
#ifndef NX_PLUGIN_PJRT_PROFILER_API_H
#define NX_PLUGIN_PJRT_PROFILER_API_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum { NX_PJRT_EXTENSION_PROFILER = 1 };

struct nx_pjrt_extension {
	size_t struct_size;
	int type;
	struct nx_pjrt_extension *next;
};

struct nx_pjrt_version {
	size_t struct_size;
	struct nx_pjrt_extension *extension_start;
	int major, minor;
};

/* The head of PJRT_Api. Its functions follow, of which we have none: struct_size says so. */
struct nx_pjrt_api {
	size_t struct_size;
	struct nx_pjrt_extension *extension_start;
	struct nx_pjrt_version version;
};

struct nx_plugin_error;
struct nx_plugin_profiler;
struct nx_plugin_chunk;

struct nx_error_destroy_args {
	size_t struct_size;
	void *priv;
	struct nx_plugin_error *error;
};

struct nx_error_message_args {
	size_t struct_size;
	void *priv;
	struct nx_plugin_error *error;
	const char *message; /* out */
	size_t message_size; /* out */
};

struct nx_error_code_args {
	size_t struct_size;
	void *priv;
	struct nx_plugin_error *error;
	int code; /* out: an absl status code */
};

/* Hosts leave struct_size of the following uninitialised, except for the last three. */
struct nx_create_args {
	size_t struct_size;
	const char *options; /* a ProfileOptions message, valid during the call */
	size_t options_size;
	struct nx_plugin_profiler *profiler; /* out */
};

struct nx_profiler_args { /* of destroy, start and stop */
	size_t struct_size;
	struct nx_plugin_profiler *profiler;
};

struct nx_collect_args {
	size_t struct_size;
	struct nx_plugin_profiler *profiler;
	uint8_t *buffer; /* in: NULL; out: an XSpace that the profiler owns */
	size_t buffer_size_in_bytes;
};

struct nx_consume_args {
	size_t struct_size;
	struct nx_plugin_profiler *profiler;
	struct nx_plugin_chunk *chunk; /* out */
};

struct nx_chunk_args {
	size_t struct_size;
	struct nx_plugin_chunk *chunk;
};

struct nx_serialize_args {
	size_t struct_size;
	struct nx_plugin_profiler *profiler;
	struct nx_plugin_chunk *chunk;
	const uint8_t *bytes; /* out: the chunk's */
	size_t size;	      /* out */
};

struct nx_profiler_api {
	size_t struct_size;
	void *priv;
	void (*error_destroy)(struct nx_error_destroy_args *args);
	void (*error_message)(struct nx_error_message_args *args);
	struct nx_plugin_error *(*error_get_code)(struct nx_error_code_args *args);
	struct nx_plugin_error *(*create)(struct nx_create_args *args);
	struct nx_plugin_error *(*destroy)(struct nx_profiler_args *args);
	struct nx_plugin_error *(*start)(struct nx_profiler_args *args);
	struct nx_plugin_error *(*stop)(struct nx_profiler_args *args);
	struct nx_plugin_error *(*collect_data)(struct nx_collect_args *args);
	/* since 2026; hosts look at struct_size before they call these */
	struct nx_plugin_error *(*consume)(struct nx_consume_args *args);
	void (*consume_result_destroy)(struct nx_chunk_args *args);
	struct nx_plugin_error *(*serialize)(struct nx_serialize_args *args);
};

struct nx_pjrt_profiler_extension {
	struct nx_pjrt_extension base;
	struct nx_profiler_api *profiler_api;
	int64_t traceme_context_id; /* of calls; not used here */
};

static_assert(sizeof(struct nx_pjrt_extension) == 24 &&
		      sizeof(struct nx_pjrt_profiler_extension) == 40 &&
		      offsetof(struct nx_profiler_api, consume) == 80 &&
		      sizeof(struct nx_profiler_api) == 104,
	      "hosts were compiled with these layouts");
static_assert(sizeof(struct nx_create_args) == 32 && sizeof(struct nx_collect_args) == 32 &&
		      sizeof(struct nx_serialize_args) == 40 &&
		      sizeof(struct nx_error_message_args) == 40 &&
		      offsetof(struct nx_error_code_args, code) == 24,
	      "hosts were compiled with these layouts");

#endif
