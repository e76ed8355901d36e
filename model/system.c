/* SPDX-License-Identifier: Apache-2.0 */
#include "model/system.h"

const char *nx_event_source_name(enum nx_event_source source)
{
	switch (source) {
	case NX_SOURCE_HARDWARE:
		return "neuron_hw";
	case NX_SOURCE_FRAMEWORK:
		return "framework";
	default:
		return "neuron_rt";
	}
}

enum nx_status nx_system_scan(const struct nx_system_profile *profile, enum nx_system_table table,
			      nx_row_fn fn, void *context, struct nx_error *err)
{
	return profile->source.scan(profile->source.context, table, fn, context, err);
}

enum nx_status nx_system_scan_process(const struct nx_system_profile *profile, uint32_t process,
				      nx_row_fn fn, void *context, struct nx_error *err)
{
	return profile->source.scan_process(profile->source.context, process, fn, context, err);
}

size_t nx_system_attributes(const struct nx_system_profile *profile,
			    const struct nx_system_event *event, struct nx_event_attribute *out,
			    size_t cap)
{
	return profile->source.attributes(profile->source.context, event, out, cap);
}

struct nx_slice nx_system_interned(const struct nx_system_profile *profile, uint32_t process,
				   uint64_t id)
{
	return profile->source.interned(profile->source.context, process, id);
}

const char *nx_system_event_name(const struct nx_system_profile *profile,
				 const struct nx_system_event *event)
{
	const struct nx_system_process *process = &profile->processes[event->process];

	return event->name < process->name_count ? process->names[event->name] : "unknown";
}

void nx_system_warn(struct nx_system_profile *profile, const char *category, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	nx_warnings_add(&profile->warnings, &profile->arena, category, fmt, args);
	va_end(args);
}
