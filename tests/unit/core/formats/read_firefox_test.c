/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/data/firefox/in.folded-v70.json is a file of sjkc, converted by the
 * loader of profiler.firefox.com to its own version.
 */
#include "core/formats/reader.h"
#include "tests/unit/foreign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define META(members)                                                          \
	"{\"meta\":{" members "\"preprocessedProfileVersion\":49},"
#define TABLES                                                                 \
	"\"stackTable\":{\"length\":2,\"prefix\":[null,0],\"frame\":[0,1]},"   \
	"\"frameTable\":{\"func\":[1,0],\"line\":[7,null]},"                   \
	"\"funcTable\":{\"name\":[0,1]},\"stringArray\":[\"work\",\"a.B.m\"]"

static void expect_lines(const char *text, const char *lines, size_t remarks)
{
	struct profile *p = foreign_read(&firefox_reader, text, strlen(text));

	assert_true(firefox_reader.sniff((const uint8_t *)text, strlen(text)));
	foreign_expect(p, lines);
	assert_int_equal(p->remark_count, remarks);
	profile_free(p);
}

static void threads_have_samples_and_allocations(void **state)
{
	(void)state;
	expect_lines(
		META("\"startTime\":1700000000000.5,") "\"threads\":[{"
						       "\"name\":\"main\","
						       "\"tid\":\"12.3\","
						       "\"samples\":{"
						       "\"stack\":[1,null,0],"
						       "\"timeDeltas\":[1,2,3],"
						       "\"weight\":null,"
						       "\"weightType\":"
						       "\"samples\"}," TABLES
						       ",\"nativeAllocations\":"
						       "{\"stack\":[1,1],"
						       "\"time\":[1,2],"
						       "\"weight\":[64,-64],"
						       "\"weightType\":"
						       "\"bytes\"}}]}",
		"native-allocations: a.B.m:7;work|[main tid=12]|1 64\n"
		"samples: a.B.m:7;work|[main tid=12]|1 1\n"
		"samples: a.B.m:7|[main tid=12]|1 1\n"
		"samples: |[main tid=12]|1 1\n",
		1);
}

static void tables_may_be_shared_and_have_offsets(void **state)
{
	(void)state;
	expect_lines(
		META("") "\"threads\":[{\"name\":\"t\",\"tid\":5,"
			 "\"samples\":{\"weightType\":\"tracing-ms\","
			 "\"weight\":[1.5],\"stack\":[1]}}],"
			 "\"shared\":{\"stackTable\":{\"prefixOffset\":[0,1],"
			 "\"frame\":[0,1]},\"frameTable\":{\"func\":[1,0]},"
			 "\"funcTable\":{\"name\":[0,1]},"
			 "\"stringArray\":[\"x\",\"y\"]}}",
		"time: y;x|[t tid=5]|1 1500000\n", 0);
}

/* As samply 0.13 names them; 0x1x is a name, and function 3 has no file. */
static void functions_without_symbols_are_named_after_their_file(void **state)
{
	(void)state;
	expect_lines(META("") "\"threads\":[{\"name\":\"t\",\"tid\":5,"
			      "\"samples\":{\"stack\":[3]},\"stackTable\":{"
			      "\"prefix\":[null,0,1,2],\"frame\":[3,2,1,0]},"
			      "\"frameTable\":{\"func\":[0,1,2,3]},"
			      "\"funcTable\":{\"name\":[0,1,2,0],"
			      "\"resource\":[0,0,0,-1]},"
			      "\"resourceTable\":{\"name\":[3]},"
			      "\"stringArray\":[\"0x114c\",\"0xFf\",\"0x1x\","
			      "\"libloop.so\"]}]}",
		     "samples: 0x114c;0x1x;[libloop.so];[libloop.so]|[t "
		     "tid=5]|1 1\n",
		     0);
}

static void damaged_tables_are_counted(void **state)
{
	(void)state;
	/* A caller behind its callee, missing frames, functions, names. */
	expect_lines(
		META("") "\"threads\":[{\"name\":\"\",\"samples\":{"
			 "\"stack\":[0,1,2,99]},\"stackTable\":{"
			 "\"prefix\":[2,null,1],\"frame\":[0,1,9]},"
			 "\"frameTable\":{\"func\":[0,5]},"
			 "\"funcTable\":{\"name\":[8]},\"stringArray\":[]}]}",
		"samples: [unknown];[unknown]||1 1\n"
		"samples: [unknown]||2 2\nsamples: ||1 1\n",
		1);
	foreign_refuse(&firefox_reader, "{}", 2,
		       "no thread has samples: not a processed profile of the "
		       "Firefox Profiler, or truncated");
}

static void files_of_two_versions_have_the_same_samples(void **state)
{
	static const char *const names[] = {
		"tests/data/firefox/in.folded-v70.json",
		"tests/fuzz/corpus/firefox/v49",
	};
	static const char
		lines[] = "collapsed: main;a.B.<init>;\"x\" & y||6 6\n"
			  "collapsed: main;tiny||1 1\n"
			  "collapsed: main;work||3 3\n";

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct text file = foreign_file(names[i]);
		struct profile *p = foreign_read(&firefox_reader, file.bytes,
						 file.len);

		foreign_expect(p, lines);
		profile_free(p);
		foreign_cut_everywhere(&firefox_reader, file.bytes,
				       file.len - 1, true);
		text_release(&file);
	}
}

/* The profiles that the site saves list the user's extensions first. */
static void version_may_follow_many_extensions(void **state)
{
	struct text text = { 0 };
	struct error err;

	(void)state;
	text_puts(&text, "{\"meta\":{\"extensions\":[");
	while (text.len < 2 * (size_t)READER_HEAD)
		text_puts(&text, "\"an extension\",");
	text_puts(&text, "\"x\"],\"preprocessedProfileVersion\":58},"
			 "\"threads\":[]}");
	assert_ptr_equal(reader_for("auto", NULL, (const uint8_t *)text.bytes,
				    text.len, &err),
			 &firefox_reader);
	text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_have_samples_and_allocations),
		cmocka_unit_test(tables_may_be_shared_and_have_offsets),
		cmocka_unit_test(
			functions_without_symbols_are_named_after_their_file),
		cmocka_unit_test(damaged_tables_are_counted),
		cmocka_unit_test(version_may_follow_many_extensions),
		cmocka_unit_test(files_of_two_versions_have_the_same_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
