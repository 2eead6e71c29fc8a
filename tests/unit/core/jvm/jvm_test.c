/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/jvm.h"

#include "core/jvm/jvm_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static enum jvm_kind kind_of(const char *line)
{
	return jvm_kind_of_mapping(line, strlen(line));
}

#define AT "7f0000000000-7f0000100000 "

static void jvm_is_recognized_by_its_mapped_code(void **state)
{
	(void)state;
	assert_int_equal(kind_of(AT "r-xp 00000000 fe:00 9   /j/libjvm.so"),
			 JVM_HOTSPOT);
	assert_int_equal(kind_of(AT "r-xp 0 fe:00 9 /j/libjvm.so (deleted)"),
			 JVM_HOTSPOT);
	assert_int_equal(kind_of(AT "r-xp 0 fe:00 9 /j/libj9vm29.so"),
			 JVM_OPENJ9);
	/* A process that only reads the library, such as a profiler. */
	assert_int_equal(kind_of(AT "r--p 0 fe:00 9 /j/libjvm.so"), JVM_NONE);
	assert_int_equal(kind_of(AT "r-xp 0 fe:00 9 /j/notlibjvm.so"),
			 JVM_NONE);
	assert_int_equal(kind_of(AT "r-xp 0 fe:00 9 /libjvm.so/x"), JVM_NONE);
	assert_int_equal(kind_of(AT "r-xp 0 00:00 0"), JVM_NONE);
	assert_int_equal(kind_of(AT "r-x"), JVM_NONE);
	assert_int_equal(kind_of(""), JVM_NONE);
}

static void opened_process_is_held_until_it_ends(void **state)
{
	struct error err = { 0 };
	struct jvm jvm;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		pause();
		_exit(0);
	}
	assert_int_equal(jvm_open(&jvm, child, &err), 0);
	assert_int_equal(jvm.pid, child);
	assert_int_equal(jvm.ns_pid, child);
	assert_false(jvm.own_pid_ns);
	assert_false(jvm.own_root);
	assert_int_equal(jvm.kind, JVM_NONE);
	assert_true(jvm_runs(&jvm));
	kill(child, SIGKILL);
	waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT);
	/* The child is a zombie, so its PID is not free. */
	assert_false(jvm_runs(&jvm));
	waitpid(child, NULL, 0);
	assert_false(jvm_runs(&jvm));
	jvm_close(&jvm);
	assert_int_equal(jvm_open(&jvm, child, &err), -1);
	assert_int_equal(err.kind, ERROR_NO_TARGET);
}

static void zombie_is_rejected(void **state)
{
	struct error err = { 0 };
	struct jvm jvm;
	pid_t child = fork();

	(void)state;
	if (child == 0)
		_exit(0);
	waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT);
	assert_int_equal(jvm_open(&jvm, child, &err), -1);
	assert_int_equal(err.kind, ERROR_NO_TARGET);
	assert_non_null(strstr(err.text, "zombie"));
	waitpid(child, NULL, 0);
}

/* execve(2) keeps PID, start time and pidfd. */
static void exec_of_another_program_ends_the_jvm(void **state)
{
	struct error err = { 0 };
	struct jvm jvm;
	int go[2];
	pid_t child;

	(void)state;
	assert_int_equal(pipe(go), 0);
	child = fork();
	if (child == 0) {
		char c;

		if (read(go[0], &c, 1) == 1)
			execl("/bin/sleep", "sleep", "60", (char *)NULL);
		_exit(1);
	}
	assert_int_equal(jvm_open(&jvm, child, &err), 0);
	assert_true(jvm_runs(&jvm));
	assert_int_equal(write(go[1], "x", 1), 1);
	for (int i = 0; i < 1000 && jvm_runs(&jvm); i++)
		usleep(10000);
	assert_false(jvm_runs(&jvm));
	assert_int_equal(kill(child, 0), 0);
	jvm_close(&jvm);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(go[0]);
	close(go[1]);
}

/* Starts a child that sleeps until it is killed. */
static pid_t idle_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		for (;;)
			pause();
	}
	return child;
}

/* Makes the next process of this PID namespace use this PID, if it is free. */
static bool ask_for_pid(pid_t pid)
{
	FILE *f = fopen("/proc/sys/kernel/ns_last_pid", "w");

	if (!f)
		return false;
	fprintf(f, "%d", (int)pid - 1);
	return fclose(f) == 0;
}

/* Returns the failed checks for a process whose PID was reused. */
static int faults_of_reuse(struct jvm *jvm)
{
	struct jvm_info about;
	struct error err = { 0 };
	int faults = 0;

	if (jvm_runs(jvm))
		faults |= 1;
	if (jvm_open_file(jvm, "/", O_RDONLY, &err) != -1 ||
	    err.kind != ERROR_NO_TARGET)
		faults |= 2;
	if (jvm_info(jvm, &about, &err) != -1 || err.kind != ERROR_NO_TARGET)
		faults |= 4;
	return faults;
}

#define CANNOT 77

/* Runs as process 1 of a PID namespace, where no other process takes a PID. */
static int reuse_a_pid(void)
{
	struct jvm jvm, other;
	struct error err;
	pid_t old, new;
	int faults;

	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("proc", "/proc", "proc", 0, NULL))
		return CANNOT;
	old = idle_child();
	if (jvm_open(&jvm, old, &err))
		return 64;
	kill(old, SIGKILL);
	waitpid(old, NULL, 0);
	/*
	 * Start times have a resolution of 10 ms, which matters without a
	 * pidfd.
	 */
	usleep(50000);
	new = ask_for_pid(old) ? idle_child() : -1;
	if (new != old)
		return CANNOT;
	faults = faults_of_reuse(&jvm);
	jvm_close(&jvm);
	faults |= faults_of_reuse(&jvm) << 3;
	if (jvm_open(&other, new, &err) || !jvm_runs(&other))
		faults |= 64;
	jvm_close(&other);
	return faults;
}

static void reused_pid_is_not_mistaken_for_the_process(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) {
		pid_t first;

		if (unshare(CLONE_NEWPID | CLONE_NEWNS))
			_exit(CANNOT);
		first = fork();
		if (first == 0)
			_exit(reuse_a_pid());
		if (waitpid(first, &status, 0) != first || !WIFEXITED(status))
			_exit(128);
		_exit(WEXITSTATUS(status));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CANNOT)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

struct waiting {
	pid_t tid;
	int ready[2], go[2];
};

static void *wait_for_go(void *arg)
{
	struct waiting *w = arg;
	char c = 'r';

	w->tid = (pid_t)syscall(SYS_gettid);
	if (write(w->ready[1], &c, 1) != 1 || read(w->go[0], &c, 1) != 1)
		return NULL;
	return w;
}

static void tid_of_a_thread_is_rejected(void **state)
{
	struct error err = { 0 };
	struct waiting w;
	struct jvm jvm;
	pthread_t thread;
	char c;

	(void)state;
	assert_int_equal(pipe(w.ready), 0);
	assert_int_equal(pipe(w.go), 0);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_go, &w), 0);
	assert_int_equal(read(w.ready[0], &c, 1), 1);
	assert_int_equal(jvm_open(&jvm, w.tid, &err), -1);
	assert_int_equal(err.kind, ERROR_MISUSE);
	assert_non_null(strstr(err.text, "is a thread of process"));
	assert_int_equal(write(w.go[1], &c, 1), 1);
	pthread_join(thread, NULL);
	for (int i = 0; i < 2; i++) {
		close(w.ready[i]);
		close(w.go[i]);
	}
}

static void jvm_open_rejects_invalid_pids(void **state)
{
	struct error err = { 0 };
	struct jvm jvm;

	(void)state;
	assert_int_equal(jvm_open(&jvm, 0, &err), -1);
	assert_int_equal(err.kind, ERROR_MISUSE);
	assert_int_equal(jvm_open(&jvm, -1, &err), -1);
	assert_int_equal(err.kind, ERROR_MISUSE);
}

static void jvm_open_java_fails_for_other_programs(void **state)
{
	struct error err = { 0 };
	struct jvm jvm;

	(void)state;
	assert_int_equal(jvm_open_java(&jvm, getpid(), &err), -1);
	assert_int_equal(err.kind, ERROR_NO_TARGET);
	assert_non_null(strstr(err.text, "is not a JVM"));
}

static void zeroed_storage_may_be_closed(void **state)
{
	struct jvm jvm = { 0 };

	(void)state;
	jvm_close(&jvm);
	assert_true(fcntl(0, F_GETFD) >= 0 || errno == EBADF);
	assert_int_equal(jvm.pidfd, -1);
}

static void list_is_ordered_by_pid(void **state)
{
	struct jvm_list list;
	struct error err;

	(void)state;
	assert_int_equal(jvm_list(&list, &err), 0);
	for (size_t i = 1; i < list.count; i++)
		assert_true(list.jvms[i - 1].pid < list.jvms[i].pid);
	jvm_list_release(&list);
}

/* Starts a process that maps a file as code when it reads a byte. */
static pid_t start_late_jvm(const char *library, int *starts, int *has_started)
{
	int to[2], from[2];
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int fd = open(library, O_RDONLY);

		alarm(60);
		if (read(to[0], &byte, 1) != 1 ||
		    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
			 0) == MAP_FAILED ||
		    write(from[1], "m", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(to[0]);
	close(from[1]);
	*starts = to[1];
	*has_started = from[0];
	return pid;
}

static bool search_has(struct jvm_search *s, pid_t pid)
{
	struct jvm_list list;
	struct error err;
	bool has = false;

	assert_int_equal(jvm_search_next(s, &list, &err), 0);
	for (size_t i = 0; i < list.count; i++)
		has |= list.jvms[i].pid == pid;
	jvm_list_release(&list);
	return has;
}

static void search_lists_a_jvm_until_it_is_settled(void **state)
{
	char library[] = "/tmp/jvm_test.XXXXXX/libjvm.so";
	char *slash = strrchr(library, '/'), byte;
	struct jvm_search search = { 0 };
	int starts, has_started, fd;
	pid_t pid;

	(void)state;
	*slash = '\0';
	assert_non_null(mkdtemp(library));
	*slash = '/';
	fd = open(library, O_CREAT | O_RDWR, 0600);
	assert_int_equal(ftruncate(fd, 4096), 0);
	close(fd);
	pid = start_late_jvm(library, &starts, &has_started);
	assert_false(search_has(&search, pid));
	assert_int_equal(write(starts, "m", 1), 1);
	assert_int_equal(read(has_started, &byte, 1), 1);
	/* A process that is seen for the second time is inspected again. */
	assert_true(search_has(&search, pid));
	assert_true(search_has(&search, pid));
	jvm_search_settle(&search, pid);
	assert_false(search_has(&search, pid));
	assert_int_equal(jvm_search_excluded(&search), 0);
	jvm_search_exclude(&search, pid);
	assert_false(search_has(&search, pid));
	assert_int_equal(jvm_search_excluded(&search), 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_false(search_has(&search, pid));
	assert_int_equal(jvm_search_excluded(&search), 0);
	jvm_search_release(&search);
	close(starts);
	close(has_started);
	unlink(library);
	*slash = '\0';
	rmdir(library);
}

static void ended_processes_are_found_by_one_poll(void **state)
{
	struct jvm own, ended;
	const struct jvm *both[] = { &ended, &own };
	bool has_ended[2];
	struct error err;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_int_equal(jvm_open(&own, getpid(), &err), 0);
	assert_int_equal(jvm_open(&ended, pid, &err), 0);
	jvm_poll_ended(both, has_ended, 2);
	assert_false(has_ended[0] || has_ended[1]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	jvm_poll_ended(both, has_ended, 2);
	assert_true(has_ended[0]);
	assert_false(has_ended[1]);
	jvm_close(&own);
	jvm_close(&ended);
}

/* A directory of the test with files as a hostile target might create them. */
struct place {
	char dir[64];
	struct jvm jvm;
};

static int place_setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	struct error err;
	char path[128];
	int fd;

	snprintf(p->dir, sizeof(p->dir), "/tmp/jvm_test.XXXXXX");
	if (!mkdtemp(p->dir) || jvm_open(&p->jvm, getpid(), &err))
		return -1;
	snprintf(path, sizeof(path), "%s/file", p->dir);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	if (fd < 0 || write(fd, "here", 4) != 4 || close(fd))
		return -1;
	snprintf(path, sizeof(path), "%s/link", p->dir);
	if (symlink("file", path))
		return -1;
	snprintf(path, sizeof(path), "%s/pipe", p->dir);
	if (mkfifo(path, 0600))
		return -1;
	snprintf(path, sizeof(path), "%s/magic", p->dir);
	if (symlink("/proc/self/fd/0", path))
		return -1;
	*state = p;
	return 0;
}

static int place_teardown(void **state)
{
	static const char *const names[] = { "file", "link", "pipe", "magic",
					     "new" };
	struct place *p = *state;
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", p->dir, names[i]);
		unlink(path);
	}
	rmdir(p->dir);
	jvm_close(&p->jvm);
	free(p);
	return 0;
}

/* Returns a process whose root is the directory and that maps a JVM's code. */
static pid_t chrooted_jvm(const char *dir)
{
	char library[128], ready = 'n';
	int ends[2];
	pid_t pid;

	snprintf(library, sizeof(library), "%s/jdk/lib/server/libjvm.so", dir);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		int fd = open(library, O_RDONLY);

		alarm(20); /* the end, if the test fails */
		if (mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) !=
			    MAP_FAILED &&
		    (chroot(dir) == 0 ||
		     (unshare(CLONE_NEWUSER) == 0 && chroot(dir) == 0)))
			ready = 'y';
		if (write(ends[1], &ready, 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(ends[0], &ready, 1), 1);
	close(ends[0]);
	close(ends[1]);
	if (ready == 'y')
		return pid;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}

/* /proc/PID/maps has paths from the root of the reader. */
static void home_of_a_chrooted_jvm_is_below_its_root(void **state)
{
	struct place *p = *state;
	struct jvm_info about;
	struct error err;
	char command[512];
	struct jvm jvm;
	pid_t pid;

	snprintf(command, sizeof(command),
		 "mkdir -p %s/jdk/lib/server && cd %s/jdk && "
		 "echo code >lib/server/libjvm.so && "
		 "echo 'JAVA_VERSION=\"21.0.9\"' >release",
		 p->dir, p->dir);
	assert_int_equal(system(command), 0);
	pid = chrooted_jvm(p->dir);
	if (pid) {
		assert_int_equal(jvm_open(&jvm, pid, &err), 0);
		assert_int_equal(jvm_info(&jvm, &about, &err), 0);
		assert_string_equal(about.java_home, "/jdk");
		assert_string_equal(about.version, "21.0.9");
		jvm_info_release(&about);
		jvm_close(&jvm);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	snprintf(command, sizeof(command), "rm -r %s/jdk", p->dir);
	assert_int_equal(system(command), 0);
	if (!pid)
		skip();
}

static int open_at(struct place *p, const char *name, int flags,
		   struct error *err)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", p->dir, name);
	return jvm_open_file(&p->jvm, path, flags, err);
}

static void file_is_opened_in_the_root_of_the_target(void **state)
{
	struct error err;
	char bytes[4];
	int fd = open_at(*state, "link", O_RDONLY, &err);

	assert_true(fd >= 0);
	assert_int_equal(read(fd, bytes, 4), 4);
	assert_memory_equal(bytes, "here", 4);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	fd = open_at(*state, "../../etc/passwd", O_RDONLY, &err);
	assert_true(fd >= 0);
	close(fd);
	fd = open_at(*state, "new", O_CREAT | O_EXCL | O_WRONLY, &err);
	assert_true(fd >= 0);
	close(fd);
}

static void links_and_pipes_are_no_traps(void **state)
{
	struct error err = { 0 };
	int fd;

	assert_int_equal(open_at(*state, "link", O_RDONLY | O_NOFOLLOW, &err),
			 -1);
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_int_equal(err.sys, ELOOP);
	assert_int_equal(open_at(*state, "magic", O_RDONLY, &err), -1);
	assert_int_equal(err.kind, ERROR_REFUSED);
	/* A process that waits for a reader of the pipe must not find one. */
	fd = open_at(*state, "pipe", O_PATH, &err);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(open_at(*state, "pipe", O_RDONLY, &err), -1);
	assert_int_equal(err.sys, ENXIO);
	assert_int_equal(open_at(*state, "../../dev/null", O_RDONLY, &err), -1);
	assert_int_equal(err.sys, ENXIO);
	assert_int_equal(open_at(*state, "none", O_RDONLY, &err), -1);
	assert_int_equal(err.kind, ERROR_UNAVAILABLE);
	assert_int_equal(err.sys, ENOENT);
}

/* Masks of caught signals, as printed in /proc. */
static void signal_handlers_exclude_processes_that_are_no_jvms(void **state)
{
	static const struct {
		const char *what;
		uint64_t caught;
		uint32_t threads;
		bool may_be;
	} seen[] = {
		{ "JDK 8", 0x2000000101005ccf, 12, true },
		{ "JDK 8 -Xrs", 0x2000000101001cc8, 12, true },
		{ "JDK 17", 0x0000000101005ccf, 19, true },
		{ "JDK 28 -Xrs", 0x0000000101001cc8, 17, true },
		{ "a launcher before its JVM", 0, 1, false },
		{ "a server that reports its crashes", 0x4e8, 13, false },
		{ "a Go program", 0xfffffffd7fc1feff, 9, false },
		{ "a shell", 0x4b817efb, 1, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(seen) / sizeof(*seen); i++) {
		const struct proc_status status = {
			.caught = seen[i].caught,
			.threads = seen[i].threads,
		};

		if (jvm_kind_may_be(&status) != seen[i].may_be)
			fail_msg("%s", seen[i].what);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			signal_handlers_exclude_processes_that_are_no_jvms),
		cmocka_unit_test(jvm_is_recognized_by_its_mapped_code),
		cmocka_unit_test(opened_process_is_held_until_it_ends),
		cmocka_unit_test(zombie_is_rejected),
		cmocka_unit_test(exec_of_another_program_ends_the_jvm),
		cmocka_unit_test(reused_pid_is_not_mistaken_for_the_process),
		cmocka_unit_test(tid_of_a_thread_is_rejected),
		cmocka_unit_test(jvm_open_rejects_invalid_pids),
		cmocka_unit_test(jvm_open_java_fails_for_other_programs),
		cmocka_unit_test(zeroed_storage_may_be_closed),
		cmocka_unit_test(list_is_ordered_by_pid),
		cmocka_unit_test(search_lists_a_jvm_until_it_is_settled),
		cmocka_unit_test(ended_processes_are_found_by_one_poll),
		cmocka_unit_test_setup_teardown(
			file_is_opened_in_the_root_of_the_target, place_setup,
			place_teardown),
		cmocka_unit_test_setup_teardown(
			home_of_a_chrooted_jvm_is_below_its_root, place_setup,
			place_teardown),
		cmocka_unit_test_setup_teardown(links_and_pipes_are_no_traps,
						place_setup, place_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
