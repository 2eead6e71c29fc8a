/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe: how far a JMX client gets with a JVM, whatever protocol it uses.
 *
 * The steps that a client takes, with their times, up to the first that fails;
 * a verdict on that; and fixes, which were tested where that is possible.
 */
#ifndef JMX_HTTP_PING_PROBE_H
#define JMX_HTTP_PING_PROBE_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBE_STEPS_MAX 16

/* Texts are foreign. */
struct probe_step {
	const char *name; /* "dns", "tcp", …; static */
	bool ok;
	int64_t ns;              /* how long it took */
	struct text detail;      /* what was found, or why the step failed */
	struct text certificate; /* of the peer, for a TLS step; or empty */
};

struct probe {
	struct probe_step steps[PROBE_STEPS_MAX];
	size_t step_count;
	struct text verdict;  /* foreign */
	struct text remedy;   /* a fix on each line; or empty */
	enum error_kind kind; /* of the failure; ERROR_NONE: all steps passed */

	/* Private from here on. */
	int64_t begun_ns;
};

/* Begins a step and gives its detail, which is to be filled. */
struct text *probe_begin(struct probe *p, const char *name);

/* Ends the step that was begun: it passed. */
void probe_end(struct probe *p);

/*
 * Ends the step as a failure: the detail becomes the error's text, behind what
 * the step has found; means is the verdict unless there is one already.
 */
void probe_fail(struct probe *p, const char *means, const struct error *err);

/* Sets the verdict, and what to do: a fix on each line, or "". */
void probe_judge(struct probe *p, const char *verdict, const char *remedy);

/* Zeroed storage is fine. */
void probe_release(struct probe *p);

#endif
