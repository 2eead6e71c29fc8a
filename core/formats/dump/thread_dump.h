/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_dump: the thread dump being read, whatever dialect it is in.
 *
 * The readers of dialects say which thread begins, its state and its frames,
 * leaf first; each thread becomes one sample of the event "thread-dump" when
 * the next begins.  Irregular input is counted here, and reported to the
 * profile at the end.
 */
#ifndef CORE_FORMATS_DUMP_THREAD_DUMP_H
#define CORE_FORMATS_DUMP_THREAD_DUMP_H

#include "core/base/error.h"
#include "core/base/intern.h"
#include "core/formats/dump/dump_header.h"
#include "core/formats/dump/dump_lines.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One frame, as each dialect writes it. */
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

/* Irregular input that a reader counts; the last four are losses. */
enum dump_oddity {
	DUMP_LINE_OUTSIDE, /* a log around the dumps */
	DUMP_LINE_INSIDE,  /* no part of a dump, yet in the midst of it */
	DUMP_CUT,          /* a dump has no end */
	DUMP_HEADLESS,     /* a dump has no beginning */
	DUMP_BAD_THREAD,   /* its header cannot be read */
	DUMP_BAD_FRAME,
	DUMP_ODDITIES
};

struct thread_dump {
	struct profile *profile;
	uint32_t event;
	int64_t time_ns;  /* of the dump, set by its reader; 0 = unknown */
	uint64_t threads; /* samples handed to the profile so far */
	bool open;        /* a thread has begun and has not ended */
	bool state_said;  /* its state is known, though it may be none */
	bool waits;       /* says its header, whatever its state is */
	uint64_t idle;    /* samples that were left out */
	struct thread thread;
	enum thread_state state;
	uint32_t *frames;
	size_t frame_count, frame_cap;

	/* Private: frames by their text, since most lines are repeated. */
	struct intern texts;
	uint32_t *text_frames;
	size_t text_cap;
	struct {
		uint64_t count, line;
	} odd[DUMP_ODDITIES];
};

/* The profile is borrowed and must outlive the dump. */
void thread_dump_init(struct thread_dump *d, struct profile *p);

/* Ends the thread and tells the profile what was odd. */
void thread_dump_finish(struct thread_dump *d);

void thread_dump_release(struct thread_dump *d);

/* Ends the thread before and begins one as its header says. */
void thread_dump_begin(struct thread_dump *d, const struct dump_header *h);

/* Adds the caller of the frame before; false when the text is no frame. */
bool thread_dump_frame(struct thread_dump *d, enum dump_frame_form form,
		       const char *text, size_t len);

/*
 * Ends the thread, if one is open: its sample goes to the profile, unless that
 * is not to have idle threads and it is one.
 */
void thread_dump_end(struct thread_dump *d);

/*
 * Says that the input stops short of the dump's end; `midway` when it stops
 * in the stack trace of the open thread, whose root is then missing and is
 * replaced by a frame "[truncated]".
 */
void thread_dump_cut(struct thread_dump *d, bool midway, uint64_t line);

/* Counts an oddity; line is where, from 1. */
void thread_dump_odd(struct thread_dump *d, enum dump_oddity kind,
		     uint64_t line);

/*
 * Reads "2026-11-21 08:40:07" with an optional fraction (".5", ":500"), in
 * local time, or in UTC when "Z" or " (UTC)" follows; "T" or " at " may stand
 * before the time of day and "/" between the numbers of the date.  Nanoseconds
 * since the epoch in *ns; false when the text is none of these.
 */
bool thread_dump_time(const char *text, size_t len, int64_t *ns);

/* A dialect's reader begins with this. */
struct dump_walk {
	struct thread_dump dump;
	struct dump_lines lines;
};

struct dump_steps {
	void (*line)(struct dump_walk *w, struct line line);
	void (*end)(struct dump_walk *w); /* the input ends */
	const char *nothing; /* the error where there was no thread */
};

/*
 * Takes each line of the input and adds what was found to the profile.  Fails
 * with ERROR_INPUT when that is no thread.  Nothing of *w is left to release.
 */
int dump_walk(struct dump_walk *w, const struct dump_steps *steps,
	      const uint8_t *bytes, size_t len, struct profile *p,
	      struct error *err);

#endif
