/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_file: session.json, which describes a session in <logdir>/plugins/profile/<session>/:
 * why and when it was captured, from which hosts, and which files each of them gave.
 *
 * Times and offsets are JSON texts, because JSON numbers lose digits beyond 2^53. Unknown members
 * are ignored, so that later versions may add some. docs/formats/session.md has an example.
 */
#ifndef NX_FORMAT_SESSION_FILE_H
#define NX_FORMAT_SESSION_FILE_H

#include "base/arena.h"
#include "base/bare/slice.h"
#include "base/error.h"
#include "base/vec.h"

#define NX_SESSION_FILE "session.json"
#define NX_SESSION_FILE_VERSION 1

/* X(name, its text) */
#define NX_SESSION_KIND_MAP(X)                                                                     \
	X(PROGRAMMATIC, "programmatic") /* the program started and stopped it */                   \
	X(ON_DEMAND, "on_demand")	/* requested from outside, for some time */                \
	X(SNAPSHOT, "snapshot")		/* what continuous recording kept */

enum nx_session_kind {
#define NX_SESSION_KIND_ENUM(name, text) NX_SESSION_##name,
	NX_SESSION_KIND_MAP(NX_SESSION_KIND_ENUM)
#undef NX_SESSION_KIND_ENUM
		NX_SESSION_KIND_COUNT
};

#define NX_SESSION_HOST_MAP(X)                                                                     \
	X(CAPTURED, "captured")	  /* its files are here */                                         \
	X(EMPTY, "empty")	  /* it recorded no event */                                       \
	X(ELSEWHERE, "elsewhere") /* it saved its files on its own disk; failure says where */     \
	X(FAILED, "failed")	  /* failure says why */

enum nx_session_host_state {
#define NX_SESSION_HOST_ENUM(name, text) NX_SESSION_HOST_##name,
	NX_SESSION_HOST_MAP(NX_SESSION_HOST_ENUM)
#undef NX_SESSION_HOST_ENUM
		NX_SESSION_HOST_STATE_COUNT
};

struct nx_session_host {
	const char *address; /* as it was given: "host:port", "[::1]:9012" */
	enum nx_session_host_state state;
	const char *failure;	       /* a sentence; NULL: none */
	bool has_clock;		       /* the next two are known */
	int64_t clock_offset_ns;       /* its clock minus the clock of the machine that captured */
	uint64_t clock_uncertainty_ns; /* the offset is right to within this */
	const char *const *files;      /* in the session's folder; those of folders end with '/' */
	size_t file_count;
};

struct nx_session_file {
	enum nx_session_kind kind;
	const char *name;	       /* of the session's folder */
	const char *reason;	       /* what triggered it; NULL: nothing is known */
	uint64_t started_ns, ended_ns; /* epoch, on the clock of the machine that captured; 0:
					  unknown */
	const struct nx_session_host *hosts;
	size_t host_count;
};

const char *nx_session_kind_text(enum nx_session_kind kind);
const char *nx_session_host_state_text(enum nx_session_host_state state);

void nx_session_file_encode(const struct nx_session_file *session, struct nx_bytes *out);

/*
 * The arena keeps the texts; those without escapes borrow from the input. FORMAT if it is not such
 * a file, VERSION if it is of a later one. Names of files that could lead out of the folder are
 * refused.
 */
NX_MUST_CHECK enum nx_status nx_session_file_decode(struct nx_slice input, struct nx_arena *arena,
						    struct nx_session_file *session,
						    struct nx_error *err);

/* <folder>/session.json. NOT_FOUND if there is none. All texts lie in the arena. */
NX_MUST_CHECK enum nx_status nx_session_file_read(const char *folder, struct nx_arena *arena,
						  struct nx_session_file *session,
						  struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_session_file_write(const char *folder,
						   const struct nx_session_file *session,
						   struct nx_error *err);

#endif
