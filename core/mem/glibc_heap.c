/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glibc_heap: walks the heaps of glibc's arenas in another process.
 *
 * Structures are those of malloc/malloc.c and malloc/arena.c of glibc 2.31 to
 * 2.43.  The process runs meanwhile, so a chunk may be split or merged between
 * two reads: the walk then steps back, and begins again from there.
 */
#include "core/mem/glibc_heap.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/map64.h"

#include <stdlib.h>
#include <string.h>

/* The size of a thread arena's heap, and its alignment (HEAP_MAX_SIZE). */
#define HEAP_BYTES ((uint64_t)64 << 20)
/* User space ends there. */
#define ADDRESS_END ((uint64_t)1 << 47)

enum { MOST_ARENAS = 4096, MOST_RANGES = 65536 };
/*
 * Multiples of HEAP_BYTES that are looked at: 16 TB.  Java heaps have some of
 * them.
 */
enum { MOST_CANDIDATES = 1 << 18 };

/* Bits of the size field of a chunk; the size is a multiple of 16. */
enum { PREV_IN_USE = 1, IS_MAPPED = 2, NON_MAIN = 4, SIZE_BITS = 7 };
enum { CHUNK_LEAST = 32, FENCE = 16 };
/* sizeof(struct malloc_chunk), which malloc_trim() leaves. */
enum { CHUNK_HEAD = 48 };

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
/* Bins that must point to themselves to be recognized. */
enum { BINS_EMPTY = 8 };
enum { THREADS_MOST = 1 << 22 };

static bool is_pointer(uint64_t word)
{
	return word >= 65536 && word < ADDRESS_END && word % 8 == 0;
}

/*
 * Returns true if the words, read from that address, are bins and the rest of a
 * malloc_state.
 */
static bool state_has_bins(const uint64_t *words, uint64_t address,
			   size_t empty_least)
{
	size_t empty = 0, filled = 0;

	if (!is_pointer(words[STATE_NEXT]) ||
	    words[STATE_NEXT] - address < 8 * BIN_WORDS ||
	    words[STATE_THREADS] > THREADS_MOST || words[STATE_SYSTEM] % 16 ||
	    words[STATE_SYSTEM] > words[STATE_SYSTEM_MAX] ||
	    words[STATE_SYSTEM_MAX] >= ADDRESS_END)
		return false;
	for (size_t i = 0; i < BINS; i++) {
		uint64_t self = address + 16 * i - 16;

		if (words[2 * i] == self && words[2 * i + 1] == self)
			empty++;
		else if (is_pointer(words[2 * i]) &&
			 is_pointer(words[2 * i + 1]))
			filled++;
	}
	/* The process may change two bins while they are read. */
	return empty >= empty_least && empty + filled >= BINS - 2;
}

/* ---- sizes of blocks ---- */

/* Smaller blocks are counted in an array, others in a table. */
enum { SMALL_MOST = 1 << 16, SMALL_SIZES = SMALL_MOST / 16 };
enum { LARGE_SIZES = 8192 };

struct block_sizes {
	uint64_t small[SMALL_SIZES]; /* numbers of blocks, by size / 16 */
	struct malloc_size *large;
	size_t count;
	struct map64 index; /* of large, by size */
	uint64_t dropped;   /* bytes */
};

static int sizes_by_bytes(const void *a, const void *b)
{
	const struct malloc_size *x = a, *y = b;
	uint64_t xs = x->size * x->blocks, ys = y->size * y->blocks;

	if (xs != ys)
		return xs < ys ? 1 : -1;
	return (x->size < y->size) - (x->size > y->size);
}

/* Keeps the half with the most bytes. */
static void sizes_halve(struct block_sizes *s)
{
	qsort(s->large, s->count, sizeof(*s->large), sizes_by_bytes);
	while (s->count > LARGE_SIZES / 2) {
		s->count--;
		s->dropped += s->large[s->count].size *
			      s->large[s->count].blocks;
	}
	map64_clear(&s->index);
	for (size_t i = 0; i < s->count; i++)
		map64_add(&s->index, s->large[i].size, (uint32_t)i);
}

static void sizes_add_large(struct block_sizes *s, uint64_t size)
{
	uint32_t at = map64_get(&s->index, size);

	if (at != MAP64_NONE) {
		s->large[at].blocks++;
		return;
	}
	if (!s->large)
		s->large = xcalloc(LARGE_SIZES, sizeof(*s->large));
	if (s->count == LARGE_SIZES)
		sizes_halve(s);
	map64_add(&s->index, size, (uint32_t)s->count);
	s->large[s->count++] = (struct malloc_size){ size, 1 };
}

static void sizes_add(struct block_sizes *s, uint64_t size)
{
	if (size < SMALL_MOST)
		s->small[size / 16]++;
	else
		sizes_add_large(s, size);
}

/* Moves the sizes to the result. */
static void sizes_finish(struct block_sizes *s, struct glibc_heap *h)
{
	size_t count = s->count, n = 0;

	for (size_t i = 0; i < SMALL_SIZES; i++)
		count += s->small[i] != 0;
	h->sizes = xcalloc(count, sizeof(*h->sizes));
	for (size_t i = 0; i < SMALL_SIZES; i++)
		if (s->small[i])
			h->sizes[n++] = (struct malloc_size){ 16 * i,
							      s->small[i] };
	for (size_t i = 0; i < s->count; i++)
		h->sizes[n++] = s->large[i];
	if (n)
		qsort(h->sizes, n, sizeof(*h->sizes), sizes_by_bytes);
	h->size_count = n;
	h->sizes_dropped = s->dropped;
	free(s->large);
	map64_release(&s->index);
}

/* ---- reading ---- */

/*
 * What is read when the walk enters it, so that little changes between the read
 * and the walk.
 */
enum { WINDOW_PAGES = 32, WINDOW_BYTES = WINDOW_PAGES * PAGE_BYTES };

struct window {
	uint64_t start, end;
	bool is_whole; /* all pages are in memory */
	uint8_t states[WINDOW_PAGES];
	uint64_t words[WINDOW_BYTES / 8]; /* absent pages are 0 */
};

/* A heap of a thread arena: heap_info at its start. */
struct heap {
	uint64_t start, arena, size;
	bool is_first; /* has the malloc_state */
};

/* libc's writable data, with its bss. */
enum { DATA_MOST = WINDOW_BYTES };

struct reading {
	struct glibc_heap *h;
	struct memory *memory;
	const struct mappings *mappings;
	struct pages *pages;
	struct glibc_heap_limits limits;
	size_t bins; /* the offset of the bins in malloc_state; 0 = unknown */
	struct heap *heaps;
	size_t heap_count, heap_cap, range_cap;
	struct map64 arenas;         /* index by address */
	uint64_t brk_start, brk_end; /* [heap]; 0 = none */
	uint64_t sbrk_base;          /* of mp_; 0 = unknown */
	uint64_t main;               /* main_arena; 0 = unknown */
	const struct mapping *libc;  /* its data; NULL = unknown */
	unsigned retries;            /* of the walks */
	struct window window;
	struct block_sizes sizes;
};

static bool reading_is_over(struct reading *r)
{
	if (r->limits.deadline_ns && !r->h->is_cut &&
	    clock_monotonic_ns() >= r->limits.deadline_ns)
		r->h->is_cut = true;
	return r->h->is_cut;
}

static uint64_t page_of(uint64_t address)
{
	return address & ~(uint64_t)(PAGE_BYTES - 1);
}

static uint64_t page_after(uint64_t address)
{
	return page_of(address + PAGE_BYTES - 1);
}

/*
 * Reads the pages of the window that are in memory, and sets is_whole.  Pages
 * that a read misses are 0.
 */
static void window_read(struct reading *r)
{
	struct window *w = &r->window;
	size_t count = (w->end - w->start) / PAGE_BYTES, ranges = 0, in = 0;
	struct memory_range range[WINDOW_PAGES];

	memset(w->states, 0, sizeof(w->states));
	pages_read(r->pages, w->start, w->states, count);
	for (size_t i = 0; i < count; i++) {
		uint8_t *bytes = (uint8_t *)w->words + i * PAGE_BYTES;

		if (w->states[i] != PAGE_RESIDENT) {
			memset(bytes, 0, PAGE_BYTES);
			continue;
		}
		in++;
		if (i && w->states[i - 1] == PAGE_RESIDENT)
			range[ranges - 1].len += PAGE_BYTES;
		else
			range[ranges++] = (struct memory_range){
				w->start + i * PAGE_BYTES, bytes, PAGE_BYTES,
				false
			};
	}
	w->is_whole = in == count;
	if (ranges)
		r->memory->read_all(r->memory, range, ranges);
	for (size_t i = 0; i < ranges; i++)
		if (!range[i].is_read)
			memset(range[i].bytes, 0, range[i].len);
}

/* Moves the window to that page; limit is where it must end. */
static void window_move(struct reading *r, uint64_t address, uint64_t limit)
{
	struct window *w = &r->window;

	w->start = page_of(address);
	w->end = page_after(limit);
	if (w->end < w->start)
		w->end = w->start;
	if (w->end - w->start > WINDOW_BYTES)
		w->end = w->start + WINDOW_BYTES;
	window_read(r);
}

/*
 * Reads words at that address, absent ones as 0.  Returns false if a page is
 * absent.
 */
static bool read_words(struct reading *r, uint64_t address, uint64_t *words,
		       size_t count)
{
	uint64_t end = address + 8 * count;

	if (address % 8 || end > ADDRESS_END || end < address)
		return false;
	window_move(r, address, end);
	memcpy(words, &r->window.words[(address - r->window.start) / 8],
	       8 * count);
	return r->window.is_whole;
}

/* Returns how many bytes of [start, end) are in memory, outside the window. */
static uint64_t resident_far(struct reading *r, uint64_t start, uint64_t end)
{
	uint8_t states[512];
	uint64_t bytes = 0;

	for (uint64_t page = page_of(start); page < end;) {
		size_t count = (page_after(end) - page) / PAGE_BYTES;

		if (count > sizeof(states))
			count = sizeof(states);
		memset(states, 0, count);
		pages_read(r->pages, page, states, count);
		for (size_t i = 0; i < count; i++, page += PAGE_BYTES) {
			uint64_t from = page > start ? page : start;
			uint64_t to = page + PAGE_BYTES;

			if (states[i] == PAGE_RESIDENT)
				bytes += (to < end ? to : end) - from;
		}
	}
	return bytes;
}

/* Returns how many bytes of [start, end) are in memory. */
static uint64_t resident_bytes(struct reading *r, uint64_t start, uint64_t end)
{
	const struct window *w = &r->window;
	uint64_t bytes = 0;

	if (start >= w->start && end <= w->end && w->is_whole)
		return end - start;
	while (start < end && start >= w->start && start < w->end) {
		uint64_t next = page_of(start) + PAGE_BYTES;

		if (next > end)
			next = end;
		if (w->states[(start - w->start) / PAGE_BYTES] == PAGE_RESIDENT)
			bytes += next - start;
		start = next;
	}
	return start < end ? bytes + resident_far(r, start, end) : bytes;
}

/* ---- the walk ---- */

/* Blocks that are not counted yet, so that the walk can step back. */
enum { RING = 64, STEPS_BACK = 32 };
/* Limits of the steps back: at one place, and of all walks. */
enum { RETRIES_PLACE = 64, RETRIES_MOST = 1 << 13 };
/* Searches for the next chunk in one heap; how far they go. */
enum { GAPS_MOST = 1 << 14 };
#define GAP_BYTES HEAP_BYTES
/* Chunks in a row that prove the first one; fewer if all are large. */
enum { CHAIN_LONG = 16, CHAIN_LARGE = 3 };

struct block {
	uint64_t start, size, resident, trimmable;
	bool is_used;
};

/* A walk over chunks of an arena that are in a row. */
struct walk {
	struct reading *r;
	struct malloc_arena *arena;
	uint64_t end, end_most; /* of the chunks; how far end may move */
	uint64_t top;           /* of the arena, perhaps elsewhere */
	bool is_brk;            /* of the main arena, in [heap] */
	struct block ring[RING];
	size_t added, counted;
	uint64_t furthest; /* where the walk was lost */
	unsigned back, retries, gaps;
};

static const uint64_t *walk_header(struct walk *w, uint64_t at)
{
	static const uint64_t none[2];
	struct window *win = &w->r->window;

	if (at + 16 > w->end || at + 16 < at)
		return none;
	if (at < win->start || at + 16 > win->end) {
		window_move(w->r, at, w->end);
		reading_is_over(w->r);
	}
	return &win->words[(at - win->start) / 8];
}

static void walk_count_block(struct walk *w, const struct block *b)
{
	struct malloc_arena *a = w->arena;

	if (b->is_used) {
		a->in_use += b->size;
		a->blocks++;
		a->in_use_resident += b->resident;
		sizes_add(&w->r->sizes, b->size);
	} else {
		a->free += b->size;
		a->free_resident += b->resident;
		a->trimmable += b->trimmable;
	}
}

static void walk_count_all(struct walk *w)
{
	for (; w->counted < w->added; w->counted++)
		walk_count_block(w, &w->ring[w->counted % RING]);
}

static void walk_add(struct walk *w, const struct block *b)
{
	if (w->added - w->counted == RING)
		walk_count_block(w, &w->ring[w->counted++ % RING]);
	w->ring[w->added++ % RING] = *b;
}

/* Reads top again; the heap may have grown. */
static void walk_refresh(struct walk *w)
{
	struct memory *m = w->r->memory;
	uint64_t top = memory_u64(m, w->arena->address + w->r->bins - 16);
	uint64_t size, end;

	w->top = top;
	if (top % 16 || top < w->furthest || top >= w->end_most)
		return;
	size = memory_u64(m, top + 8) & ~(uint64_t)SIZE_BITS;
	end = top + size;
	if (end > w->end && size < ADDRESS_END && end <= w->end_most)
		w->end = end;
}

/*
 * Counts the last chunk.  malloc_trim() gives its end back only if it is at the
 * program break (systrim()).
 */
static uint64_t walk_count_top(struct walk *w, uint64_t top, uint64_t end)
{
	struct malloc_arena *a = w->arena;
	uint64_t kept = page_after(top + CHUNK_LEAST + 1);

	walk_count_all(w);
	a->top_resident += resident_bytes(w->r, top, end);
	if (w->is_brk && end == w->r->brk_end && kept < end)
		a->trimmable += resident_bytes(w->r, kept, end);
	return end;
}

/* Returns true if the chunk at p is top, and lets the chunks end there. */
static bool walk_is_top(struct walk *w, uint64_t p, uint64_t size)
{
	if (p + size == w->end)
		return true;
	if (p != w->top)
		return false;
	walk_refresh(w);
	if (p != w->top)
		return false;
	if (size < w->end - p)
		w->end = p + size;
	return true;
}

/* Returns the state of a page of the window. */
static uint8_t walk_page(const struct walk *w, uint64_t p)
{
	const struct window *win = &w->r->window;

	return p >= win->start && p < win->end
		       ? win->states[(p - win->start) / PAGE_BYTES]
		       : 0;
}

/*
 * Accounts the chunk at p.  Returns the address of the next one, or 0 if the
 * chunk makes no sense.
 */
static uint64_t walk_chunk(struct walk *w, uint64_t p)
{
	const uint64_t *head = walk_header(w, p);
	uint64_t field = head[1], size = field & ~(uint64_t)SIZE_BITS, next;
	struct block b = { .start = p, .size = size };

	if (field & IS_MAPPED || size < CHUNK_LEAST || size % 16)
		return 0;
	if ((p == w->top || size == w->end - p) && walk_is_top(w, p, size))
		return walk_count_top(w, p, w->end);
	if (size > w->end - p)
		return 0;
	next = p + size;
	b.resident = resident_bytes(w->r, p, next);
	if (size > PAGE_BYTES) {
		uint64_t from = page_after(p + CHUNK_HEAD), to = page_of(next);

		if (from < to)
			b.trimmable = resident_bytes(w->r, from, to);
	}
	head = walk_header(w, next);
	/* Unknown if the next header is swapped; most blocks are in use. */
	b.is_used = head[1] & PREV_IN_USE || walk_page(w, next) == PAGE_SWAPPED;
	if (!b.is_used && head[0] != size)
		return 0;
	walk_add(w, &b);
	return next;
}

/* Moves *p back to a chunk that was walked before, to read it again. */
static bool walk_step_back(struct walk *w, uint64_t *p)
{
	size_t n = w->added - w->counted;

	if (walk_page(w, *p) == PAGE_SWAPPED)
		return false;
	if (*p > w->furthest) {
		w->furthest = *p;
		w->retries = 0;
		w->back = 1;
	}
	if (!n || ++w->retries > RETRIES_PLACE ||
	    ++w->r->retries > RETRIES_MOST)
		return false;
	walk_refresh(w);
	if (n > w->back)
		n = w->back;
	w->back = w->back < STEPS_BACK ? w->back * 2 : 1;
	w->added -= n;
	*p = w->ring[w->added % RING].start;
	w->r->window.end = 0;
	return true;
}

/*
 * Returns true if p begins a row of chunks in the window that agree with each
 * other, or one that ends at the top.
 */
static bool walk_is_chain(const struct walk *w, uint64_t p)
{
	const struct window *win = &w->r->window;
	uint64_t non_main = w->arena->is_main ? 0 : NON_MAIN;
	size_t count = 0;

	while (count < CHAIN_LONG && walk_page(w, p) == PAGE_RESIDENT) {
		const uint64_t *head = &win->words[(p - win->start) / 8];
		uint64_t size = head[1] & ~(uint64_t)SIZE_BITS;

		if (head[1] & IS_MAPPED || size < CHUNK_LEAST || size % 16 ||
		    size > w->end - p)
			return false;
		if (p == w->top || size == w->end - p)
			return true;
		p += size;
		count++;
		if (walk_page(w, p) != PAGE_RESIDENT)
			break;
		if (win->words[(p - win->start) / 8 + 1] & PREV_IN_USE
			    ? (head[1] & NON_MAIN) != non_main
			    : win->words[(p - win->start) / 8] != size)
			return false;
	}
	return count >= CHAIN_LONG ||
	       (count >= CHAIN_LARGE &&
		(p >= win->end || walk_page(w, p) == PAGE_SWAPPED));
}

/*
 * Searches the next chunk behind *p, where nothing makes sense: behind swapped
 * pages, or memory that others took with sbrk().  The walk cannot step back
 * over the gap.
 */
static bool walk_resume(struct walk *w, uint64_t *p)
{
	uint64_t from = *p, q = from + 16;

	walk_count_all(w);
	if (++w->gaps > GAPS_MOST)
		return false;
	for (; q < w->end && q - from < GAP_BYTES && !w->r->h->is_cut;
	     q += 16) {
		walk_header(w, q);
		if (walk_page(w, q) != PAGE_RESIDENT) {
			q = page_of(q) + PAGE_BYTES - 16;
			continue;
		}
		if (!walk_is_chain(w, q))
			continue;
		w->arena->unwalked += resident_bytes(w->r, from, q);
		*p = q;
		return true;
	}
	return false;
}

/* Returns false if the walk cannot go on from a chunk that makes no sense. */
static bool walk_recover(struct walk *w, uint64_t *p)
{
	const uint64_t *head = walk_header(w, *p);
	uint64_t size = head[1] & ~(uint64_t)SIZE_BITS;

	/* Fences end a heap that has a successor. */
	if (size <= FENCE && w->end - *p <= 2 * CHUNK_LEAST) {
		*p = w->end;
		return true;
	}
	if (size == FENCE &&
	    (walk_header(w, *p + FENCE)[1] & ~(uint64_t)SIZE_BITS) == FENCE) {
		if (!w->is_brk)
			w->end = *p + 2 * FENCE;
		*p += FENCE;
		if (w->end == *p + FENCE)
			*p = w->end;
		return *p == w->end || walk_resume(w, p);
	}
	return walk_step_back(w, p) || walk_resume(w, p);
}

/* Walks the chunks from p to w->end. */
static void walk_all(struct walk *w, uint64_t p)
{
	uint64_t next;

	/* A window that was read for another purpose is too old. */
	w->r->window.end = 0;
	w->back = 1;
	while (p < w->end && !w->r->h->is_cut) {
		next = walk_chunk(w, p);
		if (next)
			p = next;
		else if (!walk_recover(w, &p))
			break;
	}
	walk_count_all(w);
	if (p < w->end)
		w->arena->unwalked += resident_bytes(w->r, p, w->end);
}

/* ---- finding the heaps of thread arenas ---- */

/* Where heap_info ends: before 2.35, and since (pagesize was added). */
static bool is_heap_info_size(uint64_t size)
{
	return size == 32 || size == 48;
}

/* Keeps a heap if the words at its start are a heap_info. */
static void heaps_add(struct reading *r, uint64_t start, const uint64_t *info)
{
	/* ar_ptr, prev, size, mprotect_size */
	uint64_t arena = info[0], prev = info[1], size = info[2];
	struct heap heap = { start, arena, size, arena - start <= 48 };

	if (!is_heap_info_size(arena % HEAP_BYTES) || arena >= ADDRESS_END ||
	    prev % HEAP_BYTES || heap.is_first != (prev == 0) ||
	    size < PAGE_BYTES || size > HEAP_BYTES || size % PAGE_BYTES ||
	    info[3] < size || info[3] > HEAP_BYTES)
		return;
	if (r->heap_count == r->limits.ranges) {
		r->h->is_cut = true;
		return;
	}
	array_add(r->heaps, r->heap_count, r->heap_cap, heap);
}

/* Addresses whose heap_info is read with one request. */
enum { CANDIDATES = 256, INFO_WORDS = 4 };

struct candidates {
	uint64_t at[CANDIDATES];
	size_t count;
};

static void candidates_read(struct reading *r, struct candidates *c)
{
	uint64_t words[CANDIDATES][INFO_WORDS];
	struct memory_range ranges[CANDIDATES];

	for (size_t i = 0; i < c->count; i++)
		ranges[i] = (struct memory_range){ c->at[i], words[i],
						   sizeof(words[i]), false };
	if (c->count)
		r->memory->read_all(r->memory, ranges, c->count);
	for (size_t i = 0; i < c->count; i++)
		if (ranges[i].is_read)
			heaps_add(r, c->at[i], words[i]);
	c->count = 0;
}

static bool mapping_is_anonymous(const struct mapping *m)
{
	/* With glibc.mem.decorate_maps: "[anon: glibc: malloc arena]". */
	return m->is_writable && !m->inode &&
	       (!*m->path || strncmp(m->path, "[anon", 5) == 0);
}

/* Looks at each multiple of HEAP_BYTES in anonymous memory. */
static void heaps_find(struct reading *r)
{
	struct candidates c = { .count = 0 };
	size_t looked = 0;

	for (size_t i = 0; i < r->mappings->count; i++) {
		const struct mapping *m = &r->mappings->all[i];
		uint64_t at = (m->start + HEAP_BYTES - 1) / HEAP_BYTES *
			      HEAP_BYTES;

		for (; mapping_is_anonymous(m) && at < m->end;
		     at += HEAP_BYTES) {
			uint8_t state = 0;

			if (looked++ == MOST_CANDIDATES || reading_is_over(r)) {
				r->h->is_cut = true;
				return;
			}
			pages_read(r->pages, at, &state, 1);
			if (state != PAGE_RESIDENT)
				continue;
			c.at[c.count++] = at;
			if (c.count == CANDIDATES)
				candidates_read(r, &c);
		}
	}
	candidates_read(r, &c);
}

/* ---- finding the arenas ---- */

/* Measures where the bins are in the malloc_state of a thread arena. */
static void layout_measure(struct reading *r, uint64_t arena)
{
	uint64_t words[STATE_WORDS];

	read_words(r, arena, words, STATE_WORDS);
	/* The last place, because the words before may look like two bins. */
	for (size_t i = BINS_MOST; i >= BINS_LEAST && !r->bins; i--)
		if (state_has_bins(words + i, arena + 8 * i, BINS_EMPTY))
			r->bins = 8 * i;
}

struct state {
	uint64_t top, next, flags;
};

/* Reads a malloc_state; returns false if it is none. */
static bool state_read(struct reading *r, uint64_t address,
		       struct malloc_arena *a, struct state *state)
{
	uint64_t words[STATE_WORDS];
	const uint64_t *bins = words + r->bins / 8;

	if (!read_words(r, address, words, r->bins / 8 + STATE_END) ||
	    !state_has_bins(bins, address + r->bins, 0))
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
	size_t cap = 1;

	h->arenas = xcalloc(1, sizeof(*h->arenas));
	h->arena_count = 1;
	for (size_t i = 0; i < r->heap_count && !r->bins; i++)
		if (r->heaps[i].is_first)
			layout_measure(r, r->heaps[i].arena);
	for (size_t i = 0; i < r->heap_count && r->bins; i++) {
		const struct mapping *m;
		struct malloc_arena a;
		struct state state;

		if (!r->heaps[i].is_first ||
		    !state_read(r, r->heaps[i].arena, &a, &state))
			continue;
		if (h->arena_count == r->limits.arenas || reading_is_over(r)) {
			h->is_cut = true;
			break;
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
	window_move(r, m->start, end);
}

/*
 * Returns the address of main_arena if libc's data has it.  The only arena is
 * its own successor, which tells where it begins.
 */
static uint64_t data_find_main(struct reading *r)
{
	const struct window *w = &r->window;
	size_t count = (w->end - w->start) / 8;

	for (size_t i = count; i-- > BINS_LEAST;) {
		uint64_t bins = w->start + 8 * i, next;

		if (i + STATE_END > count ||
		    !state_has_bins(w->words + i, bins, BINS_EMPTY))
			continue;
		next = w->words[i + STATE_NEXT];
		if (!r->bins && bins - next <= 8 * BINS_MOST &&
		    bins - next >= 8 * BINS_LEAST)
			r->bins = bins - next;
		if (r->bins)
			return bins - r->bins;
	}
	return 0;
}

/*
 * struct malloc_par from n_mmaps to sbrk_base.  Before 2.35 the first four are
 * at a multiple of 8; since, they are not.
 */
static bool mp_is_at(const uint32_t *ints, const uint64_t *words)
{
	/* n_mmaps, n_mmaps_max, max_n_mmaps, no_dyn_threshold */
	return ints[0] <= ints[2] && ints[3] <= 1 && words[0] <= words[1] &&
	       words[1] < ADDRESS_END && (words[0] == 0) == (ints[0] == 0);
}

/*
 * Finds mp_ in the window: sbrk_base is the start of glibc's part of [heap].
 * If sbrk() failed, it is another page or 0, so that only the limit of mapped
 * blocks, which few programs change, identifies mp_.
 */
static void data_find_mp(struct reading *r)
{
	enum { N_MMAPS_MOST = 65536 };
	const struct window *w = &r->window;
	const uint32_t *ints = (const uint32_t *)w->words;
	size_t count = (w->end - w->start) / 8;

	for (size_t i = 5; i < count; i++) {
		const uint32_t *n = ints + 2 * i - 9;
		uint64_t base = w->words[i];
		bool is_brk = base >= r->brk_start && base < r->brk_end;

		if (!is_brk && (base % PAGE_BYTES || base >= ADDRESS_END))
			continue;
		if (!mp_is_at(n, w->words + i - 2))
			n++;
		if (!mp_is_at(n, w->words + i - 2) ||
		    (n[1] != N_MMAPS_MOST && (!is_brk || r->h->has_mapped)))
			continue;
		r->h->has_mapped = true;
		r->h->mapped = w->words[i - 2];
		r->h->mapped_count = n[0];
		r->sbrk_base = is_brk ? base : 0;
		if (n[1] == N_MMAPS_MOST)
			break;
	}
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

/* Chunks of an arena that are in a row. */
struct chunks {
	uint64_t start, end, end_most; /* of the heap; how far it may grow */
	uint64_t first;
	bool is_brk;
};

/* Accounts chunks and their pages.  Returns where they end. */
static uint64_t chunks_account(struct reading *r, struct malloc_arena *a,
			       const struct chunks *c)
{
	struct walk w = { .r = r,
			  .arena = a,
			  .end = c->end,
			  .end_most = c->end_most,
			  .is_brk = c->is_brk,
			  .back = 1 };
	struct glibc_heap *h = r->h;
	struct page_sum sum = { 0 };

	walk_refresh(&w);
	if (!r->limits.wants_no_blocks)
		walk_all(&w, c->first);
	w.end = page_after(w.end);
	pages_add(r->pages, c->start, w.end, &sum);
	a->heaps++;
	a->resident += sum.resident;
	a->swapped += sum.swapped;
	a->is_incomplete |= a->swapped || a->unwalked;
	if (h->range_count == r->limits.ranges) {
		h->is_cut = true;
		return w.end;
	}
	array_add(h->ranges, h->range_count, r->range_cap,
		  (struct malloc_range){ c->start, w.end,
					 (size_t)(a - h->arenas) });
	return w.end;
}

/*
 * Returns the first chunk of a heap.  In the first heap it follows the
 * malloc_state, whose end is not known exactly.
 */
static uint64_t heap_first_chunk(struct reading *r, const struct heap *heap,
				 const struct malloc_arena *a)
{
	enum { PLACES = 6 };
	uint64_t first = heap->start + heap->arena % HEAP_BYTES;
	struct walk w = { .r = r,
			  .arena = (struct malloc_arena *)a,
			  .end = heap->start + heap->size };

	if (!heap->is_first)
		return first;
	first = (first + r->bins + 8 * STATE_END + 15) & ~(uint64_t)15;
	w.top = memory_u64(r->memory, a->address + r->bins - 16);
	window_move(r, first, w.end);
	for (uint64_t p = first; p < first + 16 * PLACES; p += 16)
		if (walk_is_chain(&w, p))
			return p;
	return first;
}

static void heap_account(struct reading *r, struct heap *heap)
{
	uint32_t index = map64_get(&r->arenas, heap->arena);
	struct malloc_arena *a;
	uint64_t size;

	if (index == MAP64_NONE)
		return;
	a = &r->h->arenas[index - !r->h->arenas->is_main];
	/* It may have grown or shrunk since. */
	size = memory_u64(r->memory, heap->start + 16);
	if (size >= PAGE_BYTES && size <= HEAP_BYTES && size % PAGE_BYTES == 0)
		heap->size = size;
	chunks_account(
		r, a,
		&(struct chunks){ .start = heap->start,
				  .end = heap->start + heap->size,
				  .end_most = heap->start + HEAP_BYTES,
				  .first = heap_first_chunk(r, heap, a) });
}

/*
 * ---- the main arena without sbrk() ----
 *
 * If sbrk() fails, the main arena takes mappings of at least 1 MB, whose chunks
 * end with top or with fences.  The kernel merges them with their neighbors.
 */
enum { REGION_PAGES = 1 << 20, REGION_TRIES = 4 };
enum { NON_CONTIGUOUS = 2 }; /* in the flags of malloc_state */

/* Returns the page of [p, end) where such a mapping may begin, or end. */
static uint64_t region_search(struct reading *r, uint64_t p, uint64_t end)
{
	uint64_t words[CANDIDATES][2], size, next;
	struct memory_range ranges[CANDIDATES];
	uint8_t states[CANDIDATES];

	for (; p < end && !reading_is_over(r); p = next > p ? next : p) {
		size_t pages = (end - p) / PAGE_BYTES, count = 0;

		if (pages > CANDIDATES)
			pages = CANDIDATES;
		next = p + pages * PAGE_BYTES;
		memset(states, 0, sizeof(states));
		pages_read(r->pages, p, states, pages);
		for (size_t i = 0; i < pages; i++)
			if (states[i] == PAGE_RESIDENT) {
				ranges[count] = (struct memory_range){
					p + i * PAGE_BYTES, words[count],
					sizeof(words[count]), false
				};
				count++;
			}
		if (count)
			r->memory->read_all(r->memory, ranges, count);
		for (size_t i = 0; i < count; i++) {
			uint64_t at = ranges[i].address;
			const uint64_t *head = ranges[i].bytes;

			if (at < p || !ranges[i].is_read)
				continue;
			if (glibc_is_mapped_block(head, end - at, &size))
				p = at + size;
			else if (!head[0] && (head[1] & 15) == PREV_IN_USE &&
				 head[1] > CHUNK_LEAST && head[1] <= end - at)
				return at;
		}
	}
	return end;
}

/* Returns p, or the end of the heap of a thread arena that it is in. */
static uint64_t region_skip_heap(const struct reading *r, uint64_t p)
{
	size_t low = 0, high = r->heap_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct heap *heap = &r->heaps[mid];

		if (p < heap->start)
			high = mid;
		else if (p >= heap->start + heap->size)
			low = mid + 1;
		else
			return heap->start + heap->size;
	}
	return p;
}

/*
 * Returns where the chunks end that begin at p, or 0 if they do not end with
 * top or with fences.
 */
static uint64_t region_end(struct reading *r, struct malloc_arena *a,
			   uint64_t p, uint64_t limit)
{
	struct walk w = { .r = r, .arena = a, .end = limit };
	uint64_t size;

	w.top = memory_u64(r->memory, a->address + r->bins - 16);
	r->window.end = 0;
	for (; p < limit && !r->h->is_cut; p += size) {
		uint64_t field = walk_header(&w, p)[1];

		size = field & ~(uint64_t)SIZE_BITS;
		if (field & IS_MAPPED || size % 16 || size > limit - p)
			return 0;
		if (p == w.top)
			return page_after(p + size);
		if (size < CHUNK_LEAST) {
			p += 2 * FENCE;
			return size == FENCE && p % PAGE_BYTES == 0 ? p : 0;
		}
	}
	return 0;
}

/* Accounts mappings of the main arena, until they are all of its memory. */
static void regions_account(struct reading *r, struct malloc_arena *a,
			    uint64_t bytes)
{
	size_t pages = 0;

	/* New mappings are below old ones, and Java heaps far below. */
	for (size_t i = r->mappings->count; i > 0; i--) {
		const struct mapping *m = &r->mappings->all[i - 1];
		uint64_t p = m->start, end;

		while (mapping_is_anonymous(m) && p < m->end &&
		       bytes < a->system && pages < REGION_PAGES &&
		       !reading_is_over(r)) {
			uint64_t from = p;

			p = region_search(r, region_skip_heap(r, p), m->end);
			pages += (p - from) / PAGE_BYTES + 1;
			if (p == m->end)
				break;
			if (region_skip_heap(r, p) != p)
				continue;
			/* The chunks may change meanwhile. */
			end = 0;
			for (size_t n = 0; n < REGION_TRIES && !end; n++)
				end = region_end(r, a, p, m->end);
			if (!end) {
				p += PAGE_BYTES;
				continue;
			}
			chunks_account(r, a,
				       &(struct chunks){ .start = p,
							 .end = end,
							 .end_most = end,
							 .first = p });
			bytes += end - p;
			p = end;
		}
	}
}

static void main_account(struct reading *r, const struct state *state)
{
	struct malloc_arena *a = r->h->arenas;
	struct chunks c = { .start = r->brk_start,
			    .end = r->brk_end,
			    .end_most = ADDRESS_END,
			    .is_brk = true };
	uint64_t bytes = 0;

	/* Other allocators use sbrk(), too: [heap] may be none of glibc's. */
	if (!a->system)
		return;
	if (r->sbrk_base || (state->top >= c.start && state->top < c.end)) {
		if (r->sbrk_base)
			c.start = page_of(r->sbrk_base);
		c.first = r->sbrk_base ? (r->sbrk_base + 15) & ~(uint64_t)15
				       : c.start;
		bytes = chunks_account(r, a, &c) - c.start;
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
	struct state state;

	*h = (struct glibc_heap){ 0 };
	r->h = h;
	r->memory = memory;
	r->mappings = mappings;
	r->pages = pages;
	r->limits = *limits;
	if (!r->limits.arenas)
		r->limits.arenas = MOST_ARENAS;
	if (!r->limits.ranges)
		r->limits.ranges = MOST_RANGES;
	reading_find_brk(r);
	heaps_find(r);
	arenas_find(r);
	main_find(r, &state);
	h->is_found = h->arena_count > 0;
	if (!h->is_found)
		h->why_not = "no arenas in memory";
	if (h->is_found && h->arenas->is_main)
		main_account(r, &state);
	for (size_t i = 0; i < r->heap_count && h->is_found; i++)
		heap_account(r, &r->heaps[i]);
	if (h->range_count)
		qsort(h->ranges, h->range_count, sizeof(*h->ranges),
		      ranges_by_address);
	sizes_finish(&r->sizes, h);
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
	uint64_t bytes = header[1] & ~(uint64_t)SIZE_BITS;

	/* prev_size is what memalign() skips; 2.43 omits the last 16 bytes. */
	if ((header[1] & SIZE_BITS) != IS_MAPPED || header[0] % 16 ||
	    header[0] >= PAGE_BYTES || bytes < PAGE_BYTES ||
	    bytes > mapping_bytes)
		return false;
	bytes += header[0];
	if (bytes % PAGE_BYTES != 0 && bytes % PAGE_BYTES != PAGE_BYTES - 16)
		return false;
	*size = page_after(bytes);
	return *size >= 2 * PAGE_BYTES && *size <= mapping_bytes;
}
