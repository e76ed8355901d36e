/* SPDX-License-Identifier: Apache-2.0 */
/* session: start and stop the process's session, and ask about it. */
#include <errno.h>

#include "python/native/native.h"

PyObject *nx_python_raise_status(int status)
{
	PyObject *type = PyExc_RuntimeError;

	if (status == NX_PROFILER_IO)
		type = PyExc_OSError;
	else if (status == NX_PROFILER_INVALID)
		type = PyExc_ValueError;
	else if (status == NX_PROFILER_LIMIT)
		type = PyExc_MemoryError;
	PyErr_SetString(type, nx_profiler_error());
	return NULL;
}

/* start(output_dir, buffer_bytes, with_runtime, with_device, max_events_per_core, cores). Returns
 * "" or a sentence that says why the runtime has no part in the session. */
static PyObject *session_start(PyObject *self, PyObject *arguments)
{
	nx_profiler_options options = NX_PROFILER_OPTIONS;
	PyObject *folder = NULL;
	unsigned long long buffer_bytes = 0, max_events = 0;
	int with_runtime = 1, with_device = 0, status;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "O&|KppKz", PyUnicode_FSConverter, &folder, &buffer_bytes,
			      &with_runtime, &with_device, &max_events, &options.cores))
		return NULL;
	options.output_dir = PyBytes_AsString(folder);
	options.buffer_bytes = buffer_bytes;
	options.with_runtime = with_runtime != 0;
	options.with_device = with_device != 0;
	options.max_events_per_core = max_events;
	Py_BEGIN_ALLOW_THREADS status = nx_profiler_start(&options);
	Py_END_ALLOW_THREADS Py_DECREF(folder);
	if (status == NX_PROFILER_RUNTIME)
		return PyUnicode_FromString(nx_profiler_error());
	if (status)
		return nx_python_raise_status(status);
	return PyUnicode_FromString("");
}

static PyObject *session_stop(PyObject *self, PyObject *unused)
{
	int status;

	(void)self;
	(void)unused;
	Py_BEGIN_ALLOW_THREADS status = nx_profiler_stop();
	Py_END_ALLOW_THREADS if (status) return nx_python_raise_status(status);
	Py_RETURN_NONE;
}

/* Starts the runtime's part for a libnrt.so.1 that was loaded during the session. */
static PyObject *session_join_runtime(PyObject *self, PyObject *unused)
{
	int status;

	(void)self;
	(void)unused;
	Py_BEGIN_ALLOW_THREADS status = nx_profiler_join_runtime();
	Py_END_ALLOW_THREADS return PyUnicode_FromString(status ? nx_profiler_error() : "");
}

static PyObject *session_flush(PyObject *self, PyObject *unused)
{
	int status;

	(void)self;
	(void)unused;
	Py_BEGIN_ALLOW_THREADS status = nx_profiler_flush();
	Py_END_ALLOW_THREADS if (status) return nx_python_raise_status(status);
	Py_RETURN_NONE;
}

static PyObject *session_is_on(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return PyBool_FromLong(nx_profiler_is_on());
}

static PyObject *session_directory(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return PyUnicode_DecodeFSDefault(nx_profiler_directory());
}

static PyObject *session_counts(PyObject *self, PyObject *unused)
{
	uint64_t recorded = 0, lost = 0;

	(void)self;
	(void)unused;
	nx_profiler_counts(&recorded, &lost);
	return Py_BuildValue("KK", (unsigned long long)recorded, (unsigned long long)lost);
}

/* start_server(port, host, token, output_dir). Returns the port. */
static PyObject *session_start_server(PyObject *self, PyObject *arguments)
{
	nx_profiler_server_options options = nx_profiler_server_options_default();
	PyObject *folder = NULL;
	int status;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "H|zzO&", &options.port, &options.host, &options.token,
			      PyUnicode_FSConverter, &folder))
		return NULL;
	options.output_dir = folder ? PyBytes_AsString(folder) : NULL;
	Py_BEGIN_ALLOW_THREADS status = nx_profiler_start_server(&options);
	Py_END_ALLOW_THREADS Py_XDECREF(folder);
	return status ? nx_python_raise_status(status) : PyLong_FromLong(nx_profiler_server_port());
}

static PyObject *session_stop_server(PyObject *self, PyObject *unused)
{
	int status;

	(void)self;
	(void)unused;
	Py_BEGIN_ALLOW_THREADS status = nx_profiler_stop_server();
	Py_END_ALLOW_THREADS if (status) return nx_python_raise_status(status);
	Py_RETURN_NONE;
}

static PyObject *session_server_port(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return PyLong_FromLong(nx_profiler_server_port());
}

int nx_python_add_session(PyObject *module)
{
	static PyMethodDef methods[] = {
		{"start", session_start, METH_VARARGS, NULL},
		{"stop", session_stop, METH_NOARGS, NULL},
		{"join_runtime", session_join_runtime, METH_NOARGS, NULL},
		{"flush", session_flush, METH_NOARGS, NULL},
		{"is_on", session_is_on, METH_NOARGS, NULL},
		{"directory", session_directory, METH_NOARGS, NULL},
		{"counts", session_counts, METH_NOARGS, NULL},
		{"start_server", session_start_server, METH_VARARGS, NULL},
		{"stop_server", session_stop_server, METH_NOARGS, NULL},
		{"server_port", session_server_port, METH_NOARGS, NULL},
		{NULL, NULL, 0, NULL},
	};

	if (PyModule_AddIntConstant(module, "KIND_ANNOTATION", NX_PROFILER_ANNOTATION) ||
	    PyModule_AddIntConstant(module, "KIND_PYTHON", NX_PROFILER_PYTHON) ||
	    PyModule_AddIntConstant(module, "KIND_OPERATOR", NX_PROFILER_OPERATOR) ||
	    PyModule_AddIntConstant(module, "KIND_STEP", NX_PROFILER_STEP) ||
	    PyModule_AddIntConstant(module, "KIND_FRAMEWORK", NX_PROFILER_FRAMEWORK))
		return -1;
	return PyModule_AddFunctions(module, methods);
}
