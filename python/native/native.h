/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native: the C half of the Python package neuron_explorer.
 *
 * It uses the limited API of CPython 3.11, so that one file serves 3.11 and every later version.
 * All functions run with the interpreter's lock held unless a comment says otherwise.
 */
#ifndef NX_PYTHON_NATIVE_H
#define NX_PYTHON_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <nx/profiler.h>

/* Each part adds its functions and types to the module; -1 with an exception if it cannot. */
int nx_python_add_session(PyObject *module);
int nx_python_add_spans(PyObject *module);
int nx_python_add_calls(PyObject *module);
int nx_python_add_call_events(PyObject *module);
int nx_python_add_runtime(PyObject *module);
int nx_python_add_continuous(PyObject *module);

/* Raises the exception that fits a failed call of the profiler; returns NULL. */
PyObject *nx_python_raise_status(int status);

/*
 * Attributes of an event, from a dict of names to numbers, booleans and texts. Texts are borrowed
 * from the dict and from keep, a list that the caller releases after the event is recorded; other
 * objects are recorded as str() shows them. -1 with an exception.
 */
Py_ssize_t nx_python_attributes(PyObject *dict, nx_attribute *attributes, PyObject **keep);

#endif
