/* SPDX-License-Identifier: Apache-2.0 */
/* status: the one list of ways in which a call can fail; exit codes and HTTP codes derive from it.
 */
#ifndef NX_BASE_BARE_STATUS_H
#define NX_BASE_BARE_STATUS_H

/* X(name, exit code, what it means to a user) */
#define NX_STATUS_MAP(X)                                                                           \
	X(OK, 0, "success")                                                                        \
	X(USAGE, 2, "invalid command line")                                                        \
	X(NOT_FOUND, 3, "a file, profile or name does not exist")                                  \
	X(PERMISSION, 4, "permission denied")                                                      \
	X(FORMAT, 5, "a file is damaged or has another format")                                    \
	X(VERSION, 6, "a file has a version that is not supported")                                \
	X(MISMATCH, 7, "two files do not match, or a name is taken")                               \
	X(IO, 8, "reading or writing failed")                                                      \
	X(NO_SPACE, 9, "the disk is full")                                                         \
	X(LIMIT, 10, "a limit was exceeded")                                                       \
	X(UNSUPPORTED, 11, "not supported by this build")                                          \
	X(CANCELLED, 130, "interrupted, for example by ctrl-c")

enum nx_status {
#define NX_STATUS_ENUM(name, exit_code, text) NX_##name,
	NX_STATUS_MAP(NX_STATUS_ENUM)
#undef NX_STATUS_ENUM
};

#if defined(__GNUC__)
#define NX_MUST_CHECK __attribute__((warn_unused_result))
#define NX_PRINTF(fmt_index, first_arg) __attribute__((format(printf, fmt_index, first_arg)))
#else
#define NX_MUST_CHECK
#define NX_PRINTF(fmt_index, first_arg)
#endif

#endif
