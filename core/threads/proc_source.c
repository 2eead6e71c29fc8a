/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/proc_source.h"

#include "core/attach/attach.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/base/safe_text.h"
#include "core/base/saturate.h"
#include "core/hotspot/vm_counters.h"
#include "core/jvm/container.h"
#include "core/process/wait_peer.h"
#include "core/threads/blocked.h"
#include "core/threads/dump_owners.h"
#include "core/threads/tasks.h"
#include "core/threads/thread_dumps.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Sections: a thread of a sample; its process; notes; the source.
 */

/* By this age, a Java thread is registered in the JVM. */
#define SETTLED_NS    (500 * CLOCK_NS_PER_MS)
#define FIRST_WAIT_NS (100 * CLOCK_NS_PER_MS) /* for the first thread names */
#define RETRY_NS      (10 * CLOCK_NS_PER_S) /* before perfdata is opened again */

enum { GENERATIONS = 3, SPACES = 8 };

/* ---- one thread of a sample, from /proc and the last thread dump ---- */

/* Start time of a task in ns of CLOCK_BOOTTIME, with a resolution of 10 ms. */
static int64_t task_sample_start(const struct task *task)
{
	int64_t ns;

	if (__builtin_mul_overflow(task->start_ticks, task_tick_ns(), &ns))
		return INT64_MAX;
	return ns;
}

/* Returns a value as a counter, at most the maximum of one. */
static int64_t counter_of(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static void task_add_counters(struct thread_sample *out,
			      const struct task *task)
{
	int64_t *c = out->counters;

	for (int i = 0; i < THREAD_COUNTERS; i++)
		c[i] = COUNTER_ABSENT;
	c[THREAD_USER] = counter_of(task->user_ns);
	c[THREAD_SYS] = counter_of(task->sys_ns);
	c[THREAD_CPU] = counter_of(task->has_schedstat
					   ? task->cpu_ns
					   : task->user_ns + task->sys_ns);
	if (task->has_schedstat)
		c[THREAD_RUNQ] = counter_of(task->runq_ns);
	if (task->has_switches) {
		c[THREAD_VOLUNTARY] = counter_of(task->voluntary);
		c[THREAD_INVOLUNTARY] = counter_of(task->involuntary);
	}
}

static enum thread_run_state task_state(char state)
{
	switch (state) {
	case 'R':
		return RUN_ON_CPU;
	case 'S':
	case 'I':
		return RUN_SLEEPING;
	case 'D':
		return RUN_DISK;
	case 'T':
	case 't':
		return RUN_STOPPED;
	default:
		return RUN_UNKNOWN;
	}
}

/*
 * Sets the JVM's state of a thread while it is valid: a thread that has not run
 * cannot have changed its state. Java calls a thread that sleeps in native code
 * runnable. One that was runnable, has run since and sleeps now waits for
 * something unknown.
 */
static void task_set_state(struct thread_sample *out, const struct task *task,
			   const struct thread_name *name, bool has_run)
{
	enum thread_run_state now = task_state(task->state);

	out->state = now;
	if (!name || name->kind != THREAD_JAVA || now == RUN_DISK ||
	    now == RUN_STOPPED)
		return;
	if (now == RUN_ON_CPU) {
		out->state = RUN_RUNNABLE;
	} else if (task->sleeps_in_call) {
		out->state = RUN_IN_NATIVE;
	} else if (name->state == RUN_RUNNABLE) {
		out->state = has_run ? now : RUN_IN_NATIVE;
	} else if (name->state != RUN_UNKNOWN) {
		out->state = name->state;
		out->state_is_old = has_run;
	}
}

/* The tid may belong to another thread now, so compare the start times. */
static const struct thread_name *task_name(const struct task *task,
					   const struct task_dump *dump)
{
	if (!dump->names || task_sample_start(task) > dump->came_ns)
		return NULL;
	return thread_names_find(dump->names, task->ns_tid);
}

static void task_set_name(struct thread_sample *out, const struct task *task,
			  const struct task_dump *dump,
			  const struct thread_name *name)
{
	if (name) {
		out->name = name->name;
		out->kind = name->kind;
		out->java_id = name->java_id;
		out->virtual_id = name->virtual_id;
		return;
	}
	out->name = task->comm;
	out->kind = thread_names_kind_of(task->comm);
	/*
	 * The dump lacks a thread that existed when it was taken, so it is not
	 * a Java thread. The first thread is one only if it created the JVM,
	 * which was long before.
	 */
	if (dump->names &&
	    (task->tid == dump->leader ||
	     task_sample_start(task) < dump->asked_ns - SETTLED_NS))
		out->kind = THREAD_NATIVE;
}

/*
 * Sets the mean allocation between two dumps or, before two dumps have it,
 * since the start of the thread.
 */
static void task_set_alloc_mean(struct thread_sample *out,
				const struct task *task,
				const struct task_dump *dump,
				const struct thread_name *name)
{
	const struct thread_name *old = NULL;
	int64_t since = task_sample_start(task);
	uint64_t bytes = name->allocated;

	if (dump->before && since < dump->before_ns)
		old = thread_names_find(dump->before, task->ns_tid);
	if (old && old->java_id == name->java_id &&
	    old->allocated <= name->allocated) {
		since = dump->before_ns;
		bytes -= old->allocated;
	}
	if (since >= dump->came_ns)
		return;
	out->has_alloc_mean = true;
	out->alloc_is_coarse = true;
	out->alloc_mean = (int64_t)((double)bytes * (double)CLOCK_NS_PER_S /
				    (double)(dump->came_ns - since));
}

void task_sample_fill(struct thread_sample *out, const struct task *task,
		      const struct task_dump *dump, bool has_run)
{
	const struct thread_name *name = task_name(task, dump);

	*out = (struct thread_sample){
		.tid = task->tid,
		.ns_tid = task->ns_tid,
		.start = task->start_ticks,
	};
	task_add_counters(out, task);
	task_set_name(out, task, dump, name);
	task_set_state(out, task, name, has_run);
	if (!name || !name->allocated_step)
		return;
	out->alloc_is_coarse = name->allocated_step > 1;
	if (dump->is_new)
		out->counters[THREAD_ALLOC] = counter_of(name->allocated);
	task_set_alloc_mean(out, task, dump, name);
}

bool task_sample_is_unnamed(const struct thread_sample *s,
			    const struct task *task, int64_t now_ns)
{
	return s->kind == THREAD_UNKNOWN &&
	       task_sample_start(task) < now_ns - SETTLED_NS;
}

/*
 * ---- the process of a sample, from perfdata: collections, safepoints, heap
 * ----
 */

/*
 * Reads a counter that only grows, by its formatted name; COUNTER_ABSENT if it
 * does not exist.
 */
__attribute__((format(printf, 2, 3))) static int64_t
perf_counter(const struct perfdata *p, const char *name, ...)
{
	char key[64];
	int64_t value;
	va_list args;

	va_start(args, name);
	vsnprintf(key, sizeof(key), name, args);
	va_end(args);
	return perfdata_value(p, key, &value) && value >= 0 ? value
							    : COUNTER_ABSENT;
}

static int64_t perf_time(const struct perfdata *p, int64_t ticks)
{
	return ticks == COUNTER_ABSENT ? ticks : perfdata_ns(p, ticks);
}

/* Names of collectors in JDK 8 and 11, and since JDK 17. */
static const struct {
	const char *old, *name;
} collector_names[] = {
	{ "Copy", "Serial young collection pauses" },
	{ "MSC", "Serial full collection pauses" },
	{ "PCopy", "ParNew young collection pauses" },
	{ "PSScavenge", "Parallel young collection pauses" },
	{ "PSParallelCompact", "Parallel full collection pauses" },
	{ "PSMarkSweep", "Parallel full collection pauses" },
	{ "G1 incremental collections", "G1 young collection pauses" },
	{ "G1 stop-the-world full collections", "G1 full collection pauses" },
};

static const char *perf_collector_name(const char *name)
{
	for (size_t i = 0;
	     i < sizeof(collector_names) / sizeof(*collector_names); i++) {
		if (strcmp(name, collector_names[i].old) == 0)
			return collector_names[i].name;
	}
	return name;
}

/* Length of the last pause, from the times of its begin and end. */
static int64_t perf_last_pause(const struct perfdata *p, int i)
{
	int64_t entry = perf_counter(p, "sun.gc.collector.%d.lastEntryTime", i);
	int64_t end = perf_counter(p, "sun.gc.collector.%d.lastExitTime", i);

	/* During a pause, the end is that of the previous pause. */
	if (entry == COUNTER_ABSENT || end == COUNTER_ABSENT || end < entry ||
	    !end)
		return COUNTER_ABSENT;
	return perfdata_ns(p, end - entry);
}

static void perf_add_collector(const struct perfdata *p, int i,
			       const char *name, struct process_sample *out)
{
	struct gc_sample *gc = &out->gc[out->gc_count];

	*gc = (struct gc_sample){
		.count = perf_counter(p, "sun.gc.collector.%d.invocations", i),
		.time_ns = perf_time(
			p, perf_counter(p, "sun.gc.collector.%d.time", i)),
		.last_ns = perf_last_pause(p, i),
	};
	snprintf(gc->name, sizeof(gc->name), "%s", perf_collector_name(name));
	if (gc->count != COUNTER_ABSENT && gc->time_ns != COUNTER_ABSENT)
		out->gc_count++;
}

/*
 * Adds all safepoints, an upper bound that includes the pauses for collections.
 */
static void perf_add_bound(const char *name, struct process_sample *out)
{
	struct gc_sample *gc = &out->gc[out->gc_count];

	if (out->safepoints == COUNTER_ABSENT ||
	    out->safepoint_ns == COUNTER_ABSENT)
		return;
	*gc = (struct gc_sample){
		.count = out->safepoints,
		.time_ns = out->safepoint_ns,
		.last_ns = COUNTER_ABSENT,
		.at_most = true,
	};
	snprintf(gc->name, sizeof(gc->name), "%s", name);
	out->gc_count++;
}

/* Epsilon never collects; its heap is one generation with its name. */
static bool perf_is_epsilon(const struct perfdata *p)
{
	const char *heap = perfdata_text(p, "sun.gc.generation.1.name");

	return heap && strcmp(heap, "Heap") == 0;
}

/*
 * Collector numbers have gaps: ZGC uses 2, and 0 and 2 since JDK 21. ZGC of JDK
 * 11 has no counters. Shenandoah has one counter, "Shenandoah full", for
 * pauses, concurrent phases and whole cycles (JDK 11 to 28; its
 * MonitoringSupport returns the same counter for each). Phases within cycles
 * count twice, so the counter is useless for both.
 */
static void perf_add_collectors(const struct perfdata *p,
				struct process_sample *out)
{
	bool shenandoah = false;

	for (int i = 0; i < GC_COLLECTORS_MAX; i++) {
		const char *name;
		char key[64];

		snprintf(key, sizeof(key), "sun.gc.collector.%d.name", i);
		name = perfdata_text(p, key);
		if (!name)
			continue;
		if (strncmp(name, "Shenandoah", 10) == 0)
			shenandoah = true;
		else
			perf_add_collector(p, i, name, out);
	}
	if (shenandoah)
		perf_add_bound("Shenandoah pauses", out);
	else if (!out->gc_count && !perf_is_epsilon(p))
		perf_add_bound("all safepoints", out);
}

/* "No GC" means that no collection runs, or that none ran before it. */
static void perf_add_cause(const struct perfdata *p, struct process_sample *out)
{
	static const char *const keys[] = { "sun.gc.cause",
					    "sun.gc.lastCause" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *cause = perfdata_text(p, keys[i]);

		if (!cause || !*cause || strcmp(cause, "No GC") == 0)
			continue;
		snprintf(out->gc_cause, sizeof(out->gc_cause), "%s", cause);
		return;
	}
}

/* Bytes used in the spaces of a generation. */
static uint64_t perf_used(const struct perfdata *p, int generation)
{
	uint64_t sum = 0;

	for (int i = 0; i < SPACES; i++) {
		int64_t used = perf_counter(
			p, "sun.gc.generation.%d.space.%d.used", generation, i);

		if (used != COUNTER_ABSENT)
			sum = saturate_add(sum, (uint64_t)used);
	}
	return sum;
}

/*
 * If each generation has its own part of the heap, as the policy's name tells
 * ("Copy:MSC", "ParScav:MSC"), the maximum sizes add up; otherwise each
 * generation may use the whole heap.
 */
static void perf_add_heap(const struct perfdata *p, struct process_sample *out)
{
	const char *policy = perfdata_text(p, "sun.gc.policy.name");
	bool parts = policy && strchr(policy, ':');
	uint64_t used = 0, committed = 0, most = 0;

	for (int i = 0; i < GENERATIONS; i++) {
		int64_t now = perf_counter(p, "sun.gc.generation.%d.capacity",
					   i);
		int64_t max = perf_counter(
			p, "sun.gc.generation.%d.maxCapacity", i);

		if (now == COUNTER_ABSENT || max == COUNTER_ABSENT)
			continue;
		used = saturate_add(used, perf_used(p, i));
		committed = saturate_add(committed, (uint64_t)now);
		if (parts)
			most = saturate_add(most, (uint64_t)max);
		else if ((uint64_t)max > most)
			most = (uint64_t)max;
	}
	/* Most counters are 0 until the first collection, which no heap is. */
	if (!used || !committed)
		return;
	out->heap_used = counter_of(used);
	out->heap_committed = counter_of(committed);
	if (most)
		out->heap_max = counter_of(most);
}

void perf_sample_add(const struct perfdata *p, struct process_sample *out)
{
	out->threads_started = perf_counter(p, "java.threads.started");
	out->safepoints = perf_counter(p, "sun.rt.safepoints");
	/* The time to safepoint is a separate counter. */
	out->safepoint_ns = perf_time(p,
				      perf_counter(p, "sun.rt.safepointTime"));
	out->sync_ns = perf_time(p,
				 perf_counter(p, "sun.rt.safepointSyncTime"));
	perf_add_collectors(p, out);
	perf_add_cause(p, out);
	perf_add_heap(p, out);
}

int64_t perf_sample_stopped(const struct process_sample *process)
{
	int64_t sum;

	if (process->safepoint_ns == COUNTER_ABSENT ||
	    process->sync_ns == COUNTER_ABSENT ||
	    __builtin_add_overflow(process->safepoint_ns, process->sync_ns,
				   &sum))
		return COUNTER_ABSENT;
	return sum;
}

/* ---- notes: the sources of values, and why some are absent ---- */

static long long note_seconds(int64_t ns) { return ns / CLOCK_NS_PER_S; }

static void note_names(const struct proc_facts *f, struct top_sample *out)
{
	if (f->dump_age_ns >= 0 && f->dump_problem)
		source_note_add(out, "names", false,
				"Thread.print, %lld s ago; since: %s",
				note_seconds(f->dump_age_ns), f->dump_problem);
	else if (f->dump_age_ns >= 0)
		source_note_add(out, "names", false, "Thread.print, %lld s ago",
				note_seconds(f->dump_age_ns));
	else if (f->no_names)
		source_note_add(out, "names", true,
				"kernel names of 15 bytes: %s", f->no_names);
	else if (f->dump_problem)
		source_note_add(out, "names", true,
				"kernel names of 15 bytes: %s",
				f->dump_problem);
	else
		source_note_add(
			out, "names", true,
			"kernel names of 15 bytes, until the JVM answers");
}

static void note_allocation(const struct proc_facts *f, struct top_sample *out)
{
	if (f->has_alloc && f->alloc_over_ns >= 0)
		source_note_add(
			out, "allocation", false,
			"~ mean of %lld s, from thread dumps, %lld s ago",
			note_seconds(f->alloc_over_ns),
			note_seconds(f->dump_age_ns));
	else if (f->has_alloc)
		source_note_add(out, "allocation", false,
				"~ mean of each thread's lifetime, from a "
				"thread dump, %lld s ago",
				note_seconds(f->dump_age_ns));
	else if (f->dump_age_ns >= 0)
		source_note_add(
			out, "allocation", true,
			"- (not in this JVM's thread dumps; use --jmx)");
	else
		source_note_add(out, "allocation", true,
				"- (needs a thread dump or JMX)");
}

void proc_notes_add(const struct proc_facts *f, struct top_sample *out)
{
	note_names(f, out);
	note_allocation(f, out);
	source_note_add(out, "contention", true, "- (needs JMX: -c or --jmx)");
	if (f->no_perfdata) {
		source_note_add(out, "gc", true, "- (%s)", f->no_perfdata);
		source_note_add(out, "safepoints", true, "- (%s)",
				f->no_perfdata);
		source_note_add(out, "heap", true, "- (%s)", f->no_perfdata);
	} else if (out->process.heap_used == COUNTER_ABSENT) {
		source_note_add(out, "heap", true, "- (no collection yet)");
	} else {
		source_note_add(out, "heap", false,
				"as of the last collection");
	}
	if (out->process.gc_count && out->process.gc[0].at_most)
		source_note_add(
			out, "gc", false,
			"upper bound: this collector does not count its "
			"pauses, so all safepoints count; --jmx is exact");
	if (!f->has_schedstat) {
		source_note_add(
			out, "cpu", false,
			"resolution 10 ms: this kernel has no schedstat");
		source_note_add(out, "runq", true,
				"- (this kernel has no schedstat)");
	}
}

/* ---- the source ---- */

/*
 * CPU time of a thread when a dump was requested. If it is unchanged, the
 * thread has not run since.
 */
struct mark {
	pid_t tid;
	uint64_t cpu_ns;
};

struct marks {
	struct mark *all; /* ordered by tid */
	size_t count, cap;
};

struct proc_source {
	struct thread_source base;
	const struct jvm *jvm;
	struct proc_source_options options;
	struct tasks *tasks;
	struct thread_dumps *dumps;
	struct machine_load machine;
	struct perfdata *perf;     /* NULL if unavailable */
	struct error perf_problem; /* why perf is NULL */
	int64_t perf_wait_ns;      /* between two searches */
	int64_t perf_retry_ns;
	int64_t stopped_ns; /* total time that the program was stopped;
			       COUNTER_ABSENT = unknown */
	struct thread_sample *rows;
	size_t row_cap;
	struct marks marks;      /* before the current or next dump */
	struct marks dump_marks; /* before the dump with the current names */
	int64_t first_until_ns;  /* deadline of the wait for the first names */
	size_t unnamed;          /* threads that a new dump would name */
	bool has_sampled;
	struct container_pod pod;
	struct text title;
	struct dump_owners owners; /* of blocked threads */
	bool has_owners;           /* they are open, or cannot be */
};

/* The base is the first member, so its address is that of the source. */
static struct proc_source *source_of(struct thread_source *base)
{
	return (struct proc_source *)base;
}

/*
 * Records the CPU time of each thread. While a dump is in progress, the values
 * from before its request are kept.
 */
static void marks_record(struct proc_source *s)
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

/* True unless the thread has certainly not run; *at advances with the tids. */
static bool marks_have_run(const struct marks *m, size_t *at,
			   const struct task *task)
{
	while (*at < m->count && m->all[*at].tid < task->tid)
		++*at;
	return *at == m->count || m->all[*at].tid != task->tid ||
	       !task->has_schedstat || m->all[*at].cpu_ns != task->cpu_ns;
}

static void source_fill_rows(struct proc_source *s,
			     const struct task_dump *dump,
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
				 marks_have_run(&s->dump_marks, &mark, task));
		s->unnamed += task_sample_is_unnamed(&s->rows[i], task, now_ns);
	}
	out->threads = s->rows;
	out->thread_count = count;
	out->missed = tasks_missed(s->tasks);
}

static void source_read_perfdata(struct proc_source *s,
				 struct process_sample *out)
{
	int64_t now = clock_monotonic_ns();

	if (s->perf && perfdata_refresh(s->perf, &s->perf_problem)) {
		perfdata_close(s->perf);
		s->perf = NULL;
		s->perf_retry_ns = now + RETRY_NS;
	}
	if (!s->perf && now >= s->perf_retry_ns) {
		s->perf = vm_counters_open(s->jvm, &s->perf_problem);
		/* The search is expensive, and less likely to succeed. */
		s->perf_wait_ns = s->perf ? 0 : 2 * s->perf_wait_ns + RETRY_NS;
		s->perf_retry_ns = now + s->perf_wait_ns;
	}
	if (s->perf)
		perf_sample_add(s->perf, out);
	s->stopped_ns = perf_sample_stopped(out);
}

static void source_fill_process(struct proc_source *s,
				struct process_sample *out)
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
	source_read_perfdata(s, out);
}

/* Why the JVM is not asked for its threads; NULL if it is. */
static const char *source_why_no_names(const struct proc_source *s)
{
	if (s->options.no_attach)
		return "attaching is disabled";
	if (s->jvm->kind == JVM_OPENJ9)
		return "OpenJ9 prints no kernel ids";
	if (s->jvm->kind != JVM_HOTSPOT)
		return "the process is not a HotSpot JVM";
	return NULL;
}

/* Sets the facts about allocation if a thread has it. */
static void source_note_allocation(const struct task_dump *dump,
				   const struct top_sample *out,
				   struct proc_facts *facts)
{
	for (size_t i = 0; i < out->thread_count && !facts->has_alloc; i++)
		facts->has_alloc = out->threads[i].has_alloc_mean;
	facts->alloc_over_ns = dump->before ? dump->came_ns - dump->before_ns
					    : -1;
}

static void source_fill_notes(struct proc_source *s,
			      const struct task_dump *dump,
			      struct top_sample *out)
{
	struct proc_facts facts = {
		.no_names = source_why_no_names(s),
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
	source_note_allocation(dump, out, &facts);
	proc_notes_add(&facts, out);
}

/* Attaching to a stopped process would only fail. */
static bool source_is_stopped(const struct proc_source *s)
{
	char state = tasks_process(s->tasks)->state;

	return state == 'T' || state == 't';
}

static bool source_read_names(struct proc_source *s, struct task_dump *dump)
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

static void source_fill_pod(const struct container_pod *pod,
			    struct process_sample *out)
{
	if (!pod->name.len)
		return;
	snprintf(out->pod_namespace, sizeof(out->pod_namespace), "%s",
		 pod->namespace.bytes);
	snprintf(out->pod, sizeof(out->pod), "%s", pod->name.bytes);
	snprintf(out->container, sizeof(out->container), "%s",
		 pod->container.bytes);
}

static int source_sample(struct thread_source *base, struct top_sample *out,
			 struct error *err)
{
	struct proc_source *s = source_of(base);
	struct task_dump dump;

	source_read_names(s, &dump);
	*out = (struct top_sample){
		.monotonic_ns = clock_monotonic_ns(),
		.wall_ns = clock_wall_ns(),
	};
	if (tasks_read(s->tasks, s->options.switches, err))
		return -1;
	source_fill_process(s, &out->process);
	source_fill_pod(&s->pod, &out->process);
	source_fill_rows(s, &dump, out);
	source_fill_notes(s, &dump, out);
	s->has_sampled = true;
	marks_record(s);
	if (s->unnamed && !source_is_stopped(s))
		thread_dumps_ask(s->dumps, s->stopped_ns);
	return 0;
}

static int source_check_runs(const struct proc_source *s, struct error *err)
{
	if (!jvm_runs(s->jvm))
		return fail(err, ERROR_NO_TARGET, "process %d has exited",
			    (int)s->jvm->pid);
	if (source_is_stopped(s))
		return fail(err, ERROR_REFUSED,
			    "process %d is stopped: it cannot respond",
			    (int)s->jvm->pid);
	return 0;
}

static const struct text *source_dump_text(struct proc_source *s,
					   int64_t since_ns, struct error *err)
{
	const char *why = source_why_no_names(s);

	if (why) {
		fail(err, ERROR_UNAVAILABLE, "no thread dump: %s", why);
		return NULL;
	}
	return source_check_runs(s, err)
		       ? NULL
		       : thread_dumps_text(s->dumps, since_ns, err);
}

/*
 * Adds the peer for which the thread waits in a system call below its leaf
 * frame, the second line of the stack trace at out->bytes + at. The dump may be
 * a second old.
 */
static void source_add_peer(const struct proc_source *s,
			    const struct thread_sample *t, size_t at,
			    struct text *out)
{
	struct lines lines = lines_over(out->bytes + at, out->len - at);
	struct wait_peers peers = { 0 };
	struct text rest = { 0 };
	struct line line;
	size_t len;

	if (wait_peers_read(&peers, s->jvm, &t->tid, 1, error_unused()) == 0 &&
	    peers.list[0].action != WAIT_ABSENT) {
		for (int i = 0; i < 2; i++)
			lines_next(&lines, &line);
		len = (size_t)(lines.at - out->bytes);
		text_add(&rest, lines.at, out->len - len);
		out->len = len;
		text_puts(out, "    - now ");
		wait_peer_text(&peers, peers.list, false, out);
		text_putc(out, '\n');
		text_add(out, rest.bytes, rest.len);
		text_release(&rest);
	}
	wait_peers_release(&peers);
}

static int source_stack(struct thread_source *base,
			const struct thread_sample *t, struct text *out,
			struct error *err)
{
	const struct proc_source *s = source_of(base);
	const struct text *dump = source_dump_text(source_of(base), 0, err);
	size_t at = out->len;

	if (!dump)
		return -1;
	if (thread_text_stack(dump->bytes, dump->len, t->ns_tid, t->java_id,
			      out)) {
		source_add_peer(s, t, at, out);
		return 0;
	}
	return fail(err, ERROR_UNAVAILABLE,
		    "thread %d is not in the JVM's thread dump: it is not a "
		    "Java thread, or has ended",
		    (int)t->tid);
}

/* Total time that the program was stopped; -1 = unknown. */
static int64_t source_stopped_ns(struct proc_source *s)
{
	struct process_sample unused;

	process_sample_clear(&unused);
	source_read_perfdata(s, &unused);
	return s->stopped_ns;
}

static int source_blocked(struct thread_source *base, struct blocked *out,
			  struct error *err)
{
	struct proc_source *s = source_of(base);
	int64_t before = source_stopped_ns(s), began = clock_monotonic_ns();
	int64_t after, asked, came, came_ns;
	const struct text *dump;

	/* Reading the JVM's tables takes milliseconds: for users who ask. */
	if (!s->has_owners)
		dump_owners_open(&s->owners, s->jvm);
	s->has_owners = true;
	dump_owners_before(&s->owners);
	/* Owners must be of the dump's time. */
	dump = source_dump_text(s, s->owners.owners ? began : 0, err);
	if (!dump)
		return -1;
	thread_dumps_times(s->dumps, &asked, &came, &came_ns);
	if (out->at_ns == came_ns)
		return 0; /* the dump is the same as before */
	blocked_begin(out, "Thread.print", came_ns);
	blocked_read_dump(out, dump->bytes, dump->len);
	dump_owners_after(&s->owners);
	if (s->owners.owners)
		blocked_add_owners(out, &s->owners.after);
	blocked_link(out);
	after = source_stopped_ns(s);
	/*
	 * The difference also includes collections, but is at most the elapsed
	 * time.
	 */
	if (came_ns >= began && before >= 0 && after >= before) {
		out->pause_ns = clock_monotonic_ns() - began;
		if (after - before < out->pause_ns)
			out->pause_ns = after - before;
	}
	return 0;
}

/* The JVM's list lacks deadlocks of virtual threads. */
static int source_deadlocks(struct thread_source *base, struct text *out,
			    struct error *err)
{
	const struct text *dump = NULL;
	struct blocked b = { 0 };
	size_t before = out->len;

	if (source_blocked(base, &b, err) == 0)
		dump = source_dump_text(source_of(base), 0, err);
	if (dump)
		thread_text_deadlocks(dump->bytes, dump->len, out);
	if (dump && out->len == before && b.deadlocks)
		blocked_text(&b, BLOCKED_FEW, out);
	blocked_release(&b);
	return dump ? 0 : -1;
}

static const char *source_title(struct thread_source *base)
{
	return source_of(base)->title.bytes;
}

static void source_close(struct thread_source *base)
{
	struct proc_source *s = source_of(base);

	thread_dumps_free(s->dumps);
	if (s->has_owners)
		dump_owners_close(&s->owners);
	machine_load_close(&s->machine);
	tasks_close(s->tasks);
	perfdata_close(s->perf);
	free(s->rows);
	free(s->marks.all);
	free(s->dump_marks.all);
	container_pod_release(&s->pod);
	text_release(&s->title);
	free(s);
}

static void source_add_info(struct proc_source *s)
{
	struct jvm_info about = { 0 };

	if (jvm_info(s->jvm, &about, error_unused()))
		return;
	if (about.main_class) {
		text_putc(&s->title, ' ');
		safe_text_puts(&s->title, about.main_class);
	}
	if (about.version) {
		text_puts(&s->title, ", ");
		safe_text_puts(&s->title, about.version);
	}
	jvm_info_release(&about);
}

static void source_make_title(struct proc_source *s)
{
	struct text pod = { 0 };

	text_printf(&s->title, "%d", (int)s->jvm->pid);
	source_add_info(s);
	container_pod_read(&s->pod, s->jvm);
	container_pod_add(&s->pod, &pod);
	if (pod.len) {
		text_puts(&s->title, ", ");
		safe_text(&s->title, pod.bytes, pod.len);
	}
	text_release(&pod);
}

static const struct thread_source_ops ops = {
	.name = "proc",
	.sample = source_sample,
	.stack = source_stack,
	.deadlocks = source_deadlocks,
	.blocked = source_blocked,
	.title = source_title,
	.close = source_close,
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
	s->dumps = thread_dumps_new(jvm, !source_why_no_names(s),
				    s->options.attach_timeout_ns);
	s->tasks = tasks_open(jvm, err);
	if (!s->tasks || tasks_read(s->tasks, s->options.switches, err)) {
		source_close(&s->base);
		return NULL;
	}
	machine_load_open(&s->machine, jvm);
	marks_record(s);
	s->first_until_ns = clock_monotonic_ns() + FIRST_WAIT_NS;
	if (!source_is_stopped(s))
		thread_dumps_ask(s->dumps, -1);
	source_make_title(s);
	return &s->base;
}
