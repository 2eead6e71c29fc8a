/* SPDX-License-Identifier: Apache-2.0 */
/* What an account of memory means, what grew, and its document. */
#include "core/mem/verdict.h"

#include "core/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MIB ((uint64_t)1 << 20)

static struct mem_account account, other;
static struct mem_container container;
static struct mem_verdict verdict;
static struct mem_growth growth;

static const struct cgroup_memory unknown = { -1, -1, -1, -1, -1,
					      -1, -1, -1, -1, -1 };

static void set_part(struct mem_account *a, enum mem_part part, uint64_t bytes)
{
	a->total += bytes - a->parts[part].resident;
	a->rss = a->total;
	a->parts[part].resident = bytes;
}

/* 1,000 MB: half of it heap, and nothing that stands out. */
static int begin(void **state)
{
	(void)state;
	account = (struct mem_account){ .pid = 4711, .allocator = "glibc" };
	other = (struct mem_account){ 0 };
	container = (struct mem_container){ .limit = -1, .memory = unknown };
	account.heap.mapped_times = 1;
	memcpy(account.heap.collector, "G1", 3);
	set_part(&account, MEM_HEAP, 500 * MIB);
	set_part(&account, MEM_METASPACE, 100 * MIB);
	set_part(&account, MEM_CODE, 100 * MIB);
	set_part(&account, MEM_GC, 150 * MIB);
	set_part(&account, MEM_STACKS, 20 * MIB);
	set_part(&account, MEM_MALLOC, 130 * MIB);
	return 0;
}

static void free_sizes(struct mem_account *a)
{
	free(a->glibc.arenas);
	free(a->glibc.sizes);
	a->glibc = (struct glibc_heap){ 0 };
}

static int release(void **state)
{
	(void)state;
	mem_verdict_release(&verdict);
	free_sizes(&account);
	free_sizes(&other);
	return 0;
}

static void judge(void)
{
	mem_verdict_release(&verdict);
	mem_verdict_judge(&verdict, &account, &container);
}

static const struct mem_finding *finding(const char *rule)
{
	for (size_t i = 0; i < verdict.count; i++)
		if (strcmp(verdict.all[i].rule, rule) == 0)
			return &verdict.all[i];
	return NULL;
}

static void assert_sentence(const char *rule, const char *expected)
{
	const struct mem_finding *f = finding(rule);

	assert_non_null(f);
	assert_string_equal(f->sentence.bytes, expected);
}

/* Two arenas: the main one, and one with free memory. */
static void set_arenas(struct mem_account *a, uint64_t in_use, uint64_t free)
{
	a->glibc.arenas = xcalloc(2, sizeof(*a->glibc.arenas));
	a->glibc.arena_count = 2;
	a->glibc.is_found = true;
	a->glibc.arenas[0] = (struct malloc_arena){
		.is_main = true,
		.resident = 3 * MIB,
		.top_resident = 2 * MIB,
		.trimmable = 3 * MIB,
		.free_resident = 1 * MIB,
	};
	a->glibc.arenas[1] = (struct malloc_arena){
		.resident = in_use + free,
		.in_use = in_use,
		.in_use_resident = in_use,
		.blocks = 1234,
		.free_resident = free,
		.top_resident = 4 * MIB,
		.trimmable = free - free / 10,
	};
}

static void set_size(struct mem_account *a, size_t at, uint64_t size,
		     uint64_t blocks)
{
	a->glibc.sizes = xrealloc(a->glibc.sizes, at + 1,
				  sizeof(*a->glibc.sizes));
	a->glibc.sizes[at] = (struct malloc_size){ size, blocks };
	a->glibc.size_count = at + 1;
}

static void nothing_stands_out_without_a_reason(void **state)
{
	(void)state;
	judge();
	assert_int_equal(verdict.count, 0);
	assert_int_equal(verdict.fit.len, 0);
}

static void free_memory_of_arenas_is_trimmed(void **state)
{
	(void)state;
	set_arenas(&account, 20 * MIB, 100 * MIB);
	judge();
	assert_sentence("trim",
			"107 MB of the 500 MB beyond the heap are free memory "
			"that glibc keeps in 2 arenas");
	/* The top of the main arena is part of it, and counts once. */
	assert_int_equal(mem_trimmable(&account),
			 3 * MIB + 100 * MIB - 10 * MIB);
	assert_string_equal(finding("trim")->now.bytes,
			    "sjkc mem 4711 --trim returns about 93 MB");
	account.glibc.arenas[1].free_resident = 80 * MIB;
	judge();
	assert_null(finding("trim"));
}

static void free_heap_is_no_leak(void **state)
{
	(void)state;
	account.heap.has_objects = true;
	account.heap.free_resident = 201 * MIB;
	judge();
	assert_sentence("heap_free",
			"201 MB of the heap are free but resident: no leak, "
			"the JVM keeps them for the next collection");
	account.heap.has_objects = false;
	judge();
	assert_null(finding("heap_free"));
}

static void limit_is_compared_with_a_full_heap(void **state)
{
	(void)state;
	account.heap.max = 800 * MIB;
	container.limit = 1200 * (int64_t)MIB;
	judge();
	assert_sentence(
		"does_not_fit",
		"it does not fit: a full heap of 800 MB and the 500 MB "
		"beyond it exceed the memory limit of 1.17 GB; a killed "
		"container needs no leak");
	/* 1,200 - 550; 800 + 550. */
	assert_string_equal(verdict.fit.bytes,
			    "estimate from now on, with 10% to spare beyond "
			    "the heap: -Xmx at most 650 MB, or a limit of at "
			    "least 1.32 GB");
	container.limit = 1300 * (int64_t)MIB;
	judge();
	assert_null(finding("does_not_fit"));
}

static void heap_that_is_mapped_often_counts_once(void **state)
{
	(void)state;
	account.heap.mapped_times = 3;
	account.pss = 400 * MIB;
	judge();
	assert_sentence("mapped_times",
			"ZGC maps the heap 3 times, and RSS counts each of "
			"them: the memory in use is 400 MB (Pss)");
}

static void many_small_loaders_are_named(void **state)
{
	(void)state;
	account.classes = 12000;
	account.loaders = 800;
	judge();
	assert_sentence("loaders",
			"800 class loaders have 12,000 classes and 100 MB of "
			"metaspace");
	account.classes = 24000;
	judge();
	assert_null(finding("loaders"));
}

static void stacks_in_huge_pages_have_their_bug(void **state)
{
	(void)state;
	set_part(&account, MEM_STACKS, 200 * MIB);
	account.parts[MEM_STACKS].huge = 100 * MIB;
	judge();
	assert_non_null(finding("stacks"));
	assert_non_null(
		strstr(finding("stacks")->sentence.bytes, "JDK-8303215"));
	account.parts[MEM_STACKS].huge = 0;
	judge();
	assert_null(strstr(finding("stacks")->sentence.bytes, "JDK"));
}

static void cached_files_are_not_of_the_jvm(void **state)
{
	(void)state;
	container.memory.current = 1000 * (int64_t)MIB;
	container.memory.files = 400 * (int64_t)MIB;
	container.memory.inactive_files = 300 * (int64_t)MIB;
	judge();
	assert_sentence("cached_files",
			"400 MB of the container's memory are cached files; "
			"the kernel can drop 300 MB of them before it kills");
}

static void one_account_shows_no_leak(void **state)
{
	(void)state;
	set_arenas(&account, 300 * MIB, 10 * MIB);
	judge();
	assert_sentence("malloc",
			"malloc has 300 MB in use: a leak only if it grows");
}

/* Other users of the second size are fewer than its blocks. */
static void blocks_of_inflaters_are_recognized(void **state)
{
	(void)state;
	set_arenas(&account, 100 * MIB, 0);
	set_arenas(&other, 130 * MIB, 0);
	set_size(&account, 0, 32784, 100);
	set_size(&account, 1, 7168, 40);
	set_size(&account, 2, 64, 1000);
	set_size(&other, 0, 32784, 710);
	set_size(&other, 1, 7168, 640);
	set_size(&other, 2, 64, 1005);
	other.wall_ns = account.wall_ns + INT64_C(8000000000);
	other.direct.is_known = account.direct.is_known = true;
	other.direct.count = 7;
	mem_growth_of(&growth, &account, &other);
	assert_int_equal(growth.in_use, 30 * MIB);
	assert_true(growth.seconds == 8);
	assert_int_equal(growth.size_count, 2);
	assert_int_equal(growth.sizes[0].size, 32784);
	assert_int_equal(growth.sizes[0].blocks, 610);
	assert_int_equal(growth.sizes[1].blocks, 600);
	assert_int_equal(growth.kind_count, 2);
	assert_string_equal(growth.kinds[0].name, "java.util.zip.Inflater");
	assert_int_equal(growth.kinds[0].count, 600);
	assert_true(growth.kinds[0].is_guess);
	assert_string_equal(growth.kinds[1].name, "direct buffers");
	assert_int_equal(growth.kinds[1].count, 7);
}

static void window_without_its_inflater_is_none(void **state)
{
	(void)state;
	set_arenas(&account, 100 * MIB, 0);
	set_arenas(&other, 130 * MIB, 0);
	set_size(&account, 0, 32784, 100);
	set_size(&other, 0, 32784, 710);
	set_size(&other, 1, 7168, 9);
	mem_growth_of(&growth, &account, &other);
	assert_int_equal(growth.size_count, 1);
	assert_int_equal(growth.kind_count, 0);
}

static void document_is_read_again(void **state)
{
	struct text json = { 0 };
	struct mem_account read;
	struct error err;

	(void)state;
	set_arenas(&account, 20 * MIB, 100 * MIB);
	set_size(&account, 0, 32784, 100);
	account.wall_ns = INT64_C(1790000000123456789);
	account.heap.has_objects = true;
	account.heap.max = 900 * MIB;
	account.heap.free_resident = 300 * MIB;
	account.direct = (struct mem_direct){ .is_known = true,
					      .count = 5,
					      .capacity = 4096,
					      .reserved = 4096,
					      .max = 900 * MIB };
	account.glibc.has_mapped = true;
	account.glibc.mapped = 5 * MIB;
	judge();
	mem_account_add_json(&json, &account, &verdict, &container);
	assert_int_equal(
		mem_account_read_json(&read, json.bytes, json.len, &err), 0);
	assert_int_equal(read.pid, 4711);
	assert_true(read.wall_ns == account.wall_ns);
	assert_memory_equal(read.parts, account.parts, sizeof(read.parts));
	assert_true(read.direct.is_known);
	assert_int_equal(read.direct.count, 5);
	assert_int_equal(read.direct.capacity, 4096);
	assert_int_equal(read.direct.max, 900 * MIB);
	assert_int_equal(read.total, account.total);
	assert_int_equal(read.glibc.arena_count, 2);
	assert_int_equal(read.glibc.sizes[0].blocks, 100);
	assert_int_equal(read.glibc.mapped, 5 * MIB);
	assert_string_equal(read.heap.collector, "G1");
	assert_int_equal(mem_trimmable(&read), mem_trimmable(&account));
	mem_growth_of(&growth, &account, &read);
	assert_int_equal(growth.rss, 0);
	assert_int_equal(growth.in_use, 0);
	read.stack_count = 0;
	mem_account_release(&read);
	text_release(&json);
}

static void refuse(const char *json, const char *expected)
{
	struct mem_account read;
	struct error err;

	assert_int_equal(mem_account_read_json(&read, json, strlen(json), &err),
			 -1);
	assert_string_equal(err.text, expected);
}

static void other_documents_are_refused(void **state)
{
	(void)state;
	refuse("{\"schema\":\"sjkc.why/1\"}\n", "no document of sjkc mem");
	refuse("{\"schema\":\"sjkc.mem/1\",\"sizes\":[{}", "invalid JSON");
	refuse("{\"schema\":\"sjkc.mem/1\",\"arenas\":[7]}", "invalid JSON");
	refuse("[]", "invalid JSON");
	refuse("", "invalid JSON");
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, begin, release)
	const struct CMUnitTest tests[] = {
		CASE(nothing_stands_out_without_a_reason),
		CASE(free_memory_of_arenas_is_trimmed),
		CASE(free_heap_is_no_leak),
		CASE(limit_is_compared_with_a_full_heap),
		CASE(heap_that_is_mapped_often_counts_once),
		CASE(many_small_loaders_are_named),
		CASE(stacks_in_huge_pages_have_their_bug),
		CASE(cached_files_are_not_of_the_jvm),
		CASE(one_account_shows_no_leak),
		CASE(blocks_of_inflaters_are_recognized),
		CASE(window_without_its_inflater_is_none),
		CASE(document_is_read_again),
		CASE(other_documents_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
