/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"
#include "jvmti/agent/agent_protocol.h"
#include "jvmti/client/client_symbols.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define S(n) ((uint64_t)(n) << 1 ^ ((n) < 0 ? UINT64_MAX : 0))

/* A stream that is built record by record. */
struct stream {
	struct text all, record;
};

static void put(struct stream *s, uint64_t value)
{
	/* Varints of up to 8 bytes are LEB128's. */
	text_varint(&s->record, value);
}

static void put_text(struct stream *s, const char *text)
{
	put(s, strlen(text));
	text_puts(&s->record, text);
}

static void end(struct stream *s, enum agent_record kind)
{
	uint32_t len = (uint32_t)s->record.len + 1;

	for (int shift = 24; shift >= 0; shift -= 8)
		text_putc(&s->all, (char)(len >> shift));
	text_putc(&s->all, (char)kind);
	text_add(&s->all, s->record.bytes, s->record.len);
	text_clear(&s->record);
}

static void method(struct stream *s, unsigned number, const char *class,
		   const char *name)
{
	put(s, number);
	put_text(s, class);
	put_text(s, name);
	put_text(s, "(I)V");
	put(s, 3);
	put(s, S(0));
	put(s, S(100));
	put(s, S(20));
	put(s, S(7));
	put(s, S(-10)); /* bci 10: line 90 */
	put(s, S(-17));
	end(s, AGENT_METHOD);
}

/* Adds code of method 1, with method 2 inlined up to +16. */
static void load(struct stream *s, uint64_t time_ns, uint64_t at)
{
	put(s, time_ns);
	put(s, at);
	put(s, 64);
	put(s, 1);
	put(s, 2);
	put(s, S(16));
	put(s, 2);
	put(s, 2);
	put(s, S(12));
	put(s, 1);
	put(s, S(5));
	put(s, S(16));
	put(s, 1);
	put(s, 1);
	put(s, S(-1));
	end(s, AGENT_LOAD);
}

static void unload(struct stream *s, uint64_t time_ns, uint64_t at)
{
	put(s, time_ns);
	put(s, at);
	end(s, AGENT_UNLOAD);
}

static void generate(struct stream *s, uint64_t time_ns, uint64_t at,
		     uint64_t bytes, const char *name)
{
	put(s, time_ns);
	put(s, at);
	put(s, bytes);
	put_text(s, name);
	end(s, AGENT_GENERATED);
}

static struct client_symbols *take(struct stream *s)
{
	struct client_symbols *symbols = client_symbols_new();
	size_t taken;

	assert_true(
		client_symbols_take(symbols, s->all.bytes, s->all.len, &taken));
	assert_int_equal(taken, s->all.len);
	text_release(&s->all);
	text_release(&s->record);
	return symbols;
}

static size_t frames_at(struct client_symbols *symbols, uint64_t pc,
			uint64_t time_ns, struct java_frame *out)
{
	struct java_symbols *j = client_symbols_of(symbols);
	struct unwound_frame at = { .kind = UNWOUND_COMPILED, .pc = pc };

	return j->frames(j, &at, time_ns, out, 8);
}

static const char *generated_at(struct client_symbols *symbols, uint64_t pc)
{
	struct java_symbols *j = client_symbols_of(symbols);
	struct unwound_frame at = { .kind = UNWOUND_GENERATED, .pc = pc };

	/* cppcheck-suppress returnDanglingLifetime ; the name is interned */
	return j->generated(j, &at, 1000);
}

static void begin(struct stream *s)
{
	*s = (struct stream){ 0 };
	method(s, 1, "La/Outer;", "run");
	method(s, 2, "La/Inner$$Lambda.0x00007f3a4c003000;", "call");
}

static void place_has_its_inlined_methods(void **state)
{
	struct client_symbols *symbols;
	struct java_frame f[8];
	struct stream s;

	(void)state;
	begin(&s);
	load(&s, 0, 0x1000);
	symbols = take(&s);
	assert_int_equal(frames_at(symbols, 0x1010, 50, f), 2);
	assert_string_equal(f[0].class_name, "a.Inner$$Lambda");
	assert_string_equal(f[0].method, "call");
	assert_string_equal(f[0].signature, "(I)V");
	assert_int_equal(f[0].kind, JAVA_INLINED);
	assert_int_equal(f[0].line, 90);
	assert_string_equal(f[1].class_name, "a.Outer");
	assert_int_equal(f[1].kind, JAVA_C2);
	assert_int_equal(f[1].line, 100);
	/* Between two places, the later one applies. */
	assert_int_equal(frames_at(symbols, 0x1001, 50, f), 2);
	assert_int_equal(frames_at(symbols, 0x1011, 50, f), 1);
	assert_int_equal(f[0].line, 100);
	/* After all places, the method itself is known. */
	assert_int_equal(frames_at(symbols, 0x1030, 50, f), 1);
	assert_string_equal(f[0].method, "run");
	assert_int_equal(f[0].line, 0);
	assert_int_equal(frames_at(symbols, 0x1040, 50, f), 0);
	client_symbols_free(symbols);
}

/* A call without a record may be far from the code of its method. */
static void unrecorded_call_has_the_compiled_method_only(void **state)
{
	struct unwound_frame at = { .kind = UNWOUND_COMPILED,
				    .is_cautious = true };
	struct client_symbols *symbols;
	struct java_symbols *j;
	struct java_frame f[8];
	struct stream s;

	(void)state;
	begin(&s);
	load(&s, 0, 0x1000);
	symbols = take(&s);
	j = client_symbols_of(symbols);
	for (at.pc = 0x1001; at.pc < 0x1030; at.pc += 15) {
		assert_int_equal(j->frames(j, &at, 50, f, 8), 1);
		assert_string_equal(f[0].method, "run");
		assert_int_equal(f[0].kind, JAVA_C2);
		assert_int_equal(f[0].line, 0);
	}
	client_symbols_free(symbols);
}

static void frames_beyond_the_capacity_are_omitted(void **state)
{
	struct client_symbols *symbols;
	struct unwound_frame at = { .kind = UNWOUND_COMPILED, .pc = 0x1010 };
	struct java_symbols *j;
	struct java_frame f[8];
	struct stream s;

	(void)state;
	begin(&s);
	load(&s, 0, 0x1000);
	symbols = take(&s);
	j = client_symbols_of(symbols);
	assert_int_equal(j->frames(j, &at, 1, f, 1), 1);
	assert_int_equal(j->frames(j, &at, 1, f, 0), 0);
	at.kind = UNWOUND_INTERPRETED;
	assert_int_equal(j->frames(j, &at, 1, f, 8), 0);
	client_symbols_free(symbols);
}

static void code_is_known_while_it_is_loaded(void **state)
{
	struct client_symbols *symbols;
	struct java_frame f[8];
	struct stream s;

	(void)state;
	begin(&s);
	load(&s, 5000000000, 0x1000);
	unload(&s, 9000000000, 0x1000);
	unload(&s, 9000000001, 0x1234);
	symbols = take(&s);
	assert_int_equal(frames_at(symbols, 0x1010, 5000000000, f), 2);
	assert_int_equal(frames_at(symbols, 0x1010, 8999999999, f), 2);
	assert_int_equal(frames_at(symbols, 0x1010, 9000000000, f), 0);
	/* Code is reported slightly after it was installed. */
	assert_int_equal(frames_at(symbols, 0x1010, 4500000000, f), 2);
	assert_int_equal(frames_at(symbols, 0x1010, 3000000000, f), 0);
	client_symbols_free(symbols);
}

/* Memory of code is reused; the earlier code is still found by its time. */
static void lookup_finds_the_code_at_the_time(void **state)
{
	struct client_symbols *symbols;
	struct java_frame f[8];
	struct stream s;

	(void)state;
	begin(&s);
	load(&s, 0, 0x1000);
	generate(&s, 100, 0x0fc0, 0x80, "vtable stub");
	load(&s, 200, 0x1020);
	symbols = take(&s);
	assert_int_equal(frames_at(symbols, 0x1010, 50, f), 2);
	assert_int_equal(frames_at(symbols, 0x1010, 150, f), 0);
	assert_int_equal(frames_at(symbols, 0x1024, 250, f), 2);
	client_symbols_free(symbols);
}

static void class_names_follow_their_symbols(void **state)
{
	static const char *const cases[][2] = {
		{ "La/B$$Lambda.0x00007f3a4c003000;", "a.B$$Lambda" },
		/* From the CDS archive. */
		{ "La/B$$Lambda$41.0x80000004c;", "a.B$$Lambda$41" },
		/* VM anonymous classes of JDK 8, and of JDK 9 to 14. */
		{ "La/B$$Lambda$1/1078694789;", "a.B$$Lambda$1" },
		{ "La/B$$Lambda$1/0x0000000840060840;", "a.B$$Lambda$1" },
		{ "La/B0x12;", "a.B0x12" },
		{ "La/0x;", "a.0x" },
		{ "LB;", "B" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct client_symbols *symbols;
		struct java_frame f[8];
		struct stream s = { 0 };

		method(&s, 1, cases[i][0], "run");
		method(&s, 2, "La/C;", "call");
		load(&s, 0, 0x1000);
		symbols = take(&s);
		assert_int_equal(frames_at(symbols, 0x1030, 50, f), 1);
		assert_string_equal(f[0].class_name, cases[i][1]);
		client_symbols_free(symbols);
	}
}

/* The agent cuts names of more than 8,192 bytes, here within "é". */
static void cut_class_name_is_marked(void **state)
{
	static char class[8193];

	(void)state;
	for (size_t shift = 0; shift < 6; shift++) {
		struct client_symbols *symbols;
		struct java_frame f[8];
		struct stream s = { 0 };
		size_t len;

		memset(class, 'x', sizeof(class) - 1);
		memcpy(class, "La/", 3);
		memcpy(class + 8190 - shift, "\xc3\xa9", 2);
		method(&s, 1, class, "run");
		method(&s, 2, "La/C;", "call");
		load(&s, 0, 0x1000);
		symbols = take(&s);
		assert_int_equal(frames_at(symbols, 0x1030, 50, f), 1);
		len = strlen(f[0].class_name);
		assert_in_range(len, 8185, 8191);
		assert_memory_equal(f[0].class_name, "a.xx", 4);
		assert_string_equal(f[0].class_name + len - 3, "…");
		assert_true(f[0].class_name[len - 4] == 'x' ||
			    memcmp(f[0].class_name + len - 5, "é", 2) == 0);
		client_symbols_free(symbols);
	}
}

static void repeated_code_is_kept_once(void **state)
{
	struct client_symbols_counts counts;
	struct client_symbols *symbols;
	struct java_frame f[8];
	struct stream s;

	(void)state;
	begin(&s);
	load(&s, 400, 0x1000); /* while existing code is reported */
	load(&s, 0, 0x1000);
	symbols = take(&s);
	client_symbols_counts(symbols, &counts);
	assert_int_equal(counts.code, 1);
	assert_int_equal(counts.rejected, 0);
	assert_int_equal(frames_at(symbols, 0x1010, 500, f), 2);
	client_symbols_free(symbols);
}

static void generated_code_has_the_name_of_the_smallest_piece(void **state)
{
	struct client_symbols *symbols;
	struct stream s;

	(void)state;
	begin(&s);
	generate(&s, 0, 0x3000, 0x40, "jlong_disjoint_arraycopy");
	generate(&s, 0, 0x2f00, 0x9000, "StubRoutines (1)");
	symbols = take(&s);
	assert_string_equal(generated_at(symbols, 0x3010),
			    "jlong_disjoint_arraycopy");
	assert_string_equal(generated_at(symbols, 0x3040), "StubRoutines (1)");
	assert_string_equal(generated_at(symbols, 0xbeff), "StubRoutines (1)");
	assert_null(generated_at(symbols, 0xbf00));
	client_symbols_free(symbols);
}

/* Cuts the stream at each byte: the rest of a record is awaited. */
static void record_in_parts_is_joined(void **state)
{
	struct stream s;

	(void)state;
	begin(&s);
	load(&s, 0, 0x1000);
	for (size_t i = 0; i <= s.all.len; i++) {
		struct client_symbols *symbols = client_symbols_new();
		struct java_frame f[8];
		size_t first, second;

		assert_true(
			client_symbols_take(symbols, s.all.bytes, i, &first));
		assert_true(client_symbols_take(symbols, s.all.bytes + first,
						s.all.len - first, &second));
		assert_int_equal(first + second, s.all.len);
		assert_int_equal(frames_at(symbols, 0x1010, 50, f), 2);
		client_symbols_free(symbols);
	}
	text_release(&s.all);
	text_release(&s.record);
}

static void invalid_records_are_counted(void **state)
{
	struct client_symbols_counts counts;
	struct client_symbols *symbols;
	struct stream s;

	(void)state;
	begin(&s);
	method(&s, 1, "La/Again;", "run");
	end(&s, AGENT_METHOD);
	end(&s, AGENT_LOAD);
	end(&s, AGENT_UNLOAD);
	end(&s, AGENT_GENERATED);
	end(&s, (enum agent_record)99);
	put(&s, 0); /* code of an unknown method */
	put(&s, 0x1000);
	put(&s, 64);
	put(&s, 77);
	put(&s, 0);
	end(&s, AGENT_LOAD);
	generate(&s, 0, UINT64_C(1) << 50, 0, "empty");
	generate(&s, 0, 0x1000, UINT64_C(1) << 40, "everything");
	symbols = take(&s);
	client_symbols_counts(symbols, &counts);
	assert_int_equal(counts.methods, 2);
	assert_int_equal(counts.code, 0);
	assert_int_equal(counts.rejected, 9);
	client_symbols_free(symbols);
}

static void impossible_record_ends_the_stream(void **state)
{
	struct client_symbols *symbols = client_symbols_new();
	size_t taken = 99;

	(void)state;
	assert_false(client_symbols_take(symbols, "\0\0\0\0", 4, &taken));
	assert_int_equal(taken, 0);
	assert_false(
		client_symbols_take(symbols, "\xff\xff\xff\xff", 4, &taken));
	client_symbols_free(symbols);
}

static struct code code(uint64_t start, uint64_t from)
{
	return (struct code){ .start = start,
			      .end = start + 0x100,
			      .from = from,
			      .is_method = true,
			      .name = (uint32_t)from,
			      .places = (const uint8_t *)"12345678",
			      .places_len = 8 };
}

static void oldest_unloaded_code_is_forgotten_first(void **state)
{
	const uint64_t
		apart = 2000000000; /* so that no time is near another's */
	struct code_map *m = code_map_new(10000);
	uint64_t gone = 0;

	(void)state;
	for (uint64_t i = 1; i <= 1000; i++) {
		struct code c = code(0x4000, i * apart);

		assert_true(code_map_add(m, &c));
	}
	assert_int_equal(code_map_count(m), 1);
	while (!code_map_find(m, 0x4080, (gone + 1) * apart))
		gone++;
	assert_true(gone > 800 && gone < 999);
	assert_int_equal(code_map_find(m, 0x4080, (gone + 1) * apart)->from,
			 (gone + 1) * apart);
	assert_int_equal(code_map_find(m, 0x4080, 1001 * apart)->from,
			 1000 * apart);
	code_map_free(m);
}

/* Existing code is not removed for new code. */
static void full_map_rejects_code(void **state)
{
	struct code_map *m = code_map_new(10000);
	size_t count = 0;
	struct code c;

	(void)state;
	do
		c = code(0x4000 + 0x1000 * ++count, 1);
	while (code_map_add(m, &c));
	assert_true(count > 10 && count < 200);
	assert_int_equal(code_map_count(m), count - 1);
	assert_non_null(code_map_find(m, 0x5000, 1));
	code_map_remove(m, 0x5000, 2);
	assert_true(code_map_add(m, &c));
	assert_null(code_map_find(m, 0x5000, 1));
	code_map_free(m);
}

/* No genuine JVM has so much code; a hostile one must not fill the memory. */
static void oversized_code_is_rejected(void **state)
{
	const uint64_t len = (uint64_t)64 << 20;
	struct code_map *m = code_map_new(1 << 20);
	size_t count = 0;
	struct code c;

	(void)state;
	do {
		count++;
		c = code(len * count, count);
		c.end = c.start + len;
		code_map_remove(m, c.start - len, count);
	} while (count < 1000 && code_map_add(m, &c));
	/* 4 GiB have this number, without the code that starts at address 0. */
	assert_true(count > 60 && count < 70);
	code_map_free(m);
}

/* Each piece is on 16384 pages, together with all earlier ones. */
static void overlapping_code_has_bounded_cost(void **state)
{
	const uint64_t len = (uint64_t)64 << 20;
	struct code_map *m = code_map_new((size_t)1 << 30);
	struct code c;

	(void)state;
	alarm(60);
	for (uint64_t i = 0; i < 200000; i++) {
		c = code(len + i, 1);
		c.end = c.start + len;
		c.is_method = false;
		code_map_add(m, &c);
	}
	assert_true(code_map_dropped(m) > 190000);
	/* Existing code is found, and the next batch has room for more work. */
	assert_non_null(code_map_find(m, len + 0x100, 2));
	c = code(0x1000, 1);
	assert_false(code_map_add(m, &c));
	code_map_begin(m);
	assert_true(code_map_add(m, &c));
	assert_non_null(code_map_find(m, 0x1000, 2));
	alarm(0);
	code_map_free(m);
}

static void loaded_code_survives_changes_of_other_code(void **state)
{
	struct code_map *m = code_map_new((size_t)64 << 20);
	struct code stays = code(0x5000, 1), c;

	(void)state;
	assert_true(code_map_add(m, &stays));
	for (uint64_t i = 2; i < 50000; i++) {
		c = code(0x5200, i * UINT64_C(2000000000));
		code_map_begin(m);
		assert_true(code_map_add(m, &c));
	}
	assert_int_equal(
		code_map_find(m, 0x5080, UINT64_C(100000) * 2000000000)->start,
		0x5000);
	assert_int_equal(code_map_find(m, 0x5280, c.from + 1)->from, c.from);
	assert_int_equal(code_map_dropped(m), 0);
	code_map_free(m);
}

/* Each lookup reads all places of a record that has a million of them. */
static void lookups_in_a_batch_are_bounded(void **state)
{
	enum { PLACES = 1 << 20 };
	struct client_symbols *symbols = client_symbols_new();
	struct unwound_frame at = { .kind = UNWOUND_COMPILED, .pc = 0x50000 };
	struct client_symbols_counts counts;
	struct stream s = { 0 };
	struct java_frame f;
	size_t taken;

	(void)state;
	method(&s, 1, "LA;", "a");
	put(&s, 1);
	put(&s, 0x10000);
	put(&s, 0x100000);
	put(&s, 1);
	put(&s, PLACES);
	for (int i = 0; i < PLACES; i++) {
		put(&s, 0); /* the same address */
		put(&s, 0);
	}
	end(&s, AGENT_LOAD);
	assert_true(
		client_symbols_take(symbols, s.all.bytes, s.all.len, &taken));
	for (int i = 0; i < 36; i++) {
		/* The method itself, at any address in it. */
		assert_int_equal(
			client_symbols_of(symbols)->frames(
				client_symbols_of(symbols), &at, 2, &f, 1),
			1);
		assert_string_equal(f.method, "a");
	}
	client_symbols_counts(symbols, &counts);
	assert_int_equal(counts.dropped, 4);
	client_symbols_begin(symbols);
	client_symbols_of(symbols)->frames(client_symbols_of(symbols), &at, 2,
					   &f, 1);
	client_symbols_counts(symbols, &counts);
	assert_int_equal(counts.dropped, 4);
	client_symbols_free(symbols);
	text_release(&s.all);
	text_release(&s.record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(place_has_its_inlined_methods),
		cmocka_unit_test(unrecorded_call_has_the_compiled_method_only),
		cmocka_unit_test(frames_beyond_the_capacity_are_omitted),
		cmocka_unit_test(code_is_known_while_it_is_loaded),
		cmocka_unit_test(lookup_finds_the_code_at_the_time),
		cmocka_unit_test(class_names_follow_their_symbols),
		cmocka_unit_test(cut_class_name_is_marked),
		cmocka_unit_test(repeated_code_is_kept_once),
		cmocka_unit_test(
			generated_code_has_the_name_of_the_smallest_piece),
		cmocka_unit_test(record_in_parts_is_joined),
		cmocka_unit_test(invalid_records_are_counted),
		cmocka_unit_test(impossible_record_ends_the_stream),
		cmocka_unit_test(oldest_unloaded_code_is_forgotten_first),
		cmocka_unit_test(full_map_rejects_code),
		cmocka_unit_test(overlapping_code_has_bounded_cost),
		cmocka_unit_test(loaded_code_survives_changes_of_other_code),
		cmocka_unit_test(lookups_in_a_batch_are_bounded),
		cmocka_unit_test(oversized_code_is_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
