/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

static struct nx_quantity scaled(double value, double step, const char *const *units, size_t count)
{
	struct nx_quantity q;
	size_t i = 0;

	/* rounding to four digits must not show 1000 of the smaller unit */
	while (i + 1 < count && fabs(value) >= step * 0.99995) {
		value /= step;
		i++;
	}
	snprintf(q.text, sizeof(q.text), fabs(value) >= 1000 ? "%.0f %s" : "%.4g %s", value,
		 units[i]);
	return q;
}

static struct nx_quantity from_seconds(double s)
{
	static const char *const units[] = {"ps", "ns", "µs", "ms", "s"};

	return s != 0 ? scaled(s * 1e12, 1000, units, 5) : (struct nx_quantity){"0 s"};
}

static struct nx_quantity from_bytes(double bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};

	return scaled(bytes, 1024, units, 6);
}

static struct nx_quantity from_flops(double flops)
{
	static const char *const units[] = {"flop", "kflop", "Mflop", "Gflop", "Tflop", "Pflop"};

	return scaled(flops, 1000, units, 6);
}

static struct nx_quantity from_number(double value)
{
	struct nx_quantity q;

	snprintf(q.text, sizeof(q.text), "%.6g", value);
	return q;
}

struct nx_quantity nx_quantity_ps(uint64_t ps)
{
	return from_seconds((double)ps / 1e12);
}

struct nx_quantity nx_quantity_count(uint64_t count)
{
	char digits[NX_NUMBER_MAX];
	size_t len = nx_format_u64(digits, count), used = 0;
	struct nx_quantity q;

	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			q.text[used++] = ',';
		q.text[used++] = digits[i];
	}
	q.text[used] = 0;
	return q;
}

struct nx_quantity nx_quantity_percent(double frac)
{
	struct nx_quantity q;
	double percent = frac * 100;

	if (percent > 0 && percent < 0.05)
		snprintf(q.text, sizeof(q.text), "< 0.1 %%");
	else
		snprintf(q.text, sizeof(q.text), percent < 1000 ? "%.1f %%" : "%.3g %%", percent);
	return q;
}

struct nx_quantity nx_quantity_metric(const struct nx_metric *metric, const char *unit)
{
	bool is_count = metric->kind == NX_METRIC_COUNT;
	double value = is_count ? (double)metric->count : metric->number;

	if (!strcmp(unit, "s"))
		return from_seconds(value);
	if (!strcmp(unit, "ns"))
		return from_seconds(value / 1e9);
	if (!strcmp(unit, "bytes"))
		return from_bytes(value);
	if (!strcmp(unit, "flop"))
		return from_flops(value);
	if (!strcmp(unit, "fraction"))
		return nx_quantity_percent(value);
	return is_count ? nx_quantity_count(metric->count) : from_number(value);
}
