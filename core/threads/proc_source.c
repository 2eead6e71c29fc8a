/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/proc_source.h"

#include "core/attach/attach.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/safe_text.h"
#include "core/threads/blocked.h"
#include "core/threads/machine_load.h"
#include "core/threads/perf_sample.h"
#include "core/threads/proc_notes.h"
#include "core/threads/task_sample.h"
#include "core/threads/tasks.h"
#include "core/threads/thread_dumps.h"
#include "core/threads/thread_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_WAIT_NS (100 * CLOCK_NS_PER_MS) /* for the first names */
#define RETRY_NS      (10 * CLOCK_NS_PER_S)   /* of perfdata */

/* What a thread had used when a dump was asked for: if no more, it sleeps. */
struct mark {
	pid_t tid;
	uint64_t cpu_ns;
};

struct marks {
	struct mark *all; /* by tid */
	size_t count, cap;
};

struct proc_source {
	struct thread_source base;
	const struct jvm *jvm;
	struct proc_source_options options;
	struct tasks *tasks;
	struct thread_dumps *dumps;
	struct machine_load machine;
	struct perfdata *perf;     /* NULL while there is none */
	struct error perf_problem; /* why */
	int64_t perf_retry_ns;
	int64_t stopped_ns; /* the program, so far; COUNTER_ABSENT = unknown */
	struct thread_sample *rows;
	size_t row_cap;
	struct marks marks;      /* before the dump under way, or the next */
	struct marks dump_marks; /* before the dump that names are from */
	int64_t first_until_ns;  /* how long the first sample may wait */
	size_t unnamed;          /* threads that a new dump would name */
	bool has_sampled;
	struct text title;
};

/* Each source function gets the base, which begins the source. */
static struct proc_source *of(struct thread_source *base)
{
	return (struct proc_source *)base;
}

/*
 * Remembers what each thread has used.  While a dump is awaited, what was
 * remembered before it was asked for stays.
 */
static void mark_all(struct proc_source *s)
{
	size_t count = tasks_count(s->tasks);

	if (thread_dumps_awaits(s->dumps))
		return;
	array_reserve(s->marks.all, s->marks.cap, count);
	for (size_t i = 0; i < count; i++) {
		const struct task *task = tasks_at(s->tasks, i);

		s->marks.all[i] = (struct mark){ task->tid, task->cpu_ns };
	}
	s->marks.count = count;
}

/* True unless a thread is known not to have run; *at goes from tid to tid. */
static bool has_run(const struct marks *m, size_t *at, const struct task *task)
{
	while (*at < m->count && m->all[*at].tid < task->tid)
		++*at;
	return *at == m->count || m->all[*at].tid != task->tid ||
	       !task->has_schedstat || m->all[*at].cpu_ns != task->cpu_ns;
}

static void fill_rows(struct proc_source *s, const struct task_dump *dump,
		      struct top_sample *out)
{
	size_t count = tasks_count(s->tasks);
	int64_t now_ns = clock_boot_ns();
	size_t mark = 0;

	array_reserve(s->rows, s->row_cap, count);
	s->unnamed = 0;
	for (size_t i = 0; i < count; i++) {
		const struct task *task = tasks_at(s->tasks, i);

		task_sample_fill(&s->rows[i], task, dump,
				 has_run(&s->dump_marks, &mark, task));
		s->unnamed += task_sample_is_unnamed(&s->rows[i], task, now_ns);
	}
	out->threads = s->rows;
	out->thread_count = count;
	out->missed = tasks_missed(s->tasks);
}

static void read_perfdata(struct proc_source *s, struct process_sample *out)
{
	int64_t now = clock_monotonic_ns();

	if (s->perf && perfdata_refresh(s->perf, &s->perf_problem)) {
		perfdata_close(s->perf);
		s->perf = NULL;
		s->perf_retry_ns = now + RETRY_NS;
	}
	if (!s->perf && now >= s->perf_retry_ns) {
		s->perf = perfdata_open(s->jvm, &s->perf_problem);
		s->perf_retry_ns = now + RETRY_NS;
	}
	if (s->perf)
		perf_sample_add(s->perf, out);
	s->stopped_ns = perf_sample_stopped(out);
}

static void fill_process(struct proc_source *s, struct process_sample *out)
{
	const struct task_process *p = tasks_process(s->tasks);

	process_sample_clear(out);
	out->cpu_ns = (int64_t)p->cpu_ns;
	out->user_ns = (int64_t)p->user_ns;
	out->sys_ns = (int64_t)p->sys_ns;
	if (p->rss_bytes)
		out->rss_bytes = (int64_t)p->rss_bytes;
	out->threads = (int64_t)p->threads;
	out->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	machine_load_add(&s->machine, out);
	read_perfdata(s, out);
}

/* Why the JVM is not asked for its threads; NULL when it is. */
static const char *no_names(const struct proc_source *s)
{
	if (s->options.no_attach)
		return "the JVM is not to be asked";
	if (s->jvm->kind == JVM_OPENJ9)
		return "OpenJ9 prints no kernel ids";
	if (s->jvm->kind != JVM_HOTSPOT)
		return "it runs no JVM that could be asked";
	return NULL;
}

/* Sets what is to be said of allocation; nothing unless a thread has it. */
static void tell_allocation(const struct task_dump *dump,
			    const struct top_sample *out,
			    struct proc_facts *facts)
{
	for (size_t i = 0; i < out->thread_count && !facts->has_alloc; i++)
		facts->has_alloc = out->threads[i].has_alloc_mean;
	facts->alloc_over_ns = dump->before ? dump->came_ns - dump->before_ns
					    : -1;
}

static void fill_notes(struct proc_source *s, const struct task_dump *dump,
		       struct top_sample *out)
{
	struct proc_facts facts = {
		.no_names = no_names(s),
		.dump_problem = thread_dumps_problem(s->dumps),
		.dump_age_ns = -1,
		.no_perfdata = s->perf ? NULL : s->perf_problem.text,
		.has_schedstat = out->thread_count == 0 ||
				 tasks_at(s->tasks, 0)->has_schedstat,
	};
	int64_t asked, came, came_ns;

	thread_dumps_times(s->dumps, &asked, &came, &came_ns);
	if (thread_dumps_names(s->dumps))
		facts.dump_age_ns = out->monotonic_ns - came_ns;
	tell_allocation(dump, out, &facts);
	proc_notes_add(&facts, out);
}

/* While a process is stopped, attaching to it only fails. */
static bool is_stopped(const struct proc_source *s)
{
	char state = tasks_process(s->tasks)->state;

	return state == 'T' || state == 't';
}

static bool take_names(struct proc_source *s, struct task_dump *dump)
{
	int64_t unused;
	struct marks old;

	dump->is_new = thread_dumps_take(s->dumps,
					 s->has_sampled ? 0 : s->first_until_ns,
					 s->stopped_ns);
	dump->names = thread_dumps_names(s->dumps);
	dump->before = thread_dumps_before(s->dumps, &dump->before_ns);
	dump->leader = s->jvm->pid;
	thread_dumps_times(s->dumps, &dump->asked_ns, &dump->came_ns, &unused);
	if (!dump->is_new)
		return false;
	old = s->dump_marks;
	s->dump_marks = s->marks;
	s->marks = old;
	return true;
}

static int sample(struct thread_source *base, struct top_sample *out,
		  struct error *err)
{
	struct proc_source *s = of(base);
	struct task_dump dump;

	take_names(s, &dump);
	*out = (struct top_sample){
		.monotonic_ns = clock_monotonic_ns(),
		.wall_ns = clock_wall_ns(),
	};
	if (tasks_read(s->tasks, s->options.switches, err))
		return -1;
	fill_process(s, &out->process);
	fill_rows(s, &dump, out);
	fill_notes(s, &dump, out);
	s->has_sampled = true;
	mark_all(s);
	if (s->unnamed && !is_stopped(s))
		thread_dumps_ask(s->dumps, s->stopped_ns);
	return 0;
}

static int check_runs(const struct proc_source *s, struct error *err)
{
	if (!jvm_runs(s->jvm))
		return fail(err, ERROR_NO_TARGET, "process %d has ended",
			    (int)s->jvm->pid);
	if (is_stopped(s))
		return fail(err, ERROR_REFUSED,
			    "process %d is stopped: it cannot answer",
			    (int)s->jvm->pid);
	return 0;
}

static const struct text *dump_text(struct proc_source *s, struct error *err)
{
	const char *why = no_names(s);

	if (why) {
		fail(err, ERROR_UNAVAILABLE, "no thread dump: %s", why);
		return NULL;
	}
	return check_runs(s, err) ? NULL : thread_dumps_text(s->dumps, err);
}

static int stack(struct thread_source *base, const struct thread_sample *t,
		 struct text *out, struct error *err)
{
	const struct text *dump = dump_text(of(base), err);

	if (!dump)
		return -1;
	if (thread_text_stack(dump->bytes, dump->len, t->ns_tid, t->java_id,
			      out))
		return 0;
	return fail(err, ERROR_UNAVAILABLE,
		    "thread %d is not in the JVM's thread dump: it is none of "
		    "Java's, or has ended",
		    (int)t->tid);
}

static int deadlocks(struct thread_source *base, struct text *out,
		     struct error *err)
{
	const struct text *dump = dump_text(of(base), err);

	if (!dump)
		return -1;
	thread_text_deadlocks(dump->bytes, dump->len, out);
	return 0;
}

/* How long the program has stood still until now; -1 = unknown. */
static int64_t stopped_now(struct proc_source *s)
{
	struct process_sample unused;

	process_sample_clear(&unused);
	read_perfdata(s, &unused);
	return s->stopped_ns;
}

static int blocked(struct thread_source *base, struct blocked *out,
		   struct error *err)
{
	struct proc_source *s = of(base);
	int64_t before = stopped_now(s), began = clock_monotonic_ns(), after;
	int64_t asked, came, came_ns;
	const struct text *dump = dump_text(s, err);

	if (!dump)
		return -1;
	thread_dumps_times(s->dumps, &asked, &came, &came_ns);
	if (out->at_ns == came_ns)
		return 0; /* another look at the same dump is none */
	blocked_begin(out, "Thread.print", came_ns);
	blocked_read_dump(out, dump->bytes, dump->len);
	blocked_link(out);
	after = stopped_now(s);
	/* Collections meanwhile are in it, too, but no more than all. */
	if (came_ns >= began && before >= 0 && after >= before) {
		out->pause_ns = clock_monotonic_ns() - began;
		if (after - before < out->pause_ns)
			out->pause_ns = after - before;
	}
	return 0;
}

static const char *title(struct thread_source *base)
{
	return of(base)->title.bytes;
}

static void close_source(struct thread_source *base)
{
	struct proc_source *s = of(base);

	thread_dumps_free(s->dumps);
	machine_load_close(&s->machine);
	tasks_close(s->tasks);
	perfdata_close(s->perf);
	free(s->rows);
	free(s->marks.all);
	free(s->dump_marks.all);
	text_release(&s->title);
	free(s);
}

static void make_title(struct proc_source *s)
{
	struct jvm_about about = { 0 };
	struct error unused;

	text_printf(&s->title, "%d", (int)s->jvm->pid);
	if (jvm_about(s->jvm, &about, &unused))
		return;
	if (about.main_class) {
		text_putc(&s->title, ' ');
		safe_text(&s->title, about.main_class,
			  strlen(about.main_class));
	}
	if (about.version) {
		text_puts(&s->title, ", ");
		safe_text(&s->title, about.version, strlen(about.version));
	}
	jvm_about_release(&about);
}

static const struct thread_source_ops ops = {
	.name = "proc",
	.sample = sample,
	.stack = stack,
	.deadlocks = deadlocks,
	.blocked = blocked,
	.title = title,
	.close = close_source,
};

struct thread_source *
proc_source_open(const struct jvm *jvm,
		 const struct proc_source_options *options, struct error *err)
{
	struct proc_source *s = xcalloc(1, sizeof(*s));

	s->base = (struct thread_source){ .ops = &ops, .pid = jvm->pid };
	s->jvm = jvm;
	s->options = *options;
	if (s->options.attach_timeout_ns <= 0)
		s->options.attach_timeout_ns = ATTACH_TIMEOUT_NS;
	s->stopped_ns = COUNTER_ABSENT;
	s->dumps = thread_dumps_new(jvm, !no_names(s),
				    s->options.attach_timeout_ns);
	s->tasks = tasks_open(jvm, err);
	if (!s->tasks || tasks_read(s->tasks, s->options.switches, err)) {
		close_source(&s->base);
		return NULL;
	}
	machine_load_open(&s->machine, jvm->pid);
	mark_all(s);
	s->first_until_ns = clock_monotonic_ns() + FIRST_WAIT_NS;
	if (!is_stopped(s))
		thread_dumps_ask(s->dumps, -1);
	make_title(s);
	return &s->base;
}
