/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_recording: a JFR recording that sjkc makes in a JVM and reads.
 *
 *	JFR.start	starts the recording, beside those of others
 *	JFR.stop	ends it and writes it to JFR's own directory, which
 *			only the JVM's user can write to; the file is read and
 *			removed
 *
 * A cleanup process does the same, without reading, if sjkc is killed. JFR
 * itself remains: once started, it keeps its threads and its directory until
 * the JVM exits.
 */
#ifndef CMD_SHARED_JFR_RECORDING_H
#define CMD_SHARED_JFR_RECORDING_H

#include "core/attach/attach.h"
#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/jvm/jvm.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* JFR starts for the first time, and a JVM instruments classes, within this. */
#define JFR_TIMEOUT_NS (60 * CLOCK_NS_PER_S)

struct jfr_shared;

struct jfr_recording {
	const struct jvm *jvm;
	struct attach *attach;
	char name[32];
	bool is_running;
	int64_t start_ns, end_ns; /* monotonic */
	int64_t start_wall_ns;
	struct jfr_shared *shared;
	struct child cleaner;
};

/*
 * Prepares a recording with a name of its own, "sjkc-COMMAND-PID". The JVM and
 * the attach session remain the caller's.
 */
void jfr_recording_init(struct jfr_recording *r, const struct jvm *jvm,
			struct attach *attach, const char *command);

/*
 * Starts the recording with these options of JFR.start, separated by spaces,
 * after the cleanup process. ERROR_UNAVAILABLE if the JVM has no JFR,
 * ERROR_REFUSED with the JVM's reason, or an error of the attach session.
 */
int jfr_recording_start(struct jfr_recording *r, const char *options,
			struct error *err);

/*
 * Ends the recording and reads it into the profile. If the recording was too
 * large, JFR has removed its beginning, which is a loss. ERROR_NO_TARGET if the
 * JVM has exited, ERROR_REFUSED, ERROR_INPUT, or an error of the attach
 * session.
 */
int jfr_recording_stop(struct jfr_recording *r, struct profile *p,
		       struct error *err);

/* Ends a running recording, removes its file, and ends the cleanup process. */
void jfr_recording_release(struct jfr_recording *r);

/* Appends "50ms" in a unit that JFR supports. */
void jfr_add_time(struct text *out, int64_t ns);

#endif
