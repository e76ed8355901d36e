/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_folders: finds traced processes, device captures, NEFFs, framework traces and XSpaces in
 * an output directory, at any depth, in a stable order. A trace or an XSpace may also be given
 * itself. In a directory without any of these, other JSON files that begin as traces are framework
 * traces.
 *
 * A process is a folder with at least one file of a system trace; its name
 * (`<instance>_pid_<pid>`) may be that of a folder above it. Symbolic links are followed only to
 * files inside the directory.
 */
#ifndef NX_PIPELINE_CAPTURE_FOLDERS_H
#define NX_PIPELINE_CAPTURE_FOLDERS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

struct nx_found_file {
	const char *path;
	const char *folder; /* the folder it lies in */
	const char *name;
	uint64_t size_bytes;
};

struct nx_found_files NX_VEC_BODY(struct nx_found_file);

struct nx_found_process {
	const char *folder;
	const char *name;					      /* "i-0123_pid_45" */
	const char *info_path, *events_path, *cpu_path, *memory_path; /* NULL when absent */
	const char *spans_path;
};

struct nx_found_processes NX_VEC_BODY(struct nx_found_process);

struct nx_capture_folders {
	const char *path;
	struct nx_found_processes processes;
	struct nx_found_files sessions;	  /* *.ntff */
	struct nx_found_files neffs;	  /* *.neff */
	struct nx_found_files frameworks; /* trace.json, *.pt.trace.json, …, plain or gzipped */
	struct nx_found_files xspaces;	  /* *.xplane.pb */
	uint64_t unreadable_count;	  /* folders the system would not open */
	uint64_t outside_link_count;	  /* links that lead out of the directory */
};

NX_MUST_CHECK enum nx_status nx_capture_folders_find(struct nx_capture_folders *found,
						     const char *path, struct nx_arena *arena,
						     struct nx_error *err);
void nx_capture_folders_release(struct nx_capture_folders *found);

#endif
