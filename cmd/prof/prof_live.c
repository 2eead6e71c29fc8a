/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/prof/prof_live.h"

#include "bpf/sampling/sampling.h"
#include "cmd/prof/prof_asprof.h"
#include "cmd/prof/prof_snapshot.h"
#include "cmd/shared/command.h"
#include "cmd/shared/log.h"
#include "cmd/shared/open_files.h"
#include "cmd/shared/signals.h"
#include "cmd/shared/target.h"
#include "core/attach/attach_conditions.h"
#include "core/base/clock.h"
#include "core/base/nearest.h"
#include "core/jvm/main_name.h"
#include "core/jvm/perfdata.h"
#include "jvmti/client/client.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * File descriptors that a session needs for itself, for each CPU, for each
 * process, for the pauses and for the allocators of each process, and a limit
 * that is enough for any number of processes.
 */
enum {
	FILES_BASE = 32,
	FILES_CPU = 2,
	FILES_TARGET = 6,
	FILES_PAUSES = 10,
	FILES_BLOCKS = 32,
	FILES_MANY = 65536,
};

/* Why an event may have no samples, by its bit. */
static const char *const no_samples_of[] = {
	"no thread used a CPU for long enough; use -e wall to see what threads "
	"wait for, or a longer -d",
	"no thread waited (for as long as --min-blocked)",
	"no thread ran, or waited for as long as --min-blocked",
	"too little was allocated; use a smaller --alloc-interval or a longer "
	"-d",
	"no thread waited for a monitor; use -e offcpu to see other waits",
	"the method was not called",
	"no collection stopped the JVM; a longer -d may help",
	"no native memory was allocated and kept (for as long as --older)",
	"no page was touched for the first time; a longer -d may help",
};

/*
 * The JVM's counters (hsperfdata) that grow when an event happens, by its bit:
 * if they have grown, an event without samples is unexplained.
 */
static const struct {
	const char *counter, *what;
} counters_of[] = {
	[3] = { "sun.gc.collector.0.invocations", "young collections" },
	[4] = { "sun.rt._sync_ContendedLockAttempts",
		"attempts to enter a contended monitor" },
};

enum { COUNTERS = sizeof(counters_of) / sizeof(*counters_of) };

static unsigned live_find_event(const char *name, size_t len)
{
	const char *other = prof_asprof_event(name, len), *known;

	if (other) {
		name = other;
		len = strlen(other);
	}
	for (unsigned i = 0; (known = sampling_event_name(i)); i++) {
		if (strlen(known) == len && memcmp(known, name, len) == 0)
			return 1U << i;
	}
	return 0;
}

/* Fails for an unknown event; for an empty one, quotes the whole list. */
static void live_refuse_event(const char *list, const char *word, size_t len,
			      struct error *err)
{
	struct text choices = { 0 };
	const char *known;

	if (len && prof_asprof_refuse_event(word, len, err))
		return;
	for (unsigned i = 0; (known = sampling_event_name(i)); i++)
		text_printf(&choices, "%s%s ", known,
			    1U << i == SAMPLING_PROBE ? ":NAME" : "");
	nearest_fail_choice("event", len ? word : list,
			    len ? len : strlen(list), choices.bytes, err);
	fail_in(err, "option --event");
	text_release(&choices);
}

/* Takes "probe:submit"; 0 and no error if it is no probe. */
static unsigned live_take_probe(const char *word, size_t len,
				const char **probe, struct error *err)
{
	static const char prefix[] = "probe:";
	static struct text name;
	size_t skipped = sizeof(prefix) - 1;

	if (len <= skipped || memcmp(word, prefix, skipped) != 0)
		return 0;
	if (*probe) {
		misuse(err, "option --event: only one probe can be sampled");
		return 0;
	}
	text_clear(&name);
	text_add(&name, word + skipped, len - skipped);
	*probe = name.bytes;
	return SAMPLING_PROBE;
}

unsigned prof_live_events(const char *list, const char **probe,
			  struct error *err)
{
	unsigned bits = 0;
	size_t len;

	*probe = NULL;
	for (const char *at = list;; at += len + 1) {
		unsigned bit;

		len = strcspn(at, ",");
		err->kind = ERROR_NONE;
		bit = live_take_probe(at, len, probe, err);
		if (!bit && err->kind)
			return 0;
		if (!bit)
			bit = live_find_event(at, len) & ~SAMPLING_PROBE;
		if (!bit) {
			live_refuse_event(list, at, len, err);
			return 0;
		}
		bits |= bit;
		if (!at[len])
			return bits;
	}
}

/* True when --sampler dump would work instead. */
static bool live_may_use_dumps(const struct prof_live_options *o)
{
	struct condition list[ATTACH_CONDITIONS_MAX];
	bool may = true;
	struct jvm jvm;
	size_t count;

	if (o->command || o->sampling.all || o->pid_count != 1 ||
	    o->sampling.tid || o->sampling.only_user ||
	    o->sampling.only_kernel ||
	    (o->sampling.events != SAMPLING_CPU &&
	     o->sampling.events != SAMPLING_WALL) ||
	    jvm_open_java(&jvm, (pid_t)strtol(o->pids[0], NULL, 10),
			  error_unused()))
		return false;
	count = attach_conditions(&jvm, list);
	for (size_t i = 0; i < count; i++)
		may &= list[i].state != CONDITION_FAILS;
	jvm_close(&jvm);
	return may;
}

/* Opens the session; on failure, suggests --sampler dump if it would work. */
static struct sampling *live_open_session(const struct prof_live_options *o,
					  struct error *err)
{
	static const char prefix[] = "BPF programs: ";
	struct sampling *s = sampling_open(&o->sampling, err);
	struct error was = *err;
	const char *cause = was.text;

	if (s)
		return s;
	if (strncmp(cause, prefix, sizeof(prefix) - 1) == 0)
		cause += sizeof(prefix) - 1;
	fail(err, was.kind, "cannot sample with eBPF: %s%s", cause,
	     live_may_use_dumps(o) ? "; or use the less accurate --sampler dump"
				   : "");
	return NULL;
}

/* Check the descriptor limit up front: running out later produces a misleading
 * error. */
static int live_check_files(const struct prof_live_options *o,
			    struct error *err)
{
	unsigned events = o->sampling.events;
	uint64_t pauses = events & SAMPLING_GC ? FILES_PAUSES : 0;
	uint64_t blocks = events & SAMPLING_NATIVEMEM ? FILES_BLOCKS : 0;
	uint64_t cpu = events & SAMPLING_PAGEFAULT ? 2 * FILES_CPU : FILES_CPU;
	uint64_t least = FILES_BASE +
			 (FILES_TARGET + pauses + blocks) * o->pid_count +
			 cpu * (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
	uint64_t allowed = open_files_raise(FILES_MANY);

	if (allowed >= least)
		return 0;
	return fail(err, ERROR_UNAVAILABLE,
		    "cannot sample: %" PRIu64 " file descriptors are needed "
		    "and %" PRIu64 " are allowed; raise the limit with "
		    "`ulimit -n %" PRIu64 "`",
		    least, allowed, least);
}

static void live_log_start(const struct prof_live_options *o,
			   const struct sampling *s)
{
	struct text name = { 0 };

	sampling_add_name(s, &name);
	if (!o->sampling.duration_ns && !o->command)
		log_info("sampling %s; press Ctrl-C to stop", name.bytes);
	else
		log_detail("sampling %s", name.bytes);
	text_release(&name);
}

/* Starts sampling; NULL and *err on failure. */
static struct sampling *live_start(const struct prof_live_options *o,
				   struct error *err)
{
	struct sampling *s;

	if (live_check_files(o, err))
		return NULL;
	s = live_open_session(o, err);
	if (!s)
		return NULL;
	if (o->command && sampling_launch(s, o->command, err))
		goto failed;
	for (size_t i = 0; i < o->pid_count; i++) {
		struct jvm jvm;

		if (target_open_named(&jvm, o->pids[i], err) ||
		    sampling_add(s, &jvm, err))
			goto failed;
	}
	if (sampling_find(s, err))
		goto failed;
	/* Until here, a signal ends sjkc at once: there are no samples yet. */
	signals_listen();
	prof_snapshot_listen();
	if (sampling_start(s, err) == 0) {
		live_log_start(o, s);
		return s;
	}
failed:
	sampling_close(s);
	return NULL;
}

void prof_live_set_interval(const struct sampling_options *o, struct profile *p)
{
	char period[32];

	if (!(o->events & SAMPLING_ALLOC))
		return;
	snprintf(period, sizeof(period), "%" PRIu64 " bytes",
		 agent_client_interval(o->alloc_interval));
	profile_set(p, "alloc", "period", period);
}

/* The context of live_write_snapshot(). */
struct live {
	const struct prof_live_options *o;
	struct sampling *sampling;
	struct perfdata *counters; /* of the only process; NULL = unknown */
	int64_t before[COUNTERS];  /* their values when sampling began */
};

static int live_write(const struct live *l, struct profile *p,
		      struct error *err)
{
	struct text name = { 0 }, title = { 0 };
	int ret;

	prof_live_set_interval(&l->o->sampling, p);
	sampling_add_name(l->sampling, &name);
	sampling_add_title(l->sampling, &title);
	ret = l->o->write(l->o->self, p, name.bytes, title.bytes, err);
	text_release(&name);
	text_release(&title);
	return ret;
}

/* Runs in a child process, which may change its copy of the profile. */
static int live_write_snapshot(void *self, struct error *err)
{
	const struct live *l = self;

	return live_write(l, sampling_profile(l->sampling), err);
}

static void live_run(struct live *l)
{
	struct pollfd fds[] = {
		{ .fd = signals_fd(), .events = POLLIN },
		{ .fd = prof_snapshot_fd(), .events = POLLIN },
	};
	int64_t start_ns = clock_monotonic_ns();
	uint64_t duration_ns = (uint64_t)l->o->sampling.duration_ns;

	if (duration_ns)
		progress_start("sampling");
	while (sampling_step(l->sampling, fds, 2)) {
		if (fds[0].revents)
			break;
		if (fds[1].revents && prof_snapshot_taken())
			prof_snapshot_write(live_write_snapshot, l);
		if (duration_ns)
			progress_show(
				NULL,
				(uint64_t)(clock_monotonic_ns() - start_ns),
				duration_ns);
	}
	progress_end();
}

/* Returns the program's exit status as shells do: 128 + N for signal N. */
static int live_log_program(const struct live *l,
			    const struct sampling_result *r)
{
	const char *name = r->is_launched ? l->o->command[0] : "";

	if (!r->is_launched)
		return 0;
	if (!r->has_exited) {
		log_info("process %d is still running", (int)r->launched);
		return 0;
	}
	if (WIFSIGNALED(r->status)) {
		log_info("%s was terminated by signal %d (%s)", name,
			 WTERMSIG(r->status), strsignal(WTERMSIG(r->status)));
		return 128 + WTERMSIG(r->status);
	}
	if (WEXITSTATUS(r->status))
		log_info("%s exited with status %d", name,
			 WEXITSTATUS(r->status));
	return WEXITSTATUS(r->status);
}

/* Makes a failed program's exit status that of sjkc, after other messages. */
static int live_return_status(int status, int ret, struct error *err)
{
	if (!status ||
	    (ret && err->kind != ERROR_PARTIAL && err->kind != ERROR_NO_TARGET))
		return ret;
	if (ret)
		log_error("%s", err->text);
	*err = (struct error){ .kind = (enum error_kind)status };
	return -1;
}

/* Logs losses, and notes if the output has no place for them. */
static void live_log_remarks(const struct prof_live_options *o,
			     const struct profile *p)
{
	struct text count = { 0 };

	for (size_t i = 0; i < p->remark_count; i++) {
		const struct remark *r = &p->remarks[i];

		text_clear(&count);
		remark_add_count(&count, r);
		(r->is_loss          ? log_always
		 : o->shows_no_notes ? log_info
				     : log_detail)("%s: %s (%s)", r->what,
						   count.bytes, r->first);
	}
	text_release(&count);
}

static bool live_has_samples(const struct profile *p)
{
	for (size_t i = 0; i < p->event_count; i++) {
		if (p->events[i].samples)
			return true;
	}
	return false;
}

static void live_read_counters(struct live *l)
{
	const struct jvm *only = sampling_result(l->sampling).only;

	if (only)
		l->counters = perfdata_open(only, error_unused());
	for (size_t i = 0; l->counters && i < COUNTERS; i++) {
		if (!counters_of[i].counter ||
		    !perfdata_value(l->counters, counters_of[i].counter,
				    &l->before[i]))
			l->before[i] = INT64_MAX;
	}
}

/* Appends why the event with this bit has no samples. */
static void live_add_reason(const struct live *l, unsigned event,
			    struct text *why)
{
	bool omits_waits = l->o->sampling.min_blocked_ns > 0;
	int64_t now;

	text_puts(why, why->len ? "; " : "");
	if (event < COUNTERS && counters_of[event].counter && l->counters &&
	    !(1U << event == SAMPLING_LOCK && omits_waits) &&
	    perfdata_value(l->counters, counters_of[event].counter, &now) &&
	    now > l->before[event])
		text_printf(why,
			    "the reason is unknown: the JVM counted %" PRId64
			    " %s meanwhile; run prof again",
			    now - l->before[event], counters_of[event].what);
	else
		text_puts(why, no_samples_of[event]);
}

static bool live_has_samples_of(const struct profile *p, const char *event)
{
	for (size_t i = 0; i < p->event_count; i++) {
		if (strcmp(profile_text(p, p->events[i].name), event) == 0)
			return p->events[i].samples > 0;
	}
	return false;
}

/* An event without samples has no report among those of other events. */
static void live_log_missing(const struct live *l, const struct profile *p,
			     unsigned events)
{
	struct text why = { 0 };
	const char *name;

	for (unsigned i = 0; (name = sampling_event_name(i)); i++) {
		if (!(events & 1U << i) || live_has_samples_of(p, name))
			continue;
		text_clear(&why);
		live_add_reason(l, i, &why);
		log_info("no samples of %s: %s", name, why.bytes);
	}
	text_release(&why);
}

/* Appends why a process does not run, or nothing if it can run. */
static void live_add_stop_reason(const struct jvm *jvm, struct text *why)
{
	struct condition list[ATTACH_CONDITIONS_MAX];
	size_t count = attach_conditions(jvm, list);

	for (size_t i = 0; i < count && !why->len; i++) {
		if (condition_stops(&list[i]))
			text_printf(why, "%s; %s", list[i].detail,
				    list[i].remedy);
	}
}

static int live_fail_without_samples(const struct live *l,
				     const struct sampling_result *r,
				     struct error *err)
{
	struct text name = { 0 }, why = { 0 };
	unsigned events;

	sampling_add_name(l->sampling, &name);
	if (r->only)
		live_add_stop_reason(r->only, &why);
	events = why.len ? 0 : r->events;
	for (unsigned i = 0; sampling_event_name(i); i++) {
		if (events & 1U << i)
			live_add_reason(l, i, &why);
	}
	if (!r->processes && !r->is_launched && l->o->sampling.probe)
		fail(err, ERROR_NO_TARGET,
		     "no JVM has a published probe '%s'; publish one with "
		     "`sjkc probe --publish PID CLASS.METHOD` and keep it "
		     "running",
		     l->o->sampling.probe);
	else if (!r->processes && !r->is_launched)
		fail(err, ERROR_NO_TARGET, "no JVM to sample");
	else if (r->ended || !r->processes)
		fail(err, ERROR_NO_TARGET, "%s exited before it was sampled",
		     name.bytes);
	else
		fail(err, ERROR_FAILED, "%s: no samples: %s", name.bytes,
		     why.bytes);
	text_release(&why);
	text_release(&name);
	return -1;
}

static int live_finish(struct live *l, struct error *err)
{
	struct sampling_result r;
	struct profile *p;
	int ret, status;

	sampling_stop(l->sampling);
	if (l->counters && perfdata_refresh(l->counters, error_unused())) {
		perfdata_close(l->counters);
		l->counters = NULL;
	}
	prof_snapshot_await(clock_monotonic_ns() + PROF_SNAPSHOT_NS);
	r = sampling_result(l->sampling);
	p = sampling_profile(l->sampling);
	status = live_log_program(l, &r);
	live_log_remarks(l->o, p);
	if (!live_has_samples(p)) {
		ret = live_fail_without_samples(l, &r, err);
		return live_return_status(status, ret, err);
	}
	live_log_missing(l, p, r.events);
	ret = live_write(l, p, err);
	if (ret == 0 && r.ended)
		ret = fail(err, ERROR_PARTIAL,
			   "the profile is incomplete: %zu of %zu processes "
			   "exited before sampling was over",
			   r.ended, r.processes);
	return live_return_status(status, ret, err);
}

/* Prints a notice of the library on stderr. */
static void live_on_notice(void *self, enum sampling_notice level,
			   const char *text)
{
	static void (*const print[])(const char *fmt, ...) = {
		[SAMPLING_DETAIL] = log_detail,
		[SAMPLING_INFO] = log_info,
		[SAMPLING_LOSS] = log_always,
	};

	(void)self;
	print[level]("%s", text);
}

struct sampling *prof_live_start(struct prof_live_options *o, struct error *err)
{
	o->sampling.several = o->pid_count > 1;
	o->sampling.notice = live_on_notice;
	o->sampling.add_name = main_name_add_with_pod;
	o->sampling.before_exec = open_files_restore;
	return live_start(o, err);
}

int prof_live(const struct prof_live_options *given, struct error *err)
{
	struct prof_live_options o = *given;
	struct live l = { .o = &o };
	int ret = -1;

	l.sampling = prof_live_start(&o, err);
	if (l.sampling) {
		live_read_counters(&l);
		live_run(&l);
		ret = live_finish(&l, err);
	}
	perfdata_close(l.counters);
	sampling_close(l.sampling);
	return ret;
}
