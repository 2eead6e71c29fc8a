/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/sampling_targets.h"

#include "bpf/sampling/idle_threads.h"
#include "core/attach/attach_conditions.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/safe_text.h"
#include "core/jvm/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Searching all processes costs a few ms of CPU. */
#define LOOK_NS (2 * CLOCK_NS_PER_S)
/*
 * Opening a JVM takes tens of ms.  When many have started, samples are read
 * after this time, before the ring buffer is full.
 */
#define OPENING_NS (CLOCK_NS_PER_S / 20)
/*
 * Attempts to open a refused process delay reading samples: maximum time of an
 * attempt, and maximum part of the whole time.
 */
#define REFUSED_NS   (CLOCK_NS_PER_S / 2)
#define REFUSED_PART 50
#define RETRY_NS     (CLOCK_NS_PER_S / 5)
/* How often to check whether targets have executed another program. */
#define PROGRAMS_NS (2 * CLOCK_NS_PER_S)
/* A JVM that is older has its tables, even on a slow machine. */
#define YOUNG_NS (6 * CLOCK_NS_PER_S)
enum { GENERATIONS = 16 };
/* Maximum number of reported refusals. */
enum { REPORTED_MAX = 8 };

/* ---- the descendants of a launched program ---- */

/*
 * A JVM maps its library within a few ms; the age doubles from check to check.
 */
#define CHILD_FIRST_NS (20 * CLOCK_NS_PER_MS)
#define CHILD_LAST_NS  (4 * CLOCK_NS_PER_S)

/*
 * Reading the children of a process by its threads takes as long for each
 * thread.
 */
#define THREADS_NS (250 * CLOCK_NS_PER_MS)

enum { LIST_MAX = 4096, THREADS_MAX = 1024 };

/* Returns the entry of a process at the last check, or NULL. */
static const struct descendant *descendant_find(const struct descendants *d,
						pid_t pid)
{
	for (size_t i = 0; i < d->count; i++) {
		if (d->all[i].pid == pid)
			return &d->all[i];
	}
	return NULL;
}

static void descendants_add(struct descendants *now,
			    const struct descendants *d, pid_t pid,
			    int64_t now_ns)
{
	const struct descendant *known = descendant_find(d, pid);
	struct descendant *one = &now->all[now->count];
	struct stat exe;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (!procfs_identify(AT_FDCWD, path, &exe)) {
		/* It has ended, or this user may not read it. */
		if (errno != EACCES && errno != EPERM)
			return;
		exe.st_dev = exe.st_ino = 0;
	}
	now->count++;
	if (known && known->exe_dev == exe.st_dev &&
	    known->exe_ino == exe.st_ino) {
		*one = *known;
		return;
	}
	*one = (struct descendant){
		.pid = pid,
		.exe_dev = exe.st_dev,
		.exe_ino = exe.st_ino,
		.since_ns = now_ns,
		.next_ns = now_ns,
	};
}

/* Adds the children of one thread. */
static void descendants_add_children(struct descendants *now,
				     const struct descendants *d, pid_t pid,
				     long tid, int64_t now_ns)
{
	struct text list = { 0 };
	char name[48], *rest;

	snprintf(name, sizeof(name), "task/%ld/children", tid);
	if (procfs_read(pid, name, LIST_MAX, &list, error_unused()) == 0 &&
	    list.len) {
		const char *at = list.bytes;

		while (now->count < DESCENDANTS_MAX) {
			long child = strtol(at, &rest, 10);

			if (rest == at || child <= 0)
				break;
			if (!descendant_find(now, (pid_t)child))
				descendants_add(now, d, (pid_t)child, now_ns);
			at = rest;
		}
	}
	text_release(&list);
}

/*
 * Adds the children of all threads but the first; in a JVM, other threads start
 * processes.
 */
static void descendants_add_of_threads(struct descendants *now,
				       const struct descendants *d, pid_t pid,
				       int64_t now_ns, unsigned *left)
{
	struct dirent *entry;
	char path[32];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = *left ? opendir(path) : NULL;
	while (tasks && *left && (entry = readdir(tasks))) {
		long tid = strtol(entry->d_name, NULL, 10);

		if (tid <= 0 || tid == pid)
			continue;
		descendants_add_children(now, d, pid, tid, now_ns);
		--*left;
	}
	if (tasks)
		closedir(tasks);
}

static int64_t descendant_next_check(const struct descendant *one,
				     int64_t now_ns)
{
	int64_t age = now_ns - one->since_ns;

	if (age > CHILD_LAST_NS)
		return INT64_MAX;
	return now_ns + (age < CHILD_FIRST_NS ? CHILD_FIRST_NS : age);
}

size_t descendants_due(struct descendants *d, pid_t ancestor, int64_t now_ns,
		       pid_t pids[DESCENDANTS_MAX])
{
	struct descendants now = { .threads_ns = d->threads_ns };
	bool is_long_ago = now_ns >= d->threads_ns;
	unsigned left = is_long_ago ? THREADS_MAX : 0;
	size_t due = 0;

	if (is_long_ago)
		now.threads_ns = now_ns + THREADS_NS;
	descendants_add(&now, d, ancestor, now_ns);
	/*
	 * Until all threads are read again, earlier descendants remain
	 * descendants.
	 */
	for (size_t i = 0; !is_long_ago && i < d->count; i++) {
		if (!descendant_find(&now, d->all[i].pid))
			descendants_add(&now, d, d->all[i].pid, now_ns);
	}
	/* Each descendant may add further ones. */
	for (size_t i = 0; i < now.count; i++) {
		pid_t pid = now.all[i].pid;

		descendants_add_children(&now, d, pid, pid, now_ns);
		descendants_add_of_threads(&now, d, pid, now_ns, &left);
	}
	for (size_t i = 0; i < now.count; i++) {
		if (now_ns < now.all[i].next_ns)
			continue;
		now.all[i].next_ns = descendant_next_check(&now.all[i], now_ns);
		pids[due++] = now.all[i].pid;
	}
	*d = now;
	return due;
}

/* Returns true if the process will be due again while it runs the same file. */
static bool descendants_awaits(const struct descendants *d, pid_t pid)
{
	const struct descendant *one = descendant_find(d, pid);

	return one && one->next_ns != INT64_MAX;
}

/* ---- targets ---- */

static void targets_end_idle(struct sampling_target *target)
{
	idle_threads_free(target->idle);
	target->idle = NULL;
}

void sampling_targets_init(struct sampling_targets *t,
			   struct sampling_shared *s)
{
	*t = (struct sampling_targets){ .shared = s };
}

void sampling_targets_release(struct sampling_targets *t)
{
	for (size_t i = 0; i < t->count; i++) {
		targets_end_idle(t->all[i]);
		sampling_target_free(t->all[i]);
	}
	free(t->all);
	for (size_t i = 0; i < t->refusal_count; i++)
		free(t->refusals[i].why);
	free(t->refusals);
	jvm_search_release(&t->search);
	jvm_list_release(&t->found);
	map64_release(&t->by_pid);
}

/*
 * Returns the last target of the process, which may have executed another
 * program since; that ends the target.  NULL = none.
 */
static struct sampling_target *
targets_find_process(const struct sampling_targets *t, const struct jvm *jvm)
{
	struct sampling_target *found = sampling_targets_find(t, jvm->pid);

	return found && found->jvm.start_ticks == jvm->start_ticks ? found
								   : NULL;
}

static struct sampling_target *
targets_find_same(const struct sampling_targets *t, const struct jvm *jvm)
{
	struct sampling_target *found = targets_find_process(t, jvm);

	return found && !found->has_ended ? found : NULL;
}

static void targets_index(struct sampling_targets *t)
{
	map64_clear(&t->by_pid);
	for (size_t i = t->count; i-- > 0;)
		map64_add(&t->by_pid, (uint64_t)t->all[i]->jvm.pid,
			  (uint32_t)i);
}

/* Adds a target, in place of an earlier target of the process. */
static void targets_put(struct sampling_targets *t,
			struct sampling_target *target)
{
	struct sampling_target *before = targets_find_process(t, &target->jvm);

	for (size_t i = 0; before && i < t->count; i++) {
		if (t->all[i] == before)
			t->all[i] = target;
	}
	if (before) {
		target->cut = before->cut;
		targets_end_idle(before);
		sampling_target_replace(before, target);
		return;
	}
	array_add(t->all, t->count, t->cap, target);
	targets_index(t);
}

/* Time since the start of the process, in ns. */
static int64_t targets_age(const struct jvm *jvm)
{
	int64_t tick_ns = CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK);

	return clock_boot_ns() - (int64_t)jvm->start_ticks * tick_ns;
}

/*
 * Returns true for a process that started recently and may become a JVM, or is
 * a JVM whose tables may be incomplete still.
 */
static bool targets_may_retry(const struct sampling_targets *t,
			      const struct jvm *jvm)
{
	if (jvm->kind == JVM_OPENJ9)
		return false;
	if (t->shared->o->all)
		return targets_age(jvm) < YOUNG_NS;
	return t->ancestor && descendants_awaits(&t->descendants, jvm->pid);
}

/* Adds a process.  Takes over jvm, even on failure. */
static int targets_add(struct sampling_targets *t, const struct jvm *jvm,
		       struct error *err)
{
	struct sampling_target *target = sampling_target_new(t->shared, jvm,
							     err);

	if (!target)
		return -1;
	/* An earlier process with its PID waits no longer. */
	if (!targets_find_process(t, &target->jvm))
		sampler_forget_waits(t->shared->sampler, target->jvm.pid);
	if (sampler_add(t->shared->sampler, target->jvm.pid, err)) {
		sampling_target_free(target);
		return -1;
	}
	target->since_ns = clock_monotonic_ns();
	target->is_last = !t->shared->is_tried_again;
	if (target->jvm.kind != JVM_NONE &&
	    (!t->shared->is_tried_again || sampling_target_is_complete(target)))
		t->shared->has_begun |= t->ancestor != 0;
	targets_put(t, target);
	return 0;
}

static struct sampling_refusal *
targets_find_refusal(const struct sampling_targets *t, const struct jvm *jvm)
{
	for (size_t i = 0; i < t->refusal_count; i++) {
		if (t->refusals[i].pid == jvm->pid &&
		    t->refusals[i].start_ticks == jvm->start_ticks)
			return &t->refusals[i];
	}
	return NULL;
}

static bool refusal_fits(const struct sampling_refusal *r,
			 const struct jvm *jvm)
{
	return r->exe_dev == jvm->exe_dev && r->exe_ino == jvm->exe_ino &&
	       r->kind == jvm->kind;
}

bool sampling_targets_is_refused(const struct sampling_targets *t,
				 const struct jvm *jvm)
{
	const struct sampling_refusal *r = targets_find_refusal(t, jvm);

	return r && refusal_fits(r, jvm) && clock_monotonic_ns() < r->again_ns;
}

/* Reports a refusal once; only the first REPORTED_MAX are printed. */
static void targets_report_refusal(struct sampling_targets *t,
				   struct sampling_refusal *r)
{
	if (!r->why)
		return;
	if (t->reported++ < REPORTED_MAX)
		sampling_notify(t->shared->o, SAMPLING_LOSS, "not sampled: %s",
				r->why);
	free(r->why);
	r->why = NULL;
	r->is_reported = true;
}

void sampling_targets_refuse(struct sampling_targets *t, const struct jvm *jvm,
			     int64_t took_ns, const struct error *why)
{
	struct sampling_refusal *r = targets_find_refusal(t, jvm);
	int64_t wait_ns = REFUSED_PART * took_ns;

	if (!r) {
		array_reserve(t->refusals, t->refusal_cap,
			      t->refusal_count + 1);
		r = &t->refusals[t->refusal_count++];
		*r = (struct sampling_refusal){
			.pid = jvm->pid, .start_ticks = jvm->start_ticks
		};
	} else if (!refusal_fits(r, jvm)) {
		r->is_reported = false;
	}
	r->exe_dev = jvm->exe_dev;
	r->exe_ino = jvm->exe_ino;
	r->kind = jvm->kind;
	/*
	 * No samples wait while the first JVM of a launched program starts, and
	 * its first moments count.
	 */
	if (t->shared->is_tried_again && !t->shared->has_begun &&
	    wait_ns > RETRY_NS)
		wait_ns = RETRY_NS;
	r->again_ns = clock_after(clock_monotonic_ns(), wait_ns);
	if (why->kind == ERROR_NO_TARGET || r->is_reported)
		return;
	free(r->why);
	r->why = xstrdup(why->text);
	if (!t->shared->is_tried_again)
		targets_report_refusal(t, r);
}

/* Removes the refusal of a process that is sampled now. */
static void targets_forget_refusal(struct sampling_targets *t,
				   const struct jvm *jvm)
{
	struct sampling_refusal *r = targets_find_refusal(t, jvm);

	if (!r)
		return;
	free(r->why);
	r->why = NULL;
}

/*
 * Returns true for a JVM that must load the agent but cannot yet.  An attempt
 * would fail, delay the samples of others, and put off the next attempt.
 */
static bool targets_awaits_start(struct sampling_targets *t,
				 const struct jvm *jvm)
{
	struct error why;

	if (!(t->shared->o->events & (SAMPLING_ALLOC | SAMPLING_LOCK)) ||
	    !t->shared->has_begun || !attach_is_starting(jvm))
		return false;
	fail(&why, ERROR_REFUSED, "%d: the JVM was starting", (int)jvm->pid);
	t->shared->is_tried_again = true;
	sampling_targets_refuse(t, jvm, 0, &why);
	t->shared->is_tried_again = false;
	return true;
}

/*
 * Tries to add a process.  A refusal is reported once, when it is final, and
 * the other processes are sampled.  The longer an attempt took, the later is
 * the next: a process that does not respond must not delay the others.  Takes
 * over jvm.  Returns false after a long attempt in vain.
 */
static bool targets_try_add(struct sampling_targets *t, const struct jvm *jvm)
{
	const struct jvm tried = *jvm; /* its pidfd is closed afterwards */
	int64_t began_ns = clock_monotonic_ns(), took;
	struct error why;
	int ret;

	t->shared->is_tried_again = targets_may_retry(t, jvm);
	ret = targets_add(t, jvm, &why);
	took = clock_monotonic_ns() - began_ns;
	/* A JVM may outgrow its first moments during a long attempt. */
	t->shared->is_tried_again = targets_may_retry(t, &tried);
	if (ret == 0)
		targets_forget_refusal(t, &tried);
	else
		sampling_targets_refuse(t, &tried, took, &why);
	t->shared->is_tried_again = false;
	return ret == 0 || took < REFUSED_NS;
}

void sampling_targets_report_refused(struct sampling_targets *t)
{
	for (size_t i = 0; i < t->refusal_count; i++)
		targets_report_refusal(t, &t->refusals[i]);
	if (t->reported > REPORTED_MAX)
		sampling_notify(t->shared->o, SAMPLING_LOSS,
				"not sampled: %zu more",
				t->reported - REPORTED_MAX);
}

/* Returns true for the launched program and its descendants. */
static bool targets_is_descendant(const struct sampling_targets *t,
				  const struct jvm *jvm)
{
	pid_t pid = jvm->pid;

	for (int i = 0; i < GENERATIONS && pid > 1; i++) {
		struct text stat = { 0 };
		const char *behind = NULL;

		if (pid == t->ancestor)
			return true;
		/* "4711 (a name) S PARENT …" */
		if (procfs_read(pid, "stat", 4096, &stat, error_unused()) == 0)
			behind = strrchr(stat.bytes, ')');
		pid = behind && strlen(behind) > 4
			      ? (pid_t)strtol(behind + 4, NULL, 10)
			      : 0;
		text_release(&stat);
	}
	return false;
}

/* Returns true if the process, as it is now, already is a target. */
static bool targets_is_known(const struct sampling_targets *t,
			     const struct jvm *jvm)
{
	const struct sampling_target *known = targets_find_same(t, jvm);

	/*
	 * The tables of a JVM are incomplete in its first moments.  The last
	 * attempt, after YOUNG_NS, reports the limitations.
	 */
	if (known && t->shared->o->all && jvm->kind == JVM_HOTSPOT &&
	    !known->is_last && !sampling_target_is_complete(known) &&
	    targets_age(jvm) < YOUNG_NS + 2 * LOOK_NS)
		return false;
	return known && (known->jvm.kind != JVM_NONE || jvm->kind == JVM_NONE);
}

static bool targets_is_wanted(struct sampling_targets *t, const struct jvm *jvm)
{
	const struct sampling_options *o = t->shared->o;
	bool is_final = true;

	if (!o->all)
		return t->ancestor && targets_is_descendant(t, jvm);
	if (!o->wants || o->wants(o->selector, jvm, &is_final))
		return true;
	/* Others are asked about again. */
	if (is_final)
		jvm_search_exclude(&t->search, jvm->pid);
	else
		t->young++;
	return false;
}

static bool jvm_list_has(const struct jvm_list *list,
			 const struct sampling_refusal *r)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->jvms[i].pid == r->pid &&
		    list->jvms[i].start_ticks == r->start_ticks)
			return true;
	return false;
}

/*
 * Forgets the refusals of JVMs that have ended: any number may start. They are
 * final now, and reported.
 */
static void targets_prune_refusals(struct sampling_targets *t,
				   const struct jvm_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->refusal_count; i++) {
		if (jvm_list_has(list, &t->refusals[i]))
			t->refusals[kept++] = t->refusals[i];
		else
			targets_report_refusal(t, &t->refusals[i]);
	}
	t->refusal_count = kept;
}

/*
 * Refuses a JVM if the caller wants no more or the kernel's table is full:
 * opening it would cost the more the more JVMs are refused.
 */
static bool targets_refuses_new(struct sampling_targets *t,
				const struct jvm *jvm)
{
	size_t most = sampler_targets_max(t->shared->sampler);
	struct error why;

	if (t->refuses_new)
		fail(&why, ERROR_REFUSED, "%d: the memory limit is reached",
		     (int)jvm->pid);
	else if (sampling_targets_sampled(t) >= most &&
		 !targets_find_same(t, jvm))
		fail(&why, ERROR_UNAVAILABLE,
		     "%d: cannot sample more than %zu processes", (int)jvm->pid,
		     most);
	else
		return false;
	sampling_targets_refuse(t, jvm, 0, &why);
	return true;
}

/*
 * Adds a process of the list, if it is wanted and new.  Returns false if the
 * others must wait until the next search.
 */
static bool targets_add_found(struct sampling_targets *t, struct jvm *jvm)
{
	bool is_known = targets_is_known(t, jvm), goes_on;

	if (is_known)
		jvm_search_settle(&t->search, jvm->pid);
	if (is_known || !targets_is_wanted(t, jvm) ||
	    sampling_targets_is_refused(t, jvm) ||
	    targets_awaits_start(t, jvm) || targets_refuses_new(t, jvm))
		return true;
	goes_on = targets_try_add(t, jvm) || !t->shared->has_begun;
	*jvm = (struct jvm){ .pidfd = -1 };
	return goes_on;
}

/* Adds the processes that were found.  The rest stays if samples must be read.
 */
static void targets_add_rest(struct sampling_targets *t)
{
	int64_t until_ns = clock_monotonic_ns() + OPENING_NS;

	while (t->found_next < t->found.count) {
		if (!targets_add_found(t, &t->found.jvms[t->found_next++]))
			break;
		if (t->shared->has_begun && clock_monotonic_ns() > until_ns &&
		    t->found_next < t->found.count)
			return;
	}
	jvm_list_release(&t->found);
	t->found_next = 0;
}

static int targets_add_all(struct sampling_targets *t, struct error *err)
{
	jvm_list_release(&t->found);
	t->found_next = 0;
	if (jvm_search_next(&t->search, &t->found, err))
		return -1;
	t->young = 0;
	/* The refused descendants of a program need not be JVMs yet. */
	if (t->shared->o->all)
		targets_prune_refusals(t, &t->found);
	targets_add_rest(t);
	return 0;
}

int sampling_targets_add(struct sampling_targets *t, struct jvm *jvm,
			 struct error *err)
{
	if (targets_find_same(t, jvm)) {
		jvm_close(jvm);
		return 0;
	}
	if (targets_add(t, jvm, err))
		return -1;
	t->named = t->count;
	return 0;
}

/* Rejects a thread that belongs to no target: nothing would be sampled. */
static int targets_check_thread(const struct sampling_targets *t,
				struct error *err)
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
	sampling_targets_name(t, &names);
	fail(err, ERROR_NO_TARGET, "--tid %d: no such thread in %s", (int)tid,
	     names.bytes);
	text_release(&names);
	return -1;
}

int sampling_targets_open(struct sampling_targets *t, struct error *err)
{
	const struct sampling_options *o = t->shared->o;

	if (o->tid && t->named && targets_check_thread(t, err))
		return -1;
	if (o->all && targets_add_all(t, err))
		return -1;
	t->next_search_ns = clock_monotonic_ns() + LOOK_NS;
	return 0;
}

int sampling_targets_launched(struct sampling_targets *t, pid_t pid,
			      const char *name, struct error *err)
{
	t->launched = name;
	t->ancestor = pid;
	return sampler_add(t->shared->sampler, pid, err);
}

struct sampling_target *sampling_targets_find(const struct sampling_targets *t,
					      pid_t pid)
{
	uint32_t at = map64_get(&t->by_pid, (uint64_t)pid);

	return at == MAP64_NONE ? NULL : t->all[at];
}

/* Returns true if opening the target again would find no more. */
static bool target_is_final(const struct sampling_target *t)
{
	return sampling_target_is_complete(t) || t->jvm.kind == JVM_OPENJ9;
}

/* Returns true if opening the launched program again may find more. */
static bool target_is_outdated(const struct sampling_target *known,
			       const struct jvm *jvm)
{
	if (!known)
		return true;
	/* The program has ended, and another process has its PID. */
	if (known->jvm.start_ticks != jvm->start_ticks)
		return false;
	return known->has_ended || known->jvm.exe_ino != jvm->exe_ino ||
	       jvm->kind != JVM_NONE;
}

/* Samples the launched program even if it is not a JVM. */
static void targets_check_launched(struct sampling_targets *t)
{
	struct sampling_target *known = sampling_targets_find(t, t->ancestor);
	struct jvm jvm;

	if ((known && !known->has_ended && target_is_final(known)) ||
	    jvm_open(&jvm, t->ancestor, error_unused()))
		return;
	if (target_is_outdated(known, &jvm) &&
	    !sampling_targets_is_refused(t, &jvm) &&
	    !targets_awaits_start(t, &jvm))
		targets_try_add(t, &jvm);
	else
		jvm_close(&jvm);
}

static void targets_check_child(struct sampling_targets *t, pid_t pid)
{
	struct sampling_target *known;
	struct jvm jvm;

	if (jvm_open(&jvm, pid, error_unused()))
		return;
	known = targets_find_same(t, &jvm);
	if (jvm.kind != JVM_NONE && !(known && target_is_final(known)) &&
	    !sampling_targets_is_refused(t, &jvm) &&
	    !targets_awaits_start(t, &jvm))
		targets_try_add(t, &jvm);
	else
		jvm_close(&jvm);
}

/*
 * Checks processes that started recently or run another program: they may be
 * JVMs.
 */
static void targets_check_descendants(struct sampling_targets *t)
{
	pid_t due[DESCENDANTS_MAX];
	size_t count = descendants_due(&t->descendants, t->ancestor,
				       clock_monotonic_ns(), due);

	for (size_t i = 0; i < count; i++) {
		if (due[i] == t->ancestor)
			targets_check_launched(t);
		else
			targets_check_child(t, due[i]);
	}
}

bool sampling_targets_have_more(const struct sampling_targets *t)
{
	return t->found_next < t->found.count;
}

bool sampling_targets_are_overdue(const struct sampling_targets *t)
{
	return clock_monotonic_ns() > t->next_search_ns + LOOK_NS;
}

void sampling_targets_find_new(struct sampling_targets *t)
{
	int64_t now = clock_monotonic_ns();

	if (t->ancestor)
		targets_check_descendants(t);
	if (sampling_targets_have_more(t)) {
		targets_add_rest(t);
		return;
	}
	if ((!t->shared->o->all && !t->ancestor) || now < t->next_search_ns)
		return;
	targets_add_all(t, error_unused());
	t->next_search_ns = now + LOOK_NS;
}

/*
 * Marks the targets that have ended. Reading the program of each costs more
 * than the rest, and only execve(2) changes it.
 */
static void targets_check_ended(struct sampling_targets *t, bool *ended)
{
	const struct jvm **jvms = xcalloc(t->count + 1, sizeof(*jvms));
	int64_t now_ns = clock_monotonic_ns();
	bool checks_programs = t->ancestor ||
			       now_ns - t->checked_ns >= PROGRAMS_NS;

	for (size_t i = 0; i < t->count; i++)
		jvms[i] = &t->all[i]->jvm;
	jvm_poll_ended(jvms, ended, t->count);
	for (size_t i = 0; checks_programs && i < t->count; i++)
		ended[i] |= !t->all[i]->has_ended && !jvm_runs(jvms[i]);
	if (checks_programs)
		t->checked_ns = now_ns;
	free(jvms);
}

size_t sampling_targets_running(struct sampling_targets *t)
{
	bool *ended = xcalloc(t->count + 1, sizeof(*ended));
	size_t running = 0;

	targets_check_ended(t, ended);
	for (size_t i = 0; i < t->count; i++) {
		struct sampling_target *target = t->all[i];

		if (target->has_ended)
			continue;
		target->has_ended = ended[i];
		running += !target->has_ended;
		/*
		 * Another target may have its PID already. The launched program
		 * may have executed another one.
		 */
		if (target->has_ended && target->jvm.pid != t->ancestor &&
		    sampling_targets_find(t, target->jvm.pid) == target)
			sampler_remove(t->shared->sampler, target->jvm.pid);
	}
	free(ended);
	return running;
}

void sampling_targets_forget_waits(struct sampling_targets *t)
{
	for (size_t i = 0; i < t->count; i++) {
		struct sampling_target *target = t->all[i];
		const struct jvm *jvm = &target->jvm;
		bool has_ended = false;

		if (!target->has_ended || target->is_forgotten)
			continue;
		/* A process that executes another program still waits. */
		jvm_poll_ended(&jvm, &has_ended, 1);
		if (!has_ended)
			continue;
		target->is_forgotten = true;
		if (sampling_targets_find(t, jvm->pid) == target)
			sampler_forget_waits(t->shared->sampler, jvm->pid);
	}
}

/*
 * Returns the index of the last ended target, which is kept: the next JVM may
 * share its libraries.  Without an ended target, returns the count.
 */
static size_t targets_find_last_ended(const struct sampling_targets *t)
{
	for (size_t i = t->count; i-- > 0;) {
		if (t->all[i]->has_ended)
			return i;
	}
	return t->count;
}

void sampling_targets_retire_ended(struct sampling_targets *t)
{
	size_t last = targets_find_last_ended(t), kept = 0;

	if (!t->shared->o->all && !t->ancestor)
		return;
	for (size_t i = 0; i < t->count; i++) {
		struct sampling_target *target = t->all[i];

		if (!target->has_ended || i == last ||
		    target->jvm.pid == t->ancestor) {
			t->all[kept++] = target;
			continue;
		}
		targets_end_idle(target);
		sampling_target_retire(target);
	}
	if (kept == t->count)
		return;
	t->retired += t->count - kept;
	t->count = kept;
	targets_index(t);
}

size_t sampling_targets_sampled(const struct sampling_targets *t)
{
	size_t sampled = 0;

	for (size_t i = 0; i < t->count; i++)
		sampled += !t->all[i]->has_ended;
	return sampled;
}

size_t sampling_targets_refused(const struct sampling_targets *t)
{
	size_t refused = 0;

	for (size_t i = 0; i < t->refusal_count; i++) {
		const struct sampling_refusal *r = &t->refusals[i];
		const struct sampling_target *known = sampling_targets_find(
			t, r->pid);

		/* It may have become a target since then. */
		refused += !(known && !known->has_ended &&
			     known->jvm.start_ticks == r->start_ticks);
	}
	return refused;
}

size_t sampling_targets_total(const struct sampling_targets *t)
{
	return t->count + t->retired;
}

struct sampling_counts sampling_targets_counts(const struct sampling_targets *t)
{
	struct sampling_counts counts = t->shared->counts;

	for (size_t i = 0; i < t->count; i++)
		sampling_target_counts(t->all[i], &counts);
	return counts;
}

uint64_t sampling_targets_changes(const struct sampling_targets *t)
{
	uint64_t changes = 0;

	for (size_t i = 0; i < t->count; i++)
		changes += sampling_target_changes(t->all[i]);
	return changes;
}

void sampling_targets_name(const struct sampling_targets *t, struct text *out)
{
	size_t total = sampling_targets_total(t);

	if (total == 1)
		text_puts(out, t->all[0]->name.bytes);
	else if (!total && t->launched)
		safe_text_puts(out, t->launched);
	else
		text_printf(out, "%zu JVMs", total);
}
