/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach_conditions.h"

#include "core/attach/attach_cgroup.h"
#include "core/attach/attach_openj9.h"
#include "core/attach/attach_socket.h"
#include "core/attach/attach_start.h"
#include "core/attach/helper_process.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/jvm/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define LOOK_NS (3 * CLOCK_NS_PER_S)

enum socket_state {
	SOCKET_UNKNOWN,
	SOCKET_OPEN,
	SOCKET_ABSENT,
	SOCKET_STALE, /* the file is there, but the JVM does not listen */
	SOCKET_UNTRUSTED,
	SOCKET_LOST, /* the JVM listens, but the file has gone */
};

/* What the conditions are looked up in. */
struct look {
	const struct jvm *jvm;
	bool has_status;
	struct proc_status status;
	int tmp; /* -1 = not to be opened, tmp_error */
	struct error tmp_error;
	enum socket_state socket;
	struct error socket_error;
	bool has_about; /* looked up when it is first wanted */
	struct jvm_about about;
};

typedef void condition_fn(struct look *l, struct condition *c);

static void say(struct condition *c, enum condition_state state,
		const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void say(struct condition *c, enum condition_state state,
		const char *fmt, ...)
{
	va_list args;

	c->state = state;
	va_start(args, fmt);
	vsnprintf(c->detail, sizeof(c->detail), fmt, args);
	va_end(args);
}

static void remedy(struct condition *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void remedy(struct condition *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->remedy, sizeof(c->remedy), fmt, args);
	va_end(args);
}

/* Zeroed when it cannot be had: nothing is known then. */
static const struct jvm_about *about(struct look *l)
{
	struct error unused;

	if (!l->has_about && jvm_about(l->jvm, &l->about, &unused))
		l->about = (struct jvm_about){ 0 };
	l->has_about = true;
	return &l->about;
}

static void look_at_socket(struct look *l)
{
	int held;

	if (l->tmp < 0)
		return;
	held = attach_socket_hold(l->jvm, l->tmp, &l->socket_error);
	if (held >= 0) {
		close(held);
		l->socket = attach_socket_listens(l->jvm) ? SOCKET_OPEN
							  : SOCKET_STALE;
	} else if (l->socket_error.sys != ENOENT) {
		l->socket = SOCKET_UNTRUSTED;
	} else {
		l->socket = attach_socket_listens(l->jvm) ? SOCKET_LOST
							  : SOCKET_ABSENT;
	}
}

static void process_runs(struct look *l, struct condition *c)
{
	c->kind = ERROR_NO_TARGET;
	if (l->has_status && jvm_runs(l->jvm))
		say(c, CONDITION_HOLDS, "runs");
	else
		say(c, CONDITION_FAILS, "the process has ended");
}

static void library_mapped(struct look *l, struct condition *c)
{
	c->kind = ERROR_NO_TARGET;
	if (l->jvm->kind == JVM_HOTSPOT)
		say(c, CONDITION_HOLDS, "HotSpot (libjvm.so is mapped)");
	else if (l->jvm->kind == JVM_OPENJ9)
		say(c, CONDITION_HOLDS, "OpenJ9 (libj9vm is mapped)");
	else
		say(c, CONDITION_FAILS,
		    "neither libjvm nor libj9vm is mapped: "
		    "not a JVM, or a native image");
}

static void user_matches(struct look *l, struct condition *c)
{
	const struct jvm *jvm = l->jvm;
	unsigned uid = geteuid(), gid = getegid();
	const char *name;

	c->kind = ERROR_PERMISSION;
	if (uid == 0 || (uid == jvm->uid && gid == jvm->gid)) {
		say(c, CONDITION_HOLDS, "the JVM's uid %u, gid %u; ours %u, %u",
		    (unsigned)jvm->uid, (unsigned)jvm->gid, uid, gid);
		return;
	}
	name = about(l)->user;
	if (uid == jvm->uid) {
		say(c, CONDITION_FAILS,
		    "the JVM runs with gid %u, this process with %u",
		    (unsigned)jvm->gid, gid);
		remedy(c, "run with that group (newgrp, sg) or as root");
	} else {
		say(c, CONDITION_FAILS,
		    "the JVM runs as user %s (uid %u), this process as uid %u",
		    name ? name : "?", (unsigned)jvm->uid, uid);
		remedy(c, "run as that user or root");
	}
}

/* Its main thread's state stands for all of them: only T and t stop them all.
 */
static void state_is_running(struct look *l, struct condition *c)
{
	c->kind = ERROR_REFUSED;
	switch (l->status.state) {
	case 'T':
		say(c, CONDITION_FAILS, "stopped by a signal (state T)");
		remedy(c, "kill -CONT %d", (int)l->jvm->pid);
		break;
	case 't':
		say(c, CONDITION_WAITS,
		    "stopped by process %d, which traces "
		    "it (state t)",
		    (int)l->status.tracer);
		remedy(c, "let the debugger or strace go on");
		break;
	case 'D':
		say(c, CONDITION_UNKNOWN,
		    "in uninterruptible sleep (state D): waits for a disk or "
		    "a network file system, or is frozen");
		break;
	default:
		say(c, CONDITION_HOLDS, "not stopped (state %c)",
		    l->status.state);
	}
}

static void cgroup_is_thawed(struct look *l, struct condition *c)
{
	bool frozen = attach_cgroup_is_frozen(l->jvm->pid);

	c->kind = ERROR_REFUSED;
	say(c, frozen ? CONDITION_FAILS : CONDITION_HOLDS, "%s",
	    frozen ? "its cgroup is frozen (a paused container)"
		   : "not frozen");
	if (frozen)
		remedy(c, "thaw it: docker unpause, or 0 into cgroup.freeze");
}

static void socket_lost(struct look *l, struct condition *c, const char *name)
{
	const char *version = about(l)->version;

	if (version && attach_socket_reopens(version)) {
		say(c, CONDITION_HOLDS,
		    "/tmp/%s has been removed; JDK %s makes a new one when it "
		    "is asked",
		    name, version);
		return;
	}
	say(c, CONDITION_FAILS,
	    "the JVM listens, but /tmp/%s has been removed, which JDK %s does "
	    "not get over (JDK-8225690)",
	    name, version ? version : "?");
	remedy(c, "keep cleaners of /tmp off .java_pid*, and start the JVM "
		  "again; SIGQUIT has it print its threads itself");
}

static void socket_is_good(struct look *l, struct condition *c)
{
	char name[ATTACH_NAMES];

	c->kind = ERROR_REFUSED;
	attach_socket_name(l->jvm, name);
	switch (l->socket) {
	case SOCKET_OPEN:
		say(c, CONDITION_HOLDS, "/tmp/%s is there, of the JVM's user",
		    name);
		break;
	case SOCKET_ABSENT:
		say(c, CONDITION_HOLDS,
		    "not there yet: the JVM makes it when it is asked");
		break;
	case SOCKET_STALE:
		say(c, CONDITION_HOLDS,
		    "/tmp/%s is of another JVM that had the pid: this one "
		    "makes its own when it is asked",
		    name);
		break;
	case SOCKET_LOST:
		socket_lost(l, c, name);
		break;
	case SOCKET_UNTRUSTED:
		c->kind = l->socket_error.kind;
		say(c, CONDITION_FAILS, "%s", l->socket_error.text);
		break;
	default:
		say(c, CONDITION_UNKNOWN, "could not be looked at");
	}
}

/* The last of several that say the same or the opposite counts. */
static bool option_is_set(const struct jvm_about *about, const char *on,
			  const char *off, const char *alias)
{
	bool is_set = false;

	for (size_t i = 0; about->vm_args && about->vm_args[i]; i++) {
		const char *arg = about->vm_args[i];

		if (strcmp(arg, on) == 0 || (alias && strcmp(arg, alias) == 0))
			is_set = true;
		else if (strcmp(arg, off) == 0)
			is_set = false;
	}
	return is_set;
}

/*
 * A JVM with -Xrs opens its socket when it starts, since it could not be woken.
 * One with +DisableAttachMechanism would print its threads on SIGQUIT.
 */
static void mechanism_enabled(struct look *l, struct condition *c)
{
	c->kind = ERROR_REFUSED;
	if (l->socket == SOCKET_OPEN) {
		say(c, CONDITION_HOLDS, "enabled: the socket is there");
	} else if (!about(l)->vm_args) {
		say(c, CONDITION_UNKNOWN, "its options could not be read");
	} else if (option_is_set(about(l), "-XX:+DisableAttachMechanism",
				 "-XX:-DisableAttachMechanism", NULL)) {
		say(c, CONDITION_FAILS,
		    "the JVM was started with "
		    "-XX:+DisableAttachMechanism");
		remedy(c, "start it without; or ask by JMX");
	} else if (option_is_set(about(l), "-XX:+ReduceSignalUsage",
				 "-XX:-ReduceSignalUsage", "-Xrs")) {
		say(c, CONDITION_FAILS,
		    "the JVM was started with -Xrs: SIGQUIT would kill it, and "
		    "the socket that it opened has gone");
		remedy(c, "start it without, and keep cleaners of /tmp off "
			  ".java_pid*");
	} else {
		say(c, CONDITION_HOLDS, "not disabled by an option");
	}
}

static void signal_handled(struct look *l, struct condition *c)
{
	const uint64_t quit = UINT64_C(1) << (SIGQUIT - 1);

	c->kind = ERROR_REFUSED;
	if (l->socket == SOCKET_OPEN) {
		say(c, CONDITION_HOLDS, "not needed: the socket is there");
	} else if (l->status.ignored & quit) {
		say(c, CONDITION_FAILS,
		    "SIGQUIT is ignored, so the JVM cannot "
		    "be woken");
		remedy(c, "start it with env --default-signal=QUIT");
	} else if (l->status.caught & quit && attach_has_started(l->jvm)) {
		say(c, CONDITION_HOLDS, "SIGQUIT is handled");
	} else if (l->status.caught & quit) {
		say(c, CONDITION_WAITS, "the JVM is starting");
		remedy(c, "try again in a moment");
	} else {
		say(c, CONDITION_WAITS,
		    "SIGQUIT is not handled and would kill the JVM: it is "
		    "starting, or was started with -Xrs");
		remedy(c, "start it without -Xrs");
	}
}

/* By its mode; of groups beside the first nothing is known, so they may. */
static bool may_write(const struct jvm *jvm, const struct stat *st)
{
	mode_t mode = st->st_mode;

	if (jvm->uid == 0)
		return true;
	if (jvm->uid == st->st_uid)
		return (mode & 0300) == 0300;
	return (mode & 0003) == 0003 || (mode & 0030) == 0030;
}

static void tmp_is_usable(struct look *l, struct condition *c)
{
	struct statvfs fs;
	struct stat st;

	c->kind = ERROR_REFUSED;
	if (l->tmp < 0) {
		c->kind = l->tmp_error.kind == ERROR_UNAVAILABLE
				  ? ERROR_REFUSED
				  : l->tmp_error.kind;
		say(c, CONDITION_FAILS, "the JVM's /tmp cannot be opened: %s",
		    l->tmp_error.text);
		remedy(c, l->tmp_error.kind == ERROR_PERMISSION
				  ? "that takes CAP_SYS_PTRACE, or the JVM's "
				    "own user"
				  : "the JVM needs a /tmp that it may write "
				    "to");
	} else if (l->socket == SOCKET_OPEN) {
		say(c, CONDITION_HOLDS, "is there");
	} else if (fstatvfs(l->tmp, &fs) < 0 || fstat(l->tmp, &st) < 0) {
		say(c, CONDITION_UNKNOWN, "could not be looked at");
	} else if (!may_write(l->jvm, &st)) {
		say(c, CONDITION_FAILS,
		    "the JVM's user may not write to its /tmp (mode %03o, uid "
		    "%u): it cannot make its socket",
		    (unsigned)st.st_mode & 07777, (unsigned)st.st_uid);
		remedy(c, "give it mode 1777");
	} else if (fs.f_flag & ST_RDONLY) {
		say(c, CONDITION_FAILS,
		    "/tmp is read-only there: the JVM cannot make its socket");
		remedy(c, "mount a small tmpfs on /tmp; or start the JVM with "
			  "JMX and ask by that");
	} else if (fs.f_favail == 0 && fs.f_files) {
		say(c, CONDITION_FAILS,
		    "/tmp has no inode left there: the JVM cannot make its "
		    "socket");
		remedy(c, "make room in it");
	} else {
		say(c, CONDITION_HOLDS, "is there and writable");
	}
}

/* OpenJ9's own. */
static void api_enabled(struct look *l, struct condition *c)
{
	struct error err;

	c->kind = ERROR_REFUSED;
	if (openj9_is_enabled(l->jvm, &err))
		say(c, CONDITION_HOLDS, "enabled");
	else
		say(c, CONDITION_FAILS, "%s", err.text);
}

/* In the order in which they are reported; JVM_NONE = of JVMs of any kind. */
static const struct {
	const char *name;
	condition_fn *look;
	enum jvm_kind kind;
} table[] = {
	{ "process", process_runs, JVM_NONE },
	{ "JVM", library_mapped, JVM_NONE },
	{ "user", user_matches, JVM_NONE },
	{ "state", state_is_running, JVM_NONE },
	{ "cgroup", cgroup_is_thawed, JVM_NONE },
	{ "/tmp", tmp_is_usable, JVM_NONE },
	{ "socket", socket_is_good, JVM_HOTSPOT },
	{ "attach mechanism", mechanism_enabled, JVM_HOTSPOT },
	{ "signal handler", signal_handled, JVM_HOTSPOT },
	{ "attach API", api_enabled, JVM_OPENJ9 },
};

#define CONDITIONS (sizeof(table) / sizeof(*table))

_Static_assert(CONDITIONS <= ATTACH_CONDITIONS_MAX, "the callers' lists");

static size_t look_at_all(const struct jvm *jvm, struct condition *list)
{
	struct look l = { .jvm = jvm, .tmp = -1 };
	struct error unused;
	size_t count = 0;

	l.has_status = procfs_status(jvm->pid, &l.status, &unused) == 0;
	l.tmp = attach_socket_dir(jvm, &l.tmp_error);
	if (jvm->kind == JVM_HOTSPOT)
		look_at_socket(&l);
	for (size_t i = 0; i < CONDITIONS; i++) {
		struct condition *c = &list[count];

		if (table[i].kind != JVM_NONE && table[i].kind != jvm->kind)
			continue;
		*c = (struct condition){ .name = table[i].name };
		table[i].look(&l, c);
		count++;
		/* Of what has gone there is nothing more to be said. */
		if (i == 0 && c->state == CONDITION_FAILS)
			break;
	}
	if (l.tmp >= 0)
		close(l.tmp);
	jvm_about_release(&l.about);
	return count;
}

/* What a child found, in memory that is shared with it. */
struct report {
	const struct jvm *jvm;
	size_t count;
	struct condition list[ATTACH_CONDITIONS_MAX];
};

static int look_job(void *self, int channel, struct error *err)
{
	struct report *report = self;

	(void)channel;
	(void)err;
	report->count = look_at_all(report->jvm, report->list);
	return CHILD_NOTHING;
}

static size_t no_answer(const struct error *err, struct condition *list)
{
	*list = (struct condition){ .name = "file system",
				    .kind = ERROR_REFUSED };
	say(list, CONDITION_FAILS, "%s", err->text);
	remedy(list, "see what its /tmp is mounted from");
	return 1;
}

/* Another's file system may hold up whoever looks into it: so a child does. */
static size_t look_by_child(struct report *report, struct condition *list)
{
	int64_t deadline_ns = clock_monotonic_ns() + LOOK_NS;
	struct child child;
	enum child_news news;
	struct error err = { .text = "it cannot be looked at" };
	int fd = -1;

	if (helper_process_start(&child, report->jvm, look_job, report, &err))
		return no_answer(&err, list);
	news = helper_process_wait(&child, deadline_ns, &fd, &err);
	helper_process_end(&child);
	if (news != CHILD_DONE || report->count > CONDITIONS)
		return no_answer(&err, list);
	memcpy(list, report->list, report->count * sizeof(*list));
	return report->count;
}

size_t attach_conditions(const struct jvm *jvm, struct condition *list)
{
	struct report *report;
	size_t count;

	if (!helper_process_is_needed(jvm))
		return look_at_all(jvm, list);
	report = child_memory(sizeof(*report));
	report->jvm = jvm;
	count = look_by_child(report, list);
	child_memory_free(report, sizeof(*report));
	return count;
}

bool condition_stops(const struct condition *c)
{
	if (c->state != CONDITION_FAILS && c->state != CONDITION_WAITS)
		return false;
	return strcmp(c->name, "state") == 0 || strcmp(c->name, "cgroup") == 0;
}
