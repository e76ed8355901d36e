/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "export/schema_texts.h"
#include "model/schema.h"

static struct nx_arena arena;
static const char *yaml, *markdown;

static const char *text_of(void (*write)(struct nx_output *out))
{
	const char *folder = getenv("TMPDIR");
	struct nx_output out;
	struct nx_file file;
	struct nx_error err;
	char path[256];
	const char *text;
	int fd;

	snprintf(path, sizeof(path), "%s/nx-schema-XXXXXX", folder ? folder : "/tmp");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(nx_output_open(&out, path, &err), NX_OK);
	write(&out);
	assert_int_equal(nx_output_commit(&out, &err), NX_OK);
	assert_int_equal(nx_file_map(&file, path, &err), NX_OK);
	text = nx_arena_copy(&arena, file.bytes);
	nx_file_unmap(&file);
	unlink(path);
	return text;
}

static int write_both(void **state)
{
	(void)state;
	yaml = text_of(nx_schema_write_yaml);
	markdown = text_of(nx_schema_write_markdown);
	return 0;
}

static int release(void **state)
{
	(void)state;
	nx_arena_release(&arena);
	return 0;
}

static unsigned count(const char *text, const char *part)
{
	unsigned found = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		found++;
	return found;
}

/* Scripts cut at every "---", also inside a line: there must be none but the separators. */
static void documents_are_cut_where_they_end(void **state)
{
	(void)state;
	assert_int_equal(count(yaml, "---"), NX_SCHEMA_TABLE_COUNT + 4);
	assert_int_equal(count(yaml, "\n---\n"), NX_SCHEMA_TABLE_COUNT + 4);
	assert_memory_equal(yaml, "openapi: 3.0.3\n", 15);
	assert_int_equal(yaml[strlen(yaml) - 1], '\n');
}

static void every_table_and_enumeration_is_a_document(void **state)
{
	char heading[128];

	(void)state;
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++) {
		snprintf(heading, sizeof(heading), "\n---\n%s:\n  type: object\n",
			 nx_schema_tables[i].name);
		assert_int_equal(count(yaml, heading), 1);
	}
	for (unsigned i = 0; i < NX_SCHEMA_ENUM_COUNT; i++) {
		snprintf(heading, sizeof(heading), "\n---\n%s:\n  type: string\n",
			 nx_schema_enums[i].name);
		assert_int_equal(count(yaml, heading), 1);
	}
}

static void every_field_is_a_property(void **state)
{
	unsigned required = 0, columns = 0;

	(void)state;
	for (unsigned t = 0; t < NX_SCHEMA_TABLE_COUNT; t++)
		for (unsigned i = 0; i < nx_schema_tables[t].column_count; i++, columns++)
			required += nx_schema_tables[t].columns[i].is_required;
	assert_int_equal(count(yaml, "\n      nullable: true\n"), columns - required);
	assert_int_equal(count(yaml, "\n      description: >-\n"), columns);
	/* an item of a list of names, and of nothing else, has a letter behind the dash */
	assert_int_equal(count(yaml, "\n    - ") - count(yaml, "\n    - '"), required - 2);
	assert_int_equal(count(yaml, "\n    - 'n'\n") + count(yaml, "\n    - 'k'\n"), 2);
}

static void lines_are_short_and_clean(void **state)
{
	(void)state;
	for (const char *line = yaml; *line; line += strcspn(line, "\n") + 1) {
		size_t len = strcspn(line, "\n");

		/* a quoted text and a reference stand on one line */
		if (len > 100 && !memmem(line, len, "example: ", 9) &&
		    !memmem(line, len, "$ref", 4))
			fail_msg("long line: %.*s", (int)len, line);
		if (memchr(line, '\t', len) || (len && line[len - 1] == ' '))
			fail_msg("tab or trailing blank: %.*s", (int)len, line);
	}
}

/* The quote of a quoted text is doubled; the schema has texts with one. */
static void quotes_are_doubled(void **state)
{
	(void)state;
	assert_non_null(strstr(yaml, "'From the host''s memory to the device.'"));
}

static void rows_of_the_document_have_their_cells(void **state)
{
	unsigned columns = 0, rows = 0;

	(void)state;
	for (const char *line = markdown; *line; line += strcspn(line, "\n") + 1) {
		unsigned bars = 0;

		if (*line != '|')
			continue;
		for (size_t i = 0; line[i] != '\n'; i++)
			bars += line[i] == '|' && (!i || line[i - 1] != '\\');
		if (bars != 5 && bars != 3)
			fail_msg("%u bars: %.80s", bars, line);
		rows += bars == 5;
	}
	for (unsigned t = 0; t < NX_SCHEMA_TABLE_COUNT; t++)
		columns += nx_schema_tables[t].column_count;
	assert_int_equal(rows, columns + 2 * NX_SCHEMA_TABLE_COUNT);
}

static bool has_heading(const char *anchor, size_t len)
{
	for (const char *at = markdown; (at = strstr(at, "\n### ")); at += 5) {
		size_t i = 0;

		while (i < len && tolower((unsigned char)at[5 + i]) == anchor[i])
			i++;
		if (i == len && at[5 + i] == '\n')
			return true;
	}
	return false;
}

static void links_lead_to_headings(void **state)
{
	unsigned links = 0;

	(void)state;
	for (const char *at = markdown; (at = strstr(at, "](#")); at += 3, links++)
		if (!has_heading(at + 3, strcspn(at + 3, ")")))
			fail_msg("no heading for %.40s", at + 3);
	/* the index, five columns with an enumeration, two with a list of rows */
	assert_int_equal(links, NX_SCHEMA_TABLE_COUNT + 5 + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(documents_are_cut_where_they_end),
		cmocka_unit_test(every_table_and_enumeration_is_a_document),
		cmocka_unit_test(every_field_is_a_property),
		cmocka_unit_test(lines_are_short_and_clean),
		cmocka_unit_test(quotes_are_doubled),
		cmocka_unit_test(rows_of_the_document_have_their_cells),
		cmocka_unit_test(links_lead_to_headings),
	};

	return cmocka_run_group_tests_name("export/schema_texts", tests, write_both, release);
}
