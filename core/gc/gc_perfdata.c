/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gc/gc_counters.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"

#include <stdlib.h>

/*
 * Each reading wakes this process, which costs ten times as much as the reading
 * itself, also if the file were mapped, which would crash sjkc if the file were
 * truncated. Pauses often follow each other, so the interval is short after a
 * pause, and grows to a quarter of the time without one: few are then read
 * together.
 */
#define POLL_NS     (2 * CLOCK_NS_PER_MS)
#define POLL_MAX_NS (20 * CLOCK_NS_PER_MS)

/*
 * A safepoint that has begun, but not ended, is counted, too. If it lasts
 * longer, it is a record of its own.
 */
#define UNDER_WAY_NS CLOCK_NS_PER_S

struct poll_source {
	struct gc_source source;
	struct gc_counters *counters;
	const struct jvm *jvm;
	int64_t start_ns;      /* of the JVM, since the epoch; 0 = unknown */
	struct gc_values last; /* at the end of the last record */
	struct gc_values now;
	/*
	 * When a change by more than one safepoint was first read; the last of
	 * them may be under way. 0 = no such change.
	 */
	int64_t held_ns, held_wall_ns;
	int64_t change_ns; /* when the last change was read */
	/*
	 * A safepoint that was under way at the last record may be counted in
	 * it. False after opening: a safepoint under way is not counted yet.
	 */
	bool is_counted;
};

static struct poll_source *poll_of(struct gc_source *s)
{
	return (struct poll_source *)s;
}

/* Fills the record of all stops between p->last and p->now. */
static enum gc_next poll_take(struct poll_source *s, int64_t end_ns,
			      struct gc_pause *p)
{
	int64_t count = s->now.safepoints - s->last.safepoints;
	bool is_sum_only = gc_counters_stopped_includes_sync(s->counters);

	if (count > 0)
		p->count = (unsigned)count;
	else
		p->count = !s->is_counted;
	p->end_ns = end_ns;
	if (s->start_ns && end_ns > s->start_ns)
		p->uptime_ns = end_ns - s->start_ns;
	gc_counters_interpret(s->counters, &s->last, &s->now, NULL, p);
	p->stopped_ns = s->now.stopped_ns - s->last.stopped_ns;
	if (!is_sum_only && p->sync_ns != GC_ABSENT)
		p->stopped_ns += p->sync_ns;
	s->last = s->now;
	s->held_ns = 0;
	return GC_NEXT_RECORD;
}

/* Takes the held change. is_sure: none of its safepoints is under way. */
static enum gc_next poll_take_held(struct poll_source *s,
				   const struct gc_values *held, bool is_sure,
				   struct gc_pause *p)
{
	s->now = *held;
	s->is_counted = s->is_counted || !is_sure;
	return poll_take(s, s->held_wall_ns, p);
}

/*
 * Several safepoints have begun, and at least one has ended. The last one may
 * be under way, which the next change tells:
 *
 *	a begin, but no end	all of them had ended
 *	an end, but no begin	the last one was under way, and now has ended
 *	both			unknown; the new ones are added, and the next
 *				change tells
 *
 * Without an answer in time, the last one is counted, and not again if it ends
 * later.
 */
static enum gc_next poll_resolve(struct poll_source *s, struct gc_pause *p,
				 struct error *err)
{
	struct gc_values held = s->now;
	bool has_begun, has_ended, is_in_time;

	if (gc_counters_read(s->counters, &s->now, err))
		return GC_NEXT_FAILED;
	has_begun = s->now.safepoints != held.safepoints;
	has_ended = s->now.stopped_ns != held.stopped_ns;
	if (has_ended && !has_begun)
		return poll_take(s, clock_wall_ns(), p);
	if (has_begun && !has_ended)
		return poll_take_held(s, &held, true, p);
	is_in_time = !s->source.is_ending &&
		     clock_monotonic_ns() - s->held_ns < UNDER_WAY_NS;
	if (!is_in_time)
		return poll_take_held(s, &held, false, p);
	if (has_begun)
		s->held_wall_ns = clock_wall_ns();
	else
		s->now = held;
	return GC_NEXT_LATER;
}

/* Sets the time until the next reading from the time without a change. */
static void poll_set_wait(struct poll_source *s, bool changed)
{
	int64_t now_ns = clock_monotonic_ns(), wait_ns;

	if (changed)
		s->change_ns = now_ns;
	wait_ns = (now_ns - s->change_ns) / 4;
	s->source.wait_ns = wait_ns < POLL_NS       ? POLL_NS
			    : wait_ns > POLL_MAX_NS ? POLL_MAX_NS
						    : wait_ns;
}

static enum gc_next poll_next(struct gc_source *source, struct gc_pause *p,
			      struct error *err)
{
	struct poll_source *s = poll_of(source);
	bool changed = false;

	if (s->held_ns)
		return poll_resolve(s, p, err);
	if (gc_counters_changed(s->counters, &s->last, &changed, err))
		return GC_NEXT_FAILED;
	poll_set_wait(s, changed);
	if (!changed)
		return GC_NEXT_LATER;
	if (gc_counters_read(s->counters, &s->now, err))
		return GC_NEXT_FAILED;
	source->cpu_ns = s->now.gc_cpu_ns;
	if (s->now.safepoints - s->last.safepoints <= 1)
		return poll_take(s, clock_wall_ns(), p);
	s->held_ns = clock_monotonic_ns();
	s->held_wall_ns = clock_wall_ns();
	return GC_NEXT_LATER;
}

static void poll_close(struct gc_source *source)
{
	struct poll_source *s = poll_of(source);

	gc_counters_close(s->counters);
	free(s);
}

static const struct gc_source_methods poll_methods = {
	.next = poll_next,
	.close = poll_close,
};

static void poll_read_start(struct poll_source *s)
{
	struct jvm_info info;

	if (jvm_info(s->jvm, &info, error_unused()))
		return;
	s->start_ns = info.start_ns;
	jvm_info_release(&info);
}

struct gc_source *gc_perfdata_open(const struct jvm *jvm, struct error *err)
{
	struct poll_source *s = xcalloc(1, sizeof(*s));
	struct gc_source *source = &s->source;

	source->methods = &poll_methods;
	source->fd = -1;
	source->pid = jvm->pid;
	source->wait_ns = POLL_NS;
	source->cpu_ns = GC_ABSENT;
	s->jvm = jvm;
	s->counters = gc_counters_open(jvm, err);
	source->begin_ns = clock_monotonic_ns();
	if (!s->counters || gc_counters_read(s->counters, &s->last, err)) {
		gc_source_close(source);
		return NULL;
	}
	poll_read_start(s);
	source->columns = gc_counters_columns(s->counters);
	text_puts(&source->collector, gc_counters_collector(s->counters));
	text_puts(&source->description,
		  "hsperfdata counters, read every 2 to 20 ms: "
		  "durations are the JVM's own, the time "
		  "of a pause is known to 20 ms");
	return source;
}
