/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"
#include "core/base/protobuf.h"
#include "core/formats/reader.h"
#include "render/profile/export.h"
#include "tests/unit/foreign.h"
#include "tests/unit/sampled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A profile in the making; the fields are those of profile.proto. */
struct made {
	struct text file, message, inner;
	uint64_t strings;
};

/* Adds a string of the table and returns its index. */
static uint64_t made_string(struct made *m, const char *s)
{
	protobuf_bytes(&m->file, 6, s, strlen(s));
	return m->strings++;
}

static void made_type(struct made *m, const char *name, const char *unit)
{
	protobuf_uint(&m->message, 1, made_string(m, name));
	protobuf_uint(&m->message, 2, made_string(m, unit));
	protobuf_message(&m->file, 1, &m->message);
}

/* Adds a function and a location of the same id with that line. */
static void made_location(struct made *m, uint64_t id, const char *name,
			  uint64_t line)
{
	protobuf_uint(&m->message, 1, id);
	protobuf_uint(&m->message, 2, made_string(m, name));
	protobuf_message(&m->file, 5, &m->message);
	protobuf_uint(&m->inner, 1, id);
	protobuf_uint(&m->inner, 2, line);
	protobuf_uint(&m->message, 1, id);
	protobuf_message(&m->message, 4, &m->inner);
	protobuf_message(&m->file, 4, &m->message);
}

/* Adds numbers, packed or each in a field. */
static void made_numbers(struct text *out, uint32_t field, bool packed,
			 const uint64_t *numbers, size_t count)
{
	struct text bytes = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (packed)
			text_varint(&bytes, numbers[i]);
		else
			protobuf_uint(out, field, numbers[i]);
	}
	if (packed)
		protobuf_message(out, field, &bytes);
	text_release(&bytes);
}

static void made_sample(struct made *m, bool packed, const uint64_t *locations,
			size_t depth, const uint64_t *values, size_t count)
{
	made_numbers(&m->message, 1, packed, locations, depth);
	made_numbers(&m->message, 2, packed, values, count);
	protobuf_message(&m->file, 2, &m->message);
}

static void made_release(struct made *m)
{
	text_release(&m->file);
	text_release(&m->message);
	text_release(&m->inner);
}

static void made_expect(struct made *m, const char *lines)
{
	struct profile *p = foreign_read(&pprof_reader, m->file.bytes,
					 m->file.len);

	foreign_expect(p, lines);
	profile_free(p);
}

static void types_that_count_and_weigh_are_one_event(void **state)
{
	struct made m = { 0 };

	(void)state;
	made_string(&m, "");
	made_type(&m, "alloc_objects", "count");
	made_type(&m, "alloc_space", "bytes");
	made_type(&m, "wall", "milliseconds");
	made_location(&m, 1, "java.lang.Thread.run", 12);
	made_location(&m, 2, "a.B.c", 0);
	made_sample(&m, true, (uint64_t[]){ 2, 1 }, 2,
		    (uint64_t[]){ 3, 4096, 7 }, 3);
	made_sample(&m, false, (uint64_t[]){ 1 }, 1, (uint64_t[]){ 1, 2, 3 },
		    3);
	made_expect(&m, "alloc_space: java.lang.Thread.run:12;a.B.c||3 4096\n"
			"alloc_space: java.lang.Thread.run:12||1 2\n"
			"wall: java.lang.Thread.run:12;a.B.c||1 7000000\n"
			"wall: java.lang.Thread.run:12||1 3000000\n");
	assert_true(pprof_reader.sniff((uint8_t *)m.file.bytes, m.file.len));
	made_release(&m);
}

/* The types of pprof for Node.js (@datadog/pprof 5). */
static void types_of_node_are_paired(void **state)
{
	static const char *const types[][2] = {
		{ "sample", "wall" },
		{ "objects", "space" },
		{ "inuse_objects", "inuse_space" },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct made m = { 0 };
		char lines[64];

		made_string(&m, "");
		made_type(&m, types[i][0], "count");
		made_type(&m, types[i][1], i ? "bytes" : "nanoseconds");
		made_location(&m, 1, "work", 0);
		made_sample(&m, true, (uint64_t[]){ 1 }, 1,
			    (uint64_t[]){ 5, 10000 }, 2);
		snprintf(lines, sizeof(lines), "%s: work||5 10000\n",
			 types[i][1]);
		made_expect(&m, lines);
		made_release(&m);
	}
}

static void inlined_lines_labels_and_mappings_are_read(void **state)
{
	struct made m = { 0 };
	struct text label = { 0 };

	(void)state;
	made_string(&m, "");
	made_type(&m, "samples", "count");
	made_location(&m, 1, "main", 0);
	made_location(&m, 2, "inlined", 0);
	/* Location 3: inlined in main; location 4: no function. */
	protobuf_uint(&m.message, 1, 3);
	protobuf_uint(&m.inner, 1, 2);
	protobuf_message(&m.message, 4, &m.inner);
	protobuf_uint(&m.inner, 1, 1);
	protobuf_message(&m.message, 4, &m.inner);
	protobuf_message(&m.file, 4, &m.message);
	protobuf_uint(&m.message, 1, 9);
	protobuf_uint(&m.message, 5, made_string(&m, "/lib/libc.so.6"));
	protobuf_message(&m.file, 3, &m.message);
	protobuf_uint(&m.message, 1, 4);
	protobuf_uint(&m.message, 2, 9);
	protobuf_message(&m.file, 4, &m.message);
	protobuf_uint(&label, 1, made_string(&m, "thread"));
	protobuf_uint(&label, 2, made_string(&m, "main thread"));
	protobuf_message(&m.message, 3, &label);
	protobuf_uint(&label, 1, made_string(&m, "thread_id"));
	protobuf_uint(&label, 3, 4711);
	protobuf_message(&m.message, 3, &label);
	protobuf_uint(&label, 1, made_string(&m, "thread_state"));
	protobuf_uint(&label, 2, made_string(&m, "BLOCKED"));
	protobuf_message(&m.message, 3, &label);
	made_sample(&m, true, (uint64_t[]){ 4, 3 }, 2, (uint64_t[]){ 5 }, 1);
	made_expect(&m, "samples: main;inlined;[libc.so.6]|"
			"[main thread tid=4711] BLOCKED|5 5\n");
	text_release(&label);
	made_release(&m);
}

static void missing_references_are_unknown_frames(void **state)
{
	struct made m = { 0 };
	struct profile *p;

	(void)state;
	made_string(&m, "");
	made_type(&m, "samples", "count");
	made_location(&m, 1, "main", 0);
	made_sample(&m, true, (uint64_t[]){ 77, 0, 1 }, 3, (uint64_t[]){ 5 },
		    1);
	p = foreign_read(&pprof_reader, m.file.bytes, m.file.len);
	foreign_expect(p, "samples: main;[unknown];[unknown]||5 5\n");
	assert_false(profile_is_partial(p));
	assert_int_equal(p->remark_count, 1);
	profile_free(p);
	made_release(&m);
}

static void damaged_samples_are_counted(void **state)
{
	struct made m = { 0 };
	struct profile *p;

	(void)state;
	made_string(&m, "");
	made_type(&m, "samples", "count");
	made_location(&m, 1, "main", 0);
	made_sample(&m, true, (uint64_t[]){ 1 }, 1, (uint64_t[]){ 5 }, 1);
	made_sample(&m, true, (uint64_t[]){ 1 }, 1, (uint64_t[]){ 5, 6 }, 2);
	made_sample(&m, true, (uint64_t[]){ 1 }, 1, (uint64_t[]){ UINT64_MAX },
		    1);
	/* A packed varint of eleven bytes. */
	protobuf_bytes(&m.message, 1,
		       "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10);
	protobuf_message(&m.file, 2, &m.message);
	p = foreign_read(&pprof_reader, m.file.bytes, m.file.len);
	foreign_expect(p, "samples: main||5 5\n");
	assert_int_equal(p->remark_count, 2);
	assert_int_equal(p->remarks[0].count, 2);
	assert_int_equal(p->remarks[1].count, 1);
	assert_true(profile_is_partial(p));
	profile_free(p);
	made_release(&m);
}

/* A function, a type and a label whose strings are not in the table. */
static void strings_outside_the_table_are_unknown(void **state)
{
	static const uint64_t outside[] = { 7, UINT32_MAX, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(outside) / sizeof(*outside); i++) {
		struct made m = { 0 };
		struct profile *p;

		made_string(&m, "");
		made_type(&m, "samples", "count");
		made_location(&m, 1, "main", 0);
		protobuf_uint(&m.message, 1, 2);
		protobuf_uint(&m.message, 2, outside[i]);
		protobuf_message(&m.file, 5, &m.message);
		protobuf_uint(&m.inner, 1, 2);
		protobuf_uint(&m.message, 1, 2);
		protobuf_message(&m.message, 4, &m.inner);
		protobuf_message(&m.file, 4, &m.message);
		/* A label: its key and its value. */
		protobuf_uint(&m.inner, 1, outside[i]);
		protobuf_uint(&m.inner, 2, outside[i]);
		protobuf_message(&m.message, 3, &m.inner);
		made_sample(&m, true, (uint64_t[]){ 2, 1 }, 2,
			    (uint64_t[]){ 5 }, 1);
		p = foreign_read(&pprof_reader, m.file.bytes, m.file.len);
		foreign_expect(p, "samples: main;[unknown]||5 5\n");
		profile_free(p);
		made_release(&m);
	}
}

static void type_outside_the_table_is_a_loss(void **state)
{
	struct made m = { 0 };
	struct profile *p;

	(void)state;
	made_string(&m, "");
	protobuf_uint(&m.message, 1, 99);
	protobuf_uint(&m.message, 2, 99);
	protobuf_message(&m.file, 1, &m.message);
	made_location(&m, 1, "main", 0);
	foreign_refuse(&pprof_reader, m.file.bytes, m.file.len,
		       "the names of the sample types are missing: "
		       "the profile is truncated");
	made_type(&m, "samples", "count");
	made_sample(&m, true, (uint64_t[]){ 1 }, 1, (uint64_t[]){ 5, 6 }, 2);
	p = foreign_read(&pprof_reader, m.file.bytes, m.file.len);
	foreign_expect(p, "samples: main||6 6\n");
	assert_true(profile_is_partial(p));
	profile_free(p);
	made_release(&m);
}

/* Both encodings of a repeated field may appear in one message. */
static void packed_and_single_numbers_of_a_sample_are_joined(void **state)
{
	struct made m = { 0 };

	(void)state;
	made_string(&m, "");
	made_type(&m, "wall", "milliseconds");
	made_type(&m, "samples", "count");
	for (uint64_t id = 1; id <= 4; id++)
		made_location(&m, id, id & 1 ? "odd" : "even", id);
	made_numbers(&m.message, 1, true, (uint64_t[]){ 4, 3 }, 2);
	made_numbers(&m.message, 1, false, (uint64_t[]){ 2 }, 1);
	made_numbers(&m.message, 2, false, (uint64_t[]){ 5 }, 1);
	made_numbers(&m.message, 1, true, (uint64_t[]){ 1 }, 1);
	made_sample(&m, true, NULL, 0, (uint64_t[]){ 6 }, 1);
	made_expect(&m, "wall: odd;even;odd;even||6 5000000\n");
	made_release(&m);
}

/* Each of the ten bytes of a varint that is too long, and truncated ones. */
static void varints_that_overflow_are_damage(void **state)
{
	static const char *const numbers[] = {
		"\x80", "\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x7f",
		"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct made m = { 0 };
		struct profile *p;

		made_string(&m, "");
		made_type(&m, "samples", "count");
		made_location(&m, 1, "main", 0);
		made_sample(&m, true, (uint64_t[]){ 1 }, 1, (uint64_t[]){ 5 },
			    1);
		protobuf_bytes(&m.message, 2, numbers[i], strlen(numbers[i]));
		protobuf_message(&m.file, 2, &m.message);
		p = foreign_read(&pprof_reader, m.file.bytes, m.file.len);
		foreign_expect(p, "samples: main||5 5\n");
		assert_true(profile_is_partial(p));
		profile_free(p);
		made_release(&m);
	}
}

/* Without a frame of their own, 10^6 lines would each parse 10^6 bytes. */
static void long_names_are_parsed_once(void **state)
{
	struct text name = { 0 };
	struct made m = { 0 };
	struct profile *p;

	(void)state;
	text_puts(&name, "a.");
	for (size_t i = 0; i < 1000000; i++)
		text_putc(&name, 'B');
	text_puts(&name, ".c");
	made_string(&m, "");
	made_type(&m, "samples", "count");
	made_location(&m, 1, name.bytes, 0);
	for (uint64_t id = 2; id < 200000; id++) {
		protobuf_uint(&m.inner, 1, 1);
		protobuf_uint(&m.inner, 2, id);
		protobuf_uint(&m.message, 1, id);
		protobuf_message(&m.message, 4, &m.inner);
		protobuf_message(&m.file, 4, &m.message);
		made_sample(&m, true, &id, 1, (uint64_t[]){ 1 }, 1);
	}
	p = foreign_read(&pprof_reader, m.file.bytes, m.file.len);
	assert_int_equal(p->events[0].samples, 199998);
	assert_int_equal(p->stack_count, 199999);
	/* Frames repeat the name, so it is shown in short. */
	assert_int_equal(p->remark_count, 1);
	assert_string_equal(p->remarks[0].what, "frames with shortened names");
	profile_free(p);
	text_release(&name);
	made_release(&m);
}

/* A byte of a sample refers to 64 frames: 16 MB would be a billion. */
static void expanded_stack_traces_have_a_limit(void **state)
{
	uint64_t *ids = xcalloc(20000, sizeof(*ids));
	struct made m = { 0 };
	struct profile *p;

	(void)state;
	made_string(&m, "");
	made_type(&m, "samples", "count");
	made_location(&m, 1, "main", 0);
	for (size_t i = 0; i < 64; i++) {
		protobuf_uint(&m.inner, 1, 1);
		protobuf_message(&m.message, 4, &m.inner);
	}
	protobuf_uint(&m.message, 1, 2);
	protobuf_message(&m.file, 4, &m.message);
	for (size_t i = 0; i < 15000; i++)
		ids[i] = 2;
	for (size_t i = 0; i < 40; i++)
		made_sample(&m, true, ids, 15000, (uint64_t[]){ 5 }, 1);
	p = foreign_read(&pprof_reader, m.file.bytes, m.file.len);
	/* The samples stay; some of them have no stack trace. */
	assert_int_equal(p->events[0].samples, 200);
	assert_int_equal(p->events[0].without_stack, 5 * p->remarks[0].count);
	assert_string_equal(p->remarks[0].what,
			    "stack traces of too many frames");
	assert_int_equal(p->remarks[0].count, 31);
	assert_true(profile_is_partial(p));
	profile_free(p);
	made_release(&m);
	free(ids);
}

static void other_messages_are_refused(void **state)
{
	(void)state;
	foreign_refuse(&pprof_reader, "", 0, "no sample type of pprof");
	foreign_refuse(&pprof_reader, "\x0a\x04\x08\x01\x10\x02", 6,
		       "the names of the sample types are missing: the profile "
		       "is truncated");
	foreign_refuse(&pprof_reader, "\x0a\x02\x08\x00\x32\x00", 6,
		       "the profile has no samples");
	assert_false(pprof_reader.sniff((const uint8_t *)"\n\nhello", 7));
	assert_false(pprof_reader.sniff((const uint8_t *)"", 0));
}

/* Returns the weight of an event's samples with that leaf. */
static uint64_t self_of(const struct profile *p, const char *event,
			const char *method)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint32_t frame = p->stacks[c->stack].frame;
		const char *of = profile_text(p, p->events[c->event].name);

		if (strcmp(of, event) == 0 &&
		    strcmp(profile_text(p, p->frames[frame].method), method) ==
			    0)
			sum += c->weight;
	}
	return sum;
}

/* The numbers are those of `go tool pprof -top` of Go 1.19. */
static void profiles_of_go_equal_its_own_tool(void **state)
{
	struct text cpu = foreign_file("tests/data/pprof/go-cpu.pb.gz");
	struct text heap = foreign_file("tests/data/pprof/go-heap.pb.gz");
	struct profile *p = foreign_read(&pprof_reader, cpu.bytes, cpu.len);

	(void)state;
	assert_true(pprof_reader.sniff((uint8_t *)cpu.bytes, cpu.len));
	assert_int_equal(p->event_count, 1);
	assert_int_equal(p->events[0].samples, 52);
	assert_int_equal(p->events[0].weight, 520000000);
	assert_int_equal(self_of(p, "cpu", "memclrNoHeapPointers"), 370000000);
	assert_int_equal(self_of(p, "cpu", "memmove"), 60000000);
	profile_free(p);
	p = foreign_read(&pprof_reader, heap.bytes, heap.len);
	assert_int_equal(p->event_count, 2);
	assert_int_equal(p->events[0].weight, 250115280);
	assert_int_equal(p->events[0].samples, 224151);
	assert_int_equal(p->events[1].weight, 43195941);
	assert_int_equal(p->events[1].samples, 46697);
	assert_int_equal(self_of(p, "inuse_space", "alloc"), 40934413);
	profile_free(p);
	foreign_cut_everywhere(&pprof_reader, cpu.bytes, cpu.len, true);
	text_release(&cpu);
	text_release(&heap);
}

struct writing {
	const struct profile *profile;
	struct event_view *views;
	size_t count;
};

static void write_pprof(struct output *out, void *self)
{
	const struct writing *w = self;
	const struct pprof_options options = {
		.title = "x",
		.style.weights = true,
	};

	pprof_write(out, w->profile, w->views, w->count, 0, &options);
}

/* Writes a profile as pprof and returns it decompressed. */
static struct text written(const struct profile *p)
{
	struct writing w = { .profile = p };
	struct text zipped, file = { 0 };
	FILE *out = fopen("build/pprof_test.pb.gz", "w");

	w.count = event_views(p, &w.views);
	zipped = sampled_written(write_pprof, &w);
	fwrite(zipped.bytes, 1, zipped.len, out);
	fclose(out);
	file = foreign_file("build/pprof_test.pb.gz");
	text_release(&zipped);
	free(w.views);
	return file;
}

static void written_profiles_are_read_back_equal(void **state)
{
	struct text recording = foreign_file("tests/data/jfr/ap-lock.jfr");
	struct profile *p = foreign_read(&jfr_reader, recording.bytes,
					 recording.len);
	struct text file = written(p), again, first, second;
	struct profile *q = foreign_read(&pprof_reader, file.bytes, file.len);
	struct profile *r;

	(void)state;
	again = written(q);
	r = foreign_read(&pprof_reader, again.bytes, again.len);
	first = foreign_lines(q);
	second = foreign_lines(r);
	assert_string_equal(first.bytes, second.bytes);
	assert_true(q->cell_count > 1);
	text_release(&first);
	text_release(&second);
	profile_free(r);
	foreign_cut_everywhere(&pprof_reader, file.bytes, file.len, true);
	text_release(&recording);
	text_release(&file);
	text_release(&again);
	profile_free(p);
	profile_free(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_that_count_and_weigh_are_one_event),
		cmocka_unit_test(types_of_node_are_paired),
		cmocka_unit_test(inlined_lines_labels_and_mappings_are_read),
		cmocka_unit_test(missing_references_are_unknown_frames),
		cmocka_unit_test(damaged_samples_are_counted),
		cmocka_unit_test(strings_outside_the_table_are_unknown),
		cmocka_unit_test(type_outside_the_table_is_a_loss),
		cmocka_unit_test(
			packed_and_single_numbers_of_a_sample_are_joined),
		cmocka_unit_test(varints_that_overflow_are_damage),
		cmocka_unit_test(long_names_are_parsed_once),
		cmocka_unit_test(expanded_stack_traces_have_a_limit),
		cmocka_unit_test(other_messages_are_refused),
		cmocka_unit_test(profiles_of_go_equal_its_own_tool),
		cmocka_unit_test(written_profiles_are_read_back_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
