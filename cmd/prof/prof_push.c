/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof --push: samples JVMs in windows and sends the profiles to an engine.
 *
 * At the end of a window, each JVM has a profile, which is encoded and freed.
 * The requests wait in the queue of core/push, which never delays sampling.
 */
#include "cmd/prof/prof_push.h"

#include "bpf/sampling/sampling.h"
#include "cmd/log.h"
#include "cmd/prof/prof_metrics.h"
#include "cmd/sample_filter.h"
#include "cmd/signals.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/units.h"
#include "core/base/zip.h"
#include "core/push/push.h"
#include "render/profile/export.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define INTERVAL_NS (30 * CLOCK_NS_PER_S)
#define SHUTDOWN_NS (5 * CLOCK_NS_PER_S)
/* gRPC servers accept 4 MiB by default, other receivers more. */
#define REQUEST_BYTES ((size_t)15 << 18)
#define LARGEST_BYTES ((size_t)16 << 20)
/* The smallest queue that has room for a few requests. */
#define BUFFER_BYTES ((uint64_t)4 << 20)
/* Frames of a profile that is reduced, first and last attempt. */
#define MOST_FRAMES  ((uint64_t)1 << 20)
#define LEAST_FRAMES ((uint64_t)1 << 10)

/* Rates that are low enough for all JVMs of a node, day and night. */
enum { PUSH_HZ = 19, LOSSES_MAX = 32 };

struct push_loop {
	struct prof_live_options *live;
	const struct prof_push_options *options;
	const struct sample_filter *filter;
	struct sampling *sampling;
	struct push *push;
	struct otlp_request *request;
	uint64_t request_samples, request_truncated;
	uint64_t samples;   /* of all windows */
	uint64_t truncated; /* samples with truncated stack traces */
	uint64_t too_large; /* samples in profiles that fit in no request */
	bool said_reduced, said_too_large;
	size_t largest;   /* maximum size of a request with one profile */
	uint64_t omitted; /* attributes of JVMs */
	struct prof_loss losses[LOSSES_MAX]; /* of the session */
	size_t loss_count;
	struct prof_metrics *metrics;
	struct text problem; /* the last one of pushing */
};

/* ---- a window ---- */

static uint64_t push_count_samples(const struct profile *p)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < p->event_count; i++)
		samples += p->events[i].samples;
	return samples;
}

/* Hands the encoded request to the queue. */
static void push_queue_request(struct push_loop *l)
{
	struct text bytes = { 0 }, packed = { 0 };

	if (!otlp_request_bytes(l->request))
		return;
	otlp_request_end(l->request, &bytes);
	gzip_bytes(&packed, bytes.bytes, bytes.len);
	text_release(&bytes);
	push_add(l->push, &packed, l->request_samples);
	l->truncated += l->request_truncated;
	l->request_samples = 0;
	l->request_truncated = 0;
}

/* Empties the request without sending it. */
static void push_discard_request(struct push_loop *l)
{
	otlp_request_free(l->request);
	l->request = otlp_request_new();
	l->request_samples = 0;
	l->request_truncated = 0;
}

/* Encodes a profile; most_frames as in struct otlp_options. */
static void push_encode_part(struct push_loop *l,
			     const struct sampling_part *part,
			     uint64_t most_frames)
{
	const struct otlp_options options = {
		.resource = &part->about,
		.style.weights = true,
		.folds_threads = true,
		.most_frames = most_frames,
	};
	uint64_t samples = push_count_samples(part->profile);
	struct event_view *views = NULL;
	struct otlp_result result;
	size_t count;

	if (!samples)
		return;
	count = event_views(part->profile, &views);
	result = otlp_request_add(l->request, part->profile, views, count,
				  &options);
	l->request_truncated += result.cut;
	l->request_samples += samples;
	free(views);
}

/* Sends a profile in a request of its own; most of it, if it is too large. */
static void push_queue_alone(struct push_loop *l,
			     const struct sampling_part *part)
{
	uint64_t most = 0;

	for (;;) {
		push_encode_part(l, part, most);
		if (otlp_request_bytes(l->request) <= l->largest)
			break;
		push_discard_request(l);
		most = most ? most / 4 : MOST_FRAMES;
		if (most < LEAST_FRAMES)
			break;
	}
	if (most && most >= LEAST_FRAMES && !l->said_reduced) {
		log_always("a profile is too large for a request: its stack "
			   "traces are truncated; a shorter --interval helps");
		l->said_reduced = true;
	} else if (most && most < LEAST_FRAMES) {
		if (!l->said_too_large)
			log_always("dropping a profile that is too large for a "
				   "request; a shorter --interval helps");
		l->said_too_large = true;
		l->too_large += push_count_samples(part->profile);
	}
	push_queue_request(l);
}

/*
 * Sends the profiles in as few requests as possible. A request that is too
 * large with its last profile is encoded again without it.
 */
static void push_queue_parts(struct push_loop *l,
			     const struct sampling_part *parts, size_t count)
{
	size_t first = 0;

	for (size_t i = 0; i < count; i++) {
		push_encode_part(l, &parts[i], 0);
		if (otlp_request_bytes(l->request) <= REQUEST_BYTES)
			continue;
		push_discard_request(l);
		for (; first < i; first++)
			push_encode_part(l, &parts[first], 0);
		push_queue_request(l);
		push_encode_part(l, &parts[i], 0);
		if (otlp_request_bytes(l->request) <= REQUEST_BYTES)
			continue;
		push_discard_request(l);
		push_queue_alone(l, &parts[i]);
		first = i + 1;
	}
	push_queue_request(l);
}

/* Adds up the losses of a window; each kind is reported when it begins. */
static void push_add_losses(struct push_loop *l, const struct profile *p)
{
	for (size_t i = 0; i < p->remark_count; i++) {
		const struct remark *r = &p->remarks[i];
		size_t at = 0;

		if (!r->is_loss)
			continue;
		while (at < l->loss_count &&
		       strcmp(l->losses[at].what, r->what) != 0)
			at++;
		if (at == LOSSES_MAX)
			continue;
		if (at == l->loss_count) {
			log_always("%s: %" PRIu64 " (%s)", r->what, r->count,
				   r->first);
			l->losses[l->loss_count++].what = r->what;
		}
		l->losses[at].count += r->count;
	}
}

/* Sends the profiles of the window that ends now. */
static void push_end_window(struct push_loop *l)
{
	struct sampling_part *parts;
	struct profile *remarks;
	size_t count;

	prof_metrics_end_window(l->metrics);
	remarks = sampling_next_parts(l->sampling, &parts, &count);
	push_add_losses(l, remarks);
	profile_free(remarks);
	for (size_t i = 0; i < count; i++) {
		push_add_losses(l, parts[i].profile);
		sample_filter_apply(l->filter, parts[i].profile);
		l->samples += push_count_samples(parts[i].profile);
	}
	push_queue_parts(l, parts, count);
	for (size_t i = 0; i < count; i++)
		sampling_part_release(&parts[i]);
	free(parts);
	push_step(l->push);
}

/* ---- the loop ---- */

static void push_run(struct push_loop *l)
{
	struct pollfd fds[2] = {
		{ .fd = signals_fd(), .events = POLLIN },
		{ .events = POLLIN },
	};
	int64_t interval_ns = l->options->interval_ns;
	int64_t next_ns = clock_monotonic_ns() +
			  push_first_interval_ns(interval_ns);

	for (;;) {
		fds[1].fd = push_fd(l->push);
		if (!sampling_step(l->sampling, fds, 2) || fds[0].revents)
			break;
		push_step(l->push);
		prof_metrics_step(l->metrics);
		if (clock_monotonic_ns() < next_ns)
			continue;
		push_end_window(l);
		/* Windows that were missed are not made up for. */
		while (next_ns <= clock_monotonic_ns())
			next_ns += interval_ns;
	}
}

static void push_log_result(const struct push_loop *l,
			    const struct push_counts *c)
{
	struct text bytes = { 0 };

	units_add_bytes(&bytes, (double)c->delivered_bytes);
	log_info("delivered %" PRIu64 " of %" PRIu64 " samples in %" PRIu64
		 " requests (%s)",
		 c->delivered_samples, l->samples, c->delivered, bytes.bytes);
	text_release(&bytes);
	if (c->too_many)
		log_always("lost: %" PRIu64 " samples in %" PRIu64
			   " requests: the queue was full",
			   c->too_many_samples, c->too_many);
	if (c->too_old)
		log_always("lost: %" PRIu64 " samples in %" PRIu64
			   " requests: they were too old",
			   c->too_old_samples, c->too_old);
	if (c->refused)
		log_always("lost: %" PRIu64 " samples in %" PRIu64
			   " requests: the engine refused them",
			   c->refused_samples, c->refused);
	if (c->queued)
		log_always("lost: %" PRIu64 " samples in %" PRIu64
			   " requests: not sent before the end",
			   c->queued_samples, c->queued);
	if (l->too_large)
		log_always("lost: %" PRIu64
			   " samples in profiles that were too large",
			   l->too_large);
	if (c->rejected_profiles)
		log_always("lost: %" PRIu64
			   " profiles: the engine rejected them",
			   c->rejected_profiles);
	for (size_t i = 0; i < l->loss_count; i++)
		log_always("lost: %s: %" PRIu64, l->losses[i].what,
			   l->losses[i].count);
	if (l->truncated)
		log_info("stack traces truncated to %d frames or fewer: "
			 "%" PRIu64,
			 OTLP_DEPTH, l->truncated);
	if (l->omitted)
		log_info("omitted resource attributes: %" PRIu64, l->omitted);
}

/* Sends the last window and the queued requests. */
static int push_finish_all(struct push_loop *l, struct error *err)
{
	struct push_counts c;

	sampling_stop(l->sampling);
	push_end_window(l);
	push_finish(l->push,
		    clock_after(clock_monotonic_ns(), l->options->shutdown_ns));
	c = push_counts(l->push);
	push_log_result(l, &c);
	if (c.delivered_samples == l->samples && !c.rejected_profiles &&
	    !l->loss_count)
		return 0;
	return fail(err, ERROR_PARTIAL, "part of the samples is lost");
}

/* ---- set-up ---- */

static void push_on_notice(void *self, bool is_loss, const char *text)
{
	struct push_loop *l = self;

	(is_loss ? log_always : log_info)("%s", text);
	text_clear(&l->problem);
	text_puts(&l->problem, is_loss ? text : "");
}

static void push_fill_metrics(void *self, struct prof_metrics_values *v)
{
	const struct push_loop *l = self;

	v->push = push_counts(l->push);
	v->sampling = sampling_status(l->sampling);
	v->samples = l->samples;
	v->too_large = l->too_large;
	v->losses = l->losses;
	v->loss_count = l->loss_count;
	if (l->problem.len)
		v->problem = l->problem.bytes;
}

/* True if metrics are served, or not wanted. */
static bool push_open_metrics(struct push_loop *l, struct error *err)
{
	const struct prof_push_options *o = l->options;

	if (o->metrics)
		l->metrics = prof_metrics_open(o->metrics, &o->allow,
					       push_fill_metrics, l, err);
	return !o->metrics || l->metrics;
}

static enum prof_labels push_labels(const char *word)
{
	if (word && strcmp(word, "low") == 0)
		return PROF_LABELS_LOW;
	return word && strcmp(word, "service") == 0 ? PROF_LABELS_SERVICE
						    : PROF_LABELS_FULL;
}

/* The sampling session describes the JVMs by this. */
static void push_describe(void *self, const struct jvm *jvm, struct text *out)
{
	struct push_loop *l = self;
	const struct prof_push_options *o = l->options;
	uint64_t omitted = prof_resource_add(jvm, o->service,
					     push_labels(o->labels), out);

	if (omitted && !l->omitted)
		log_always("PID %d: omitting %" PRIu64
			   " resource attributes: keys must be different and "
			   "of A-Z a-z 0-9 . _ -, values at most 1 KB; at most "
			   "16 are sent",
			   (int)jvm->pid, omitted);
	l->omitted += omitted;
}

static void push_on_hangup(int number) { (void)number; }

/*
 * A service manager asks for a reload by SIGHUP, and the headers are read again
 * anyway. A program that --push starts would inherit that it is ignored.
 */
static void push_survive_hangup(void)
{
	struct sigaction action = { .sa_handler = push_on_hangup,
				    .sa_flags = SA_RESTART },
			 old;

	/* nohup(1) wants the program to ignore it, too. */
	if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

static int push_check_options(struct prof_push_options *o, struct error *err)
{
	if (o->interval_ns < 0)
		o->interval_ns = INTERVAL_NS;
	if (o->shutdown_ns < 0)
		o->shutdown_ns = SHUTDOWN_NS;
	if (o->interval_ns < CLOCK_NS_PER_S ||
	    o->interval_ns > 300 * CLOCK_NS_PER_S)
		return misuse(err, "--interval must be 1s to 5m");
	if (o->buffer_bytes && o->buffer_bytes < BUFFER_BYTES)
		return misuse(err, "--buffer must be at least 4m");
	if (o->service && !*o->service)
		return misuse(err, "--service requires a name");
	return 0;
}

static void push_log_ignored(const struct push_settings *s)
{
	const char *line = s->ignored.bytes;

	while (line && *line) {
		size_t len = strcspn(line, "\n");

		log_always("%.*s", (int)len, line);
		line += len + (line[len] == '\n');
	}
}

static int push_set(struct push_settings *s, const struct prof_push_options *o,
		    struct error *err)
{
	struct text unused = { 0 };
	int ret;

	if (push_settings_init(s, o->url, err))
		return -1;
	push_log_ignored(s);
	if (o->buffer_bytes)
		s->queue_bytes = o->buffer_bytes;
	if (!o->header_file)
		return 0;
	s->header_file = xstrdup(o->header_file);
	/* It is read again before each request. */
	ret = push_headers_read(&unused, o->header_file, err);
	text_release(&unused);
	return ret;
}

static int push_loop_run(struct push_loop *l, const struct push_settings *s,
			 struct error *err)
{
	int ret = -1;

	/* Before anything else, while this process is small. */
	l->largest = s->is_grpc ? REQUEST_BYTES : LARGEST_BYTES;
	l->push = push_open(s, push_on_notice, l, err);
	if (l->push && push_open_metrics(l, err))
		l->sampling = prof_live_start(l->live, err);
	if (l->sampling) {
		log_info("sending profiles to %s%s", s->shown_url,
			 s->is_grpc ? " (gRPC)" : "");
		l->request = otlp_request_new();
		push_run(l);
		ret = push_finish_all(l, err);
	}
	otlp_request_free(l->request);
	sampling_close(l->sampling);
	prof_metrics_close(l->metrics);
	push_close(l->push);
	text_release(&l->problem);
	return ret;
}

int prof_push(const struct prof_live_options *given,
	      const struct prof_push_options *options,
	      const struct sample_filter *filter, struct error *err)
{
	struct prof_push_options o = *options;
	struct prof_live_options live = *given;
	struct push_settings settings = { 0 };
	struct push_loop l = { .live = &live, .options = &o, .filter = filter };
	int ret = -1;

	live.sampling.separate = true;
	live.sampling.describe = push_describe;
	live.sampling.self = &l;
	if (!live.sampling.hz)
		live.sampling.hz = PUSH_HZ;
	if (!live.sampling.agent &&
	    !(live.sampling.events & (SAMPLING_ALLOC | SAMPLING_LOCK)))
		live.sampling.no_agent = true;
	push_survive_hangup();
	if (push_check_options(&o, err) == 0 &&
	    push_set(&settings, &o, err) == 0)
		ret = push_loop_run(&l, &settings, err);
	push_settings_release(&settings);
	return ret;
}
