/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_process: what a whole process has used, its ended threads too.
 *
 * Its files stay open: they name the process, not whatever has its pid.
 */
#ifndef CORE_THREADS_TASK_PROCESS_H
#define CORE_THREADS_TASK_PROCESS_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct task_process {
	uint64_t cpu_ns;          /* to the nanosecond */
	uint64_t user_ns, sys_ns; /* by ticks, 10 ms apart */
	uint64_t rss_bytes;       /* 0 = unknown */
	uint32_t threads;         /* by the kernel's count */
	char state;               /* of proc_stat: 'T', 't' = stopped */

	/* Private. */
	const struct jvm *jvm;
	int stat, statm; /* of /proc/PID; -1 = none */
	clockid_t clock;
};

/*
 * jvm is borrowed; any process will do.  ERROR_NO_TARGET when it has ended.
 * task_process_close() is due, whether this fails or not.
 */
int task_process_open(struct task_process *p, const struct jvm *jvm,
		      struct error *err);
void task_process_close(struct task_process *p); /* zeroed storage is fine */

/*
 * Reads the figures anew.  ERROR_NO_TARGET when the process has ended, or runs
 * another program (execve(2)).
 */
int task_process_read(struct task_process *p, struct error *err);

/* pread(2) from the start of a file of /proc, whatever interrupts. */
ssize_t task_read(int fd, char *buf, size_t size);

/*
 * Reads numbers with blanks between them from the start of a text; false when
 * there are fewer.
 */
bool task_numbers(const char *text, size_t len, uint64_t *values, size_t count);

/* Nanoseconds of a clock tick, as /proc counts them. */
uint64_t task_tick_ns(void);

#endif
