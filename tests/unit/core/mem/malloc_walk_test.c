/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads arenas that are made in the memory of the test: they lie as a hostile
 * process can.
 */
#include "core/base/alloc.h"
#include "core/mem/malloc_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

#define HEAP MALLOC_HEAP_BYTES
/* malloc_state of glibc 2.27 to 2.42 */
enum { STATE_AT = 48, STATE_BINS = 112, STATE_BYTES = 2200 };
enum { FIRST = STATE_AT + STATE_BYTES + 8 };
enum { IN_USE = CHUNK_PREV_IN_USE | CHUNK_NON_MAIN };

/* Heaps in a row, and their mappings. */
struct made {
	struct memory memory; /* first */
	size_t requests;
	uint8_t *bytes; /* at a multiple of HEAP */
	size_t heaps;
	struct jvm jvm;
	struct mappings mappings;
	struct pages *pages;
	struct glibc_heap heap;
};

static void made_read_all(struct memory *self, struct memory_range *ranges,
			  size_t count)
{
	struct made *m = (struct made *)self;

	m->requests++;
	for (size_t i = 0; i < count; i++) {
		struct iovec to = { ranges[i].bytes, ranges[i].len };
		struct iovec from = { (void *)(uintptr_t)ranges[i].address,
				      ranges[i].len };

		ranges[i].is_read = process_vm_readv(getpid(), &to, 1, &from, 1,
						     0) ==
				    (ssize_t)ranges[i].len;
	}
}

static void made_begin(struct made *m, size_t heaps)
{
	struct mapping mapping = { .is_writable = true, .path = "" };
	struct error err;
	uint8_t *bytes = mmap(NULL, (heaps + 1) * HEAP, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			      0);

	assert_ptr_not_equal(bytes, MAP_FAILED);
	madvise(bytes, (heaps + 1) * HEAP, MADV_NOHUGEPAGE);
	*m = (struct made){ .memory.read_all = made_read_all };
	m->bytes = (uint8_t *)(((uintptr_t)bytes + HEAP - 1) & ~(HEAP - 1));
	munmap(bytes, (size_t)(m->bytes - bytes));
	m->heaps = heaps;
	mapping.start = (uintptr_t)m->bytes;
	mapping.end = mapping.start + heaps * HEAP;
	array_add(m->mappings.all, m->mappings.count, m->mappings.cap, mapping);
	assert_int_equal(jvm_open(&m->jvm, getpid(), &err), 0);
	m->pages = pages_open(&m->jvm, &err);
	assert_non_null(m->pages);
}

static void made_end(struct made *m)
{
	glibc_heap_release(&m->heap);
	pages_close(m->pages);
	jvm_close(&m->jvm);
	munmap(m->bytes, m->heaps * HEAP);
	free(m->mappings.all);
}

static void made_read(struct made *m)
{
	const struct glibc_heap_limits limits = { 0 };

	glibc_heap_release(&m->heap);
	m->requests = 0;
	glibc_heap_read(&m->heap, &m->memory, &m->mappings, m->pages, &limits);
}

static uint64_t *made_words(const struct made *m, size_t heap, size_t offset)
{
	return (uint64_t *)(m->bytes + heap * HEAP + offset);
}

static uint64_t made_at(const struct made *m, size_t heap, size_t offset)
{
	return (uintptr_t)made_words(m, heap, offset);
}

/* Writes a heap_info: ar_ptr, prev, size, mprotect_size, pagesize. */
static void made_info(struct made *m, size_t heap, uint64_t arena,
		      uint64_t prev, uint64_t size)
{
	const uint64_t info[] = { arena, prev, size, size, PAGE_BYTES };

	memcpy(made_words(m, heap, 0), info, sizeof(info));
}

/* Writes the first heap of an arena without chunks. */
static void made_arena(struct made *m, size_t heap, uint64_t next, uint64_t top,
		       uint64_t size)
{
	uint64_t *state = made_words(m, heap, STATE_AT);
	uint64_t *tail = made_words(m, heap, STATE_AT + STATE_BYTES - 40);

	made_info(m, heap, made_at(m, heap, STATE_AT), 0, size);
	for (size_t i = STATE_BINS / 8; i < STATE_BINS / 8 + 254; i += 2)
		state[i] = state[i + 1] = (uintptr_t)&state[i - 2];
	state[STATE_BINS / 8 - 2] = top;
	tail[0] = next;
	tail[2] = 1;
	tail[3] = tail[4] = size;
}

static void made_chunk(struct made *m, size_t heap, size_t offset,
		       uint64_t size, uint64_t bits)
{
	made_words(m, heap, offset)[1] = size | bits;
}

static const struct malloc_arena *made_only_arena(const struct made *m)
{
	assert_true(m->heap.is_found);
	assert_int_equal(m->heap.arena_count, 1);
	return m->heap.arenas;
}

/* ---- tests ---- */

static void arenas_without_a_main_arena_are_walked(void **state)
{
	struct made m;
	size_t at = FIRST;

	(void)state;
	made_begin(&m, 3);
	/* The ring has no main arena and does not lead back. */
	made_arena(&m, 0, made_at(&m, 1, STATE_AT), made_at(&m, 2, 848), 65536);
	made_arena(&m, 1, made_at(&m, 1, STATE_AT), made_at(&m, 1, FIRST),
		   65536);
	made_info(&m, 2, made_at(&m, 0, STATE_AT), made_at(&m, 0, 0), 8192);
	for (; at + 112 <= 65536 - 32; at += 112)
		made_chunk(&m, 0, at, 112, IN_USE);
	/* Fences end the first heap. */
	made_chunk(&m, 0, at, 65536 - 16 - at, CHUNK_PREV_IN_USE);
	made_chunk(&m, 0, 65536 - 16, 0, CHUNK_PREV_IN_USE);
	/* One free chunk of the second heap. */
	made_chunk(&m, 2, 48, 400, IN_USE);
	made_chunk(&m, 2, 448, 400, CHUNK_PREV_IN_USE);
	made_words(&m, 2, 848)[0] = 400;
	made_chunk(&m, 2, 848, 8192 - 848, 0);
	made_chunk(&m, 1, FIRST, 65536 - FIRST, CHUNK_PREV_IN_USE);
	made_read(&m);
	assert_int_equal(m.heap.arena_count, 2);
	assert_false(m.heap.arenas[0].is_main || m.heap.arenas[1].is_main);
	assert_int_equal(m.heap.arenas[0].heaps, 2);
	assert_int_equal(m.heap.arenas[0].blocks,
			 (65536 - 32 - FIRST) / 112 + 2);
	assert_int_equal(m.heap.arenas[0].free, 400);
	assert_int_equal(m.heap.arenas[0].unwalked, 0);
	assert_int_equal(m.heap.arenas[0].resident, 65536 + 4096);
	assert_int_equal(m.heap.arenas[0].top_resident, 4096 - 848);
	assert_int_equal(m.heap.arenas[1].blocks, 0);
	assert_int_equal(m.heap.arenas[1].top_resident, 4096 - FIRST);
	assert_int_equal(m.heap.range_count, 3);
	made_end(&m);
}

/* As in a busy arena; no chunk is large enough for the last bin. */
static void arena_with_chunks_in_its_bins_is_found(void **state)
{
	struct made m;
	uint64_t *bins;

	(void)state;
	made_begin(&m, 1);
	made_arena(&m, 0, made_at(&m, 0, STATE_AT), made_at(&m, 0, FIRST),
		   65536);
	made_chunk(&m, 0, FIRST, 65536 - FIRST, CHUNK_PREV_IN_USE);
	bins = made_words(&m, 0, STATE_AT + STATE_BINS);
	for (size_t i = 0; i < 252; i++)
		bins[i] = made_at(&m, 0, FIRST + 16 * i);
	made_read(&m);
	assert_int_equal(made_only_arena(&m)->top_resident, 4096 - FIRST);
	bins[252] = made_at(&m, 0, FIRST);
	made_read(&m);
	assert_false(m.heap.is_found);
	made_end(&m);
}

static void lying_heap_info_is_no_heap(void **state)
{
	static const struct {
		int64_t arena, prev; /* offsets */
		uint64_t size, committed;
	} lies[] = {
		{ STATE_AT, -1, HEAP + 4096, HEAP + 4096 },
		{ STATE_AT, -1, 65536 + 8, 131072 },
		{ STATE_AT, -1, 0, 65536 },
		{ STATE_AT, -1, 65536, 4096 },
		{ STATE_AT, -1, 65536, 2 * HEAP },
		{ STATE_AT, 0, 65536, 65536 },
		{ STATE_AT + 8, -1, 65536, 65536 },
		{ 64, -1, 65536, 65536 },
		{ -(int64_t)HEAP + STATE_AT, 4096, 65536, 65536 },
	};
	struct made m;

	(void)state;
	made_begin(&m, 2);
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		uint64_t *info = made_words(&m, 1, 0);

		made_arena(&m, 1, made_at(&m, 1, STATE_AT),
			   made_at(&m, 1, FIRST), 65536);
		info[0] = made_at(&m, 1, 0) + (uint64_t)lies[i].arena;
		info[1] = lies[i].prev < 0
				  ? 0
				  : made_at(&m, 0, (size_t)lies[i].prev);
		info[2] = lies[i].size;
		info[3] = lies[i].committed;
		made_read(&m);
		assert_false(m.heap.is_found);
		assert_int_equal(m.heap.range_count, 0);
	}
	/* A heap of an arena that is none. */
	made_info(&m, 1, made_at(&m, 0, STATE_AT), made_at(&m, 0, 0), 65536);
	made_read(&m);
	assert_false(m.heap.is_found);
	made_end(&m);
}

static void malloc_state_that_lies_is_no_arena(void **state)
{
	static const struct {
		size_t at; /* bytes */
		uint64_t word;
	} lies[] = {
		{ STATE_BYTES - 40, 0 },               /* next */
		{ STATE_BYTES - 40, UINT64_MAX },      /* next */
		{ STATE_BYTES - 24, UINT64_MAX },      /* attached_threads */
		{ STATE_BYTES - 16, 1 },               /* system_mem */
		{ STATE_BYTES - 16, UINT64_MAX - 15 }, /* system_mem */
	};
	struct made m;

	(void)state;
	made_begin(&m, 1);
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		made_arena(&m, 0, made_at(&m, 0, STATE_AT),
			   made_at(&m, 0, FIRST), 65536);
		made_read(&m);
		assert_true(m.heap.is_found);
		*made_words(&m, 0, STATE_AT + lies[i].at) = lies[i].word;
		made_read(&m);
		assert_false(m.heap.is_found);
	}
	/* Bins that point nowhere */
	memset(made_words(&m, 0, STATE_AT + STATE_BINS), 0xff, 2032);
	made_read(&m);
	assert_false(m.heap.is_found);
	made_end(&m);
}

static void chunks_that_lie_end_the_walk(void **state)
{
	static const uint64_t sizes[] = {
		0,          8,          16,
		24,         41,         HEAP,
		UINT64_MAX, 1ULL << 63, 64 | CHUNK_IS_MAPPED
	};
	struct made m;

	(void)state;
	made_begin(&m, 1);
	made_arena(&m, 0, made_at(&m, 0, STATE_AT), made_at(&m, 0, 1 << 20),
		   1 << 20);
	memset(made_words(&m, 0, FIRST), 0xff, (1 << 20) - FIRST);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		made_chunk(&m, 0, FIRST, 64, IN_USE);
		made_chunk(&m, 0, FIRST + 64, 64, IN_USE);
		made_words(&m, 0, FIRST + 128)[1] = sizes[i];
		made_read(&m);
		/* The use of the second block depends on the third. */
		assert_true(made_only_arena(&m)->blocks <= 2);
		assert_true(made_only_arena(&m)->is_incomplete);
		assert_true(made_only_arena(&m)->unwalked >=
			    (1 << 20) - FIRST - 128);
		assert_true(m.requests < 1000);
	}
	made_end(&m);
}

/* Each page has a chunk that makes no sense behind a row of good ones. */
static void many_lies_cost_a_bounded_number_of_requests(void **state)
{
	struct made m;

	(void)state;
	made_begin(&m, 1);
	made_arena(&m, 0, made_at(&m, 0, STATE_AT), made_at(&m, 0, HEAP - 16),
		   HEAP);
	for (size_t at = FIRST; at < (HEAP)-32; at += 32)
		made_chunk(&m, 0, at, at % 4096 < 4064 ? 32 : 0, IN_USE);
	made_read(&m);
	/* Each retry reads at most thrice, each window once. */
	assert_true(m.requests < 3 * 8192 + 4 * HEAP / MALLOC_WINDOW_BYTES);
	assert_true(made_only_arena(&m)->blocks > HEAP / 32 / 2);
	assert_true(made_only_arena(&m)->unwalked > 0);
	made_end(&m);
}

static void absent_pages_are_not_read(void **state)
{
	struct page_sum sum = { 0 };
	struct made m;

	(void)state;
	made_begin(&m, 1);
	made_arena(&m, 0, made_at(&m, 0, STATE_AT), made_at(&m, 0, HEAP / 2),
		   HEAP);
	/* A free chunk whose pages were returned, and a block without some. */
	made_chunk(&m, 0, FIRST, HEAP / 4, CHUNK_PREV_IN_USE);
	made_words(&m, 0, FIRST + HEAP / 4)[0] = HEAP / 4;
	made_chunk(&m, 0, FIRST + HEAP / 4, HEAP / 4 - FIRST, CHUNK_NON_MAIN);
	*made_words(&m, 0, FIRST + 8192) = 1;
	made_chunk(&m, 0, HEAP / 2, HEAP / 2, CHUNK_PREV_IN_USE);
	made_read(&m);
	assert_int_equal(made_only_arena(&m)->blocks, 1);
	assert_int_equal(made_only_arena(&m)->in_use, HEAP / 4 - FIRST);
	assert_int_equal(made_only_arena(&m)->free, HEAP / 4);
	assert_int_equal(made_only_arena(&m)->trimmable, 4096);
	assert_int_equal(made_only_arena(&m)->top_resident, 4096);
	assert_int_equal(made_only_arena(&m)->resident, 4 * 4096);
	assert_false(made_only_arena(&m)->is_incomplete);
	pages_add(m.pages, made_at(&m, 0, 0), made_at(&m, 0, HEAP), &sum);
	assert_int_equal(sum.resident, 4 * 4096);
	made_end(&m);
}

static void mappings_without_pages_are_not_read(void **state)
{
	enum { MAPPINGS = 65000 };
	struct made m;

	(void)state;
	made_begin(&m, 1);
	for (size_t i = 0; i < MAPPINGS; i++) {
		struct mapping one = { .start = (i + 1) * HEAP,
				       .end = (i + 1) * HEAP + 4096,
				       .is_writable = true,
				       .path = "" };

		array_add(m.mappings.all, m.mappings.count, m.mappings.cap,
			  one);
	}
	made_read(&m);
	assert_false(m.heap.is_found || m.heap.is_cut);
	assert_int_equal(m.requests, 0);
	/* 64 TB */
	m.mappings.all[0].start = HEAP;
	m.mappings.all[0].end = (uint64_t)1 << 46;
	m.mappings.count = 1;
	made_read(&m);
	assert_true(m.heap.is_cut);
	made_end(&m);
}

static void chunks_end_with_fences_or_top(void **state)
{
	static const struct {
		unsigned fences;
		bool is_end;
	} ends[] = { { 1, false }, { 2, true }, { 3, true }, { 4, false } };
	struct malloc_reader *r = calloc(1, sizeof(*r));
	struct malloc_arena a = { 0 };
	struct made m;
	uint64_t start, limit;

	(void)state;
	made_begin(&m, 1);
	start = made_at(&m, 0, 0);
	limit = made_at(&m, 0, 65536);
	a.address = made_at(&m, 0, 65536); /* its top is the first word */
	r->memory = &m.memory;
	r->pages = m.pages;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t fence = 8192 - ends[i].fences * CHUNK_FENCE;

		made_chunk(&m, 0, 0, fence, CHUNK_PREV_IN_USE);
		for (; fence < 8192; fence += CHUNK_FENCE)
			made_chunk(&m, 0, fence, CHUNK_FENCE,
				   CHUNK_PREV_IN_USE);
		assert_int_equal(malloc_walk_find_end(r, &a, start, limit),
				 ends[i].is_end ? start + 8192 : 0);
	}
	/* Not at the end of a page */
	made_chunk(&m, 0, 0, 4000, CHUNK_PREV_IN_USE);
	made_chunk(&m, 0, 4000, CHUNK_FENCE, CHUNK_PREV_IN_USE);
	made_chunk(&m, 0, 4016, CHUNK_FENCE, CHUNK_PREV_IN_USE);
	assert_int_equal(malloc_walk_find_end(r, &a, start, limit), 0);
	made_chunk(&m, 0, 4000, 8192 - 4000, CHUNK_PREV_IN_USE);
	*made_words(&m, 0, 65536) = start + 4000;
	assert_int_equal(malloc_walk_find_end(r, &a, start, limit),
			 start + 8192);
	free(r);
	made_end(&m);
}

/* One run of chunks, each larger than the one before. */
static void sizes_with_most_bytes_are_kept(void **state)
{
	enum { CHUNKS = 13000 };
	struct malloc_reader *r = calloc(1, sizeof(*r));
	uint64_t total = 0, size = 0, at = 0, bytes = 0;
	struct malloc_run run = { 0 };
	struct malloc_size *sizes;
	struct malloc_arena a = { 0 };
	struct made m;

	(void)state;
	made_begin(&m, 22);
	for (size_t i = 0; i < CHUNKS; i++, at += size) {
		size = 32 + 16 * i;
		made_chunk(&m, 0, at, size, IN_USE);
		total += size;
	}
	made_chunk(&m, 0, at, 4096 - at % 4096, IN_USE);
	run.start = run.first = made_at(&m, 0, 0);
	run.end = run.end_most = made_at(&m, 0, at + 4096 - at % 4096);
	a.address = made_at(&m, 22, 0) - 4096; /* its top is 0 */
	r->memory = &m.memory;
	r->pages = m.pages;
	malloc_walk(r, &a, &run);
	sizes = malloc_sizes_sorted(&r->sizes);
	assert_int_equal(a.blocks, CHUNKS);
	assert_int_equal(a.in_use, total);
	assert_int_equal(sizes[0].size, 32 + 16 * (CHUNKS - 1));
	for (size_t i = 0; i < r->sizes.count; i++) {
		assert_int_equal(sizes[i].blocks, 1);
		assert_true(i == 0 || sizes[i].size < sizes[i - 1].size);
		bytes += sizes[i].size;
	}
	assert_true(r->sizes.count < CHUNKS);
	assert_int_equal(bytes + r->sizes.dropped, total);
	/* The smaller half was dropped. */
	assert_true(r->sizes.dropped > 0 && r->sizes.dropped < total / 4);
	free(sizes);
	free(r);
	made_end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arenas_without_a_main_arena_are_walked),
		cmocka_unit_test(arena_with_chunks_in_its_bins_is_found),
		cmocka_unit_test(lying_heap_info_is_no_heap),
		cmocka_unit_test(malloc_state_that_lies_is_no_arena),
		cmocka_unit_test(chunks_that_lie_end_the_walk),
		cmocka_unit_test(many_lies_cost_a_bounded_number_of_requests),
		cmocka_unit_test(absent_pages_are_not_read),
		cmocka_unit_test(mappings_without_pages_are_not_read),
		cmocka_unit_test(chunks_end_with_fences_or_top),
		cmocka_unit_test(sizes_with_most_bytes_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
