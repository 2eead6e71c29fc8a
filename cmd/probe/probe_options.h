/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_options: the options of probe, its ways to measure, and functions that
 * they share.
 */
#ifndef CMD_PROBE_PROBE_OPTIONS_H
#define CMD_PROBE_PROBE_OPTIONS_H

#include "cmd/probe/method_pattern.h"
#include "cmd/shared/command.h"
#include "core/base/text.h"
#include "core/jvm/container.h"
#include "core/jvm/jvm.h"
#include "core/jvm/perfdata.h"
#include "core/profile/profile.h"
#include "jvmti/client/client_probes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBE_NOT_GIVEN (-1) /* a duration that was not given */

struct probe_options {
	const char *pid, *output;
	bool list, count, system, jfr, publish, yes;
	bool args, stack, tree, histogram;
	bool json, csv;
	int64_t duration_ns, interval_ns, above_ns; /* or PROBE_NOT_GIVEN */
	uint64_t max, rate, stack_every, top;
};

/* A run of the command. */
struct probe_run {
	const struct probe_options *o;
	struct jvm jvm;
	struct text name; /* "Shop (4711) in prod/shop-7, container web", made
			     safe */
	struct container_pod pod;
	struct method_pattern *patterns;
	size_t pattern_count;
};

/*
 * Measures until the duration has passed or a signal arrives, and writes the
 * results. Errors are those of the command.
 */
int probe_by_jfr(struct probe_run *run, struct error *err);
int probe_by_agent(struct probe_run *run, struct error *err);

/* ---- probe_calls.c: single calls, above a threshold ---- */

struct probe_calls;

struct probe_calls *probe_calls_new(const struct probe_run *run,
				    const struct probes *probes);
void probe_calls_free(struct probe_calls *c); /* NULL is fine */

/*
 * Prints a call, and keeps it for the reports. The type of the function is
 * probe_call_fn.
 */
void probe_calls_add(void *self, const struct probe_call *call);

/* Prints the added calls; ERROR_OUTPUT. */
int probe_calls_print(struct probe_calls *c, struct error *err);

/*
 * Returns the profile of the stack traces, event PROBE_SLOW_EVENT, and of the
 * armed methods that called each other, event PROBE_TREE_EVENT.
 */
struct profile *probe_calls_profile(struct probe_calls *c);

#define PROBE_SLOW_EVENT "slow calls"
#define PROBE_TREE_EVENT "calls"

/*
 * probe_publish.c: publishes armed methods as USDT probes and logs their names.
 * Errors are those of probes_publish().
 */
int probe_publish(const struct probe_run *run, struct probes *probes,
		  const uint32_t *methods, size_t count, struct error *err);

/* ---- probe_output.c ---- */

/*
 * Checks --output before the measurement: ERROR_MISUSE for an unknown format,
 * ERROR_OUTPUT.
 */
int probe_check_output(const struct probe_options *o, struct error *err);

/* Writes the stack traces of an event to --output. */
int probe_write_page(const struct probe_run *run, struct profile *p,
		     const char *event, struct error *err);

/* Appends the threads and calls of an event's stack traces. */
void probe_add_calls(const struct probe_run *run, struct profile *p,
		     const char *event, struct text *out);

/*
 * Appends the time for which changing this number of classes stops the JVM:
 * "4.7 ms to 47 ms".
 */
void probe_add_pause(const struct jvm *jvm, size_t classes, struct text *out);

/*
 * Logs the number of compiled methods whose code the JVM discards when it
 * changes a class now, unless only code of that class: before JDK 23, the first
 * change discards all code. Returns true if that requires a question. probes is
 * open.
 */
bool probe_log_cost(const struct jvm *jvm, const struct probes *probes);

/*
 * The same, and asks the question on the terminal unless --yes is given.
 * ERROR_MISUSE without a terminal, ERROR_FAILED if the answer is not "y".
 */
int probe_confirm_cost(const struct probe_run *run, struct probes *probes,
		       struct error *err);

/* The JVM's counters of safepoints, to measure the pauses of a change. */
struct probe_pauses {
	struct perfdata *counters; /* NULL = unavailable */
	int64_t count, ns;
};

void probe_pauses_begin(struct probe_pauses *p, const struct jvm *jvm);

/* Logs the pauses since the begin: "instrumenting stopped …", and frees p. */
void probe_pauses_end(struct probe_pauses *p, const char *action);

#endif
