/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export/system_slices.h"
#include "system_export.h"

static void fields_are_read_in_their_order(void **state)
{
	struct nx_group group;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_group_parse(&group, "thread_id,lnc_idx,thread_id", "-g", &err), NX_OK);
	assert_int_equal(group.count, 2);
	assert_int_equal(group.fields[0], NX_GROUP_THREAD);
	assert_int_equal(group.fields[1], NX_GROUP_CORE);
	assert_int_equal(nx_group_parse(&group, NX_DEFAULT_PRIMARY_GROUP, "-g", &err), NX_OK);
	assert_int_equal(nx_group_parse(&group, NX_DEFAULT_SECONDARY_GROUP, "-g", &err), NX_OK);
	assert_int_equal(group.count, 3);
}

static void a_wrong_field_is_named_with_the_right_ones(void **state)
{
	static const char *const wrong[] = {"",		",",	   "lnc_idx,",		"lnc",
					    "lnc_idx2", "LNC_IDX", "lnc_idx, thread_id"};
	struct nx_group group;
	struct nx_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(nx_group_parse(&group, wrong[i], "-g", &err), NX_USAGE);
	assert_int_equal(nx_group_parse(&group, "lnc_idx,core", "--group", &err), NX_USAGE);
	assert_string_equal(err.message, "--group cannot group by 'core'; its fields are "
					 "instance_id, process_id, thread_id, lnc_idx, worker_gid");
}

static void check(struct nx_system_fixture *f, const struct nx_system_event *e, const char *list,
		  const char *expected)
{
	char label[NX_GROUP_LABEL_MAX];
	struct nx_group group;

	assert_int_equal(nx_group_parse(&group, list, "-g", &f->err), NX_OK);
	assert_int_equal(nx_group_label(&group, &f->p, e, label), strlen(expected));
	assert_string_equal(label, expected);
}

static void labels_leave_out_what_is_not_known(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_event *e = nx_fixture_event(f, NAME_EXECUTE, 1, 2);

	check(f, e, "instance_id,process_id", "i-a-pid70");
	check(f, e, "worker_gid,lnc_idx,thread_id", "gid3-nc0-tid70");
	check(f, e, "lnc_idx,worker_gid", "nc0-gid3");
	e->worker_gid = UINT32_MAX;
	check(f, e, "worker_gid,lnc_idx,thread_id", "nc0-tid70");
	e->worker_gid = 0;
	e->nc_idx = -1;
	check(f, e, "worker_gid,lnc_idx,thread_id", "tid70");
	check(f, e, "worker_gid,lnc_idx", "");
}

static void a_long_instance_is_cut(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_system_event *e = nx_fixture_event(f, NAME_EXECUTE, 1, 2);
	char label[NX_GROUP_LABEL_MAX], instance[2000];
	size_t len;
	struct nx_group group;

	memset(instance, 'x', sizeof(instance) - 1);
	instance[sizeof(instance) - 1] = 0;
	f->processes[0].instance_id = instance;
	e->thread_id = f->processes[0].pid = UINT64_MAX;
	e->nc_idx = INT32_MAX;
	e->worker_gid = UINT32_MAX - 1;
	assert_int_equal(nx_group_parse(&group,
					"instance_id,process_id,thread_id,lnc_idx,worker_gid", "-g",
					&f->err),
			 NX_OK);
	len = nx_group_label(&group, &f->p, e, label);
	assert_int_equal(len, strlen(label));
	assert_string_equal(label + 255, "-pid18446744073709551615-tid18446744073709551615-"
					 "nc2147483647-gid4294967294");
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_system_fixture_setup, nx_system_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_read_in_their_order),
		cmocka_unit_test(a_wrong_field_is_named_with_the_right_ones),
		TEST(labels_leave_out_what_is_not_known),
		TEST(a_long_instance_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
