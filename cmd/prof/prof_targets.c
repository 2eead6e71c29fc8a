/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/prof/prof_targets.h"

#include "cmd/log.h"
#include "cmd/target.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/safe_text.h"
#include "core/jvm/procfs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Looking at all processes costs some ms of CPU. */
#define LOOK_NS (2 * CLOCK_NS_PER_S)
/* Samples are not read meanwhile: so long at a time, and so seldom as this
 * makes a part of the whole. */
#define REFUSED_NS   (CLOCK_NS_PER_S / 2)
#define REFUSED_PART 50
enum { GENERATIONS = 16 };
/* Lines about what is not sampled. */
enum { SAID = 8 };

void prof_targets_init(struct prof_targets *t, struct prof_shared *s)
{
	*t = (struct prof_targets){ .shared = s };
}

void prof_targets_release(struct prof_targets *t)
{
	for (size_t i = 0; i < t->count; i++)
		prof_target_free(t->all[i]);
	free(t->all);
	for (size_t i = 0; i < t->refusal_count; i++)
		free(t->refusals[i].why);
	free(t->refusals);
	map64_release(&t->by_pid);
}

static struct prof_target *same(const struct prof_targets *t,
				const struct jvm *jvm)
{
	struct prof_target *found = prof_targets_find(t, jvm->pid);

	if (!found || found->has_ended ||
	    found->jvm.start_ticks != jvm->start_ticks)
		return NULL;
	return found;
}

/* In the place of what the process was before, if it is one that was known. */
static void put(struct prof_targets *t, struct prof_target *target)
{
	struct prof_target *before = same(t, &target->jvm);

	for (size_t i = 0; before && i < t->count; i++) {
		if (t->all[i] == before)
			t->all[i] = target;
	}
	if (before) {
		prof_target_retire(before);
		return;
	}
	array_reserve(t->all, t->cap, t->count + 1);
	t->all[t->count++] = target;
	map64_clear(&t->by_pid);
	for (size_t i = t->count; i-- > 0;)
		map64_add(&t->by_pid, (uint64_t)t->all[i]->jvm.pid,
			  (uint32_t)i);
}

/* One that has just begun may not have yet what is looked for in a JVM. */
static bool may_be_tried_again(const struct prof_targets *t,
			       const struct jvm *jvm)
{
	return t->ancestor && jvm->kind != JVM_OPENJ9 &&
	       prof_descendants_awaits(&t->descendants, jvm->pid);
}

/* Takes over jvm, even on failure. */
static int add(struct prof_targets *t, const struct jvm *jvm, struct error *err)
{
	struct prof_target *target = prof_target_new(t->shared, jvm, err);

	if (!target)
		return -1;
	if (sampler_add(t->shared->sampler, target->jvm.pid, err)) {
		prof_target_free(target);
		return -1;
	}
	target->since_ns = clock_monotonic_ns();
	if (target->jvm.kind != JVM_NONE &&
	    (!t->shared->is_tried_again || prof_target_is_whole(target)))
		t->shared->has_begun |= t->ancestor != 0;
	put(t, target);
	return 0;
}

static struct prof_refusal *refusal_of(const struct prof_targets *t, pid_t pid,
				       uint64_t start_ticks)
{
	for (size_t i = 0; i < t->refusal_count; i++) {
		if (t->refusals[i].pid == pid &&
		    t->refusals[i].start_ticks == start_ticks)
			return &t->refusals[i];
	}
	return NULL;
}

/* Whether it is too early to try again. */
static bool is_refused(const struct prof_targets *t, const struct jvm *jvm)
{
	const struct prof_refusal *r = refusal_of(t, jvm->pid,
						  jvm->start_ticks);

	return r && clock_monotonic_ns() < r->again_ns;
}

/* Once, and of many the first. */
static void say_refused(struct prof_targets *t, struct prof_refusal *r)
{
	if (!r->why)
		return;
	if (t->said++ < SAID)
		log_always("not sampled: %s", r->why);
	free(r->why);
	r->why = NULL;
	r->is_said = true;
}

static void refuse(struct prof_targets *t, const struct prof_refusal *tried,
		   const struct error *why)
{
	struct prof_refusal *r = refusal_of(t, tried->pid, tried->start_ticks);

	if (!r) {
		array_reserve(t->refusals, t->refusal_cap,
			      t->refusal_count + 1);
		r = &t->refusals[t->refusal_count++];
		*r = *tried;
	}
	r->again_ns = tried->again_ns;
	if (why->kind == ERROR_NO_TARGET || r->is_said)
		return;
	free(r->why);
	r->why = xstrdup(why->text);
	if (!t->shared->is_tried_again)
		say_refused(t, r);
}

/* It may have been tried in vain before. */
static void admit(struct prof_targets *t, const struct prof_refusal *tried)
{
	struct prof_refusal *r = refusal_of(t, tried->pid, tried->start_ticks);

	if (!r)
		return;
	free(r->why);
	r->why = NULL;
}

/*
 * What may not be looked at is said once, when it is not tried again soon, and
 * the others are sampled.  It is tried again the later the longer it took: one
 * that does not answer is not to hold up the others.  Takes over jvm; false
 * when it has taken long in vain.
 */
static bool add_or_say(struct prof_targets *t, const struct jvm *jvm)
{
	struct prof_refusal tried = {
		.pid = jvm->pid,
		.start_ticks = jvm->start_ticks,
	};
	int64_t now = clock_monotonic_ns(), took;
	struct error why;
	int ret;

	t->shared->is_tried_again = may_be_tried_again(t, jvm);
	ret = add(t, jvm, &why);
	took = clock_monotonic_ns() - now;
	if (ret == 0) {
		admit(t, &tried);
	} else {
		tried.again_ns = clock_after(now + took, REFUSED_PART * took);
		refuse(t, &tried, &why);
	}
	t->shared->is_tried_again = false;
	return ret == 0 || took < REFUSED_NS;
}

void prof_targets_say_refused(struct prof_targets *t)
{
	for (size_t i = 0; i < t->refusal_count; i++)
		say_refused(t, &t->refusals[i]);
	if (t->said > SAID)
		log_always("not sampled: %zu more", t->said - SAID);
}

/* Whether it is the program that was started, or was by it. */
static bool is_descendant(const struct prof_targets *t, const struct jvm *jvm)
{
	pid_t pid = jvm->pid;

	for (int i = 0; i < GENERATIONS && pid > 1; i++) {
		struct text stat = { 0 };
		struct error unused;
		const char *behind = NULL;

		if (pid == t->ancestor)
			return true;
		/* "4711 (a name) S PARENT …" */
		if (procfs_read(pid, "stat", 4096, &stat, &unused) == 0)
			behind = strrchr(stat.bytes, ')');
		pid = behind && strlen(behind) > 4
			      ? (pid_t)strtol(behind + 4, NULL, 10)
			      : 0;
		text_release(&stat);
	}
	return false;
}

/* Whether it is already a target, as what it is now. */
static bool is_known(const struct prof_targets *t, const struct jvm *jvm)
{
	const struct prof_target *known = same(t, jvm);

	return known && (known->jvm.kind != JVM_NONE || jvm->kind == JVM_NONE);
}

static bool is_wanted(const struct prof_targets *t, const struct jvm *jvm)
{
	return t->shared->o->all || (t->ancestor && is_descendant(t, jvm));
}

static int add_all(struct prof_targets *t, struct error *err)
{
	struct jvm_list list;
	bool goes_on = true;

	if (jvm_list(&list, err))
		return -1;
	for (size_t i = 0; goes_on && i < list.count; i++) {
		struct jvm *jvm = &list.jvms[i];

		if (is_known(t, jvm) || !is_wanted(t, jvm) ||
		    is_refused(t, jvm))
			continue;
		goes_on = add_or_say(t, jvm) || !t->shared->has_begun;
		*jvm = (struct jvm){ .pidfd = -1 };
	}
	jvm_list_release(&list);
	return 0;
}

static int add_named(struct prof_targets *t, const char *name,
		     struct error *err)
{
	struct jvm jvm;

	if (target_open_named(&jvm, name, err))
		return -1;
	if (same(t, &jvm)) {
		jvm_close(&jvm);
		return 0;
	}
	return add(t, &jvm, err);
}

/* A thread that is none of theirs would be sampled in vain. */
static int check_thread(const struct prof_targets *t, struct error *err)
{
	pid_t tid = t->shared->o->tid;
	struct text names = { 0 };
	char path[48];

	for (size_t i = 0; i < t->count; i++) {
		snprintf(path, sizeof(path), "/proc/%d/task/%d",
			 (int)t->all[i]->jvm.pid, (int)tid);
		if (access(path, F_OK) == 0)
			return 0;
	}
	prof_targets_name(t, &names);
	fail(err, ERROR_NO_TARGET, "--tid %d: no thread of %s has that number",
	     (int)tid, names.bytes);
	text_release(&names);
	return -1;
}

int prof_targets_open(struct prof_targets *t, struct error *err)
{
	const struct prof_live_options *o = t->shared->o;

	for (size_t i = 0; i < o->pid_count; i++) {
		if (add_named(t, o->pids[i], err))
			return -1;
	}
	t->named = t->count;
	if (o->tid && t->named && check_thread(t, err))
		return -1;
	if (o->all && add_all(t, err))
		return -1;
	t->next_look_ns = clock_monotonic_ns() + LOOK_NS;
	return 0;
}

int prof_targets_launched(struct prof_targets *t, pid_t pid, struct error *err)
{
	t->ancestor = pid;
	return sampler_add(t->shared->sampler, pid, err);
}

struct prof_target *prof_targets_find(const struct prof_targets *t, pid_t pid)
{
	uint32_t at = map64_get(&t->by_pid, (uint64_t)pid);

	return at == MAP64_NONE ? NULL : t->all[at];
}

/* Whether no more is found of it than is known. */
static bool is_done(const struct prof_target *t)
{
	return prof_target_is_whole(t) || t->jvm.kind == JVM_OPENJ9;
}

/* The program that was started is sampled even when it is no JVM. */
static void look_at_launched(struct prof_targets *t)
{
	struct prof_target *known = prof_targets_find(t, t->ancestor);
	struct error unused;
	struct jvm jvm;

	if ((known && (known->has_ended || is_done(known))) ||
	    jvm_open(&jvm, t->ancestor, &unused))
		return;
	if ((!known || known->jvm.exe_ino != jvm.exe_ino ||
	     jvm.kind != JVM_NONE) &&
	    !is_refused(t, &jvm))
		add_or_say(t, &jvm);
	else
		jvm_close(&jvm);
}

static void look_at_child(struct prof_targets *t, pid_t pid)
{
	struct prof_target *known;
	struct error unused;
	struct jvm jvm;

	if (jvm_open(&jvm, pid, &unused))
		return;
	known = same(t, &jvm);
	if (jvm.kind != JVM_NONE && !(known && is_done(known)) &&
	    !is_refused(t, &jvm))
		add_or_say(t, &jvm);
	else
		jvm_close(&jvm);
}

/* What has begun of late, or has become another program, may be a JVM. */
static void look_at_descendants(struct prof_targets *t)
{
	pid_t due[PROF_DESCENDANTS];
	size_t count = prof_descendants_due(&t->descendants, t->ancestor,
					    clock_monotonic_ns(), due);

	for (size_t i = 0; i < count; i++) {
		if (due[i] == t->ancestor)
			look_at_launched(t);
		else
			look_at_child(t, due[i]);
	}
}

void prof_targets_look(struct prof_targets *t)
{
	int64_t now = clock_monotonic_ns();
	struct error unused;

	if (t->ancestor)
		look_at_descendants(t);
	if ((!t->shared->o->all && !t->ancestor) || now < t->next_look_ns)
		return;
	add_all(t, &unused);
	t->next_look_ns = now + LOOK_NS;
}

size_t prof_targets_running(struct prof_targets *t)
{
	size_t running = 0;

	for (size_t i = 0; i < t->count; i++) {
		struct prof_target *target = t->all[i];

		if (target->has_ended)
			continue;
		target->has_ended = !jvm_runs(&target->jvm);
		running += !target->has_ended;
		/* Its pid may be another's already. */
		if (target->has_ended &&
		    prof_targets_find(t, target->jvm.pid) == target)
			sampler_remove(t->shared->sampler, target->jvm.pid);
	}
	return running;
}

struct prof_counts prof_targets_counts(const struct prof_targets *t)
{
	struct prof_counts counts = t->shared->counts;

	for (size_t i = 0; i < t->count; i++)
		prof_target_counts(t->all[i], &counts);
	return counts;
}

uint64_t prof_targets_changes(const struct prof_targets *t)
{
	uint64_t changes = 0;

	for (size_t i = 0; i < t->count; i++)
		changes += prof_target_changes(t->all[i]);
	return changes;
}

void prof_targets_name(const struct prof_targets *t, struct text *out)
{
	if (t->count == 1)
		text_puts(out, t->all[0]->name.bytes);
	else if (!t->count && t->shared->o->command)
		safe_text(out, t->shared->o->command[0],
			  strlen(t->shared->o->command[0]));
	else
		text_printf(out, "%zu JVMs", t->count);
}
