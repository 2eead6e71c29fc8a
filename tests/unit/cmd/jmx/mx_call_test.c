/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/jmx/mx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define STRING "java.lang.String"
#define P(t)                                                                   \
	{                                                                      \
		.name = "p", .type = (t), .description = ""                    \
	}
#define OP(n, ...)                                                             \
	{                                                                      \
		.name = (n), .type = "int", .description = "",                 \
		.parameters = (const struct jmx_feature[]){ __VA_ARGS__ },     \
		.parameter_count = sizeof((const struct jmx_feature[]){        \
					   __VA_ARGS__ }) /                    \
				   sizeof(struct jmx_feature)                  \
	}

static const struct jmx_feature operations[] = {
	OP("sum", P("int"), P("int")),
	OP("sum", P("double"), P("double")),
	OP("sum", P(STRING), P(STRING)),
	OP("sum", P("int"), P("int"), P("int")),
	/* The overloads of java.lang:type=Threading. */
	OP("getThreadInfo", P("long")),
	OP("getThreadInfo", P("[J")),
	OP("getThreadInfo", P("long"), P("int")),
	OP("getThreadInfo", P("[J"), P("int")),
	OP("cross", P("int"), P(STRING)),
	OP("cross", P(STRING), P("int")),
	OP("point", P("com.acme.Point")),
	{ .name = "gc", .type = "void", .description = "" },
	{ .name = "GC", .type = "void", .description = "" },
	{ .name = "Reset", .type = "void", .description = "" },
};

static const struct jmx_info info = {
	.class = "",
	.description = "",
	.operations = operations,
	.operation_count = sizeof(operations) / sizeof(*operations),
};

/* Checks that "sum 3 4" chooses this signature, or fails with this error. */
static void check_choice(const char *line, const char *wanted)
{
	char words[128];
	const char *values[8];
	struct option_list arguments = { .values = values };
	struct mx_operation op = { 0 };
	struct text got = { 0 };
	struct arena a = { 0 };
	struct error err = { 0 };
	int status;

	assert_true(strlen(line) < sizeof(words));
	memcpy(words, line, strlen(line) + 1);
	for (char *at = strchr(words, ' '); at; at = strchr(at, ' ')) {
		*at++ = '\0';
		values[arguments.count++] = at;
	}
	status = mx_operation_choose(&op, &info, words, &arguments, &a, &err);
	if (status)
		text_printf(&got, "%d %s", (int)err.kind, err.text);
	else
		text_puts(&got, op.name);
	for (size_t i = 0; status == 0 && i < op.count; i++) {
		assert_non_null(op.arguments[i]);
		text_printf(&got, " %s", op.signature[i]);
	}
	assert_string_equal(got.bytes, wanted);
	text_release(&got);
	arena_release(&a);
}

static void number_and_kinds_of_arguments_choose(void **state)
{
	(void)state;
	check_choice("sum 3 4", "sum int int");
	check_choice("sum 3 4.5", "sum double double");
	check_choice("sum 3000000000 4", "sum double double");
	check_choice("sum 3 x", "sum java.lang.String java.lang.String");
	check_choice("sum 1 2 3", "sum int int int");
	check_choice("getThreadInfo 1", "getThreadInfo long");
	check_choice("getThreadInfo 1,2", "getThreadInfo [J");
	check_choice("getThreadInfo 1 2", "getThreadInfo long int");
	check_choice("getThreadInfo 1,2 2", "getThreadInfo [J int");
}

static void case_matters_only_between_names_that_differ_by_case(void **state)
{
	(void)state;
	check_choice("gc", "gc");
	check_choice("GC", "GC");
	check_choice("reset", "Reset");
	check_choice("Gc",
		     "2 several overloads accept these arguments; name the "
		     "types; candidates: gc(), GC()");
}

static void given_types_choose(void **state)
{
	(void)state;
	check_choice("sum(double,double) 3 4", "sum double double");
	check_choice("sum(String,java.lang.String) 3 4",
		     "sum java.lang.String java.lang.String");
	check_choice("getThreadInfo(long[]) 1", "getThreadInfo [J");
	check_choice("getThreadInfo([J) 1", "getThreadInfo [J");
	check_choice("gc()", "gc");
	check_choice(
		"sum(long,long) 3 4",
		"2 no overload of these types takes 2 arguments; candidates: "
		"sum(int, int), "
		"sum(double, double), sum(String, String), "
		"sum(int, int, int)");
	check_choice("sum(int,int)",
		     "2 no overload of these types takes 0 "
		     "arguments; candidates: sum(int, int), "
		     "sum(double, double), sum(String, String), "
		     "sum(int, int, int)");
	check_choice("sum(int,int 3 4",
		     "3 there is no operation 'sum(int,int'; "
		     "--info lists them");
}

static void ambiguous_overloads_are_listed(void **state)
{
	(void)state;
	check_choice("cross 1 2",
		     "2 several overloads accept these arguments; name "
		     "the types; candidates: "
		     "cross(int, String), cross(String, int)");
	check_choice("cross x 2", "cross java.lang.String int");
	check_choice("cross x y",
		     "2 no overload accepts these arguments; candidates: "
		     "cross(int, String), cross(String, int)");
	check_choice("getThreadInfo 1 2 3",
		     "2 no overload takes 3 arguments; candidates: "
		     "getThreadInfo(long), "
		     "getThreadInfo(long[]), getThreadInfo(long, int), "
		     "getThreadInfo(long[], int)");
}

static void only_overload_explains_the_mismatch(void **state)
{
	(void)state;
	check_choice("sum 1 2 x", "2 'x' is not a valid int");
	check_choice("point 1",
		     "2 a com.acme.Point cannot be given as text; supported: "
		     "numbers, true and false, strings, dates, MBean names, "
		     "enum constants, and arrays of these types");
	check_choice("summ 1 2",
		     "3 there is no operation 'summ'; did you mean 'sum'?");
	check_choice("nothing",
		     "3 there is no operation 'nothing'; --info lists "
		     "them");
}

static void unknown_operation_lists_a_few_operations(void **state)
{
	static const struct jmx_feature few[] = { { .name = "gc" },
						  { .name = "reset" } };
	static const struct jmx_info two = { .operations = few,
					     .operation_count = 2 };
	static const struct jmx_info none = { .operation_count = 0 };
	struct option_list arguments = { 0 };
	struct mx_operation op;
	struct arena a = { 0 };
	struct error err = { 0 };

	(void)state;
	assert_int_equal(
		mx_operation_choose(&op, &two, "run", &arguments, &a, &err),
		-1);
	assert_string_equal(err.text, "there is no operation 'run'; "
				      "operations: gc, reset");
	assert_int_equal(
		mx_operation_choose(&op, &none, "run", &arguments, &a, &err),
		-1);
	assert_string_equal(err.text, "there is no operation 'run'; the MBean "
				      "has no operations");
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unknown_operation_lists_a_few_operations),
		cmocka_unit_test(number_and_kinds_of_arguments_choose),
		cmocka_unit_test(
			case_matters_only_between_names_that_differ_by_case),
		cmocka_unit_test(given_types_choose),
		cmocka_unit_test(ambiguous_overloads_are_listed),
		cmocka_unit_test(only_overload_explains_the_mismatch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
