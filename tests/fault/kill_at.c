/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kill_at: an LD_PRELOAD library that counts the calls that change a disk. Before call number
 * NX_KILL_AT it kills the process; a write is half done then. The count is in the file
 * NX_STEPS_FILE.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long step_count;
static long kill_at = -1;

static __attribute__((constructor)) void begin(void)
{
	const char *at = getenv("NX_KILL_AT");

	if (at)
		kill_at = strtol(at, NULL, 10);
}

static __attribute__((destructor)) void end(void)
{
	const char *path = getenv("NX_STEPS_FILE");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		return;
	fprintf(file, "%ld\n", atomic_load(&step_count));
	fclose(file);
}

static bool is_last_step(void)
{
	return atomic_fetch_add(&step_count, 1) == kill_at;
}

static void step(void)
{
	if (is_last_step())
		raise(SIGKILL);
}

/* The next function of that name. ISO C does not convert data pointers to function pointers, but
 * dlsym needs it. */
#define NEXT(call) __extension__((__typeof__(&(call)))dlsym(RTLD_NEXT, #call))

ssize_t write(int fd, const void *buf, size_t n)
{
	if (fd > STDERR_FILENO && is_last_step()) {
		(void)!NEXT(write)(fd, buf, n / 2);
		raise(SIGKILL);
	}
	return NEXT(write)(fd, buf, n);
}

/* Syncing is slow and makes no difference after a kill. */
int fsync(int fd)
{
	(void)fd;
	step();
	return 0;
}

int mkdirat(int fd, const char *path, mode_t mode)
{
	step();
	return NEXT(mkdirat)(fd, path, mode);
}

int rename(const char *old, const char *new)
{
	step();
	return NEXT(rename)(old, new);
}

int renameat(int oldfd, const char *old, int newfd, const char *new)
{
	step();
	return NEXT(renameat)(oldfd, old, newfd, new);
}

int renameat2(int oldfd, const char *old, int newfd, const char *new, unsigned flags)
{
	step();
	return NEXT(renameat2)(oldfd, old, newfd, new, flags);
}
