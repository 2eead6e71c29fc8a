/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/java_threads.h"

#include "tests/unit/metadata_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { THREADS = 3, THREAD_BYTES = 256, STACK = 4096 };

/*
 * Three threads with the kernel's ids 11, 12, 13 and the Java ids 31, 32, 33.
 */
struct world {
	struct metadata_image image; /* first member */
	struct thread_layout layout;
	uint64_t threads[THREADS], handles[THREADS][2];
	uint64_t list, array;
};

static uint64_t stack_of(size_t i) { return 0x7c0000000000 + i * 0x100000; }

static void world_init(struct world *w, bool has_ids)
{
	struct metadata_image *m = &w->image;

	image_init(m, 25);
	w->layout = (struct thread_layout){
		.places = { .pending = 200, .owner = 64 },
		.list = { .length = 4, .threads = 16 },
		.size = THREAD_BYTES,
		.fields = {
			[THREAD_OSTHREAD] = 8,
			[THREAD_STACK_BASE] = 16,
			[THREAD_STACK_SIZE] = 24,
			[THREAD_OWNER_ID] = has_ids ? 32 : 0,
			[THREAD_OBJECT] = 40,
			[THREAD_CARRIED] = 48,
		},
		.os_id = 12,
	};
	w->array = image_add(m, THREADS * 8);
	for (size_t i = 0; i < THREADS; i++) {
		uint64_t thread = image_add(m, THREAD_BYTES);
		uint64_t os = image_add(m, 32);

		w->threads[i] = thread;
		image_put(m, w->array + i * 8, thread, 8);
		image_put(m, thread + 8, os, 8);
		image_put(m, os + 12, 11 + i, 4);
		image_put(m, thread + 16, stack_of(i) + STACK, 8);
		image_put(m, thread + 24, STACK, 8);
		image_put(m, thread + 32, 31 + i, 8);
		for (size_t k = 0; k < 2; k++) {
			w->handles[i][k] = image_add(m, 8);
			image_put(m, w->handles[i][k], 0x1000 + i, 8);
			image_put(m, thread + 40 + 8 * k, w->handles[i][k], 8);
		}
	}
	w->list = image_add(m, 32);
	image_put(m, w->list + 4, THREADS, 4);
	image_put(m, w->list + 16, w->array, 8);
	w->layout.list.list = image_add(m, 8);
	image_put(m, w->layout.list.list, w->list, 8);
}

static void check_owner(struct java_threads *t, uint64_t owner, pid_t ns_tid,
			int64_t java_id, bool is_virtual)
{
	struct monitor_owner o = { 0 };

	assert_true(java_threads_owner(t, owner, &o));
	assert_int_equal(o.ns_tid, ns_tid);
	assert_int_equal(o.java_id, java_id);
	assert_int_equal(o.is_virtual, is_virtual);
}

static void check_unknown(struct java_threads *t, uint64_t owner)
{
	struct monitor_owner o;

	assert_false(java_threads_owner(t, owner, &o));
}

static void owner_is_a_thread_or_an_address_in_its_stack(void **state)
{
	struct java_threads *t;
	struct world w;

	(void)state;
	world_init(&w, false);
	t = java_threads_new(&w.layout, &w.image.memory);
	check_owner(t, w.threads[1], 12, 0, false);
	check_owner(t, stack_of(2), 13, 0, false);
	check_owner(t, stack_of(2) + STACK - 8, 13, 0, false);
	check_unknown(t, stack_of(2) + STACK);
	check_unknown(t, stack_of(2) - 8);
	/*
	 * Markers: no owner, not known yet, being deflated (ObjectMonitor, JDK
	 * 21).
	 */
	for (uint64_t marker = 0; marker < 3; marker++)
		check_unknown(t, marker);
	java_threads_free(t);
	image_release(&w.image);
}

static void owner_is_a_thread_id_since_jdk_24(void **state)
{
	struct java_threads *t;
	struct world w;

	(void)state;
	world_init(&w, true);
	/* The third carries virtual thread 99. */
	image_put(&w.image, w.threads[2] + 32, 99, 8);
	image_put(&w.image, w.handles[2][1], 0x2000, 8);
	t = java_threads_new(&w.layout, &w.image.memory);
	check_owner(t, 32, 12, 32, false);
	check_owner(t, 99, 0, 99, true);
	/* A virtual thread without a carrier, or a thread that has ended. */
	check_owner(t, 77, 0, 77, false);
	for (uint64_t marker = 0; marker < 3; marker++)
		check_unknown(t, marker);
	check_unknown(t, UINT64_MAX);
	java_threads_free(t);
	image_release(&w.image);
}

static void (*read_image)(struct memory *m, struct memory_range *ranges,
			  size_t count);

/* The third thread unmounts its virtual thread before that is read. */
static void read_and_unmount(struct memory *m, struct memory_range *ranges,
			     size_t count)
{
	struct world *w = (struct world *)m;

	if (count > THREADS && ranges[0].address != w->threads[0] + 8)
		image_put(&w->image, w->threads[2] + 32, 33, 8);
	read_image(m, ranges, count);
}

static void carrier_that_unmounts_meanwhile_is_no_owner(void **state)
{
	struct java_threads *t;
	struct world w;

	(void)state;
	world_init(&w, true);
	image_put(&w.image, w.threads[2] + 32, 99, 8);
	read_image = w.image.memory.read_all;
	w.image.memory.read_all = read_and_unmount;
	t = java_threads_new(&w.layout, &w.image.memory);
	check_owner(t, 99, 0, 99, false);
	check_owner(t, 32, 12, 32, false);
	java_threads_free(t);
	image_release(&w.image);
}

static void java_threads_reads_once_per_batch(void **state)
{
	struct java_threads *t;
	struct world w;
	size_t reads;

	(void)state;
	world_init(&w, false);
	t = java_threads_new(&w.layout, &w.image.memory);
	check_owner(t, w.threads[0], 11, 0, false);
	reads = w.image.reads;
	check_owner(t, w.threads[2], 13, 0, false);
	assert_int_equal(w.image.reads, reads);
	image_put(&w.image, w.list + 4, 2, 4);
	java_threads_begin(t);
	check_unknown(t, w.threads[2]);
	java_threads_free(t);
	image_release(&w.image);
}

static void jni_environment_offset_is_found_by_one_environment(void **state)
{
	struct monitor_places p;
	struct java_threads *t;
	struct world w;

	(void)state;
	world_init(&w, false);
	t = java_threads_new(&w.layout, &w.image.memory);
	assert_true(java_threads_places(t, w.threads[1] + 152, &p));
	assert_int_equal(p.env, 152);
	assert_int_equal(p.pending, 200);
	assert_int_equal(p.owner, 64);
	assert_false(java_threads_places(t, 0, &p));
	assert_false(java_threads_places(t, w.threads[0] - 8, &p));
	java_threads_free(t);
	image_release(&w.image);
}

static void inconsistent_thread_lists_are_empty(void **state)
{
	static const uint32_t counts[] = { 0, UINT32_MAX, 1 << 15 };
	struct java_threads *t;
	struct world w;

	(void)state;
	world_init(&w, false);
	t = java_threads_new(&w.layout, &w.image.memory);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		image_put(&w.image, w.list + 4, counts[i], 4);
		java_threads_begin(t);
		check_unknown(t, w.threads[0]);
	}
	image_put(&w.image, w.layout.list.list, 8, 8);
	java_threads_begin(t);
	check_unknown(t, w.threads[0]);
	java_threads_free(t);
	image_release(&w.image);
}

/* JDK 8; one chain leads back to itself. */
static void looping_chain_of_threads_ends(void **state)
{
	struct java_threads *t;
	struct world w;

	(void)state;
	world_init(&w, false);
	w.layout.list.first = w.layout.list.list;
	w.layout.list.list = 0;
	w.layout.list.next = 56;
	image_put(&w.image, w.layout.list.first, w.threads[0], 8);
	image_put(&w.image, w.threads[0] + 56, w.threads[1], 8);
	t = java_threads_new(&w.layout, &w.image.memory);
	check_owner(t, w.threads[1], 12, 0, false);
	check_unknown(t, w.threads[2]);
	image_put(&w.image, w.threads[1] + 56, w.threads[0], 8);
	java_threads_begin(t);
	check_unknown(t, w.threads[1]);
	java_threads_free(t);
	image_release(&w.image);
}

/* The top of a lock stack comes from the JVM and may be any number. */
static void lock_holders_have_the_object_in_their_lock_stack(void **state)
{
	const uint64_t objects[] = { 0x5000, 0x5008, 0x5010, 0, 0x5018 };
	const struct java_thread *holders[5];
	struct java_threads *t;
	struct world w;

	(void)state;
	world_init(&w, true);
	w.layout.lock_stack.top = 64;
	w.layout.lock_stack.base = 72;
	image_put(&w.image, w.threads[1] + 64, 72 + 16, 4);
	image_put(&w.image, w.threads[1] + 72, 0x5008, 8);
	image_put(&w.image, w.threads[1] + 80, 0x5000, 8);
	/* Above the top, an object that was unlocked. */
	image_put(&w.image, w.threads[1] + 88, 0x5010, 8);
	image_put(&w.image, w.threads[2] + 64, UINT32_MAX, 4);
	image_put(&w.image, w.threads[2] + 72 + 7 * 8, 0x5018, 8);
	t = java_threads_new(&w.layout, &w.image.memory);
	java_threads_lock_holders(t, objects, 5, holders);
	assert_int_equal(holders[0]->address, w.threads[1]);
	assert_int_equal(holders[1]->address, w.threads[1]);
	assert_null(holders[2]);
	assert_null(holders[3]);
	assert_int_equal(holders[4]->address, w.threads[2]);
	java_threads_free(t);
	/* A JVM without lock stacks. */
	w.layout.lock_stack.base = 0;
	t = java_threads_new(&w.layout, &w.image.memory);
	java_threads_lock_holders(t, objects, 5, holders);
	assert_null(holders[0]);
	java_threads_free(t);
	image_release(&w.image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(owner_is_a_thread_or_an_address_in_its_stack),
		cmocka_unit_test(owner_is_a_thread_id_since_jdk_24),
		cmocka_unit_test(carrier_that_unmounts_meanwhile_is_no_owner),
		cmocka_unit_test(java_threads_reads_once_per_batch),
		cmocka_unit_test(
			jni_environment_offset_is_found_by_one_environment),
		cmocka_unit_test(inconsistent_thread_lists_are_empty),
		cmocka_unit_test(looping_chain_of_threads_ends),
		cmocka_unit_test(
			lock_holders_have_the_object_in_their_lock_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
