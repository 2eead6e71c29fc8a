/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/task_sample.h"

#include "core/base/clock.h"
#include "core/threads/task_process.h"

/* A thread of Java's has made itself known to the JVM by then. */
#define SETTLED_NS (500 * CLOCK_NS_PER_MS)

int64_t task_sample_start(const struct task *task)
{
	int64_t ns;

	if (__builtin_mul_overflow(task->start_ticks, task_tick_ns(), &ns))
		return INT64_MAX;
	return ns;
}

static int64_t counter(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static void add_counters(struct thread_sample *out, const struct task *task)
{
	int64_t *c = out->counters;

	for (int i = 0; i < THREAD_COUNTERS; i++)
		c[i] = COUNTER_ABSENT;
	c[THREAD_USER] = counter(task->user_ns);
	c[THREAD_SYS] = counter(task->sys_ns);
	c[THREAD_CPU] = counter(task->has_schedstat
					? task->cpu_ns
					: task->user_ns + task->sys_ns);
	if (task->has_schedstat)
		c[THREAD_RUNQ] = counter(task->runq_ns);
	if (task->has_switches) {
		c[THREAD_VOLUNTARY] = counter(task->voluntary);
		c[THREAD_INVOLUNTARY] = counter(task->involuntary);
	}
}

static enum thread_run_state kernel_state(char state)
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
 * The JVM's word for a state, as long as it holds: a thread that has not run
 * has not changed it.
 */
static void set_state(struct thread_sample *out, const struct task *task,
		      const struct thread_name *name, bool has_run)
{
	enum thread_run_state now = kernel_state(task->state);

	out->state = now;
	if (!name || name->kind != THREAD_JAVA || now == RUN_DISK ||
	    now == RUN_STOPPED)
		return;
	if (now == RUN_ON_CPU) {
		out->state = RUN_RUNNABLE;
	} else if (name->state != RUN_UNKNOWN) {
		out->state = name->state;
		out->state_is_old = has_run;
	}
}

/* A tid may have gone to another thread since. */
static const struct thread_name *name_of(const struct task *task,
					 const struct task_dump *dump)
{
	if (!dump->names || task_sample_start(task) > dump->came_ns)
		return NULL;
	return thread_names_find(dump->names, task->ns_tid);
}

static void set_name(struct thread_sample *out, const struct task *task,
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
	 * It was there when the dump was made, which does not have it.  The
	 * first thread is not Java's unless it made the JVM, long before.
	 */
	if (dump->names &&
	    (task->tid == dump->leader ||
	     task_sample_start(task) < dump->asked_ns - SETTLED_NS))
		out->kind = THREAD_NATIVE;
}

/*
 * What a thread allocated between two dumps or, before there are two that have
 * it, in all its life.
 */
static void set_alloc_mean(struct thread_sample *out, const struct task *task,
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
	const struct thread_name *name = name_of(task, dump);

	*out = (struct thread_sample){
		.tid = task->tid,
		.ns_tid = task->ns_tid,
		.start = task->start_ticks,
	};
	add_counters(out, task);
	set_name(out, task, dump, name);
	set_state(out, task, name, has_run);
	if (!name || !name->allocated_step)
		return;
	out->alloc_is_coarse = name->allocated_step > 1;
	if (dump->is_new)
		out->counters[THREAD_ALLOC] = counter(name->allocated);
	set_alloc_mean(out, task, dump, name);
}

bool task_sample_is_unnamed(const struct thread_sample *s,
			    const struct task *task, int64_t now_ns)
{
	return s->kind == THREAD_UNKNOWN &&
	       task_sample_start(task) < now_ns - SETTLED_NS;
}
