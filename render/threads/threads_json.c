/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the report of thread dumps as JSON, sjkc.threads/1. */
#include "core/base/json.h"
#include "core/profile/frame_name.h"
#include "render/threads/thread_groups.h"
#include "render/threads/threads_report.h"

#include <inttypes.h>

struct writer {
	struct json j;
	const struct dump_series *s;
	struct text scratch;
};

static void write_string(struct writer *w, const char *key, uint32_t string)
{
	json_add_text(&w->j, key,
		      string ? profile_text(w->s->profile, string) : NULL);
}

static void write_known(struct writer *w, const char *key, int64_t value)
{
	json_key(&w->j, key);
	if (value < 0)
		json_null(&w->j);
	else
		json_int(&w->j, value);
}

static void write_states(struct writer *w, const size_t *states)
{
	json_add_object(&w->j, "states");
	for (int i = 0; i < THREAD_STATES; i++) {
		json_add_uint(&w->j, thread_state_names[i], states[i]);
	}
	json_close_object(&w->j);
}

/* Writes null if `known` is false. */
static void write_count(struct writer *w, const char *key, bool known,
			size_t count)
{
	json_key(&w->j, key);
	if (known)
		json_uint(&w->j, count);
	else
		json_null(&w->j);
}

static void write_dumps(struct writer *w)
{
	json_add_array(&w->j, "dumps");
	for (size_t i = 0; i < w->s->dump_count; i++) {
		const struct series_dump *d = &w->s->dumps[i];

		json_open_object(&w->j);
		json_key(&w->j, "time_ms");
		if (d->head.time_ns)
			json_int(&w->j, d->head.time_ns / 1000000);
		else
			json_null(&w->j);
		write_string(w, "vm", d->head.vm);
		json_add_uint(&w->j, "threads", d->threads);
		write_states(w, d->states);
		write_count(w, "blocked", d->is_analysed, d->blocked);
		write_count(w, "deadlocks", d->is_analysed, d->deadlocks);
		write_count(w, "vm_deadlocks", d->is_analysed, d->vm_deadlocks);
		json_key(&w->j, "is_of_another_jvm");
		if (d->is_analysed && !d->is_unrelated)
			json_bool(&w->j, d->is_of_another_jvm);
		else
			json_null(&w->j);
		json_close_object(&w->j);
	}
	json_close_array(&w->j);
}

static void write_lock(struct writer *w, const struct tapped_lock *lock)
{
	json_open_object(&w->j);
	write_string(w, "lock", lock->id);
	write_string(w, "class", lock->class_name);
	json_close_object(&w->j);
}

/* The lock that a thread needs, and its owner, a Java id. */
static void write_blocked(struct writer *w, const struct series_thread *t)
{
	const struct blocked_thread
		*b = t->blocked == BLOCKED_NONE
			     ? NULL
			     : &w->s->blocked.threads[t->blocked];

	json_key(&w->j, "blocked");
	if (!b || b->kind == BLOCKED_NOT) {
		json_null(&w->j);
		return;
	}
	json_open_object(&w->j);
	json_add_text(&w->j, "kind",
		      b->kind == BLOCKED_MONITOR ? "monitor" : "synchronizer");
	json_add_text(&w->j, "lock", b->lock_id);
	json_add_text(&w->j, "class", b->lock_class);
	json_add_text(&w->j, "owner",
		      b->owner == BLOCKED_NONE
			      ? NULL
			      : w->s->blocked.threads[b->owner].name);
	json_add_id(&w->j, "owner_id",
		    b->owner == BLOCKED_NONE ? 0 : b->owner_id);
	json_add_id(&w->j, "deadlock", b->deadlock);
	json_close_object(&w->j);
}

static void write_locks(struct writer *w, const struct series_thread *t)
{
	const struct tapped_lock *wait = series_wait(w->s, t), *lock;
	size_t at = 0;

	json_key(&w->j, "waits_for");
	if (wait)
		write_lock(w, wait);
	else
		json_null(&w->j);
	json_add_array(&w->j, "owns");
	while ((lock = series_next_owned(w->s, t, wait, &at)))
		write_lock(w, lock);
	json_close_array(&w->j);
}

static void write_thread(struct writer *w, const struct series_thread *t,
			 size_t stack)
{
	json_open_object(&w->j);
	json_add_text(&w->j, "name",
		      profile_text(w->s->profile, t->thread.name));
	json_add_id(&w->j, "id", t->thread.java_id);
	json_add_id(&w->j, "tid", t->thread.os_id);
	json_add_text(&w->j, "state",
		      t->state ? thread_state_names[t->state] : NULL);
	json_add_text(&w->j, "activity", series_activity_names[t->activity]);
	json_add_bool(&w->j, "daemon", t->is_daemon);
	json_add_bool(&w->j, "virtual", t->thread.is_virtual);
	json_add_id(&w->j, t->thread.is_virtual ? "carrier_id" : "carries_id",
		    t->peer_id);
	write_known(w, "cpu_ns", t->cpu_ns);
	write_known(w, "elapsed_ns", t->elapsed_ns);
	write_known(w, "used_cpu_ns", t->used_ns);
	write_known(w, "used_in_ns", t->used_in_ns);
	json_add_uint(&w->j, "dumps_without_a_move", t->looks);
	json_key(&w->j, "stack");
	if (t->stack)
		json_uint(&w->j, stack);
	else
		json_null(&w->j);
	write_locks(w, t);
	write_blocked(w, t);
	json_close_object(&w->j);
}

/* A stack trace is written once; threads refer to its index. */
static void write_threads(struct writer *w)
{
	struct map64 stacks = { 0 };

	json_add_array(&w->j, "threads");
	for (size_t i = 0; i < w->s->thread_count; i++) {
		const struct series_thread *t = &w->s->threads[i];

		if (t->stack)
			map64_add(&stacks, t->stack, (uint32_t)stacks.count);
		write_thread(w, t, map64_get(&stacks, t->stack));
	}
	json_close_array(&w->j);
	map64_release(&stacks);
}

static void write_stack(struct writer *w, uint32_t stack)
{
	const struct profile *p = w->s->profile;

	json_open_array(&w->j);
	for (uint32_t at = stack; at; at = p->stacks[at].caller) {
		text_clear(&w->scratch);
		frame_place_name(&w->scratch, p,
				 &p->frames[p->stacks[at].frame]);
		json_string(&w->j, w->scratch.bytes, w->scratch.len);
	}
	json_close_array(&w->j);
}

static void write_stacks(struct writer *w)
{
	struct map64 stacks = { 0 };

	json_add_array(&w->j, "stacks");
	for (size_t i = 0; i < w->s->thread_count; i++) {
		uint32_t stack = w->s->threads[i].stack;

		if (stack && map64_add(&stacks, stack, 0))
			write_stack(w, stack);
	}
	json_close_array(&w->j);
	map64_release(&stacks);
}

static void write_pools(struct writer *w)
{
	struct thread_groups g;

	thread_groups_make(&g, w->s, GROUP_POOLS);
	json_add_array(&w->j, "pools");
	for (size_t i = 0; i < g.count; i++) {
		json_open_object(&w->j);
		json_add_text(&w->j, "name",
			      intern_text(&g.names, g.groups[i].pool));
		json_add_uint(&w->j, "threads", g.groups[i].count);
		write_states(w, g.groups[i].states);
		json_key(&w->j, "cpu_pct");
		if (g.groups[i].cpu < 0)
			json_null(&w->j);
		else
			json_double(&w->j, 100 * g.groups[i].cpu);
		json_close_object(&w->j);
	}
	json_close_array(&w->j);
	thread_groups_release(&g);
}

void threads_json(struct text *out, const struct dump_series *s,
		  const struct threads_options *o)
{
	struct writer w = { .j = json_into(out), .s = s };

	json_open_object(&w.j);
	json_add_text(&w.j, "schema", "sjkc.threads/1");
	json_add_text(&w.j, "source", o->source);
	container_pod_json(o->pod, &w.j);
	json_add_uint(&w.j, "dump", s->number);
	write_dumps(&w);
	write_threads(&w);
	write_stacks(&w);
	write_pools(&w);
	json_close_object(&w.j);
	text_putc(out, '\n');
	text_release(&w.scratch);
}
