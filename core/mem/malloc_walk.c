/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mem/malloc_walk.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- sizes of blocks ---- */

enum { SIZES_MOST = MALLOC_SIZES / 4 * 3 };

static struct malloc_size *sizes_slot(struct malloc_sizes *s, uint64_t size)
{
	size_t at = size / 16 % MALLOC_SIZES;

	while (s->slots[at].blocks && s->slots[at].size != size)
		at = (at + 1) % MALLOC_SIZES;
	return &s->slots[at];
}

static int sizes_by_bytes(const void *a, const void *b)
{
	const struct malloc_size *x = a, *y = b;
	uint64_t xs = x->size * x->blocks, ys = y->size * y->blocks;

	if (xs != ys)
		return xs < ys ? 1 : -1;
	return (x->size < y->size) - (x->size > y->size);
}

struct malloc_size *malloc_sizes_sorted(const struct malloc_sizes *s)
{
	struct malloc_size *all = xcalloc(s->count + 1, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < MALLOC_SIZES; i++)
		if (s->slots[i].blocks)
			all[n++] = s->slots[i];
	qsort(all, n, sizeof(*all), sizes_by_bytes);
	return all;
}

static void sizes_halve(struct malloc_sizes *s)
{
	struct malloc_size *all = malloc_sizes_sorted(s);

	memset(s->slots, 0, sizeof(s->slots));
	for (size_t i = 0; i < s->count; i++)
		if (i < SIZES_MOST / 2)
			*sizes_slot(s, all[i].size) = all[i];
		else
			s->dropped += all[i].size * all[i].blocks;
	s->count = SIZES_MOST / 2;
	free(all);
}

static void sizes_add(struct malloc_sizes *s, uint64_t size)
{
	struct malloc_size *slot = sizes_slot(s, size);

	if (!slot->blocks) {
		if (s->count == SIZES_MOST) {
			sizes_halve(s);
			slot = sizes_slot(s, size);
		}
		s->count++;
		slot->size = size;
	}
	slot->blocks++;
}

/* ---- reading ---- */

/*
 * Limits even without a budget, since a hostile process has chunks that lead
 * to the same memory again and again, and huge ones of absent pages: 64 GB of
 * memory, and the states of 64 GB of pages.
 */
enum { WINDOWS_MOST = 1 << 19, PAGES_MOST = 1 << 24 };

bool malloc_reader_is_over(struct malloc_reader *r)
{
	if (r->windows > WINDOWS_MOST || r->pages_added > PAGES_MOST ||
	    pages_are_over(r->pages) ||
	    (r->budget && !r->is_over && read_budget_is_spent(r->budget)))
		r->is_over = true;
	return r->is_over;
}

void malloc_window_move(struct malloc_reader *r, uint64_t address,
			uint64_t limit, size_t pages)
{
	struct malloc_window *w = &r->window;
	struct memory_range range[MALLOC_WINDOW_PAGES];
	size_t ranges = 0, in = 0;

	r->windows++;
	w->start = page_of(address);
	w->end = w->start + pages * PAGE_BYTES;
	if (w->end > page_after(limit))
		w->end = limit > w->start ? page_after(limit) : w->start;
	pages = (w->end - w->start) / PAGE_BYTES;
	pages_read(r->pages, w->start, w->states, pages);
	for (size_t i = 0; i < pages; i++) {
		uint64_t *words = &w->words[i * PAGE_BYTES / 8];

		if (w->states[i] != PAGE_RESIDENT) {
			memset(words, 0, PAGE_BYTES);
			continue;
		}
		in++;
		if (i && w->states[i - 1] == PAGE_RESIDENT)
			range[ranges - 1].len += PAGE_BYTES;
		else
			range[ranges++] = (struct memory_range){
				w->start + i * PAGE_BYTES, words, PAGE_BYTES,
				false
			};
	}
	w->is_whole = in == pages;
	if (ranges)
		r->memory->read_all(r->memory, range, ranges);
	for (size_t i = 0; i < ranges; i++)
		if (!range[i].is_read)
			memset(range[i].bytes, 0, range[i].len);
}

uint64_t malloc_heads_read(struct malloc_heads *h, struct memory *memory,
			   struct pages *pages, uint64_t start, uint64_t end,
			   uint64_t step)
{
	uint8_t states[MALLOC_HEADS];
	size_t count = (end - start + step - 1) / step;

	if (count > MALLOC_HEADS)
		count = MALLOC_HEADS;
	h->count = 0;
	if (step == PAGE_BYTES && !pages_read(pages, start, states, count))
		return end;
	for (size_t i = 0; i < count; i++, start += step) {
		if (step != PAGE_BYTES)
			pages_read(pages, start, &states[i], 1);
		if (states[i] != PAGE_RESIDENT)
			continue;
		if (h->count == h->most)
			break;
		h->ranges[h->count] = memory_range_of(start, h->words[h->count],
						      sizeof(h->words[0]));
		h->count++;
	}
	if (h->count)
		memory->read_all(memory, h->ranges, h->count);
	for (size_t i = 0; i < h->count; i++)
		if (!h->ranges[i].is_read)
			memset(h->words[i], 0, sizeof(h->words[i]));
	return start;
}

static struct page_sum pages_sum(struct malloc_reader *r, uint64_t start,
				 uint64_t end)
{
	struct page_sum sum = { 0 };

	r->pages_added += (end - start) / PAGE_BYTES;
	if (r->pages_added <= PAGES_MOST)
		pages_add(r->pages, start, end, &sum);
	return sum;
}

/* Returns how many bytes of [start, end) are in memory. */
static uint64_t resident_bytes_slowly(struct malloc_reader *r, uint64_t start,
				      uint64_t end)
{
	const struct malloc_window *w = &r->window;
	uint64_t bytes = 0;

	while (start < end) {
		uint64_t next = page_of(start) + PAGE_BYTES;
		uint8_t state;

		if (start >= w->start && start < w->end) {
			state = w->states[(start - w->start) / PAGE_BYTES];
		} else if (start % PAGE_BYTES == 0 && end >= next) {
			bytes += pages_sum(r, start, page_of(end)).resident;
			start = page_of(end);
			continue;
		} else {
			pages_read(r->pages, page_of(start), &state, 1);
		}
		if (next > end)
			next = end;
		if (state == PAGE_RESIDENT)
			bytes += next - start;
		start = next;
	}
	return bytes;
}

static inline uint64_t resident_bytes(struct malloc_reader *r, uint64_t start,
				      uint64_t end)
{
	const struct malloc_window *w = &r->window;

	return w->is_whole && start >= w->start && end <= w->end
		       ? end - start
		       : resident_bytes_slowly(r, start, end);
}

/* ---- the walk ---- */

/* sizeof(struct malloc_chunk), which malloc_trim() leaves of a free chunk. */
enum { CHUNK_HEAD = 48 };
/* The largest chunks of fastbins and tcaches. */
enum { FAST_MOST = 128, TCACHE_MOST = 1040 };
enum { FASTBINS_BYTES = 80 }; /* before top; 2.43 has none */
/* At most, with what is too small for a chunk. */
enum { FENCES_BYTES = 64 };
/* Pages that are read at once behind a gap; then, twice as many each time. */
enum { AHEAD_LEAST = 4 };
/* Chunks that are not counted yet, so that the walk can step back. */
enum { RING = 64, STEPS_BACK = 32 };
/* Limits of the steps back: at one place, and of all walks. */
enum { RETRIES_PLACE = 64, RETRIES_MOST = 1 << 13 };
/* Limits of the searches for a chunk: in one run, and of one of them. */
enum { GAPS_MOST = 1 << 14, GAP_BYTES = 64 << 20 };
/* Chunks in a row that prove the first one; fewer if they are large. */
enum { CHAIN_LONG = 16, CHAIN_LARGE = 3 };

/* Free chunks in a row, which malloc_trim() merges. */
struct free_row {
	uint64_t start; /* 0 = none */
	uint64_t trimmable;
};

struct chunk {
	uint64_t start, size, resident;
	bool is_used;
	struct free_row before; /* the row that it continues or ends */
};

struct walk {
	struct malloc_reader *r;
	const struct malloc_run *run;
	struct malloc_arena *arena;
	uint64_t end; /* of the chunks; it may move */
	uint64_t top; /* of the arena, perhaps elsewhere */
	struct free_row row;
	uint64_t fast[FAST_MOST / 16 + 1]; /* the last of each size */
	struct chunk ring[RING];
	size_t added, counted;
	size_t ahead;      /* pages that were read at once */
	uint64_t furthest; /* where the walk was lost */
	unsigned back, retries, gaps;
};

/* Returns the two words of a chunk's header; 0 if they are absent. */
static inline const uint64_t *walk_header(struct walk *w, uint64_t at)
{
	static const uint64_t none[2];
	struct malloc_window *win = &w->r->window;

	/* With the first words of the block. */
	if (at >= win->start && at + 32 <= win->end)
		return &win->words[(at - win->start) / 8];
	if (at + 16 > w->end)
		return none;
	/* Behind a large chunk, few chunks may precede the next large one. */
	if (at > win->end + MALLOC_WINDOW_BYTES / 2)
		w->ahead = AHEAD_LEAST;
	else if (w->ahead < MALLOC_WINDOW_PAGES)
		w->ahead *= 2;
	malloc_window_move(w->r, at, w->end, w->ahead);
	malloc_reader_is_over(w->r);
	return &win->words[(at - win->start) / 8];
}

/* Returns the state of a page of the window. */
static uint8_t walk_page(const struct walk *w, uint64_t p)
{
	const struct malloc_window *win = &w->r->window;

	return p >= win->start && p < win->end
		       ? win->states[(p - win->start) / PAGE_BYTES]
		       : 0;
}

static void walk_count(struct walk *w, const struct chunk *c)
{
	struct malloc_arena *a = w->arena;

	if (c->is_used) {
		a->in_use += c->size;
		a->blocks++;
		a->in_use_resident += c->resident;
		a->trimmable += c->before.trimmable;
		sizes_add(&w->r->sizes, c->size);
	} else {
		a->free += c->size;
		a->free_resident += c->resident;
	}
}

static void walk_count_all(struct walk *w)
{
	for (; w->counted < w->added; w->counted++)
		walk_count(w, &w->ring[w->counted % RING]);
	w->arena->trimmable += w->row.trimmable;
	w->row = (struct free_row){ 0 };
}

/* Reads top again; the heap may have grown. */
static void walk_read_top(struct walk *w)
{
	struct memory *m = w->r->memory;
	uint64_t end;

	w->top = memory_u64(m, w->arena->address + w->r->top);
	if (w->top % 16 || w->top < w->run->start || w->top >= w->run->end_most)
		return;
	end = chunk_size(memory_u64(m, w->top + 8));
	if (end < w->run->end_most - w->top && w->top + end > w->end)
		w->end = w->top + end;
}

/*
 * Counts top.  Free chunks before it, which are of fastbins, become part of it.
 * malloc_trim() gives it back only at the program break (systrim()).
 */
static void walk_count_top(struct walk *w, uint64_t top)
{
	uint64_t start = w->row.start ? w->row.start : top;
	uint64_t from = page_after(start + CHUNK_LEAST + 1);
	struct malloc_arena *a = w->arena;

	a->top_resident += resident_bytes(w->r, top, w->end);
	if (!w->run->brk || w->end < w->run->brk)
		w->row.trimmable = 0;
	else if (from < w->end)
		a->trimmable += resident_bytes(
			w->r, from > page_of(top) ? from : page_of(top),
			w->end);
	walk_count_all(w);
}

/* Returns true if the chunk at p is top, and lets the chunks end there. */
static bool walk_is_top(struct walk *w, uint64_t p, uint64_t size)
{
	if (size == w->end - p)
		return true;
	walk_read_top(w);
	if (p != w->top)
		return false;
	if (size < w->end - p)
		w->end = p + size;
	return true;
}

/*
 * Returns true if a chunk of the window is in a fastbin, although the chunk
 * behind it says that it is in use.  Its first word is then the address of the
 * next one in the bin, since 2.32 xor its own address / 4096 (PROTECT_PTR).
 * Chunks in a tcache link the memory behind headers, and have a key (since 2.34
 * that of the process), which is learned from chunks too large for fastbins.
 */
static bool walk_is_fast(struct walk *w, uint64_t p, uint64_t size)
{
	const struct malloc_window *win = &w->r->window;
	const uint64_t *user = &win->words[(p + 16 - win->start) / 8];
	uint64_t next = user[0] ^ (p + 16) >> 12;
	bool is_protected = !next || (next % 16 == 0 && !((next ^ p) >> 32));
	const uint64_t *head;

	if (w->r->tcache_key && user[1] == w->r->tcache_key)
		return false;
	if (size > FAST_MOST) {
		if (is_protected)
			w->r->tcache_key = user[1];
		return false;
	}
	if (!is_protected)
		next = user[0];
	if (next % 16 || next < win->start + 16 || next + 16 > win->end)
		return is_protected || next == w->fast[size / 16];
	head = &win->words[(next - win->start) / 8];
	if (chunk_size(head[1]) == size)
		return true;
	if (chunk_size(head[-1]) == size)
		w->r->tcache_key = user[1];
	return false;
}

/* Decides quickly for most chunks: the first word is no address nearby. */
static inline bool walk_may_be_fast(const struct walk *w, uint64_t p,
				    uint64_t size)
{
	const struct malloc_window *win = &w->r->window;
	uint64_t word = win->words[(p + 16 - win->start) / 8];

	return size <= TCACHE_MOST && w->r->top >= FASTBINS_BYTES &&
	       (!((word ^ p) >> 36) || word == (p + 16) >> 12);
}

/*
 * Adds the trimmable pages of a chunk to a row of free chunks, which it may
 * begin: those behind the head of the first chunk.
 */
static void walk_add_to_row(struct walk *w, struct free_row *row, uint64_t p,
			    uint64_t next)
{
	uint64_t from, to = page_of(next);

	if (!row->start)
		row->start = p;
	if (page_of(p) == to)
		return;
	from = page_after(row->start + CHUNK_HEAD);
	if (from < page_of(p))
		from = page_of(p);
	if (from < to)
		row->trimmable += resident_bytes(w->r, from, to);
}

/*
 * Accounts the chunk at p.  Returns the address of the next one, or 0 if the
 * chunk makes no sense.
 */
static uint64_t walk_chunk(struct walk *w, uint64_t p)
{
	const uint64_t *head = walk_header(w, p);
	uint64_t field = head[1], size = chunk_size(field), next = p + size;
	struct free_row row = w->row;
	uint64_t resident;
	bool is_used, is_fast;

	if (field & CHUNK_IS_MAPPED || size < CHUNK_LEAST || size % 16)
		return 0;
	if ((p == w->top || size == w->end - p) && walk_is_top(w, p, size)) {
		walk_count_top(w, p);
		return w->end;
	}
	if (size > w->end - p)
		return 0;
	resident = resident_bytes(w->r, p, next);
	walk_add_to_row(w, &row, p, next);
	is_fast = walk_may_be_fast(w, p, size) && walk_is_fast(w, p, size);
	head = walk_header(w, next);
	is_used = head[1] & CHUNK_PREV_IN_USE;
	if (!is_used && head[0] != size) {
		if (walk_page(w, next) != PAGE_SWAPPED)
			return 0;
		/* Unknown; most blocks are in use. */
		is_used = true;
	}
	if (is_fast)
		w->fast[size / 16] = p;
	is_used = is_used && !is_fast;
	if (w->added - w->counted == RING)
		walk_count(w, &w->ring[w->counted++ % RING]);
	w->ring[w->added++ % RING] = (struct chunk){ p, size, resident, is_used,
						     w->row };
	if (is_used)
		row = (struct free_row){ 0 };
	w->row = row;
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
	walk_read_top(w);
	if (n > w->back)
		n = w->back;
	w->back = w->back < STEPS_BACK ? w->back * 2 : 1;
	w->added -= n;
	*p = w->ring[w->added % RING].start;
	w->row = w->ring[w->added % RING].before;
	w->r->window.end = 0;
	return true;
}

/*
 * Returns true if p begins a row of chunks in the window that agree with each
 * other, or one that ends with top.
 */
static bool walk_is_chain(const struct walk *w, uint64_t p)
{
	const struct malloc_window *win = &w->r->window;
	uint64_t non_main = w->arena->is_main ? 0 : CHUNK_NON_MAIN;
	size_t count = 0;

	while (count < CHAIN_LONG && walk_page(w, p) == PAGE_RESIDENT) {
		const uint64_t *head = &win->words[(p - win->start) / 8];
		uint64_t field = head[1], size = chunk_size(field);

		if (field & CHUNK_IS_MAPPED || size < CHUNK_LEAST ||
		    size % 16 || size > w->end - p)
			return false;
		if (p == w->top || size == w->end - p)
			return true;
		p += size;
		count++;
		if (walk_page(w, p) != PAGE_RESIDENT)
			break;
		head = &win->words[(p - win->start) / 8];
		if (head[1] & CHUNK_PREV_IN_USE
			    ? (field & CHUNK_NON_MAIN) != non_main
			    : head[0] != size)
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
	uint64_t from = *p;

	walk_count_all(w);
	if (++w->gaps > GAPS_MOST)
		return false;
	/* A row of chunks must be in the window. */
	w->ahead = MALLOC_WINDOW_PAGES;
	if (w->r->window.end < from + MALLOC_WINDOW_BYTES / 4)
		malloc_window_move(w->r, from, w->end, w->ahead);
	for (uint64_t q = from + 16;
	     q < w->end && q - from < GAP_BYTES && !w->r->is_over; q += 16) {
		walk_header(w, q);
		if (walk_page(w, q) != PAGE_RESIDENT) {
			q = page_of(q) + PAGE_BYTES - 16;
		} else if (walk_is_chain(w, q)) {
			w->arena->unwalked += resident_bytes(w->r, from, q);
			*p = q;
			return true;
		}
	}
	return false;
}

/* Returns false if the walk cannot go on from a chunk that makes no sense. */
static bool walk_recover(struct walk *w, uint64_t *p)
{
	uint64_t size = chunk_size(walk_header(w, *p)[1]);

	/* Fences end a heap that has a successor. */
	if (size <= CHUNK_FENCE && w->end - *p <= FENCES_BYTES) {
		*p = w->end;
		return true;
	}
	/* Others used sbrk(); the next chunks may be behind their memory. */
	if (size == CHUNK_FENCE && w->run->brk &&
	    chunk_size(walk_header(w, *p + size)[1]) == CHUNK_FENCE) {
		*p += size;
		return walk_resume(w, p);
	}
	return walk_step_back(w, p) || walk_resume(w, p);
}

static void walk_all(struct walk *w, uint64_t p)
{
	/* A window that was read for another purpose is too old. */
	w->r->window.end = 0;
	w->back = 1;
	while (p < w->end && !w->r->is_over) {
		uint64_t next = walk_chunk(w, p);

		if (next)
			p = next;
		else if (!walk_recover(w, &p))
			break;
	}
	walk_count_all(w);
	if (p < w->end)
		w->arena->unwalked += resident_bytes(w->r, p, w->end);
}

void malloc_walk(struct malloc_reader *r, struct malloc_arena *a,
		 struct malloc_run *run)
{
	struct walk w = { .r = r, .run = run, .arena = a, .end = run->end };
	struct page_sum sum;

	if (!malloc_reader_is_over(r))
		walk_read_top(&w);
	if (!run->wants_no_blocks)
		walk_all(&w, run->first);
	run->end = page_after(w.end);
	sum = pages_sum(r, run->start, run->end);
	a->heaps++;
	a->resident += sum.resident;
	a->swapped += sum.swapped;
	a->is_incomplete = a->unwalked + a->swapped > a->resident / 100;
}

uint64_t malloc_walk_find_end(struct malloc_reader *r,
			      const struct malloc_arena *a, uint64_t p,
			      uint64_t limit)
{
	struct walk w = { .r = r, .end = limit };
	uint64_t top = memory_u64(r->memory, a->address + r->top), size;
	unsigned fences = 0;

	r->window.end = 0;
	for (; p < limit && !r->is_over; p += size) {
		uint64_t field = walk_header(&w, p)[1];

		size = chunk_size(field);
		if (field & (CHUNK_IS_MAPPED | CHUNK_NON_MAIN) || size % 16 ||
		    size > limit - p)
			return 0;
		if (p == top)
			return page_after(p + size);
		/* Two fences, or three if nothing else was left. */
		fences = size == CHUNK_FENCE ? fences + 1 : 0;
		if (fences >= 2 && (p + size) % PAGE_BYTES == 0)
			return p + size;
		if (!size || fences > 2)
			return 0;
	}
	return 0;
}
