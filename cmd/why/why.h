/* SPDX-License-Identifier: Apache-2.0 */
/* why: the causes of a JVM's problems, or of its crash. */
#ifndef CMD_WHY_WHY_H
#define CMD_WHY_WHY_H

#include "core/base/error.h"
#include "core/base/input.h"
#include "core/base/output.h"
#include "core/base/text.h"
#include "core/diagnosis/diagnosis.h"
#include "core/formats/hs_err.h"
#include "core/jvm/jvm.h"
#include "core/threads/dump_series.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Explains a fatal error log of HotSpot (hs_err_pid4711.log): the cause, the
 * next step, and the evidence, as at most 30 lines of text or as JSON. Fails
 * with ERROR_INPUT if the complete input is no such log, and, after writing the
 * explanation, with ERROR_PARTIAL if the log ends early.
 */
int why_hs_err(const struct input *in, bool json, struct output *out,
	       struct error *err);

/*
 * Appends the cause, the next step, and the evidence, as at most 30 lines of
 * text or as the JSON document "sjkc.hs_err/1", which names the path.
 */
void crash_explain(struct text *out, const struct hs_err *e, const char *path,
		   bool json);

/*
 * ---- observation.c ----
 *
 * Measures a JVM for a while and diagnoses it.
 *
 * The measurements come from the modules that ttop, gc, prof and threads use:
 * two samples of /proc, several thread dumps, pauses by uprobes, CPU samples by
 * eBPF, and trends.  On suspicion, the JVM is asked for more, which is printed
 * if it stops the program.
 */
struct observation;

struct observation_options {
	int64_t duration_ns;
	bool no_attach;  /* takes no thread dumps, and asks the JVM nothing */
	bool no_uprobes; /* measures pauses by the JVM's counters */
};

/*
 * Begins to observe a JVM; jvm is borrowed.  Fails if not even /proc is
 * readable: other facts may be missing.  observation_close() must follow, and
 * frees nothing that a diagnosis has.
 */
struct observation *observation_open(const struct jvm *jvm,
				     const struct observation_options *options,
				     struct error *err);
void observation_close(struct observation *o); /* NULL is allowed */

/*
 * Observes until the time is over, a signal arrives or the JVM exits.  If the
 * time is 5 s or more, tells the diagnosis so far after two dumps, and again
 * after each quarter of the time; tell may be NULL.
 */
void observation_run(struct observation *o,
		     void (*tell)(const struct diagnosis *d));

/*
 * Diagnoses the whole time.  Fails with ERROR_NO_TARGET if the JVM exited
 * before there were enough facts; *d is zeroed then.
 */
int observation_diagnose(struct observation *o, struct diagnosis *d,
			 struct error *err);

/* A stop of the program, in seconds since the beginning. */
struct observed_stop {
	double end_s, stopped_s;
	bool is_collection;
};

/* What was observed, until the observation is closed. */
struct observed {
	struct profile *profile;           /* the CPU samples; NULL = none */
	const struct dump_series *dump;    /* the last one; NULL = none */
	const struct observed_stop *stops; /* the first, at most 20,000 */
	size_t stop_count;
};

struct observed observation_observed(struct observation *o);

/*
 * ---- why_text.c ----
 *
 * Appends a diagnosis as lines of 80 columns.  With another one, only the
 * causes that it lacks, and the figures of both.
 */
void why_add_text(struct text *out, const struct diagnosis *d,
		  const struct diagnosis *other);

/*
 * Appends the causes that are new, and the rules of those that have gone, with
 * the time; nothing if there is no change.  before is NULL at first.
 */
void why_add_changes(struct text *out, const struct diagnosis *d,
		     const struct diagnosis *before);

/* Returns the number of causes that the other lacks; NULL lacks all. */
size_t why_count_causes(const struct diagnosis *d,
			const struct diagnosis *other);

/*
 * ---- why_files.c ----
 *
 * Judges recordings, thread dumps and GC logs of one JVM together, as far as
 * they reach, or reads the document of an earlier diagnosis.  The inputs are
 * complete.  ERROR_INPUT for the first input in another format.
 */
int why_read_files(struct diagnosis *d, const struct input *all, size_t count,
		   struct error *err);

/* Appends "what: count" behind "; ", unless count is 0. */
void why_add_lost(struct text *out, const char *what, uint64_t count);

/*
 * ---- why_page.c ----
 *
 * Writes a diagnosis with its evidence as an HTML page without scripts.
 */
void why_write_page(struct output *out, const struct diagnosis *d,
		    struct observation *o);

#endif
