/* SPDX-License-Identifier: Apache-2.0 */
#include "core/push/push.h"

#include "core/base/clock.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void ignore_notice(void *self, bool is_loss, const char *text)
{
	(void)self, (void)is_loss, (void)text;
}

static size_t list_files(const char *directory, char *last, size_t size)
{
	struct dirent **names;
	int count = scandir(directory, &names, NULL, alphasort);
	size_t files = 0;

	for (int i = 0; i < count; i++) {
		if (names[i]->d_name[0] != '.') {
			snprintf(last, size, "%s", names[i]->d_name);
			files++;
		}
		free(names[i]);
	}
	free(names);
	return files;
}

static void write_body(struct push *p, const char *bytes, uint64_t samples)
{
	struct text body = { 0 };

	text_puts(&body, bytes);
	push_add(p, &body, NULL, ".otlp.gz", samples);
}

static void directory_keeps_the_newest_files(void **state)
{
	char directory[] = "/tmp/sjkc-push-XXXXXX", last[256], path[512];
	struct push_settings s;
	struct push_counts c;
	struct error err;
	struct push *p;

	(void)state;
	assert_non_null(mkdtemp(directory));
	/* A file of an earlier run, and one that is not sjkc's. */
	snprintf(path, sizeof(path), "%s/sjkc-20200101T000000.000000Z.x",
		 directory);
	fclose(fopen(path, "w"));
	snprintf(path, sizeof(path), "%s/sjkc-notes", directory);
	fclose(fopen(path, "w"));
	push_settings_init_directory(&s, directory, PUSH_AUTO);
	s.limits.files = 3;
	s.limits.bytes = 8;
	p = push_open(&s, ignore_notice, NULL, &err);
	assert_non_null(p);
	write_body(p, "1", 1);
	write_body(p, "22", 2);
	write_body(p, "333", 3);
	write_body(p, "4444", 4);
	assert_true(push_finish(p, clock_monotonic_ns() + 60 * CLOCK_NS_PER_S));
	c = push_counts(p);
	assert_int_equal(c.delivered_samples, 10);
	/* The old one and the first by their number, the second by its size. */
	assert_int_equal(c.removed_files, 3);
	assert_int_equal(c.removed_bytes, 3);
	assert_int_equal(list_files(directory, last, sizeof(last)), 3);
	assert_string_equal(last, "sjkc-notes");
	/* A file larger than the limit is kept: it is the newest. */
	write_body(p, "55555555555", 5);
	assert_true(push_finish(p, clock_monotonic_ns() + 60 * CLOCK_NS_PER_S));
	assert_int_equal(list_files(directory, last, sizeof(last)), 2);
	/* Nothing can be written now. */
	snprintf(path, sizeof(path), "rm -rf %s", directory);
	assert_int_equal(system(path), 0);
	write_body(p, "6", 6);
	assert_false(push_finish(p, clock_monotonic_ns() + CLOCK_NS_PER_S / 2));
	assert_int_equal(push_counts(p).queued_samples, 6);
	assert_int_equal(mkdir(directory, 0700), 0);
	assert_true(push_finish(p, clock_monotonic_ns() + 60 * CLOCK_NS_PER_S));
	assert_int_equal(list_files(directory, last, sizeof(last)), 1);
	snprintf(path, sizeof(path), "%s/%s", directory, last);
	unlink(path);
	rmdir(directory);
	push_close(p);
	push_settings_release(&s);
}

static void full_disk_loses_the_oldest_files(void **state)
{
	char directory[] = "/tmp/sjkc-push-XXXXXX", last[256], body[20001];
	struct push_settings s;
	struct push_counts c;
	struct error err;
	struct push *p;

	(void)state;
	assert_non_null(mkdtemp(directory));
	if (mount("tmpfs", directory, "tmpfs", 0, "size=64k")) {
		rmdir(directory);
		print_message("no right to mount a file system\n");
		skip();
	}
	memset(body, 'b', sizeof(body) - 1);
	body[sizeof(body) - 1] = '\0';
	push_settings_init_directory(&s, directory, PUSH_AUTO);
	p = push_open(&s, ignore_notice, NULL, &err);
	assert_non_null(p);
	for (int i = 0; i < 10; i++)
		write_body(p, body, 1);
	push_finish(p, clock_monotonic_ns() + 60 * CLOCK_NS_PER_S);
	c = push_counts(p);
	push_close(p);
	push_settings_release(&s);
	/* Three files of 20 KB fit into 64 KB. */
	assert_int_equal(list_files(directory, last, sizeof(last)), 3);
	umount(directory);
	rmdir(directory);
	assert_int_equal(c.delivered, 10);
	assert_int_equal(c.removed_files, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(directory_keeps_the_newest_files),
		cmocka_unit_test(full_disk_loses_the_oldest_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
