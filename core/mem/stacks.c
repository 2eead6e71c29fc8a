/* SPDX-License-Identifier: Apache-2.0 */
/* stacks: the stacks of living threads. */
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/base/map64.h"
#include "core/hotspot/java_threads.h"
#include "core/jvm/procfs.h"
#include "core/mem/accounting.h"
#include "core/process/read_budget.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	TASKS_MOST = 1 << 17,
	STACK_MOST = 1 << 30, /* larger ones are no stacks */
	/* Thread-local storage and struct pthread are above a stack. */
	ABOVE_STACK = 1 << 20,
	ABOVE_STACK_LEAST = 16 << 10,
	NEAR_END = 64 << 10,
	TRIES = 5,
};

/* Between two looks at threads that run. */
#define PAUSE_NS (2 * CLOCK_NS_PER_MS)
/* CPU time for the files of threads: 10,000 threads take as much. */
#define TASKS_NS (CLOCK_NS_PER_S / 2)
/* That may pass besides, on a busy machine. */
#define TASKS_WAIT_NS (10 * CLOCK_NS_PER_S)

struct task_stack {
	pid_t tid, ns_tid;
	char name[PROCFS_NAMES];
	bool is_java, is_running;
	uint64_t sp; /* 0 = unknown */
};

struct task_stacks {
	struct task_stack *all;
	size_t count, cap;
	struct map64 by_ns_tid;
	bool is_cut;    /* there are more threads */
	bool is_denied; /* the stack pointers are unreadable */
	struct read_budget budget;
};

/* ---- threads of the kernel ---- */

static void task_read_name(struct task_stack *t, pid_t pid, struct text *text)
{
	char path[48];

	snprintf(path, sizeof(path), "task/%d/comm", (int)t->tid);
	if (procfs_read(pid, path, sizeof(t->name), text, error_unused()) ||
	    !text->len)
		return;
	snprintf(t->name, sizeof(t->name), "%.*s",
		 (int)strcspn(text->bytes, "\n"), text->bytes);
}

static void task_read_ns_tid(struct task_stack *t, const struct jvm *jvm,
			     struct text *text)
{
	struct proc_status status;
	char path[48];

	t->ns_tid = t->tid;
	if (!jvm->own_pid_ns)
		return;
	snprintf(path, sizeof(path), "task/%d/status", (int)t->tid);
	if (procfs_read(jvm->pid, path, 65536, text, error_unused()) == 0 &&
	    procfs_parse_status(text->bytes, text->len, &status) &&
	    status.ns_depth)
		t->ns_tid = status.ns_pids[status.ns_depth - 1];
}

/*
 * Reads the stack pointer, the last word but one of "232 0x7 … 0x7f7c 0x7f7a"
 * or "-1 0x7f7c 0x7f7a"; a thread on a CPU has "running".
 */
static void task_read_sp(struct task_stacks *s, struct task_stack *t, pid_t pid,
			 struct text *text)
{
	struct line rest, word, last = { 0 }, before = { 0 };
	struct error err;
	char path[48];

	t->is_running = false;
	snprintf(path, sizeof(path), "task/%d/syscall", (int)t->tid);
	if (procfs_read(pid, path, 512, text, &err)) {
		s->is_denied = s->is_denied || err.kind == ERROR_PERMISSION;
		return;
	}
	rest = (struct line){ text->bytes, text->len };
	while (rest.len) {
		word = line_trimmed(line_cut(&rest, ' '));
		before = last;
		last = word;
	}
	t->is_running = line_starts(last, "running");
	if (line_starts(before, "0x"))
		t->sp = strtoull(before.text, NULL, 16);
}

/* Checks the budget before some of the threads. */
static bool tasks_are_over(const struct task_stacks *s, size_t i)
{
	return i >= TASKS_MOST ||
	       (i % 64 == 63 && read_budget_is_spent(&s->budget));
}

static void tasks_read(struct task_stacks *s, const struct jvm *jvm)
{
	int fd = procfs_open(jvm->pid, "task", O_RDONLY | O_DIRECTORY,
			     error_unused());
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct text text = { 0 };
	struct dirent *e;

	if (!directory && fd >= 0)
		close(fd);
	while (directory && (e = readdir(directory))) {
		struct task_stack t = { .tid = (pid_t)strtol(e->d_name, NULL,
							     10) };

		if (t.tid <= 0)
			continue;
		if (tasks_are_over(s, s->count)) {
			s->is_cut = true;
			break;
		}
		task_read_name(&t, jvm->pid, &text);
		task_read_ns_tid(&t, jvm, &text);
		map64_add(&s->by_ns_tid, (uint64_t)t.ns_tid,
			  (uint32_t)s->count);
		array_add(s->all, s->count, s->cap, t);
	}
	if (directory)
		closedir(directory);
	text_release(&text);
}

/* ---- the list of stacks ---- */

static void stack_add(struct accounting *a, const struct task_stack *t,
		      bool is_java, uint64_t start, uint64_t end)
{
	struct mem_account *out = a->out;
	struct mem_stack one = { .is_java = is_java,
				 .start = start,
				 .end = end };

	if (t) {
		one.tid = t->tid;
		memcpy(one.name, t->name, sizeof(one.name));
	}
	array_add(out->stacks, out->stack_count, a->stack_cap, one);
}

static int stack_compare_start(const void *a, const void *b)
{
	const struct mem_stack *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/*
 * Extends each stack to the end of its mapping, where glibc has the thread's
 * own data, but not into the next stack: mappings of stacks are merged if their
 * guard pages are no mappings (glibc 2.42).
 */
static void stacks_claim(struct accounting *a, size_t first)
{
	struct mem_stack *all = a->out->stacks + first;
	size_t count = a->out->stack_count - first;

	if (!count)
		return;
	qsort(all, count, sizeof(*all), stack_compare_start);
	for (size_t i = 0; i < count; i++) {
		size_t at = account_mapping(a, all[i].end - 1);
		uint64_t end = at == SIZE_MAX ? all[i].end
					      : a->smaps.mappings.all[at].end;

		/* Of merged mappings, the end is that of another stack. */
		if (end - all[i].end > ABOVE_STACK)
			end = all[i].end + ABOVE_STACK_LEAST;
		all[i].end = end;
		if (i + 1 < count && all[i].end > all[i + 1].start)
			all[i].end = all[i + 1].start;
		claims_add(&a->claims, all[i].start, all[i].end, MEM_STACKS,
			   all[i].is_java ? "Java" : "native");
	}
	claims_settle(&a->claims);
}

/* The first stack of a process has a mapping of its own, which grows. */
static bool mapping_is_first_stack(const struct mapping *m)
{
	return strcmp(m->path, "[stack]") == 0;
}

static void stacks_add_java(struct accounting *a, struct task_stacks *s)
{
	struct thread_layout layout;
	struct java_threads *threads;
	const struct java_thread *all;
	struct error err;
	size_t count;

	if (thread_layout_read(&layout, a->v, &err)) {
		account_limit(a, "stacks of Java threads count as native: %s",
			      err.text);
		return;
	}
	threads = java_threads_new(&layout, a->memory);
	all = java_threads_all(threads, &count);
	for (size_t i = 0; i < count; i++) {
		uint64_t end = all[i].fields[THREAD_STACK_BASE];
		uint64_t size = all[i].fields[THREAD_STACK_SIZE];
		uint32_t at = map64_get(&s->by_ns_tid, all[i].ns_tid);
		struct task_stack *t = at == MAP64_NONE ? NULL : &s->all[at];
		size_t mapping = account_mapping(a, end - 1);

		if (!size || size > STACK_MOST || size > end ||
		    mapping == SIZE_MAX || (t && t->is_java))
			continue;
		a->out->java_threads++;
		if (t)
			t->is_java = true;
		/* The JVM's idea of its size is the limit. */
		if (mapping_is_first_stack(&a->smaps.mappings.all[mapping]))
			stack_add(a, t, true,
				  a->smaps.mappings.all[mapping].start,
				  a->smaps.mappings.all[mapping].end);
		else
			stack_add(a, t, true, end - size, end);
	}
	java_threads_free(threads);
	stacks_claim(a, 0);
}

/* A running thread has no stack pointer in /proc, so look again. */
static void stacks_read_pointers(struct accounting *a, struct task_stacks *s)
{
	struct text text = { 0 };
	size_t running = 1;

	for (int try = 0; try < TRIES && running; try++) {
		if (try)
			clock_sleep_until(clock_monotonic_ns() + PAUSE_NS);
		running = 0;
		for (size_t i = 0; i < s->count && !s->is_cut; i++) {
			struct task_stack *t = &s->all[i];

			s->is_cut = tasks_are_over(s, i);
			if (!t->is_java && (!try || t->is_running))
				task_read_sp(s, t, a->jvm->pid, &text);
			running += t->is_running;
		}
	}
	text_release(&text);
}

static int task_compare_sp(const void *a, const void *b)
{
	const struct task_stack *x = a, *y = b;

	return (x->sp > y->sp) - (x->sp < y->sp);
}

/*
 * Adds the stack around a stack pointer: as much of its mapping as no claim and
 * no stack below has.  False if there is none.
 */
static bool stack_add_around(struct accounting *a, const struct task_stack *t,
			     const struct task_stack *below)
{
	size_t at = account_mapping(a, t->sp);
	size_t next = claims_after(&a->claims, t->sp);
	const struct claim *claims = a->claims.all;
	const struct mapping *m;
	uint64_t start, end;

	if (at == SIZE_MAX)
		return false;
	m = &a->smaps.mappings.all[at];
	start = m->start;
	end = m->end;
	/* A program may run a thread on any memory. */
	if (!mapping_is_first_stack(m) &&
	    (!smaps_is_anonymous(m) || end - start > STACK_MOST))
		return true;
	if (next < a->claims.settled && claims[next].start < end)
		end = claims[next].start;
	/* Another stack or part has it. */
	if (end <= t->sp)
		return true;
	if (next && claims[next - 1].end > start)
		start = claims[next - 1].end;
	/* A thread that waits is near the upper end of its stack. */
	if (below && below->sp >= start) {
		uint64_t half = (t->sp - below->sp) / 2;

		start = below->sp + (half < NEAR_END ? half : NEAR_END);
		start = start / PAGE_BYTES * PAGE_BYTES;
		if (a->out->stack_count)
			a->out->stacks[a->out->stack_count - 1].end = start;
	}
	stack_add(a, t, false, start, end);
	return true;
}

static void stacks_add_native(struct accounting *a, struct task_stacks *s)
{
	size_t first = a->out->stack_count;
	const struct task_stack *below = NULL;

	stacks_read_pointers(a, s);
	if (s->count)
		qsort(s->all, s->count, sizeof(*s->all), task_compare_sp);
	for (size_t i = 0; i < s->count; i++) {
		const struct task_stack *t = &s->all[i];

		if (t->is_java)
			continue;
		a->out->native_threads++;
		if (stack_add_around(a, t, below))
			below = t;
		else
			a->out->unplaced_threads++;
	}
	stacks_claim(a, first);
}

void account_stacks(struct accounting *a)
{
	struct task_stacks s = { .budget = read_budget_of(TASKS_NS) };

	s.budget.until_ns += TASKS_WAIT_NS;
	tasks_read(&s, a->jvm);
	if (a->v)
		stacks_add_java(a, &s);
	stacks_add_native(a, &s);
	if (s.is_cut)
		account_limit(a, "the process has more threads than are read, "
				 "so stacks may count as those of ended "
				 "threads");
	if (s.is_denied)
		account_limit(a, "the kernel denies the stack pointers of "
				 "threads, so stacks are recognized by shape");
	else if (a->out->unplaced_threads)
		account_limit(a,
			      "%u native threads were running, so their stacks "
			      "may count as those of ended threads",
			      a->out->unplaced_threads);
	map64_release(&s.by_ns_tid);
	free(s.all);
}

static int stack_compare_size(const void *a, const void *b)
{
	const struct mem_stack *x = a, *y = b;

	if (x->size.resident != y->size.resident)
		return x->size.resident < y->size.resident ? 1 : -1;
	return stack_compare_start(a, b);
}

void account_measure_stacks(struct accounting *a)
{
	struct mem_account *out = a->out;
	const struct mappings *m = &a->smaps.mappings;

	for (size_t i = 0; i < out->stack_count; i++) {
		struct mem_stack *s = &out->stacks[i];
		uint64_t at = s->start;

		/* A stack has several mappings: guard pages are protected. */
		for (size_t k = account_mapping(a, s->end - 1);
		     k != SIZE_MAX && m->all[k].end > s->start; k--) {
			uint64_t start = m->all[k].start, end = m->all[k].end;

			account_measure(a, k, start > at ? start : at,
					end < s->end ? end : s->end, &s->size);
			if (!k)
				break;
		}
	}
	if (out->stack_count)
		qsort(out->stacks, out->stack_count, sizeof(*out->stacks),
		      stack_compare_size);
}
