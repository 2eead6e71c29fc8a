/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc stcpy: copies, merges and filters stack traces into a dump of SJK. */
#include "cmd/commands.h"
#include "cmd/shared/log.h"
#include "cmd/sjk/sjk_input.h"
#include "core/base/alloc.h"
#include "core/base/map64.h"
#include "core/base/output.h"
#include "core/base/units.h"
#include "core/formats/std/std_encoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STCPY_NS_PER_MS 1000000

/* Formats with weights have a sample for each unit; this bounds the copy. */
#define STCPY_MAX   100000000
#define STCPY_TRIES 10000000000u

static struct {
	struct sjk_input_options input;
	struct option_list masks;
	const char *output, *version;
	const char *subsample_text; /* "0.1" or "10%" */
	double subsample;
	bool empty;
} opt = {
	.subsample = 1,
};

struct copy {
	struct profile *profile;
	struct std_encoder encoder;
	struct output out;
	uint64_t random; /* state of java.util.Random */
	uint64_t count;
	uint64_t tries; /* samples that were chosen or not */
	bool is_full;
	struct sjk_frames frames; /* of the current stack trace */
	struct map64 masked;      /* frame to its replacement */
};

/*
 * Returns the next number of java.util.Random, so that the same samples are
 * chosen as by SJK. Source: the documentation of Random.next().
 */
static uint64_t copy_random(struct copy *c, unsigned bits)
{
	const uint64_t mask = (UINT64_C(1) << 48) - 1;

	c->random = (c->random * UINT64_C(0x5deece66d) + 0xb) & mask;
	return c->random >> (48 - bits);
}

static bool copy_chooses(struct copy *c)
{
	uint64_t high = copy_random(c, 26);
	uint64_t low = copy_random(c, 27);
	double number = (double)((high << 27) + low) / (double)(1ull << 53);

	return number <= opt.subsample;
}

/* Returns the frame with the class name that the first matching mask gives. */
static uint32_t copy_mask_frame(struct copy *c, uint32_t frame)
{
	struct frame f = c->profile->frames[frame];
	const char *name = profile_text(c->profile, f.class_name);
	struct text masked = { 0 };

	for (size_t i = 0; f.class_name && i < opt.masks.count; i++) {
		const char *mask = opt.masks.values[i];
		size_t len = strcspn(mask, ":");

		if (strncmp(name, mask, len) != 0)
			continue;
		text_puts(&masked, mask + len + 1);
		text_puts(&masked, name + len);
		f.class_name = profile_string(c->profile, masked.bytes,
					      masked.len);
		text_release(&masked);
		return profile_frame(c->profile, &f);
	}
	return frame;
}

static uint32_t copy_frame(struct copy *c, uint32_t frame)
{
	uint32_t masked = map64_get(&c->masked, frame);

	if (masked == MAP64_NONE) {
		masked = copy_mask_frame(c, frame);
		map64_add(&c->masked, frame, masked);
	}
	return masked;
}

static void copy_write(struct copy *c)
{
	output_write(&c->out, c->encoder.out.bytes, c->encoder.out.len);
	text_clear(&c->encoder.out);
}

static void copy_event(struct copy *c, const struct sample *s,
		       const struct sample_details *d)
{
	const struct thread *t = &c->profile->threads[s->thread];
	int64_t id = t->java_id ? t->java_id : t->os_id;
	struct std_event e = {
		.has_trace = !d || !d->is_event,
		.time_ms = s->time_ns ? s->time_ns / STCPY_NS_PER_MS : STD_NONE,
		.thread_id = id ? id : STD_NONE,
		.thread_name = t->name,
		.state = s->state,
	};

	if (d) {
		e.tags = d->tags;
		e.tag_count = d->tag_count;
		e.counters = d->counters;
		e.counter_count = d->counter_count;
	}
	if (e.has_trace) {
		sjk_frames_set(&c->frames, c->profile, s->stack);
		for (size_t i = 0; i < c->frames.count; i++)
			c->frames.at[i] = copy_frame(c, c->frames.at[i]);
	}
	e.depth = e.has_trace ? c->frames.count : 0;
	e.frames = c->frames.at;
	for (uint64_t i = 0; i < s->count && !c->is_full; i++) {
		/* A sample of a huge count would take hours. */
		if (c->tries++ == STCPY_TRIES) {
			c->is_full = true;
			return;
		}
		if (!copy_chooses(c))
			continue;
		if (c->count == STCPY_MAX) {
			c->is_full = true;
			return;
		}
		c->count++;
		std_encoder_add(&c->encoder, &e);
		copy_write(c);
	}
}

static void copy_add(void *self, struct profile *p, const struct sample *s,
		     const struct sample_details *d)
{
	struct copy *c = self;

	if (!c->profile) {
		c->profile = p;
		std_encoder_init(&c->encoder,
				 opt.version && strcmp(opt.version, "V4") == 0
					 ? STD_V4
					 : STD_V2,
				 p);
	}
	if (s->stack || opt.empty || (d && d->is_event))
		copy_event(c, s, d);
}

static int copy_finish(struct copy *c, struct error *err)
{
	if (!c->count && !c->is_full)
		return fail(err, ERROR_FAILED,
			    "no stack traces passed the filters; nothing is "
			    "written");
	if (c->is_full)
		return fail(err, ERROR_FAILED,
			    "the inputs have more than %d samples; use "
			    "--subsample",
			    STCPY_MAX);
	std_encoder_finish(&c->encoder);
	copy_write(c);
	if (output_commit(&c->out, err))
		return -1;
	log_info("wrote %s: %" PRIu64 " stack trace%s", c->out.name, c->count,
		 units_plural(c->count));
	return 0;
}

/* Reads a fraction, or a percentage with its sign. */
static int stcpy_parse_subsample(struct error *err)
{
	if (units_number(opt.subsample_text, &opt.subsample, err))
		return -1;
	if (strchr(opt.subsample_text, '%'))
		opt.subsample /= 100;
	if (opt.subsample > 1)
		return misuse(err, "'%s' is more than 1 or 100%%",
			      opt.subsample_text);
	return 0;
}

static int stcpy_check_options(struct error *err)
{
	if (!opt.output)
		return misuse(err, "missing -o <file>");
	if (opt.subsample_text && stcpy_parse_subsample(err))
		return fail_in(err, "option --subsample");
	for (size_t i = 0; i < opt.masks.count; i++) {
		const char *mask = opt.masks.values[i];
		const char *colon = strchr(mask, ':');

		if (!colon || colon == mask || strchr(colon + 1, ':'))
			return misuse(err,
				      "--mask: '%s' is not of the form "
				      "PREFIX:REPLACEMENT",
				      mask);
	}
	return 0;
}

static int stcpy_run(int argc, char **argv, struct error *err)
{
	/* Random(1), as in SJK. */
	struct copy c = { .random = UINT64_C(0x5deece66d) ^ 1 };
	const struct sjk_sink sink = {
		.add = copy_add,
		.self = &c,
		.wants_events = opt.version && strcmp(opt.version, "V4") == 0,
	};
	struct profile *p = NULL;
	int ret = -1;

	if (stcpy_check_options(err) == 0 &&
	    output_open(&c.out, opt.output, err) == 0)
		p = sjk_input_read(&opt.input, argc, argv, &sink, err);
	if (p) {
		ret = copy_finish(&c, err);
		if (ret == 0)
			ret = sjk_frames_check(&c.frames, p, err);
	}
	output_close(&c.out);
	if (c.profile)
		std_encoder_release(&c.encoder);
	profile_free(p);
	free(c.frames.at);
	map64_release(&c.masked);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_LIST('i', "input", &opt.input.files, "<file>",
		 "merge these files; - is stdin", .aliases = "-f --file"),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "write to this file"),
	OPT_CHOICE(0, "dump-version", &opt.version, "V2|V4",
		   "write this version of the format (default: V2)"),
	OPT_FLAG('e', "empty", &opt.empty,
		 "also copy samples without a stack trace"),
	OPT_LIST(0, "mask", &opt.masks, "<prefix>:<replacement>",
		 "replace the start of class names"),
	OPT_STRING(0, "subsample", &opt.subsample_text, "<fraction>",
		   "copy this fraction of the samples",
		   .aliases = "-ss"),
	OPT_SJK_FILTERS(opt.input),
	OPT_SJK_TIMES(opt.input),
	OPT_END,
};
/* clang-format on */

const struct command stcpy_command = {
	.name = "stcpy",
	.synopsis = "stcpy [<options>] -o <output> <file>…",
	.summary = "copy, merge and filter stack traces into a .std file",
	.group = "SJK's files",
	.examples = "  sjkc stcpy -i a.std b.std -o both.std\n"
		    "  sjkc stcpy -i dump.jfr -o dump.std --trace-filter "
		    "'**.Db.*'\n"
		    "  sjkc stcpy -i a.std -o b.std --mask "
		    "com.acme:com.example "
		    "--subsample 0.1\n",
	.options = options,
	.has_messages = true,
	.shorthands = sjk_shorthands,
	.refusals = sjk_refusals,
	.run = stcpy_run,
};
