/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/helper_process.h"

#include "core/base/clock.h"
#include "core/jvm/procfs.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#define LIFETIME_S 120 /* ends the child even if the parent hangs */
#define GRACE_NS   CLOCK_NS_PER_S

bool helper_process_is_needed(const struct jvm *jvm)
{
	return jvm->own_root || jvm->uid != geteuid() || jvm->gid != getegid();
}

const char *helper_process_lacks(const struct jvm *jvm)
{
	struct proc_status own;
	bool has_setuid, has_setgid;

	if (procfs_status(getpid(), &own, error_unused()))
		return NULL;
	has_setuid = jvm->uid == geteuid() ||
		     own.capabilities >> CAP_SETUID & 1;
	has_setgid = jvm->gid == getegid() ||
		     own.capabilities >> CAP_SETGID & 1;
	return has_setuid   ? (has_setgid ? NULL : "CAP_SETGID")
	       : has_setgid ? "CAP_SETUID"
			    : "CAP_SETUID and CAP_SETGID";
}

int helper_process_become(const struct jvm *jvm, struct error *err)
{
	uid_t uid = jvm->uid;
	gid_t gid = jvm->gid;

	if (uid == geteuid() && gid == getegid())
		return 0;
	/*
	 * A user without privileges keeps the supplementary groups, one of
	 * which may be gid.
	 */
	if (geteuid() == 0 && setgroups(0, NULL) < 0 && errno != EPERM)
		return fail_sys(err, ERROR_PERMISSION, "setgroups");
	if (setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0) {
		const char *lacks = helper_process_lacks(jvm);

		if (geteuid() == 0 && lacks)
			return fail(
				err, ERROR_PERMISSION,
				"%d: cannot become the JVM's user, uid %u, "
				"gid %u, without %s; " HELPER_PROCESS_REMEDY,
				(int)jvm->pid, (unsigned)uid, (unsigned)gid,
				lacks);
		return fail_sys(err, ERROR_PERMISSION,
				"%d: cannot become the JVM's user, uid %u, gid "
				"%u",
				(int)jvm->pid, (unsigned)uid, (unsigned)gid);
	}
	/*
	 * setresuid(2) may have made the process traceable (fs.suid_dumpable).
	 */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	return 0;
}

int helper_process_start(struct child *c, const struct jvm *jvm, child_job *job,
			 void *self, struct error *err)
{
	const int kept[] = { STDERR_FILENO, jvm->pidfd };
	const struct child_options options = {
		.kept = kept,
		.kept_count = sizeof(kept) / sizeof(*kept),
		.lifetime_s = LIFETIME_S,
	};

	return child_start(c, &options, job, self, err);
}

enum child_news helper_process_wait(const struct child *c, int64_t deadline_ns,
				    int *fd, struct error *err)
{
	enum child_news news = child_wait(c, deadline_ns, fd, err);

	if (news == CHILD_SILENT) {
		errno = ETIMEDOUT;
		fail_sys(err, ERROR_REFUSED,
			 "the JVM's file system does not respond");
	}
	return news;
}

void helper_process_end(struct child *c) { child_end(c, GRACE_NS); }
