/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_dump: the thread dump that is being read, in any dialect.
 *
 * The readers of dialects pass the header, state and frames (leaf first) of
 * each thread; a thread becomes one sample of the event "thread-dump" when the
 * next thread begins. Irregular input is counted, and reported to the profile
 * at the end.
 */
#ifndef CORE_FORMATS_DUMP_THREAD_DUMP_H
#define CORE_FORMATS_DUMP_THREAD_DUMP_H

#include "core/base/error.h"
#include "core/base/intern.h"
#include "core/base/lines.h"
#include "core/base/log_lines.h"
#include "core/formats/dump/dump_header.h"
#include "core/profile/profile.h"
#include "core/profile/thread_tap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * ---- dump_lock.c ----
 *
 * Parses the lines of thread dumps about locks.
 *
 * HotSpot (javaVFrame::print_lock_info_on, JavaThread::print_owned_locks):
 * - waiting to lock <0x00000000ffd1be00> (a c.D)
 * - parking to wait for  <0x00000000ffd1be00> (a c.D$Sync)
 * - <0x00000000ffd1be00> (a c.D$Sync)
 * Thread.dump_to_file since JDK 25, with identity hashes:
 * - locked <c.D@1f>
 * VisualVM, through JMX:
 * - waiting to lock <1f> (a c.D) owned by "name" t@12
 */

struct dump_lock {
	enum tapped_lock_kind kind;
	/* Borrowed from the line. An empty id is unknown. */
	struct line id, class_name;
	int64_t owner_id;       /* 0 = unknown */
	struct line owner_name; /* if the id is unknown; empty = unknown, too */
};

/*
 * Parses a line without the spaces around it, "- locked <0x…> (a c.D)". False
 * if the line does not name a lock, or not one that a thread can wait for.
 */
bool dump_lock_parse(struct line body, struct dump_lock *lock);

/* Splits the text of an object, "c.D@1f", at the '@'; false without one. */
bool dump_lock_object(const char *text, size_t len, struct line *class_name);

/* The forms of a frame in the dialects. */
enum dump_frame_form {
	/*
	 * java.lang.Thread.run(java.base@17/Thread.java:840), as HotSpot, or
	 * java.base@17/java.lang.Thread.run(Thread.java:840), as Java prints.
	 */
	DUMP_FRAME_JAVA,
	/* java/lang/Thread.run(Thread.java:840(Compiled Code)): OpenJ9 */
	DUMP_FRAME_J9,
	/* a.B.run() @bci=11, line=840 (Interpreted frame): jhsdb */
	DUMP_FRAME_SA,
	/* 0x00007f8be0aa38c5<tab>Thread::call_run() + 0xa5: jhsdb --mixed */
	DUMP_FRAME_MIXED,
};

/* Types of irregular input that a reader counts; the last four are losses. */
enum dump_oddity {
	DUMP_LINE_OUTSIDE, /* a log line outside of dumps */
	DUMP_LINE_INSIDE,  /* a line inside of a dump that does not belong to it
			    */
	DUMP_NO_END,       /* the empty line behind a dump is missing */
	DUMP_SHORT,        /* the root of a stack trace is missing */
	DUMP_CUT,          /* the end of a dump is missing */
	DUMP_HEADLESS,     /* the start of a dump is missing */
	DUMP_BAD_THREAD,   /* the header of a thread is unreadable */
	DUMP_BAD_FRAME,
	DUMP_ODDITIES
};

struct thread_dump {
	struct profile *profile;
	uint32_t event;
	int64_t time_ns;  /* set by the reader; 0 = unknown */
	uint64_t threads; /* number of samples added to the profile */
	bool open;        /* a thread has begun but not ended */
	bool state_said;  /* the state was printed, even if it is none */
	bool waits;       /* the header says that the thread waits */
	uint64_t idle;    /* number of samples omitted */
	struct thread thread;
	enum thread_state state;

	/* For the profile's thread_tap; unused without one. */
	bool is_new;              /* no thread of the dump has been passed */
	uint32_t vm;              /* set by the reader; 0 = unknown */
	bool has_owners;          /* set by the reader, for all dumps */
	struct tapped_thread tap; /* the rest of the open thread */
	struct tapped_lock *locks;
	size_t lock_cap;

	uint32_t *frames;
	size_t frame_count, frame_cap;

	/* Private: frames by their text, because most lines are repeated. */
	struct intern texts;
	uint32_t *text_frames;
	size_t text_cap;
	struct {
		uint64_t count, line;
	} odd[DUMP_ODDITIES];
};

/* The profile is borrowed and must outlive the dump. */
void thread_dump_init(struct thread_dump *d, struct profile *p);

/* Ends the thread and reports irregular input to the profile. */
void thread_dump_finish(struct thread_dump *d);

void thread_dump_release(struct thread_dump *d);

/* Ends the previous thread and begins the thread of a header. */
void thread_dump_begin(struct thread_dump *d, const struct dump_header *h);

/*
 * Begins a dump: its threads may have the ids of the last dump's. The members
 * time_ns and vm may be set later, until its first thread ends.
 */
void thread_dump_new(struct thread_dump *d);

/* Adds a lock to the open thread; strings are copied. Needs a thread_tap. */
void thread_dump_lock(struct thread_dump *d, const struct dump_lock *lock);

/* Passes a fact of the JVM's list of deadlocks. Needs a thread_tap. */
void thread_dump_deadlock(struct thread_dump *d, enum tapped_deadlock_kind kind,
			  struct line text);

/* Adds the caller of the previous frame; false if the text is not a frame. */
bool thread_dump_frame(struct thread_dump *d, enum dump_frame_form form,
		       const char *text, size_t len);

/*
 * Ends the thread, if one is open: adds its sample to the profile, unless the
 * thread is idle and the profile excludes idle threads.
 */
void thread_dump_end(struct thread_dump *d);

/*
 * Records that the input ends before the dump's end; `midway` if it ends in the
 * stack trace of the open thread, whose missing root becomes a frame
 * "[truncated]".
 */
void thread_dump_cut(struct thread_dump *d, bool midway, uint64_t line);

/* Adds a frame "[truncated]" for the missing root of the open thread. */
void thread_dump_truncate(struct thread_dump *d);

/* Counts irregular input; line is its number, from 1. */
void thread_dump_odd(struct thread_dump *d, enum dump_oddity kind,
		     uint64_t line);

/*
 * Parses "2026-11-21 08:40:07" with an optional fraction (".5", ":500"), in
 * local time, or in UTC if "Z" or " (UTC)" follows. "T" or " at " may precede
 * the time of day, and "/" may separate the numbers of the date. *ns is in
 * nanoseconds since the epoch; false if the text is not a time.
 */
bool thread_dump_time(const char *text, size_t len, int64_t *ns);

/* The first member of each dialect's reader. */
/*
 * True for a last line without a newline, unless it ends as whole frames do: it
 * may be truncated, and so may each number in it.
 */
static inline bool dump_line_is_cut(const struct log_lines *l, struct line line)
{
	return lines_end_open(&l->lines) && !line_ends(line, ")");
}

struct dump_walk {
	struct thread_dump dump;
	struct log_lines lines;
};

struct dump_steps {
	void (*line)(struct dump_walk *w, struct line line);
	void (*end)(struct dump_walk *w); /* called at the end of the input */
	const char *nothing; /* the error message if there is no thread */
	bool has_owners;     /* each lock that has an owner names it */
};

/*
 * Passes each line of the input to the steps and adds the threads to the
 * profile. Fails with ERROR_INPUT if there is none. Afterwards, nothing in *w
 * has to be released.
 */
int dump_walk(struct dump_walk *w, const struct dump_steps *steps,
	      const uint8_t *bytes, size_t len, struct profile *p,
	      struct error *err);

#endif
