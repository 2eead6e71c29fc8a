/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/kernel_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char table[] = "0000000000000000 A fixed_percpu_data\n"
			    "ffffffff81000000 T srso_alias_untrain_ret\n"
			    "ffffffff81000000 T _text\n"
			    "ffffffff81000100 t local_one\n"
			    "ffffffff81000100 T vfs_read\n"
			    "ffffffff81000100 W __vfs_read\n"
			    "ffffffff81000200 t __do_sys_read\n"
			    "ffffffff81000300 D data_begins\n"
			    "ffffffffc0402000 t last_of_a\t[a]\n"
			    "ffffffffc0401000 t first_of_a\t[a]\n"
			    "ffffffffc0901000 T of_b\t[b]\n";

static struct kernel_symbols *read_table(const char *text, size_t len)
{
	struct error err;
	struct kernel_symbols *k = kernel_symbols_of(text, len, &err);

	if (!k)
		fail_msg("%s", err.text);
	return k;
}

static void is_named(const struct kernel_symbols *k, uint64_t address,
		     const char *name)
{
	const char *ours = kernel_symbols_function(k, address);

	if (!name)
		assert_null(ours);
	else
		assert_string_equal(ours ? ours : "(none)", name);
}

static void kernel_function_ends_at_the_next_symbol(void **state)
{
	struct kernel_symbols *k = read_table(table, strlen(table));

	(void)state;
	is_named(k, 0xffffffff80ffffff, NULL);
	is_named(k, 0xffffffff81000000, "srso_alias_untrain_ret");
	is_named(k, 0xffffffff810000ff, "srso_alias_untrain_ret");
	is_named(k, 0xffffffff810001ff, "vfs_read");
	is_named(k, 0xffffffff81000200, "__do_sys_read");
	is_named(k, 0xffffffff81000300, NULL);
	is_named(k, 0, NULL);
	kernel_symbols_close(k);
}

static void kernel_modules_out_of_order_are_named(void **state)
{
	struct kernel_symbols *k = read_table(table, strlen(table));

	(void)state;
	is_named(k, 0xffffffffc0401fff, "first_of_a [a]");
	is_named(k, 0xffffffffc0402001, "last_of_a [a]");
	is_named(k, 0xffffffffc0901010, "of_b [b]");
	/* An address far behind the last function of a module has no name. */
	is_named(k, 0xffffffffc0701000, NULL);
	is_named(k, UINT64_MAX, NULL);
	kernel_symbols_close(k);
}

static void hidden_kernel_addresses_are_a_permission_error(void **state)
{
	static const char hidden[] = "0000000000000000 T _text\n"
				     "0000000000000000 t vfs_read\n";
	struct error err = { 0 };

	(void)state;
	assert_null(kernel_symbols_of(hidden, strlen(hidden), &err));
	assert_int_equal(err.kind, ERROR_PERMISSION);
	assert_non_null(strstr(err.text, "kernel.kptr_restrict"));
	assert_non_null(strstr(err.text, "CAP_SYSLOG"));
	assert_null(kernel_symbols_of("", 0, &err));
	assert_int_equal(err.kind, ERROR_UNAVAILABLE);
}

static void truncated_kallsyms_is_read_to_its_end(void **state)
{
	(void)state;
	for (size_t len = 0; len < strlen(table); len++) {
		struct error err;
		struct kernel_symbols *k = kernel_symbols_of(table, len, &err);

		if (k && len > 100)
			assert_non_null(
				kernel_symbols_function(k, 0xffffffff81000001));
		kernel_symbols_close(k);
	}
}

/* Reads the kernel's own table, which may be hidden. */
static void functions_of_this_kernel_are_named(void **state)
{
	struct error err = { 0 };
	struct kernel_symbols *k = kernel_symbols_open(&err);
	FILE *f = fopen("/proc/kallsyms", "r");
	size_t looked_at = 0, wrong = 0;
	char line[512];

	(void)state;
	if (!k) {
		assert_int_equal(err.kind, ERROR_PERMISSION);
		fclose(f);
		skip();
	}
	while (fgets(line, sizeof(line), f)) {
		unsigned long address = strtoul(line, NULL, 16);
		const char *name;

		/*
		 * Checks one symbol in some; it may not be the first at its
		 * address.
		 */
		if (line[17] != 'T' || address % 1024 != 0)
			continue;
		line[strcspn(line, "\t\n")] = '\0';
		name = kernel_symbols_function(k, address);
		looked_at++;
		wrong += !name || strncmp(name, line + 19, strlen(line + 19));
	}
	fclose(f);
	kernel_symbols_close(k);
	assert_true(looked_at > 20);
	/* Aliases are few. */
	assert_true(wrong < looked_at / 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_function_ends_at_the_next_symbol),
		cmocka_unit_test(kernel_modules_out_of_order_are_named),
		cmocka_unit_test(
			hidden_kernel_addresses_are_a_permission_error),
		cmocka_unit_test(truncated_kallsyms_is_read_to_its_end),
		cmocka_unit_test(functions_of_this_kernel_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
