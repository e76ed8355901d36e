/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime: the calls of libnrt.so.1 that neuron_explorer.runtime needs, over any such library.
 *
 * The library is opened with dlopen, so that the package loads where there is none. Handles are
 * passed to Python as integers; runtime.py owns them. Calls that may take long release the
 * interpreter's lock.
 */
#include <dlfcn.h>
#include <string.h>
#include <time.h>

#include "python/native/native.h"
#include <nrt/nrt.h>
#include <nrt/nrt_experimental.h>
#include <nrt/nrt_profile.h>
#include <nrt/nrt_sys_trace.h>

/* X(function) for what every execution needs, and for what only some calls need. */
#define REQUIRED_MAP(X)                                                                            \
	X(nrt_init)                                                                                \
	X(nrt_close)                                                                               \
	X(nrt_load)                                                                                \
	X(nrt_unload)                                                                              \
	X(nrt_allocate_tensor_set)                                                                 \
	X(nrt_destroy_tensor_set)                                                                  \
	X(nrt_add_tensor_to_tensor_set)                                                            \
	X(nrt_tensor_allocate)                                                                     \
	X(nrt_tensor_free)                                                                         \
	X(nrt_tensor_read)                                                                         \
	X(nrt_tensor_write)                                                                        \
	X(nrt_execute)                                                                             \
	X(nrt_get_model_tensor_info)                                                               \
	X(nrt_free_model_tensor_info)
#define OPTIONAL_MAP(X)                                                                            \
	X(nrt_load_collectives)                                                                    \
	X(nrt_get_visible_vnc_count)                                                               \
	X(nrt_get_status_as_str)                                                                   \
	X(nrt_profile_start)                                                                       \
	X(nrt_profile_stop)                                                                        \
	X(nrt_sys_trace_config_allocate)                                                           \
	X(nrt_sys_trace_config_set_defaults)                                                       \
	X(nrt_sys_trace_config_set_max_events_per_nc)                                              \
	X(nrt_sys_trace_config_set_capture_enabled_for_event_type)                                 \
	X(nrt_sys_trace_config_free)                                                               \
	X(nrt_sys_trace_start)                                                                     \
	X(nrt_sys_trace_stop)                                                                      \
	X(nrt_sys_trace_fetch_events)                                                              \
	X(nrt_sys_trace_buffer_free)

static struct {
	void *library;
#define X(name) __typeof__(name) *name;
	REQUIRED_MAP(X)
	OPTIONAL_MAP(X)
#undef X
} nrt;

static PyObject *nrt_error; /* runtime.NrtError(message, status) */

static const char *status_name(NRT_STATUS status)
{
	const char *name = nrt.nrt_get_status_as_str ? nrt.nrt_get_status_as_str(status) : NULL;

	return name ? name : "an unknown status";
}

/* NULL with NrtError, for `return check(...)`; else None. */
static PyObject *check(NRT_STATUS status, const char *call)
{
	PyObject *arguments, *message;

	if (status == NRT_SUCCESS)
		Py_RETURN_NONE;
	message = PyUnicode_FromFormat(
		"%s: %s (%d); the runtime's log on standard error may say more", call,
		status_name(status), (int)status);
	arguments = message ? Py_BuildValue("(Ni)", message, (int)status) : NULL;
	if (arguments)
		PyErr_SetObject(nrt_error, arguments);
	Py_XDECREF(arguments);
	return NULL;
}

static PyObject *refuse(const char *function)
{
	PyErr_Format(PyExc_NotImplementedError, "this libnrt.so.1 has no %s; use a newer runtime",
		     function);
	return NULL;
}

#define NEEDS(name)                                                                                \
	do {                                                                                       \
		if (!nrt.name)                                                                     \
			return refuse(#name);                                                      \
	} while (0)

/* nrt_open(path): opens the library once per process */
static PyObject *runtime_open(PyObject *self, PyObject *arguments)
{
	PyObject *path = NULL;
	const char *missing = NULL;
	void *library;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "O&", PyUnicode_FSConverter, &path))
		return NULL;
	Py_BEGIN_ALLOW_THREADS library = dlopen(PyBytes_AsString(path), RTLD_NOW);
	Py_END_ALLOW_THREADS Py_DECREF(path);
	if (!library) {
		PyErr_SetString(PyExc_OSError, dlerror());
		return NULL;
	}
#define X(name)                                                                                    \
	*(void **)&nrt.name = dlsym(library, #name);                                               \
	if (!nrt.name && !missing)                                                                 \
		missing = #name;
	REQUIRED_MAP(X)
#undef X
#define X(name) *(void **)&nrt.name = dlsym(library, #name);
	OPTIONAL_MAP(X)
#undef X
	if (missing) {
		memset(&nrt, 0, sizeof(nrt));
		dlclose(library);
		PyErr_Format(PyExc_OSError, "the library has no function %s", missing);
		return NULL;
	}
	nrt.library = library;
	Py_RETURN_NONE;
}

static PyObject *runtime_init(PyObject *self, PyObject *unused)
{
	NRT_STATUS status;

	(void)self;
	(void)unused;
	NEEDS(nrt_init);
	Py_BEGIN_ALLOW_THREADS status = nrt.nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "");
	Py_END_ALLOW_THREADS return check(status, "nrt_init");
}

static PyObject *runtime_close(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	NEEDS(nrt_close);
	Py_BEGIN_ALLOW_THREADS nrt.nrt_close();
	Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

static PyObject *runtime_core_count(PyObject *self, PyObject *unused)
{
	uint32_t count = 0;
	NRT_STATUS status;

	(void)self;
	(void)unused;
	NEEDS(nrt_get_visible_vnc_count);
	status = nrt.nrt_get_visible_vnc_count(&count);
	if (status != NRT_SUCCESS)
		return check(status, "nrt_get_visible_vnc_count");
	return PyLong_FromUnsignedLong(count);
}

/* nrt_load(bytes, core, rank, world): world 0 means no collectives */
static PyObject *runtime_load(PyObject *self, PyObject *arguments)
{
	nrt_model_t *model = NULL;
	unsigned rank, world;
	NRT_STATUS status;
	Py_buffer neff;
	int core;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "y*iII", &neff, &core, &rank, &world))
		return NULL;
	if (world && !nrt.nrt_load_collectives) {
		PyBuffer_Release(&neff);
		return refuse("nrt_load_collectives");
	}
	Py_BEGIN_ALLOW_THREADS status =
		world ? nrt.nrt_load_collectives(neff.buf, (size_t)neff.len, core, -1, rank, world,
						 &model)
		      : nrt.nrt_load(neff.buf, (size_t)neff.len, core, -1, &model);
	Py_END_ALLOW_THREADS PyBuffer_Release(&neff);
	if (status != NRT_SUCCESS)
		return check(status, world ? "nrt_load_collectives" : "nrt_load");
	return PyLong_FromVoidPtr(model);
}

/* Reads a handle; NULL with an exception. */
static void *take_handle(PyObject *number)
{
	void *handle = PyLong_AsVoidPtr(number);

	if (!handle && !PyErr_Occurred())
		PyErr_SetString(PyExc_ValueError, "the handle was released");
	return handle;
}

static PyObject *runtime_unload(PyObject *self, PyObject *number)
{
	void *model = take_handle(number);
	NRT_STATUS status;

	(void)self;
	if (!model)
		return NULL;
	Py_BEGIN_ALLOW_THREADS status = nrt.nrt_unload(model);
	Py_END_ALLOW_THREADS return check(status, "nrt_unload");
}

static PyObject *describe_tensor(const nrt_tensor_info_t *info)
{
	PyObject *shape = PyTuple_New((Py_ssize_t)info->ndim);
	size_t len = strnlen(info->name, sizeof(info->name));

	for (uint32_t i = 0; shape && i < info->ndim; i++)
		PyTuple_SetItem(shape, (Py_ssize_t)i, PyLong_FromUnsignedLong(info->shape[i]));
	if (!shape)
		return NULL;
	return Py_BuildValue("(s#OniN)", info->name, (Py_ssize_t)len,
			     info->usage == NRT_TENSOR_USAGE_INPUT ? Py_True : Py_False,
			     (Py_ssize_t)info->size, (int)info->dtype, shape);
}

/* nrt_tensors(model) -> [(name, is_input, bytes, dtype, shape)] */
static PyObject *runtime_tensors(PyObject *self, PyObject *number)
{
	void *model = take_handle(number);
	nrt_tensor_info_array_t *array = NULL;
	NRT_STATUS status;
	PyObject *list;

	(void)self;
	if (!model)
		return NULL;
	status = nrt.nrt_get_model_tensor_info(model, &array);
	if (status != NRT_SUCCESS)
		return check(status, "nrt_get_model_tensor_info");
	list = PyList_New(0);
	for (uint64_t i = 0; list && i < array->tensor_count; i++) {
		PyObject *item = describe_tensor(&array->tensor_array[i]);

		if (!item || PyList_Append(list, item))
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	nrt.nrt_free_model_tensor_info(array);
	return list;
}

/* nrt_tensor_new(name, bytes, core) */
static PyObject *runtime_tensor_new(PyObject *self, PyObject *arguments)
{
	nrt_tensor_t *tensor = NULL;
	const char *name;
	NRT_STATUS status;
	Py_ssize_t size;
	int core;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "sni", &name, &size, &core))
		return NULL;
	Py_BEGIN_ALLOW_THREADS status = nrt.nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, core,
								(size_t)size, name, &tensor);
	Py_END_ALLOW_THREADS if (status != NRT_SUCCESS) return check(status, "nrt_tensor_allocate");
	return PyLong_FromVoidPtr(tensor);
}

static PyObject *runtime_tensor_free(PyObject *self, PyObject *number)
{
	nrt_tensor_t *tensor = take_handle(number);

	(void)self;
	if (!tensor)
		return NULL;
	nrt.nrt_tensor_free(&tensor);
	Py_RETURN_NONE;
}

static PyObject *copy_tensor(PyObject *arguments, bool is_write)
{
	NRT_STATUS status;
	PyObject *number;
	Py_buffer bytes;
	void *tensor;

	if (!PyArg_ParseTuple(arguments, is_write ? "Oy*" : "Ow*", &number, &bytes))
		return NULL;
	tensor = take_handle(number);
	if (!tensor) {
		PyBuffer_Release(&bytes);
		return NULL;
	}
	Py_BEGIN_ALLOW_THREADS status =
		is_write ? nrt.nrt_tensor_write(tensor, bytes.buf, 0, (size_t)bytes.len)
			 : nrt.nrt_tensor_read(tensor, bytes.buf, 0, (size_t)bytes.len);
	Py_END_ALLOW_THREADS PyBuffer_Release(&bytes);
	return check(status, is_write ? "nrt_tensor_write" : "nrt_tensor_read");
}

static PyObject *runtime_tensor_write(PyObject *self, PyObject *arguments)
{
	(void)self;
	return copy_tensor(arguments, true);
}

static PyObject *runtime_tensor_read(PyObject *self, PyObject *arguments)
{
	(void)self;
	return copy_tensor(arguments, false);
}

/* nrt_set_new([(name, tensor)]) */
static PyObject *runtime_set_new(PyObject *self, PyObject *list)
{
	nrt_tensor_set_t *set = NULL;
	NRT_STATUS status;

	(void)self;
	if (!PyList_Check(list)) {
		PyErr_SetString(PyExc_TypeError, "nrt_set_new takes a list");
		return NULL;
	}
	status = nrt.nrt_allocate_tensor_set(&set);
	if (status != NRT_SUCCESS)
		return check(status, "nrt_allocate_tensor_set");
	for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
		PyObject *number = NULL;
		const char *name = NULL;
		void *tensor;

		tensor = PyArg_ParseTuple(PyList_GetItem(list, i), "sO", &name, &number)
				 ? take_handle(number)
				 : NULL;
		status = tensor ? nrt.nrt_add_tensor_to_tensor_set(set, name, tensor) : NRT_SUCCESS;
		if (!tensor || status != NRT_SUCCESS) {
			nrt.nrt_destroy_tensor_set(&set);
			return tensor ? check(status, "nrt_add_tensor_to_tensor_set") : NULL;
		}
	}
	return PyLong_FromVoidPtr(set);
}

static PyObject *runtime_set_free(PyObject *self, PyObject *number)
{
	nrt_tensor_set_t *set = take_handle(number);

	(void)self;
	if (!set)
		return NULL;
	nrt.nrt_destroy_tensor_set(&set);
	Py_RETURN_NONE;
}

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* nrt_execute(model, inputs, outputs, runs) -> the host's nanoseconds of each run, as array('Q') */
static PyObject *runtime_execute(PyObject *self, PyObject *arguments)
{
	PyObject *model_number, *in_number, *out_number, *times;
	void *model, *inputs, *outputs;
	NRT_STATUS status = NRT_SUCCESS;
	Py_ssize_t runs, done = 0;
	uint64_t *ns;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "OOOn", &model_number, &in_number, &out_number, &runs))
		return NULL;
	if (!(model = take_handle(model_number)) || !(inputs = take_handle(in_number)) ||
	    !(outputs = take_handle(out_number)))
		return NULL;
	if (runs < 1 || runs > PY_SSIZE_T_MAX / (Py_ssize_t)sizeof(*ns)) {
		PyErr_SetString(PyExc_ValueError, "the number of runs must be at least 1");
		return NULL;
	}
	times = PyBytes_FromStringAndSize(NULL, runs * (Py_ssize_t)sizeof(*ns));
	if (!times)
		return NULL;
	ns = (uint64_t *)(void *)PyBytes_AsString(times);
	while (done < runs && status == NRT_SUCCESS) {
		/* In portions, so that ctrl-c and other threads are not kept waiting. */
		Py_BEGIN_ALLOW_THREADS uint64_t begin = now_ns(), start;

		do {
			start = now_ns();
			status = nrt.nrt_execute(model, inputs, outputs);
			ns[done] = now_ns() - start;
		} while (status == NRT_SUCCESS && ++done < runs &&
			 now_ns() - begin < 100 * 1000000);
		Py_END_ALLOW_THREADS if (PyErr_CheckSignals())
		{
			Py_DECREF(times);
			return NULL;
		}
	}
	if (status != NRT_SUCCESS) {
		Py_DECREF(times);
		return check(status, "nrt_execute");
	}
	return times;
}

static PyObject *profile_model(PyObject *arguments, bool is_start)
{
	PyObject *number, *path = NULL;
	NRT_STATUS status;
	void *model;

	NEEDS(nrt_profile_start);
	NEEDS(nrt_profile_stop);
	if (!PyArg_ParseTuple(arguments, "OO&", &number, PyUnicode_FSConverter, &path))
		return NULL;
	model = take_handle(number);
	if (!model) {
		Py_DECREF(path);
		return NULL;
	}
	Py_BEGIN_ALLOW_THREADS status =
		is_start ? nrt.nrt_profile_start(model, PyBytes_AsString(path))
			 : nrt.nrt_profile_stop(PyBytes_AsString(path));
	Py_END_ALLOW_THREADS Py_DECREF(path);
	return check(status, is_start ? "nrt_profile_start" : "nrt_profile_stop");
}

static PyObject *runtime_profile_start(PyObject *self, PyObject *arguments)
{
	(void)self;
	return profile_model(arguments, true);
}

static PyObject *runtime_profile_stop(PyObject *self, PyObject *arguments)
{
	(void)self;
	return profile_model(arguments, false);
}

/* nrt_trace_start(max_events): traces when the cores ran, for nrt_trace_fetch */
static PyObject *runtime_trace_start(PyObject *self, PyObject *arguments)
{
	nrt_sys_trace_config_t *config = NULL;
	unsigned long long max_events;
	NRT_STATUS status;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "K", &max_events))
		return NULL;
	NEEDS(nrt_sys_trace_config_allocate);
	NEEDS(nrt_sys_trace_config_set_defaults);
	NEEDS(nrt_sys_trace_config_set_max_events_per_nc);
	NEEDS(nrt_sys_trace_config_free);
	NEEDS(nrt_sys_trace_start);
	NEEDS(nrt_sys_trace_stop);
	NEEDS(nrt_sys_trace_fetch_events);
	NEEDS(nrt_sys_trace_buffer_free);
	status = nrt.nrt_sys_trace_config_allocate(&config);
	if (status != NRT_SUCCESS)
		return check(status, "nrt_sys_trace_config_allocate");
	nrt.nrt_sys_trace_config_set_defaults(config);
	nrt.nrt_sys_trace_config_set_max_events_per_nc(config, max_events);
	status = nrt.nrt_sys_trace_start(config);
	nrt.nrt_sys_trace_config_free(config);
	return check(status, "nrt_sys_trace_start");
}

/* nrt_trace_fetch() -> JSON of the events since the last call */
static PyObject *runtime_trace_fetch(PyObject *self, PyObject *unused)
{
	char *buffer = NULL;
	size_t size = 0;
	NRT_STATUS status;
	PyObject *text;

	(void)self;
	(void)unused;
	NEEDS(nrt_sys_trace_fetch_events);
	Py_BEGIN_ALLOW_THREADS status = nrt.nrt_sys_trace_fetch_events(&buffer, &size, NULL);
	Py_END_ALLOW_THREADS if (status != NRT_SUCCESS) return check(status,
								     "nrt_sys_trace_fetch_events");
	text = PyUnicode_DecodeUTF8(buffer, (Py_ssize_t)size, "replace");
	nrt.nrt_sys_trace_buffer_free(buffer);
	return text;
}

static PyObject *runtime_trace_stop(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	NEEDS(nrt_sys_trace_stop);
	return check(nrt.nrt_sys_trace_stop(), "nrt_sys_trace_stop");
}

int nx_python_add_runtime(PyObject *module)
{
	static PyMethodDef methods[] = {
		{"nrt_open", runtime_open, METH_VARARGS, NULL},
		{"nrt_init", runtime_init, METH_NOARGS, NULL},
		{"nrt_close", runtime_close, METH_NOARGS, NULL},
		{"nrt_core_count", runtime_core_count, METH_NOARGS, NULL},
		{"nrt_load", runtime_load, METH_VARARGS, NULL},
		{"nrt_unload", runtime_unload, METH_O, NULL},
		{"nrt_tensors", runtime_tensors, METH_O, NULL},
		{"nrt_tensor_new", runtime_tensor_new, METH_VARARGS, NULL},
		{"nrt_tensor_free", runtime_tensor_free, METH_O, NULL},
		{"nrt_tensor_write", runtime_tensor_write, METH_VARARGS, NULL},
		{"nrt_tensor_read", runtime_tensor_read, METH_VARARGS, NULL},
		{"nrt_set_new", runtime_set_new, METH_O, NULL},
		{"nrt_set_free", runtime_set_free, METH_O, NULL},
		{"nrt_execute", runtime_execute, METH_VARARGS, NULL},
		{"nrt_profile_start", runtime_profile_start, METH_VARARGS, NULL},
		{"nrt_profile_stop", runtime_profile_stop, METH_VARARGS, NULL},
		{"nrt_trace_start", runtime_trace_start, METH_VARARGS, NULL},
		{"nrt_trace_fetch", runtime_trace_fetch, METH_NOARGS, NULL},
		{"nrt_trace_stop", runtime_trace_stop, METH_NOARGS, NULL},
		{NULL, NULL, 0, NULL},
	};

	nrt_error = PyErr_NewExceptionWithDoc(
		"neuron_explorer.runtime.NrtError",
		"A call of the runtime failed; args are the sentence and the NRT_STATUS.",
		PyExc_RuntimeError, NULL);
	if (!nrt_error || PyModule_AddObjectRef(module, "NrtError", nrt_error))
		return -1;
	return PyModule_AddFunctions(module, methods);
}
