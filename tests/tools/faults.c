/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults: a preloaded library that makes system calls and allocations fail.
 *
 *	FAULT_ALLOC=N	the Nth allocation and all later ones fail
 *	FAULT_COUNT=F	writes the number of allocations to the file F
 *	FAULT_IO=1	reads and writes move one byte, and every other call is
 *			interrupted or would block
 *	FAULT_SYNC=1	fsync(2) fails, as on a disk that fills up late
 *	FAULT_TRACE=1	/proc/PID/task/TID/syscall cannot be read, as where
 *			Yama restricts ptrace(2)
 *	FAULT_UNLINK=1	unlinkat(2) of the first process or its child kills
 *both; an orphan removes the file
 *	FAULT_UPPER=1	sockets receive upper case: nothing in a thread dump
 *			is recognized then
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc's internal names, which need no lookup. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static unsigned long allocations, fail_at;
static unsigned long calls;
static bool io_faults, upper_faults, trace_faults;
static pid_t killed_at_unlink;

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("FAULT_ALLOC");

	fail_at = at ? strtoul(at, NULL, 10) : 0;
	io_faults = getenv("FAULT_IO") != NULL;
	upper_faults = getenv("FAULT_UPPER") != NULL;
	trace_faults = getenv("FAULT_TRACE") != NULL;
	killed_at_unlink = getenv("FAULT_UNLINK") ? getpid() : 0;
	allocations = 0;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAULT_COUNT");
	char text[32];
	int fd, len;

	if (!path)
		return;
	len = snprintf(text, sizeof(text), "%lu\n", allocations);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || syscall(SYS_write, fd, text, (size_t)len) != len)
		abort();
	close(fd);
}

static bool fails(void)
{
	if (++allocations < fail_at || !fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

/* Every other call fails, alternately in two ways. */
static bool is_interrupted(void)
{
	if (!io_faults || calls++ % 2)
		return false;
	errno = calls % 4 == 1 ? EINTR : EAGAIN;
	return true;
}

/* True for a file that requires the right to trace. */
static bool is_traced(int fd)
{
	static const char name[] = "/syscall";
	char path[32], link[128];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	len = readlink(path, link, sizeof(link));
	return len >= (ssize_t)sizeof(name) &&
	       memcmp(link + len - (sizeof(name) - 1), name,
		      sizeof(name) - 1) == 0;
}

ssize_t read(int fd, void *bytes, size_t len)
{
	if (is_interrupted())
		return -1;
	if (trace_faults && is_traced(fd)) {
		errno = EPERM;
		return -1;
	}
	return syscall(SYS_read, fd, bytes, io_faults && len > 1 ? 1 : len);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
	if (is_interrupted())
		return -1;
	return syscall(SYS_write, fd, bytes, io_faults && len > 1 ? 1 : len);
}

int fsync(int fd)
{
	if (getenv("FAULT_SYNC")) {
		errno = ENOSPC;
		return -1;
	}
	return (int)syscall(SYS_fsync, fd);
}

int unlinkat(int directory, const char *name, int flags)
{
	if (killed_at_unlink &&
	    (getpid() == killed_at_unlink || getppid() == killed_at_unlink)) {
		kill(killed_at_unlink, SIGKILL);
		raise(SIGKILL);
	}
	return (int)syscall(SYS_unlinkat, directory, name, flags);
}

ssize_t recv(int fd, void *bytes, size_t len, int flags)
{
	ssize_t got = syscall(SYS_recvfrom, fd, bytes, len, flags, NULL, NULL);
	char *at = bytes;

	for (ssize_t i = 0; upper_faults && i < got; i++) {
		if (at[i] >= 'a' && at[i] <= 'z')
			at[i] = (char)(at[i] - 'a' + 'A');
	}
	return got;
}
