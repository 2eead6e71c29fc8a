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
	uint64_t switches;  /* number of context switches */
	int64_t counted_ns; /* when the switches were counted */
	__u64 regs[SAMPLE_REGISTERS];
	uint32_t kernel, kernel_count; /* index and number of addresses */
	uint32_t copy, copied;         /* index and bytes of the stack's copy */
	bool was_copied;               /* a copy of its stack was tried */
	bool is_caught;                /* its registers were reported */
	bool has_stayed;               /* it did not move while copied */
	bool was_searched;             /* its stack was searched */
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
	bool is_walked;   /* all were searched, and forgotten */
};

/* Reads a task's file without its newline; false if the thread has ended. */
static bool idle_read_task(pid_t pid, pid_t tid, const char *name, size_t limit,
			   struct text *out)
{
	char path[48];

	snprintf(path, sizeof(path), "task/%d/%s", (int)tid, name);
	if (procfs_read(pid, path, limit, out, error_unused()) || !out->len)
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

	if (idle_read_task(t->jvm.pid, tid, "syscall", SYSCALL_BYTES, &line)) {
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

	if (idle_read_task(t->jvm.pid, tid, "stack", STACK_BYTES, &stack))
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
static uint64_t idle_read_switches(pid_t pid, pid_t tid)
{
	static const char name[] = "ctxt_switches:";
	struct text status = { 0 };
	uint64_t switches = 0;
	const char *at = NULL;

	if (idle_read_task(pid, tid, "status", STATUS_BYTES, &status))
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

/* Returns the bytes from sp to the page after the anchor's frame, or more. */
static size_t idle_anchor_bytes(uint64_t sp, const struct unwind_anchor *a,
				size_t have)
{
	uint64_t wanted = a->sp > sp ? a->sp - sp + PAGE : 0;

	return wanted > have && wanted < UINT32_MAX ? wanted : have;
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

	struct unwind_start from = sampling_target_registers(t, s->regs);

	if (have)
		memcpy(bytes, t->idle->copies + (size_t)s->copy * COPY, have);
	do {
		from.stack = bytes;
		wanted = wanted < most ? wanted : most;
		if (wanted > have) {
			s->has_stayed = false;
			have += idle_read_stack(t, sp + have, bytes + have,
						wanted - have);
		}
		from.stack_bytes = have;
		unwinder_walk(t->unwinder, &from, u);
		/* The anchor is of a later time, so check the thread again. */
		if (u->end == UNWIND_LOST && !from.anchor.sp &&
		    sampling_target_find_anchor(t, s->tid, &from.anchor)) {
			s->has_stayed = false;
			wanted = idle_anchor_bytes(sp, &from.anchor, have);
			continue;
		}
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
	s->switches = idle_read_switches(t->jvm.pid, s->tid);
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

/* Adds the wait of a thread whose stack was walked, from this window on. */
static void idle_add_wait(struct sampling_target *t, const struct sleeper *s)
{
	int64_t since_ns = t->idle->since_ns > t->shared->window_ns
				   ? t->idle->since_ns
				   : t->shared->window_ns;
	struct sample_event e = {
		.time_ns = (uint64_t)since_ns,
		.tgid = (uint32_t)t->jvm.pid,
		.tid = (uint32_t)s->tid,
		.kind = SAMPLE_OFFCPU,
		.flags = SAMPLE_BEGAN_EARLIER,
		.object = { s->switches, (uint64_t)s->counted_ns },
		.stack = sampling_target_stack(t),
	};

	memcpy(e.regs, s->regs, sizeof(e.regs));
	sampler_begin_earlier(t->shared->sampler, &e);
	/* Its whole name is read before the window ends. */
	sampling_threads_sleeper(t->threads, s->tid);
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
	/* The stack was read after the registers: check that it fits. */
	if (!s->is_caught || s->has_stayed ||
	    s->switches == idle_read_switches(t->jvm.pid, s->tid))
		idle_add_wait(t, s);
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
		array_add(all, *count, cap, tid);
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

/* Frees all that only the search needs. */
static void idle_forget(struct idle_threads *a)
{
	map64_release(&a->by_tid);
	free(a->kernel);
	free(a->copies);
	free(a->all);
	*a = (struct idle_threads){ .omitted = a->omitted, .is_walked = true };
}

void idle_threads_free(struct idle_threads *a)
{
	if (a)
		idle_forget(a);
	free(a);
}

/* Returns the thread if its registers are wanted, or NULL. */
static struct sleeper *idle_find(struct idle_threads *a, uint32_t tid)
{
	uint32_t at = a->is_complete || a->is_walked
			      ? MAP64_NONE
			      : map64_get(&a->by_tid, tid);

	return at == MAP64_NONE ? NULL : &a->all[at];
}

void idle_threads_catch(struct idle_threads *a, const struct sample_event *e,
			const uint64_t *kernel)
{
	struct sleeper *s = idle_find(a, e->tid);

	if (!s || s->was_searched)
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
	if (!t->idle->is_complete && !t->idle->is_walked &&
	    !t->shared->o->only_kernel)
		idle_copy_from(t, 0);
}

void idle_threads_confirm(struct idle_threads *a, const struct sample_event *e)
{
	struct sleeper *s = idle_find(a, e->tid);

	if (s && s->is_caught && s->switches == e->weight)
		s->has_stayed = true;
}

void idle_threads_end_round(struct idle_threads *a) { a->is_complete = true; }

/* A thread with a sample or a wait is not asleep since before sampling. */
static bool idle_is_new(const struct sampling_target *t, pid_t tid)
{
	return !sampling_threads_has_sample(t->threads, tid) &&
	       !sampler_has_wait(t->shared->sampler, tid);
}

bool idle_threads_walk(struct sampling_target *t, int64_t until_ns)
{
	struct idle_threads *a = t->idle;

	if (a->is_walked)
		return true;
	sampling_target_begin(t);
	while (a->next < a->count) {
		struct sleeper *s = &a->all[a->next];

		/* Memory may become free in a later window. */
		if (sampling_shared_is_full(t->shared, true))
			return true;
		if (clock_monotonic_ns() >= until_ns)
			return false;
		a->next++;
		if (idle_is_new(t, s->tid))
			idle_find_stack(t, s);
	}
	idle_forget(a);
	return true;
}

bool idle_threads_sleeps(struct sample_event *e)
{
	uint64_t seen_ns = e->object[1];

	if (!e->object[0] ||
	    idle_read_switches((pid_t)e->tgid, (pid_t)e->tid) != e->object[0])
		return false;
	/* Before that, its samples may be among the lost ones. */
	if (seen_ns > e->time_ns) {
		e->weight -= seen_ns - e->time_ns < e->weight
				     ? seen_ns - e->time_ns
				     : e->weight;
		e->time_ns = seen_ns;
	}
	return true;
}

void idle_threads_count_lost(struct sampling_target *t, bool has_lost)
{
	const struct idle_threads *a = t->idle;
	uint64_t late = 0, hidden = 0;
	size_t count = 0;
	pid_t *tids;

	for (size_t i = a->next; i < a->count; i++)
		late += idle_is_new(t, a->all[i].tid);
	if (late)
		profile_lost(
			t->profile, "threads not checked", late,
			"there was no time or memory to read their stacks");
	tids = has_lost ? idle_list_tids(t, &count) : NULL;
	for (size_t i = 0; i < count; i++)
		hidden += idle_is_new(t, tids[i]);
	if (hidden > late)
		profile_lost(t->profile, "threads omitted", hidden - late,
			     "they may have slept, but samples were lost");
	if (a->omitted && jvm_runs(&t->jvm))
		profile_lost(t->profile, "sleeping threads not reported",
			     a->omitted, "the process had more than %d threads",
			     MOST_SLEEPERS);
	free(tids);
}
