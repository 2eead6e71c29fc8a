/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the parts of sjkc snap. Each part is a child: a command of sjkc with its
 * own options, a collector, or a command of the user. Its output and messages
 * go to memory files.
 */
#include "bpf/load.h"
#include "cmd/commands.h"
#include "cmd/shared/log.h"
#include "cmd/shared/signals.h"
#include "cmd/snap/snap.h"
#include "core/base/alloc.h"
#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/tar.h"
#include "core/base/units.h"
#include "core/formats/snap_bundle.h"
#include "core/jvm/java_command.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PART_BYTES     ((size_t)64 << 20) /* maximum output of a part */
#define MESSAGE_BYTES  ((size_t)2000)
#define PART_NS        (30 * CLOCK_NS_PER_S) /* after the observation */
#define LAST_NS        (60 * CLOCK_NS_PER_S)
#define INTERRUPTED_NS (3 * CLOCK_NS_PER_S)
#define GRACE_NS       (2 * CLOCK_NS_PER_S) /* after SIGTERM */

enum { ARGUMENTS_MAX = 16 };

enum part_time {
	PART_AT_ONCE,
	PART_LAST,    /* after the others, because it stops the program */
	PART_MACHINE, /* of the machine, not of a JVM */
};

struct snap_part {
	const char *name;  /* of the member, unless it is a collector */
	const char *words; /* a command of sjkc, with PID and TIME; or NULL */
	const char *quick; /* the same with --quick; NULL: as without */
	snap_collector *collect; /* if there is no command of sjkc */
	enum part_time time;
	unsigned begin;   /* percent of the time of observation */
	bool is_slow;     /* not with --quick */
	bool is_required; /* removed last for --max-size */
};

#define PART(n, w, ...)                                                        \
	{                                                                      \
		.name = (n), .words = (w), __VA_ARGS__                         \
	}
#define DUMP(number, percent, ...)                                             \
	PART(SNAP_DUMP #number ".txt", "jstack -e PID", .begin = (percent),    \
	     __VA_ARGS__)

/* clang-format off */
static const struct snap_part parts[] = {
	PART(SNAP_WHY, "why --json -d TIME PID", .is_required = true),
	DUMP(1, 0, .is_required = true),
	DUMP(2, 25),
	DUMP(3, 50),
	DUMP(4, 75),
	DUMP(5, 100),
	PART(SNAP_GC, "gc --json --safepoints -d TIME PID",
	     .quick = "gc --json --source counters -d TIME PID"),
	PART(SNAP_PROFILE, "prof -e cpu --no-agent -d TIME -o - "
	     "--output-format jfr PID", .is_slow = true),
	PART("vminfo.txt", "vminfo PID"),
	PART("flags.txt", "vminfo --flags PID"),
	PART("counters.txt", "vminfo --perf PID"),
	PART("native_memory.txt", "jcmd PID VM.native_memory summary"),
	PART("process", NULL, .collect = snap_process),
	PART("logs", NULL, .collect = snap_logs),
	PART("histogram.txt", "hh --timeout 60s PID", .time = PART_LAST,
	     .is_slow = true),
	PART("classloaders.txt", "jcmd PID VM.classloader_stats",
	     .time = PART_LAST, .is_slow = true),
	PART("system", NULL, .collect = snap_system, .time = PART_MACHINE),
};
/* clang-format on */

#define PARTS (sizeof(parts) / sizeof(*parts))

enum task_state { TASK_WAITS, TASK_RUNS, TASK_ENDS, TASK_HAS_ENDED };

/* A part of a JVM. */
struct task {
	const struct run *run;
	struct snap_part part;
	const struct jvm *jvm; /* NULL: of the machine */
	const char *shell;     /* a command of --exec, or NULL */
	enum task_state state;
	struct child child;
	int out, messages; /* memory files */
	int64_t due_ns, began_ns, deadline_ns;
};

struct run {
	const struct snap_options *o;
	struct snap_bundle *bundle;
	struct task *tasks;
	size_t count, cap;
	int64_t begin_ns, duration_ns;
	char (*names)[32]; /* of the members of --exec */
	bool is_interrupted;
};

/* ---- in the child ---- */

/* Runs a command as main() does; its options are still those of the start. */
static int task_run_command(const struct task *t, struct error *err)
{
	bool is_quick = t->run->o->is_quick;
	const char *words = is_quick && t->part.quick ? t->part.quick
						      : t->part.words;
	char *copy = xstrdup(words), *rest = copy, *word, pid[16];
	char *argv[ARGUMENTS_MAX + 1] = { NULL };
	const struct command *c;
	enum command_help help;
	int argc = 0, first;

	snprintf(pid, sizeof(pid), "%d", (int)t->jvm->pid);
	while ((word = strsep(&rest, " ")) && argc < ARGUMENTS_MAX) {
		if (strcmp(word, "PID") == 0)
			word = pid;
		else if (strcmp(word, "TIME") == 0)
			word = (char *)(uintptr_t)(is_quick ? "2s" : "10s");
		argv[argc++] = word;
	}
	c = command_find(argv[0]);
	first = command_parse(c, argc, argv, &help, err);
	return first < 0 ? -1 : c->run(argc - first, argv + first, err);
}

static int shell_exec(void *self, int channel, struct error *err)
{
	char *argv[] = { (char *)(uintptr_t) "/bin/sh",
			 (char *)(uintptr_t) "-c", self, NULL };

	(void)channel;
	setsid();
	return child_exec(argv, err);
}

/* Runs a command of the user, and kills it at the deadline. */
static int task_run_shell(const struct task *t, struct error *err)
{
	static const struct child_options options = {
		.files = CHILD_KEEPS_FILES,
		.signals = CHILD_DEFAULT_SIGNALS,
		.dies_with_parent = true,
	};
	struct child c;
	char pid[16];
	pid_t group;
	int status = 0;

	snprintf(pid, sizeof(pid), "%d", (int)t->jvm->pid);
	setenv("SJKC_PID", pid, 1);
	if (child_start(&c, &options, shell_exec, (void *)(uintptr_t)t->shell,
			err))
		return -1;
	group = c.pid;
	if (!child_reap(c.pid, &status, t->deadline_ns - CLOCK_NS_PER_S)) {
		kill(-group, SIGKILL);
		child_end(&c, 0);
		return fail(err, ERROR_FAILED, "did not end in time");
	}
	child_leave(&c);
	if (WIFSIGNALED(status))
		return fail(err, ERROR_FAILED, "signal %d ended it",
			    WTERMSIG(status));
	return WEXITSTATUS(status) ? fail(err, ERROR_FAILED, "exit status %d",
					  WEXITSTATUS(status))
				   : 0;
}

static int task_job(void *self, int channel, struct error *err)
{
	const struct rlimit limit = { PART_BYTES, PART_BYTES };
	const struct task *t = self;
	int ret = 0;

	(void)channel;
	signals_forget();
	setrlimit(RLIMIT_FSIZE, &limit);
	dup2(t->out, STDOUT_FILENO);
	dup2(t->messages, STDERR_FILENO);
	if (t->run->o->is_quick)
		load_forbid("--quick uses no eBPF");
	if (t->part.collect)
		t->part.collect(t->jvm, STDOUT_FILENO);
	else
		ret = t->shell ? task_run_shell(t, err)
			       : task_run_command(t, err);
	return ret ? -1 : CHILD_NOTHING;
}

/* ---- results ---- */

/* Appends the name of a member in the bundle: "4711/why.json". */
static void task_name(const struct task *t, const char *name, struct text *out)
{
	text_clear(out);
	if (t->run->o->in_directories && t->jvm)
		text_printf(out, "%d/", (int)t->jvm->pid);
	text_puts(out, name);
}

static void task_log(const struct text *path, const char *status,
		     const char *error)
{
	if (strcmp(status, "skipped") != 0)
		log_info("%s: %s: %s", path->bytes, status, error);
}

static void task_miss(struct task *t, const char *name, const char *status,
		      const char *error)
{
	struct text path = { 0 };

	task_name(t, name, &path);
	task_log(&path, status, error);
	snap_bundle_miss(t->run->bundle, path.bytes, status, error);
	text_release(&path);
}

/* Adds the members that a collector has written. */
static void task_add_collected(struct task *t, const struct text *out,
			       const char *error)
{
	struct text path = { 0 };
	struct tar_member m;
	struct tar tar;

	tar_open(&tar, (const uint8_t *)out->bytes, out->len);
	while (tar_next(&tar, &m) && !tar.is_cut) {
		if (*m.name == '!') {
			char *why = xstrndup((const char *)m.bytes, m.len);

			task_name(t, m.name + 1, &path);
			snap_bundle_miss(t->run->bundle, path.bytes, "failed",
					 why);
			free(why);
			continue;
		}
		task_name(t, m.name, &path);
		snap_bundle_add(t->run->bundle, path.bytes, m.bytes, m.len,
				false);
	}
	if (error)
		task_miss(t, t->part.name, "failed", error);
	text_release(&path);
}

static char *task_messages(struct task *t)
{
	struct text text = { 0 }, masked = { 0 };

	lseek(t->messages, 0, SEEK_SET);
	if (snap_read_file(t->messages, MESSAGE_BYTES, &text, error_unused()) ==
	    0)
		secrets_add_lines(&masked, text.bytes, text.len);
	text_release(&text);
	return masked.bytes;
}

/* Adds the output of a command, which may have failed. */
static void task_add_output(struct task *t, const struct text *out,
			    enum error_kind kind, const char *error)
{
	struct text path = { 0 };
	struct snap_member *m;

	if (error && !out->len) {
		task_miss(t, t->part.name, "failed", error);
	} else {
		task_name(t, t->part.name, &path);
		m = snap_bundle_add(t->run->bundle, path.bytes,
				    out->len ? out->bytes : "", out->len,
				    t->part.is_required);
		if (error && m->packed.len) {
			m->status = kind == ERROR_PARTIAL ? "partial"
							  : "failed";
			m->error = xstrdup(error);
			task_log(&path, m->status, error);
		}
		text_release(&path);
	}
	m = &t->run->bundle->all[t->run->bundle->count - 1];
	m->seconds = (double)(clock_monotonic_ns() - t->began_ns) /
		     (double)CLOCK_NS_PER_S;
	m->messages = task_messages(t);
	t->messages = -1;
}

/* Ends a task; error is NULL if it has succeeded. */
static void task_finish(struct task *t, enum error_kind kind, const char *error)
{
	struct text out = { 0 };
	struct error err;

	child_end(&t->child, GRACE_NS);
	lseek(t->out, 0, SEEK_SET);
	if (snap_read_file(t->out, PART_BYTES, &out, &err) && !error)
		error = err.text;
	if (t->part.collect)
		task_add_collected(t, &out, error);
	else
		task_add_output(t, &out, kind, error);
	if (t->messages >= 0)
		close(t->messages);
	t->state = TASK_HAS_ENDED;
	text_release(&out);
}

/* ---- the schedule ---- */

static void task_start(struct task *t)
{
	struct child_options options = { .signals = CHILD_KEEPS_SIGNALS,
					 .dies_with_parent = true };
	int kept[2];
	struct error err;

	t->began_ns = clock_monotonic_ns();
	t->deadline_ns = t->began_ns +
			 (t->part.time == PART_LAST
				  ? LAST_NS
				  : t->run->duration_ns + PART_NS);
	if (t->jvm && !jvm_runs(t->jvm)) {
		t->state = TASK_HAS_ENDED;
		task_miss(t, t->part.name, "failed", "the JVM has exited");
		return;
	}
	kept[0] = t->out = memfd_create("out", MFD_CLOEXEC);
	kept[1] = t->messages = memfd_create("messages", MFD_CLOEXEC);
	options.kept = kept;
	options.kept_count = 2;
	t->state = TASK_RUNS;
	if (t->out < 0 || t->messages < 0)
		fail_sys(&err, ERROR_FAILED, "memfd_create");
	else if (child_start(&t->child, &options, task_job, t, &err) == 0)
		return;
	task_finish(t, ERROR_FAILED, err.text);
}

/* True if no task of the JVM runs or waits except those of the end. */
static bool task_is_last(const struct run *r, const struct task *t)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct task *other = &r->tasks[i];

		if (other->jvm == t->jvm &&
		    (other->state == TASK_RUNS || other->state == TASK_ENDS ||
		     (other->state == TASK_WAITS &&
		      other->part.time != PART_LAST)))
			return false;
	}
	return true;
}

/* Starts the tasks that are due; returns when the next one is. */
static int64_t run_start_due(struct run *r)
{
	int64_t next_ns = INT64_MAX, now_ns = clock_monotonic_ns();

	for (size_t i = 0; i < r->count; i++) {
		struct task *t = &r->tasks[i];

		if (t->state != TASK_WAITS)
			continue;
		if (r->is_interrupted) {
			t->state = TASK_HAS_ENDED;
			task_miss(t, t->part.name, "skipped", "interrupted");
		} else if (t->part.time == PART_LAST
				   ? task_is_last(r, t)
				   : t->due_ns <= now_ns ||
					     (t->jvm && !jvm_runs(t->jvm))) {
			task_start(t);
		} else if (t->part.time != PART_LAST && t->due_ns < next_ns) {
			next_ns = t->due_ns;
		}
	}
	return next_ns;
}

/* Ends the observation early; commands then print what they have. */
static void run_interrupt(struct run *r)
{
	int64_t until_ns = clock_monotonic_ns() + INTERRUPTED_NS;

	r->is_interrupted = true;
	for (size_t i = 0; i < r->count; i++) {
		struct task *t = &r->tasks[i];

		if (t->state != TASK_RUNS)
			continue;
		kill(t->child.pid, SIGINT);
		if (until_ns < t->deadline_ns)
			t->deadline_ns = until_ns;
	}
}

/* Handles the news of a task, or that its time is over. */
static void task_check(struct task *t)
{
	int64_t now_ns = clock_monotonic_ns();
	struct error err = { .kind = ERROR_NONE };
	enum child_news news;
	int fd;

	news = child_wait(&t->child, 0, &fd, &err);
	if (fd >= 0)
		close(fd);
	if (news == CHILD_DONE) {
		task_finish(t, ERROR_NONE, NULL);
	} else if (news != CHILD_SILENT) {
		task_finish(t, err.kind, *err.text ? err.text : "failed");
	} else if (now_ns < t->deadline_ns) {
		return;
	} else if (t->state == TASK_RUNS) {
		t->state = TASK_ENDS;
		t->deadline_ns = now_ns + GRACE_NS;
		kill(t->child.pid, SIGTERM);
	} else {
		kill(t->child.pid, SIGKILL);
		task_finish(t, ERROR_FAILED, "did not end in time");
	}
}

/* Waits for news of a task, at most a second; false if no task is left. */
static bool run_wait(struct run *r, int64_t until_ns)
{
	int64_t soon_ns = clock_monotonic_ns() + CLOCK_NS_PER_S;
	struct pollfd *fds = xcalloc(r->count + 1, sizeof(*fds));
	bool is_left = false;

	for (size_t i = 0; i < r->count; i++) {
		const struct task *t = &r->tasks[i];
		bool runs = t->state == TASK_RUNS || t->state == TASK_ENDS;

		fds[i] = (struct pollfd){ runs ? t->child.channel : -1, POLLIN,
					  0 };
		is_left |= t->state != TASK_HAS_ENDED;
		if (runs && t->deadline_ns < until_ns)
			until_ns = t->deadline_ns;
	}
	fds[r->count] = (struct pollfd){ r->is_interrupted ? -1 : signals_fd(),
					 POLLIN, 0 };
	if (is_left)
		poll(fds, r->count + 1,
		     clock_left_ms(until_ns < soon_ns ? until_ns : soon_ns));
	free(fds);
	return is_left;
}

static void run_add(struct run *r, const struct snap_part *part,
		    const struct jvm *jvm, const char *shell)
{
	array_add(r->tasks, r->count, r->cap,
		  (struct task){
			  .run = r,
			  .part = *part,
			  .jvm = jvm,
			  .shell = shell,
			  .out = -1,
			  .messages = -1,
			  .child = { .channel = -1 },
			  .due_ns = r->begin_ns +
				    r->duration_ns / 100 * part->begin,
		  });
}

/* Adds the parts of a JVM, or of the machine if jvm is NULL. */
static void run_add_parts(struct run *r, const struct jvm *jvm)
{
	for (size_t i = 0; i < PARTS; i++) {
		const struct snap_part *p = &parts[i];

		if ((p->time == PART_MACHINE) == !jvm &&
		    !(r->o->is_quick && p->is_slow))
			run_add(r, p, jvm, NULL);
	}
	for (size_t i = 0; jvm && i < r->o->command_count; i++)
		run_add(r, &(struct snap_part){ .name = r->names[i] }, jvm,
			r->o->commands[i]);
}

bool snap_run(const struct snap_options *o, struct snap_bundle *b,
	      const struct jvm *jvms, size_t count, bool with_system)
{
	struct run r = {
		.o = o,
		.bundle = b,
		.begin_ns = clock_monotonic_ns(),
		.duration_ns = (o->is_quick ? 2 : 10) * CLOCK_NS_PER_S,
	};
	int64_t next_ns;

	r.names = xcalloc(o->command_count, sizeof(*r.names));
	for (size_t i = 0; i < o->command_count; i++)
		snprintf(r.names[i], sizeof(*r.names), "exec-%zu.txt", i + 1);
	for (size_t i = 0; i < count; i++)
		run_add_parts(&r, &jvms[i]);
	if (with_system)
		run_add_parts(&r, NULL);
	do {
		for (size_t i = 0; i < r.count; i++) {
			if (r.tasks[i].state == TASK_RUNS ||
			    r.tasks[i].state == TASK_ENDS)
				task_check(&r.tasks[i]);
		}
		if (!r.is_interrupted && signals_arrived())
			run_interrupt(&r);
		next_ns = run_start_due(&r);
	} while (run_wait(&r, next_ns));
	free(r.names);
	free(r.tasks);
	return !r.is_interrupted;
}
