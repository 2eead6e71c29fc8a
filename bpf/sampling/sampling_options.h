/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampling_options: what a sampling session samples, and whom it tells.
 */
#ifndef BPF_SAMPLING_SAMPLING_OPTIONS_H
#define BPF_SAMPLING_SAMPLING_OPTIONS_H

#include "core/base/text.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Events as bits; a session may sample several at once. */
enum {
	SAMPLING_CPU = 1,
	SAMPLING_OFFCPU = 2,
	SAMPLING_WALL = 4,
	SAMPLING_ALLOC = 8,
	SAMPLING_LOCK = 16,
};

/* How important a notice is. */
enum sampling_notice {
	SAMPLING_DETAIL, /* only for a verbose caller */
	SAMPLING_INFO,
	SAMPLING_LOSS, /* something is not sampled: always to be printed */
};

struct sampling_options {
	unsigned events;         /* bits SAMPLING_… */
	uint64_t hz;             /* ticks per second and CPU; 0 = 99 */
	uint64_t alloc_interval; /* bytes; 0 = the JVM's own */
	int64_t min_blocked_ns;  /* shorter waits are left out */
	uint64_t stack_bytes;    /* copied of a stack at most */
	uint64_t max_stack;      /* frames */
	uint64_t trace_walks;    /* report how so many stacks were unwound */
	pid_t tid;               /* only this thread; 0 = all */
	bool all;     /* every JVM, also those that start while sampling */
	bool several; /* more than one process is named: each is a root frame */
	bool only_user, only_kernel; /* sides of the stack */
	bool no_agent;               /* load nothing into a JVM */
	bool quiet_target;   /* load nothing that makes a JVM print a warning */
	bool agent;          /* for names, too, where a JVM's build is unsafe */
	bool lines;          /* frames have line numbers */
	int64_t duration_ns; /* 0 = until the caller stops */

	/*
	 * Receives one message without a newline.  Foreign names in it are not
	 * made safe for a terminal.
	 */
	void (*notice)(void *self, enum sampling_notice level,
		       const char *text);
	void *self;

	/* Appends the name of a process: "com.acme.Main (4711)"; foreign. */
	void (*add_name)(const struct jvm *jvm, struct text *out);

	/* Runs in a launched program's process before it starts, or NULL. */
	void (*before_exec)(void);
};

/* Formats a message and hands it to o->notice. */
void sampling_tell(const struct sampling_options *o, enum sampling_notice level,
		   const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
