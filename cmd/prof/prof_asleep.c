/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/prof/prof_asleep.h"

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
	STATUS_BYTES = 16 * 1024,
	PAGE = 4096,
	MOST_STALLS = 3, /* then no stack of a user's is read any more */
};

struct sleeper {
	pid_t tid;
	uint32_t stack;
	uint64_t sp;
	uint64_t switches; /* how often it had left its CPU */
	bool is_seen;      /* it was looked at */
	bool is_known;     /* it slept, and where */
};

struct prof_asleep {
	struct map64 by_tid; /* index */
	struct sleeper *all;
	size_t count, next; /* to be looked at */
	int64_t since_ns;
	unsigned stalls;
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

/* How often it has left its CPU, whyever; 0 = that is not known. */
static uint64_t read_switches(const struct prof_target *t, pid_t tid)
{
	static const char name[] = "ctxt_switches:";
	struct text status = { 0 };
	uint64_t switches = 0;
	const char *at = NULL;

	if (read_task(t, tid, "status", STATUS_BYTES, &status))
		at = strstr(status.bytes, name);
	for (; at; at = strstr(at, name)) {
		at += strlen(name);
		switches += strtoull(at, NULL, 10);
	}
	text_release(&status);
	return switches;
}

/* Pages from sp on, up to the first that cannot be read; how many bytes. */
static size_t read_stack(struct prof_target *t, uint64_t sp, uint8_t *bytes,
			 size_t size)
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
	remote_memory_of(t->memory)->read_all(remote_memory_of(t->memory),
					      pages, count);
	for (size_t i = 0; i < count && pages[i].is_read; i++)
		len += pages[i].len;
	return len;
}

/*
 * Only two registers are known.  That is enough: what a system call is wrapped
 * in has saved the others, or does not need them.  Of most stacks a small part
 * is in use: more of it is read while that is not enough.
 */
static void walk(struct prof_target *t, uint64_t sp, uint64_t ip,
		 uint8_t *bytes, struct unwound *u)
{
	size_t wanted = PAGE - sp % PAGE, most = t->shared->o->stack_bytes;
	size_t have = 0, got;

	do {
		struct unwind_start from = {
			.ip = ip,
			.sp = sp,
			.stack = bytes,
			.max_frames = t->shared->o->max_stack,
		};

		wanted = wanted < most ? wanted : most;
		got = read_stack(t, sp + have, bytes + have, wanted - have);
		have += got;
		from.stack_bytes = have;
		unwinder_walk(t->unwinder, &from, u);
		if (u->end != UNWIND_CUT || have < wanted)
			break;
		wanted += 3 * wanted;
	} while (have < most);
}

static void add_user(struct prof_target *t, uint64_t sp, uint64_t ip)
{
	uint64_t stalls = remote_memory_stalls(t->memory);
	uint64_t missed = remote_memory_missed(t->memory);
	uint8_t *bytes;
	struct unwound u;

	if (t->asleep->stalls >= MOST_STALLS) {
		t->shared->stalled++;
		return;
	}
	bytes = xmalloc(t->shared->o->stack_bytes);
	walk(t, sp, ip, bytes, &u);
	prof_target_count_end(t, &u, missed);
	prof_frames_user(t->frames, &u, (uint64_t)clock_monotonic_ns());
	t->asleep->stalls += (unsigned)(remote_memory_stalls(t->memory) -
					stalls);
	free(bytes);
}

/* One that sleeps now: where, and the stack trace; not when it runs. */
static void look(struct prof_target *t, struct sleeper *s)
{
	const struct prof_live_options *o = t->shared->o;
	uint64_t ip;

	/* Before: who runs meanwhile has not slept all the time. */
	s->switches = read_switches(t, s->tid);
	s->is_seen = true;
	if (!read_place(t, s->tid, &s->sp, &ip))
		return;
	prof_frames_begin(t->frames);
	if (!o->only_user)
		add_kernel(t, s->tid);
	if (!o->only_kernel)
		add_user(t, s->sp, ip);
	s->stack = prof_target_stack(t);
	s->is_known = true;
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

struct prof_asleep *prof_asleep_new(struct prof_target *t, int64_t since_ns)
{
	struct prof_asleep *a = xcalloc(1, sizeof(*a));
	pid_t *tids = tids_of(t, &a->count);

	a->since_ns = since_ns;
	a->all = xcalloc(a->count, sizeof(*a->all));
	for (size_t i = 0; i < a->count; i++) {
		a->all[i].tid = tids[i];
		map64_add(&a->by_tid, (uint64_t)tids[i], (uint32_t)i);
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

bool prof_asleep_look(struct prof_target *t, int64_t until_ns)
{
	struct prof_asleep *a = t->asleep;

	if (a->next < a->count)
		prof_target_begin(t);
	while (a->next < a->count && clock_monotonic_ns() < until_ns) {
		struct sleeper *s = &a->all[a->next++];

		/* Who had a sample does not sleep any more, or did not. */
		if (!prof_threads_has(t->threads, s->tid))
			look(t, s);
	}
	return a->next == a->count;
}

uint32_t prof_asleep_stack(const struct prof_asleep *a, pid_t tid, uint64_t sp)
{
	uint32_t at = map64_get(&a->by_tid, (uint64_t)tid);
	const struct sleeper *s = at == MAP64_NONE ? NULL : &a->all[at];

	return s && s->is_known && s->sp == sp ? s->stack : 0;
}

/*
 * Whether one without a sample has slept all the time.  Where no sample was
 * lost that is certain, but for who ran: it would have had one.
 */
static bool has_slept(const struct prof_target *t, const struct sleeper *s,
		      bool has_lost)
{
	if (!s || (s->is_seen && !s->is_known))
		return false;
	return !has_lost || (s->is_known && s->switches &&
			     s->switches == read_switches(t, s->tid));
}

static void add_thread(struct prof_target *t, const struct sleeper *s,
		       struct sample *sample)
{
	struct text comm = { 0 };

	if (s->is_known && read_task(t, s->tid, "comm", PROCFS_NAMES, &comm)) {
		sample->stack = s->stack;
		sample->thread = prof_threads_id(t->threads, s->tid,
						 comm.bytes);
		prof_target_add(t, PROF_OFFCPU | PROF_WALL, sample);
	}
	text_release(&comm);
}

/* Those of whom it is not known how long they have slept are counted. */
static void count_unknown(struct prof_target *t, uint64_t hidden, uint64_t late)
{
	struct profile *p = t->shared->profile;

	if (hidden)
		profile_lost(p, "threads left out", hidden,
			     "they may have slept, and samples were lost");
	if (late)
		profile_lost(p, "threads left out", late,
			     "there was no time to look where they slept");
}

void prof_asleep_add(struct prof_target *t, int64_t end_ns, bool has_lost,
		     int64_t until_ns)
{
	struct prof_asleep *a = t->asleep;
	struct sample sample = {
		.time_ns = a->since_ns + t->shared->epoch_ns,
		.duration_ns = (uint64_t)(end_ns - a->since_ns),
		.count = 1,
		.weight = (uint64_t)(end_ns - a->since_ns),
	};
	uint64_t hidden = 0, late = 0;
	size_t count;
	pid_t *tids = tids_of(t, &count);

	prof_target_begin(t);
	for (size_t i = 0; i < count; i++) {
		uint32_t at = map64_get(&a->by_tid, (uint64_t)tids[i]);
		struct sleeper *s = at == MAP64_NONE ? NULL : &a->all[at];

		if (prof_threads_has(t->threads, tids[i]))
			continue;
		if (!has_slept(t, s, has_lost)) {
			hidden += has_lost;
			continue;
		}
		if (!s->is_seen && clock_monotonic_ns() < until_ns)
			look(t, s);
		late += !s->is_seen;
		add_thread(t, s, &sample);
	}
	count_unknown(t, hidden, late);
	free(tids);
}
