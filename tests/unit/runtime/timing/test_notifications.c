/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "format/instruction.h"
#include "format/notification.h"
#include "runtime/timing/notifications.h"

#define START_PS UINT64_C(5000000000)

/* A core with two slots per engine; slot 1 is the compiler's first. */
struct fixture {
	struct nx_device_program program;
	struct nx_loaded_slot slots[NX_ENGINE_COUNT][2];
	struct nx_loaded_core cores[2];
	struct nx_loaded_code code;
	struct nx_timed_run run;
	struct nx_notify_options options;
	struct nx_notified out;
};

static void setup(struct fixture *f, enum nx_device_arch arch, size_t core_count)
{
	memset(f, 0, sizeof(*f));
	f->program.arch = arch;
	f->code = (struct nx_loaded_code){
		.program = &f->program, .cores = f->cores, .core_count = core_count};
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		f->slots[e][0].compiler_pc = NX_NO_INDEX;
		f->slots[e][0].word.bytes[0] = NX_OP_NOTIFY;
		f->slots[e][0].word.bytes[36] = NX_NOTIFY_HINT_START;
		for (unsigned c = 0; c < 2; c++)
			f->cores[c].streams[e] = (struct nx_loaded_stream){
				(uint64_t)(0xfffff - e) << 6, f->slots[e], 2};
	}
	f->options.start_ps = START_PS;
	f->run.end_ps = 900000;
}

static void make(struct fixture *f, const struct nx_device_report *report)
{
	nx_notifications_make(&f->code, &f->run, report, &f->options, &f->out);
}

static void release(struct fixture *f)
{
	nx_notified_release(&f->out);
	nx_vec_release(&f->run.instructions);
	nx_vec_release(&f->run.semaphores);
	nx_vec_release(&f->run.packets);
	nx_vec_release(&f->run.throttles);
	nx_vec_release(&f->run.descriptors);
}

static size_t count_of(const struct fixture *f, size_t ring)
{
	return f->out.rings.items[ring].records.len / NX_NOTIFICATION_BYTES;
}

static void check(const struct fixture *f, size_t ring, size_t index, uint32_t w0, uint32_t w1,
		  uint64_t timestamp)
{
	struct nx_notification n;

	assert_true(index < count_of(f, ring));
	n = nx_notification_load(f->out.rings.items[ring].records.items +
				 index * NX_NOTIFICATION_BYTES);
	assert_int_equal(n.w0, w0);
	assert_int_equal(n.w1, w1);
	assert_int_equal(n.timestamp, timestamp);
}

enum { INSTRUCTIONS, EVENTS, ERRORS, DMA, THROTTLE, RINGS };

static void each_core_has_five_rings(void **state)
{
	static const uint8_t kinds[RINGS][2] = {{0, 0}, {1, 0}, {2, 0}, {4, 1}, {5, 0}};
	struct fixture f;

	(void)state;
	setup(&f, NX_DEVICE_TRN2, 2);
	make(&f, NULL);
	assert_int_equal(f.out.rings.len, 2 * RINGS);
	for (size_t i = 0; i < 2 * RINGS; i++) {
		assert_int_equal(f.out.rings.items[i].core, i / RINGS);
		assert_int_equal(f.out.rings.items[i].trace_type, kinds[i % RINGS][0]);
		assert_int_equal(f.out.rings.items[i].block_type, kinds[i % RINGS][1]);
		assert_int_equal(f.out.rings.items[i].records.len, 0);
	}
	release(&f);
}

/* The Tensor stream begins at pc 0xfffff, so its slot 1 is pc 0. */
static void instructions_start_and_end(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, NX_DEVICE_TRN2, 1);
	nx_vec_push(&f.run.instructions,
		    ((struct nx_timed_instruction){300, 400, 100000, 1, 0,
						   NX_ENGINE_VECTOR})); /* 100 ns: 120 cycles */
	nx_vec_push(&f.run.instructions, ((struct nx_timed_instruction){100, 350, UINT64_C(1) << 60,
									1, 0, NX_ENGINE_TENSOR}));
	nx_vec_push(&f.run.instructions, ((struct nx_timed_instruction){1, 2, 0, 2, 0, 0}));
	nx_vec_push(&f.run.instructions, ((struct nx_timed_instruction){1, 2, 0, 0, 1, 0}));
	nx_vec_push(&f.run.instructions, ((struct nx_timed_instruction){1, 2, 0, 0, 0, 5}));
	make(&f, NULL);
	assert_int_equal(count_of(&f, INSTRUCTIONS), 4);
	check(&f, INSTRUCTIONS, 0, 0x04000000, 0xffff0000, START_PS + 100);
	check(&f, INSTRUCTIONS, 1, 0x100ffffd, 120u << 16, START_PS + 300);
	check(&f, INSTRUCTIONS, 2, 0x05000000, 0xffffffff, START_PS + 350);
	check(&f, INSTRUCTIONS, 3, 0x110ffffd, 0xffffffff, START_PS + 400);
	release(&f);
}

static void an_instruction_of_no_length_starts_first(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, NX_DEVICE_TRN2, 1);
	nx_vec_push(&f.run.instructions,
		    ((struct nx_timed_instruction){7, 7, 0, 1, 0, NX_ENGINE_SYNC}));
	make(&f, NULL);
	check(&f, INSTRUCTIONS, 0, 0x140ffffc, 0, START_PS + 7);
	check(&f, INSTRUCTIONS, 1, 0x150ffffc, 0xffffffff, START_PS + 7);
	release(&f);
}

static void descriptors_are_told_when_asked_for(void **state)
{
	for (int asked = 0; asked < 2; asked++) {
		struct fixture f;

		(void)state;
		setup(&f, NX_DEVICE_TRN2, 1);
		f.options.has_descriptors = asked;
		nx_vec_push(&f.run.descriptors, ((struct nx_timed_descriptors){
							50, 1, 0xffff, 4096, 0, NX_ENGINE_GPSIMD}));
		nx_vec_push(&f.run.descriptors,
			    ((struct nx_timed_descriptors){60, 1, 0x0003, 9, 0, NX_ENGINE_GPSIMD}));
		make(&f, NULL);
		assert_int_equal(count_of(&f, INSTRUCTIONS), asked ? 2 : 0);
		if (asked) {
			check(&f, INSTRUCTIONS, 0, 0x0e1ffffe, 0x0000ffff, START_PS + 50);
			check(&f, INSTRUCTIONS, 1, 0x0e1ffffe, 0x00090003, START_PS + 60);
		}
		release(&f);
	}
}

static void semaphores_tell_who_changed_them(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, NX_DEVICE_TRN2, 1);
	nx_vec_push(&f.run.semaphores,
		    ((struct nx_timed_semaphore){20, 16, 0, 22, NX_TIMED_BY_DMA, 0xff, 3}));
	nx_vec_push(&f.run.semaphores,
		    ((struct nx_timed_semaphore){10, 4, 0, 200, NX_TIMED_BY_ENGINE,
						 NX_ENGINE_SCALAR, 9}));
	make(&f, NULL);
	assert_int_equal(count_of(&f, EVENTS), 2);
	check(&f, EVENTS, 0, 0x0bf901c8, 4, START_PS + 10);
	check(&f, EVENTS, 1, 0x1bf30116, 16, START_PS + 20);
	release(&f);
}

static void a_full_ring_keeps_the_latest(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, NX_DEVICE_TRN2, 1);
	f.options.ring_bytes[NX_TRACE_EVENT] = 2 * NX_NOTIFICATION_BYTES + 15;
	for (uint32_t i = 0; i < 5; i++)
		nx_vec_push(
			&f.run.semaphores,
			((struct nx_timed_semaphore){10 * i, i, 0, 22, NX_TIMED_BY_DMA, 0xff, 3}));
	nx_vec_push(&f.run.packets, ((struct nx_timed_packet){100, 200, 250, 4096, 3, 0, 2}));
	make(&f, NULL);
	assert_int_equal(count_of(&f, EVENTS), 2);
	assert_int_equal(f.out.rings.items[EVENTS].lost_count, 3);
	check(&f, EVENTS, 0, 0x1bf30116, 3, START_PS + 30);
	check(&f, EVENTS, 1, 0x1bf30116, 4, START_PS + 40);
	assert_int_equal(count_of(&f, DMA), 3);
	assert_int_equal(f.out.rings.items[DMA].lost_count, 0);
	release(&f);
}

static void packets_have_three_steps(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, NX_DEVICE_TRN2, 1);
	f.options.first_core = 5; /* its DMA engines are 80 to 95, which are 16 to 31 of 32 */
	nx_vec_push(&f.run.packets, ((struct nx_timed_packet){100, 200, 250, 4096, 3, 0, 2}));
	nx_vec_push(&f.run.packets, ((struct nx_timed_packet){150, 201, 251, 4, 3, 0, 2}));
	make(&f, NULL);
	assert_int_equal(count_of(&f, DMA), 6);
	check(&f, DMA, 0, 0x13000000, 0x21, START_PS + 100);
	check(&f, DMA, 1, 0x13000000, 0x21, START_PS + 150);
	check(&f, DMA, 2, 0x13001000, 0xffff0025, START_PS + 200);
	check(&f, DMA, 3, 0x13000004, 0xffff0025, START_PS + 201);
	check(&f, DMA, 4, 0x13000000, 0x26, START_PS + 250);
	check(&f, DMA, 5, 0x13000000, 0x26, START_PS + 251);
	release(&f);
}

static void throttling_is_told(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, NX_DEVICE_TRN2, 1);
	nx_vec_push(&f.run.throttles, ((struct nx_timed_throttle){70, 0, 4, 8, 1, 0x123}));
	nx_vec_push(&f.run.throttles, ((struct nx_timed_throttle){80, 0, 4, 0, 1, 0}));
	make(&f, NULL);
	check(&f, THROTTLE, 0, 0x1e080123, 0x104, START_PS + 70);
	check(&f, THROTTLE, 1, 0x1e000000, 0x80, START_PS + 80);
	release(&f);
}

static void faults_stand_at_the_end_of_their_instruction(void **state)
{
	struct nx_device_report report = {.fault_count = 3};
	struct fixture f;

	(void)state;
	setup(&f, NX_DEVICE_TRN2, 1);
	f.slots[NX_ENGINE_VECTOR][1].compiler_pc = 5;
	nx_vec_push(&f.run.instructions,
		    ((struct nx_timed_instruction){300, 400, 0, 1, 0, NX_ENGINE_VECTOR}));
	report.faults[0] = (struct nx_device_fault){
		.kind = NX_FAULT_NUMERICAL, .engine = NX_ENGINE_VECTOR, .pc = 5};
	report.faults[1] = (struct nx_device_fault){
		.kind = NX_FAULT_DMA_BOUNDS, .engine = NX_ENGINE_SCALAR, .pc = 0}; /* never ran */
	report.faults[2] = (struct nx_device_fault){
		.kind = NX_FAULT_NUMERICAL, .engine = NX_ENGINE_SCALAR, .pc = 77};
	make(&f, &report);
	assert_int_equal(count_of(&f, ERRORS), 2);
	check(&f, ERRORS, 0, 0x1f000001, 0x803ffffd, START_PS + 400);
	check(&f, ERRORS, 1, 0x1f000004, 0x801fffff, START_PS + 900000);
	release(&f);
}

/* What a reader makes of a tick of v2. */
static uint64_t back(const struct nx_ntff_clock *clock, uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)(ticks - clock->init) * clock->expected /
			  clock->actual);
}

static void ticks_lead_back_to_the_time(void **state)
{
	static const struct nx_ntff_clock exact[] = {
		{0, 1, 1}, {0, 0, 0}, {77, 731428, 731408}, {1000000, 914286, 914260}};
	const struct nx_ntff_clock coarse = {5, 1024, 1204672}; /* 1176.4375 ps */

	(void)state;
	for (uint64_t ps = 0; ps < 3000; ps++)
		for (unsigned i = 0; i < 4; i++)
			for (unsigned shift = 0; shift < 62; shift += 31) {
				uint64_t at = (ps << shift) + ps;
				uint64_t ticks = nx_ntff_clock_ticks(&exact[i], at);

				assert_int_equal(i == 1 ? ticks : back(&exact[i], ticks), at);
			}
	assert_int_equal(nx_ntff_clock_ticks(&coarse, 0), 5);
	assert_int_equal(nx_ntff_clock_ticks(&coarse, 1), 6);
	assert_int_equal(nx_ntff_clock_ticks(&coarse, 1176), 6);
	assert_int_equal(nx_ntff_clock_ticks(&coarse, 1177), 7);
	assert_int_equal(nx_ntff_clock_ticks(&coarse, UINT64_C(1204672) * 1000), 1024005);
}

/* v2: the NOTIFY that readers take for the start, and clocks of each block. */
static void v2_has_a_marker_and_clocks(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, NX_DEVICE_INF2, 1);
	nx_vec_push(&f.run.instructions,
		    ((struct nx_timed_instruction){0, 10000, 10000, 1, 0, NX_ENGINE_TENSOR}));
	nx_vec_push(&f.run.packets, ((struct nx_timed_packet){0, 1177, 1178, 64, 15, 0, 0}));
	make(&f, NULL);
	assert_int_equal(count_of(&f, INSTRUCTIONS), 2 * NX_ENGINE_COUNT + 2);
	assert_int_equal(f.out.clocks.vector.actual, 914286);
	assert_int_equal(f.out.clocks.dma.count, 16);
	/* start - 10 ns for all five, then their ends with Tensor's first, then the program */
	check(&f, INSTRUCTIONS, 5, 0x050fffff, 0xffffffff,
	      nx_ntff_clock_ticks(&f.out.clocks.tensor, START_PS));
	check(&f, INSTRUCTIONS, 10, 0x04000000, 14u << 16,
	      nx_ntff_clock_ticks(&f.out.clocks.tensor, START_PS));
	assert_int_equal(back(&f.out.clocks.tensor,
			      nx_ntff_clock_ticks(&f.out.clocks.tensor, START_PS)),
			 START_PS);
	check(&f, DMA, 0, 0x0f000000, 1, 4250120); /* 5e9 / 1176.4375, rounded up */
	release(&f);
}

/* From the end of the first start mark to the end of the last end mark, and a tick. */
static void v2_states_the_time_between_marks(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, NX_DEVICE_INF2, 1);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		f.slots[e][1].word.bytes[0] = NX_OP_NOTIFY;
		f.slots[e][1].word.bytes[36] = NX_NOTIFY_HINT_END;
	}
	for (uint8_t e = 0; e < 2; e++) {
		nx_vec_push(&f.run.instructions,
			    ((struct nx_timed_instruction){100, 200 + 10 * e, 0, 0, 0, e}));
		nx_vec_push(&f.run.instructions,
			    ((struct nx_timed_instruction){5000, 5200 + 10 * e, 0, 1, 0, e}));
	}
	make(&f, NULL);
	assert_int_equal(f.out.marked_ps, 5210 - 200 + 714);
	release(&f);
	setup(&f, NX_DEVICE_INF2, 1);
	make(&f, NULL);
	assert_int_equal(f.out.marked_ps, 0);
	release(&f);
}

static void a_marker_that_ran_is_not_repeated(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, NX_DEVICE_TRN1, 1);
	for (uint8_t e = 0; e < NX_ENGINE_COUNT; e++)
		nx_vec_push(&f.run.instructions, ((struct nx_timed_instruction){0, 5, 0, 0, 0, e}));
	make(&f, NULL);
	assert_int_equal(count_of(&f, INSTRUCTIONS), 2 * NX_ENGINE_COUNT);
	release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_core_has_five_rings),
		cmocka_unit_test(instructions_start_and_end),
		cmocka_unit_test(an_instruction_of_no_length_starts_first),
		cmocka_unit_test(descriptors_are_told_when_asked_for),
		cmocka_unit_test(semaphores_tell_who_changed_them),
		cmocka_unit_test(a_full_ring_keeps_the_latest),
		cmocka_unit_test(packets_have_three_steps),
		cmocka_unit_test(throttling_is_told),
		cmocka_unit_test(faults_stand_at_the_end_of_their_instruction),
		cmocka_unit_test(ticks_lead_back_to_the_time),
		cmocka_unit_test(v2_has_a_marker_and_clocks),
		cmocka_unit_test(v2_states_the_time_between_marks),
		cmocka_unit_test(a_marker_that_ran_is_not_repeated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
