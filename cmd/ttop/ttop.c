/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sjkc ttop: shows the threads of a JVM. This file parses the options, opens
 * the source of samples and writes recordings.
 */
#include "cmd/ttop/ttop.h"

#include "bpf/gc_probes.h"
#include "cmd/commands.h"
#include "cmd/shared/log.h"
#include "cmd/shared/signals.h"
#include "cmd/shared/target.h"
#include "cmd/ttop/ttop_jmx.h"
#include "core/attach/attach.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/input.h"
#include "core/base/units.h"
#include "core/gc/gc_pending.h"
#include "core/jvm/procfs.h"
#include "core/threads/proc_source.h"
#include "core/threads/top_record.h"
#include "render/top/top_report.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECONDS(n)  ((n)*CLOCK_NS_PER_S)
#define PATIENCE_MS 10000 /* how long the reader of a pipe may be busy */

/*
 * The file of --record. sjkc writes it in place, one line at a time, so that
 * the recording of a killed run can be replayed.
 */
struct top_recorder {
	const char *path;
	int fd;
	struct text line;
};

/* Waits for the reader of a full pipe; false after a timeout or other errors.
 */
static bool recorder_may_go_on(int fd)
{
	struct pollfd out = { .fd = fd, .events = POLLOUT };

	if (errno == EINTR)
		return true;
	return errno == EAGAIN && poll(&out, 1, PATIENCE_MS) > 0;
}

/* Writes r->line and empties it. */
static int recorder_write(struct top_recorder *r, struct error *err)
{
	const char *at = r->line.bytes;
	size_t left = r->line.len;

	while (left) {
		ssize_t put = write(r->fd, at, left);

		if (put < 0 && !recorder_may_go_on(r->fd))
			return fail_sys(err, ERROR_OUTPUT, "%s: cannot write",
					r->path);
		if (put > 0) {
			at += put;
			left -= (size_t)put;
		}
	}
	text_clear(&r->line);
	return 0;
}

static int recorder_create(const char *path, struct error *err)
{
	int fd = output_open_device(path, err);

	if (fd != OUTPUT_NO_DEVICE)
		return fd;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY,
		  0666);
	if (fd < 0 && errno == EEXIST)
		return fail(err, ERROR_OUTPUT,
			    "%s exists; ttop does not overwrite recordings, "
			    "choose another name",
			    path);
	if (fd < 0)
		return fail_sys(err, ERROR_OUTPUT, "%s: cannot create", path);
	return fd;
}

static int recorder_close(struct top_recorder *r, struct error *err)
{
	int ret = 0;

	if (!r)
		return 0;
	if (close(r->fd) < 0)
		ret = fail_sys(err, ERROR_OUTPUT, "%s: cannot write", r->path);
	text_release(&r->line);
	free(r);
	return ret;
}

static struct top_recorder *
recorder_open(const char *path, struct thread_source *source, struct error *err)
{
	struct top_recorder *r;
	int fd = recorder_create(path, err);

	if (fd < 0)
		return NULL;
	r = xcalloc(1, sizeof(*r));
	r->path = path;
	r->fd = fd;
	top_record_head(&r->line, source->ops->title(source), source->pid,
			clock_wall_ns());
	if (recorder_write(r, err) == 0)
		return r;
	recorder_close(r, &(struct error){ 0 });
	return NULL;
}

/*
 * Pauses, measured by a probe. Reading the JVM's counters as often would cost
 * more than ttop does; at each sample, the counters tell only sums.
 */
struct ttop_pauses {
	const struct jvm *jvm;
	bool is_late; /* attach after the first sample, to display it sooner */
	bool is_tried;
	bool has_sampled;
	struct gc_source *source; /* NULL: nothing is measured */
	struct measured totals;
};

static void stops_add(struct measured_stops *s, int64_t ns)
{
	s->count++;
	s->time_ns += ns;
	if (ns > s->longest_ns)
		s->longest_ns = ns;
}

static void pauses_add(struct measured *m, const struct gc_pause *p)
{
	/* A sum of several stops: some were lost. */
	if (p->count != 1 || p->stopped_ns == GC_ABSENT ||
	    p->sync_ns == GC_ABSENT)
		return;
	stops_add(&m->all, p->stopped_ns);
	m->sync_ns += p->sync_ns;
	if (!gc_pause_is_collection(p))
		return;
	if (p->stopped_ns > m->gc.longest_ns)
		snprintf(m->cause, sizeof(m->cause), "%s",
			 p->cause ? p->cause : "");
	stops_add(&m->gc, p->stopped_ns);
	m->collections += p->collections ? p->collections : 1;
	m->collect_ns += p->gc_ns == GC_ABSENT ? p->stopped_ns : p->gc_ns;
}

/* Replaces the note about an upper bound. */
static void pauses_note(struct top_sample *sample)
{
	size_t kept = 0;

	if (!sample->process.gc_count || !sample->process.gc[0].at_most)
		return;
	for (size_t i = 0; i < sample->note_count; i++) {
		if (strcmp(sample->notes[i].figure, "gc") != 0)
			sample->notes[kept++] = sample->notes[i];
	}
	sample->note_count = kept;
	source_note_add(sample, "gc", false, "each pause, by a uprobe");
}

/*
 * Adds the pauses that ended since the probe was attached. Pauses during the
 * first sample, which waits for a thread dump, belong to the next.
 */
static void pauses_sample(struct ttop_pauses *t, struct top_sample *sample)
{
	const bool is_first = !t->has_sampled;
	struct text pending = { 0 };
	bool is_over = false;
	struct gc_pause p;

	t->has_sampled = true;
	if (!t->source)
		return;
	while (gc_source_next(t->source, &p, error_unused()) ==
	       GC_NEXT_RECORD) {
		if (is_first && !is_over &&
		    p.end_ns > clock_wall_of(sample->monotonic_ns)) {
			sample->process.measured = t->totals;
			is_over = true;
		}
		pauses_add(&t->totals, &p);
	}
	if (!is_over)
		sample->process.measured = t->totals;
	pauses_note(sample);
	if (gc_pending_add(&pending, &t->source->pending, t->jvm))
		source_note_add(sample, "pending", false, "%s", pending.bytes);
	text_release(&pending);
}

/* Loading programs in vain would cost more than asking for the right. */
static bool pauses_may_load(void)
{
	const uint64_t rights = UINT64_C(1) << CAP_BPF |
				UINT64_C(1) << CAP_SYS_ADMIN;
	struct proc_status own;

	return procfs_status(getpid(), &own, error_unused()) == 0 &&
	       own.capabilities & rights;
}

static struct gc_source *pauses_open_source(const struct jvm *jvm)
{
	const struct gc_probes_options o = { .no_heap = true,
					     .no_reports = true };
	struct error no_counters, err;
	struct gc_source *source = gc_probes_open(jvm, &o, &no_counters, &err);

	if (source && !no_counters.kind)
		return source;
	log_detail("pauses are not measured: %s",
		   source ? no_counters.text : err.text);
	gc_source_close(source);
	return NULL;
}

/* Attaches the probe once; without it, the counters have bounds. */
static void pauses_open(struct ttop_pauses *t)
{
	if (t->is_tried)
		return;
	t->is_tried = true;
	if (pauses_may_load())
		t->source = pauses_open_source(t->jvm);
}

/* Sampling and waiting, for reports and for the screen */

enum { FDS = 5 };

unsigned ttop_wait(const struct ttop_options *o, int64_t deadline_ns,
		   int input_fd, int other_input_fd)
{
	static const unsigned meaning[] = { TTOP_STOP, TTOP_ENDED, TTOP_INPUT,
					    TTOP_INPUT, TTOP_CLOSED };
	/* poll() skips descriptors that are -1. */
	struct pollfd fds[] = {
		{ .fd = signals_fd(), .events = POLLIN },
		{ .fd = o->pidfd, .events = POLLIN },
		{ .fd = input_fd, .events = POLLIN },
		{ .fd = other_input_fd, .events = POLLIN },
		{ .fd = o->output_fd }, /* reports only errors */
	};
	unsigned why = 0;
	int ready = poll(fds, FDS, clock_left_ms(deadline_ns));

	if (ready == 0 || (ready < 0 && errno != EINTR))
		return clock_left_ms(deadline_ns) ? 0 : TTOP_DUE;
	for (size_t i = 0; ready > 0 && i < FDS; i++) {
		if (fds[i].revents)
			why |= meaning[i];
	}
	return why;
}

int ttop_sample(const struct ttop_options *o, struct top_sample *sample,
		struct error *err)
{
	if (o->pauses && !o->pauses->is_late)
		pauses_open(o->pauses);
	if (o->source->ops->sample(o->source, sample, err)) {
		if (o->has_ended)
			*o->has_ended = err->kind == ERROR_NO_TARGET;
		return -1;
	}
	if (o->lost) {
		o->lost->is_found = o->lost->until_ns;
		o->lost->until_ns = 0;
		o->lost->had_sample = true;
	}
	if (o->pauses) {
		pauses_sample(o->pauses, sample);
		pauses_open(o->pauses);
	}
	if (!o->recorder)
		return 0;
	top_record_sample(&o->recorder->line, sample);
	return recorder_write(o->recorder, err);
}

bool ttop_tries_again(const struct ttop_options *o, struct error *err)
{
	const int64_t now = clock_monotonic_ns();
	struct ttop_lost *lost = o->lost;
	struct text whole = { 0 };

	if (!lost || !lost->had_sample || !lost->wait_ns ||
	    (err->kind != ERROR_NO_TARGET && err->kind != ERROR_REFUSED) ||
	    (lost->until_ns && now >= lost->until_ns))
		return false;
	lost->is_new = !lost->until_ns;
	if (lost->is_new)
		lost->until_ns = clock_after(now, lost->wait_ns);
	text_printf(&whole, "%s; connecting again for %s", err->text,
		    units_time((double)(lost->until_ns - now)).text);
	fail(err, err->kind, "%s", whole.bytes);
	text_release(&whole);
	return true;
}

int ttop_shown(const struct ttop_options *o, const char *kind, int64_t of,
	       const char *text, size_t len, struct error *err)
{
	if (!o->recorder)
		return 0;
	top_record_shown(&o->recorder->line, kind, of, text, len);
	return recorder_write(o->recorder, err);
}

static struct {
	struct jmx_target_options jmx;
	const char *replay, *record;
	int64_t report_interval, sampler_interval, reconnect_ns;
	uint64_t top, iterations;
	struct option_list order;
	const char *filter;
	bool contention, blocked, batch, csv, json, no_attach, no_probes;
	bool over_jmx;
	const char *screen, *keys;
} opt = {
	.jmx.timeout_ns = -1,
	.report_interval = -1,
	.sampler_interval = CLOCK_NS_PER_S / 2,
	.reconnect_ns = SECONDS(60),
	.top = 20,
};

static int ttop_run_reports(const struct ttop_options *o, int64_t first_ns,
			    bool *ended, struct error *err)
{
	top_report_fn *add = opt.json  ? top_json_add
			     : opt.csv ? top_csv_add
				       : top_text_add;

	return ttop_batch_run(o, add, opt.csv ? top_csv_head : NULL, first_ns,
			      ended, err);
}

static struct thread_source *replay_source(const struct input *in,
					   struct error *err)
{
	return replay_source_open((const char *)in->bytes, in->len, err);
}

/* Rejects an input that is no recording before reading an endless one. */
static int replay_check(const struct input *in, struct error *err)
{
	struct thread_source *source = replay_source(in, err);

	if (!source)
		return -1;
	source->ops->close(source);
	return 0;
}

/* Opens the recording; the source borrows the input's bytes. */
static struct thread_source *replay_open(struct input *in, struct error *err)
{
	struct thread_source *source = NULL;

	if (input_open_single(in, opt.replay, err) == 0 &&
	    replay_check(in, err) == 0 && input_complete(in, err) == 0)
		source = replay_source(in, err);
	if (!source)
		fail_in(err, "%s", in->name ? in->name : opt.replay);
	return source;
}

/* In `-o CPU 4711`, the JVM is no sort key. */
static bool ttop_is_order(const char *word)
{
	struct top_order unused = { 0 };
	struct error err;

	return top_order_parse(word, &unused, &err) == 0;
}

static int ttop_read_order(struct top_order *order, struct error *err)
{
	for (size_t i = 0; i < opt.order.count; i++) {
		if (top_order_parse(opt.order.values[i], order, err))
			return fail_in(err, "option --sort");
	}
	return order->count ? 0 : top_order_parse("CPU", order, err);
}

static bool ttop_wants_reports(void)
{
	return opt.batch || opt.csv || opt.json || opt.blocked ||
	       !isatty(STDOUT_FILENO);
}

/*
 * Runs the screen, on a terminal or for --screen. Returns false when reports
 * are to be printed instead; it logs the reason if the terminal is unusable.
 */
static bool ttop_show_screen(const struct ttop_options *o, int *ret,
			     struct error *err)
{
	if (opt.screen) {
		*ret = ttop_screen_print(o, opt.screen, err);
		return true;
	}
	if (ttop_wants_reports())
		return false;
	*ret = ttop_screen_run(o, err);
	if (*ret == 0 || err->kind != ERROR_UNAVAILABLE)
		return true;
	log_info("%s; printing reports instead", err->text);
	return false;
}

static int ttop_replay(struct ttop_options *o, struct error *err)
{
	struct input in = { 0 };
	bool ended = false;
	int ret = -1;

	o->source = replay_open(&in, err);
	if (!o->source)
		goto out;
	o->is_replay = true;
	/* By default, each sample of a recording is a report. */
	o->interval_ns = opt.report_interval < 0 ? 0 : opt.report_interval;
	if (!ttop_show_screen(o, &ret, err))
		ret = ttop_run_reports(o, o->interval_ns, &ended, err);
	if (ret && ended)
		fail(err, ERROR_INPUT,
		     "the recording has fewer than two samples");
	if (ret)
		fail_in(err, "%s", in.name);
out:
	if (o->source)
		o->source->ops->close(o->source);
	input_close(&in);
	return ret;
}

/* On a terminal, explains why the first report takes a while. */
static void ttop_announce(int64_t first_ns)
{
	if (first_ns > CLOCK_NS_PER_S && isatty(STDERR_FILENO))
		log_info("first report in %s",
			 units_time((double)first_ns).text);
}

/* As in SJK: every 10 s, the first after ten sampler intervals at most. */
static int ttop_batch(struct ttop_options *o, struct error *err)
{
	int64_t first;
	bool ended;

	if (opt.report_interval < 0)
		o->interval_ns = SECONDS(10);
	first = o->interval_ns;
	if (opt.sampler_interval < first / 10)
		first = opt.sampler_interval * 10;
	ttop_announce(first);
	return ttop_run_reports(o, first, &ended, err);
}

static int ttop_record_and_show(struct ttop_options *o, struct error *err)
{
	int ret = -1;

	if (opt.record) {
		o->recorder = recorder_open(opt.record, o->source, err);
		if (!o->recorder)
			return -1;
	}
	signals_listen();
	if (!ttop_show_screen(o, &ret, err))
		ret = ttop_batch(o, err);
	if (recorder_close(o->recorder, ret ? error_unused() : err))
		ret = -1;
	return ret;
}

/* Context switches cost a further file of each thread: read if displayed. */
static bool ttop_wants_switches(void)
{
	bool sorted = false;

	for (size_t i = 0; i < opt.order.count; i++)
		sorted |= strcasestr(opt.order.values[i], "CSW") != NULL;
	return sorted || opt.csv || opt.json || opt.record || opt.screen ||
	       !ttop_wants_reports();
}

static struct thread_source *ttop_open_source(struct ttop_jmx *over,
					      const struct jvm *jvm,
					      struct error *err)
{
	const struct proc_source_options options = {
		.no_attach = opt.no_attach,
		.switches = ttop_wants_switches(),
		.attach_timeout_ns = ATTACH_TIMEOUT_NS,
	};
	const struct ttop_jmx_options over_jmx = {
		.wish = opt.over_jmx     ? TTOP_JMX_NEEDED
			: opt.contention ? TTOP_JMX_START
					 : TTOP_JMX_IF_THERE,
		.contention = opt.contention,
		.timeout_ns = opt.jmx.timeout_ns,
	};
	struct thread_source *source = proc_source_open(jvm, &options, err);

	/* --no-attach asks the JVM nothing, not even over JMX. */
	if (!source || opt.no_attach)
		return source;
	return ttop_jmx_join(over, jvm, source, &over_jmx, err);
}

static void ttop_use_interval(struct ttop_options *o)
{
	o->interval_ns = opt.report_interval < 0 ? SECONDS(1)
						 : opt.report_interval;
}

static int ttop_watch(struct ttop_options *o, int argc, char **argv,
		      struct error *err)
{
	struct jvm jvm = { .pidfd = -1 };
	struct ttop_jmx over = { 0 };
	struct ttop_pauses pauses = {
		.jvm = &jvm,
		.is_late = !ttop_wants_reports() && !opt.screen,
	};
	int ret = -1;

	if (target_open(&jvm, opt.jmx.pid, argc, argv, err))
		return -1;
	o->pidfd = jvm.pidfd;
	ttop_use_interval(o);
	o->source = ttop_open_source(&over, &jvm, err);
	o->over = over.source ? &over : NULL;
	o->pauses = opt.no_probes ? NULL : &pauses;
	if (o->source)
		ret = ttop_record_and_show(o, err);
	gc_source_close(pauses.source);
	o->pauses = NULL;
	o->over = NULL;
	ttop_jmx_put_back(&over);
	if (o->source)
		o->source->ops->close(o->source);
	ttop_jmx_close(&over);
	if (ret == 0 && !jvm_runs(&jvm))
		log_info("%d has exited", jvm.pid);
	jvm_close(&jvm);
	return ret;
}

/* Shows a JVM, perhaps on another machine, by JMX alone. */
static int ttop_watch_remote(struct ttop_options *o, struct error *err)
{
	struct ttop_lost lost = { .wait_ns = opt.reconnect_ns };
	struct ttop_jmx over = { 0 };
	bool ended = false;
	int ret = -1;

	o->has_ended = &ended;
	o->lost = &lost;
	ttop_use_interval(o);
	o->source = ttop_jmx_open(&over, &opt.jmx, opt.contention, err);
	o->over = over.source ? &over : NULL;
	if (o->source)
		ret = ttop_record_and_show(o, err);
	ttop_jmx_put_back(&over);
	if (o->source)
		o->source->ops->close(o->source);
	ttop_jmx_close(&over);
	if (ret == 0 && ended)
		log_info("%s: the JVM no longer responds", opt.jmx.socket);
	if (ret == 0 && jmx_client_check_limits(err)) {
		ret = -1;
		/* The screen hid the warning. */
		if (!ttop_wants_reports())
			fail(err, ERROR_PARTIAL,
			     "limits of the Jolokia agent truncated replies; "
			     "threads or values may be missing");
	}
	o->has_ended = NULL;
	o->lost = NULL;
	o->over = NULL;
	return ret;
}

/* Rejects options that contradict each other or have no effect. */
static int ttop_check_options(int argc, struct error *err)
{
	/* jmx.socket may come from -u or from an argument. */
	if (opt.jmx.socket && argc)
		return misuse(err, "unexpected argument: %s names the JVM",
			      opt.jmx.socket);
	if (opt.jmx.socket && (opt.no_attach || opt.over_jmx))
		return misuse(err, "--%s requires a JVM on this machine",
			      command_given("no-attach|jmx"));
	if (!opt.jmx.socket && jmx_check_by_pid(err))
		return -1;
	if (opt.replay && argc)
		return misuse(err, "--replay does not work with a JVM");
	if (opt.record && strcmp(opt.record, "-") == 0)
		return misuse(err, "--record requires a file name");
	return ttop_screen_check(opt.screen, opt.keys, err);
}

static int ttop_run(int argc, char **argv, struct error *err)
{
	struct ttop_options o = {
		.pidfd = -1,
		.output_fd = -1,
		.rows = opt.top,
		.iterations = opt.iterations,
		.filter.glob = opt.filter,
		.contention = opt.contention,
		.blocked = opt.blocked,
		.keys = opt.keys,
	};
	int ret = -1;

	if (!opt.replay && jmx_take_address(&opt.jmx, &argc, &argv, err))
		goto out;
	if (ttop_check_options(argc, err) || ttop_read_order(&o.order, err))
		goto out;
	if (opt.contention && opt.no_attach)
		log_info("contention is unavailable: it requires JMX, which "
			 "--no-attach excludes");
	ret = opt.replay       ? ttop_replay(&o, err)
	      : opt.jmx.socket ? ttop_watch_remote(&o, err)
			       : ttop_watch(&o, argc, argv, err);
out:
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_HEADING("target"),
	OPT_TARGET(&opt.jmx.pid),
	OPT_JMX_SOCKET(&opt.jmx),
	OPT_JMX_URL(&opt.jmx),
	OPT_JMX_LOGIN(&opt.jmx),
	OPT_JMX_TLS(&opt.jmx),
	OPT_JMX_FORCE(&opt.jmx),
	OPT_JMX_TIMEOUT(&opt.jmx),
	OPT_DURATION(0, "reconnect", &opt.reconnect_ns, "<time>",
		     "connect again for this time"),
	OPT_FLAG(0, "no-attach", &opt.no_attach,
		 "do not attach: thread names have 15 bytes"),
	OPT_FLAG(0, "no-uprobes", &opt.no_probes,
		 "do not measure pauses by a uprobe in the JVM",
		 .aliases = "--no-probes"),
	OPT_FLAG(0, "jmx", &opt.over_jmx,
		 "with -p: also use the local JMX connector",
		 .excludes = "no-attach"),
	OPT_HEADING("what"),
	OPT_LIST('o', "sort", &opt.order, "<keys>",
		 "sort by columns: ALLOC,-NAME (default: CPU)",
		 .aliases = "--order", .accepts = ttop_is_order),
	OPT_STRING('f', "filter", &opt.filter, "<glob>",
		   "show only threads with matching names: pool-*"),
	OPT_COUNT('n', "top", &opt.top, "<count>",
		  "list this many threads, 0 for all"),
	OPT_FLAG('c', "contention", &opt.contention,
		 "measure how often and how long threads wait"),
	OPT_FLAG(0, "blocked", &opt.blocked,
		 "report which threads block others",
		 .excludes = "csv|screen"),
	OPT_HEADING("output"),
	OPT_FLAG('b', "batch", &opt.batch,
		 "print reports instead of the screen"),
	OPT_FLAG(0, "csv", &opt.csv, "print comma-separated values",
		 .excludes = "json"),
	OPT_FLAG(0, "json", &opt.json, "print a JSON document for each report"),
	OPT_DURATION(0, "interval", &opt.report_interval, "<time>",
		     "report this often (default: 10s; screen: 1s)",
		     .aliases = "--report-interval -ri", .positive = true),
	OPT_DURATION(0, "sampler-interval", &opt.sampler_interval, "<time>",
		     "report first after 10 of these",
		     .aliases = "-si", .positive = true, .rare = true),
	OPT_COUNT(0, "iterations", &opt.iterations, "<count>",
		  "exit after this many reports"),
	OPT_STRING(0, "record", &opt.record, "<file>",
		   "write the samples to a file"),
	OPT_STRING(0, "replay", &opt.replay, "<file>",
		   "show a recording; - reads standard input",
		   .excludes = "pid|address|url|record|timeout|reconnect|"
			       "no-attach|no-uprobes|jmx"),
	OPT_STRING(0, "screen", &opt.screen, "<size>",
		   "print the screen as text of this size: 80x24",
		   .excludes = "batch|csv|json", .rare = true),
	OPT_STRING(0, "keys", &opt.keys, "<keys>",
		   "with --screen: press these keys first",
		   .requires = "screen", .rare = true),
	OPT_HEADING("messages"),
	OPT_END,
};

/* clang-format on */

const struct command ttop_command = {
	.name = "ttop",
	.synopsis = "ttop [<options>] [<pid>] | -s <host>:<port> | -u <url>",
	.summary = "show which threads use the CPU, allocate and wait",
	.group = "watch",
	.examples = "  sjkc ttop 4711                   # a screen; q quits\n"
		    "  sjkc ttop -p 4711 -b --interval 5s # reports like "
		    "SJK's\n"
		    "  sjkc ttop -p Main -o ALLOC -f 'pool-*' --iterations 1\n"
		    "  sjkc ttop -s pod:9010 -c         # over JMX, with "
		    "contention\n"
		    "  sjkc ttop -p 4711 --json | jq .process.cpu_pct\n"
		    "  sjkc ttop -p 4711 -b --record monday.jsonl\n"
		    "  sjkc ttop --replay monday.jsonl\n",
	.options = options,
	.has_messages = true,
	.refusals = jmx_refusals,
	.run = ttop_run,
};
