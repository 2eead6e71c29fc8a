/* SPDX-License-Identifier: Apache-2.0 */
/* Handles the keys that mean the same in every view, and the prompts. */
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/units.h"
#include "render/top/top.h"

#include <string.h>

static const int64_t intervals[] = {
	CLOCK_NS_PER_MS * 100, CLOCK_NS_PER_MS * 200, CLOCK_NS_PER_MS * 500,
	CLOCK_NS_PER_S,        CLOCK_NS_PER_S * 2,    CLOCK_NS_PER_S * 3,
	CLOCK_NS_PER_S * 5,    CLOCK_NS_PER_S * 10,   CLOCK_NS_PER_S * 20,
	CLOCK_NS_PER_S * 30,   CLOCK_NS_PER_S * 60,
};

#define INTERVALS (sizeof(intervals) / sizeof(*intervals))

static void input_interval_lengthen(struct top *t)
{
	for (size_t i = 0; i < INTERVALS; i++) {
		if (intervals[i] > t->interval_ns) {
			t->interval_ns = intervals[i];
			return;
		}
	}
}

static void input_interval_shorten(struct top *t)
{
	for (size_t i = INTERVALS; i > 0; i--) {
		if (intervals[i - 1] < t->interval_ns) {
			t->interval_ns = intervals[i - 1];
			return;
		}
	}
}

static void input_interval_print(struct top *t)
{
	struct text interval = { 0 };

	units_add_time(&interval, (double)t->interval_ns);
	top_message(t, false, "interval: %s", interval.bytes);
	text_release(&interval);
}

/* The label of a prompt identifies it. */
static const char label_regex[] = "regular expression",
		  label_glob[] = "glob (* and ?)",
		  label_file[] = "write to file (.csv or .json)";

static void input_set_text(char **text, const char *typed)
{
	free(*text);
	*text = *typed ? xstrdup(typed) : NULL;
}

/* Filters while the user types; an incomplete regex keeps the old filter. */
static void input_set_regex(struct top *t, const char *typed)
{
	struct error err;
	struct pattern *pattern = NULL;

	t->message[0] = '\0';
	if (*typed) {
		pattern = pattern_new(typed, &err);
		if (!pattern) {
			top_message(t, true, "%s", err.text);
			return;
		}
	}
	pattern_free(t->filter.pattern);
	t->filter.pattern = pattern;
	input_set_text(&t->regex, typed);
	top_select(t);
}

void top_set_glob(struct top *t, const char *glob)
{
	input_set_text(&t->glob, glob);
	t->filter.glob = t->glob;
}

static void input_set_glob(struct top *t, const char *typed)
{
	top_set_glob(t, typed);
	top_select(t);
}

static void input_prompt_changed(struct top *t)
{
	const char *typed = prompt_typed(&t->prompt);

	if (t->prompt.label == label_regex)
		input_set_regex(t, typed);
	else if (t->prompt.label == label_glob)
		input_set_glob(t, typed);
}

static void input_prompt_done(struct top *t)
{
	if (t->prompt.label == label_file && *prompt_typed(&t->prompt)) {
		t->write_to = prompt_typed(&t->prompt);
		t->actions |= TOP_ACTION_WRITE;
	}
	prompt_end(&t->prompt);
}

static void input_prompt_cancelled(struct top *t)
{
	if (t->prompt.label == label_regex)
		input_set_regex(t, "");
	else if (t->prompt.label == label_glob)
		input_set_glob(t, "");
	prompt_end(&t->prompt);
}

static void input_prompt_answer_key(struct top *t, const struct key *key)
{
	switch (prompt_key(&t->prompt, key)) {
	case PROMPT_CHANGED:
		input_prompt_changed(t);
		break;
	case PROMPT_DONE:
		input_prompt_done(t);
		break;
	case PROMPT_LEFT:
		input_prompt_cancelled(t);
		break;
	case PROMPT_UNCHANGED:
		break;
	}
}

/* Escape in the thread table: removes all filters; false if none was set. */
static bool input_drop_filters(struct top *t)
{
	struct top_filter *f = &t->filter;
	bool any = f->pattern || f->glob || f->hide_idle || f->java_only;

	f->hide_idle = f->java_only = false;
	input_set_glob(t, "");
	input_set_regex(t, "");
	return any;
}

static void input_leave_view(struct top *t)
{
	if (t->depth > 1)
		view_leave(t);
	else if (!input_drop_filters(t))
		top_message(t, false, "press q to quit");
}

static void input_toggle_pause(struct top *t)
{
	if (t->ended) {
		top_message(t, false, "no more samples");
		return;
	}
	t->paused = !t->paused;
}

static void input_common_request(struct top *t, enum top_request request)
{
	switch (request) {
	case REQUEST_QUIT:
		t->actions |= TOP_ACTION_QUIT;
		break;
	case REQUEST_LEAVE:
		input_leave_view(t);
		break;
	case REQUEST_HELP:
		view_open(t, &view_help);
		break;
	case REQUEST_DEADLOCKS:
		view_open(t, &view_deadlocks);
		break;
	case REQUEST_BLOCKED:
		view_open(t, &view_blocked);
		break;
	case REQUEST_CONTENTION:
		t->actions |= TOP_ACTION_CONTENTION;
		break;
	case REQUEST_REGEX:
		prompt_start(&t->prompt, label_regex, t->regex);
		break;
	case REQUEST_GLOB:
		prompt_start(&t->prompt, label_glob, t->glob);
		break;
	case REQUEST_WRITE:
		prompt_start(&t->prompt, label_file, "ttop.csv");
		break;
	case REQUEST_PAUSE:
		input_toggle_pause(t);
		break;
	case REQUEST_FASTER:
		input_interval_shorten(t);
		input_interval_print(t);
		break;
	case REQUEST_SLOWER:
		input_interval_lengthen(t);
		input_interval_print(t);
		break;
	case REQUEST_REDRAW:
		t->actions |= TOP_ACTION_REDRAW;
		break;
	default:
		break;
	}
}

void top_key(struct top *t, const struct key *key)
{
	const struct view *view = view_of(t);
	enum top_request request;

	t->message[0] = '\0';
	if (t->prompt.label) {
		input_prompt_answer_key(t, key);
		return;
	}
	request = top_keys_request(key, view->place);
	if (!view->request(t, request, key))
		input_common_request(t, request);
}
