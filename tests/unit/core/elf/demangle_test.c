/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void demangle_drops_parameters(void **state)
{
	static const char *const names[][2] = {
		{ "_ZN6Thread3runEv", "Thread::run" },
		{ "_ZN9JavaCalls11call_helperEP9JavaValueRK12methodHandle"
		  "P17JavaCallArgumentsP10JavaThread",
		  "JavaCalls::call_helper" },
		{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
		  "std::vector<int, std::allocator<int> >::push_back" },
		{ "_ZN1AC2Ev", "A::A" },
		{ "_ZL6hiddenv", "hidden" },
		{ "_ZN12_GLOBAL__N_16insideEi",
		  "(anonymous namespace)::inside" },
	};
	struct text out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		text_clear(&out);
		assert_true(demangle(&out, names[i][0]));
		assert_string_equal(out.bytes, names[i][1]);
	}
	text_release(&out);
}

static void demangle_refuses_other_names(void **state)
{
	static const char *const names[] = { "",
					     "_Z",
					     "write",
					     "_ZN",
					     "_ZZZZZ",
					     "main",
					     "_ZN999999999999thing" };
	struct text out = { 0 };

	(void)state;
	text_puts(&out, "before ");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (demangle(&out, names[i]))
			fail_msg("%s: %s", names[i], out.bytes);
		assert_string_equal(out.bytes, "before ");
	}
	text_release(&out);
}

static void source_length_drops_compiler_suffixes(void **state)
{
	static const char *const names[][2] = {
		{ "finish_task_switch.isra.0", "finish_task_switch" },
		{ "foo.constprop.12.cold", "foo" },
		{ "foo.part.0.isra.1", "foo" },
		{ "foo.cold", "foo" },
		{ "foo.llvm.1234567", "foo" },
		{ "foo.lto_priv.0", "foo" },
		{ "foo.cold.1", "foo" },
		{ "foo.1", "foo.1" },
		{ "foo.isra0", "foo.isra0" },
		{ ".cold", ".cold" },
		{ "a.b", "a.b" },
		{ "isra.0", "isra.0" },
		{ "foo.", "foo." },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_int_equal(demangle_source_length(names[i][0],
							strlen(names[i][0])),
				 strlen(names[i][1]));
}

/*
 * Each pair consists of two of the pair before: 2^30 names in 300 characters.
 */
static void demangle_gives_up_on_names_that_grow_endlessly(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct text name = { 0 }, out = { 0 };

	(void)state;
	text_puts(&name, "_Z1fISt4pairIiiE");
	for (int i = 0; i < 4; i++)
		text_printf(&name, "S_IS%c_S%c_E", digits[i], digits[i]);
	text_puts(&name, "Evv");
	assert_true(demangle(&out, name.bytes));
	assert_true(out.len > name.len);
	text_clear(&name);
	text_clear(&out);
	text_puts(&name, "_Z1fISt4pairIiiE");
	for (int i = 0; i < 30; i++)
		text_printf(&name, "S_IS%c_S%c_E", digits[i], digits[i]);
	text_puts(&name, "Evv");
	assert_false(demangle(&out, name.bytes));
	assert_int_equal(out.len, 0);
	text_release(&name);
	text_release(&out);
}

static void demangle_gives_up_on_long_or_nested_names(void **state)
{
	static const char *const parts[] = { "P", "N", "1a", "IiE", "X", "S_" };
	struct text name = { 0 }, out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		for (size_t count = 200; count <= 20000; count *= 10) {
			text_clear(&name);
			text_clear(&out);
			text_puts(&name, "_Z1fI");
			for (size_t k = 0; k < count; k++)
				text_puts(&name, parts[i]);
			text_puts(&name, "iEvv");
			demangle(&out, name.bytes);
			assert_true(out.len <= 4096);
		}
	text_release(&name);
	text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(demangle_drops_parameters),
		cmocka_unit_test(demangle_refuses_other_names),
		cmocka_unit_test(source_length_drops_compiler_suffixes),
		cmocka_unit_test(
			demangle_gives_up_on_names_that_grow_endlessly),
		cmocka_unit_test(demangle_gives_up_on_long_or_nested_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
