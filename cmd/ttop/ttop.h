/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttop: shared by the command, its reports and its screen.
 *
 * ttop.c parses the options, opens the source and runs either the reports
 * (ttop_batch.c) or the screen (ttop_screen.c). Both take samples by
 * ttop_sample() and wait by ttop_wait().
 */
#ifndef CMD_TTOP_TTOP_H
#define CMD_TTOP_TTOP_H

#include "core/base/error.h"
#include "core/threads/thread_source.h"
#include "render/top/top_report.h"
#include "render/top/top_rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct blocked;
struct top_recorder;
struct ttop_jmx;
struct ttop_pauses;

struct ttop_options {
	struct thread_source *source; /* borrowed */
	bool is_replay; /* samples need no waiting, times are the recording's */
	int pidfd;      /* readable when the target has ended; -1: none */
	int output_fd;  /* a wait ends when its reader is gone; -1: none */
	int64_t interval_ns; /* between two samples */
	size_t rows;         /* maximum number of rows; 0: all */
	uint64_t iterations; /* number of reports; 0: no limit */
	struct top_order order;
	struct top_filter filter;
	bool contention;               /* show waits and blocks */
	bool blocked;                  /* report blocked threads, too */
	const struct blocked *looked;  /* the blocked threads, or NULL */
	struct ttop_jmx *over;         /* the connection over JMX, or NULL */
	const char *keys;              /* keys of a printed screen, or NULL */
	struct ttop_pauses *pauses;    /* measured by a probe, or NULL */
	struct top_recorder *recorder; /* or NULL; see ttop_sample() */
	bool *has_ended; /* set when sampling finds that the JVM ended; or NULL
			  */
	struct ttop_lost *lost; /* the connection may come back; or NULL */
};

/* A connection over a network that was lost. */
struct ttop_lost {
	int64_t wait_ns;  /* maximum time to try again; 0: never */
	int64_t until_ns; /* end of this time; 0: not lost */
	bool had_sample;  /* without one, a failure is final */
	bool is_new;      /* the last failure was the first of this loss */
	bool is_found;    /* the last sample was the first after a loss */
};

/*
 * Takes the next sample from the source, adds the pauses that a probe has
 * measured, and records it with --record. Errors are the source's; ERROR_OUTPUT
 * is the recorder's.
 */
int ttop_sample(const struct ttop_options *o, struct top_sample *sample,
		struct error *err);

/*
 * After ttop_sample() failed with err: true if ttop takes another sample, which
 * connects again.  Adds the time that is left to the text of err.
 */
bool ttop_tries_again(const struct ttop_options *o, struct error *err);

/*
 * Records a displayed text other than samples (top_record_shown()); does
 * nothing without --record.
 */
int ttop_shown(const struct ttop_options *o, const char *kind, int64_t of,
	       const char *text, size_t len, struct error *err);

/* Takes a new sample of blocked threads from the source. */
int ttop_blocked(const struct ttop_options *o, struct blocked *blocked,
		 struct error *err);

/* Why a wait ended: one or more of these bits. */
enum {
	TTOP_DUE = 1,     /* the deadline has passed */
	TTOP_STOP = 2,    /* SIGINT or SIGTERM: finish, exit status 0; the next
			     signal ends the process at once */
	TTOP_ENDED = 4,   /* the target has ended */
	TTOP_INPUT = 8,   /* an input is readable or closed */
	TTOP_CLOSED = 16, /* the reader of output_fd is gone */
};

/*
 * Waits until deadline_ns (clock_monotonic_ns()), or for the first of these
 * events. Either input may be -1. Signals with a handler of their own
 * (SIGWINCH) end the wait with 0.
 */
unsigned ttop_wait(const struct ttop_options *o, int64_t deadline_ns,
		   int input_fd, int other_input_fd);

/*
 * Writes one report per interval, the first after first_ns, until the
 * iterations are done, a stop is requested, or the target ends (*ended). It
 * writes head first, unless NULL. ERROR_NO_TARGET when the target ends before
 * the first report.
 */
int ttop_batch_run(const struct ttop_options *o, top_report_fn *format,
		   const char *head, int64_t first_ns, bool *ended,
		   struct error *err);

/*
 * Runs the screen (ttop_screen.c): takes over the terminal and always restores
 * it.  Returns 0 if the user quit, a stop was requested, or the target ended
 * (the caller reports it); -1 and ERROR_UNAVAILABLE if no terminal is usable.
 */
int ttop_screen_run(const struct ttop_options *o, struct error *err);

/*
 * Prints the screen as text, after the last sample of a replay or after
 * o->iterations reports; size is "80x24". With o->keys (render/top/keys.h), it
 * presses these keys after the first rates and then prints.
 */
int ttop_screen_print(const struct ttop_options *o, const char *size,
		      struct error *err);

/*
 * Validates --screen and --keys before a target is opened; either may be NULL.
 * ERROR_MISUSE.
 */
int ttop_screen_check(const char *size, const char *keys, struct error *err);

#endif
