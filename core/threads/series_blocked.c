/* SPDX-License-Identifier: Apache-2.0 */
/* series_blocked: finds who blocks whom in a thread dump. */
#include "core/base/map64.h"
#include "core/base/text.h"
#include "core/threads/dump_series.h"

#include <string.h>

const struct tapped_lock *series_wait(const struct dump_series *s,
				      const struct series_thread *t)
{
	for (size_t i = 0; i < t->lock_count; i++) {
		const struct tapped_lock *lock = &s->locks[t->first_lock + i];

		if (lock->kind != TAPPED_OWNS &&
		    lock->kind != TAPPED_OWNS_SYNCHRONIZER)
			return lock;
	}
	return NULL;
}

/*
 * A thread in Object.wait() has released the monitor, which its frames print as
 * locked. If the monitor of the wait is unknown, it is the first one.
 */
const struct tapped_lock *series_next_owned(const struct dump_series *s,
					    const struct series_thread *t,
					    const struct tapped_lock *wait,
					    size_t *at)
{
	bool first_is_released = wait && wait->kind == TAPPED_WAITS &&
				 !wait->id;

	for (; *at < t->lock_count; ++*at) {
		const struct tapped_lock *lock = &s->locks[t->first_lock + *at];
		bool is_first = first_is_released && *at == 1;

		if ((lock->kind == TAPPED_OWNS &&
		     (!wait || lock->id != wait->id) && !is_first) ||
		    lock->kind == TAPPED_OWNS_SYNCHRONIZER) {
			++*at;
			return lock;
		}
	}
	return NULL;
}

/* What the dump says about owners; the keys are strings of the profile. */
struct owners {
	struct map64 by_lock;  /* thread by lock */
	struct map64 by_name;  /* thread by name */
	struct map64 by_id;    /* thread by Java id */
	struct map64 vm_names; /* owner's name by lock, from the JVM's list */
	struct map64 vm_waits; /* lock by the name of the waiting thread */
	struct map64 classes;  /* thread by the class that it initializes */
	bool has_synchronizers;
};

static void owners_add_facts(const struct dump_series *s, struct owners *o)
{
	uint32_t lock = 0, thread = 0;

	for (size_t i = 0; i < s->fact_count; i++) {
		const struct series_fact *f = &s->facts[i];

		switch (f->kind) {
		case TAPPED_DEADLOCK_THREAD:
			thread = f->text;
			break;
		case TAPPED_DEADLOCK_LOCK:
			lock = f->text;
			break;
		case TAPPED_DEADLOCK_OWNER:
			if (lock && thread) {
				map64_add(&o->vm_names, lock, f->text);
				map64_add(&o->vm_waits, thread, lock);
			}
			break;
		case TAPPED_DEADLOCK:
			break;
		}
		if (f->kind != TAPPED_DEADLOCK_LOCK)
			lock = 0;
	}
}

/* Adds the classes whose initializers a thread runs, except that it awaits. */
static void owners_add_initializers(const struct dump_series *s,
				    struct owners *o, size_t index)
{
	const struct series_thread *t = &s->threads[index];
	const struct tapped_lock *wait = series_wait(s, t);
	const struct profile *p = s->profile;

	for (uint32_t at = t->stack; at; at = p->stacks[at].caller) {
		const struct frame *f = &p->frames[p->stacks[at].frame];

		if (strcmp(profile_text(p, f->method), "<clinit>") == 0 &&
		    (!wait || wait->id != f->class_name))
			map64_add(&o->classes, f->class_name, (uint32_t)index);
	}
}

static bool series_has_initialization(const struct dump_series *s)
{
	for (size_t i = 0; i < s->lock_count; i++) {
		if (s->locks[i].kind == TAPPED_INITIALIZES)
			return true;
	}
	return false;
}

static void owners_fill(const struct dump_series *s, struct owners *o)
{
	bool initializes = series_has_initialization(s);

	owners_add_facts(s, o);
	map64_reserve(&o->by_id, s->thread_count);
	for (size_t i = 0; i < s->thread_count; i++) {
		const struct series_thread *t = &s->threads[i];
		const struct tapped_lock *wait = series_wait(s, t), *lock;
		size_t at = 0;

		while ((lock = series_next_owned(s, t, wait, &at))) {
			o->has_synchronizers |= lock->kind ==
						TAPPED_OWNS_SYNCHRONIZER;
			if (lock->id)
				map64_add(&o->by_lock, lock->id, (uint32_t)i);
		}
		map64_add(&o->by_name, t->thread.name, (uint32_t)i);
		if (t->thread.java_id)
			map64_add(&o->by_id, (uint64_t)t->thread.java_id,
				  (uint32_t)i);
		if (initializes)
			owners_add_initializers(s, o, i);
	}
}

static void owners_release(struct owners *o)
{
	map64_release(&o->by_lock);
	map64_release(&o->by_name);
	map64_release(&o->by_id);
	map64_release(&o->vm_names);
	map64_release(&o->vm_waits);
	map64_release(&o->classes);
}

/* Returns the index of the thread that owns a lock, or MAP64_NONE. */
static uint32_t owners_find(const struct owners *o,
			    const struct tapped_lock *lock)
{
	uint32_t at = MAP64_NONE, name;

	if (lock->kind == TAPPED_INITIALIZES)
		return map64_get(&o->classes, lock->class_name);
	if (lock->owner_id)
		at = map64_get(&o->by_id, (uint64_t)lock->owner_id);
	/* jhsdb prints a lock that a thread waits for as locked. */
	if (at == MAP64_NONE && lock->id) {
		name = map64_get(&o->vm_names, lock->id);
		if (name != MAP64_NONE)
			at = map64_get(&o->by_name, name);
	}
	if (at == MAP64_NONE && lock->id)
		at = map64_get(&o->by_lock, lock->id);
	if (at == MAP64_NONE && lock->owner_name)
		at = map64_get(&o->by_name, lock->owner_name);
	return at;
}

/*
 * A frame like "a.B.run(B.java:7)". Object files are not kept, so the place is
 * the class with its line.
 */
static const char *blocked_frame(struct dump_series *s, uint32_t stack)
{
	const struct profile *p = s->profile;
	const struct frame *f = &p->frames[p->stacks[stack].frame];
	const char *class_name = profile_text(p, f->class_name);
	struct text name = { 0 };
	const char *copy;

	if (*class_name) {
		text_puts(&name, class_name);
		text_putc(&name, '.');
	}
	text_puts(&name, profile_text(p, f->method));
	if (f->line)
		text_printf(&name, ":%u", f->line);
	copy = blocked_string(&s->blocked, name.bytes, name.len);
	text_release(&name);
	return copy;
}

static void blocked_set_frames(struct dump_series *s, struct blocked_thread *b,
			       uint32_t stack)
{
	const struct profile *p = s->profile;

	if (!stack)
		return;
	b->leaf = b->frame = blocked_frame(s, stack);
	while (blocked_is_plumbing(b->frame) && p->stacks[stack].caller) {
		stack = p->stacks[stack].caller;
		b->frame = blocked_frame(s, stack);
	}
	if (blocked_is_plumbing(b->frame))
		b->frame = b->leaf;
}

static const enum thread_run_state run_states[THREAD_STATES] = {
	[STATE_NONE] = RUN_UNKNOWN,
	[STATE_NEW] = RUN_NEW,
	[STATE_RUNNABLE] = RUN_RUNNABLE,
	[STATE_BLOCKED] = RUN_BLOCKED,
	[STATE_WAITING] = RUN_WAITING,
	[STATE_TIMED_WAITING] = RUN_TIMED_WAITING,
	[STATE_TERMINATED] = RUN_TERMINATED,
};

/*
 * The id of a thread in struct blocked. A thread without ids gets one of its
 * own, which does not compare with other dumps.
 */
static int64_t blocked_id(const struct dump_series *s, size_t index)
{
	const struct thread *t = &s->threads[index].thread;

	return t->java_id ? t->java_id
	       : t->os_id ? -t->os_id
			  : INT64_MIN / 2 + (int64_t)index;
}

static struct blocked_thread *blocked_put(struct dump_series *s, size_t index)
{
	struct series_thread *t = &s->threads[index];
	struct blocked_thread *b;
	const char *name = profile_text(s->profile, t->thread.name);

	if (t->blocked != BLOCKED_NONE)
		return &s->blocked.threads[t->blocked];
	b = blocked_add(&s->blocked);
	if (!b)
		return NULL;
	t->blocked = s->blocked.count - 1;
	b->id = blocked_id(s, index);
	b->name = blocked_string(&s->blocked, name, strlen(name));
	b->state = run_states[t->state];
	b->cpu_ns = t->cpu_ns;
	blocked_set_frames(s, b, t->stack);
	return b;
}

/* True if the thread cannot continue until another thread releases the lock. */
static bool wait_is_for_lock(const struct dump_series *s,
			     const struct series_thread *t,
			     const struct tapped_lock *lock, bool has_owner)
{
	switch (lock->kind) {
	case TAPPED_ENTERS:
		return t->state == STATE_BLOCKED || t->state == STATE_NONE;
	case TAPPED_REENTERS:
		return t->state == STATE_BLOCKED;
	case TAPPED_PARKS:
		return has_owner || blocked_is_lock(profile_text(
					    s->profile, lock->class_name));
	case TAPPED_INITIALIZES:
		return true;
	default:
		return false;
	}
}

static void blocked_put_waiting(struct dump_series *s, const struct owners *o,
				size_t index)
{
	struct series_thread *t = &s->threads[index];
	const struct tapped_lock *lock = series_wait(s, t);
	struct tapped_lock listed = { .kind = TAPPED_ENTERS };
	uint32_t owner;
	const char *text;
	struct blocked_thread *b;

	/* The frames of jhsdb do not name the lock, its deadlocks do. */
	if (!lock && t->state == STATE_BLOCKED) {
		listed.id = map64_get(&o->vm_waits, t->thread.name);
		lock = listed.id == MAP64_NONE ? NULL : &listed;
	}
	owner = lock ? owners_find(o, lock) : MAP64_NONE;
	if (owner == index)
		owner = MAP64_NONE;
	if (!lock || !wait_is_for_lock(s, t, lock, owner != MAP64_NONE))
		return;
	b = blocked_put(s, index);
	if (!b)
		return;
	t->activity = SERIES_BLOCKED;
	b->kind = lock->kind == TAPPED_PARKS ? BLOCKED_SYNCHRONIZER
					     : BLOCKED_MONITOR;
	text = profile_text(s->profile, lock->class_name);
	b->lock_class = blocked_string(&s->blocked, text, strlen(text));
	text = lock->kind == TAPPED_INITIALIZES
		       ? "class initialization"
		       : profile_text(s->profile, lock->id);
	b->lock_id = blocked_string(&s->blocked, text, strlen(text));
	if (owner != MAP64_NONE) {
		b->owner_id = blocked_id(s, owner);
		blocked_put(s, owner);
	}
}

void series_find_blocked(struct dump_series *s)
{
	struct owners o = { 0 };

	blocked_begin(&s->blocked, "thread dump",
		      s->dumps[s->dump_count - 1].clock_ns);
	owners_fill(s, &o);
	s->blocked.knows_synchronizers = o.has_synchronizers ||
					 s->owners == SERIES_OWNERS_KNOWN ||
					 s->dumps[s->dump_count - 1]
						 .head.has_owners;
	s->blocked.owner_hint =
		s->owners == SERIES_OWNERS_CHANGED
			? "read locks have none; other owners changed during "
			  "the dump"
		: s->is_supplemented
			? "the JVM does not write who owns the "
			  "java.util.concurrent locks of virtual threads"
			: "the dump lacks the owners of java.util.concurrent "
			  "locks; `jstack -l` prints them";
	for (size_t i = 0; i < s->thread_count; i++)
		blocked_put_waiting(s, &o, i);
	blocked_link(&s->blocked);
	owners_release(&o);
}
