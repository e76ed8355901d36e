/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls: every Python call as a span, in all threads.
 *
 * Until 3.11 the interpreter calls a profile hook; from 3.12 on, sys.monitoring calls the functions
 * on_*, which the Python half registers. Both lead to enter() and leave(). The hook's functions are
 * not part of the limited API, so they are looked up at run time.
 *
 * A span is written when its call returns, so that short calls cost no space. What was left out is
 * counted: short calls, calls that nest too deep, functions of excluded modules.
 *
 * The interpreter's lock protects everything here except the list of stacks, which threads leave
 * when they end.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "python/native/native.h"

enum {
	MAX_FUNCTIONS = 1 << 16, /* further ones share a name */
	MAX_DEPTH = 1024,
	MAX_MODULES = 64,     /* of a list to include or exclude */
	TRIES_TO_NAME = 32,   /* events of a new thread until Python knows its name */
	EVENTS_TO_ADOPT = 64, /* between a thread's appearance and its adoption */
	CHUNK = 512,
};

struct function {
	const void *key;
	PyObject *owner; /* keeps the key from being reused */
	nx_name name;
	bool is_recorded;
};

struct call {
	struct function *function;
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

struct chunk {
	struct chunk *next;
	struct function functions[CHUNK];
};

struct module_list {
	unsigned count;
	char names[MAX_MODULES][64];
};

struct counts {
	uint64_t recorded, brief, deep;
};

static struct {
	bool is_on, with_c;
	uint64_t session;
	unsigned max_depth;
	uint64_t min_ticks;
	struct module_list include, exclude;
	char folder[4096]; /* relative file names begin here */
	struct function **slots;
	size_t slot_count; /* a power of two */
	unsigned function_count;
	struct chunk *chunks;
	struct function others;
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

/* --- functions -------------------------------------------------------------------------------- */

static size_t slot_of(const void *key)
{
	return (((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u) >> 32 & (tracer.slot_count - 1);
}

static struct function *find(const void *key)
{
	size_t at = slot_of(key);

	while (tracer.slots[at] && tracer.slots[at]->key != key)
		at = (at + 1) & (tracer.slot_count - 1);
	return tracer.slots[at];
}

static bool grow(void)
{
	size_t old_count = tracer.slot_count;
	struct function **old = tracer.slots;

	tracer.slot_count = old_count ? 2 * old_count : 4096;
	tracer.slots = PyMem_Calloc(tracer.slot_count, sizeof(*tracer.slots));
	if (!tracer.slots) {
		tracer.slots = old;
		tracer.slot_count = old_count;
		return false;
	}
	for (size_t i = 0; i < old_count; i++) {
		size_t at = old[i] ? slot_of(old[i]->key) : 0;

		if (!old[i])
			continue;
		while (tracer.slots[at])
			at = (at + 1) & (tracer.slot_count - 1);
		tracer.slots[at] = old[i];
	}
	PyMem_Free(old);
	return true;
}

static struct function *insert(const void *key, PyObject *owner)
{
	unsigned in_chunk = tracer.function_count % CHUNK;
	struct function *function;
	size_t at;

	if (tracer.function_count == MAX_FUNCTIONS)
		return NULL;
	if (tracer.function_count * 2 >= tracer.slot_count && !grow())
		return NULL;
	if (!in_chunk) {
		struct chunk *chunk = PyMem_Calloc(1, sizeof(*chunk));

		if (!chunk)
			return NULL;
		chunk->next = tracer.chunks;
		tracer.chunks = chunk;
	}
	function = &tracer.chunks->functions[in_chunk];
	tracer.function_count++;
	function->key = key;
	function->owner = owner;
	Py_INCREF(owner);
	for (at = slot_of(key); tracer.slots[at]; at = (at + 1) & (tracer.slot_count - 1))
		;
	tracer.slots[at] = function;
	return function;
}

static void release_functions(void)
{
	struct chunk *chunks = tracer.chunks;
	unsigned left = tracer.function_count;

	PyMem_Free(tracer.slots);
	tracer.slots = NULL;
	tracer.slot_count = tracer.function_count = 0;
	tracer.chunks = NULL;
	while (chunks) {
		struct chunk *next = chunks->next;
		unsigned count = left % CHUNK ? left % CHUNK : CHUNK;

		for (unsigned i = 0; i < count; i++)
			Py_DECREF(chunks->functions[i].owner);
		left -= count;
		PyMem_Free(chunks);
		chunks = next;
	}
}

/* Whether the list has the module or a package around it. */
static bool has_module(const struct module_list *list, const char *module)
{
	for (unsigned i = 0; i < list->count; i++) {
		size_t len = strlen(list->names[i]);

		if (!strncmp(list->names[i], module, len) && (!module[len] || module[len] == '.'))
			return true;
	}
	return false;
}

static bool is_wanted(const char *module)
{
	return !has_module(&tracer.exclude, module) &&
	       (!tracer.include.count || has_module(&tracer.include, module));
}

/* Copies the text of an attribute; "" if it is none. */
static void copy_text(PyObject *object, const char *attribute, char *out, size_t size)
{
	PyObject *value = object ? PyObject_GetAttrString(object, attribute) : NULL;
	const char *text =
		value && PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;

	snprintf(out, size, "%s", text ? text : "");
	Py_XDECREF(value);
	PyErr_Clear();
}

static void define(struct function *function, const char *module, const char *name,
		   const char *file, uint32_t line)
{
	nx_profiler_definition definition = {.struct_size = sizeof(definition),
					     .kind = NX_PROFILER_PYTHON,
					     .text_len = SIZE_MAX,
					     .line = line};
	char text[600], path[2 * 4096];
	bool is_short = !*module || !strcmp(module, "builtins");

	snprintf(text, sizeof(text), "%s%s%s", is_short ? "" : module, is_short ? "" : ".", name);
	definition.text = text;
	if (file && *file) {
		bool is_whole = *file == '/' || *file == '<' || !*tracer.folder;

		snprintf(path, sizeof(path), "%s%s%s", is_whole ? "" : tracer.folder,
			 is_whole ? "" : "/", file);
		definition.file = path;
	}
	function->is_recorded = is_wanted(module);
	if (function->is_recorded)
		function->name = nx_profiler_define(&definition);
}

/* A code object seen for the first time, and the globals of its frame. */
static struct function *define_code(PyObject *code, PyObject *globals)
{
	char module[256] = "", name[300], file[4096];
	PyObject *value, *type, *error, *trace;
	struct function *function = insert(code, code);
	uint32_t line = 0;

	if (!function)
		return &tracer.others;
	PyErr_Fetch(&type, &error, &trace);
	value = globals && PyDict_Check(globals) ? PyDict_GetItemString(globals, "__name__") : NULL;
	if (value && PyUnicode_Check(value)) {
		const char *text = PyUnicode_AsUTF8AndSize(value, NULL);

		snprintf(module, sizeof(module), "%s", text ? text : "");
	}
	copy_text(code, "co_qualname", name, sizeof(name));
	copy_text(code, "co_filename", file, sizeof(file));
	value = PyObject_GetAttrString(code, "co_firstlineno");
	if (value)
		line = (uint32_t)PyLong_AsUnsignedLong(value);
	Py_XDECREF(value);
	PyErr_Clear();
	define(function, module, name, file, line);
	PyErr_Restore(type, error, trace);
	return function;
}

static struct function *define_builtin(PyObject *callable, const void *key)
{
	char module[256], name[300];
	PyObject *type, *error, *trace, *class;
	struct function *function = insert(key, callable);

	if (!function)
		return &tracer.others;
	PyErr_Fetch(&type, &error, &trace);
	copy_text(callable, "__module__", module, sizeof(module));
	if (!*module) {
		/* A method: its class is known, or that of the object it is bound to. */
		class = PyObject_GetAttrString(callable, "__objclass__");
		PyErr_Clear();
		if (!class && PyCFunction_Check(callable) && PyCFunction_GetSelf(callable)) {
			class = (PyObject *)Py_TYPE(PyCFunction_GetSelf(callable));
			Py_INCREF(class);
		}
		copy_text(class, "__module__", module, sizeof(module));
		Py_XDECREF(class);
	}
	copy_text(callable, "__qualname__", name, sizeof(name));
	define(function, module, name, NULL, 0);
	PyErr_Restore(type, error, trace);
	return function;
}

/*
 * What stands for a function in C. Methods are bound anew for each call, so their address is that
 * of the code; functions of modules keep their object, and those of pybind11 share their code.
 */
static const void *key_of_builtin(PyObject *callable)
{
	PyObject *self;

	if (!PyCFunction_Check(callable))
		return callable;
	self = PyCFunction_GetSelf(callable);
	if (!self || PyModule_Check(self) || PyCapsule_CheckExact(self))
		return callable;
	return (const void *)(uintptr_t)PyCFunction_GetFunction(callable);
}

/* --- calls --------------------------------------------------------------------------------------
 */

static void enter(struct function *function)
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

static void leave(const struct function *function)
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

static void enter_code(PyObject *code)
{
	struct function *function = find(code);

	enter(function ? function : define_code(code, PyEval_GetGlobals()));
}

/* Functions in C that an excluded function calls are excluded, too. */
static void enter_builtin(PyObject *callable, const void *caller)
{
	const void *key = key_of_builtin(callable);
	struct function *function = find(caller);

	if (function && !function->is_recorded)
		return;
	function = find(key);
	enter(function ? function : define_builtin(callable, key));
}

static struct function *find_or_others(const void *key)
{
	struct function *function = find(key);

	return function ? function : &tracer.others;
}

/* --- the hook, until 3.11 -----------------------------------------------------------------------
 */

typedef int (*trace_fn)(PyObject *, PyFrameObject *, int, PyObject *);

enum { HOOK_CALL = 0, HOOK_RETURN = 3, HOOK_C_CALL = 4, HOOK_C_EXCEPTION = 5, HOOK_C_RETURN = 6 };

static struct {
	void (*set_profile)(trace_fn, PyObject *);
	int (*set_profile_of)(PyThreadState *, trace_fn, PyObject *);
	PyThreadState *(*first_thread)(PyInterpreterState *);
	PyThreadState *(*next_thread)(PyThreadState *);
	PyThreadState *newest;
	unsigned until_adoption;
} hook;

static int on_hook(PyObject *self, PyFrameObject *frame, int what, PyObject *argument);

static void set_all_threads(trace_fn fn)
{
	PyInterpreterState *interpreter = PyInterpreterState_Get();

	if (!hook.set_profile_of || !hook.first_thread || !hook.next_thread) {
		hook.set_profile(fn, NULL);
		return;
	}
	for (PyThreadState *thread = hook.first_thread(interpreter); thread;
	     thread = hook.next_thread(thread))
		if (hook.set_profile_of(thread, fn, NULL))
			PyErr_Clear();
}

/*
 * Threads that C code makes do not pass through the threading module. The newest thread is the
 * first of the interpreter's list, so a change is cheap to see. Such a thread adds itself without
 * the interpreter's lock: give it time to complete its entry.
 */
static void adopt_threads(void)
{
	PyThreadState *newest;

	if (!hook.set_profile_of || !hook.first_thread || !hook.next_thread)
		return;
	newest = hook.first_thread(PyInterpreterState_Get());
	if (newest != hook.newest) {
		hook.newest = newest;
		hook.until_adoption = EVENTS_TO_ADOPT;
	} else if (hook.until_adoption && !--hook.until_adoption) {
		set_all_threads(on_hook);
	}
}

static int on_hook(PyObject *self, PyFrameObject *frame, int what, PyObject *argument)
{
	PyObject *code;

	(void)self;
	if (!tracer.is_on || !nx_profiler_is_on())
		return 0;
	switch (what) {
	case HOOK_CALL:
	case HOOK_RETURN:
		code = (PyObject *)PyFrame_GetCode(frame);
		if (what == HOOK_CALL) {
			enter_code(code);
			adopt_threads();
		} else {
			leave(find_or_others(code));
		}
		Py_DECREF(code); /* the frame keeps it */
		break;
	case HOOK_C_CALL:
		if (!tracer.with_c)
			break;
		code = (PyObject *)PyFrame_GetCode(frame);
		enter_builtin(argument, code);
		Py_DECREF(code);
		break;
	case HOOK_C_EXCEPTION:
	case HOOK_C_RETURN:
		if (tracer.with_c)
			leave(find_or_others(key_of_builtin(argument)));
		break;
	}
	return 0;
}

/* hook_thread(frame, event, argument): a profile function for threading.setprofile, which calls it
 * once in each new thread. */
static PyObject *calls_hook_thread(PyObject *self, PyObject *arguments)
{
	PyObject *frame, *argument, *code;
	const char *event;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "OsO", &frame, &event, &argument))
		return NULL;
	if (!tracer.is_on) {
		hook.set_profile(NULL, NULL);
		Py_RETURN_NONE;
	}
	hook.set_profile(on_hook, NULL);
	code = !strcmp(event, "call") ? PyObject_GetAttrString(frame, "f_code") : NULL;
	if (code)
		enter_code(code);
	PyErr_Clear();
	Py_XDECREF(code);
	Py_RETURN_NONE;
}

/* --- sys.monitoring, from 3.12 on ---------------------------------------------------------------
 */

static PyObject *disable; /* sys.monitoring.DISABLE: no more events from this place */

static PyObject *answer(bool may_disable)
{
	PyObject *value = may_disable && disable ? disable : Py_None;

	Py_INCREF(value);
	return value;
}

static bool is_tracing(Py_ssize_t count, Py_ssize_t needed)
{
	return count >= needed && tracer.is_on && nx_profiler_is_on();
}

static PyObject *calls_on_start(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
	struct function *function;

	(void)self;
	if (!is_tracing(count, 1))
		return answer(false);
	function = find(arguments[0]);
	if (!function)
		function = define_code(arguments[0], PyEval_GetGlobals());
	enter(function);
	return answer(!function->is_recorded);
}

static PyObject *calls_on_return(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
	struct function *function;

	(void)self;
	if (!is_tracing(count, 1))
		return answer(false);
	function = find_or_others(arguments[0]);
	leave(function);
	return answer(!function->is_recorded);
}

/* A frame that an exception enters or leaves; these events cannot be disabled. */
static PyObject *calls_on_throw(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
	(void)self;
	if (is_tracing(count, 1))
		enter_code(arguments[0]);
	return answer(false);
}

static PyObject *calls_on_unwind(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
	(void)self;
	if (is_tracing(count, 1))
		leave(find_or_others(arguments[0]));
	return answer(false);
}

static bool is_builtin(PyObject *callable)
{
	static PyTypeObject *descriptor;

	if (!descriptor) {
		PyObject *method = PyObject_GetAttrString((PyObject *)&PyUnicode_Type, "upper");

		descriptor = method ? Py_TYPE(method) : NULL;
		Py_XDECREF(method);
		PyErr_Clear();
	}
	return PyCFunction_Check(callable) || Py_TYPE(callable) == descriptor;
}

static PyObject *calls_on_c_call(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
	const struct function *caller;

	(void)self;
	if (!is_tracing(count, 3))
		return answer(false);
	caller = find(arguments[0]);
	if (caller && !caller->is_recorded)
		return answer(true);
	if (is_builtin(arguments[2]))
		enter_builtin(arguments[2], arguments[0]);
	return answer(false);
}

static PyObject *calls_on_c_return(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
	(void)self;
	if (is_tracing(count, 3) && is_builtin(arguments[2]))
		leave(find_or_others(key_of_builtin(arguments[2])));
	return answer(false);
}

/* --- life ---------------------------------------------------------------------------------------
 */

static int read_modules(PyObject *list, struct module_list *modules)
{
	Py_ssize_t count = PyTuple_Check(list) ? PyTuple_Size(list) : -1;

	memset(modules, 0, sizeof(*modules));
	if (count < 0 || count > MAX_MODULES) {
		PyErr_Format(PyExc_ValueError, "modules must be a tuple of at most %d names",
			     MAX_MODULES);
		return -1;
	}
	for (Py_ssize_t i = 0; i < count; i++) {
		PyObject *item = PyTuple_GetItem(list, i);
		Py_ssize_t len;
		const char *name =
			PyUnicode_Check(item) ? PyUnicode_AsUTF8AndSize(item, &len) : NULL;

		if (!name || len == 0 || len >= (Py_ssize_t)sizeof(modules->names[0])) {
			PyErr_Clear();
			PyErr_SetString(PyExc_ValueError,
					"a module's name must be a str of 1 to 63 bytes");
			return -1;
		}
		memcpy(modules->names[modules->count++], name, (size_t)len + 1);
	}
	return 0;
}

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
	struct function *function;

	if (!frame || frame == Py_None || Py_EnterRecursiveCall(" of the profiler"))
		return;
	caller = PyObject_GetAttrString(frame, "f_back");
	enter_running(caller);
	Py_XDECREF(caller);
	code = PyObject_GetAttrString(frame, "f_code");
	globals = PyObject_GetAttrString(frame, "f_globals");
	if (code) {
		function = find(code);
		enter(function ? function : define_code(code, globals));
	}
	Py_XDECREF(code);
	Py_XDECREF(globals);
	Py_LeaveRecursiveCall();
}

/* calls_start(max_depth, min_ns, include, exclude, with_c, folder, thread_namer, disable) */
static PyObject *calls_start(PyObject *self, PyObject *arguments)
{
	nx_profiler_definition definition = {.struct_size = sizeof(definition),
					     .kind = NX_PROFILER_PYTHON,
					     .text = "(further functions)",
					     .text_len = SIZE_MAX};
	unsigned long long min_ns;
	PyObject *include, *exclude, *namer, *no_more;
	const char *folder;
	unsigned max_depth;
	int with_c;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "IKOOpsOO", &max_depth, &min_ns, &include, &exclude,
			      &with_c, &folder, &namer, &no_more))
		return NULL;
	if (tracer.is_on) {
		PyErr_SetString(PyExc_RuntimeError, "Python calls are already being recorded");
		return NULL;
	}
	if (max_depth < 1 || max_depth > MAX_DEPTH) {
		PyErr_Format(PyExc_ValueError, "the depth of calls must be 1 to %d", MAX_DEPTH);
		return NULL;
	}
	if (read_modules(include, &tracer.include) || read_modules(exclude, &tracer.exclude))
		return NULL;
	if (!stacks.has_key && pthread_key_create(&stacks.key, return_stack))
		return PyErr_NoMemory();
	stacks.has_key = true;
	if (!tracer.slots && !grow())
		return PyErr_NoMemory();
	snprintf(tracer.folder, sizeof(tracer.folder), "%s", folder);
	tracer.max_depth = max_depth;
	tracer.min_ticks = ticks_of(min_ns);
	tracer.with_c = with_c != 0;
	memset(&tracer.counts, 0, sizeof(tracer.counts));
	tracer.others.key = &tracer.others;
	tracer.others.is_recorded = true;
	tracer.others.name = nx_profiler_define(&definition);
	Py_INCREF(namer);
	tracer.thread_namer = namer;
	Py_INCREF(no_more);
	Py_XDECREF(disable);
	disable = no_more;
	tracer.session++;
	tracer.is_on = true;
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
			     (unsigned long long)tracer.counts.deep, tracer.function_count);
}

static PyObject *calls_stop(PyObject *self, PyObject *unused)
{
	PyObject *counts, *namer = tracer.thread_namer;

	(void)self;
	(void)unused;
	if (!tracer.is_on)
		return calls_counts(NULL, NULL);
	tracer.is_on = false;
	finish_open_calls();
	counts = calls_counts(NULL, NULL);
	release_functions();
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
	if (tracer.is_on) {
		tracer.is_on = false;
		release_functions();
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

/* hook_all(on): sets or removes the hook of every thread. */
static PyObject *calls_hook_all(PyObject *self, PyObject *arguments)
{
	int is_wanted_on;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "p", &is_wanted_on))
		return NULL;
	if (!hook.set_profile) {
		PyErr_SetString(PyExc_RuntimeError,
				"this interpreter has no PyEval_SetProfile: Python calls cannot be "
				"recorded; use CPython 3.11 or later");
		return NULL;
	}
	set_all_threads(is_wanted_on ? on_hook : NULL);
	if (hook.first_thread)
		hook.newest = hook.first_thread(PyInterpreterState_Get());
	hook.until_adoption = 0;
	Py_RETURN_NONE;
}

static void find_hook(void)
{
	/* A cast between void * and a function pointer is what dlsym asks for. */
	*(void **)&hook.set_profile = dlsym(RTLD_DEFAULT, "PyEval_SetProfile");
	*(void **)&hook.set_profile_of = dlsym(RTLD_DEFAULT, "_PyEval_SetProfile");
	*(void **)&hook.first_thread = dlsym(RTLD_DEFAULT, "PyInterpreterState_ThreadHead");
	*(void **)&hook.next_thread = dlsym(RTLD_DEFAULT, "PyThreadState_Next");
}

#define FAST(name)                                                                                 \
	{                                                                                          \
#name, (PyCFunction)(void (*)(void))calls_##name, METH_FASTCALL, NULL              \
	}

int nx_python_add_calls(PyObject *module)
{
	static PyMethodDef methods[] = {
		{"calls_start", calls_start, METH_VARARGS, NULL},
		{"calls_stop", calls_stop, METH_NOARGS, NULL},
		{"calls_counts", calls_counts, METH_NOARGS, NULL},
		{"calls_forget", calls_forget, METH_NOARGS, NULL},
		{"skip_thread", calls_skip_thread, METH_NOARGS, NULL},
		{"hook_all", calls_hook_all, METH_VARARGS, NULL},
		{"hook_thread", calls_hook_thread, METH_VARARGS, NULL},
		FAST(on_start),
		FAST(on_return),
		FAST(on_throw),
		FAST(on_unwind),
		FAST(on_c_call),
		FAST(on_c_return),
		{NULL, NULL, 0, NULL},
	};

	find_hook();
	first_moment = take_moment();
	return PyModule_AddFunctions(module, methods);
}
