/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that judge thread dumps. */
#include "core/diagnosis/rules.h"

#include "core/base/units.h"

/* One dump can see a cycle that never was: it reads thread by thread. */
const char *rule_deadlock(struct diagnosis *d, const struct rule *rule,
			  const struct diagnosis_facts *f)
{
	const struct dump_waits *w = f->dumps;
	struct cause *c;

	if (w->deadlock_dumps < 2 || !w->deadlock.len)
		return NULL;
	c = diagnosis_add(d, rule);
	c->threads = w->deadlocked + w->behind;
	c->lost_s = (double)c->threads * f->seconds;
	text_printf(&c->sentence, "deadlock of %zu threads", w->deadlocked);
	if (w->behind)
		text_printf(&c->sentence, "; %zu more thread%s behind them",
			    w->behind, w->behind == 1 ? " waits" : "s wait");
	text_puts(&c->detail, w->deadlock.bytes);
	if (w->deadlocks > 1)
		text_printf(&c->detail, "; %s in all",
			    units_counted(w->deadlocks, "deadlock").text);
	text_printf(&c->next, "threads %s", f->target);
	cause_add_evidence(c, "deadlocked_threads", (double)w->deadlocked,
			   "threads", "thread dumps");
	cause_add_evidence(c, "threads_behind", (double)w->behind, "threads",
			   "thread dumps");
	return NULL;
}

static void wait_add_place(struct cause *c, const struct dump_wait *g)
{
	if (!*g->place)
		return;
	text_puts(&c->place, g->place);
	text_printf(&c->detail, "in %s", g->place);
}

static void wait_add_dumps(struct cause *c, const struct dump_waits *w,
			   const struct dump_wait *g)
{
	double mean = dump_wait_mean(w, g);

	text_printf(&c->detail, "%sin %zu of %zu thread dumps",
		    c->detail.len ? ", " : "", g->dumps, w->dumps);
	c->threads = (size_t)(mean + 0.5);
	cause_add_evidence(c, "waiting_threads_mean", mean, "threads",
			   "thread dumps");
	cause_add_evidence(c, "pool_threads_mean", dump_wait_pool(g), "threads",
			   "thread dumps");
	cause_add_evidence(c, "dumps_seen", (double)g->dumps, "thread dumps",
			   "thread dumps");
	cause_add_evidence(c, "dumps_taken", (double)w->dumps, "thread dumps",
			   "thread dumps");
}

static bool wait_is_for_lock(const struct dump_wait *g)
{
	return g->kind == DUMP_WAIT_MONITOR || g->kind == DUMP_WAIT_LOCK;
}

static void wait_add_owner(struct cause *c, const struct dump_wait *g)
{
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

/* Many threads wait in most dumps, or a large part of the pool in each. */
static bool convoy_is_large(const struct dump_waits *w,
			    const struct dump_wait *g)
{
	double mean = dump_wait_mean(w, g);

	if (mean >= BLOCKED_MEAN)
		return 4 * g->dumps >= 3 * w->dumps;
	return g->dumps == w->dumps && mean >= BLOCKED_LEAST &&
	       mean >= BLOCKED_POOL * dump_wait_pool(g);
}

const char *rule_convoy(struct diagnosis *d, const struct rule *rule,
			const struct diagnosis_facts *f)
{
	const struct dump_waits *w = f->dumps;

	for (size_t i = 0; i < w->count; i++) {
		const struct dump_wait *g = &w->all[i];
		double mean = dump_wait_mean(w, g), pool = dump_wait_pool(g);
		struct cause *c;

		if (!wait_is_for_lock(g) || !convoy_is_large(w, g))
			continue;
		c = diagnosis_add(d, rule);
		c->lost_s = mean * f->seconds;
		text_printf(&c->sentence,
			    "%.0f of %.0f threads of %s wait for the %s %s",
			    mean, pool, g->pool,
			    g->kind == DUMP_WAIT_MONITOR ? "monitor" : "lock",
			    *g->lock ? g->lock : "of an unknown class");
		wait_add_place(c, g);
		wait_add_dumps(c, w, g);
		wait_add_owner(c, g);
		text_printf(&c->next, "prof %s -e lock", f->target);
	}
	return NULL;
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

/* True if the threads are enough to be a cause; clients may be silent. */
static bool wait_matters(const struct dump_waits *w, const struct dump_wait *g)
{
	double mean = dump_wait_mean(w, g), pool = dump_wait_pool(g);

	if (!*g->place || g->dumps < w->dumps || g->is_inbound ||
	    !wait_sentences[g->kind])
		return false;
	if (g->kind == DUMP_WAIT_NAMES)
		return mean >= NAMES_MEAN;
	return pool >= POOL_LEAST && mean >= POOL_SHARE * pool;
}

const char *rule_pool(struct diagnosis *d, const struct rule *rule,
		      const struct diagnosis_facts *f)
{
	const struct dump_waits *w = f->dumps;

	for (size_t i = 0; i < w->count; i++) {
		const struct dump_wait *g = &w->all[i];
		double mean = dump_wait_mean(w, g), pool = dump_wait_pool(g);
		struct cause *c;

		if (!wait_matters(w, g))
			continue;
		c = diagnosis_add(d, rule);
		c->lost_s = mean * f->seconds;
		if (mean >= pool)
			text_printf(&c->sentence, "all %.0f", pool);
		else
			text_printf(&c->sentence, "%.0f of %.0f", mean, pool);
		text_printf(&c->sentence, " threads of %s ", g->pool);
		if (g->kind == DUMP_WAIT_SOCKET && *g->peer)
			text_printf(&c->sentence, "wait to %s", g->peer);
		else
			text_puts(&c->sentence, wait_sentences[g->kind]);
		wait_add_place(c, g);
		wait_add_dumps(c, w, g);
		if (g->kind == DUMP_WAIT_NAMES)
			text_printf(&c->next,
				    "probe %s InetAddress.getAllByName "
				    "--system --above 100ms --args",
				    f->target);
		else
			text_printf(&c->next, "threads %s --count 3",
				    f->target);
	}
	return NULL;
}

/* A lock whose owner waits for the disk comes before the lock. */
const char *rule_disk(struct diagnosis *d, const struct rule *rule,
		      const struct diagnosis_facts *f)
{
	const struct dump_waits *w = f->dumps;

	for (size_t i = 0; i < w->count; i++) {
		const struct dump_wait *g = &w->all[i];
		double mean = dump_wait_mean(w, g);
		struct cause *c;

		if (!wait_is_for_lock(g) || g->dumps < w->dumps ||
		    g->owner_kind != DUMP_WAIT_DISK || mean < DISK_MEAN)
			continue;
		c = diagnosis_add(d, rule);
		c->lost_s = mean * f->seconds;
		text_printf(&c->sentence,
			    "a thread that owns a lock waits for a file; %.0f "
			    "threads wait for the lock",
			    mean);
		if (*g->owner_place) {
			text_puts(&c->place, g->owner_place);
			text_printf(&c->detail, "in %s", g->owner_place);
		}
		wait_add_dumps(c, w, g);
		text_printf(&c->next, "prof %s -e offcpu", f->target);
	}
	return NULL;
}

/* ---- threads of the JDK that run the application's code ---- */

const char *rule_finalizer(struct diagnosis *d, const struct rule *rule,
			   const struct diagnosis_facts *f)
{
	const struct dump_work *work = &f->dumps->finalizer;
	int64_t count = f->replies->finalizable_count;
	struct cause *c;

	if (work->dumps < 2 || count < FINALIZER_LEAST)
		return NULL;
	c = diagnosis_add(d, rule);
	c->lost_s = f->seconds;
	c->threads = 1;
	text_printf(&c->sentence,
		    "%.0f objects wait for the thread Finalizer, which is busy",
		    (double)count);
	if (f->replies->finalizable.len)
		text_printf(&c->detail, "most of them: %s",
			    f->replies->finalizable.bytes);
	if (work->place) {
		text_puts(&c->place, work->place);
		text_printf(&c->detail, "%sFinalizer is in %s",
			    c->detail.len ? "; " : "", work->place);
	}
	text_printf(&c->next, "jcmd %s GC.finalizer_info", f->target);
	cause_add_evidence(c, "finalizable_objects", (double)count, "objects",
			   "GC.finalizer_info");
	cause_add_evidence(c, "dumps_seen", (double)work->dumps, "thread dumps",
			   "thread dumps");
	return NULL;
}

/* The JVM's reply has the numbers, the dumps the virtual threads that run. */
const char *rule_carriers(struct diagnosis *d, const struct rule *rule,
			  const struct diagnosis_facts *f)
{
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
	c = diagnosis_add(d, rule);
	c->lost_s = (double)r->queued;
	c->threads = (size_t)r->queued;
	text_printf(&c->sentence,
		    "%.0f virtual threads wait for one of the %.0f carriers",
		    (double)r->queued, (double)r->carriers);
	text_printf(&c->detail,
		    "virtual threads that run and do not wait are in %zu of "
		    "%zu thread dumps",
		    work->dumps, f->dumps->dumps);
	if (work->place) {
		text_puts(&c->place, work->place);
		text_printf(&c->detail, ", in %s", work->place);
	}
	text_printf(&c->next, "threads %s --virtual", f->target);
	cause_add_evidence(c, "waiting_virtual_threads", (double)r->queued,
			   "threads", "Thread.vthread_scheduler");
	cause_add_evidence(c, "carriers", (double)r->carriers, "threads",
			   "Thread.vthread_scheduler");
	return NULL;
}
