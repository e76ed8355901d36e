/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile_record.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_reader.h"
#include "base/json_writer.h"

static const char *const kind_texts[] = {
#define KIND_TEXT(name, text) text,
	NX_PROFILE_KIND_MAP(KIND_TEXT)
#undef KIND_TEXT
};
static const char *const state_texts[] = {
#define STATE_TEXT(name, text) text,
	NX_PROFILE_STATE_MAP(STATE_TEXT)
#undef STATE_TEXT
};

bool nx_profile_record_is_away(const struct nx_profile_record *r)
{
	return r->archive.place && *r->archive.place && !r->archive.is_local;
}

bool nx_profile_is_key(const char *word)
{
	return !strncmp(word, "n_", 2) && strlen(word) == 42 &&
	       strspn(word + 2, "0123456789abcdef") == 40;
}

const char *nx_profile_kind_text(enum nx_profile_kind kind)
{
	assert(kind <= NX_PROFILE_SYSTEM);
	return kind_texts[kind];
}

const char *nx_profile_state_text(enum nx_profile_state state)
{
	assert(state <= NX_PROFILE_UPLOADING);
	return state_texts[state];
}

void nx_profile_record_release(struct nx_profile_record *r)
{
	nx_vec_release(&r->sources);
	nx_vec_release(&r->tables);
	nx_vec_release(&r->sessions);
}

/* Captures lie a few folders deep; deeper folders are not searched. */
#define SOURCE_DEPTH_MAX 8

static void measure_file(struct nx_profile_source *source, const struct stat *st)
{
	uint64_t modified_ms =
		(uint64_t)st->st_mtim.tv_sec * 1000 + (uint64_t)st->st_mtim.tv_nsec / 1000000;

	if (S_ISREG(st->st_mode))
		source->size_bytes += (uint64_t)st->st_size;
	if (modified_ms > source->modified_ms)
		source->modified_ms = modified_ms;
}

/* Closes the descriptor. Leaves out what cannot be read: the decoder reports it. */
static void measure_folder(struct nx_profile_source *source, int fd, unsigned depth)
{
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat st;

	if (!folder && fd >= 0)
		close(fd);
	while (folder && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.' ||
		    fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (S_ISREG(st.st_mode))
			measure_file(source, &st);
		else if (S_ISDIR(st.st_mode) && depth < SOURCE_DEPTH_MAX)
			measure_folder(source,
				       openat(dirfd(folder), entry->d_name,
					      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
				       depth + 1);
	}
	if (folder)
		closedir(folder);
}

enum nx_status nx_profile_record_add_source(struct nx_profile_record *r, const char *path,
					    struct nx_arena *arena, struct nx_error *err)
{
	struct nx_profile_source source = {0};
	char absolute[PATH_MAX];
	struct stat st;

	if (stat(path, &st) < 0)
		return nx_fail_errno(err, errno, "cannot inspect %s", path);
	measure_file(&source, &st);
	if (S_ISDIR(st.st_mode))
		measure_folder(&source, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0);
	source.path = nx_arena_copy_text(arena, realpath(path, absolute) ? absolute : path);
	nx_vec_push(&r->sources, source);
	return NX_OK;
}

bool nx_profile_record_is_made_like(const struct nx_profile_record *r,
				    const struct nx_profile_record *wanted)
{
	if (r->kind != wanted->kind || r->sources.len != wanted->sources.len || !*wanted->recipe ||
	    strcmp(r->recipe, wanted->recipe) != 0)
		return false;
	for (size_t i = 0; i < r->sources.len; i++) {
		const struct nx_profile_source *a = &r->sources.items[i];
		const struct nx_profile_source *b = &wanted->sources.items[i];

		if (strcmp(a->path, b->path) != 0 || a->size_bytes != b->size_bytes ||
		    a->modified_ms != b->modified_ms)
			return false;
	}
	return true;
}

void nx_profile_record_add_table(struct nx_profile_record *r, const char *name, uint64_t row_count)
{
	nx_vec_push(&r->tables, ((struct nx_profile_table){name, row_count}));
}

uint64_t nx_profile_record_rows(const struct nx_profile_record *r)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < r->tables.len; i++)
		if (__builtin_add_overflow(rows, r->tables.items[i].row_count, &rows))
			return UINT64_MAX;
	return rows;
}

/* --- writing --------------------------------------------------------------- */

static void write_text(struct nx_json_writer *w, const char *key, const char *text)
{
	nx_json_key_text(w, key, text ? text : "");
}

static void write_sources(struct nx_json_writer *w, const struct nx_profile_sources *sources)
{
	nx_json_key(w, "sources");
	nx_json_begin_array(w);
	for (size_t i = 0; i < sources->len; i++) {
		nx_json_begin_object(w);
		write_text(w, "path", sources->items[i].path);
		nx_json_key_u64(w, "size_bytes", sources->items[i].size_bytes);
		nx_json_key_u64(w, "modified_ms", sources->items[i].modified_ms);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void write_tables(struct nx_json_writer *w, const struct nx_profile_tables *tables)
{
	nx_json_key(w, "tables");
	nx_json_begin_array(w);
	for (size_t i = 0; i < tables->len; i++) {
		nx_json_begin_object(w);
		write_text(w, "name", tables->items[i].name);
		nx_json_key_u64(w, "row_count", tables->items[i].row_count);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void write_sessions(struct nx_json_writer *w, const struct nx_profile_record *r)
{
	if (!r->sessions.len)
		return;
	write_text(w, "run", r->run);
	nx_json_key(w, "sessions");
	nx_json_begin_array(w);
	for (size_t i = 0; i < r->sessions.len; i++) {
		const struct nx_profile_session *session = &r->sessions.items[i];

		nx_json_begin_object(w);
		write_text(w, "name", session->name);
		write_text(w, "kind", session->kind);
		write_text(w, "reason", session->reason);
		nx_json_key_u64(w, "start_ns", session->start_ns);
		nx_json_key_u64(w, "end_ns", session->end_ns);
		nx_json_key_u64(w, "host_count", session->host_count);
		nx_json_key_u64(w, "failed_count", session->failed_count);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void write_archive(struct nx_json_writer *w, const struct nx_profile_archive *a)
{
	if (!a->place || !*a->place)
		return;
	nx_json_key(w, "archive");
	nx_json_begin_object(w);
	write_text(w, "place", a->place);
	write_text(w, "key", a->key);
	write_text(w, "sha256", a->sha256);
	nx_json_key_u64(w, "list_bytes", a->list_bytes);
	nx_json_key_u64(w, "size_bytes", a->size_bytes);
	nx_json_key_bool(w, "local", a->is_local);
	nx_json_end_object(w);
}

static void write_clock(struct nx_json_writer *w, const struct nx_profile_clock *clock)
{
	if (clock->start_epoch_ns)
		nx_json_key_u64(w, "start_epoch_ns", clock->start_epoch_ns);
	nx_json_key_u64(w, "total_ns", clock->total_ns);
	if (!clock->collective || !*clock->collective)
		return;
	write_text(w, "collective", clock->collective);
	nx_json_key_u64(w, "collective_end_ns", clock->collective_end_ns);
}

void nx_profile_record_write(const struct nx_profile_record *r, struct nx_bytes *bytes)
{
	struct nx_json_writer w;

	nx_json_init_bytes(&w, bytes, true);
	nx_json_begin_object(&w);
	nx_json_key_u64(&w, "store_version", r->store_version);
	write_text(&w, "schema_version", r->schema_version);
	write_text(&w, "id", r->id);
	write_text(&w, "key", r->key);
	write_text(&w, "recipe", r->recipe);
	write_text(&w, "begun_as", r->begun_as);
	write_text(&w, "kind", nx_profile_kind_text(r->kind));
	write_text(&w, "state", nx_profile_state_text(r->state));
	write_text(&w, "reason", r->reason);
	nx_json_key_u64(&w, "created_ms", r->created_ms);
	nx_json_key_u64(&w, "opened_ms", r->opened_ms);
	nx_json_key_u64(&w, "size_bytes", r->size_bytes);
	nx_json_key_bool(&w, "simulated", r->is_simulated);
	if (r->has_rank)
		nx_json_key_u64(&w, "rank", r->rank);
	nx_json_key_u64(&w, "core", r->core);
	write_clock(&w, &r->clock);
	write_sessions(&w, r);
	write_archive(&w, &r->archive);
	nx_json_key_bool(&w, "favourite", r->is_favourite);
	write_text(&w, "label", r->label);
	write_sources(&w, &r->sources);
	write_tables(&w, &r->tables);
	nx_json_end_object(&w);
	nx_bytes_append(bytes, "\n", 1);
}

/* --- reading --------------------------------------------------------------- */

static const char *read_text(const struct nx_json *object, const char *key, struct nx_arena *arena)
{
	return nx_json_as_text(nx_json_get(object, key), arena, "");
}

static uint64_t read_number(const struct nx_json *object, const char *key)
{
	return nx_json_as_u64(nx_json_get(object, key), 0);
}

static bool read_flag(const struct nx_json *object, const char *key)
{
	const struct nx_json *value = nx_json_get(object, key);

	return value && value->kind == NX_JSON_BOOL && nx_slice_is(value->text, "true");
}

/* The index of the text in the list; count if it is not there. */
static unsigned find_text(const char *const *texts, unsigned count, struct nx_slice text)
{
	unsigned i = 0;

	while (i < count && !nx_slice_is(text, texts[i]))
		i++;
	return i;
}

static void read_lists(const struct nx_json *root, struct nx_arena *arena,
		       struct nx_profile_record *r)
{
	const struct nx_json *sources = nx_json_get(root, "sources");
	const struct nx_json *tables = nx_json_get(root, "tables");
	const struct nx_json *sessions = nx_json_get(root, "sessions");

	for (size_t i = 0; sources && sources->kind == NX_JSON_ARRAY && i < sources->count; i++) {
		const struct nx_json *item = &sources->children[i];

		nx_vec_push(&r->sources, ((struct nx_profile_source){
						 .path = read_text(item, "path", arena),
						 .size_bytes = read_number(item, "size_bytes"),
						 .modified_ms = read_number(item, "modified_ms"),
					 }));
	}
	for (size_t i = 0; sessions && sessions->kind == NX_JSON_ARRAY && i < sessions->count;
	     i++) {
		const struct nx_json *item = &sessions->children[i];

		nx_vec_push(&r->sessions,
			    ((struct nx_profile_session){
				    .name = read_text(item, "name", arena),
				    .kind = read_text(item, "kind", arena),
				    .reason = read_text(item, "reason", arena),
				    .start_ns = read_number(item, "start_ns"),
				    .end_ns = read_number(item, "end_ns"),
				    .host_count = (uint32_t)read_number(item, "host_count"),
				    .failed_count = (uint32_t)read_number(item, "failed_count"),
			    }));
	}
	for (size_t i = 0; tables && tables->kind == NX_JSON_ARRAY && i < tables->count; i++)
		nx_profile_record_add_table(r, read_text(&tables->children[i], "name", arena),
					    read_number(&tables->children[i], "row_count"));
}

static enum nx_status read_enums(const struct nx_json *root, struct nx_profile_record *r,
				 struct nx_error *err)
{
	unsigned kind_count = sizeof(kind_texts) / sizeof(kind_texts[0]);
	unsigned kind =
		find_text(kind_texts, kind_count, nx_json_as_slice(nx_json_get(root, "kind")));
	unsigned state = find_text(state_texts, NX_PROFILE_UNFINISHED,
				   nx_json_as_slice(nx_json_get(root, "state")));

	/* Ignore what newer versions added; check_version reports the version. */
	if (r->store_version > NX_STORE_VERSION) {
		r->kind = kind < kind_count ? (enum nx_profile_kind)kind : NX_PROFILE_DEVICE;
		r->state = state < NX_PROFILE_UNFINISHED ? (enum nx_profile_state)state
							 : NX_PROFILE_READY;
		return NX_OK;
	}
	if (kind == kind_count)
		return nx_fail(err, NX_FORMAT, "it does not say whether it is device or system");
	if (state == NX_PROFILE_UNFINISHED)
		return nx_fail(err, NX_FORMAT, "it does not say in which state the profile is");
	r->kind = (enum nx_profile_kind)kind;
	r->state = (enum nx_profile_state)state;
	return NX_OK;
}

static enum nx_status read_members(const struct nx_json *root, struct nx_arena *arena,
				   struct nx_profile_record *r, struct nx_error *err)
{
	uint64_t version = nx_json_as_u64(nx_json_get(root, "store_version"), UINT64_MAX), rank;
	const struct nx_json *archive = nx_json_get(root, "archive");
	enum nx_status st;

	if (version > UINT32_MAX)
		return nx_fail(err, NX_FORMAT, "it does not say by which version it was written");
	r->store_version = (uint32_t)version;
	st = read_enums(root, r, err);
	if (st)
		return st;
	r->begun_as = read_text(root, "begun_as", arena);
	r->id = read_text(root, "id", arena);
	r->key = read_text(root, "key", arena);
	r->recipe = read_text(root, "recipe", arena);
	r->reason = read_text(root, "reason", arena);
	r->schema_version = read_text(root, "schema_version", arena);
	r->label = read_text(root, "label", arena);
	r->created_ms = read_number(root, "created_ms");
	r->opened_ms = read_number(root, "opened_ms");
	r->size_bytes = read_number(root, "size_bytes");
	r->is_simulated = read_flag(root, "simulated");
	rank = nx_json_as_u64(nx_json_get(root, "rank"), UINT32_MAX);
	r->has_rank = rank < UINT32_MAX;
	r->rank = r->has_rank ? (uint32_t)rank : 0;
	r->core = (uint32_t)read_number(root, "core");
	r->clock = (struct nx_profile_clock){
		.start_epoch_ns = read_number(root, "start_epoch_ns"),
		.total_ns = read_number(root, "total_ns"),
		.collective = read_text(root, "collective", arena),
		.collective_end_ns = read_number(root, "collective_end_ns"),
	};
	r->run = read_text(root, "run", arena);
	r->archive = (struct nx_profile_archive){
		.place = read_text(archive, "place", arena),
		.key = read_text(archive, "key", arena),
		.sha256 = read_text(archive, "sha256", arena),
		.list_bytes = read_number(archive, "list_bytes"),
		.size_bytes = read_number(archive, "size_bytes"),
		.is_local = read_flag(archive, "local"),
	};
	r->is_favourite = read_flag(root, "favourite");
	read_lists(root, arena, r);
	return NX_OK;
}

enum nx_status nx_profile_record_read(struct nx_slice json, struct nx_arena *arena,
				      struct nx_profile_record *r, struct nx_error *err)
{
	/* The tree is several times the record; a catalogue of thousands must not keep it. */
	struct nx_arena scratch = {0};
	struct nx_json *root;
	enum nx_status st = nx_json_parse(json, &scratch, &root, err);

	*r = (struct nx_profile_record){.name = ""};
	if (!st)
		st = read_members(root, arena, r, err);
	nx_arena_release(&scratch);
	return st;
}
