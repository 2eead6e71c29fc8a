/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests OpenJ9's attach API against a child of the test in place of a JVM: it
 * waits for the semaphore, reads replyInfo, connects and replies.
 */
#include "core/attach/attach_openj9.h"

#include "core/attach/attach.h"
#include "core/base/clock.h"
#include "core/jvm/procfs.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define FOLDER "/tmp/.com_ibm_tools_attach"

static const struct attach_request dump = { .operation = "threaddump",
					    .args = { "-l" } };

/* Files and the semaphore that the test has created and removes. */
struct stand_in {
	struct jvm jvm;
	char own[64];
	int semaphore;
	bool made_folder, made_notifier, made_semaphore;
};

static void touch(const char *folder, const char *name, mode_t mode)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_CREAT | O_WRONLY, mode);
	if (fd >= 0)
		close(fd);
}

static int dial(int port)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) },
		.sin_port = htons((uint16_t)port),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		_exit(1);
	return fd;
}

/*
 * Serves one request: first connects with a wrong key, then with the right one.
 */
static void serve(const char *own, const char *wanted, const char *answer)
{
	char path[128], text[64] = "", greeting[96], request[4096];
	int file, fd, port, wrong;
	char *line;
	ssize_t len;

	snprintf(path, sizeof(path), "%s/replyInfo", own);
	file = open(path, O_RDONLY);
	if (file < 0 || read(file, text, sizeof(text) - 1) < 17)
		_exit(1);
	close(file);
	line = strchr(text, '\n');
	*line = '\0';
	port = (int)strtol(line + 1, NULL, 10);
	wrong = dial(port);
	(void)!write(wrong, "ATTACH_CONNECTED 0123456789abcdef ", 35);
	fd = dial(port);
	snprintf(greeting, sizeof(greeting), "ATTACH_CONNECTED %s ", text);
	(void)!write(fd, greeting, strlen(greeting) + 1);
	len = read(fd, request, sizeof(request));
	if (len == (ssize_t)strlen(wanted) + 1 && strcmp(request, wanted) == 0)
		(void)!write(fd, answer, strlen(answer) + 1);
	/* The client sends ATTACH_DETACHED and closes the connection. */
	while (read(fd, request, sizeof(request)) > 0)
		;
	_exit(0);
}

static void fill(struct jvm *jvm, pid_t pid)
{
	struct proc_stat stat;
	struct error err;

	*jvm = (struct jvm){
		.pid = pid,
		.ns_pid = pid,
		.uid = geteuid(),
		.gid = getegid(),
		.kind = JVM_OPENJ9,
		.pidfd = (int)syscall(SYS_pidfd_open, pid, 0),
	};
	assert_int_equal(procfs_stat(pid, &stat, &err), 0);
	jvm->start_ticks = stat.start_ticks;
}

static void make_semaphore(struct stand_in *s)
{
	key_t key = ftok(FOLDER "/_notifier", 0xa1);

	s->semaphore = semget(key, 1, IPC_CREAT | IPC_EXCL | 0600);
	s->made_semaphore = s->semaphore >= 0;
	if (!s->made_semaphore)
		s->semaphore = semget(key, 1, 0);
	assert_true(s->semaphore >= 0);
}

static void start(struct stand_in *s, const char *wanted, const char *answer)
{
	struct sembuf down = { .sem_op = -1 };
	int ready[2];
	pid_t pid;

	*s = (struct stand_in){ 0 };
	s->made_folder = mkdir(FOLDER, 01777) == 0;
	touch(FOLDER, "_attachlock", 0666);
	s->made_notifier = access(FOLDER "/_notifier", F_OK) != 0;
	touch(FOLDER, "_notifier", 0666);
	make_semaphore(s);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		char byte;

		alarm(60);
		close(ready[1]);
		snprintf(s->own, sizeof(s->own), FOLDER "/%d", (int)getpid());
		(void)!read(ready[0], &byte, 1);
		if (!wanted || semop(s->semaphore, &down, 1))
			pause();
		serve(s->own, wanted, answer);
	}
	snprintf(s->own, sizeof(s->own), FOLDER "/%d", (int)pid);
	assert_int_equal(mkdir(s->own, 0700), 0);
	touch(s->own, "attachInfo", 0600);
	touch(s->own, "attachNotificationSync", 0600);
	close(ready[0]);
	close(ready[1]);
	fill(&s->jvm, pid);
}

static void remove_in(const char *folder, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
}

static void end(struct stand_in *s)
{
	struct stat st;
	char path[128];

	kill(s->jvm.pid, SIGKILL);
	waitpid(s->jvm.pid, NULL, 0);
	/* sjkc has removed its files. */
	snprintf(path, sizeof(path), "%s/replyInfo", s->own);
	assert_int_equal(stat(path, &st), -1);
	remove_in(s->own, "attachInfo");
	remove_in(s->own, "attachNotificationSync");
	rmdir(s->own);
	if (s->made_semaphore)
		semctl(s->semaphore, 0, IPC_RMID);
	if (s->made_notifier)
		remove_in(FOLDER, "_notifier");
	if (s->made_folder) {
		remove_in(FOLDER, "_attachlock");
		rmdir(FOLDER);
	}
	jvm_close(&s->jvm);
}

/* Makes one call; returns the kind of its error. */
static enum error_kind call(const struct attach_request *request,
			    const char *wanted, const char *answer,
			    struct text *reply, struct error *err)
{
	struct stand_in s;
	struct attach *a;
	int ret;

	start(&s, wanted, answer);
	a = attach_open(&s.jvm, 20 * CLOCK_NS_PER_S, err);
	assert_non_null(a);
	ret = attach_call(a, request, reply, err);
	attach_close(a);
	end(&s);
	return ret ? err->kind : ERROR_NONE;
}

static void openj9_call_returns_the_reply(void **state)
{
	static const char
		answer[] = "#Sat Nov 21 21:40:00 UTC 2026\n"
			   "openj9_diagnostics.error=false\n"
			   "openj9_diagnostics.errortype=Error in command\n"
			   "openj9_diagnostics.string_result=Thread\\: "
			   "\\\"main\\\"\\n\\tat "
			   "Main.main\\n\n";
	struct text reply = { 0 };
	struct error err = { 0 };

	(void)state;
	assert_int_equal(call(&dump, "ATTACH_DIAGNOSTICS:Thread.print,-l",
			      answer, &reply, &err),
			 ERROR_NONE);
	assert_string_equal(reply.bytes, "Thread: \"main\"\n\tat Main.main\n");
	text_release(&reply);
}

static void openj9_call_quotes_the_refusal(void **state)
{
	const struct attach_request jcmd = { .operation = "jcmd",
					     .args = { "No.such a=\"b c\"" } };
	struct text reply = { 0 };
	struct error err = { 0 };

	(void)state;
	assert_int_equal(call(&jcmd, "ATTACH_DIAGNOSTICS:No.such,a=b c",
			      "openj9_diagnostics.error=true\n"
			      "openj9_diagnostics.errormsg=Command not "
			      "recognized\\: No.such\n",
			      &reply, &err),
			 ERROR_REFUSED);
	assert_non_null(strstr(err.text, "Command not recognized: No.such"));
	text_release(&reply);
}

static void openj9_call_without_a_reply_meets_the_deadline(void **state)
{
	struct text reply = { 0 };
	struct error err = { 0 };
	struct stand_in s;
	struct attach *a;

	(void)state;
	start(&s, NULL, NULL);
	a = attach_open(&s.jvm, CLOCK_NS_PER_S, &err);
	assert_non_null(a);
	assert_int_equal(attach_call(a, &dump, &reply, &err), -1);
	assert_int_equal(err.kind, ERROR_REFUSED);
	/* The post that no JVM consumed is taken back. */
	assert_int_equal(semctl(s.semaphore, 0, GETVAL), 0);
	attach_close(a);
	end(&s);
	text_release(&reply);
}

static void openj9_without_its_directory_has_the_api_disabled(void **state)
{
	struct error err = { 0 };
	struct stand_in s;

	(void)state;
	start(&s, NULL, NULL);
	remove_in(s.own, "attachInfo");
	assert_null(attach_open(&s.jvm, CLOCK_NS_PER_S, &err));
	assert_int_equal(err.kind, ERROR_REFUSED);
	remove_in(s.own, "attachNotificationSync");
	rmdir(s.own);
	assert_null(attach_open(&s.jvm, CLOCK_NS_PER_S, &err));
	assert_non_null(strstr(err.text, "com.ibm.tools.attach.enable"));
	end(&s);
}

static void openj9_replies_have_three_forms(void **state)
{
	static const char bad[] = "ATTACH_ERR AgentInitializationException 7";
	static const char properties[] = "java.version=17\nuser.dir=/\n";
	struct text out = { 0 };
	struct error err = { 0 };

	(void)state;
	assert_int_equal(openj9_decode("ATTACH_ACK", 10, &out, &err), 0);
	assert_int_equal(out.len, 0);
	assert_int_equal(openj9_decode(bad, strlen(bad), &out, &err), -1);
	assert_int_equal(err.kind, ERROR_REFUSED);
	assert_int_equal(
		openj9_decode(properties, strlen(properties), &out, &err), 0);
	assert_string_equal(out.bytes, properties);
	text_release(&out);
}

static void openj9_rejects_unsupported_operations(void **state)
{
	const struct attach_request r = { .operation = "printflag" };
	struct text out = { 0 };
	struct error err = { 0 };

	(void)state;
	assert_int_equal(openj9_encode(&out, r.operation, r.args, &err), -1);
	assert_int_equal(err.kind, ERROR_UNAVAILABLE);
	text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(openj9_call_returns_the_reply),
		cmocka_unit_test(openj9_call_quotes_the_refusal),
		cmocka_unit_test(
			openj9_call_without_a_reply_meets_the_deadline),
		cmocka_unit_test(
			openj9_without_its_directory_has_the_api_disabled),
		cmocka_unit_test(openj9_replies_have_three_forms),
		cmocka_unit_test(openj9_rejects_unsupported_operations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
