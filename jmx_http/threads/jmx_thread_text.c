/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/threads/jmx_thread_text.h"

#include "core/base/safe_text.h"

#include <inttypes.h>
#include <string.h>

static const char *member_text(const struct value *v, const char *name)
{
	const char *text = value_text_of(value_member(v, name));

	return text ? text : "";
}

static int64_t member_number(const struct value *v, const char *name)
{
	return value_integer_of(value_member(v, name), -1);
}

static void add_safe(struct text *out, const char *foreign)
{
	safe_text(out, foreign, strlen(foreign));
}

static void add_thread(struct text *out, const char *name, int64_t id)
{
	text_putc(out, '"');
	add_safe(out, name);
	text_printf(out, "\" #%" PRId64, id);
}

/* "(java.base@17.0.15/Thread.java:840)", as HotSpot writes it. */
static void add_place(struct text *out, const struct value *frame)
{
	const char *module = member_text(frame, "moduleName");
	const char *version = member_text(frame, "moduleVersion");
	const char *file = member_text(frame, "fileName");
	int64_t line = member_number(frame, "lineNumber");

	text_putc(out, '(');
	if (*module) {
		add_safe(out, module);
		text_puts(out, *version ? "@" : "");
		add_safe(out, version);
		text_putc(out, '/');
	}
	if (member_number(frame, "nativeMethod") == 1)
		text_puts(out, "Native Method");
	else
		add_safe(out, *file ? file : "Unknown Source");
	if (*file && line >= 0)
		text_printf(out, ":%" PRId64, line);
	text_puts(out, ")\n");
}

static void add_frame(struct text *out, const struct value *frame)
{
	text_puts(out, "    at ");
	add_safe(out, member_text(frame, "className"));
	text_putc(out, '.');
	add_safe(out, member_text(frame, "methodName"));
	add_place(out, frame);
}

/* What it waits for, and how. */
static void add_wait(struct text *out, const struct value *info,
		     const struct value *leaf)
{
	const char *lock = member_text(info, "lockName");
	const char *owner = member_text(info, "lockOwnerName");
	bool parks = leaf && !strcmp(member_text(leaf, "methodName"), "park");

	if (!*lock)
		return;
	if (!strcmp(member_text(info, "threadState"), "BLOCKED"))
		text_puts(out, "    - waiting to lock ");
	else
		text_puts(out, parks ? "    - parking to wait for "
				     : "    - waiting on ");
	add_safe(out, lock);
	if (*owner) {
		text_puts(out, ", held by ");
		add_thread(out, owner, member_number(info, "lockOwnerId"));
	}
	text_putc(out, '\n');
}

static void add_lock(struct text *out, const char *what,
		     const struct value *lock)
{
	text_puts(out, what);
	add_safe(out, member_text(lock, "className"));
	text_printf(out, "@%" PRIx32 "\n",
		    (uint32_t)member_number(lock, "identityHashCode"));
}

/* The monitors that were locked in the frame of that depth. */
static void add_monitors(struct text *out, const struct value *monitors,
			 size_t depth)
{
	for (size_t i = 0; i < monitors->list.count; i++) {
		const struct value *m = monitors->list.at[i];

		if (member_number(m, "lockedStackDepth") == (int64_t)depth)
			add_lock(out, "    - locked ", m);
	}
}

static const struct value *member_list(const struct value *v, const char *name)
{
	static const struct value none = { .kind = VALUE_ARRAY, .type = "" };
	const struct value *list = value_member(v, name);

	return list && list->kind == VALUE_ARRAY ? list : &none;
}

/* A hostile one may have as many frames as monitors: both are bounded. */
#define MONITORS_MAX 1000

void jmx_thread_text_stack(const struct value *info, struct text *out)
{
	const struct value *frames = member_list(info, "stackTrace");
	const struct value *monitors = member_list(info, "lockedMonitors");
	const struct value *synchronizers = member_list(info,
							"lockedSynchronizers");
	bool has_monitors = monitors->list.count <= MONITORS_MAX;

	add_thread(out, member_text(info, "threadName"),
		   member_number(info, "threadId"));
	text_putc(out, ' ');
	add_safe(out, member_text(info, "threadState"));
	text_putc(out, '\n');
	for (size_t i = 0; i < frames->list.count; i++) {
		add_frame(out, frames->list.at[i]);
		if (i == 0)
			add_wait(out, info, frames->list.at[i]);
		if (has_monitors)
			add_monitors(out, monitors, i);
	}
	if (!frames->list.count)
		add_wait(out, info, NULL);
	for (size_t i = 0; i < synchronizers->list.count; i++)
		add_lock(out, "    - holds ", synchronizers->list.at[i]);
}

void jmx_thread_text_deadlocks(const struct value *infos, struct text *out)
{
	if (infos->kind != VALUE_ARRAY)
		return;
	text_puts(out, "Threads that wait for one another:\n");
	for (size_t i = 0; i < infos->list.count; i++) {
		const struct value *info = infos->list.at[i];

		if (info->kind != VALUE_COMPOSITE)
			continue;
		text_puts(out, "  ");
		add_thread(out, member_text(info, "threadName"),
			   member_number(info, "threadId"));
		text_puts(out, " waits for ");
		add_safe(out, member_text(info, "lockName"));
		text_puts(out, ", held by ");
		add_thread(out, member_text(info, "lockOwnerName"),
			   member_number(info, "lockOwnerId"));
		text_putc(out, '\n');
	}
	for (size_t i = 0; i < infos->list.count; i++) {
		if (infos->list.at[i]->kind != VALUE_COMPOSITE)
			continue;
		text_putc(out, '\n');
		jmx_thread_text_stack(infos->list.at[i], out);
	}
}
