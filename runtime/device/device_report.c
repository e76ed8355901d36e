/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device/device_report.h"

const char *nx_fault_kind_text(enum nx_device_fault_kind kind)
{
	static const char *const texts[] = {
#define NX_FAULT_TEXT(name, text) text,
		NX_FAULT_MAP(NX_FAULT_TEXT)
#undef NX_FAULT_TEXT
	};

	return (unsigned)kind < NX_FAULT_KIND_COUNT ? texts[kind] : "";
}

void nx_device_report_add(struct nx_device_report *report, const struct nx_device_fault *fault)
{
	report->fault_counts[fault->kind]++;
	if (report->fault_count < NX_FAULT_KEPT)
		report->faults[report->fault_count++] = *fault;
}
