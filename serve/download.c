/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/download.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- exporting to an unlinked file ----------------------------------------- */

static enum nx_status write_export(const struct nx_profile *profile, const char *exporter,
				   const char *path, struct nx_error *err)
{
	struct nx_export_options options = {0};
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, path, err);

	if (st)
		return st;
	st = nx_exporter_find(exporter)->write(profile, &options, &out, err);
	if (!st)
		return nx_output_commit(&out, err);
	nx_output_abort(&out);
	return st;
}

enum nx_status nx_export_unlinked(const struct nx_profile *profile, const char *exporter, int *fd,
				  uint64_t *size_bytes, struct nx_error *err)
{
	const char *tmp = getenv("TMPDIR");
	char folder[512], path[sizeof(folder) + 8];
	enum nx_status st;
	off_t size;

	/* a folder of our own: its mode keeps the profile from other users */
	snprintf(folder, sizeof(folder), "%s/neuron-explorer-XXXXXX",
		 tmp && *tmp ? tmp : "/var/tmp");
	if (!mkdtemp(folder))
		return nx_fail_errno(err, errno,
				     "cannot create a temporary folder %s; set TMPDIR to a "
				     "folder with free space",
				     folder);
	snprintf(path, sizeof(path), "%s/export", folder);
	st = write_export(profile, exporter, path, err);
	*fd = st ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	if (!st && *fd < 0)
		st = nx_fail_errno(err, errno, "cannot open %s", path);
	unlink(path);
	rmdir(folder);
	if (st)
		return st;
	size = lseek(*fd, 0, SEEK_END);
	*size_bytes = size > 0 ? (uint64_t)size : 0;
	return NX_OK;
}

/* --- a profile whose rows run dry when the server stops -------------------- */

struct tap {
	struct nx_download *download;
	nx_row_fn fn;
	void *context;
};

static void pass_row(void *context, const void *row)
{
	struct tap *tap = context;

	if (!atomic_load_explicit(&tap->download->is_stopping, memory_order_relaxed))
		tap->fn(tap->context, row);
}

static enum nx_status scan_until_stopped(void *context, enum nx_table table, nx_row_fn fn,
					 void *fn_context, struct nx_error *err)
{
	struct nx_download *download = context;
	struct tap tap = {download, fn, fn_context};

	if (atomic_load(&download->is_stopping))
		return nx_fail(err, NX_IO, "the server is stopping");
	return nx_profile_scan(download->profile, table, pass_row, &tap, err);
}

static uint32_t find_transfer(void *context, const struct nx_packet *packet)
{
	return nx_profile_find_transfer(((struct nx_download *)context)->profile, packet);
}

/* --- one export for everybody ---------------------------------------------- */

static void resume_all(struct nx_download *download)
{
	for (size_t i = 0; i < download->waiting.len; i++)
		MHD_resume_connection(download->waiting.items[i]);
	nx_vec_clear(&download->waiting);
}

static void *export_all(void *context)
{
	struct nx_download *download = context;
	struct nx_profile stoppable = *download->profile;
	struct nx_error error = {0};
	uint64_t size_bytes = 0;
	int fd = -1;
	enum nx_status st;

	stoppable.source = (struct nx_row_source){scan_until_stopped, find_transfer, download};
	st = nx_export_unlinked(&stoppable, "json", &fd, &size_bytes, &error);
	pthread_mutex_lock(&download->lock);
	download->fd = fd;
	download->size_bytes = size_bytes;
	download->error = error;
	download->state = st ? NX_DOWNLOAD_FAILED : NX_DOWNLOAD_READY;
	resume_all(download);
	pthread_mutex_unlock(&download->lock);
	return NULL;
}

static void start(struct nx_download *download)
{
	if (download->state == NX_DOWNLOAD_FAILED)
		pthread_join(download->thread, NULL);
	download->state = NX_DOWNLOAD_RUNNING;
	if (pthread_create(&download->thread, NULL, export_all, download)) {
		download->state = NX_DOWNLOAD_IDLE;
		(void)!nx_fail(&download->error, NX_LIMIT, "cannot start a thread for the export");
	}
}

static bool may_start(const struct nx_download *download)
{
	return download->state == NX_DOWNLOAD_IDLE || download->state == NX_DOWNLOAD_FAILED;
}

enum nx_download_state nx_download_ask(struct nx_download *download,
				       struct MHD_Connection *connection, bool has_waited,
				       struct nx_error *err)
{
	enum nx_download_state state = NX_DOWNLOAD_FAILED;

	pthread_mutex_lock(&download->lock);
	if (download->is_stopping && download->state != NX_DOWNLOAD_READY) {
		(void)!nx_fail(err, NX_IO, "the server is stopping");
	} else {
		if (!has_waited && may_start(download))
			start(download);
		*err = download->error;
		if (!may_start(download))
			state = download->state;
	}
	if (state == NX_DOWNLOAD_RUNNING) {
		nx_vec_push(&download->waiting, connection);
		MHD_suspend_connection(connection);
	}
	pthread_mutex_unlock(&download->lock);
	return state;
}

void nx_download_init(struct nx_download *download, const struct nx_profile *profile)
{
	*download = (struct nx_download){.profile = profile, .fd = -1};
	pthread_mutex_init(&download->lock, NULL);
}

void nx_download_stop(struct nx_download *download)
{
	bool was_started;

	pthread_mutex_lock(&download->lock);
	atomic_store(&download->is_stopping, true);
	was_started = download->state != NX_DOWNLOAD_IDLE;
	pthread_mutex_unlock(&download->lock);
	if (was_started)
		pthread_join(download->thread, NULL);
}

void nx_download_release(struct nx_download *download)
{
	if (download->fd >= 0)
		close(download->fd);
	nx_vec_release(&download->waiting);
	pthread_mutex_destroy(&download->lock);
}
