/* SPDX-License-Identifier: Apache-2.0 */
/* Where the DuckDB library is, and its functions. */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "query/duckdb_internal.h"

#define VARIABLE "NEURON_EXPLORER_DUCKDB"
#define BESIDE_PROGRAM "../lib/neuron-explorer/libduckdb.so"
#ifdef NX_NO_DUCKDB
#define HAS_SQL false
#else
#define HAS_SQL true
#endif
#define REMEDY                                                                                     \
	"run 'make duckdb' where neuron-explorer was built, install libduckdb.so, or "             \
	"name one with " VARIABLE

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
#define FUNCTION_ROW(result, name, parameters) {#name, offsetof(struct nx_duckdb_api, name)},
	NX_DUCKDB_MAP(FUNCTION_ROW)
#undef FUNCTION_ROW
};

static enum nx_status resolve(struct nx_duckdb_api *api, void *library, const char *path,
			      struct nx_error *err)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(library, functions[i].name);

		if (!function)
			return nx_fail(err, NX_VERSION,
				       "%s has no %s, so it is too old or no DuckDB; version 1.2 "
				       "or newer is needed",
				       path, functions[i].name);
		memcpy((char *)api + functions[i].offset, &function, sizeof(function));
	}
	return NX_OK;
}

static const char *beside_program(char out[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", out, PATH_MAX - sizeof(BESIDE_PROGRAM));

	while (len > 0 && out[len - 1] != '/')
		len--;
	if (len <= 0)
		return NULL;
	memcpy(out + len, BESIDE_PROGRAM, sizeof(BESIDE_PROGRAM));
	return access(out, F_OK) ? NULL : out;
}

/* A library that was named or shipped and does not load is an error, not a reason to look on. */
static enum nx_status find_library(void **library, const char **path, char buffer[PATH_MAX],
				   struct nx_error *err)
{
	const char *named = *path ? *path : getenv(VARIABLE);

	*path = named && *named ? named : beside_program(buffer);
	if (!*path)
		*path = "libduckdb.so";
	/* LOCAL, because the library exports the internals of all it was linked with. */
	*library = dlopen(*path, RTLD_NOW | RTLD_LOCAL);
	if (*library)
		return NX_OK;
	if (strcmp(*path, "libduckdb.so") != 0)
		return nx_fail(err, NX_UNSUPPORTED,
			       "the DuckDB library cannot be loaded (%s); " REMEDY, dlerror());
	return nx_fail(err, NX_UNSUPPORTED,
		       "SQL needs the DuckDB library, which is not here; " REMEDY);
}

static struct {
	pthread_mutex_t lock;
	bool is_loaded;
	struct nx_duckdb_api api;
} loaded = {.lock = PTHREAD_MUTEX_INITIALIZER};

static enum nx_status load_once(const char *path, struct nx_error *err)
{
	char buffer[PATH_MAX];
	void *library;
	enum nx_status st;

	if (!HAS_SQL)
		return nx_fail(err, NX_UNSUPPORTED,
			       "this build has no SQL; build with -Dduckdb=bundled or system");
	if (loaded.is_loaded)
		return NX_OK;
	st = find_library(&library, &path, buffer, err);
	if (!st)
		st = resolve(&loaded.api, library, path, err);
	loaded.is_loaded = !st;
	return st;
}

enum nx_status nx_duckdb_load(const struct nx_duckdb_api **api, const char *library_path,
			      struct nx_error *err)
{
	enum nx_status st;

	pthread_mutex_lock(&loaded.lock);
	st = load_once(library_path, err);
	pthread_mutex_unlock(&loaded.lock);
	*api = &loaded.api;
	return st;
}
