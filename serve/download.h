/* SPDX-License-Identifier: Apache-2.0 */
/*
 * download: the whole profile as JSON, made when first asked for.
 *
 * The export of a big profile takes minutes, so a thread of its own writes it to
 * an unlinked file while those who asked are suspended; afterwards everybody is
 * served from that file. A failed export is told to those who waited and tried
 * anew for the next visitor.
 */
#ifndef NX_SERVE_DOWNLOAD_H
#define NX_SERVE_DOWNLOAD_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/vec.h"
#include "export/exporters.h"

enum nx_download_state {
	NX_DOWNLOAD_IDLE,
	NX_DOWNLOAD_RUNNING,
	NX_DOWNLOAD_READY,
	NX_DOWNLOAD_FAILED,
};

struct nx_download {
	const struct nx_profile *profile;
	pthread_mutex_t lock; /* of all below */
	pthread_t thread;
	enum nx_download_state state;
	struct nx_waiting NX_VEC_BODY(struct MHD_Connection *) waiting;
	int fd;
	uint64_t size_bytes;
	struct nx_error error;
	atomic_bool is_stopping;
};

void nx_download_init(struct nx_download *download, const struct nx_profile *profile);
/* Ends a running export early and lets the suspended go; before the daemon stops. */
void nx_download_stop(struct nx_download *download);
void nx_download_release(struct nx_download *download);

/* READY: fd and size_bytes are valid. FAILED: err is. RUNNING: the connection has
 * been suspended and will ask again. has_waited: it asks again. */
enum nx_download_state nx_download_ask(struct nx_download *download,
				       struct MHD_Connection *connection, bool has_waited,
				       struct nx_error *err);

/* Writes an export to a file that no longer has a name. */
NX_MUST_CHECK enum nx_status nx_export_unlinked(const struct nx_profile *profile,
						const char *exporter, int *fd, uint64_t *size_bytes,
						struct nx_error *err);

#endif
