/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_folder: the name of the folder with the captures of one process,
 * "<instance>_pid_<pid>". The runtime writes such folders.
 */
#ifndef NX_FORMAT_PROCESS_FOLDER_H
#define NX_FORMAT_PROCESS_FOLDER_H

#include "base/bare/slice.h"

/* An empty file in it says that the disk was full, so that something is missing. */
#define NX_PROCESS_DISK_FULL ".disk_full"

/* A folder in it with such a name is being written, or its writer was killed. */
#define NX_PROCESS_UNFINISHED ".unfinished_"

/* For printf: the instance as text, then the pid. */
#define NX_PROCESS_FOLDER "%s_pid_%d"

/* False if the name has another form. The instance borrows from the name. */
bool nx_process_folder_parse(struct nx_slice name, struct nx_slice *instance, uint64_t *pid);

#endif
