/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	show_owners PID
 *	show_owners PID ROUNDS
 *
 * Reads the owners of locks from a JVM's memory.  Without ROUNDS, prints a line
 * for each thread that waits: its name, the kind and the class of the lock, and
 * the name of the owner or "-".  With ROUNDS, compares so many readings of a
 * JVM that runs LockOwners.java with the truth in the names of its waiters, and
 * prints the number of waits that were compared, that have the right owner, no
 * owner, a wrong one or one whose name is unknown, the readings that were
 * rejected, the threads without an accepted reading, and the time per round.
 */
#include "core/base/clock.h"
#include "core/base/map64.h"
#include "core/hotspot/java_threads.h"
#include "core/hotspot/lock_owners.h"
#include "core/hotspot/process_view.h"
#include "core/jvm/jvm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
	uint64_t waits, right, none, wrong, nameless, rejected, unknown;
	int64_t ns;
} sum;

/* The names of the threads of a reading, by their Java ids. */
struct names {
	struct java_thread_name *all;
	size_t count;
	struct map64 by_id;
};

static void names_add(struct names *n, const struct lock_thread *t)
{
	if (t->java_id && n->count < JAVA_THREAD_NAMES_AT_ONCE &&
	    map64_add(&n->by_id, (uint64_t)t->java_id, (uint32_t)n->count))
		n->all[n->count++] = (struct java_thread_name){
			.tid = t->ns_tid,
			.object = t->is_virtual ? t->object : 0,
		};
}

static void names_read(struct names *n, struct java_thread_names *reader,
		       const struct lock_waits *w)
{
	n->count = 0;
	map64_clear(&n->by_id);
	for (size_t i = 0; i < w->count; i++) {
		names_add(n, &w->all[i].waiter);
		names_add(n, &w->all[i].owner);
	}
	java_thread_names_read(reader, n->all, n->count);
}

/* Returns the name of a thread, "-" if there is none, or NULL. */
static const char *names_get(const struct names *n, const struct lock_thread *t)
{
	uint32_t at = map64_get(&n->by_id, (uint64_t)t->java_id);

	if (!t->java_id)
		return "-";
	if (at == MAP64_NONE || !n->all[at].is_known ||
	    n->all[at].java_id != (uint64_t)t->java_id)
		return NULL;
	return n->all[at].name;
}

static void show(const struct names *n, const struct lock_waits *w)
{
	for (size_t i = 0; i < w->count; i++) {
		const struct lock_wait *one = &w->all[i];
		const char *waiter = names_get(n, &one->waiter);
		const char *owner = names_get(n, &one->owner);

		printf("%s|%s|%s|%s\n", waiter ? waiter : "?",
		       one->kind == LOCK_MONITOR ? "monitor" : "synchronizer",
		       one->lock_class, owner ? owner : "?");
	}
}

/*
 * Compares a wait with the truth.  When a generation ends, its locks pass from
 * waiter to waiter.
 */
static void compare(const char *waiter, const char *owner)
{
	const char *shape = waiter ? strchr(waiter, '/') : NULL;
	const char *generation = shape ? strchr(shape + 1, '/') : NULL;
	const char *truth = generation ? strchr(generation + 1, '/') : NULL;
	const char *other;

	if (!truth || strncmp(waiter, "w/", 2) != 0)
		return;
	sum.waits++;
	if (!owner) {
		sum.nameless++;
		return;
	}
	if (strcmp(owner, truth + 1) == 0 && strcmp(owner, "-") != 0) {
		sum.right++;
		return;
	}
	if (strcmp(owner, "-") == 0) {
		sum.none++;
		return;
	}
	other = strncmp(owner, "w/", 2) == 0 ? strchr(owner + 2, '/') : NULL;
	if (other && strcmp(other, generation) == 0)
		sum.right++;
	else if (++sum.wrong <= 5)
		printf("wrong: %s: %s\n", waiter, owner);
}

static void round_of(struct lock_owners *o, struct java_thread_names *reader,
		     struct names *n, struct lock_waits *w)
{
	int64_t began = clock_monotonic_ns();

	lock_owners_read(o, w);
	sum.ns += clock_monotonic_ns() - began;
	sum.rejected += w->retried;
	sum.unknown += w->unknown;
	names_read(n, reader, w);
	for (size_t i = 0; i < w->count; i++)
		compare(names_get(n, &w->all[i].waiter),
			names_get(n, &w->all[i].owner));
}

static void run(struct lock_owners *o, struct java_thread_names *reader,
		long rounds)
{
	struct names n = { 0 };
	struct lock_waits w = { 0 };

	n.all = calloc(JAVA_THREAD_NAMES_AT_ONCE, sizeof(*n.all));
	if (!n.all)
		return;
	for (long i = 0; i < rounds; i++) {
		round_of(o, reader, &n, &w);
		clock_sleep_until(clock_after(clock_monotonic_ns(),
					      10 * CLOCK_NS_PER_MS));
	}
	if (rounds) {
		printf("waits=%" PRIu64 " right=%" PRIu64 " none=%" PRIu64
		       " wrong=%" PRIu64 " nameless=%" PRIu64
		       " rejected=%" PRIu64 " unknown=%" PRIu64 " us=%" PRId64
		       " cpu_ms=%ld\n",
		       sum.waits, sum.right, sum.none, sum.wrong, sum.nameless,
		       sum.rejected, sum.unknown, sum.ns / rounds / 1000,
		       clock() / (CLOCKS_PER_SEC / 1000));
	} else {
		lock_owners_read(o, &w);
		names_read(&n, reader, &w);
		show(&n, &w);
	}
	lock_waits_release(&w);
	map64_release(&n.by_id);
	free(n.all);
}

int main(int argc, char **argv)
{
	struct java_thread_names *names = NULL;
	struct process_view *view = NULL;
	struct lock_owners *owners = NULL;
	struct jvm jvm = { .pidfd = -1 };
	struct error err = { 0 };

	if (argc > 1 &&
	    jvm_open_java(&jvm, (pid_t)strtol(argv[1], NULL, 10), &err) == 0)
		view = process_view_open(&jvm, NULL, &err);
	if (view && view->structs)
		names = java_thread_names_open(view->structs, view->memory,
					       &err);
	if (names)
		owners = lock_owners_open(view->structs, view->memory, &err);
	if (!owners) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	run(owners, names, argc > 2 ? strtol(argv[2], NULL, 10) : 0);
	lock_owners_close(owners);
	java_thread_names_close(names);
	process_view_close(view);
	jvm_close(&jvm);
	return 0;
}
