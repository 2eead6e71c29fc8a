/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/attach_conditions.h"

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/jvm/attach_peer.h"
#include "core/jvm/attach_socket.h"
#include "core/jvm/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* A JVM has its handlers a tenth of a second after it starts, mostly. */
#define START_NS (5 * CLOCK_NS_PER_S)
#define STEP_NS  (10 * CLOCK_NS_PER_MS)

enum socket_state {
	SOCKET_UNKNOWN,
	SOCKET_OPEN,
	SOCKET_ABSENT,
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

static void look_at_socket(struct look *l)
{
	int held;

	if (l->tmp < 0)
		return;
	held = attach_socket_hold(l->jvm, l->tmp, &l->socket_error);
	if (held >= 0) {
		close(held);
		l->socket = SOCKET_OPEN;
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
	uid_t uid = geteuid();

	c->kind = ERROR_PERMISSION;
	if (uid == 0 || (uid == jvm->uid && getegid() == jvm->gid)) {
		say(c, CONDITION_HOLDS, "the JVM's uid %u, gid %u; ours %u, %u",
		    (unsigned)jvm->uid, (unsigned)jvm->gid, (unsigned)uid,
		    (unsigned)getegid());
		return;
	}
	say(c, CONDITION_FAILS,
	    "the JVM runs as uid %u, gid %u, this process as %u, %u",
	    (unsigned)jvm->uid, (unsigned)jvm->gid, (unsigned)uid,
	    (unsigned)getegid());
	remedy(c, "run as that user or root");
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
	case SOCKET_LOST:
		say(c, CONDITION_FAILS,
		    "the JVM listens, but /tmp/%s has been removed "
		    "(JDK-8225690)",
		    name);
		remedy(c, "keep cleaners of /tmp off .java_pid*; the JVM has "
			  "to be started again");
		break;
	case SOCKET_UNTRUSTED:
		c->kind = l->socket_error.kind;
		say(c, CONDITION_FAILS, "%s", l->socket_error.text);
		break;
	default:
		say(c, CONDITION_UNKNOWN, "could not be looked at");
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
	} else if (l->status.caught & quit) {
		say(c, CONDITION_HOLDS, "SIGQUIT is handled");
	} else {
		say(c, CONDITION_WAITS,
		    "SIGQUIT is not handled and would kill the JVM: it is "
		    "starting, or was started with -Xrs");
		remedy(c, "start it without -Xrs");
	}
}

static void tmp_is_usable(struct look *l, struct condition *c)
{
	struct statvfs fs;

	c->kind = ERROR_REFUSED;
	if (l->tmp < 0) {
		c->kind = l->tmp_error.kind == ERROR_UNAVAILABLE
				  ? ERROR_REFUSED
				  : l->tmp_error.kind;
		say(c, CONDITION_FAILS, "the JVM's /tmp cannot be opened: %s",
		    l->tmp_error.text);
		remedy(c, "the JVM needs a /tmp that it may write to");
	} else if (l->socket == SOCKET_OPEN) {
		say(c, CONDITION_HOLDS, "is there");
	} else if (fstatvfs(l->tmp, &fs) == 0 && fs.f_flag & ST_RDONLY) {
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

/* In the order in which they are reported. */
static const struct {
	const char *name;
	condition_fn *look;
} table[] = {
	{ "process", process_runs },
	{ "JVM", library_mapped },
	{ "user", user_matches },
	{ "state", state_is_running },
	{ "/tmp", tmp_is_usable },
	{ "socket", socket_is_good },
	{ "signal handler", signal_handled },
};

#define CONDITIONS (sizeof(table) / sizeof(*table))

_Static_assert(CONDITIONS <= ATTACH_CONDITIONS_MAX, "the callers' lists");

size_t attach_conditions(const struct jvm *jvm, struct condition *list)
{
	struct look l = { .jvm = jvm, .tmp = -1 };
	struct error unused;
	size_t i;

	l.has_status = procfs_status(jvm->pid, &l.status, &unused) == 0;
	l.tmp = attach_socket_dir(jvm, &l.tmp_error);
	look_at_socket(&l);
	for (i = 0; i < CONDITIONS; i++) {
		list[i] = (struct condition){ .name = table[i].name };
		table[i].look(&l, &list[i]);
		/* Of what has gone there is nothing more to be said. */
		if (i == 0 && list[i].state == CONDITION_FAILS)
			break;
	}
	if (l.tmp >= 0)
		close(l.tmp);
	return i < CONDITIONS ? i + 1 : i;
}

static int fail_by(const struct jvm *jvm, const struct condition *c,
		   struct error *err)
{
	return fail(err, c->kind, "%d: cannot attach: %s%s%s", (int)jvm->pid,
		    c->detail, *c->remedy ? "; " : "", c->remedy);
}

int attach_conditions_met(const struct jvm *jvm, int64_t deadline_ns,
			  struct error *err)
{
	int64_t until = clock_monotonic_ns() + START_NS;
	struct condition list[ATTACH_CONDITIONS_MAX];

	if (until > deadline_ns)
		until = deadline_ns;
	for (;;) {
		size_t count = attach_conditions(jvm, list);
		const struct condition *waits = NULL;

		for (size_t i = 0; i < count; i++) {
			if (list[i].state == CONDITION_FAILS)
				return fail_by(jvm, &list[i], err);
			if (list[i].state == CONDITION_WAITS && !waits)
				waits = &list[i];
		}
		if (!waits)
			return 0;
		if (clock_left_ms(until) == 0)
			return fail_by(jvm, waits, err);
		clock_sleep_until(clock_monotonic_ns() + STEP_NS);
	}
}
