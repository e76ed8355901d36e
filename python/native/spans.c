/* SPDX-License-Identifier: Apache-2.0 */
/* spans: annotations, steps, operators, instants, counters and thread names from Python. */
#include <string.h>

#include "python/native/native.h"

/* The name for an attribute's key. Keys are few and mostly literals. */
static int define_key(PyObject *key, nx_name *name)
{
	nx_profiler_definition definition = {.struct_size = sizeof(definition)};
	Py_ssize_t len;

	if (!PyUnicode_Check(key)) {
		PyErr_SetString(PyExc_TypeError, "the names of attributes must be str");
		return -1;
	}
	definition.text = PyUnicode_AsUTF8AndSize(key, &len);
	if (!definition.text)
		return -1;
	definition.text_len = (size_t)len;
	*name = nx_profiler_define(&definition);
	return 0;
}

/* The UTF-8 of a text, or of str(value); texts with lone surrogates are escaped. */
static const char *borrow_text(PyObject *value, PyObject **keep, Py_ssize_t *len)
{
	PyObject *text, *bytes;
	const char *utf8 = NULL;

	if (PyUnicode_Check(value)) {
		utf8 = PyUnicode_AsUTF8AndSize(value, len);
		if (utf8)
			return utf8;
		PyErr_Clear();
	}
	if (!*keep && !(*keep = PyList_New(0)))
		return NULL;
	text = PyObject_Str(value);
	if (!text)
		return NULL;
	bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
	Py_DECREF(text);
	if (bytes && !PyList_Append(*keep, bytes)) {
		utf8 = PyBytes_AsString(bytes);
		*len = PyBytes_Size(bytes);
	}
	Py_XDECREF(bytes);
	return utf8;
}

static int fill_attribute(PyObject *value, nx_attribute *attribute, PyObject **keep)
{
	Py_ssize_t len;

	if (PyBool_Check(value)) {
		attribute->type = NX_ATTRIBUTE_BOOL;
		attribute->value.boolean = value == Py_True;
		return 0;
	}
	if (PyLong_Check(value)) {
		int overflow = 0;

		attribute->type = NX_ATTRIBUTE_I64;
		attribute->value.i64 = PyLong_AsLongLongAndOverflow(value, &overflow);
		if (!overflow)
			return 0;
	}
	if (PyFloat_Check(value)) {
		attribute->type = NX_ATTRIBUTE_F64;
		attribute->value.f64 = PyFloat_AsDouble(value);
		return 0;
	}
	attribute->type = NX_ATTRIBUTE_TEXT;
	attribute->value.text = borrow_text(value, keep, &len);
	attribute->text_len = attribute->value.text ? (size_t)len : 0;
	return attribute->value.text ? 0 : -1;
}

Py_ssize_t nx_python_attributes(PyObject *dict, nx_attribute *attributes, PyObject **keep)
{
	PyObject *key, *value;
	Py_ssize_t position = 0, count = 0;

	if (!dict || dict == Py_None)
		return 0;
	if (!PyDict_Check(dict)) {
		PyErr_SetString(PyExc_TypeError, "attributes must be a dict");
		return -1;
	}
	while (count < NX_PROFILER_MAX_ATTRIBUTES && PyDict_Next(dict, &position, &key, &value)) {
		nx_attribute *attribute = &attributes[count++];

		memset(attribute, 0, sizeof(*attribute));
		if (define_key(key, &attribute->key) || fill_attribute(value, attribute, keep))
			return -1;
	}
	return count;
}

/* begin(kind, name, attributes=None) -> number of the span, for end() */
static PyObject *spans_begin(PyObject *self, PyObject *arguments)
{
	nx_attribute attributes[NX_PROFILER_MAX_ATTRIBUTES];
	PyObject *name, *dict = NULL, *keep = NULL;
	Py_ssize_t count, len;
	const char *text;
	nx_span span = 0;
	int kind;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "iO|O", &kind, &name, &dict))
		return NULL;
	if (nx_profiler_is_on()) {
		count = nx_python_attributes(dict, attributes, &keep);
		text = count < 0 ? NULL : borrow_text(name, &keep, &len);
		if (text)
			span = nx_profiler_begin_text_with((nx_profiler_kind)kind, text,
							   (size_t)len, attributes, (size_t)count);
		Py_XDECREF(keep);
		if (!text)
			return NULL;
	}
	return PyLong_FromUnsignedLongLong(span);
}

/* end(span, attributes=None) */
static PyObject *spans_end(PyObject *self, PyObject *arguments)
{
	nx_attribute attributes[NX_PROFILER_MAX_ATTRIBUTES];
	PyObject *dict = NULL, *keep = NULL;
	unsigned long long span;
	Py_ssize_t count;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "K|O", &span, &dict))
		return NULL;
	count = nx_python_attributes(dict, attributes, &keep);
	if (count >= 0)
		nx_profiler_end_with(span, attributes, (size_t)count);
	Py_XDECREF(keep);
	if (count < 0)
		return NULL;
	Py_RETURN_NONE;
}

/* define(kind, name, file=None, line=0) -> a number that stands for the name */
static PyObject *spans_define(PyObject *self, PyObject *arguments)
{
	nx_profiler_definition definition = {.struct_size = sizeof(definition)};
	const char *text, *file = NULL;
	unsigned line = 0;
	Py_ssize_t len;
	int kind;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "is#|zI", &kind, &text, &len, &file, &line))
		return NULL;
	definition.kind = (nx_profiler_kind)kind;
	definition.text = text;
	definition.text_len = (size_t)len;
	definition.file = file;
	definition.line = line;
	return PyLong_FromUnsignedLong(nx_profiler_define(&definition));
}

static PyObject *spans_ticks(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return PyLong_FromUnsignedLongLong(nx_profiler_ticks());
}

/* complete(defined name, start ticks, attributes=None): a span that ends now */
static PyObject *spans_complete(PyObject *self, PyObject *arguments)
{
	nx_attribute attributes[NX_PROFILER_MAX_ATTRIBUTES];
	uint64_t now = nx_profiler_ticks();
	PyObject *dict = NULL, *keep = NULL;
	unsigned long long start;
	Py_ssize_t count;
	unsigned name;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "IK|O", &name, &start, &dict))
		return NULL;
	count = nx_python_attributes(dict, attributes, &keep);
	if (count >= 0)
		nx_profiler_complete(name, start, now, attributes, (size_t)count);
	Py_XDECREF(keep);
	if (count < 0)
		return NULL;
	Py_RETURN_NONE;
}

/* instant(name, attributes=None) */
static PyObject *spans_instant(PyObject *self, PyObject *arguments)
{
	nx_attribute attributes[NX_PROFILER_MAX_ATTRIBUTES];
	PyObject *dict = NULL, *keep = NULL, *key;
	Py_ssize_t count;
	nx_name name;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "U|O", &key, &dict) || define_key(key, &name))
		return NULL;
	count = nx_python_attributes(dict, attributes, &keep);
	if (count >= 0)
		nx_profiler_instant(name, attributes, (size_t)count);
	Py_XDECREF(keep);
	if (count < 0)
		return NULL;
	Py_RETURN_NONE;
}

/* counter(name, value) */
static PyObject *spans_counter(PyObject *self, PyObject *arguments)
{
	PyObject *key;
	nx_name name;
	double value;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "Ud", &key, &value) || define_key(key, &name))
		return NULL;
	nx_profiler_counter(name, value);
	Py_RETURN_NONE;
}

static PyObject *spans_thread_name(PyObject *self, PyObject *arguments)
{
	const char *name;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "z", &name))
		return NULL;
	nx_profiler_thread_name(name);
	Py_RETURN_NONE;
}

static PyObject *spans_new_flow(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return PyLong_FromUnsignedLongLong(nx_profiler_new_flow());
}

static PyObject *spans_flow(PyObject *self, PyObject *arguments)
{
	unsigned long long flow;
	int is_out;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "Kp", &flow, &is_out))
		return NULL;
	if (is_out)
		nx_profiler_flow_out(flow);
	else
		nx_profiler_flow_in(flow);
	Py_RETURN_NONE;
}

/* --- TraceAnnotation and StepTraceAnnotation: context managers without Python frames ------------
 */

struct annotation {
	PyObject_HEAD PyObject *name, *attributes;
	nx_span span;
	long long step_num;
	bool is_step, has_step_num;
};

static int annotation_init(PyObject *object, PyObject *arguments, PyObject *keywords)
{
	struct annotation *self = (struct annotation *)object;
	PyObject *name = NULL, *number;

	if (!PyArg_ParseTuple(arguments, "U", &name))
		return -1;
	Py_XDECREF(self->name);
	Py_XDECREF(self->attributes);
	Py_INCREF(name);
	self->name = name;
	self->attributes = NULL;
	self->has_step_num = false;
	if (keywords && PyDict_Size(keywords) > 0) {
		self->attributes = PyDict_Copy(keywords);
		if (!self->attributes)
			return -1;
	}
	number = self->is_step && self->attributes
			 ? PyDict_GetItemString(self->attributes, "step_num")
			 : NULL;
	if (number) {
		self->step_num = PyLong_AsLongLong(number);
		if (self->step_num == -1 && PyErr_Occurred())
			return -1;
		self->has_step_num = true;
		return PyDict_DelItemString(self->attributes, "step_num");
	}
	return 0;
}

static int step_init(PyObject *object, PyObject *arguments, PyObject *keywords)
{
	((struct annotation *)object)->is_step = true;
	return annotation_init(object, arguments, keywords);
}

static void annotation_free(PyObject *object)
{
	struct annotation *self = (struct annotation *)object;
	PyTypeObject *type = Py_TYPE(object);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	Py_XDECREF(self->name);
	Py_XDECREF(self->attributes);
	release(object);
	Py_DECREF(type);
}

static int begin_annotation(struct annotation *self)
{
	nx_attribute attributes[NX_PROFILER_MAX_ATTRIBUTES];
	PyObject *keep = NULL;
	Py_ssize_t count, len;
	const char *text;
	nx_name name;

	count = nx_python_attributes(self->attributes, attributes, &keep);
	text = count < 0 ? NULL : borrow_text(self->name, &keep, &len);
	if (text && self->is_step) {
		nx_profiler_definition definition = {.struct_size = sizeof(definition),
						     .kind = NX_PROFILER_STEP,
						     .text = text,
						     .text_len = (size_t)len};

		name = nx_profiler_define(&definition);
		self->span = self->has_step_num
				     ? nx_profiler_step_begin_with(name, self->step_num, attributes,
								   (size_t)count)
				     : nx_profiler_begin_with(name, attributes, (size_t)count);
	} else if (text) {
		self->span = nx_profiler_begin_text_with(NX_PROFILER_ANNOTATION, text, (size_t)len,
							 attributes, (size_t)count);
	}
	Py_XDECREF(keep);
	return text ? 0 : -1;
}

static PyObject *annotation_enter(PyObject *object, PyObject *unused)
{
	struct annotation *self = (struct annotation *)object;

	(void)unused;
	if (!self->name) {
		PyErr_SetString(PyExc_RuntimeError, "the annotation has no name: call __init__");
		return NULL;
	}
	if (nx_profiler_is_on() && begin_annotation(self))
		return NULL;
	Py_INCREF(object);
	return object;
}

static PyObject *annotation_exit(PyObject *object, PyObject *unused)
{
	struct annotation *self = (struct annotation *)object;

	(void)unused;
	nx_profiler_end(self->span);
	self->span = 0;
	Py_RETURN_NONE;
}

/* set_metadata(**attributes): adds to what the span will have; before it begins */
static PyObject *annotation_set(PyObject *object, PyObject *arguments, PyObject *keywords)
{
	struct annotation *self = (struct annotation *)object;

	if (!PyArg_ParseTuple(arguments, ""))
		return NULL;
	if (!self->attributes && !(self->attributes = PyDict_New()))
		return NULL;
	if (keywords && PyDict_Update(self->attributes, keywords))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *annotation_is_enabled(PyObject *type, PyObject *unused)
{
	(void)type;
	(void)unused;
	return PyBool_FromLong(nx_profiler_is_on());
}

static PyMethodDef annotation_methods[] = {
	{"__enter__", annotation_enter, METH_NOARGS, NULL},
	{"__exit__", annotation_exit, METH_VARARGS, NULL},
	{"set_metadata", (PyCFunction)(void (*)(void))annotation_set, METH_VARARGS | METH_KEYWORDS,
	 "Adds attributes to an annotation that has not begun."},
	{"is_enabled", annotation_is_enabled, METH_NOARGS | METH_STATIC,
	 "True while a session records annotations."},
	{NULL, NULL, 0, NULL},
};

static int add_annotation(PyObject *module, const char *name, initproc init, const char *doc)
{
	PyType_Slot slots[] = {
		{Py_tp_init, (void *)init},
		{Py_tp_dealloc, (void *)annotation_free},
		{Py_tp_methods, annotation_methods},
		{Py_tp_doc, (void *)doc},
		{0, NULL},
	};
	PyType_Spec spec = {.name = name,
			    .basicsize = sizeof(struct annotation),
			    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
			    .slots = slots};
	PyObject *type = PyType_FromSpec(&spec);
	int status;

	if (!type)
		return -1;
	status = PyModule_AddObjectRef(module, strrchr(name, '.') + 1, type);
	Py_DECREF(type);
	return status;
}

int nx_python_add_spans(PyObject *module)
{
	static PyMethodDef methods[] = {
		{"begin", spans_begin, METH_VARARGS, NULL},
		{"end", spans_end, METH_VARARGS, NULL},
		{"define", spans_define, METH_VARARGS, NULL},
		{"ticks", spans_ticks, METH_NOARGS, NULL},
		{"complete", spans_complete, METH_VARARGS, NULL},
		{"instant", spans_instant, METH_VARARGS, NULL},
		{"counter", spans_counter, METH_VARARGS, NULL},
		{"thread_name", spans_thread_name, METH_VARARGS, NULL},
		{"new_flow", spans_new_flow, METH_NOARGS, NULL},
		{"flow", spans_flow, METH_VARARGS, NULL},
		{NULL, NULL, 0, NULL},
	};

	if (add_annotation(module, "neuron_explorer._native.TraceAnnotation", annotation_init,
			   "A named span: `with TraceAnnotation('load', batch=3): ...`") ||
	    add_annotation(module, "neuron_explorer._native.StepTraceAnnotation", step_init,
			   "A step: `with StepTraceAnnotation('train', step_num=3): ...`"))
		return -1;
	return PyModule_AddFunctions(module, methods);
}
