/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the C library of this program, and of files without them. */
#include "core/mem/malloc_points.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int read_points(const char *path,
		       struct malloc_point points[MALLOC_POINTS_MAX])
{
	struct error err = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC), count;

	assert_true(fd >= 0);
	count = malloc_points_read(fd, points, &err);
	close(fd);
	assert_int_equal(err.kind, count < 0 ? ERROR_INPUT : ERROR_NONE);
	return count;
}

static const struct malloc_point *find_point(const struct malloc_point *points,
					     int count,
					     enum malloc_function function)
{
	for (int i = 0; i < count; i++)
		if (points[i].function == function)
			return &points[i];
	fail_msg("no function %d", (int)function);
	return NULL;
}

/* The code of this process at an address is that of its file. */
static void c_library_has_points_where_probes_are_cheap(void **state)
{
	static const enum malloc_function functions[] = {
		MALLOC_OF_SIZE, MALLOC_OF_ARRAY,    MALLOC_AGAIN_OR_FIRST,
		MALLOC_ALIGNED, MALLOC_ALIGNED_OUT, MALLOC_FREE,
	};
	struct malloc_point points[MALLOC_POINTS_MAX];
	Dl_info info;
	int count;

	(void)state;
	/* Not malloc(), which a sanitizer replaces. */
	if (!dladdr((void *)(uintptr_t)getpid, &info) ||
	    !strstr(info.dli_fname, "libc.so.6"))
		skip();
	count = read_points(info.dli_fname, points);
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		const struct malloc_point *p = find_point(points, count,
							  functions[i]);

		assert_true(p->is_emulated);
		for (int k = 0; k < count; k++)
			assert_true(p == &points[k] ||
				    p->offset != points[k].offset);
	}
}

/* USDT probes in this program, as SystemTap's sys/sdt.h writes them. */
#define NOTE(provider, name, arguments)                                        \
	"990: nop\n"                                                           \
	".pushsection .note.stapsdt, \"?\", \"note\"\n"                        \
	".balign 4\n"                                                          \
	".4byte 992f-991f, 994f-993f, 3\n"                                     \
	"991: .asciz \"stapsdt\"\n"                                            \
	"992: .balign 4\n"                                                     \
	"993: .8byte 990b, 0, 0\n"                                             \
	".asciz \"" provider "\"\n"                                            \
	".asciz \"" name "\"\n"                                                \
	".asciz \"" arguments "\"\n"                                           \
	"994: .balign 4\n"                                                     \
	".popsection\n"

static void probes_of_the_contract_are_found_with_their_arguments(void **state)
{
	struct malloc_point points[MALLOC_POINTS_MAX];
	const struct malloc_point *p;
	int count;

	(void)state;
	__asm__ volatile(NOTE("otel_memory", "alloc", "8@%rdi 8@8(%rsp) 4@$7"));
	__asm__ volatile(NOTE("otel_memory", "free", "8@%rbx"));
	/* Other names and providers, whose arguments are not read. */
	__asm__ volatile(NOTE("otel_memory", "mmap", "?"));
	__asm__ volatile(NOTE("other", "free", "?"));
	count = read_points("/proc/self/exe", points);
	p = find_point(points, count, MALLOC_SAMPLED);
	assert_true(p->offset != 0);
	assert_int_equal(p->semaphore, 0);
	assert_int_equal(p->arguments[1].offset, 8);
	assert_true(p->arguments[1].is_memory);
	assert_true(p->arguments[2].is_constant);
	p = find_point(points, count, MALLOC_SAMPLED_FREE);
	assert_int_equal(p->arguments[0].bytes, 8);
	assert_true(p == &points[count - 1]);
	assert_true(p->offset > p[-1].offset);
}

static void file_without_an_allocator_has_no_points(void **state)
{
	struct malloc_point points[MALLOC_POINTS_MAX];

	(void)state;
	assert_int_equal(read_points("/usr/bin/env", points), 0);
	assert_int_equal(read_points("/proc/self/cmdline", points), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c_library_has_points_where_probes_are_cheap),
		cmocka_unit_test(
			probes_of_the_contract_are_found_with_their_arguments),
		cmocka_unit_test(file_without_an_allocator_has_no_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
