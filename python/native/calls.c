/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stacks of open calls, and sessions of recording calls.
 *
 * A span is written when its call returns, so that short calls cost no space. What was left out is
 * counted: short calls, calls that nest too deep, functions of excluded modules.
 */
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "python/native/calls.h"

enum {
	MAX_DEPTH = 1024,
	TRIES_TO_NAME = 32, /* events of a new thread until Python knows its name */
};

struct call {
	struct nx_python_function *function;
	uint64_t start_ticks;
};

struct call_stack {
	struct call_stack *next, *previous;
	uint64_t session;
	uint32_t thread;
	unsigned tries_to_name;
	unsigned depth, beyond; /* beyond: open calls that were too deep */
	struct call calls[MAX_DEPTH];
};

struct counts {
	uint64_t recorded, brief, deep;
};

struct nx_python_tracing nx_python_tracing;

static struct {
	uint64_t session;
	unsigned max_depth;
	uint64_t min_ticks;
	PyObject *thread_namer;
	struct counts counts;
} tracer;

static struct {
	pthread_mutex_t lock;
	pthread_key_t key;
	bool has_key;
	struct call_stack *used, *unused;
} stacks = {.lock = PTHREAD_MUTEX_INITIALIZER};

static __thread struct call_stack *my_stack;
static __thread bool is_ours; /* this thread serves the profiler: not recorded */

/* --- stacks -------------------------------------------------------------------------------------
 */

/* Runs when a thread ends, without the interpreter's lock. */
static void return_stack(void *value)
{
	struct call_stack *stack = value;

	pthread_mutex_lock(&stacks.lock);
	if (stack->previous)
		stack->previous->next = stack->next;
	else
		stacks.used = stack->next;
	if (stack->next)
		stack->next->previous = stack->previous;
	stack->next = stacks.unused;
	stacks.unused = stack;
	pthread_mutex_unlock(&stacks.lock);
}

static struct call_stack *take_stack(void)
{
	struct call_stack *stack;

	pthread_mutex_lock(&stacks.lock);
	stack = stacks.unused;
	if (stack)
		stacks.unused = stack->next;
	pthread_mutex_unlock(&stacks.lock);
	if (!stack)
		stack = PyMem_Malloc(sizeof(*stack));
	if (!stack)
		return NULL;
	stack->session = 0;
	stack->thread = (uint32_t)syscall(SYS_gettid);
	pthread_mutex_lock(&stacks.lock);
	stack->previous = NULL;
	stack->next = stacks.used;
	if (stacks.used)
		stacks.used->previous = stack;
	stacks.used = stack;
	pthread_mutex_unlock(&stacks.lock);
	pthread_setspecific(stacks.key, stack);
	return stack;
}

/* Python knows the names of its threads, the system does not. False if it does not know it yet. */
static bool name_thread(void)
{
	PyObject *name, *type, *value, *trace;
	const char *text;

	if (!tracer.thread_namer || tracer.thread_namer == Py_None)
		return true;
	PyErr_Fetch(&type, &value, &trace);
	name = PyObject_CallNoArgs(tracer.thread_namer);
	text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
	if (text && *text)
		nx_profiler_thread_name(text);
	Py_XDECREF(name);
	PyErr_Restore(type, value, trace);
	return text && *text;
}

static struct call_stack *borrow_stack(void)
{
	if (!my_stack && !(my_stack = take_stack()))
		return NULL;
	if (my_stack->session != tracer.session) {
		my_stack->session = tracer.session;
		my_stack->depth = my_stack->beyond = 0;
		my_stack->tries_to_name = TRIES_TO_NAME;
	}
	if (my_stack->tries_to_name)
		my_stack->tries_to_name = name_thread() ? 0 : my_stack->tries_to_name - 1;
	return my_stack;
}

/* --- calls --------------------------------------------------------------------------------------
 */

void nx_python_call_enter(struct nx_python_function *function)
{
	struct call_stack *stack;
	struct call *call;

	if (!function->is_recorded || is_ours || !(stack = borrow_stack()))
		return;
	if (stack->depth == tracer.max_depth || stack->beyond) {
		stack->beyond++;
		tracer.counts.deep++;
		return;
	}
	call = &stack->calls[stack->depth++];
	call->function = function;
	call->start_ticks = nx_profiler_ticks();
}

static void finish(const struct call *call, uint64_t now)
{
	if (now - call->start_ticks < tracer.min_ticks) {
		tracer.counts.brief++;
		return;
	}
	nx_profiler_complete(call->function->name, call->start_ticks, now, NULL, 0);
	tracer.counts.recorded++;
}

void nx_python_call_leave(const struct nx_python_function *function)
{
	struct call_stack *stack = my_stack;
	unsigned at;
	uint64_t now;

	if (!function || !function->is_recorded || !stack || stack->session != tracer.session)
		return;
	if (stack->beyond) {
		stack->beyond--;
		return;
	}
	/* Greenlets change stacks, so the call that ends need not be the innermost one. A call that
	 * began before the session is not here at all. */
	for (at = stack->depth; at > 0 && stack->calls[at - 1].function != function; at--)
		;
	if (!at)
		return;
	now = nx_profiler_ticks();
	while (stack->depth >= at)
		finish(&stack->calls[--stack->depth], now);
}

void nx_python_call_enter_code(PyObject *code)
{
	struct nx_python_function *function = nx_python_function_find(code);

	nx_python_call_enter(function ? function
				      : nx_python_function_of_code(code, PyEval_GetGlobals()));
}

void nx_python_call_enter_builtin(PyObject *callable, const void *caller)
{
	const void *key = nx_python_builtin_key(callable);
	struct nx_python_function *function = nx_python_function_find(caller);

	if (function && !function->is_recorded)
		return;
	function = nx_python_function_find(key);
	nx_python_call_enter(function ? function : nx_python_function_of_builtin(callable, key));
}

/* --- life ---------------------------------------------------------------------------------------
 */

struct moment {
	uint64_t ticks, ns;
};

static struct moment first_moment; /* when the module was loaded */

static struct moment take_moment(void)
{
	struct moment moment;
	struct timespec time;

	moment.ticks = nx_profiler_ticks();
	clock_gettime(CLOCK_MONOTONIC, &time);
	moment.ns = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
	return moment;
}

static uint64_t ticks_of(uint64_t ns)
{
	struct moment now;

	do /* once, unless the module was loaded just now */
		now = take_moment();
	while (now.ns - first_moment.ns < 1000000);
	return (uint64_t)((double)ns * ((double)(now.ticks - first_moment.ticks) /
					(double)(now.ns - first_moment.ns)));
}

/* The functions that are running when the session starts, the outermost first: a block that is
 * recorded is inside of them. Their spans begin with the session. */
static void enter_running(PyObject *frame)
{
	PyObject *code, *globals, *caller;
	struct nx_python_function *function;

	if (!frame || frame == Py_None || Py_EnterRecursiveCall(" of the profiler"))
		return;
	caller = PyObject_GetAttrString(frame, "f_back");
	enter_running(caller);
	Py_XDECREF(caller);
	code = PyObject_GetAttrString(frame, "f_code");
	globals = PyObject_GetAttrString(frame, "f_globals");
	if (code) {
		function = nx_python_function_find(code);
		nx_python_call_enter(function ? function
					      : nx_python_function_of_code(code, globals));
	}
	Py_XDECREF(code);
	Py_XDECREF(globals);
	Py_LeaveRecursiveCall();
}

/* calls_start(max_depth, min_ns, include, exclude, with_c, folder, thread_namer,
 * nx_python_tracing.disable) */
static PyObject *calls_start(PyObject *self, PyObject *arguments)
{
	unsigned long long min_ns;
	PyObject *include, *exclude, *namer, *no_more;
	const char *folder;
	unsigned max_depth;
	int with_c;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "IKOOpsOO", &max_depth, &min_ns, &include, &exclude,
			      &with_c, &folder, &namer, &no_more))
		return NULL;
	if (nx_python_tracing.is_on) {
		PyErr_SetString(PyExc_RuntimeError, "Python calls are already being recorded");
		return NULL;
	}
	if (max_depth < 1 || max_depth > MAX_DEPTH) {
		PyErr_Format(PyExc_ValueError, "the depth of calls must be 1 to %d", MAX_DEPTH);
		return NULL;
	}
	if (nx_python_functions_begin(include, exclude, folder))
		return NULL;
	if (!stacks.has_key && pthread_key_create(&stacks.key, return_stack))
		return PyErr_NoMemory();
	stacks.has_key = true;
	tracer.max_depth = max_depth;
	tracer.min_ticks = ticks_of(min_ns);
	nx_python_tracing.with_c = with_c != 0;
	memset(&tracer.counts, 0, sizeof(tracer.counts));
	Py_INCREF(namer);
	tracer.thread_namer = namer;
	Py_INCREF(no_more);
	Py_XDECREF(nx_python_tracing.disable);
	nx_python_tracing.disable = no_more;
	tracer.session++;
	nx_python_tracing.is_on = true;
	enter_running((PyObject *)PyEval_GetFrame());
	PyErr_Clear();
	Py_RETURN_NONE;
}

/* Calls that have not returned end with the session. */
static void finish_open_calls(void)
{
	uint64_t now = nx_profiler_ticks();

	pthread_mutex_lock(&stacks.lock);
	for (struct call_stack *stack = stacks.used; stack; stack = stack->next) {
		if (stack->session != tracer.session)
			continue;
		while (stack->depth) {
			const struct call *call = &stack->calls[--stack->depth];

			if (now - call->start_ticks < tracer.min_ticks) {
				tracer.counts.brief++;
				continue;
			}
			nx_profiler_complete_on(stack->thread, call->function->name,
						call->start_ticks, now, NULL, 0);
			tracer.counts.recorded++;
		}
	}
	pthread_mutex_unlock(&stacks.lock);
}

static PyObject *calls_counts(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return Py_BuildValue("KKKI", (unsigned long long)tracer.counts.recorded,
			     (unsigned long long)tracer.counts.brief,
			     (unsigned long long)tracer.counts.deep, nx_python_functions_count());
}

static PyObject *calls_stop(PyObject *self, PyObject *unused)
{
	PyObject *counts, *namer = tracer.thread_namer;

	(void)self;
	(void)unused;
	if (!nx_python_tracing.is_on)
		return calls_counts(NULL, NULL);
	nx_python_tracing.is_on = false;
	finish_open_calls();
	counts = calls_counts(NULL, NULL);
	nx_python_functions_release();
	tracer.thread_namer = NULL;
	Py_XDECREF(namer);
	return counts;
}

/* In the child of a fork: other threads are gone, and nothing must be written. */
static PyObject *calls_forget(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	pthread_mutex_init(&stacks.lock, NULL);
	stacks.used = my_stack;
	if (my_stack) {
		my_stack->next = my_stack->previous = NULL;
		my_stack->thread = (uint32_t)syscall(SYS_gettid);
		my_stack->depth = my_stack->beyond = 0;
	}
	if (nx_python_tracing.is_on) {
		nx_python_tracing.is_on = false;
		nx_python_functions_release();
		Py_XDECREF(tracer.thread_namer);
		tracer.thread_namer = NULL;
	}
	Py_RETURN_NONE;
}

/* skip_thread(): the calling thread belongs to the profiler */
static PyObject *calls_skip_thread(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	is_ours = true;
	Py_RETURN_NONE;
}

int nx_python_add_calls(PyObject *module)
{
	static PyMethodDef methods[] = {
		{"calls_start", calls_start, METH_VARARGS, NULL},
		{"calls_stop", calls_stop, METH_NOARGS, NULL},
		{"calls_counts", calls_counts, METH_NOARGS, NULL},
		{"calls_forget", calls_forget, METH_NOARGS, NULL},
		{"skip_thread", calls_skip_thread, METH_NOARGS, NULL},
		{NULL, NULL, 0, NULL},
	};

	first_moment = take_moment();
	return PyModule_AddFunctions(module, methods);
}
