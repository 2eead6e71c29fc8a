/* SPDX-License-Identifier: Apache-2.0 */
/* prof of running processes: checks the options, samples, writes the output. */
#include "cmd/prof/prof_options.h"
#include "core/base/output.h"
#include "core/unwind/unwinder.h"

#include <stdlib.h>
#include <string.h>

enum {
	PROF_MIN_STACK = 4 * 1024,
	PROF_MAX_STACK = 256 * 1024,
};

/* The context of process_write(). */
struct writing {
	const struct prof_options *options;
	struct prof_output output;
	struct sample_filter *filter;
	struct jvm_selector *selector; /* or NULL */
};

/* Chooses the views each time, because the profile grows between snapshots. */
static int process_write(void *self, struct profile *p, const char *name,
			 const char *title, struct error *err)
{
	const struct writing *w = self;
	struct flame_output_options options = w->options->drawing;
	struct flame_output d = {
		.options = &options,
		.profile = p,
		.source = title,
		.name = name,
		.output = w->options->output ? w->options->output : "-",
		.all_asked = true,
	};
	int ret;

	/* The profile has the chosen events only. */
	options.event = NULL;
	ret = flame_output_choose(&d, w->filter, err);
	if (ret == 0)
		ret = prof_write(&w->output, &d, err);
	flame_output_release(&d);
	return ret;
}

static int process_check_limits(const struct prof_options *o, struct error *err)
{
	const struct prof_live_options *live = &o->live;

	if (live->sampling.stack_bytes < PROF_MIN_STACK ||
	    live->sampling.stack_bytes > PROF_MAX_STACK)
		return misuse(err, "--stack-bytes must be 4k to 256k");
	if (live->sampling.all && o->pids.count)
		return misuse(err, "options --all and --pid cannot be used "
				   "together");
	return 0;
}

static bool process_wants(void *selector, const struct jvm *jvm, bool *is_final)
{
	return jvm_selector_wants(selector, jvm, is_final);
}

static int process_sample(struct writing *w, char **command, struct error *err)
{
	const struct prof_options *o = w->options;
	const char *events = o->drawing.event ? o->drawing.event : "cpu";
	struct prof_live_options live = o->live;

	live.pids = o->pids.values;
	live.pid_count = o->pids.count;
	live.command = command;
	if (live.sampling.hz == COUNT_NOT_GIVEN)
		live.sampling.hz = 0;
	if (live.sampling.duration_ns < 0)
		live.sampling.duration_ns = 0;
	live.sampling.tid = o->tid == COUNT_NOT_GIVEN ? 0 : (pid_t)o->tid;
	live.dumps = strcmp(o->sampler, "dump") == 0;
	live.sampling.lines = o->drawing.style.lines ||
			      sample_filter_wants_lines(w->filter);
	live.sampling.moments = !w->output.report &&
				w->output.drawing->is_page &&
				!prof_push_is_wanted(&o->push);
	live.shows_no_notes = !prof_output_shows_notes(&w->output);
	live.write = process_write;
	live.self = w;
	if (w->selector) {
		live.sampling.wants = process_wants;
		live.sampling.selector = w->selector;
	}
	live.sampling.events = prof_live_events(events, &live.sampling.probe,
						err);
	w->output.every_event = true;
	if (live.sampling.events & (SAMPLING_ALLOC | SAMPLING_LOCK) &&
	    live.sampling.no_agent && !live.jfr)
		return misuse(err,
			      "-e alloc and -e lock require the sjkc agent: "
			      "omit --no-agent, or use --jfr");
	if (live.jfr && (live.dumps || prof_push_is_wanted(&o->push)))
		return misuse(err, "--jfr does not support --sampler dump and "
				   "-o DIR/");
	if (live.sampling.events & SAMPLING_NATIVEMEM && live.sampling.all)
		return misuse(err, "-e nativemem does not support --all: it "
				   "may slow down JVMs that start later; use "
				   "--pid");
	if ((live.sampling.older_ns || live.sampling.forced) &&
	    !(live.sampling.events & SAMPLING_NATIVEMEM))
		return misuse(err, "--older and --force require -e nativemem");
	if (live.idle && !live.dumps &&
	    !(live.sampling.events & (SAMPLING_OFFCPU | SAMPLING_WALL)))
		return misuse(err, "--idle requires -e offcpu, -e wall or "
				   "--sampler dump");
	if (live.sampling.events && prof_push_is_wanted(&o->push))
		return prof_push(&live, &o->push, w->filter, err);
	if (live.sampling.events &&
	    output_try(o->output ? o->output : "-", err) == 0)
		return live.jfr     ? prof_jfr(&live, err)
		       : live.dumps ? prof_dumps(&live, err)
				    : prof_live(&live, err);
	return -1;
}

int prof_process(const struct prof_options *o, char **command,
		 struct error *err)
{
	struct writing w = { .options = o };
	int ret = -1;

	if (process_check_limits(o, err))
		return -1;
	if (jvm_selector_is_given(&o->select)) {
		w.selector = jvm_selector_new(&o->select, err);
		if (!w.selector)
			return -1;
	}
	if (prof_output_choose(&w.output, o, err) == 0)
		w.filter = sample_filter_new(&o->filter, err);
	if (w.filter)
		ret = process_sample(&w, command, err);
	jvm_selector_log(w.selector);
	jvm_selector_free(w.selector);
	sample_filter_free(w.filter);
	prof_output_release(&w.output);
	return ret;
}
