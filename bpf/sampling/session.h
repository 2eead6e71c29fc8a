/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session: the options of a sampling session and its notices, and the state
 * that all its targets share.
 */
#ifndef BPF_SAMPLING_SESSION_H
#define BPF_SAMPLING_SESSION_H

#include "bpf/sampler.h"
#include "core/base/map64.h"
#include "core/base/text.h"
#include "core/hotspot/process_view.h"
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
	SAMPLING_NATIVEMEM = 128,
	SAMPLING_PAGEFAULT = 256,
};

/* The importance of a notice. */
enum sampling_notice {
	SAMPLING_DETAIL, /* only for a verbose caller */
	SAMPLING_INFO,
	SAMPLING_LOSS, /* something is not sampled: always print it */
};

struct sampling_options {
	unsigned events; /* bits SAMPLING_… */
	uint64_t hz;     /* ticks per second and CPU; 0 = 99 */
	/*
	 * Bytes between samples of alloc, nativemem and pagefault; 0 = the
	 * interval of the JVM, 512 KiB, each page fault.
	 */
	uint64_t alloc_interval;
	int64_t older_ns;  /* omit younger blocks of native memory */
	bool forced;       /* nativemem: also if it costs the process much */
	const char *probe; /* name of the published probe to sample */
	int64_t min_blocked_ns; /* shorter waits are omitted */
	uint64_t stack_bytes;   /* maximum bytes copied of a stack */
	uint64_t max_stack;     /* maximum number of frames */
	uint64_t trace_walks;   /* number of stacks whose walk is reported */
	pid_t tid;              /* only this thread; 0 = all */
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

/* ---- the state that all targets share ---- */

/* Counters of a target since it was opened; all are uint64_t. */
struct sampling_counts {
	uint64_t samples;
	uint64_t stalls;     /* reads of its memory that timed out */
	uint64_t unnamed;    /* Java frames without a name */
	uint64_t classless;  /* allocations and locks without a class */
	uint64_t ownerless;  /* waits for a monitor without its owner */
	uint64_t methodless; /* the same without the owner's method */
	uint64_t unrecorded; /* records that did not fit into the agent's stream
			      */
	uint64_t delayed;    /* records whose thread did not get the agent's
				lock in time */
	uint64_t refused;    /* code cache reads that exceeded their limit */
	uint64_t files;      /* ELF files that could not be opened in time */
	uint64_t cut;        /* ELF files that exceeded the memory limit */
};

/* Reasons why a stack trace does not reach its thread's root. */
enum sampling_end {
	SAMPLING_END_ROOT,   /* it reaches the root */
	SAMPLING_END_BYTES,  /* options.stack_bytes were copied */
	SAMPLING_END_FRAMES, /* options.max_stack frames were found */
	SAMPLING_END_PAGE,   /* a page of the stack cannot be read */
	SAMPLING_END_OFTEN,  /* the thread waits too often to copy each stack */
	SAMPLING_END_EARLIER, /* the wait began before sampling */
	SAMPLING_END_STALLED, /* a read of the target's memory timed out */
	SAMPLING_END_LOST,    /* the unwinder gives the reason */
	SAMPLING_ENDS
};

/* The number of times that the unwinder gave a reason. */
struct sampling_why {
	const char *why; /* static text */
	uint64_t count;
};
enum { SAMPLING_WHYS = 32 };

/* The data that all targets of a session share. */
struct sampling_shared {
	const struct sampling_options *o;
	/* Of all targets; with options.separate, of the remarks alone. */
	struct profile *profile;
	struct profile_part *ended; /* parts of retired targets */
	size_t ended_count, ended_cap;
	struct sampling_kernel *kernel;
	struct sampler *sampler;
	struct process_sharing views; /* of all targets */
	struct map64 traced;          /* walks that were reported */
	uint32_t events[16];          /* ids in the profile, by event bit */
	int64_t epoch_ns;             /* wall time minus CLOCK_MONOTONIC */
	uint64_t hz;
	uint64_t tick_ns;     /* CPU time of one tick */
	uint64_t fault_bytes; /* bytes of one sampled page fault */
	/* Of the current window: */
	int64_t window_ns;               /* when it began; CLOCK_MONOTONIC */
	struct sampler_counts before;    /* of the sampler until then */
	uint64_t ends[SAMPLING_ENDS];    /* number of stack traces */
	uint64_t waited_ns;              /* time of all waits */
	uint64_t ends_ns[SAMPLING_ENDS]; /* the same, by end */
	struct sampling_why whys[SAMPLING_WHYS]; /* of SAMPLING_END_LOST */
	uint64_t estimated; /* waits with an estimated stack trace */
	uint64_t anchored;  /* stack traces that went on at the anchor */
	/* Of the session: */
	uint64_t blocks; /* of native memory that were sampled */
	/*
	 * Blocks would cost too much: only memory that was mapped is sampled,
	 * also that of allocators.
	 */
	bool maps_only;
	bool has_usdts; /* a process samples its allocations itself */
	/* When the cost of its uprobes was checked, and its sum until then. */
	int64_t calls_ns; /* 0 = not yet, INT64_MAX = they are detached */
	uint64_t calls_cost;
	bool is_tried_again; /* an incomplete target will be opened again */
	bool has_begun;      /* samples wait while a new target is opened */
	struct sampling_counts counts; /* of targets that were replaced */
	unsigned unavailable;          /* events that some JVM lacks */
	unsigned since_check;          /* stacks since options.is_full */
};

/* Calls options.is_full before some stack traces. */
bool sampling_shared_is_full(struct sampling_shared *s, bool lasts);

/* Returns an empty profile with the session's events and settings. */
struct profile *sampling_shared_new_profile(struct sampling_shared *s);

/* Sets the counters of the current window to zero. */
void sampling_shared_clear(struct sampling_shared *s);

/* Returns the sampler's counts of the current window. */
struct sampler_counts sampling_shared_window(const struct sampling_shared *s);

/* The counts of the current window that no target has. */
struct sampling_losses {
	struct sampling_counts had; /* of all targets */
	struct sampler_counts sampler;
	uint64_t foreign;     /* samples of processes that are not targets */
	uint64_t tickless_ms; /* time without CPU samples */
};

/* Adds the losses and notes of a window to the session's profile. */
void sampling_losses_add(struct sampling_shared *s,
			 const struct sampling_losses *l);

#endif
