/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the account of memory.  If the first byte is odd, the rest is a smaps
 * file, whose shapes are claimed.  Otherwise, the rest is a row of changes of a
 * memory with arenas of glibc, which is then walked; some happen during the
 * walk.
 */
#include "core/base/alloc.h"
#include "core/mem/accounting.h"
#include "core/mem/malloc_walk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Heaps of threads, [heap], and the data of libc. */
enum { HEAPS = 3, BRK = HEAPS, LIBC, PARTS };
enum { PAGES = 8, PART_WORDS = PAGES * PAGE_BYTES / 8 };
enum { STATE = 48, STATE_BYTES = 2200, USED = PAGES * PAGE_BYTES };
enum { CHANGES_MOST = 64 };

/* The lowest bits of what. */
enum { SET, ADD, POINT, DROP, WHATS };

enum { LATER = 1 << 15 };

struct change {
	uint16_t place; /* the word; LATER: during the walk */
	uint8_t what, moment;
	uint64_t value;
};

struct world {
	struct memory memory; /* first */
	uint64_t *parts[PARTS];
	uint64_t before[PARTS][PART_WORDS];
	struct jvm jvm;
	struct mappings mappings;
	struct pages *pages;
	const struct change *changes;
	size_t count;
	unsigned requests;
};

/* ---- the memory ---- */

static uint64_t world_at(const struct world *w, size_t part, size_t offset)
{
	return (uintptr_t)w->parts[part] + offset;
}

static void world_change(struct world *w, const struct change *c)
{
	size_t at = (c->place & (LATER - 1)) % (PARTS * PART_WORDS);
	uint64_t *word = &w->parts[at / PART_WORDS][at % PART_WORDS];

	switch (c->what % WHATS) {
	case SET:
		*word = c->value;
		break;
	case ADD:
		*word += (uint64_t)(int64_t)(int16_t)c->value;
		break;
	case POINT:
		*word = world_at(w, c->value % PARTS,
				 (c->value >> 8) % MALLOC_HEAP_BYTES);
		break;
	default:
		madvise((void *)page_of((uintptr_t)word), PAGE_BYTES,
			MADV_DONTNEED);
	}
}

static void world_read_all(struct memory *self, struct memory_range *ranges,
			   size_t count)
{
	struct world *w = (struct world *)self;

	for (size_t i = 0; i < w->count; i++)
		if (w->changes[i].place & LATER &&
		    w->changes[i].moment == w->requests)
			world_change(w, &w->changes[i]);
	w->requests++;
	for (size_t i = 0; i < count; i++) {
		struct memory_range *r = &ranges[i];

		r->is_read = false;
		for (size_t k = 0; k < PARTS; k++) {
			uint64_t offset = r->address - world_at(w, k, 0);

			if (offset >= MALLOC_HEAP_BYTES ||
			    r->len > MALLOC_HEAP_BYTES - offset)
				continue;
			memcpy(r->bytes, (char *)w->parts[k] + offset, r->len);
			r->is_read = true;
		}
	}
}

/* Writes chunks from an offset to the end of the used pages, and top. */
static void made_chunks(uint64_t *part, size_t at, uint64_t bits)
{
	for (size_t i = 0; at + 4096 < USED; i++) {
		size_t size = 32 + i % 40 * 16;

		part[at / 8 + 1] = size | bits | (i % 5 != 3);
		at += size;
		if (i % 5 == 2)
			part[at / 8] = size;
	}
	part[at / 8 + 1] = (USED - at) | 1;
}

static void made_state(struct world *w, size_t part, size_t at, uint64_t next)
{
	uint64_t *state = w->parts[part] + at / 8;
	uint64_t *tail = state + STATE_BYTES / 8 - 5;

	for (size_t i = 14; i < 14 + 254; i += 2)
		state[i] = state[i + 1] = (uintptr_t)&state[i - 2];
	tail[0] = next;
	tail[2] = 1;
	tail[3] = tail[4] = USED;
}

static void made_all(struct world *w)
{
	uint64_t *libc = w->parts[LIBC], *mp = libc + 400;

	for (size_t i = 0; i < HEAPS; i++) {
		/* The second heap is of the first arena. */
		size_t first = i == 1 ? STATE : STATE + STATE_BYTES + 8;
		const uint64_t info[] = { world_at(w, i == 1 ? 0 : i, STATE),
					  i == 1 ? world_at(w, 0, 0) : 0, USED,
					  USED, PAGE_BYTES };

		memcpy(w->parts[i], info, sizeof(info));
		if (i != 1)
			made_state(w, i, STATE,
				   world_at(w, i ? LIBC : 2, i ? 64 : STATE));
		made_chunks(w->parts[i], first, CHUNK_NON_MAIN);
	}
	made_state(w, LIBC, 64, world_at(w, 0, STATE));
	mp[4] = (uint64_t)1 << 48; /* n_mmaps_max, behind 0 n_mmaps */
	mp[8] = world_at(w, BRK, 0);
	made_chunks(w->parts[BRK], 0, 0);
}

static void world_open(struct world *w)
{
	static const char *const paths[PARTS] = { "", "", "", "[heap]",
						  "/lib/libc.so.6" };
	struct error err;
	uint8_t *bytes = mmap(
		NULL, (PARTS + 1) * MALLOC_HEAP_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (bytes == MAP_FAILED || jvm_open(&w->jvm, getpid(), &err))
		abort();
	madvise(bytes, (PARTS + 1) * MALLOC_HEAP_BYTES, MADV_NOHUGEPAGE);
	bytes += MALLOC_HEAP_BYTES - (uintptr_t)bytes % MALLOC_HEAP_BYTES;
	w->memory.read_all = world_read_all;
	for (size_t i = 0; i < PARTS; i++) {
		struct mapping one = { .start = (uintptr_t)bytes,
				       .end = (uintptr_t)bytes + USED,
				       .inode = i == LIBC,
				       .is_writable = true,
				       .path = paths[i] };

		if (i < HEAPS)
			one.end = one.start + MALLOC_HEAP_BYTES;
		w->parts[i] = (uint64_t *)bytes;
		bytes += MALLOC_HEAP_BYTES;
		array_add(w->mappings.all, w->mappings.count, w->mappings.cap,
			  one);
	}
	made_all(w);
	for (size_t i = 0; i < PARTS; i++)
		memcpy(w->before[i], w->parts[i], USED);
}

/* ---- the checks ---- */

static void check(bool is_good)
{
	if (!is_good)
		abort();
}

static void check_heap(const struct glibc_heap *h, bool is_racing)
{
	uint64_t blocks = 0, in_use = 0, bytes = 0, count = 0, end = 0;

	for (size_t i = 0; i < h->arena_count; i++) {
		const struct malloc_arena *a = &h->arenas[i];

		blocks += a->blocks;
		in_use += a->in_use;
		check(!a->is_main || i == 0);
		check(a->in_use_resident <= a->in_use);
		check(a->free_resident <= a->free);
		if (!is_racing) {
			check(a->in_use_resident + a->free_resident +
				      a->top_resident + a->unwalked <=
			      a->resident);
			check(a->trimmable <= a->resident);
		}
	}
	for (size_t i = 0; i < h->size_count; i++) {
		bytes += h->sizes[i].size * h->sizes[i].blocks;
		count += h->sizes[i].blocks;
	}
	check(bytes + h->sizes_dropped == in_use);
	check(h->sizes_dropped || count == blocks);
	for (size_t i = 0; i < h->range_count; i++) {
		check(h->ranges[i].start <= h->ranges[i].end &&
		      h->ranges[i].start >= end);
		check(h->ranges[i].arena < h->arena_count);
		end = h->ranges[i].start;
	}
}

/* Returns the number of changes. */
static size_t changes_read(struct change *all, const uint8_t *data, size_t size)
{
	enum { BYTES = 12 };
	size_t count = 0;

	for (; size >= BYTES && count < CHANGES_MOST; size -= BYTES) {
		struct change *c = &all[count++];

		memcpy(&c->place, data, 2);
		c->what = data[2];
		c->moment = data[3];
		memcpy(&c->value, data + 4, 8);
		data += BYTES;
	}
	return count;
}

static void fuzz_walk(const uint8_t *data, size_t size)
{
	static struct world w;
	const struct glibc_heap_limits limits = { 0 };
	struct change changes[CHANGES_MOST];
	struct glibc_heap heap;
	bool is_racing = false;
	struct error err;

	if (!w.mappings.count)
		world_open(&w);
	/* With its own limit of absent pages. */
	w.pages = pages_open(&w.jvm, &err);
	check(w.pages);
	w.changes = changes;
	w.requests = 0;
	w.count = changes_read(changes, data, size);
	for (size_t i = 0; i < w.count; i++) {
		if (changes[i].place & LATER)
			is_racing = true;
		else
			world_change(&w, &changes[i]);
	}
	glibc_heap_read(&heap, &w.memory, &w.mappings, w.pages, &limits);
	check_heap(&heap, is_racing);
	if (!w.count)
		check(heap.arena_count == HEAPS && heap.range_count == 4 &&
		      heap.arenas->is_main && heap.has_mapped &&
		      heap.arenas[1].unwalked == 0);
	glibc_heap_release(&heap);
	pages_close(w.pages);
	for (size_t i = 0; w.count && i < PARTS; i++)
		memcpy(w.parts[i], w.before[i], USED);
}

/* Claims must be in order, without overlaps. */
static void check_claims(const struct claims *c)
{
	check(c->count == c->settled);
	for (size_t i = 0; i < c->count; i++)
		check(c->all[i].start < c->all[i].end &&
		      c->all[i].start % PAGE_BYTES == 0 &&
		      (!i || c->all[i].start >= c->all[i - 1].end));
}

static void fuzz_shapes(const uint8_t *data, size_t size)
{
	struct mem_account out = { .heap = { .max = (uint64_t)1 << 30,
					     .collector = "G1" } };
	struct accounting a = { .out = &out, .is_glibc = true };

	smaps_parse(&a.smaps, (const char *)data, size);
	account_shapes(&a);
	check_claims(&a.claims);
	account_rest(&a);
	check_claims(&a.claims);
	claims_release(&a.claims);
	smaps_release(&a.smaps);
	text_release(&out.limits);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && data[0] & 1)
		fuzz_shapes(data + 1, size - 1);
	else if (size)
		fuzz_walk(data + 1, size - 1);
	return 0;
}
