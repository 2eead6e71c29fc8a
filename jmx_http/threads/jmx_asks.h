/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jmx_asks: the requests of a jmx_source and how it reads the replies.  Private
 * to the jmx_source.
 */
#ifndef JMX_HTTP_THREADS_JMX_ASKS_H
#define JMX_HTTP_THREADS_JMX_ASKS_H

#include "core/threads/blocked.h"
#include "core/threads/thread_source.h"
#include "jmx_http/jmx.h"

#define JMX_DEADLOCK_MAX 64 /* threads of deadlocks that are shown */

/* In the order in which they are sent: clocks stand beside each other. */
enum jmx_ask {
	ASK_RUNTIME,
	ASK_CPU,
	ASK_SYSTEM,
	ASK_USER,
	ASK_ALLOC,
	ASK_THREADS,
	ASK_INFO,
	ASK_MEMORY,
	ASK_COLLECTOR, /* the first of them */
	JMX_ASKS
};

struct jmx_source {
	struct thread_source base;
	struct jmx *jmx;
	bool beside_proc, contention; /* of its jmx_source_options */
	struct text title;
	unsigned restarts;

	/* Threads: those asked for, and what was said of them. */
	int64_t *ids;
	struct thread_sample *rows; /* as ids */
	size_t id_count, id_cap, row_cap;
	struct arena names;
	/*
	 * The last sample that was given, which is shown until there is
	 * another: a try that fails leaves it as it is.
	 */
	struct thread_sample *given;
	size_t given_cap;
	struct arena given_names;
	bool is_given;   /* rows and names are */
	int64_t *listed; /* the threads there are, by the last answer */
	size_t listed_count, listed_cap;
	uint64_t missed;

	struct process_sample process;
	struct arena collectors;
	const char *const *collector_names;
	size_t collector_count;
	bool asks_collections; /* beside /proc */

	/* The JVM: which one, and its clock. */
	int64_t start_ms, new_start_ms, uptime_ms;
	int64_t clock_ns; /* what our clock was when it began */
	bool has_clock, is_restarted;

	/* Contention: whether it is measured, and whether by our doing. */
	bool is_measured, has_switched;
	struct error contention_problem;

	/* Of each request: whether it is switched off, and why it failed. */
	struct {
		bool is_off;
		char why[200]; /* foreign; "" = there is */
	} asks[JMX_ASKS];

	/* Of the run that is under way. */
	size_t from, count; /* of ids */
	enum jmx_ask *asked;
	size_t asked_count, asked_cap;
};

/* True when it is asked at all. */
bool jmx_ask_is_due(const struct jmx_source *s, enum jmx_ask ask);

/* Forgets what an earlier JVM did not have. */
void jmx_asks_reset(struct jmx_source *s);
void jmx_asks_release(struct jmx_source *s);

int jmx_asks_find_collectors(struct jmx_source *s, struct error *err);

/*
 * Asks for the threads from ids[from] on and, if all is set, for the rest of a
 * sample.  Fails as jmx_run(), and with ERROR_PERMISSION, ERROR_REFUSED when
 * what no sample can do without is not to be had.
 */
int jmx_asks_run(struct jmx_source *s, size_t from, bool all,
		 struct error *err);

/* Whence the figures are, and why some are not there. */
void jmx_asks_note(const struct jmx_source *s, struct top_sample *out);

/* 1 when contention is measured, 0 when not, -1 and *err. */
int jmx_ask_contention(struct jmx_source *s, struct error *err);
int jmx_switch_contention(struct jmx_source *s, bool on, struct error *err);

/* ThreadInfos with stack traces and locks: an array; NULL and *err. */
const struct value *jmx_ask_infos(struct jmx *j, const int64_t *ids,
				  size_t count, struct arena *a,
				  struct error *err);

/* The same with so many frames, and without locks (in ownership). */
const struct value *jmx_ask_traces(struct jmx *j, const int64_t *ids,
				   size_t count, int frames, struct arena *a,
				   struct error *err);

/*
 * Who is blocked by whom now, of the threads of the last sample.  Links them;
 * fails as jmx_run().
 */
int jmx_ask_blocked(struct jmx_source *s, struct blocked *out,
		    struct error *err);

/* How many threads are deadlocked, their ids in ids; -1 and *err. */
int jmx_ask_deadlocked(struct jmx *j, int64_t ids[JMX_DEADLOCK_MAX],
		       struct arena *a, struct error *err);

#endif
