/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof --push: samples JVMs in windows and sends the profiles to a backend.
 *
 * At the end of a window, each JVM has a profile, which is encoded and freed.
 * The requests wait in the queue of core/push, which never delays sampling.
 */
#include "cmd/prof/prof_options.h"

#include "bpf/sampling/push_loop.h"
#include "cmd/shared/log.h"
#include "cmd/shared/sample_filter.h"
#include "cmd/shared/signals.h"
#include "core/base/clock.h"
#include "core/base/units.h"
#include "core/jvm/cgroup.h"
#include "core/push/push_resource.h"
#include "jmx_http/metrics/push_metrics.h"
#include "render/profile/push_requests.h"

#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define INTERVAL_NS (30 * CLOCK_NS_PER_S)
/* Maximum time between two batches of samples; a window has ten or more. */
#define DRAIN_NS    CLOCK_NS_PER_S
#define SHUTDOWN_NS (5 * CLOCK_NS_PER_S)
/* Of a core, and of all processes of sjkc. */
#define CPU_PERCENT  1
#define MEMORY_BYTES ((uint64_t)100 << 20)
/* The smallest memory for symbols; that of three JVMs. */
#define FILES_BYTES ((uint64_t)24 << 20)
/* The smallest queue that has room for a few requests. */
#define BUFFER_BYTES ((uint64_t)4 << 20)
/* Rates that are low enough for all JVMs of a node, day and night. */
enum { PUSH_HZ = 19 };

/* The settings of a sink of the loop, and the last problem of pushing. */
struct push_target {
	struct push_settings settings;
	struct text problem;
};

struct prof_push {
	struct push_loop loop;
	struct push_target targets[PUSH_SINKS_MAX];
	struct prof_live_options *live;
	const struct prof_push_options *options;
	const struct sample_filter *filter;
	struct push_requests requests;
	uint64_t omitted;  /* attributes of JVMs */
	bool has_cut_args; /* of a JVM; this is reported */
	struct push_metrics *metrics;
};

/* ---- what the loop asks for ---- */

/* For struct push_requests. */
static void push_queue_request(void *self, struct text *body,
			       struct text *parca, const char *query,
			       const char *ending, uint64_t samples)
{
	struct prof_push *l = self;

	push_loop_queue(&l->loop, body, parca, query, ending, samples);
}

static void push_log_notice(void *self, const char *text)
{
	(void)self;
	log_always("%s", text);
}

/* A server that has not told whether it is Parca may be either. */
static void push_choose_encodings(struct prof_push *l)
{
	struct push_requests *r = &l->requests;

	r->otlp = r->parca = false;
	for (size_t i = 0; i < l->loop.sink_count; i++) {
		enum push_format kind = push_kind(l->loop.sinks[i].push);

		r->parca |= kind == PUSH_PARCA || kind == PUSH_AUTO;
		r->otlp |= kind != PUSH_PARCA;
	}
	r->alone = push_counts(l->loop.sinks[0].push).wants_alone;
}

/* Encodes the profiles of a window; returns their samples. */
static uint64_t push_encode(void *self, struct profile_part *parts,
			    size_t count)
{
	struct prof_push *l = self;
	uint64_t samples = 0;

	push_metrics_end_window(l->metrics);
	for (size_t i = 0; i < count; i++) {
		sample_filter_apply(l->filter, parts[i].profile);
		prof_live_set_interval(&l->live->sampling, parts[i].profile);
		samples += push_requests_samples(parts[i].profile);
	}
	push_choose_encodings(l);
	push_requests_add(&l->requests, parts, count);
	return samples;
}

static bool push_is_full(void *self, bool lasts)
{
	struct prof_push *l = self;

	return push_loop_is_full(&l->loop, lasts);
}

static void push_run(struct prof_push *l)
{
	struct pollfd fds[1 + PUSH_METRICS_FDS] = {
		{ .fd = signals_fd(), .events = POLLIN },
	};

	push_loop_begin(&l->loop);
	while (push_loop_step(&l->loop, fds,
			      1 + push_metrics_polls(l->metrics, fds + 1))) {
		push_metrics_step(l->metrics);
		log_flush_repeats(clock_monotonic_ns());
	}
}

/* ---- messages ---- */

static void push_log_removed(const struct push_counts *c, const char *name)
{
	if (c->removed_files)
		log_info("%s: removed %" PRIu64 " old file%s (%s)", name,
			 c->removed_files, units_plural(c->removed_files),
			 units_bytes((double)c->removed_bytes).text);
}

/* Prints what became of the requests. */
static void push_log_sink(const struct prof_push *l,
			  const struct push_target *s,
			  const struct push_counts *c)
{
	const struct {
		const char *why;
		uint64_t requests, samples;
	} lost[] = {
		{ "the queue was full", c->too_many, c->too_many_samples },
		{ "they were too old", c->too_old, c->too_old_samples },
		{ "the backend refused them", c->refused, c->refused_samples },
		{ "not sent before the end", c->queued, c->queued_samples },
	};
	const struct log_field fields[] = {
		{ "delivered_samples", c->delivered_samples, NULL },
		{ "samples", l->loop.samples, NULL },
		{ "requests", c->delivered, NULL },
		{ "bytes", c->delivered_bytes, NULL },
		{ 0 },
	};
	bool is_directory = s->settings.directory;

	log_with(false, fields,
		 "%s %" PRIu64 " of %" PRIu64 " sample%s in %" PRIu64
		 " %s%s (%s)",
		 is_directory ? "wrote" : "delivered", c->delivered_samples,
		 l->loop.samples, units_plural(l->loop.samples), c->delivered,
		 is_directory ? "file" : "request", units_plural(c->delivered),
		 units_bytes((double)c->delivered_bytes).text);
	for (size_t i = 0; i < sizeof(lost) / sizeof(*lost); i++) {
		const struct log_field counts[] = {
			{ "samples", lost[i].samples, NULL },
			{ "requests", lost[i].requests, NULL },
			{ "reason", 0, lost[i].why },
			{ 0 },
		};

		if (lost[i].requests)
			log_with(true, counts,
				 "lost: %" PRIu64 " sample%s in %" PRIu64
				 " request%s: %s",
				 lost[i].samples, units_plural(lost[i].samples),
				 lost[i].requests,
				 units_plural(lost[i].requests), lost[i].why);
	}
	if (c->rejected_profiles)
		log_always("lost: %" PRIu64
			   " profile%s: the backend rejected them",
			   c->rejected_profiles,
			   units_plural(c->rejected_profiles));
	if (c->partly_samples)
		log_always("lost or stored in part: %" PRIu64
			   " of the lost samples, in requests that failed in "
			   "the backend",
			   c->partly_samples);
	if (c->repeated_samples)
		log_always("perhaps stored again: %" PRIu64
			   " samples, sent again after an attempt that failed "
			   "in the backend",
			   c->repeated_samples);
	push_log_removed(c, s->settings.shown_url);
}

/* Prints what never became a request. */
static void push_log_result(const struct prof_push *l)
{
	const struct push_requests *r = &l->requests;

	if (r->too_large)
		log_always("lost: %" PRIu64
			   " samples in profiles that were too large",
			   r->too_large);
	if (r->omitted)
		log_always("lost: %" PRIu64
			   " samples of events without any stack trace",
			   r->omitted);
	for (size_t i = 0; i < l->loop.remark_count; i++) {
		const struct remark *one = &l->loop.remarks[i];

		(one->is_loss ? log_always : log_info)(
			"%s: %s: %" PRIu64, one->is_loss ? "lost" : "note",
			one->what, one->count);
	}
	if (l->loop.other_losses)
		log_always("lost: other kinds: %" PRIu64, l->loop.other_losses);
	if (l->loop.other_notes)
		log_info("note: notes of other kinds: %" PRIu64,
			 l->loop.other_notes);
	if (r->truncated)
		log_info("stack traces truncated to %d frames or fewer: "
			 "%" PRIu64,
			 OTLP_DEPTH, r->truncated);
	if (l->omitted)
		log_info("omitted resource attributes: %" PRIu64, l->omitted);
	if (l->loop.probability > 0)
		log_info("not sampled by --probability: %.0f s",
			 (double)push_loop_paused_ns(&l->loop) /
				 CLOCK_NS_PER_S);
}

static bool push_has_losses(const struct prof_push *l)
{
	for (size_t i = 0; i < l->loop.remark_count; i++)
		if (l->loop.remarks[i].is_loss)
			return true;
	return l->loop.other_losses;
}

/* Sends the last window and the queued requests. */
static int push_finish_all(struct prof_push *l, struct error *err)
{
	bool is_whole;

	push_loop_finish(&l->loop, l->options->shutdown_ns);
	log_flush_repeats(INT64_MAX);
	is_whole = !push_has_losses(l);
	for (size_t i = l->loop.sink_count; i-- > 0;) {
		struct push_counts c = push_counts(l->loop.sinks[i].push);

		push_log_sink(l, &l->targets[i], &c);
		is_whole &= c.delivered_samples == l->loop.samples &&
			    !c.rejected_profiles;
	}
	push_log_result(l);
	return is_whole ? 0
			: fail(err, ERROR_PARTIAL,
			       "part of the samples is lost");
}

/* ---- set-up ---- */

static void push_on_notice(void *self, bool is_loss, const char *text)
{
	struct push_target *s = self;

	(is_loss ? log_always : log_info)("%s", text);
	text_clear(&s->problem);
	text_puts(&s->problem, is_loss ? text : "");
}

static void push_fill_metrics(void *self, struct push_metrics_values *v)
{
	const struct prof_push *l = self;
	const struct push_loop *loop = &l->loop;
	struct sampling_status status = sampling_status(loop->sampling);

	v->push = push_counts(loop->sinks[0].push);
	v->has_files = loop->sink_count > 1;
	if (v->has_files)
		v->files = push_counts(loop->sinks[1].push);
	v->sampled = status.sampled;
	v->refused = status.refused;
	v->excluded = status.excluded;
	v->unnamed = status.unnamed;
	v->hz = loop->is_paused ? 0 : status.hz;
	v->samples = loop->samples;
	v->too_large = l->requests.too_large;
	v->without_stack = l->requests.omitted;
	v->other_losses = loop->other_losses;
	v->other_notes = loop->other_notes;
	v->remarks = loop->remarks;
	v->remark_count = loop->remark_count;
	if (l->targets[0].problem.len)
		v->problem = l->targets[0].problem.bytes;
}

static void push_log_refused(void *self, const char *address)
{
	(void)self;
	log_always("refused a client at %s, whose network no --allow has; this "
		   "is printed once",
		   address);
}

/* True if metrics are served, or not wanted. */
static bool push_open_metrics(struct prof_push *l, struct error *err)
{
	const struct prof_push_options *o = l->options;
	const struct push_metrics_options options = {
		.address = o->metrics,
		.allow = o->allow.values,
		.allow_count = o->allow.count,
		.hosts = o->hosts.values,
		.host_count = o->hosts.count,
		.fill = push_fill_metrics,
		.refused = push_log_refused,
		.self = l,
	};
	struct text name = { 0 };

	if (!o->metrics)
		return true;
	l->metrics = push_metrics_open(&options, err);
	if (!l->metrics)
		return false;
	push_metrics_add_address(l->metrics, &name);
	log_info("serving http://%s/metrics and /healthz", name.bytes);
	text_release(&name);
	return true;
}

static enum push_labels prof_push_labels(const char *word)
{
	if (word && strcmp(word, "low") == 0)
		return PUSH_LABELS_LOW;
	return word && strcmp(word, "service") == 0 ? PUSH_LABELS_SERVICE
						    : PUSH_LABELS_FULL;
}

/* The sampling session describes the JVMs by this. */
static void push_describe(void *self, const struct jvm *jvm, struct text *out)
{
	struct prof_push *l = self;
	const struct prof_push_options *o = l->options;
	bool args_cut = false;
	uint64_t omitted = push_resource_add(
		jvm, o->service, prof_push_labels(o->labels), out, &args_cut);

	if (args_cut && !l->has_cut_args)
		log_always("PID %d: some arguments are in an @file or too "
			   "long; its service.name and other attributes may "
			   "be incomplete",
			   (int)jvm->pid);
	l->has_cut_args |= args_cut;
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

	/* A terminal that closes ends the program. */
	if (isatty(STDERR_FILENO))
		return;
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

/* Adds the backend and the directory. */
static int push_add_sinks(struct prof_push *l, struct error *err)
{
	const struct prof_push_options *o = l->options;
	struct push_settings *s = &l->targets[0].settings;

	if (o->backend.url) {
		l->loop.sink_count++;
		if (push_options_set(s, &o->backend, err))
			return -1;
		push_options_warn(s);
	}
	if (o->directory) {
		s = &l->targets[l->loop.sink_count].settings;
		push_settings_init_directory(
			s, o->directory,
			l->loop.sink_count ? l->targets[0].settings.format
					   : push_options_format(&o->backend));
		if (o->keep_bytes)
			s->limits.bytes = o->keep_bytes;
		if (o->keep_files)
			s->limits.files = o->keep_files;
		if (o->keep_ns > 0)
			s->limits.age_ns = o->keep_ns;
		l->loop.sink_count++;
		if (access(s->directory, W_OK | X_OK) < 0)
			return fail_sys(err, ERROR_OUTPUT, "%s", s->directory);
	}
	for (size_t i = 0; i < l->loop.sink_count; i++)
		if (o->buffer_bytes)
			l->targets[i].settings.queue_bytes = o->buffer_bytes;
	return 0;
}

/* Starts the sending processes, while this process is small. */
static int push_open_sinks(struct prof_push *l, struct error *err)
{
	for (size_t i = 0; i < l->loop.sink_count; i++) {
		struct push_target *t = &l->targets[i];
		struct push_sink *s = &l->loop.sinks[i];

		s->is_directory = t->settings.directory;
		s->push = push_open(&t->settings, push_on_notice, t, err);
		if (!s->push)
			return -1;
	}
	return 0;
}

/*
 * Tells a service manager the state, as sd_notify(3) does: "READY=1". Errors
 * are ignored: the service manager notices the missing state.
 */
static void push_notify_manager(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (!len || len >= sizeof(to.sun_path))
		return;
	memcpy(to.sun_path, path, len);
	/* The name of an abstract socket begins with a null byte. */
	if (*path == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	sendto(fd, state, strlen(state), MSG_NOSIGNAL,
	       (const struct sockaddr *)&to,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	close(fd);
}

static void push_log_start(const struct prof_push *l)
{
	for (size_t i = 0; i < l->loop.sink_count; i++) {
		const struct push_settings *s = &l->targets[i].settings;

		if (s->directory)
			log_info("writing profiles to %s", s->directory);
		else
			log_info("sending profiles to %s", s->shown_url);
	}
	if (l->loop.probability > 0)
		log_info("sampling in %g%% of the minutes, which the name of "
			 "the node chooses: %s",
			 l->loop.probability, push_host_name());
}

static int prof_push_run(struct prof_push *l, struct error *err)
{
	struct push_requests *r = &l->requests;
	int ret = -1;

	if (push_open_sinks(l, err) == 0 && push_open_metrics(l, err))
		l->loop.sampling = prof_live_start(l->live, err);
	if (l->loop.sampling) {
		push_log_start(l);
		push_requests_init(r, l->targets[0].settings.format);
		r->threads = prof_push_labels(l->options->labels) ==
					     PUSH_LABELS_FULL
				     ? THREADS_FOLDED
				     : THREADS_OMITTED;
		r->send = push_queue_request;
		r->notice = push_log_notice;
		r->self = l;
		push_notify_manager("READY=1");
		push_run(l);
		push_notify_manager("STOPPING=1");
		ret = push_finish_all(l, err);
	}
	push_requests_release(r);
	sampling_close(l->loop.sampling);
	push_metrics_close(l->metrics);
	for (size_t i = 0; i < l->loop.sink_count; i++) {
		push_close(l->loop.sinks[i].push);
		text_release(&l->targets[i].problem);
	}
	return ret;
}

bool prof_push_is_wanted(const struct prof_push_options *o)
{
	return o->backend.url || o->directory;
}

/*
 * Returns the memory limit: three quarters of the limit of the control group
 * of sjkc, if that is less than the default. The kernel would kill sjkc without
 * a message.
 */
static uint64_t push_memory_limit(uint64_t given)
{
	struct units_shown own, group;
	struct cgroup_limits limits = { .memory = -1,
					.cpu_stat = -1,
					.memory_group = -1 };
	uint64_t bytes = given ? given : MEMORY_BYTES;
	struct jvm self;

	if (jvm_open(&self, getpid(), error_unused()) == 0) {
		cgroup_limits_read(&limits, &self);
		jvm_close(&self);
	}
	if (limits.memory > 0 && !given &&
	    (uint64_t)limits.memory / 4 * 3 < bytes)
		bytes = (uint64_t)limits.memory / 4 * 3;
	own = units_bytes((double)bytes);
	group = units_bytes((double)limits.memory);
	if (!given && bytes < MEMORY_BYTES)
		log_always("--memory-limit is %s, three quarters of the limit "
			   "of the control group, %s",
			   own.text, group.text);
	else if (given && limits.memory > 0 && (uint64_t)limits.memory < given)
		log_always("--memory-limit %s is above the limit of the "
			   "control group, %s: the kernel may kill sjkc",
			   own.text, group.text);
	cgroup_limits_release(&limits);
	return bytes;
}

static int push_parse_probability(struct prof_push *l, struct error *err)
{
	if (push_budget_parse("--probability", l->options->probability,
			      &l->loop.probability, err))
		return -1;
	if (l->loop.probability > 100)
		return misuse(err, "--probability must be at most 100%%");
	if (l->live->sampling.events != SAMPLING_CPU)
		return misuse(err, "--probability requires -e cpu");
	return 0;
}

int prof_push(const struct prof_live_options *given,
	      const struct prof_push_options *options,
	      const struct sample_filter *filter, struct error *err)
{
	struct prof_push_options o = *options;
	struct prof_live_options live = *given;
	struct prof_push l = { .live = &live, .options = &o, .filter = filter };
	int ret = -1;

	live.sampling.separate = true;
	live.sampling.describe = push_describe;
	live.sampling.is_full = push_is_full;
	live.sampling.self = &l;
	if (!live.sampling.hz)
		live.sampling.hz = PUSH_HZ;
	if (!live.sampling.agent &&
	    !(live.sampling.events & (SAMPLING_ALLOC | SAMPLING_LOCK)))
		live.sampling.no_agent = true;
	l.loop.budget.wanted_hz = live.sampling.hz;
	/* A frequency that the user chose is kept, unless there is a limit. */
	l.loop.budget.limit_percent = given->sampling.hz ? 0 : CPU_PERCENT;
	l.loop.memory_bytes = push_memory_limit(o.memory_bytes);
	/* The profiles and the queue need the other half. */
	live.sampling.memory_bytes = l.loop.memory_bytes / 2 > FILES_BYTES
					     ? l.loop.memory_bytes / 2
					     : FILES_BYTES;
	l.loop.options = &live.sampling;
	l.loop.encode = push_encode;
	l.loop.self = &l;
	push_survive_hangup();
	if ((o.cpu_limit &&
	     push_budget_parse("--cpu-limit", o.cpu_limit,
			       &l.loop.budget.limit_percent, err)) ||
	    (o.probability && push_parse_probability(&l, err)))
		return -1;
	if (push_check_options(&o, err) == 0 && push_add_sinks(&l, err) == 0) {
		live.sampling.drain_ns = o.interval_ns / 10 < DRAIN_NS
						 ? o.interval_ns / 10
						 : DRAIN_NS;
		l.loop.interval_ns = o.interval_ns;
		ret = prof_push_run(&l, err);
	}
	for (size_t i = 0; i < PUSH_SINKS_MAX; i++)
		push_settings_release(&l.targets[i].settings);
	return ret;
}
