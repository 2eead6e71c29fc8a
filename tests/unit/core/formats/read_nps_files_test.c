/* SPDX-License-Identifier: Apache-2.0 */
/* Compares files in data/nps with the results of VisualVM's own reader. */
#include "core/base/alloc.h"
#include "core/base/input.h"
#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/formats/reader.h"
#include "core/profile/frame_name.h"
#include "tests/unit/foreign.h"
#include "tests/unit/nps_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DATA      "tests/data/nps/"
#define MAX_DEPTH 256

static void slurp(struct input *in, const char *path)
{
	struct error err;

	if (input_open(in, path, &err) || input_complete(in, &err))
		fail_msg("%s: %s", path, err.text);
}

/* Appends the totals of every stack trace of a thread for an event. */
static uint64_t *totals_of(const struct profile *p, uint32_t thread,
			   const char *event)
{
	uint64_t *totals = xcalloc(p->stack_count, sizeof(*totals));

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (c->thread == thread &&
		    strcmp(profile_text(p, p->events[c->event].name), event) ==
			    0)
			totals[c->stack] += c->weight;
	}
	for (size_t i = p->stack_count; i-- > 1;)
		totals[p->stacks[i].caller] += totals[i];
	return totals;
}

static uint32_t thread_named(const struct profile *p, const char *name,
			     size_t len)
{
	for (uint32_t i = 1; i < p->thread_count; i++) {
		uint32_t own = p->threads[i].name;

		if (intern_len(&p->strings, own) == len &&
		    memcmp(profile_text(p, own), name, len) == 0)
			return i;
	}
	fail_msg("no thread %.*s", (int)len, name);
	return 0;
}

/* Converts a method of the reference to sjkc's names of class and method. */
static char *our_name(const char *name, size_t len)
{
	const char *native = memmem(name, len, "[native]", 8);
	const char *method, *end;
	struct text out = { 0 };

	if (native)
		len = (size_t)(native - name);
	method = end = memrchr(name, '.', len);
	if (memmem(name, len, "$$Lambda", 8))
		end = (char *)memmem(name, len, "$$Lambda", 8) + 8;
	/* GeneratedMethodAccessor1 */
	while (memmem(name, len, "Generated", 9) && end[-1] >= '0' &&
	       end[-1] <= '9')
		end--;
	text_add(&out, name, (size_t)(end - name));
	text_add(&out, method, (size_t)(name + len - method));
	return out.bytes;
}

/* Object.wait is both a native method and one that calls it. */
static uint32_t callee_named(const struct profile *p, uint32_t caller,
			     const char *name, bool is_native)
{
	static const struct style style;
	uint32_t found = 0;

	for (uint32_t i = 1; i < p->stack_count && !found; i++) {
		const struct frame *f = &p->frames[p->stacks[i].frame];
		struct text own = { 0 };

		if (p->stacks[i].caller != caller ||
		    (f->kind == FRAME_NATIVE) != is_native)
			continue;
		frame_name(&own, p, f, &style);
		if (strcmp(own.bytes, name) == 0)
			found = i;
		text_release(&own);
	}
	if (!found)
		fail_msg("no callee %s", name);
	return found;
}

/* Values of a thread in the reference, added up per stack trace. */
struct expected {
	uint64_t *wall, *cpu;
	uint32_t path[MAX_DEPTH];
	size_t nodes;
};

static uint64_t number_after(struct line line, const char *key)
{
	const char *at = memmem(line.text, line.len, key, strlen(key));

	assert_non_null(at);
	return strtoull(at + strlen(key), NULL, 10);
}

/* "   N class.method t0=… s0=… t1=…", indented by one space per level. */
static void expect_node(struct expected *e, const struct profile *p,
			struct line line)
{
	size_t depth = strspn(line.text, " ");
	const char *name = line.text + depth + 2;
	const char *end = memmem(line.text, line.len, " t0=", 4);
	uint32_t stack = 0;

	if (depth) {
		char *own = our_name(name, (size_t)(end - name));

		stack = callee_named(p, e->path[depth - 1], own,
				     end[-1] == ']');
		free(own);
	}
	e->path[depth] = stack;
	/* sjkc merges callees with equal names; the root is the thread. */
	e->wall[stack] += number_after(line, " t0=") * 1000;
	e->cpu[stack] += number_after(line, " t1=") * 1000;
	e->nodes++;
}

static void compare_thread(struct expected *e, const struct profile *p,
			   uint32_t thread)
{
	uint64_t *wall = totals_of(p, thread, "nps.wall");
	uint64_t *cpu = totals_of(p, thread, "nps.cpu");

	for (size_t i = 0; i < p->stack_count; i++) {
		assert_int_equal(wall[i], e->wall[i]);
		assert_int_equal(cpu[i], e->cpu[i]);
		e->wall[i] = e->cpu[i] = 0;
	}
	free(wall);
	free(cpu);
}

/* Returns the number of compared nodes. */
static size_t compare_with_reference(const char *nps, const char *reference)
{
	struct input in, ref;
	struct expected e = { 0 };
	struct profile *p;
	struct lines lines;
	struct line line;
	uint32_t thread = 0;

	slurp(&in, nps);
	slurp(&ref, reference);
	p = nps_read_bytes(in.bytes, in.len);
	assert_int_equal(p->remark_count, 0);
	e.wall = xcalloc(p->stack_count, sizeof(*e.wall));
	e.cpu = xcalloc(p->stack_count, sizeof(*e.cpu));
	lines = lines_over(ref.bytes, ref.len);
	while (lines_next(&lines, &line)) {
		size_t depth = strspn(line.text, " ");

		if (line_starts(line, "T id=")) {
			const char *name = strstr(line.text, " name=") + 6;
			const char *end = strstr(name, " net0=");

			thread = thread_named(p, name, (size_t)(end - name));
		} else if (line.text[depth] == 'N') {
			expect_node(&e, p, line);
		} else if (line_starts(line, "# nodes=")) {
			compare_thread(&e, p, thread);
		}
	}
	free(e.wall);
	free(e.cpu);
	profile_free(p);
	input_close(&in);
	input_close(&ref);
	return e.nodes;
}

static void totals_of_every_node_are_those_of_visualvm(void **state)
{
	(void)state;
	assert_int_equal(compare_with_reference(DATA "hand-v1.1-one.nps",
						DATA "hand-v1.1-one.ref.txt"),
			 7);
	assert_int_equal(compare_with_reference(DATA "hand-v1.2-two.nps",
						DATA "hand-v1.2-two.ref.txt"),
			 7);
	assert_int_equal(
		compare_with_reference(DATA "small.nps", DATA "small.ref.txt"),
		226);
}

static void second_time_is_a_separate_event(void **state)
{
	struct input in;
	struct profile *p;

	(void)state;
	slurp(&in, DATA "hand-v1.2-two.nps");
	p = nps_read_bytes(in.bytes, in.len);
	assert_int_equal(p->event_count, 2);
	assert_int_equal(p->events[0].unit, UNIT_NS);
	assert_int_equal(p->events[0].weight, 9010000);
	assert_int_equal(p->events[1].weight, 910000);
	profile_free(p);
	input_close(&in);
	slurp(&in, DATA "hand-v1.1-one.nps");
	p = nps_read_bytes(in.bytes, in.len);
	assert_int_equal(p->event_count, 1);
	profile_free(p);
	input_close(&in);
}

/* Returns the weight of the row that begins with a name; 0 if there is none. */
static uint64_t weight_of(const struct text *rows, struct line name)
{
	struct lines lines = lines_over(rows->bytes, rows->len);
	struct line line;

	while (lines_next(&lines, &line)) {
		const char *space = memrchr(line.text, ' ', line.len);
		const char *bar = memrchr(line.text, '|', line.len);

		if ((size_t)(bar - line.text) == name.len &&
		    memcmp(line.text, name.text, name.len) == 0)
			return strtoull(space, NULL, 10);
	}
	return 0;
}

/* The time of lost callees is not their caller's. */
static void no_row_of_a_truncated_file_is_larger(void **state)
{
	static const char *const files[] = { DATA "hand-v1.1-one.nps",
					     DATA "hand-v1.2-two.nps",
					     DATA "small.nps" };

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct text file = foreign_file(files[i]);
		struct profile *p = nps_read_bytes((uint8_t *)file.bytes,
						   file.len);
		struct text whole = foreign_lines(p);

		profile_free(p);
		for (size_t cut = 0; cut < file.len; cut++) {
			struct error err;
			struct text rows;
			struct lines lines;
			struct line line;

			p = profile_new();
			if (nps_reader.read((uint8_t *)file.bytes, cut, p,
					    &err)) {
				profile_free(p);
				continue;
			}
			rows = foreign_lines(p);
			lines = lines_over(rows.bytes, rows.len);
			while (lines_next(&lines, &line)) {
				const char *bar = memrchr(line.text, '|',
							  line.len);
				struct line name = line;

				name.len = (size_t)(bar - line.text);
				if (strtoull(strchr(bar, ' '), NULL, 10) >
				    weight_of(&whole, name))
					fail_msg("%s cut at %zu: %.*s",
						 files[i], cut, (int)line.len,
						 line.text);
			}
			text_release(&rows);
			profile_free(p);
		}
		text_release(&whole);
		text_release(&file);
	}
}

static void truncated_file_is_reported_and_its_start_kept(void **state)
{
	struct input in;
	size_t kept = 0;

	(void)state;
	slurp(&in, DATA "small.nps");
	for (size_t len = 10; len < in.len; len++) {
		struct profile *p = profile_new();
		struct error err = { 0 };
		uint8_t *cut = memcpy(malloc(len), in.bytes, len);

		if (nps_reader.read(cut, len, p, &err)) {
			assert_int_equal(err.kind, ERROR_INPUT);
			assert_true(err.text[0]);
		} else {
			assert_true(profile_is_partial(p));
			kept += p->cell_count > 0;
		}
		profile_free(p);
		free(cut);
	}
	/* A file that is cut after the table of methods yields something. */
	assert_true(kept > in.len / 2);
	input_close(&in);
}

static void any_flipped_byte_is_harmless(void **state)
{
	struct input in;
	uint8_t *copy;

	(void)state;
	slurp(&in, DATA "hand-v1.2-two.nps");
	copy = memcpy(malloc(in.len), in.bytes, in.len);
	for (size_t i = 0; i < in.len; i++) {
		struct profile *p = profile_new();
		struct error err = { 0 };

		copy[i] ^= 0xff;
		if (nps_reader.read(copy, in.len, p, &err))
			assert_int_equal(err.kind, ERROR_INPUT);
		copy[i] ^= 0xff;
		profile_free(p);
	}
	free(copy);
	input_close(&in);
}

static void relatives_of_the_format_are_recognized_and_refused(void **state)
{
	static const char npss[] = "NPSS\2\x1f\x8b\x08";

	(void)state;
	assert_true(nps_reader.sniff((const uint8_t *)npss, sizeof(npss)));
	assert_non_null(strstr(nps_refusal(npss, sizeof(npss)).text, ".npss"));
	assert_false(nps_reader.sniff((const uint8_t *)"PK\3\4", 4));
	assert_false(nps_reader.sniff((const uint8_t *)"nBpRoFiLe", 9));
	assert_non_null(
		strstr(nps_refusal("xBpRoFiLeR", 10).text, "nBpRoFiLeR"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_of_every_node_are_those_of_visualvm),
		cmocka_unit_test(second_time_is_a_separate_event),
		cmocka_unit_test(truncated_file_is_reported_and_its_start_kept),
		cmocka_unit_test(no_row_of_a_truncated_file_is_larger),
		cmocka_unit_test(any_flipped_byte_is_harmless),
		cmocka_unit_test(
			relatives_of_the_format_are_recognized_and_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
