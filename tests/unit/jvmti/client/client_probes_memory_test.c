/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which files of a process are opened as the agent's memory. */
#include "jvmti/client/client_probes.c"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NAME "/memfd:sjkc-probes"

enum { FILE_OPENED = 1, FIFO_OPENED, MEMORY_REFUSED, UNABLE };

static bool is_opened(int fd)
{
	struct jvm self = { .pid = getpid() };
	uint32_t number = (uint32_t)fd;
	struct error err;
	int opened = probes_open_job(&self, &number, &err);

	if (opened >= 0)
		close(opened);
	return opened >= 0;
}

/* In a container whose root has a file with the name of the memory. */
static int try_files(const char *root)
{
	int file, fifo;

	if (unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    chdir(root) || mkdir("proc", 0700) ||
	    mount("/proc", "proc", NULL, MS_BIND | MS_REC, NULL) || chroot("."))
		return UNABLE;
	file = open(NAME, O_CREAT | O_RDWR, 0600);
	if (file < 0 || is_opened(file))
		return FILE_OPENED;
	unlink(NAME);
	if (mkfifo(NAME, 0600))
		return UNABLE;
	fifo = open(NAME, O_RDWR);
	unlink(NAME);
	if (fifo < 0 || is_opened(fifo))
		return FIFO_OPENED;
	return is_opened(memfd_create("sjkc-probes", 0)) ? 0 : MEMORY_REFUSED;
}

static void only_unlinked_memory_is_opened(void **state)
{
	char root[] = "/tmp/sjkc-root-XXXXXX", proc[64];
	int status;
	pid_t pid;

	(void)state;
	assert_non_null(mkdtemp(root));
	pid = fork();
	if (pid == 0)
		_exit(try_files(root));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	snprintf(proc, sizeof(proc), "%s/proc", root);
	rmdir(proc);
	snprintf(proc, sizeof(proc), "%s" NAME, root);
	unlink(proc);
	rmdir(root);
	assert_true(WIFEXITED(status));
	/* Without the right to change the root. */
	if (WEXITSTATUS(status) == UNABLE)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_unlinked_memory_is_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
