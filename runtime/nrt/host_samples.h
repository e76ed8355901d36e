/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_samples: CPU utilisation of the host and memory of the process.
 *
 * Each session has its own struct. The first sample has nothing to compare with
 * and reports 0, as real files do. Appends records of cpu_util.pb and host_mem.pb.
 */
#ifndef NX_RUNTIME_NRT_HOST_SAMPLES_H
#define NX_RUNTIME_NRT_HOST_SAMPLES_H

#include "format/ntrace.h"

#define NX_HOST_MAX_CPUS 1024

struct nx_host_samples {
	uint64_t busy[NX_HOST_MAX_CPUS],
		total[NX_HOST_MAX_CPUS]; /* at the last sample, in jiffies */
	bool is_known[NX_HOST_MAX_CPUS];
	uint64_t cpu_ticks, memory_ticks;
};

/* text is the contents of /proc/stat. Appends one record per processor. */
void nx_host_samples_cpu(struct nx_host_samples *samples, const char *text, uint64_t now_ns,
			 struct nx_bytes *out);
/* text is the contents of /proc/self/statm. */
void nx_host_samples_memory(struct nx_host_samples *samples, const char *text, uint64_t now_ns,
			    struct nx_bytes *out);

/* Reads a file of /proc and terminates it with NUL; false if it cannot be read. */
bool nx_host_read_file(const char *path, char *text, size_t cap);

struct nx_host_facts {
	uint64_t cpu_count;
	char cpu_name[128];
	uint64_t memory_bytes;
};
void nx_host_facts_read(struct nx_host_facts *facts);

#endif
