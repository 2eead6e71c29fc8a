/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/class_histogram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define HEAD                                                                   \
	" num     #instances         #bytes  class name (module)\n"            \
	"-------------------------------------------------------\n"

static void read_text(struct class_histogram *h, const char *text)
{
	struct error err = { 0 };

	if (class_histogram_read(h, text, strlen(text), &err))
		fail_msg("%s", err.text);
}

static void assert_row(const struct class_histogram *h, size_t i,
		       const char *name, const char *module, int64_t instances,
		       int64_t bytes)
{
	assert_in_range(i + 1, 1, h->count);
	assert_string_equal(h->rows[i].name, name);
	assert_string_equal(h->rows[i].module, module);
	assert_int_equal(h->rows[i].instances, instances);
	assert_int_equal(h->rows[i].bytes, bytes);
}

static void rows_of_every_jdk_are_read(void **state)
{
	struct class_histogram h = { 0 };

	(void)state;
	read_text(&h, HEAD
		  "   1:         20355        1158008  [B (java.base@17.0.21)\n"
		  "   2:            14            448  Busy\n"
		  "1234:             2             48  "
		  "Busy$$Lambda$62/0x00007f6674008c00 (a.b@1 (x))\n"
		  "   4:             1             16  <methodKlass>\n"
		  "Total         73439        3395648\n");
	assert_int_equal(h.count, 4);
	assert_int_equal(h.unread, 0);
	assert_row(&h, 0, "[B", "java.base@17.0.21", 20355, 1158008);
	assert_row(&h, 1, "Busy", "", 14, 448);
	assert_row(&h, 3, "<methodKlass>", "", 1, 16);
	assert_int_equal(class_histogram_total(&h).bytes,
			 1158008 + 448 + 48 + 16);
	class_histogram_release(&h);
}

static void class_name_may_be_any_text(void **state)
{
	struct class_histogram h = { 0 };

	(void)state;
	read_text(&h, "   1:  1  16  a b (c\n"
		      "   2:  1  16  )\n"
		      "   3:  1  16  (m)\n"
		      "   4:  1  16  x (m)\r\n");
	assert_row(&h, 0, "a b (c", "", 1, 16);
	assert_row(&h, 1, ")", "", 1, 16);
	assert_row(&h, 2, "(m)", "", 1, 16);
	assert_row(&h, 3, "x", "m", 1, 16);
	class_histogram_release(&h);
}

static void lines_that_are_no_rows_are_counted(void **state)
{
	struct class_histogram h = { 0 };

	(void)state;
	read_text(&h, HEAD "   1:  1  16  a\n"
			   "   2:  1  16\n"
			   "   3  1  16 a\n"
			   "   4:  99999999999999999999  16 a\n"
			   "   5:  -1  16 a\n"
			   "what is this\n");
	assert_int_equal(h.count, 1);
	assert_int_equal(h.unread, 5);
	class_histogram_release(&h);
}

static void reply_without_rows_is_an_error(void **state)
{
	struct class_histogram h = { 0 };
	struct error err = { 0 };
	const char said[] = "Operation inspectheap not recognized!\n";

	(void)state;
	assert_int_equal(class_histogram_read(&h, said, strlen(said), &err),
			 -1);
	assert_int_equal(err.kind, ERROR_INPUT);
	assert_non_null(strstr(err.text, "inspectheap not recognized"));
	assert_int_equal(class_histogram_read(&h, "", 0, &err), -1);
	assert_non_null(strstr(err.text, "the reply is empty"));
	class_histogram_release(&h);
}

static void histogram_subtract_removes_objects_of_the_other(void **state)
{
	struct class_histogram all = { 0 }, live = { 0 };

	(void)state;
	read_text(&all, "1:  10  160  [B (java.base)\n"
			"2:  5  500  Dead\n"
			"3:  5  80  Twice\n"
			"4:  2  32  Twice\n"
			"5:  1  16  Same\n"
			"6:  1  16  Grown\n"
			"7:  9  90  Other (a@1)\n");
	read_text(&live, "1:  4  64  [B (java.base)\n"
			 "2:  6  96  Twice\n"
			 "3:  1  16  Same\n"
			 "4:  3  48  Grown\n"
			 "5:  9  90  Other (a@2)\n"
			 "6:  1  16  New\n");
	class_histogram_subtract(&all, &live);
	assert_int_equal(all.count, 4);
	assert_row(&all, 0, "Dead", "", 5, 500);
	assert_row(&all, 1, "[B", "java.base", 6, 96);
	assert_row(&all, 2, "Other", "a@1", 9, 90);
	assert_row(&all, 3, "Twice", "", 1, 16);
	class_histogram_release(&all);
	class_histogram_release(&live);
}

/* A file with this content, removed by the caller. */
static void write_file(char *path, const char *content)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, strlen(content)), strlen(content));
	close(fd);
}

static int read_file(struct class_histogram *h, const char *content,
		     struct error *err)
{
	char path[] = "/tmp/histogram-XXXXXX";
	int ret;

	*h = (struct class_histogram){ 0 };
	write_file(path, content);
	ret = class_histogram_read_file(h, path, err);
	unlink(path);
	return ret;
}

static void files_of_hh_and_jmap_are_read(void **state)
{
	static const char *const files[] = {
		HEAD "   1:  5  500  [B (java.base@17)\n"
		     "   2:  2  48  =Odd\"\n"
		     "Total  7  548\n",
		"   #      Instances          Bytes  Type\n"
		"   1:             5            500  [B (java.base@17)\n"
		"   2:             2             48  =Odd\"\n"
		"                  7            548  Total\n",
		"class,module,instances,bytes\n"
		"[B,java.base@17,5,500\n"
		"\"'=Odd\"\"\",,2,48\n",
		"\n{\"schema\":\"sjkc.histogram/"
		"1\",\"later\":[{}],\"classes\":["
		"{\"name\":\"=Odd\\\"\",\"module\":\"\",\"instances\":2,"
		"\"bytes\":48},"
		"{\"name\":\"[B\",\"module\":\"java.base@17\",\"instances\":5,"
		"\"bytes\":500}],\"total\":{\"instances\":7,\"bytes\":548}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct class_histogram h;
		struct error err = { 0 };

		if (read_file(&h, files[i], &err))
			fail_msg("%zu: %s", i, err.text);
		assert_int_equal(h.count, 2);
		assert_int_equal(h.unread, 0);
		assert_row(&h, 0, "[B", "java.base@17", 5, 500);
		assert_row(&h, 1, "=Odd\"", "", 2, 48);
		class_histogram_release(&h);
	}
}

static void file_without_all_classes_is_an_error(void **state)
{
	static const char *const files[] = {
		HEAD "   1:  5  500  [B\nTotal  7  548\n",
		"   1:             5            500  [B\n"
		"                  7            548  Total\n",
		"{\"classes\":[{\"name\":\"[B\",\"instances\":5,\"bytes\":500}]"
		","
		"\"total\":{\"bytes\":548}}",
	};
	struct class_histogram h;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		err = (struct error){ 0 };
		assert_int_equal(read_file(&h, files[i], &err), -1);
		assert_int_equal(err.kind, ERROR_INPUT);
		assert_non_null(strstr(err.text, "without -n"));
		class_histogram_release(&h);
	}
}

static void file_cut_at_any_byte_is_read_or_an_error(void **state)
{
	static const char json[] =
		"{\"classes\":[{\"name\":\"A\",\"instances\":"
		"9223372036854775807,"
		"\"bytes\":9223372036854775807},{\"name\":\"A\",\"instances\":"
		"9223372036854775807,\"bytes\":9223372036854775807}]}";
	char part[sizeof(json)];
	struct class_histogram h;
	struct error err;

	(void)state;
	for (size_t len = 1; len < sizeof(json); len++) {
		memcpy(part, json, len);
		part[len] = '\0';
		err = (struct error){ 0 };
		if (read_file(&h, part, &err) == 0) {
			assert_int_equal(len, sizeof(json) - 1);
			assert_int_equal(class_histogram_total(&h).bytes,
					 INT64_MAX);
		}
		class_histogram_release(&h);
	}
}

/* Rows that are read are rows of the whole file, and a part of one is counted.
 */
static void assert_cuts_add_no_wrong_row(const char *text)
{
	struct class_histogram whole, h;
	struct error err = { 0 };
	char part[512];

	assert_int_equal(read_file(&whole, text, &err), 0);
	for (size_t len = 1; len < strlen(text); len++) {
		bool is_between = strchr(" \n", text[len - 1]) ||
				  text[len] == '\n';

		memcpy(part, text, len);
		part[len] = '\0';
		if (read_file(&h, part, &err)) {
			class_histogram_release(&h);
			continue;
		}
		for (size_t i = 0; i < h.count; i++) {
			size_t k = 0;

			while (k < whole.count &&
			       (strcmp(h.rows[i].name, whole.rows[k].name) ||
				strcmp(h.rows[i].module,
				       whole.rows[k].module) ||
				h.rows[i].bytes != whole.rows[k].bytes))
				k++;
			if (k == whole.count)
				fail_msg("cut at %zu: %s", len, h.rows[i].name);
		}
		if (h.count < whole.count && !h.unread && !is_between)
			fail_msg("cut at %zu: nothing is reported", len);
		class_histogram_release(&h);
	}
	class_histogram_release(&whole);
}

static void truncated_rows_are_not_read(void **state)
{
	(void)state;
	assert_cuts_add_no_wrong_row(
		HEAD "   1:  500  12000  com.acme.Order (orders@1.2)\n"
		     "   2:   10   1600  [B (java.base@17.0.21)\n"
		     "Total  510  13600\n");
	assert_cuts_add_no_wrong_row("class,module,instances,bytes\n"
				     "com.acme.Order,orders@1.2,500,12000\n"
				     "\"a,b\",,10,1600\n");
}

static void compare_finds_grown_new_and_gone_classes(void **state)
{
	struct class_histogram before = { 0 }, after = { 0 };
	struct class_change *c;
	size_t count;

	(void)state;
	read_text(&before, "1:  10  160  Same\n2:  5  500  Gone\n"
			   "3:  1  16  Grown\n4:  1  16  Grown\n"
			   "5:  2  32  Other (a@1)\n");
	read_text(&after, "1:  10  160  Same\n2:  9  144  Grown\n"
			  "3:  3  30  New\n4:  2  32  Other (a@2)\n");
	c = class_histogram_compare(&before, &after, &count);
	assert_int_equal(count, 5);
	assert_string_equal(c[0].name, "Gone");
	assert_int_equal(c[0].bytes_before, 500);
	assert_int_equal(c[0].instances, 0);
	assert_string_equal(c[1].name, "Grown");
	assert_int_equal(c[1].instances_before, 2);
	assert_int_equal(c[1].instances, 9);
	assert_int_equal(c[1].bytes_before, 32);
	assert_int_equal(c[1].bytes, 144);
	assert_string_equal(c[2].module, "a@1");
	assert_string_equal(c[3].module, "a@2");
	assert_string_equal(c[4].name, "New");
	assert_int_equal(c[4].bytes_before, 0);
	free(c);
	class_histogram_release(&before);
	class_histogram_release(&after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_every_jdk_are_read),
		cmocka_unit_test(class_name_may_be_any_text),
		cmocka_unit_test(lines_that_are_no_rows_are_counted),
		cmocka_unit_test(reply_without_rows_is_an_error),
		cmocka_unit_test(
			histogram_subtract_removes_objects_of_the_other),
		cmocka_unit_test(files_of_hh_and_jmap_are_read),
		cmocka_unit_test(file_without_all_classes_is_an_error),
		cmocka_unit_test(file_cut_at_any_byte_is_read_or_an_error),
		cmocka_unit_test(truncated_rows_are_not_read),
		cmocka_unit_test(compare_finds_grown_new_and_gone_classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
