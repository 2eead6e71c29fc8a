/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries as linkers, strip and objcopy create them.  They are built here,
 * loaded into this process, and read like a target's libraries.
 */
#include "core/elf/elf_image.h"

#include "tests/unit/self_maps.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/elf_built_XXXXXX";

static const char
	source[] = "int shown(int x) { return x * 3; }\n"
		   "static __attribute__((noinline)) int kept(int x) {\n"
		   "	__asm__ volatile(\"\" : \"+r\"(x)); return x + 1; }\n"
		   "void *where(void) { return (void *)kept; }\n"
		   "__attribute__((section(\".own,\\\"awx\\\",@progbits#\")))\n"
		   "int elsewhere(int x) { return x + shown(x); }\n"
		   "__asm__(\".text\\n\"\n"
		   "	\".globl no_size, with_label, a_label, after\\n\"\n"
		   "	\".type no_size, @function\\n\"\n"
		   "	\"no_size: nop\\nnop\\nnop\\nret\\n\"\n"
		   "	\".type with_label, @function\\n\"\n"
		   "	\"with_label: nop\\nnop\\n\"\n"
		   "	\"a_label: nop\\nnop\\n\"\n"
		   "	\"ret\\n.size with_label, . - with_label\\n\"\n"
		   "	\"nop\\nnop\\n\"\n"
		   "	\"bare: nop\\nret\\n\"\n"
		   "	\".type after, @function\\n\"\n"
		   "	\"after: ret\\n.size after, 1\\n\");\n";

/* Runs a command in the test's directory. */
static void run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void run(const char *fmt, ...)
{
	char command[2048];
	va_list args;
	int len = snprintf(command, sizeof(command), "cd %s && ", directory);

	va_start(args, fmt);
	vsnprintf(command + len, sizeof(command) - (size_t)len, fmt, args);
	va_end(args);
	if (system(command) != 0)
		fail_msg("%s", command);
}

static int make_directory(void **state)
{
	char path[256];
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/lib.c", directory);
	f = fopen(path, "w");
	fputs(source, f);
	fclose(f);
	return 0;
}

static int remove_directory(void **state)
{
	(void)state;
	run("rm -rf %s", directory);
	return 0;
}

static void build(const char *name, const char *flags)
{
	run("gcc -O2 -g -shared -fPIC %s -o %s lib.c 2>/dev/null", flags, name);
}

/* A library that is loaded into this process. */
struct loaded {
	void *handle;
	struct self_maps self;
	struct elf_image *image;
	uint64_t bias; /* bias of its text */
};

static void load(struct loaded *l, const char *name)
{
	uint64_t in_file;
	char path[256];
	uintptr_t shown;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!l->handle)
		fail_msg("%s", dlerror());
	self_maps_open(&l->self);
	shown = (uintptr_t)dlsym(l->handle, "shown");
	l->image = self_maps_image(&l->self, shown, &in_file);
	l->bias = shown - in_file;
	assert_string_equal(elf_image_name(l->image), name);
	assert_int_equal(elf_image_symbol(l->image, "shown"), in_file);
}

static void unload(struct loaded *l)
{
	elf_image_close(l->image);
	self_maps_close(&l->self);
	dlclose(l->handle);
}

static void is_named(struct loaded *l, const void *address, int offset,
		     const char *name)
{
	uint64_t in_file = (uintptr_t)address + (uint64_t)offset - l->bias;
	const char *ours = elf_image_function(l->image, in_file, NULL);

	if (!name)
		assert_null(ours);
	else
		assert_string_equal(ours ? ours : "(none)", name);
}

/* Returns the address of a function that the library does not export. */
static const void *kept_of(struct loaded *l)
{
	void *(*where)(void);

	*(void **)&where = dlsym(l->handle, "where");
	return where();
}

static void function_is_found_wherever_segments_are(void **state)
{
	static const char *const ways[] = {
		"-Wl,-z,separate-code",
		"-Wl,-z,noseparate-code",
		"-Wl,-z,separate-code,-Ttext-segment=0x7000000",
		"-Wl,-z,noseparate-code,-Ttext-segment=0x7000000",
		"-Wl,-z,max-page-size=0x200000",
		"-Wl,--hash-style=sysv -Wl,--no-eh-frame-hdr",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct cfi_row row;
		struct loaded l;
		char name[32];

		snprintf(name, sizeof(name), "way%zu.so", i);
		build(name, ways[i]);
		load(&l, name);
		is_named(&l, dlsym(l.handle, "shown"), 0, "shown");
		is_named(&l, kept_of(&l), 1, "kept");
		assert_true(elf_image_cfi(
			l.image, (uintptr_t)kept_of(&l) + 1 - l.bias, &row));
		assert_int_equal(row.cfa_register, DWARF_SP);
		assert_int_equal(row.cfa_offset, 8);
		/* Code between two functions has no call frame information. */
		assert_false(elf_image_cfi(
			l.image, (uintptr_t)dlsym(l.handle, "after") - l.bias,
			&row));
		unload(&l);
	}
}

static void second_code_segment_has_the_same_bias(void **state)
{
	struct elf_image *image;
	uintptr_t elsewhere;
	uint64_t in_file;
	struct loaded l;

	(void)state;
	build("two.so", "-Wl,-z,separate-code");
	load(&l, "two.so");
	elsewhere = (uintptr_t)dlsym(l.handle, "elsewhere");
	image = self_maps_image(&l.self, elsewhere, &in_file);
	assert_int_equal(elsewhere - in_file, l.bias);
	assert_string_equal(elf_image_function(image, in_file, NULL),
			    "elsewhere");
	elf_image_close(image);
	unload(&l);
}

static void symbol_without_size_ends_at_the_next_symbol(void **state)
{
	struct loaded l;
	const char *at;

	(void)state;
	build("sizes.so", "");
	load(&l, "sizes.so");
	at = dlsym(l.handle, "no_size");
	is_named(&l, at, 0, "no_size");
	is_named(&l, at, 3, "no_size");
	at = dlsym(l.handle, "with_label");
	/* A label within a function belongs to the function. */
	is_named(&l, at, 3, "with_label");
	is_named(&l, at, 4, "with_label");
	/*
	 * Padding after a function with a size does not belong to the function.
	 */
	is_named(&l, at, 5, NULL);
	is_named(&l, at, 7, "bare");
	is_named(&l, at, 8, "bare");
	is_named(&l, at, 9, "after");
	unload(&l);
}

static void add_function(char letter, int letters)
{
	run("name=$(head -c %d /dev/zero | tr '\\0' %c) && "
	    "echo \"void $name(void) { }\" >>lib.c",
	    letters, letter);
}

/* Returns the length of the known part of the name with that many letters. */
static size_t known_of_name(struct loaded *l, char letter, size_t letters)
{
	char *name = calloc(1, letters + 1);
	const char *known;
	uint64_t in_file;
	size_t len;

	memset(name, letter, letters);
	in_file = (uintptr_t)dlsym(l->handle, name) - l->bias;
	known = elf_image_function(l->image, in_file, NULL);
	len = known ? strlen(known) : 0;
	if (len)
		assert_memory_equal(known, name, len);
	free(name);
	return len;
}

static void symbol_names_are_truncated_to_the_limit(void **state)
{
	struct loaded l;

	(void)state;
	run("cp lib.c short.c");
	add_function('m', 2000);
	add_function('n', 100000);
	build("long.so", "");
	run("mv short.c lib.c");
	load(&l, "long.so");
	assert_int_equal(known_of_name(&l, 'm', 2000), 2000);
	assert_in_range(known_of_name(&l, 'n', 100000), 2000, 4095);
	is_named(&l, dlsym(l.handle, "shown"), 1, "shown");
	unload(&l);
}

static void stripped_library_names_only_exports(void **state)
{
	struct loaded l;
	const char *at;

	(void)state;
	build("whole.so", "-Wl,--build-id=none");
	run("strip -o stripped.so whole.so");
	load(&l, "stripped.so");
	is_named(&l, dlsym(l.handle, "shown"), 1, "shown");
	is_named(&l, kept_of(&l), 0, NULL);
	is_named(&l, kept_of(&l), 1, NULL);
	/* Without a size, the end of the function is unknown. */
	at = dlsym(l.handle, "no_size");
	is_named(&l, at, 0, "no_size");
	is_named(&l, at, 1, NULL);
	unload(&l);
}

/* Splits whole.so into name and .debug/name.debug. */
static void split(const char *name)
{
	run("mkdir -p .debug && objcopy --only-keep-debug whole.so "
	    ".debug/%s.debug && cd .debug && objcopy --strip-all "
	    "--add-gnu-debuglink=%s.debug ../whole.so ../%s",
	    name, name, name);
}

static void debug_file_is_found_by_debuglink(void **state)
{
	static const char *const ways[][2] = {
		{ "by_sum.so", "-Wl,--build-id=none" },
		{ "by_id.so", "-Wl,--build-id=sha1" },
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct loaded l;

		build("whole.so", ways[i][1]);
		split(ways[i][0]);
		load(&l, ways[i][0]);
		is_named(&l, kept_of(&l), 1, "kept");
		is_named(&l, dlsym(l.handle, "shown"), 1, "shown");
		unload(&l);
	}
}

static void debug_file_of_another_build_is_refused(void **state)
{
	static const char *const ways[][2] = {
		{ "no_sum.so", "-Wl,--build-id=none" },
		{ "no_id.so", "-Wl,--build-id=sha1" },
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct loaded l;
		char flags[64];

		build("whole.so", ways[i][1]);
		split(ways[i][0]);
		snprintf(flags, sizeof(flags), "-DOTHER -O0 %s", ways[i][1]);
		build("whole.so", flags);
		run("objcopy --only-keep-debug whole.so .debug/%s.debug",
		    ways[i][0]);
		load(&l, ways[i][0]);
		is_named(&l, kept_of(&l), 1, NULL);
		unload(&l);
	}
}

static void debug_file_of_another_user_is_refused(void **state)
{
	struct loaded l;

	(void)state;
	if (geteuid() != 0)
		skip();
	build("whole.so", "-Wl,--build-id=sha1");
	split("owned.so");
	run("chown 65534 .debug/owned.so.debug");
	load(&l, "owned.so");
	is_named(&l, kept_of(&l), 1, NULL);
	unload(&l);
}

static void gnu_debugdata_is_unpacked(void **state)
{
	struct loaded l;

	(void)state;
	build("whole.so", "-Wl,--build-id=none");
	run("objcopy --only-keep-debug --strip-debug whole.so mini &&"
	    "xz -f mini && strip -o packed.so whole.so && "
	    "objcopy --add-section .gnu_debugdata=mini.xz packed.so");
	load(&l, "packed.so");
	is_named(&l, kept_of(&l), 1, "kept");
	is_named(&l, dlsym(l.handle, "shown"), 1, "shown");
	unload(&l);
	/* A damaged debug file is ignored. */
	run("head -c 100 mini.xz >cut.xz && strip -o cut.so whole.so && "
	    "objcopy --add-section .gnu_debugdata=cut.xz cut.so");
	load(&l, "cut.so");
	is_named(&l, kept_of(&l), 1, NULL);
	unload(&l);
}

static void unlinked_library_is_read_by_map_files(void **state)
{
	struct loaded l;
	uint64_t in_file;
	uintptr_t shown;

	(void)state;
	if (geteuid() != 0)
		skip(); /* map_files requires root */
	build("gone.so", "");
	load(&l, "gone.so");
	run("rm gone.so && echo other >gone.so");
	shown = (uintptr_t)dlsym(l.handle, "shown");
	elf_image_close(l.image);
	self_maps_close(&l.self);
	self_maps_open(&l.self);
	l.image = self_maps_image(&l.self, shown, &in_file);
	assert_string_equal(elf_image_name(l.image), "gone.so");
	is_named(&l, kept_of(&l), 1, "kept");
	unload(&l);
}

/*
 * Starts a process whose root is the directory; it ends with the test or its
 * pipe.
 */
static pid_t start_in_root(int go[2])
{
	pid_t pid;
	char c;

	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (pid)
		return pid;
	close(go[1]);
	if (chroot(directory) < 0 || chdir("/") < 0)
		_exit(1);
	_exit(read(go[0], &c, 1) != 0);
}

static void end_in_root(pid_t pid, int go[2])
{
	close(go[1]);
	waitpid(pid, NULL, 0);
	close(go[0]);
}

static void wait_for_root(struct jvm *jvm, pid_t pid)
{
	struct error err;

	for (int i = 0; i < 1000; i++) {
		assert_int_equal(jvm_open(jvm, pid, &err), 0);
		if (jvm->own_root)
			return;
		jvm_close(jvm);
		usleep(10000);
	}
	fail_msg("it has not changed its root");
}

/* Opens the image of a file with a made-up mapping. */
static struct elf_image *open_there(const struct jvm *jvm, const char *path,
				    uint64_t inode, struct error *err)
{
	struct mapping m = { .start = 0x1000,
			     .end = 0x2000,
			     .inode = inode,
			     .is_executable = true,
			     .path = path };
	struct target_files files = { .jvm = jvm };

	return elf_image_open(&files, NULL, &m, 0, err);
}

static void
library_without_map_files_is_opened_by_path_in_the_root_of_the_target(
	void **state)
{
	struct elf_image *image;
	struct error err = { 0 };
	struct jvm jvm;
	char path[256];
	struct stat st;
	int go[2];
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		skip();
	/* The debug file is found by build ID in the packages' directory. */
	build("whole.so", "-Wl,--build-id=0x1234567890");
	run("strip -o there.so whole.so && "
	    "mkdir -p usr/lib/debug/.build-id/12 && objcopy --only-keep-debug "
	    "whole.so usr/lib/debug/.build-id/12/34567890.debug");
	snprintf(path, sizeof(path), "%s/there.so", directory);
	assert_int_equal(stat(path, &st), 0);
	pid = start_in_root(go);
	wait_for_root(&jvm, pid);
	image = open_there(&jvm, "/there.so", st.st_ino, &err);
	if (!image)
		fail_msg("%s", err.text);
	assert_true(elf_image_symbol(image, "kept"));
	elf_image_close(image);
	/* Another file has the path. */
	assert_null(open_there(&jvm, "/there.so", st.st_ino + 1, &err));
	assert_int_equal(err.kind, ERROR_UNAVAILABLE);
	assert_null(open_there(&jvm, "/not/there.so", 1, &err));
	assert_null(open_there(&jvm, "[vdso]", 0, &err));
	/* A link does not lead out of the root. */
	run("ln -sf %s/../..%s/there.so way_out", directory, directory);
	assert_null(open_there(&jvm, "/way_out", st.st_ino, &err));
	jvm_close(&jvm);
	end_in_root(pid, go);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(function_is_found_wherever_segments_are),
		cmocka_unit_test(second_code_segment_has_the_same_bias),
		cmocka_unit_test(symbol_without_size_ends_at_the_next_symbol),
		cmocka_unit_test(symbol_names_are_truncated_to_the_limit),
		cmocka_unit_test(stripped_library_names_only_exports),
		cmocka_unit_test(debug_file_is_found_by_debuglink),
		cmocka_unit_test(debug_file_of_another_build_is_refused),
		cmocka_unit_test(debug_file_of_another_user_is_refused),
		cmocka_unit_test(gnu_debugdata_is_unpacked),
		cmocka_unit_test(unlinked_library_is_read_by_map_files),
		cmocka_unit_test(
			library_without_map_files_is_opened_by_path_in_the_root_of_the_target),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
