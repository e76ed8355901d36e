/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NEURON_PROFILER_CONTINUOUS and the variables beside it: continuous recording without a change of
 * the program. Read when the library is loaded, which our libnrt.so.1 does if the variable is set.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/profiler/profiler_internal.h"

#define SWITCH "NEURON_PROFILER_CONTINUOUS"
#define LIMIT_SECONDS UINT64_C(86400000) /* 1,000 days */

void nx_profiler_complain(const char *variable, const char *sentence)
{
	char line[512];
	int len = snprintf(line, sizeof(line), "%s: %s\n", variable, sentence);
	size_t rest = len < 0 ? 0 : (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1;

	if (write(STDERR_FILENO, line, rest) < 0)
		return;
}

/* "2.5" is 2500. */
static bool parse_thousandths(struct nx_slice text, uint64_t *out)
{
	uint64_t whole = 0, part = 0, unit = 1000;
	size_t i = 0;

	for (; i < text.len && text.data[i] >= '0' && text.data[i] <= '9'; i++)
		if ((whole = whole * 10 + text.data[i] - '0') > LIMIT_SECONDS)
			return false;
	if (i && i < text.len && text.data[i] == '.')
		for (i++; i < text.len && text.data[i] >= '0' && text.data[i] <= '9'; i++)
			part += (unit /= 10) * (uint64_t)(text.data[i] - '0');
	*out = whole * 1000 + part;
	return i && i == text.len;
}

/* "64M" is 64 MiB. */
static bool parse_bytes(struct nx_slice text, uint64_t *out)
{
	static const char units[] = "KMGT";
	const char *unit = text.len ? strchr(units, text.data[text.len - 1] & ~0x20) : NULL;
	unsigned shift = unit && *unit ? 10 * (unsigned)(unit - units + 1) : 0;

	if (shift)
		text.len--;
	if (!text.len || !nx_slice_to_u64(text, out) || *out > UINT64_MAX >> shift)
		return false;
	*out <<= shift;
	return true;
}

static bool parse_signal(struct nx_slice text, uint64_t *out)
{
	static const struct {
		const char *name;
		int number;
	} names[] = {{"USR1", SIGUSR1}, {"USR2", SIGUSR2},   {"HUP", SIGHUP},
		     {"PROF", SIGPROF}, {"WINCH", SIGWINCH}, {"CONT", SIGCONT}};

	if (nx_slice_starts(text, "SIG"))
		text = nx_slice_part(text, 3, text.len);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (nx_slice_is(text, names[i].name)) {
			*out = (uint64_t)names[i].number;
			return true;
		}
	return text.len && nx_slice_to_u64(text, out) && *out > 0 && *out < 65;
}

static bool parse_switch(struct nx_slice text, uint64_t *out)
{
	*out = nx_slice_is(text, "1") || nx_slice_is(text, "true");
	return *out || nx_slice_is(text, "0") || nx_slice_is(text, "false");
}

static bool parse_count(struct nx_slice text, uint64_t *out)
{
	return text.len && nx_slice_to_u64(text, out);
}

/* Leaves *out as it is if the variable is not set, or wrong. */
static void read_variable(const char *variable, bool (*parse)(struct nx_slice, uint64_t *),
			  const char *example, uint64_t *out)
{
	const char *text = getenv(variable);
	char sentence[256];
	uint64_t value;

	if (!text || !*text)
		return;
	if (parse(nx_slice_text(text), &value)) {
		*out = value;
		return;
	}
	snprintf(sentence, sizeof(sentence),
		 "\"%.60s\" is not valid and is ignored; write it like %s", text, example);
	nx_profiler_complain(variable, sentence);
}

static void read_options(nx_profiler_continuous_options *options)
{
	uint64_t factor = 0, number = 0, on_error = 0, with_device = options->with_device;

	options->output_dir = getenv(SWITCH "_OUTPUT");
	options->cores = getenv(SWITCH "_CORES");
	read_variable(SWITCH "_BUDGET", parse_bytes, "64M", &options->budget_bytes);
	read_variable(SWITCH "_HORIZON", parse_thousandths, "60 (seconds)", &options->horizon_ms);
	read_variable(SWITCH "_DEVICE", parse_switch, "1 or 0", &with_device);
	read_variable("NEURON_PROFILER_SNAPSHOT_SIGNAL", parse_signal, "USR2", &number);
	read_variable("NEURON_PROFILER_SNAPSHOT_SLOW_STEP", parse_thousandths, "1.5", &factor);
	read_variable("NEURON_PROFILER_SNAPSHOT_ON_ERROR", parse_switch, "1 or 0", &on_error);
	read_variable("NEURON_PROFILER_SNAPSHOT_DEVICE_MEMORY", parse_bytes, "20G",
		      &options->device_memory_bytes);
	read_variable("NEURON_PROFILER_SNAPSHOT_COLLECTIVE_TIMEOUT", parse_thousandths,
		      "30 (seconds)", &options->collective_timeout_ms);
	read_variable("NEURON_PROFILER_SNAPSHOT_INTERVAL", parse_thousandths, "60 (seconds)",
		      &options->min_interval_ms);
	read_variable("NEURON_PROFILER_SNAPSHOT_MAX", parse_count, "100", &options->max_snapshots);
	options->with_device = with_device != 0;
	options->signal_number = (int)number;
	options->slow_step_factor = (double)factor / 1000;
	options->on_error = on_error != 0;
}

static void __attribute__((constructor)) start_from_environment(void)
{
	nx_profiler_continuous_options options = nx_profiler_continuous_options_default();
	uint64_t is_on = 0;

	read_variable(SWITCH, parse_switch, "1 or 0", &is_on);
	if (!is_on)
		return;
	read_options(&options);
	if (nx_profiler_continuous_start(&options))
		nx_profiler_complain(SWITCH, nx_profiler_error());
}
