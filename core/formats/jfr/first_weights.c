/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/jfr/first_weights.h"

#include "core/base/alloc.h"

#include <stdlib.h>

/* A weight that exceeds its estimate by at most this is plausible. */
#define MOST_NOISE 10 /* percent */

static struct first_weight *weights_of_thread(struct first_weights *f,
					      uint32_t thread)
{
	uint32_t at = map64_get(&f->by_thread, thread);

	if (at == MAP64_NONE) {
		at = (uint32_t)f->count;
		array_add(f->threads, f->count, f->cap,
			  (struct first_weight){ 0 });
		map64_add(&f->by_thread, thread, at);
	}
	return &f->threads[at];
}

/*
 * Handles the end of a chunk. Its samples precede the newest statistics, which
 * the JVM writes at the end of each chunk, or follow them.
 */
static void weight_end_chunk(struct first_weight *w)
{
	bool covered = w->newest.time_ns >= w->chunk_last_ns;

	w->later_bytes += w->chunk_bytes;
	if (covered)
		w->bytes_until_newest = w->later_bytes;
	w->chunk_bytes = 0;
	w->chunk_last_ns = 0;
}

static struct first_weight *weight_in_chunk(struct first_weights *f,
					    uint32_t thread)
{
	struct first_weight *w = weights_of_thread(f, thread);

	if (w->chunk != f->chunk)
		weight_end_chunk(w);
	w->chunk = f->chunk;
	return w;
}

void first_weights_chunk(struct first_weights *f, int64_t start_ns)
{
	f->chunk++;
	if (!f->start_ns || start_ns < f->start_ns)
		f->start_ns = start_ns;
}

bool first_weights_take(struct first_weights *f, struct sample *s)
{
	struct first_weight *w = weight_in_chunk(f, s->thread);
	struct sample held = w->sample;

	if (!held.count) {
		w->sample = *s;
		return false;
	}
	/* Events are in the order of buffers, not of time. */
	if (s->time_ns < held.time_ns) {
		w->sample = *s;
		*s = held;
	}
	w->later++;
	w->chunk_bytes += s->weight;
	if (s->weight > w->later_max)
		w->later_max = s->weight;
	if (s->time_ns > w->chunk_last_ns)
		w->chunk_last_ns = s->time_ns;
	f->later++;
	f->later_bytes += s->weight;
	if (s->weight > f->later_max)
		f->later_max = s->weight;
	return true;
}

void first_weights_allocated(struct first_weights *f, uint32_t thread,
			     int64_t time_ns, uint64_t bytes)
{
	struct first_weight *w = weight_in_chunk(f, thread);

	if (!f->first_stats_ns || time_ns < f->first_stats_ns)
		f->first_stats_ns = time_ns;
	if (!w->oldest.time_ns || time_ns < w->oldest.time_ns)
		w->oldest = (struct allocated){ time_ns, bytes };
	if (time_ns >= w->newest.time_ns)
		w->newest = (struct allocated){ time_ns, bytes };
}

static uint64_t weights_min(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t weights_mean(uint64_t bytes, uint64_t samples)
{
	return samples ? bytes / samples : 0;
}

/*
 * Without statistics from before the sample: the average weight of the thread's
 * other samples, or of all threads' if it has none.
 */
static uint64_t weights_usual(const struct first_weights *f,
			      const struct first_weight *w)
{
	uint64_t weight = w->sample.weight;
	uint64_t most = w->later ? w->later_max : f->later_max;
	uint64_t usual = w->later ? weights_mean(w->later_bytes, w->later)
				  : weights_mean(f->later_bytes, f->later);

	/* A weight like that of others is plausible. */
	if (!f->later || weight <= most)
		return weight;
	return weights_min(weight, usual);
}

/*
 * Extrapolates the thread's rate between its statistics to the time from the
 * recording's start to the sample.
 */
static uint64_t weights_steady(const struct first_weights *f,
			       const struct first_weight *w)
{
	int64_t between = w->newest.time_ns - w->oldest.time_ns;
	int64_t lead = w->sample.time_ns - f->start_ns;
	double bytes;

	if (between <= 0 || lead < 0 || w->newest.bytes < w->oldest.bytes)
		return w->sample.weight;
	bytes = (double)(w->newest.bytes - w->oldest.bytes) * (double)lead /
		(double)between;
	return bytes < (double)w->sample.weight ? (uint64_t)bytes
						: w->sample.weight;
}

/*
 * Estimates the bytes that the thread allocated in the recording before its
 * first sample.
 */
static uint64_t weights_estimate(const struct first_weights *f,
				 const struct first_weight *w)
{
	const struct sample *s = &w->sample;
	uint64_t grown, rest;

	/*
	 * The thread started during the recording, which includes its whole
	 * past.
	 */
	if (f->first_stats_ns && f->first_stats_ns <= s->time_ns &&
	    (!w->oldest.time_ns || w->oldest.time_ns > s->time_ns))
		return s->weight;
	/* JFR writes the first statistics shortly after it begins to sample. */
	if (!w->oldest.time_ns || w->oldest.time_ns > s->time_ns)
		return weights_min(weights_usual(f, w), weights_steady(f, w));
	if (w->newest.time_ns > s->time_ns) {
		grown = w->newest.bytes > w->oldest.bytes
				? w->newest.bytes - w->oldest.bytes
				: 0;
		rest = grown > w->bytes_until_newest
			       ? grown - w->bytes_until_newest
			       : 0;
		return weights_min(s->weight, rest);
	}
	/* The thread ended: the sample has everything that it had allocated. */
	if (s->weight >= w->oldest.bytes)
		return s->weight - w->oldest.bytes;
	return weights_usual(f, w);
}

void first_weights_end(struct first_weights *f, struct profile *p)
{
	static const char
		estimated[] = "allocation samples with an estimated weight";
	static const char set_aside
		[] = "bytes allocated before the recording, not included";
	uint64_t samples = 0, bytes = 0;
	uint32_t event = 0;

	for (size_t i = 0; i < f->count; i++) {
		struct first_weight *w = &f->threads[i];
		struct sample s = w->sample;
		uint64_t weight;

		weight_end_chunk(w);
		if (!s.count)
			continue;
		weight = weights_estimate(f, w);
		if (weight < s.weight - s.weight / 100 * MOST_NOISE) {
			samples++;
			bytes += s.weight - weight;
			event = s.event;
			s.weight = weight;
		}
		profile_add(p, &s);
	}
	if (!samples)
		return;
	profile_note(p, estimated, samples, "%s", "");
	profile_note(p, set_aside, bytes, "%s", "");
	profile_remark_event(p, estimated, event);
	profile_remark_event(p, set_aside, event);
}

void first_weights_release(struct first_weights *f)
{
	map64_release(&f->by_thread);
	free(f->threads);
	*f = (struct first_weights){ 0 };
}
