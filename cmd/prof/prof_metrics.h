/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof_metrics: the pages of prof --metrics: /metrics for Prometheus, and
 * /healthz.
 */
#ifndef CMD_PROF_PROF_METRICS_H
#define CMD_PROF_PROF_METRICS_H

#include "bpf/sampling/sampling.h"
#include "cmd/shared/command.h"
#include "core/base/error.h"
#include "core/push/push.h"
#include "jmx_http/http/page_server.h"

#include <stdbool.h>
#include <stdint.h>

/* A kind of loss or note of sampling, a static text, and its number. */
struct prof_remark {
	const char *what;
	uint64_t count;
	bool is_loss;
};

/* What the pages show, from the loop of prof --push. */
struct prof_metrics_values {
	struct push_counts push;
	struct sampling_status sampling;
	uint64_t samples;         /* of all windows that have ended */
	struct push_counts files; /* of the directory beside an engine */
	bool has_files;
	uint64_t too_large;     /* samples in profiles that fit in no request */
	uint64_t without_stack; /* samples of events without stack traces */
	const struct prof_remark *remarks; /* of the session; borrowed */
	size_t remark_count;
	uint64_t other_losses, other_notes; /* of kinds not in remarks */
	const char *problem; /* the last one of pushing, foreign; "": none */
};

struct prof_metrics;

/*
 * Listens on "[host:]port"; other machines may connect only from the networks
 * of allow, with a Host header of hosts, an address or localhost. fill sets the
 * values for a request. NULL and ERROR_MISUSE or ERROR_REFUSED on failure.
 */
struct prof_metrics *
prof_metrics_open(const char *address, const struct option_list *allow,
		  const struct option_list *hosts,
		  void (*fill)(void *self, struct prof_metrics_values *v),
		  void *self, struct error *err);
void prof_metrics_close(struct prof_metrics *m); /* NULL is fine */

/*
 * Sets the descriptors to poll until the next prof_metrics_step(), and returns
 * their number. NULL has none.
 */
enum { PROF_METRICS_FDS = PAGE_FDS };
size_t prof_metrics_polls(const struct prof_metrics *m,
			  struct pollfd fds[PROF_METRICS_FDS]);

/* Serves the clients that are there. Never waits. NULL is fine. */
void prof_metrics_step(struct prof_metrics *m);

/*
 * Call it at the end of a window, before its requests are queued: /healthz
 * fails after PROF_UNHEALTHY windows in which requests waited or were refused
 * and none was delivered, or profiles were rejected. NULL is fine.
 */
enum { PROF_UNHEALTHY = 3 };
void prof_metrics_end_window(struct prof_metrics *m);

#endif
