/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that were called: found by their code's address, named once, recorded or not. */
#include <stdio.h>
#include <string.h>

#include "python/native/calls.h"

enum {
	MAX_FUNCTIONS = 1 << 16, /* further ones share a name */
	MAX_MODULES = 64,	 /* of a list to include or exclude */
	CHUNK = 512,
};

struct chunk {
	struct chunk *next;
	struct nx_python_function functions[CHUNK];
};

struct module_list {
	unsigned count;
	char names[MAX_MODULES][64];
};

static struct {
	struct module_list include, exclude;
	char folder[4096]; /* relative file names begin here */
	struct nx_python_function **slots;
	size_t slot_count; /* a power of two */
	unsigned function_count;
	struct chunk *chunks;
	struct nx_python_function others;
} table;

/* --- the table ----------------------------------------------------------------------------------
 */

static size_t slot_of(const void *key)
{
	return (((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u) >> 32 & (table.slot_count - 1);
}

struct nx_python_function *nx_python_function_find(const void *key)
{
	size_t at = slot_of(key);

	while (table.slots[at] && table.slots[at]->key != key)
		at = (at + 1) & (table.slot_count - 1);
	return table.slots[at];
}

static bool grow(void)
{
	size_t old_count = table.slot_count;
	struct nx_python_function **old = table.slots;

	table.slot_count = old_count ? 2 * old_count : 4096;
	table.slots = PyMem_Calloc(table.slot_count, sizeof(*table.slots));
	if (!table.slots) {
		table.slots = old;
		table.slot_count = old_count;
		return false;
	}
	for (size_t i = 0; old && i < old_count; i++) {
		size_t at = old[i] ? slot_of(old[i]->key) : 0;

		if (!old[i])
			continue;
		while (table.slots[at])
			at = (at + 1) & (table.slot_count - 1);
		table.slots[at] = old[i];
	}
	PyMem_Free(old);
	return true;
}

static struct nx_python_function *insert(const void *key, PyObject *owner)
{
	unsigned in_chunk = table.function_count % CHUNK;
	struct nx_python_function *function;
	size_t at;

	if (table.function_count == MAX_FUNCTIONS)
		return NULL;
	if (table.function_count * 2 >= table.slot_count && !grow())
		return NULL;
	if (!in_chunk) {
		struct chunk *chunk = PyMem_Calloc(1, sizeof(*chunk));

		if (!chunk)
			return NULL;
		chunk->next = table.chunks;
		table.chunks = chunk;
	}
	function = &table.chunks->functions[in_chunk];
	table.function_count++;
	function->key = key;
	function->owner = owner;
	Py_INCREF(owner);
	for (at = slot_of(key); table.slots[at]; at = (at + 1) & (table.slot_count - 1))
		;
	table.slots[at] = function;
	return function;
}

void nx_python_functions_release(void)
{
	struct chunk *chunks = table.chunks;
	unsigned left = table.function_count;

	PyMem_Free(table.slots);
	table.slots = NULL;
	table.slot_count = table.function_count = 0;
	table.chunks = NULL;
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

struct nx_python_function *nx_python_function_or_others(const void *key)
{
	struct nx_python_function *function = nx_python_function_find(key);

	return function ? function : &table.others;
}

/* --- names -------------------------------------------------------------------------------------
 */

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
	return !has_module(&table.exclude, module) &&
	       (!table.include.count || has_module(&table.include, module));
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

static void define(struct nx_python_function *function, const char *module, const char *name,
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
		bool is_whole = *file == '/' || *file == '<' || !*table.folder;

		snprintf(path, sizeof(path), "%s%s%s", is_whole ? "" : table.folder,
			 is_whole ? "" : "/", file);
		definition.file = path;
	}
	function->is_recorded = is_wanted(module);
	if (function->is_recorded)
		function->name = nx_profiler_define(&definition);
}

struct nx_python_function *nx_python_function_of_code(PyObject *code, PyObject *globals)
{
	char module[256] = "", name[300], file[4096];
	PyObject *value, *type, *error, *trace;
	struct nx_python_function *function = insert(code, code);
	uint32_t line = 0;

	if (!function)
		return &table.others;
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

struct nx_python_function *nx_python_function_of_builtin(PyObject *callable, const void *key)
{
	char module[256], name[300];
	PyObject *type, *error, *trace, *class;
	struct nx_python_function *function = insert(key, callable);

	if (!function)
		return &table.others;
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

const void *nx_python_builtin_key(PyObject *callable)
{
	PyObject *self;

	if (!PyCFunction_Check(callable))
		return callable;
	self = PyCFunction_GetSelf(callable);
	if (!self || PyModule_Check(self) || PyCapsule_CheckExact(self))
		return callable;
	return (const void *)(uintptr_t)PyCFunction_GetFunction(callable);
}

/* --- a session ----------------------------------------------------------------------------------
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

int nx_python_functions_begin(PyObject *include, PyObject *exclude, const char *folder)
{
	nx_profiler_definition definition = {.struct_size = sizeof(definition),
					     .kind = NX_PROFILER_PYTHON,
					     .text = "(further functions)",
					     .text_len = SIZE_MAX};

	if (read_modules(include, &table.include) || read_modules(exclude, &table.exclude))
		return -1;
	if (!table.slots && !grow()) {
		PyErr_NoMemory();
		return -1;
	}
	snprintf(table.folder, sizeof(table.folder), "%s", folder);
	table.others.key = &table.others;
	table.others.is_recorded = true;
	table.others.name = nx_profiler_define(&definition);
	return 0;
}

unsigned nx_python_functions_count(void)
{
	return table.function_count;
}
