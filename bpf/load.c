/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/load.h"

#include "bpf/conditions.h"
#include "core/jvm/procfs.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define ENOUGH ((rlim_t)128 << 20)

/* The last message of libbpf. */
static char last_line[160];

static int load_keep_line(enum libbpf_print_level level, const char *fmt,
			  va_list args)
{
	if (level == LIBBPF_DEBUG)
		return 0;
	vsnprintf(last_line, sizeof(last_line), fmt, args);
	last_line[strcspn(last_line, "\n")] = '\0';
	return 0;
}

static const char *forbidden; /* NULL = not */

void load_forbid(const char *why) { forbidden = why; }

int load_quietly(struct error *err)
{
	last_line[0] = '\0';
	libbpf_set_print(load_keep_line);
	return forbidden ? fail(err, ERROR_REFUSED, "%s", forbidden) : 0;
}

void load_block_signals(sigset_t *before)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE,
				      SIGABRT };
	sigset_t all;

	sigfillset(&all);
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		sigdelset(&all, faults[i]);
	sigprocmask(SIG_BLOCK, &all, before);
}

/* libbpf needs some tens of MiB and does not report a failed allocation. */
static bool load_is_cramped(struct rlimit *limit)
{
	return getrlimit(RLIMIT_AS, limit) == 0 && limit->rlim_cur < ENOUGH;
}

int load_refused(const char *what, int sys, struct error *err)
{
	struct condition list[BPF_CONDITIONS_MAX];
	struct bpf_facts facts;
	struct rlimit limit;
	size_t count;

	/* Without descriptors, facts cannot be gathered either. */
	if (sys == EMFILE || sys == ENFILE)
		return fail(err, ERROR_UNAVAILABLE, "%s: %s; %s", what,
			    strerror(sys),
			    sys == EMFILE ? "raise the limit with `ulimit -n`"
					  : "raise fs.file-max with "
					    "sysctl(8)");
	bpf_facts_gather(&facts);
	count = bpf_conditions(&facts, list);
	for (size_t i = 0; i < count; i++) {
		const struct condition *c = &list[i];

		if (c->state == CONDITION_FAILS && c->kind != ERROR_NONE)
			return fail(err, c->kind, "%s: %s: %s; %s", what,
				    c->name, c->detail, c->remedy);
	}
	if (load_is_cramped(&limit))
		return fail(err, ERROR_UNAVAILABLE,
			    "%s: the address space is limited to %" PRIu64
			    " MiB; use `ulimit -v unlimited`",
			    what, (uint64_t)limit.rlim_cur >> 20);
	return fail(err,
		    sys == EPERM || sys == EACCES ? ERROR_PERMISSION
						  : ERROR_UNAVAILABLE,
		    "%s: %s%s%s", what, strerror(sys), last_line[0] ? ": " : "",
		    last_line);
}

int load_check_uprobes(uid_t uid, struct error *err)
{
	struct proc_status own;
	bool has_admin, may_search;

	if (procfs_status(getpid(), &own, err))
		return -1;
	has_admin = own.capabilities >> CAP_SYS_ADMIN & 1;
	/* The directory /proc/PID/map_files belongs to the user. */
	may_search = own.fs_uid == uid ||
		     own.capabilities >> CAP_DAC_READ_SEARCH & 1 ||
		     own.capabilities >> CAP_DAC_OVERRIDE & 1;
	if (has_admin && may_search)
		return 0;
	return fail(
		err, ERROR_PERMISSION, "uprobes require %s%s%s; run as root%s",
		has_admin ? "" : "CAP_SYS_ADMIN",
		has_admin || may_search ? "" : " and ",
		may_search ? "" : "CAP_DAC_READ_SEARCH",
		geteuid() ? ""
			  : " with that (kubectl debug --profile=sysadmin)");
}

int load_refused_uprobe(uid_t uid, int sys, struct error *err)
{
	if ((sys == EACCES || sys == EPERM) && load_check_uprobes(uid, err))
		return -1;
	return load_refused("uprobe", sys, err);
}

struct load_pid_ns load_own_pid_ns(void)
{
	/* PROC_PID_INIT_INO in include/linux/proc_ns.h. */
	const ino_t initial = 0xEFFFFFFC;
	struct stat ns;

	if (stat("/proc/self/ns/pid", &ns) < 0 || ns.st_ino == initial)
		return (struct load_pid_ns){ 0 };
	return (struct load_pid_ns){
		.dev = (uint64_t)major(ns.st_dev) << 20 | minor(ns.st_dev),
		.inode = (uint32_t)ns.st_ino,
	};
}
