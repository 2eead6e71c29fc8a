/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observation: measures a JVM for a while and diagnoses it.
 *
 * The measurements come from the modules that ttop, gc, prof and threads use:
 * two samples of /proc, several thread dumps, pauses by uprobes, CPU samples by
 * eBPF, and trends.  On suspicion, the JVM is asked for more, which is printed
 * if it stops the program.
 */
#ifndef CMD_WHY_OBSERVATION_H
#define CMD_WHY_OBSERVATION_H

#include "core/base/error.h"
#include "core/diagnosis/diagnosis.h"
#include "core/jvm/jvm.h"
#include "core/threads/dump_series.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
 * after each quarter of the time.
 */
void observation_run(struct observation *o,
		     void (*tell)(const struct diagnosis *d));

/*
 * Diagnoses the whole time.  Fails with ERROR_NO_TARGET if the JVM exited
 * before there were enough facts; *d is zeroed then.
 */
int observation_diagnose(struct observation *o, struct diagnosis *d,
			 struct error *err);

/* The CPU samples, until the observation is closed; NULL = none. */
struct profile *observation_profile(struct observation *o);

/* The last thread dump, until the observation is closed; NULL = none. */
const struct dump_series *observation_dump(const struct observation *o);

/* A stop of the program, in seconds since the beginning. */
struct observed_stop {
	double end_s, stopped_s;
	bool is_collection;
};

/* The first stops, at most 20,000, until the observation is closed. */
const struct observed_stop *observation_stops(const struct observation *o,
					      size_t *count);

#endif
