/* SPDX-License-Identifier: Apache-2.0 */
#include "core/diagnosis/dump_waits.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/safe_text.h"
#include "core/profile/frame_name.h"
#include "core/profile/idle_method.h"
#include "core/threads/pool_name.h"

#include <stdlib.h>
#include <string.h>

enum { GROUPS_MAX = 4096 };

/* Calls below the application's frame that tell what a thread waits for. */
/* clang-format off */
static const struct method_call waits_calls[] = {
	{ "*AddressImpl", "lookupAllHostAddr getHostByAddr", DUMP_WAIT_NAMES },
	{ "*FileDispatcherImpl", "force0 read0 write0 pread0 pwrite0 readv0 writev0 lock0", DUMP_WAIT_DISK },
	{ "java.io.FileDescriptor", "sync sync0", DUMP_WAIT_DISK },
	{ "java.io.RandomAccessFile", "readBytes readBytes0 read0 writeBytes writeBytes0 write0", DUMP_WAIT_DISK },
	{ "java.io.FileOutputStream", "writeBytes write", DUMP_WAIT_DISK },
	{ "java.io.FileInputStream", "readBytes read0", DUMP_WAIT_DISK },
	{ "java.net.SocketInputStream", "socketRead0", DUMP_WAIT_SOCKET },
	{ "java.net.PlainSocketImpl", "socketConnect", DUMP_WAIT_SOCKET },
	{ "*NioSocketImpl", "park timedRead implRead timedFinishConnect", DUMP_WAIT_SOCKET },
	{ "*SocketDispatcher", "read read0 readv readv0 write write0 writev writev0", DUMP_WAIT_SOCKET },
	{ "sun.nio.ch.Net", "poll connect0 pollConnect", DUMP_WAIT_SOCKET },
	{ "sun.nio.ch.SocketChannelImpl", "read write connect", DUMP_WAIT_SOCKET },
	{ "java.util.concurrent.Semaphore", "acquire tryAcquire acquireUninterruptibly", DUMP_WAIT_PERMIT },
	{ "java.util.concurrent.CountDownLatch", "await", DUMP_WAIT_RESULT },
	{ "java.util.concurrent.CyclicBarrier", "await", DUMP_WAIT_RESULT },
	{ "java.util.concurrent.CompletableFuture", "get join waitingGet timedGet", DUMP_WAIT_RESULT },
	{ "java.util.concurrent.FutureTask", "get awaitDone", DUMP_WAIT_RESULT },
	{ "java.lang.Thread", "sleep sleep0", DUMP_WAIT_SLEEP },
	/* Pools of connections: HikariCP, Tomcat, DBCP and Jedis, Apache. */
	{ "com.zaxxer.hikari.pool.HikariPool", "getConnection", DUMP_WAIT_CONNECTION },
	{ "org.apache.tomcat.jdbc.pool.ConnectionPool", "borrowConnection", DUMP_WAIT_CONNECTION },
	{ "org.apache.commons.pool2.impl.GenericObjectPool", "borrowObject", DUMP_WAIT_CONNECTION },
	{ "org.apache.commons.pool2.impl.GenericKeyedObjectPool", "borrowObject", DUMP_WAIT_CONNECTION },
	{ "org.apache.http.pool.AbstractConnPool", "getPoolEntryBlocking", DUMP_WAIT_CONNECTION },
	{ "org.apache.hc.core5.pool.StrictConnPool$1", "get", DUMP_WAIT_CONNECTION },
};
/* clang-format on */

/*
 * True for packages whose classes are no place of the application, and the
 * class that the JDK makes for a lambda, which has no lines.
 */
static bool waits_is_library(const char *class_name)
{
	return has_any(class_name,
		       "com.zaxxer.hikari.|org.apache.tomcat.jdbc.pool.|"
		       "org.apache.commons.pool2.|org.apache.commons.dbcp2.|"
		       "org.apache.http.|org.apache.hc.",
		       true) ||
	       strstr(class_name, "$$Lambda");
}

/*
 * Returns the application's frame nearest the leaf, or NULL, and what the calls
 * below it wait for.
 */
static const struct frame *waits_find_place(const struct profile *p,
					    uint32_t stack,
					    enum dump_wait_kind *kind)
{
	*kind = DUMP_WAIT_KINDS;
	for (uint32_t at = stack; at; at = p->stacks[at].caller) {
		const struct frame *f = &p->frames[p->stacks[at].frame];
		int found; /* DUMP_WAIT_KINDS: the frame does not tell */

		if (frame_is_application(p, f) &&
		    !waits_is_library(profile_text(p, f->class_name)))
			return f;
		found = method_call_find(
			waits_calls, sizeof(waits_calls) / sizeof(*waits_calls),
			p, f, DUMP_WAIT_KINDS);
		/*
		 * Before JDK 17, sockets are read by the calls of files.  A
		 * pool waits by the means of the JDK.
		 */
		if (*kind == DUMP_WAIT_KINDS || found == DUMP_WAIT_SOCKET ||
		    (found == DUMP_WAIT_CONNECTION &&
		     *kind != DUMP_WAIT_SOCKET))
			*kind = (enum dump_wait_kind)found;
	}
	return NULL;
}

static enum dump_wait_kind waits_kind_of(const struct dump_series *s,
					 const struct series_thread *t,
					 enum dump_wait_kind by_frames)
{
	const struct tapped_lock *lock = series_wait(s, t);

	if (lock &&
	    (lock->kind == TAPPED_ENTERS || lock->kind == TAPPED_REENTERS ||
	     lock->kind == TAPPED_INITIALIZES) &&
	    t->state == STATE_BLOCKED)
		return DUMP_WAIT_MONITOR;
	if (by_frames != DUMP_WAIT_KINDS)
		return by_frames;
	if (t->activity == SERIES_BLOCKED)
		return DUMP_WAIT_LOCK;
	return DUMP_WAIT_OTHER;
}

/* Keeps a text, and releases it. */
static const char *waits_keep(struct dump_waits *w, struct text *t)
{
	uint32_t id = intern_id(&w->texts, t->len ? t->bytes : "", t->len);

	text_release(t);
	return intern_text(&w->texts, id);
}

static const char *waits_keep_name(struct dump_waits *w, const char *foreign)
{
	struct text safe = { 0 };

	safe_text_puts(&safe, foreign);
	return waits_keep(w, &safe);
}

static const char *waits_keep_place(struct dump_waits *w,
				    const struct profile *p,
				    const struct frame *f)
{
	static const struct style style = { .simple = true, .lines = true };
	struct text name = { 0 };

	if (f)
		frame_name(&name, p, f, &style);
	return waits_keep(w, &name);
}

static const char *waits_pool_of(struct dump_waits *w,
				 const struct dump_series *s,
				 const struct series_thread *t)
{
	struct text pool = { 0 };
	const char *kept;

	pool_name(&pool, profile_text(s->profile, t->thread.name));
	kept = waits_keep_name(w, pool.len ? pool.bytes : "");
	text_release(&pool);
	return kept;
}

/* Returns the group of these texts; NULL if there are too many groups. */
static struct dump_wait *waits_find(struct dump_waits *w,
				    const struct dump_wait *like)
{
	const char *place = dump_wait_is_for_lock(like) ? "" : like->place;
	struct text key = { 0 };
	uint32_t id;

	/* Equal texts are one string of the interner. */
	text_printf(&key, "%d %p %p %p %p", (int)like->kind,
		    (const void *)like->pool,
		    *place ? (const void *)place : NULL,
		    (const void *)like->lock, (const void *)like->peer);
	id = intern_find(&w->keys, key.bytes, key.len);
	if (!id && w->count < GROUPS_MAX) {
		id = intern_id(&w->keys, key.bytes, key.len);
		array_add(w->all, w->count, w->cap, *like);
	}
	text_release(&key);
	return id ? &w->all[id - 1] : NULL;
}

/*
 * Counts what the owner does in a dump.  True if that is now the most frequent;
 * of two, a wait, since an owner that waits for a file also runs.
 */
static bool waits_count_owner(struct dump_wait *group, enum dump_wait_kind kind)
{
	unsigned most = group->owner_kinds[group->owner_kind];
	unsigned count = ++group->owner_kinds[kind];

	return kind == group->owner_kind || count > most ||
	       (count == most && kind != DUMP_WAIT_KINDS);
}

/*
 * By the calls of the owner's stack; a dump takes a thread in a system call for
 * one that runs.
 */
static void waits_set_owner(struct dump_waits *w, struct dump_wait *group,
			    const struct dump_series *s,
			    const struct series_thread *t)
{
	size_t wanted = s->blocked.threads[t->blocked].owner;
	enum dump_wait_kind by_frames, kind;

	for (size_t i = 0; wanted != BLOCKED_NONE && i < s->thread_count; i++) {
		const struct series_thread *owner = &s->threads[i];
		const struct frame *place;

		if (owner->blocked != wanted)
			continue;
		place = waits_find_place(s->profile, owner->stack, &by_frames);
		kind = by_frames == DUMP_WAIT_KINDS &&
				       owner->activity != SERIES_RUNS
			       ? waits_kind_of(s, owner, by_frames)
			       : by_frames;
		if (!waits_count_owner(group, kind))
			return;
		group->owner = waits_keep_name(
			w, profile_text(s->profile, owner->thread.name));
		group->owner_place = waits_keep_place(w, s->profile, place);
		group->owner_kind = kind;
		return;
	}
}

/* True for a thread of a deadlock, and one behind it. */
static bool waits_is_deadlocked(const struct blocked *b, size_t at)
{
	for (size_t steps = 0; at != BLOCKED_NONE && steps <= b->count;
	     steps++) {
		if (b->threads[at].deadlock)
			return true;
		at = b->threads[at].owner;
	}
	return false;
}

static void waits_set_peer(struct dump_waits *w, struct dump_wait *like,
			   const struct dump_series *s,
			   const struct series_thread *t)
{
	const struct wait_peer *peer = series_peer(s, t);
	struct text text = { 0 };

	if (!peer)
		return;
	wait_peer_text(&s->peers, peer, true, &text);
	like->peer = waits_keep(w, &text);
	like->is_inbound = peer->direction == WAIT_INBOUND;
}

/*
 * Counts a thread of a group in this dump.  Of the locks of a class, the most
 * wanted one counts: counts has the threads by group and lock.
 */
static void waits_count(struct dump_waits *w, struct dump_wait *group,
			const char *lock_id, size_t *counts)
{
	struct text key = { 0 };
	size_t *n;

	text_printf(&key, "%zu %s", (size_t)(group - w->all),
		    dump_wait_is_for_lock(group) ? lock_id : "");
	n = &counts[intern_id(&w->locks, key.bytes, key.len) - 1];
	text_release(&key);
	group->dumps += !group->threads[w->dumps];
	if (++*n > group->threads[w->dumps])
		group->threads[w->dumps] = *n;
}

static void waits_add_thread(struct dump_waits *w, const struct dump_series *s,
			     const struct series_thread *t, size_t *counts)
{
	const struct tapped_lock *lock = series_wait(s, t);
	enum dump_wait_kind by_frames;
	const struct frame *place = waits_find_place(s->profile, t->stack,
						     &by_frames);
	struct dump_wait like = {
		.kind = waits_kind_of(s, t, by_frames),
		.pool = waits_pool_of(w, s, t),
		.place = waits_keep_place(w, s->profile, place),
		.lock = "",
		.peer = "",
		.owner = "",
		.owner_place = "",
		.owner_kind = DUMP_WAIT_KINDS,
	};
	struct dump_wait *group;

	waits_set_peer(w, &like, s, t);
	if (dump_wait_is_for_lock(&like) && lock)
		like.lock = waits_keep_name(
			w, profile_text(s->profile, lock->class_name));
	group = waits_find(w, &like);
	if (!group) {
		w->left_out++;
		return;
	}
	waits_count(w, group, lock ? profile_text(s->profile, lock->id) : "",
		    counts);
	if (t->blocked != BLOCKED_NONE && group->threads[w->dumps] == 1)
		waits_set_owner(w, group, s, t);
}

/* Counts the threads of the pools of the groups in this dump. */
static void waits_size_pools(struct dump_waits *w, const struct dump_series *s)
{
	/* By the number of the pool's text; a thread adds at most one. */
	size_t *sizes = xcalloc(w->texts.count + s->thread_count + 1,
				sizeof(*sizes));

	for (size_t i = 0; i < s->thread_count; i++) {
		const char *pool = waits_pool_of(w, s, &s->threads[i]);

		sizes[intern_find(&w->texts, pool, strlen(pool))]++;
	}
	for (size_t i = 0; i < w->count; i++) {
		struct dump_wait *g = &w->all[i];

		if (g->threads[w->dumps])
			g->pool_sum += sizes[intern_find(&w->texts, g->pool,
							 strlen(g->pool))];
	}
	free(sizes);
}

/* "A holds L1 and waits for L2, B holds …" of the first deadlock. */
static void waits_describe_deadlock(struct dump_waits *w,
				    const struct blocked *b)
{
	text_clear(&w->deadlock);
	w->deadlocked = w->behind = 0;
	for (size_t i = 0; i < b->count; i++) {
		const struct blocked_thread *t = &b->threads[i];

		if (t->deadlock != 1)
			continue;
		if (w->deadlocked++ < 4) {
			text_puts(&w->deadlock, w->deadlocked > 1 ? "; " : "");
			blocked_name(t, &w->deadlock);
			text_puts(&w->deadlock, " waits for ");
			blocked_lock(t, &w->deadlock);
		}
		w->behind += t->held_back;
	}
	w->deadlocks = b->deadlocks;
	w->deadlock_dumps += w->deadlocked != 0;
}

/* Counts a thread that runs the application's code. */
static void waits_add_work(struct dump_waits *w, const struct dump_series *s,
			   const struct series_thread *t)
{
	const char *name = profile_text(s->profile, t->thread.name);
	struct dump_work *work = &w->finalizer;
	const struct frame *place;
	enum dump_wait_kind kind;

	if (t->thread.is_virtual && t->activity == SERIES_RUNS)
		work = &w->virtual_threads;
	else if (strcmp(name, "Finalizer") != 0)
		return;
	place = waits_find_place(s->profile, t->stack, &kind);
	if (!place)
		return;
	if (!work->place) {
		work->threads = 0;
		work->dumps++;
	}
	work->threads++;
	work->place = waits_keep_place(w, s->profile, place);
}

void dump_waits_add(struct dump_waits *w, const struct dump_series *s)
{
	/* A thread adds at most one key. */
	size_t *counts = xcalloc(s->thread_count + 1, sizeof(*counts));

	if (w->dumps == DUMP_WAITS_DUMPS)
		goto out;
	w->finalizer.place = w->virtual_threads.place = NULL;
	for (size_t i = 0; i < s->thread_count; i++) {
		const struct series_thread *t = &s->threads[i];

		waits_add_work(w, s, t);
		if ((t->activity == SERIES_BLOCKED ||
		     t->activity == SERIES_WAITS) &&
		    !waits_is_deadlocked(&s->blocked, t->blocked))
			waits_add_thread(w, s, t, counts);
	}
	intern_release(&w->locks);
	waits_size_pools(w, s);
	waits_describe_deadlock(w, &s->blocked);
	w->dumps++;
out:
	free(counts);
}

void dump_waits_release(struct dump_waits *w)
{
	free(w->all);
	text_release(&w->deadlock);
	intern_release(&w->keys);
	intern_release(&w->texts);
	intern_release(&w->locks);
	*w = (struct dump_waits){ 0 };
}

bool dump_wait_is_for_lock(const struct dump_wait *of)
{
	return of->kind == DUMP_WAIT_MONITOR || of->kind == DUMP_WAIT_LOCK;
}

double dump_wait_mean(const struct dump_waits *w, const struct dump_wait *of)
{
	size_t sum = 0;

	for (size_t i = 0; i < w->dumps; i++)
		sum += of->threads[i];
	return w->dumps ? (double)sum / (double)w->dumps : 0;
}

double dump_wait_pool(const struct dump_wait *of)
{
	return of->dumps ? (double)of->pool_sum / (double)of->dumps : 0;
}
