/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mem/accounting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define MB (UINT64_C(1) << 20)

static void shape_of_path_tells_files_apart(void **state)
{
	static const struct {
		const char *path;
		enum mem_part part;
	} files[] = {
		{ "[heap]", MEM_MALLOC },
		{ "[stack]", MEM_STACKS },
		{ "[vdso]", MEM_OTHER },
		{ "/memfd:java_heap (deleted)", MEM_HEAP },
		{ "/mnt/huge/java_heap.4711 (deleted)", MEM_HEAP },
		{ "/tmp/hsperfdata_root/4711", MEM_OTHER },
		{ "/jdk/lib/server/classes.jsa", MEM_ARCHIVE },
		{ "/app/app.aot", MEM_ARCHIVE },
		{ "/jdk/lib/modules", MEM_FILES },
		{ "/app/a.jar", MEM_FILES },
		{ "/app/a.jar (deleted)", MEM_FILES },
		{ "/jdk/lib/server/libjvm.so", MEM_LIBRARIES },
		{ "/lib/libc.so.6", MEM_LIBRARIES },
		{ "/tmp/librocksdbjni1.so (deleted)", MEM_LIBRARIES },
		{ "/dev/shm/x", MEM_SHARED },
		{ "/SYSV00000000 (deleted)", MEM_SHARED },
		{ "/data/x.sock", MEM_FILES },
		{ "/data/segment.log", MEM_FILES },
		{ "/", MEM_FILES },
	};
	const char *detail;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct mapping one = { .path = files[i].path, .inode = 1 };
		const struct mappings m = { .all = &one, .count = 1 };

		if (shape_of_path(&m, 0, &detail) != files[i].part)
			fail_msg("%s", files[i].path);
	}
}

static void shape_of_path_takes_a_program_for_a_library(void **state)
{
	struct mapping all[] = {
		{ .path = "/opt/app/bin/server", .inode = 1 },
		{ .path = "/opt/app/bin/server",
		  .inode = 1,
		  .is_executable = true },
		{ .path = "/opt/app/data", .inode = 2 },
	};
	const struct mappings m = { .all = all, .count = 3 };
	const char *detail;

	(void)state;
	assert_int_equal(shape_of_path(&m, 0, &detail), MEM_LIBRARIES);
	assert_int_equal(shape_of_path(&m, 1, &detail), MEM_LIBRARIES);
	assert_int_equal(shape_of_path(&m, 2, &detail), MEM_FILES);
}

static const struct gc_shape no_bitmaps = { false, false },
			     bitmaps = { true, false },
			     with_stack = { true, true };

static void shape_is_of_gc_knows_sums_of_tables(void **state)
{
	const uint64_t heap = 4096 * MB;

	(void)state;
	assert_true(shape_is_of_gc(heap / 64, heap, bitmaps));
	assert_true(shape_is_of_gc(heap / 32, heap, bitmaps));
	assert_true(shape_is_of_gc(heap / 512, heap, bitmaps));
	assert_true(shape_is_of_gc(heap / 64 + 3 * heap / 512, heap, bitmaps));
	assert_true(shape_is_of_gc(heap / 64 + 4096, heap, bitmaps));
	assert_true(shape_is_of_gc(heap / 64 - 4096, heap, bitmaps));
	assert_true(shape_is_of_gc(heap / 64 + 32 * MB, heap, with_stack));
	assert_false(
		shape_is_of_gc(heap / 64 + 32 * MB + 4 * MB, heap, bitmaps));
	assert_false(shape_is_of_gc(heap / 64 + MB, heap, bitmaps));
	assert_false(shape_is_of_gc(heap, heap, with_stack));
	assert_false(shape_is_of_gc(0, heap, with_stack));
	assert_false(shape_is_of_gc(heap / 64, 0, with_stack));
	assert_false(shape_is_of_gc(UINT64_MAX, UINT64_MAX, bitmaps));
	/* Chance would make a table of any small mapping. */
	assert_false(shape_is_of_gc(4096, 16 * MB, bitmaps));
	assert_false(shape_is_of_gc(80 << 10, 16 * MB, bitmaps));
	/* Serial has no bitmaps, and stacks of threads have 1 MB. */
	assert_false(shape_is_of_gc(heap / 64, heap, no_bitmaps));
	assert_true(shape_is_of_gc(heap / 512, heap, no_bitmaps));
}

static void shape_has_bitmaps_allows_small_neighbors(void **state)
{
	const uint64_t heap = 1024 * MB;

	(void)state;
	assert_true(shape_has_bitmaps(16 * MB, heap));
	assert_true(shape_has_bitmaps(17 * MB, heap));
	assert_true(shape_has_bitmaps(35 * MB, heap));
	assert_false(shape_has_bitmaps(16 * MB - 4096, heap));
	assert_false(shape_has_bitmaps(19 * MB, heap));
	assert_false(shape_has_bitmaps(31 * MB, heap));
	assert_false(shape_has_bitmaps(64 * MB, heap));
	assert_false(shape_has_bitmaps(512 << 10, 32 * MB));
	assert_false(shape_has_bitmaps(0, 0));
}

static void shape_is_of_committed_knows_single_tables(void **state)
{
	const uint64_t heap = 378 * MB;

	(void)state;
	assert_true(shape_is_of_committed(756 << 10, heap, bitmaps));
	assert_true(shape_is_of_committed(heap / 64, heap, bitmaps));
	assert_true(shape_is_of_committed(heap / 32, heap, bitmaps));
	assert_false(shape_is_of_committed(heap / 32, heap, no_bitmaps));
	assert_false(shape_is_of_committed(heap / 64, heap, no_bitmaps));
	assert_true(shape_is_of_committed(756 << 10, heap, no_bitmaps));
	assert_false(shape_is_of_committed(760 << 10, heap, bitmaps));
	assert_false(shape_is_of_committed(752 << 10, heap, bitmaps));
	assert_false(shape_is_of_committed(0, 0, bitmaps));
	assert_false(shape_is_of_committed(4096, 2 * MB, bitmaps));
}

/* ---- claims of made mappings ---- */

struct made {
	struct mem_account out;
	struct accounting a;
};

static void made_init(struct made *m, const char *smaps)
{
	*m = (struct made){ 0 };
	m->a.out = &m->out;
	smaps_parse(&m->a.smaps, smaps, strlen(smaps));
}

static void made_release(struct made *m)
{
	claims_release(&m->a.claims);
	smaps_release(&m->a.smaps);
	text_release(&m->out.limits);
}

/* Fails unless the address belongs to the part; MEM_PARTS = to none. */
static void made_expect(const struct made *m, uint64_t address,
			enum mem_part part)
{
	const struct claims *c = &m->a.claims;
	size_t i = claims_after(c, address);
	bool is_claimed = i < c->settled && c->all[i].start <= address;

	assert_int_equal(is_claimed ? c->all[i].part : MEM_PARTS, part);
}

static const char rest_text
	[] = "100000-101000 rw-p 0 fe:01 17 /lib/liba.so\nRss: 4 kB\n"
	     "101000-103000 rw-p 0 00:00 0 \nRss: 8 kB\nVmFlags: rd wr ac\n"
	     "200000-210000 rw-p 0 00:00 0 \nRss: 8 kB\nVmFlags: rd wr ac nh\n"
	     "300000-310000 rw-p 0 00:00 0 \nRss: 8 kB\nVmFlags: rd wr ac\n"
	     /* 1/64 of a heap of 1 GB. */
	     "10000000-11000000 rw-p 0 00:00 0 \nRss: 8 kB\nVmFlags: rd wr ac\n"
	     "12000000-13000000 rw-p 0 00:00 0 \nVmFlags: rd wr ac\n";

static void account_rest_recognizes_neighbors_flags_and_sizes(void **state)
{
	struct made m;

	(void)state;
	made_init(&m, rest_text);
	m.out.heap.max = 1024 * MB;
	account_rest(&m.a);
	made_expect(&m, 0x100000, MEM_PARTS);
	made_expect(&m, 0x101000, MEM_LIBRARIES);
	made_expect(&m, 0x200000, MEM_OLD_STACKS);
	made_expect(&m, 0x300000, MEM_PARTS);
	made_expect(&m, 0x10000000, MEM_GC);
	/* Committed memory counts, too. */
	made_expect(&m, 0x12000000, MEM_GC);
	made_release(&m);
}

static void account_rest_gives_serial_no_bitmaps(void **state)
{
	struct made m;

	(void)state;
	made_init(&m, rest_text);
	m.out.heap.max = 1024 * MB;
	snprintf(m.out.heap.collector, sizeof(m.out.heap.collector), "Serial");
	account_rest(&m.a);
	made_expect(&m, 0x10000000, MEM_PARTS);
	made_release(&m);
}

static void account_rest_recognizes_old_nodes_of_the_metaspace(void **state)
{
	static const char
		text[] = "10000000-10080000 rw-p 0 00:00 0 \nRss: 8 kB\n"
			 "10080000-10200000 ---p 0 00:00 0 \n"
			 /* Not whole granules. */
			 "20000000-20081000 rw-p 0 00:00 0 \nRss: 8 kB\n"
			 "20081000-20200000 ---p 0 00:00 0 \n"
			 /* Not the size of a node. */
			 "30000000-30080000 rw-p 0 00:00 0 \nRss: 8 kB\n"
			 "30080000-30400000 ---p 0 00:00 0 \n";

	(void)state;
	for (int has_nodes = 0; has_nodes < 2; has_nodes++) {
		struct made m;

		made_init(&m, text);
		m.a.has_classes = true;
		m.a.classes.is_complete = true;
		m.a.has_nodes = has_nodes;
		account_rest(&m.a);
		made_expect(&m, 0x10000000,
			    has_nodes ? MEM_PARTS : MEM_METASPACE);
		made_expect(&m, 0x10080000, MEM_PARTS);
		made_expect(&m, 0x20000000, MEM_PARTS);
		made_expect(&m, 0x30000000, MEM_PARTS);
		made_release(&m);
	}
}

static void account_rest_keeps_claims(void **state)
{
	struct made m;

	(void)state;
	made_init(&m, rest_text);
	claims_add(&m.a.claims, 0x204000, 0x208000, MEM_STACKS, NULL);
	claims_settle(&m.a.claims);
	account_rest(&m.a);
	made_expect(&m, 0x203000, MEM_OLD_STACKS);
	made_expect(&m, 0x204000, MEM_STACKS);
	made_expect(&m, 0x208000, MEM_OLD_STACKS);
	made_release(&m);
}

static void account_rest_gives_the_rest_to_another_allocator(void **state)
{
	struct made m;

	(void)state;
	made_init(&m, rest_text);
	snprintf(m.out.allocator, sizeof(m.out.allocator), "jemalloc");
	account_rest(&m.a);
	made_expect(&m, 0x101000, MEM_LIBRARIES);
	made_expect(&m, 0x300000, MEM_MALLOC);
	made_expect(&m, 0x10000000, MEM_MALLOC);
	made_release(&m);
}

/* ---- blocks in the memory of the test ---- */

enum { BLOCK_PAGES = 64 };

static void own_read_all(struct memory *self, struct memory_range *ranges,
			 size_t count)
{
	(void)self;
	for (size_t i = 0; i < count; i++) {
		memcpy(ranges[i].bytes, (void *)(uintptr_t)ranges[i].address,
		       ranges[i].len);
		ranges[i].is_read = true;
	}
}

static void block_put(uint64_t *memory, size_t page, uint64_t skipped,
		      uint64_t size)
{
	memory[page * PAGE_BYTES / 8] = skipped;
	memory[page * PAGE_BYTES / 8 + 1] = size;
}

/* library: whether the pages are behind the data of one. */
static void check_blocks(bool library)
{
	const size_t bytes = (size_t)BLOCK_PAGES * PAGE_BYTES;
	struct memory own = { .read_all = own_read_all };
	char text[256];
	uint8_t before[BLOCK_PAGES], after[BLOCK_PAGES];
	struct error err;
	struct jvm jvm;
	struct made m;
	uint64_t *memory, at;

	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	at = (uintptr_t)memory;
	block_put(memory, 0, 1, 1);
	block_put(memory, 4, 0, 3 * PAGE_BYTES | 2);
	/* glibc 2.43 omits the last 16 bytes. */
	block_put(memory, 7, 0, (5 * PAGE_BYTES - 16) | 2);
	/* Contents of a block may look like a header. */
	block_put(memory, 9, 0, 2 * PAGE_BYTES | 2);
	block_put(memory, 20, 0, PAGE_BYTES / 2 | 2);
	block_put(memory, 22, 0, 4 * PAGE_BYTES | 1);
	block_put(memory, 60, 0, 8 * PAGE_BYTES | 2);
	block_put(memory, 61, 0, 2 * PAGE_BYTES | 2);

	snprintf(text, sizeof(text),
		 "%llx-%llx rw-p 0 fe:01 17 %s\nRss: 4 kB\n"
		 "%llx-%llx rw-p 0 00:00 0 \nRss: 32 kB\n",
		 (unsigned long long)(at - PAGE_BYTES), (unsigned long long)at,
		 library ? "/lib/liba.so" : "/a.txt", (unsigned long long)at,
		 (unsigned long long)(at + bytes));
	made_init(&m, text);
	assert_int_equal(jvm_open(&jvm, getpid(), &err), 0);
	m.a.pages = pages_open(&jvm, &err);
	assert_non_null(m.a.pages);
	m.a.memory = &own;
	m.a.is_glibc = true;
	pages_read(m.a.pages, at, before, BLOCK_PAGES);
	account_rest(&m.a);
	pages_read(m.a.pages, at, after, BLOCK_PAGES);
	assert_memory_equal(before, after, BLOCK_PAGES);
	for (size_t i = 0; i < BLOCK_PAGES; i++)
		made_expect(&m, at + i * PAGE_BYTES,
			    (i >= 4 && i < 12) || (i >= 61 && i < 63)
				    ? MEM_BLOCKS
			    : library ? MEM_LIBRARIES
				      : MEM_PARTS);
	pages_close(m.a.pages);
	jvm_close(&jvm);
	made_release(&m);
	munmap(memory, bytes);
}

static void account_rest_finds_blocks_and_touches_no_absent_page(void **state)
{
	(void)state;
	check_blocks(false);
}

static void account_rest_finds_blocks_behind_a_library(void **state)
{
	(void)state;
	check_blocks(true);
}

static void account_shapes_recognizes_arenas_stacks_and_code(void **state)
{
	static const char text
		[] = "7f0000000000-7f0000400000 rw-p 0 00:00 0 \nRss: 8 kB\n"
		     "7f0000400000-7f0004000000 ---p 0 00:00 0 \n"
		     "7f0008000000-7f0008400000 rw-p 0 00:00 0 \nRss: 8 kB\n"
		     "7f0010000000-7f0010001000 ---p 0 00:00 0 \n"
		     "7f0010001000-7f0010101000 rw-p 0 00:00 0 \nRss: 8 kB\n"
		     "7f0020000000-7f0020100000 rwxp 0 00:00 0 \nRss: 8 kB\n"
		     "7f0030000000-7f0030100000 rw-p 0 00:00 0 \nRss: 8 kB\n";
	struct made m;

	(void)state;
	made_init(&m, text);
	account_shapes(&m.a);
	made_expect(&m, 0x7f0000000000, MEM_MALLOC);
	/* It reserves no 64 MB. */
	made_expect(&m, 0x7f0008000000, MEM_PARTS);
	made_expect(&m, 0x7f0010001000, MEM_STACKS);
	made_expect(&m, 0x7f0020000000, MEM_CODE);
	made_expect(&m, 0x7f0030000000, MEM_PARTS);
	made_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shape_of_path_tells_files_apart),
		cmocka_unit_test(shape_of_path_takes_a_program_for_a_library),
		cmocka_unit_test(shape_is_of_gc_knows_sums_of_tables),
		cmocka_unit_test(shape_has_bitmaps_allows_small_neighbors),
		cmocka_unit_test(shape_is_of_committed_knows_single_tables),
		cmocka_unit_test(
			account_rest_recognizes_neighbors_flags_and_sizes),
		cmocka_unit_test(account_rest_keeps_claims),
		cmocka_unit_test(account_rest_gives_serial_no_bitmaps),
		cmocka_unit_test(
			account_rest_recognizes_old_nodes_of_the_metaspace),
		cmocka_unit_test(account_rest_finds_blocks_behind_a_library),
		cmocka_unit_test(
			account_rest_gives_the_rest_to_another_allocator),
		cmocka_unit_test(
			account_rest_finds_blocks_and_touches_no_absent_page),
		cmocka_unit_test(
			account_shapes_recognizes_arenas_stacks_and_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
