/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/command.h"

#include "core/base/alloc.h"
#include "core/base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST_ARGUMENTS 16

static struct {
	bool reverse, threads, plain;
	const char *title, *format;
	struct option_list inputs, keys, words;
	int64_t interval;
	uint64_t limit, size;
	double width;
} opt;

static const char *formats(void) { return "auto|jfr"; }

static bool is_upper(const char *word) { return *word >= 'A' && *word <= 'Z'; }

/* clang-format off */
static const struct command_option options[] = {
	OPT_FLAG('r', "reverse", &opt.reverse, "upside down",
		 .aliases = "-rv --inverse"),
	OPT_HEADING("output"),
	OPT_FLAG('t', "threads", &opt.threads, "threads"),
	OPT_FLAG('P', "plain", &opt.plain, "plain",
		 .excludes = "reverse|width"),
	OPT_STRING('T', "title", &opt.title, "<text>", "title"),
	OPT_CHOICE(0, "format", &opt.format, NULL, "format",
		   .choices = formats),
	OPT_LIST('i', "input", &opt.inputs, "<file>", "input",
		 .aliases = "-f -pd"),
	OPT_LIST('k', "keys", &opt.keys, "<keys>", "keys",
		 .accepts = is_upper),
	OPT_DURATION(0, "interval", &opt.interval, "<time>", "interval",
		     .aliases = "-ri", .positive = true),
	OPT_COUNT('n', "limit", &opt.limit, "<count>", "limit",
		  .positive = true, .most = 9),
	OPT_SIZE(0, "size", &opt.size, "<size>", "size",
		 .requires = "title|limit|keys"),
	OPT_NUMBER(0, "width", &opt.width, "<number>", "width", .most = 100),
	OPT_LIST('w', "word", &opt.words, "<word>", "word", .single = true,
		 .requires = "title"),
	OPT_END,
};
/* clang-format on */

static size_t before_dashes;

static struct command command = {
	.name = "test",
	.synopsis = "test",
	.options = options,
	.has_messages = true,
	.before_dashes = &before_dashes,
};

/* The arguments and results of the last parse. */
static char *argv[MOST_ARGUMENTS + 1];
static int argc;
static enum command_help help;
static struct error err;

/* Parses the words of a line. */
static int parse(const char *line)
{
	static char words[256];
	int first;

	command_release(&command);
	before_dashes = SIZE_MAX;
	memset(&opt, 0, sizeof(opt));
	memset(&err, 0, sizeof(err));
	assert_true(strlen(line) < sizeof(words));
	memcpy(words, line, strlen(line) + 1);
	argc = 0;
	argv[argc++] = (char[]){ "test" };
	for (char *at = words; *at;) {
		size_t len = strcspn(at, " ");

		assert_true(argc < MOST_ARGUMENTS);
		argv[argc++] = at;
		at += len;
		if (*at)
			*at++ = '\0';
	}
	argv[argc] = NULL;
	first = command_parse(&command, argc, argv, &help, &err);
	if (first < 0)
		assert_int_equal(err.kind, ERROR_MISUSE);
	return first;
}

/* Parses a line that has options only. */
static void check_no_rest(const char *line)
{
	int first = parse(line);

	assert_int_equal(first, argc);
}

static void check_inputs(const char *line, size_t count, const char *last)
{
	assert_true(parse(line) >= 0);
	assert_int_equal(opt.inputs.count, count);
	assert_string_equal(opt.inputs.values[count - 1], last);
}

static void check_misuse(const char *line, const char *text)
{
	assert_int_equal(parse(line), -1);
	assert_string_equal(err.text, text);
}

static void options_set_their_values(void **state)
{
	(void)state;
	check_no_rest("-r --title=x --format jfr --interval 10ms -n5 "
		      "--size 64k --width 0.5");
	assert_true(opt.reverse);
	assert_false(opt.threads);
	assert_string_equal(opt.title, "x");
	assert_string_equal(opt.format, "jfr");
	assert_int_equal(opt.interval, 10000000);
	assert_int_equal(opt.limit, 5);
	assert_int_equal(opt.size, 65536);
	assert_true(opt.width > 0.49 && opt.width < 0.51);
}

static void letters_may_share_a_dash(void **state)
{
	(void)state;
	check_no_rest("-rtTx");
	assert_true(opt.reverse);
	assert_true(opt.threads);
	assert_string_equal(opt.title, "x");
}

static void alias_of_several_letters_is_one_option(void **state)
{
	(void)state;
	/* -ri is an alias and does not mean -r -i. */
	check_no_rest("-ri 1s");
	assert_int_equal(opt.interval, 1000000000);
	assert_false(opt.reverse);
	check_no_rest("-rv");
	assert_true(opt.reverse);
	check_no_rest("--inverse");
	assert_true(opt.reverse);
}

static void list_takes_following_values(void **state)
{
	(void)state;
	check_inputs("-i a b c -r", 3, "c");
	assert_true(opt.reverse);
	check_inputs("-ia b", 2, "b");
	check_inputs("--input=a b", 2, "b");
	check_inputs("--inp a -", 2, "-");
	check_inputs("-f a b", 2, "b");
	check_inputs("-pd a b -f c", 3, "c");
	check_inputs("-pd=a b", 2, "b");
	check_inputs("-ri 1s -rti a b", 2, "b");
	check_inputs("-i a -1 -.5 -r", 3, "-.5");
	assert_true(opt.reverse);
}

static void list_ends_at_two_dashes(void **state)
{
	(void)state;
	check_inputs("-i a -- b", 1, "a");
	assert_string_equal(argv[argc - 1], "b");
}

static void other_arguments_are_moved_to_the_end(void **state)
{
	int first;

	(void)state;
	first = parse("one -r two --title x three");
	assert_int_equal(argc - first, 3);
	assert_string_equal(argv[first], "one");
	assert_string_equal(argv[first + 1], "two");
	assert_string_equal(argv[first + 2], "three");
	assert_true(opt.reverse);
}

static void words_after_two_dashes_are_arguments(void **state)
{
	int first;

	(void)state;
	first = parse("-- -r --help");
	assert_int_equal(argc - first, 2);
	assert_string_equal(argv[first], "-r");
	assert_false(opt.reverse);
	assert_false(help);
}

static void list_ends_before_an_unacceptable_word(void **state)
{
	int first;

	(void)state;
	first = parse("-k A B c -k d D");
	assert_int_equal(opt.keys.count, 4);
	assert_string_equal(opt.keys.values[2], "d");
	assert_int_equal(argc - first, 1);
	assert_string_equal(argv[first], "c");
}

static void check_dashes(const char *line, size_t before, int count)
{
	int first = parse(line);

	assert_int_equal(before_dashes, before);
	assert_int_equal(argc - first, count);
}

static void before_dashes_counts_arguments(void **state)
{
	(void)state;
	check_dashes("-- a b", 0, 2);
	check_dashes("a -r b -- c --", 2, 4);
	check_dashes("-T x --", 0, 0);
}

static void before_dashes_ignores_two_dashes_as_a_value(void **state)
{
	(void)state;
	check_dashes("-T -- a", SIZE_MAX, 1);
	check_dashes("--title -- a", SIZE_MAX, 1);
	check_dashes("-pd -- a", SIZE_MAX, 0);
	check_dashes("a", SIZE_MAX, 1);
}

/* Parses a line with rest_after; count arguments starting with first remain. */
static void check_rest(const char *line, const char *first, int count)
{
	int at;

	command.rest_after = "title|limit format";
	at = parse(line);
	command.rest_after = NULL;
	assert_int_equal(argc - at, count);
	assert_string_equal(argv[at], first);
	assert_false(help);
	assert_true(opt.reverse);
	assert_false(opt.threads);
}

static void rest_after_leaves_later_words_unparsed(void **state)
{
	(void)state;
	check_rest("-r one two -t --help --nonsense", "one", 5);
	check_rest("-T one -r two -t", "two", 2);
	check_rest("one -r --format jfr -t -x=1 --", "one", 4);
	check_rest("-r --title=one --format=jfr -t", "-t", 1);
	check_rest("-r -n 3 one -t", "one", 2);
	check_rest("-rT one two --title x", "two", 3);
	/* Options before the rest are parsed, and unknown ones rejected. */
	command.rest_after = "title format";
	assert_int_equal(parse("one --nonsense two"), -1);
	command.rest_after = NULL;
}

static void value_may_look_like_an_option(void **state)
{
	(void)state;
	check_no_rest("--title -r");
	assert_string_equal(opt.title, "-r");
	assert_false(opt.reverse);
	check_no_rest("-T --help");
	assert_false(help);
	check_no_rest("--title -ri -r");
	assert_string_equal(opt.title, "-ri");
}

static void last_number_of_an_option_wins(void **state)
{
	(void)state;
	check_no_rest("-n 1 --limit 2 -n3");
	assert_int_equal(opt.limit, 3);
}

static void second_text_of_an_option_is_rejected(void **state)
{
	(void)state;
	check_misuse("--title a --title b",
		     "option --title has two values: 'a' and 'b'; give one");
	check_no_rest("--title a --title a");
	assert_string_equal(opt.title, "a");
}

static void help_sets_no_values(void **state)
{
	(void)state;
	assert_true(parse("-r --title x --help") >= 0);
	assert_true(help);
	assert_false(opt.reverse);
	assert_null(opt.title);
	assert_true(parse("-rh") >= 0);
	assert_true(help);
	/* --help wins over errors. */
	assert_true(parse("--nonsense -h") >= 0);
	assert_true(help);
}

static void unknown_option_is_rejected(void **state)
{
	(void)state;
	check_misuse("--nonsense", "unknown option --nonsense");
	check_misuse("-z", "unknown option -z");
	check_misuse("-rz", "unknown option -z");
	check_misuse("-hxst", "unknown option -hxst");
	assert_false(help);
}

static void unknown_option_suggests_the_nearest(void **state)
{
	(void)state;
	check_misuse("--titel=x",
		     "unknown option --titel; did you mean --title?");
	check_misuse("--revers-e", "unknown option --revers-e; "
				   "did you mean --reverse?");
	check_misuse("--hlep", "unknown option --hlep; did you mean --help?");
}

static void ambiguous_abbreviation_lists_the_options(void **state)
{
	(void)state;
	check_misuse("--in x", "option --in is ambiguous: --input, --interval");
	check_no_rest("--int 1");
	assert_int_equal(opt.interval, 1000000000);
}

static void missing_value_is_reported(void **state)
{
	(void)state;
	check_misuse("--title", "option --title requires <text>");
	check_misuse("-rT", "option --title requires <text>");
	check_misuse("--format", "option --format requires auto|jfr");
	check_misuse("-ri", "option --interval requires <time>");
	check_misuse("-i", "option --input requires <file>");
}

static void flag_rejects_a_value(void **state)
{
	(void)state;
	check_misuse("--reverse=x", "option --reverse takes no value");
	check_misuse("--inverse=x", "option --inverse takes no value");
}

static void invalid_value_is_explained(void **state)
{
	(void)state;
	check_misuse("--format svg",
		     "option --format: invalid value 'svg'; valid: auto, jfr");
	check_misuse("--format jf",
		     "option --format: invalid value 'jf'; did you mean 'jfr'? "
		     "valid: auto, jfr");
	check_misuse("-n x",
		     "option --limit: invalid count 'x': not a whole number");
	check_misuse("--interval 1x",
		     "option --interval: invalid duration '1x' "
		     "(examples: 10ms, 2s, 5m)");
}

static void number_out_of_range_is_rejected(void **state)
{
	(void)state;
	check_misuse("-n 0", "--limit must be 1 to 9");
	check_misuse("-n 10", "--limit must be 1 to 9");
	check_misuse("--width 101", "--width must be at most 100");
	check_misuse("--interval 0", "--interval must be greater than 0");
	check_no_rest("-n 9 --width 100 --interval 1ms");
}

static void options_that_exclude_each_other_are_rejected(void **state)
{
	(void)state;
	/* Only the row of --plain names the others. */
	check_misuse("-rP", "options --plain and --reverse cannot be used "
			    "together");
	check_misuse("--width 1 -P",
		     "options --plain and --width cannot be used together");
	check_no_rest("-PP");
}

static void missing_required_option_is_reported(void **state)
{
	(void)state;
	check_misuse("--size 1", "--size requires --title, --limit or --keys");
	check_misuse("-w a", "--word requires --title");
	check_no_rest("--size 1 -n 1");
	check_no_rest("-k A --size 1");
}

static void single_value_of_a_list_ends_at_the_next_word(void **state)
{
	int first;

	(void)state;
	first = parse("-T x -w a b --word=c -w -d");
	assert_int_equal(argc - first, 1);
	assert_string_equal(argv[first], "b");
	assert_int_equal(opt.words.count, 3);
	assert_string_equal(opt.words.values[2], "-d");
}

static void given_options_are_known_by_name(void **state)
{
	(void)state;
	check_no_rest("-rT x -v");
	assert_null(command_given("threads|limit"));
	assert_null(command_given("rev|titles"));
	assert_string_equal(command_given("threads|title"), "title");
	assert_string_equal(command_given("title|reverse"), "reverse");
	assert_string_equal(command_given("verbose"), "verbose");
}

static void help_all_is_told_from_help(void **state)
{
	(void)state;
	assert_true(parse("--help-all") >= 0);
	assert_int_equal(help, COMMAND_HELP_ALL);
	assert_true(parse("--help-a") >= 0);
	assert_int_equal(help, COMMAND_HELP_ALL);
	assert_true(parse("--hel") >= 0);
	assert_int_equal(help, COMMAND_HELP);
}

static const char *nearest(const char *word)
{
	struct nearest n = nearest_to(word, strlen(word));

	nearest_offer(&n, "flame");
	nearest_offer(&n, "ttop");
	nearest_offer(&n, "mxdump");
	return n.best;
}

static void nearest_finds_typos(void **state)
{
	(void)state;
	assert_string_equal(nearest("flmae"), "flame");  /* swapped */
	assert_string_equal(nearest("fame"), "flame");   /* dropped */
	assert_string_equal(nearest("fllame"), "flame"); /* doubled */
	assert_string_equal(nearest("ttp"), "ttop");
	assert_string_equal(nearest("mxdunp"), "mxdump"); /* replaced */
	assert_string_equal(nearest("TTPO"), "ttop"); /* swapped, capitals */
	assert_null(nearest("flagrant"));
	assert_null(nearest(""));
}

static void check_suggestion(const char *word, const char *wanted)
{
	static const char *const words[] = {
		"HeapMemoryUsage", "NonHeapMemoryUsage", "Verbose",
		"Heap\033",        "heapdump",           "Heaps"
	};
	struct nearest n = nearest_to(word, strlen(word));
	struct text got = { 0 };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		nearest_offer(&n, words[i]);
	text_puts(&got, "");
	assert_int_equal(nearest_suggest(&n, &got), *wanted != '\0');
	assert_string_equal(got.bytes, wanted);
	text_release(&got);
}

static void nearest_suggests_words_with_a_common_part(void **state)
{
	(void)state;
	check_suggestion("verbos", "; did you mean 'Verbose'?");
	check_suggestion("memoryusage", "; did you mean 'HeapMemoryUsage' or "
					"'NonHeapMemoryUsage'?");
	check_suggestion("Heap",
			 "; did you mean 'Heap\342\220\233', 'Heaps' or "
			 "'heapdump'?");
	check_suggestion("Heapz", "; did you mean 'Heap\342\220\233' or "
				  "'Heaps'?");
	check_suggestion("he", "");
	check_suggestion("Threads", "");
}

static int release(void **state)
{
	(void)state;
	command_release(&command);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_set_their_values),
		cmocka_unit_test(letters_may_share_a_dash),
		cmocka_unit_test(alias_of_several_letters_is_one_option),
		cmocka_unit_test(list_takes_following_values),
		cmocka_unit_test(list_ends_at_two_dashes),
		cmocka_unit_test(other_arguments_are_moved_to_the_end),
		cmocka_unit_test(words_after_two_dashes_are_arguments),
		cmocka_unit_test(list_ends_before_an_unacceptable_word),
		cmocka_unit_test(before_dashes_counts_arguments),
		cmocka_unit_test(before_dashes_ignores_two_dashes_as_a_value),
		cmocka_unit_test(rest_after_leaves_later_words_unparsed),
		cmocka_unit_test(value_may_look_like_an_option),
		cmocka_unit_test(last_number_of_an_option_wins),
		cmocka_unit_test(second_text_of_an_option_is_rejected),
		cmocka_unit_test(help_sets_no_values),
		cmocka_unit_test(unknown_option_is_rejected),
		cmocka_unit_test(unknown_option_suggests_the_nearest),
		cmocka_unit_test(ambiguous_abbreviation_lists_the_options),
		cmocka_unit_test(missing_value_is_reported),
		cmocka_unit_test(flag_rejects_a_value),
		cmocka_unit_test(invalid_value_is_explained),
		cmocka_unit_test(number_out_of_range_is_rejected),
		cmocka_unit_test(options_that_exclude_each_other_are_rejected),
		cmocka_unit_test(missing_required_option_is_reported),
		cmocka_unit_test(single_value_of_a_list_ends_at_the_next_word),
		cmocka_unit_test(given_options_are_known_by_name),
		cmocka_unit_test(help_all_is_told_from_help),
		cmocka_unit_test(nearest_finds_typos),
		cmocka_unit_test(nearest_suggests_words_with_a_common_part),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
