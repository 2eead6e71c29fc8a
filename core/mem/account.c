/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mem/account.h"

#include "core/base/alloc.h"
#include "core/base/arena.h"
#include "core/base/clock.h"
#include "core/base/safe_text.h"
#include "core/hotspot/vm_counters.h"
#include "core/mem/accounting.h"
#include "core/mem/malloc_walk.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * CPU time for the arenas of malloc, besides a nanosecond for each resident
 * byte, of which a fifth is usual; and the least time that may pass.
 */
#define WALK_NS      (CLOCK_NS_PER_S / 4)
#define WALK_WAIT_NS (10 * CLOCK_NS_PER_S)

const char *const mem_part_titles[MEM_PARTS] = {
	[MEM_HEAP] = "Java heap",
	[MEM_GC] = "GC structures",
	[MEM_METASPACE] = "metaspace",
	[MEM_CODE] = "code cache",
	[MEM_ARCHIVE] = "CDS archive",
	[MEM_STACKS] = "thread stacks",
	[MEM_OLD_STACKS] = "stacks of ended threads",
	[MEM_MALLOC] = "malloc",
	[MEM_BLOCKS] = "malloc, own mappings",
	[MEM_LIBRARIES] = "libraries",
	[MEM_FILES] = "mapped files",
	[MEM_SHARED] = "shared memory",
	[MEM_OTHER] = "JVM counters, kernel",
	[MEM_UNKNOWN] = "unknown",
};

const char *const mem_part_names[MEM_PARTS] = {
	[MEM_HEAP] = "heap",
	[MEM_GC] = "gc",
	[MEM_METASPACE] = "metaspace",
	[MEM_CODE] = "code",
	[MEM_ARCHIVE] = "archive",
	[MEM_STACKS] = "stacks",
	[MEM_OLD_STACKS] = "old_stacks",
	[MEM_MALLOC] = "malloc",
	[MEM_BLOCKS] = "malloc_blocks",
	[MEM_LIBRARIES] = "libraries",
	[MEM_FILES] = "files",
	[MEM_SHARED] = "shared",
	[MEM_OTHER] = "other",
	[MEM_UNKNOWN] = "unknown",
};

void account_limit(struct accounting *a, const char *fmt, ...)
{
	char line[768];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	safe_text_puts(&a->out->limits, line);
	text_putc(&a->out->limits, '\n');
}

size_t account_mapping(const struct accounting *a, uint64_t address)
{
	const struct mapping *m = mappings_find(&a->smaps.mappings, address);

	return m ? (size_t)(m - a->smaps.mappings.all) : SIZE_MAX;
}

/* Returns value * part / whole, at most value. */
static uint64_t share(uint64_t value, uint64_t part, uint64_t whole)
{
	if (part >= whole)
		return value;
	return (uint64_t)((double)value * (double)part / (double)whole);
}

uint64_t account_measure(struct accounting *a, size_t mapping, uint64_t start,
			 uint64_t end, struct mem_size *size)
{
	const struct mapping *m = &a->smaps.mappings.all[mapping];
	const struct smap *s = &a->smaps.all[mapping];
	uint64_t length = end - start, whole = m->end - m->start;
	struct page_sum sum = { s->resident, s->swapped, 0 };

	if (!s->is_again &&
	    (m->is_readable || m->is_writable || m->is_executable))
		size->committed += length;
	if (!s->resident && !s->swapped)
		return 0;
	if (length < whole && a->pages) {
		sum = (struct page_sum){ 0 };
		pages_add(a->pages, start, end, &sum);
	}
	if (length < whole && (!a->pages || pages_are_over(a->pages))) {
		sum.resident = share(s->resident, length, whole);
		sum.swapped = share(s->swapped, length, whole);
	}
	size->resident += sum.resident;
	size->swapped += sum.swapped;
	size->huge += share(s->huge, sum.resident, s->resident);
	return sum.shared;
}

/* ---- the parts that need no vmStructs ---- */

/* A library that replaces malloc() is named before libc. */
static void account_allocator(struct accounting *a)
{
	static const char *const libraries[][2] = {
		{ "/libjemalloc", "jemalloc" }, { "/libtcmalloc", "tcmalloc" },
		{ "/libmimalloc", "mimalloc" }, { "/ld-musl-", "musl" },
		{ "/libc.so.6", "glibc" },      { "/libc-2.", "glibc" },
	};
	const struct mappings *m = &a->smaps.mappings;
	const size_t count = sizeof(libraries) / sizeof(*libraries);
	size_t best = count;

	for (size_t i = 0; i < m->count; i++) {
		for (size_t k = 0; *m->all[i].path && k < best; k++) {
			if (strstr(m->all[i].path, libraries[k][0]))
				best = k;
		}
	}
	if (best == count) {
		account_limit(a, "the allocator is unknown");
		return;
	}
	snprintf(a->out->allocator, sizeof(a->out->allocator), "%s",
		 libraries[best][1]);
	a->is_glibc = strcmp(a->out->allocator, "glibc") == 0;
	if (!a->is_glibc)
		account_limit(a,
			      "memory of %s is what no other part has; free "
			      "memory inside it is unknown",
			      a->out->allocator);
}

/*
 * Returns the end of what a heap has of its mapping: more than was walked,
 * since it grows and shrinks meanwhile.  The main arena begins anywhere.
 */
static uint64_t arena_range_end(const struct accounting *a,
				const struct malloc_range *r)
{
	size_t i = account_mapping(a, r->start);
	uint64_t end = r->start + MALLOC_HEAP_BYTES;

	if (i == SIZE_MAX || r->start % MALLOC_HEAP_BYTES)
		return r->end;
	if (end > a->smaps.mappings.all[i].end)
		end = a->smaps.mappings.all[i].end;
	return end > r->end ? end : r->end;
}

static void account_malloc(struct accounting *a, bool wants_blocks)
{
	struct glibc_heap *h = &a->out->glibc;
	uint64_t resident = 0;
	struct read_budget budget;
	const struct glibc_heap_limits limits = {
		.budget = &budget,
		.wants_no_blocks = !wants_blocks,
	};

	if (!a->is_glibc || !a->memory || !a->pages)
		return;
	for (size_t i = 0; i < a->smaps.mappings.count; i++)
		resident += a->smaps.all[i].resident;
	budget = read_budget_of(WALK_NS + (int64_t)resident);
	budget.until_ns += WALK_WAIT_NS;
	glibc_heap_read(h, a->memory, &a->smaps.mappings, a->pages, &limits);
	for (size_t i = 0; i < h->range_count; i++)
		claims_add(&a->claims, h->ranges[i].start,
			   arena_range_end(a, &h->ranges[i]), MEM_MALLOC,
			   h->arenas[h->ranges[i].arena].is_main ? "main arena"
								 : "arena");
	claims_settle(&a->claims);
	if (!h->is_found)
		account_limit(a, "the arenas of malloc are unknown: %s",
			      h->why_not ? h->why_not : "not found");
	else if (h->is_cut)
		account_limit(a, "not all arenas of malloc were read");
}

/* ---- a heap that is mapped several times ---- */

static int mapping_compare_offset(const void *a, const void *b)
{
	const struct mapping *const *x = a, *const *y = b;

	if ((*x)->offset != (*y)->offset)
		return (*x)->offset < (*y)->offset ? -1 : 1;
	return 0;
}

/*
 * ZGC without generations maps each page of its file at three addresses, and
 * RSS counts each of them.  Pss divides a page by its mappings, so the sum of
 * these has each page once.
 */
static void account_mapped_times(struct accounting *a)
{
	const struct mappings *m = &a->smaps.mappings;
	const struct mapping **all = xcalloc(m->count + 1, sizeof(*all));
	uint64_t mapped = 0, file = 0, end = 0;
	size_t count = 0;
	const char *detail;

	for (size_t i = 0; i < m->count; i++) {
		if (m->all[i].inode && shape_of_path(m, i, &detail) == MEM_HEAP)
			all[count++] = &m->all[i];
	}
	if (count)
		qsort(all, count, sizeof(*all), mapping_compare_offset);
	for (size_t i = 0; i < count; i++) {
		uint64_t length = all[i]->end - all[i]->start;
		uint64_t to = all[i]->offset + length;

		mapped += length;
		if (to > end) {
			file += to -
				(all[i]->offset > end ? all[i]->offset : end);
			end = to;
		} else {
			a->smaps.all[all[i] - m->all].is_again = true;
		}
	}
	a->out->heap.mapped_times = file ? (unsigned)((mapped + file / 2) /
						      file)
					 : 1;
	for (size_t i = 0; a->out->heap.mapped_times > 1 && i < count; i++) {
		struct smap *s = &a->smaps.all[all[i] - m->all];

		s->resident = s->pss;
		if (s->huge > s->resident)
			s->huge = s->resident;
	}
	free(all);
}

/* ---- sums ---- */

static void range_add(struct accounting *a, const struct mem_range *one)
{
	struct mem_account *out = a->out;
	struct mem_range *last = out->range_count
					 ? &out->ranges[out->range_count - 1]
					 : NULL;
	struct mem_size *part = &out->parts[one->part];

	part->resident += one->size.resident;
	part->committed += one->size.committed;
	part->swapped += one->size.swapped;
	part->huge += one->size.huge;
	out->total += one->size.resident;
	if (one->detail && strcmp(one->detail, "class space") == 0)
		out->class_space += one->size.resident;
	if (!one->size.resident && !one->size.swapped)
		return;
	if (last && last->end == one->start && last->part == one->part &&
	    last->detail == one->detail && last->path == one->path) {
		last->end = one->end;
		last->size.resident += one->size.resident;
		last->size.committed += one->size.committed;
		last->size.swapped += one->size.swapped;
		last->size.huge += one->size.huge;
		return;
	}
	array_add(out->ranges, out->range_count, a->range_cap, *one);
}

/* A part of a mapping: of one claim, or of none. */
struct segment {
	struct mem_range range;
	uint64_t shared; /* bytes of pages that RSS may not count */
};

struct segments {
	struct segment *all;
	size_t count, cap;
};

/*
 * The page map has the zero page, which a read of untouched memory maps, and
 * RSS does not: takes the difference from the segments with shared pages.
 */
static void segments_correct(struct segments *s, uint64_t rss)
{
	uint64_t resident = 0, shared = 0, excess;

	for (size_t i = 0; i < s->count; i++) {
		resident += s->all[i].range.size.resident;
		shared += s->all[i].shared;
	}
	if (resident <= rss || !shared)
		return;
	excess = resident - rss < shared ? resident - rss : shared;
	for (size_t i = 0; i < s->count; i++)
		s->all[i].range.size.resident -= share(excess, s->all[i].shared,
						       shared) /
						 PAGE_BYTES * PAGE_BYTES;
}

/* Adds up a mapping: each claim in it, and what no claim has. */
static void account_sum_mapping(struct accounting *a, size_t i,
				struct segments *s)
{
	const struct mappings *mappings = &a->smaps.mappings;
	const struct mapping *m = &mappings->all[i];
	const struct claims *c = &a->claims;
	size_t at = claims_after(c, m->start);

	s->count = 0;
	for (uint64_t pos = m->start; pos < m->end;) {
		const struct claim *claim = at < c->settled ? &c->all[at]
							    : NULL;
		struct segment one = { 0 };
		struct mem_range *r = &one.range;

		r->start = pos;
		r->path = m->path;
		if (claim && claim->start <= pos) {
			r->end = claim->end < m->end ? claim->end : m->end;
			r->part = claim->part;
			r->detail = claim->detail;
			at += claim->end <= m->end;
		} else {
			r->end = claim && claim->start < m->end ? claim->start
								: m->end;
			r->part = smaps_is_anonymous(m)
					  ? MEM_UNKNOWN
					  : shape_of_path(mappings, i,
							  &r->detail);
		}
		one.shared = account_measure(a, i, pos, r->end, &r->size);
		pos = r->end;
		array_add(s->all, s->count, s->cap, one);
	}
	if (s->count > 1)
		segments_correct(s, a->smaps.all[i].resident);
	for (size_t k = 0; k < s->count; k++)
		range_add(a, &s->all[k].range);
}

static void account_sum(struct accounting *a)
{
	struct mem_account *out = a->out;
	struct segments segments = { 0 };
	uint64_t hugetlb = 0;

	for (size_t i = 0; i < a->smaps.mappings.count; i++) {
		out->rss += a->smaps.all[i].resident;
		out->pss += a->smaps.all[i].pss;
		out->swapped += a->smaps.all[i].swapped;
		hugetlb += a->smaps.all[i].hugetlb;
	}
	account_mapped_times(a);
	for (size_t i = 0; i < a->smaps.mappings.count; i++)
		account_sum_mapping(a, i, &segments);
	free(segments.all);
	if (hugetlb)
		account_limit(a,
			      "%llu MB in pages of hugetlbfs are not part of "
			      "RSS",
			      (unsigned long long)(hugetlb >> 20));
	if (a->smaps.is_cut)
		account_limit(a, "the process has more mappings, or longer "
				 "paths, than are read");
	if (a->pages && pages_are_over(a->pages))
		account_limit(a, "the process has too many absent pages: parts "
				 "of a mapping are estimates");
}

/* ---- the account ---- */

static void account_open(struct accounting *a)
{
	struct error err;

	a->pages = pages_open(a->jvm, &err);
	if (!a->pages)
		account_limit(a,
			      "cannot tell which pages are resident, so parts "
			      "of a mapping are estimates: %s",
			      err.text);
	if (a->jvm->kind == JVM_HOTSPOT)
		a->counters = vm_counters_open(a->jvm, &err);
	a->view = process_view_open(a->jvm, NULL, &err);
	if (!a->view) {
		account_limit(a,
			      "cannot read the JVM's memory, so parts are "
			      "recognized by shape: %s",
			      err.text);
		return;
	}
	a->memory = a->view->memory;
	a->v = a->view->structs;
	if (!a->v)
		account_limit(a, "the JVM's structures are unknown: %s",
			      a->view->limits ? a->view->limits
					      : "no HotSpot JVM");
	else if (field_reader_init(&a->fields, a->v, a->memory, &err))
		account_limit(a, "classes are unknown: %s", err.text);
	else
		a->has_fields = true;
}

/* The order is that of the claims: the first of a page wins. */
static void account_make(struct accounting *a, bool wants_blocks)
{
	account_open(a);
	account_allocator(a);
	if (a->v) {
		account_heap(a);
		account_gc(a);
		account_code(a);
	}
	account_stacks(a);
	account_malloc(a, wants_blocks);
	if (a->v)
		account_metaspace(a);
	if (!a->memory)
		account_shapes(a);
	account_rest(a);
	account_sum(a);
	account_measure_stacks(a);
	account_objects(a);
	if (a->v)
		account_direct(a);
	if (a->view && remote_memory_missed(a->view->remote))
		account_limit(a, "some of the JVM's memory could not be read "
				 "in time");
}

static uint64_t account_uptime(const struct jvm *jvm)
{
	uint64_t now_ns = (uint64_t)clock_boot_ns();
	uint64_t started_ns = jvm->start_ticks * (uint64_t)CLOCK_NS_PER_S /
			      (uint64_t)sysconf(_SC_CLK_TCK);

	return started_ns && now_ns > started_ns ? now_ns - started_ns : 0;
}

int mem_account_read(struct mem_account *out, const struct jvm *jvm,
		     bool wants_blocks, struct error *err)
{
	int64_t began = clock_monotonic_ns();
	struct accounting a = { .out = out, .jvm = jvm };
	int ret = smaps_read(&a.smaps, jvm, err);

	*out = (struct mem_account){ .pid = jvm->pid,
				     .wall_ns = clock_wall_ns() };
	out->uptime_ns = account_uptime(jvm);
	if (ret == 0) {
		account_make(&a, wants_blocks);
		/* The ranges refer to the paths. */
		out->texts = xcalloc(1, sizeof(*out->texts));
		*out->texts = a.smaps.mappings.paths;
		a.smaps.mappings.paths = (struct arena){ 0 };
		out->seconds_ns = (uint64_t)(clock_monotonic_ns() - began);
	}
	/* The kernel frees the memory of a process that ends. */
	if (ret == 0 && jvm_is_ending(jvm)) {
		mem_account_release(out);
		ret = jvm_fail_ended(jvm, err);
	}
	class_graph_release(&a.classes);
	claims_release(&a.claims);
	process_view_close(a.view);
	perfdata_close(a.counters);
	pages_close(a.pages);
	smaps_release(&a.smaps);
	return ret;
}

void mem_account_release(struct mem_account *a)
{
	glibc_heap_release(&a->glibc);
	text_release(&a->limits);
	free(a->stacks);
	free(a->ranges);
	if (a->texts)
		arena_release(a->texts);
	free(a->texts);
	*a = (struct mem_account){ 0 };
}
