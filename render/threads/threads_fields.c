/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the threads of a dump as CSV (RFC 4180), a line for each, and the
 * report of thread dumps as JSON, sjkc.threads/1.
 */
#include "core/base/json.h"
#include "core/base/safe_text.h"
#include "core/profile/frame_name.h"
#include "render/text/fields.h"
#include "render/text/table.h"
#include "render/threads/thread_groups.h"
#include "render/threads/threads_report.h"

#include <math.h>

struct writer {
	struct fields f;
	const struct dump_series *s;
	struct text scratch;
};

static void write_string(struct writer *w, const char *key, uint32_t string)
{
	fields_text(&w->f, key,
		    string ? profile_text(w->s->profile, string) : NULL);
}

/* Negative values are unknown. */
static void write_known(struct writer *w, const char *key, int64_t value)
{
	fields_int(&w->f, key, value, value >= 0);
}

/* ---- the values of a thread in both formats ---- */

/* The owner of the lock that the thread needs. */
static void write_blocked(struct writer *w, const struct series_thread *t)
{
	const struct blocked *all = &w->s->blocked;
	const struct blocked_thread *b = t->blocked == BLOCKED_NONE
						 ? NULL
						 : &all->threads[t->blocked];
	struct json *j = w->f.json;

	if (!b || b->kind == BLOCKED_NOT) {
		for (size_t cells = j ? 1 : 4; cells; cells--)
			fields_text(&w->f, "blocked", NULL);
		return;
	}
	if (j)
		json_add_object(j, "blocked");
	fields_text(&w->f, "kind",
		    b->kind == BLOCKED_MONITOR ? "monitor" : "synchronizer");
	if (j) {
		json_add_text(j, "lock", b->lock_id);
		json_add_text(j, "class", b->lock_class);
	}
	fields_text(&w->f, "owner",
		    b->owner == BLOCKED_NONE ? NULL
					     : all->threads[b->owner].name);
	fields_id(&w->f, "owner_id",
		  b->owner == BLOCKED_NONE ? 0 : b->owner_id);
	fields_id(&w->f, "deadlock", b->deadlock);
	if (j)
		json_close_object(j);
}

static void write_address(struct writer *w, const char *key,
			  const union net_end *address)
{
	text_clear(&w->scratch);
	if (address)
		net_end_text(address, &w->scratch);
	fields_text(&w->f, key, w->scratch.len ? w->scratch.bytes : NULL);
}

/* The peer for which the thread waits in a system call. */
static void write_peer(struct writer *w, const struct series_thread *t)
{
	const struct wait_peer *p = series_peer(w->s, t);
	const struct intern *paths = &w->s->peers.paths;

	if (w->f.json && !p) {
		json_add_null(w->f.json, "waits_in");
		return;
	}
	if (w->f.json)
		json_add_object(w->f.json, "waits_in");
	fields_text(&w->f, "system_call", p ? p->call : NULL);
	fields_int(&w->f, "descriptor", p ? p->fd : -1, p && p->fd >= 0);
	fields_text(&w->f, "descriptor_kind",
		    p && p->fd >= 0 ? wait_object_names[p->object] : NULL);
	fields_text(&w->f, "direction",
		    p ? wait_direction_names[p->direction] : NULL);
	write_address(w, "local_address", p ? &p->local : NULL);
	write_address(w, "remote_address", p ? &p->remote : NULL);
	fields_text(&w->f, "path",
		    p && p->path ? intern_text(paths, p->path) : NULL);
	fields_uint(&w->f, "watched_descriptors", p ? p->watched : 0,
		    p && p->watched);
	fields_uint(&w->f, "watched_port", p ? p->port : 0, p && p->port);
	if (w->f.json)
		json_close_object(w->f.json);
}

static void write_thread(struct writer *w, const struct series_thread *t)
{
	fields_text(&w->f, "name", profile_text(w->s->profile, t->thread.name));
	fields_id(&w->f, "id", t->thread.java_id);
	fields_id(&w->f, "tid", t->thread.os_id);
	fields_text(&w->f, "state",
		    t->state ? thread_state_names[t->state] : NULL);
	fields_text(&w->f, "activity", series_activity_names[t->activity]);
	fields_bool(&w->f, "daemon", t->is_daemon);
	fields_bool(&w->f, "virtual", t->thread.is_virtual);
	fields_id(&w->f, t->thread.is_virtual ? "carrier_id" : "carries_id",
		  t->peer_id);
	write_known(w, "cpu_ns", t->cpu_ns);
	write_known(w, "elapsed_ns", t->elapsed_ns);
	write_known(w, "used_cpu_ns", t->used_ns);
	write_known(w, "used_in_ns", t->used_in_ns);
	fields_uint(&w->f, "dumps_without_a_move", t->looks, true);
}

/* ---- CSV ---- */

static const char csv_head[] =
	"name,id,tid,state,activity,daemon,virtual,peer_id,cpu_ns,elapsed_ns,"
	"used_cpu_ns,used_in_ns,dumps_without_a_move,waits_for,"
	"waits_for_class,blocked,owner,owner_id,deadlock,owns,frame,stack,"
	"system_call,descriptor,descriptor_kind,direction,local_address,"
	"remote_address,path,watched_descriptors,watched_port\n";

/* Writes the locks that the thread owns, separated by spaces. */
static void csv_put_owned(struct writer *w, const struct series_thread *t,
			  const struct tapped_lock *wait)
{
	const struct profile *p = w->s->profile;
	const struct tapped_lock *lock;
	size_t at = 0;

	text_clear(&w->scratch);
	text_add(&w->scratch, "", 0);
	while ((lock = series_next_owned(w->s, t, wait, &at)))
		text_printf(&w->scratch, "%s%s", w->scratch.len ? " " : "",
			    profile_text(p, lock->id ? lock->id
						     : lock->class_name));
	fields_text(&w->f, "owns", w->scratch.bytes);
}

/* Writes the leaf, and all frames from the leaf on, separated by newlines. */
static void csv_put_frames(struct writer *w, const struct series_thread *t)
{
	const struct profile *p = w->s->profile;
	struct text frames = { 0 };

	if (!t->stack)
		fields_text(&w->f, "frame", NULL);
	for (uint32_t at = t->stack; at; at = p->stacks[at].caller) {
		text_clear(&w->scratch);
		frame_place_name(&w->scratch, p,
				 &p->frames[p->stacks[at].frame]);
		if (at == t->stack)
			fields_text(&w->f, "frame", w->scratch.bytes);
		else
			text_putc(&frames, '\n');
		safe_text(&frames, w->scratch.bytes, w->scratch.len);
	}
	/* Unlike other texts, it has newlines. */
	text_putc(w->f.csv, ',');
	csv_field(w->f.csv, frames.bytes ? frames.bytes : "", frames.len,
		  CSV_TEXT);
	text_release(&frames);
}

void threads_csv(struct text *out, const struct dump_series *s,
		 const struct threads_options *o)
{
	struct writer w = { .f = { .csv = out }, .s = s };

	(void)o;
	text_puts(out, csv_head);
	for (size_t i = 0; i < s->thread_count; i++) {
		const struct series_thread *t = &s->threads[i];
		const struct tapped_lock *wait = series_wait(s, t);

		write_thread(&w, t);
		write_string(&w, "waits_for", wait ? wait->id : 0);
		write_string(&w, "waits_for_class",
			     wait ? wait->class_name : 0);
		write_blocked(&w, t);
		csv_put_owned(&w, t, wait);
		csv_put_frames(&w, t);
		write_peer(&w, t);
		fields_end(&w.f);
	}
	text_release(&w.scratch);
}

/* ---- JSON ---- */

static void write_states(struct writer *w, const size_t *states)
{
	json_add_object(w->f.json, "states");
	for (int i = 0; i < THREAD_STATES; i++) {
		json_add_uint(w->f.json, thread_state_names[i], states[i]);
	}
	json_close_object(w->f.json);
}

static void write_dumps(struct writer *w)
{
	json_add_array(w->f.json, "dumps");
	for (size_t i = 0; i < w->s->dump_count; i++) {
		const struct series_dump *d = &w->s->dumps[i];

		json_open_object(w->f.json);
		fields_int(&w->f, "time_ms", d->head.time_ns / 1000000,
			   d->head.time_ns != 0);
		write_string(w, "vm", d->head.vm);
		json_add_uint(w->f.json, "threads", d->threads);
		write_states(w, d->states);
		fields_uint(&w->f, "blocked", d->blocked, d->is_analyzed);
		fields_uint(&w->f, "deadlocks", d->deadlocks, d->is_analyzed);
		fields_uint(&w->f, "vm_deadlocks", d->vm_deadlocks,
			    d->is_analyzed);
		if (d->is_analyzed && !d->is_unrelated)
			json_add_bool(w->f.json, "is_of_another_jvm",
				      d->is_of_another_jvm);
		else
			json_add_null(w->f.json, "is_of_another_jvm");
		json_close_object(w->f.json);
	}
	json_close_array(w->f.json);
}

static void write_lock(struct writer *w, const struct tapped_lock *lock)
{
	json_open_object(w->f.json);
	write_string(w, "lock", lock->id);
	write_string(w, "class", lock->class_name);
	json_close_object(w->f.json);
}

static void write_locks(struct writer *w, const struct series_thread *t)
{
	const struct tapped_lock *wait = series_wait(w->s, t), *lock;
	size_t at = 0;

	json_key(w->f.json, "waits_for");
	if (wait)
		write_lock(w, wait);
	else
		json_null(w->f.json);
	json_add_array(w->f.json, "owns");
	while ((lock = series_next_owned(w->s, t, wait, &at)))
		write_lock(w, lock);
	json_close_array(w->f.json);
}

/* A stack trace is written once; threads refer to its index. */
static void write_threads(struct writer *w)
{
	struct map64 stacks = { 0 };

	json_add_array(w->f.json, "threads");
	for (size_t i = 0; i < w->s->thread_count; i++) {
		const struct series_thread *t = &w->s->threads[i];

		if (t->stack)
			map64_add(&stacks, t->stack, (uint32_t)stacks.count);
		json_open_object(w->f.json);
		write_thread(w, t);
		fields_uint(&w->f, "stack", map64_get(&stacks, t->stack),
			    t->stack != 0);
		write_locks(w, t);
		write_blocked(w, t);
		write_peer(w, t);
		fields_end(&w->f);
	}
	json_close_array(w->f.json);
	map64_release(&stacks);
}

static void write_stack(struct writer *w, uint32_t stack)
{
	const struct profile *p = w->s->profile;

	json_open_array(w->f.json);
	for (uint32_t at = stack; at; at = p->stacks[at].caller) {
		text_clear(&w->scratch);
		frame_place_name(&w->scratch, p,
				 &p->frames[p->stacks[at].frame]);
		json_string(w->f.json, w->scratch.bytes, w->scratch.len);
	}
	json_close_array(w->f.json);
}

static void write_stacks(struct writer *w)
{
	struct map64 stacks = { 0 };

	json_add_array(w->f.json, "stacks");
	for (size_t i = 0; i < w->s->thread_count; i++) {
		uint32_t stack = w->s->threads[i].stack;

		if (stack && map64_add(&stacks, stack, 0))
			write_stack(w, stack);
	}
	json_close_array(w->f.json);
	map64_release(&stacks);
}

static void write_pools(struct writer *w)
{
	struct thread_groups g;

	thread_groups_make(&g, w->s, GROUP_POOLS);
	json_add_array(w->f.json, "pools");
	for (size_t i = 0; i < g.count; i++) {
		json_open_object(w->f.json);
		json_add_text(w->f.json, "name",
			      intern_text(&g.names, g.groups[i].pool));
		json_add_uint(w->f.json, "threads", g.groups[i].count);
		write_states(w, g.groups[i].states);
		json_add_double(w->f.json, "cpu_pct",
				g.groups[i].cpu < 0 ? NAN
						    : 100 * g.groups[i].cpu);
		json_close_object(w->f.json);
	}
	json_close_array(w->f.json);
	thread_groups_release(&g);
}

void threads_json(struct text *out, const struct dump_series *s,
		  const struct threads_options *o)
{
	struct json j = json_document(out, "sjkc.threads/1");
	struct writer w = { .f = { .json = &j }, .s = s };

	json_add_text(&j, "source", o->source);
	container_pod_json(o->pod, &j);
	json_add_uint(&j, "dump", s->number);
	write_dumps(&w);
	write_threads(&w);
	write_stacks(&w);
	write_pools(&w);
	json_end_document(&j);
	text_release(&w.scratch);
}
