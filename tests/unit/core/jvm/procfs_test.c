/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/open_files.h"
#include "core/jvm/procfs.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* From Linux 6.1: java in a container, seen from the host. */
static const char status_text[] = "Name:\tjava\n"
				  "Umask:\t0022\n"
				  "State:\tS (sleeping)\n"
				  "Tgid:\t5718\n"
				  "Ngid:\t0\n"
				  "Pid:\t5718\n"
				  "PPid:\t5717\n"
				  "TracerPid:\t0\n"
				  "Uid:\t1000\t1001\t1002\t1003\n"
				  "Gid:\t2000\t2001\t2002\t2003\n"
				  "FDSize:\t256\n"
				  "Groups:\t \n"
				  "NStgid:\t5718\t12\t1\n"
				  "NSpid:\t5718\t12\t1\n"
				  "NSpgid:\t5717\t0\t0\n"
				  "VmPeak:\t 2862536 kB\n"
				  "VmRSS:\t   41508 kB\n"
				  "Threads:\t19\n"
				  "SigQ:\t0/15622\n"
				  "SigPnd:\t0000000000000000\n"
				  "SigBlk:\t0000000000000004\n"
				  "SigIgn:\t0000000000001000\n"
				  "SigCgt:\t2000000181005ccf\n"
				  "CapEff:\t000001ffffffffff\n"
				  "voluntary_ctxt_switches:\t7\n"
				  "nonvoluntary_ctxt_switches:\t3\n";

static void status_is_read_field_by_field(void **state)
{
	struct proc_status s;

	(void)state;
	assert_true(procfs_parse_status(status_text, strlen(status_text), &s));
	assert_int_equal(s.state, 'S');
	assert_int_equal(s.tgid, 5718);
	assert_int_equal(s.tracer, 0);
	assert_int_equal(s.uid, 1001);
	assert_int_equal(s.fs_uid, 1003);
	assert_int_equal(s.gid, 2001);
	assert_int_equal(s.fs_gid, 2003);
	assert_int_equal(s.ns_depth, 3);
	assert_int_equal(s.ns_pids[0], 5718);
	assert_int_equal(s.ns_pids[2], 1);
	assert_int_equal(s.blocked, 4);
	assert_int_equal(s.ignored, 0x1000);
	assert_true(s.caught == UINT64_C(0x2000000181005ccf));
	assert_true(s.capabilities == UINT64_C(0x1ffffffffff));
	assert_int_equal(s.threads, 19);
	assert_int_equal(s.voluntary, 7);
	assert_int_equal(s.involuntary, 3);
	assert_int_equal(s.rss_bytes, 41508 * 1024);
}

/* The kernel escapes newlines in a name, but not other whitespace. */
static void process_name_cannot_forge_a_status_field(void **state)
{
	static const char text[] = "Name:\tx\\nUid:\t0 0 0 0\n"
				   "State:\tR (running)\n"
				   "Tgid:\t7\n"
				   "Uid:\t5\t5\t5\t5\n";
	struct proc_status s;

	(void)state;
	assert_true(procfs_parse_status(text, strlen(text), &s));
	assert_int_equal(s.uid, 5);
}

static void status_without_what_matters_is_none(void **state)
{
	static const char *const texts[] = {
		"",
		"State:\tS\nTgid:\t7\n",
		"State:\tS\nUid:\t1\t1\t1\t1\n",
		"Tgid:\t7\nUid:\t1\t1\t1\t1\n",
		"State:\t\nTgid:\t7\nUid:\t1\t1\t1\t1\n",
		"State:\tS\nTgid:\t-7\nUid:\t1\t1\t1\t1\n",
		"State:\tS\nTgid:\t4294967303\nUid:\t1\t1\t1\t1\n",
		"State:\tS\nTgid:\t7\nUid:\t1\t1\t1\n",
		"State:\tS\nTgid:\t7\nUid:\t1\t99999999999\t1\t1\n",
		"State:\tS\nTgid:\t7\nUid:\t1\t1\t1\t1\nSigCgt:\txyz\n",
	};
	struct proc_status s;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_false(
			procfs_parse_status(texts[i], strlen(texts[i]), &s));
}

/*
 * Each copy has its exact length, so that a sanitizer detects reads beyond it.
 */
static void cut_anywhere_nothing_beyond_is_read(void **state)
{
	static const char stat_text[] = "7 (a) b) S 1 7 7 0 -1 4194560 1 0 0 0 "
					"5 6 0 0 20 0 3 0 99 1\n";
	struct proc_status status;
	struct proc_stat stat;

	(void)state;
	for (size_t len = 0; len < sizeof(status_text); len++) {
		char *copy = malloc(len + 1);

		memcpy(copy + 1, status_text, len);
		procfs_parse_status(copy + 1, len, &status);
		free(copy);
	}
	for (size_t len = 0; len < sizeof(stat_text); len++) {
		char *copy = malloc(len + 1);

		memcpy(copy + 1, stat_text, len);
		procfs_parse_stat(copy + 1, len, &stat);
		free(copy);
	}
}

static void stat_is_read_from_behind_the_last_parenthesis(void **state)
{
	static const char text[] = "4711 () R 1 () S 1 4711 4711 0 -1 4194560 "
				   "1 0 0 0 55 66 0 0 "
				   "20 0 33 0 987654321 1 2 3 4 5 140726 0\n";
	struct proc_stat s;

	(void)state;
	assert_true(procfs_parse_stat(text, strlen(text), &s));
	assert_string_equal(s.comm, ") R 1 (");
	assert_int_equal(s.state, 'S');
	assert_int_equal(s.user_ticks, 55);
	assert_int_equal(s.sys_ticks, 66);
	assert_int_equal(s.threads, 33);
	assert_int_equal(s.start_ticks, 987654321);
	assert_int_equal(s.start_stack, 140726);
}

static void kernel_thread_differs_from_an_exiting_process(void **state)
{
	static const char thread[] = "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 "
				     "0 0 4 0 0 20 0 1 0 9 0\n";
	static const char exiting[] = "4711 (java) R 1 1 1 0 -1 4228364 0 0 0 "
				      "0 9 4 0 0 20 0 1 0 9 0\n";
	struct proc_stat s;

	(void)state;
	assert_true(procfs_parse_stat(thread, strlen(thread), &s));
	assert_true(s.is_kernel_thread);
	assert_true(procfs_parse_stat(exiting, strlen(exiting), &s));
	assert_false(s.is_kernel_thread);
}

static void overlong_process_name_is_truncated(void **state)
{
	static const char text[] = "1 (abcdefghijklmnopqrstuvwxyz) S 1 1 1 0 "
				   "-1 4 1 0 0 0 5 6 0 0 "
				   "20 0 3 0 9 1\n";
	struct proc_stat s;

	(void)state;
	assert_true(procfs_parse_stat(text, strlen(text), &s));
	assert_string_equal(s.comm, "abcdefghijklmno");
}

static void stat_without_its_fields_is_none(void **state)
{
	static const char *const texts[] = {
		"",
		"1",
		"1 (a",
		"1 )a( S 1 1 1 0 -1 4 1 0 0 0 5 6 0 0 20 0 3 0 9 1",
		"1 (a)",
		"1 (a) S 1 1 1 0 -1 4 1 0 0 0 5 6 0 0 20 0 3 0",
		"1 (a) S 1 1 1 0 -1 4 1 0 0 0 x 6 0 0 20 0 3 0 9 1",
		"1 (a) SS 1 1 1 0 -1 4 1 0 0 0 5 6 0 0 20 0 3 0 9 1",
		("1 (a) S 1 1 1 0 -1 4 1 0 0 0 5 6 0 0 20 0 3 0 "
		 "99999999999999999999999 1"),
	};
	struct proc_stat s;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_false(procfs_parse_stat(texts[i], strlen(texts[i]), &s));
}

static void own_process_is_readable(void **state)
{
	struct proc_status status;
	struct proc_stat stat;
	struct error err;

	(void)state;
	assert_int_equal(procfs_status(getpid(), &status, &err), 0);
	assert_int_equal(status.tgid, getpid());
	assert_int_equal(status.uid, geteuid());
	assert_int_equal(procfs_stat(getpid(), &stat, &err), 0);
	assert_int_equal(stat.state, 'R');
	assert_true(stat.start_ticks > 0);
}

static void reads_stop_at_their_limit(void **state)
{
	struct text text = { 0 };
	struct error err;

	(void)state;
	assert_int_equal(procfs_read(getpid(), "status", 5, &text, &err), 0);
	assert_int_equal(text.len, 5);
	assert_memory_equal(text.bytes, "Name:", 5);
	text_release(&text);
}

static void procfs_stat_fails_for_an_ended_process(void **state)
{
	struct proc_stat stat;
	struct error err = { 0 };
	pid_t child = fork();

	(void)state;
	if (child == 0)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(procfs_stat(child, &stat, &err), -1);
	assert_int_equal(err.kind, ERROR_NO_TARGET);
	assert_non_null(strstr(err.text, "no such process"));
}

static void missing_proc_file_is_reported(void **state)
{
	struct text text = { 0 };
	struct error err = { 0 };

	(void)state;
	assert_int_equal(procfs_read(getpid(), "nothing", 9, &text, &err), -1);
	assert_int_equal(err.kind, ERROR_UNAVAILABLE);
	text_release(&text);
}

static void *second_thread(void *unused)
{
	(void)unused;
	pause();
	return NULL;
}

/* Starts a child whose first thread has ended, unlike the process. */
static pid_t child_without_first_thread(void)
{
	pid_t child = fork();
	struct proc_stat stat = { 0 };
	struct error err;
	pthread_t other;

	if (child == 0) {
		if (pthread_create(&other, NULL, second_thread, NULL))
			_exit(1);
		/* Not pthread_exit(), which would unwind into the test. */
		syscall(SYS_exit, 0);
	}
	for (int i = 0; i < 1000 && stat.state != 'Z'; i++) {
		usleep(10000);
		assert_int_equal(procfs_stat(child, &stat, &err), 0);
	}
	return child;
}

static void process_is_read_through_another_thread(void **state)
{
	pid_t child = child_without_first_thread();
	struct text text = { 0 };
	struct proc_stat stat;
	struct error err;

	(void)state;
	assert_int_equal(procfs_read(child, "maps", 65536, &text, &err), 0);
	assert_int_equal(text.len, 0);
	assert_int_equal(procfs_owner(child), child);
	assert_true(procfs_use_thread(child));
	assert_int_not_equal(procfs_owner(child), child);
	assert_int_equal(procfs_read(child, "maps", 65536, &text, &err), 0);
	assert_true(text.len > 0);
	/* The state stays that of the first thread. */
	assert_int_equal(procfs_stat(child, &stat, &err), 0);
	assert_int_equal(stat.state, 'Z');
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(procfs_owner(child), child);
	assert_false(procfs_use_thread(child));
	text_release(&text);
}

static void process_of_one_thread_has_no_other(void **state)
{
	pid_t child = fork();

	(void)state;
	if (child == 0)
		_exit(0);
	waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT);
	assert_false(procfs_use_thread(child));
	waitpid(child, NULL, 0);
	assert_false(procfs_use_thread(getpid()));
}

static void open_files_are_counted_by_kind(void **state)
{
	struct open_files before, after;
	struct error err;
	int ends[2];

	(void)state;
	assert_int_equal(open_files_read(&before, getpid(), &err), 0);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(open_files_read(&after, getpid(), &err), 0);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(after.pipes, before.pipes + 2);
	assert_int_equal(after.files, before.files);
	assert_int_equal(
		open_files_parse_limit("Limit  Soft Limit  Hard Limit  Units\n"
				       "Max open files            1024        "
				       "         524288               files\n"),
		1024);
	assert_int_equal(open_files_parse_limit("Max open files  unlimited"),
			 -1);
	assert_int_equal(open_files_parse_limit(""), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_files_are_counted_by_kind),
		cmocka_unit_test(status_is_read_field_by_field),
		cmocka_unit_test(process_name_cannot_forge_a_status_field),
		cmocka_unit_test(status_without_what_matters_is_none),
		cmocka_unit_test(cut_anywhere_nothing_beyond_is_read),
		cmocka_unit_test(stat_is_read_from_behind_the_last_parenthesis),
		cmocka_unit_test(overlong_process_name_is_truncated),
		cmocka_unit_test(kernel_thread_differs_from_an_exiting_process),
		cmocka_unit_test(stat_without_its_fields_is_none),
		cmocka_unit_test(own_process_is_readable),
		cmocka_unit_test(reads_stop_at_their_limit),
		cmocka_unit_test(procfs_stat_fails_for_an_ended_process),
		cmocka_unit_test(missing_proc_file_is_reported),
		cmocka_unit_test(process_is_read_through_another_thread),
		cmocka_unit_test(process_of_one_thread_has_no_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
