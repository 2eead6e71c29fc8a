/* SPDX-License-Identifier: Apache-2.0 */
/* blocked_text: prints blocked threads below the threads that block them. */
#include "core/threads/blocked.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/intern.h"
#include "core/base/lines.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "core/threads/pool_name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	INDENT = 2,
	DEEPEST = 40,    /* maximum number of indentation steps */
	LINES_MAX = 5000 /* maximum number of printed threads; the rest are
			    counted */
};

struct writer {
	const struct blocked *b;
	struct text *out;
	size_t few; /* see blocked_text() */
	size_t shown, counted;
	bool *is_counted; /* by thread: it is in the line of its pool */
	struct intern pools;
};

/* Waiting threads that are not printed yet: order[at] up to order[end]. */
struct level {
	size_t at, end;
};

/* A thread that waits for a lock and blocks no others. */
struct waiter {
	size_t thread, position; /* position: in the order */
	uint32_t pool;
};

static void text_indent(struct text *out, size_t depth)
{
	text_printf(out, "%*s",
		    (int)(INDENT * (depth < DEEPEST ? depth : DEEPEST)), "");
}

/* A name reads "name" #12. */
void blocked_name(const struct blocked_thread *t, struct text *out)
{
	text_putc(out, '"');
	safe_text_puts(out, t->name);
	text_putc(out, '"');
	if (t->id > 0)
		text_printf(out, " #%" PRId64, t->id);
}

void blocked_lock(const struct blocked_thread *t, struct text *out)
{
	safe_text_puts(out, t->lock_class);
	text_puts(out, *t->lock_class ? " <" : "<");
	safe_text_puts(out, t->lock_id);
	text_putc(out, '>');
}

/*
 * The duration is of one wait if JMX counts the waits, or if the thread used no
 * CPU time. Otherwise the thread may have had the lock in between.
 */
void blocked_since(const struct blocked *b, const struct blocked_thread *t,
		   struct text *out)
{
	double s = (double)(b->at_ns - t->since_ns) / (double)CLOCK_NS_PER_S;

	if (t->looks < 2) {
		text_puts(out, "blocked now");
		return;
	}
	if (b->knows_blocks || !t->did_run)
		text_puts(out, "blocked >=");
	else
		text_printf(out, "blocked in %u dumps over ", t->looks);
	if (s < 120)
		text_printf(out, "%.1f s", s);
	else
		text_printf(out, "%.0f min", s / 60);
}

/*
 * Prints "at a.B.run(B.java:7)", preceded by the leaf if it differs, and the
 * peer for which the thread waits.
 */
void blocked_frames(const struct blocked_thread *t, struct text *out)
{
	if (!*t->leaf)
		return;
	text_puts(out, "  at ");
	safe_text_puts(out, t->leaf);
	if (strcmp(t->leaf, t->frame) != 0) {
		text_puts(out, ", in ");
		safe_text_puts(out, t->frame);
	}
	text_puts(out, *t->peer ? "; " : "");
	text_puts(out, t->peer);
}

static void text_add_waiter(struct writer *w, const struct blocked_thread *t,
			    size_t depth)
{
	text_indent(w->out, depth);
	blocked_name(t, w->out);
	text_puts(w->out, "  ");
	blocked_since(w->b, t, w->out);
	if (*t->frame) {
		text_puts(w->out, "  at ");
		safe_text_puts(w->out, t->frame);
	}
	text_putc(w->out, '\n');
	w->shown++;
}

/* Number of threads of a level that wait for the same lock as the first. */
static size_t level_same_lock(const struct blocked *b, const struct level *l)
{
	const struct blocked_thread *first = &b->threads[b->order[l->at]];
	size_t count = 0;

	for (size_t i = l->at; i < l->end; i++) {
		const struct blocked_thread *t = &b->threads[b->order[i]];

		if (strcmp(t->lock_id, first->lock_id) != 0)
			break;
		count += t->kind != BLOCKED_NOT && !t->deadlock;
	}
	return count;
}

static bool level_begins_lock(const struct blocked *b, size_t from,
			      const struct level *l)
{
	return l->at == from ||
	       strcmp(b->threads[b->order[l->at]].lock_id,
		      b->threads[b->order[l->at - 1]].lock_id) != 0;
}

static int compare_waiters(const void *left, const void *right, void *self)
{
	const struct waiter *l = left, *r = right;
	const struct blocked *b = self;
	int order;

	if (l->pool != r->pool)
		return l->pool < r->pool ? -1 : 1;
	order = strcmp(b->threads[l->thread].frame,
		       b->threads[r->thread].frame);
	if (order)
		return order;
	return l->position < r->position ? -1 : 1;
}

/* The first thread of the waiters has waited longest. */
static void text_add_pool(struct writer *w, const struct waiter *waiters,
			  size_t count, size_t depth)
{
	const struct blocked_thread *t = &w->b->threads[waiters->thread];

	for (size_t i = 0; i < count; i++)
		w->is_counted[waiters[i].thread] = true;
	w->counted += count;
	text_indent(w->out, depth);
	text_printf(w->out, "%zu threads \"", count);
	safe_text_puts(w->out, intern_text(&w->pools, waiters->pool));
	text_puts(w->out, t->looks < 2 ? "\"  " : "\"  longest: ");
	blocked_since(w->b, t, w->out);
	if (*t->frame) {
		text_puts(w->out, "  at ");
		safe_text_puts(w->out, t->frame);
	}
	text_putc(w->out, '\n');
}

/* Prints a line for each pool with many like waiters of a level's next lock. */
static void text_add_pools(struct writer *w, const struct level *l,
			   size_t depth)
{
	const struct blocked *b = w->b;
	const char *lock_id = b->threads[b->order[l->at]].lock_id;
	struct waiter *waiters = xcalloc(l->end - l->at, sizeof(*waiters));
	size_t count = 0, next;
	struct text pool = { 0 };

	for (size_t i = l->at; i < l->end; i++) {
		const struct blocked_thread *t = &b->threads[b->order[i]];

		if (strcmp(t->lock_id, lock_id) != 0)
			break;
		if (t->kind == BLOCKED_NOT || t->deadlock || t->held_back)
			continue;
		text_clear(&pool);
		pool_name(&pool, t->name);
		waiters[count++] = (struct waiter){
			b->order[i], i,
			intern_id(&w->pools, pool.bytes, pool.len)
		};
	}
	qsort_r(waiters, count, sizeof(*waiters), compare_waiters, (void *)b);
	for (size_t i = 0; i < count; i = next) {
		const char *frame = b->threads[waiters[i].thread].frame;

		for (next = i + 1;
		     next < count && waiters[next].pool == waiters[i].pool &&
		     strcmp(b->threads[waiters[next].thread].frame, frame) ==
			     0;)
			next++;
		if (next - i > w->few)
			text_add_pool(w, &waiters[i], next - i, depth);
	}
	free(waiters);
	text_release(&pool);
}

static struct level level_over(const struct blocked *b, size_t owner)
{
	struct level l = { 0 };

	l.end = blocked_waiters(b, owner, &l.at) + l.at;
	return l;
}

/*
 * Prints the threads that wait for a thread, and below each thread those that
 * wait for it. The caller excludes cycles, which would not end.
 */
static void text_add_waiters(struct writer *w, size_t owner, size_t depth)
{
	const struct blocked *b = w->b;
	struct level *levels = xcalloc(b->count + 1, sizeof(*levels));
	size_t *from = xcalloc(b->count + 1, sizeof(*from));
	size_t count = 1;

	levels[0] = level_over(b, owner);
	from[0] = levels[0].at;
	while (count) {
		struct level *l = &levels[count - 1];
		const struct blocked_thread *t;
		size_t next;

		if (l->at == l->end || w->shown >= LINES_MAX) {
			count--;
			continue;
		}
		next = b->order[l->at];
		t = &b->threads[next];
		if (level_begins_lock(b, from[count - 1], l) &&
		    level_same_lock(b, l)) {
			text_indent(w->out, depth + 2 * count - 2);
			text_puts(w->out,
				  owner == BLOCKED_NONE ? "" : "holds ");
			blocked_lock(t, w->out);
			text_printf(w->out, ": %zu blocked\n",
				    level_same_lock(b, l));
			if (w->few)
				text_add_pools(w, l, depth + 2 * count - 1);
		}
		l->at++;
		if (t->kind == BLOCKED_NOT || t->deadlock ||
		    w->is_counted[next])
			continue;
		text_add_waiter(w, t, depth + 2 * count - 1);
		levels[count] = level_over(b, next);
		from[count] = levels[count].at;
		count++;
	}
	free(levels);
	free(from);
}

static void text_add_deadlock(struct writer *w, unsigned number)
{
	const struct blocked *b = w->b;
	size_t first = 0, at;

	while (b->threads[first].deadlock != number)
		first++;
	text_printf(w->out, "\nDEADLOCK %u: each of these waits for the next\n",
		    number);
	at = first;
	do {
		const struct blocked_thread *t = &b->threads[at];

		text_add_waiter(w, t, 1);
		text_indent(w->out, 2);
		text_puts(w->out, "waits for ");
		blocked_lock(t, w->out);
		text_puts(w->out, ", held by ");
		blocked_name(&b->threads[t->owner], w->out);
		text_putc(w->out, '\n');
		text_add_waiters(w, at, 2);
		at = t->owner;
	} while (at != first && w->shown < LINES_MAX);
}

/*
 * Compares threads by the number of threads that they block, in descending
 * order.
 */
static int compare_held_back(const void *left, const void *right, void *self)
{
	const struct blocked *b = self;
	size_t l = *(const size_t *)left, r = *(const size_t *)right;

	if (b->threads[l].held_back != b->threads[r].held_back)
		return b->threads[l].held_back > b->threads[r].held_back ? -1
									 : 1;
	return l < r ? -1 : 1;
}

static bool thread_is_root(const struct blocked_thread *t)
{
	/* A thread that waits for a lock without a known owner is no root. */
	return t->held_back && t->owner == BLOCKED_NONE &&
	       t->kind == BLOCKED_NOT;
}

size_t *blocked_roots(const struct blocked *b, size_t *count)
{
	size_t *roots = xcalloc(b->count + 1, sizeof(*roots));

	*count = 0;
	for (size_t i = 0; i < b->count; i++) {
		if (thread_is_root(&b->threads[i]))
			roots[(*count)++] = i;
	}
	qsort_r(roots, *count, sizeof(*roots), compare_held_back, (void *)b);
	return roots;
}

static void text_add_roots(struct writer *w)
{
	const struct blocked *b = w->b;
	size_t count, *roots = blocked_roots(b, &count);

	for (size_t i = 0; i < count && w->shown < LINES_MAX; i++) {
		const struct blocked_thread *t = &b->threads[roots[i]];

		text_putc(w->out, '\n');
		blocked_name(t, w->out);
		if (t->state != RUN_UNKNOWN)
			text_printf(w->out, "  %s",
				    thread_run_state_name(t->state));
		blocked_frames(t, w->out);
		text_putc(w->out, '\n');
		text_add_waiters(w, roots[i], 1);
	}
	free(roots);
}

bool blocked_has_ownerless(const struct blocked *b)
{
	struct level l = level_over(b, BLOCKED_NONE);
	bool any = false;

	for (size_t i = l.at; i < l.end; i++)
		any |= b->threads[b->order[i]].kind != BLOCKED_NOT;
	return any;
}

const char *blocked_owner_hint(const struct blocked *b)
{
	return b->knows_synchronizers ? "read locks have none"
	       : b->owner_hint        ? b->owner_hint
				      : "thread dumps do not name owners of "
					"java.util.concurrent locks; JMX does";
}

/* Prints blocked threads whose lock has no known owner. */
static void text_add_ownerless(struct writer *w)
{
	const struct blocked *b = w->b;

	if (!blocked_has_ownerless(b))
		return;
	text_printf(w->out, "\nOwner unknown (%s)\n", blocked_owner_hint(b));
	text_add_waiters(w, BLOCKED_NONE, 1);
}

static void text_count_holders(const struct blocked *b, size_t *holders)
{
	*holders = 0;
	for (size_t i = 0; i < b->count; i++)
		*holders += thread_is_root(&b->threads[i]);
}

void blocked_head(const struct blocked *b, struct text *out)
{
	size_t holders;

	text_count_holders(b, &holders);
	if (!b->waiting)
		text_puts(out, "no thread is blocked");
	else
		text_printf(out, "%zu thread%s blocked", b->waiting,
			    b->waiting == 1 ? " is" : "s are");
	if (holders)
		text_printf(out, "; %zu other%s hold%s the locks", holders,
			    units_plural(holders), holders == 1 ? "s" : "");
	if (b->deadlocks)
		text_printf(out, "; %u DEADLOCK%s", b->deadlocks,
			    b->deadlocks == 1 ? "" : "S");
	text_printf(out, "  (%s", b->source);
	if (b->pause_ns >= 0)
		text_printf(out, "; it stopped the program for at most %.1f ms",
			    (double)b->pause_ns / (double)CLOCK_NS_PER_MS);
	text_putc(out, ')');
}

/* A recording is foreign text: only its newlines are kept as they are. */
static void text_add_recorded(const struct blocked *b, struct text *out)
{
	struct lines lines = lines_over(b->recorded.bytes, b->recorded.len);
	struct line line;

	while (lines_next(&lines, &line)) {
		safe_text(out, line.text, line.len);
		text_putc(out, '\n');
	}
}

void blocked_text(const struct blocked *b, size_t few, struct text *out)
{
	struct writer w = { .b = b, .out = out, .few = few };

	if (b->recorded.len) {
		text_add_recorded(b, out);
		return;
	}
	w.is_counted = xcalloc(b->count + 1, sizeof(*w.is_counted));
	blocked_head(b, out);
	text_putc(out, '\n');
	for (unsigned i = 1; i <= b->deadlocks && w.shown < LINES_MAX; i++)
		text_add_deadlock(&w, i);
	text_add_roots(&w);
	text_add_ownerless(&w);
	if (w.shown + w.counted < b->waiting || b->left_out)
		text_printf(out, "\n%zu more are not shown\n",
			    b->waiting - w.shown - w.counted + b->left_out);
	free(w.is_counted);
	intern_release(&w.pools);
}
