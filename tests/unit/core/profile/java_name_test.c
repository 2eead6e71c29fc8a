/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/java_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *in, const char *expected)
{
	size_t len = strlen(in);
	char *exact = memcpy(malloc(len + !len), in, len);
	struct profile *p = profile_new();
	uint32_t id = java_class_name(p, exact, len);

	assert_string_equal(profile_text(p, id), expected);
	profile_free(p);
	free(exact);
}

static void slashes_become_dots(void **state)
{
	(void)state;
	expect("java/lang/String", "java.lang.String");
	expect("java.lang.String", "java.lang.String");
	expect("[Ljava/lang/String;", "[Ljava.lang.String;");
	expect("[B", "[B");
	expect("Main", "Main");
	expect("", "");
	expect("/", ".");
}

static void lambdas_and_hidden_classes_lose_number_and_address(void **state)
{
	(void)state;
	expect("a/B$$Lambda$89+0x00007fde/3600", "a.B$$Lambda");
	expect("a.B$$Lambda/0x1b04", "a.B$$Lambda");
	expect("a.B$$Lambda$11.0x00007f1a", "a.B$$Lambda");
	expect("a/B$$Lambda", "a.B$$Lambda");
	expect("a/B$$Lambda$14", "a.B$$Lambda");
	expect("java/lang/invoke/LambdaForm$MH/0x00000008000c1400",
	       "java.lang.invoke.LambdaForm$MH");
	expect("java.lang.invoke.LambdaForm$MH+0x00007ff0/336",
	       "java.lang.invoke.LambdaForm$MH");
	expect("java.lang.invoke.LambdaForm$MH.0x00007ff0",
	       "java.lang.invoke.LambdaForm$MH");
	/* These are not addresses. */
	expect("a/0b1", "a.0b1");
	expect("0x12", "0x12");
}

static void generated_accessors_and_proxies_lose_their_number(void **state)
{
	(void)state;
	expect("jdk/internal/reflect/GeneratedMethodAccessor12",
	       "jdk.internal.reflect.GeneratedMethodAccessor");
	expect("jdk/internal/reflect/GeneratedConstructorAccessor1",
	       "jdk.internal.reflect.GeneratedConstructorAccessor");
	expect("sun.reflect.GeneratedSerializationConstructorAccessor7",
	       "sun.reflect.GeneratedSerializationConstructorAccessor");
	expect("com/sun/proxy/$Proxy12", "com.sun.proxy.$Proxy");
	expect("jdk/proxy2/$Proxy9", "jdk.proxy2.$Proxy");
	expect("a/Utf8", "a.Utf8");
	expect("a/MyProxy12", "a.MyProxy12");
	expect("12", "12");
}

static void classes_enhanced_by_libraries_lose_their_hash(void **state)
{
	(void)state;
	expect("a/B$$EnhancerBySpringCGLIB$$5f3a",
	       "a.B$$EnhancerBySpringCGLIB");
	expect("a/B$$FastClassBySpringCGLIB$$77e3a2b1",
	       "a.B$$FastClassBySpringCGLIB");
	expect("a/B$$EnhancerBySpringCGLIB", "a.B$$EnhancerBySpringCGLIB");
}

static void very_long_class_name_is_unchanged(void **state)
{
	char *name = malloc(5000);
	struct profile *p = profile_new();
	uint32_t id;

	(void)state;
	memset(name, '/', 5000);
	id = java_class_name(p, name, 5000);
	assert_int_equal(intern_len(&p->strings, id), 5000);
	assert_int_equal(profile_text(p, id)[4999], '/');
	id = java_class_name(p, name, 4096);
	assert_int_equal(intern_len(&p->strings, id), 4096);
	assert_int_equal(profile_text(p, id)[4095], '.');
	profile_free(p);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slashes_become_dots),
		cmocka_unit_test(
			lambdas_and_hidden_classes_lose_number_and_address),
		cmocka_unit_test(
			generated_accessors_and_proxies_lose_their_number),
		cmocka_unit_test(classes_enhanced_by_libraries_lose_their_hash),
		cmocka_unit_test(very_long_class_name_is_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
