/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/input.h"

#include "core/base/alloc.h"
#include "core/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#define BIG ((size_t)5 << 20) /* more than the head */

static char folder[64];
static char path[96];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/input_test.XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/file", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

static uint8_t *random_bytes(size_t len)
{
	uint8_t *bytes = xmalloc(len);
	unsigned seed = 1;

	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(rand_r(&seed) >> 4);
	bytes[0] = 'x'; /* not gzip */
	return bytes;
}

static void write_all(int fd, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	while (len) {
		ssize_t put = write(fd, at, len);

		if (put <= 0)
			_exit(1);
		at += put;
		len -= (size_t)put;
	}
}

static void write_file(const void *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	write_all(fd, bytes, len);
	close(fd);
}

static struct text gzipped(const void *bytes, size_t len)
{
	struct text out = { 0 };
	gzFile gz = gzopen(path, "wb1");
	char buffer[65536];
	FILE *file;
	size_t got;

	assert_int_equal(gzwrite(gz, bytes, (unsigned)len), len);
	gzclose(gz);
	file = fopen(path, "rb");
	while ((got = fread(buffer, 1, sizeof(buffer), file)) > 0)
		text_add(&out, buffer, got);
	fclose(file);
	return out;
}

/* Starts a process that writes to a pipe, which is opened as "/dev/fd/N". */
static pid_t write_pipe(const void *bytes, size_t len, char *name, size_t size,
			int *read_end)
{
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		write_all(ends[1], bytes, len);
		_exit(0);
	}
	close(ends[1]);
	*read_end = ends[0];
	snprintf(name, size, "/dev/fd/%d", ends[0]);
	return pid;
}

static void expect_file(const char *name, const void *bytes, size_t len,
			const char *damage)
{
	struct input in;
	struct error err;

	if (input_open(&in, name, &err))
		fail_msg("%s", err.text);
	assert_string_equal(in.name, name);
	assert_true(in.len > 0);
	assert_memory_equal(in.bytes, bytes, in.len < len ? in.len : len);
	if (input_complete(&in, &err))
		fail_msg("%s", err.text);
	assert_int_equal(in.len, len);
	assert_memory_equal(in.bytes, bytes, len);
	if (damage)
		assert_string_equal(in.damage, damage);
	else
		assert_null(in.damage);
	/* A second call has no effect. */
	assert_int_equal(input_complete(&in, &err), 0);
	assert_int_equal(in.len, len);
	input_close(&in);
	assert_null(in.bytes);
}

static void expect_pipe(const void *raw, size_t raw_len, const void *bytes,
			size_t len, const char *damage)
{
	char name[32];
	int status, fd;
	pid_t pid = write_pipe(raw, raw_len, name, sizeof(name), &fd);

	expect_file(name, bytes, len, damage);
	close(fd);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void file_is_read_completely(void **state)
{
	uint8_t *bytes = random_bytes(BIG);

	(void)state;
	write_file(bytes, BIG);
	expect_file(path, bytes, BIG, NULL);
	write_file("x", 1);
	expect_file(path, "x", 1, NULL);
	free(bytes);
}

static void pipe_is_read_completely(void **state)
{
	uint8_t *bytes = random_bytes(BIG);

	(void)state;
	expect_pipe(bytes, BIG, bytes, BIG, NULL);
	/* Lengths around that of the head. */
	expect_pipe(bytes, INPUT_HEAD - 1, bytes, INPUT_HEAD - 1, NULL);
	expect_pipe(bytes, INPUT_HEAD, bytes, INPUT_HEAD, NULL);
	expect_pipe(bytes, INPUT_HEAD + 1, bytes, INPUT_HEAD + 1, NULL);
	expect_pipe("x", 1, "x", 1, NULL);
	free(bytes);
}

static void gzip_is_undone_from_files_and_pipes(void **state)
{
	uint8_t *bytes = random_bytes(BIG);
	struct text zipped = gzipped(bytes, BIG);

	(void)state;
	expect_file(path, bytes, BIG, NULL);
	expect_pipe(zipped.bytes, zipped.len, bytes, BIG, NULL);
	text_release(&zipped);
	zipped = gzipped("main 5\n", 7);
	expect_file(path, "main 5\n", 7, NULL);
	expect_pipe(zipped.bytes, zipped.len, "main 5\n", 7, NULL);
	text_release(&zipped);
	free(bytes);
}

static void truncated_gzip_file_yields_its_start_and_the_damage(void **state)
{
	uint8_t *bytes = random_bytes(BIG);
	struct text zipped = gzipped(bytes, BIG);
	struct input in;
	struct error err;

	(void)state;
	write_file(zipped.bytes, zipped.len / 2);
	assert_int_equal(input_open(&in, path, &err), 0);
	assert_int_equal(input_complete(&in, &err), 0);
	assert_true(in.len > BIG / 3 && in.len < BIG);
	assert_memory_equal(in.bytes, bytes, in.len);
	assert_string_equal(in.damage, "truncated compressed data");
	input_close(&in);
	text_release(&zipped);
	free(bytes);
}

static void input_open_reads_only_the_head_of_an_endless_stream(void **state)
{
	struct input in;
	struct error err;

	(void)state;
	assert_int_equal(input_open(&in, "/dev/zero", &err), 0);
	assert_int_equal(in.len, INPUT_HEAD);
	input_close(&in);
}

static void expect_refused(const char *name, const char *said, int sys)
{
	struct input in;
	struct error err = { 0 };

	assert_int_equal(input_open(&in, name, &err), -1);
	assert_int_equal(err.kind, ERROR_INPUT);
	if (!strstr(err.text, said))
		fail_msg("%s", err.text);
	assert_int_equal(err.sys, sys);
	input_close(&in);
}

static void unreadable_input_is_rejected_with_the_reason(void **state)
{
	struct text zipped = gzipped("", 0);

	(void)state;
	expect_refused("/nowhere/at/all", "cannot open", ENOENT);
	expect_refused("", "cannot open", ENOENT);
	expect_refused(folder, "is a directory", 0);
	expect_refused("/dev/null", "empty input", 0);
	expect_refused(path, "empty after decompression", 0);
	write_file("", 0);
	expect_refused(path, "empty input", 0);
	write_file("\x1f\x8b\x08\0", 4);
	expect_refused(path, "truncated", 0);
	text_release(&zipped);
}

static void files_of_proc_have_no_size_and_are_read_still(void **state)
{
	struct input in;
	struct error err;

	(void)state;
	assert_int_equal(input_open(&in, "/proc/self/status", &err), 0);
	assert_memory_equal(in.bytes, "Name:", 5);
	input_close(&in);
}

/* So a thousand inputs do not reach the limit on open files. */
static void mapped_file_is_closed(void **state)
{
	struct input in;
	struct error err;
	int next = dup(STDERR_FILENO);

	(void)state;
	close(next);
	write_file("x", 1);
	assert_int_equal(input_open(&in, path, &err), 0);
	assert_int_equal(dup(STDERR_FILENO), next);
	close(next);
	assert_int_equal(input_complete(&in, &err), 0);
	assert_memory_equal(in.bytes, "x", 1);
	input_close(&in);
}

static void input_close_accepts_zeroed_storage(void **state)
{
	struct input in = { 0 };

	(void)state;
	input_close(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_is_read_completely),
		cmocka_unit_test(pipe_is_read_completely),
		cmocka_unit_test(gzip_is_undone_from_files_and_pipes),
		cmocka_unit_test(
			truncated_gzip_file_yields_its_start_and_the_damage),
		cmocka_unit_test(
			input_open_reads_only_the_head_of_an_endless_stream),
		cmocka_unit_test(unreadable_input_is_rejected_with_the_reason),
		cmocka_unit_test(files_of_proc_have_no_size_and_are_read_still),
		cmocka_unit_test(mapped_file_is_closed),
		cmocka_unit_test(input_close_accepts_zeroed_storage),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
