/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stalling: a preloaded library that blocks readers of a program's memory.
 *
 *	STALLING=FIFO	reads commands, one per line:
 *	ADDRESS BYTES	in hex: discards this memory; readers wait forever for
 *			its contents (userfaultfd)
 *	sleepers N	starts N sleeping threads, with such a page in the
 *			middle of each stack
 *
 * Prints "STALLED" after each command.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096ULL

static int uffd = -1;

static void stall(uint64_t start, uint64_t len)
{
	struct uffdio_register where = {
		.range = { start & ~(PAGE - 1),
			   ((start & (PAGE - 1)) + len + PAGE - 1) &
				   ~(PAGE - 1) },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	void *at = (void *)(uintptr_t)where.range.start;

	if (madvise(at, where.range.len, MADV_DONTNEED) ||
	    ioctl(uffd, UFFDIO_REGISTER, &where)) {
		perror("stalling");
		_exit(1);
	}
}

static void *sleeper(void *unused)
{
	volatile uint8_t part[3 * PAGE];
	uint64_t page = ((uintptr_t)part + PAGE) & ~(PAGE - 1);

	part[0] = 1;
	stall(page, PAGE);
	for (;;)
		pause();
	return unused;
}

static void begin(void *(*run)(void *), void *with)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, with))
		_exit(1);
}

static void *listen_to(void *path)
{
	FILE *told = fopen(path, "re");
	unsigned long long start, len;
	char line[128];
	int sleepers;

	while (told && fgets(line, sizeof(line), told)) {
		if (sscanf(line, "sleepers %d", &sleepers) == 1) {
			while (sleepers-- > 0)
				begin(sleeper, NULL);
		} else if (sscanf(line, "%llx %llx", &start, &len) == 2) {
			stall(start, len);
		}
		dprintf(1, "STALLED\n");
	}
	return NULL;
}

__attribute__((constructor)) static void prepare(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	sigset_t all, old;

	if (!getenv("STALLING"))
		return;
	uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (uffd < 0 || ioctl(uffd, UFFDIO_API, &api)) {
		perror("stalling: userfaultfd");
		_exit(1);
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	begin(listen_to, getenv("STALLING"));
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}
