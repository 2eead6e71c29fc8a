/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/archive.h"

#include "core/base/alloc.h"
#include "core/base/input.h"
#include "core/base/text.h"
#include "core/formats/reader.h"
#include "core/profile/profile.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#define NO_CRC 1 /* sizes and CRC follow the data */

/* A member of a test file, and the values in its headers. */
struct given {
	const char *name, *text;
	unsigned method, flags;
	size_t extra_size; /* added to the declared size */
};

static void add_number(struct text *out, uint64_t value, int size)
{
	for (int i = 0; i < size; i++, value >>= 8)
		text_putc(out, (char)value);
}

/* Appends the bytes of a member as zip(1) would store them. */
static void add_data(struct text *out, const struct given *g)
{
	size_t len = strlen(g->text);
	z_stream z = { 0 };
	uint8_t buffer[4096];

	if (g->method != 8) {
		text_puts(out, g->text);
		return;
	}
	assert_int_equal(
		deflateInit2(&z, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY),
		Z_OK);
	z.next_in = (Bytef *)(uintptr_t)g->text;
	z.avail_in = (uInt)len;
	z.next_out = buffer;
	z.avail_out = sizeof(buffer);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	text_add(out, buffer, sizeof(buffer) - z.avail_out);
	deflateEnd(&z);
}

/* Appends the fields that local headers and the directory share. */
static void add_fields(struct text *out, const struct given *g, size_t size,
		       bool known)
{
	size_t len = strlen(g->text);

	add_number(out, g->flags & NO_CRC ? 8 : 0, 2);
	add_number(out, g->method, 2);
	add_number(out, 0, 4); /* time */
	add_number(out, known ? crc32(0, (const Bytef *)g->text, (uInt)len) : 0,
		   4);
	add_number(out, known ? size + g->extra_size : 0, 4);
	add_number(out, known ? len : 0, 4);
	add_number(out, strlen(g->name), 2);
}

/* Returns a ZIP file (APPNOTE 4.3); *directory is the offset of its end. */
static struct text zip_of(const struct given *given, size_t count,
			  size_t *directory)
{
	struct text out = { 0 }, entries = { 0 };

	for (size_t i = 0; i < count; i++) {
		const struct given *g = &given[i];
		struct text data = { 0 };
		size_t at = out.len;

		add_data(&data, g);
		text_puts(&out, "PK\3\4");
		add_number(&out, 20, 2);
		add_fields(&out, g, data.len, !(g->flags & NO_CRC));
		add_number(&out, 0, 2);
		text_puts(&out, g->name);
		text_add(&out, data.bytes, data.len);
		if (g->flags & NO_CRC) {
			text_puts(&out, "PK\7\x8");
			add_number(&out, 0, 12);
		}
		text_puts(&entries, "PK\1\2");
		add_number(&entries, 20, 2);
		add_number(&entries, 20, 2);
		add_fields(&entries, g, data.len, true);
		add_number(&entries, 0, 2 + 2 + 2 + 2 + 4);
		add_number(&entries, at, 4);
		text_puts(&entries, g->name);
		text_release(&data);
	}
	*directory = out.len;
	text_add(&out, entries.bytes, entries.len);
	text_puts(&out, "PK\5\6");
	add_number(&out, 0, 4);
	add_number(&out, count, 2);
	add_number(&out, count, 2);
	add_number(&out, entries.len, 4);
	add_number(&out, *directory, 4);
	add_number(&out, 0, 2);
	text_release(&entries);
	return out;
}

static const struct given two[] = {
	{ .name = "a.folded",
	  .text = "main;a 3\nmain;a 3\nmain;a 3\n",
	  .method = 8 },
	{ .name = "b.folded", .text = "main;b 4\n" },
};

/* Expects the next member, with its text or the damage. */
static void expect_member(struct archive *a, const char *name, const char *text,
			  const char *damage)
{
	struct archive_member m;
	struct inflated out;

	assert_true(archive_next(a, &m));
	assert_int_equal(m.name_len, strlen(name));
	assert_memory_equal(m.name, name, m.name_len);
	out = archive_unpack(&m, 0, INFLATE_BOMB_BYTES);
	if (damage)
		assert_string_equal(out.damage, damage);
	else
		assert_null(out.damage);
	if (text) {
		assert_int_equal(out.len, strlen(text));
		assert_memory_equal(out.bytes, text, out.len);
	}
	free(out.bytes);
}

static void expect_end(struct archive *a)
{
	struct archive_member m;

	assert_false(archive_next(a, &m));
	assert_false(archive_next(a, &m));
}

static void members_are_listed_by_the_directory(void **state)
{
	size_t directory;
	struct text zip = zip_of(two, 2, &directory);
	struct archive a;

	(void)state;
	text_puts(&zip, "a comment");
	assert_true(archive_is_zip((uint8_t *)zip.bytes, zip.len));
	archive_open(&a, (uint8_t *)zip.bytes, zip.len);
	expect_member(&a, "a.folded", two[0].text, NULL);
	expect_member(&a, "b.folded", two[1].text, NULL);
	expect_end(&a);
	assert_false(a.is_cut || a.is_damaged);
	text_release(&zip);
}

static void members_without_sizes_are_read_by_the_directory(void **state)
{
	struct given streamed[] = { two[0], two[0] };
	size_t directory;
	struct archive a;
	struct text zip;

	(void)state;
	streamed[0].flags = streamed[1].flags = NO_CRC;
	zip = zip_of(streamed, 2, &directory);
	archive_open(&a, (uint8_t *)zip.bytes, zip.len);
	expect_member(&a, "a.folded", two[0].text, NULL);
	expect_member(&a, "a.folded", two[0].text, NULL);
	/* And without the directory. */
	archive_open(&a, (uint8_t *)zip.bytes, directory);
	expect_member(&a, "a.folded", two[0].text, NULL);
	expect_member(&a, "a.folded", two[0].text, NULL);
	expect_end(&a);
	assert_true(a.is_cut);
	text_release(&zip);
}

static void cut_anywhere_members_before_the_cut_are_listed(void **state)
{
	size_t directory, first, second;
	struct text zip = zip_of(two, 2, &directory);

	(void)state;
	second = directory - strlen(two[1].text);
	first = second - ARCHIVE_LOCAL_SIZE - strlen(two[1].name);
	for (size_t len = 0; len < zip.len; len++) {
		uint8_t *cut = xmalloc(len);
		struct archive_member m;
		struct archive a;
		size_t count = 0;

		memcpy(cut, zip.bytes, len);
		archive_open(&a, cut, len);
		assert_true(a.is_cut);
		for (; archive_next(&a, &m); count++) {
			struct inflated out = archive_unpack(
				&m, 0, INFLATE_BOMB_BYTES);
			size_t end = count ? directory : first;

			assert_true(len >= end ? !out.damage : !!out.damage);
			free(out.bytes);
		}
		assert_int_equal(count, (len >= 38) + (len >= second));
		free(cut);
	}
	text_release(&zip);
}

static void each_changed_byte_is_harmless(void **state)
{
	size_t directory;
	struct text zip = zip_of(two, 2, &directory);

	(void)state;
	for (size_t at = 0; at < zip.len; at++) {
		uint8_t *exact = xmalloc(zip.len);
		struct archive_member m;
		struct archive a;

		memcpy(exact, zip.bytes, zip.len);
		exact[at] = (uint8_t)~exact[at];
		archive_open(&a, exact, zip.len);
		while (archive_next(&a, &m)) {
			struct inflated out = archive_unpack(&m, 100, 100);

			free(out.bytes);
		}
		free(exact);
	}
	text_release(&zip);
}

static void wrong_sizes_are_damage(void **state)
{
	struct given given[] = { two[0], two[1], two[1] };
	size_t directory;
	struct archive a;
	struct text zip;

	(void)state;
	given[0].extra_size = 1000;
	given[1].extra_size = 2; /* the next member's first bytes */
	given[2].method = 99;
	zip = zip_of(given, 3, &directory);
	archive_open(&a, (uint8_t *)zip.bytes, zip.len);
	expect_member(&a, "a.folded", "", "its data is not in the file");
	expect_member(&a, "b.folded", NULL, "damaged data: wrong checksum");
	expect_member(&a, "b.folded", "", "unsupported compression");
	text_release(&zip);
}

/* Otherwise, a small file would be arbitrarily large. */
static void members_that_overlap_are_left_out(void **state)
{
	struct given given[] = { two[1], two[1], two[1], two[1], two[1] };
	size_t directory;
	struct text zip = zip_of(given, 5, &directory);
	struct archive a;

	(void)state;
	/* Each member is declared to have the data of all. */
	for (size_t i = 0; i < 5; i++) {
		char *entry = zip.bytes + directory + i * (46 + 8);

		assert_memory_equal(entry, "PK\1\2", 4);
		entry[20] = (char)(directory - 38);
		entry[42] = 0;
	}
	archive_open(&a, (uint8_t *)zip.bytes, zip.len);
	for (size_t i = 0; i < 5; i++) {
		bool fits = (i + 1) * (directory - 38) <= zip.len;

		expect_member(&a, "b.folded", fits ? NULL : "",
			      fits ? "damaged data: wrong checksum"
				   : "its data is not in the file");
	}
	expect_end(&a);
	text_release(&zip);
}

/* ZIP64 holds the offset of a member in 64 bits (APPNOTE 4.5.3). */
static void offsets_of_64_bits_may_lie_outside_the_address_space(void **state)
{
	struct archive_member m;
	struct text zip = { 0 };
	struct archive a;

	(void)state;
	text_puts(&zip, "PK\1\2");
	add_number(&zip, 0, 26);
	add_number(&zip, 12, 2); /* extra field */
	add_number(&zip, 0, 10);
	add_number(&zip, 0xffffffff, 4);
	add_number(&zip, 1, 2);
	add_number(&zip, 8, 2);
	add_number(&zip, UINT64_MAX, 8);
	text_puts(&zip, "PK\5\6");
	add_number(&zip, 0, 8);
	add_number(&zip, zip.len - 12, 4);
	add_number(&zip, 0, 6);
	archive_open(&a, (const uint8_t *)zip.bytes, zip.len);
	assert_true(archive_next(&a, &m));
	assert_null(m.bytes);
	assert_false(a.is_cut);
	text_release(&zip);
}

static void encrypted_member_is_rejected(void **state)
{
	size_t directory;
	struct text zip = zip_of(two, 1, &directory);
	struct archive a;

	(void)state;
	zip.bytes[directory + 8] |= 1;
	archive_open(&a, (uint8_t *)zip.bytes, zip.len);
	expect_member(&a, "a.folded", "", "it is encrypted");
	text_release(&zip);
}

static void directories_are_no_files(void **state)
{
	struct archive_member m = { .name = "d/", .name_len = 2 };

	(void)state;
	assert_false(archive_is_file(&m));
	m.name_len = 0;
	assert_false(archive_is_file(&m));
	m = (struct archive_member){ .name = "__MACOSX/._a", .name_len = 12 };
	assert_false(archive_is_file(&m));
	m = (struct archive_member){ .name = "d/a", .name_len = 3 };
	assert_true(archive_is_file(&m));
}

static char path[] = "/tmp/archive-test-XXXXXX";

/* Opens a file with the bytes as an input. */
static int open_bytes(struct input *in, const struct text *bytes)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	struct error err;

	assert_int_equal(write(fd, bytes->bytes, bytes->len), bytes->len);
	close(fd);
	return input_open(in, path, &err) || input_complete(in, &err) ? -1 : 0;
}

static void input_unpacks_the_only_file(void **state)
{
	struct given given[] = { { .name = "d/", .text = "" },
				 two[0],
				 { .name = "__MACOSX/a", .text = "x" } };
	size_t directory;
	struct text zip = zip_of(given, 3, &directory);
	struct input in;

	(void)state;
	assert_int_equal(open_bytes(&in, &zip), 0);
	assert_int_equal(in.len, strlen(two[0].text));
	assert_memory_equal(in.bytes, two[0].text, in.len);
	assert_null(in.damage);
	input_close(&in);
	/* Several files remain a ZIP file. */
	text_release(&zip);
	zip = zip_of(two, 2, &directory);
	assert_int_equal(open_bytes(&in, &zip), 0);
	assert_int_equal(in.len, zip.len);
	input_close(&in);
	text_release(&zip);
	/* The directory is missing, the data is complete. */
	zip = zip_of(two, 1, &directory);
	zip.len = directory;
	assert_int_equal(open_bytes(&in, &zip), 0);
	assert_int_equal(in.len, strlen(two[0].text));
	assert_string_equal(in.damage, "truncated ZIP file");
	input_close(&in);
	text_release(&zip);
}

static uint64_t samples_of(const struct text *zip, uint64_t *losses)
{
	struct profile *p = profile_new();
	struct error err;
	uint64_t samples = 0;

	*losses = 0;
	if (zip_reader.read((uint8_t *)zip->bytes, zip->len, p, &err) == 0) {
		for (size_t i = 0; i < p->event_count; i++)
			samples += p->events[i].samples;
		for (size_t i = 0; i < p->remark_count; i++)
			*losses += p->remarks[i].is_loss ? p->remarks[i].count
							 : 0;
	}
	profile_free(p);
	return samples;
}

static void reader_merges_all_recordings(void **state)
{
	struct given given[] = {
		two[0],
		two[1],
		{ .name = "README", .text = "no recording\n" },
		{ .name = "e.folded", .text = "main;e 1\n", .method = 99 },
	};
	size_t directory;
	struct text zip = zip_of(given, 3, &directory);
	uint64_t losses;

	(void)state;
	assert_int_equal(samples_of(&zip, &losses), 13);
	assert_int_equal(losses, 0);
	text_release(&zip);
	zip = zip_of(given, 4, &directory);
	assert_int_equal(samples_of(&zip, &losses), 13);
	assert_int_equal(losses, 1);
	/* The directory is missing. */
	zip.len = directory;
	assert_int_equal(samples_of(&zip, &losses), 13);
	assert_int_equal(losses, 2);
	text_release(&zip);
}

static int make_path(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_listed_by_the_directory),
		cmocka_unit_test(
			members_without_sizes_are_read_by_the_directory),
		cmocka_unit_test(
			cut_anywhere_members_before_the_cut_are_listed),
		cmocka_unit_test(each_changed_byte_is_harmless),
		cmocka_unit_test(wrong_sizes_are_damage),
		cmocka_unit_test(members_that_overlap_are_left_out),
		cmocka_unit_test(
			offsets_of_64_bits_may_lie_outside_the_address_space),
		cmocka_unit_test(encrypted_member_is_rejected),
		cmocka_unit_test(directories_are_no_files),
		cmocka_unit_test(input_unpacks_the_only_file),
		cmocka_unit_test(reader_merges_all_recordings),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
