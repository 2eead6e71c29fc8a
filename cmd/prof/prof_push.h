/* SPDX-License-Identifier: Apache-2.0 */
/* prof_push: profiles JVMs for an unlimited time and sends the profiles. */
#ifndef CMD_PROF_PROF_PUSH_H
#define CMD_PROF_PROF_PUSH_H

#include "cmd/prof/prof_live.h"
#include "cmd/shared/command.h"
#include "cmd/shared/push_options.h"
#include "core/base/text.h"
#include "core/jvm/jvm.h"

#include <stdint.h>

struct sample_filter;

/* Only the values of options are set; times < 0: not given. */
struct prof_push_options {
	struct push_options backend; /* its url may be NULL */
	const char *directory;       /* write files there; or NULL */
	/* Limits of the directory; 0: not given. */
	uint64_t keep_bytes, keep_files;
	int64_t keep_ns;
	const char *service; /* of all JVMs; NULL: each has its own */
	const char *labels;  /* full, low or service; NULL: full */
	int64_t interval_ns, shutdown_ns;
	uint64_t buffer_bytes;
	const char *probability;  /* percent of the minutes; NULL: all */
	const char *cpu_limit;    /* percent of a core; NULL: the default */
	uint64_t memory_bytes;    /* of all processes of sjkc; 0: the default */
	const char *metrics;      /* an address to serve them at; or NULL */
	struct option_list allow; /* networks of other machines */
	struct option_list hosts; /* names of this machine for metrics */
};

/* True if prof sends profiles instead of writing one. */
bool prof_push_is_wanted(const struct prof_push_options *o);

/*
 * Samples until a signal or the end of the duration, and sends a profile for
 * each JVM and interval.  ERROR_PARTIAL if samples were lost.
 */
int prof_push(const struct prof_live_options *live,
	      const struct prof_push_options *o,
	      const struct sample_filter *filter, struct error *err);

#endif
