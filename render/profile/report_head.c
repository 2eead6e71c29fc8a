/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the first lines of a text report: samples, losses, bias, states. */
#include "render/profile/report.h"

#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "core/profile/bias.h"
#include "render/text/amount.h"
#include "render/text/columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAMED_EVENTS 6 /* maximum number of other events to name */

/* Earlier times, before 2001, count from the start of a system. */
#define CLOCK_DATED_NS INT64_C(1000000000000000000)

static void head_add_times(struct text *out, const struct report *r)
{
	int64_t from, to;

	if (!report_times(r, &from, &to))
		return;
	if (to > from) {
		text_puts(out, ", recorded for ");
		amount_add(out, UNIT_NS, (uint64_t)to - (uint64_t)from);
	}
	/* perf's clock starts with the system: it has no date. */
	if (from < CLOCK_DATED_NS)
		return;
	text_puts(out, to > from ? " from " : ", at ");
	units_add_local_time(out, from);
}

/*
 * Appends "wall of a.jfr: 90 samples each 1 s, total 90 s, recorded for 30 s
 * from …".
 */
static void head_add_summary(struct text *out, const struct report *r)
{
	struct text rate = { 0 };

	safe_text_puts(out, r->view->name);
	text_puts(out, " of ");
	safe_text_puts(out, r->options->source);
	text_puts(out, ": ");
	units_add_counted(out, r->view->samples, "sample");
	rate_add(&rate, r->profile, r->view);
	if (rate.len) {
		text_putc(out, ' ');
		safe_text(out, rate.bytes, rate.len);
	}
	if (r->unit != UNIT_SAMPLES) {
		text_puts(out, ", total ");
		amount_add(out, r->unit, r->whole);
		text_puts(out, r->unit == UNIT_COUNT ? " events" : "");
	}
	if (r->without_stack) {
		text_puts(out, ", ");
		amount_add(out, r->unit, r->without_stack);
		text_puts(out, " without a stack trace");
	}
	head_add_times(out, r);
	text_release(&rate);
}

/* Appends the thread states, if there are several. */
static void head_add_states(struct text *out, const struct report *r)
{
	size_t count = 0;

	for (size_t i = 0; i < THREAD_STATES; i++)
		count += r->states[i] != 0;
	if (count < 2)
		return;
	for (size_t i = 0; i < THREAD_STATES; i++) {
		if (!r->states[i])
			continue;
		text_printf(out, "%s%s ", out->len ? ", " : "states: ",
			    thread_state_names[i]);
		units_add_count(out, r->states[i]);
	}
}

static void head_add_bias(struct text *out, const struct report *r)
{
	struct text bias = { 0 };

	bias_add(&bias, r->profile, r->view);
	if (bias.len) {
		text_puts(out, "note: ");
		safe_text(out, bias.bytes, bias.len);
	}
	text_release(&bias);
}

static void head_add_idle(struct text *out, const struct report *r)
{
	if (!r->idle.samples || !r->options->for_people)
		return;
	text_puts(out, "note: idle threads omitted: ");
	/* Records of samples may count for several; the summary has records. */
	amount_add(out, r->unit,
		   r->unit == UNIT_SAMPLES ? r->idle.samples : r->idle.weight);
	text_puts(out, "; --idle includes them");
}

/*
 * True for events that are recorded one by one, or of one moment: their shares
 * are no estimates. Where there is a rate, they were sampled nevertheless.
 */
static bool head_is_complete(const struct report *r)
{
	static const char *const complete[] = {
		"thread-dump", "probe", "lock", "offcpu",
		"pagefault",   "jdk.",  "nps.",
	};
	const struct event_view *view = r->view;
	const char *event = profile_text(
		r->profile, r->profile->events[view->events[0]].name);
	struct text rate = { 0 };
	bool is_sampled;

	rate_add(&rate, r->profile, view);
	is_sampled = rate.len != 0;
	text_release(&rate);
	if (is_sampled)
		return false;
	for (size_t i = 0; i < sizeof(complete) / sizeof(*complete); i++) {
		if (strncmp(event, complete[i], strlen(complete[i])) == 0)
			return true;
	}
	/* Tracepoints of perf: "sched:sched_switch". */
	return strchr(event, ':') ||
	       (view->unit == UNIT_COUNT && view->weight == view->samples);
}

/* Shares of fewer samples differ from the truth by more than 20 points. */
#define FEW_SAMPLES 20

static void head_add_few(struct text *out, const struct report *r)
{
	uint64_t samples = r->view->samples;

	if (samples && samples < FEW_SAMPLES && !head_is_complete(r))
		text_printf(out,
			    "note: only %" PRIu64
			    " sample%s: shares are rough; sample for longer",
			    samples, units_plural(samples));
}

#define INTERPRETED_LEAST 0.05 /* minimum share that is printed */

static void head_add_interpreted(struct text *out, const struct report *r)
{
	double share = (double)r->interpreted / (double)r->whole;

	if (r->interpreted && share >= INTERPRETED_LEAST &&
	    !head_is_complete(r))
		text_printf(out, "note: interpreted code: %.1f%%", 100 * share);
}

/* Appends a shell argument; quotes names of nested classes such as a.B$C. */
static void head_add_argument(struct text *out, const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
	const char *quote = name[strspn(name, plain)] ? "'" : "";

	text_puts(out, quote);
	safe_text_puts(out, name);
	text_puts(out, quote);
}

static void head_add_others(struct text *out, const struct report *r)
{
	struct event_view *views;
	size_t count = event_views(r->profile, &views);
	const char *first = NULL;
	size_t named = 0;

	for (size_t i = 0; i < count; i++) {
		if (views[i].events[0] == r->view->events[0])
			continue;
		if (named++ == NAMED_EVENTS)
			break;
		if (!first)
			first = views[i].name;
		text_puts(out, named == 1 ? "also recorded: " : ", ");
		safe_text_puts(out, views[i].name);
		text_puts(out, " (");
		units_add_count(out, views[i].samples);
		text_puts(out, ")");
	}
	if (named > NAMED_EVENTS)
		text_puts(out, ", …");
	if (first) {
		text_puts(out, "; use -e ");
		head_add_argument(out, first);
	}
	free(views);
}

static void head_put_line(struct text *out, const struct report *r,
			  void (*add)(struct text *out, const struct report *r))
{
	struct text line = { 0 };

	text_puts(&line, "");
	add(&line, r);
	if (line.len)
		columns_wrap(out, line.bytes, 0, 2, r->options->width);
	text_release(&line);
}

/* Writes the losses, or the other remarks, of the report's events. */
static void head_put_remarks(struct text *out, const struct report *r,
			     bool losses)
{
	const struct profile *p = r->profile;
	bool *in_view = view_events(p, r->view);
	struct text line = { 0 };

	for (size_t i = 0; i < p->remark_count; i++) {
		uint32_t event = p->remarks[i].event;

		if (p->remarks[i].is_loss != losses ||
		    (event && !in_view[event - 1]))
			continue;
		text_clear(&line);
		text_printf(&line, "%s: %s: ", losses ? "lost" : "note",
			    p->remarks[i].what);
		remark_add_count(&line, &p->remarks[i]);
		columns_wrap(out, line.bytes, 0, 2, r->options->width);
	}
	text_release(&line);
	free(in_view);
}

void report_head(struct text *out, const struct report *r)
{
	head_put_line(out, r, head_add_summary);
	head_put_remarks(out, r, true);
	head_put_line(out, r, head_add_bias);
	head_put_line(out, r, head_add_idle);
	head_put_line(out, r, head_add_few);
	head_put_line(out, r, head_add_interpreted);
	head_put_remarks(out, r, false);
	head_put_line(out, r, head_add_states);
	if (r->options->alone)
		head_put_line(out, r, head_add_others);
}
