/* SPDX-License-Identifier: Apache-2.0 */
/* module: the entry point of neuron_explorer._native. */
#include "python/native/native.h"

static int fill_module(PyObject *module)
{
	if (nx_python_add_session(module) || nx_python_add_spans(module) ||
	    nx_python_add_calls(module) || nx_python_add_call_events(module) ||
	    nx_python_add_runtime(module) || nx_python_add_continuous(module))
		return -1;
	return 0;
}

PyMODINIT_FUNC PyInit__native(void);

PyMODINIT_FUNC PyInit__native(void)
{
	static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)fill_module}, {0, NULL}};
	static struct PyModuleDef definition = {
		.m_base = PyModuleDef_HEAD_INIT,
		.m_name = "neuron_explorer._native",
		.m_doc = "The C half of neuron_explorer; use its Python modules instead.",
		.m_slots = slots,
	};

	return PyModuleDef_Init(&definition);
}
