/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waits: keeps the samples of waits until they end.
 *
 * A thread's stack can be read when the thread leaves its CPU or is about to
 * wait for a monitor; the length of the wait is known when it ends.  This
 * module keeps the sample in between.  The stack trace of a thread that sleeps
 * when sampling begins is found by idle_threads, which adds its wait.
 *
 * A session that never ends cuts its unfinished waits at the end of each
 * window: the part until then is handed over, and the wait begins again there.
 * The receiver finds the stack trace of the first part, so that the later parts
 * need no copy of the stack.
 */
#ifndef BPF_SAMPLING_WAITS_H
#define BPF_SAMPLING_WAITS_H

#include "bpf/kernel/sample_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WAITS_BUCKETS = 4096 };

/* Maximum bytes of all samples: 20,000 threads of 6 KiB. */
#define WAITS_BYTES ((size_t)128 << 20)

struct wait {
	struct wait *next;
	size_t size;
	uint64_t out_ns; /* when it began; event.time_ns is the last cut */
	/* SAMPLE_OFFCPU or SAMPLE_LOCK; followed by its arrays until the stack
	 * trace is known (SAMPLE_CONTINUED) */
	struct sample_event event;
};

struct waits {
	struct wait *buckets[WAITS_BUCKETS];
	size_t bytes, count;
	size_t limit;     /* of bytes, below WAITS_BYTES; 0 = none */
	uint64_t dropped; /* samples without room */
	uint64_t unended; /* waits whose end was not reported */
	uint64_t ended;   /* waits for monitors in processes that ended */
	uint64_t unsure;  /* waits that may have ended */
};

/*
 * Keeps a copy of a sample until waits_end().  A thread leaves its CPU for one
 * wait at a time: an earlier one is removed and counted in unended, since Linux
 * does not trace every context switch (seen on 6.18).
 */
void waits_begin(struct waits *w, const struct sample_event *e, size_t size);

/*
 * Adds the wait of a thread that sleeps since before sampling began
 * (SAMPLE_BEGAN_EARLIER), with its stack trace, unless the thread has a wait.
 */
void waits_begin_earlier(struct waits *w, const struct sample_event *e);

/* Returns the wait off a CPU of a thread; NULL = none. */
const struct wait *waits_find(struct waits *w, uint32_t tid);

/* Removes and returns such a wait that began before sampling; NULL = none. */
struct wait *waits_end_earlier(struct waits *w, uint32_t tid);

/*
 * Removes and returns the wait of this kind that began at out_ns; the caller
 * frees it.  A wait for a monitor may end on another thread of the process: its
 * tid is ignored.  NULL = none.
 */
struct wait *waits_end(struct waits *w, enum sample_kind kind, uint32_t tgid,
		       uint32_t tid, uint64_t out_ns);

/*
 * Hands over the part of a wait until a cut: event.weight is its length.  If
 * the receiver sets event.stack, the arrays are freed and later parts have
 * SAMPLE_CONTINUED.  Return false to remove the wait: it has ended.
 */
typedef bool waits_part_fn(void *self, struct wait *wait);

/*
 * Cuts all waits that began before at_ns, which is the time_ns of their next
 * part.  Waits that the receiver removes are counted in unended, except those
 * that began before sampling.
 */
void waits_cut(struct waits *w, uint64_t at_ns, waits_part_fn *part,
	       void *self);

/* Calls a function for each wait with a stack trace, which may replace it. */
void waits_each_known(struct waits *w,
		      void (*fn)(void *self, struct sample_event *e),
		      void *self);

/* Removes the waits of a process that has ended, and counts them. */
void waits_forget_process(struct waits *w, uint32_t tgid);

/*
 * Removes all waits for monitors, and counts them in unsure: the records of
 * their ends may be lost.
 */
void waits_forget_locks(struct waits *w);

/*
 * Removes the waits off a CPU that began before before_ns, except those in the
 * list of TIDs and beginnings, which is sorted by waits_compare(), and those
 * that began before sampling.  The lost records of their ends are counted
 * elsewhere.
 */
struct waits_off_cpu {
	uint32_t tid;
	uint64_t out_ns;
};

void waits_keep_off_cpu(struct waits *w, const struct waits_off_cpu *all,
			size_t count, uint64_t before_ns);
int waits_compare(const void *a, const void *b);

void waits_release(struct waits *w);

#endif
