/* SPDX-License-Identifier: Apache-2.0 */
/* This process stands in for a JVM, whose counters the tests change. */
#include "core/base/input.h"
#include "core/gc/gc_counters.h"
#include "core/jvm/perfdata.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define IMAGE "tests/data/perfdata/jdk17.bin"

struct fixture {
	char directory[64], path[96];
	struct jvm jvm;
	uint8_t *bytes; /* of the counters, as the JVM maps them */
	size_t len;
	size_t safepoints, stopped; /* offsets */
	struct gc_source *source;
};

static void fixture_map_file(struct fixture *f)
{
	struct perfdata *p;
	struct input in;
	struct error err;
	int fd;

	if (input_open(&in, IMAGE, &err) || input_complete(&in, &err))
		fail_msg("%s", err.text);
	p = perfdata_of(in.bytes, in.len, &err);
	assert_non_null(p);
	f->safepoints = perfdata_offset(p, "sun.rt.safepoints");
	f->stopped = perfdata_offset(p, "sun.rt.safepointTime");
	perfdata_close(p);
	fd = open(f->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, in.bytes, in.len), in.len);
	f->len = in.len;
	f->bytes = mmap(NULL, f->len, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			0);
	assert_true(f->bytes != MAP_FAILED);
	close(fd);
	input_close(&in);
}

static void fixture_init(struct fixture *f)
{
	struct error err;

	*f = (struct fixture){ 0 };
	snprintf(f->directory, sizeof(f->directory), "/tmp/hsperfdata_gc%d",
		 (int)getpid());
	snprintf(f->path, sizeof(f->path), "%s/%d", f->directory,
		 (int)getpid());
	assert_int_equal(mkdir(f->directory, 0755), 0);
	fixture_map_file(f);
	assert_int_equal(jvm_open(&f->jvm, getpid(), &err), 0);
	f->jvm.kind = JVM_HOTSPOT;
	f->source = gc_perfdata_open(&f->jvm, &err);
	if (!f->source)
		fail_msg("%s", err.text);
}

static void fixture_release(struct fixture *f)
{
	gc_source_close(f->source);
	jvm_close(&f->jvm);
	munmap(f->bytes, f->len);
	unlink(f->path);
	rmdir(f->directory);
}

static void fixture_add(const struct fixture *f, size_t at, int64_t by)
{
	int64_t value;

	memcpy(&value, f->bytes + at, sizeof(value));
	value += by;
	memcpy(f->bytes + at, &value, sizeof(value));
}

/* Adds safepoints that have begun, and the ns of those that have ended. */
static void jvm_stops(const struct fixture *f, int begun, int64_t ns)
{
	fixture_add(f, f->safepoints, begun);
	fixture_add(f, f->stopped, ns);
}

static void assert_later(const struct fixture *f)
{
	struct gc_pause p;
	struct error err;

	assert_int_equal(gc_source_next(f->source, &p, &err), GC_NEXT_LATER);
}

static void assert_record(const struct fixture *f, unsigned count, int64_t ns)
{
	struct gc_pause p;
	struct error err;

	assert_int_equal(gc_source_next(f->source, &p, &err), GC_NEXT_RECORD);
	assert_int_equal(p.count, count);
	assert_int_equal(p.stopped_ns, ns);
}

static void stop_is_a_record_when_it_ends(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	assert_later(&f);
	jvm_stops(&f, 1, 0);
	assert_later(&f);
	jvm_stops(&f, 0, 70);
	assert_record(&f, 1, 70);
	assert_later(&f);
	fixture_release(&f);
}

static void stop_under_way_at_the_start_is_counted(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	jvm_stops(&f, 0, 70);
	assert_record(&f, 1, 70);
	fixture_release(&f);
}

static void last_of_two_stops_is_awaited(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	jvm_stops(&f, 2, 70);
	assert_later(&f);
	assert_later(&f);
	jvm_stops(&f, 0, 30);
	assert_record(&f, 2, 100);
	assert_later(&f);
	fixture_release(&f);
}

/* The begin of a third proves that both had ended. */
static void begin_of_another_stop_completes_the_stops_before(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	jvm_stops(&f, 2, 70);
	assert_later(&f);
	jvm_stops(&f, 1, 0);
	assert_record(&f, 2, 70);
	assert_later(&f);
	jvm_stops(&f, 0, 30);
	assert_record(&f, 1, 30);
	fixture_release(&f);
}

/*
 * The second ends and a third begins between two readings, or the third begins
 * and ends: a record of its own might mix the second and the third.
 */
static void stops_that_may_be_mixed_are_one_record(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	jvm_stops(&f, 2, 70);
	assert_later(&f);
	jvm_stops(&f, 1, 20);
	assert_later(&f);
	assert_later(&f);
	jvm_stops(&f, 0, 5);
	assert_record(&f, 3, 95);
	jvm_stops(&f, 1, 8);
	assert_record(&f, 1, 8);
	fixture_release(&f);
}

/* With two stops more, the readings do not tell whether the second ended. */
static void stop_that_outlasts_the_wait_is_counted_once(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	jvm_stops(&f, 2, 70);
	assert_later(&f);
	f.source->is_ending = true; /* as after a second */
	assert_record(&f, 2, 70);
	assert_later(&f);
	jvm_stops(&f, 0, 5000);
	assert_record(&f, 0, 5000);
	fixture_release(&f);
}

static void readings_are_rare_unless_a_pause_has_just_ended(void **state)
{
	struct fixture f;
	struct timespec quiet = { 0, 100000000 };

	(void)state;
	fixture_init(&f);
	nanosleep(&quiet, NULL);
	assert_later(&f);
	assert_int_equal(f.source->wait_ns, 20000000);
	jvm_stops(&f, 1, 1000);
	assert_record(&f, 1, 1000);
	assert_int_equal(f.source->wait_ns, 2000000);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			readings_are_rare_unless_a_pause_has_just_ended),
		cmocka_unit_test(stop_is_a_record_when_it_ends),
		cmocka_unit_test(stop_under_way_at_the_start_is_counted),
		cmocka_unit_test(last_of_two_stops_is_awaited),
		cmocka_unit_test(
			begin_of_another_stop_completes_the_stops_before),
		cmocka_unit_test(stops_that_may_be_mixed_are_one_record),
		cmocka_unit_test(stop_that_outlasts_the_wait_is_counted_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
