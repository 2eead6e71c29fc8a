/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/thread_dumps.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/threads/thread_print.h"

#include <stdlib.h>

#define OFTEN_NS      (10 * CLOCK_NS_PER_S)
#define SELDOM_NS     (60 * CLOCK_NS_PER_S)
#define LONG_PAUSE_NS (50 * CLOCK_NS_PER_MS)
#define KEEP_NS       CLOCK_NS_PER_S /* how long a text is as good as new */
/* Between dumps that are compared: allocation comes in steps of up to 1 MiB. */
#define APART_NS (5 * CLOCK_NS_PER_S)

struct thread_dumps {
	const struct jvm *jvm;
	bool asks;
	int64_t timeout_ns;
	struct thread_print print;
	struct thread_names *names; /* NULL before the first dump */
	struct thread_names *before;
	int64_t before_boot_ns; /* when that came */
	int64_t asked_boot_ns, came_boot_ns;
	/* Samples borrow the names: those of a dump wait for the next one. */
	struct thread_names *coming;
	int64_t coming_asked_ns, coming_came_ns;
	bool is_new;           /* nobody has taken them yet */
	struct text text;      /* of the last dump, for a while */
	int64_t came_ns;       /* when it came */
	int64_t next_boot_ns;  /* the one under way */
	int64_t not_before_ns; /* when it may be asked again */
	int64_t safepoint_ns;  /* when it was asked; -1 = unknown */
	int64_t took_ns;
	bool has_failed;
	struct error problem;
};

struct thread_dumps *thread_dumps_new(const struct jvm *jvm, bool asks,
				      int64_t timeout_ns)
{
	struct thread_dumps *d = xcalloc(1, sizeof(*d));

	d->jvm = jvm;
	d->asks = asks;
	d->timeout_ns = timeout_ns;
	return d;
}

void thread_dumps_free(struct thread_dumps *d)
{
	if (!d)
		return;
	thread_print_stop(&d->print);
	thread_names_free(d->names);
	thread_names_free(d->before);
	thread_names_free(d->coming);
	text_release(&d->text);
	free(d);
}

bool thread_dumps_awaits(const struct thread_dumps *d) { return d->print.runs; }

/* True when one more failure may be had. */
static bool may_ask(const struct thread_dumps *d)
{
	return d->asks && (d->names || !d->has_failed);
}

static int start(struct thread_dumps *d, int64_t safepoint_ns)
{
	d->next_boot_ns = clock_boot_ns();
	d->not_before_ns = clock_monotonic_ns() + SELDOM_NS;
	d->safepoint_ns = safepoint_ns;
	if (thread_print_start(&d->print, d->jvm, d->timeout_ns, &d->problem) ==
	    0)
		return 0;
	d->has_failed = true;
	return -1;
}

bool thread_dumps_ask(struct thread_dumps *d, int64_t safepoint_ns)
{
	if (!may_ask(d) || d->print.runs ||
	    clock_monotonic_ns() < d->not_before_ns)
		return false;
	return start(d, safepoint_ns) == 0;
}

/* A long call need not be a long pause: a busy machine makes it long, too. */
static int64_t pause_of(const struct thread_dumps *d, int64_t safepoint_ns)
{
	int64_t still = safepoint_ns - d->safepoint_ns;

	if (d->safepoint_ns < 0 || safepoint_ns < 0 || still > d->took_ns)
		return d->took_ns;
	return still;
}

/*
 * Those that came are the names from now on; those there were become the ones
 * before, when they are old enough.
 */
static void take_names(struct thread_dumps *d)
{
	struct thread_names *old = d->names;

	if (old && d->coming_came_ns - d->came_boot_ns >= APART_NS) {
		old = d->before;
		d->before = d->names;
		d->before_boot_ns = d->came_boot_ns;
	}
	d->names = d->coming;
	d->coming = old;
	d->asked_boot_ns = d->coming_asked_ns;
	d->came_boot_ns = d->coming_came_ns;
}

static void accept(struct thread_dumps *d)
{
	if (!d->coming)
		d->coming = thread_names_new();
	thread_names_read(d->coming, d->text.bytes, d->text.len);
	d->is_new = true;
	d->has_failed = false;
	d->coming_asked_ns = d->next_boot_ns;
	d->coming_came_ns = clock_boot_ns();
	d->came_ns = clock_monotonic_ns();
}

/* Takes the reply if it comes by then. */
static void await(struct thread_dumps *d, int64_t until_ns)
{
	struct text reply = { 0 };

	switch (thread_print_wait(&d->print, until_ns, &reply, &d->took_ns,
				  &d->problem)) {
	case THREAD_PRINT_RUNS:
		break;
	case THREAD_PRINT_DONE:
		text_release(&d->text);
		d->text = reply;
		accept(d);
		return;
	case THREAD_PRINT_FAILED:
		d->has_failed = true;
		break;
	}
	text_release(&reply);
}

bool thread_dumps_take(struct thread_dumps *d, int64_t until_ns,
		       int64_t safepoint_ns)
{
	bool is_new;

	if (d->print.runs)
		await(d, until_ns);
	if (d->text.bytes && clock_monotonic_ns() - d->came_ns > KEEP_NS)
		text_release(&d->text);
	is_new = d->is_new;
	if (is_new) {
		take_names(d);
		d->not_before_ns = d->came_ns +
				   (pause_of(d, safepoint_ns) > LONG_PAUSE_NS
					    ? SELDOM_NS
					    : OFTEN_NS);
	}
	d->is_new = false;
	return is_new;
}

const struct thread_names *thread_dumps_names(const struct thread_dumps *d)
{
	return d->names;
}

const struct thread_names *thread_dumps_before(const struct thread_dumps *d,
					       int64_t *came_boot_ns)
{
	*came_boot_ns = d->before_boot_ns;
	return d->before;
}

void thread_dumps_times(const struct thread_dumps *d, int64_t *asked_boot_ns,
			int64_t *came_boot_ns, int64_t *came_ns)
{
	*asked_boot_ns = d->asked_boot_ns;
	*came_boot_ns = d->came_boot_ns;
	*came_ns = d->came_ns;
}

const char *thread_dumps_problem(const struct thread_dumps *d)
{
	return d->has_failed ? d->problem.text : NULL;
}

const struct text *thread_dumps_text(struct thread_dumps *d, struct error *err)
{
	int64_t now = clock_monotonic_ns();

	if (d->text.bytes && now - d->came_ns <= KEEP_NS)
		return &d->text;
	if (!d->asks) {
		fail(err, ERROR_UNAVAILABLE, "the JVM is not to be asked");
		return NULL;
	}
	text_release(&d->text);
	if (d->print.runs || (may_ask(d) && start(d, -1) == 0))
		await(d, now + 2 * d->timeout_ns);
	if (d->text.bytes)
		return &d->text;
	if (d->has_failed)
		*err = d->problem;
	else
		fail(err, ERROR_REFUSED, "%d: no answer within %lld s",
		     (int)d->jvm->pid,
		     (long long)(2 * d->timeout_ns / CLOCK_NS_PER_S));
	return NULL;
}
