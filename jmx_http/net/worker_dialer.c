/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dialer whose connections lead to worker processes of sjkc.
 *
 *	parent ── nursery ─┬─ worker
 *	                   └─ worker
 *
 * Workers read messages of JVMs and agents, so they must not have the private
 * key of mxprx.  They are children of the nursery, a process that starts with
 * the dialer, before the key is read, and waits.  For each connection, the
 * parent sends it the worker's socket, and receives the worker's pidfd.
 *
 * At most WORKER_DIALER_MAX workers run; further attempts wait, the oldest
 * first, until a worker ends or their time is over.  A worker whose connection
 * is closed may be waiting for the JVM, so it is killed if it does not end.
 */
#include "jmx_http/net/dialer.h"

#include "core/base/alloc.h"
#include "core/base/child.h"
#include "core/base/clock.h"
#include "jmx_http/net/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

/* Free bytes at the end of a worker's heap that are not returned. */
#define WORKER_HEAP_KEPT (16 << 20)
/* Limit for all workers to finish when the dialer is freed. */
#define WORKERS_END_NS (CLOCK_NS_PER_S)
/* Limit for a worker to exit after its job. */
#define WORKER_EXIT_NS (100 * CLOCK_NS_PER_MS)
/* Limit for a worker to notice that its connection is closed. */
static const struct timeval worker_notices = { 1, 0 };

/* Limit for the nursery to start a worker. */
#define WORKER_START_NS (10 * CLOCK_NS_PER_S)

struct worker_dialer {
	struct dialer dialer;
	struct worker_options options;
	struct child nursery;
	struct error err; /* without a nursery */
	TAILQ_HEAD(, worker) workers;
	size_t count;
	TAILQ_HEAD(, worker_dial) waiting;
};

/* A running process. */
struct worker {
	struct worker_dialer *of;
	TAILQ_ENTRY(worker) link;
	int pidfd;
	int fd; /* the worker's end of its connection */
	struct event *on_end, *on_close, *on_notice;
};

/* An attempt: it waits for a worker, then for the loop. */
struct worker_dial {
	struct dial dial;
	bool waits;
	TAILQ_ENTRY(worker_dial) link; /* while it waits */
	int fd;
	struct error err;
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
	char unused;

	(void)err;
	/* The nursery closes the channel when it has the pidfd. */
	child_hear(channel, clock_after(clock_monotonic_ns(), WORKER_START_NS),
		   &unused);
	/*
	 * The heap of a new process is small, so each request would make it
	 * grow and shrink again, which costs more than the request.
	 */
	mallopt(M_MMAP_THRESHOLD, WORKER_HEAP_KEPT / 4);
	mallopt(M_TRIM_THRESHOLD, WORKER_HEAP_KEPT);
	worker_limit_memory(job->options->memory_max);
	job->options->run(job->options->self, job->fd);
	return CHILD_NOTHING;
}

/* In the nursery */

/* Starts a worker for job->fd; returns its pidfd, or -1. */
static int nursery_start(struct worker_job *job)
{
	int kept[CHILD_KEPT_MAX] = { job->fd };
	struct child_options options = {
		.kept = kept,
		.kept_count = 1,
		.dies_with_parent = true,
	};
	struct child worker;
	int pidfd;

	for (size_t i = 0; i < job->options->kept_count; i++)
		kept[options.kept_count++] = job->options->kept[i];
	if (child_start(&worker, &options, worker_run, job, error_unused()))
		return -1;
	pidfd = (int)syscall(SYS_pidfd_open, worker.pid, 0);
	child_leave(&worker);
	return pidfd;
}

static void nursery_reap(int number)
{
	int saved = errno;

	(void)number;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	errno = saved;
}

static int nursery_run(void *self, int channel, struct error *err)
{
	const struct sigaction reap = { .sa_handler = nursery_reap,
					.sa_flags = SA_RESTART | SA_NOCLDSTOP };
	const struct child parent = { .channel = channel };
	struct worker_job job = { .options = self };
	enum child_news news = CHILD_SILENT;

	alloc_on_failure(worker_on_no_memory);
	sigaction(SIGCHLD, &reap, NULL);
	while (news == CHILD_SILENT || news == CHILD_TOLD) {
		news = child_wait(
			&parent,
			clock_after(clock_monotonic_ns(), WORKER_START_NS),
			&job.fd, err);
		if (job.fd >= 0) {
			int pidfd = nursery_start(&job);

			child_tell(channel, 'w', pidfd);
			close(job.fd);
			if (pidfd >= 0)
				close(pidfd);
		}
	}
	return CHILD_NOTHING;
}

/* In the parent: workers */

static void worker_dials_go_on(struct worker_dialer *d);

static void worker_end(int pidfd, int64_t grace_ns)
{
	struct pollfd worker = { .fd = pidfd, .events = POLLIN };

	if (poll(&worker, 1, (int)(grace_ns / CLOCK_NS_PER_MS)) != 1)
		syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
	close(pidfd);
}

static void worker_free(struct worker *w, int64_t grace_ns)
{
	TAILQ_REMOVE(&w->of->workers, w, link);
	w->of->count--;
	if (w->on_end)
		event_free(w->on_end);
	if (w->on_close)
		event_free(w->on_close);
	if (w->on_notice)
		event_free(w->on_notice);
	close(w->fd);
	worker_end(w->pidfd, grace_ns);
	free(w);
}

static void worker_on_end(evutil_socket_t fd, short what, void *self)
{
	struct worker *w = self;
	struct worker_dialer *d = w->of;

	(void)fd;
	(void)what;
	worker_free(w, WORKER_EXIT_NS);
	worker_dials_go_on(d);
}

static void worker_on_close(evutil_socket_t fd, short what, void *self)
{
	struct worker *w = self;

	(void)fd;
	(void)what;
	evtimer_add(w->on_notice, &worker_notices);
}

/* The connection was closed, or only its one direction. */
static void worker_on_notice(evutil_socket_t fd, short what, void *self)
{
	struct worker *w = self;
	struct worker_dialer *d = w->of;
	struct pollfd connection = { .fd = w->fd };

	(void)fd;
	(void)what;
	if (poll(&connection, 1, 0) == 1 && connection.revents & POLLHUP) {
		worker_free(w, 0);
		worker_dials_go_on(d);
	} else {
		evtimer_add(w->on_notice, &worker_notices);
	}
}

static void worker_watch(struct worker *w)
{
	struct event_base *base = w->of->dialer.base;

	w->on_end = event_new(base, w->pidfd, EV_READ, worker_on_end, w);
	w->on_close = event_new(base, w->fd, EV_CLOSED, worker_on_close, w);
	w->on_notice = evtimer_new(base, worker_on_notice, w);
	if (!w->on_end || !w->on_close || !w->on_notice)
		alloc_give_up(sizeof(*w));
	event_add(w->on_end, NULL);
	event_add(w->on_close, NULL);
}

/* Returns the pidfd of a new worker, which gets a copy of fd; or -1. */
static int worker_request(struct worker_dialer *d, int fd, struct error *err)
{
	int64_t until_ns = clock_after(clock_monotonic_ns(), WORKER_START_NS);
	int pidfd = -1;

	if (!d->nursery.pid) {
		*err = d->err;
		return -1;
	}
	if (child_tell(d->nursery.channel, 'w', fd))
		return fail(err, ERROR_FAILED,
			    "the process that starts workers has been killed; "
			    "restart mxprx");
	if (child_wait(&d->nursery, until_ns, &pidfd, err) != CHILD_TOLD)
		return -1;
	if (pidfd < 0)
		fail(err, ERROR_FAILED, "cannot start a worker process");
	return pidfd;
}

/* Returns the parent's end of the connection to a new worker, or -1. */
static int worker_start(struct worker_dialer *d, struct error *err)
{
	struct worker *w;
	int ends[2], pidfd;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return fail_sys(err, ERROR_FAILED, "socketpair");
	pidfd = worker_request(d, ends[1], err);
	if (pidfd < 0) {
		close(ends[0]);
		close(ends[1]);
		return -1;
	}
	w = xcalloc(1, sizeof(*w));
	w->pidfd = pidfd;
	/* Watched, so kept: closed with the worker, it ends the connection. */
	w->fd = ends[1];
	w->of = d;
	TAILQ_INSERT_HEAD(&d->workers, w, link);
	d->count++;
	worker_watch(w);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	return ends[0];
}

/* In the parent: attempts */

static void worker_dial_remove(struct worker_dial *d)
{
	struct worker_dialer *of = (struct worker_dialer *)d->dial.dialer;

	if (d->waits)
		TAILQ_REMOVE(&of->waiting, d, link);
	d->waits = false;
}

static void worker_dial_on_timer(evutil_socket_t fd, short what, void *self)
{
	struct worker_dial *d = self;
	int connection = d->fd;

	(void)fd;
	(void)what;
	if (d->waits)
		fail(&d->err, ERROR_REFUSED,
		     "all %d workers are busy; try again later",
		     WORKER_DIALER_MAX);
	d->fd = -1;
	dial_finish(&d->dial, connection, &d->err);
}

/* Its done is called from the loop. */
static void worker_dial_start(struct worker_dial *d)
{
	worker_dial_remove(d);
	d->fd = worker_start((struct worker_dialer *)d->dial.dialer, &d->err);
	dial_wait(&d->dial, 0);
}

static void worker_dials_go_on(struct worker_dialer *d)
{
	while (!TAILQ_EMPTY(&d->waiting) && d->count < WORKER_DIALER_MAX)
		worker_dial_start(TAILQ_FIRST(&d->waiting));
}

static struct dial *worker_begin(struct dialer *dialer, uint16_t port,
				 int64_t timeout_ns, dial_done_fn *done,
				 void *self)
{
	struct worker_dialer *of = (struct worker_dialer *)dialer;
	struct worker_dial *d = xcalloc(1, sizeof(*d));

	dial_begin(&d->dial, dialer, port, timeout_ns, done, self,
		   worker_dial_on_timer);
	d->fd = -1;
	if (of->count < WORKER_DIALER_MAX) {
		worker_dial_start(d);
		return &d->dial;
	}
	d->waits = true;
	TAILQ_INSERT_TAIL(&of->waiting, d, link);
	dial_wait(&d->dial, timeout_ns);
	return &d->dial;
}

static void worker_cancel(struct dial *dial)
{
	struct worker_dial *d = (struct worker_dial *)dial;

	worker_dial_remove(d);
	if (d->fd >= 0)
		close(d->fd);
	event_free(dial->timer);
	free(d);
}

/* The connections are closed by now, so the workers are finishing. */
static void worker_dialer_free(struct dialer *dialer)
{
	struct worker_dialer *d = (struct worker_dialer *)dialer;
	int64_t until_ns = clock_after(clock_monotonic_ns(), WORKERS_END_NS);

	while (!TAILQ_EMPTY(&d->workers)) {
		int64_t left_ns = until_ns - clock_monotonic_ns();

		worker_free(TAILQ_FIRST(&d->workers),
			    left_ns > 0 ? left_ns : 0);
	}
	child_end(&d->nursery, 0);
	free(d);
}

static bool worker_is_full(const struct dialer *dialer)
{
	const struct worker_dialer *d = (const struct worker_dialer *)dialer;

	return d->count >= WORKER_DIALER_MAX;
}

static const struct dialer_ops worker_ops = {
	.begin = worker_begin,
	.cancel = worker_cancel,
	.free = worker_dialer_free,
	.goes_anywhere = true,
	.is_full = worker_is_full,
};

struct dialer *worker_dialer_new(const struct worker_options *options)
{
	struct worker_dialer *d = xcalloc(1, sizeof(*d));
	const struct child_options nursery = {
		.kept = options->kept,
		.kept_count = options->kept_count,
		.dies_with_parent = true,
	};

	d->dialer = (struct dialer){ .ops = &worker_ops,
				     .base = options->base };
	d->options = *options;
	TAILQ_INIT(&d->workers);
	TAILQ_INIT(&d->waiting);
	child_start(&d->nursery, &nursery, nursery_run, &d->options, &d->err);
	return &d->dialer;
}
