/* SPDX-License-Identifier: Apache-2.0 */
/* A dialer whose connections lead to worker processes of sjkc. */
#include "jmx_http/net/dialer.h"

#include "core/base/alloc.h"
#include "core/base/child.h"
#include "core/base/clock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef __has_feature
#define WORKER_HAS_FEATURE(x) __has_feature(x)
#else
#define WORKER_HAS_FEATURE(x) 0
#endif
/* AddressSanitizer reserves terabytes of addresses. */
#if defined(__SANITIZE_ADDRESS__) || WORKER_HAS_FEATURE(address_sanitizer)
#define WORKER_IS_LIMITED 0
#else
#define WORKER_IS_LIMITED 1
#endif

/* Limit for all workers to finish when the dialer is freed. */
#define WORKERS_END_NS (CLOCK_NS_PER_S)
/* Limit for a worker to exit after its job. */
#define WORKER_EXIT_NS (100 * CLOCK_NS_PER_MS)

struct worker_dialer {
	struct dialer dialer;
	struct worker_options options;
	struct worker *first;
	size_t count;
};

/* A running process. */
struct worker {
	struct worker_dialer *of;
	struct worker *before, *after;
	struct child child;
	struct event *on_end;
};

struct worker_dial {
	struct dial dial;
	int fd;
	struct event *timer;
	struct error err;
	dial_done_fn *done;
	void *self;
};

/* In the worker */

struct worker_job {
	const struct worker_options *options;
	int fd;
};

/* The parent's handler would remove the parent's files. */
static void worker_on_no_memory(size_t size)
{
	(void)size;
	quick_exit(1);
}

static void worker_limit_memory(size_t bytes)
{
	struct rlimit limit;

	if (!WORKER_IS_LIMITED || getrlimit(RLIMIT_AS, &limit))
		return;
	if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < bytes)
		bytes = limit.rlim_max;
	limit.rlim_cur = limit.rlim_max = bytes;
	setrlimit(RLIMIT_AS, &limit);
}

static int worker_run(void *self, int channel, struct error *err)
{
	const struct worker_job *job = self;

	(void)channel;
	(void)err;
	alloc_on_failure(worker_on_no_memory);
	worker_limit_memory(job->options->memory_max);
	job->options->run(job->options->self, job->fd);
	return CHILD_NOTHING;
}

/* In the parent */

static void worker_free(struct worker *w, int64_t grace_ns)
{
	*(w->before ? &w->before->after : &w->of->first) = w->after;
	if (w->after)
		w->after->before = w->before;
	w->of->count--;
	if (w->on_end)
		event_free(w->on_end);
	/* init(1) or the next wait reaps a process stuck in the kernel. */
	child_end(&w->child, grace_ns);
	free(w);
}

static void worker_on_end(evutil_socket_t fd, short what, void *self)
{
	(void)fd;
	(void)what;
	worker_free(self, WORKER_EXIT_NS);
}

/* Returns the parent's end of the connection to a new worker, or -1. */
static int worker_start(struct worker_dialer *d, struct error *err)
{
	struct worker_job job = { .options = &d->options };
	int kept[CHILD_KEPT_MAX] = { -1 };
	struct child_options options = {
		.kept = kept,
		.kept_count = 1,
		.dies_with_parent = true,
	};
	struct worker *w;
	int ends[2];

	if (d->count >= WORKER_DIALER_MAX)
		return fail(err, ERROR_REFUSED,
			    "all %d workers are busy; try again later",
			    WORKER_DIALER_MAX);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return fail_sys(err, ERROR_FAILED, "socketpair");
	job.fd = kept[0] = ends[1];
	for (size_t i = 0; i < d->options.kept_count; i++)
		kept[options.kept_count++] = d->options.kept[i];
	w = xcalloc(1, sizeof(*w));
	if (child_start(&w->child, &options, worker_run, &job, err)) {
		close(ends[0]);
		close(ends[1]);
		free(w);
		return -1;
	}
	close(ends[1]);
	w->of = d;
	w->after = d->first;
	if (w->after)
		w->after->before = w;
	d->first = w;
	d->count++;
	w->on_end = event_new(d->dialer.base, w->child.channel, EV_READ,
			      worker_on_end, w);
	if (!w->on_end)
		alloc_give_up(sizeof(*w));
	event_add(w->on_end, NULL);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	return ends[0];
}

static void worker_dial_on_timer(evutil_socket_t fd, short what, void *self)
{
	struct worker_dial *d = self;
	struct worker_dial done = *d;

	(void)fd;
	(void)what;
	event_free(d->timer);
	free(d);
	done.done(done.self, done.fd, &done.err);
}

static struct dial *worker_begin(struct dialer *dialer, uint16_t port,
				 int64_t timeout_ns, dial_done_fn *done,
				 void *self)
{
	const struct timeval at_once = { 0, 0 };
	struct worker_dial *d = xcalloc(1, sizeof(*d));

	(void)port;
	(void)timeout_ns;
	d->dial.dialer = dialer;
	d->done = done;
	d->self = self;
	d->fd = worker_start((struct worker_dialer *)dialer, &d->err);
	d->timer = evtimer_new(dialer->base, worker_dial_on_timer, d);
	if (!d->timer)
		alloc_give_up(sizeof(*d));
	evtimer_add(d->timer, &at_once);
	return &d->dial;
}

static void worker_cancel(struct dial *dial)
{
	struct worker_dial *d = (struct worker_dial *)dial;

	if (d->fd >= 0)
		close(d->fd);
	event_free(d->timer);
	free(d);
}

/* The connections are closed by now, so the workers are finishing. */
static void worker_dialer_free(struct dialer *dialer)
{
	struct worker_dialer *d = (struct worker_dialer *)dialer;
	int64_t until_ns = clock_after(clock_monotonic_ns(), WORKERS_END_NS);

	for (struct worker *w = d->first, *next; w; w = next) {
		int64_t left_ns = until_ns - clock_monotonic_ns();

		next = w->after;
		worker_free(w, left_ns > 0 ? left_ns : 0);
	}
	free(d);
}

static const struct dialer_ops worker_ops = {
	.begin = worker_begin,
	.cancel = worker_cancel,
	.free = worker_dialer_free,
	.goes_anywhere = true,
};

struct dialer *worker_dialer_new(const struct worker_options *options)
{
	struct worker_dialer *d = xcalloc(1, sizeof(*d));

	d->dialer = (struct dialer){ .ops = &worker_ops,
				     .base = options->base };
	d->options = *options;
	return &d->dialer;
}
