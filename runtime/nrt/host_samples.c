/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/host_samples.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Columns of a line of /proc/stat. */
enum { COLUMN_IDLE = 3, COLUMN_IOWAIT = 4, COLUMN_STEAL = 7, COLUMNS = 8 };
static_assert(COLUMNS == COLUMN_STEAL + 1, "columns up to steal are read");

bool nx_host_read_file(const char *path, char *text, size_t cap)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t len;

	assert(cap > 0);
	if (fd < 0)
		return false;
	while (used < cap - 1 && (len = read(fd, text + used, cap - 1 - used)) > 0)
		used += (size_t)len;
	close(fd);
	text[used] = '\0';
	return used > 0;
}

static const char *read_number(const char *at, uint64_t *value)
{
	*value = 0;
	while (*at == ' ')
		at++;
	if (*at < '0' || *at > '9')
		return NULL;
	for (; *at >= '0' && *at <= '9'; at++)
		*value = *value * 10 + (uint64_t)(*at - '0');
	return at;
}

/* "cpu3 user nice system idle iowait irq softirq steal ..."; guests are part of user. */
static const char *read_cpu(const char *at, uint64_t *cpu, uint64_t *busy, uint64_t *total)
{
	uint64_t value;

	*busy = *total = 0;
	at = read_number(at + 3, cpu);
	for (int column = 0; at && column < COLUMNS; column++) {
		at = read_number(at, &value);
		*total += value;
		if (column != COLUMN_IDLE && column != COLUMN_IOWAIT)
			*busy += value;
	}
	return at;
}

static float percent(const struct nx_host_samples *samples, uint64_t cpu, uint64_t busy,
		     uint64_t total)
{
	uint64_t busy_step = busy - samples->busy[cpu], step = total - samples->total[cpu];

	/* Counters of /proc have been seen to run backwards a little. */
	if (!samples->is_known[cpu] || total <= samples->total[cpu] || busy < samples->busy[cpu])
		return 0;
	return busy_step >= step ? 100.0f : (float)(100.0 * (double)busy_step / (double)step);
}

void nx_host_samples_cpu(struct nx_host_samples *samples, const char *text, uint64_t now_ns,
			 struct nx_bytes *out)
{
	uint64_t cpu, busy, total;

	samples->cpu_ticks++;
	for (const char *line = text; line; line = strchr(line, '\n')) {
		struct nx_ntrace_cpu record;

		line += *line == '\n';
		if (strncmp(line, "cpu", 3) != 0 || line[3] == ' ')
			continue;
		if (!read_cpu(line, &cpu, &busy, &total) || cpu >= NX_HOST_MAX_CPUS)
			continue;
		record = (struct nx_ntrace_cpu){percent(samples, cpu, busy, total), now_ns, cpu};
		nx_ntrace_append(out, &nx_ntrace_cpu_message, &record);
		samples->busy[cpu] = busy;
		samples->total[cpu] = total;
		samples->is_known[cpu] = true;
	}
}

void nx_host_samples_memory(struct nx_host_samples *samples, const char *text, uint64_t now_ns,
			    struct nx_bytes *out)
{
	long page_bytes = sysconf(_SC_PAGESIZE);
	struct nx_ntrace_memory record = {.timestamp_ns = now_ns};
	uint64_t pages;

	if (!read_number(text, &pages))
		return;
	record.usage_bytes = pages * (uint64_t)(page_bytes > 0 ? page_bytes : 4096);
	samples->memory_ticks++;
	nx_ntrace_append(out, &nx_ntrace_memory_message, &record);
}

static void read_cpu_name(struct nx_host_facts *facts)
{
	char text[8192];
	const char *found = nx_host_read_file("/proc/cpuinfo", text, sizeof(text))
				    ? strstr(text, "model name")
				    : NULL;
	const char *colon = found ? strchr(found, ':') : NULL;

	if (colon)
		snprintf(facts->cpu_name, sizeof(facts->cpu_name), "%.*s",
			 (int)strcspn(colon + 2, "\n"), colon + 2);
}

void nx_host_facts_read(struct nx_host_facts *facts)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES);
	long page_bytes = sysconf(_SC_PAGESIZE);

	memset(facts, 0, sizeof(*facts));
	facts->cpu_count = cpus > 0 ? (uint64_t)cpus : 1;
	if (pages > 0 && page_bytes > 0)
		facts->memory_bytes = (uint64_t)pages * (uint64_t)page_bytes;
	read_cpu_name(facts);
}
