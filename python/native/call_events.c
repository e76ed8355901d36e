/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the interpreter calls. Until 3.11 it has a profile hook, whose functions are not part of the
 * limited API, so they are looked up at run time; from 3.12 on sys.monitoring calls the functions
 * on_*, which the Python half registers.
 */
#include <dlfcn.h>
#include <string.h>

#include "python/native/calls.h"

enum { EVENTS_TO_ADOPT = 64 }; /* between a thread's appearance and its adoption */

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
	if (!nx_python_tracing.is_on || !nx_profiler_is_on())
		return 0;
	switch (what) {
	case HOOK_CALL:
	case HOOK_RETURN:
		code = (PyObject *)PyFrame_GetCode(frame);
		if (what == HOOK_CALL) {
			nx_python_call_enter_code(code);
			adopt_threads();
		} else {
			nx_python_call_leave(nx_python_function_or_others(code));
		}
		Py_DECREF(code); /* the frame keeps it */
		break;
	case HOOK_C_CALL:
		if (!nx_python_tracing.with_c)
			break;
		code = (PyObject *)PyFrame_GetCode(frame);
		nx_python_call_enter_builtin(argument, code);
		Py_DECREF(code);
		break;
	case HOOK_C_EXCEPTION:
	case HOOK_C_RETURN:
		if (nx_python_tracing.with_c)
			nx_python_call_leave(
				nx_python_function_or_others(nx_python_builtin_key(argument)));
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
	if (!nx_python_tracing.is_on) {
		hook.set_profile(NULL, NULL);
		Py_RETURN_NONE;
	}
	hook.set_profile(on_hook, NULL);
	code = !strcmp(event, "call") ? PyObject_GetAttrString(frame, "f_code") : NULL;
	if (code)
		nx_python_call_enter_code(code);
	PyErr_Clear();
	Py_XDECREF(code);
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

/* --- sys.monitoring, from 3.12 on ---------------------------------------------------------------
 */

static PyObject *answer(bool may_disable)
{
	PyObject *value =
		may_disable && nx_python_tracing.disable ? nx_python_tracing.disable : Py_None;

	Py_INCREF(value);
	return value;
}

static bool is_tracing(Py_ssize_t count, Py_ssize_t needed)
{
	return count >= needed && nx_python_tracing.is_on && nx_profiler_is_on();
}

static PyObject *calls_on_start(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
	struct nx_python_function *function;

	(void)self;
	if (!is_tracing(count, 1))
		return answer(false);
	function = nx_python_function_find(arguments[0]);
	if (!function)
		function = nx_python_function_of_code(arguments[0], PyEval_GetGlobals());
	nx_python_call_enter(function);
	return answer(!function->is_recorded);
}

static PyObject *calls_on_return(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
	struct nx_python_function *function;

	(void)self;
	if (!is_tracing(count, 1))
		return answer(false);
	function = nx_python_function_or_others(arguments[0]);
	nx_python_call_leave(function);
	return answer(!function->is_recorded);
}

/* A frame that an exception enters or leaves; these events cannot be disabled. */
static PyObject *calls_on_throw(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
	(void)self;
	if (is_tracing(count, 1))
		nx_python_call_enter_code(arguments[0]);
	return answer(false);
}

static PyObject *calls_on_unwind(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
	(void)self;
	if (is_tracing(count, 1))
		nx_python_call_leave(nx_python_function_or_others(arguments[0]));
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
	const struct nx_python_function *caller;

	(void)self;
	if (!is_tracing(count, 3))
		return answer(false);
	caller = nx_python_function_find(arguments[0]);
	if (caller && !caller->is_recorded)
		return answer(true);
	if (is_builtin(arguments[2]))
		nx_python_call_enter_builtin(arguments[2], arguments[0]);
	return answer(false);
}

static PyObject *calls_on_c_return(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
	(void)self;
	if (is_tracing(count, 3) && is_builtin(arguments[2]))
		nx_python_call_leave(
			nx_python_function_or_others(nx_python_builtin_key(arguments[2])));
	return answer(false);
}

/* --- the module ---------------------------------------------------------------------------------
 */

#define FAST(name)                                                                                 \
	{                                                                                          \
#name, (PyCFunction)(void (*)(void))calls_##name, METH_FASTCALL, NULL              \
	}

int nx_python_add_call_events(PyObject *module)
{
	static PyMethodDef methods[] = {
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
	return PyModule_AddFunctions(module, methods);
}
