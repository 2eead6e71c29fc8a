/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GC logs of other projects, compared with the number and the sum of the pauses
 * that a script has counted in them. tests/data/gc/foreign_logs.tsv explains
 * each difference.
 */
#include "core/base/input.h"
#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/gc/gc_log.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FOREIGN "../shared/data/foreign/gclog/"

struct counted {
	uint64_t pauses;
	double seconds;
	int status; /* 0 = all lines read, 7 = in part, 6 = refused */
};

static void count_pauses(struct gc_source *s, struct counted *c)
{
	struct gc_lost lost;
	struct gc_pause p;
	struct error err;
	enum gc_next next;

	while ((next = gc_source_next(s, &p, &err)) == GC_NEXT_RECORD) {
		if (!gc_pause_is_collection(&p))
			continue;
		c->pauses += p.collections ? p.collections : 1;
		if (p.gc_ns != GC_ABSENT)
			c->seconds += (double)p.gc_ns / 1e9;
	}
	gc_source_lost(s, &lost);
	c->status = next == GC_NEXT_FAILED ? 6 : lost.lines ? 7 : 0;
}

static struct counted read_log(struct line name)
{
	struct counted c = { .status = 6 };
	struct text path = { 0 };
	struct gc_log_file file;
	struct gc_source *s;
	struct input in = { 0 };
	struct error err;

	text_puts(&path, FOREIGN);
	text_add(&path, name.text, name.len);
	if (input_open(&in, path.bytes, &err) == 0 &&
	    input_complete(&in, &err) == 0) {
		file = (struct gc_log_file){ in.bytes, in.len, path.bytes,
					     in.damage != NULL };
		s = gc_log_open(&file, 1, &err);
		if (s)
			count_pauses(s, &c);
		gc_source_close(s);
	}
	input_close(&in);
	text_release(&path);
	return c;
}

/* Reads "file, pauses, seconds, status"; the script's table has no status. */
static struct counted read_row(struct line row, struct line *name)
{
	struct counted c;

	*name = line_cut(&row, '\t');
	c.pauses = strtoull(row.text, NULL, 10);
	line_cut(&row, '\t');
	c.seconds = strtod(row.text, NULL);
	line_cut(&row, '\t');
	c.status = (int)strtol(row.text, NULL, 10);
	return c;
}

/* Finds the row of a file that differs; false if there is none. */
static bool find_explained(const struct input *table, struct line name,
			   struct counted *c)
{
	struct lines rows = lines_over(table->bytes, table->len);
	struct line row, other;

	while (lines_next(&rows, &row)) {
		struct counted found = read_row(row, &other);

		if (other.len != name.len ||
		    memcmp(other.text, name.text, name.len) != 0)
			continue;
		*c = found;
		return true;
	}
	return false;
}

static void slurp(struct input *in, const char *path)
{
	struct error err;

	if (input_open(in, path, &err) || input_complete(in, &err))
		fail_msg("%s: %s", path, err.text);
}

static void foreign_logs_have_the_sums_of_a_script(void **state)
{
	struct input table = { 0 }, explained = { 0 };
	struct line row, name;
	struct lines rows;
	struct error unused;

	(void)state;
	if (input_open(&table, FOREIGN "expected.tsv", &unused)) {
		input_close(&table);
		print_message("skipped: " FOREIGN " is not here\n");
		skip();
	}
	assert_int_equal(input_complete(&table, &unused), 0);
	slurp(&explained, "tests/data/gc/foreign_logs.tsv");
	rows = lines_over(table.bytes, table.len);
	while (lines_next(&rows, &row)) {
		struct counted want = read_row(row, &name), got;

		if (line_starts(name, "#"))
			continue;
		if (!find_explained(&explained, name, &want))
			want = (struct counted){ want.pauses, want.seconds, 0 };
		got = read_log(name);
		if (got.pauses != want.pauses || got.status != want.status ||
		    fabs(got.seconds - want.seconds) > 0.0002)
			fail_msg("%.*s: %llu pauses, %.4f s, status %d",
				 (int)name.len, name.text,
				 (unsigned long long)got.pauses, got.seconds,
				 got.status);
	}
	input_close(&explained);
	input_close(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foreign_logs_have_the_sums_of_a_script),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
