/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];
static char path[96];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/output_test.XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/file", folder);
	return 0;
}

/* Fails if another file than the output is left. */
static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

static void expect_content(const char *name, const char *content)
{
	char buffer[256] = { 0 };
	int fd = open(name, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(read(fd, buffer, sizeof(buffer) - 1) >= 0);
	assert_string_equal(buffer, content);
	close(fd);
}

static void write_file(const char *content)
{
	struct output out;
	struct error err;

	if (output_open(&out, path, &err))
		fail_msg("%s", err.text);
	output_puts(&out, content);
	if (output_commit(&out, &err))
		fail_msg("%s", err.text);
	output_close(&out);
}

static void committed_file_exists(void **state)
{
	struct output out;
	struct error err;

	(void)state;
	unlink(path);
	assert_int_equal(output_open(&out, path, &err), 0);
	output_puts(&out, "one ");
	output_printf(&out, "%s %d", "two", 3);
	output_write(&out, NULL, 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(output_commit(&out, &err), 0);
	output_close(&out);
	expect_content(path, "one two 3");
}

static void old_file_stays_until_the_commit(void **state)
{
	struct output out;
	struct error err;

	(void)state;
	write_file("old");
	assert_int_equal(output_open(&out, path, &err), 0);
	output_puts(&out, "new");
	expect_content(path, "old");
	output_close(&out);
	expect_content(path, "old");
	write_file("new");
	expect_content(path, "new");
}

static void output_closed_without_commit_is_removed(void **state)
{
	struct output out;
	struct error err;

	(void)state;
	unlink(path);
	assert_int_equal(output_open(&out, path, &err), 0);
	output_abandon_all();
	assert_int_equal(rmdir(folder), 0); /* the directory is empty */
	assert_int_equal(mkdir(folder, 0700), 0);
	output_close(&out);
	output_abandon_all();
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	assert_int_equal(stat(name, &st), 0);
	return st.st_mode & 07777;
}

/* A handler could remove the temporary file of only one of them. */
static void second_open_file_is_a_program_error(void **state)
{
	struct output one, two;
	struct error err;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(output_open(&one, path, &err), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGABRT, SIG_DFL);
		prctl(PR_SET_DUMPABLE, 0);
		close(STDERR_FILENO);
		output_open(&two, path, &err);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	output_close(&one);
	assert_int_equal(output_open(&two, path, &err), 0);
	assert_int_equal(output_commit(&two, &err), 0);
	output_close(&two);
	assert_int_equal(output_open(&two, path, &err), 0);
	output_close(&two);
}

static void new_file_has_the_mode_of_the_old_file_or_of_umask(void **state)
{
	mode_t mask = umask(027);

	(void)state;
	unlink(path);
	write_file("x");
	assert_int_equal(mode_of(path), 0640);
	chmod(path, 0604);
	write_file("y");
	assert_int_equal(mode_of(path), 0604);
	umask(mask);
}

static void output_through_a_link_replaces_the_file_of_the_link(void **state)
{
	char target[128];
	struct stat st;

	(void)state;
	snprintf(target, sizeof(target), "%s/target", folder);
	unlink(path);
	assert_int_equal(symlink("target", path), 0);
	close(open(target, O_CREAT | O_WRONLY, 0600));
	write_file("through");
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	expect_content(target, "through");
	unlink(target);
	unlink(path);
}

static void
dangling_link_stays_and_the_file_is_made_where_it_leads(void **state)
{
	char target[128], second[128];
	struct stat st;

	(void)state;
	snprintf(target, sizeof(target), "%s/target", folder);
	snprintf(second, sizeof(second), "%s/second", folder);
	unlink(path);
	assert_int_equal(symlink("second", path), 0);
	assert_int_equal(symlink(target, second), 0);
	write_file("through two links");
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(lstat(second, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	expect_content(target, "through two links");
	unlink(target);
	unlink(second);
	unlink(path);
}

static void replaced_file_keeps_its_owner_and_group(void **state)
{
	struct stat st;

	(void)state;
	if (geteuid() != 0)
		skip();
	write_file("theirs");
	assert_int_equal(chown(path, 65534, 65533), 0);
	assert_int_equal(chmod(path, 0640), 0);
	write_file("ours");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, 65534);
	assert_int_equal(st.st_gid, 65533);
	assert_int_equal(st.st_mode & 07777, 0640);
}

/* A member of the directory's group, who must not change owners. */
static void group_gets_no_access_when_it_cannot_be_kept(void **state)
{
	struct stat st;
	int status;
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		skip();
	write_file("theirs");
	assert_int_equal(chown(path, 65534, 65533), 0);
	assert_int_equal(chmod(path, 0646), 0);
	assert_int_equal(chown(folder, 0, 65532), 0);
	assert_int_equal(chmod(folder, 0770), 0);
	pid = fork();
	if (pid == 0) {
		if (setgroups(0, NULL) || setgid(65532) || setuid(65532))
			_exit(1);
		write_file("ours");
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, 65532);
	assert_int_equal(st.st_mode & 07777, 0606);
	unlink(path);
	chmod(folder, 0700);
}

/* Fails unless output_open() and output_try() refuse the path, and soon. */
static void expect_refused(const char *name, const char *reason)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct output out;
		struct error err = { 0 };
		int ret;

		alarm(60);
		ret = output_open(&out, name, &err);
		output_close(&out);
		if (!ret || err.kind != ERROR_OUTPUT ||
		    !strstr(err.text, reason))
			_exit(2);
		err = (struct error){ 0 };
		_exit(output_try(name, &err) && strstr(err.text, reason) ? 0
									 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* As the kernel does for open(2): fs.protected_symlinks, _regular, _fifos. */
static void
entries_of_other_users_in_shared_directories_are_refused(void **state)
{
	static const mode_t modes[] = { 01777, 0777, 01770 };
	static const char reason[] = "belongs to another user";
	char target[128];
	struct stat st;

	(void)state;
	if (geteuid() != 0)
		skip();
	snprintf(target, sizeof(target), "%s/target", folder);
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		assert_int_equal(chmod(folder, modes[i]), 0);
		/* A link to a file of root's, and a dangling link. */
		for (int dangling = 0; dangling < 2; dangling++) {
			int fd = dangling ? -1 : creat(target, 0600);

			if (!dangling)
				close(fd);
			assert_int_equal(symlink("target", path), 0);
			assert_int_equal(lchown(path, 65534, 65534), 0);
			expect_refused(path, reason);
			assert_int_equal(access(target, F_OK),
					 dangling ? -1 : 0);
			unlink(path);
			unlink(target);
		}
		assert_int_equal(mkfifo(path, 0666), 0);
		assert_int_equal(chown(path, 65534, 65534), 0);
		expect_refused(path, reason);
		unlink(path);
		close(creat(path, 0600));
		assert_int_equal(chown(path, 65534, 65534), 0);
		expect_refused(path, reason);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_uid, 65534);
		assert_int_equal(st.st_size, 0);
		unlink(path);
	}
	/* An entry of the directory's owner; the result is not given away. */
	assert_int_equal(chown(folder, 65534, 65534), 0);
	close(creat(path, 0600));
	assert_int_equal(chown(path, 65534, 65534), 0);
	write_file("secret");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	unlink(path);
	/* The file of another user in a directory that is not shared. */
	assert_int_equal(chmod(folder, 0755), 0);
	close(creat(path, 0644));
	assert_int_equal(chown(path, 65534, 65534), 0);
	write_file("theirs");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, 65534);
	unlink(path);
	assert_int_equal(chown(folder, 0, 0), 0);
	chmod(folder, 0700);
}

static void pipe_without_a_reader_is_refused(void **state)
{
	struct output out;
	struct error err;

	(void)state;
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(output_open(&out, path, &err), -1);
	output_close(&out);
	assert_non_null(strstr(err.text, "no process reads from this pipe"));
	err = (struct error){ 0 };
	assert_int_equal(output_open_device(path, &err), -1);
	assert_non_null(strstr(err.text, "no process reads from this pipe"));
	unlink(path);
	assert_int_equal(output_open_device(path, &err), OUTPUT_NO_DEVICE);
}

static void much_is_written_whatever_the_pieces(void **state)
{
	static char piece[300000];
	struct output out;
	struct error err;
	struct stat st;

	(void)state;
	memset(piece, 'x', sizeof(piece));
	assert_int_equal(output_open(&out, path, &err), 0);
	for (size_t len = 1; len <= sizeof(piece); len *= 3)
		output_write(&out, piece, len);
	for (int i = 0; i < 100000; i++)
		output_puts(&out, "seven..");
	output_write(&out, piece, 256 << 10);
	assert_int_equal(output_commit(&out, &err), 0);
	assert_int_equal(out.written,
			 (177147 * 3 - 1) / 2 + 700000 + (256 << 10));
	output_close(&out);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size,
			 (177147 * 3 - 1) / 2 + 700000 + (256 << 10));
}

static void expect_unopened(const char *name, int sys)
{
	struct output out;
	struct error err = { 0 };

	assert_int_equal(output_open(&out, name, &err), -1);
	assert_int_equal(err.kind, ERROR_OUTPUT);
	assert_int_equal(err.sys, sys);
	assert_non_null(strstr(err.text, name));
	output_close(&out);
}

static void output_open_fails_for_unwritable_paths(void **state)
{
	(void)state;
	expect_unopened("/nowhere/at/all", ENOENT);
	expect_unopened(folder, EISDIR);
	expect_unopened("/dev/nowhere/x", ENOENT);
}

static void commit_reports_a_full_disk(void **state)
{
	struct output out;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(output_open(&out, "/dev/full", &err), 0);
	output_puts(&out, "x");
	assert_int_equal(output_commit(&out, &err), -1);
	assert_int_equal(err.kind, ERROR_OUTPUT);
	assert_int_equal(err.sys, ENOSPC);
	assert_non_null(strstr(err.text, "/dev/full"));
	output_close(&out);
	assert_int_equal(access("/dev/full", F_OK), 0);
}

static void commit_reports_a_closed_pipe(void **state)
{
	struct output out;
	struct error err = { 0 };
	char name[32];
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", ends[1]);
	assert_int_equal(output_open(&out, name, &err), 0);
	close(ends[0]);
	output_puts(&out, "x");
	assert_int_equal(output_commit(&out, &err), -1);
	assert_int_equal(err.sys, EPIPE);
	output_close(&out);
	close(ends[1]);
	signal(SIGPIPE, SIG_DFL);
}

static void nonblocking_pipe_receives_all_bytes(void **state)
{
	enum { LEN = 1000000 };
	struct output out;
	struct error err = { 0 };
	char buffer[4096];
	char name[32];
	int ends[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		size_t sum = 0;
		ssize_t got;

		close(ends[1]);
		while ((got = read(ends[0], buffer, sizeof(buffer))) > 0)
			sum += (size_t)got;
		_exit(sum != LEN);
	}
	close(ends[0]);
	snprintf(name, sizeof(name), "/dev/fd/%d", ends[1]);
	assert_int_equal(output_open(&out, name, &err), 0);
	assert_int_equal(fcntl(out.fd, F_SETFL, O_WRONLY | O_NONBLOCK), 0);
	for (int i = 0; i < LEN / 10; i++)
		output_puts(&out, "0123456789");
	assert_int_equal(output_commit(&out, &err), 0);
	output_close(&out);
	close(ends[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void output_close_accepts_zeroed_storage(void **state)
{
	struct output out = { 0 };

	(void)state;
	output_close(&out);
}

/* An existing link or pipe is replaced and not written to. */
static void unfollowed_output_replaces_a_link(void **state)
{
	char other[128];
	struct output out;
	struct error err;
	struct stat st;

	(void)state;
	snprintf(other, sizeof(other), "%s/other", folder);
	for (int i = 0; i < 3; i++) {
		write_file("theirs");
		assert_int_equal(rename(path, other), 0);
		if (i == 0)
			assert_int_equal(symlink(other, path), 0);
		else if (i == 1)
			assert_int_equal(mkfifo(path, 0666), 0);
		if (output_open_unfollowed(&out, path, &err))
			fail_msg("%s", err.text);
		output_puts(&out, "ours");
		if (output_commit(&out, &err))
			fail_msg("%s", err.text);
		output_close(&out);
		assert_int_equal(lstat(path, &st), 0);
		assert_true(S_ISREG(st.st_mode));
		expect_content(path, "ours");
		expect_content(other, "theirs");
		unlink(other);
		unlink(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unfollowed_output_replaces_a_link),
		cmocka_unit_test(committed_file_exists),
		cmocka_unit_test(old_file_stays_until_the_commit),
		cmocka_unit_test(output_closed_without_commit_is_removed),
		cmocka_unit_test(second_open_file_is_a_program_error),
		cmocka_unit_test(
			new_file_has_the_mode_of_the_old_file_or_of_umask),
		cmocka_unit_test(
			output_through_a_link_replaces_the_file_of_the_link),
		cmocka_unit_test(
			dangling_link_stays_and_the_file_is_made_where_it_leads),
		cmocka_unit_test(replaced_file_keeps_its_owner_and_group),
		cmocka_unit_test(group_gets_no_access_when_it_cannot_be_kept),
		cmocka_unit_test(
			entries_of_other_users_in_shared_directories_are_refused),
		cmocka_unit_test(pipe_without_a_reader_is_refused),
		cmocka_unit_test(much_is_written_whatever_the_pieces),
		cmocka_unit_test(output_open_fails_for_unwritable_paths),
		cmocka_unit_test(commit_reports_a_full_disk),
		cmocka_unit_test(commit_reports_a_closed_pipe),
		cmocka_unit_test(nonblocking_pipe_receives_all_bytes),
		cmocka_unit_test(output_close_accepts_zeroed_storage),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
