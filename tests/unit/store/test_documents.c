/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/documents.h"
#include "tests/unit/store/workspace_fixture.h"

static void write_text(const struct nx_document_place *place, const char *name, const char *text)
{
	struct nx_error err = {0};

	if (nx_document_write(place, name, nx_slice_text(text), &err))
		fail_msg("%s", err.message);
}

static void assert_text(const struct nx_document_place *place, const char *name, const char *text)
{
	struct nx_bytes bytes = {0};
	struct nx_error err = {0};

	if (nx_document_read(place, name, &bytes, &err))
		fail_msg("%s", err.message);
	assert_true(nx_slice_is(nx_slice_of(bytes.items, bytes.len), text));
	nx_vec_release(&bytes);
}

static void assert_missing(const struct nx_document_place *place, const char *name)
{
	struct nx_bytes bytes = {0};

	assert_int_equal(nx_document_read(place, name, &bytes, NULL), NX_NOT_FOUND);
	nx_vec_release(&bytes);
}

static void assert_names(const struct nx_document_place *place, const char *expected)
{
	struct nx_document_names names = {0};
	struct nx_arena arena = {0};
	char joined[256] = "";

	assert_int_equal(nx_documents_list(place, &arena, &names, NULL), NX_OK);
	for (size_t i = 0; i < names.len; i++)
		snprintf(joined + strlen(joined), sizeof(joined) - strlen(joined), "%s%s",
			 i ? "," : "", names.items[i]);
	assert_string_equal(joined, expected);
	nx_vec_release(&names);
	nx_arena_release(&arena);
}

static void documents_come_back_as_they_were_written(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_document_place layouts = {.workspace = ws};

	(void)state;
	assert_names(&layouts, "");
	assert_missing(&layouts, "mine");
	write_text(&layouts, "mine", "{\"a\":1}");
	write_text(&layouts, "an other", "{}");
	assert_text(&layouts, "mine", "{\"a\":1}");
	write_text(&layouts, "mine", "{\"a\":2}");
	assert_text(&layouts, "mine", "{\"a\":2}");
	assert_names(&layouts, "an other,mine");
	assert_int_equal(nx_document_remove(&layouts, "mine", NULL), NX_OK);
	assert_int_equal(nx_document_remove(&layouts, "mine", NULL), NX_NOT_FOUND);
	assert_names(&layouts, "an other");
	nx_workspace_close(ws);
}

static void names_cannot_lead_elsewhere(void **state)
{
	static const char *const bad[] = {"", "..", "../x", "a/b", ".hidden", "-x", "a\nb"};
	struct nx_workspace *ws = open_workspace();
	struct nx_document_place layouts = {.workspace = ws};
	struct nx_bytes bytes = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(nx_document_write(&layouts, bad[i], nx_slice_text("{}"), NULL),
				 NX_USAGE);
		assert_int_equal(nx_document_read(&layouts, bad[i], &bytes, NULL), NX_USAGE);
		assert_int_equal(nx_document_remove(&layouts, bad[i], NULL), NX_USAGE);
	}
	nx_workspace_close(ws);
}

static void links_are_not_documents(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_document_place layouts = {.workspace = ws};

	(void)state;
	write_text(&layouts, "mine", "{}");
	put_file("secret", "secret");
	assert_int_equal(symlink("../../secret", "ws/layouts/link.json"), 0);
	assert_int_equal(mkdir("ws/layouts/folder.json", 0700), 0);
	assert_missing(&layouts, "link");
	assert_missing(&layouts, "folder");
	assert_int_equal(nx_document_remove(&layouts, "folder", NULL), NX_NOT_FOUND);
	nx_workspace_close(ws);
}

static void there_may_not_be_too_many_nor_too_long_ones(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_document_place layouts = {.workspace = ws};
	size_t len = NX_DOCUMENT_BYTES_MAX + 1;
	char *text = nx_heap_alloc(len), name[32];

	(void)state;
	memset(text, ' ', len);
	assert_int_equal(nx_document_write(&layouts, "long", nx_slice_of(text, len), NULL),
			 NX_LIMIT);
	assert_int_equal(nx_document_write(&layouts, "long", nx_slice_of(text, len - 1), NULL),
			 NX_OK);
	nx_heap_free(text);
	for (unsigned i = 1; i < NX_DOCUMENTS_MAX; i++) {
		snprintf(name, sizeof(name), "ws/layouts/d%u.json", i);
		put_file(name, "{}");
	}
	assert_int_equal(nx_document_write(&layouts, "more", nx_slice_text("{}"), NULL), NX_LIMIT);
	/* one that is there may still change */
	write_text(&layouts, "d1", "{\"b\":1}");
	nx_workspace_close(ws);
}

static void annotations_stay_with_their_profile(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_document_place old = {ws, "old"}, new = {ws, "new"};

	(void)state;
	must_store(ws, "old", "rows");
	write_text(&old, "first look", "{\"a\":1}");
	assert_int_equal(nx_workspace_rename(ws, "old", "new", NULL), NX_OK);
	assert_text(&new, "first look", "{\"a\":1}");
	assert_missing(&old, "first look");
	/* stored again, with force */
	must_store(ws, "new", "rows");
	assert_text(&new, "first look", "{\"a\":1}");
	write_text(&new, "first look", "{\"a\":2}");
	must_store(ws, "new", "rows");
	must_store(ws, "new", "rows");
	assert_text(&new, "first look", "{\"a\":2}");
	assert_int_equal(nx_workspace_remove(ws, "new", NULL), NX_OK);
	assert_int_equal(nx_document_write(&new, "x", nx_slice_text("{}"), NULL), NX_NOT_FOUND);
	nx_workspace_close(ws);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)
	const struct CMUnitTest tests[] = {
		CASE(documents_come_back_as_they_were_written),
		CASE(names_cannot_lead_elsewhere),
		CASE(links_are_not_documents),
		CASE(there_may_not_be_too_many_nor_too_long_ones),
		CASE(annotations_stay_with_their_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
