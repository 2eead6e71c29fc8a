/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_requests: the requests of a jmx_source, and the parsers of the
 * replies.  Private to the jmx_source.
 */
#ifndef JMX_HTTP_THREADS_THREAD_REQUESTS_H
#define JMX_HTTP_THREADS_THREAD_REQUESTS_H

#include "core/threads/blocked.h"
#include "core/threads/thread_source.h"
#include "jmx_http/jmx.h"

#define JMX_DEADLOCK_MAX 64 /* maximum number of deadlocked threads shown */

/*
 * In the order of sending.  The clocks (uptime, CPU times) are adjacent, so
 * that they are read at nearly the same time.
 */
enum thread_request {
	REQUEST_RUNTIME,
	REQUEST_CPU,
	REQUEST_SYSTEM,
	REQUEST_USER,
	REQUEST_ALLOC,
	REQUEST_THREADS,
	REQUEST_INFO,
	REQUEST_MEMORY,
	REQUEST_COLLECTOR, /* one for each collector */
	THREAD_REQUESTS
};

struct jmx_source {
	struct thread_source base;
	struct jmx *jmx;
	bool beside_proc, contention; /* from jmx_source_options */
	struct text title;
	unsigned restarts;

	/* The requested threads, and the replies. */
	int64_t *ids;
	struct thread_sample *rows; /* one for each id */
	size_t id_count, id_cap, row_cap;
	struct arena names;
	/*
	 * The last returned sample.  The caller uses it until the next sample
	 * succeeds, so a failed attempt must not change it.
	 */
	struct thread_sample *given;
	size_t given_cap;
	struct arena given_names;
	bool is_given;   /* rows and names belong to a returned sample */
	int64_t *listed; /* all thread ids, from the last reply */
	size_t listed_count, listed_cap;
	uint64_t missed;

	struct process_sample process;
	struct arena collectors;
	const char *const *collector_names;
	size_t collector_count;
	bool reads_collections; /* with beside_proc, read collectors, too */

	/* The JVM's identity and clock. */
	int64_t start_ms, new_start_ms, uptime_ms;
	int64_t clock_ns; /* clock_monotonic_ns() when the JVM started */
	bool has_clock, is_restarted;
	bool has_new_restart; /* which no sample has reported yet */
	bool must_begin;      /* jmx_source_begin() has not succeeded */

	/* Contention monitoring: enabled, and enabled by this source. */
	bool is_measured, has_switched;
	struct error contention_problem;

	/* The state of each kind of request. */
	struct {
		bool is_off;   /* the JVM does not support it */
		char why[200]; /* why the last failed, foreign; or "" */
	} requests[THREAD_REQUESTS];

	/* The current run. */
	size_t from, count; /* range of ids */
	enum thread_request *sent;
	size_t sent_count, sent_cap;
};

/* True if the source sends this kind of request. */
bool thread_request_is_due(const struct jmx_source *s,
			   enum thread_request request);

/* Enables all kinds of requests again, for a restarted JVM. */
void thread_requests_reset(struct jmx_source *s);
void thread_requests_release(struct jmx_source *s);

/* Lists the JVM's garbage collectors; -1 and *err as jmx_query(). */
int thread_requests_find_collectors(struct jmx_source *s, struct error *err);

/*
 * Requests the threads from ids[from] on and, if all is set, the rest of a
 * sample.  Fails as jmx_run(), and with ERROR_PERMISSION or ERROR_REFUSED if
 * the JVM does not return values that every sample needs.
 */
int thread_requests_run(struct jmx_source *s, size_t from, bool all,
			struct error *err);

/* Adds notes: the source of each figure, or why it is unavailable. */
void thread_requests_add_notes(const struct jmx_source *s,
			       struct top_sample *out);

/* Returns 1 if contention monitoring is enabled, else 0; -1 and *err. */
int thread_requests_read_contention(struct jmx_source *s, struct error *err);
/* Enables or disables contention monitoring; -1 and *err. */
int thread_requests_set_contention(struct jmx_source *s, bool on,
				   struct error *err);

/*
 * Returns an array of ThreadInfos with stack traces and locked monitors, in the
 * arena; NULL and *err.
 */
const struct value *thread_requests_read_infos(struct jmx *j,
					       const int64_t *ids, size_t count,
					       struct arena *a,
					       struct error *err);

/*
 * Finds the blocked threads among those of the last sample, and links them to
 * the owners of their locks.  Fails as jmx_run().
 */
int thread_requests_read_blocked(struct jmx_source *s, struct blocked *out,
				 struct error *err);

/* Returns the number of deadlocked threads, and their ids; -1 and *err. */
int thread_requests_read_deadlocked(struct jmx *j,
				    int64_t ids[JMX_DEADLOCK_MAX],
				    struct arena *a, struct error *err);

#endif
