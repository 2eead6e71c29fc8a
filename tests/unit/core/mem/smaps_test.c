/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mem/smaps.h"

#include "core/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char two
	[] = "7f0000000000-7f0000010000 rw-p 00000000 00:00 0 \n"
	     "Size:                 64 kB\n"
	     "Rss:                  40 kB\n"
	     "Pss:                  40 kB\n"
	     "Pss_Dirty:            40 kB\n"
	     "AnonHugePages:         8 kB\n"
	     "ShmemPmdMapped:        0 kB\n"
	     "Shared_Hugetlb:        4 kB\n"
	     "Private_Hugetlb:       2 kB\n"
	     "Swap:                 12 kB\n"
	     "SwapPss:              99 kB\n"
	     "VmFlags: rd wr mr mw me ac nh \n"
	     "7f0000010000-7f0000020000 r--p 00001000 fe:01 17         /a b\n"
	     "Rss:                   4 kB\n"
	     "Pss:                   1 kB\n"
	     "VmFlags: rd mr mw me nhx\n";

static void smaps_parse_reads_the_sizes_of_each_mapping(void **state)
{
	struct smaps s = { 0 };

	(void)state;
	smaps_parse(&s, two, strlen(two));
	assert_int_equal(s.mappings.count, 2);
	assert_int_equal(s.all[0].resident, 40 << 10);
	assert_int_equal(s.all[0].pss, 40 << 10);
	assert_int_equal(s.all[0].huge, 8 << 10);
	assert_int_equal(s.all[0].hugetlb, 6 << 10);
	assert_int_equal(s.all[0].swapped, 12 << 10);
	assert_true(s.all[0].has_no_huge);
	assert_int_equal(s.all[1].resident, 4 << 10);
	assert_int_equal(s.all[1].pss, 1 << 10);
	assert_int_equal(s.all[1].swapped, 0);
	assert_false(s.all[1].has_no_huge);
	assert_string_equal(s.mappings.all[1].path, "/a b");
	assert_true(smaps_is_anonymous(&s.mappings.all[0]));
	assert_false(smaps_is_anonymous(&s.mappings.all[1]));
	assert_false(s.is_cut);
	smaps_release(&s);
}

/* The kernel's text comes in parts that end anywhere between lines. */
static void smaps_parse_continues_the_last_mapping(void **state)
{
	(void)state;
	for (size_t cut = 0; cut < strlen(two); cut++) {
		struct smaps s = { 0 };

		if (cut && two[cut - 1] != '\n')
			continue;
		smaps_parse(&s, two, cut);
		smaps_parse(&s, two + cut, strlen(two) - cut);
		assert_int_equal(s.mappings.count, 2);
		assert_int_equal(s.all[0].resident, 40 << 10);
		assert_true(s.all[0].has_no_huge);
		assert_int_equal(s.all[1].pss, 1 << 10);
		smaps_release(&s);
	}
}

static void smaps_parse_skips_what_is_malformed(void **state)
{
	static const char *const texts[] = {
		"",
		"\n\n\n",
		"Rss: 4 kB\n",
		"VmFlags: nh\n",
		"7f00-\n",
		"7f00-7e00 rw-p 0 0:0 0 \nRss: 4 kB\n",
		"7f00-zz00 rw-p 0 0:0 0 \nRss: 4 kB\n",
		"-7f00 rw-p\nRss: 4 kB\nSwap: 1 kB\n",
		"fffffffffffffffff-1 rw-p 0 0:0 0 \nPss: 1 kB\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct smaps s = { 0 };

		smaps_parse(&s, texts[i], strlen(texts[i]));
		assert_int_equal(s.mappings.count, 0);
		smaps_release(&s);
	}
}

/* Fields behind a line that is no mapping are not those of the one before. */
static void smaps_parse_gives_no_field_to_another_mapping(void **state)
{
	static const char text[] = "1000-2000 rw-p 0 0:0 0 \nRss: 4 kB\n"
				   "1000-3000 rw-p 0 0:0 0 \nRss: 8 kB\n"
				   "Swap: 8 kB\n"
				   "4000-5000 rw-p 0 0:0 0 \n";
	struct smaps s = { 0 };

	(void)state;
	smaps_parse(&s, text, strlen(text));
	assert_int_equal(s.mappings.count, 2);
	assert_int_equal(s.all[0].resident, 4 << 10);
	assert_int_equal(s.all[0].swapped, 0);
	assert_int_equal(s.all[1].resident, 0);
	smaps_release(&s);
}

static void smaps_parse_ignores_impossible_numbers(void **state)
{
	static const char text[] = "1000-2000 rw-p 0 0:0 0 \n"
				   "Rss: 99999999999999999999999 kB\n"
				   "Pss: -4 kB\n"
				   "Swap: x kB\n"
				   "Rss:\n"
				   "AnonHugePages: 18014398509481983 kB\n"
				   "AnonHugePages: 18014398509481983 kB\n";
	struct smaps s = { 0 };

	(void)state;
	smaps_parse(&s, text, strlen(text));
	assert_int_equal(s.mappings.count, 1);
	assert_int_equal(s.all[0].resident, 0);
	assert_int_equal(s.all[0].pss, 0);
	assert_int_equal(s.all[0].swapped, 0);
	smaps_release(&s);
}

static void smaps_parse_bounds_the_memory_of_paths(void **state)
{
	enum { PATH = 16000, LINES = 1200, TAIL = 32 };
	char *path = malloc(PATH + 1);
	struct text t = { 0 };
	struct smaps s = { 0 };

	(void)state;
	memset(path, 'a', PATH);
	path[PATH] = '\0';
	for (unsigned i = 1; i <= LINES; i++) {
		text_clear(&t);
		text_printf(&t, "%x000-%x800 r--p 0 fe:01 1 /%u%s\nRss: 4 kB\n",
			    i, i, i, path);
		smaps_parse(&s, t.bytes, t.len);
	}
	assert_true(s.is_cut);
	assert_true(s.mappings.count > 900);
	assert_true(s.mappings.count < LINES);
	/* The first paths are whole, and the ends of the others. */
	assert_true(s.mappings.paths.total < 5 << 20);
	assert_int_equal(strlen(s.mappings.all[0].path), PATH + 2);
	assert_int_equal(strlen(s.mappings.all[900].path), TAIL);
	smaps_release(&s);
	text_release(&t);
	free(path);
}

static void smaps_read_finds_memory_of_this_process(void **state)
{
	struct jvm jvm;
	struct smaps s = { 0 };
	struct error err;
	const struct mapping *m;
	uint64_t sum = 0;

	(void)state;
	assert_int_equal(jvm_open(&jvm, getpid(), &err), 0);
	assert_int_equal(smaps_read(&s, &jvm, &err), 0);
	m = mappings_find(&s.mappings, (uintptr_t)&s);
	assert_non_null(m);
	assert_string_equal(m->path, "[stack]");
	assert_true(s.all[m - s.mappings.all].resident > 0);
	for (size_t i = 0; i < s.mappings.count; i++)
		sum += s.all[i].resident;
	assert_true(sum > 100 << 10);
	smaps_release(&s);
	jvm_close(&jvm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(smaps_parse_reads_the_sizes_of_each_mapping),
		cmocka_unit_test(smaps_parse_continues_the_last_mapping),
		cmocka_unit_test(smaps_parse_skips_what_is_malformed),
		cmocka_unit_test(smaps_parse_gives_no_field_to_another_mapping),
		cmocka_unit_test(smaps_parse_ignores_impossible_numbers),
		cmocka_unit_test(smaps_parse_bounds_the_memory_of_paths),
		cmocka_unit_test(smaps_read_finds_memory_of_this_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
