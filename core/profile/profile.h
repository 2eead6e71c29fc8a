/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile: the samples of threads, in the one form that every reader writes and
 * every renderer reads.
 *
 * Strings, frames, stack traces, threads and events are interned: equal ones
 * share an id.  Ids are dense; but for events they count from 1 and 0 is
 * "none".  A stack trace is a node {caller, frame} of a tree, so it is one
 * number; a callee's id is always greater than its caller's, so that totals
 * are summed by one loop from high ids to low.
 *
 * A sample is added into its cell {event, thread, state, stack, time bucket}
 * and forgotten: cost follows distinct stack traces, not samples.
 */
#ifndef CORE_PROFILE_PROFILE_H
#define CORE_PROFILE_PROFILE_H

#include "core/base/idtable.h"
#include "core/base/intern.h"
#include "core/base/map64.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text;

/* How a frame ran, as far as the recording says. */
enum frame_kind {
	FRAME_INTERPRETED,
	FRAME_C1,
	FRAME_JIT, /* compiled, by C2 or by a compiler not named */
	FRAME_INLINED,
	FRAME_NATIVE, /* a C function, or a Java native method */
	FRAME_CPP,
	FRAME_KERNEL,
	FRAME_JAVA,      /* Java, and no more is known */
	FRAME_CLASS,     /* no call: the class allocated or locked, a leaf */
	FRAME_SYNTHETIC, /* our own word: "[truncated]" */
	FRAME_KINDS
};

/* As the page and --annotate name them. */
extern const char *const frame_kind_names[FRAME_KINDS];

/* One call: class and method are strings; class 0 for what has none. */
struct frame {
	uint32_t class_name; /* dotted: java.lang.String, [B, a.B$$Lambda */
	uint32_t method;
	uint32_t line; /* 0 = unknown */
	enum frame_kind kind;
};

/* One node of the tree of stack traces; follow caller to the root, 0. */
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
	uint32_t name;   /* string; as the source has it, not yet safe */
	int64_t java_id; /* Thread.threadId(), or 0 */
	int64_t os_id;   /* kernel thread id, or 0 */
	bool is_virtual;
};

enum unit { UNIT_SAMPLES, UNIT_NS, UNIT_BYTES };

extern const char *const unit_names[]; /* "samples", "ns", "bytes" */

/* A kind of thing that was sampled, and what was added to it. */
struct event {
	uint32_t name; /* string: "jdk.ExecutionSample" */
	enum unit unit;
	uint64_t samples;
	uint64_t without_stack; /* of the samples */
	uint64_t weight;        /* in unit; saturates */
};

/* One observation, as a reader hands it in. */
struct sample {
	uint32_t event; /* profile_event() */
	uint32_t stack; /* profile_stack(); 0 = it has none */
	uint32_t thread;
	uint32_t owner; /* thread that held the lock; 0 = unknown or none */
	enum thread_state state;
	int64_t time_ns; /* since the epoch, of its beginning; 0 = unknown */
	/*
	 * How long it lasted: its weight is spread evenly over the time buckets
	 * from time_ns on, its count is the first one's.  0 = a moment.
	 */
	uint64_t duration_ns;
	uint64_t count;  /* samples this stands for, mostly 1 */
	uint64_t weight; /* in the event's unit */
};

#define PROFILE_BUCKETS 256

/* All samples that agree in everything but the exact time. */
struct cell {
	uint32_t stack;
	uint32_t thread;
	uint32_t event;
	uint32_t owner;
	uint16_t bucket; /* 1 + index of the time bucket; 0 = no time */
	uint8_t state;   /* enum thread_state */
	uint64_t count;
	uint64_t weight;
};

/*
 * A message of a reader about its input.  A loss makes the
 * result partial (exit status 7); a note does not.
 */
struct remark {
	const char *what; /* "events skipped"; static text */
	char *first;      /* where, and more of why, the first time; or "" */
	uint64_t count;
	uint64_t of;    /* of how many, profile_remark_of(); 0 = unknown */
	uint32_t event; /* 1 + the only event that it is about; 0 = all */
	bool is_loss;
};

/*
 * How samples were taken, as their source says it: of the event
 * jdk.ExecutionSample, the "period" is "20 ms".  Ids of strings.
 */
struct setting {
	uint32_t event; /* 0: of all */
	uint32_t name;
	uint32_t value; /* 0: not always the same */
};

#define PROFILE_SETTINGS 256 /* more are not kept */

struct event_table; /* of events without stack traces: event_table.h */

struct profile {
	struct intern strings;
	struct idtable frame_ids;
	struct frame *frames; /* [0] is unused, here and below */
	size_t frame_count, frame_cap;
	struct idtable stack_ids; /* private: not of all (profile.c) */
	struct stack *stacks;
	size_t stack_count, stack_cap;
	struct idtable thread_ids;
	struct thread *threads;
	size_t thread_count, thread_cap;
	struct idtable event_ids; /* 1 + index */
	struct event *events;     /* from 0 */
	size_t event_count, event_cap;
	struct idtable cell_ids;
	struct cell *cells; /* from 0 */
	size_t cell_count, cell_cap;
	size_t last_cell; /* where the last sample went: often the next too */

	/* Bucket i covers [(bucket_first + i) * bucket_ns, + bucket_ns). */
	int64_t bucket_ns;     /* a power of two; 0 = no sample had a time */
	unsigned bucket_shift; /* its logarithm */
	int64_t bucket_first;
	int64_t bucket_last;            /* greatest in use, on the same scale */
	int64_t earliest_ns, latest_ns; /* of all samples, whole or not */

	/* Samples outside [from_ns, to_ns) are counted but not added. */
	int64_t from_ns, to_ns;
	/* Likewise those at a time that this, if set, is false for. */
	bool (*wants_time)(void *self, int64_t time_ns);
	void *wants_time_self;
	uint64_t outside;

	bool keep_lines; /* readers set frame.line */
	/* Readers of thread dumps leave out RUNNABLE threads that wait. */
	bool leave_out_idle;

	/*
	 * Which events without stack traces readers put into tables: those of
	 * a name, "" all, NULL none.
	 */
	const char *wants_tables;
	struct event_table **tables;
	size_t table_count, table_cap;
	struct map64 table_ids; /* index by the string of the name */

	struct remark *remarks;
	size_t remark_count, remark_cap;
	struct setting *settings;
	size_t setting_count, setting_cap;

	/* Called by readers now and then with bytes done and in all. */
	void (*progress)(void *self, uint64_t done, uint64_t total);
	void *progress_self;
};

struct profile *profile_new(void);
void profile_free(struct profile *p); /* NULL is fine */

/* The id of a string of len bytes; 0 for the empty one. */
uint32_t profile_string(struct profile *p, const char *text, size_t len);
/* The text of a string, NUL-terminated; it lives as long as the profile. */
const char *profile_text(const struct profile *p, uint32_t string);

/* The id of a frame; its class and method are ids of strings. */
uint32_t profile_frame(struct profile *p, const struct frame *f);

/*
 * The id of the stack trace of count frames, leaf first (as JFR and thread
 * dumps have them); 0 when count is 0.  profile_push() adds one callee to a
 * stack trace, for readers that walk from the root.
 */
uint32_t profile_stack(struct profile *p, const uint32_t *frames, size_t count);
uint32_t profile_push(struct profile *p, uint32_t caller, uint32_t frame);

/*
 * profile_push() of the class that was allocated or locked, the string
 * class_name.  0, the class is unknown, changes nothing; a sample without a
 * stack trace stays one.
 */
uint32_t profile_push_class(struct profile *p, uint32_t stack,
			    uint32_t class_name);

/*
 * profile_stack() for n stack traces whose frames stand one after the other,
 * counts[i] each, into ids[i]: faster, since many wait for memory together.
 */
void profile_stacks(struct profile *p, const uint32_t *frames,
		    const uint32_t *counts, size_t n, uint32_t *ids);

/*
 * Pushes count callees one after the other, root first; made[i] is the stack
 * trace that ends with frames[i].  Faster than as many calls of profile_push().
 */
void profile_push_all(struct profile *p, uint32_t caller,
		      const uint32_t *frames, size_t count, uint32_t *made);

/* The id of a thread; those that agree in all four are one. */
uint32_t profile_thread(struct profile *p, const struct thread *t);

/* The event of that name; unit counts the first time. */
uint32_t profile_event(struct profile *p, const char *name, enum unit unit);

/*
 * Says what times to expect, so that buckets have the right width at once.
 * Wrong or missing, it costs time but nothing else.
 */
void profile_expect_times(struct profile *p, int64_t from_ns, int64_t to_ns);

/*
 * Adds a sample to its cell and to its event's totals.  Outside [from_ns,
 * to_ns) it is only counted; without a time it is always inside.
 */
void profile_add(struct profile *p, const struct sample *s);

/*
 * profile_add() for n samples; faster, for the same reason.  Durations are
 * not looked at.
 */
void profile_add_all(struct profile *p, const struct sample *s, size_t n);

/*
 * Leaves only the cells that keep() is true for, in their order, and makes the
 * events' totals theirs.  It may give a cell another stack trace.
 */
void profile_retain(struct profile *p,
		    bool (*keep)(void *self, struct cell *cell), void *self);

/*
 * Adds count to the remark `what`, static text; where is a printf format for
 * its first place.  profile_lost() counts a loss, profile_note() does not.
 */
void profile_note(struct profile *p, const char *what, uint64_t count,
		  const char *where, ...) __attribute__((format(printf, 4, 5)));
void profile_lost(struct profile *p, const char *what, uint64_t count,
		  const char *where, ...) __attribute__((format(printf, 4, 5)));
/* Sets the total that a remark's count is part of: 6 of 4,812 stack traces. */
void profile_remark_of(struct profile *p, const char *what, uint64_t of);
/* The remark is about one event: reports of other events omit it. */
void profile_remark_event(struct profile *p, const char *what, uint32_t event);

/* Appends a remark's count: "6", or "6 of 4,812". */
void remark_add_count(struct text *out, const struct remark *r);

/* True when something was lost. */
bool profile_is_partial(const struct profile *p);

/*
 * Keeps a setting of an event, "" for one of all events.  When it is there with
 * another value, it becomes one that is not always the same.
 */
void profile_set(struct profile *p, const char *event, const char *name,
		 const char *value);
/* Its value, "" when it is not always the same; NULL when it is not known. */
const char *profile_setting(const struct profile *p, const char *event,
			    const char *name);

/* The class at the leaf of a stack trace, a string; 0 = there is none. */
static inline uint32_t profile_leaf_class(const struct profile *p,
					  uint32_t stack)
{
	const struct frame *f = &p->frames[p->stacks[stack].frame];

	return f->kind == FRAME_CLASS ? f->class_name : 0;
}

/* The stack trace without such a class: the last call is its leaf. */
static inline uint32_t profile_calls(const struct profile *p, uint32_t stack)
{
	uint32_t caller = p->stacks[stack].caller;

	return caller && profile_leaf_class(p, stack) ? caller : stack;
}

/* For long reads; cheap when nobody listens. */
static inline void profile_progress(const struct profile *p, uint64_t done,
				    uint64_t total)
{
	if (p->progress)
		p->progress(p->progress_self, done, total);
}

#endif
