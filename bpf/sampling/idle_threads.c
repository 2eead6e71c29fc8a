/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/idle_threads.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/map64.h"
#include "core/jvm/procfs.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum {
	SYSCALL_BYTES = 512,
	STACK_BYTES = 64 * 1024, /* maximum bytes of /proc/TID/stack */
	STATUS_BYTES = 16 * 1024,
	PAGE = 4096,
	COPIES = 1024,        /* number of stacks that are copied at a time */
	COPY = 2 * PAGE,      /* maximum bytes of each copy */
	MOST_SLEEPERS = 8192, /* maximum number of threads of a process */
	MOST_STALLS = 3, /* after this number of stalls, no user stack is read
			  */
};

struct sleeper {
	pid_t tid;
	uint32_t stack;
	uint64_t switches;  /* number of context switches */
	int64_t counted_ns; /* when the switches were counted */
	__u64 regs[SAMPLE_REGISTERS];
	uint32_t kernel, kernel_count; /* index and number of addresses */
	uint32_t copy, copied;         /* index and bytes of the stack's copy */
	bool was_copied;               /* a copy of its stack was tried */
	bool is_caught;                /* its registers were reported */
	bool has_stayed;               /* it did not move while copied */
	bool was_searched;             /* its stack was searched */
	bool is_known;                 /* it slept, and its stack is known */
};

struct idle_threads {
	struct map64 by_tid; /* index */
	struct sleeper *all;
	size_t count, next; /* next index to check */
	size_t omitted;     /* threads beyond MOST_SLEEPERS */
	int64_t since_ns;
	unsigned stalls;
	uint64_t *kernel; /* addresses of all caught threads */
	size_t kernel_count, kernel_cap;
	uint8_t *copies;
	bool is_complete; /* all sleeping threads were reported */
};

/* Reads a task's file without its newline; false if the thread has ended. */
static bool idle_read_task(const struct sampling_target *t, pid_t tid,
			   const char *name, size_t limit, struct text *out)
{
	struct error unused;
	char path[48];

	snprintf(path, sizeof(path), "task/%d/%s", (int)tid, name);
	if (procfs_read(t->jvm.pid, path, limit, out, &unused) || !out->len)
		return false;
	if (out->bytes[out->len - 1] == '\n')
		out->bytes[--out->len] = '\0';
	return true;
}

/*
 * Reads the place where the thread entered the kernel: "202 0x… 0x… 0x… 0x… 0x…
 * 0x… SP IP", "-1 SP IP" if not by a system call, or "running".
 */
static bool idle_read_place(const struct sampling_target *t, pid_t tid,
			    uint64_t *sp, uint64_t *ip)
{
	struct text line = { 0 };
	const char *at, *before;
	bool ret = false;

	if (idle_read_task(t, tid, "syscall", SYSCALL_BYTES, &line)) {
		at = strrchr(line.bytes, ' ');
		before = at ? memrchr(line.bytes, ' ',
				      (size_t)(at - line.bytes))
			    : NULL;
		if (before) {
			*sp = strtoull(before + 1, NULL, 16);
			*ip = strtoull(at + 1, NULL, 16);
			ret = *sp != 0;
		}
	}
	text_release(&line);
	return ret;
}

/* Parses lines such as "[<0>] futex_wait_queue+0x60/0x90", leaf first. */
static void idle_add_kernel_frames(struct sampling_target *t, pid_t tid)
{
	struct text stack = { 0 };
	const char *at = NULL;

	if (idle_read_task(t, tid, "stack", STACK_BYTES, &stack))
		at = stack.bytes;
	while (at && *at) {
		size_t len = strcspn(at, "\n");
		const char *name = memchr(at, ' ', len);
		size_t name_len = name ? strcspn(name + 1, "+\n") : 0;

		if (name_len)
			sampling_frames_kernel_name(t->frames, name + 1,
						    name_len);
		at += len + (at[len] == '\n');
	}
	text_release(&stack);
}

/* Returns the number of context switches; 0 = unknown. */
static uint64_t idle_read_switches(const struct sampling_target *t, pid_t tid)
{
	static const char name[] = "ctxt_switches:";
	struct text status = { 0 };
	uint64_t switches = 0;
	const char *at = NULL;

	if (idle_read_task(t, tid, "status", STATUS_BYTES, &status))
		at = strstr(status.bytes, name);
	for (; at; at = strstr(at, name)) {
		at += strlen(name);
		switches += strtoull(at, NULL, 10);
	}
	text_release(&status);
	return switches;
}

/* Reads pages from sp up to the first unreadable one; returns the bytes. */
static size_t idle_read_stack(struct sampling_target *t, uint64_t sp,
			      uint8_t *bytes, size_t size)
{
	struct memory_range pages[UINT8_MAX];
	size_t count = 0, len = 0;

	for (size_t at = 0; at < size && count < UINT8_MAX; count++) {
		size_t part = PAGE - (sp + at) % PAGE;

		part = part < size - at ? part : size - at;
		pages[count] = (struct memory_range){ sp + at, bytes + at, part,
						      false };
		at += part;
	}
	t->view->memory->read_all(t->view->memory, pages, count);
	for (size_t i = 0; i < count && pages[i].is_read; i++)
		len += pages[i].len;
	return len;
}

/*
 * Walks a stack and reads more of it until that is enough: most stacks are
 * small.  A thread found in /proc has only two registers, enough for most
 * stacks.  Returns true if the maximum number of bytes was read.
 */
static bool idle_walk(struct sampling_target *t, struct sleeper *s,
		      uint8_t *bytes, struct unwound *u)
{
	uint64_t sp = s->regs[SAMPLE_SP];
	size_t most = t->shared->o->stack_bytes;
	size_t have = s->copied;
	size_t wanted = have ? have : PAGE - sp % PAGE;

	if (have)
		memcpy(bytes, t->idle->copies + (size_t)s->copy * COPY, have);
	do {
		struct unwind_start from = sampling_target_registers(t,
								     s->regs);

		from.stack = bytes;
		wanted = wanted < most ? wanted : most;
		if (wanted > have) {
			s->has_stayed = false;
			have += idle_read_stack(t, sp + have, bytes + have,
						wanted - have);
		}
		from.stack_bytes = have;
		unwinder_walk(t->unwinder, &from, u);
		if (u->end != UNWIND_CUT || have < wanted)
			break;
		wanted += 3 * wanted;
	} while (have < most);
	return have >= most;
}

static void idle_add_user_frames(struct sampling_target *t, struct sleeper *s)
{
	uint64_t stalls = remote_memory_stalls(t->view->remote);
	uint64_t missed = remote_memory_missed(t->view->remote);
	enum sampling_end end;
	uint8_t *bytes;
	struct unwound u;
	bool is_full;

	if (t->idle->stalls >= MOST_STALLS) {
		t->shared->ends[SAMPLING_END_STALLED]++;
		return;
	}
	bytes = xmalloc(t->shared->o->stack_bytes);
	is_full = idle_walk(t, s, bytes, &u);
	end = sampling_target_count_end(
		t, &u, is_full ? SAMPLING_END_BYTES : SAMPLING_END_PAGE,
		missed);
	sampling_frames_user(t->frames, &u, sampling_end_frame(end),
			     (uint64_t)clock_monotonic_ns());
	t->idle->stalls += (unsigned)(remote_memory_stalls(t->view->remote) -
				      stalls);
	free(bytes);
}

/* Reads registers and kernel frames of a sleeping thread from /proc. */
static bool idle_find_by_proc(struct sampling_target *t, struct sleeper *s)
{
	uint64_t sp, ip;

	/* Count first: a thread that runs in the meantime has more switches. */
	s->counted_ns = clock_monotonic_ns();
	s->switches = idle_read_switches(t, s->tid);
	if (!idle_read_place(t, s->tid, &sp, &ip))
		return false;
	s->regs[SAMPLE_SP] = sp;
	s->regs[SAMPLE_IP] = ip;
	if (!t->shared->o->only_user)
		idle_add_kernel_frames(t, s->tid);
	return true;
}

/* Uses the registers and kernel frames that were reported. */
static bool idle_find_caught(struct sampling_target *t, const struct sleeper *s)
{
	if (!t->shared->o->only_user)
		sampling_frames_kernel(t->frames, t->idle->kernel + s->kernel,
				       s->kernel_count);
	return true;
}

/* Ranges for the copy of a stack: its first page and the next one. */
static void idle_add_ranges(struct idle_threads *a, struct sleeper *s,
			    uint32_t number, size_t most,
			    struct memory_range *two)
{
	uint64_t sp = s->regs[SAMPLE_SP];
	size_t first = PAGE - sp % PAGE, next = most - first;
	uint8_t *bytes = a->copies + (size_t)number * COPY;

	s->copy = number;
	two[0] = (struct memory_range){ sp, bytes, first, false };
	two[1] = (struct memory_range){ sp + first, bytes + first,
					next < PAGE ? next : PAGE, false };
}

/* Forgets the copies, whose buffer is filled again or freed. */
static void idle_drop_copies(struct idle_threads *a)
{
	for (size_t i = 0; i < a->count; i++)
		a->all[i].copied = 0;
}

/*
 * Copies the stacks of the next COPIES caught threads at once, from an index
 * on: a read for each of them takes long if memory is read by another process,
 * which waits for a CPU each time.
 */
static void idle_copy_from(struct sampling_target *t, size_t first)
{
	struct idle_threads *a = t->idle;
	struct memory *memory = t->view->memory;
	struct memory_range *ranges = xcalloc((size_t)COPIES * 2,
					      sizeof(*ranges));
	struct sleeper **whose = xcalloc(COPIES, sizeof(struct sleeper *));
	uint32_t count = 0;

	if (!a->copies)
		a->copies = xcalloc(COPIES, COPY);
	idle_drop_copies(a);
	for (size_t i = first; i < a->count && count < COPIES; i++) {
		struct sleeper *s = &a->all[i];

		if (!s->is_caught || s->was_copied ||
		    sampling_threads_has_sample(t->threads, s->tid))
			continue;
		idle_add_ranges(a, s, count, t->shared->o->stack_bytes,
				&ranges[(size_t)count * 2]);
		s->was_copied = true;
		whose[count++] = s;
	}
	memory->read_all(memory, ranges, (size_t)count * 2);
	for (uint32_t i = 0; i < count; i++) {
		const struct memory_range *two = &ranges[(size_t)i * 2];

		if (two[0].is_read)
			whose[i]->copied = (uint32_t)(two[0].len +
						      (two[1].is_read
							       ? two[1].len
							       : 0));
	}
	free(ranges);
	free(whose);
}

/* Finds the stack trace of a thread that sleeps now. */
static void idle_find_stack(struct sampling_target *t, struct sleeper *s)
{
	sampling_frames_begin(t->frames);
	s->was_searched = true;
	/* A thread that was not caught was running, and will have a sample. */
	if (t->idle->is_complete ? !s->is_caught || !idle_find_caught(t, s)
				 : !idle_find_by_proc(t, s))
		return;
	if (!t->shared->o->only_kernel) {
		if (s->is_caught && !s->was_copied)
			idle_copy_from(t, (size_t)(s - t->idle->all));
		idle_add_user_frames(t, s);
	}
	s->stack = sampling_target_stack(t);
	/* The stack was read after the registers: check that it fits. */
	s->is_known = !s->is_caught || s->has_stayed ||
		      s->switches == idle_read_switches(t, s->tid);
	/* Its whole name is read before the window ends. */
	if (s->is_known)
		sampling_threads_sleeper(t->threads, s->tid);
}

/* Lists the sampled TIDs of a process; the caller frees the list. */
static pid_t *idle_list_tids(const struct sampling_target *t, size_t *count)
{
	pid_t only = t->shared->o->tid, *all = NULL;
	struct dirent *entry;
	size_t cap = 0;
	char path[32];
	DIR *dir;

	*count = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)t->jvm.pid);
	dir = jvm_runs(&t->jvm) ? opendir(path) : NULL;
	while (dir && (entry = readdir(dir))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid <= 0 || (only && tid != only))
			continue;
		array_reserve(all, cap, *count + 1);
		all[(*count)++] = tid;
	}
	if (dir)
		closedir(dir);
	return all;
}

struct idle_threads *idle_threads_new(struct sampling_target *t,
				      int64_t since_ns)
{
	struct idle_threads *a = xcalloc(1, sizeof(*a));
	pid_t *tids = idle_list_tids(t, &a->count);

	/* Each has a cell in the profile for each time bucket. */
	if (a->count > MOST_SLEEPERS) {
		a->omitted = a->count - MOST_SLEEPERS;
		a->count = MOST_SLEEPERS;
	}
	a->since_ns = since_ns;
	a->all = xcalloc(a->count, sizeof(*a->all));
	for (size_t i = 0; i < a->count; i++) {
		a->all[i].tid = tids[i];
		map64_add(&a->by_tid, (uint64_t)tids[i], (uint32_t)i);
	}
	free(tids);
	return a;
}

void idle_threads_free(struct idle_threads *a)
{
	if (!a)
		return;
	map64_release(&a->by_tid);
	free(a->kernel);
	free(a->copies);
	free(a->all);
	free(a);
}

void idle_threads_renew(struct sampling_target *t)
{
	struct idle_threads *a = t->idle;

	for (size_t i = 0; i < a->count; i++) {
		struct sleeper *s = &a->all[i];

		s->is_known &= !sampling_threads_has_sample(t->threads, s->tid);
		s->stack = s->is_known ? sampling_target_copy_stack(t, s->stack)
				       : 0;
	}
}

void idle_threads_catch(struct idle_threads *a, const struct sample_event *e,
			const uint64_t *kernel)
{
	uint32_t at = map64_get(&a->by_tid, e->tid);
	struct sleeper *s = at == MAP64_NONE ? NULL : &a->all[at];

	if (!s || s->was_searched || a->is_complete)
		return;
	s->is_caught = true;
	s->switches = e->weight;
	s->counted_ns = (int64_t)e->time_ns;
	memcpy(s->regs, e->regs, sizeof(s->regs));
	/* Threads of a JVM have a user stack. */
	if (e->flags & SAMPLE_NO_USER)
		s->is_caught = false;
	s->kernel = (uint32_t)a->kernel_count;
	s->kernel_count = e->kernel_frames;
	array_reserve(a->kernel, a->kernel_cap,
		      a->kernel_count + e->kernel_frames);
	memcpy(a->kernel + a->kernel_count, kernel,
	       e->kernel_frames * sizeof(*kernel));
	a->kernel_count += e->kernel_frames;
}

void idle_threads_copy(struct sampling_target *t)
{
	if (!t->idle->is_complete && !t->shared->o->only_kernel)
		idle_copy_from(t, 0);
}

void idle_threads_confirm(struct idle_threads *a, const struct sample_event *e)
{
	uint32_t at = map64_get(&a->by_tid, e->tid);
	struct sleeper *s = at == MAP64_NONE ? NULL : &a->all[at];

	if (s && !a->is_complete && s->is_caught && s->switches == e->weight)
		s->has_stayed = true;
}

void idle_threads_end_round(struct idle_threads *a) { a->is_complete = true; }

bool idle_threads_walk(struct sampling_target *t, int64_t until_ns)
{
	struct idle_threads *a = t->idle;

	if (a->next < a->count)
		sampling_target_begin(t);
	while (a->next < a->count && clock_monotonic_ns() < until_ns) {
		struct sleeper *s = &a->all[a->next++];

		/* A thread with a sample is not asleep all the time. */
		if (!sampling_threads_has_sample(t->threads, s->tid))
			idle_find_stack(t, s);
	}
	if (a->next < a->count)
		return false;
	idle_drop_copies(a);
	free(a->copies);
	a->copies = NULL;
	return true;
}

uint32_t idle_threads_stack(const struct idle_threads *a, pid_t tid,
			    uint64_t sp)
{
	uint32_t at = map64_get(&a->by_tid, (uint64_t)tid);
	const struct sleeper *s = at == MAP64_NONE ? NULL : &a->all[at];

	return s && s->is_known && s->regs[SAMPLE_SP] == sp ? s->stack : 0;
}

/*
 * Returns true if a thread without a sample has slept all the time.  That is
 * certain if no sample was lost: a thread that ran would have a sample.
 */
static bool idle_has_slept(const struct sampling_target *t,
			   const struct sleeper *s, bool has_lost)
{
	if (!s || (s->was_searched && !s->is_known))
		return false;
	return !has_lost || ((s->is_known || s->is_caught) && s->switches &&
			     s->switches == idle_read_switches(t, s->tid));
}

static void idle_add_sample(struct sampling_target *t, const struct sleeper *s,
			    int64_t since_ns, int64_t end_ns)
{
	struct sample sample = {
		.time_ns = since_ns + t->shared->epoch_ns,
		.duration_ns = (uint64_t)(end_ns - since_ns),
		.count = 1,
		.weight = (uint64_t)(end_ns - since_ns),
	};

	if (!s->is_known || end_ns <= since_ns)
		return;
	sample.stack = s->stack;
	sample.thread = sampling_threads_sleeper(t->threads, s->tid);
	if (sample.thread)
		sampling_target_add(t, SAMPLING_OFFCPU | SAMPLING_WALL,
				    &sample);
}

void idle_threads_count_lost(struct profile *p, uint64_t hidden, uint64_t late)
{
	if (hidden)
		profile_lost(p, "threads omitted", hidden,
			     "they may have slept, but samples were lost");
	if (late)
		profile_lost(p, "threads not checked", late,
			     "there was no time to read their stacks");
}

void idle_threads_add(struct sampling_target *t, int64_t end_ns, bool has_lost,
		      int64_t until_ns)
{
	struct idle_threads *a = t->idle;
	uint64_t hidden = 0, late = 0;
	size_t count;
	pid_t *tids = idle_list_tids(t, &count);
	int64_t since_ns;

	sampling_target_begin(t);
	for (size_t i = 0; i < count; i++) {
		uint32_t at = map64_get(&a->by_tid, (uint64_t)tids[i]);
		struct sleeper *s = at == MAP64_NONE ? NULL : &a->all[at];

		if (sampling_threads_has_sample(t->threads, tids[i]))
			continue;
		if (!idle_has_slept(t, s, has_lost)) {
			hidden += has_lost;
			if (s && has_lost) {
				s->was_searched = true;
				s->is_known = false;
			}
			continue;
		}
		if (!s->was_searched && clock_monotonic_ns() < until_ns)
			idle_find_stack(t, s);
		late += !s->was_searched;
		since_ns = a->since_ns > t->shared->window_ns
				   ? a->since_ns
				   : t->shared->window_ns;
		/* Before that, its samples may be among the lost ones. */
		if (has_lost && s->counted_ns > since_ns)
			since_ns = s->counted_ns;
		idle_add_sample(t, s, since_ns, end_ns);
	}
	idle_threads_count_lost(t->profile, hidden, late);
	if (a->omitted && count)
		profile_lost(t->profile, "sleeping threads not reported",
			     a->omitted, "the process had more than %d threads",
			     MOST_SLEEPERS);
	free(tids);
}
