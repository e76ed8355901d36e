/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/transfer_links.h"
#include "tests/unit/made_profile.h"

#define SEMAPHORE 8

struct fixture {
	struct nx_made_profile made;
	struct nx_dma_block block;
	struct nx_transfer_links links;
};

/* Slot 0 of Sync triggers the NEFF's block, slot 1 of Vector waits for its semaphore. */
static int setup(void **state)
{
	struct fixture *f = nx_heap_alloc(sizeof(*f));

	memset(f, 0, sizeof(*f));
	nx_made_profile_init(&f->made);
	nx_made_profile_add_neff(&f->made);
	f->block.semaphore = SEMAPHORE;
	f->made.neff.engines[NX_ENGINE_SYNC].blocks = &f->block;
	f->made.neff.engines[NX_ENGINE_SYNC].block_count = 1;
	f->made.slots[0][NX_ENGINE_SYNC][0].flags = NX_SLOT_TRIGGER;
	f->made.slots[0][NX_ENGINE_VECTOR][1].flags = NX_SLOT_WAITS_SEMAPHORE;
	f->made.slots[0][NX_ENGINE_VECTOR][1].wait_semaphore = SEMAPHORE;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_transfer_links_release(&f->links);
	nx_made_profile_release(&f->made);
	nx_heap_free(f);
	return 0;
}

static void transfer(struct fixture *f, uint32_t block_id, uint64_t trigger_ns, uint64_t end_ns)
{
	struct nx_transfer t = {.trigger_ps = trigger_ns * 1000,
				.start_ps = trigger_ns * 1000 + 500,
				.end_ps = end_ns * 1000,
				.block_id = block_id,
				.engine = NX_ENGINE_SYNC};

	nx_vec_push(&f->made.p.transfers, t);
}

/* The clock is 1.2 GHz: 12 cycles are 10 ns. */
static void waiter(struct fixture *f, uint64_t start_ns, uint16_t wait_cycles)
{
	struct nx_instruction row = {.start_ps = start_ns * 1000,
				     .end_ps = start_ns * 1000 + 1000,
				     .slot = 1,
				     .wait_cycles = wait_cycles,
				     .engine = NX_ENGINE_VECTOR};

	nx_made_profile_add_row(&f->made, NX_TABLE_INSTRUCTION, &row);
}

static const struct nx_transfer_link *build(struct fixture *f)
{
	assert_int_equal(nx_transfer_links_build(&f->links, &f->made.p, NULL), NX_OK);
	return f->links.items;
}

static void a_transfer_knows_its_trigger_and_its_waiter(void **state)
{
	struct fixture *f = *state;
	const struct nx_transfer_link *link;

	transfer(f, 7, 100, 190);
	nx_made_profile_run(&f->made, NX_ENGINE_SYNC, 0, 100, 103);
	nx_made_profile_run(&f->made, NX_ENGINE_SYNC, 5, 150, 151);
	waiter(f, 195, 12);
	link = build(f);
	assert_int_equal(link->trigger_id, 1);
	assert_int_equal(link->trigger_end_ps, 103000);
	assert_int_equal(link->completion_id, 3);
	assert_int_equal(link->completion_start_ps, 195000);
}

static void who_came_late_did_not_wait(void **state)
{
	struct fixture *f = *state;

	transfer(f, 7, 100, 150);
	waiter(f, 140, 12); /* waited for something else, which ended before */
	waiter(f, 200, 12); /* since 190 */
	waiter(f, 201, 0);
	waiter(f, 210, 120); /* since 110: the first that stood there */
	waiter(f, 220, 240);
	assert_int_equal(build(f)->completion_id, 4);
}

static void one_wait_may_be_for_several_transfers(void **state)
{
	struct fixture *f = *state;
	const struct nx_transfer_link *links;

	transfer(f, 1, 100, 180);
	transfer(f, 2, 101, 170);
	transfer(f, 3, 102, 400); /* ends after it */
	transfer(f, 4, 103, 120); /* ended before it waited */
	waiter(f, 190, 24);
	waiter(f, 191, 24); /* too late for all */
	waiter(f, 405, 12);
	links = build(f);
	assert_int_equal(links[0].completion_id, 1);
	assert_int_equal(links[1].completion_id, 1);
	assert_int_equal(links[2].completion_id, 3);
	assert_int_equal(links[3].completion_id, 0);
	assert_int_equal(links[0].trigger_id, 0); /* nobody is seen to have started them */
}

static void semaphores_and_graphs_are_not_mixed_up(void **state)
{
	struct fixture *f = *state;

	transfer(f, 7, 100, 150);
	f->made.slots[0][NX_ENGINE_VECTOR][1].wait_semaphore = SEMAPHORE + 1;
	waiter(f, 151, 12);
	assert_int_equal(build(f)->completion_id, 0);
	nx_transfer_links_release(&f->links);
	f->made.slots[0][NX_ENGINE_VECTOR][1].wait_semaphore = SEMAPHORE;
	f->made.p.transfers.items[0].graph = 1;
	assert_int_equal(build(f)->completion_id, 0);
}

static void a_block_triggered_again_gets_another_id(void **state)
{
	struct fixture *f = *state;
	const struct nx_transfer_link *links;

	for (uint64_t i = 0; i < 3; i++)
		transfer(f, 7, 100 + i, 200 + i);
	transfer(f, 0, 110, 210);
	links = build(f);
	assert_int_equal(links[0].id, 7152494958553043773);
	assert_int_equal(links[1].id, 5551811079718347132);
	assert_true(links[2].id != links[0].id && links[2].id != links[1].id);
	assert_int_equal(links[3].id, 4767622535416772230);
	/* the id of the queue would be that of block 0 */
	assert_true(nx_transfer_links_queue_id(&f->links, 0, 1) != links[3].id);
	assert_int_equal(nx_transfer_links_queue_id(&f->links, 0, 2),
			 nx_aggregation_id(&f->made.p, 0, 2, 0, 0));
}

static void without_transfers_nothing_is_read(void **state)
{
	struct fixture *f = *state;

	f->made.failing = NX_TABLE_INSTRUCTION;
	build(f);
	assert_int_equal(nx_transfer_links_queue_id(&f->links, 0, 1), 4767622535416772230);
	transfer(f, 7, 100, 150);
	assert_int_equal(nx_transfer_links_build(&f->links, &f->made.p, NULL), NX_NO_SPACE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_transfer_knows_its_trigger_and_its_waiter),
		TEST(who_came_late_did_not_wait),
		TEST(one_wait_may_be_for_several_transfers),
		TEST(semaphores_and_graphs_are_not_mixed_up),
		TEST(a_block_triggered_again_gets_another_id),
		TEST(without_transfers_nothing_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
