/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client/client_fences.h"

#include "core/jvm/jdk_version.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void version_strings_of_every_vendor_are_parsed(void **state)
{
	static const struct {
		const char *text;
		unsigned feature, update;
		bool is_early;
	} cases[] = {
		{ "1.8.0_504", 8, 504, false },
		{ "1.8.0_362-internal", 8, 362, false },
		{ "1.8.0_202-ea", 8, 202, true },
		{ "1.8.0", 8, 0, false },
		{ "8u504", 8, 504, false },
		{ "8.0_382", 8, 382, false }, /* as VM.version prints it */
		{ "11", 11, 0, false },
		{ "11.0.24", 11, 24, false },
		{ "11.0.33-ea", 11, 33, true },
		{ "11.0.16.1", 11, 16, false },
		{ "17.0.9", 17, 9, false },
		{ "17.0.9+11-LTS", 17, 9, false },
		{ "21.0.12.1+1-1-deb13u1-Debian", 21, 12, false },
		{ "25.0.3", 25, 3, false },
		{ "26.0.2.1", 26, 2, false },
		{ "27.0.1.0.3", 27, 1, false },
		{ "28-ea", 28, 0, true },
		{ "28-ea+18", 28, 0, true },
		{ "17-internal", 17, 0, false },
	};
	static const char *const unknown[] = {
		"", "java", "1.", "17.", "8u", "99999999999", "-1", NULL,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct jdk_version v = jdk_version_of(cases[i].text);

		assert_int_equal(v.feature, cases[i].feature);
		assert_int_equal(v.update, cases[i].update);
		assert_int_equal(v.is_early, cases[i].is_early);
	}
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		assert_int_equal(jdk_version_of(unknown[i]).feature, 0);
}

static bool is_safe(const char *version, const char *vm_name, struct text *why)
{
	const struct jvm_info about = {
		.version = (char *)(uintptr_t)version,
		.vm_name = (char *)(uintptr_t)vm_name,
	};

	text_clear(why);
	return agent_names_are_safe(&about, why);
}

#define OPENJDK "OpenJDK 64-Bit Server VM"
#define ORACLE  "Java HotSpot(TM) 64-Bit Server VM"

static void agent_asks_for_names_only_where_the_bugs_are_fixed(void **state)
{
	static const char *const safe[] = {
		"11.0.27", "11.0.33-ea", "17.0.14",   "17.0.15",
		"21.0.3",  "22",         "21.0.12.1", "23.0.1",
		"25.0.3",  "26.0.2.1",   "28-ea",     "27.0.1.0.3",
	};
	static const char *const unsafe[] = {
		"1.8.0_504",  "1.8.0_342", "9.0.4",  "11.0.24",
		"11.0.27-ea", "14.0.2",    "16.0.2", "17.0.9",
		"17.0.13",    "17",        "18.0.2", "20.0.2",
		"21",         "21.0.2",    "22-ea",  "unknown",
	};
	struct text why = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(safe) / sizeof(*safe); i++) {
		assert_true(is_safe(safe[i], OPENJDK, &why));
		assert_int_equal(why.len, 0);
	}
	for (size_t i = 0; i < sizeof(unsafe) / sizeof(*unsafe); i++) {
		assert_false(is_safe(unsafe[i], OPENJDK, &why));
		assert_int_not_equal(why.len, 0);
	}
	assert_false(is_safe(NULL, NULL, &why));
	text_release(&why);
}

static void probes_are_refused_in_old_updates_of_jdk_8(void **state)
{
	static const struct {
		const char *version;
		bool is_safe;
	} cases[] = {
		{ "1.8.0_25", false }, { "1.8.0", false },
		{ "1.8.0_111", true }, { "1.8.0_504", true },
		{ "11.0.1", true },    { "17", true },
		{ "unknown", true },
	};
	struct text why = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct jvm_info about = {
			.version = (char *)(uintptr_t)cases[i].version,
		};

		text_clear(&why);
		assert_int_equal(agent_probes_are_safe(&about, &why),
				 cases[i].is_safe);
		assert_int_equal(why.len == 0, cases[i].is_safe);
	}
	text_release(&why);
}

static void reason_names_the_bugs_and_the_update_that_fixes_all(void **state)
{
	struct text why = { 0 };

	(void)state;
	is_safe("17.0.9", OPENJDK, &why);
	assert_string_equal(why.bytes, "it can crash JDK 17.0.9 (JDK-8268364, "
				       "JDK-8313816; fixed in 17.0.14)");
	is_safe("11.0.24", OPENJDK, &why);
	assert_string_equal(why.bytes, "it can crash JDK 11.0.24 (JDK-8173361, "
				       "JDK-8268364; fixed in 11.0.27)");
	is_safe("1.8.0_342", OPENJDK, &why);
	assert_string_equal(why.bytes,
			    "it can crash JDK 1.8.0_342 (JDK-8173361, "
			    "JDK-8305165, JDK-8268364; not fixed in JDK 8)");
	is_safe("1.8.0_504", OPENJDK, &why);
	assert_string_equal(why.bytes, "it can crash JDK 1.8.0_504 "
				       "(JDK-8268364; not fixed in JDK 8)");
	text_release(&why);
}

/* Oracle's updates have other backports than OpenJDK's of the same number. */
static void backports_of_openjdk_do_not_count_for_oracles_jdk(void **state)
{
	struct text why = { 0 };

	(void)state;
	assert_false(is_safe("17.0.15", ORACLE, &why));
	assert_non_null(strstr(why.bytes, "JDK-8313816"));
	assert_non_null(strstr(why.bytes, "Oracle"));
	assert_true(is_safe("25.0.3", ORACLE, &why));
	text_release(&why);
}

static void allocation_sampling_requires_jdk_11(void **state)
{
	struct jvm_info about = { .version = (char *)(uintptr_t) "1.8.0_504" };
	struct text why = { 0 };

	(void)state;
	assert_false(agent_has_alloc(&about, &why));
	assert_string_equal(why.bytes,
			    "allocation sampling requires JDK 11 or later "
			    "(JEP 331); this is JDK 8");
	about.version = (char *)(uintptr_t) "11.0.24";
	assert_true(agent_has_alloc(&about, &why));
	about.version = NULL;
	assert_true(agent_has_alloc(&about, &why));
	text_release(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_strings_of_every_vendor_are_parsed),
		cmocka_unit_test(
			agent_asks_for_names_only_where_the_bugs_are_fixed),
		cmocka_unit_test(probes_are_refused_in_old_updates_of_jdk_8),
		cmocka_unit_test(
			reason_names_the_bugs_and_the_update_that_fixes_all),
		cmocka_unit_test(
			backports_of_openjdk_do_not_count_for_oracles_jdk),
		cmocka_unit_test(allocation_sampling_requires_jdk_11),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
