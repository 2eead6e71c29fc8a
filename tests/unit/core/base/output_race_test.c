/* SPDX-License-Identifier: Apache-2.0 */
/* Files that another process replaces while sjkc opens them. */
#include "core/base/output.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void pipe_that_appears_in_a_shared_directory_is_refused(void **state)
{
	char dir[] = "/tmp/sjkc-output-XXXXXX";
	struct text path = { 0 };
	struct error err = { 0 };
	struct output out;
	struct stat old;
	int reader;

	(void)state;
	assert_non_null(mkdtemp(dir));
	text_printf(&path, "%s/out", dir);
	assert_int_equal(chmod(dir, 01777), 0);
	output_init(&out, path.bytes);
	assert_int_equal(output_resolve(&out, true, &old, &err), 0);
	assert_int_equal(mkfifo(path.bytes, 0600), 0);
	reader = open(path.bytes, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(reader >= 0);
	assert_int_equal(output_open_in_place(&out, &old, &err), -1);
	assert_non_null(strstr(err.text, "was replaced meanwhile"));
	output_close(&out);

	/* The same pipe, found in its place. */
	assert_int_equal(output_open(&out, path.bytes, &err), 0);
	output_close(&out);
	close(reader);
	unlink(path.bytes);
	rmdir(dir);
	text_release(&path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			pipe_that_appears_in_a_shared_directory_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
