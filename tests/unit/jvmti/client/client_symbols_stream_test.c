/* SPDX-License-Identifier: Apache-2.0 */
/* Tests both ends of the stream file; the agent's end is compiled in here. */
#include "jvmti/agent/agent_stream.c"
#include "jvmti/client/client_symbols.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* agent_system.c does not work in a program with a C library. */
bool system_try(int *lock)
{
	assert_int_equal(*lock, 0);
	*lock = 1;
	return true;
}

bool system_wait(int *lock) { return system_try(lock); }

static char path[] = "/tmp/client_symbols_stream_test.XXXXXX";

struct ends {
	struct client_stream client;
	struct client_symbols *symbols;
};

static void open_ends(struct ends *e)
{
	static char page[AGENT_HEADER];
	struct error err;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	e->symbols = client_symbols_new();
	client_stream_init(&e->client, AGENT_SYMBOLS, UINT64_MAX);
	memcpy(page, &e->client.orders, sizeof(e->client.orders));
	assert_int_equal(pwrite(fd, page, sizeof(page), 0), sizeof(page));
	assert_int_equal(client_stream_hold(&e->client, fd, &err), 0);
	assert_int_equal(stream_open(path), 0);
	assert_int_equal(stream_orders()->wants, AGENT_SYMBOLS);
	stream_report(AGENT_RUNS, AGENT_AT_NOTHING, 0, 1, NULL);
}

static void close_ends(struct ends *e)
{
	assert_true(stream_close());
	client_stream_close(&e->client);
	client_symbols_free(e->symbols);
	unlink(path);
}

/* Adds a record of generated code, `len` bytes in total, at least 16. */
static bool put_code(size_t len, uint64_t at, bool later)
{
	static uint8_t bytes[1 << 20];
	size_t name = len - 4 - 1 - 1 - 5 - 1 - 2;
	uint8_t *to = bytes;
	bool is_added;

	for (int shift = 24; shift >= 0; shift -= 8)
		*to++ = (uint8_t)((len - 4) >> shift);
	*to++ = AGENT_GENERATED;
	*to++ = 0;
	for (int shift = 0; shift < 28; shift += 7)
		*to++ = (uint8_t)(at >> shift | 0x80);
	*to++ = (uint8_t)(at >> 28);
	*to++ = 64;
	*to++ = (uint8_t)(name | 0x80);
	*to++ = (uint8_t)(name >> 7);
	memset(to, 'a' + (int)(at >> 6) % 26, name);
	is_added = stream_add(bytes, len, STREAM_GENERATED, 0, later);
	return is_added;
}

static const char *name_at(struct ends *e, uint64_t address)
{
	struct java_symbols *j = client_symbols_of(e->symbols);
	struct unwound_frame at = { .kind = UNWOUND_GENERATED, .pc = address };

	/* cppcheck-suppress returnDanglingLifetime ; the name is interned */
	return j->generated(j, &at, 1);
}

static void agent_sees_the_lock(void **state)
{
	struct ends e;

	(void)state;
	open_ends(&e);
	assert_true(stream_is_watched());
	close(e.client.fd);
	e.client.fd = -1;
	assert_false(stream_is_watched());
	close_ends(&e);
	assert_false(stream_is_watched());
}

/* Writes three times around, with records across the ring's end. */
static void written_records_are_read_back(void **state)
{
	const uint64_t codes = 1 << 14;
	struct client_symbols_counts counts;
	struct error err;
	uint64_t done = 0, at = 0;
	struct ends e;
	struct stat st;

	(void)state;
	open_ends(&e);
	for (int i = 0; done < 3 * AGENT_RING; i++) {
		size_t len = 5000 + (size_t)i % 301;

		at = ((uint64_t)i % codes + 1) << 6;
		assert_true(put_code(len, at, i % 7 != 0));
		done += len;
		if (i % 500 == 0)
			assert_int_equal(
				client_stream_read(&e.client, e.symbols, &err),
				0);
	}
	stream_report(AGENT_RUNS, AGENT_AT_NOTHING, 0, 0, NULL);
	assert_int_equal(client_stream_read(&e.client, e.symbols, &err), 0);
	assert_int_equal(e.client.report.lost, 0);
	assert_int_equal(e.client.report.produced, done);
	assert_int_equal(e.client.orders.consumed, done);
	client_symbols_counts(e.symbols, &counts);
	assert_int_equal(counts.rejected, 0);
	assert_int_equal(counts.code, codes);
	assert_int_equal(name_at(&e, at)[0], 'a' + (int)(at >> 6) % 26);
	/*
	 * The records that were read take no space, apart from the last MiB or
	 * so.
	 */
	assert_int_equal(fstat(e.client.fd, &st), 0);
	assert_true((uint64_t)st.st_size <= AGENT_HEADER + AGENT_RING);
	assert_true((uint64_t)st.st_blocks * 512 < AGENT_RING / 4);
	close_ends(&e);
}

/* Without a reader the ring becomes full; later records are counted. */
static void full_ring_loses_whole_records(void **state)
{
	struct client_symbols_counts counts;
	const size_t len = 8000;
	uint64_t added = 0, lost = 0;
	struct error err;
	struct ends e;

	(void)state;
	open_ends(&e);
	for (uint64_t i = 1; i <= AGENT_RING / len + 50; i++)
		put_code(len, i << 6, false);
	stream_report(AGENT_RUNS, AGENT_AT_NOTHING, 0, 0, NULL);
	assert_int_equal(client_stream_read(&e.client, e.symbols, &err), 0);
	added = e.client.report.produced / len;
	lost = e.client.report.lost;
	assert_int_equal(added, AGENT_RING / len);
	assert_int_equal(lost, 50);
	client_symbols_counts(e.symbols, &counts);
	assert_int_equal(counts.code, added);
	/* There is room again. */
	assert_true(put_code(len, 1 << 6, false));
	assert_int_equal(client_stream_read(&e.client, e.symbols, &err), 0);
	assert_int_equal(e.client.report.lost, lost);
	assert_int_equal(e.client.report.produced, (added + 1) * len);
	close_ends(&e);
}

static void busy_agent_reports_it(void **state)
{
	struct error err;
	struct ends e;

	(void)state;
	open_ends(&e);
	assert_int_equal(stream_open(path), -SYSTEM_EBUSY);
	stream_report_busy(path);
	assert_int_equal(client_stream_read_report(&e.client, &err), 0);
	assert_int_equal(e.client.report.state, AGENT_BUSY);
	assert_int_equal(stream_open("/nowhere/at/all"), -2);
	stream_report_busy("/nowhere/at/all");
	close_ends(&e);
}

static void spoil(struct ends *e, const void *bytes, size_t len, off_t at)
{
	assert_int_equal(pwrite(e->client.fd, bytes, len, at), len);
}

/* Each change is reported once, and known names remain. */
static void changed_file_is_not_read(void **state)
{
	struct agent_report r = { 0 };
	struct error err;
	struct ends e;

	(void)state;
	for (int i = 0; i < 5; i++) {
		open_ends(&e);
		assert_true(put_code(100, 1 << 6, false));
		assert_int_equal(client_stream_read(&e.client, e.symbols, &err),
				 0);
		assert_true(put_code(100, 2 << 6, false));
		r = stream.report;
		r.produced = i == 1 ? 1 : UINT64_MAX - 5;
		r.not_produced = ~r.produced;
		if (i == 0)
			assert_int_equal(ftruncate(e.client.fd, 0), 0);
		else if (i < 3)
			spoil(&e, &r, sizeof(r), AGENT_REPORT_AT);
		else if (i == 3)
			spoil(&e, "\xff\xff\xff\xff", 4, AGENT_HEADER + 100);
		else
			assert_int_equal(
				ftruncate(e.client.fd, AGENT_HEADER + 150), 0);
		assert_int_equal(client_stream_read(&e.client, e.symbols, &err),
				 -1);
		assert_int_equal(err.kind, ERROR_PARTIAL);
		assert_int_equal(client_stream_read(&e.client, e.symbols, &err),
				 0);
		assert_non_null(name_at(&e, 1 << 6));
		close_ends(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agent_sees_the_lock),
		cmocka_unit_test(written_records_are_read_back),
		cmocka_unit_test(full_ring_loses_whole_records),
		cmocka_unit_test(busy_agent_reports_it),
		cmocka_unit_test(changed_file_is_not_read),
	};
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
