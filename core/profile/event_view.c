/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/event_view.h"

#include "core/base/alloc.h"
#include "core/base/safe_text.h"
#include "core/base/saturate.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

struct family {
	const char *name;
	const char *types[EVENT_VIEW_TYPES + 1]; /* ends with NULL */
};

/*
 * Families of event types whose samples can be added up, because no observation
 * is recorded by two types of a family.
 */
/* clang-format off */
static const struct family families[] = {
	{ "cpu", { "jdk.ExecutionSample" } },
	{ "cpu-time", { "jdk.CPUTimeSample" } },
	{ "native", { "jdk.NativeMethodSample" } },
	{ "wall", { "profiler.WallClockSample" } },
	{ "alloc", { "jdk.ObjectAllocationSample",
		     "jdk.ObjectAllocationInNewTLAB",
		     "jdk.ObjectAllocationOutsideTLAB" } },
	{ "lock", { "jdk.JavaMonitorEnter" } },
	{ "park", { "jdk.ThreadPark" } },
	{ "wait", { "jdk.JavaMonitorWait" } },
	{ "sleep", { "jdk.ThreadSleep" } },
	{ "io", { "jdk.FileRead", "jdk.FileWrite", "jdk.SocketRead",
		  "jdk.SocketWrite" } },
	{ "exception", { "jdk.JavaExceptionThrow", "jdk.JavaErrorThrow" } },
	{ "native-memory", { "profiler.Malloc" } },
};
/* clang-format on */

#define FAMILIES (sizeof(families) / sizeof(*families))

static const char *view_event_name(const struct profile *p, uint32_t event)
{
	return profile_text(p, p->events[event].name);
}

/* Returns the event of that name if it has samples, or NULL. */
static const struct event *event_find_sampled(const struct profile *p,
					      const char *name)
{
	for (size_t i = 0; i < p->event_count; i++) {
		if (p->events[i].samples &&
		    strcmp(view_event_name(p, (uint32_t)i), name) == 0)
			return &p->events[i];
	}
	return NULL;
}

/* Returns the family that includes a type. */
static const struct family *type_family(const char *name)
{
	for (size_t i = 0; i < FAMILIES; i++) {
		for (size_t k = 0; families[i].types[k]; k++) {
			if (strcmp(families[i].types[k], name) == 0)
				return &families[i];
		}
	}
	return NULL;
}

static const struct family *view_family(const struct profile *p, uint32_t event)
{
	static const char samples[] = "jdk.ObjectAllocationSample";
	const char *name = view_event_name(p, event);
	const struct family *family = type_family(name);

	/*
	 * The JDK's TLAB events are excluded if samples record the same bytes.
	 */
	if (family && strcmp(family->types[0], samples) == 0 &&
	    strcmp(name, samples) != 0 && event_find_sampled(p, samples))
		return NULL;
	return family;
}

static void view_add_event(struct event_view *v, const struct profile *p,
			   uint32_t event)
{
	const struct event *e = &p->events[event];

	v->unit = e->unit;
	v->events[v->event_count++] = event;
	v->samples = saturate_add(v->samples, e->samples);
	v->without_stack = saturate_add(v->without_stack, e->without_stack);
	v->weight = saturate_add(v->weight, e->weight);
}

static struct event_view view_single(const struct profile *p, uint32_t event)
{
	struct event_view v = { .name = view_event_name(p, event) };

	view_add_event(&v, p, event);
	return v;
}

/*
 * A view of all sampled events of a family; event_count is 0 if there are none.
 */
static struct event_view view_together(const struct profile *p,
				       const struct family *family)
{
	struct event_view v = { .name = family->name };

	for (uint32_t i = 0; i < p->event_count; i++) {
		if (p->events[i].samples && view_family(p, i) == family &&
		    v.event_count < EVENT_VIEW_TYPES)
			view_add_event(&v, p, i);
	}
	return v;
}

static uint64_t event_with_stack(const struct event_view *v)
{
	return v->samples - v->without_stack;
}

/*
 * Removes views without any stack trace (the JVM's settings are events, too),
 * unless that would remove all.
 */
static size_t views_drop_bare(struct event_view *views, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		kept += event_with_stack(&views[i]) != 0;
	if (!kept)
		return count;
	kept = 0;
	for (size_t i = 0; i < count; i++) {
		if (event_with_stack(&views[i]))
			views[kept++] = views[i];
	}
	return kept;
}

size_t event_views(const struct profile *p, struct event_view **views)
{
	struct event_view *all = xcalloc(p->event_count, sizeof(*all));
	size_t count = 0;

	for (size_t i = 0; i < FAMILIES; i++) {
		struct event_view v = view_together(p, &families[i]);

		if (v.event_count)
			all[count++] = v;
	}
	for (uint32_t i = 0; i < p->event_count; i++) {
		if (p->events[i].samples && !view_family(p, i))
			all[count++] = view_single(p, i);
	}
	*views = all;
	return views_drop_bare(all, count);
}

static int compare_stacks(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

size_t event_views_limit(struct event_view *views, size_t count, size_t most,
			 size_t *selected)
{
	size_t chosen = *selected, kept = 0, ties = most;
	uint64_t *stacks, least;

	if (count <= most)
		return count;
	stacks = xmalloc(count * sizeof(*stacks));
	for (size_t i = 0; i < count; i++)
		stacks[i] = i == chosen ? UINT64_MAX
					: event_with_stack(&views[i]);
	qsort(stacks, count, sizeof(*stacks), compare_stacks);
	least = stacks[most - 1];
	for (size_t i = 0; i < most && stacks[i] > least; i++)
		ties--;
	free(stacks);
	for (size_t i = 0; i < count; i++) {
		uint64_t has = i == chosen ? UINT64_MAX
					   : event_with_stack(&views[i]);

		/* Among equal views, keep the first. */
		if (has < least || (has == least && !ties))
			continue;
		ties -= has == least;
		if (i == chosen)
			*selected = kept;
		views[kept++] = views[i];
	}
	return kept;
}

static bool name_ends_with_part(const char *name, const char *part)
{
	const char *dot = strrchr(name, '.');

	return dot && strcmp(dot + 1, part) == 0;
}

/* Finds the event type with that name or ending, and sets *view. */
static bool view_find_type(const struct profile *p, const char *wanted,
			   struct event_view *view)
{
	size_t found = 0;

	for (uint32_t i = 0; i < p->event_count; i++) {
		if (!p->events[i].samples)
			continue;
		if (strcmp(view_event_name(p, i), wanted) == 0) {
			*view = view_single(p, i);
			return true;
		}
	}
	for (uint32_t i = 0; i < p->event_count; i++) {
		if (p->events[i].samples &&
		    name_ends_with_part(view_event_name(p, i), wanted)) {
			*view = view_single(p, i);
			found++;
		}
	}
	return found == 1;
}

static int view_fail_unknown(const struct event_view *views, size_t count,
			     const char *wanted, struct error *err)
{
	struct text names = { 0 };

	if (!count)
		return fail(err, ERROR_INPUT, "the input has no samples");
	for (size_t i = 0; i < count; i++) {
		text_puts(&names, i ? ", " : "");
		safe_text_puts(&names, views[i].name);
	}
	fail(err, ERROR_INPUT, "no samples of '%s'; available events: %s",
	     wanted, names.bytes);
	text_release(&names);
	return -1;
}

static bool view_has_more(const struct event_view *a,
			  const struct event_view *b)
{
	if (event_with_stack(a) != event_with_stack(b))
		return event_with_stack(a) > event_with_stack(b);
	return a->samples > b->samples;
}

/* The default view: "cpu", else the view with the most stack traces. */
static const struct event_view *views_default(const struct event_view *views,
					      size_t count)
{
	const struct event_view *most = NULL;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(views[i].name, "cpu") == 0)
			return &views[i];
		if (!most || view_has_more(&views[i], most))
			most = &views[i];
	}
	return most;
}

bool event_view_may_have(const char *list, const char *type)
{
	const struct family *family = type_family(type);

	for (const char *at = list;; at++) {
		size_t len = strcspn(at, ",");
		char *name = xstrndup(at, len);
		bool may_have = (family && strcmp(family->name, name) == 0) ||
				strcmp(type, name) == 0 ||
				name_ends_with_part(type, name);

		free(name);
		if (may_have)
			return true;
		at += len;
		if (!*at)
			return false;
	}
}

int event_view_choose(const struct profile *p, const char *wanted,
		      struct event_view *view, struct error *err)
{
	struct event_view *views;
	size_t count = event_views(p, &views);
	const struct event_view *chosen = wanted ? NULL
						 : views_default(views, count);
	int ret = 0;

	for (size_t i = 0; wanted && i < count; i++) {
		if (strcmp(views[i].name, wanted) == 0)
			chosen = &views[i];
	}
	if (chosen)
		*view = *chosen;
	else if (!wanted || !view_find_type(p, wanted, view))
		ret = view_fail_unknown(views, count, wanted, err);
	free(views);
	return ret;
}

bool *view_events(const struct profile *p, const struct event_view *view)
{
	bool *in_view = xcalloc(p->event_count, sizeof(*in_view));

	for (size_t i = 0; i < view->event_count; i++)
		in_view[view->events[i]] = true;
	return in_view;
}

uint32_t *views_of_events(const struct profile *p,
			  const struct event_view *views, size_t count)
{
	uint32_t *view_of = xcalloc(p->event_count, sizeof(*view_of));

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < views[i].event_count; k++)
			view_of[views[i].events[k]] = (uint32_t)i + 1;
	}
	return view_of;
}
