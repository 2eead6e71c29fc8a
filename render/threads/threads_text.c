/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the report of thread dumps as text. */
#include "core/base/lines.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "core/profile/frame_name.h"
#include "render/text/columns.h"
#include "render/text/table.h"
#include "render/threads/thread_groups.h"
#include "render/threads/threads_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char bold[] = "\033[1m", red[] = "\033[1;31m", plain[] = "\033[0m";

struct writer {
	struct text *out;
	const struct dump_series *s;
	const struct threads_options *o;
};

static size_t writer_limit(const struct writer *w, size_t count)
{
	return w->o->top && w->o->top < count ? w->o->top : count;
}

static void write_colored(struct writer *w, const char *color,
			  const char *words)
{
	text_printf(w->out, "%s%s%s", w->o->color ? color : "", words,
		    w->o->color ? plain : "");
}

static void write_heading(struct writer *w, const char *heading)
{
	text_putc(w->out, '\n');
	write_colored(w, bold, heading);
	text_putc(w->out, '\n');
}

/* Reports rows that the limit hides; noun is "more thread". */
static void write_rest(struct writer *w, size_t count, const char *noun)
{
	size_t rest = count - writer_limit(w, count);

	if (!rest)
		return;
	text_puts(w->out, "  … ");
	units_add_counted(w->out, rest, noun);
	text_puts(w->out, " (-n 0 prints all)\n");
}

static void write_name(struct writer *w, const struct series_thread *t)
{
	series_thread_name(w->out, w->s, t);
}

static void write_percent(struct text *out, double fraction)
{
	if (fraction < 0)
		text_putc(out, '-');
	else
		text_printf(out, "%.1f%%", 100 * fraction);
}

static void write_dump_line(struct writer *w, size_t number)
{
	const struct series_dump *d = &w->s->dumps[number - 1];

	text_printf(w->out, "%s dump %zu: ", number == w->s->number ? "*" : " ",
		    number);
	if (d->head.time_ns) {
		units_add_local_time(w->out, d->head.time_ns);
		text_puts(w->out, ", ");
	}
	units_add_counted(w->out, d->threads, "thread");
	if (!d->is_analyzed)
		text_puts(w->out, "; not analyzed");
	if (d->blocked)
		text_printf(w->out, ", %zu blocked", d->blocked);
	if (d->deadlocks || d->vm_deadlocks)
		text_printf(w->out, ", deadlocks: %u",
			    d->deadlocks > d->vm_deadlocks ? d->deadlocks
							   : d->vm_deadlocks);
	if (d->is_of_another_jvm)
		text_puts(w->out, "; of another JVM than the dump before");
	if (d->is_unrelated)
		text_puts(w->out, "; not comparable with the dump before: no "
				  "threads with the same id");
	text_putc(w->out, '\n');
}

static void write_head(struct writer *w)
{
	const struct dump_series *s = w->s;
	const struct series_dump *d = &s->dumps[s->number - 1];
	const char *vm = profile_text(s->profile, d->head.vm);
	struct text title = { 0 };

	text_puts(&title, w->o->source);
	if (w->o->pod)
		container_pod_add_to_title(w->o->pod, &title);
	safe_text(w->out, title.bytes, title.len);
	text_release(&title);
	if (s->dump_count > 1) {
		text_printf(w->out, ": %zu thread dumps; * is reported\n",
			    s->dump_count);
		for (size_t i = 1; i <= s->dump_count; i++) {
			if (i <= 5 || i + 5 > s->dump_count || i == s->number)
				write_dump_line(w, i);
			else if (i == 6)
				text_puts(w->out, "  …\n");
		}
	} else {
		text_puts(w->out, ": thread dump");
		if (d->head.time_ns) {
			text_puts(w->out, " of ");
			units_add_local_time(w->out, d->head.time_ns);
		}
		text_putc(w->out, '\n');
	}
	if (*vm) {
		safe_text_puts(w->out, vm);
		text_putc(w->out, '\n');
	}
}

static void write_states(struct writer *w)
{
	const struct dump_series *s = w->s;
	const struct series_dump *d = &s->dumps[s->number - 1];
	const struct thread_kinds k = series_count_kinds(s);
	const char *comma = "";

	text_putc(w->out, '\n');
	units_add_counted(w->out, s->thread_count, "thread");
	text_puts(w->out, ": ");
	for (int state = STATE_NONE + 1; state <= THREAD_STATES; state++) {
		/* Threads without a state come last. */
		enum thread_state at = state == THREAD_STATES
					       ? STATE_NONE
					       : (enum thread_state)state;

		if (!d->states[at])
			continue;
		text_printf(w->out, "%s%zu %s", comma, d->states[at],
			    series_state_name(at));
		if (at == STATE_RUNNABLE)
			text_printf(w->out, " (%zu in Java code)", k.runs);
		comma = ", ";
	}
	text_putc(w->out, '\n');
	text_printf(w->out, "%zu %s no Java frames", k.natives,
		    k.natives == 1 ? "has" : "have");
	if (k.daemons)
		text_printf(w->out, ", %zu %s", k.daemons,
			    k.daemons == 1 ? "is a daemon" : "are daemons");
	if (k.virtuals)
		text_printf(w->out, ", %zu %s virtual", k.virtuals,
			    k.virtuals == 1 ? "is" : "are");
	text_putc(w->out, '\n');
}

static void write_virtual(struct writer *w)
{
	const struct dump_series *s = w->s;
	struct thread_kinds k = series_count_kinds(s);
	size_t pinned = 0, shown = 0;

	for (size_t i = 0; i < s->thread_count; i++)
		pinned += series_thread_is_pinned(s, &s->threads[i]);
	if (k.unmounted)
		text_printf(w->out,
			    "virtual threads that have not started or wait "
			    "for a carrier: %zu\n",
			    k.unmounted);
	if (!k.mounted)
		return;
	units_add_counted(w->out, k.mounted, "virtual thread");
	text_printf(w->out, " mounted on carriers, %zu of them pinned\n",
		    pinned);
	for (size_t i = 0; i < s->thread_count; i++) {
		const struct series_thread *t = &s->threads[i];

		if (!series_thread_is_pinned(s, t) ||
		    shown++ >= writer_limit(w, pinned))
			continue;
		text_puts(w->out, "  ");
		write_name(w, t);
		text_printf(w->out,
			    " waits and keeps the carrier #%" PRId64 "\n",
			    t->peer_id);
	}
	write_rest(w, pinned, "more pinned thread");
}

/* The JVM's list of deadlocks, if it differs from the report's. */
static void write_vm_deadlocks(struct writer *w)
{
	const struct dump_series *s = w->s;
	const struct series_dump *d = &s->dumps[s->number - 1];
	const char *comma = "";

	if (d->vm_deadlocks == d->deadlocks) {
		if (d->deadlocks)
			text_puts(w->out, "\nThe JVM reports the same number "
					  "of deadlocks.\n");
		return;
	}
	if (!d->vm_deadlocks) {
		text_puts(w->out, "\nThe dump has no list of deadlocks by the "
				  "JVM.\n");
		return;
	}
	text_puts(w->out, "\nThe JVM reports ");
	units_add_counted(w->out, d->vm_deadlocks, "deadlock");
	text_printf(w->out, ", sjkc found %u. The JVM's list:\n", d->deadlocks);
	for (size_t i = 0; i < s->fact_count; i++) {

		if (s->facts[i].kind == TAPPED_DEADLOCK)
			comma = i ? "\n  " : "  ";
		if (s->facts[i].kind != TAPPED_DEADLOCK_THREAD)
			continue;
		text_printf(w->out, "%s\"", comma);
		safe_text_puts(w->out,
			       profile_text(s->profile, s->facts[i].text));
		text_putc(w->out, '"');
		comma = ", ";
	}
	text_putc(w->out, '\n');
}

/* Formats like .std have the state BLOCKED, but not the locks. */
static size_t count_unknown_locks(const struct dump_series *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->thread_count; i++) {
		size_t at = s->threads[i].blocked;

		count += s->threads[i].state == STATE_BLOCKED &&
			 (at == BLOCKED_NONE ||
			  s->blocked.threads[at].kind == BLOCKED_NOT);
	}
	return count;
}

static void write_blocked(struct writer *w)
{
	const struct dump_series *s = w->s;
	size_t unknown = count_unknown_locks(s);

	text_putc(w->out, '\n');
	write_colored(w, s->blocked.deadlocks ? red : bold,
		      "Blocked threads: ");
	if (s->blocked.waiting || !unknown)
		blocked_text(&s->blocked, w->o->few, w->out);
	if (unknown) {
		units_add_counted(w->out, unknown, "thread");
		text_printf(w->out,
			    " %s BLOCKED; the dump does not name the "
			    "lock%s\n",
			    unknown == 1 ? "is" : "are", units_plural(unknown));
	}
	write_vm_deadlocks(w);
}

static void pool_add_states(struct table *t, const struct thread_group *g)
{
	static const enum thread_state shown[] = {
		STATE_RUNNABLE,      STATE_BLOCKED, STATE_WAITING,
		STATE_TIMED_WAITING, STATE_NONE,
	};

	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		struct text *cell = table_cell(t);

		if (g->states[shown[i]])
			text_printf(cell, "%zu", g->states[shown[i]]);
	}
}

static void write_pools(struct writer *w)
{
	static const struct table_column columns[] = {
		{ .head = "threads", .right = true },
		{ .head = "RUNNABLE", .right = true },
		{ .head = "BLOCKED", .right = true },
		{ .head = "WAITING", .right = true },
		{ .head = "TIMED_WAITING", .right = true },
		{ .head = "none", .right = true },
		{ .head = "CPU", .right = true },
		{ .head = "pool" },
	};
	struct table table = { .columns = columns, .column_count = 8 };
	struct thread_groups g;
	size_t count = 0;

	thread_groups_make(&g, w->s, GROUP_POOLS);
	/* The largest come first; the threads after them have own names. */
	while (count < g.count && g.groups[count].count > 1)
		count++;
	for (size_t i = 0; i < writer_limit(w, count); i++) {
		const struct thread_group *pool = &g.groups[i];

		text_printf(table_cell(&table), "%zu", pool->count);
		pool_add_states(&table, pool);
		write_percent(table_cell(&table), pool->cpu);
		table_add(&table, pool->pool ? intern_text(&g.names, pool->pool)
					     : "[no name]");
	}
	write_heading(w, "Pools: threads whose names differ in numbers");
	table_text(&table, w->o->width, w->out);
	write_rest(w, count, "more pool");
	text_printf(w->out, "threads alone in their pool: %zu\n",
		    g.count - count);
	table_release(&table);
	thread_groups_release(&g);
}

/* The peers for which the threads of a group wait, below their leaf. */
static void write_peers(struct writer *w, const struct thread_groups *g,
			const struct thread_group *group)
{
	struct text peers = { 0 };
	struct lines lines;
	struct line line;

	thread_group_peers(&peers, w->s, g, group);
	lines = lines_over(peers.bytes, peers.len);
	while (lines_next(&lines, &line))
		text_printf(w->out, "      - %.*s\n", (int)line.len, line.text);
	text_release(&peers);
}

static void write_stack(struct writer *w, const struct thread_groups *g,
			const struct thread_group *group)
{
	const struct profile *p = w->s->profile;
	uint32_t stack = w->s->threads[g->order[group->first]].stack;
	size_t shown = 0, rest = 0;
	struct text wait = { 0 };

	for (uint32_t at = stack; at; at = p->stacks[at].caller) {
		if (w->o->frames && shown == w->o->frames) {
			rest++;
			continue;
		}
		text_puts(w->out, "    at ");
		frame_place_name(w->out, p, &p->frames[p->stacks[at].frame]);
		text_putc(w->out, '\n');
		if (shown++)
			continue;
		text_clear(&wait);
		if (thread_group_wait(&wait, w->s, g, group))
			text_printf(w->out, "      - %s\n", wait.bytes);
		write_peers(w, g, group);
	}
	if (rest) {
		text_puts(w->out, "    … ");
		units_add_counted(w->out, rest, "more frame");
		text_putc(w->out, '\n');
	}
	text_release(&wait);
}

static void write_group_head(struct writer *w, const struct thread_groups *g,
			     const struct thread_group *group)
{
	const struct series_thread *t = &w->s->threads[g->order[group->first]];

	text_putc(w->out, '\n');
	units_add_counted(w->out, group->count, "thread");
	text_printf(w->out, ", %s", series_state_name(t->state));
	if (t->activity == SERIES_IDLE && t->state != STATE_TIMED_WAITING)
		text_puts(w->out, " (idle)");
	else if (t->activity == SERIES_WAITS && t->state == STATE_RUNNABLE)
		text_puts(w->out, " (waiting)");
	text_puts(w->out, ": ");
	thread_group_names(w->out, w->s, g, group);
	text_putc(w->out, '\n');
}

static void write_stuck(struct writer *w)
{
	const struct dump_series *s = w->s;
	struct thread_groups g;

	if (!dump_series_compares(s))
		return;
	thread_groups_make(&g, s, GROUP_STUCK);
	write_heading(w, "Threads that did not move, without idle threads");
	if (!g.count)
		text_puts(w->out, "none\n");
	for (size_t i = 0; i < writer_limit(w, g.count); i++) {
		const struct thread_group *group = &g.groups[i];
		int64_t ns = s->dumps[s->number - 1].clock_ns - group->since_ns;

		write_group_head(w, &g, group);
		text_printf(w->out, "    the same frames in %u dumps",
			    group->looks);
		if (ns > 0) {
			text_puts(w->out, ", ");
			units_add_time(w->out, (double)ns);
		}
		if (group->cpu >= 0) {
			text_puts(w->out, ", CPU ");
			write_percent(w->out, group->cpu);
		}
		text_putc(w->out, '\n');
		write_stack(w, &g, group);
	}
	write_rest(w, g.count, "more group");
	thread_groups_release(&g);
}

static void write_cpu(struct writer *w)
{
	const struct dump_series *s = w->s;
	size_t count, *by_cpu;

	if (!dump_series_compares(s))
		return;
	by_cpu = series_by_cpu(s, &count);
	if (count)
		write_heading(w, "CPU use between the dumps");
	for (size_t i = 0; i < writer_limit(w, count); i++) {
		const struct series_thread *t = &s->threads[by_cpu[i]];

		text_printf(w->out, "  %6.1f%%  %-13s  ",
			    100 * series_thread_cpu(t),
			    series_state_name(t->state));
		write_name(w, t);
		text_putc(w->out, '\n');
	}
	write_rest(w, count, "more thread");
	free(by_cpu);
}

static void write_stacks(struct writer *w)
{
	struct thread_groups g;

	thread_groups_make(&g, w->s, GROUP_STACKS);
	write_heading(w, "Threads by stack trace");
	for (size_t i = 0; i < writer_limit(w, g.count); i++) {
		write_group_head(w, &g, &g.groups[i]);
		write_stack(w, &g, &g.groups[i]);
	}
	if (g.count > writer_limit(w, g.count))
		text_putc(w->out, '\n');
	write_rest(w, g.count, "more stack trace");
	thread_groups_release(&g);
}

void threads_text(struct text *out, const struct dump_series *s,
		  const struct threads_options *o)
{
	struct writer w = { out, s, o };

	write_head(&w);
	write_states(&w);
	write_virtual(&w);
	write_blocked(&w);
	write_stuck(&w);
	write_cpu(&w);
	write_pools(&w);
	write_stacks(&w);
}
