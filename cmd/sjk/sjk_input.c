/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/sjk/sjk_input.h"

#include "cmd/shared/log.h"
#include "cmd/shared/recording.h"
#include "core/base/alloc.h"
#include "core/base/pattern.h"
#include "core/profile/filter.h"

#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* JFR events of --jfr-event; the first of a list is SJK's own choice. */
static const struct {
	const char *choice;
	const char *events[4];
} choices[] = {
	{ "EXEC", { "jdk.ExecutionSample", "jdk.NativeMethodSample" } },
	{ "ALLOC",
	  { "jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB",
	    "jdk.ObjectAllocationSample" } },
	{ "THROW", { "jdk.JavaExceptionThrow", "jdk.JavaErrorThrow" } },
};

struct sjk_input {
	const struct sjk_input_options *options;
	const struct sjk_sink *sink;
	struct profile *profile;
	struct sample_tap tap;
	struct trace_filter *filter, *trim;
	struct trace_verdicts *filtered, *trimmed;
	struct pattern *thread_name;
	char *chosen; /* the one event that is not of JFR, or NULL */
	/* Results, index: thread or event; see enum below. */
	uint8_t *threads, *events;
	size_t thread_count, thread_cap, event_count, event_cap;
};

enum { INPUT_UNDECIDED, INPUT_KEPT, INPUT_DROPPED };

/*
 * Samples of different events are never added up: only the first event of a
 * file that is not of JFR is kept.
 */
static bool input_takes_event(struct sjk_input *in, const char *event)
{
	if (strcmp(event, "nps.cpu") == 0)
		return false; /* a part of nps.wall */
	if (!in->chosen)
		in->chosen = xstrdup(event);
	if (strcmp(in->chosen, event) == 0)
		return true;
	log_always("samples of the event '%s' are skipped; only '%s' is used",
		   event, in->chosen);
	return false;
}

static bool input_chooses(struct sjk_input *in, const char *event)
{
	const char *wanted = in->options->jfr_event;
	bool known = strncmp(event, "jdk.", 4) == 0 ||
		     strncmp(event, "profiler.", 9) == 0;

	if (!known)
		return in->sink->any_event ? strcmp(event, "nps.cpu") != 0
					   : input_takes_event(in, event);
	for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++) {
		if (strcmp(choices[i].choice, wanted ? wanted : "EXEC") != 0)
			continue;
		for (size_t k = 0; k < 4 && choices[i].events[k]; k++) {
			if (strcmp(choices[i].events[k], event) == 0)
				return true;
		}
	}
	return false;
}

static bool input_keeps_event(struct sjk_input *in, uint32_t event)
{
	const struct profile *p = in->profile;

	array_reserve(in->events, in->event_cap, event + 1);
	while (in->event_count <= event)
		in->events[in->event_count++] = INPUT_UNDECIDED;
	if (in->events[event] == INPUT_UNDECIDED)
		in->events[event] = input_chooses(
					    in,
					    profile_text(p,
							 p->events[event].name))
					    ? INPUT_KEPT
					    : INPUT_DROPPED;
	return in->events[event] == INPUT_KEPT;
}

static bool input_keeps_thread(struct sjk_input *in, uint32_t thread)
{
	const struct profile *p = in->profile;
	uint32_t name = p->threads[thread].name;

	if (!in->thread_name)
		return true;
	array_reserve(in->threads, in->thread_cap, thread + 1);
	while (in->thread_count <= thread)
		in->threads[in->thread_count++] = INPUT_UNDECIDED;
	if (in->threads[thread] == INPUT_UNDECIDED)
		in->threads[thread] = name && pattern_matches(
						      in->thread_name,
						      profile_text(p, name),
						      intern_len(&p->strings,
								 name))
					      ? INPUT_KEPT
					      : INPUT_DROPPED;
	return in->threads[thread] == INPUT_KEPT;
}

static void input_add(void *self, const struct sample *sample,
		      const struct sample_details *d)
{
	struct sjk_input *in = self;
	const struct sjk_sink *sink = in->sink;
	struct sample s = *sample;

	if (d && d->is_event) {
		if (sink->wants_events)
			sink->add(sink->self, in->profile, &s, d);
		return;
	}
	if (!input_keeps_event(in, s.event))
		return;
	s.stack = profile_calls(in->profile, s.stack);
	if (!sink->unfiltered) {
		if (!input_keeps_thread(in, s.thread))
			return;
		if (in->filtered &&
		    !trace_verdicts_pass(in->filtered, in->profile, &s.stack,
					 s.state))
			return;
		if (in->trimmed &&
		    !trace_verdicts_pass(in->trimmed, in->profile, &s.stack,
					 s.state))
			return;
	}
	sink->add(sink->self, in->profile, &s, d);
}

static void input_prepare(void *self, struct profile *p)
{
	struct sjk_input *in = self;

	in->profile = p;
	in->tap = (struct sample_tap){ input_add, in };
	p->tap = &in->tap;
	p->keep_exact = true;
}

static int input_compile_trace(const char *option, const char *expression,
			       unsigned flags, struct trace_filter **filter,
			       struct trace_verdicts **verdicts,
			       struct error *err)
{
	if (!expression)
		return 0;
	*filter = trace_filter_new(expression, flags, err);
	if (!*filter)
		return fail_in(err, "option %s", option);
	*verdicts = trace_verdicts_new(*filter);
	return 0;
}

static int input_compile(struct sjk_input *in, struct error *err)
{
	const struct sjk_input_options *o = in->options;
	unsigned flags = o->sjk_compat ? 0 : TRACE_EXCLUSIVE;

	if (o->thread_name) {
		in->thread_name = pattern_new_whole(o->thread_name, err);
		if (!in->thread_name)
			return fail_in(err, "option --thread-name");
	}
	if (input_compile_trace("--trace-filter", o->trace_filter, flags,
				&in->filter, &in->filtered, err))
		return -1;
	return input_compile_trace("--trace-trim", o->trace_trim,
				   flags | TRACE_TRIM, &in->trim, &in->trimmed,
				   err);
}

/* Adds a file, or all files that a pattern names. */
static void input_add_file(struct option_list *files, const char *name)
{
	static glob_t found; /* owns the names */
	size_t first = found.gl_pathc;

	/* A name with wildcards may exist. */
	if (!strpbrk(name, "*?") ||
	    glob(name, first ? GLOB_APPEND : 0, NULL, &found) != 0) {
		option_list_add(files, name);
		return;
	}
	for (size_t i = first; i < found.gl_pathc; i++)
		option_list_add(files, found.gl_pathv[i]);
}

void sjk_input_expand(struct sjk_input_options *o, int argc, char **argv)
{
	struct option_list all = { 0 };

	for (size_t i = 0; i < o->files.count; i++)
		input_add_file(&all, o->files.values[i]);
	for (int i = 0; i < argc; i++)
		input_add_file(&all, argv[i]);
	free(o->files.values);
	o->files = all;
	o->is_expanded = true;
}

static struct profile *input_read(struct sjk_input *in, struct error *err)
{
	const struct sjk_input_options *o = in->options;

	return recording_read(
		&(struct recording_options){
			.paths = o->files.values,
			.path_count = o->files.count,
			.time_range = o->time_range,
			.time_zone = o->time_zone ? o->time_zone : "UTC",
			.keep_lines = true,
			.prepare = input_prepare,
			.prepare_self = in,
		},
		err);
}

const struct refusal sjk_refusals[] = {
	SJK_REFUSE_PARSERS,
	SJK_REFUSE_COMMANDS,
	{ NULL, NULL },
};

const struct shorthand sjk_shorthands[] = {
	{ "-X", "verbose", NULL },
	{ NULL, NULL, NULL },
};

struct profile *sjk_input_read(struct sjk_input_options *o, int argc,
			       char **argv, const struct sjk_sink *sink,
			       struct error *err)
{
	struct sjk_input in = { .options = o, .sink = sink };
	struct profile *p = NULL;

	/* Unless the caller has done so. */
	if (!o->is_expanded || argc)
		sjk_input_expand(o, argc, argv);
	if (!o->files.count)
		misuse(err, "missing <file>; - reads standard input");
	else if (input_compile(&in, err) == 0)
		p = input_read(&in, err);
	if (p)
		p->tap = NULL;
	pattern_free(in.thread_name);
	trace_verdicts_free(in.filtered);
	trace_verdicts_free(in.trimmed);
	trace_filter_free(in.filter);
	trace_filter_free(in.trim);
	free(in.chosen);
	free(in.threads);
	free(in.events);
	return p;
}

int sjk_input_check(const struct profile *p, struct error *err)
{
	if (!profile_is_partial(p))
		return 0;
	return fail(err, ERROR_PARTIAL,
		    "the result is incomplete: part of the input is "
		    "unreadable or lost");
}

void sjk_frames_set(struct sjk_frames *f, const struct profile *p,
		    uint32_t stack)
{
	size_t most = f->total < SJK_FRAMES ? SIZE_MAX : SJK_DEPTH;

	f->count = 0;
	for (; stack && f->count < most; stack = p->stacks[stack].caller) {
		array_add(f->at, f->count, f->cap, p->stacks[stack].frame);
	}
	f->total += f->count;
	f->cut += stack != 0;
}

int sjk_frames_check(const struct sjk_frames *f, const struct profile *p,
		     struct error *err)
{
	if (!f->cut)
		return sjk_input_check(p, err);
	log_always("lost: stack traces truncated to %d frames: %" PRIu64,
		   SJK_DEPTH, f->cut);
	return fail(err, ERROR_PARTIAL,
		    "the result is incomplete: stack traces are truncated");
}
