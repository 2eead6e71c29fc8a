/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc_walk: walks the chunks of glibc's malloc in another process.
 *
 * The process runs meanwhile, so a chunk may be split or merged between two
 * reads.  Memory is read when the walk enters it, at most 256 KB at a time, and
 * where chunks make no sense, the walk steps back and reads again.
 */
#ifndef CORE_MEM_MALLOC_WALK_H
#define CORE_MEM_MALLOC_WALK_H

#include "core/mem/glibc_heap.h"

/* The size of a thread arena's heap, and its alignment (HEAP_MAX_SIZE). */
#define MALLOC_HEAP_BYTES ((uint64_t)64 << 20)
/* User space ends there. */
#define MALLOC_ADDRESS_END ((uint64_t)1 << 47)

/* Bits of the size field of a chunk; the size is a multiple of 16. */
enum {
	CHUNK_PREV_IN_USE = 1,
	CHUNK_IS_MAPPED = 2,
	CHUNK_NON_MAIN = 4,
	CHUNK_BITS = 7
};
enum { CHUNK_LEAST = 32, CHUNK_FENCE = 16 };

/* What is read at once; absent pages are 0. */
enum {
	MALLOC_WINDOW_PAGES = 64,
	MALLOC_WINDOW_BYTES = MALLOC_WINDOW_PAGES * PAGE_BYTES
};

struct malloc_window {
	uint64_t start, end; /* pages */
	bool is_whole;       /* all pages are in memory */
	uint8_t states[MALLOC_WINDOW_PAGES];
	uint64_t words[MALLOC_WINDOW_BYTES / 8];
};

/* A hash table; when it is full, it keeps the half with the most bytes. */
enum { MALLOC_SIZES = 1 << 14 };

struct malloc_sizes {
	struct malloc_size slots[MALLOC_SIZES]; /* blocks 0 = empty */
	size_t count;
	uint64_t dropped; /* bytes */
};

/* The caller sets the first three, and then top; the rest is zeroed. */
struct malloc_reader {
	struct memory *memory;
	struct pages *pages;
	const struct read_budget *budget; /* NULL = no limit */
	size_t top;   /* the offset of top in malloc_state */
	bool is_over; /* a limit was reached */
	unsigned windows, retries;
	uint64_t pages_added;
	uint64_t tcache_key; /* of chunks in tcaches; 0 = unknown */
	struct malloc_window window;
	struct malloc_sizes sizes;
};

static inline uint64_t page_of(uint64_t address)
{
	return address & ~(uint64_t)(PAGE_BYTES - 1);
}

static inline uint64_t page_after(uint64_t address)
{
	return page_of(address + PAGE_BYTES - 1);
}

static inline uint64_t chunk_size(uint64_t field)
{
	return field & ~(uint64_t)CHUNK_BITS;
}

/* Sets and returns is_over. */
bool malloc_reader_is_over(struct malloc_reader *r);

/*
 * Moves the window to the page of an address and reads what is in memory, up to
 * the page of limit at most, and not more than that number of pages.
 */
void malloc_window_move(struct malloc_reader *r, uint64_t address,
			uint64_t limit, size_t pages);

/* What is at some addresses in equal steps. */
enum { MALLOC_HEADS = 512, MALLOC_HEAD_WORDS = 4 };

struct malloc_heads {
	size_t most; /* that are read at once, set by the caller */
	size_t count;
	struct memory_range ranges[MALLOC_HEADS];
	uint64_t words[MALLOC_HEADS][MALLOC_HEAD_WORDS]; /* 0 = unreadable */
};

/*
 * Reads the first words of the pages at start, start + step, … that are in
 * memory, with one request.  Returns the address where the next call begins; it
 * is not less than end if this was the last one.
 */
uint64_t malloc_heads_read(struct malloc_heads *h, struct memory *memory,
			   struct pages *pages, uint64_t start, uint64_t end,
			   uint64_t step);

/* Chunks of an arena that are in a row. */
struct malloc_run {
	uint64_t start;    /* page where the heap begins, perhaps with a head */
	uint64_t first;    /* chunk */
	uint64_t end;      /* set to the real end, which is a page */
	uint64_t end_most; /* how far the heap may have grown meanwhile */
	uint64_t brk;      /* the program break if the run is in [heap], or 0 */
	bool wants_no_blocks; /* only its end and its pages */
};

/* Adds the chunks and the pages of a run to an arena. */
void malloc_walk(struct malloc_reader *r, struct malloc_arena *a,
		 struct malloc_run *run);

/*
 * Returns the end of the main arena's chunks from p, or 0 if they do not end
 * with top or with fences before limit.
 */
uint64_t malloc_walk_find_end(struct malloc_reader *r,
			      const struct malloc_arena *a, uint64_t p,
			      uint64_t limit);

/* Returns sizes.count elements, most bytes first; the caller frees them. */
struct malloc_size *malloc_sizes_sorted(const struct malloc_sizes *s);

#endif
