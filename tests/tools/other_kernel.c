/* SPDX-License-Identifier: Apache-2.0 */
/*
 * other_kernel: a preloaded library that simulates other kernels.
 *
 *	OTHER_RELEASE=R		uname(2) returns R; before 5.8, BPF has no ring
 *				buffers; before 5.11, maps are refused as by
 *				RLIMIT_MEMLOCK
 *	OTHER_LOCKDOWN=FILE	replaces the kernel's; programs are refused
 *	OTHER_PARANOID=FILE	replaces kernel.perf_event_paranoid;
 *				perf_event_open(2) is refused, as Debian's
 *				kernels do from 3 on without CAP_SYS_ADMIN
 *	OTHER_NO_READV=1	process_vm_readv(2) fails with ENOSYS
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/utsname.h>

long syscall(long number, ...);

typedef long syscall_fn(long number, ...);
typedef int open_fn(const char *path, int flags, ...);
typedef int uname_fn(struct utsname *name);
typedef ssize_t readv_fn(pid_t pid, const struct iovec *local,
			 unsigned long local_count, const struct iovec *remote,
			 unsigned long remote_count, unsigned long flags);

static int is_before(const char *release, long minor)
{
	char *rest;
	long major = strtol(release, &rest, 10);

	return major < 5 || (major == 5 && strtol(rest + 1, NULL, 10) < minor);
}

static int refused(long command, const void *attr)
{
	const char *release = getenv("OTHER_RELEASE");
	__u32 type;

	if (command == BPF_PROG_LOAD && getenv("OTHER_LOCKDOWN"))
		return EPERM;
	if (command != BPF_MAP_CREATE || !release)
		return 0;
	memcpy(&type, attr, sizeof(type));
	if (is_before(release, 8))
		return type == BPF_MAP_TYPE_RINGBUF ? EINVAL : 0;
	return is_before(release, 11) ? EPERM : 0;
}

long syscall(long number, ...)
{
	syscall_fn *next = (syscall_fn *)dlsym(RTLD_NEXT, "syscall");
	long word[6];
	va_list args;
	int error = 0;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		word[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_bpf)
		error = refused(word[0], (const void *)word[1]);
	else if (number == SYS_perf_event_open && getenv("OTHER_PARANOID"))
		error = EACCES;
	if (error) {
		errno = error;
		return -1;
	}
	return next(number, word[0], word[1], word[2], word[3], word[4],
		    word[5]);
}

int open(const char *path, int flags, ...)
{
	open_fn *next = (open_fn *)dlsym(RTLD_NEXT, "open");
	const char *lockdown = getenv("OTHER_LOCKDOWN");
	const char *paranoid = getenv("OTHER_PARANOID");
	va_list args;
	int mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, int) : 0;
	va_end(args);
	if (lockdown && strcmp(path, "/sys/kernel/security/lockdown") == 0)
		path = lockdown;
	if (paranoid &&
	    strcmp(path, "/proc/sys/kernel/perf_event_paranoid") == 0)
		path = paranoid;
	return next(path, flags, mode);
}

int uname(struct utsname *name)
{
	uname_fn *next = (uname_fn *)dlsym(RTLD_NEXT, "uname");
	const char *release = getenv("OTHER_RELEASE");
	int ret = next(name);

	if (ret == 0 && release)
		snprintf(name->release, sizeof(name->release), "%s", release);
	return ret;
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *local,
			 unsigned long local_count, const struct iovec *remote,
			 unsigned long remote_count, unsigned long flags)
{
	readv_fn *next = (readv_fn *)dlsym(RTLD_NEXT, "process_vm_readv");

	if (getenv("OTHER_NO_READV")) {
		errno = ENOSYS;
		return -1;
	}
	return next(pid, local, local_count, remote, remote_count, flags);
}
