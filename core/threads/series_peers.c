/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the peers for which the threads of a dump wait. */
#include "core/base/alloc.h"
#include "core/threads/dump_series.h"
#include "core/threads/tasks.h"

#include <stdlib.h>

/* True for a thread whose code may be in a system call. */
static bool peers_want(const struct dump_series *s,
		       const struct series_thread *t)
{
	const struct profile *p = s->profile;

	if (t->thread.is_virtual || t->thread.os_id <= 0 ||
	    t->thread.os_id > INT32_MAX ||
	    (t->state != STATE_RUNNABLE && t->state != STATE_NONE))
		return false;
	return !t->stack ||
	       p->frames[p->stacks[t->stack].frame].kind == FRAME_NATIVE;
}

/* Maps the thread ids of the JVM's PID namespace to those of sjkc. */
static int peers_map_tids(struct map64 *tids, const struct jvm *jvm,
			  struct error *err)
{
	struct tasks *all = tasks_open(jvm, err);
	int ret = all ? tasks_read(all, false, err) : -1;

	for (size_t i = 0; ret == 0 && i < tasks_count(all); i++) {
		const struct task *one = tasks_at(all, i);

		map64_add(tids, (uint64_t)one->ns_tid, (uint32_t)one->tid);
	}
	tasks_close(all);
	return ret;
}

/* The owner of a lock may wait for a peer while others wait for the lock. */
static void peers_tell_blocked(struct dump_series *s)
{
	struct text text = { 0 };

	for (size_t i = 0; i < s->thread_count; i++) {
		const struct series_thread *t = &s->threads[i];
		const struct wait_peer *p = series_peer(s, t);

		if (!p || t->blocked == BLOCKED_NONE)
			continue;
		text_clear(&text);
		wait_peer_text(&s->peers, p, false, &text);
		s->blocked.threads[t->blocked].peer = blocked_string(
			&s->blocked, text.bytes, text.len);
	}
	text_release(&text);
}

int series_read_peers(struct dump_series *s, const struct jvm *jvm,
		      struct error *err)
{
	pid_t *wanted = xcalloc(s->thread_count + 1, sizeof(*wanted));
	struct map64 tids = { 0 };
	size_t count = 0;
	int ret = 0;

	wait_peers_release(&s->peers);
	if (jvm->own_pid_ns)
		ret = peers_map_tids(&tids, jvm, err);
	for (size_t i = 0; i < s->thread_count; i++) {
		struct series_thread *t = &s->threads[i];
		uint32_t tid = (uint32_t)t->thread.os_id;

		t->peer = 0;
		if (!peers_want(s, t))
			continue;
		if (jvm->own_pid_ns)
			tid = map64_get(&tids, tid);
		if (tid == MAP64_NONE)
			continue;
		wanted[count++] = (pid_t)tid;
		t->peer = count;
	}
	if (ret == 0)
		ret = wait_peers_read(&s->peers, jvm, wanted, count, err);
	if (ret)
		wait_peers_release(&s->peers);
	peers_tell_blocked(s);
	map64_release(&tids);
	free(wanted);
	return ret;
}

const struct wait_peer *series_peer(const struct dump_series *s,
				    const struct series_thread *t)
{
	const struct wait_peer *p;

	if (!t->peer || t->peer > s->peers.count)
		return NULL;
	p = &s->peers.list[t->peer - 1];
	return p->action == WAIT_ABSENT ? NULL : p;
}
