/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push_metrics: the pages of prof --metrics: /metrics for Prometheus, and
 * /healthz.
 */
#ifndef JMX_HTTP_METRICS_PUSH_METRICS_H
#define JMX_HTTP_METRICS_PUSH_METRICS_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/profile/profile.h"
#include "core/push/push.h"
#include "jmx_http/http/page_server.h"

#include <stdbool.h>
#include <stdint.h>

/* What the pages show, from the loop of prof --push. */
struct push_metrics_values {
	struct push_counts push;
	/* JVMs that are sampled, cannot be sampled, and are left out. */
	size_t sampled, refused, excluded;
	uint64_t unnamed;         /* Java frames without a name */
	uint64_t hz;              /* ticks per second and CPU; 0 = paused */
	uint64_t samples;         /* of all windows that have ended */
	struct push_counts files; /* of the directory beside a backend */
	bool has_files;
	uint64_t too_large;     /* samples in profiles that fit in no request */
	uint64_t without_stack; /* samples of events without stack traces */
	const struct remark *remarks; /* of the session; borrowed */
	size_t remark_count;
	uint64_t other_losses, other_notes; /* of kinds not in remarks */
	const char *problem; /* the last one of pushing, foreign; "": none */
};

struct push_metrics;

struct push_metrics_options {
	const char *address; /* [host:]port */
	/* Networks from which other machines may connect. */
	const char *const *allow;
	size_t allow_count;
	/* Names in a Host header, beside addresses and localhost. */
	const char *const *hosts;
	size_t host_count;
	/* Sets the values for a request. */
	void (*fill)(void *self, struct push_metrics_values *v);
	/* Called once, with the first client of another network. */
	void (*refused)(void *self, const char *address);
	void *self;
};

/*
 * Listens; borrows hosts. NULL and ERROR_MISUSE or ERROR_REFUSED on failure.
 */
struct push_metrics *push_metrics_open(const struct push_metrics_options *o,
				       struct error *err);
void push_metrics_close(struct push_metrics *m); /* NULL is fine */

/* Appends "host:port". */
void push_metrics_add_address(const struct push_metrics *m, struct text *out);

/*
 * Sets the descriptors to poll until the next push_metrics_step(), and returns
 * their number. NULL has none.
 */
enum { PUSH_METRICS_FDS = PAGE_FDS };
size_t push_metrics_polls(const struct push_metrics *m,
			  struct pollfd fds[PUSH_METRICS_FDS]);

/* Serves the clients that are there. Never waits. NULL is fine. */
void push_metrics_step(struct push_metrics *m);

/*
 * Call it at the end of a window, before its requests are queued: /healthz
 * fails after PUSH_UNHEALTHY windows in which requests waited or were refused
 * and none was delivered, or profiles were rejected. NULL is fine.
 */
enum { PUSH_UNHEALTHY = 3 };
void push_metrics_end_window(struct push_metrics *m);

#endif
