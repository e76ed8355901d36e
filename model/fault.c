/* SPDX-License-Identifier: Apache-2.0 */
#include "model/rows.h"

const char *nx_fault_name(const struct nx_fault *row)
{
	static const char *const errors[] = {
		"floating point underflow", "not a number",	     "infinity",
		"floating point overflow",  "memory error",	     "injected error",
		"semaphore error",	    "event error",	     "PSUM collision",
		"sequencer error",	    "fatal sequencer error",
	};
	static const char *const hints[] = {
		[2] = "inference start",  [3] = "inference end",  [6] = "custom notification",
		[7] = "collective start", [8] = "collective end",
	};

	if (row->kind == NX_FAULT_ERROR)
		return row->id < sizeof(errors) / sizeof(errors[0]) ? errors[row->id]
								    : "unknown error";
	if (row->kind == NX_FAULT_WARNING)
		return "hardware warning";
	if (row->id < sizeof(hints) / sizeof(hints[0]) && hints[row->id])
		return hints[row->id];
	return "notification";
}
