/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/prof_asleep.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/map64.h"
#include "core/jvm/procfs.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum {
	SYSCALL_BYTES = 512,
	STACK_BYTES = 64 * 1024, /* of the kernel's stack as text */
	PART = 4096,             /* of the user's, read at once */
};

/* A tid's file, without its line end; false when the thread has ended. */
static bool read_task(const struct prof_target *t, pid_t tid, const char *name,
		      size_t limit, struct text *out)
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
 * "202 0x… 0x… 0x… 0x… 0x… 0x… SP IP": where the thread entered the kernel;
 * "-1 SP IP" when that was not by a system call; "running".
 */
static bool read_place(const struct prof_target *t, pid_t tid, uint64_t *sp,
		       uint64_t *ip)
{
	struct text line = { 0 };
	const char *at, *before;
	bool ret = false;

	if (read_task(t, tid, "syscall", SYSCALL_BYTES, &line)) {
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

/* "[<0>] futex_wait_queue+0x60/0x90", leaf first. */
static void add_kernel(struct prof_target *t, pid_t tid)
{
	struct text stack = { 0 };
	const char *at = NULL;

	if (read_task(t, tid, "stack", STACK_BYTES, &stack))
		at = stack.bytes;
	while (at && *at) {
		size_t len = strcspn(at, "\n");
		const char *name = memchr(at, ' ', len);
		size_t name_len = name ? strcspn(name + 1, "+\n") : 0;

		if (name_len)
			prof_frames_kernel_name(t->frames, name + 1, name_len);
		at += len + (at[len] == '\n');
	}
	text_release(&stack);
}

/* As much of its stack as there is, page by page; how many bytes. */
static size_t read_stack(struct prof_target *t, uint64_t sp, uint8_t *bytes,
			 size_t size)
{
	struct memory *memory = remote_memory_of(t->memory);
	size_t count = 0;

	while (count < size) {
		size_t part = PART - (sp + count) % PART;

		if (part > size - count)
			part = size - count;
		if (!memory_read(memory, sp + count, bytes + count, part))
			break;
		count += part;
	}
	return count;
}

/*
 * Only two registers are known.  That is enough: what a system call is wrapped
 * in has saved the others, or does not need them.
 */
static void add_user(struct prof_target *t, uint64_t sp, uint64_t ip)
{
	size_t size = t->shared->o->stack_bytes;
	uint8_t *bytes = xmalloc(size);
	const struct unwind_start from = {
		.ip = ip,
		.sp = sp,
		.stack = bytes,
		.stack_bytes = read_stack(t, sp, bytes, size),
		.max_frames = t->shared->o->max_stack,
	};
	struct unwound u;

	unwinder_walk(t->unwinder, &from, &u);
	prof_frames_user(t->frames, &u, (uint64_t)clock_monotonic_ns());
	free(bytes);
}

/* One that sleeps now: where, and the stack trace; false when it runs. */
static bool look(struct prof_target *t, pid_t tid, uint64_t *sp,
		 uint32_t *stack)
{
	const struct prof_live_options *o = t->shared->o;
	uint64_t ip;

	if (!read_place(t, tid, sp, &ip))
		return false;
	prof_frames_begin(t->frames);
	if (!o->only_user)
		add_kernel(t, tid);
	if (!o->only_kernel)
		add_user(t, *sp, ip);
	*stack = prof_target_stack(t);
	return true;
}

/* The tids of a process that are wanted, which the caller frees. */
static pid_t *tids_of(const struct prof_target *t, size_t *count)
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

struct sleeper {
	uint64_t sp;
	uint32_t stack;
};

struct prof_asleep {
	struct map64 by_tid; /* index */
	struct sleeper *all;
	size_t count;
};

struct prof_asleep *prof_asleep_new(struct prof_target *t)
{
	struct prof_asleep *a = xcalloc(1, sizeof(*a));
	size_t count;
	pid_t *tids = tids_of(t, &count);

	a->all = xcalloc(count, sizeof(*a->all));
	prof_target_begin(t);
	for (size_t i = 0; i < count; i++) {
		struct sleeper *at = &a->all[a->count];

		if (look(t, tids[i], &at->sp, &at->stack))
			map64_add(&a->by_tid, (uint64_t)tids[i],
				  (uint32_t)a->count++);
	}
	free(tids);
	return a;
}

void prof_asleep_free(struct prof_asleep *a)
{
	if (!a)
		return;
	map64_release(&a->by_tid);
	free(a->all);
	free(a);
}

uint32_t prof_asleep_stack(const struct prof_asleep *a, pid_t tid, uint64_t sp)
{
	uint32_t at = map64_get(&a->by_tid, (uint64_t)tid);

	return at != MAP64_NONE && a->all[at].sp == sp ? a->all[at].stack : 0;
}

static void add_thread(struct prof_target *t, pid_t tid, struct sample *sample)
{
	struct text comm = { 0 };
	uint64_t sp;

	if (read_task(t, tid, "comm", PROCFS_NAMES, &comm) &&
	    look(t, tid, &sp, &sample->stack)) {
		sample->thread = prof_threads_id(t->threads, tid, comm.bytes);
		prof_target_add(t, PROF_OFFCPU | PROF_WALL, sample);
	}
	text_release(&comm);
}

void prof_asleep_add(struct prof_target *t, int64_t start_ns, int64_t end_ns)
{
	struct sample sample = {
		.time_ns = start_ns + t->shared->epoch_ns,
		.count = 1,
		.weight = (uint64_t)(end_ns - start_ns),
	};
	size_t count;
	pid_t *tids = tids_of(t, &count);

	for (size_t i = 0; i < count; i++) {
		if (!prof_threads_has(t->threads, tids[i]))
			add_thread(t, tids[i], &sample);
	}
	free(tids);
}
