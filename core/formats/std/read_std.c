/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_std: reads stack trace dumps of SJK (.std, .sjk), which its stcap and
 * stcpy write.
 *
 * Each stack trace is one sample of the event "thread-dump", like a thread of a
 * thread dump in text form, which it is. Stack traces that were converted from
 * a JFR recording keep the name of their event, and are not threads of dumps.
 */
#include "core/base/alloc.h"
#include "core/formats/reader.h"
#include "core/formats/std/std_decoder.h"
#include "core/profile/thread_tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STD_MS_NS INT64_C(1000000)
/* Samples between two reports of progress. */
#define STD_PROGRESS 4096

/* Tag of an event that SJK has converted from a JFR recording. */
#define STD_KEY_JFR_TYPE "jfr.typeId"

#define STD_KEY_CPU      "java.cpu-time.ms"

/*
 * Samples whose stack traces are added together, which is faster. Also limited
 * by the number of frames, so that deep stack traces stay in the cache.
 */
enum { STD_BATCH = 64, STD_BATCH_FRAMES = 16384 };

struct dump {
	struct profile *profile;
	struct std_decoder decoder;
	uint32_t event;    /* "thread-dump" */
	uint32_t jfr_type; /* string of the tag's key */
	uint32_t cpu_time; /* string of the counter's key */
	uint64_t events;   /* without a stack trace */
	/* For the profile's thread_tap: the current dump. */
	bool has_dump;
	int64_t dump_ns;
	struct map64 dump_threads; /* of the profile */
	/* The batch. */
	struct sample samples[STD_BATCH];
	uint32_t depths[STD_BATCH], stacks[STD_BATCH];
	size_t count;
	uint32_t *frames;
	size_t frame_count, frame_cap;
};

static uint32_t dump_thread(struct dump *r, const struct std_event *e)
{
	struct thread t = {
		.name = e->thread_name,
		.java_id = e->thread_id > 0 ? e->thread_id : 0,
	};

	return profile_thread(r->profile, &t);
}

/* Returns the time in ns; 0 if it is unknown or outside of the range. */
static int64_t dump_time(const struct std_event *e)
{
	int64_t ns;

	if (e->time_ms == STD_NONE ||
	    __builtin_mul_overflow(e->time_ms, STD_MS_NS, &ns))
		return 0;
	return ns;
}

static uint32_t dump_event(struct dump *r, const struct std_event *e)
{
	for (size_t i = 0; i < e->tag_count; i++) {
		if (e->tags[i].key == r->jfr_type && e->tags[i].value)
			return profile_event(
				r->profile,
				profile_text(r->profile, e->tags[i].value),
				UNIT_SAMPLES);
	}
	return r->event;
}

static void dump_flush(struct dump *r)
{
	profile_stacks(r->profile, r->frames, r->depths, r->count, r->stacks);
	for (size_t i = 0; i < r->count; i++)
		r->samples[i].stack = r->stacks[i];
	profile_add_all(r->profile, r->samples, r->count);
	r->count = r->frame_count = 0;
}

static struct sample dump_sample(struct dump *r, const struct std_event *e)
{
	return (struct sample){
		.event = dump_event(r, e),
		.thread = dump_thread(r, e),
		.state = e->state,
		.time_ns = dump_time(e),
		.count = 1,
		.weight = 1,
	};
}

static void dump_tap_event(struct dump *r, const struct std_event *e)
{
	struct sample s = dump_sample(r, e);
	const struct sample_details details = {
		.tags = e->tags,
		.tag_count = e->tag_count,
		.counters = e->counters,
		.counter_count = e->counter_count,
		.is_event = !e->has_trace,
	};

	s.stack = profile_stack(r->profile, e->frames, e->depth);
	profile_tap(r->profile, &s, &details);
}

static int64_t dump_cpu_time(const struct dump *r, const struct std_event *e)
{
	int64_t ns;

	for (size_t i = 0; i < e->counter_count; i++) {
		if (e->counters[i].key == r->cpu_time &&
		    e->counters[i].value >= 0 &&
		    !__builtin_mul_overflow(e->counters[i].value, STD_MS_NS,
					    &ns))
			return ns;
	}
	return -1;
}

/*
 * All threads of a dump have the time at which it was taken. Without times, a
 * dump ends before the first thread that it has already.
 */
static void dump_begin(struct dump *r, int64_t time_ns, uint32_t thread)
{
	const struct thread_tap *tap = r->profile->thread_tap;
	const struct tap_dump dump = { .time_ns = time_ns };

	if (r->has_dump && time_ns == r->dump_ns &&
	    map64_add(&r->dump_threads, thread, 0))
		return;
	map64_clear(&r->dump_threads);
	map64_add(&r->dump_threads, thread, 0);
	r->has_dump = true;
	r->dump_ns = time_ns;
	tap->dump(tap->self, &dump);
}

static void dump_tap_thread(struct dump *r, const struct std_event *e)
{
	const struct thread_tap *tap = r->profile->thread_tap;
	uint32_t thread = dump_thread(r, e);
	const struct tapped_thread t = {
		.thread = r->profile->threads[thread],
		.state = e->state,
		.stack = profile_stack(r->profile, e->frames, e->depth),
		.cpu_ns = dump_cpu_time(r, e),
		.elapsed_ns = -1,
	};

	dump_begin(r, dump_time(e), thread);
	tap->thread(tap->self, &t);
}

static void dump_add(struct dump *r, const struct std_event *e)
{
	if (r->profile->tap) {
		dump_tap_event(r, e);
		return;
	}
	if (!e->has_trace) {
		r->events++;
		return;
	}
	if (r->profile->thread_tap && dump_event(r, e) == r->event) {
		dump_tap_thread(r, e);
		return;
	}
	if (r->count == STD_BATCH ||
	    r->frame_count + e->depth > STD_BATCH_FRAMES)
		dump_flush(r);
	array_reserve(r->frames, r->frame_cap, r->frame_count + e->depth);
	if (e->depth)
		memcpy(r->frames + r->frame_count, e->frames,
		       e->depth * sizeof(*e->frames));
	r->frame_count += e->depth;
	r->depths[r->count] = (uint32_t)e->depth;
	r->samples[r->count++] = dump_sample(r, e);
}

static void dump_read_events(struct dump *r)
{
	struct std_event e;
	size_t done = 0;

	while (std_decoder_next(&r->decoder, &e)) {
		dump_add(r, &e);
		if (++done % STD_PROGRESS == 0)
			profile_progress(r->profile,
					 cursor_offset(&r->decoder.c),
					 r->decoder.len);
	}
	dump_flush(r);
	if (r->events)
		profile_note(r->profile, "events without a stack trace",
			     r->events, "%s", "`sjkc dexp` lists them");
}

static bool std_sniff(const uint8_t *head, size_t len)
{
	return std_is_dump(head, len);
}

static int std_read(const uint8_t *bytes, size_t len, struct profile *p,
		    struct error *err)
{
	struct dump r = { .profile = p };
	int ret = std_decoder_open(&r.decoder, bytes, len, p, err);

	if (ret == 0) {
		r.event = profile_event(p, "thread-dump", UNIT_SAMPLES);
		r.jfr_type = profile_string(p, STD_KEY_JFR_TYPE,
					    strlen(STD_KEY_JFR_TYPE));
		r.cpu_time = profile_string(p, STD_KEY_CPU,
					    strlen(STD_KEY_CPU));
		dump_read_events(&r);
	}
	map64_release(&r.dump_threads);
	std_decoder_close(&r.decoder);
	free(r.frames);
	return ret;
}

const struct reader std_reader = {
	.name = "std",
	.summary = "stack trace dump of SJK",
	.sniff = std_sniff,
	.read = std_read,
};
