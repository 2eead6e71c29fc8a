/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames with lines and frames without are read by different code; the stack
 * traces must be the same.
 */
#include "core/base/input.h"
#include "core/formats/reader.h"
#include "render/profile/export.h"

#include "tests/unit/sampled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <glob.h>
#include <stdlib.h>
#include <string.h>

static void write_folded(struct output *out, void *self)
{
	const struct collapsed_options options = { 0 };
	const struct profile *p = self;

	for (uint32_t i = 0; i < p->event_count; i++) {
		struct event_view view = { .events = { i }, .event_count = 1 };

		output_printf(out, "# %s\n",
			      profile_text(p, p->events[i].name));
		collapsed_write(out, p, &view, &options);
	}
}

static struct text stacks_of(const struct input *in, bool lines)
{
	struct profile *p = profile_new();
	struct error err = { 0 };
	struct text folded;

	p->keep_lines = lines;
	if (jfr_reader.read(in->bytes, in->len, p, &err))
		fail_msg("%s", err.text);
	folded = sampled_written(write_folded, p);
	profile_free(p);
	return folded;
}

/* Returns the number of recordings. */
static size_t check_all(const char *pattern)
{
	size_t count;
	glob_t found;

	if (glob(pattern, 0, NULL, &found))
		return 0;
	count = found.gl_pathc;
	for (size_t i = 0; i < count; i++) {
		struct text with, without;
		struct error err;
		struct input in;

		if (input_open(&in, found.gl_pathv[i], &err) ||
		    input_complete(&in, &err))
			fail_msg("%s: %s", found.gl_pathv[i], err.text);
		with = stacks_of(&in, true);
		without = stacks_of(&in, false);
		assert_true(with.len > 20);
		if (with.len != without.len ||
		    memcmp(with.bytes, without.bytes, with.len) != 0)
			fail_msg("%s: other stack traces without lines",
				 found.gl_pathv[i]);
		text_release(&with);
		text_release(&without);
		input_close(&in);
	}
	globfree(&found);
	return count;
}

static void lines_of_a_small_recording(void **state)
{
	(void)state;
	assert_int_equal(check_all("tests/data/jfr/*.jfr"), 3);
}

static void lines_of_recordings_of_all_kinds(void **state)
{
	(void)state;
	if (!check_all("../shared/data/own/jfr/*17*.jfr")) {
		print_message("skipped: ../shared/data/own/jfr is not here\n");
		skip();
	}
	check_all("../shared/data/own/jfr/*25*.jfr");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_a_small_recording),
		cmocka_unit_test(lines_of_recordings_of_all_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
