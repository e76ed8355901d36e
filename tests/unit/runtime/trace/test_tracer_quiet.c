/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After a session has begun, an event takes no lock, no memory and no call of
 * the system. Told twice: the linker leads the calls that would do so through
 * counters here (--wrap, see meson.build), which sees a lock that is free; and
 * writers run where the kernel ends whoever calls it, which sees what libc would
 * do inside.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/trace/tracer.h"

#define WRITERS 3
#define CORES 2
#define EVENTS 50000 /* of a writer: half are starts, half stops */
#define KEPT 300

/* --- counted calls --------------------------------------------------------------- */

enum call { CALL_MEMORY, CALL_LOCK, CALL_SYSTEM, CALL_COUNT };

static _Thread_local unsigned calls[CALL_COUNT];

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __real_free(void *memory);
void __wrap_free(void *memory);
void *__real_mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

void *__wrap_malloc(size_t size)
{
	calls[CALL_MEMORY]++;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	calls[CALL_MEMORY]++;
	return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	calls[CALL_MEMORY]++;
	return __real_realloc(old, size);
}

void __wrap_free(void *memory)
{
	calls[CALL_MEMORY]++;
	__real_free(memory);
}

void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	calls[CALL_MEMORY]++;
	return __real_mmap64(at, size, protection, flags, fd, offset);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	calls[CALL_LOCK]++;
	return __real_pthread_mutex_lock(mutex);
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	calls[CALL_LOCK]++;
	return __real_pthread_mutex_trylock(mutex);
}

/* The tracer asks for the thread's number and nothing else, so no argument is lost. */
long __wrap_syscall(long number, ...)
{
	calls[CALL_SYSTEM]++;
	return __real_syscall(number);
}

static void forget_calls(void)
{
	for (int i = 0; i < CALL_COUNT; i++)
		calls[i] = 0;
}

/* --- writers and a reader -------------------------------------------------------- */

static void begin(uint64_t max_events)
{
	struct nx_tracer_options options = {.core_count = CORES, .max_events = max_events};

	nx_trace_filter_set_all(&options.filter);
	assert_int_equal(nx_tracer_begin(&options, NULL), NX_OK);
}

static void write_events(uint32_t core)
{
	for (uint64_t i = 0; i < EVENTS / 2; i++) {
		uint64_t span = nx_trace_start(core, NX_TRACE_NRT_EXECUTE, i, core, 0, 0);

		nx_trace_stop(core, NX_TRACE_NRT_EXECUTE, span, i, core, 0, 0);
	}
}

static void count_event(void *context, const struct nx_trace_place *place,
			const struct nx_trace_record *record)
{
	uint64_t *count = context;

	/* A stop names the start of the same thread, which has a position before it. */
	assert_true(record->phase == NX_PHASE_START ? record->tracking == 0
						    : record->tracking <= record->position);
	assert_int_equal(record->args[1], place->core_idx);
	++*count;
}

static void the_counters_count(void **state)
{
	(void)state;
	forget_calls();
	begin(KEPT);
	nx_tracer_end();
	assert_true(calls[CALL_LOCK] >= 2);
	assert_true(calls[CALL_MEMORY] >= CORES);
}

static void an_event_takes_no_lock_and_no_memory(void **state)
{
	(void)state;
	begin(KEPT);
	nx_trace_thread_id(); /* asked of the system once per thread */
	forget_calls();
	write_events(0);
	nx_trace_hardware(1, NX_TRACE_NC_RUNNING, NX_PHASE_START, 1, 0,
			  (const uint64_t[]){1, 1, 0, 0});
	assert_int_equal(calls[CALL_LOCK], 0);
	assert_int_equal(calls[CALL_MEMORY], 0);
	assert_int_equal(calls[CALL_SYSTEM], 0);
	nx_tracer_end();
	write_events(0); /* nor when it is off */
	assert_int_equal(calls[CALL_LOCK], 1);
	assert_int_equal(calls[CALL_MEMORY], 0);
	assert_int_equal(calls[CALL_SYSTEM], 0);
}

static void a_thread_is_asked_for_its_number_once(void **state)
{
	(void)state;
	nx_tracer_abandon(); /* what a child of fork does: it has another number */
	begin(KEPT);
	forget_calls();
	write_events(1);
	assert_int_equal(calls[CALL_SYSTEM], 1);
	nx_tracer_end();
}

struct writer {
	pthread_t thread;
	uint32_t core;
	bool is_confined;
	unsigned locks, memory; /* counted while it wrote */
	bool is_done;
};

/* From here on the kernel ends this thread at its first call but exit. (The strict mode would not
 * do: it takes the time stamp counter away too.) */
static void confine(void)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
	};
	struct sock_fprog program = {sizeof(steps) / sizeof(steps[0]), steps};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void *run_writer(void *argument)
{
	struct writer *writer = argument;

	nx_trace_thread_id();
	forget_calls();
	if (writer->is_confined)
		confine();
	write_events(writer->core);
	writer->locks = calls[CALL_LOCK];
	writer->memory = calls[CALL_MEMORY];
	writer->is_done = true;
	if (writer->is_confined)
		__real_syscall(SYS_exit);
	return NULL;
}

static uint64_t take(void)
{
	uint64_t taken = 0;

	nx_tracer_take(NX_TRACER_ALL_CORES, UINT64_MAX, count_event, &taken);
	return taken;
}

/* While the reader takes what it can, under the tracer's lock; all is taken or counted. */
static void write_beside_a_reader(uint64_t max_events, bool is_confined)
{
	struct writer writers[WRITERS] = {{0}};
	uint64_t taken = 0;

	begin(max_events);
	for (uint32_t i = 0; i < WRITERS; i++) {
		writers[i].core = i % CORES;
		writers[i].is_confined = is_confined;
		assert_int_equal(pthread_create(&writers[i].thread, NULL, run_writer, &writers[i]),
				 0);
	}
	for (int i = 0; i < WRITERS; i++) {
		while (pthread_tryjoin_np(writers[i].thread, NULL))
			taken += take();
		assert_true(writers[i].is_done);
		assert_int_equal(writers[i].locks, 0);
		assert_int_equal(writers[i].memory, 0);
	}
	nx_tracer_end();
	taken += take();
	assert_int_equal(nx_tracer_count().total, WRITERS * EVENTS);
	assert_int_equal(taken + nx_tracer_count().dropped, WRITERS * EVENTS);
	assert_true(taken > 0);
}

static void overflow_is_exact_beside_a_reader(void **state)
{
	(void)state;
	write_beside_a_reader(1, false);
	write_beside_a_reader(16, false);
	write_beside_a_reader(KEPT, false);
	write_beside_a_reader((uint64_t)WRITERS * EVENTS, false);
}

/* Sanitizers call the system themselves: there the counters have to do. */
static bool is_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return true;
#elif defined(__has_feature)
	return __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
	return false;
#endif
}

static void writers_need_nothing_of_the_system(void **state)
{
	(void)state;
	write_beside_a_reader(KEPT, !is_sanitized());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_counters_count),
		cmocka_unit_test(an_event_takes_no_lock_and_no_memory),
		cmocka_unit_test(a_thread_is_asked_for_its_number_once),
		cmocka_unit_test(overflow_is_exact_beside_a_reader),
		cmocka_unit_test(writers_need_nothing_of_the_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
