/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/tar.h"
#include "core/base/text.h"
#include "core/base/zip.h"
#include "core/formats/reader.h"
#include "core/formats/snap_bundle.h"
#include "core/profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DIRECTORY "sjkc-snap-host-7-20261129T000000Z/"

static const char dump[] =
	"2026-11-29 10:00:00\n"
	"Full thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):\n"
	"\n"
	"\"main\" #1 prio=5 os_prio=0 tid=0x00007f0c8c026000 nid=0x1 runnable\n"
	"   java.lang.Thread.State: RUNNABLE\n"
	"\tat a.Main.run(Main.java:5)\n"
	"\n";

static void add(struct text *out, const char *name, const char *text)
{
	tar_add(out, name, text, strlen(text), 1);
}

static int read_bundle(struct profile *p, const struct text *bundle,
		       struct error *err)
{
	const uint8_t *bytes = (const uint8_t *)bundle->bytes;

	assert_true(snap_reader.sniff(bytes, bundle->len));
	return snap_reader.read(bytes, bundle->len, p, err);
}

static void dumps_are_read_without_a_profile(void **state)
{
	struct profile *p = profile_new();
	struct text bundle = { 0 };
	struct error err = { 0 };
	size_t notes = 0;

	(void)state;
	add(&bundle, DIRECTORY "threads-1.txt", dump);
	add(&bundle, DIRECTORY "threads-2.txt", dump);
	add(&bundle, DIRECTORY "other.txt", dump);
	tar_end(&bundle);
	if (read_bundle(p, &bundle, &err))
		fail_msg("%s", err.text);
	assert_int_equal(p->events[0].samples, 2);
	for (size_t i = 0; i < p->remark_count; i++)
		notes += strcmp(p->remarks[i].what,
				"bundles without a profile") == 0;
	assert_int_equal(notes, 1);
	profile_free(p);
	text_release(&bundle);
}

static void assert_error(const struct text *bundle, const char *text)
{
	struct profile *p = profile_new();
	struct error err = { 0 };

	assert_int_equal(read_bundle(p, bundle, &err), -1);
	assert_int_equal(err.kind, ERROR_INPUT);
	if (!strstr(err.text, text))
		fail_msg("%s", err.text);
	profile_free(p);
}

static void other_archives_are_refused(void **state)
{
	struct text bundle = { 0 };

	(void)state;
	add(&bundle, "a/threads-1.txt", dump);
	assert_error(&bundle, "not of `sjkc snap`");
	text_clear(&bundle);
	add(&bundle, DIRECTORY "why.json", "{}");
	assert_error(&bundle, "has no thread dump");
	text_clear(&bundle);
	add(&bundle, DIRECTORY "threads-1.txt", "nothing");
	assert_error(&bundle, "threads-1.txt: ");
	text_clear(&bundle);
	add(&bundle, DIRECTORY "7/threads-1.txt", dump);
	add(&bundle, DIRECTORY "8/threads-1.txt", dump);
	assert_error(&bundle, "several JVMs");
	text_release(&bundle);
}

static struct input input_of(const struct text *text)
{
	return (struct input){ .bytes = (const uint8_t *)text->bytes,
			       .len = text->len,
			       .fd = -1 };
}

static void narrowed_input_is_the_member(void **state)
{
	struct text bundle = { 0 }, other = { 0 };
	struct input in;
	struct error err;

	(void)state;
	add(&bundle, DIRECTORY "7/gc.json", "records");
	add(&bundle, DIRECTORY "system/loadavg", "1");
	in = input_of(&bundle);
	assert_int_equal(snap_bundle_narrow(&in, SNAP_GC, &err), 1);
	assert_int_equal(in.len, 7);
	assert_memory_equal(in.bytes, "records", 7);
	in = input_of(&bundle);
	assert_int_equal(snap_bundle_narrow(&in, SNAP_WHY, &err), -1);
	assert_non_null(strstr(err.text, "no why.json"));
	text_puts(&other, "text");
	in = input_of(&other);
	assert_int_equal(snap_bundle_narrow(&in, SNAP_GC, &err), 0);
	assert_int_equal(in.len, 4);
	text_release(&bundle);
	text_release(&other);
}

static void bundle_cut_at_any_byte_is_read_or_refused(void **state)
{
	struct text bundle = { 0 };

	(void)state;
	add(&bundle, DIRECTORY "why.json", "{}");
	add(&bundle, DIRECTORY "threads-1.txt", dump);
	for (size_t len = TAR_BLOCK; len <= bundle.len; len++) {
		const struct text part = { .bytes = bundle.bytes, .len = len };
		struct profile *p = profile_new();
		struct error err = { 0 };

		if (read_bundle(p, &part, &err))
			assert_int_equal(err.kind, ERROR_INPUT);
		else
			assert_true(len > 3 * TAR_BLOCK);
		profile_free(p);
	}
	text_release(&bundle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dumps_are_read_without_a_profile),
		cmocka_unit_test(other_archives_are_refused),
		cmocka_unit_test(narrowed_input_is_the_member),
		cmocka_unit_test(bundle_cut_at_any_byte_is_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
