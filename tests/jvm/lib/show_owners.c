/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	show_owners PID
 *	show_owners PID ROUNDS
 *	show_owners PID ROUNDS lies
 *
 * Reads the owners of locks from a JVM's memory.  Without ROUNDS, prints a line
 * for each thread that waits: its name, the kind and the class of the lock, and
 * the name of the owner or "-".  With ROUNDS, compares so many readings of a
 * JVM that runs LockOwners.java with the truth in the names of its waiters, and
 * prints the number of waits that were compared, that have the right owner, no
 * owner, a wrong one or one whose name is unknown, the readings that were
 * rejected, the threads without an accepted reading, and the time per round.
 * With lies, some of the ranges that are read have other bytes; prints the
 * longest CPU time of a round and the memory that the rounds took.
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
#include <sys/resource.h>
#include <time.h>

static struct {
	uint64_t waits, right, none, wrong, nameless, rejected, unknown;
	int64_t ns;
} sum;

/* ---- a JVM that lies ---- */

struct lying {
	struct memory memory; /* first member */
	struct memory *truth;
	bool lies;
	uint64_t one_in; /* ranges, with other bytes */
	uint64_t seed, addresses[64];
	size_t at;
};

static uint64_t lying_random(struct lying *l)
{
	l->seed = l->seed * 6364136223846793005u + 1442695040888963407u;
	return l->seed >> 33;
}

/* Replaces bytes by those of an address that was read, or by any bytes. */
static void lying_replace(struct lying *l, const struct memory_range *r)
{
	uint64_t kind = lying_random(l) % 4;
	uint64_t address = l->addresses[lying_random(l) % 64];
	uint8_t *bytes = r->bytes;

	for (size_t i = 0; i < r->len; i++)
		bytes[i] = kind == 0   ? (uint8_t)lying_random(l)
			   : kind == 1 ? 0xff
			   : kind == 2 ? (uint8_t)(address >> (i % 8 * 8))
				       : (uint8_t)(i % 4 == 1);
}

static void lying_read_all(struct memory *self, struct memory_range *ranges,
			   size_t count)
{
	struct lying *l = (struct lying *)self;

	l->truth->read_all(l->truth, ranges, count);
	for (size_t i = 0; i < count && l->lies; i++) {
		l->addresses[l->at++ % 64] = ranges[i].address;
		if (lying_random(l) % l->one_in == 0) {
			lying_replace(l, &ranges[i]);
			ranges[i].is_read = true;
		}
	}
}

static long resident_kb(void)
{
	struct rusage u = { 0 };

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

/* Reads, and opens the readers, of a JVM that lies. */
static void run_lies(struct process_view *view, long rounds)
{
	struct lying l = { .memory = { .read_all = lying_read_all },
			   .truth = view->memory,
			   .seed = 1 };
	struct lock_waits w = { 0 };
	long longest = 0, before = resident_kb();

	for (long i = 0; i < rounds; i++) {
		struct java_thread_names *names;
		struct lock_owners *o;
		clock_t began = clock();

		l.one_in = UINT64_C(8) << (i / 2 % 8);
		l.lies = i % 2;
		o = lock_owners_open(view->structs, &l.memory, error_unused());
		names = java_thread_names_open(view->structs, &l.memory,
					       error_unused());
		l.lies = true;
		for (int k = 0; o && names && k < 3; k++) {
			lock_owners_read(o, &w);
			lock_waits_read_names(&w, names);
		}
		lock_owners_close(o);
		java_thread_names_close(names);
		if (clock() - began > longest)
			longest = clock() - began;
	}
	lock_waits_release(&w);
	printf("longest_ms=%ld grown_kb=%ld\n",
	       longest / (CLOCKS_PER_SEC / 1000), resident_kb() - before);
}

/* ---- names ---- */

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
	if (argc > 3)
		run_lies(view, strtol(argv[2], NULL, 10));
	else
		run(owners, names, argc > 2 ? strtol(argv[2], NULL, 10) : 0);
	lock_owners_close(owners);
	java_thread_names_close(names);
	process_view_close(view);
	jvm_close(&jvm);
	return 0;
}
