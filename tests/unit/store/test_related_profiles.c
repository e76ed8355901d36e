/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/related_profiles.h"

static struct nx_catalogue catalogue;

static void add(enum nx_profile_kind kind, const char *name, const char *begun_as,
		const char *session, const char *neff)
{
	struct nx_profile_record r = {
		.kind = kind, .state = NX_PROFILE_READY, .name = name, .begun_as = begun_as};

	nx_vec_push(&r.sources, ((struct nx_profile_source){.path = session}));
	if (neff)
		nx_vec_push(&r.sources, ((struct nx_profile_source){.path = neff}));
	nx_vec_push(&catalogue.records, r);
}

static int forget(void **state)
{
	(void)state;
	for (size_t i = 0; i < catalogue.records.len; i++)
		nx_profile_record_release(&catalogue.records.items[i]);
	nx_vec_release(&catalogue.records);
	return 0;
}

static const char *device_of(size_t system, const char *capture)
{
	const struct nx_profile_record *found =
		nx_related_device(&catalogue, &catalogue.records.items[system], capture);

	return found ? found->name : "none";
}

static void devices_keep_their_system_when_renamed(void **state)
{
	(void)state;
	add(NX_PROFILE_SYSTEM, "mine", "run", "/c/run", NULL);
	add(NX_PROFILE_SYSTEM, "again", "again", "/c/run/", NULL);
	add(NX_PROFILE_DEVICE, "other_model_1", "other_model_1", "/c/running/a.ntff", "/c/a.neff");
	add(NX_PROFILE_DEVICE, "first", "run_model_1", "/c/run/p/a.ntff", "/c/run/p/a.neff");
	add(NX_PROFILE_DEVICE, "second", "again_model_1", "/c/run/p/a.ntff", "/c/run/p/a.neff");
	assert_string_equal(device_of(0, "model_1"), "first");
	assert_string_equal(device_of(1, "model_1"), "second");
	assert_string_equal(device_of(0, "model_2"), "none");
	assert_string_equal(device_of(0, "odel_1"), "none");
	catalogue.records.items[3].state = NX_PROFILE_FAILED;
	assert_string_equal(device_of(0, "model_1"), "second");
}

static const char *parent_of(size_t device)
{
	const struct nx_profile_record *found =
		nx_related_parent(&catalogue, &catalogue.records.items[device]);

	return found ? found->name : "none";
}

static void a_device_has_the_system_it_came_with(void **state)
{
	(void)state;
	add(NX_PROFILE_SYSTEM, "all", "all", "/c", NULL);
	add(NX_PROFILE_SYSTEM, "mine", "run", "/c/run", NULL);
	add(NX_PROFILE_SYSTEM, "again", "again", "/c/run/", NULL);
	add(NX_PROFILE_DEVICE, "renamed", "run_model_1", "/c/run/p/a.ntff", NULL);
	add(NX_PROFILE_DEVICE, "second", "again_model_1", "/c/run/p/a.ntff", NULL);
	add(NX_PROFILE_DEVICE, "file", "file", "/c/run/p/a.ntff", NULL);
	add(NX_PROFILE_DEVICE, "outer", "all_model_2", "/c/run/p/b.ntff", NULL);
	add(NX_PROFILE_DEVICE, "alone", "run_model_9", "/d/a.ntff", NULL);
	assert_string_equal(parent_of(3), "mine");
	assert_string_equal(parent_of(4), "again");
	assert_string_equal(parent_of(5), "none");
	assert_string_equal(parent_of(6), "all");
	assert_string_equal(parent_of(7), "none");
	assert_string_equal(parent_of(0), "none");
	catalogue.records.items[3].state = NX_PROFILE_FAILED;
	assert_string_equal(parent_of(3), "mine");
	nx_vec_clear(&catalogue.records.items[7].sources);
	assert_string_equal(parent_of(7), "none");
}

static void a_system_is_simulated_when_a_device_in_it_is(void **state)
{
	const struct nx_profile_record *all;

	(void)state;
	add(NX_PROFILE_SYSTEM, "run", "run", "/c/run", NULL);
	add(NX_PROFILE_SYSTEM, "other", "other", "/c/other", NULL);
	add(NX_PROFILE_DEVICE, "run_1", "run_1", "/c/run/a.ntff", NULL);
	add(NX_PROFILE_DEVICE, "run_2", "run_2", "/c/run/b.ntff", NULL);
	all = catalogue.records.items;
	assert_false(nx_related_is_simulated(&catalogue, &all[0]));
	catalogue.records.items[3].is_simulated = true;
	assert_true(nx_related_is_simulated(&catalogue, &all[0]));
	assert_false(nx_related_is_simulated(&catalogue, &all[1]));
	assert_false(nx_related_is_simulated(&catalogue, &all[2]));
	assert_true(nx_related_is_simulated(&catalogue, &all[3]));
}

static void ranks_stand_in_order(void **state)
{
	struct nx_ranks ranks = {0};

	(void)state;
	add(NX_PROFILE_DEVICE, "bert_large", "bert_large", "/x/1.ntff", "/x/1.neff");
	add(NX_PROFILE_DEVICE, "r10", "bert_profile_rank_10", "/c/10.ntff", "/c/m.neff");
	add(NX_PROFILE_DEVICE, "r9", "bert_profile_rank_9", "/c/9.ntff", "/c/m.neff");
	add(NX_PROFILE_DEVICE, "r0", "bert_profile_rank_0", "/c/0.ntff", "/c/m.neff");
	add(NX_PROFILE_DEVICE, "old", "older_profile_rank_9", "/c/9.ntff", "/c/m.neff");
	nx_related_ranks(&catalogue, "bert", &ranks);
	assert_int_equal(ranks.len, 3);
	assert_string_equal(ranks.items[0].record->name, "r0");
	assert_int_equal(ranks.items[1].number, 9);
	assert_string_equal(ranks.items[2].record->name, "r10");
	ranks.len = 0;
	nx_related_ranks(&catalogue, "old", &ranks);
	assert_int_equal(ranks.len, 3);
	assert_string_equal(ranks.items[1].record->name, "old");
	ranks.len = 0;
	nx_related_ranks(&catalogue, "nobody", &ranks);
	assert_int_equal(ranks.len, 0);
	nx_vec_release(&ranks);
}

static void the_rank_of_a_capture_counts_more_than_its_name(void **state)
{
	struct nx_ranks ranks = {0};

	(void)state;
	add(NX_PROFILE_DEVICE, "first", "set_profile_rank_7", "/c/a.ntff", "/c/m.neff");
	add(NX_PROFILE_DEVICE, "second", "set_b", "/c/b.ntff", "/c/m.neff");
	add(NX_PROFILE_DEVICE, "third", "set_c", "/c/c.ntff", "/c/m.neff");
	catalogue.records.items[0].has_rank = catalogue.records.items[1].has_rank = true;
	catalogue.records.items[2].has_rank = true;
	catalogue.records.items[0].rank = 1;
	catalogue.records.items[2].core = 4; /* rank 0 of another group */
	nx_related_ranks(&catalogue, "first", &ranks);
	assert_int_equal(ranks.len, 3);
	assert_string_equal(ranks.items[0].record->name, "second");
	assert_int_equal(ranks.items[0].number, 0);
	assert_string_equal(ranks.items[1].record->name, "third");
	assert_int_equal(ranks.items[2].number, 1);
	nx_vec_release(&ranks);
}

static void processes_of_one_capture_are_one_run(void **state)
{
	struct nx_ranks ranks = {0};

	(void)state;
	add(NX_PROFILE_DEVICE, "a", "set_a", "/c/i-1_pid_5/m.ntff", "/c/i-1_pid_5/m.neff");
	add(NX_PROFILE_DEVICE, "b", "set_b", "/c/i-2_pid_5/m.ntff", "/c/i-2_pid_5/m.neff");
	add(NX_PROFILE_DEVICE, "other", "set_c", "/d/i-2_pid_5/m.ntff", "/d/i-2_pid_5/m.neff");
	add(NX_PROFILE_DEVICE, "larger", "set_d", "/c/i-3_pid_5/m.ntff", "/c/i-3_pid_5/m.neff");
	catalogue.records.items[3].sources.items[1].size_bytes = 9;
	for (uint32_t i = 0; i < 4; i++) {
		catalogue.records.items[i].has_rank = true;
		catalogue.records.items[i].rank = i;
	}
	nx_related_ranks(&catalogue, "a", &ranks);
	assert_int_equal(ranks.len, 2);
	assert_string_equal(ranks.items[0].record->name, "a");
	assert_string_equal(ranks.items[1].record->name, "b");
	catalogue.records.items[1].has_rank = false; /* then it is a process of its own */
	ranks.len = 0;
	nx_related_ranks(&catalogue, "a", &ranks);
	assert_int_equal(ranks.len, 1);
	nx_vec_release(&ranks);
}

static void two_models_of_a_process_are_two_runs(void **state)
{
	struct nx_ranks ranks = {0};

	(void)state;
	add(NX_PROFILE_DEVICE, "a0", "set_rank_0", "/c/i_pid_5/a0.ntff", "/c/i_pid_5/a.neff");
	add(NX_PROFILE_DEVICE, "a1", "set_rank_1", "/c/i_pid_5/a1.ntff", "/c/i_pid_5/a.neff");
	add(NX_PROFILE_DEVICE, "b0", "set_rank_0_1", "/c/i_pid_5/b0.ntff", "/c/i_pid_5/b.neff");
	add(NX_PROFILE_DEVICE, "b1", "set_rank_1_1", "/c/i_pid_5/b1.ntff", "/c/i_pid_5/b.neff");
	for (uint32_t i = 0; i < 4; i++) {
		catalogue.records.items[i].has_rank = true;
		catalogue.records.items[i].rank = i % 2;
	}
	nx_related_ranks(&catalogue, "b1", &ranks);
	assert_int_equal(ranks.len, 2);
	assert_string_equal(ranks.items[0].record->name, "b0");
	assert_string_equal(ranks.items[1].record->name, "b1");
	nx_vec_release(&ranks);
}

static void sessions_without_a_number_are_ranks_too(void **state)
{
	struct nx_ranks ranks = {0};

	(void)state;
	add(NX_PROFILE_DEVICE, "b", "set_b", "/c/b.ntff", "/c/m.neff");
	add(NX_PROFILE_DEVICE, "a", "set_a", "/c/a.ntff", "/c/m.neff");
	add(NX_PROFILE_DEVICE, "x", "set_rank_", "/c/x.ntff", "/c/m.neff");
	nx_related_ranks(&catalogue, "set", &ranks);
	assert_int_equal(ranks.len, 3);
	assert_string_equal(ranks.items[0].record->name, "a");
	assert_int_equal(ranks.items[2].number, NX_RANK_NONE);
	nx_vec_release(&ranks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(devices_keep_their_system_when_renamed, forget),
		cmocka_unit_test_teardown(a_device_has_the_system_it_came_with, forget),
		cmocka_unit_test_teardown(a_system_is_simulated_when_a_device_in_it_is, forget),
		cmocka_unit_test_teardown(ranks_stand_in_order, forget),
		cmocka_unit_test_teardown(the_rank_of_a_capture_counts_more_than_its_name, forget),
		cmocka_unit_test_teardown(processes_of_one_capture_are_one_run, forget),
		cmocka_unit_test_teardown(two_models_of_a_process_are_two_runs, forget),
		cmocka_unit_test_teardown(sessions_without_a_number_are_ranks_too, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
