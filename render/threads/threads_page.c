/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the report of thread dumps as a page.
 *
 * The page is plain HTML in the template render/page/threads.html. Foreign text
 * passes through page_put_words() or page_put_foreign(), which escape it; all
 * other HTML is static.
 */
#include "core/base/alloc.h"
#include "core/base/lines.h"
#include "core/base/units.h"
#include "core/profile/frame_name.h"
#include "render/page/flame_summary.h"
#include "render/page/template.h"
#include "render/threads/thread_groups.h"
#include "render/threads/threads_report.h"

#include <stdlib.h>
#include <string.h>

/* The template, linked into the binary; build/threads_page.html. */
extern const char threads_page_start[], threads_page_end[];

/* Browsers do not nest elements deeper than 512. */
#define TREE_DEEPEST 40

struct page {
	struct text *out;
	const struct dump_series *s;
	const struct threads_options *o;
	struct text words;             /* not escaped yet */
	struct thread_groups stacks;   /* as listed at the end of the page */
	bool has_state[THREAD_STATES]; /* any dump has a thread in it */
	/* 1 + the group in stacks, by thread and by index in blocked. */
	size_t *group_of, *group_of_blocked;
};

static size_t page_limit(const struct page *p, size_t count)
{
	return p->o->top && p->o->top < count ? p->o->top : count;
}

static void page_put(struct page *p, const char *html)
{
	text_puts(p->out, html);
}

/* Appends the words, escaped, and clears them. */
static void page_put_words(struct page *p)
{
	if (p->words.len)
		flame_html(p->out, p->words.bytes, p->words.len);
	text_clear(&p->words);
}

static void page_put_foreign(struct page *p, const char *foreign)
{
	flame_html(p->out, foreign, strlen(foreign));
}

static void page_put_rest(struct page *p, size_t count, const char *noun)
{
	if (count > page_limit(p, count))
		text_printf(p->out,
			    "<p class=\"soft\">%zu more %s (-n 0 writes "
			    "all)</p>\n",
			    count - page_limit(p, count), noun);
}

/* Static names, of states for one, serve as class names, too. */
static void page_put_state(struct page *p, enum thread_state state)
{
	if (state == STATE_NONE)
		page_put(p, "<span class=\"state\">no state</span>");
	else
		text_printf(p->out, "<span class=\"state %s\">%s</span>",
			    thread_state_names[state],
			    thread_state_names[state]);
}

static void page_put_percent(struct page *p, double fraction)
{
	if (fraction < 0)
		text_putc(p->out, '-');
	else
		text_printf(p->out, "%.1f%%", 100 * fraction);
}

/* Appends the words as the name of a thread, linked to its stack trace. */
static void page_put_name(struct page *p, size_t group)
{
	page_put(p, "<span class=\"name\">");
	if (group && group <= page_limit(p, p->stacks.count))
		text_printf(p->out, "<a href=\"#g%zu\">", group);
	page_put_words(p);
	if (group && group <= page_limit(p, p->stacks.count))
		page_put(p, "</a>");
	page_put(p, "</span>");
}

static void page_put_thread(struct page *p, size_t index)
{
	series_thread_name(&p->words, p->s, &p->s->threads[index]);
	page_put_name(p, p->group_of[index]);
}

/* ---- dumps and states ---- */

static const enum thread_state shown_states[] = {
	STATE_RUNNABLE,   STATE_BLOCKED, STATE_WAITING, STATE_TIMED_WAITING,
	STATE_TERMINATED, STATE_NEW,     STATE_NONE,
};

#define SHOWN_STATES (sizeof(shown_states) / sizeof(*shown_states))

static void page_put_state_heads(struct page *p)
{
	for (size_t i = 0; i < SHOWN_STATES; i++) {
		if (p->has_state[shown_states[i]])
			text_printf(p->out, "<th>%s</th>",
				    series_state_name(shown_states[i]));
	}
}

static void page_put_state_cells(struct page *p, const size_t *states)
{
	for (size_t i = 0; i < SHOWN_STATES; i++) {
		if (!p->has_state[shown_states[i]])
			continue;
		page_put(p, "<td>");
		if (states[shown_states[i]])
			text_printf(p->out, "%zu", states[shown_states[i]]);
		page_put(p, "</td>");
	}
}

static unsigned dump_deadlocks(const struct series_dump *d)
{
	return d->deadlocks > d->vm_deadlocks ? d->deadlocks : d->vm_deadlocks;
}

static void page_put_dump(struct page *p, size_t number)
{
	const struct series_dump *d = &p->s->dumps[number - 1];

	text_printf(p->out, "<tr%s><td>%zu</td><td class=\"time\">",
		    number == p->s->number ? " class=\"reported\"" : "",
		    number);
	if (d->head.time_ns)
		units_add_local_time(p->out, d->head.time_ns);
	text_printf(p->out, "</td><td>%zu</td>", d->threads);
	page_put_state_cells(p, d->states);
	if (d->is_analyzed)
		text_printf(p->out, "<td>%zu</td><td>%u</td>", d->blocked,
			    dump_deadlocks(d));
	else
		page_put(p, "<td>-</td><td>-</td>");
	text_printf(p->out, "<td class=\"text\">%s%s</td></tr>\n",
		    number == p->s->number ? "reported here " : "",
		    !d->is_analyzed        ? "not analyzed"
		    : d->is_of_another_jvm ? "another JVM than the dump before"
		    : d->is_unrelated ? "not comparable with the dump before: "
					"no threads with the same id"
				      : "");
}

static void page_put_dumps(struct page *p)
{
	if (p->s->dump_count < 2)
		return;
	text_printf(p->out,
		    "<h2 id=\"dumps\">%zu thread dumps</h2>\n"
		    "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>"
		    "<th>dump</th><th>time</th><th>threads</th>",
		    p->s->dump_count);
	page_put_state_heads(p);
	page_put(p, "<th>need a lock</th><th>deadlocks</th><th></th></tr>"
		    "</thead><tbody>\n");
	for (size_t i = 1; i <= p->s->dump_count; i++)
		page_put_dump(p, i);
	page_put(p, "</tbody></table></div>\n");
}

static void page_put_head(struct page *p)
{
	const struct dump_series *s = p->s;
	const struct series_dump *d = &s->dumps[s->number - 1];

	text_printf(p->out, "<p>Thread dump %zu of %zu", s->number,
		    s->dump_count);
	if (d->head.time_ns) {
		page_put(p, ", ");
		units_add_local_time(p->out, d->head.time_ns);
	}
	page_put(p, "</p>\n<p class=\"soft\">");
	page_put_foreign(p, profile_text(s->profile, d->head.vm));
	page_put(p, "</p>\n");
	for (size_t i = 0; i < s->profile->remark_count; i++) {
		const struct remark *r = &s->profile->remarks[i];

		page_put(p, r->is_loss ? "<p class=\"loss\">"
				       : "<p class=\"soft\">");
		flame_remark(&p->words, r);
		page_put_words(p);
		page_put(p, "</p>\n");
	}
}

static void page_put_kinds(struct page *p)
{
	const struct dump_series *s = p->s;
	const struct thread_kinds k = series_count_kinds(s);

	text_printf(p->out,
		    "<p>%zu in Java code, %zu without Java frames, %zu "
		    "daemon%s, %zu virtual</p>\n",
		    k.runs, k.natives, k.daemons, units_plural(k.daemons),
		    k.virtuals);
}

static void page_put_states(struct page *p)
{
	const size_t *states = p->s->dumps[p->s->number - 1].states;

	page_put(p, "<h2 id=\"states\">");
	units_add_counted(p->out, p->s->thread_count, "thread");
	page_put(p, "</h2>\n<table><tbody>\n");
	for (size_t i = 0; i < SHOWN_STATES; i++) {
		size_t count = states[shown_states[i]];

		if (!count)
			continue;
		page_put(p, "<tr><td class=\"text\">");
		page_put_state(p, shown_states[i]);
		text_printf(p->out,
			    "</td><td>%zu</td><td><meter value=\"%zu\" "
			    "max=\"%zu\" aria-hidden=\"true\"></meter></td>"
			    "</tr>\n",
			    count, count, p->s->thread_count);
	}
	page_put(p, "</tbody></table>\n");
	page_put_kinds(p);
}

static void page_put_virtual(struct page *p)
{
	const struct dump_series *s = p->s;
	struct thread_kinds k = series_count_kinds(s);
	size_t pinned = 0, shown = 0;

	for (size_t i = 0; i < s->thread_count; i++)
		pinned += series_thread_is_pinned(s, &s->threads[i]);
	if (k.unmounted)
		text_printf(p->out,
			    "<p>virtual threads that have not started or wait "
			    "for a carrier: %zu</p>\n",
			    k.unmounted);
	if (!k.mounted)
		return;
	page_put(p, "<p>");
	units_add_counted(p->out, k.mounted, "virtual thread");
	text_printf(p->out,
		    " mounted on carriers, %zu of them pinned</p>\n<ul>",
		    pinned);
	for (size_t i = 0; i < s->thread_count; i++) {
		if (!series_thread_is_pinned(s, &s->threads[i]) ||
		    shown++ >= page_limit(p, pinned))
			continue;
		page_put(p, "<li class=\"row\">");
		page_put_thread(p, i);
		text_printf(p->out, " waits and keeps the carrier #%lld</li>\n",
			    (long long)s->threads[i].peer_id);
	}
	page_put(p, "</ul>\n");
	page_put_rest(p, pinned, "pinned threads");
}

/* ---- who blocks whom ---- */

/* Waiting threads that are not written yet: order[at] up to order[end]. */
struct level {
	size_t at, end;
	size_t owner;
	const char *lock_id; /* of the open list of a lock; NULL = none */
	bool is_flat;        /* its items follow those of the level above */
};

static void tree_put_thread(struct page *p, size_t index)
{
	const struct blocked *b = &p->s->blocked;
	const struct blocked_thread *t = &b->threads[index];

	blocked_name(t, &p->words);
	page_put_name(p, p->group_of_blocked[index]);
	page_put(p, " ");
	if (t->kind == BLOCKED_NOT) {
		if (t->state != RUN_UNKNOWN)
			page_put_foreign(p, thread_run_state_name(t->state));
		blocked_frames(t, &p->words);
	} else {
		blocked_since(b, t, &p->words);
		if (*t->frame)
			text_printf(&p->words, "  at %s", t->frame);
	}
	page_put_words(p);
}

static void tree_close_lock(struct page *p, struct level *l)
{
	if (l->lock_id && !l->is_flat)
		page_put(p, "</ul></li>\n");
	l->lock_id = NULL;
}

/* Opens the list of the threads that wait for the lock of order[l->at]. */
static void tree_open_lock(struct page *p, struct level *l)
{
	const struct blocked *b = &p->s->blocked;
	const struct blocked_thread *first = &b->threads[b->order[l->at]];
	size_t count = 0;

	tree_close_lock(p, l);
	for (size_t i = l->at; i < l->end; i++) {
		const struct blocked_thread *t = &b->threads[b->order[i]];

		if (strcmp(t->lock_id, first->lock_id) != 0)
			break;
		count += t->kind != BLOCKED_NOT && !t->deadlock;
	}
	page_put(p, "<li class=\"lock\">");
	if (l->is_flat) {
		blocked_name(&b->threads[l->owner], &p->words);
		text_putc(&p->words, ' ');
	}
	text_puts(&p->words, l->owner == BLOCKED_NONE ? "" : "holds ");
	blocked_lock(first, &p->words);
	page_put_words(p);
	text_printf(p->out, ": %zu blocked%s\n", count,
		    l->is_flat ? "</li>" : "<ul>");
	l->lock_id = first->lock_id;
}

static struct level tree_level(const struct blocked *b, size_t owner,
			       bool is_flat)
{
	struct level l = { .owner = owner, .is_flat = is_flat };

	l.end = blocked_waiters(b, owner, &l.at);
	l.end += l.at;
	return l;
}

/*
 * Appends the lists of threads that wait for a thread, and below each thread
 * those that wait for it; deadlocks are left out, so that it ends.
 */
static void tree_put_waiters(struct page *p, size_t owner)
{
	const struct blocked *b = &p->s->blocked;
	struct level *levels = xcalloc(b->count + 1, sizeof(*levels));
	size_t count = 1;

	levels[0] = tree_level(b, owner, false);
	page_put(p, "<ul>");
	while (count) {
		struct level *l = &levels[count - 1];
		size_t next;
		const struct blocked_thread *t;

		if (l->at == l->end) {
			tree_close_lock(p, l);
			if (!l->is_flat)
				page_put(p, --count ? "</ul></li>\n" : "</ul>");
			else
				count--;
			continue;
		}
		next = b->order[l->at];
		t = &b->threads[next];
		if (t->kind != BLOCKED_NOT && !t->deadlock) {
			if (!l->lock_id || strcmp(l->lock_id, t->lock_id) != 0)
				tree_open_lock(p, l);
			page_put(p, "<li class=\"thread\">");
			tree_put_thread(p, next);
			levels[count] = tree_level(b, next,
						   count >= TREE_DEEPEST);
			page_put(p, levels[count].is_flat ? "</li>\n" : "<ul>");
			count++;
		}
		l->at++;
	}
	free(levels);
}

static void page_put_deadlock(struct page *p, unsigned number)
{
	const struct blocked *b = &p->s->blocked;
	size_t first = 0, at;

	while (b->threads[first].deadlock != number)
		first++;
	text_printf(p->out,
		    "<section class=\"deadlock\"><h3>⚠ DEADLOCK %u: each of "
		    "these waits for the next</h3><ul class=\"tree\">\n",
		    number);
	at = first;
	do {
		const struct blocked_thread *t = &b->threads[at];

		page_put(p, "<li class=\"thread\">");
		tree_put_thread(p, at);
		page_put(p, "<br>waits for ");
		blocked_lock(t, &p->words);
		text_puts(&p->words, ", held by ");
		blocked_name(&b->threads[t->owner], &p->words);
		page_put_words(p);
		tree_put_waiters(p, at);
		page_put(p, "</li>\n");
		at = t->owner;
	} while (at != first);
	page_put(p, "</ul></section>\n");
}

static void page_put_roots(struct page *p)
{
	const struct blocked *b = &p->s->blocked;
	size_t count, *roots = blocked_roots(b, &count);

	page_put(p, "<ul class=\"tree\">\n");
	for (size_t i = 0; i < count; i++) {
		page_put(p, "<li class=\"thread\">");
		tree_put_thread(p, roots[i]);
		tree_put_waiters(p, roots[i]);
		page_put(p, "</li>\n");
	}
	if (blocked_has_ownerless(b)) {
		text_printf(&p->words, "Owner unknown (%s)",
			    blocked_owner_hint(b));
		page_put(p, "<li>");
		page_put_words(p);
		tree_put_waiters(p, BLOCKED_NONE);
		page_put(p, "</li>\n");
	}
	page_put(p, "</ul>\n");
	free(roots);
}

/* The JVM's list of deadlocks, if it differs from the report's. */
static void page_put_vm_deadlocks(struct page *p)
{
	const struct dump_series *s = p->s;
	const struct series_dump *d = &s->dumps[s->number - 1];

	if (d->vm_deadlocks == d->deadlocks) {
		if (d->deadlocks)
			page_put(p, "<p>The JVM reports the same number of "
				    "deadlocks.</p>\n");
		return;
	}
	if (!d->vm_deadlocks) {
		page_put(p, "<p>The dump has no list of deadlocks by the "
			    "JVM.</p>\n");
		return;
	}
	page_put(p, "<p>The JVM reports ");
	units_add_counted(p->out, d->vm_deadlocks, "deadlock");
	text_printf(p->out, ", sjkc found %u. The JVM's list:</p>\n<ul>",
		    d->deadlocks);
	for (size_t i = 0; i < s->fact_count; i++) {
		if (s->facts[i].kind != TAPPED_DEADLOCK_THREAD)
			continue;
		page_put(p, i && s->facts[i - 1].kind == TAPPED_DEADLOCK
				    ? "<li>deadlock: "
				    : "<li>");
		page_put_foreign(p, profile_text(s->profile, s->facts[i].text));
		page_put(p, "</li>\n");
	}
	page_put(p, "</ul>\n");
}

static void page_put_blocked(struct page *p)
{
	const struct blocked *b = &p->s->blocked;

	page_put(p, "<section id=\"blocked\"><h2>Blocked threads</h2>\n<p>");
	blocked_head(b, &p->words);
	page_put_words(p);
	page_put(p, "</p>\n");
	for (unsigned i = 1; i <= b->deadlocks; i++)
		page_put_deadlock(p, i);
	page_put_roots(p);
	if (b->left_out)
		text_printf(p->out, "<p>%zu more are not shown</p>\n",
			    b->left_out);
	page_put_vm_deadlocks(p);
	page_put(p, "</section>\n");
}

/* ---- groups ---- */

static void group_put_head(struct page *p, const struct thread_groups *g,
			   const struct thread_group *group)
{
	const struct series_thread *t = &p->s->threads[g->order[group->first]];

	text_printf(p->out,
		    "<details class=\"group row\"><summary><span "
		    "class=\"count\">%zu thread%s</span> ",
		    group->count, units_plural(group->count));
	page_put_state(p, t->state);
	if (t->activity == SERIES_IDLE && t->state != STATE_TIMED_WAITING)
		page_put(p, " (idle)");
	else if (t->activity == SERIES_WAITS && t->state == STATE_RUNNABLE)
		page_put(p, " (waiting)");
	page_put(p, " ");
	thread_group_names(&p->words, p->s, g, group);
	page_put_words(p);
	page_put(p, "</summary>\n");
}

static void group_put_names(struct page *p, const struct thread_groups *g,
			    const struct thread_group *group)
{
	if (group->count == 1)
		return;
	page_put(p, "<ul class=\"names\" tabindex=\"0\">\n");
	for (size_t i = 0; i < group->count; i++) {
		page_put(p, "<li>");
		series_thread_name(&p->words, p->s,
				   &p->s->threads[g->order[group->first + i]]);
		page_put_words(p);
		page_put(p, "</li>\n");
	}
	page_put(p, "</ul>\n");
}

/* The peers for which the threads of a group wait. */
static void group_put_peers(struct page *p, const struct thread_groups *g,
			    const struct thread_group *group)
{
	struct text peers = { 0 };
	struct lines lines;
	struct line line;

	thread_group_peers(&peers, p->s, g, group);
	lines = lines_over(peers.bytes, peers.len);
	while (lines_next(&lines, &line)) {
		page_put(p, "<li class=\"wait\">- ");
		text_add(&p->words, line.text, line.len);
		page_put_words(p);
		page_put(p, "</li>\n");
	}
	text_release(&peers);
}

/* Appends the frames; number: 1 + the group in stacks, 0 = no link leads here.
 */
static void group_put_stack(struct page *p, const struct thread_groups *g,
			    const struct thread_group *group, size_t number)
{
	const struct profile *profile = p->s->profile;
	uint32_t at = p->s->threads[g->order[group->first]].stack;
	size_t shown = 0, rest = 0;

	page_put(p, "<ol class=\"frames\"");
	if (number)
		text_printf(p->out, " id=\"g%zu\"", number);
	page_put(p, ">\n");
	for (; at; at = profile->stacks[at].caller) {
		if (p->o->frames && shown == p->o->frames) {
			rest++;
			continue;
		}
		text_puts(&p->words, "at ");
		frame_place_name(&p->words, profile,
				 &profile->frames[profile->stacks[at].frame]);
		page_put(p, "<li>");
		page_put_words(p);
		page_put(p, "</li>\n");
		if (shown++)
			continue;
		if (thread_group_wait(&p->words, p->s, g, group)) {
			page_put(p, "<li class=\"wait\">- ");
			page_put_words(p);
			page_put(p, "</li>\n");
		}
		group_put_peers(p, g, group);
	}
	if (rest)
		text_printf(p->out, "<li>… %zu more frame%s</li>\n", rest,
			    units_plural(rest));
	page_put(p, "</ol></details>\n");
}

static void page_put_stuck(struct page *p)
{
	const struct dump_series *s = p->s;
	struct thread_groups g;

	if (!dump_series_compares(s))
		return;
	thread_groups_make(&g, s, GROUP_STUCK);
	page_put(p, "<section id=\"stuck\"><h2>Threads that did not move, "
		    "without idle threads</h2>\n");
	if (!g.count)
		page_put(p, "<p>none</p>\n");
	for (size_t i = 0; i < page_limit(p, g.count); i++) {
		const struct thread_group *group = &g.groups[i];
		int64_t ns = s->dumps[s->number - 1].clock_ns - group->since_ns;

		group_put_head(p, &g, group);
		text_printf(p->out, "<p>the same frames in %u dumps",
			    group->looks);
		if (ns > 0) {
			page_put(p, ", ");
			units_add_time(p->out, (double)ns);
		}
		if (group->cpu >= 0) {
			page_put(p, ", CPU ");
			page_put_percent(p, group->cpu);
		}
		page_put(p, "</p>\n");
		group_put_names(p, &g, group);
		group_put_stack(p, &g, group, 0);
	}
	page_put_rest(p, g.count, "groups");
	page_put(p, "</section>\n");
	thread_groups_release(&g);
}

static void page_put_stacks(struct page *p)
{
	const struct thread_groups *g = &p->stacks;

	page_put(p, "<section id=\"stacks\"><h2>Threads by stack trace</h2>\n");
	for (size_t i = 0; i < page_limit(p, g->count); i++) {
		group_put_head(p, g, &g->groups[i]);
		group_put_names(p, g, &g->groups[i]);
		group_put_stack(p, g, &g->groups[i], i + 1);
	}
	page_put_rest(p, g->count, "stack traces");
	page_put(p, "</section>\n");
}

/* ---- CPU and pools ---- */

static void page_put_cpu(struct page *p)
{
	const struct dump_series *s = p->s;
	size_t count, *by_cpu;

	if (!dump_series_compares(s))
		return;
	by_cpu = series_by_cpu(s, &count);
	if (!count) {
		free(by_cpu);
		return;
	}
	page_put(p, "<section id=\"cpu\"><h2>CPU use between the dumps</h2>\n"
		    "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>"
		    "<th>CPU</th><th class=\"text\">state</th>"
		    "<th class=\"text\">thread</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < page_limit(p, count); i++) {
		size_t at = by_cpu[i];

		page_put(p, "<tr class=\"row\"><td>");
		page_put_percent(p, series_thread_cpu(&s->threads[at]));
		page_put(p, "</td><td class=\"text short\">");
		page_put_state(p, s->threads[at].state);
		page_put(p, "</td><td class=\"text\">");
		page_put_thread(p, at);
		page_put(p, "</td></tr>\n");
	}
	page_put(p, "</tbody></table></div>\n");
	page_put_rest(p, count, "threads");
	page_put(p, "</section>\n");
	free(by_cpu);
}

static void page_put_pools(struct page *p)
{
	struct thread_groups g;
	size_t count = 0;

	thread_groups_make(&g, p->s, GROUP_POOLS);
	/* The largest come first; the threads after them have own names. */
	while (count < g.count && g.groups[count].count > 1)
		count++;
	page_put(p, "<section id=\"pools\"><h2>Pools: threads whose names "
		    "differ in numbers</h2>\n<div class=\"scroll\" "
		    "tabindex=\"0\"><table><thead><tr><th class=\"text\">pool"
		    "</th><th>threads</th>");
	page_put_state_heads(p);
	page_put(p, "<th>CPU</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < page_limit(p, count); i++) {
		const struct thread_group *pool = &g.groups[i];
		const char *name = pool->pool
					   ? intern_text(&g.names, pool->pool)
					   : "[no name]";

		page_put(p, "<tr class=\"row\"><td class=\"text\">");
		flame_html(p->out, name, strlen(name));
		text_printf(p->out, "</td><td>%zu</td>", pool->count);
		page_put_state_cells(p, pool->states);
		page_put(p, "<td>");
		page_put_percent(p, pool->cpu);
		page_put(p, "</td></tr>\n");
	}
	page_put(p, "</tbody></table></div>\n");
	page_put_rest(p, count, "pools");
	text_printf(p->out,
		    "<p class=\"soft\">threads alone in their pool: %zu</p>"
		    "</section>\n",
		    g.count - count);
	thread_groups_release(&g);
}

/* ---- the page ---- */

/* Finds the group of each thread, to which its names are linked. */
static void page_find_groups(struct page *p)
{
	const struct dump_series *s = p->s;

	thread_groups_make(&p->stacks, s, GROUP_STACKS);
	p->group_of = xcalloc(s->thread_count + 1, sizeof(*p->group_of));
	p->group_of_blocked = xcalloc(s->blocked.count + 1,
				      sizeof(*p->group_of_blocked));
	for (size_t i = 0; i < p->stacks.count; i++) {
		const struct thread_group *g = &p->stacks.groups[i];

		for (size_t k = 0; k < g->count; k++) {
			size_t at = p->stacks.order[g->first + k];

			p->group_of[at] = i + 1;
			if (s->threads[at].blocked != BLOCKED_NONE)
				p->group_of_blocked[s->threads[at]
							    .blocked] = i + 1;
		}
	}
}

static void page_find_states(struct page *p)
{
	for (size_t i = 0; i < p->s->dump_count; i++) {
		for (int state = 0; state < THREAD_STATES; state++)
			p->has_state[state] |= p->s->dumps[i].states[state] > 0;
	}
}

void threads_page(struct output *out, const struct dump_series *s,
		  const struct threads_options *o)
{
	struct page_texts texts = { 0 };
	struct text title = { 0 };
	struct page p = { .out = &texts.summary, .s = s, .o = o };

	page_find_groups(&p);
	page_find_states(&p);
	text_puts(&title, o->source);
	if (o->pod)
		container_pod_add_to_title(o->pod, &title);
	flame_html(&texts.title, title.bytes, title.len);
	text_release(&title);
	text_puts(&texts.title, ": threads");
	page_put_head(&p);
	page_put_dumps(&p);
	page_put_states(&p);
	page_put_virtual(&p);
	page_put_blocked(&p);
	page_put_stuck(&p);
	page_put_cpu(&p);
	page_put_pools(&p);
	page_put_stacks(&p);
	page_write(out, threads_page_start, threads_page_end, &texts);
	thread_groups_release(&p.stacks);
	free(p.group_of);
	free(p.group_of_blocked);
	text_release(&p.words);
	page_texts_release(&texts);
}
