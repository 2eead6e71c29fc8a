/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push_loop: samples in windows for an unlimited time, and queues a request for
 * the profiles of each window.
 *
 * It keeps the limits of CPU time and memory, and pauses in the minutes that
 * --probability leaves out. It reports messages through options->notice.
 */
#ifndef BPF_SAMPLING_PUSH_LOOP_H
#define BPF_SAMPLING_PUSH_LOOP_H

#include "bpf/sampling/sampling.h"
#include "core/push/push.h"

enum { PUSH_SINKS_MAX = 2, PUSH_REMARKS_MAX = 48 };

/* Where requests go. The caller opens and closes it. */
struct push_sink {
	struct push *push;
	bool is_directory; /* otherwise a backend */
};

/* The caller sets the first part; zeroes are fine for the rest. */
struct push_loop {
	struct sampling *sampling;              /* it has been started */
	const struct sampling_options *options; /* of the session */
	struct push_sink sinks[PUSH_SINKS_MAX];
	size_t sink_count;
	struct push_budget budget; /* its first two fields */
	uint64_t memory_bytes;     /* limit of all processes of sjkc */
	double probability;        /* percent of the minutes; 0 = all */
	int64_t interval_ns;
	/*
	 * Calls push_loop_queue() with the requests for the profiles of a
	 * window, which it may change. Returns their number of samples.
	 */
	uint64_t (*encode)(void *self, struct profile_part *parts,
			   size_t count);
	void *self;

	/* Results. */
	uint64_t samples; /* of all windows that have ended */
	struct remark
		remarks[PUSH_REMARKS_MAX]; /* of the session, no `first` */
	size_t remark_count;
	uint64_t other_losses, other_notes; /* of further kinds */
	bool is_paused;                     /* in this minute */

	/* Private. */
	int64_t next_ns;        /* when the window ends */
	uint64_t dropped;       /* how often caches of a JVM were dropped */
	bool refuses_new;       /* the limit of memory was reached */
	uint64_t began_bytes;   /* memory at the start of the window */
	bool is_full;           /* the window has to end */
	uint64_t watched_bytes; /* own memory that is not looked at again */
	int64_t paused_since_ns, paused_ns; /* monotonic; before that */
};

/* Call it once, before the first step. */
void push_loop_begin(struct push_loop *l);

/*
 * Waits for samples, like sampling_step(), sends requests, and ends the window
 * after its interval. Returns false if sampling is over, or the first of the
 * caller's descriptors, at most PUSH_LOOP_FDS, is ready.
 */
enum { PUSH_LOOP_FDS = 32 };
bool push_loop_step(struct push_loop *l, const struct pollfd *fds,
		    size_t count);

/*
 * Stops sampling, queues the last window, and sends the queued requests for at
 * most shutdown_ns.
 */
void push_loop_finish(struct push_loop *l, int64_t shutdown_ns);

/*
 * Hands a request to the sinks: compressed bodies, each for one kind of
 * backend, that may be taken over; the query of its URL, or ""; the end of its
 * file's name.
 */
void push_loop_queue(struct push_loop *l, const struct text *body,
		     struct text *parca, const char *query, const char *ending,
		     uint64_t samples);

/* For options->is_full. */
bool push_loop_is_full(struct push_loop *l, bool lasts);

/* The time that was not sampled because of the probability. */
int64_t push_loop_paused_ns(const struct push_loop *l);

#endif
