/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach_conditions.h"

#include "core/attach/attach_openj9.h"
#include "core/attach/attach_socket.h"
#include "core/attach/helper_process.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/jvm/cgroup.h"
#include "core/jvm/opener.h"
#include "core/jvm/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS                                                                \
	(3 * CLOCK_NS_PER_S) /* maximum time for a file system to respond */
#define YOUNG_NS (20 * CLOCK_NS_PER_S)
/* Most JVMs install their handlers within 0.1 s. */
#define START_NS (5 * CLOCK_NS_PER_S)
#define STEP_NS  (20 * CLOCK_NS_PER_MS)

/*
 * Tells whether the start of a HotSpot JVM is over, so that it can be woken.
 * While it starts, the JVM handles SIGQUIT a moment before it removes the
 * socket of an earlier JVM with the same PID (AttachListener::vm_start(), JDK 6
 * to 25 at least). If it is woken in between, it removes the socket that it has
 * just created. So a handler is not enough: a thread that starts later must
 * exist.
 */

/*
 * Names of threads, truncated by the kernel, that start after the attach
 * listener is initialized.
 */
static const char *const later_threads[] = {
	"Service Thread\n",
	"C1 CompilerThre",
	"C2 CompilerThre",
	"VM Periodic Tas",
};

static bool start_is_recent(const struct jvm *jvm)
{
	int64_t hz = sysconf(_SC_CLK_TCK);
	struct timespec now;
	int64_t started_ns = (int64_t)(jvm->start_ticks / (uint64_t)hz) *
			     CLOCK_NS_PER_S;

	/* Start times include the time that the machine was suspended. */
	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * CLOCK_NS_PER_S - started_ns < YOUNG_NS;
}

static bool start_has_later_thread(pid_t pid, const char *tid)
{
	struct text comm = { 0 };
	char name[288];
	bool is = false;

	snprintf(name, sizeof(name), "task/%s/comm", tid);
	if (procfs_read(pid, name, PROCFS_NAMES, &comm, error_unused()) == 0 &&
	    comm.len) {
		for (size_t i = 0;
		     i < sizeof(later_threads) / sizeof(*later_threads); i++)
			is |= strncmp(comm.bytes, later_threads[i],
				      strlen(later_threads[i])) == 0;
	}
	text_release(&comm);
	return is;
}

static bool start_is_over(const struct jvm *jvm)
{
	struct dirent *entry;
	bool found = false;
	char path[64];
	DIR *tasks;

	if (!start_is_recent(jvm))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)jvm->pid);
	tasks = opendir(path);
	if (!tasks)
		return false;
	while (!found && (entry = readdir(tasks)))
		found = entry->d_name[0] != '.' &&
			start_has_later_thread(jvm->pid, entry->d_name);
	closedir(tasks);
	return found;
}

bool attach_is_starting(const struct jvm *jvm)
{
	const uint64_t quit = UINT64_C(1) << (SIGQUIT - 1);
	struct proc_status status;

	if (jvm->kind != JVM_HOTSPOT || !start_is_recent(jvm) ||
	    procfs_status(jvm->pid, &status, error_unused()))
		return false;
	return !(status.caught & quit) || !start_is_over(jvm);
}

enum socket_state {
	SOCKET_UNKNOWN,
	SOCKET_OPEN,
	SOCKET_ABSENT,
	SOCKET_STALE, /* the file exists, but the JVM does not listen */
	SOCKET_UNTRUSTED,
	SOCKET_LOST, /* the JVM listens, but the file has been removed */
};

/* Input of the conditions. */
struct look {
	const struct jvm *jvm;
	bool has_status;
	struct proc_status status;
	int tmp; /* -1 = cannot be opened, see tmp_error */
	struct error tmp_error;
	enum socket_state socket;
	struct error socket_error;
	bool has_about; /* info has been read, on first use */
	struct jvm_info about;
};

typedef void condition_fn(struct look *l, struct condition *c);

static void condition_set(struct condition *c, enum condition_state state,
			  const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void condition_set(struct condition *c, enum condition_state state,
			  const char *fmt, ...)
{
	va_list args;

	c->state = state;
	va_start(args, fmt);
	vsnprintf(c->detail, sizeof(c->detail), fmt, args);
	va_end(args);
}

static void condition_set_remedy(struct condition *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void condition_set_remedy(struct condition *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->remedy, sizeof(c->remedy), fmt, args);
	va_end(args);
}

/* Returns zeroes if the facts cannot be read. */
static const struct jvm_info *look_info(struct look *l)
{
	if (!l->has_about && jvm_info(l->jvm, &l->about, error_unused()))
		l->about = (struct jvm_info){ 0 };
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
		condition_set(c, CONDITION_HOLDS, "runs");
	else
		condition_set(c, CONDITION_FAILS, "the process has exited");
}

static void library_is_mapped(struct look *l, struct condition *c)
{
	c->kind = ERROR_NO_TARGET;
	if (l->jvm->is_hidden)
		condition_set(c, CONDITION_HOLDS,
			      "HotSpot (it has counters in /tmp; the kernel "
			      "hides its mappings from sjkc)");
	else if (l->jvm->kind == JVM_HOTSPOT)
		condition_set(c, CONDITION_HOLDS,
			      "HotSpot (libjvm.so is mapped)");
	else if (l->jvm->kind == JVM_OPENJ9)
		condition_set(c, CONDITION_HOLDS, "OpenJ9 (libj9vm is mapped)");
	else
		condition_set(c, CONDITION_FAILS,
			      "not a JVM, or a native image: neither libjvm "
			      "nor libj9vm "
			      "is mapped");
}

static void user_matches(struct look *l, struct condition *c)
{
	const struct jvm *jvm = l->jvm;
	unsigned uid = geteuid(), gid = getegid();
	const char *name;

	c->kind = ERROR_PERMISSION;
	if (uid == 0 && helper_process_lacks(jvm)) {
		condition_set(c, CONDITION_FAILS,
			      "the JVM runs with uid %u, gid %u; sjkc runs as "
			      "root without %s",
			      (unsigned)jvm->uid, (unsigned)jvm->gid,
			      helper_process_lacks(jvm));
		condition_set_remedy(c, HELPER_PROCESS_REMEDY);
		return;
	}
	if (uid == 0 || (uid == jvm->uid && gid == jvm->gid)) {
		condition_set(c, CONDITION_HOLDS,
			      "the JVM runs with uid %u, gid %u; sjkc with uid "
			      "%u, gid "
			      "%u",
			      (unsigned)jvm->uid, (unsigned)jvm->gid, uid, gid);
		return;
	}
	name = look_info(l)->user;
	if (uid == jvm->uid) {
		condition_set(c, CONDITION_FAILS,
			      "the JVM runs with gid %u, sjkc with gid %u",
			      (unsigned)jvm->gid, gid);
		condition_set_remedy(
			c, "run with that group (newgrp, sg) or as root");
	} else {
		condition_set(
			c, CONDITION_FAILS,
			"the JVM runs as user %s (uid %u), sjkc as uid %u",
			name ? name : "?", (unsigned)jvm->uid, uid);
		condition_set_remedy(c, "run as that user or root");
	}
}

/*
 * The main thread represents the process, since states T and t stop all
 * threads.
 */
static void state_is_running(struct look *l, struct condition *c)
{
	c->kind = ERROR_REFUSED;
	switch (l->status.state) {
	case 'T':
		condition_set(c, CONDITION_FAILS,
			      "stopped by a signal (state T)");
		condition_set_remedy(c, "kill -CONT %d", (int)l->jvm->pid);
		break;
	case 't':
		condition_set(c, CONDITION_WAITS,
			      "stopped by its tracer, process %d (state t)",
			      (int)l->status.tracer);
		condition_set_remedy(c, "let the debugger or strace continue");
		break;
	case 'D':
		condition_set(c, CONDITION_UNKNOWN,
			      "in uninterruptible sleep (state D): waiting for "
			      "a disk or "
			      "a network file system, or frozen");
		break;
	default:
		condition_set(c, CONDITION_HOLDS, "not stopped (state %c)",
			      l->status.state);
	}
}

static void cgroup_is_thawed(struct look *l, struct condition *c)
{
	bool frozen = cgroup_is_frozen(l->jvm);

	c->kind = ERROR_REFUSED;
	condition_set(c, frozen ? CONDITION_FAILS : CONDITION_HOLDS, "%s",
		      frozen ? "its cgroup is frozen (a paused container)"
			     : "not frozen");
	if (frozen)
		condition_set_remedy(
			c,
			"thaw it: docker unpause, or write 0 to cgroup.freeze");
}

static void socket_lost(struct look *l, struct condition *c, const char *name)
{
	const char *version = look_info(l)->version;

	if (version && attach_socket_reopens(version)) {
		condition_set(
			c, CONDITION_HOLDS,
			"/tmp/%s has been removed; JDK %s creates a new one on "
			"request",
			name, version);
		return;
	}
	condition_set(
		c, CONDITION_FAILS,
		"the JVM listens, but /tmp/%s has been removed; JDK %s cannot "
		"create it again (JDK-8225690)",
		name, version ? version : "?");
	condition_set_remedy(
		c, "exclude .java_pid* from the cleaning of /tmp and restart "
		   "the JVM; kill -QUIT makes it print a thread dump");
}

static void socket_is_good(struct look *l, struct condition *c)
{
	char name[ATTACH_NAMES];

	c->kind = ERROR_REFUSED;
	attach_socket_name(l->jvm, name);
	switch (l->socket) {
	case SOCKET_OPEN:
		condition_set(c, CONDITION_HOLDS,
			      "/tmp/%s exists and belongs to the JVM's user",
			      name);
		break;
	case SOCKET_ABSENT:
		condition_set(
			c, CONDITION_HOLDS,
			"does not exist yet; the JVM creates it on request");
		break;
	case SOCKET_STALE:
		condition_set(c, CONDITION_HOLDS,
			      "/tmp/%s belongs to an earlier JVM with this "
			      "PID; this JVM "
			      "creates its own on request",
			      name);
		break;
	case SOCKET_LOST:
		socket_lost(l, c, name);
		break;
	case SOCKET_UNTRUSTED:
		c->kind = l->socket_error.kind;
		condition_set(c, CONDITION_FAILS, "%s", l->socket_error.text);
		break;
	default:
		condition_set(c, CONDITION_UNKNOWN, "unknown");
	}
}

/* The last option wins. */
static bool option_is_set(const struct jvm_info *about, const char *on,
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

static bool look_has_xrs(struct look *l)
{
	return option_is_set(look_info(l), "-XX:+ReduceSignalUsage",
			     "-XX:-ReduceSignalUsage", "-Xrs");
}

/*
 * A JVM with -Xrs opens its socket at start, since it does not handle SIGQUIT.
 * A JVM with +DisableAttachMechanism would print a thread dump on SIGQUIT.
 */
static void mechanism_is_enabled(struct look *l, struct condition *c)
{
	c->kind = ERROR_REFUSED;
	if (l->socket == SOCKET_OPEN) {
		condition_set(c, CONDITION_HOLDS, "enabled: the socket exists");
	} else if (!look_info(l)->vm_args) {
		condition_set(c, CONDITION_UNKNOWN,
			      "the JVM's options cannot be read");
	} else if (option_is_set(look_info(l), "-XX:+DisableAttachMechanism",
				 "-XX:-DisableAttachMechanism", NULL)) {
		condition_set(c, CONDITION_FAILS,
			      "the JVM was started with "
			      "-XX:+DisableAttachMechanism");
		condition_set_remedy(c,
				     "restart the JVM without it, or use JMX");
	} else if (look_has_xrs(l)) {
		condition_set(c, CONDITION_FAILS,
			      "the JVM was started with -Xrs: it does not "
			      "handle SIGQUIT, and the socket it opened has "
			      "been removed");
		condition_set_remedy(
			c,
			"restart the JVM without -Xrs and exclude .java_pid* "
			"from the cleaning of /tmp");
	} else {
		condition_set(c, CONDITION_HOLDS, "not disabled by an option");
	}
}

/*
 * HotSpot replaces an inherited SIG_IGN. So the JVM has left the signal alone,
 * as -Xrs asks it to, or code in its process ignores the signal.
 */
static void signal_is_ignored(struct look *l, struct condition *c)
{
	bool has_options = look_info(l)->vm_args != NULL;

	if (look_has_xrs(l)) {
		condition_set(c, CONDITION_FAILS,
			      "SIGQUIT is ignored, since a JVM with -Xrs does "
			      "not handle it");
		condition_set_remedy(c, "restart the JVM without -Xrs");
		return;
	}
	condition_set(c, CONDITION_FAILS,
		      "SIGQUIT is ignored: %scode in the JVM's process "
		      "has replaced the JVM's handler",
		      has_options ? "" : "the JVM was started with -Xrs, or ");
	condition_set_remedy(c,
			     "restart the JVM %swith "
			     "-XX:+StartAttachListener",
			     has_options ? "" : "without -Xrs, or ");
}

static void signal_is_handled(struct look *l, struct condition *c)
{
	const uint64_t quit = UINT64_C(1) << (SIGQUIT - 1);

	c->kind = ERROR_REFUSED;
	if (l->socket == SOCKET_OPEN) {
		condition_set(c, CONDITION_HOLDS,
			      "not needed: the socket exists");
	} else if (l->status.ignored & quit && start_is_over(l->jvm)) {
		signal_is_ignored(l, c);
	} else if (l->status.caught & quit && start_is_over(l->jvm)) {
		condition_set(c, CONDITION_HOLDS, "SIGQUIT is handled");
	} else if ((l->status.caught | l->status.ignored) & quit) {
		/* HotSpot replaces an inherited SIG_IGN late in its start. */
		condition_set(c, CONDITION_WAITS, "the JVM is starting");
		condition_set_remedy(c, "try again in a moment");
	} else {
		condition_set(
			c, CONDITION_WAITS,
			"SIGQUIT is not handled and would kill the JVM: it is "
			"starting, or was started with -Xrs");
		condition_set_remedy(c, "restart the JVM without -Xrs");
	}
}

/*
 * Checks the mode only. The user's supplementary groups are unknown, so a group
 * permission counts.
 */
static bool tmp_may_write(const struct jvm *jvm, const struct stat *st)
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
		condition_set(c, CONDITION_FAILS,
			      "the JVM's /tmp cannot be opened: %s",
			      l->tmp_error.text);
		condition_set_remedy(
			c,
			l->tmp_error.kind == ERROR_PERMISSION
				? "run as the JVM's user or with CAP_SYS_PTRACE"
				: "the JVM needs a writable /tmp");
	} else if (l->socket == SOCKET_OPEN) {
		condition_set(c, CONDITION_HOLDS, "exists");
	} else if (fstatvfs(l->tmp, &fs) < 0 || fstat(l->tmp, &st) < 0) {
		condition_set(c, CONDITION_UNKNOWN, "unknown");
	} else if (!tmp_may_write(l->jvm, &st)) {
		condition_set(c, CONDITION_FAILS,
			      "the JVM's user cannot write to its /tmp (mode "
			      "%03o, uid "
			      "%u), so the JVM cannot create its socket",
			      (unsigned)st.st_mode & 07777,
			      (unsigned)st.st_uid);
		condition_set_remedy(c, "set mode 1777");
	} else if (fs.f_flag & ST_RDONLY) {
		condition_set(c, CONDITION_FAILS,
			      "the JVM's /tmp is read-only, so the JVM cannot "
			      "create its "
			      "socket");
		condition_set_remedy(
			c, "mount a small tmpfs on /tmp, or restart the JVM "
			   "with JMX enabled and use JMX");
	} else if (fs.f_favail == 0 && fs.f_files) {
		condition_set(
			c, CONDITION_FAILS,
			"the JVM's /tmp has no free inode, so the JVM cannot "
			"create its socket");
		condition_set_remedy(c, "delete files in it");
	} else {
		condition_set(c, CONDITION_HOLDS, "exists and is writable");
	}
}

static void signal_can_be_sent(struct look *l, struct condition *c)
{
	struct error err;

	if (l->socket == SOCKET_OPEN) {
		condition_set(c, CONDITION_HOLDS,
			      "not needed: the socket exists");
	} else if (attach_check_pidfd(l->jvm, &err)) {
		c->kind = err.kind;
		condition_set(c, CONDITION_FAILS, "%s", err.text);
	} else if (l->jvm->pidfd >= 0 &&
		   syscall(SYS_pidfd_send_signal, l->jvm->pidfd, 0, NULL, 0) <
			   0 &&
		   errno == EPERM) {
		c->kind = ERROR_PERMISSION;
		condition_set(c, CONDITION_FAILS,
			      "sjkc may not signal the JVM without CAP_KILL");
		condition_set_remedy(c, HELPER_PROCESS_REMEDY);
	} else {
		condition_set(c, CONDITION_HOLDS,
			      "sjkc can signal the JVM by pidfd");
	}
}

/* Conditions of OpenJ9. */
static void api_is_enabled(struct look *l, struct condition *c)
{
	struct error err;

	c->kind = ERROR_REFUSED;
	if (openj9_is_enabled(l->jvm, &err))
		condition_set(c, CONDITION_HOLDS, "enabled");
	else
		condition_set(c, CONDITION_FAILS, "%s", err.text);
}

/* In the order of the report; JVM_NONE applies to all JVMs. */
static const struct {
	const char *name;
	condition_fn *look;
	enum jvm_kind kind;
} table[] = {
	{ "process", process_runs, JVM_NONE },
	{ "JVM", library_is_mapped, JVM_NONE },
	{ "user", user_matches, JVM_NONE },
	{ "state", state_is_running, JVM_NONE },
	{ "cgroup", cgroup_is_thawed, JVM_NONE },
	{ "/tmp", tmp_is_usable, JVM_NONE },
	{ "socket", socket_is_good, JVM_HOTSPOT },
	{ "attach mechanism", mechanism_is_enabled, JVM_HOTSPOT },
	{ "signal handler", signal_is_handled, JVM_HOTSPOT },
	{ "pidfd", signal_can_be_sent, JVM_HOTSPOT },
	{ "attach API", api_is_enabled, JVM_OPENJ9 },
};

#define CONDITIONS (sizeof(table) / sizeof(*table))

_Static_assert(CONDITIONS <= ATTACH_CONDITIONS_MAX, "the callers' lists");

static size_t look_check_all(const struct jvm *jvm, struct condition *list)
{
	struct look l = { .jvm = jvm, .tmp = -1 };
	size_t count = 0;

	l.has_status = procfs_status(jvm->pid, &l.status, error_unused()) == 0;
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
		/*
		 * The other conditions do not apply to a process that has
		 * ended.
		 */
		if (i == 0 && c->state == CONDITION_FAILS)
			break;
	}
	if (l.tmp >= 0)
		close(l.tmp);
	jvm_info_release(&l.about);
	return count;
}

/* Results of a child, in shared memory. */
struct report {
	const struct jvm *jvm;
	int64_t until_ns; /* when to stop waiting for a starting JVM */
	size_t count;
	struct condition list[ATTACH_CONDITIONS_MAX];
};

static bool report_has(const struct report *r, enum condition_state state)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->list[i].state == state)
			return true;
	return false;
}

/* Checks the conditions until the JVM has started; reports each round. */
static int look_job(void *self, int channel, struct error *err)
{
	struct report *r = self;

	(void)err;
	for (;;) {
		r->count = look_check_all(r->jvm, r->list);
		if (report_has(r, CONDITION_FAILS) ||
		    !report_has(r, CONDITION_WAITS) ||
		    clock_monotonic_ns() >= r->until_ns)
			return CHILD_NOTHING;
		if (child_tell(channel, 'w', -1))
			return CHILD_NOTHING;
		clock_sleep_until(clock_monotonic_ns() + STEP_NS);
	}
}

static void report_timeout(struct report *r, const struct error *err)
{
	r->list[0] = (struct condition){ .name = "file system",
					 .kind = ERROR_REFUSED };
	condition_set(r->list, CONDITION_FAILS, "%s", err->text);
	condition_set_remedy(r->list,
			     "check which file system is mounted on its /tmp");
	r->count = 1;
}

/* A file system may block, so a child accesses it. */
static void look_in_child(struct report *r)
{
	enum child_news news = CHILD_FAILED;
	struct error err = { .text = "its state is unknown" };
	struct child child;
	int fd;

	if (opener_avoids(r->jvm, OPENER_TMP))
		fail(&err, ERROR_REFUSED, "its file system does not respond");
	else if (helper_process_start(&child, r->jvm, look_job, r, &err) == 0) {
		do
			news = helper_process_wait(
				&child, clock_monotonic_ns() + LOOK_NS, &fd,
				&err);
		while (news == CHILD_TOLD);
		helper_process_end(&child);
	}
	if (news != CHILD_DONE || r->count > CONDITIONS)
		report_timeout(r, &err);
}

/*
 * Checks the conditions until until_ns (0: once) and fills list; returns their
 * number.
 */
static size_t look_until(const struct jvm *jvm, int64_t until_ns,
			 struct condition *list)
{
	struct report *r = child_memory(sizeof(*r));
	size_t count;

	r->jvm = jvm;
	r->until_ns = until_ns;
	look_in_child(r);
	count = r->count;
	memcpy(list, r->list, count * sizeof(*list));
	child_memory_free(r, sizeof(*r));
	return count;
}

size_t attach_conditions(const struct jvm *jvm, struct condition *list)
{
	return look_until(jvm, 0, list);
}

int attach_conditions_met(const struct jvm *jvm, int64_t deadline_ns,
			  struct error *err)
{
	int64_t until_ns = clock_monotonic_ns() + START_NS;
	struct condition list[ATTACH_CONDITIONS_MAX];
	const struct condition *first = NULL;
	size_t count = look_until(
		jvm, until_ns < deadline_ns ? until_ns : deadline_ns, list);

	for (size_t i = 0; i < count; i++) {
		const struct condition *c = &list[i];

		if (c->state == CONDITION_FAILS ||
		    (c->state == CONDITION_WAITS && !first))
			first = c;
		if (c->state == CONDITION_FAILS)
			break;
	}
	if (!first)
		return 0;
	return fail(err, first->kind, "%d: cannot attach: %s%s%s",
		    (int)jvm->pid, first->detail, *first->remedy ? "; " : "",
		    first->remedy);
}

bool condition_stops(const struct condition *c)
{
	if (c->state != CONDITION_FAILS && c->state != CONDITION_WAITS)
		return false;
	return strcmp(c->name, "state") == 0 || strcmp(c->name, "cgroup") == 0;
}

/*
 * Finds the first condition that fails now, or else the first that does not
 * hold for sure.
 */
static bool timeout_find_reason(const struct jvm *jvm, struct text *why)
{
	struct condition list[ATTACH_CONDITIONS_MAX];
	size_t count = attach_conditions(jvm, list);
	const struct condition *reason = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct condition *c = &list[i];

		if (c->state == CONDITION_HOLDS || c->kind != ERROR_REFUSED)
			continue;
		if (!reason || (reason->state != CONDITION_FAILS &&
				c->state == CONDITION_FAILS))
			reason = c;
	}
	if (reason)
		text_printf(why, "%s%s%s", reason->detail,
			    *reason->remedy ? "; " : "", reason->remedy);
	return reason != NULL;
}

int attach_timed_out(const struct jvm *jvm, int64_t timeout_ns,
		     struct error *err)
{
	struct text time = { 0 }, why = { 0 };

	if (jvm_is_ending(jvm))
		return jvm_fail_ended(jvm, err);
	units_add_time(&time, (double)timeout_ns);
	if (!timeout_find_reason(jvm, &why))
		text_puts(&why, "it may be busy with another request, in a "
				"long pause, short of CPU, or wait for a "
				"thread to reach a safepoint (sjkc gc reports "
				"this, prof shows the code); the request may "
				"stay queued in the JVM");
	fail(err, ERROR_REFUSED, "%d: the JVM did not respond within %s: %s",
	     (int)jvm->pid, time.bytes, why.bytes);
	text_release(&time);
	text_release(&why);
	return -1;
}
