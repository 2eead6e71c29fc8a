/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the output of real JVMs. */
#include "cmd/shared/vm_flags.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char jdk8[] =
	"[Global flags]\n"
	"    uintx MaxHeapSize                              := 100663296      "
	"                     {product}\n"
	"     bool PrintGC                                   = false          "
	"                     {manageable}\n"
	"    ccstr HeapDumpPath                              =                "
	"                     {manageable}\n"
	"     bool UseParNewGC                              := true           "
	"                     {product}\n"
	"     bool UseConcMarkSweepGC                       := true           "
	"                     {product}\n"
	"ccstrlist OnError                                  = a=b {c}        "
	"                     {product}\n"
	"    ccstr PerfDataSaveFile                         := {d}            "
	"                     {product rw}\n"
	"     intx hashCode                                  = 5              "
	"                     {product}\n";

static const char jdk28[] =
	"[Global flags]\n"
	"   size_t MaxHeapSize                              = 100663296       "
	"                         {product} {command line}\n"
	"     bool UseG1GC                                  = false           "
	"                         {product} {default}\n"
	"     bool UseZGC                                   = true            "
	"                         {product} {command line}\n"
	"ccstrlist OnError                                  = a=b {c}         "
	"                         {product} {command line}\n";

static void check(const char *flags, const char *name, const char *value,
		  const char *origin, bool is_changed)
{
	struct lines lines = lines_over(flags, strlen(flags));
	struct line line;
	struct vm_flag f;

	while (lines_next(&lines, &line)) {
		if (!vm_flag_read(line, &f) || !line_is(f.name, name))
			continue;
		assert_true(line_is(f.value, value));
		assert_true(line_is(f.origin, origin));
		assert_int_equal(f.is_changed, is_changed);
		return;
	}
	fail_msg("no flag %s", name);
}

static void flags_of_jdk_8_tell_whether_they_are_the_default(void **state)
{
	(void)state;
	check(jdk8, "MaxHeapSize", "100663296", "{product}", true);
	check(jdk8, "PrintGC", "false", "{manageable}", false);
	check(jdk8, "HeapDumpPath", "", "{manageable}", false);
	check(jdk8, "hashCode", "5", "{product}", false);
	check(jdk8, "OnError", "a=b {c}", "{product}", false);
	check(jdk8, "PerfDataSaveFile", "{d}", "{product rw}", true);
}

static void flags_since_jdk_9_tell_where_they_are_from(void **state)
{
	(void)state;
	check(jdk28, "MaxHeapSize", "100663296", "{product} {command line}",
	      false);
	check(jdk28, "OnError", "a=b {c}", "{product} {command line}", false);
}

static void lines_without_a_flag_are_skipped(void **state)
{
	static const char *const none[] = {
		"", "[Global flags]", "=", ":=", "a=b", "bool :=", "bool ="
	};
	struct vm_flag f;

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_false(vm_flag_read(
			(struct line){ none[i], strlen(none[i]) }, &f));
}

static const struct vm_collector *collector(const char *flags)
{
	struct text text = { 0 };
	const struct vm_collector *c;

	text_puts(&text, flags);
	c = vm_collector_of(&text);
	text_release(&text);
	return c;
}

static void collector_follows_from_the_flags(void **state)
{
	(void)state;
	assert_string_equal(collector(jdk8)->name, "CMS");
	assert_false(collector(jdk8)->counts_reachable_only);
	assert_string_equal(collector(jdk28)->name, "ZGC");
	assert_true(collector(jdk28)->counts_reachable_only);
	assert_true(collector("bool UseEpsilonGC = true {x}")->never_collects);
	assert_true(collector("bool UseShenandoahGC = true {x}")
			    ->counts_reachable_only);
	assert_null(collector("bool UseNewGC = true {product}"));
	assert_null(collector(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			flags_of_jdk_8_tell_whether_they_are_the_default),
		cmocka_unit_test(flags_since_jdk_9_tell_where_they_are_from),
		cmocka_unit_test(lines_without_a_flag_are_skipped),
		cmocka_unit_test(collector_follows_from_the_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
