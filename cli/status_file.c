/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/status_file.h"

#include <assert.h>
#include <string.h>

#include "base/file.h"
#include "base/json_writer.h"

#define NO_CODE_YET (-1)

static const char *word_of(bool is_done, enum nx_status status)
{
	if (!is_done)
		return "processing";
	return status ? "failed" : "success";
}

/* outcome is the state of the run, without a name and a kind. */
static enum nx_status write_file(const struct nx_status_file *file,
				 const struct nx_status_entry *outcome, struct nx_error *err)
{
	struct nx_json_writer w;
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, file->path, err);

	if (st)
		return nx_context(err, "--processing-status-file");
	nx_json_init_output(&w, &out, true);
	nx_json_begin_object(&w);
	nx_json_key_i64(&w, "status_code",
			outcome->is_done ? nx_status_exit_code(outcome->status) : NO_CODE_YET);
	nx_json_key_text(&w, "status", word_of(outcome->is_done, outcome->status));
	nx_json_key_text(&w, "message", outcome->message);
	nx_json_key(&w, "profiles");
	nx_json_begin_array(&w);
	for (size_t i = 0; i < file->entries.len; i++) {
		const struct nx_status_entry *entry = &file->entries.items[i];

		nx_json_begin_object(&w);
		nx_json_key_text(&w, "name", entry->name);
		nx_json_key_text(&w, "type", nx_profile_kind_text(entry->kind));
		nx_json_key_text(&w, "status", word_of(entry->is_done, entry->status));
		nx_json_key_text(&w, "message", entry->message);
		nx_json_end_object(&w);
	}
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	nx_output_write(&out, "\n", 1);
	return nx_output_commit(&out, err) ? nx_context(err, "--processing-status-file") : NX_OK;
}

/* A failure is not reported here: that would interrupt work that may still succeed, and
 * nx_status_file_end will fail in the same way. */
static void write_progress(const struct nx_status_file *file)
{
	(void)!write_file(file, &(struct nx_status_entry){.message = ""}, NULL);
}

enum nx_status nx_status_file_begin(struct nx_status_file *file, const char *path,
				    struct nx_error *err)
{
	*file = (struct nx_status_file){.path = path};
	if (!path)
		return NX_OK;
	if (!*path || !strcmp(path, "-")) {
		file->path = NULL;
		return nx_fail(err, NX_USAGE,
			       "--processing-status-file needs the name of a file, which is "
			       "replaced again and again");
	}
	return write_file(file, &(struct nx_status_entry){.message = ""}, err);
}

static struct nx_status_entry *find_open(struct nx_status_file *file, const char *name,
					 enum nx_profile_kind kind)
{
	for (size_t i = 0; i < file->entries.len; i++) {
		struct nx_status_entry *entry = &file->entries.items[i];

		if (!entry->is_done && entry->kind == kind && !strcmp(entry->name, name))
			return entry;
	}
	return NULL;
}

static struct nx_status_entry *add(struct nx_status_file *file, const char *name,
				   enum nx_profile_kind kind)
{
	assert(file->path && name);
	nx_vec_push(&file->entries, ((struct nx_status_entry){
					    .name = nx_arena_copy_text(&file->arena, name),
					    .kind = kind,
					    .message = "",
				    }));
	return &file->entries.items[file->entries.len - 1];
}

void nx_status_file_enter(struct nx_status_file *file, const char *name, enum nx_profile_kind kind)
{
	if (!file->path)
		return;
	add(file, name, kind);
	write_progress(file);
}

void nx_status_file_leave(struct nx_status_file *file, const char *name, enum nx_profile_kind kind,
			  enum nx_status status, const char *message)
{
	struct nx_status_entry *entry;

	assert(!status || message);
	if (!file->path)
		return;
	entry = find_open(file, name, kind);
	if (!entry)
		entry = add(file, name, kind);
	entry->is_done = true;
	entry->status = status;
	entry->message = nx_arena_copy_text(&file->arena, status ? message : "");
	write_progress(file);
}

enum nx_status nx_status_file_end(struct nx_status_file *file, enum nx_status status,
				  struct nx_error *err)
{
	const struct nx_status_entry outcome = {
		.is_done = true, .status = status, .message = status && err ? err->message : ""};
	struct nx_error failure = {0};
	enum nx_status written = NX_OK;

	for (size_t i = 0; i < file->entries.len; i++) {
		struct nx_status_entry *entry = &file->entries.items[i];

		if (entry->is_done)
			continue;
		entry->is_done = true;
		entry->status = status;
		entry->message = outcome.message;
	}
	if (file->path)
		written = write_file(file, &outcome, &failure);
	nx_vec_release(&file->entries);
	nx_arena_release(&file->arena);
	*file = (struct nx_status_file){0};
	if (status || !written)
		return status;
	return nx_fail(err, written, "%s", failure.message);
}
