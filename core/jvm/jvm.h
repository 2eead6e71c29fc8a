/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jvm: finds, identifies and holds JVM processes.
 *
 * A JVM is recognized by the library that it has mapped, libjvm or libj9vm, not
 * by its name or files. A process is identified by its PID and start time and
 * held by a pidfd, so that a later process with the same PID is never mistaken
 * for it.
 */
#ifndef CORE_JVM_JVM_H
#define CORE_JVM_JVM_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jvm/jvm_kind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct jvm {
	pid_t pid;       /* in the PID namespace of sjkc */
	pid_t ns_pid;    /* in the JVM's own PID namespace: the last of NSpid */
	bool own_pid_ns; /* the JVM's PID namespace differs from sjkc's */
	bool own_root; /* the JVM's root directory or mounts differ from sjkc's
			*/
	uid_t uid;     /* effective, as sjkc sees them */
	gid_t gid;
	uint64_t start_ticks; /* as in struct proc_stat */
	dev_t exe_dev;        /* of the program file, which execve(2) changes */
	ino_t exe_ino;        /* 0 = unknown */
	enum jvm_kind kind;
	/*
	 * The kernel denies sjkc /proc/PID/maps, root and fd of a process of
	 * the same user. The JVM is recognized by its counters in /tmp of sjkc.
	 */
	bool is_hidden;
	int pidfd; /* -1 = not opened */
};

/*
 * Opens a process, JVM or not (see kind). ERROR_MISUSE for an invalid PID or
 * the PID of a thread; ERROR_NO_TARGET if there is no such process or it is a
 * zombie; ERROR_PERMISSION. After success, jvm_close() must follow.
 */
int jvm_open(struct jvm *jvm, pid_t pid, struct error *err);
void jvm_close(struct jvm *jvm); /* zeroed storage is allowed */

/* True while the opened process exists, even if it is stopped. */
bool jvm_runs(const struct jvm *jvm);

/*
 * True if the JVM is ending, even before it is a zombie. The kernel frees the
 * memory of a process before it closes its files, so memory of 0 bytes reveals
 * the end as soon as a socket closes.
 */
bool jvm_is_ending(const struct jvm *jvm);

/* Sets *err to ERROR_NO_TARGET, "4711: the JVM has exited". Returns -1. */
int jvm_fail_ended(const struct jvm *jvm, struct error *err);

/* Like jvm_open(), but fails with ERROR_NO_TARGET unless it is a JVM. */
int jvm_open_java(struct jvm *jvm, pid_t pid, struct error *err);

/*
 * Facts about a JVM that are available without attaching. Strings are foreign,
 * and NULL if unknown; arrays end with NULL. jvm_info_release() frees them.
 */
struct jvm_info {
	char *user;       /* name in our /etc/passwd, or the uid */
	char *main_class; /* or the path of a jar, as on the command line */
	char **vm_args; /* -X…, -D… of the command line and of the environment
			   variables that the JVM heeds: JAVA_TOOL_OPTIONS,
			   _JAVA_OPTIONS, JDK_JAVA_OPTIONS (the launcher's) */
	char **args;    /* arguments of the program */
	char *version; /* java.version "17.0.21", or the version in the release
			  file */
	char *vm_name, *vm_vendor, *java_home;
	char *modules;    /* of the release file, only for jvm_lacks_module() */
	int64_t start_ns; /* start time in ns since the epoch */
	bool args_cut;    /* some arguments could not be read */
};

int jvm_info(const struct jvm *jvm, struct jvm_info *about, struct error *err);
void jvm_info_release(struct jvm_info *about);

/*
 * True if the release file of the JVM's run-time image lists its modules and
 * not this one: jlink omits jdk.management.agent by default.
 */
bool jvm_lacks_module(const struct jvm *jvm, const struct jvm_info *about,
		      const char *module);

/*
 * Returns the last of vm_args that begins with a text ("-Xrs", "-Xmx"); or
 * NULL.
 */
const char *jvm_info_option(const struct jvm_info *about,
			    const char *beginning);

/* All JVMs that this process may see, opened, ordered by PID. */
struct jvm_list {
	struct jvm *jvms;
	size_t count, cap;
	/* Processes that may be JVMs but cannot be inspected. */
	size_t hidden;
	pid_t hidden_pid; /* one of them; 0 = none */
	bool hides; /* /proc hides the processes of other users (hidepid) */
};

int jvm_list(struct jvm_list *list, struct error *err);
void jvm_list_release(struct jvm_list *list);

/*
 * A search that is repeated every few seconds, for long: a process is inspected
 * again only when it may have become a JVM. Zeroed storage is a first search.
 */
struct jvm_search {
	struct jvm_seen *all; /* ordered by PID */
	size_t count;
};

/*
 * The same as jvm_list(), without the settled JVMs and those processes that
 * turn out to be JVMs only later: a process that runs the same program as
 * before and was not a JVM is inspected again after half its known age, at most
 * half a minute. jvm_list_release() must follow.
 */
int jvm_search_next(struct jvm_search *s, struct jvm_list *list,
		    struct error *err);

/*
 * Omits a process from now on until it executes another program or ends, and
 * another process has its PID.
 */
void jvm_search_settle(struct jvm_search *s, pid_t pid);

/* The same, and jvm_search_excluded() counts the process until it ends. */
void jvm_search_exclude(struct jvm_search *s, pid_t pid);
size_t jvm_search_excluded(const struct jvm_search *s);
void jvm_search_release(struct jvm_search *s);

/*
 * Sets ended[i] for each process that has ended, by one system call. Unlike
 * jvm_runs(), does not notice that a process has executed another program.
 */
void jvm_poll_ended(const struct jvm *const *jvms, bool *ended, size_t count);

/*
 * Opens the regular file or directory that an O_PATH descriptor refers to; held
 * stays open. -1 and errno: ELOOP for a symbolic link, ENXIO for other files.
 */
int jvm_open_held(int held, int flags);

/*
 * Opens a file as the JVM sees it: path is absolute in the JVM's root and
 * cannot leave it; magic links (/proc/.../fd) are not followed; O_NOFOLLOW
 * applies to the last component. Pipes and devices are opened with O_PATH only.
 * Returns a descriptor, or -1 and *err (err->sys is the errno).
 */
int jvm_open_file(const struct jvm *jvm, const char *path, int flags,
		  struct error *err);

/*
 * The kernel prints paths from the root of sjkc, as in /proc/PID/maps.  Returns
 * the length of the prefix of a path that is the JVM's root, if that is a
 * directory (chroot), or 0.  jvm_open_file() and the JVM know the rest.
 */
size_t jvm_root_len(const struct jvm *jvm, const char *path, size_t len);

#endif
