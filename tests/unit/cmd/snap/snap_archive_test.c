/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/snap/snap.h"

#include "core/base/zip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Adds a file that compression does not shrink. */
static void add_random(struct snap_bundle *b, const char *name, size_t len,
		       bool is_required)
{
	uint32_t state = 1;
	char *bytes = malloc(len);

	for (size_t i = 0; i < len; i++) {
		state = state * 1664525 + 1013904223;
		bytes[i] = (char)(state >> 24);
	}
	snap_bundle_add(b, name, bytes, len, is_required);
	free(bytes);
}

static void assert_status(const struct snap_bundle *b, const char *name,
			  const char *status)
{
	for (size_t i = 0; i < b->count; i++) {
		if (strcmp(b->all[i].name, name) == 0) {
			assert_string_equal(b->all[i].status, status);
			assert_int_equal(b->all[i].packed.len > 0,
					 strcmp(status, "ok") == 0);
			return;
		}
	}
	fail_msg("no %s", name);
}

static void largest_optional_file_is_dropped_first(void **state)
{
	struct snap_bundle b = { .directory = "d", .max_bytes = 40000 };

	(void)state;
	add_random(&b, "required.jfr", 20000, true);
	add_random(&b, "small.jfr", 5000, false);
	add_random(&b, "large.jfr", 14000, false);
	assert_status(&b, "large.jfr", "ok");
	add_random(&b, "medium.jfr", 8000, false);
	assert_status(&b, "required.jfr", "ok");
	assert_status(&b, "small.jfr", "ok");
	assert_status(&b, "large.jfr", "dropped");
	assert_status(&b, "medium.jfr", "ok");
	add_random(&b, "second.jfr", 30000, true);
	assert_status(&b, "small.jfr", "dropped");
	assert_status(&b, "medium.jfr", "dropped");
	assert_status(&b, "second.jfr", "dropped");
	assert_status(&b, "required.jfr", "ok");
	assert_true(b.bytes <= b.max_bytes);
	snap_bundle_release(&b);
}

static void assert_contents(const struct snap_member *m, const char *wanted)
{
	struct inflated all = inflate_bytes(INFLATE_GZIP,
					    (const uint8_t *)m->packed.bytes,
					    m->packed.len, 0);

	assert_null(all.damage);
	assert_true(memmem(all.bytes, all.len, wanted, strlen(wanted)));
	free(all.bytes);
}

static void text_is_masked_and_json_is_not(void **state)
{
	static const char text[] = "a.password=x";
	struct snap_bundle b = { .directory = "d", .max_bytes = 40000 };

	(void)state;
	assert_contents(snap_bundle_add(&b, "logs/1-a.log", text, 12, false),
			"a.password=***");
	assert_contents(snap_bundle_add(&b, "a.json", text, 12, false),
			"a.password=x");
	snap_bundle_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(largest_optional_file_is_dropped_first),
		cmocka_unit_test(text_is_masked_and_json_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
