/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/reader.h"
#include "tests/unit/foreign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                   \
	"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
#define SHARED                                                                 \
	"\"shared\":{\"frames\":[{\"name\":\"a.B.main\",\"line\":7},"          \
	"{\"name\":\"work\\u0041\",\"file\":\"x\",\"line\":null},{\"name\":"   \
	"\"c\"}]}"

static void expect_lines(const char *text, const char *lines, size_t remarks)
{
	struct profile *p = foreign_read(&speedscope_reader, text,
					 strlen(text));

	assert_true(
		speedscope_reader.sniff((const uint8_t *)text, strlen(text)));
	foreign_expect(p, lines);
	assert_int_equal(p->remark_count, remarks);
	profile_free(p);
}

static void sampled_profiles_are_threads(void **state)
{
	(void)state;
	expect_lines(HEAD
		     "\"profiles\":[{\"type\":\"sampled\",\"name\":\"t 1\","
		     "\"unit\":\"milliseconds\",\"startValue\":0,"
		     "\"endValue\":3,\"samples\":[[0,1],[0]],"
		     "\"weights\":[1.5,25e-1]}]," SHARED "}",
		     "time: a.B.main:7;workA|[t 1]|1 1500000\n"
		     "time: a.B.main:7|[t 1]|1 2500000\n",
		     0);
	expect_lines(HEAD SHARED
		     ",\"profiles\":[{\"weights\":[3],\"samples\":[[2]],"
		     "\"unit\":\"none\",\"name\":\"\",\"x\":{\"y\":[1]}}]}",
		     "samples: c||3 3\n", 0);
}

static void time_between_events_belongs_to_open_frames(void **state)
{
	(void)state;
	expect_lines(HEAD "\"profiles\":[{\"type\":\"evented\",\"name\":\"t\","
			  "\"unit\":\"microseconds\",\"startValue\":10,"
			  "\"endValue\":30,\"events\":["
			  "{\"type\":\"O\",\"at\":10,\"frame\":0},"
			  "{\"type\":\"O\",\"frame\":2,\"at\":12},"
			  "{\"type\":\"C\",\"at\":17,\"frame\":2},"
			  "{\"type\":\"C\",\"at\":30,\"frame\":0}]}]," SHARED
			  "}",
		     "time: a.B.main:7;c|[t]|1 5000\n"
		     "time: a.B.main:7|[t]|2 15000\n",
		     0);
}

static void own_files_name_events_and_threads(void **state)
{
	(void)state;
	expect_lines(HEAD "\"exporter\":\"sjkc 0.1\"," SHARED
			  ",\"profiles\":[{\"type\":\"sampled\","
			  "\"name\":\"lock [main [x] tid=12]\","
			  "\"unit\":\"nanoseconds\",\"samples\":[[2]],"
			  "\"weights\":[5]},{\"type\":\"sampled\","
			  "\"name\":\"alloc\",\"unit\":\"bytes\","
			  "\"samples\":[[2]],\"weights\":[6]}]}",
		     "alloc: c||1 6\nlock: c|[main [x] tid=12]|1 5\n", 0);
}

static void damage_is_counted(void **state)
{
	(void)state;
	/* A missing frame, a weight too few, and a negative one. */
	expect_lines(HEAD SHARED
		     ",\"profiles\":[{\"name\":\"\",\"unit\":\"none\","
		     "\"samples\":[[0,9],[1],[2]],"
		     "\"weights\":[4,-1]}]}",
		     "samples: a.B.main:7;[unknown]||4 4\n", 3);
	/* Events that close another frame, and none. */
	expect_lines(HEAD SHARED
		     ",\"profiles\":[{\"name\":\"\",\"unit\":\"none\","
		     "\"events\":[{\"type\":\"O\",\"at\":0,\"frame\":0},"
		     "{\"type\":\"C\",\"at\":2,\"frame\":1}]}]}",
		     "samples: a.B.main:7||2 2\n", 2);
	foreign_refuse(&speedscope_reader, HEAD "\"profiles\":[]}",
		       strlen(HEAD "\"profiles\":[]}"),
		       "no \"shared\" frames: not a file of speedscope, or "
		       "truncated before they end");
	foreign_refuse(&speedscope_reader, HEAD SHARED "}",
		       strlen(HEAD SHARED "}"), "no profile has samples");
}

static void files_may_be_truncated_anywhere(void **state)
{
	static const char *const names[] = {
		"tests/fuzz/corpus/speedscope/evented",
		"tests/fuzz/corpus/speedscope/sjkc-lock",
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct text file = foreign_file(names[i]);

		foreign_cut_everywhere(&speedscope_reader, file.bytes,
				       file.len < 4000 ? file.len : 4000, true);
		text_release(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sampled_profiles_are_threads),
		cmocka_unit_test(time_between_events_belongs_to_open_frames),
		cmocka_unit_test(own_files_name_events_and_threads),
		cmocka_unit_test(damage_is_counted),
		cmocka_unit_test(files_may_be_truncated_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
