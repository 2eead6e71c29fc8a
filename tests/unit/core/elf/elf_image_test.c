/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/elf_image.h"

#include "core/elf/demangle.h"
#include "tests/unit/self_maps.h"

#include <execinfo.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cmocka.h>

#define LIBJVM_17 "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so"
#define LIBJVM_25 "/usr/lib/jvm/temurin-25-jdk-amd64/lib/server/libjvm.so"
#define LIBC      "/lib/x86_64-linux-gnu/libc.so.6"

int main(void);

static __attribute__((noinline)) int a_function_of_ours(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static void elf_image_names_functions_of_this_program(void **state)
{
	uintptr_t address = (uintptr_t)a_function_of_ours;
	uint64_t in_file, start;
	struct elf_image *image;
	struct self_maps s;

	(void)state;
	a_function_of_ours(1);
	self_maps_open(&s);
	image = self_maps_image(&s, address + 3, &in_file);
	assert_string_equal(elf_image_name(image), "unit_tests");
	assert_string_equal(elf_image_function(image, in_file, &start),
			    "a_function_of_ours");
	assert_int_equal(start, in_file - 3);
	assert_int_equal(elf_image_symbol(image, "test_main_elf_image_test") -
				 start,
			 (uintptr_t)main - address);
	assert_int_equal(elf_image_symbol(image, "no such thing"), 0);
	elf_image_close(image);
	self_maps_close(&s);
}

static void elf_image_prefers_the_best_known_name(void **state)
{
	static const struct {
		void *address;
		const char *name;
	} known[] = {
		{ (void *)write, "write" },   /* __write */
		{ (void *)qsort, "qsort" },   /* qsort_r is next to it */
		{ (void *)fclose, "fclose" }, /* _IO_fclose */
		{ (void *)nanosleep, "nanosleep" },
	};
	struct self_maps s;

	(void)state;
	self_maps_open(&s);
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		uint64_t in_file, start;
		struct elf_image *image = self_maps_image(
			&s, (uintptr_t)known[i].address, &in_file);

		assert_string_equal(elf_image_function(image, in_file, &start),
				    known[i].name);
		assert_int_equal(start, in_file);
		elf_image_close(image);
	}
	self_maps_close(&s);
}

static void elf_image_reads_the_vdso_from_memory(void **state)
{
	const void *bytes = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct elf_image *image;
	struct cfi_row row;
	struct error err;
	uint64_t address, start;

	(void)state;
	if (!bytes)
		skip();
	image = elf_image_open_bytes(bytes, (size_t)2 * sysconf(_SC_PAGESIZE),
				     &err);
	if (!image)
		fail_msg("%s", err.text);
	assert_string_equal(elf_image_name(image), "linux-vdso.so.1");
	address = elf_image_symbol(image, "__vdso_clock_gettime");
	assert_true(address);
	assert_string_equal(elf_image_function(image, address + 4, &start),
			    "clock_gettime");
	assert_int_equal(start, address);
	assert_true(elf_image_cfi(image, address, &row));
	assert_int_equal(row.cfa_register, DWARF_SP);
	assert_int_equal(row.cfa_offset, 8);
	assert_int_equal(row.registers[DWARF_RA].rule, CFI_AT_CFA);
	assert_int_equal(row.registers[DWARF_RA].offset, -8);
	elf_image_close(image);
}

/* Records a thread's last two callers, as found by the compiler's library. */
static void *thread_callers(void *unused)
{
	static void *roots[2];
	void *all[64];
	int count = backtrace(all, 64);

	assert_true(count > 2);
	roots[0] = all[count - 2];
	roots[1] = all[count - 1];
	(void)unused;
	return roots;
}

/*
 * Runs without the C library's debug file, which no image is opened with here.
 */
static void
elf_image_recognizes_thread_roots_of_a_stripped_library(void **state)
{
	uint64_t in_file[2], other;
	struct elf_image *image;
	struct self_maps s;
	pthread_t thread;
	void **roots;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, thread_callers, NULL),
			 0);
	assert_int_equal(pthread_join(thread, (void *)&roots), 0);
	self_maps_open(&s);
	for (size_t i = 0; i < 2; i++) {
		image = self_maps_image(&s, (uintptr_t)roots[i] - 1,
					&in_file[i]);
		elf_image_close(image);
	}
	image = self_maps_open_file(LIBC);
	if (!image || elf_image_function(image, in_file[1], NULL))
		skip();
	assert_string_equal(elf_image_unnamed(image, in_file[1], NULL, false),
			    "clone3");
	/*
	 * A child of posix_spawn() begins the same way but calls no other file.
	 */
	assert_memory_equal(
		elf_image_unnamed(image, in_file[0], "clone3", false),
		"[libc.so.6+0x", 13);
	assert_string_equal(
		elf_image_unnamed(image, in_file[0], "clone3", true),
		"start_thread");
	assert_string_equal(elf_image_unnamed(image, in_file[0], "", false),
			    "start_thread");
	/* The function next to it is another one. */
	for (other = in_file[0]; other - in_file[0] < 1 << 16; other += 16) {
		const char *name = elf_image_unnamed(image, other, "", false);

		if (name && name[0] == '[') {
			assert_memory_equal(name, "[libc.so.6+0x", 13);
			break;
		}
	}
	assert_true(other - in_file[0] < 1 << 16);
	elf_image_close(image);
	self_maps_close(&s);
}

/* The names of an address by nm. */
struct names {
	uint64_t address;
	bool is_found; /* one of them is the name by sjkc */
	size_t count, wrong;
	char last[8192];
};

static void names_done(struct names *n, const char *ours)
{
	if (n->count && !n->is_found && n->wrong++ < 5)
		print_message("# %" PRIx64 ": ours is %s, nm's %s\n",
			      n->address, ours ? ours : "none", n->last);
}

/* Each function of a library has one of its names by nm and c++filt. */
static void names_agree(const char *path)
{
	struct elf_image *image = self_maps_open_file(path);
	struct names n = { 0 };
	const char *ours = NULL;
	char command[512];
	FILE *nm;

	if (!image)
		skip();
	snprintf(command, sizeof(command),
		 "nm -n --defined-only %s | c++filt -p", path);
	nm = popen(command, "r");
	assert_non_null(nm);
	while (fgets(n.last, sizeof(n.last), nm)) {
		char *end, *name;
		uint64_t address = strtoull(n.last, &end, 16), start = 0;

		if (strlen(end) < 4 || !strchr("tTwWi", end[1]))
			continue;
		name = end + 3;
		name[strcspn(name, "@\n")] = '\0';
		if (strstr(name, " [clone"))
			*strstr(name, " [clone") = '\0';
		name[demangle_source_length(name, strlen(name))] = '\0';
		if (address != n.address) {
			names_done(&n, ours);
			n.address = address;
			n.is_found = false;
			ours = elf_image_function(image, address, &start);
			n.is_found = false;
			n.count++;
		}
		n.is_found |= ours && strcmp(ours, name) == 0;
	}
	names_done(&n, ours);
	assert_int_equal(pclose(nm), 0);
	elf_image_close(image);
	print_message("# %s: %zu functions\n", path, n.count);
	assert_true(n.count > 40000);
	assert_int_equal(n.wrong, 0);
}

static void names_of_hotspot_17_match_nm(void **state)
{
	(void)state;
	names_agree(LIBJVM_17);
}

static void names_of_hotspot_25_match_nm(void **state)
{
	(void)state;
	names_agree(LIBJVM_25);
}

static void elf_image_refuses_other_files(void **state)
{
	static const char script[] = "#!/bin/sh\nexit 0\n";
	struct error err = { 0 };

	(void)state;
	assert_null(elf_image_open_bytes(script, sizeof(script), &err));
	assert_int_equal(err.kind, ERROR_INPUT);
	assert_null(elf_image_open_bytes("", 0, &err));
	elf_image_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elf_image_names_functions_of_this_program),
		cmocka_unit_test(elf_image_prefers_the_best_known_name),
		cmocka_unit_test(elf_image_reads_the_vdso_from_memory),
		cmocka_unit_test(
			elf_image_recognizes_thread_roots_of_a_stripped_library),
		cmocka_unit_test(names_of_hotspot_17_match_nm),
		cmocka_unit_test(names_of_hotspot_25_match_nm),
		cmocka_unit_test(elf_image_refuses_other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
