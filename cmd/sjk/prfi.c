/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sjkc prfi: converts samples of perf script into a dump of SJK.
 *
 * A dump has no weights, so each thread is resampled with a constant weight. It
 * is chosen so that the number of samples of the busiest thread grows by the
 * factor `upscale`.
 */
#include "cmd/commands.h"
#include "cmd/shared/log.h"
#include "cmd/sjk/sjk_input.h"
#include "core/base/alloc.h"
#include "core/base/output.h"
#include "core/base/saturate.h"
#include "core/base/units.h"
#include "core/formats/std/std_encoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PRFI_NS_PER_MS 1000000
#define PRFI_MAX       100000000 /* samples in the output */

static struct {
	struct sjk_input_options input;
	const char *output, *event;
	double upscale;
} opt = {
	.upscale = 3,
};

struct perf_sample {
	uint32_t thread, stack;
	int64_t time_ns;
	uint64_t weight;
};

/* The samples of one thread, in the order of their times. */
struct stream {
	size_t next, end; /* indices of samples */
	uint64_t rolled;  /* weight of the samples up to the next one */
	uint64_t threshold;
};

struct resampling {
	struct profile *profile;
	uint32_t event; /* 1 + the event that is used; 0: the first one */
	struct perf_sample *samples;
	size_t count, cap;
	struct stream *streams;
	size_t stream_count, stream_cap;
	uint64_t step; /* weight of an output sample */
	struct std_encoder encoder;
	struct output out;
	uint64_t written;
	struct sjk_frames frames;
};

/* The reader omits the modifiers of an event: cycles:u is cycles. */
static bool prfi_is_event(const char *name, const char *wanted)
{
	size_t len = strlen(name);

	return strncmp(name, wanted, len) == 0 &&
	       (!wanted[len] ||
		(wanted[len] == ':' && !strchr(wanted + len + 1, ':')));
}

static bool prfi_wants_event(struct resampling *r, struct profile *p,
			     uint32_t event)
{
	const char *name = profile_text(p, p->events[event].name);

	if (!r->event && (!opt.event || prfi_is_event(name, opt.event)))
		r->event = event + 1;
	return r->event == event + 1;
}

static void prfi_add(void *self, struct profile *p, const struct sample *s,
		     const struct sample_details *d)
{
	struct resampling *r = self;

	(void)d;
	r->profile = p;
	if (!prfi_wants_event(r, p, s->event))
		return;
	array_add(r->samples, r->count, r->cap,
		  (struct perf_sample){
			  .thread = s->thread,
			  .stack = s->stack,
			  .time_ns = s->time_ns,
			  .weight = s->weight,
		  });
}

static int prfi_compare(const void *left, const void *right)
{
	const struct perf_sample *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

/* Splits the sorted samples by thread, and computes the step. */
static void prfi_split(struct resampling *r)
{
	uint64_t most = 0;
	size_t longest = 0;
	double step = 0;

	for (size_t at = 0; at < r->count;) {
		size_t end = at;
		uint64_t weight = 0;

		while (end < r->count &&
		       r->samples[end].thread == r->samples[at].thread)
			weight = saturate_add(weight, r->samples[end++].weight);
		array_add(r->streams, r->stream_count, r->stream_cap,
			  (struct stream){
				  .next = at,
				  .end = end,
				  .rolled = r->samples[at].weight,
			  });
		if (weight > most)
			most = weight;
		if (end - at > longest)
			longest = end - at;
		at = end;
	}
	if (longest)
		step = (double)most / (double)longest / opt.upscale;
	r->step = step < 0x1p63 ? (uint64_t)step : (uint64_t)1 << 63;
}

/* Moves a stream to its next output sample; false at its end. */
static bool stream_advance(const struct resampling *r, struct stream *s)
{
	/* A saturated sum has no position: the stream ends. */
	if (__builtin_add_overflow(s->threshold, r->step, &s->threshold))
		return false;
	while (s->rolled <= s->threshold) {
		if (s->rolled == UINT64_MAX || ++s->next == s->end)
			return false;
		s->rolled = saturate_add(s->rolled, r->samples[s->next].weight);
	}
	return true;
}

/* Restores the heap of streams below position `at`. */
static void streams_sift(struct resampling *r, size_t at)
{
	for (;;) {
		size_t least = at;
		struct stream swapped;

		for (size_t k = 2 * at + 1;
		     k <= 2 * at + 2 && k < r->stream_count; k++) {
			if (r->samples[r->streams[k].next].time_ns <
			    r->samples[r->streams[least].next].time_ns)
				least = k;
		}
		if (least == at)
			return;
		swapped = r->streams[at];
		r->streams[at] = r->streams[least];
		r->streams[least] = swapped;
		at = least;
	}
}

static void prfi_write_sample(struct resampling *r, const struct perf_sample *s)
{
	struct profile *p = r->profile;
	const struct thread *t = &p->threads[s->thread];
	struct std_event e = {
		.has_trace = true,
		.time_ms = s->time_ns / PRFI_NS_PER_MS,
		.thread_id = t->os_id ? t->os_id : STD_NONE,
	};
	struct text name = { 0 };

	text_printf(&name, "%s (%" PRId64 ")", profile_text(p, t->name),
		    t->os_id);
	e.thread_name = profile_string(p, name.bytes, name.len);
	text_release(&name);
	sjk_frames_set(&r->frames, p, s->stack);
	e.depth = r->frames.count;
	e.frames = r->frames.at;
	std_encoder_add(&r->encoder, &e);
	output_write(&r->out, r->encoder.out.bytes, r->encoder.out.len);
	text_clear(&r->encoder.out);
	r->written++;
}

/* Writes the output samples of all threads in the order of their times. */
static int prfi_resample(struct resampling *r, struct error *err)
{
	for (size_t i = r->stream_count; i-- > 0;)
		streams_sift(r, i);
	while (r->stream_count) {
		struct stream *first = &r->streams[0];

		if (r->written == PRFI_MAX)
			return fail(err, ERROR_FAILED,
				    "more than %d samples; use a lower "
				    "--upscale",
				    PRFI_MAX);
		prfi_write_sample(r, &r->samples[first->next]);
		if (!stream_advance(r, first))
			*first = r->streams[--r->stream_count];
		streams_sift(r, 0);
	}
	return 0;
}

static int prfi_convert(struct resampling *r, struct error *err)
{
	if (!r->count)
		return fail(err, ERROR_INPUT,
			    "the input has no samples of the event '%s'",
			    opt.event ? opt.event : "");
	qsort(r->samples, r->count, sizeof(*r->samples), prfi_compare);
	prfi_split(r);
	if (!r->step)
		return fail(err, ERROR_FAILED,
			    "the weights are too small for an upscale of %g",
			    opt.upscale);
	std_encoder_init(&r->encoder, STD_V2, r->profile);
	if (prfi_resample(r, err))
		return -1;
	std_encoder_finish(&r->encoder);
	output_write(&r->out, r->encoder.out.bytes, r->encoder.out.len);
	if (output_commit(&r->out, err))
		return -1;
	log_info("wrote %s: %" PRIu64 " stack trace%s of %zu sample%s",
		 r->out.name, r->written, units_plural(r->written), r->count,
		 units_plural(r->count));
	return 0;
}

static int prfi_run(int argc, char **argv, struct error *err)
{
	struct resampling r = { 0 };
	const struct sjk_sink sink = {
		.add = prfi_add,
		.self = &r,
		.unfiltered = true,
		.any_event = true,
	};
	struct profile *p = NULL;
	int ret = -1;

	if (!opt.output)
		misuse(err, "missing -o <file>");
	else if (output_open(&r.out, opt.output, err) == 0)
		p = sjk_input_read(&opt.input, argc, argv, &sink, err);
	if (p) {
		ret = prfi_convert(&r, err);
		if (ret == 0)
			ret = sjk_frames_check(&r.frames, p, err);
	}
	output_close(&r.out);
	std_encoder_release(&r.encoder);
	profile_free(p);
	free(r.samples);
	free(r.streams);
	free(r.frames.at);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_LIST('i', "input", &opt.input.files, "<file>",
		 "read these outputs of perf script; - is stdin"),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "write to this file"),
	OPT_STRING('f', "event", &opt.event, "<event>",
		   "use this event (default: the first one)",
		   .aliases = "--filter"),
	OPT_NUMBER('u', "upscale", &opt.upscale, "<factor>",
		   "multiply the samples by this", .positive = true),
	OPT_END,
};
/* clang-format on */

const struct command prfi_command = {
	.name = "prfi",
	.synopsis = "prfi [<options>] -o <output> <file>…",
	.summary = "convert perf samples into a .std file",
	.group = "SJK's files",
	.examples = "  perf script | sjkc prfi -i - -o perf.std\n"
		    "  sjkc prfi -i perf.txt -o perf.std -f cycles -u 1\n",
	.options = options,
	.has_messages = true,
	.shorthands = sjk_shorthands,
	.refusals = sjk_refusals,
	.run = prfi_run,
};
