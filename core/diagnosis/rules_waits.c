/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that judge thread dumps. */
#include "core/diagnosis/rules.h"

#include "core/base/units.h"

#define DUMPS "thread dumps"

/* One dump can see a cycle that never was: it reads thread by thread. */
const char *rule_deadlock(struct verdict *v, const struct diagnosis_facts *f)
{
	const struct dump_waits *w = f->dumps;
	size_t threads = w->deadlocked + w->behind;
	struct cause *c;

	if (w->deadlock_dumps < 2 || !w->deadlock.len)
		return NULL;
	c = verdict_add(v, (double)threads, "deadlock of %zu threads",
			w->deadlocked);
	c->threads = threads;
	if (w->behind)
		text_printf(&c->sentence, "; %zu more thread%s behind them",
			    w->behind, w->behind == 1 ? " waits" : "s wait");
	text_puts(&c->detail, w->deadlock.bytes);
	if (w->deadlocks > 1)
		text_printf(&c->detail, "; %s in all",
			    units_counted(w->deadlocks, "deadlock").text);
	cause_add(c, "deadlocked_threads", w->deadlocked, "threads", DUMPS);
	cause_add(c, "threads_behind", w->behind, "threads", DUMPS);
	return NULL;
}

static void wait_add_facts(struct cause *c, const struct dump_waits *w,
			   const struct dump_wait *g, const char *place)
{
	double mean = dump_wait_mean(w, g);

	text_puts(&c->place, place);
	if (*place)
		text_printf(&c->detail, "in %s, ", place);
	text_printf(&c->detail, "in %zu of %zu thread dumps", g->dumps,
		    w->dumps);
	c->threads = (size_t)(mean + 0.5);
	cause_add(c, "waiting_threads_mean", mean, "threads", DUMPS);
	cause_add(c, "pool_threads_mean", dump_wait_pool(g), "threads", DUMPS);
	cause_add(c, "dumps_seen", g->dumps, "thread dumps", DUMPS);
	cause_add(c, "dumps_taken", w->dumps, "thread dumps", DUMPS);
}

/*
 * Many threads wait for a lock in most dumps, or a large part of the pool in
 * each.
 */
void rule_convoy(struct verdict *v, const struct dump_wait *g)
{
	const struct dump_waits *w = v->facts->dumps;
	double mean = dump_wait_mean(w, g), pool = dump_wait_pool(g);
	struct cause *c;

	if (!dump_wait_is_for_lock(g) ||
	    (mean >= BLOCKED_MEAN
		     ? 4 * g->dumps < 3 * w->dumps
		     : g->dumps < w->dumps || mean < BLOCKED_LEAST ||
			       mean < BLOCKED_POOL * pool))
		return;
	c = verdict_add(v, mean,
			"%.0f of %.0f threads of %s wait for the %s %s", mean,
			pool, g->pool,
			g->kind == DUMP_WAIT_MONITOR ? "monitor" : "lock",
			*g->lock ? g->lock : "of an unknown class");
	wait_add_facts(c, w, g, g->place);
	if (!*g->owner)
		return;
	text_printf(&c->detail, "; the owner, %s, %s", g->owner,
		    g->owner_kind == DUMP_WAIT_DISK     ? "waits for a file"
		    : g->owner_kind == DUMP_WAIT_SOCKET ? "waits for a socket"
		    : g->owner_kind == DUMP_WAIT_NAMES  ? "resolves a name"
		    : g->owner_kind == DUMP_WAIT_SLEEP  ? "sleeps"
		    : g->owner_kind == DUMP_WAIT_KINDS  ? "runs"
							: "waits");
	if (*g->owner_place)
		text_printf(&c->detail, " in %s", g->owner_place);
}

/* NULL: not reported; the thread may wait on purpose. */
static const char *const wait_sentences[DUMP_WAIT_KINDS] = {
	[DUMP_WAIT_PERMIT] = "wait for a permit of a Semaphore",
	[DUMP_WAIT_CONNECTION] = "wait for a connection of a pool",
	[DUMP_WAIT_RESULT] = "wait for the result of another thread",
	[DUMP_WAIT_NAMES] = "resolve host names",
	[DUMP_WAIT_SOCKET] = "wait for a socket",
	[DUMP_WAIT_DISK] = "wait for a file",
};

/* The threads are enough to be a cause; clients may be silent. */
void rule_pool(struct verdict *v, const struct dump_wait *g)
{
	const struct dump_waits *w = v->facts->dumps;
	double mean = dump_wait_mean(w, g), pool = dump_wait_pool(g);
	bool is_of_names = g->kind == DUMP_WAIT_NAMES, has_peer = *g->peer;
	struct cause *c;

	if (!*g->place || g->dumps < w->dumps || g->is_inbound ||
	    !wait_sentences[g->kind] ||
	    (is_of_names ? mean < NAMES_MEAN
			 : pool < POOL_LEAST || mean < POOL_SHARE * pool))
		return;
	c = verdict_add(v, mean, mean < pool ? "%.0f of " : "all ", mean);
	text_printf(&c->sentence, "%.0f", pool);
	has_peer &= g->kind == DUMP_WAIT_SOCKET;
	text_printf(&c->sentence, " threads of %s %s%s", g->pool,
		    has_peer ? "wait to " : "",
		    has_peer ? g->peer : wait_sentences[g->kind]);
	wait_add_facts(c, w, g, g->place);
	if (is_of_names)
		cause_set_next(c, v,
			       "probe %s InetAddress.getAllByName --system "
			       "--above 100ms --args");
}

/* A lock whose owner waits for the disk comes before the lock. */
void rule_disk(struct verdict *v, const struct dump_wait *g)
{
	const struct dump_waits *w = v->facts->dumps;
	double mean = dump_wait_mean(w, g);

	if (!dump_wait_is_for_lock(g) || g->dumps < w->dumps ||
	    g->owner_kind != DUMP_WAIT_DISK || mean < DISK_MEAN)
		return;
	wait_add_facts(verdict_add(v, mean,
				   "a thread that owns a lock waits for a "
				   "file; %.0f threads wait for the lock",
				   mean),
		       w, g, g->owner_place);
}

/* ---- threads of the JDK that run the application's code ---- */

const char *rule_finalizer(struct verdict *v, const struct diagnosis_facts *f)
{
	const struct dump_work *work = &f->dumps->finalizer;
	int64_t count = f->replies->finalizable_count;
	struct cause *c;

	if (work->dumps < 2 || count < FINALIZER_LEAST)
		return NULL;
	c = verdict_add(v, 1,
			"%.0f objects wait for the thread Finalizer, which is "
			"busy",
			(double)count);
	c->threads = 1;
	if (f->replies->finalizable.len)
		text_printf(&c->detail, "most of them: %s",
			    f->replies->finalizable.bytes);
	if (work->place) {
		text_puts(&c->place, work->place);
		text_printf(&c->detail, "%sFinalizer is in %s",
			    c->detail.len ? "; " : "", work->place);
	}
	cause_add(c, "finalizable_objects", count, "objects",
		  "GC.finalizer_info");
	cause_add(c, "dumps_seen", work->dumps, "thread dumps", DUMPS);
	return NULL;
}

/* The JVM's reply has the numbers, the dumps the virtual threads that run. */
const char *rule_carriers(struct verdict *v, const struct diagnosis_facts *f)
{
	static const char command[] = "Thread.vthread_scheduler";
	const struct dump_work *work = &f->dumps->virtual_threads;
	const struct jvm_replies *r = f->replies;
	struct cause *c;

	if (!work->dumps)
		return NULL;
	if (r->carriers < 0)
		return "JDK 24 or later has Thread.vthread_scheduler";
	if (!r->carriers || r->queued / r->carriers < CARRIERS_QUEUE ||
	    work->dumps < 2)
		return NULL;
	c = verdict_add(v, 0,
			"%.0f virtual threads wait for one of the %.0f "
			"carriers",
			(double)r->queued, (double)r->carriers);
	c->lost_s = (double)r->queued;
	c->threads = (size_t)r->queued;
	text_printf(&c->detail,
		    "virtual threads that run and do not wait are in %zu of "
		    "%zu thread dumps",
		    work->dumps, f->dumps->dumps);
	if (work->place) {
		text_puts(&c->place, work->place);
		text_printf(&c->detail, ", in %s", work->place);
	}
	cause_add(c, "waiting_virtual_threads", r->queued, "threads", command);
	cause_add(c, "carriers", r->carriers, "threads", command);
	return NULL;
}
