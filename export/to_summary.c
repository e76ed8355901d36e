/* SPDX-License-Identifier: Apache-2.0 */
/* The summary alone: JSON for programs, a two-column table for people and grep. */
#include <assert.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/number.h"
#include "export/exporters.h"
#include "export/json_sections.h"
#include "export/memory_report.h"

enum nx_status nx_export_summary_json(const struct nx_profile *profile,
				      const struct nx_export_options *options,
				      struct nx_output *out, struct nx_error *err)
{
	struct nx_json_writer w;
	char key[NX_PROFILE_KEY_MAX];

	(void)err;
	nx_profile_key(profile, key);
	nx_json_init_output(&w, out, options->pretty);
	nx_json_begin_object(&w);
	nx_json_key(&w, key);
	nx_json_summary_alone(&w, profile);
	/* a member of its own: readers that expect a metric only find numbers and texts */
	if (profile->memory) {
		nx_json_key(&w, "memory_peak");
		nx_memory_report_json(&w, profile);
	}
	nx_json_end_object(&w);
	nx_output_write(out, "\n", 1);
	return NX_OK;
}

static void write_line(struct nx_output *out, size_t width, const char *name, const char *value,
		       size_t value_len)
{
	static const char spaces[128] = {[0 ... 126] = ' '};
	size_t name_len = strlen(name), gap = width + 2 - name_len;

	assert(name_len <= width);
	nx_output_write(out, name, name_len);
	nx_output_write(out, spaces, gap < sizeof(spaces) ? gap : sizeof(spaces) - 1);
	nx_output_write(out, value, value_len);
	nx_output_write(out, "\n", 1);
}

static void write_metric(struct nx_output *out, size_t width, const struct nx_metric *m)
{
	char number[NX_NUMBER_MAX];
	size_t len;

	switch (m->kind) {
	case NX_METRIC_COUNT:
		len = nx_format_u64(number, m->count);
		break;
	case NX_METRIC_NUMBER:
		len = nx_format_f64(number, m->number);
		break;
	default:
		write_line(out, width, m->name, m->text, strlen(m->text));
		return;
	}
	write_line(out, width, m->name, number, len);
}

enum nx_status nx_export_summary_text(const struct nx_profile *profile,
				      const struct nx_export_options *options,
				      struct nx_output *out, struct nx_error *err)
{
	static const char simulated[] = "true: the times come from a simulator, not from a device";
	static const char version[] = "profiler_version";
	size_t width = strlen(version), i = 0;

	(void)options, (void)err;
	for (size_t k = 0; k < profile->metrics.len; k++)
		if (strlen(profile->metrics.items[k].name) > width)
			width = strlen(profile->metrics.items[k].name);
	if (profile->capture.is_simulation)
		write_line(out, width, "is_simulation", simulated, strlen(simulated));
	/* metrics are sorted by name, and the version is one of them */
	for (; i < profile->metrics.len && strcmp(profile->metrics.items[i].name, version) <= 0;
	     i++)
		write_metric(out, width, &profile->metrics.items[i]);
	write_line(out, width, version, NX_PRODUCT_VERSION, strlen(NX_PRODUCT_VERSION));
	for (; i < profile->metrics.len; i++)
		write_metric(out, width, &profile->metrics.items[i]);
	if (profile->memory)
		nx_memory_report_text(out, profile);
	return NX_OK;
}
