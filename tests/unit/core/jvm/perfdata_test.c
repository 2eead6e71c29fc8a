/* SPDX-License-Identifier: Apache-2.0 */
/* The images come from idle JVMs with 50 threads; constructed images follow. */
#include "core/base/input.h"
#include "core/jvm/perfdata.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA "tests/data/perfdata/"

static struct perfdata *open_bytes(const void *bytes, size_t len)
{
	struct error err = { 0 };
	struct perfdata *p = perfdata_of(bytes, len, &err);

	if (!p)
		fail_msg("%s", err.text);
	return p;
}

static struct perfdata *open_image(const char *path)
{
	struct input in;
	struct error err;
	struct perfdata *p;

	if (input_open(&in, path, &err) || input_complete(&in, &err))
		fail_msg("%s: %s", path, err.text);
	p = open_bytes(in.bytes, in.len);
	input_close(&in);
	return p;
}

static int64_t value_of(const struct perfdata *p, const char *name)
{
	int64_t value;

	if (!perfdata_value(p, name, &value))
		fail_msg("no counter %s", name);
	return value;
}

static void counters_have_names_units_and_values(void **state)
{
	struct perfdata *p = open_image(DATA "jdk17.bin");
	struct perfdata_counter first = perfdata_at(p, 0);

	(void)state;
	assert_int_equal(perfdata_count(p), 188);
	assert_string_equal(first.name, "sun.rt._sync_Inflations");
	assert_int_equal(first.unit, PERFDATA_EVENTS);
	assert_false(first.is_text);
	assert_int_equal(first.value, 9);
	assert_int_equal(value_of(p, "sun.rt.safepoints"), 157);
	assert_int_equal(value_of(p, "sun.rt.safepointTime"), 607399055);
	assert_string_equal(perfdata_text(p, "java.property.java.version"),
			    "17.0.21");
	assert_string_equal(perfdata_text(p, "sun.rt.javaCommand"), "Tgt 50");
	assert_string_equal(perfdata_text(p, "sun.gc.collector.1.name"),
			    "G1 full collection pauses");
	assert_int_equal(perfdata_overflow(p), 0);
	perfdata_close(p);
}

static void counters_of_newer_jvms_are_read(void **state)
{
	struct perfdata *p = open_image(DATA "jdk25.bin");
	int64_t value = 0;

	(void)state;
	assert_int_equal(perfdata_count(p), 185);
	assert_int_equal(value_of(p, "sun.rt.safepoints"), 68);
	assert_int_equal(value_of(p, "sun.gc.collector.0.time"), 187270569);
	assert_false(perfdata_value(p, "sun.rt._sync_Inflations", &value));
	assert_true(perfdata_value(p, "sun.threads.total_gc_cpu_time", &value));
	/* A counter is only found with its own type. */
	assert_false(perfdata_value(p, "sun.rt.javaCommand", &value));
	assert_null(perfdata_text(p, "sun.rt.safepoints"));
	perfdata_close(p);
}

static void each_counter_is_found_by_name(void **state)
{
	struct perfdata *p = open_image(DATA "jdk17.bin");

	(void)state;
	for (size_t i = 0; i < perfdata_count(p); i++) {
		struct perfdata_counter c = perfdata_at(p, i);

		if (c.is_text)
			assert_ptr_equal(perfdata_text(p, c.name), c.text);
		else
			assert_int_equal(value_of(p, c.name), c.value);
	}
	perfdata_close(p);
}

/* Constructed images: a prologue, and entries with names of up to 11 bytes. */
enum { PROLOGUE = 32, ENTRY = 48, NAME_AT = 20, DATA_AT = 32 };

struct image {
	uint8_t bytes[PROLOGUE + 4 * ENTRY];
	size_t len;
	bool is_big;
};

static void put_number(struct image *m, size_t at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		size_t shift = m->is_big ? size - 1 - i : i;

		m->bytes[at + i] = (uint8_t)(value >> 8 * shift);
	}
}

static struct image image_start(bool is_big)
{
	static const uint8_t magic[] = { 0xca, 0xfe, 0xc0, 0xc0 };
	struct image m = { .len = PROLOGUE, .is_big = is_big };

	memcpy(m.bytes, magic, sizeof(magic));
	m.bytes[4] = !is_big;
	m.bytes[5] = 2;
	m.bytes[7] = 1;
	put_number(&m, 24, PROLOGUE, 4);
	return m;
}

/* Returns the position of the entry. */
static size_t add_entry(struct image *m, const char *name, char type,
			uint32_t vector)
{
	size_t at = m->len;

	put_number(m, at, ENTRY, 4);
	put_number(m, at + 4, NAME_AT, 4);
	put_number(m, at + 8, vector, 4);
	m->bytes[at + 12] = (uint8_t)type;
	m->bytes[at + 14] = PERFDATA_EVENTS;
	put_number(m, at + 16, DATA_AT, 4);
	memcpy(m->bytes + at + NAME_AT, name, strlen(name));
	m->len += ENTRY;
	put_number(m, 28, (m->len - PROLOGUE) / ENTRY, 4);
	return at;
}

static size_t add_value(struct image *m, const char *name, uint64_t value)
{
	size_t at = add_entry(m, name, 'J', 0);

	put_number(m, at + DATA_AT, value, 8);
	return at;
}

static void numbers_have_the_byte_order_of_the_prologue(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct image m = image_start(big);
		struct perfdata *p;

		add_value(&m, "a", 0x0102030405060708);
		p = open_bytes(m.bytes, m.len);
		assert_int_equal(value_of(p, "a"), 0x0102030405060708);
		perfdata_close(p);
	}
}

static void text_that_fills_its_vector_is_terminated(void **state)
{
	struct image m = image_start(false);
	size_t at = add_entry(&m, "t", 'B', 4);
	struct perfdata *p;

	(void)state;
	memcpy(m.bytes + at + DATA_AT, "abcdefgh", 8);
	p = open_bytes(m.bytes, m.len);
	assert_string_equal(perfdata_text(p, "t"), "abc");
	perfdata_close(p);
}

static void ticks_become_nanoseconds(void **state)
{
	struct image m = image_start(false);
	struct perfdata *p = open_image(DATA "jdk17.bin");

	(void)state;
	assert_int_equal(perfdata_ns(p, 35190003), 35190003);
	perfdata_close(p);
	memset(&m, 0, sizeof(m));
	m = image_start(false);
	/* The name is too long for the entry, so it is moved. */
	add_value(&m, "x", 1000);
	put_number(&m, PROLOGUE, 2 * (uint64_t)ENTRY, 4);
	put_number(&m, PROLOGUE + 4, 40, 4);
	memcpy(m.bytes + PROLOGUE + 40, "sun.os.hrt.frequency", 21);
	m.len = PROLOGUE + 2 * (size_t)ENTRY;
	p = open_bytes(m.bytes, m.len);
	assert_int_equal(perfdata_ns(p, 1), 1000000);
	perfdata_close(p);
}

static void refused(const struct image *m, const char *why)
{
	struct error err = { 0 };

	assert_null(perfdata_of(m->bytes, m->len, &err));
	assert_int_equal(err.kind, ERROR_INPUT);
	if (!strstr(err.text, why))
		fail_msg("'%s' instead of '%s'", err.text, why);
}

static void malformed_perfdata_is_rejected_with_the_reason(void **state)
{
	struct image m = image_start(false);

	(void)state;
	add_value(&m, "a", 1);
	m.len = 31;
	refused(&m, "only 31 bytes");
	m.len = PROLOGUE + ENTRY;
	m.bytes[7] = 0;
	refused(&m, "still initializing");
	m.bytes[7] = 1;
	m.bytes[5] = 3;
	refused(&m, "format 3");
	m.bytes[0] = 0;
	refused(&m, "no performance counters");
}

static void entry_that_points_outside_of_itself_is_skipped(void **state)
{
	static const struct {
		size_t at;
		uint32_t value;
	} lies[] = {
		{ 4, ENTRY }, /* the name begins after the entry */
		{ 4, UINT32_MAX },
		{ 8, ENTRY }, /* a number must not be a vector */
		{ 16, ENTRY - 7 },
		{ 16, UINT32_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		struct image m = image_start(false);
		size_t at = add_value(&m, "a", 1);
		struct perfdata *p;

		add_value(&m, "b", 2);
		put_number(&m, at + lies[i].at, lies[i].value, 4);
		p = open_bytes(m.bytes, m.len);
		assert_int_equal(perfdata_count(p), 1);
		assert_int_equal(value_of(p, "b"), 2);
		perfdata_close(p);
	}
}

static void perfdata_keeps_entries_before_a_malformed_one(void **state)
{
	static const uint32_t lengths[] = { 0, 19, ENTRY + 1, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct image m = image_start(false);
		struct perfdata *p;
		size_t at;

		add_value(&m, "a", 1);
		at = add_value(&m, "b", 2);
		put_number(&m, at, lengths[i], 4);
		p = open_bytes(m.bytes, m.len);
		assert_int_equal(perfdata_count(p), 1);
		perfdata_close(p);

		/* No entry precedes the first. */
		put_number(&m, PROLOGUE, lengths[i], 4);
		if (lengths[i] != ENTRY + 1)
			refused(&m, "has a length of");
	}
}

static void truncated_image_is_read_or_rejected(void **state)
{
	struct input in;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(input_open(&in, DATA "jdk25.bin", &err), 0);
	assert_int_equal(input_complete(&in, &err), 0);
	for (size_t len = 0; len <= 12208; len += 7) {
		/*
		 * On the heap, so that a sanitizer detects reads beyond the
		 * end.
		 */
		uint8_t *cut = malloc(len + 1);
		struct perfdata *p;

		memcpy(cut, in.bytes, len);
		p = perfdata_of(cut, len, &err);
		if (p)
			assert_in_range(perfdata_count(p), 1, 185);
		else
			assert_int_equal(err.kind, ERROR_INPUT);
		perfdata_close(p);
		free(cut);
	}
	input_close(&in);
}

/* Writes an image as a new file. */
static void write_image(const char *path)
{
	struct input in;
	struct error err;
	int fd;

	unlink(path);
	if (input_open(&in, DATA "jdk17.bin", &err) ||
	    input_complete(&in, &err))
		fail_msg("%s", err.text);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, in.bytes, in.len), in.len);
	close(fd);
	input_close(&in);
}

static void assert_not_mapped(const struct jvm *jvm)
{
	struct error err = { 0 };

	assert_null(perfdata_open(jvm, &err));
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_non_null(strstr(err.text, "has not mapped it"));
}

/* This process stands in for the JVM. */
static void file_must_be_mapped_even_after_another_was(void **state)
{
	char directory[64], path[96];
	struct perfdata *p;
	struct error err;
	struct jvm jvm;
	void *bytes;
	int fd;

	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/hsperfdata_test%d",
		 (int)getpid());
	snprintf(path, sizeof(path), "%s/%d", directory, (int)getpid());
	assert_int_equal(mkdir(directory, 0755), 0);
	assert_int_equal(jvm_open(&jvm, getpid(), &err), 0);
	jvm.kind = JVM_HOTSPOT;
	write_image(path);
	assert_not_mapped(&jvm);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	bytes = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(fd >= 0 && bytes != MAP_FAILED);
	close(fd);
	for (int i = 0; i < 2; i++) {
		p = perfdata_open(&jvm, &err);
		assert_non_null(p);
		perfdata_close(p);
	}
	write_image(path);
	assert_not_mapped(&jvm);
	munmap(bytes, 4096);
	jvm_close(&jvm);
	unlink(path);
	rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_have_names_units_and_values),
		cmocka_unit_test(counters_of_newer_jvms_are_read),
		cmocka_unit_test(each_counter_is_found_by_name),
		cmocka_unit_test(numbers_have_the_byte_order_of_the_prologue),
		cmocka_unit_test(text_that_fills_its_vector_is_terminated),
		cmocka_unit_test(ticks_become_nanoseconds),
		cmocka_unit_test(
			malformed_perfdata_is_rejected_with_the_reason),
		cmocka_unit_test(
			entry_that_points_outside_of_itself_is_skipped),
		cmocka_unit_test(perfdata_keeps_entries_before_a_malformed_one),
		cmocka_unit_test(truncated_image_is_read_or_rejected),
		cmocka_unit_test(file_must_be_mapped_even_after_another_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
