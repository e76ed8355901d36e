/* SPDX-License-Identifier: Apache-2.0 */
/* Resources in the form in which other tools request them. */
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "serve/handlers.h"
#include "serve/row_json.h"
#include "serve/sql_answer.h"
#include "store/catalogue.h"

/* --- /db/{p}/_search ----------------------------------------------------------------------- */

static enum nx_status ask_sql(struct nx_server *server, struct nx_request *request,
			      const struct nx_json *body, struct nx_reply *reply,
			      struct nx_error *err)
{
	struct nx_sql_asked asked = {.sql = nx_json_as_slice(nx_json_get(body, "query")),
				     .limit = NX_SQL_ROWS_MAX,
				     .has_named_rows = true};

	if (!asked.sql.len)
		return nx_fail(err, NX_USAGE, "'query' should be a SELECT statement");
	return nx_sql_answer(server, request, &asked, reply, err);
}

static enum nx_status put_schema(struct nx_open_profile *profile, const char *name,
				 struct nx_reply *reply, struct nx_error *err)
{
	const struct nx_stored_table *table;
	struct nx_json_writer w;
	enum nx_status st = nx_open_profile_table(profile, name, &table, err);

	if (st)
		return st;
	nx_reply_json(reply, &w);
	nx_json_key_text(&w, "tableName", table->name);
	nx_json_key_u64_text(&w, "row_count", table->row_count);
	nx_json_key_array(&w, "columns");
	for (size_t i = 0; i < table->field_count; i++)
		nx_table_column_put(&w, table, i);
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	return NX_OK;
}

static void put_file(struct nx_json_writer *w, const char *table, const char *path)
{
	struct stat st;

	nx_json_begin_object(w);
	nx_json_key_text(w, "name", nx_path_name(path));
	nx_json_key_text(w, "tableName", table);
	nx_json_key_u64_text(w, "size_bytes", stat(path, &st) ? 0 : (uint64_t)st.st_size);
	nx_json_end_object(w);
}

static void put_files(const struct nx_open_profile *profile, struct nx_reply *reply)
{
	struct nx_json_writer w;

	nx_reply_json(reply, &w);
	nx_json_key_array(&w, "files");
	for (size_t i = 0; i < profile->folder.tables.len; i++) {
		const struct nx_folder_table *table = &profile->folder.tables.items[i];

		for (size_t j = 0; j < table->file_count; j++)
			put_file(&w, table->name, table->files[j]);
	}
	nx_json_end_array(&w);
	nx_json_end_object(&w);
}

static enum nx_status describe(struct nx_server *server, struct nx_request *request,
			       const char *table, struct nx_reply *reply, struct nx_error *err)
{
	enum nx_status st = nx_request_open_profile(server, request, err);

	if (!st && table)
		return put_schema(request->profile, table, reply, err);
	if (!st)
		put_files(request->profile, reply);
	return st;
}

NX_HANDLER(db_search)
{
	const struct nx_json *body;
	struct nx_slice type;
	enum nx_status st = nx_request_json(request, &body, err);

	if (st)
		return st;
	type = nx_json_as_slice(nx_json_get(body, "type"));
	if (nx_slice_is(type, "databaseExplorerQuery"))
		return ask_sql(server, request, body, reply, err);
	if (nx_slice_is(type, "listDbFiles"))
		return describe(server, request, NULL, reply, err);
	if (nx_slice_is(type, "tableSchema"))
		return describe(server, request,
				nx_json_as_text(nx_json_get(body, "tableName"), &request->arena,
						""),
				reply, err);
	return nx_fail(err, NX_USAGE,
		       "'type' should be databaseExplorerQuery, tableSchema or listDbFiles");
}

/* --- /profiles/search ---------------------------------------------------------------------- */

/* There is one user, so any name is accepted; a missing one is refused, as other servers do. */
NX_HANDLER(profiles_search)
{
	const char *user = nx_request_header(request, "x-user-id");
	struct nx_catalogue catalogue = {0};
	struct nx_json_writer w;
	enum nx_status st;

	if (!user || !*user)
		return nx_fail(err, NX_USAGE, "x-user-id header is missing");
	st = nx_catalogue_load(&catalogue, server->workspace, err);
	if (!st) {
		nx_reply_json(reply, &w);
		nx_json_key_array(&w, "profiles");
		for (size_t i = 0; i < catalogue.records.len; i++) {
			const struct nx_profile_record *r = &catalogue.records.items[i];

			nx_json_begin_object(&w);
			nx_json_key_text(&w, "profile_name", r->name);
			nx_json_key_text(&w, "type", nx_profile_kind_text(r->kind));
			nx_json_key_text(&w, "status", nx_profile_state_text(r->state));
			nx_json_end_object(&w);
		}
		nx_json_end_array(&w);
		nx_json_end_object(&w);
	}
	nx_catalogue_release(&catalogue);
	return st;
}
