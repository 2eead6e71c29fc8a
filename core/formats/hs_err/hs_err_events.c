/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"
#include "core/formats/hs_err/hs_err_parser.h"

#include <string.h>

/* Keeps the last events of all lists; each list is in order of time. */
static void event_add(struct hs_err *e, const struct hs_err_event *event)
{
	size_t at = e->event_count;

	if (at == HS_ERR_EVENTS) {
		if (event->seconds < e->events[0].seconds)
			return;
		memmove(e->events, e->events + 1,
			(HS_ERR_EVENTS - 1) * sizeof(*e->events));
		at--;
	}
	e->event_count = at + 1;
	while (at > 0 && e->events[at - 1].seconds > event->seconds) {
		e->events[at] = e->events[at - 1];
		at--;
	}
	e->events[at] = *event;
}

/* Adds the first space of the heap to "GC heap before" and "GC heap after". */
static void parse_event_heap(struct hs_err_parser *p, struct line line)
{
	struct hs_err *e = p->e;
	struct text text = { 0 };
	struct line rest;

	if (!line_after(line, "used ", &rest))
		return;
	p->section = NULL;
	line = line_trimmed(line_before(line, "["));
	if (line.len > HS_ERR_STRING)
		return;
	text_printf(&text, "%s: ", p->gc_text);
	text_add(&text, line.text, line.len);
	for (size_t i = 0; i < e->event_count; i++)
		if (e->events[i].text == p->gc_text)
			e->events[i].text = arena_copy(&e->arena, text.bytes,
						       text.len);
	text_release(&text);
}

/* "0.022 Thread 0x00007f… Exception <a 'java/lang/…'{0x…}: …> (0x…) …" */
void hs_err_parse_event(struct hs_err_parser *p, struct line line)
{
	struct hs_err_event event = { .kind = p->event_kind };
	struct line rest = line_trimmed(line), word;

	if (!p->event_kind)
		return;
	word = line_word(&rest);
	event.seconds = line_seconds(word);
	if (event.seconds < 0)
		return;
	if (line_starts(rest, "Thread 0x")) {
		rest = line_skip(rest, strlen("Thread "));
		line_word(&rest);
	}
	/* JDK 22: "{heap Before GC invocations=0 (full 0):" */
	if (line_starts(rest, "{"))
		rest = line_skip(rest, 1);
	if (line_ends(rest, ":"))
		rest.len--;
	event.text = hs_err_string(p->e, rest);
	if (!event.text)
		return;
	event_add(p->e, &event);
	p->gc_text = event.text;
	p->section = parse_event_heap;
}

/* "GC Heap History (2 events):"; JDK 22: "GC Heap Usage History" */
bool hs_err_parse_event_title(struct hs_err_parser *p, struct line line)
{
	static const struct {
		const char *title, *kind;
	} lists[] = {
		{ "GC Heap ", "gc" },
		{ "Deoptimization events", "deoptimization" },
		{ "Internal exceptions", "exception" },
	};
	struct line rest;

	if (!line_ends(line, " events):") && !line_ends(line, " event):"))
		return false;
	p->event_kind = NULL;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		if (line_starts(line, lists[i].title) &&
		    line_after(line, "(", &rest))
			p->event_kind = lists[i].kind;
	return true;
}
