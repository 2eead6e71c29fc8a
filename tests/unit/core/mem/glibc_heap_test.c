/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the arenas of child processes, which allocate blocks of known sizes
 * with the functions of libc itself: a sanitizer has other ones.
 */
#include "core/base/text.h"
#include "core/jvm/procfs.h"
#include "core/mem/glibc_heap.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { KNOWN = 200 }; /* blocks of each known size, by a thread */
enum { FIRST = 7176, SECOND = 12328, GAP = 20008 }; /* bytes */
enum { FREED = 3000 }; /* other blocks, nearly all of which are freed */
enum { MAPPED = 5, MAPPED_BYTES = 300000 };
enum { ONE_MB = 1 << 20 };

/* What a child does. */
struct scene {
	int threads; /* at most 3, which allocate */
	bool has_one_arena;
	bool has_no_brk; /* sbrk() fails */
	bool has_others; /* others use sbrk() meanwhile */
};

/* Shared with the child. */
struct shared {
	struct mallinfo2 info;
};

struct libc {
	void *(*malloc)(size_t);
	void (*free)(void *);
	int (*trim)(size_t);
	int (*mallopt)(int, int);
	struct mallinfo2 (*mallinfo2)(void);
};

static struct libc libc;
static struct shared *shared;
static pthread_barrier_t allocated;

/* ---- the child ---- */

static void *child_block(size_t bytes)
{
	return memset(libc.malloc(bytes), 1, bytes);
}

static void child_allocate(unsigned seed)
{
	static __thread void *blocks[FREED];

	for (size_t i = 0; i < FREED; i++) {
		seed = seed * 1664525 + 1013904223;
		/* Half are of fastbins; none has a known size. */
		blocks[i] = child_block(i % 2 ? 104 + (seed >> 8) % 600 * 32
					      : 24 + (seed >> 8) % 7 * 16);
		if (i < KNOWN) {
			child_block(FIRST);
			child_block(SECOND);
		}
	}
	/* No known block may be in the place of a freed one. */
	pthread_barrier_wait(&allocated);
	for (size_t i = 0; i < FREED; i++)
		if (i % 50)
			libc.free(blocks[i]);
	pthread_barrier_wait(&allocated);
}

static void *child_thread(void *number)
{
	child_allocate(*(unsigned *)number);
	pause();
	return NULL;
}

static void child_forbid_brk(void)
{
	uintptr_t end = ((uintptr_t)sbrk(0) + PAGE_BYTES - 1) / PAGE_BYTES *
			PAGE_BYTES;

	if (mmap((void *)end, PAGE_BYTES, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		_exit(1);
}

static void child_prepare(const struct scene *scene)
{
	static unsigned numbers[3] = { 1, 2, 3 };
	pthread_t thread;

	if (scene->has_one_arena)
		libc.mallopt(M_ARENA_MAX, 1);
	libc.mallopt(M_MMAP_THRESHOLD, 128 << 10);
	if (scene->has_no_brk)
		child_forbid_brk();
	pthread_barrier_init(&allocated, NULL, (unsigned)scene->threads + 1);
	for (int i = 0; i < scene->threads; i++)
		if (pthread_create(&thread, NULL, child_thread, &numbers[i]))
			_exit(1);
	pthread_barrier_wait(&allocated);
	pthread_barrier_wait(&allocated);
	for (int i = 0; i < MAPPED; i++)
		child_block(MAPPED_BYTES);
	if (scene->has_others) {
		child_block(GAP);
		memset(sbrk(ONE_MB), 'x', ONE_MB);
		for (int i = 0; i < 60; i++)
			child_block(GAP);
		sbrk(PAGE_BYTES);
	}
	shared->info = libc.mallinfo2();
}

/* Is ready, and trims after a byte. */
static void child_run(const struct scene *scene, int in, int out)
{
	char byte = 'r';

	alarm(120);
	child_prepare(scene);
	while (write(out, &byte, 1) == 1 && read(in, &byte, 1) == 1)
		libc.trim(0);
	_exit(0);
}

/* ---- the target ---- */

struct target {
	struct memory memory; /* first */
	pid_t pid;
	int in, out;
	struct jvm jvm;
	struct mappings mappings;
	struct pages *pages;
	struct glibc_heap heap;
};

static void target_read_all(struct memory *self, struct memory_range *ranges,
			    size_t count)
{
	const struct target *t = (const struct target *)self;

	for (size_t i = 0; i < count; i++) {
		struct iovec to = { ranges[i].bytes, ranges[i].len };
		struct iovec from = { (void *)(uintptr_t)ranges[i].address,
				      ranges[i].len };

		ranges[i].is_read = process_vm_readv(t->pid, &to, 1, &from, 1,
						     0) ==
				    (ssize_t)ranges[i].len;
	}
}

static void target_wait(const struct target *t)
{
	char byte;

	assert_int_equal(read(t->in, &byte, 1), 1);
}

static void target_begin(struct target *t, const struct scene *scene)
{
	int to[2], from[2];
	struct error err;

	*t = (struct target){ .memory.read_all = target_read_all };
	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	t->pid = fork();
	assert_true(t->pid >= 0);
	if (t->pid == 0) {
		close(to[1]);
		child_run(scene, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	t->in = from[0];
	t->out = to[1];
	target_wait(t);
	assert_int_equal(jvm_open(&t->jvm, t->pid, &err), 0);
	assert_int_equal(mappings_read(&t->mappings, &t->jvm, &err), 0);
	t->pages = pages_open(&t->jvm, &err);
	assert_non_null(t->pages);
}

static void target_read(struct target *t, struct glibc_heap_limits limits)
{
	glibc_heap_release(&t->heap);
	glibc_heap_read(&t->heap, &t->memory, &t->mappings, t->pages, &limits);
}

static void target_end(struct target *t)
{
	glibc_heap_release(&t->heap);
	pages_close(t->pages);
	mappings_release(&t->mappings);
	jvm_close(&t->jvm);
	close(t->in);
	close(t->out);
	kill(t->pid, SIGKILL);
	waitpid(t->pid, NULL, 0);
}

/* Returns the bytes of anonymous memory. */
static uint64_t target_anonymous(const struct target *t)
{
	struct text text = { 0 };
	struct error err;
	const char *at;
	uint64_t bytes;

	assert_int_equal(
		procfs_read(t->pid, "smaps_rollup", 1 << 16, &text, &err), 0);
	at = strstr(text.bytes, "\nAnonymous:");
	assert_non_null(at);
	bytes = strtoull(at + strlen("\nAnonymous:"), NULL, 10) * 1024;
	text_release(&text);
	return bytes;
}

/* Returns the number of blocks of a request. */
static uint64_t blocks_of(const struct glibc_heap *h, size_t request)
{
	for (size_t i = 0; i < h->size_count; i++)
		if (h->sizes[i].size == request + 8)
			return h->sizes[i].blocks;
	return 0;
}

/* Sums of all arenas. */
static struct malloc_arena sum_of(const struct glibc_heap *h)
{
	struct malloc_arena sum = { 0 };

	for (size_t i = 0; i < h->arena_count; i++) {
		const struct malloc_arena *a = &h->arenas[i];

		assert_int_equal(a->is_main, i == 0);
		assert_false(a->is_incomplete);
		assert_int_equal(a->swapped, 0);
		sum.system += a->system;
		sum.heaps += a->heaps;
		sum.resident += a->resident;
		sum.in_use += a->in_use;
		sum.blocks += a->blocks;
		sum.in_use_resident += a->in_use_resident;
		sum.free_resident += a->free_resident;
		sum.trimmable += a->trimmable;
		sum.top_resident += a->top_resident;
		sum.unwalked += a->unwalked;
	}
	return sum;
}

static void assert_near(uint64_t a, uint64_t b, uint64_t tolerance)
{
	assert_in_range(a, b > tolerance ? b - tolerance : 0, b + tolerance);
}

/* Checks what holds for each scene whose memory is malloc's alone. */
static void check_against_mallinfo(const struct glibc_heap *h)
{
	const struct mallinfo2 *info = &shared->info;
	struct malloc_arena sum = sum_of(h);
	uint64_t bytes = 0, blocks = 0;
	/* heap_info, malloc_state, fences */
	uint64_t heads = 4096 * h->arena_count + 64 * sum.heaps;

	assert_int_equal(sum.unwalked, 0);
	assert_int_equal(sum.system, info->arena);
	/* To mallinfo2(), heads are in use. */
	assert_near(sum.in_use, info->uordblks, heads);
	assert_near(sum.in_use_resident + sum.free_resident + sum.top_resident,
		    sum.resident, heads);
	for (size_t i = 0; i < h->size_count; i++) {
		bytes += h->sizes[i].size * h->sizes[i].blocks;
		blocks += h->sizes[i].blocks;
	}
	assert_int_equal(bytes, sum.in_use);
	assert_int_equal(blocks, sum.blocks);
	assert_int_equal(h->sizes_dropped, 0);
	assert_true(h->has_mapped);
	assert_int_equal(h->mapped, info->hblkhd);
	assert_int_equal(h->mapped_count, info->hblks);
	assert_false(h->is_cut);
	for (size_t i = 1; i < h->range_count; i++)
		assert_true(h->ranges[i - 1].end <= h->ranges[i].start);
}

/* malloc_trim() returns what was predicted, and all of it. */
static void check_trim(struct target *t)
{
	uint64_t trimmable = sum_of(&t->heap).trimmable;
	uint64_t before = target_anonymous(t), after;

	assert_int_equal(write(t->out, "t", 1), 1);
	target_wait(t);
	after = target_anonymous(t);
	assert_true(after < before);
	assert_near(before - after, trimmable, trimmable / 100);
	/* The next walk reads no page that malloc_trim() has returned. */
	target_read(t, (struct glibc_heap_limits){ 0 });
	assert_near(target_anonymous(t), after, 4 * PAGE_BYTES);
	assert_near(sum_of(&t->heap).trimmable, 0, trimmable / 100);
	assert_int_equal(sum_of(&t->heap).unwalked, 0);
}

static void check_scene(struct target *t, const struct scene *scene)
{
	uint64_t known = (uint64_t)(scene->threads * KNOWN), most;

	target_begin(t, scene);
	target_read(t, (struct glibc_heap_limits){ 0 });
	assert_true(t->heap.is_found);
	/* A block that fills the rest of a mapping may be larger. */
	most = scene->has_no_brk ? t->heap.range_count : 0;
	assert_near(blocks_of(&t->heap, FIRST), known, most);
	assert_near(blocks_of(&t->heap, SECOND), known, most);
	check_against_mallinfo(&t->heap);
	check_trim(t);
}

/* ---- tests ---- */

static void arenas_of_threads_are_accounted_to_the_byte(void **state)
{
	struct target t;

	(void)state;
	check_scene(&t, &(struct scene){ .threads = 3 });
	assert_int_equal(t.heap.arena_count, 4);
	assert_int_equal(t.heap.mapped_count, MAPPED);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(t.heap.arenas[i].threads, 1);
	target_end(&t);
}

static void single_arena_is_found_by_its_bins(void **state)
{
	struct target t;

	(void)state;
	check_scene(&t, &(struct scene){ .threads = 2, .has_one_arena = true });
	assert_int_equal(t.heap.arena_count, 1);
	assert_int_equal(t.heap.range_count, 1);
	assert_int_equal(t.heap.arenas->threads, 3);
	target_end(&t);
}

static void main_arena_without_sbrk_has_mappings(void **state)
{
	struct target t;

	(void)state;
	check_scene(&t, &(struct scene){ .threads = 2,
					 .has_one_arena = true,
					 .has_no_brk = true });
	assert_int_equal(t.heap.arena_count, 1);
	assert_true(t.heap.range_count > 1);
	target_end(&t);
}

static void memory_that_others_took_with_sbrk_is_passed_over(void **state)
{
	struct malloc_arena sum;
	struct target t;

	(void)state;
	target_begin(&t, &(struct scene){ .has_others = true });
	target_read(&t, (struct glibc_heap_limits){ 0 });
	assert_int_equal(blocks_of(&t.heap, GAP), 61);
	assert_true(t.heap.arenas->is_incomplete);
	t.heap.arenas->is_incomplete = false;
	sum = sum_of(&t.heap);
	assert_near(sum.unwalked, ONE_MB, PAGE_BYTES);
	/* To mallinfo2(), the memory of others is in use. */
	assert_near(sum.in_use + sum.unwalked, shared->info.uordblks, 4096);
	target_end(&t);
}

static void limits_end_the_walk(void **state)
{
	struct malloc_arena sum;
	struct target t;

	(void)state;
	target_begin(&t, &(struct scene){ .threads = 3 });
	target_read(&t, (struct glibc_heap_limits){ .wants_no_blocks = true });
	sum = sum_of(&t.heap);
	assert_int_equal(sum.system, shared->info.arena);
	assert_int_equal(sum.blocks, 0);
	assert_int_equal(t.heap.size_count, 0);
	assert_int_equal(t.heap.range_count, 4);
	assert_false(t.heap.is_cut);

	target_read(&t, (struct glibc_heap_limits){ .arenas = 2 });
	assert_true(t.heap.is_cut);
	assert_int_equal(t.heap.arena_count, 2);
	assert_int_equal(blocks_of(&t.heap, FIRST), KNOWN);

	target_read(&t, (struct glibc_heap_limits){ .ranges = 2 });
	assert_true(t.heap.is_cut);
	assert_int_equal(t.heap.range_count, 2);

	target_read(&t, (struct glibc_heap_limits){
				.budget = &(struct read_budget){ 0 } });
	assert_true(t.heap.is_cut);
	assert_int_equal(t.heap.size_count, 0);
	target_end(&t);
}

static void process_without_mappings_has_no_arenas(void **state)
{
	struct target t;

	(void)state;
	target_begin(&t, &(struct scene){ .threads = 1 });
	mappings_release(&t.mappings);
	target_read(&t, (struct glibc_heap_limits){ 0 });
	assert_false(t.heap.is_found);
	assert_non_null(t.heap.why_not);
	assert_int_equal(t.heap.arena_count, 0);
	target_end(&t);
}

static void header_of_a_mapped_block_is_recognized(void **state)
{
	uint64_t *block = libc.malloc((size_t)4 << 20), size;
	const uint64_t others[][2] = {
		{ 0, 8192 },          /* in an arena */
		{ 0, 8192 | 3 },      /* PREV_IN_USE */
		{ 0, 8192 + 32 + 2 }, /* not whole pages */
		{ 0, 4096 | 2 },      /* too small for mmap() */
		{ 8, 8192 | 2 },      /* not aligned */
		{ 0, 1048576 | 2 },   /* larger than the mapping */
		{ 0, UINT64_MAX - 5 }, { 0, 0 },
	};

	(void)state;
	assert_true(glibc_is_mapped_block(block - 2, UINT64_C(8) << 20, &size));
	assert_int_equal(size, (4 << 20) + PAGE_BYTES);
	libc.free(block);
	/* glibc 2.43, and memalign() */
	assert_true(glibc_is_mapped_block((uint64_t[]){ 0, (8192 - 16) | 2 },
					  8192, &size));
	assert_int_equal(size, 8192);
	assert_true(glibc_is_mapped_block((uint64_t[]){ 64, (8192 - 64) | 2 },
					  8192, &size));
	assert_int_equal(size, 8192);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(glibc_is_mapped_block(others[i], 65536, &size));
}

static int set_up(void **state)
{
	void *handle = dlopen("libc.so.6", RTLD_NOLOAD | RTLD_LAZY);

	(void)state;
	assert_non_null(handle);
	libc.malloc = (void *(*)(size_t))dlsym(handle, "malloc");
	libc.free = (void (*)(void *))dlsym(handle, "free");
	libc.trim = (int (*)(size_t))dlsym(handle, "malloc_trim");
	libc.mallopt = (int (*)(int, int))dlsym(handle, "mallopt");
	libc.mallinfo2 = (struct mallinfo2(*)(void))dlsym(handle, "mallinfo2");
	assert_true(libc.malloc && libc.free && libc.trim && libc.mallopt &&
		    libc.mallinfo2);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(shared, MAP_FAILED);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arenas_of_threads_are_accounted_to_the_byte),
		cmocka_unit_test(single_arena_is_found_by_its_bins),
		cmocka_unit_test(main_arena_without_sbrk_has_mappings),
		cmocka_unit_test(
			memory_that_others_took_with_sbrk_is_passed_over),
		cmocka_unit_test(limits_end_the_walk),
		cmocka_unit_test(process_without_mappings_has_no_arenas),
		cmocka_unit_test(header_of_a_mapped_block_is_recognized),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
