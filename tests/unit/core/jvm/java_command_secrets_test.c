/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/java_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void same(const char *before, const char *arg, const char *wanted)
{
	struct text got = { 0 };

	text_puts(&got, "");
	secrets_add_arg(&got, before, arg);
	assert_string_equal(got.bytes, wanted);
	text_release(&got);
}

static void values_are_masked_by_their_names(void **state)
{
	(void)state;
	same(NULL, "-Ddb.password=a,b;c d", "-Ddb.password=***");
	same(NULL, "-Dspring.datasource.PASSWORD=x",
	     "-Dspring.datasource.PASSWORD=***");
	same(NULL, "--api-token=x", "--api-token=***");
	same(NULL, "AWS_SECRET_ACCESS_KEY=x", "AWS_SECRET_ACCESS_KEY=***");
	same(NULL, "-DapiKey=x", "-DapiKey=***");
	same(NULL, "-Dmy.credentials=x", "-Dmy.credentials=***");
	same(NULL, "--passwd=x", "--passwd=***");
	same(NULL, "-Djavax.net.ssl.keyStorePassword=x",
	     "-Djavax.net.ssl.keyStorePassword=***");
}

static void secrets_add_arg_keeps_ordinary_values(void **state)
{
	(void)state;
	same(NULL, "-Djavax.net.ssl.keyStore=/etc/a.p12",
	     "-Djavax.net.ssl.keyStore=/etc/a.p12");
	same(NULL, "-Dpassword=", "-Dpassword=");
	same(NULL, "-Xmx1g", "-Xmx1g");
	same(NULL, "", "");
	same(NULL, "password", "password");
	same("--user", "app", "app");
	same("password", "app", "app");
}

static void argument_after_a_secret_name_is_masked(void **state)
{
	(void)state;
	same("--token", "x=y", "***");
	same("-password", "x", "***");
	same("--token", "--verbose", "--verbose");
	same("--token=x", "y", "y");
}

static void passwords_within_addresses_are_masked(void **state)
{
	(void)state;
	same(NULL, "jdbc:postgresql://app:s3cret@db:5432/x",
	     "jdbc:postgresql://app:***@db:5432/x");
	same(NULL, "-Durl=http://u:p@h/?a=b&password=c&d=e",
	     "-Durl=http://u:***@h/?a=b&password=***&d=e");
	same(NULL, "jdbc:sqlserver://h;user=a;password=b;x=y",
	     "jdbc:sqlserver://h;user=a;password=***;x=y");
	same(NULL, "http://u:p@h http://v:q@i",
	     "http://u:***@h http://v:***@i");
	/* A password may contain @. */
	same(NULL, "http://u:p@q@h/", "http://u:***@h/");
	same(NULL, "http://host:80/a@b", "http://host:80/a@b");
	same(NULL, "http://u@h/", "http://u@h/");
	same(NULL, "-javaagent:/a.jar=url=x,token=y,z=1",
	     "-javaagent:/a.jar=url=x,token=***,z=1");
}

static void property_is_masked_by_its_name(void **state)
{
	struct text got = { 0 };

	(void)state;
	secrets_add_value(&got, "a.token", "x");
	secrets_add_value(&got, "java.version", " 17");
	secrets_add_value(&got, "url", " http://u:p@h");
	assert_string_equal(got.bytes, "*** 17 http://u:***@h");
	text_release(&got);
}

static void lines_of_any_text_are_masked(void **state)
{
	static const char text[] = "a.password=x y\nurl http://u:p@h\0!\n\nz";
	struct text got = { 0 };

	(void)state;
	secrets_add_lines(&got, text, sizeof(text) - 1);
	assert_string_equal(got.bytes,
			    "a.password=*** y\nurl http://u:***@h !\n\nz");
	text_release(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_masked_by_their_names),
		cmocka_unit_test(secrets_add_arg_keeps_ordinary_values),
		cmocka_unit_test(argument_after_a_secret_name_is_masked),
		cmocka_unit_test(passwords_within_addresses_are_masked),
		cmocka_unit_test(property_is_masked_by_its_name),
		cmocka_unit_test(lines_of_any_text_are_masked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
