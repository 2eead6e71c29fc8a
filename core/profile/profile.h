/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile: the samples of threads, in the form that all readers produce and all
 * renderers use.
 *
 * Strings, frames, stack traces, threads and events are interned: equal objects
 * have one id. Ids are dense; except for events, they count from 1, and 0 means
 * none. A stack trace is a node {caller, frame} of a tree, so one number
 * identifies it. A callee's id is always greater than its caller's, so one loop
 * from high to low ids adds up totals.
 *
 * A sample is added to its cell {event, thread, state, stack trace, time
 * bucket} and then forgotten: cost follows the number of distinct stack traces,
 * not of samples.
 */
#ifndef CORE_PROFILE_PROFILE_H
#define CORE_PROFILE_PROFILE_H

#include "core/base/idtable.h"
#include "core/base/intern.h"
#include "core/base/map64.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct text;

/* The kind of a frame, as far as the recording tells. */
enum frame_kind {
	FRAME_INTERPRETED,
	FRAME_C1,
	FRAME_JIT, /* compiled, by C2 or by an unknown compiler */
	FRAME_INLINED,
	FRAME_NATIVE, /* a C function, or a Java native method */
	FRAME_CPP,
	FRAME_KERNEL,
	FRAME_JAVA,  /* Java, without more information */
	FRAME_CLASS, /* not a call: the class allocated or locked, at the leaf
		      */
	FRAME_SYNTHETIC, /* inserted by sjkc: "[truncated]" */
	FRAME_KINDS
};

/* The names in the page and of --annotate. */
extern const char *const frame_kind_names[FRAME_KINDS];

/* One call; class and method are strings. Frames without a class have 0. */
struct frame {
	uint32_t class_name; /* dotted: java.lang.String, [B, a.B$$Lambda */
	uint32_t method;
	uint32_t line; /* 0 = unknown */
	enum frame_kind kind;
	uint32_t source; /* file name; 0 = unknown, or not kept (keep_exact) */
};

/* A node of the tree of stack traces; callers lead to the root, 0. */
struct stack {
	uint32_t caller;
	uint32_t frame;
};

/* java.lang.Thread.State. */
enum thread_state {
	STATE_NONE,
	STATE_NEW,
	STATE_RUNNABLE,
	STATE_BLOCKED,
	STATE_WAITING,
	STATE_TIMED_WAITING,
	STATE_TERMINATED,
	THREAD_STATES
};

extern const char *const thread_state_names[THREAD_STATES]; /* [0] = "none" */

struct thread {
	uint32_t name;   /* string; unchanged from the source, not yet safe */
	int64_t java_id; /* Thread.threadId(), or 0 */
	int64_t os_id;   /* kernel thread id, or 0 */
	bool is_virtual;
};

/* UNIT_COUNT: events that are not observed one by one, such as cycles. */
enum unit { UNIT_SAMPLES, UNIT_NS, UNIT_BYTES, UNIT_COUNT };

extern const char *const unit_names[]; /* "samples", "ns", "bytes", "events" */

/* A type of observation, with its totals. */
struct event {
	uint32_t name; /* string: "jdk.ExecutionSample" */
	enum unit unit;
	uint64_t samples;
	uint64_t without_stack; /* number of samples without a stack trace */
	uint64_t weight;        /* in unit; saturates */
};

/* One observation, as passed by a reader. */
struct sample {
	uint32_t event; /* profile_event() */
	uint32_t stack; /* profile_stack(); 0 = none */
	uint32_t thread;
	uint32_t owner; /* thread that owned the lock; 0 = unknown or none */
	uint32_t owner_frame; /* its method that held the lock, likewise */
	enum thread_state state;
	int64_t time_ns; /* start, since the epoch; 0 = unknown */
	/*
	 * Duration: the weight is spread evenly over the time buckets from
	 * time_ns on; the count belongs to the first. 0 = instant.
	 */
	uint64_t duration_ns;
	uint64_t count;  /* number of samples it stands for, usually 1 */
	uint64_t weight; /* in the event's unit */
};

#define PROFILE_BUCKETS 256

/* All samples that differ only in their exact time. */
struct cell {
	uint32_t stack;
	uint32_t thread;
	uint32_t event;
	uint32_t owner;
	uint16_t bucket; /* 1 + index of the time bucket; 0 = no time */
	uint8_t state;   /* enum thread_state */
	uint32_t owner_frame;
	uint64_t count;
	uint64_t weight;
};

/*
 * A message of a reader about its input. A loss makes the result partial (exit
 * status 7); a note does not.
 */
struct remark {
	const char *what; /* "events skipped"; static text */
	char *first;      /* place and details of the first occurrence, or "" */
	uint64_t count;
	uint64_t of; /* the total that count is part of (profile_remark_of()); 0
			= unknown */
	uint32_t event; /* 1 + the event that it is about; 0 = all events */
	bool is_loss;
};

/*
 * How samples were taken, according to their source: the "period" of
 * jdk.ExecutionSample is "20 ms". Strings.
 */
struct setting {
	uint32_t event; /* 0 = all events */
	uint32_t name;
	uint32_t value; /* 0 = the value changed */
};

/* Maximum number of settings; more are dropped. */
#define PROFILE_SETTINGS 256

/*
 * A few long names would be composed for each of many frames: one class name of
 * 60 KB and 100,000 methods are 6 GB.  So if the bytes of all names above the
 * first FRAME_NAME_SHOWN exceed FRAME_NAMES_LONG, all names are shown with that
 * length.
 */
enum { FRAME_NAME_SHOWN = 192, FRAME_NAMES_LONG = 16 << 20 };

/* Events without stack traces: event_table.h. */
struct event_table;
void event_table_free(struct event_table *t); /* NULL is allowed */

/* Times of single samples: moments.h. */
struct moments;
void moments_free(struct moments *m); /* NULL is allowed */

struct profile {
	struct intern strings;
	struct idtable frame_ids;
	struct frame *frames; /* index: id; [0] is unused, here and below */
	size_t frame_count, frame_cap;
	struct idtable
		stack_ids; /* private: only some of the ids (profile.c) */
	struct stack *stacks;
	size_t stack_count, stack_cap;
	struct idtable thread_ids;
	size_t long_frames; /* frames with a name of over FRAME_NAME_SHOWN */
	size_t long_bytes;  /* the bytes above that, of all frames */
	bool shortens;      /* names are shown with FRAME_NAME_SHOWN bytes */
	struct thread *threads;
	size_t thread_count, thread_cap;
	struct idtable event_ids; /* 1 + index */
	struct event *events;     /* from 0 */
	size_t event_count, event_cap;
	struct idtable cell_ids; /* of the first cells only: profile_add_at() */
	struct cell *cells;      /* from 0 */
	size_t cell_count, cell_cap;
	size_t last_cell; /* cell of the last sample, often that of the next */
	struct moments *moments; /* NULL: not kept */

	/* Bucket i covers [(bucket_first + i) * bucket_ns, + bucket_ns). */
	int64_t bucket_ns;     /* a power of two; 0 = no sample had a time */
	unsigned bucket_shift; /* binary logarithm of bucket_ns */
	int64_t bucket_first;
	int64_t bucket_last; /* the last bucket in use, on the scale of
				bucket_first */
	int64_t earliest_ns,
		latest_ns; /* of all samples, inside and outside of the range */

	/* Samples outside [from_ns, to_ns) are counted but not added. */
	int64_t from_ns, to_ns;
	/* Likewise samples for which wants_time, if set, returns false. */
	bool (*wants_time)(void *self, int64_t time_ns);
	void *wants_time_self;
	uint64_t outside;

	bool keep_lines; /* readers set frame.line */
	/*
	 * Readers set frame.source, if the format has it, and do not change the
	 * names of generated classes.
	 */
	bool keep_exact;
	/* Makes readers of thread dumps omit RUNNABLE threads that wait. */
	bool leave_out_idle;

	/*
	 * Selects the events without stack traces that readers put into tables:
	 * by name, "" for all, NULL for none.
	 */
	const char *wants_tables;
	/*
	 * Selects the views whose events get their stack traces: names as in
	 * event_view_choose(), separated by commas; NULL for all.  Readers may
	 * give the other events any stack trace, if they have one.
	 */
	const char *wants_stacks;
	/*
	 * Selects events that are given to a caller one by one; all others are
	 * then skipped. See core/profile/event_watch.h.
	 */
	const struct event_watch *watch;
	/*
	 * Gets the samples, which are then not added to cells. See
	 * core/profile/sample_tap.h.
	 */
	const struct sample_tap *tap;
	/*
	 * Gets the threads of thread dumps in place of their samples. See
	 * core/profile/thread_tap.h.
	 */
	const struct thread_tap *thread_tap;
	struct event_table **tables;
	size_t table_count, table_cap;
	struct map64 table_ids; /* index by the string of the name */

	struct remark *remarks;
	size_t remark_count, remark_cap;
	struct setting *settings;
	size_t setting_count, setting_cap;

	/*
	 * Readers call it from time to time with the bytes done and their
	 * total.
	 */
	void (*progress)(void *self, uint64_t done, uint64_t total);
	void *progress_self;
	/*
	 * Returns the process that still writes the input, or 0. A reader whose
	 * input has no end calls it, if set, to tell this from a loss.
	 */
	pid_t (*writer)(void *self);
	void *writer_self;
};

struct profile *profile_new(void);
void profile_free(struct profile *p); /* NULL is allowed */

/* The profile of one of several processes that were sampled together. */
struct profile_part {
	struct text about; /* the caller's description of the process */
	struct profile *profile;
};

void profile_part_release(struct profile_part *part);

/* Returns the id of a string of len bytes; 0 if it is empty. */
uint32_t profile_string(struct profile *p, const char *text, size_t len);
/* Returns the text of a string, NUL-terminated and owned by the profile. */
const char *profile_text(const struct profile *p, uint32_t string);

/* Returns the id of a frame, whose class and method are string ids. */
uint32_t profile_frame(struct profile *p, const struct frame *f);

/*
 * Returns the id of the stack trace of count frames, leaf first (as in JFR and
 * thread dumps); 0 if count is 0. profile_push() adds one callee to a stack
 * trace, for readers that start at the root.
 */
uint32_t profile_stack(struct profile *p, const uint32_t *frames, size_t count);
uint32_t profile_push(struct profile *p, uint32_t caller, uint32_t frame);

/* Fetches memory that a later profile_push() with the same arguments needs. */
void profile_push_prefetch(const struct profile *p, uint32_t caller,
			   uint32_t frame);

/*
 * Pushes the class that was allocated or locked, the string class_name. Returns
 * the stack trace unchanged if the class is unknown (0) or there is no stack
 * trace.
 */
uint32_t profile_push_class(struct profile *p, uint32_t stack,
			    uint32_t class_name);

/*
 * Like profile_stack() for n stack traces, whose frames are consecutive,
 * counts[i] each, and whose ids are stored in ids[i]. Faster, because the waits
 * for memory overlap.
 */
void profile_stacks(struct profile *p, const uint32_t *frames,
		    const uint32_t *counts, size_t n, uint32_t *ids);

/*
 * Pushes count callees one after another, root first; made[i] is the stack
 * trace that ends with frames[i]. Faster than calls of profile_push().
 */
void profile_push_all(struct profile *p, uint32_t caller,
		      const uint32_t *frames, size_t count, uint32_t *made);

/* Returns the id of a thread; threads are equal if all four members are. */
uint32_t profile_thread(struct profile *p, const struct thread *t);

/* Returns the event of that name; the unit of the first call applies. */
uint32_t profile_event(struct profile *p, const char *name, enum unit unit);

/*
 * Announces the expected times, so that buckets have the right width from the
 * start. Missing or wrong times only cost speed.
 */
void profile_expect_times(struct profile *p, int64_t from_ns, int64_t to_ns);

/*
 * Adds a sample to its cell and to its event's totals. Outside of [from_ns,
 * to_ns) it is only counted; a sample without a time is always inside.
 */
void profile_add(struct profile *p, const struct sample *s);

/* Like profile_add() for n samples, but faster. Ignores durations. */
void profile_add_all(struct profile *p, const struct sample *s, size_t n);

/*
 * Adds a sample to the cell with the index *cell - 1 if it is the sample's;
 * else to a new cell, whose index it stores. The caller knows that no other
 * cell can be the sample's, so none is looked up, and cells added this way
 * enter the table of cells only when another function searches it.
 */
void profile_add_at(struct profile *p, const struct sample *s, uint32_t *cell);

struct sample_details;

/*
 * Gives a sample in the time range to the profile's tap, which must be set; d
 * may be NULL. Readers call it instead of profile_add() if they have details.
 */
void profile_tap(struct profile *p, const struct sample *s,
		 const struct sample_details *d);

/*
 * Keeps the cells for which keep() returns true, in their order, and updates
 * the events' totals. keep() may change a cell's stack trace.
 */
void profile_retain(struct profile *p,
		    bool (*keep)(void *self, struct cell *cell), void *self);

/*
 * Adds count to the remark `what`, static text; where is a printf format for
 * the first occurrence. profile_lost() records a loss, profile_note() does not.
 */
void profile_note(struct profile *p, const char *what, uint64_t count,
		  const char *where, ...) __attribute__((format(printf, 4, 5)));
void profile_lost(struct profile *p, const char *what, uint64_t count,
		  const char *where, ...) __attribute__((format(printf, 4, 5)));
/* Sets the total that a remark's count is part of: 6 of 4,812 stack traces. */
void profile_remark_of(struct profile *p, const char *what, uint64_t of);
/* Limits a remark to one event: reports of other events omit it. */
void profile_remark_event(struct profile *p, const char *what, uint32_t event);

/* Appends a remark's count: "6", or "6 of 4,812". */
void remark_add_count(struct text *out, const struct remark *r);

/* True if a loss was recorded. */
bool profile_is_partial(const struct profile *p);

/*
 * Records a setting of an event, "" for all events. If it exists with another
 * value, it becomes a setting that changed.
 */
void profile_set(struct profile *p, const char *event, const char *name,
		 const char *value);
/* Returns a setting's value, "" if it changed; NULL if unknown. */
const char *profile_setting(const struct profile *p, const char *event,
			    const char *name);

/* Returns the class at the leaf of a stack trace, a string; 0 = none. */
static inline uint32_t profile_leaf_class(const struct profile *p,
					  uint32_t stack)
{
	const struct frame *f = &p->frames[p->stacks[stack].frame];

	return f->kind == FRAME_CLASS ? f->class_name : 0;
}

/* Returns the stack trace without such a class: its leaf is the last call. */
static inline uint32_t profile_calls(const struct profile *p, uint32_t stack)
{
	uint32_t caller = p->stacks[stack].caller;

	return caller && profile_leaf_class(p, stack) ? caller : stack;
}

/* Reports progress; cheap if no callback is set. */
static inline void profile_progress(const struct profile *p, uint64_t done,
				    uint64_t total)
{
	if (p->progress)
		p->progress(p->progress_self, done, total);
}

#endif
