/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/options.h"
#include "tests/unit/cli/command_table.h"

struct values {
	bool force;
	const char *file, *engine, *mode;
	struct nx_number_value number;
	struct nx_list_value list;
};

#define FIELD(member) NX_FIELD(struct values, member)

static const struct nx_option table[] = {
	{"force", 'f', NX_FLAG, FIELD(force), "Force."},
	{"file", 0, NX_FILE("FILE"), FIELD(file), "A file."},
	{"engine", 0, NX_FLAG_TEXT("NAME", NULL), FIELD(engine), "One."},
	{"number", 'n', NX_NUMBER("N"), FIELD(number), "A number."},
	{NULL, 'F', NX_LIST("X"), FIELD(list), "Again."},
	{"later", 'l', NX_LATER_FLAG, 0, "do this"},
	{"mode", 'm', NX_CHOICE("MODE", "sync async async-wait"), FIELD(mode), "How."},
	{0},
};

static const struct nx_command command = {.name = "try", .options = table};

struct parsed {
	enum nx_status status;
	struct values values;
	struct nx_operands operands;
	bool wants_help;
	struct nx_error error;
	char *words[40];
};

static struct parsed *parse(struct parsed *p, const char *const *words)
{
	int count = 0;

	memset(p, 0, sizeof(*p));
	for (; words[count]; count++)
		p->words[count] = (char *)(uintptr_t)words[count];
	p->status = nx_options_parse(&command, count, p->words, &p->values, &p->operands,
				     &p->wants_help, &p->error);
	return p;
}

#define PARSE(p, ...) parse((p), (const char *const[]){"try", __VA_ARGS__, NULL})

static void test_every_kind(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "in", "-f", "--file", "a b", "--engine=pe", "-n7", "-F", "x=1", "-Fy", "out");
	assert_int_equal(p.status, NX_OK);
	assert_true(p.values.force);
	assert_string_equal(p.values.file, "a b");
	assert_string_equal(p.values.engine, "pe");
	assert_true(p.values.number.is_given);
	assert_int_equal(p.values.number.value, 7);
	assert_int_equal(p.values.list.count, 2);
	assert_string_equal(p.values.list.items[0], "x=1");
	assert_string_equal(p.values.list.items[1], "y");
	assert_int_equal(p.operands.count, 2);
	assert_string_equal(p.operands.items[0], "in");
	assert_string_equal(p.operands.items[1], "out");
}

static void test_nothing_given(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, (const char *const[]){"try", NULL});
	assert_int_equal(p.status, NX_OK);
	assert_null(p.values.file);
	assert_null(p.values.engine);
	assert_false(p.values.number.is_given);
	assert_int_equal(p.operands.count, 0);
}

static void test_optional_value(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "--engine", "pe");
	assert_string_equal(p.values.engine, "");
	assert_int_equal(p.operands.count, 1);
}

static void test_double_dash_ends_options(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "-f", "--", "--file", "-n");
	assert_int_equal(p.status, NX_OK);
	assert_int_equal(p.operands.count, 2);
	assert_string_equal(p.operands.items[0], "--file");
}

static void test_beginnings(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "--num", "3");
	assert_int_equal(p.values.number.value, 3);
	PARSE(&p, "--f");
	assert_int_equal(p.status, NX_USAGE);
	assert_string_equal(p.error.message,
			    "--f could be several options; write it in full (see 'try --help')");
}

static void test_numbers(void **state)
{
	static const char *const wrong[] = {
		"", "-1", "x", "1x", "1.5", "4294967296", "99999999999999999999999", " -1"};
	struct parsed p;

	(void)state;
	PARSE(&p, "-n", "4294967295");
	assert_int_equal(p.values.number.value, UINT32_MAX);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		PARSE(&p, "-n", wrong[i]);
		assert_int_equal(p.status, NX_USAGE);
		assert_non_null(strstr(p.error.message, "--number needs a whole number"));
	}
}

static void test_refusals(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "--fiel", "x");
	assert_string_equal(p.error.message,
			    "unknown option --fiel; did you mean --file? (see 'try --help')");
	PARSE(&p, "-z");
	assert_string_equal(p.error.message, "unknown option -z (see 'try --help')");
	PARSE(&p, "--file");
	assert_string_equal(p.error.message, "--file needs a value (see 'try --help')");
	PARSE(&p, "--force=no");
	assert_string_equal(p.error.message, "--force takes no value (see 'try --help')");
	assert_int_equal(p.status, NX_USAGE);
}

static void test_later(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "-l");
	assert_int_equal(p.status, NX_UNSUPPORTED);
	assert_string_equal(p.error.message,
			    "--later is not in this version yet; do this (see 'try --help')");
}

static void test_choice(void **state)
{
	char shouted[] = "ASYNC-Wait";
	static const char *const wrong[] = {"", "s", "sync ", "sync async", "asynch"};
	struct parsed p;

	(void)state;
	PARSE(&p, "-m", "async");
	assert_int_equal(p.status, NX_OK);
	assert_string_equal(p.values.mode, "async");
	PARSE(&p, "-m", shouted);
	assert_int_equal(p.status, NX_OK);
	assert_string_equal(p.values.mode, "async-wait");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(PARSE(&p, "-m", wrong[i])->status, NX_USAGE);
	assert_string_equal(p.error.message, "--mode is one of sync async async-wait, not "
					     "'asynch'; did you mean 'async'? (see 'try --help')");
}

static void test_list_is_bounded(void **state)
{
	const char *words[NX_LIST_MAX + 3] = {"try"};
	struct parsed p;

	(void)state;
	for (size_t i = 1; i <= NX_LIST_MAX + 1; i++)
		words[i] = "-Fx";
	parse(&p, words);
	assert_int_equal(p.status, NX_USAGE);
	assert_string_equal(p.error.message, "-F is given more than 16 times (see 'try --help')");
}

static void test_help(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "-f", "--help", "--nonsense");
	assert_int_equal(p.status, NX_OK);
	assert_true(p.wants_help);
	PARSE(&p, "-h");
	assert_true(p.wants_help);
}

static void test_spelling(void **state)
{
	char text[64];

	(void)state;
	assert_string_equal(nx_option_spelling(&table[0], text, sizeof(text)), "-f, --force");
	assert_string_equal(nx_option_spelling(&table[1], text, sizeof(text)), "--file FILE");
	assert_string_equal(nx_option_spelling(&table[2], text, sizeof(text)), "--engine[=NAME]");
	assert_string_equal(nx_option_spelling(&table[4], text, sizeof(text)), "-F X");
}

static void test_engines(void **state)
{
	(void)state;
	assert_int_equal(nx_engine_find("Tensor"), NX_ENGINE_TENSOR);
	assert_int_equal(nx_engine_find("pe"), NX_ENGINE_TENSOR);
	assert_int_equal(nx_engine_find("PE"), NX_ENGINE_TENSOR);
	assert_int_equal(nx_engine_find("act"), NX_ENGINE_SCALAR);
	assert_int_equal(nx_engine_find("activation"), NX_ENGINE_SCALAR);
	assert_int_equal(nx_engine_find("SCALAR"), NX_ENGINE_SCALAR);
	assert_int_equal(nx_engine_find("Pool"), NX_ENGINE_GPSIMD);
	assert_int_equal(nx_engine_find("gpsimd"), NX_ENGINE_GPSIMD);
	assert_int_equal(nx_engine_find("dve"), NX_ENGINE_VECTOR);
	assert_int_equal(nx_engine_find("SP"), NX_ENGINE_SYNC);
}

static void test_no_engine(void **state)
{
	enum nx_engine engine;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_engine_find(""), NX_ENGINE_COUNT);
	assert_int_equal(nx_engine_find("tens"), NX_ENGINE_COUNT);
	assert_int_equal(nx_engine_parse("gpu", &engine, &err), NX_USAGE);
	assert_int_equal(nx_engine_parse("sync", &engine, &err), NX_OK);
	assert_int_equal(engine, NX_ENGINE_SYNC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_kind),
		cmocka_unit_test(test_nothing_given),
		cmocka_unit_test(test_optional_value),
		cmocka_unit_test(test_double_dash_ends_options),
		cmocka_unit_test(test_beginnings),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_later),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_list_is_bounded),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_spelling),
		cmocka_unit_test(test_engines),
		cmocka_unit_test(test_no_engine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
