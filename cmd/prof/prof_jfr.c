/* SPDX-License-Identifier: Apache-2.0 */
/* prof --jfr: allocations and locks by a recording of JFR, without an agent. */
#include "cmd/prof/prof_live.h"

#include "cmd/shared/command.h"
#include "cmd/shared/jfr_recording.h"
#include "cmd/shared/log.h"
#include "cmd/shared/recording.h"
#include "cmd/shared/signals.h"
#include "cmd/shared/target.h"
#include "core/base/text.h"
#include "core/jvm/jdk_version.h"
#include "core/jvm/main_name.h"
#include "core/profile/event_view.h"
#include "core/profile/moments.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/*
 * The JDKs whose JFR.start supports settings of events. Older JDKs have only
 * the settings in their files, of which profile.jfc enables these events, too.
 */
#define JFR_FIRST_SETTINGS 17
/* The first JDK with jdk.ObjectAllocationSample (JDK-8257602). */
#define JFR_FIRST_SAMPLE 16

/*
 * The first JDK whose virtual threads leave their carrier to wait for a monitor
 * (JEP 491). JFR does not record these waits.
 */
#define JFR_FIRST_UNMOUNTED 24

#define JFR_STEP_NS         (CLOCK_NS_PER_S / 5) /* of the progress bar */

#define JFR_MONITOR         "jdk.JavaMonitorEnter"

/* The rate of profile.jfc. */
#define JFR_ALLOC                                                              \
	" +jdk.ObjectAllocationSample#enabled=true"                            \
	" +jdk.ObjectAllocationSample#stackTrace=true"                         \
	" +jdk.ObjectAllocationSample#throttle=300/s"                          \
	" +jdk.ThreadAllocationStatistics#enabled=true"                        \
	" +jdk.ThreadAllocationStatistics#period=everyChunk"

struct jfr_profile {
	const struct prof_live_options *o;
	struct jvm jvm;
	unsigned version; /* of the JDK; 0 = unknown */
	struct text name;
	struct attach *attach;
	struct jfr_recording recording;
	struct profile *profile;
};

static const struct {
	unsigned event;
	const char *view, *why_none;
} events[] = {
	{ SAMPLING_ALLOC, "alloc",
	  "too little was allocated; use a longer -d" },
	{ SAMPLING_LOCK, "lock",
	  "no thread waited for a monitor, or for as long as --min-blocked; -e "
	  "offcpu shows other waits" },
};

#define EVENTS (sizeof(events) / sizeof(*events))

static int jfr_check_options(const struct prof_live_options *o,
			     struct error *err)
{
	const struct sampling_options *s = &o->sampling;

	if (s->events & ~(unsigned)(SAMPLING_ALLOC | SAMPLING_LOCK))
		return misuse(err, "--jfr requires -e alloc or -e lock");
	if (s->all || o->command || o->pid_count != 1)
		return misuse(err, "--jfr requires one running JVM: name its "
				   "PID");
	/* The parser has rejected the options of sjkc. */
	if (s->hz || s->alloc_interval)
		return misuse(err, "--jfr does not support -i");
	return 0;
}

static void jfr_add_options(const struct jfr_profile *j, struct text *out)
{
	if (j->version && j->version < JFR_FIRST_SETTINGS) {
		text_puts(out, "settings=profile");
		return;
	}
	text_puts(out, "settings=none +jdk.ActiveSetting#enabled=true "
		       "+jdk.DataLoss#enabled=true");
	if (j->o->sampling.events & SAMPLING_ALLOC)
		text_puts(out, JFR_ALLOC);
	if (!(j->o->sampling.events & SAMPLING_LOCK))
		return;
	text_puts(out, " +" JFR_MONITOR "#enabled=true "
		       "+" JFR_MONITOR "#stackTrace=true "
		       "+" JFR_MONITOR "#threshold=");
	jfr_add_time(out, j->o->sampling.min_blocked_ns);
}

static int jfr_open(struct jfr_profile *j, struct error *err)
{
	struct jvm_info info;

	if (target_open_named(&j->jvm, j->o->pids[0], err) ||
	    jvm_info(&j->jvm, &info, err))
		return -1;
	j->version = jdk_version_of(info.version).feature;
	jvm_info_release(&info);
	main_name_add_with_pod(&j->jvm, &j->name);
	if (j->version && j->version < JFR_FIRST_SETTINGS &&
	    j->o->sampling.min_blocked_ns)
		return fail(err, ERROR_UNAVAILABLE,
			    "%d: --min-blocked with --jfr requires JDK %d or "
			    "later, and this is JDK %u",
			    (int)j->jvm.pid, JFR_FIRST_SETTINGS, j->version);
	j->attach = attach_open(&j->jvm, JFR_TIMEOUT_NS, err);
	return j->attach ? 0 : -1;
}

/* Waits for the end of the duration, a signal, or the end of the JVM. */
static void jfr_wait(const struct jfr_profile *j)
{
	int64_t start_ns = j->recording.start_ns;
	int64_t duration_ns = j->o->sampling.duration_ns;
	int64_t until_ns = duration_ns ? clock_after(start_ns, duration_ns)
				       : INT64_MAX;
	int64_t now_ns;

	if (duration_ns)
		progress_start("recording");
	while ((now_ns = clock_monotonic_ns()) < until_ns &&
	       jvm_runs(&j->jvm) &&
	       signals_wait(j->jvm.pidfd, until_ns - now_ns < JFR_STEP_NS
						  ? until_ns
						  : now_ns + JFR_STEP_NS) !=
		       WAIT_SIGNAL) {
		if (duration_ns)
			progress_show(NULL, (uint64_t)(now_ns - start_ns),
				      (uint64_t)duration_ns);
	}
	progress_end();
}

/* JFR.start runs in the first of these threads, and JFR in the others. */
static bool jfr_is_own(const struct profile *p, const struct cell *cell)
{
	const char *name = profile_text(p, p->threads[cell->thread].name);

	return strcmp(name, "Attach Listener") == 0 ||
	       strncmp(name, "JFR ", 4) == 0;
}

/* Keeps the wanted events: other recordings enable more in all of them. */
static bool jfr_is_wanted(void *self, struct cell *cell)
{
	static const char omitted[] = "samples of the threads of JFR, omitted";
	const struct jfr_profile *j = self;
	struct profile *p = j->profile;
	const char *name = profile_text(p, p->events[cell->event].name);
	bool wanted = false;

	for (size_t i = 0; i < EVENTS; i++)
		wanted |= j->o->sampling.events & events[i].event &&
			  event_view_may_have(events[i].view, name);
	if (!wanted || !jfr_is_own(p, cell))
		return wanted;
	profile_note(p, omitted, cell->count, "%s", "");
	profile_remark_event(p, omitted, cell->event);
	return false;
}

/* Fails if no event has samples, and logs the events without. */
static int jfr_check_events(const struct jfr_profile *j, struct error *err)
{
	struct text why = { 0 };
	struct event_view view;
	size_t found = 0;

	for (size_t i = 0; i < EVENTS; i++) {
		if (!(j->o->sampling.events & events[i].event))
			continue;
		if (event_view_choose(j->profile, events[i].view, &view,
				      error_unused()) == 0)
			found++;
		else
			text_printf(&why, "%sno samples of %s: %s",
				    why.len ? "; " : "", events[i].view,
				    events[i].why_none);
	}
	if (!found)
		fail(err, ERROR_FAILED, "%s: %s", j->name.bytes, why.bytes);
	else if (why.len)
		log_info("%s", why.bytes);
	text_release(&why);
	return found ? 0 : -1;
}

static int jfr_write(struct jfr_profile *j, struct error *err)
{
	const struct jfr_recording *r = &j->recording;
	struct profile *p = j->profile;
	const char *threshold = profile_setting(p, JFR_MONITOR, "threshold");
	struct text title = { 0 };
	int ret;

	profile_retain(p, jfr_is_wanted, j);
	/* The recording, not its first and last samples, sets the time. */
	p->earliest_ns = r->start_wall_ns;
	p->latest_ns = r->start_wall_ns + (r->end_ns - r->start_ns);
	if (threshold && strtoll(threshold, NULL, 10) == 0)
		profile_set(p, JFR_MONITOR, "sjkc",
			    j->version >= JFR_FIRST_UNMOUNTED ? "jfr-platform"
							      : "jfr");
	if (jfr_check_events(j, err))
		return -1;
	recording_log_notes(p, j->name.bytes, NULL, 0, !j->o->shows_no_notes);
	text_printf(&title, "%s by JFR", j->name.bytes);
	ret = j->o->write(j->o->self, p, j->name.bytes, title.bytes, err);
	text_release(&title);
	return ret;
}

static int jfr_run(struct jfr_profile *j, struct error *err)
{
	struct text options = { 0 };
	int ret;

	log_info("recording %s with JFR, which needs about 1 s of CPU time "
		 "when it starts for the first time, and keeps its threads and "
		 "its directory until the JVM exits",
		 j->name.bytes);
	/* From now on, a signal ends sjkc in order. */
	signals_listen();
	/* The JVM has the samples, so there is no snapshot. */
	signal(SIGUSR1, SIG_IGN);
	jfr_add_options(j, &options);
	ret = jfr_recording_start(&j->recording, options.bytes, err);
	text_release(&options);
	if (ret)
		return -1;
	if (!j->o->sampling.duration_ns)
		log_info("recording; press Ctrl-C to stop");
	jfr_wait(j);
	j->profile = profile_new();
	j->profile->keep_lines = j->o->sampling.lines;
	if (j->o->sampling.moments)
		profile_keep_moments(j->profile, MOMENTS_LIVE);
	if (jfr_recording_stop(&j->recording, j->profile, err))
		return -1;
	return jfr_write(j, err);
}

int prof_jfr(const struct prof_live_options *o, struct error *err)
{
	struct jfr_profile j = { .o = o, .jvm.pidfd = -1 };
	int ret = -1;

	if (jfr_check_options(o, err))
		return -1;
	if (jfr_open(&j, err) == 0) {
		jfr_recording_init(&j.recording, &j.jvm, j.attach, "prof");
		ret = jfr_run(&j, err);
		jfr_recording_release(&j.recording);
	}
	attach_close(j.attach);
	profile_free(j.profile);
	text_release(&j.name);
	jvm_close(&j.jvm);
	return ret;
}
