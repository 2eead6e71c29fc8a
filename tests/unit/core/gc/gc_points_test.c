/* SPDX-License-Identifier: Apache-2.0 */
/* The points of the libjvms that the live tests use, too. */
#include "core/gc/gc_points.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define LIBJVM_17 "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so"
#define LIBJVM_25 "/usr/lib/jvm/temurin-25-jdk-amd64/lib/server/libjvm.so"

/* Skips the test without that JDK. */
static void read_points(const char *path, struct gc_points *p)
{
	struct error err;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		skip();
	if (gc_points_read(p, fd, &err))
		fail_msg("%s", err.text);
	close(fd);
}

static bool has_operation(const struct gc_points *p, const char *name)
{
	for (size_t i = 0; i < p->operation_count; i++) {
		if (strcmp(p->operations[i].name, name) == 0)
			return gc_points_operation(p,
						   p->operations[i].vtable) ==
			       p->operations[i].name;
	}
	return false;
}

static void check_all_points(const char *path)
{
	struct gc_points p;

	read_points(path, &p);
	assert_true(p.has_note);
	assert_true(p.stop.offset && p.stop.is_emulated);
	assert_true(p.begin.offset && p.begin.is_emulated);
	assert_true(p.heap.offset && p.heap.is_emulated);
	assert_true(p.block.offset != 0);
	assert_true(p.collect.offset && p.collect.is_emulated);
	assert_true(p.logged.offset && p.logged.is_emulated);
	assert_true(p.collected.offset && p.collected.is_emulated);
	assert_int_equal(p.report_count, GC_REPORTS);
	assert_true(p.operation && p.state && p.initial_time);
	assert_true(has_operation(&p, "G1CollectForAllocation"));
	assert_true(has_operation(&p, "ThreadDump"));
	assert_null(gc_points_operation(&p, 1));
	gc_points_release(&p);
	gc_points_release(&p);
}

static void libjvm_of_jdk_17_has_all_points(void **state)
{
	(void)state;
	check_all_points(LIBJVM_17);
}

static void libjvm_of_jdk_25_has_all_points(void **state)
{
	(void)state;
	check_all_points(LIBJVM_25);
}

static void other_library_has_no_points(void **state)
{
	struct gc_points p;

	(void)state;
	read_points("/proc/self/exe", &p);
	assert_false(p.has_note);
	assert_int_equal(p.stop.offset, 0);
	assert_int_equal(p.report_count, 0);
	assert_string_equal(gc_points_missing(&p),
			    "its libjvm has no USDT probe safepoint__end");
	gc_points_release(&p);
}

static void file_that_is_not_elf_is_rejected(void **state)
{
	int fd = open("Makefile", O_RDONLY | O_CLOEXEC);
	struct gc_points p;
	struct error err;

	(void)state;
	assert_int_equal(gc_points_read(&p, fd, &err), -1);
	assert_int_equal(err.kind, ERROR_INPUT);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libjvm_of_jdk_17_has_all_points),
		cmocka_unit_test(libjvm_of_jdk_25_has_all_points),
		cmocka_unit_test(other_library_has_no_points),
		cmocka_unit_test(file_that_is_not_elf_is_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
