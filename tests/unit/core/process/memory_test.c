/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/clock.h"
#include "core/process/memory.h"
#include "tests/unit/refuse_call.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PAGE       4096
#define HUGE_BYTES (3 << 20)
#define MANY       40 /* pages */

/* A process with memory to read: a copy of the test that waits to be killed. */
struct target {
	pid_t pid;
	struct jvm jvm;
	struct remote_memory *remote;
	struct memory *memory;
};

static uint8_t huge[HUGE_BYTES];
static uint8_t *pages; /* three: readable, missing, readable */
static uint8_t *lake;  /* many pages */
static uint8_t *sea;   /* a page that the test and its targets share */

static pid_t begin_process(void (*prepare)(int))
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(60);
		if (prepare)
			prepare(ready[1]);
		byte = 'r';
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

/* Reads through the readers, which may be NULL. */
static void begin_with(struct target *t, struct memory_readers *readers,
		       void (*prepare)(int))
{
	struct error err;

	t->pid = begin_process(prepare);
	assert_int_equal(jvm_open(&t->jvm, t->pid, &err), 0);
	t->remote = remote_memory_open(&t->jvm, readers, &err);
	assert_non_null(t->remote);
	t->memory = remote_memory_of(t->remote);
}

static void begin(struct target *t, void (*prepare)(int))
{
	begin_with(t, NULL, prepare);
}

static void end(struct target *t)
{
	remote_memory_close(t->remote);
	jvm_close(&t->jvm);
	kill(t->pid, SIGKILL);
	waitpid(t->pid, NULL, 0);
}

static int set_up(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(huge); i++)
		huge[i] = (uint8_t)(i * 7 + i / 4096);
	sea = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(pages, 'a', 3 * PAGE);
	munmap(pages + PAGE, PAGE);
	lake = mmap(NULL, MANY * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return 0;
}

static void
remote_memory_reads_each_range_completely_or_not_at_all(void **state)
{
	struct target t;
	uint8_t got[5][64];
	struct memory_range ranges[] = {
		{ (uintptr_t)huge, got[0], 64, false },
		{ (uintptr_t)pages + PAGE, got[1], 64, true },
		{ (uintptr_t)huge + 64, got[2], 64, false },
		{ (uintptr_t)pages + PAGE - 32, got[3], 64, true },
		{ (uintptr_t)pages + 2 * PAGE, got[4], 64, false },
	};

	(void)state;
	begin(&t, NULL);
	memset(got, 0, sizeof(got));
	t.memory->read_all(t.memory, ranges, 5);
	assert_true(ranges[0].is_read && ranges[2].is_read &&
		    ranges[4].is_read);
	assert_false(ranges[1].is_read || ranges[3].is_read);
	assert_memory_equal(got[0], huge, 64);
	assert_memory_equal(got[2], huge + 64, 64);
	assert_int_equal(got[3][0], 0);
	assert_int_equal(got[4][63], 'a');
	end(&t);
}

static void remote_memory_reads_any_number_and_size_of_ranges(void **state)
{
	struct target t;
	uint8_t *whole = malloc(HUGE_BYTES);
	struct memory_range *many = calloc(5000, sizeof(*many));
	uint8_t *bytes = calloc(5000, 16);

	(void)state;
	begin(&t, NULL);
	assert_true(memory_read(t.memory, (uintptr_t)huge, whole, HUGE_BYTES));
	assert_memory_equal(whole, huge, HUGE_BYTES);
	for (size_t i = 0; i < 5000; i++)
		many[i] = (struct memory_range){ (uintptr_t)huge + 100 * i,
						 bytes + 16 * i, 16, false };
	t.memory->read_all(t.memory, many, 5000);
	for (size_t i = 0; i < 5000; i++) {
		assert_true(many[i].is_read);
		assert_memory_equal(bytes + 16 * i, huge + 100 * i, 16);
	}
	assert_false(memory_read(t.memory, UINT64_MAX - 8, whole, 16));
	assert_true(memory_read(t.memory, 0, whole, 0));
	end(&t);
	free(whole);
	free(many);
	free(bytes);
}

static void
remote_memory_reads_nothing_after_the_process_has_ended(void **state)
{
	struct target t;
	uint8_t byte;

	(void)state;
	begin(&t, NULL);
	assert_true(memory_read(t.memory, (uintptr_t)huge, &byte, 1));
	kill(t.pid, SIGKILL);
	waitpid(t.pid, NULL, 0);
	assert_false(memory_read(t.memory, (uintptr_t)huge, &byte, 1));
	assert_false(memory_read(t.memory, (uintptr_t)huge, &byte, 1));
	assert_int_equal(remote_memory_stalls(t.remote), 0);
	end(&t);
}

static void remote_memory_names_a_filter(void **state)
{
	struct error err;
	struct jvm jvm;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(jvm_open(&jvm, getpid(), &err), 0);
	pid = fork();
	if (pid == 0) {
		if (!refuse_call(SYS_process_vm_readv, EPERM))
			_exit(77);
		_exit(!remote_memory_open(&jvm, NULL, &err) &&
				      err.kind == ERROR_PERMISSION &&
				      strstr(err.text, "seccomp") &&
				      strstr(err.text, "process_vm_readv(2)")
			      ? 0
			      : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	jvm_close(&jvm);
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void remote_memory_names_the_missing_permission(void **state)
{
	struct error err;
	struct jvm jvm;
	int status;
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(jvm_open(&jvm, getpid(), &err), 0);
	pid = fork();
	if (pid == 0) {
		/*
		 * The test's process belongs to root, this one to the user
		 * 65534.
		 */
		if (setresgid(65534, 65534, 65534) ||
		    setresuid(65534, 65534, 65534))
			_exit(1);
		_exit(!remote_memory_open(&jvm, NULL, &err) &&
				      err.kind == ERROR_PERMISSION &&
				      strstr(err.text, "CAP_SYS_PTRACE") &&
				      strstr(err.text, "ptrace_scope")
			      ? 0
			      : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 0);
	jvm_close(&jvm);
}

/* Reads of this memory wait for a page that never arrives. */
static void stall(int ready, void *at, size_t len)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register where = {
		.range = { (uintptr_t)at, len },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	char byte = 's';

	if (fd >= 0 &&
	    mmap(at, len, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) != MAP_FAILED &&
	    !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &where))
		return;
	if (write(ready, &byte, 1) != 1)
		_exit(1);
	_exit(0);
}

static void stall_second_page(int ready) { stall(ready, pages + PAGE, PAGE); }

static void stall_many_pages(int ready) { stall(ready, lake, MANY * PAGE); }

static bool can_stall(void)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void stalled_range_costs_one_second(void **state)
{
	struct target t;
	uint8_t got[3];
	struct memory_range ranges[] = {
		{ (uintptr_t)huge, got, 1, false },
		{ (uintptr_t)pages + PAGE, got + 1, 1, false },
		{ (uintptr_t)huge + 8, got + 2, 1, false },
	};
	int64_t begun;

	(void)state;
	if (!can_stall())
		skip();
	begin(&t, stall_second_page);
	begun = clock_monotonic_ns();
	t.memory->read_all(t.memory, ranges, 3);
	assert_int_equal(remote_memory_stalls(t.remote), 1);
	assert_false(ranges[1].is_read);
	assert_true(clock_monotonic_ns() - begun >= CLOCK_NS_PER_S);
	/*
	 * Of three ranges, the stalled one is identified and the others are
	 * read.
	 */
	t.memory->read_all(t.memory, ranges, 3);
	assert_int_equal(remote_memory_stalls(t.remote), 2);
	assert_true(ranges[0].is_read && ranges[2].is_read);
	assert_false(ranges[1].is_read);
	/* The range is not read again. */
	for (int i = 0; i < 100; i++) {
		t.memory->read_all(t.memory, ranges, 3);
		assert_true(ranges[0].is_read && ranges[2].is_read);
		assert_false(ranges[1].is_read);
	}
	assert_int_equal(remote_memory_stalls(t.remote), 2);
	end(&t);
}

static void stalled_target_is_given_up(void **state)
{
	struct target t;
	uint8_t byte;
	int64_t begun;

	(void)state;
	if (!can_stall())
		skip();
	begin(&t, stall_many_pages);
	begun = clock_monotonic_ns();
	for (size_t i = 0; i < MANY; i++)
		assert_false(memory_read(t.memory, (uintptr_t)lake + i * PAGE,
					 &byte, 1));
	/* Five seconds of stalls, and the time of the last one. */
	assert_in_range(remote_memory_stalls(t.remote), 1, 6);
	assert_true(clock_monotonic_ns() - begun < 20 * CLOCK_NS_PER_S);
	assert_int_equal(remote_memory_missed(t.remote), MANY);
	end(&t);
}

static void helper_ends_with_its_parent(void **state)
{
	struct error err;
	struct jvm jvm;
	int ready[2], status;
	pid_t target = begin_process(NULL), opener, helper;
	char byte = 'r';

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	assert_int_equal(pipe(ready), 0);
	opener = fork();
	if (opener == 0) {
		if (jvm_open(&jvm, target, &err) ||
		    !remote_memory_open(&jvm, NULL, &err) ||
		    write(ready[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	kill(opener, SIGKILL);
	assert_int_equal(waitpid(opener, &status, 0), opener);
	kill(target, SIGKILL);
	assert_int_equal(waitpid(target, &status, 0), target);
	/*
	 * Without its parent it is the test's child; alarm() limits the wait.
	 */
	alarm(30);
	helper = waitpid(-1, &status, 0);
	assert_true(helper > 0 && helper != opener && helper != target);
	alarm(0);
	close(ready[0]);
	close(ready[1]);
}

/* Returns the next child of this process, except one. */
static pid_t next_child(char **at, pid_t but)
{
	char *next;
	pid_t pid = (pid_t)strtol(*at, &next, 10);

	if (next == *at)
		return 0;
	*at = next;
	return pid == but ? next_child(at, but) : pid;
}

static void read_children(char *line, size_t size)
{
	char path[64];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)getpid(),
		 (int)getpid());
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	len = read(fd, line, size - 1);
	assert_true(len > 0);
	line[len] = '\0';
	close(fd);
}

static void killed_helper_is_replaced(void **state)
{
	struct target t;
	uint8_t byte = 0;
	char line[64], *at = line;
	pid_t pid;

	(void)state;
	begin(&t, NULL);
	read_children(line, sizeof(line));
	while ((pid = next_child(&at, t.pid)))
		kill(pid, SIGKILL);
	/* The read during the kill may fail. */
	memory_read(t.memory, (uintptr_t)huge + 1, &byte, 1);
	assert_true(memory_read(t.memory, (uintptr_t)huge + 1, &byte, 1));
	assert_int_equal(byte, huge[1]);
	end(&t);
}

/* A stuck helper must not keep a pipe of the test open. */
static void put_b(int ready)
{
	(void)ready;
	memset(pages, 'b', 64);
}

static char first_byte(const struct target *t)
{
	char got = 0;

	return memory_read(t->memory, (uintptr_t)pages, &got, 1) ? got : '-';
}

/* Returns a child of a process other than one, which may be a zombie; or 0. */
static pid_t other_child(pid_t parent, pid_t one)
{
	char path[64], line[256] = "", *at = line, *end;
	pid_t found = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent,
		 (int)parent);
	fd = open(path, O_RDONLY);
	assert_true(read(fd, line, sizeof(line) - 1) >= 0);
	close(fd);
	for (long pid; (pid = strtol(at, &end, 10)) > 0; at = end)
		if (pid != one)
			found = (pid_t)pid;
	return found;
}

/* This process may be the subreaper of the starter's children. */
static void close_readers(struct memory_readers *readers)
{
	alarm(60);
	memory_readers_close(readers);
	while (waitpid(-1, NULL, 0) > 0)
		;
	alarm(0);
}

static void readers_read_several_processes_through_one_child(void **state)
{
	struct error err;
	struct memory_readers *readers = memory_readers_open(&err);
	pid_t starter = other_child(getpid(), 0), reader;
	struct target a, b;

	(void)state;
	assert_non_null(readers);
	assert_true(starter > 0);
	begin_with(&a, readers, NULL);
	begin_with(&b, readers, put_b);
	assert_int_equal(first_byte(&a), 'a');
	assert_int_equal(first_byte(&b), 'b');
	reader = other_child(starter, 0);
	assert_true(reader > 0);
	/* A killed reader is replaced, by a child of the same starter. */
	kill(reader, SIGKILL);
	first_byte(&a);
	assert_int_equal(first_byte(&a), 'a');
	assert_int_equal(first_byte(&b), 'b');
	assert_true(other_child(starter, reader) > 0);
	/* The end of a process does not concern the others. */
	kill(a.pid, SIGKILL);
	assert_int_equal(waitpid(a.pid, NULL, 0), a.pid);
	assert_int_equal(first_byte(&a), '-');
	assert_int_equal(first_byte(&b), 'b');
	end(&a);
	end(&b);
	close_readers(readers);
}

static void readers_without_their_starter_use_other_children(void **state)
{
	struct error err;
	struct memory_readers *readers = memory_readers_open(&err);
	pid_t starter = other_child(getpid(), 0);
	struct target a;

	(void)state;
	assert_non_null(readers);
	assert_true(starter > 0);
	kill(starter, SIGKILL);
	begin_with(&a, readers, NULL);
	assert_int_equal(first_byte(&a), 'a');
	end(&a);
	close_readers(readers);
}

static void helper_has_only_its_channel_open(void **state)
{
	struct target t;
	char line[64], link[64], *at = line;
	unsigned sockets = 0;
	struct dirent *entry;
	ssize_t len;
	pid_t pid;
	DIR *dir;

	(void)state;
	begin(&t, NULL);
	read_children(line, sizeof(line));
	pid = next_child(&at, t.pid);
	assert_true(pid > 0);
	snprintf(line, sizeof(line), "/proc/%d/fd", (int)pid);
	dir = opendir(line);
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		len = readlinkat(dirfd(dir), entry->d_name, link,
				 sizeof(link) - 1);
		if (len < 0)
			continue;
		link[len] = '\0';
		if (strncmp(link, "socket:", 7) == 0)
			sockets++;
		else
			assert_string_equal(link, "/dev/null");
	}
	closedir(dir);
	assert_int_equal(sockets, 1);
	end(&t);
}

/* Returns the byte that is read again; 0 = unreadable. */
static uint8_t again(struct target *t, const uint8_t *at)
{
	uint8_t got = 0;
	struct memory_range r = { (uintptr_t)at, &got, 1, false };

	memory_read_again(t->memory, &r, 1);
	return r.is_read ? got : 0;
}

static void ranges_of_recent_batches_are_read_as_a_batch_begins(void **state)
{
	struct target t;
	uint8_t now;

	(void)state;
	begin(&t, NULL);
	remote_memory_begin(t.remote);
	sea[0] = 'a';
	assert_int_equal(again(&t, sea), 'a');
	sea[0] = 'b';
	assert_int_equal(again(&t, sea), 'a');
	remote_memory_begin(t.remote);
	sea[0] = 'c';
	assert_int_equal(again(&t, sea), 'b');
	/* Other reads are as before. */
	assert_true(memory_read(t.memory, (uintptr_t)sea, &now, 1));
	assert_int_equal(now, 'c');
	assert_int_equal(again(&t, pages + PAGE), 0);
	remote_memory_begin(t.remote);
	assert_int_equal(again(&t, pages + PAGE), 0);
	assert_int_equal(again(&t, sea), 'c');
	end(&t);
}

static void ranges_that_are_not_used_any_more_are_forgotten(void **state)
{
	enum { BATCHES = 100 };
	struct target t;

	(void)state;
	begin(&t, NULL);
	remote_memory_begin(t.remote);
	sea[0] = 'a';
	sea[1] = 'x';
	again(&t, sea);
	again(&t, sea + 1);
	for (int i = 0; i < BATCHES; i++) {
		remote_memory_begin(t.remote);
		again(&t, sea + 1);
	}
	sea[0] = 'b';
	sea[1] = 'y';
	assert_int_equal(again(&t, sea), 'b');
	assert_int_equal(again(&t, sea + 1), 'x');
	end(&t);
}

static void more_ranges_than_a_request_has_are_read_again(void **state)
{
	enum { RANGES = 2000 };
	struct memory_range ranges[RANGES];
	static uint8_t got[RANGES];
	struct target t;

	(void)state;
	for (size_t i = 0; i < RANGES; i++) {
		sea[i] = (uint8_t)(i * 7);
		ranges[i] = (struct memory_range){ (uintptr_t)sea + i, &got[i],
						   1, false };
	}
	begin(&t, NULL);
	for (int batch = 0; batch < 3; batch++) {
		remote_memory_begin(t.remote);
		memset(got, 0, sizeof(got));
		memory_read_again(t.memory, ranges, RANGES);
		for (size_t i = 0; i < RANGES; i++) {
			assert_true(ranges[i].is_read);
			assert_int_equal(got[i], (uint8_t)(i * 7));
		}
	}
	end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			remote_memory_reads_each_range_completely_or_not_at_all),
		cmocka_unit_test(
			remote_memory_reads_any_number_and_size_of_ranges),
		cmocka_unit_test(
			remote_memory_reads_nothing_after_the_process_has_ended),
		cmocka_unit_test(
			ranges_of_recent_batches_are_read_as_a_batch_begins),
		cmocka_unit_test(
			ranges_that_are_not_used_any_more_are_forgotten),
		cmocka_unit_test(more_ranges_than_a_request_has_are_read_again),
		cmocka_unit_test(remote_memory_names_the_missing_permission),
		cmocka_unit_test(remote_memory_names_a_filter),
		cmocka_unit_test(stalled_range_costs_one_second),
		cmocka_unit_test(stalled_target_is_given_up),
		cmocka_unit_test(helper_ends_with_its_parent),
		cmocka_unit_test(killed_helper_is_replaced),
		cmocka_unit_test(helper_has_only_its_channel_open),
		cmocka_unit_test(
			readers_read_several_processes_through_one_child),
		cmocka_unit_test(
			readers_without_their_starter_use_other_children),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
