/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples the native memory of a process: finds its allocators, and adds the
 * blocks that are not freed to the profile.
 */
#include "bpf/block_probes.h"
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

/* A process may map any number of files. */
enum { FILES_MAX = 1024 };

#define PAGE_MASK ((uint64_t)4095)

/*
 * Calls are counted for this long, before their uprobes may take more than this
 * share of a core.
 */
#define CALLS_NS CLOCK_NS_PER_S
enum { CALLS_PERCENT = 5 };

/* The same while samples are taken, where a program may be busy for a while. */
#define WATCH_NS (10 * CLOCK_NS_PER_S)
enum { WATCH_PERCENT = 10 };

/* A library that allocates memory or has USDT probes. */
struct native_library {
	char path[80];
	struct malloc_point points[MALLOC_POINTS_MAX];
	int count;
};

static bool native_has_usdts(const struct native_library *l)
{
	return l->points[l->count - 1].function >= MALLOC_SAMPLED &&
	       block_probes_has_cookies();
}

/* Returns false if the mapped file has none of the functions and probes. */
static bool native_read_library(struct sampling_target *t,
				const struct mapping *m,
				struct native_library *out)
{
	struct target_files files = { .jvm = &t->jvm };
	int fd = target_files_open(&files, m, error_unused());

	if (fd < 0)
		return false;
	out->count = malloc_points_read(fd, out->points, error_unused());
	close(fd);
	snprintf(out->path, sizeof(out->path),
		 "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 (int)procfs_owner(t->jvm.pid), m->start, m->end);
	if (out->count <= 0)
		return false;
	if (out->points[0].function < MALLOC_SAMPLED) {
		t->allocators[t->allocator_count].start = m->start;
		t->allocators[t->allocator_count++].end = m->end;
	}
	return true;
}

/* With USDT probes, they are used in place of functions. */
static bool native_wants_point(const struct sampling_target *t, bool has_usdts,
			       const struct malloc_point *p)
{
	bool maps_only = t->shared->maps_only;

	if (malloc_function_maps(p->function))
		return maps_only || p->function == MALLOC_MAP ||
		       p->function == MALLOC_UNMAP;
	return !maps_only && has_usdts == (p->function >= MALLOC_SAMPLED);
}

static int native_probe_library(struct sampling_target *t, bool has_usdts,
				const struct native_library *l,
				struct error *err)
{
	for (int i = 0; i < l->count; i++)
		if (native_wants_point(t, has_usdts, &l->points[i]) &&
		    sampler_probe_blocks(t->shared->sampler, t->jvm.pid,
					 l->path, &l->points[i], err))
			return -1;
	return 0;
}

int sampling_target_probe_blocks(struct sampling_target *t, struct error *err)
{
	const struct mappings *mappings = &t->view->images->mappings;
	struct native_library libraries[SAMPLING_ALLOCATORS];
	size_t count = 0, files = 0;
	bool has_usdts = false;

	t->allocator_count = 0;
	for (size_t i = 0; i < mappings->count && files < FILES_MAX &&
			   count < SAMPLING_ALLOCATORS;
	     i++) {
		const struct mapping *m = &mappings->all[i];

		if (strcmp(m->path, "[heap]") == 0)
			t->break_end = m->end;
		if (!m->is_executable || !m->inode)
			continue;
		files++;
		if (!native_read_library(t, m, &libraries[count]))
			continue;
		has_usdts |= native_has_usdts(&libraries[count]);
		count++;
	}
	for (size_t i = 0; i < count; i++)
		if (native_probe_library(t, has_usdts, &libraries[i], err))
			return -1;
	t->shared->has_usdts |= has_usdts;
	if (count)
		return 0;
	return fail(err, ERROR_UNAVAILABLE,
		    "%s: no library exports malloc() and free()",
		    t->name.bytes);
}

/* ---- mappings ---- */

static void native_read_heap(struct sampling_target *t)
{
	if (!t->is_heap_read && t->view->structs)
		java_heap_range(t->view->structs, t->view->memory,
				&t->heap_begin, &t->heap_end);
	t->is_heap_read = true;
}

/* Returns the pages of a change; an empty range if they are not addresses. */
static struct native_map native_changed(const struct sampling_target *t,
					const struct sample_event *e)
{
	struct native_map m = { .time_ns = e->time_ns };
	uint64_t end = e->object[0] + e->weight + PAGE_MASK;

	if (e->object[1] == SAMPLE_MAP_BREAK) {
		m.start = t->break_end;
		m.end = (e->object[0] + PAGE_MASK) & ~PAGE_MASK;
	} else if (end >= e->object[0] && end >= e->weight) {
		m.start = e->object[0] & ~PAGE_MASK;
		m.end = end & ~PAGE_MASK;
	}
	return m;
}

/* Returns false if the heap of brk(2) gets no larger. */
static bool native_moves_break(struct sampling_target *t, uint64_t end)
{
	uint64_t before = t->break_end;

	/* brk(0) returns the end and moves nothing. */
	if (!end)
		return false;
	if (!before || end < before)
		t->break_end = end;
	native_maps_remove(&t->maps, end, before);
	return before && end > before;
}

static bool native_is_allocator(const struct sampling_target *t, uint64_t pc)
{
	for (size_t i = 0; i < t->allocator_count; i++)
		if (pc >= t->allocators[i].start && pc < t->allocators[i].end)
			return true;
	return false;
}

bool sampling_target_wants_map(struct sampling_target *t,
			       const struct sample_event *e)
{
	const struct native_map m = native_changed(t, e);
	bool maps_only = t->shared->maps_only;

	native_read_heap(t);
	switch (e->object[1]) {
	case SAMPLE_MAP_BREAK:
		return native_moves_break(t, m.end);
	case SAMPLE_MAP_REMOVE:
		native_maps_remove(&t->maps, m.start, m.end);
		return false;
	case SAMPLE_MAP_FILL:
		if (!maps_only)
			return false;
		break;
	case SAMPLE_MAP_ADD:
		/* The blocks of an allocator count, not its memory. */
		if (!maps_only && native_is_allocator(t, e->regs[SAMPLE_IP]))
			return false;
		break;
	default:
		break;
	}
	return m.start < m.end &&
	       (m.start < t->heap_begin || m.start >= t->heap_end);
}

void sampling_target_add_map(struct sampling_target *t,
			     const struct sample_event *e,
			     const struct sample *sample)
{
	struct native_map m = native_changed(t, e);

	m.stack = sample->stack;
	m.thread = sample->thread;
	if (e->object[1] == SAMPLE_MAP_BREAK)
		t->break_end = m.end;
	if (e->object[1] == SAMPLE_MAP_FILL)
		native_maps_fill(&t->maps, &m);
	else
		native_maps_add(&t->maps, &m);
}

/* ---- page faults ---- */

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

	native_read_heap(t);
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

/* ---- blocks ---- */

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
		.weight = e->owner,
		.stack = sample->stack,
		.thread = sample->thread,
	};

	native_blocks_add(&t->blocks, &block, native_is_live, t);
}

/* The time of a sample is that of the allocation, or the window's begin. */
static void native_add_sample(struct sampling_target *t, uint64_t at_ns,
			      uint32_t stack, uint32_t thread, uint64_t bytes)
{
	const struct sampling_shared *s = t->shared;
	int64_t time_ns = (int64_t)at_ns;
	struct sample sample = {
		.stack = stack,
		.thread = thread,
		.count = 1,
		.weight = bytes,
	};

	if (time_ns < s->window_ns)
		time_ns = s->window_ns;
	sample.time_ns = time_ns + s->epoch_ns;
	sampling_target_add(t, SAMPLING_NATIVEMEM, &sample);
}

static void native_add_block(struct sampling_target *t,
			     const struct native_block *b)
{
	uint64_t bytes = b->weight;

	if (!bytes)
		bytes = native_block_weight(
			b->size, sampler_block_interval(t->shared->sampler));
	native_add_sample(t, b->time_ns, b->stack, b->thread, bytes);
}

static void native_add_maps(struct sampling_target *t, int64_t until_ns)
{
	struct native_maps *maps = &t->maps;

	for (size_t i = 0; i < maps->count; i++) {
		const struct native_map *m = &maps->all[i];

		if ((int64_t)m->time_ns <= until_ns)
			native_add_sample(t, m->time_ns, m->stack, m->thread,
					  m->end - m->start);
	}
	if (maps->lost)
		profile_lost(t->profile, "mappings lost", maps->lost,
			     "a process may have %d", NATIVE_MAPS_MAX);
	maps->lost = 0;
}

void sampling_target_add_live(struct sampling_target *t, int64_t end_ns)
{
	static const char omitted[] = "sampled allocations omitted";
	struct native_blocks *b = &t->blocks;
	int64_t until_ns = end_ns - t->shared->o->older_ns;
	uint64_t added = 0;

	native_add_maps(t, until_ns);
	if (!b->taken)
		return;
	native_blocks_sweep(b, native_is_live, t);
	for (size_t i = 0; i < b->count; i++) {
		if ((int64_t)b->all[i].time_ns > until_ns)
			continue;
		native_add_block(t, &b->all[i]);
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

/* Replaces the ids of the profile before, in the data of this target. */
static void native_copy(struct sampling_target *t, uint32_t *stack,
			uint32_t *thread)
{
	*stack = sampling_target_copy_stack(t, *stack);
	*thread = sampling_threads_copy(t->before, t->profile, *thread);
}

/* The same for all the data of another target of the process, or of itself. */
static void native_copy_all(struct sampling_target *t,
			    struct sampling_target *of)
{
	for (size_t i = 0; i < of->blocks.count; i++)
		native_copy(t, &of->blocks.all[i].stack,
			    &of->blocks.all[i].thread);
	for (size_t i = 0; i < of->maps.count; i++)
		native_copy(t, &of->maps.all[i].stack, &of->maps.all[i].thread);
}

void sampling_target_renew_blocks(struct sampling_target *t)
{
	native_blocks_sweep(&t->blocks, native_is_live, t);
	native_copy_all(t, t);
}

void sampling_target_move_blocks(struct sampling_target *t,
				 struct sampling_target *by)
{
	if (by->before)
		native_copy_all(by, t);
	for (size_t i = 0; i < t->blocks.count; i++)
		native_blocks_add(&by->blocks, &t->blocks.all[i],
				  native_is_live, by);
	for (size_t i = 0; i < t->maps.count; i++)
		native_maps_add(&by->maps, &t->maps.all[i]);
	by->break_end = t->break_end;
	native_maps_release(&t->maps);
	native_blocks_release(&t->blocks);
}

void sampling_target_free_blocks(struct sampling_target *t)
{
	for (size_t i = 0; i < t->blocks.count; i++)
		sampler_forget_block(t->shared->sampler, &t->blocks.all[i].key);
	native_blocks_release(&t->blocks);
	native_maps_release(&t->maps);
}

/* Exporters need the period as a number of bytes. */
void sampling_set_memory_rates(const struct sampling_shared *s,
			       struct profile *p)
{
	struct text text = { 0 };
	uint64_t interval;

	if (s->maps_only)
		profile_set(p, "nativemem", "source", "maps");
	else if (s->has_usdts)
		profile_set(p, "nativemem", "rate",
			    "taken by the process (otel_memory)");
	else if (s->o->events & SAMPLING_NATIVEMEM) {
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

static double calls_per_s(uint64_t calls, int64_t ns)
{
	return (double)calls * CLOCK_NS_PER_S / (double)ns;
}

int sampling_check_calls(struct sampling_shared *s, struct error *err)
{
	struct sampler_calls before, calls;
	int64_t since_ns = clock_monotonic_ns(), ns;
	double percent, of_maps;

	if (!(s->o->events & SAMPLING_NATIVEMEM))
		return 0;
	sampler_count_calls(s->sampler, &before);
	poll(NULL, 0, CALLS_NS / CLOCK_NS_PER_MS);
	sampler_count_calls(s->sampler, &calls);
	ns = clock_monotonic_ns() - since_ns;
	percent = calls_percent(calls.cost_ns - before.cost_ns, ns);
	of_maps = calls_percent(calls.maps_cost_ns - before.maps_cost_ns, ns);
	sampling_notify(s->o, SAMPLING_INFO,
			"nativemem: %.0f allocations, %.0f frees and %.0f "
			"mappings per second; their uprobes take about %.1f%% "
			"of a core",
			calls_per_s(calls.allocations - before.allocations, ns),
			calls_per_s(calls.frees - before.frees, ns),
			calls_per_s(calls.maps - before.maps, ns), percent);
	if (percent <= CALLS_PERCENT || s->o->forced)
		return 0;
	if (of_maps <= CALLS_PERCENT) {
		sampler_keep_maps(s->sampler);
		s->maps_only = true;
		sampling_notify(s->o, SAMPLING_LOSS,
				"nativemem: that is more than %d%%; sampling "
				"brk(), mmap() and mprotect() in place of "
				"malloc(), unless --force is given",
				CALLS_PERCENT);
		return 0;
	}
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
