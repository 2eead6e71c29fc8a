/* SPDX-License-Identifier: Apache-2.0 */
#include "core/process/mappings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

static const char maps_text[] =
	"7f0000000000-7f0000001000 r--p 00000000 fe:01 17         /lib/a.so\n"
	"7f0000001000-7f0000003000 r-xp 00001000 fe:01 17         /lib/a.so\n"
	"7f0000004000-7f0000005000 rw-s 00000000 00:05 4096       /dev/shm/x y"
	" (deleted)\n"
	"7f0000005000-7f0000006000 rwxp 00000000 00:00 0 \n"
	"7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0          [stack]\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  [vsyscall]\n";

static void mappings_parse_reads_all_fields_of_a_line(void **state)
{
	struct mappings m = { 0 };

	(void)state;
	mappings_parse(&m, maps_text, strlen(maps_text));
	assert_int_equal(m.count, 6);
	assert_int_equal(m.all[1].start, 0x7f0000001000);
	assert_int_equal(m.all[1].end, 0x7f0000003000);
	assert_int_equal(m.all[1].offset, 0x1000);
	assert_int_equal(m.all[1].dev, makedev(0xfe, 1));
	assert_int_equal(m.all[1].inode, 17);
	assert_true(m.all[1].is_executable);
	assert_string_equal(m.all[1].path, "/lib/a.so");
	assert_false(m.all[1].is_writable);
	assert_false(m.all[0].is_executable);
	assert_true(m.all[3].is_writable);
	assert_string_equal(m.all[2].path, "/dev/shm/x y (deleted)");
	assert_string_equal(m.all[3].path, "");
	assert_int_equal(m.all[5].end, 0xffffffffff601000);
	mappings_release(&m);
}

static void mappings_find_returns_the_mapping_of_an_address(void **state)
{
	struct mappings m = { 0 };

	(void)state;
	assert_null(mappings_find(&m, 0));
	mappings_parse(&m, maps_text, strlen(maps_text));
	assert_ptr_equal(mappings_find(&m, 0x7f0000000fff), &m.all[0]);
	assert_ptr_equal(mappings_find(&m, 0x7f0000001000), &m.all[1]);
	assert_ptr_equal(mappings_find(&m, 0x7f0000002fff), &m.all[1]);
	assert_null(mappings_find(&m, 0x7f0000003000));
	assert_null(mappings_find(&m, 0));
	assert_null(mappings_find(&m, UINT64_MAX));
	assert_ptr_equal(mappings_find(&m, 0xffffffffff600000), &m.all[5]);
	mappings_release(&m);
}

static void mappings_parse_skips_malformed_lines(void **state)
{
	static const char *const wrong[] = {
		"",
		"\n\n",
		"7f00-",
		"7f00-7e00 r-xp 0 fe:01 17 /backwards",
		"7f00-7f00 r-xp 0 fe:01 17 /nothing",
		"7f00-8f00 r-x",
		"7f00-8f00 r-xp zz fe:01 17 /lib",
		"7f00-8f00 r-xp 0 fe-01 17 /lib",
		"7f00-8f00 r-xp 0 fe:01 x /lib",
		"7f00-8f00 r-xp 11112222333344445 fe:01 1 /lib",
		"7f00-8f00 r-xp 0 fe:01 99999999999999999999 /lib",
		"-8f00 r-xp 0 fe:01 17 /lib",
	};
	struct mappings m = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		mappings_parse(&m, wrong[i], strlen(wrong[i]));
		if (m.count)
			fail_msg("taken: %s", wrong[i]);
	}
	for (size_t len = 0; len < strlen(maps_text); len++) {
		mappings_parse(&m, maps_text, len);
		assert_true(m.count <= 6);
	}
	/* Mappings that are out of order or overlap are skipped. */
	mappings_parse(&m, "2000-4000 r-xp 0 0:0 0\n3000-5000 r-xp 0 0:0 0\n",
		       46);
	assert_int_equal(m.count, 1);
	mappings_release(&m);
}

static void mappings_read_replaces_old_mappings(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct mappings m = { 0 };
	const struct mapping *own;
	struct error err;
	struct jvm self;
	struct stat st;
	void *more;

	(void)state;
	assert_int_equal(jvm_open(&self, getpid(), &err), 0);
	assert_int_equal(mappings_read(&m, &self, &err), 0);
	own = mappings_find(&m, (uintptr_t)mappings_read_replaces_old_mappings);
	assert_non_null(own);
	assert_true(own->is_executable);
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	assert_int_equal(own->inode, st.st_ino);
	more = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(more, MAP_FAILED);
	assert_int_equal(mappings_read(&m, &self, &err), 0);
	assert_non_null(mappings_find(&m, (uintptr_t)more));
	munmap(more, page);
	assert_int_equal(mappings_read(&m, &self, &err), 0);
	assert_null(mappings_find(&m, (uintptr_t)more));
	mappings_release(&m);
	jvm_close(&self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mappings_parse_reads_all_fields_of_a_line),
		cmocka_unit_test(
			mappings_find_returns_the_mapping_of_an_address),
		cmocka_unit_test(mappings_parse_skips_malformed_lines),
		cmocka_unit_test(mappings_read_replaces_old_mappings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
