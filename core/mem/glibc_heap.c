/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glibc_heap: finds the arenas of glibc and accounts their heaps.
 *
 * Structures are those of malloc/malloc.c and malloc/arena.c of glibc 2.31 to
 * 2.43.
 */
#include "core/mem/glibc_heap.h"

#include "core/base/alloc.h"
#include "core/base/map64.h"
#include "core/mem/malloc_walk.h"
#include "core/mem/smaps.h"

#include <stdlib.h>
#include <string.h>

enum { ARENAS_MOST = 4096, RANGES_MOST = 65536 };
/*
 * Multiples of MALLOC_HEAP_BYTES that are looked at: 16 TB.  Java heaps have
 * some of them.
 */
enum { CANDIDATES_MOST = 1 << 18 };
/* How much [heap] may grow after the mappings were read. */
#define BRK_GROWTH ((uint64_t)256 << 20)

/* A heap of a thread arena: heap_info at its start. */
struct heap {
	uint64_t start, arena, size;
	bool is_first; /* has the malloc_state */
};

struct reading {
	struct malloc_reader reader;
	struct glibc_heap *h;
	const struct mappings *mappings;
	struct glibc_heap_limits limits;
	size_t bins; /* the offset of the bins in malloc_state; 0 = unknown */
	struct heap *heaps; /* by address */
	size_t heap_count, heap_cap, range_cap;
	struct map64 arenas;         /* index by address */
	uint64_t brk_start, brk_end; /* [heap]; 0 = none */
	uint64_t sbrk_base;          /* of mp_, in [heap]; 0 = unknown */
	uint64_t main;               /* main_arena; 0 = unknown */
	const struct mapping *libc;  /* its data; NULL = unknown */
};

/*
 * ---- malloc_state ----
 *
 * In all versions, top and last_remainder precede 127 bins of two words each,
 * and the words of enum state_word follow.
 */
enum { BINS = 127, BIN_WORDS = 2 * BINS };

enum state_word {
	STATE_NEXT = BIN_WORDS + 2, /* behind binmap, of 16 bytes */
	STATE_NEXT_FREE,
	STATE_THREADS,
	STATE_SYSTEM,
	STATE_SYSTEM_MAX,
	STATE_END
};

/* Where the bins may begin: 24 bytes in 2.43, 112 bytes before. */
enum { BINS_LEAST = 2, BINS_MOST = 32, STATE_WORDS = BINS_MOST + STATE_END };
enum { THREADS_MOST = 1 << 22 };
#define WORD sizeof(uint64_t)

static bool is_pointer(uint64_t word)
{
	return word >= 65536 && word < MALLOC_ADDRESS_END && word % 8 == 0;
}

/*
 * Returns true if the words, read from that address, are bins and the rest of a
 * malloc_state.  The last bin is always empty, for no size has it; in a busy
 * arena, all others may be filled.
 */
static bool state_has_bins(const uint64_t *words, uint64_t address)
{
	const uint64_t last = address + 16 * (BINS - 1) - 16;

	if (words[BIN_WORDS - 2] != last || words[BIN_WORDS - 1] != last ||
	    !is_pointer(words[STATE_NEXT]) ||
	    words[STATE_NEXT] - address < WORD * STATE_END ||
	    words[STATE_THREADS] > THREADS_MOST || words[STATE_SYSTEM] % 16 ||
	    words[STATE_SYSTEM] > words[STATE_SYSTEM_MAX] ||
	    words[STATE_SYSTEM_MAX] >= MALLOC_ADDRESS_END)
		return false;
	for (size_t i = 0; i < BIN_WORDS; i++)
		if (!is_pointer(words[i]))
			return false;
	return true;
}

/* ---- finding the heaps of thread arenas ---- */

static bool heap_is_size(uint64_t size)
{
	return size >= PAGE_BYTES && size <= MALLOC_HEAP_BYTES &&
	       size % PAGE_BYTES == 0;
}

/* Keeps a heap if the words at its start are a heap_info. */
static void heaps_add(struct reading *r, uint64_t start, const uint64_t *info)
{
	/* ar_ptr, prev, size, mprotect_size */
	uint64_t arena = info[0], prev = info[1], size = info[2];
	uint64_t offset = arena % MALLOC_HEAP_BYTES;
	struct heap heap = { start, arena, size, arena - start == offset };

	/* heap_info ends at 32 before 2.35, since then at 48. */
	if ((offset != 32 && offset != 48) || arena >= MALLOC_ADDRESS_END ||
	    prev % MALLOC_HEAP_BYTES || heap.is_first != (prev == 0) ||
	    !heap_is_size(size) || info[3] < size ||
	    info[3] > MALLOC_HEAP_BYTES)
		return;
	if (r->heap_count >= r->limits.ranges) {
		r->h->is_cut = true;
		return;
	}
	array_add(r->heaps, r->heap_count, r->heap_cap, heap);
}

/* With glibc.mem.decorate_maps: "[anon: glibc: malloc arena]". */
static bool mapping_is_anonymous(const struct mapping *m)
{
	return m->is_writable && smaps_is_anonymous(m);
}

/* Looks at each multiple of MALLOC_HEAP_BYTES in anonymous memory. */
static void heaps_find(struct reading *r)
{
	struct malloc_heads heads;
	size_t looked = 0;

	heads.most = MALLOC_HEADS;
	for (size_t i = 0; i < r->mappings->count; i++) {
		const struct mapping *m = &r->mappings->all[i];
		uint64_t at = (m->start + MALLOC_HEAP_BYTES - 1) &
			      ~(MALLOC_HEAP_BYTES - 1);

		while (mapping_is_anonymous(m) && at < m->end) {
			if (looked >= CANDIDATES_MOST ||
			    malloc_reader_is_over(&r->reader)) {
				r->h->is_cut = true;
				return;
			}
			looked -= at / MALLOC_HEAP_BYTES;
			at = malloc_heads_read(&heads, r->reader.memory,
					       r->reader.pages, at, m->end,
					       MALLOC_HEAP_BYTES);
			looked += at / MALLOC_HEAP_BYTES;
			for (size_t k = 0; k < heads.count; k++)
				heaps_add(r, heads.ranges[k].address,
					  heads.words[k]);
		}
	}
}

/* ---- finding the arenas ---- */

struct state {
	uint64_t top, next, flags;
};

/*
 * Reads a malloc_state; returns false if there is none.  Measures where the
 * bins are if that is unknown.
 */
static bool state_read(struct reading *r, uint64_t address,
		       struct malloc_arena *a, struct state *state)
{
	const uint64_t *words, *bins;

	if (address % 8 || address >= MALLOC_ADDRESS_END)
		return false;
	malloc_window_move(&r->reader, address, address + WORD * STATE_WORDS,
			   MALLOC_WINDOW_PAGES);
	words = &r->reader.window.words[address % PAGE_BYTES / 8];
	for (size_t i = BINS_LEAST; i <= BINS_MOST && !r->bins; i++)
		if (state_has_bins(words + i, address + 8 * i))
			r->bins = 8 * i;
	bins = words + r->bins / 8;
	if (!r->bins || !state_has_bins(bins, address + r->bins))
		return false;
	*a = (struct malloc_arena){ .address = address,
				    .threads = bins[STATE_THREADS],
				    .system = bins[STATE_SYSTEM] };
	*state = (struct state){ bins[-2], bins[STATE_NEXT], words[0] >> 32 };
	return true;
}

/* Keeps the thread arenas, behind a place for the main arena. */
static void arenas_find(struct reading *r)
{
	struct glibc_heap *h = r->h;
	struct malloc_arena a;
	struct state state;
	size_t cap = 1;

	h->arenas = xcalloc(1, sizeof(*h->arenas));
	h->arena_count = 1;
	for (size_t i = 0; i < r->heap_count && !r->bins &&
			   !malloc_reader_is_over(&r->reader);
	     i++)
		if (r->heaps[i].is_first)
			state_read(r, r->heaps[i].arena, &a, &state);
	for (size_t i = 0; i < r->heap_count; i++) {
		const struct mapping *m;

		if (!r->heaps[i].is_first ||
		    malloc_reader_is_over(&r->reader) ||
		    !state_read(r, r->heaps[i].arena, &a, &state))
			continue;
		if (h->arena_count >= r->limits.arenas) {
			h->is_cut = true;
			return;
		}
		m = mappings_find(r->mappings, state.next);
		/* The main arena is the successor that is no thread's. */
		if (!r->main && m && m->inode && m->is_writable) {
			r->main = state.next;
			r->libc = m;
		}
		map64_add(&r->arenas, a.address, (uint32_t)h->arena_count);
		array_add(h->arenas, h->arena_count, cap, a);
	}
}

/* ---- main_arena and mp_, in libc's data ---- */

static bool mapping_is_libc(const struct mapping *m)
{
	const char *slash = strrchr(m->path, '/');
	const char *name = slash ? slash + 1 : "";

	return m->is_writable && m->inode &&
	       (strncmp(name, "libc.so.", 8) == 0 ||
		strncmp(name, "libc-2.", 7) == 0);
}

/* Moves the window to libc's data and the bss behind it. */
static void data_read(struct reading *r, const struct mapping *m)
{
	const struct mapping *last = &r->mappings->all[r->mappings->count - 1];
	uint64_t end = m->end;

	if (m < last && m[1].start == end && mapping_is_anonymous(m + 1))
		end = m[1].end;
	malloc_window_move(&r->reader, m->start, end, MALLOC_WINDOW_PAGES);
}

/*
 * Returns the address of main_arena if libc's data has it.  The only arena is
 * its own successor, which tells where it begins.
 */
static uint64_t data_find_main(struct reading *r)
{
	const struct malloc_window *w = &r->reader.window;
	size_t count = (w->end - w->start) / 8;

	for (size_t i = BINS_LEAST; i + STATE_END <= count; i++) {
		uint64_t bins = w->start + 8 * i, next;

		if (!state_has_bins(w->words + i, bins))
			continue;
		next = w->words[i + STATE_NEXT];
		if (!r->bins && bins - next <= WORD * BINS_MOST &&
		    bins - next >= WORD * BINS_LEAST)
			r->bins = bins - next;
		if (r->bins)
			return bins - r->bins;
	}
	return 0;
}

/* Takes mp_ if its n_mmaps and its sbrk_base are there; returns true if so. */
static bool mp_read(struct reading *r, const uint32_t *ints,
		    const uint64_t *base, bool is_brk)
{
	enum { N_MMAPS_MOST = 65536 }; /* the default; few programs change it */
	/* n_mmaps, n_mmaps_max, max_n_mmaps, no_dyn_threshold */
	bool is_usual = ints[1] == N_MMAPS_MOST;
	uint64_t mapped = base[-2], mapped_most = base[-1];

	if (is_brk ? *base < r->brk_start || *base >= r->brk_end
		   : *base % PAGE_BYTES || *base >= MALLOC_ADDRESS_END)
		return false;
	if ((!is_usual && (!mapped || !is_brk)) || !mapped != !ints[0] ||
	    ints[0] > ints[2] || ints[3] > 1 || mapped > mapped_most ||
	    mapped_most >= MALLOC_ADDRESS_END ||
	    (mapped | mapped_most) % PAGE_BYTES)
		return false;
	r->h->has_mapped = true;
	r->h->mapped = mapped;
	r->h->mapped_count = ints[0];
	r->sbrk_base = is_brk ? *base : 0;
	return true;
}

/*
 * Finds mp_, a struct malloc_par, in the window.  Before 2.35, n_mmaps is 32
 * bytes before sbrk_base; since then, 36.  sbrk_base is in [heap] unless sbrk()
 * failed.
 */
static void data_find_mp(struct reading *r)
{
	const struct malloc_window *w = &r->reader.window;
	const uint32_t *ints = (const uint32_t *)w->words;
	size_t count = (w->end - w->start) / 8;

	for (int is_brk = 1; is_brk >= 0; is_brk--)
		for (size_t i = 5; i < count; i++)
			if (mp_read(r, ints + 2 * i - 9, w->words + i,
				    is_brk) ||
			    mp_read(r, ints + 2 * i - 8, w->words + i, is_brk))
				return;
}

/* Sets the main arena, and the bins if they are still unknown. */
static void main_find(struct reading *r, struct state *state)
{
	struct glibc_heap *h = r->h;

	for (size_t i = 0; i < r->mappings->count && !r->main; i++) {
		if (!mapping_is_libc(&r->mappings->all[i]))
			continue;
		r->libc = &r->mappings->all[i];
		data_read(r, r->libc);
		r->main = data_find_main(r);
	}
	if (r->main && state_read(r, r->main, h->arenas, state)) {
		h->arenas->is_main = true;
		data_read(r, r->libc);
		data_find_mp(r);
		return;
	}
	/* Without a main arena, there is no place for it. */
	h->arena_count--;
	memmove(h->arenas, h->arenas + 1, h->arena_count * sizeof(*h->arenas));
}

/* ---- accounting ---- */

/* Accounts a run, which is a range of the result. */
static void run_account(struct reading *r, struct malloc_arena *a,
			struct malloc_run *run)
{
	struct glibc_heap *h = r->h;

	if (h->range_count >= r->limits.ranges) {
		h->is_cut = true;
		return;
	}
	run->wants_no_blocks = r->limits.wants_no_blocks;
	malloc_walk(&r->reader, a, run);
	array_add(h->ranges, h->range_count, r->range_cap,
		  (struct malloc_range){ run->start, run->end,
					 (size_t)(a - h->arenas) });
}

static void heap_account(struct reading *r, struct heap *heap)
{
	uint32_t index = map64_get(&r->arenas, heap->arena);
	uint64_t size = 0;
	struct malloc_run run = { .start = heap->start,
				  .first = heap->start +
					   heap->arena % MALLOC_HEAP_BYTES,
				  .end_most = heap->start + MALLOC_HEAP_BYTES };

	if (index == MAP64_NONE)
		return;
	/* It may have grown or shrunk since. */
	if (!malloc_reader_is_over(&r->reader))
		size = memory_u64(r->reader.memory, heap->start + 16);
	if (heap_is_size(size))
		heap->size = size;
	run.end = heap->start + heap->size;
	/* malloc_state, then chunks. */
	if (heap->is_first)
		run.first = (run.first + r->bins + WORD * STATE_END + 15) &
			    ~(uint64_t)15;
	run_account(r, &r->h->arenas[index - !r->h->arenas->is_main], &run);
}

/*
 * ---- the main arena without sbrk() ----
 *
 * If sbrk() fails, the main arena takes mappings, whose chunks end with top or
 * with fences.  The kernel merges them with their neighbors.
 */
enum { REGION_PAGES = 1 << 20, REGION_TRIES = 4 };
enum { NON_CONTIGUOUS = 2 }; /* in the flags of malloc_state */

/* Returns the page of [p, end) where such a mapping may begin, or end. */
static uint64_t region_search(struct reading *r, uint64_t p, uint64_t end)
{
	struct malloc_heads heads;
	uint64_t size;

	heads.most = MALLOC_HEADS;
	while (p < end && !malloc_reader_is_over(&r->reader)) {
		uint64_t next = malloc_heads_read(&heads, r->reader.memory,
						  r->reader.pages, p, end,
						  PAGE_BYTES);

		for (size_t i = 0; i < heads.count; i++) {
			const uint64_t *words = heads.words[i];
			uint64_t at = heads.ranges[i].address;

			if (at < p)
				continue;
			if (glibc_is_mapped_block(words, end - at, &size))
				p = at + size;
			else if (!words[0] &&
				 words[1] % 16 == CHUNK_PREV_IN_USE &&
				 words[1] > CHUNK_LEAST && words[1] <= end - at)
				return at;
		}
		if (p < next)
			p = next;
	}
	return end;
}

/* Accounts mappings of the main arena, until they are all of its memory. */
static void regions_account(struct reading *r, struct malloc_arena *a,
			    uint64_t bytes)
{
	struct malloc_reader *reader = &r->reader;
	size_t pages = 0;

	/* New mappings are below old ones, and Java heaps far below. */
	for (size_t i = r->mappings->count; i > 0; i--) {
		const struct mapping *m = &r->mappings->all[i - 1];
		struct malloc_run run = { .end = m->start };

		while (mapping_is_anonymous(m) && run.end < m->end &&
		       bytes < a->system && pages < REGION_PAGES &&
		       !malloc_reader_is_over(reader)) {
			uint64_t from = run.end;
			uint64_t p = region_search(r, from, m->end);

			pages += (p - from) / PAGE_BYTES + 1;
			run = (struct malloc_run){ .start = p, .first = p };
			/* The chunks may change meanwhile. */
			for (size_t n = 0; n < REGION_TRIES && !run.end; n++)
				run.end = malloc_walk_find_end(reader, a, p,
							       m->end);
			if (!run.end) {
				run.end = p < m->end ? p + PAGE_BYTES : p;
				continue;
			}
			run.end_most = run.end;
			run_account(r, a, &run);
			bytes += run.end - p;
		}
	}
}

static void main_account(struct reading *r, const struct state *state)
{
	struct malloc_arena *a = r->h->arenas;
	struct malloc_run run = { .start = r->brk_start,
				  .first = r->brk_start,
				  .end = r->brk_end,
				  .end_most = r->brk_end + BRK_GROWTH,
				  .brk = r->brk_end };
	uint64_t bytes = 0;

	/* Other allocators use sbrk(), too: [heap] may be none of glibc's. */
	if (!a->system)
		return;
	if (r->sbrk_base) {
		run.start = page_of(r->sbrk_base);
		run.first = (r->sbrk_base + 15) & ~(uint64_t)15;
	}
	if (r->sbrk_base ||
	    (state->top >= r->brk_start && state->top < r->brk_end)) {
		run_account(r, a, &run);
		bytes = run.end - run.start;
	}
	if (state->flags & NON_CONTIGUOUS)
		regions_account(r, a, bytes);
}

/* ---- glibc_heap ---- */

static void reading_find_brk(struct reading *r)
{
	for (size_t i = 0; i < r->mappings->count; i++) {
		const struct mapping *m = &r->mappings->all[i];

		if (strcmp(m->path, "[heap]") != 0)
			continue;
		if (!r->brk_start)
			r->brk_start = m->start;
		r->brk_end = m->end;
	}
}

static int ranges_by_address(const void *a, const void *b)
{
	const struct malloc_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

void glibc_heap_read(struct glibc_heap *h, struct memory *memory,
		     const struct mappings *mappings, struct pages *pages,
		     const struct glibc_heap_limits *limits)
{
	struct reading *r = xcalloc(1, sizeof(*r));
	struct state state = { 0 };

	*h = (struct glibc_heap){ 0 };
	r->h = h;
	r->mappings = mappings;
	r->limits = *limits;
	if (!r->limits.arenas)
		r->limits.arenas = ARENAS_MOST;
	if (!r->limits.ranges)
		r->limits.ranges = RANGES_MOST;
	r->reader.memory = memory;
	r->reader.pages = pages;
	r->reader.budget = limits->budget;
	reading_find_brk(r);
	heaps_find(r);
	arenas_find(r);
	main_find(r, &state);
	r->reader.top = r->bins - 16;
	h->is_cut |= r->reader.is_over;
	h->is_found = h->arena_count > 0;
	if (!h->is_found)
		h->why_not = h->is_cut ? "the time is up"
				       : "no malloc_state was found";
	if (h->is_found && h->arenas->is_main)
		main_account(r, &state);
	for (size_t i = 0; i < r->heap_count && h->is_found; i++)
		heap_account(r, &r->heaps[i]);
	if (h->range_count)
		qsort(h->ranges, h->range_count, sizeof(*h->ranges),
		      ranges_by_address);
	h->sizes = malloc_sizes_sorted(&r->reader.sizes);
	h->size_count = r->reader.sizes.count;
	h->sizes_dropped = r->reader.sizes.dropped;
	h->is_cut |= r->reader.is_over;
	free(r->heaps);
	map64_release(&r->arenas);
	free(r);
}

void glibc_heap_release(struct glibc_heap *h)
{
	free(h->arenas);
	free(h->ranges);
	free(h->sizes);
	*h = (struct glibc_heap){ 0 };
}

bool glibc_is_mapped_block(const uint64_t header[2], uint64_t mapping_bytes,
			   uint64_t *size)
{
	uint64_t bytes = chunk_size(header[1]);

	/* prev_size is what memalign() skips; 2.43 omits the last 16 bytes. */
	if ((header[1] & CHUNK_BITS) != CHUNK_IS_MAPPED || header[0] % 16 ||
	    header[0] >= PAGE_BYTES || bytes < PAGE_BYTES ||
	    bytes > mapping_bytes)
		return false;
	bytes += header[0];
	if (bytes % PAGE_BYTES != 0 && bytes % PAGE_BYTES != PAGE_BYTES - 16)
		return false;
	*size = page_after(bytes);
	return *size > PAGE_BYTES && *size <= mapping_bytes;
}
