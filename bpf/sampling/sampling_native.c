/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples the native memory of a process: finds its allocators, and adds the
 * blocks that are not freed to the profile.
 */
#include "bpf/sampling/sampling_target.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/units.h"
#include "core/elf/target_files.h"
#include "core/hotspot/java_heap.h"
#include "core/jvm/procfs.h"
#include "core/mem/malloc_points.h"
#include "core/process/mappings.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * A process has one allocator, and perhaps glibc's beside it.  A process may
 * map any number of files.
 */
enum { LIBRARIES_MAX = 8, FILES_MAX = 1024 };

/*
 * Calls are counted for this long, before their uprobes may take more than this
 * share of a core.
 */
#define CALLS_NS CLOCK_NS_PER_S
enum { CALLS_PERCENT = 5 };

/* The same while samples are taken, where a program may be busy for a while. */
#define WATCH_NS (10 * CLOCK_NS_PER_S)
enum { WATCH_PERCENT = 10 };

/* Attaches uprobes to the functions of a library; returns their number. */
static int native_probe_library(struct sampling_target *t,
				const struct mapping *m, struct error *err)
{
	struct target_files files = { .jvm = &t->jvm };
	struct malloc_point points[MALLOC_POINTS_MAX];
	int count, fd = target_files_open(&files, m, error_unused());
	char path[80];

	if (fd < 0)
		return 0;
	count = malloc_points_read(fd, points, error_unused());
	close(fd);
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 (int)procfs_owner(t->jvm.pid), m->start, m->end);
	for (int i = 0; i < count; i++)
		if (sampler_probe_blocks(t->shared->sampler, t->jvm.pid, path,
					 &points[i], err))
			return -1;
	return count > 0 ? count : 0;
}

int sampling_target_probe_blocks(struct sampling_target *t, struct error *err)
{
	const struct mappings *mappings = &t->view->images->mappings;
	size_t libraries = 0, files = 0;
	int count;

	for (size_t i = 0; i < mappings->count && libraries < LIBRARIES_MAX &&
			   files < FILES_MAX;
	     i++) {
		const struct mapping *m = &mappings->all[i];

		if (!m->is_executable || !m->inode)
			continue;
		files++;
		count = native_probe_library(t, m, err);
		if (count < 0)
			return -1;
		libraries += count > 0;
	}
	if (libraries)
		return 0;
	return fail(err, ERROR_UNAVAILABLE,
		    "%s: no library exports malloc() and free()",
		    t->name.bytes);
}

enum { ROLLUP_BYTES = 8192 };

/*
 * Bytes below and above SP that are of the thread's stack: HotSpot touches up
 * to 20 pages below SP before it calls native code (StackShadowPages).
 */
enum { STACK_BELOW = 256 << 10, STACK_ABOVE = 4096 };

uint32_t sampling_target_fault_kind(struct sampling_target *t,
				    const struct sample_event *e)
{
	uint64_t address = e->object[0], sp = e->regs[SAMPLE_SP];
	const char *kind = "anonymous memory", *slash;
	const struct mapping *m;

	if (!t->is_heap_read && t->view->structs)
		java_heap_range(t->view->structs, t->view->memory,
				&t->heap_begin, &t->heap_end);
	t->is_heap_read = true;
	m = process_images_mapping(t->view->images, address);
	if (address >= t->heap_begin && address < t->heap_end)
		kind = "Java heap";
	else if (!(e->flags & SAMPLE_NO_USER) && address + STACK_BELOW >= sp &&
		 address < sp + STACK_ABOVE)
		kind = "thread stack";
	else if (m && *m->path)
		kind = m->path;
	slash = m && m->inode && kind == m->path ? strrchr(kind, '/') : NULL;
	if (slash)
		kind = slash + 1;
	return profile_string(t->profile, kind, strlen(kind));
}

/*
 * Reads the bytes in huge pages: anonymous memory and tmpfs.  The kernel walks
 * all mappings, 10 ms per GB.
 */
static uint64_t native_huge_bytes(const struct sampling_target *t)
{
	static const char *const names[] = { "\nAnonHugePages:",
					     "\nShmemPmdMapped:" };
	struct text rollup = { 0 };
	uint64_t bytes = 0;
	const char *at;

	if (procfs_read(t->jvm.pid, "smaps_rollup", ROLLUP_BYTES, &rollup,
			error_unused()) == 0 &&
	    rollup.len)
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
			at = strstr(rollup.bytes, names[i]);
			if (at) /* in kB */
				bytes += 1024 * strtoull(at + strlen(names[i]),
							 NULL, 10);
		}
	text_release(&rollup);
	return bytes;
}

void sampling_target_read_huge(struct sampling_target *t)
{
	if (t->events & SAMPLING_PAGEFAULT && !t->shared->o->separate)
		t->huge_bytes = native_huge_bytes(t);
}

void sampling_target_note_huge(const struct sampling_target *t)
{
	uint64_t bytes;

	if (!(t->events & SAMPLING_PAGEFAULT) || t->shared->o->separate ||
	    t->has_ended)
		return;
	bytes = native_huge_bytes(t);
	if (bytes > t->huge_bytes)
		profile_note(t->profile, "megabytes of huge pages added",
			     (bytes - t->huge_bytes) >> 20,
			     "each of 2 MB counts as a page fault of 4 KB");
}

static bool native_is_live(void *self, const struct native_block *b)
{
	const struct sampling_target *t = self;

	return sampler_block_is_live(t->shared->sampler, &b->key, b->time_ns);
}

void sampling_target_add_block(struct sampling_target *t,
			       const struct sample_event *e,
			       const struct sample *sample)
{
	const struct native_block block = {
		.key = { e->object[0], e->object[1] },
		.time_ns = e->time_ns,
		.size = e->weight,
		.stack = sample->stack,
		.thread = sample->thread,
	};

	native_blocks_add(&t->blocks, &block, native_is_live, t);
}

/* The time of a sample is that of the allocation, or the window's begin. */
static void native_add_sample(struct sampling_target *t,
			      const struct native_block *b)
{
	const struct sampling_shared *s = t->shared;
	int64_t time_ns = (int64_t)b->time_ns;
	struct sample sample = {
		.stack = b->stack,
		.thread = b->thread,
		.count = 1,
		.weight = native_block_weight(
			b->size, sampler_block_interval(s->sampler)),
	};

	if (time_ns < s->window_ns)
		time_ns = s->window_ns;
	sample.time_ns = time_ns + s->epoch_ns;
	sampling_target_add(t, SAMPLING_NATIVEMEM, &sample);
}

void sampling_target_add_live(struct sampling_target *t, int64_t end_ns)
{
	static const char omitted[] = "sampled allocations omitted";
	struct native_blocks *b = &t->blocks;
	int64_t until_ns = end_ns - t->shared->o->older_ns;
	uint64_t added = 0;

	if (!b->taken)
		return;
	native_blocks_sweep(b, native_is_live, t);
	for (size_t i = 0; i < b->count; i++) {
		if ((int64_t)b->all[i].time_ns > until_ns)
			continue;
		native_add_sample(t, &b->all[i]);
		added++;
	}
	/* Windows would repeat the note. */
	if (added == b->taken || t->shared->o->separate)
		return;
	profile_note(t->profile, omitted, b->taken - added, "%s",
		     t->shared->o->older_ns
			     ? "they were freed, or are younger than --older"
			     : "they were freed");
	t->shared->blocks += b->taken;
	profile_remark_of(t->profile, omitted, t->shared->blocks);
}

static void native_copy(struct sampling_target *t, struct native_block *b)
{
	b->stack = sampling_target_copy_stack(t, b->stack);
	b->thread = sampling_threads_copy(t->before, t->profile, b->thread);
}

void sampling_target_renew_blocks(struct sampling_target *t)
{
	native_blocks_sweep(&t->blocks, native_is_live, t);
	for (size_t i = 0; i < t->blocks.count; i++)
		native_copy(t, &t->blocks.all[i]);
}

void sampling_target_move_blocks(struct sampling_target *t,
				 struct sampling_target *by)
{
	for (size_t i = 0; i < t->blocks.count; i++) {
		struct native_block b = t->blocks.all[i];

		if (by->before)
			native_copy(by, &b);
		native_blocks_add(&by->blocks, &b, native_is_live, by);
	}
	native_blocks_release(&t->blocks);
}

void sampling_target_free_blocks(struct sampling_target *t)
{
	for (size_t i = 0; i < t->blocks.count; i++)
		sampler_forget_block(t->shared->sampler, &t->blocks.all[i].key);
	native_blocks_release(&t->blocks);
}

/* Exporters need the period as a number of bytes. */
void sampling_set_memory_rates(const struct sampling_shared *s,
			       struct profile *p)
{
	struct text text = { 0 };
	uint64_t interval;

	if (s->o->events & SAMPLING_NATIVEMEM) {
		interval = sampler_block_interval(s->sampler);
		text_printf(&text, "%" PRIu64 " bytes", interval);
		profile_set(p, "nativemem", "period", text.bytes);
		text_clear(&text);
		text_puts(&text, "taken every ");
		units_add_bytes(&text, (double)interval);
		text_puts(&text, " on average");
		profile_set(p, "nativemem", "rate", text.bytes);
		text_clear(&text);
	}
	if (s->o->events & SAMPLING_PAGEFAULT &&
	    s->fault_bytes > SAMPLING_FAULT_BYTES) {
		text_printf(&text, "taken every %" PRIu64 " page faults",
			    s->fault_bytes / SAMPLING_FAULT_BYTES);
		profile_set(p, "pagefault", "rate", text.bytes);
	}
	text_release(&text);
}

/* Returns the share of a core that the uprobes took. */
static double calls_percent(uint64_t cost_ns, int64_t ns)
{
	return ns > 0 ? 100.0 * (double)cost_ns / (double)ns : 0;
}

int sampling_check_calls(const struct sampling_shared *s, struct error *err)
{
	struct sampler_calls before, calls;
	int64_t since_ns = clock_monotonic_ns(), ns;
	double percent;

	if (!(s->o->events & SAMPLING_NATIVEMEM))
		return 0;
	sampler_count_calls(s->sampler, &before);
	poll(NULL, 0, CALLS_NS / CLOCK_NS_PER_MS);
	sampler_count_calls(s->sampler, &calls);
	ns = clock_monotonic_ns() - since_ns;
	percent = calls_percent(calls.cost_ns - before.cost_ns, ns);
	sampling_notify(s->o, SAMPLING_INFO,
			"nativemem: %.0f allocations and %.0f frees per "
			"second; their uprobes take about %.1f%% of a core",
			(double)(calls.allocations - before.allocations) *
				CLOCK_NS_PER_S / (double)ns,
			(double)(calls.frees - before.frees) * CLOCK_NS_PER_S /
				(double)ns,
			percent);
	if (percent <= CALLS_PERCENT || s->o->forced)
		return 0;
	return fail(err, ERROR_REFUSED,
		    "-e nativemem would slow the JVM down: its uprobes take "
		    "about %.0f%% of a core, and the limit is %d%%; use -e "
		    "pagefault, or --force",
		    percent, CALLS_PERCENT);
}

void sampling_watch_calls(struct sampling_shared *s)
{
	int64_t now_ns = clock_monotonic_ns();
	int64_t ns = now_ns - s->calls_ns;
	struct sampler_calls calls;
	double percent;

	if (!(s->o->events & SAMPLING_NATIVEMEM) || s->o->forced ||
	    s->calls_ns == INT64_MAX || ns < WATCH_NS)
		return;
	sampler_count_calls(s->sampler, &calls);
	percent = calls_percent(calls.cost_ns - s->calls_cost, ns);
	s->calls_cost = calls.cost_ns;
	/* The first time, ns is the time since the boot. */
	s->calls_ns = now_ns;
	if (percent <= WATCH_PERCENT)
		return;
	sampler_end_blocks(s->sampler);
	s->calls_ns = INT64_MAX;
	sampling_notify(s->o, SAMPLING_LOSS,
			"nativemem has ended: its uprobes took about %.0f%% of "
			"a core for 10 s; --force continues",
			percent);
	profile_lost(s->profile, "nativemem ended early", 1,
		     "its uprobes took about %.0f%% of a core", percent);
}
