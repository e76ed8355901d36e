/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls: every Python call as a span, in all threads.
 *
 * call_events.c has what the interpreter calls, functions.c knows the functions, and calls.c keeps
 * the stacks of calls and writes the spans. The interpreter's lock protects everything here except
 * the list of stacks, which threads leave when they end.
 */
#ifndef NX_PYTHON_CALLS_H
#define NX_PYTHON_CALLS_H

#include "python/native/native.h"

/* What events look at first. */
struct nx_python_tracing {
	bool is_on, with_c;
	PyObject *disable; /* sys.monitoring.DISABLE: no more events from this place */
};

extern struct nx_python_tracing nx_python_tracing;

/* --- functions.c ------------------------------------------------------------------------------ */

struct nx_python_function {
	const void *key;
	PyObject *owner; /* keeps the key from being reused */
	nx_name name;
	bool is_recorded;
};

/* Which modules are recorded (tuples of names), and where relative file names begin. -1 with an
 * exception. */
int nx_python_functions_begin(PyObject *include, PyObject *exclude, const char *folder);
void nx_python_functions_release(void);
unsigned nx_python_functions_count(void);

/* NULL for one that was not seen yet. */
struct nx_python_function *nx_python_function_find(const void *key);
/* The one that stands for all beyond the limit, instead of NULL. */
struct nx_python_function *nx_python_function_or_others(const void *key);
/* A code object seen for the first time, and the globals of its frame. */
struct nx_python_function *nx_python_function_of_code(PyObject *code, PyObject *globals);
/* A function in C seen for the first time. */
struct nx_python_function *nx_python_function_of_builtin(PyObject *callable, const void *key);
/*
 * What stands for a function in C. Methods are bound anew for each call, so their address is that
 * of the code; functions of modules keep their object, and those of pybind11 share their code.
 */
const void *nx_python_builtin_key(PyObject *callable);

/* --- calls.c ---------------------------------------------------------------------------------- */

void nx_python_call_enter(struct nx_python_function *function);
void nx_python_call_leave(const struct nx_python_function *function);
void nx_python_call_enter_code(PyObject *code);
/* Functions in C that an excluded function calls are excluded, too. */
void nx_python_call_enter_builtin(PyObject *callable, const void *caller);

#endif
