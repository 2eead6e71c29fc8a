/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests JFR files that are truncated, unfinished or damaged: the readable part
 * is kept, and losses are reported.
 */
#include "core/base/alloc.h"
#include "core/base/input.h"
#include "tests/unit/jfr_builder.h"
#include "tests/unit/sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#define SAMPLE      "jdk.ExecutionSample"
#define SMALL       "tests/data/jfr/ap-lock.jfr" /* of async-profiler */
#define HEADER_SIZE 68

/* Offsets of a header's fields. */
enum {
	AT_SIZE = 8,
	AT_CHECKPOINT = 16,
	AT_METADATA = 24,
	AT_START_NS = 32,
	AT_DURATION = 40,
	AT_START_TICKS = 48,
	AT_STATE = 64
};

static void patch(struct text *file, size_t at, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		file->bytes[at + i] = (char)(value >> 8 * (7 - i));
}

/* Returns the number of samples, or 0 if reading failed. */
static uint64_t kept(const struct jfr_result *r)
{
	if (r->status) {
		assert_int_equal(r->err.kind, ERROR_INPUT);
		assert_true(strlen(r->err.text) > 0);
		return 0;
	}
	return jfr_all_samples(r->profile);
}

/* Reads each prefix of the file; the number of samples never decreases. */
static void check_cuts(const void *bytes, size_t len, size_t step)
{
	uint64_t before = 0;

	for (size_t at = 0; at < len; at += IS_SANITIZED ? 13 * step : step) {
		struct jfr_result r = jfr_read_back(bytes, at);
		uint64_t samples = kept(&r);

		if (samples < before)
			fail_msg("cut at %zu: %llu samples, but %llu before",
				 at, (unsigned long long)samples,
				 (unsigned long long)before);
		before = samples;
		jfr_forget(&r);
	}
}

static void real_file_may_be_truncated_at_any_byte(void **state)
{
#ifdef __SANITIZE_ADDRESS__
	const size_t step = 11;
#else
	const size_t step = 1;
#endif
	struct input in;
	struct error err;
	struct jfr_result r;

	(void)state;
	if (input_open(&in, SMALL, &err) || input_complete(&in, &err))
		fail_msg("%s", err.text);
	check_cuts(in.bytes, in.len, step);
	r = jfr_read_back(in.bytes, in.len);
	assert_int_equal(kept(&r), 834); /* 374 JavaMonitorEnter, 460 parks */
	assert_false(profile_is_partial(r.profile));
	jfr_forget(&r);
	input_close(&in);
}

static void built_file_may_be_truncated_at_any_byte(void **state)
{
	struct text file = { 0 };
	struct jfr_result r;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		jfr_usual_chunk(&file, 20);
	check_cuts(file.bytes, file.len, 1);
	r = jfr_read_file(&file);
	assert_int_equal(kept(&r), 60);
	jfr_forget(&r);
}

static void file_without_a_chunk_header_is_rejected(void **state)
{
	static const char text[] =
		"A text file that is longer than the header of a chunk, which "
		"has 68 bytes, and that contains no such header.";
	struct jfr_result r;

	(void)state;
	r = jfr_read_back(text, sizeof(text) - 1);
	assert_int_equal(r.status, -1);
	assert_string_equal(r.err.text, "not a JFR recording: it contains no "
					"chunk header");
	jfr_forget(&r);
}

static void truncation_in_the_header_is_reported(void **state)
{
	struct text file = { 0 };
	struct jfr_result r;

	(void)state;
	jfr_usual_chunk(&file, 1);
	r = jfr_read_back(file.bytes, 10);
	assert_int_equal(r.status, -1);
	assert_string_equal(r.err.text,
			    "the header of the first chunk is truncated");
	jfr_forget(&r);
	text_release(&file);
}

static void chunks_before_the_truncation_are_complete(void **state)
{
	struct text file = { 0 };
	struct jfr_result r;
	size_t chunk;

	(void)state;
	jfr_usual_chunk(&file, 4);
	chunk = file.len;
	jfr_usual_chunk(&file, 4);
	jfr_usual_chunk(&file, 4);
	r = jfr_read_back(file.bytes, chunk + 10);
	jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 2\np.C.d 2\n");
	assert_int_equal(jfr_lost(r.profile, "bytes outside of chunks"), 10);
	jfr_forget(&r);
	r = jfr_read_back(file.bytes, 2 * chunk + HEADER_SIZE);
	jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 4\np.C.d 4\n");
	assert_int_equal(jfr_lost(r.profile, "unreadable chunks"), 1);
	jfr_forget(&r);
	/*
	 * Metadata and pools are at the start here, so the events up to the cut
	 * are read.
	 */
	r = jfr_read_back(file.bytes, 3 * chunk - 5);
	jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 6\np.C.d 5\n");
	assert_int_equal(jfr_lost(r.profile, "truncated chunks"), 1);
	jfr_forget(&r);
	text_release(&file);
}

/* ---- unfinished chunks ---- */

/* Patches one chunk like an unfinished one; a complete chunk follows. */
static void check_unfinished(uint64_t size, bool offsets, uint8_t writing)
{
	struct text file = { 0 };
	struct jfr_result r;

	jfr_usual_chunk(&file, 4);
	patch(&file, AT_SIZE, size ? size : 0);
	if (!offsets) {
		patch(&file, AT_CHECKPOINT, 0);
		patch(&file, AT_METADATA, 0);
	}
	file.bytes[AT_STATE] = (char)writing;
	jfr_usual_chunk(&file, 2);
	r = jfr_read_file(&file);
	jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 3\np.C.d 3\n");
	assert_int_equal(jfr_lost(r.profile, "unfinished chunks"), 1);
	assert_int_equal(r.profile->remark_count, 1);
	jfr_forget(&r);
}

static void unfinished_chunk_is_read_by_its_events(void **state)
{
	(void)state;
	check_unfinished(0, false, 0);       /* JDK 11: header at the end */
	check_unfinished(0, false, 255);     /* while it was being written */
	check_unfinished(300, true, 8);      /* of the last flush */
	check_unfinished(1 << 30, false, 0); /* async-profiler */
}

static void unfinished_chunk_without_types_is_reported(void **state)
{
	struct text file = { 0 };
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_chunk_begin(&c);
	jfr_sample(&c, 5000, STACK_FLAT);
	jfr_chunk_end(&c, &file);
	r = jfr_read_file(&file);
	assert_int_equal(r.status, -1);
	assert_string_equal(r.err.text, "its type descriptions are missing");
	jfr_forget(&r);
}

/* JDK-8289688: `jfr` did not terminate. */
static void empty_chunk_does_not_stop_the_next(void **state)
{
	static const uint64_t sizes[] = { 0, HEADER_SIZE };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct text file = { 0 };
		struct jfr_chunk c;
		struct jfr_result r;

		jfr_chunk_begin(&c);
		jfr_chunk_end(&c, &file);
		patch(&file, AT_SIZE, sizes[i]);
		jfr_usual_chunk(&file, 2);
		r = jfr_read_file(&file);
		jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 1\np.C.d 1\n");
		assert_int_equal(jfr_lost(r.profile, "unreadable chunks"), 1);
		jfr_forget(&r);
	}
}

/*
 * JDK 14 and later put a copy of the header into checkpoints.  Damage before
 * it must not make it the next chunk, from which all would be misread.
 */
static void copy_of_a_header_is_not_a_chunk(void **state)
{
	struct text file = { 0 };
	struct jfr_chunk c;
	struct jfr_result r;
	size_t bad;

	(void)state;
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_sample(&c, 5000, STACK_FLAT);
	bad = c.bytes.len;
	jfr_sample(&c, 5000, STACK_FLAT);
	jfr_event_begin(&c, 1);
	text_add(&c.bytes, "\x01\x00\x00\x02\x01\x63\x01\x00\x44", 9);
	text_add(&c.bytes, "FLR\0\0\x02\0\x01\0\0\0\0\0\0\x10\0", 16);
	for (size_t i = 16; i < HEADER_SIZE; i++)
		text_putc(&c.bytes, i == 30 ? 3 : 0); /* 768 */
	jfr_event_end(&c);
	jfr_chunk_end(&c, &file);
	file.bytes[AT_STATE] = 5;
	memset(file.bytes + bad, 0, 4); /* an event of size 0 */
	jfr_usual_chunk(&file, 2);
	r = jfr_read_file(&file);
	jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 1\np.C.d 2\n");
	assert_int_equal(jfr_lost(r.profile, "unreadable chunks"), 0);
	jfr_forget(&r);
}

/* ---- wrong events ---- */

/*
 * A damaged event follows 1 sample of a finished chunk; then come 2 samples, a
 * checkpoint, and 3 samples; another chunk of 4 follows. Nothing else is lost:
 * reading continues at the next events of known types at plausible times.
 */
static void check_bad_event(const char *bytes, size_t len)
{
	struct text file = { 0 };
	struct jfr_chunk c;
	struct jfr_result r;

	jfr_usual_begin(&c);
	jfr_sample(&c, 5000, STACK_FLAT);
	text_add(&c.bytes, bytes, len);
	jfr_sample(&c, 5000, STACK_FLAT);
	jfr_sample(&c, 5000, STACK_FLAT);
	jfr_usual_pools(&c);
	for (size_t i = 0; i < 3; i++)
		jfr_sample(&c, 5000, STACK_FLAT);
	jfr_chunk_end(&c, &file);
	jfr_usual_chunk(&file, 4);
	r = jfr_read_file(&file);
	jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 2\np.C.d 8\n");
	assert_int_equal(jfr_lost(r.profile, "unreadable bytes after events"),
			 len);
	jfr_forget(&r);
}

static void impossible_sizes_lose_events_but_not_the_file(void **state)
{
	struct text event = { 0 };
	static const uint64_t sizes[] = {
		0,
		1,
		1 << 20,
		UINT64_C(1) << 31,
		UINT64_C(1) << 63,
		UINT64_MAX,
		(uint64_t)INT64_MIN,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		for (unsigned width = 1; width <= 9; width++) {
			if (width < 9 && sizes[i] >> 7 * width)
				continue;
			text_clear(&event);
			jfr_put_padded(&event, sizes[i], width);
			jfr_put_varint(&event, T_SAMPLE);
			check_bad_event(event.bytes, event.len);
		}
	}
	text_release(&event);
	/* Ten and more bytes with the highest bit set. */
	check_bad_event("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12);
	check_bad_event("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 12);
}

static void event_shorter_than_its_fields_is_counted(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_event_begin(&c, T_SAMPLE);
	jfr_put_varint(&c.bytes, 5000);
	jfr_event_end(&c);
	jfr_sample(&c, 5000, STACK_FLAT);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "p.C.d 1\n");
	assert_int_equal(jfr_lost(r.profile, "damaged events"), 1);
	jfr_forget(&r);
}

/* ---- wrong pools ---- */

static void missing_method_is_unknown(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_checkpoint_begin(&c, 1);
	jfr_pool_begin(&c, T_STACK_TRACE, 1);
	/* key 50; frames of method 77, which is not, and of 202 */
	text_add(&c.bytes, "\x32\x00\x02\x4d\x01\x01\x00\xca\x01\x01\x01\x00",
		 12);
	jfr_checkpoint_end(&c);
	jfr_sample(&c, 5000, 50);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "p.C.d;[unknown] 1\n");
	assert_int_equal(
		jfr_lost(r.profile, "methods missing from the recording"), 1);
	jfr_forget(&r);
}

static void cyclic_keys_end(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_checkpoint_begin(&c, 2);
	jfr_pool_begin(&c, T_LOADER, 1);
	text_add(&c.bytes, "\x05\x06\x65", 3); /* loader 5: class 6 */
	jfr_pool_begin(&c, T_CLASS, 1);
	text_add(&c.bytes, "\x06\x05\x65\x01\x00", 5); /* class 6: loader 5 */
	jfr_checkpoint_end(&c);
	jfr_sample(&c, 5000, STACK_FLAT);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "p.C.d 1\n");
	assert_int_equal(r.profile->remark_count, 0);
	jfr_forget(&r);
}

static void newest_value_of_a_key_is_used(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_usual_pools(&c);
	jfr_checkpoint_begin(&c, 1);
	jfr_pool_begin(&c, T_SYMBOL, 1);
	jfr_put_varint(&c.bytes, 104);
	jfr_put_string(&c.bytes, "newest");
	jfr_checkpoint_end(&c);
	jfr_sample(&c, 5000, STACK_FLAT);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "p.C.newest 1\n");
	jfr_forget(&r);
}

/* ---- wrong offsets ---- */

/* Events and pools are found by their sizes, whatever the header contains. */
static void wrong_offsets_in_the_header_are_harmless(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
	} rows[] = {
		{ AT_CHECKPOINT, 1 },
		{ AT_CHECKPOINT, HEADER_SIZE },
		{ AT_CHECKPOINT, 500 },
		{ AT_CHECKPOINT, UINT64_C(1) << 63 },
		{ AT_CHECKPOINT, UINT64_MAX },
		{ AT_METADATA, 1 },
		{ AT_METADATA, 500 },
		{ AT_METADATA, UINT64_C(1) << 63 },
		{ AT_METADATA, UINT64_MAX },
		{ AT_SIZE, 1 },
		{ AT_SIZE, HEADER_SIZE },
		{ AT_SIZE, 500 },
		{ AT_SIZE, 4000 }, /* within the second chunk */
		{ AT_SIZE, 1 << 20 },
		{ AT_SIZE, UINT64_C(1) << 63 },
		{ AT_SIZE, UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct text file = { 0 };
		struct jfr_result r;

		jfr_usual_chunk(&file, 4);
		assert_in_range(file.len, 600, 3990);
		patch(&file, rows[i].at, rows[i].value);
		jfr_usual_chunk(&file, 2);
		r = jfr_read_file(&file);
		jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 3\np.C.d 3\n");
		if (!profile_is_partial(r.profile))
			fail_msg("row %zu: nothing is said", i);
		jfr_forget(&r);
	}
}

/* The delta of the last of three checkpoints is wrong. */
static void broken_chain_is_abandoned(void **state)
{
	static const int64_t deltas[] = { -1, -3,  -100000,   1,
					  7,  100, INT64_MAX, INT64_MIN };

	(void)state;
	for (size_t i = 0; i < sizeof(deltas) / sizeof(*deltas); i++) {
		struct text file = { 0 };
		struct text delta = { 0 };
		struct jfr_chunk c;
		struct jfr_result r;

		jfr_usual_begin(&c);
		jfr_usual_pools(&c);
		jfr_usual_pools(&c);
		jfr_checkpoint_begin(&c, 0);
		jfr_checkpoint_end(&c);
		/* size 4, type 1, start 2, duration 1, then 9 bytes */
		jfr_put_padded(&delta, (uint64_t)deltas[i], 9);
		memcpy(c.bytes.bytes + c.header.checkpoint + 8, delta.bytes, 9);
		jfr_sample(&c, 5000, STACK_FLAT);
		jfr_chunk_end(&c, &file);
		r = jfr_read_file(&file);
		jfr_check_stacks(&r, SAMPLE, "p.C.d 1\n");
		assert_int_equal(
			jfr_lost(r.profile, "broken chains of constant pools"),
			1);
		jfr_forget(&r);
		text_release(&delta);
	}
}

static void bytes_after_the_last_chunk_are_counted(void **state)
{
	static const char *const tails[] = { "\0\0\0\0\0\0\0", "garbage",
					     "FLR\0\0\x02\0" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct text file = { 0 };
		struct jfr_result r;

		jfr_usual_chunk(&file, 4);
		text_add(&file, tails[i], 7);
		r = jfr_read_file(&file);
		jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 2\np.C.d 2\n");
		assert_int_equal(jfr_lost(r.profile, "bytes outside of chunks"),
				 7);
		assert_int_equal(r.profile->remark_count, 1);
		jfr_forget(&r);
	}
}

static void garbage_between_chunks_is_skipped(void **state)
{
	struct text file = { 0 };
	struct jfr_result r;

	(void)state;
	jfr_usual_chunk(&file, 4);
	text_add(&file, "FLR\0 is how a chunk begins, but not this one", 43);
	jfr_usual_chunk(&file, 2);
	r = jfr_read_file(&file);
	assert_int_equal(kept(&r), 6);
	assert_true(profile_is_partial(r.profile));
	jfr_forget(&r);
}

/* ---- wrong strings ---- */

static void invalid_strings_lose_their_checkpoint(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} rows[] = {
		{ "\x06", 1 },                     /* no such encoding */
		{ "\xff", 1 },                     /* also unknown */
		{ "\x03\x80\x80\x80\x80\x08", 6 }, /* 2 GiB long */
		{ "\x05\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10 }, /* 2^64-1 */
		{ "\x04\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct jfr_chunk c;
		struct jfr_result r;

		jfr_usual_begin(&c);
		jfr_usual_pools(&c);
		jfr_checkpoint_begin(&c, 1);
		jfr_pool_begin(&c, T_SYMBOL, 1);
		jfr_put_varint(&c.bytes, 104);
		text_add(&c.bytes, rows[i].bytes, rows[i].len);
		jfr_checkpoint_end(&c);
		jfr_sample(&c, 5000, STACK_FLAT);
		r = jfr_read_chunk(&c);
		jfr_check_stacks(&r, SAMPLE, "p.C.d 1\n");
		assert_int_equal(jfr_lost(r.profile, "damaged constant pools"),
				 1);
		jfr_forget(&r);
	}
}

/* Renderers make names safe; readers do not change them. */
static void invalid_utf_8_is_kept_for_the_writer(void **state)
{
	struct jfr_chunk c;
	struct jfr_result r;

	(void)state;
	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_checkpoint_begin(&c, 1);
	jfr_pool_begin(&c, T_SYMBOL, 1);
	jfr_put_varint(&c.bytes, 104);
	jfr_put_bytes(&c.bytes, 3, "\xff\xc0\x80\xed\xa0\x80</script>", 15);
	jfr_checkpoint_end(&c);
	jfr_sample(&c, 5000, STACK_FLAT);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE,
			 "p.C.\xff\xc0\x80\xed\xa0\x80</script> 1\n");
	jfr_forget(&r);
}

/* ---- compressed ---- */

/* Compresses the recording into an unlinked file and reads that. */
static struct jfr_result read_gzipped(const struct text *file, size_t cut,
				      const char **damage)
{
	char path[64];
	int fd = memfd_create("jfr", 0);
	gzFile gz = gzdopen(dup(fd), "wb");
	struct input in;
	struct error err;
	struct jfr_result r;
	off_t len;

	assert_int_equal(gzwrite(gz, file->bytes, (unsigned)file->len),
			 file->len);
	assert_int_equal(gzclose(gz), Z_OK);
	len = lseek(fd, 0, SEEK_END);
	assert_int_equal(ftruncate(fd, len - (off_t)cut), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (input_open(&in, path, &err) || input_complete(&in, &err))
		fail_msg("%s", err.text);
	*damage = in.damage;
	r = jfr_read_back(in.bytes, in.len);
	input_close(&in);
	close(fd);
	return r;
}

static void gzipped_file_is_read_like_the_plain_one(void **state)
{
	struct text file = { 0 };
	struct jfr_result r;
	const char *damage;

	(void)state;
	jfr_usual_chunk(&file, 4);
	jfr_usual_chunk(&file, 4);
	r = read_gzipped(&file, 0, &damage);
	jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 4\np.C.d 4\n");
	assert_null(damage);
	assert_false(profile_is_partial(r.profile));
	jfr_forget(&r);
	/*
	 * Truncated in its trailer: the data is complete, but that is unknown.
	 */
	r = read_gzipped(&file, 4, &damage);
	jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 4\np.C.d 4\n");
	assert_non_null(damage);
	jfr_forget(&r);
	text_release(&file);
}

/* Sets each byte of a small file to several values; reading must not crash. */
static void any_byte_may_be_damaged(void **state)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct text file = { 0 };
	size_t partial = 0, tried = 0;

	(void)state;
	jfr_usual_chunk(&file, 8);
	jfr_usual_chunk(&file, 8);
	for (size_t at = 0; at < file.len; at += IS_SANITIZED ? 17 : 1) {
		char right = file.bytes[at];

		for (size_t i = 0; i < sizeof(values); i++) {
			struct jfr_result r;

			file.bytes[at] = (char)values[i];
			r = jfr_read_back(file.bytes, file.len);
			partial += kept(&r) > 0;
			tried++;
			jfr_forget(&r);
		}
		file.bytes[at] = right;
	}
	assert_true(partial * 100 >= tried * 99);
	text_release(&file);
}

static int64_t bucket_ns_of(const struct text *file)
{
	struct jfr_result r = jfr_read_back(file->bytes, file->len);
	int64_t width;

	assert_int_equal(r.status, 0);
	width = r.profile->bucket_ns;
	jfr_forget(&r);
	return width;
}

static void damaged_duration_does_not_widen_the_time_buckets(void **state)
{
	struct text file = { 0 };
	struct input in;
	struct error err;
	struct jfr_result r;
	int64_t width;

	(void)state;
	if (input_open(&in, SMALL, &err) || input_complete(&in, &err))
		fail_msg("%s", err.text);
	text_add(&file, in.bytes, in.len);
	input_close(&in);
	width = bucket_ns_of(&file);
	patch(&file, AT_DURATION, 0x3fffffffffffffff);
	assert_int_equal(bucket_ns_of(&file), width);
	r = jfr_read_file(&file);
	assert_int_equal(kept(&r), 834);
	assert_int_equal(
		jfr_noted(r.profile, "chunk headers with a damaged duration"),
		1);
	jfr_forget(&r);
}

/* Two samples in the chunk's first millisecond, and one at that tick. */
static void check_wild_time(int64_t ticks, uint64_t wild)
{
	struct jfr_chunk c;
	struct jfr_result r;

	jfr_usual_begin(&c);
	jfr_usual_pools(&c);
	jfr_sample(&c, (uint64_t)c.header.start_ticks + 1, STACK_DEEP);
	jfr_sample(&c, (uint64_t)(c.header.start_ticks + ticks), STACK_DEEP);
	jfr_sample(&c, (uint64_t)c.header.start_ticks + 2, STACK_FLAT);
	r = jfr_read_chunk(&c);
	jfr_check_stacks(&r, SAMPLE, "p.A.b;p.C.d 2\np.C.d 1\n");
	assert_int_equal(jfr_noted(r.profile, "samples with a damaged time"),
			 wild);
	assert_true(r.profile->latest_ns - r.profile->earliest_ns <=
		    INT64_C(7) * 86400 * 1000000000);
	jfr_forget(&r);
}

static void sample_far_from_its_chunk_gets_no_time(void **state)
{
	(void)state;
	check_wild_time(INT64_C(1) << 61, 1);
	check_wild_time(INT64_C(8) * 86400 * 1000000000, 1);
	check_wild_time(INT64_C(-8) * 86400 * 1000000000, 1);
	check_wild_time(INT64_C(6) * 86400 * 1000000000, 0);
}

/* Three chunks of one JVM, of which the header of the second is patched. */
static void check_wild_clock(size_t at, uint64_t value, uint64_t mended)
{
	struct text file = { 0 };
	struct jfr_result r;
	int64_t width;

	for (size_t i = 0; i < 3; i++)
		jfr_usual_chunk(&file, 20);
	width = bucket_ns_of(&file);
	patch(&file, file.len / 3 + at, value);
	assert_int_equal(bucket_ns_of(&file), width);
	r = jfr_read_file(&file);
	assert_int_equal(kept(&r), 60);
	assert_int_equal(
		jfr_noted(r.profile, "chunk headers with a damaged clock"),
		mended);
	jfr_forget(&r);
}

static void damaged_clock_is_replaced_by_that_of_the_chunks_around(void **state)
{
	(void)state;
	check_wild_clock(AT_START_NS, UINT64_C(1) << 61, 1);
	check_wild_clock(AT_START_NS, 1, 1);
	check_wild_clock(AT_START_TICKS, UINT64_C(1) << 60, 1);
	check_wild_clock(AT_START_TICKS + 8, 1000, 1);
	check_wild_clock(AT_DURATION, UINT64_C(1) << 62, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_file_may_be_truncated_at_any_byte),
		cmocka_unit_test(built_file_may_be_truncated_at_any_byte),
		cmocka_unit_test(file_without_a_chunk_header_is_rejected),
		cmocka_unit_test(truncation_in_the_header_is_reported),
		cmocka_unit_test(chunks_before_the_truncation_are_complete),
		cmocka_unit_test(unfinished_chunk_is_read_by_its_events),
		cmocka_unit_test(unfinished_chunk_without_types_is_reported),
		cmocka_unit_test(empty_chunk_does_not_stop_the_next),
		cmocka_unit_test(copy_of_a_header_is_not_a_chunk),
		cmocka_unit_test(impossible_sizes_lose_events_but_not_the_file),
		cmocka_unit_test(event_shorter_than_its_fields_is_counted),
		cmocka_unit_test(missing_method_is_unknown),
		cmocka_unit_test(cyclic_keys_end),
		cmocka_unit_test(newest_value_of_a_key_is_used),
		cmocka_unit_test(wrong_offsets_in_the_header_are_harmless),
		cmocka_unit_test(broken_chain_is_abandoned),
		cmocka_unit_test(bytes_after_the_last_chunk_are_counted),
		cmocka_unit_test(garbage_between_chunks_is_skipped),
		cmocka_unit_test(invalid_strings_lose_their_checkpoint),
		cmocka_unit_test(invalid_utf_8_is_kept_for_the_writer),
		cmocka_unit_test(gzipped_file_is_read_like_the_plain_one),
		cmocka_unit_test(any_byte_may_be_damaged),
		cmocka_unit_test(
			damaged_duration_does_not_widen_the_time_buckets),
		cmocka_unit_test(sample_far_from_its_chunk_gets_no_time),
		cmocka_unit_test(
			damaged_clock_is_replaced_by_that_of_the_chunks_around),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
