/* SPDX-License-Identifier: Apache-2.0 */
/* continuous: record always, and save snapshots. */
#include "python/native/native.h"

/* continuous_start(output_dir, budget_bytes, horizon_ms, with_runtime, with_device, cores, signal,
 * slow_step_factor, on_error, device_memory_bytes, collective_timeout_ms, min_interval_ms,
 * max_snapshots) */
static PyObject *continuous_start(PyObject *self, PyObject *arguments)
{
	nx_profiler_continuous_options options = nx_profiler_continuous_options_default();
	unsigned long long budget, horizon, memory, timeout, interval, most;
	int with_runtime, with_device, on_error, status;
	PyObject *folder = NULL;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "O&KKppzidpKKKK", PyUnicode_FSConverter, &folder, &budget,
			      &horizon, &with_runtime, &with_device, &options.cores,
			      &options.signal_number, &options.slow_step_factor, &on_error, &memory,
			      &timeout, &interval, &most))
		return NULL;
	options.output_dir = PyBytes_AsString(folder);
	options.budget_bytes = budget;
	options.horizon_ms = horizon;
	options.with_runtime = with_runtime != 0;
	options.with_device = with_device != 0;
	options.on_error = on_error != 0;
	options.device_memory_bytes = memory;
	options.collective_timeout_ms = timeout;
	options.min_interval_ms = interval;
	options.max_snapshots = most;
	Py_BEGIN_ALLOW_THREADS status = nx_profiler_continuous_start(&options);
	Py_END_ALLOW_THREADS Py_DECREF(folder);
	if (status)
		return nx_python_raise_status(status);
	Py_RETURN_NONE;
}

static PyObject *continuous_stop(PyObject *self, PyObject *unused)
{
	int status;

	(void)self;
	(void)unused;
	Py_BEGIN_ALLOW_THREADS status = nx_profiler_continuous_stop();
	Py_END_ALLOW_THREADS if (status) return nx_python_raise_status(status);
	Py_RETURN_NONE;
}

static PyObject *continuous_is_on(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return PyBool_FromLong(nx_profiler_continuous_is_on());
}

/* snapshot(reason or None, output_dir or None) returns the folder. */
static PyObject *continuous_snapshot(PyObject *self, PyObject *arguments)
{
	nx_profiler_snapshot_options options = {.struct_size = sizeof(options)};
	PyObject *given, *folder = NULL;
	char path[2048];
	int status;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "zO", &options.reason, &given))
		return NULL;
	if (given != Py_None) {
		if (!PyUnicode_FSConverter(given, &folder))
			return NULL;
		options.output_dir = PyBytes_AsString(folder);
	}
	Py_BEGIN_ALLOW_THREADS status = nx_profiler_snapshot(&options, path, sizeof(path));
	Py_END_ALLOW_THREADS Py_XDECREF(folder);
	return status ? nx_python_raise_status(status) : PyUnicode_DecodeFSDefault(path);
}

/* In the order of the struct. */
static PyObject *continuous_counts(PyObject *self, PyObject *unused)
{
	nx_profiler_continuous_counts counts = {.struct_size = sizeof(counts)};

	(void)self;
	(void)unused;
	Py_BEGIN_ALLOW_THREADS nx_profiler_continuous_count(&counts);
	Py_END_ALLOW_THREADS return Py_BuildValue(
		"KKKKKKKK", (unsigned long long)counts.recorded, (unsigned long long)counts.kept,
		(unsigned long long)counts.overwritten, (unsigned long long)counts.expired,
		(unsigned long long)counts.lost, (unsigned long long)counts.snapshots,
		(unsigned long long)counts.suppressed, (unsigned long long)counts.kept_ns);
}

int nx_python_add_continuous(PyObject *module)
{
	static PyMethodDef methods[] = {
		{"continuous_start", continuous_start, METH_VARARGS, NULL},
		{"continuous_stop", continuous_stop, METH_NOARGS, NULL},
		{"continuous_is_on", continuous_is_on, METH_NOARGS, NULL},
		{"continuous_counts", continuous_counts, METH_NOARGS, NULL},
		{"snapshot", continuous_snapshot, METH_VARARGS, NULL},
		{NULL, NULL, 0, NULL},
	};

	return PyModule_AddFunctions(module, methods);
}
