/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "base/arena.h"
#include "base/disk.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define IO_EXIT_CODE 8
#define PENDING_MAX 64
#define MAPPED_MAX 8192
#define NAME_ATTEMPTS 100

/*
 * What is mapped, for the handler of SIGBUS. A start of 0 is a free entry and 1 one that is being
 * filled.
 */
static struct mapped {
	atomic_uintptr_t start;
	atomic_size_t len;
	atomic_bool is_damaged;
} mapped[MAPPED_MAX];
static atomic_bool is_tolerant;

static enum nx_status check_regular(const struct stat *st, const char *path, struct nx_error *err)
{
	if (S_ISDIR(st->st_mode))
		return nx_fail(err, NX_FORMAT, "%s is a directory; give the path of a file", path);
	if (!S_ISREG(st->st_mode))
		return nx_fail(err, NX_FORMAT,
			       "%s is a pipe or a device; save its contents to a file first", path);
	if ((uint64_t)st->st_size > SIZE_MAX / 2)
		return nx_fail(err, NX_LIMIT, "%s is too large for the address space", path);
	return NX_OK;
}

/* True if it was noted or need not be. */
static bool note_mapped(uintptr_t start, size_t len)
{
	if (!atomic_load(&is_tolerant))
		return true;
	for (size_t i = 0; i < MAPPED_MAX; i++) {
		uintptr_t nothing = 0;

		if (!atomic_compare_exchange_strong(&mapped[i].start, &nothing, 1))
			continue;
		atomic_store(&mapped[i].len, len);
		atomic_store(&mapped[i].is_damaged, false);
		atomic_store(&mapped[i].start, start);
		return true;
	}
	return false;
}

static struct mapped *find_mapped(uintptr_t address)
{
	for (size_t i = 0; i < MAPPED_MAX; i++) {
		uintptr_t start = atomic_load(&mapped[i].start);

		if (start > 1 && address >= start && address - start < atomic_load(&mapped[i].len))
			return &mapped[i];
	}
	return NULL;
}

bool nx_file_is_damaged(const struct nx_file *file)
{
	const struct mapped *m = file->bytes.len && atomic_load(&is_tolerant)
					 ? find_mapped((uintptr_t)file->bytes.data)
					 : NULL;

	return m && atomic_load(&m->is_damaged);
}

static enum nx_status map_descriptor(struct nx_file *file, int fd, const char *path,
				     struct nx_error *err)
{
	struct stat st;
	enum nx_status status;
	size_t size;
	void *bytes;

	if (fstat(fd, &st) < 0)
		return nx_fail_errno(err, errno, "cannot inspect %s", path);
	status = check_regular(&st, path, err);
	if (status)
		return status;
	file->path = path;
	size = (size_t)st.st_size;
	if (!size) {
		/* mmap refuses nothing; a real address keeps pointer arithmetic defined. */
		file->bytes = nx_slice_text("");
		return NX_OK;
	}
	bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return nx_fail_errno(err, errno, "cannot map %s into memory", path);
	if (!note_mapped((uintptr_t)bytes, size)) {
		munmap(bytes, size);
		return nx_fail(err, NX_LIMIT, "cannot map %s into memory: %d files are mapped",
			       path, MAPPED_MAX);
	}
	madvise(bytes, size, MADV_SEQUENTIAL);
	file->bytes = nx_slice_of(bytes, size);
	return NX_OK;
}

enum nx_status nx_file_map(struct nx_file *file, const char *path, struct nx_error *err)
{
	enum nx_status status;
	int fd;

	*file = (struct nx_file){0};
	/* Non-blocking, or opening a pipe without a writer would wait forever. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return nx_fail_errno(err, errno, "cannot open %s", path);
	status = map_descriptor(file, fd, path, err);
	close(fd);
	return status;
}

void nx_file_unmap(struct nx_file *file)
{
	struct mapped *m = file->bytes.len ? find_mapped((uintptr_t)file->bytes.data) : NULL;

	if (m) /* before the address can be another file's */
		atomic_store(&m->start, 0);
	if (file->bytes.len)
		munmap((void *)(uintptr_t)file->bytes.data, file->bytes.len);
	*file = (struct nx_file){0};
}

void nx_file_forget(struct nx_slice scanned)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = ((uintptr_t)scanned.data + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)scanned.data + scanned.len) & ~(page - 1);

	if (end > start)
		madvise((void *)start, end - start, MADV_DONTNEED);
}

/* Everything from the page that failed to the end: after a truncation all of it is gone. */
static bool replace_lost(uintptr_t address)
{
	uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t page = address & ~(page_bytes - 1);
	struct mapped *m = find_mapped(address);

	if (!m)
		return false;
	atomic_store(&m->is_damaged, true);
	return mmap((void *)page, atomic_load(&m->start) + atomic_load(&m->len) - page, PROT_READ,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

static void on_bus_error(int sig, siginfo_t *fault, void *context)
{
	static const char text[] = "an input file shrank or became unreadable while it was being "
				   "read; run again once it is complete\n";

	int saved_errno = errno;

	(void)sig, (void)context;
	if (atomic_load(&is_tolerant) && replace_lost((uintptr_t)fault->si_addr)) {
		errno = saved_errno;
		return;
	}
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(IO_EXIT_CODE);
}

void nx_file_guard_install(void)
{
	struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

void nx_file_guard_tolerate(void)
{
	nx_file_guard_install();
	atomic_store(&is_tolerant, true);
}

/*
 * Temporary names that a signal handler must remove. Whoever exchanges an entry for NULL owns the
 * text, so no handler reads freed memory or removes a name twice.
 */
static _Atomic(char *) pending[PENDING_MAX];

/* False when there is no such entry. */
static bool exchange_pending(char *old, char *new)
{
	for (size_t i = 0; i < PENDING_MAX; i++) {
		char *expected = old;

		if (atomic_compare_exchange_strong(&pending[i], &expected, new))
			return true;
	}
	return false;
}

static void on_end_signal(int sig)
{
	for (size_t i = 0; i < PENDING_MAX; i++) {
		char *path = atomic_exchange(&pending[i], NULL);

		if (path)
			unlink(path);
	}
	raise(sig);
}

void nx_output_guard_install(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {
		.sa_handler = on_end_signal,
		.sa_flags = SA_RESETHAND | SA_NODEFER,
	};
	struct sigaction old;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		/* nohup and shells' background jobs ignore on purpose. */
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

static char *copy_text(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(nx_heap_alloc(size), text, size);
}

/* mkstemp would create with mode 0600; asking the kernel directly honours the umask. */
static int create_temporary(struct nx_output *out)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
	static _Atomic uint32_t calls;
	static_assert(sizeof(letters) == 32 + 1, "five bits choose a letter");
	size_t len = strlen(out->path);
	char *name = nx_heap_alloc(len + sizeof(".tmp-XXXXXX"));
	int fd = -1;

	memcpy(name, out->path, len);
	memcpy(name + len, ".tmp-XXXXXX", sizeof(".tmp-XXXXXX"));
	for (int attempt = 0; attempt < NAME_ATTEMPTS && fd < 0; attempt++) {
		struct timespec t;
		uint64_t bits;

		clock_gettime(CLOCK_REALTIME, &t);
		bits = ((uint64_t)t.tv_nsec * 0x9e3779b1u) ^ ((uint64_t)getpid() << 20) ^
		       ((uint64_t)atomic_fetch_add(&calls, 1) << 7);
		for (size_t i = 0; i < 6; i++)
			name[len + 5 + i] = letters[bits >> (5 * i) & 31];
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0) {
		nx_heap_free(name);
		return -1;
	}
	out->temporary_path = name;
	(void)exchange_pending(NULL, name);
	return fd;
}

/* No signal may arrive between the birth of a temporary file and its registration. */
static int create_registered(struct nx_output *out)
{
	sigset_t all;
	sigset_t old;
	int fd;
	int saved_errno;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	fd = create_temporary(out);
	saved_errno = errno;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = saved_errno;
	return fd;
}

static enum nx_status open_target(struct nx_output *out, const char *path, struct nx_error *err)
{
	struct stat st;
	bool exists = stat(path, &st) == 0;

	if (exists && S_ISDIR(st.st_mode))
		return nx_fail(err, NX_USAGE, "%s is a directory; give the name of a file", path);
	if (exists && access(path, W_OK) < 0)
		return nx_fail_errno(err, errno, "cannot overwrite %s", path);
	out->path = exists ? realpath(path, NULL) : NULL; /* the target of a link, not the link */
	if (!out->path)
		out->path = copy_text(path);
	if (exists && !S_ISREG(st.st_mode))
		out->fd = open(path, O_WRONLY | O_CLOEXEC);
	else
		out->fd = create_registered(out);
	if (out->fd < 0)
		return nx_fail_errno(err, errno, "cannot create %s", path);
	return NX_OK;
}

enum nx_status nx_output_open(struct nx_output *out, const char *path, struct nx_error *err)
{
	enum nx_status status = NX_OK;

	*out = (struct nx_output){.fd = STDOUT_FILENO};
	if (strcmp(path, "-") != 0)
		status = open_target(out, path, err);
	if (status) {
		nx_heap_free(out->path);
		*out = (struct nx_output){0};
		return status;
	}
	out->buffer = nx_heap_alloc(NX_OUTPUT_BUFFER_BYTES);
	return NX_OK;
}

/* Of a file the sentence names the disk; where a pipe or a device leads is not known. */
static enum nx_status fail_full(struct nx_output *out, const char *name)
{
	const char *option = out->place_option ? out->place_option : "--output-file";
	char what[400], remedy[100];
	struct stat facts;

	if (!out->path || fstat(out->fd, &facts) || !S_ISREG(facts.st_mode))
		return nx_fail(&out->error, NX_NO_SPACE,
			       "cannot write %s: the disk is full; free some space or choose "
			       "another place with %s",
			       name, option);
	snprintf(what, sizeof(what), "cannot write %s", name);
	snprintf(remedy, sizeof(remedy), "choose another place with %s", option);
	return nx_disk_fail_full(&out->error, name, what, remedy);
}

static void fail_write(struct nx_output *out, int errno_value)
{
	const char *name = out->path ? out->path : "standard output";

	if (errno_value == ENOSPC || errno_value == EDQUOT)
		out->status = fail_full(out, name);
	else
		out->status = nx_fail_errno(&out->error, errno_value, "cannot write %s", name);
}

static void write_all(struct nx_output *out, const uint8_t *data, size_t len)
{
	while (len && !out->status) {
		ssize_t n = write(out->fd, data, len);

		if (n >= 0) {
			data += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			/* A terminal or pipe that someone else made non-blocking. */
			struct pollfd wait = {.fd = out->fd, .events = POLLOUT};

			poll(&wait, 1, -1);
		} else if (errno != EINTR) {
			fail_write(out, errno);
		}
	}
}

void nx_output_flush(struct nx_output *out)
{
	write_all(out, out->buffer, out->used);
	out->used = 0;
}

void nx_output_write(struct nx_output *out, const void *data, size_t len)
{
	assert(out->buffer);
	out->written_bytes += len;
	if (len > NX_OUTPUT_BUFFER_BYTES - out->used)
		nx_output_flush(out);
	if (len >= NX_OUTPUT_BUFFER_BYTES) {
		write_all(out, data, len);
		return;
	}
	if (len)
		memcpy(out->buffer + out->used, data, len);
	out->used += len;
}

void nx_output_line(struct nx_output *out, const char *fmt, ...)
{
	char line[NX_OUTPUT_LINE_MAX];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	assert(len >= 0);
	nx_output_write(out, line, (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1);
	nx_output_write(out, "\n", 1);
}

static void release_output(struct nx_output *out)
{
	uint64_t written_bytes = out->written_bytes;

	/* If a handler took the name, the process is about to end. */
	if (out->temporary_path && exchange_pending(out->temporary_path, NULL))
		nx_heap_free(out->temporary_path);
	nx_heap_free(out->path);
	nx_heap_free(out->buffer);
	*out = (struct nx_output){.written_bytes = written_bytes};
}

enum nx_status nx_output_commit(struct nx_output *out, struct nx_error *err)
{
	enum nx_status status;

	nx_output_flush(out);
	/* Network file systems report a full disk only here. */
	if (out->path && close(out->fd) < 0 && !out->status)
		fail_write(out, errno);
	out->fd = -1;
	if (!out->status && out->temporary_path && rename(out->temporary_path, out->path) < 0)
		out->status = nx_fail_errno(&out->error, errno, "cannot create %s", out->path);
	status = out->status;
	if (status && err)
		*err = out->error;
	if (status && out->temporary_path)
		unlink(out->temporary_path);
	release_output(out);
	return status;
}

void nx_output_abort(struct nx_output *out)
{
	if (!out->buffer)
		return;
	if (out->path)
		close(out->fd);
	if (out->temporary_path)
		unlink(out->temporary_path);
	release_output(out);
}

static enum nx_status make_directory(const char *path, struct nx_error *err)
{
	struct stat st;
	int saved_errno;

	if (mkdir(path, 0777) == 0)
		return NX_OK;
	saved_errno = errno;
	if (stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return NX_OK;
		return nx_fail(err, NX_USAGE, "cannot make directory %s: a file has that name",
			       path);
	}
	return nx_fail_errno(err, saved_errno, "cannot make directory %s", path);
}

enum nx_status nx_make_directories(const char *path, struct nx_error *err)
{
	char *copy = copy_text(path);
	enum nx_status status = NX_OK;

	for (char *c = copy; *c && !status; c++) {
		if (*c != '/' || c == copy)
			continue;
		*c = '\0';
		status = make_directory(copy, err);
		*c = '/';
	}
	if (!status)
		status = make_directory(copy, err);
	nx_heap_free(copy);
	return status;
}

bool nx_write_all(int fd, struct nx_slice bytes)
{
	while (bytes.len) {
		ssize_t n = write(fd, bytes.data, bytes.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		bytes.data += n;
		bytes.len -= (size_t)n;
	}
	return true;
}
