/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of waiting threads, from the text of thread dumps. */
#include "core/diagnosis/dump_waits.h"
#include "core/formats/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct dump_waits waits;
static struct text dump;

static int begin(void **state)
{
	(void)state;
	text_clear(&dump);
	text_puts(&dump, "2026-11-29 10:00:00\n"
			 "Full thread dump OpenJDK 64-Bit Server VM "
			 "(17.0.15+6 mixed mode, sharing):\n\n");
	return 0;
}

static int release(void **state)
{
	(void)state;
	dump_waits_release(&waits);
	text_release(&dump);
	return 0;
}

static void add_thread(const char *name, unsigned number, const char *state,
		       const char *frames)
{
	text_printf(&dump,
		    "\"%s\" #%u prio=5 os_prio=0 cpu=1.00ms elapsed=9.00s "
		    "tid=0x00007f00000%05x nid=0x%x waiting\n"
		    "   java.lang.Thread.State: %s\n%s\n",
		    name, number, number, number, state, frames);
}

/* A thread that waits for one monitor of a class, and owns another. */
static void add_blocked(const char *name, unsigned number, const char *method,
			unsigned wants, unsigned owns)
{
	struct text frames = { 0 };

	text_printf(&frames,
		    "\tat app.Bank.%s(Bank.java:7)\n"
		    "\t- waiting to lock <0x%016x> (a app.Account)\n",
		    method, wants);
	if (owns)
		text_printf(&frames, "\t- locked <0x%016x> (a app.Account)\n",
			    owns);
	add_thread(name, number, "BLOCKED (on object monitor)", frames.bytes);
	text_release(&frames);
}

static void read_dump(void)
{
	struct profile *p = profile_new();
	struct dump_series s = { 0 };
	struct error err;

	dump_series_init(&s, p);
	assert_int_equal(dump_reader.read((const uint8_t *)dump.bytes, dump.len,
					  p, &err),
			 0);
	dump_series_end(&s);
	dump_waits_add(&waits, &s);
	dump_series_release(&s);
	profile_free(p);
}

static void threads_behind_a_deadlock_are_counted_and_in_no_group(void **state)
{
	(void)state;
	add_blocked("left", 1, "transfer", 0xb, 0xa);
	add_blocked("right", 2, "transfer", 0xa, 0xb);
	for (unsigned i = 0; i < 3; i++)
		add_blocked("worker-1", 10 + i, "pay", 0xa, 0);
	for (unsigned i = 0; i < 2; i++)
		add_blocked("worker-2", 20 + i, "pay", 0xb, 0);
	read_dump();
	assert_int_equal(waits.deadlocked, 2);
	assert_int_equal(waits.behind, 5);
	assert_int_equal(waits.deadlock_dumps, 1);
	assert_int_equal(waits.count, 0);
	assert_non_null(strstr(waits.deadlock.bytes, "\"left\" #1 waits for"));
}

/* One monitor in several methods is a convoy; several monitors are none. */
static void most_wanted_lock_of_a_class_counts(void **state)
{
	(void)state;
	add_thread("owner", 1, "RUNNABLE",
		   "\tat app.Bank.run(Bank.java:1)\n"
		   "\t- locked <0x000000000000000a> (a app.Account)\n");
	for (unsigned i = 0; i < 4; i++)
		add_blocked("worker-1", 10 + i, i & 1 ? "pay" : "check", 0xa,
			    0);
	for (unsigned i = 0; i < 3; i++)
		add_blocked("worker-2", 20 + i, "pay", 0xb + i, 0);
	read_dump();
	assert_int_equal(waits.count, 1);
	assert_int_equal(waits.all[0].threads[0], 4);
	assert_int_equal(waits.all[0].kind, DUMP_WAIT_MONITOR);
	assert_string_equal(waits.all[0].pool, "worker-*");
	assert_string_equal(waits.all[0].lock, "app.Account");
	assert_string_equal(waits.all[0].owner, "owner");
	assert_string_equal(waits.all[0].owner_place, "Bank.run:1");
	assert_true(dump_wait_pool(&waits.all[0]) == 7);
}

static void add_reader(unsigned number, const char *leaf)
{
	struct text frames = { 0 };

	text_printf(&frames,
		    "%s"
		    "\tat app.Client.fetch(Client.java:4)\n",
		    leaf);
	add_thread("http-1", number, "RUNNABLE", frames.bytes);
	text_release(&frames);
}

static void sockets_differ_from_files(void **state)
{
	(void)state;
	/* JDK 8 to 11 */
	add_reader(1, "\tat sun.nio.ch.FileDispatcherImpl.read0(Native "
		      "Method)\n"
		      "\tat sun.nio.ch.SocketDispatcher.read("
		      "SocketDispatcher.java:39)\n"
		      "\tat sun.nio.ch.IOUtil.read(IOUtil.java:197)\n"
		      "\tat sun.nio.ch.SocketChannelImpl.read("
		      "SocketChannelImpl.java:379)\n");
	add_reader(2, "\tat java.net.SocketInputStream.socketRead0(Native "
		      "Method)\n"
		      "\tat java.net.SocketInputStream.read("
		      "SocketInputStream.java:168)\n");
	read_dump();
	assert_int_equal(waits.count, 1);
	assert_int_equal(waits.all[0].kind, DUMP_WAIT_SOCKET);
	assert_int_equal(waits.all[0].threads[0], 2);
	assert_string_equal(waits.all[0].place, "Client.fetch:4");
}

/* A dump takes a thread in a system call for one that runs. */
static void owner_in_fsync_waits_for_a_file(void **state)
{
	(void)state;
	add_thread("writer", 1, "RUNNABLE",
		   "\tat sun.nio.ch.FileDispatcherImpl.force0(Native Method)\n"
		   "\tat sun.nio.ch.FileChannelImpl.force("
		   "FileChannelImpl.java:471)\n"
		   "\tat app.Journal.append(Journal.java:9)\n"
		   "\t- locked <0x000000000000000a> (a app.Account)\n");
	add_blocked("worker-1", 2, "pay", 0xa, 0);
	read_dump();
	assert_int_equal(waits.count, 1);
	assert_int_equal(waits.all[0].owner_kind, DUMP_WAIT_DISK);
	assert_string_equal(waits.all[0].owner_place, "Journal.append:9");
}

/* The dump so far; the next one begins again. */
static void read_dump_alone(void)
{
	void *state;

	read_dump();
	begin(&state);
}

static void add_owner(const char *leaf)
{
	struct text frames = { 0 };

	text_printf(&frames,
		    "%s\tat app.Journal.append(Journal.java:9)\n"
		    "\t- locked <0x000000000000000a> (a app.Account)\n",
		    leaf);
	add_thread("writer", 1, "RUNNABLE", frames.bytes);
	add_blocked("worker-1", 2, "pay", 0xa, 0);
	text_release(&frames);
	read_dump_alone();
}

/* It also runs; what it does in most dumps counts, or else that it waits. */
static void owner_is_judged_by_all_dumps(void **state)
{
	static const char force[] =
		"\tat sun.nio.ch.FileDispatcherImpl.force0(Native Method)\n";

	(void)state;
	add_owner(force);
	add_owner("");
	assert_int_equal(waits.all[0].owner_kind, DUMP_WAIT_DISK);
	add_owner("");
	assert_int_equal(waits.all[0].owner_kind, DUMP_WAIT_KINDS);
	add_owner(force);
	assert_int_equal(waits.all[0].owner_kind, DUMP_WAIT_DISK);
	assert_int_equal(waits.count, 1);
}

static void group_is_counted_in_each_dump(void **state)
{
	(void)state;
	add_thread("owner", 1, "RUNNABLE",
		   "\tat app.Bank.run(Bank.java:1)\n"
		   "\t- locked <0x000000000000000a> (a app.Account)\n");
	add_blocked("worker-1", 2, "pay", 0xa, 0);
	read_dump();
	add_blocked("worker-2", 3, "pay", 0xa, 0);
	read_dump();
	assert_int_equal(waits.count, 1);
	assert_int_equal(waits.all[0].dumps, 2);
	assert_true(dump_wait_mean(&waits, &waits.all[0]) == 1.5);
	assert_true(dump_wait_pool(&waits.all[0]) == 1.5);
}

/* The place is the caller of the pool, which waits by means of the JDK. */
static void pool_of_connections_is_no_place(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		add_thread("http-1", 10 + i, "TIMED_WAITING (parking)",
			   "\tat jdk.internal.misc.Unsafe.park(Native Method)\n"
			   "\tat java.util.concurrent.locks.LockSupport."
			   "parkNanos(LockSupport.java:252)\n"
			   "\tat java.util.concurrent.SynchronousQueue.poll("
			   "SynchronousQueue.java:903)\n"
			   "\tat com.zaxxer.hikari.util.ConcurrentBag.borrow("
			   "ConcurrentBag.java:151)\n"
			   "\tat com.zaxxer.hikari.pool.HikariPool."
			   "getConnection(HikariPool.java:163)\n"
			   "\tat com.zaxxer.hikari.HikariDataSource."
			   "getConnection(HikariDataSource.java:100)\n"
			   "\tat app.Orders.load(Orders.java:7)\n");
	read_dump();
	assert_int_equal(waits.count, 1);
	assert_int_equal(waits.all[0].kind, DUMP_WAIT_CONNECTION);
	assert_string_equal(waits.all[0].place, "Orders.load:7");
}

/* Finalizer is usually idle; virtual threads wait nearly all the time. */
static void application_in_the_finalizer_is_counted(void **state)
{
	(void)state;
	add_thread("Finalizer", 8, "TIMED_WAITING (sleeping)",
		   "\tat java.lang.Thread.sleep(Native Method)\n"
		   "\tat app.Handle.finalize(Handle.java:4)\n"
		   "\tat java.lang.ref.Finalizer.runFinalizer("
		   "Finalizer.java:87)\n");
	read_dump();
	assert_int_equal(waits.finalizer.dumps, 1);
	assert_string_equal(waits.finalizer.place, "Handle.finalize:4");
	assert_int_equal(waits.virtual_threads.dumps, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(threads_behind_a_deadlock_are_counted_and_in_no_group),
		TEST(most_wanted_lock_of_a_class_counts),
		TEST(sockets_differ_from_files),
		TEST(owner_in_fsync_waits_for_a_file),
		TEST(owner_is_judged_by_all_dumps),
		TEST(group_is_counted_in_each_dump),
		TEST(pool_of_connections_is_no_place),
		TEST(application_in_the_finalizer_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
