/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procfs: reads /proc/PID; proc(5).
 *
 * A process may end or rename itself between any two reads, and its name may
 * contain any bytes. Reads are bounded. Failures are ERROR_NO_TARGET if the
 * process has ended or never existed, and ERROR_PERMISSION if it must not be
 * read.
 */
#ifndef CORE_JVM_PROCFS_H
#define CORE_JVM_PROCFS_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

enum {
	PROCFS_NAMES = 16,      /* bytes of comm, with the NUL */
	PROCFS_NAMESPACES = 32, /* maximum depth of PID namespaces:
				   MAX_PID_NS_LEVEL */
};

/* /proc/PID/status; fields that the kernel omits are 0. */
struct proc_status {
	char state;        /* R S D T t Z X I */
	pid_t tgid;        /* differs from the PID if that is a thread */
	pid_t tracer;      /* 0 = none */
	uid_t uid, fs_uid; /* effective, and for file access */
	gid_t gid, fs_gid;
	pid_t ns_pids[PROCFS_NAMESPACES]; /* NSpid, outermost namespace first */
	size_t ns_depth; /* number of ns_pids; 1 = no nested namespace */
	uint64_t caught, ignored,
		blocked; /* signal masks; bit N-1 is signal N */
	uint64_t capabilities, permitted; /* effective; permitted */
	uint32_t threads;
	uint64_t voluntary, involuntary; /* context switches */
	uint64_t rss_bytes;
};

/* /proc/PID/stat, and the stat file of a thread. */
struct proc_stat {
	char comm[PROCFS_NAMES]; /* foreign; NUL-terminated */
	char state;
	uint64_t major_faults;          /* pages read from a disk */
	uint64_t user_ticks, sys_ticks; /* sysconf(_SC_CLK_TCK) per second */
	bool is_kernel_thread;
	uint32_t threads;
	uint64_t start_ticks; /* since boot; identifies a process together with
				 its PID */
	/* Where the stack begins, which execve(2) changes; 0 = no right. */
	uint64_t start_stack;
};

/*
 * Sets *out to the contents of /proc/PID/<name>, truncated to limit bytes.
 * "cmdline" and "environ" hold NULs.
 */
int procfs_read(pid_t pid, const char *name, size_t limit, struct text *out,
		struct error *err);

/*
 * procfs_open() opens /proc/PID/<name> with close-on-exec. procfs_part() reads
 * from it: the number of bytes, or 0 at the end. -1 and *err, whose sys is the
 * errno.
 */
int procfs_open(pid_t pid, const char *name, int flags, struct error *err);
ssize_t procfs_part(pid_t pid, const char *name, int fd, void *bytes,
		    size_t size, struct error *err);

/*
 * A process whose first thread has ended is a zombie in /proc/PID, without
 * memory, files and root. Another thread has them in /proc/TID, which can be
 * opened although it is not listed.
 *
 * procfs_use_thread() finds such a thread; false if there is none. From then
 * on, procfs_open() and procfs_read() use its directory for all files but
 * "stat", "status", "comm" and those of threads. procfs_owner() returns the
 * TID, or the PID of any other process: for paths that are not opened here.
 */
bool procfs_use_thread(pid_t pid);
pid_t procfs_owner(pid_t pid);

/*
 * Sets the device and the inode of the file that a path in /proc leads to, as
 * the kernel has cached them: a file of a dead server is known without the
 * server, as long as a process has it open or runs it. False and errno.
 */
bool procfs_identify(int dir, const char *path, struct stat *st);

int procfs_status(pid_t pid, struct proc_status *status, struct error *err);
int procfs_stat(pid_t pid, struct proc_stat *stat, struct error *err);

/* Each parses the text of such a file; false if it is malformed. */
bool procfs_parse_status(const char *text, size_t len,
			 struct proc_status *status);
bool procfs_parse_stat(const char *text, size_t len, struct proc_stat *stat);

#endif
