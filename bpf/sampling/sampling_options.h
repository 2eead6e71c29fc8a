/* SPDX-License-Identifier: Apache-2.0 */
/* sampling_options: the options of a sampling session and its notices. */
#ifndef BPF_SAMPLING_SAMPLING_OPTIONS_H
#define BPF_SAMPLING_SAMPLING_OPTIONS_H

#include "core/base/text.h"
#include "core/jvm/jvm.h"
#include "core/profile/profile.h"

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
	SAMPLING_PROBE = 32,
	SAMPLING_GC = 64,
};

/* The importance of a notice. */
enum sampling_notice {
	SAMPLING_DETAIL, /* only for a verbose caller */
	SAMPLING_INFO,
	SAMPLING_LOSS, /* something is not sampled: always print it */
};

struct sampling_options {
	unsigned events;         /* bits SAMPLING_… */
	uint64_t hz;             /* ticks per second and CPU; 0 = 99 */
	uint64_t alloc_interval; /* bytes; 0 = the interval of the JVM */
	const char *probe;       /* name of the published probe to sample */
	int64_t min_blocked_ns;  /* shorter waits are omitted */
	uint64_t stack_bytes;    /* maximum bytes copied of a stack */
	uint64_t max_stack;      /* maximum number of frames */
	uint64_t trace_walks;    /* number of stacks whose walk is reported */
	pid_t tid;               /* only this thread; 0 = all */
	bool all; /* every JVM, also those that start while sampling */
	/*
	 * With all: true for a JVM that is to be sampled; or NULL. Asked about
	 * each new JVM, and again every two seconds if *is_final is false.
	 */
	bool (*wants)(void *selector, const struct jvm *jvm, bool *is_final);
	void *selector;
	bool several;                /* give each process a root frame */
	bool only_user, only_kernel; /* frames to keep */
	bool no_agent;               /* load nothing into a JVM */
	bool quiet_target; /* do not load the agent if the JVM would warn */
	bool agent;    /* load the agent even if it may crash the JDK build */
	bool lines;    /* frames have line numbers */
	bool moments;  /* keep the times of samples: core/profile/moments.h */
	bool separate; /* each process has a profile: sampling_next_parts() */
	/*
	 * Memory that all processes may cause to be used; 0 = automatic.  The
	 * ring buffer has at most half of it.
	 */
	uint64_t memory_bytes;
	/*
	 * Returns true if there is no memory for more samples in this window,
	 * which the caller should then end, or, with lasts, for more stacks of
	 * sleeping threads, which the next windows have, too.  NULL = never.
	 */
	bool (*is_full)(void *self, bool lasts);
	unsigned targets; /* maximum processes at a time; 0 = automatic */
	/*
	 * Maximum time between two batches of samples, if all processes have
	 * been sampled for a while; 0 = automatic.  A longer time costs less.
	 */
	int64_t drain_ns;
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

	/*
	 * With separate: appends a description of a process, any bytes, which
	 * comes with its profiles.  Called when the process has been opened.  A
	 * young JVM, which may lack names still, is opened several times; each
	 * has its own description.
	 */
	void (*describe)(void *self, const struct jvm *jvm, struct text *out);

	/* Called in a launched program's process before execvp(3), or NULL. */
	void (*before_exec)(void);
};

/* Formats a message and hands it to o->notice. */
void sampling_notify(const struct sampling_options *o,
		     enum sampling_notice level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
