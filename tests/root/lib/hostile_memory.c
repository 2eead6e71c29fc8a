/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	hostile_memory LIBJVM KIND DIRECTORY
 *
 * Looks like a JVM to other processes, and has memory that is made to cost them
 * as much as possible. Prints READY, and ends after five minutes.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	MAPPINGS = 64000,
	ARENAS = 2000,
	REGIONS = 1 << 17,
	THREADS = 12000
};
enum { WORD = 8, OBJECT = 1 << 16 };
#define ARENA_BYTES  ((size_t)64 << 20)
#define SPARSE_BYTES ((size_t)60 << 40)

/* An entry of gHotSpotVMStructs (vmStructs.hpp of OpenJDK). */
struct vm_field {
	const char *type, *field, *type_of_field;
	int32_t is_static;
	uint64_t offset;
	void *address;
};

static void *libjvm;

static void check(bool is_good, const char *what)
{
	if (is_good)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	_exit(1);
}

static void *map(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	check(at != MAP_FAILED, "mmap");
	return at;
}

static uint64_t *word_at(void *from, uint64_t bytes)
{
	return (uint64_t *)((char *)from + bytes);
}

/* ---- the tables of the JVM ---- */

static const struct vm_field *vm_field(const char *type, const char *field)
{
	void *table = dlsym(libjvm, "gHotSpotVMStructs");
	const struct vm_field *f = table ? *(void **)table : NULL;

	for (; f && f->type; f++)
		if (strcmp(f->type, type) == 0 && strcmp(f->field, field) == 0)
			return f;
	check(false, field);
	return NULL;
}

static uint64_t *vm_word(void *object, const char *type, const char *field)
{
	return word_at(object, vm_field(type, field)->offset);
}

static void vm_set(const char *type, const char *field, uint64_t value)
{
	void *at = vm_field(type, field)->address;
	void *page = (void *)((uintptr_t)at / PAGE * PAGE);

	check(mprotect(page, 2 * PAGE, PROT_READ | PROT_WRITE) == 0, field);
	memcpy(at, &value, sizeof(value));
}

/* Makes UseG1GC the only flag. */
static void vm_use_g1(void)
{
	static uint8_t value = 1;
	void *flag = map(PAGE);

	*vm_word(flag, "JVMFlag", "_name") = (uintptr_t) "UseG1GC";
	*vm_word(flag, "JVMFlag", "_addr") = (uintptr_t)&value;
	vm_set("JVMFlag", "flags", (uintptr_t)flag);
	vm_set("JVMFlag", "numFlags", 1);
}

/* Sets the reserved range of the heap; returns the CollectedHeap. */
static void *vm_set_heap(void *start, size_t bytes)
{
	void *heap = map(OBJECT);
	uint64_t *region = vm_word(heap, "CollectedHeap", "_reserved");

	vm_set("Universe", "_collectedHeap", (uintptr_t)heap);
	*vm_word(region, "MemRegion", "_start") = (uintptr_t)start;
	*vm_word(region, "MemRegion", "_word_size") = bytes / WORD;
	return heap;
}

/* ---- the kinds ---- */

static void make_mappings(void)
{
	char *at = map(3 * (size_t)MAPPINGS * PAGE);

	for (size_t i = 0; i < MAPPINGS; i++, at += 3 * PAGE) {
		*at = 1;
		check(munmap(at + 2 * PAGE, PAGE) == 0, "munmap");
	}
}

/* Maps two files with long paths by turns. */
static void make_paths(const char *directory)
{
	int files[2];

	check(chdir(directory) == 0, directory);
	for (int i = 0; i < 15; i++) {
		char name[251];

		memset(name, 'a', 250);
		name[250] = '\0';
		check((mkdir(name, 0755) == 0 || errno == EEXIST) &&
			      chdir(name) == 0,
		      "mkdir");
	}
	for (int i = 0; i < 2; i++) {
		files[i] = open(i ? "a" : "b", O_RDWR | O_CREAT, 0600);
		check(files[i] >= 0 && ftruncate(files[i], PAGE) == 0, "open");
	}
	for (int i = 0; i < MAPPINGS; i++) {
		char *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
				files[i % 2], 0);

		check(at != MAP_FAILED, "mmap");
		*at = 1;
	}
}

static char *make_sparse(void)
{
	char *all = map(SPARSE_BYTES);

	for (size_t at = 0; at < SPARSE_BYTES; at += SPARSE_BYTES / 64)
		all[at] = 1;
	return all;
}

/*
 * Arenas whose chunks are in rows of 8, which ends with a lie, in a heap of
 * which a few pages are resident.
 */
static void make_arenas(void)
{
	enum { STATE = 48, BINS = 112, BYTES = 2200, FIRST = 2256, ROW = 8 };
	char *all = map((ARENAS + 1) * ARENA_BYTES);

	all += ARENA_BYTES - (uintptr_t)all % ARENA_BYTES;
	for (size_t i = 0; i < ARENAS; i++) {
		char *heap = all + i * ARENA_BYTES;
		uint64_t *state = word_at(heap, STATE);
		uint64_t *tail = word_at(state, BYTES - 40);
		const uint64_t info[] = { (uintptr_t)state, 0, ARENA_BYTES,
					  ARENA_BYTES, PAGE };

		memcpy(heap, info, sizeof(info));
		for (size_t k = BINS / WORD; k < BINS / WORD + 254; k += 2)
			state[k] = state[k + 1] = (uintptr_t)&state[k - 2];
		tail[0] = (uintptr_t)state;
		tail[2] = 1;
		tail[3] = tail[4] = ARENA_BYTES;
		for (size_t at = FIRST; at < 4 * PAGE; at += 32)
			word_at(heap, at)[1] = (at / 32 % ROW ? 32 : 24) | 5;
		/* A header every 1,024 pages, so that each search is long. */
		for (size_t at = PAGE * 1024; at < ARENA_BYTES;
		     at += PAGE * 1024)
			word_at(heap, at)[1] = 32 | 5;
	}
}

/* Regions of the heap that contain each other. */
static void make_regions(void)
{
	char *start = make_sparse(), *end = start + SPARSE_BYTES;
	char *heap = vm_set_heap(start, SPARSE_BYTES);
	uint64_t *table = map(REGIONS * WORD);
	char *manager = (char *)vm_word(heap, "G1CollectedHeap", "_hrm");
	uint64_t *of_table = vm_word(manager, "HeapRegionManager", "_regions");

	vm_use_g1();
	*vm_word(of_table, "G1HeapRegionTable", "_base") = (uintptr_t)table;
	*vm_word(of_table, "G1HeapRegionTable", "_length") = REGIONS;
	for (size_t i = 0; i < 2; i++) {
		void *region = map(PAGE);

		*vm_word(region, "HeapRegion", "_bottom") = (uintptr_t)start +
							    i * 2 * PAGE;
		*vm_word(region, "HeapRegion",
			 "_top") = (uintptr_t)(i ? end : start + PAGE);
		for (size_t k = i; k < REGIONS; k += 2)
			table[k] = (uintptr_t)region;
	}
}

/* A heap that is smaller than its card table. */
static void make_tiny_heap(void)
{
	char *start = map(PAGE), *table = map(OBJECT), *set = map(OBJECT);

	vm_use_g1();
	vm_set_heap(start, WORD);
	*start = 1;
	vm_set("BarrierSet", "_barrier_set", (uintptr_t)set);
	*vm_word(set, "CardTableBarrierSet", "_card_table") = (uintptr_t)table;
	*vm_word(table, "CardTable", "_byte_map") = (uintptr_t)table;
	*vm_word(table, "CardTable", "_byte_map_size") = 0;
}

/* A class loader whose list of classes does not end. */
static void make_classes(void)
{
	enum { CLASSES = 200000, CLASS = 512 };
	char *loader = map(OBJECT), *all = map((size_t)CLASSES * CLASS);
	char *symbol = map(PAGE);

	vm_set("ClassLoaderDataGraph", "_head", (uintptr_t)loader);
	*vm_word(loader, "ClassLoaderData", "_next") = (uintptr_t)loader;
	*vm_word(loader, "ClassLoaderData", "_klasses") = (uintptr_t)all;
	*vm_word(symbol, "Symbol", "_length") = 13;
	for (size_t i = 0; i < CLASSES; i++) {
		char *one = all + i * CLASS;

		*vm_word(one, "Klass", "_name") = (uintptr_t)symbol;
		*vm_word(one, "InstanceKlass", "_constants") = (uintptr_t)all +
							       (i << 16);
		*vm_word(one, "Klass", "_next_link") = (uintptr_t)all +
						       (i + 1) % CLASSES *
							       CLASS;
	}
}

static void *thread_run(void *unused)
{
	pause();
	return unused;
}

static void make_threads(void)
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 4 * PAGE);
	for (int i = 0; i < THREADS; i++)
		check(pthread_create(&thread, &small, thread_run, NULL) == 0,
		      "pthread_create");
}

int main(int argc, char **argv)
{
	const char *kind = argc == 4 ? argv[2] : "";

	libjvm = argc == 4 ? dlopen(argv[1], RTLD_NOW) : NULL;
	check(libjvm, "libjvm");
	alarm(300);
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	if (strcmp(kind, "mappings") == 0)
		make_mappings();
	else if (strcmp(kind, "paths") == 0)
		make_paths(argv[3]);
	else if (strcmp(kind, "sparse") == 0)
		make_sparse();
	else if (strcmp(kind, "arenas") == 0)
		make_arenas();
	else if (strcmp(kind, "regions") == 0)
		make_regions();
	else if (strcmp(kind, "tiny_heap") == 0)
		make_tiny_heap();
	else if (strcmp(kind, "classes") == 0)
		make_classes();
	else if (strcmp(kind, "threads") == 0)
		make_threads();
	else
		return 2;
	puts("READY");
	fflush(stdout);
	pause();
}
