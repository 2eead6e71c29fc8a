/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push_sizes SAMPLES RECORDING...
 *
 * Prints how many bytes prof --push sends for JVMs with this number of samples
 * in an interval: samples are drawn at random from each recording, and encoded
 * and compressed as prof does.  The last line is the size of a node: "NODE N",
 * the sum for 20 JVMs of which no two have a name in common.
 */
#include "core/base/alloc.h"
#include "core/base/input.h"
#include "core/base/text.h"
#include "core/base/zip.h"
#include "core/formats/reader.h"
#include "core/profile/event_view.h"
#include "render/profile/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODE_JVMS = 20 };

/* Selects `wanted` of `left` samples of an event, each as likely. */
struct draw {
	uint32_t event;
	uint64_t left, wanted;
	uint64_t random;
};

static uint64_t draw_random(struct draw *d)
{
	d->random ^= d->random << 13;
	d->random ^= d->random >> 7;
	d->random ^= d->random << 17;
	return d->random;
}

static bool draw_keep(void *self, struct cell *cell)
{
	struct draw *d = self;
	uint64_t kept = 0;

	if (cell->event != d->event || !cell->stack)
		return false;
	for (uint64_t i = 0; i < cell->count; i++, d->left--)
		if (draw_random(d) % d->left < d->wanted) {
			d->wanted--;
			kept++;
		}
	cell->weight = cell->count ? cell->weight / cell->count * kept : 0;
	cell->count = kept;
	return kept > 0;
}

/* CPU samples, or the event with the most. */
static uint32_t sizes_event(const struct profile *p)
{
	static const char *const names[] = { "jdk.ExecutionSample", "cpu" };
	uint32_t most = 0;

	for (uint32_t i = 0; i < p->event_count; i++) {
		const char *name = profile_text(p, p->events[i].name);

		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
			if (strcmp(name, names[k]) == 0 && p->events[i].samples)
				return i;
		if (p->events[i].samples - p->events[i].without_stack >
		    p->events[most].samples - p->events[most].without_stack)
			most = i;
	}
	return most;
}

static struct profile *sizes_read(const char *path)
{
	struct profile *p = profile_new();
	const struct reader *reader;
	struct input in;
	struct error err;

	if (input_open(&in, path, &err) || input_complete(&in, &err))
		goto failed;
	reader = reader_for(NULL, NULL, in.bytes,
			    in.len < READER_LOOK ? in.len : READER_LOOK, &err);
	if (!reader || reader->read(in.bytes, in.len, p, &err))
		goto failed;
	input_close(&in);
	return p;
failed:
	fprintf(stderr, "push_sizes: %s: %s\n", path, err.text);
	exit(1);
}

/* Reads a recording and draws; without changes if it has too few samples. */
static struct profile *sizes_draw(const char *path, uint64_t samples,
				  uint64_t seed)
{
	struct profile *p = sizes_read(path);
	struct draw d = { .event = sizes_event(p),
			  .wanted = samples,
			  .random = UINT64_C(88172645463325252) * (seed + 1) };

	for (size_t i = 0; i < p->cell_count; i++)
		if (p->cells[i].event == d.event && p->cells[i].stack)
			d.left += p->cells[i].count;
	if (d.wanted > d.left)
		d.wanted = d.left;
	profile_retain(p, draw_keep, &d);
	return p;
}

static void sizes_add(struct otlp_request *r, const struct profile *p)
{
	const struct otlp_options options = { .style.weights = true,
					      .folds_threads = true };
	struct event_view *views = NULL;
	size_t count = event_views(p, &views);

	otlp_request_add(r, p, views, count, &options);
	free(views);
}

static size_t sizes_end(struct otlp_request *r, size_t *plain)
{
	struct text bytes = { 0 }, packed = { 0 };
	size_t len;

	otlp_request_end(r, &bytes);
	gzip_bytes(&packed, bytes.bytes, bytes.len);
	*plain = bytes.len;
	len = packed.len;
	text_release(&bytes);
	text_release(&packed);
	return len;
}

/* Prints a row and returns the size of a request with one JVM. */
static size_t sizes_measure(const char *path, uint64_t wanted)
{
	struct otlp_request *one = otlp_request_new(),
			    *node = otlp_request_new();
	size_t plain, packed, node_plain, node_packed, stacks = 0;
	const char *name = strrchr(path, '/');
	uint64_t samples = 0;

	for (uint64_t i = 0; i < NODE_JVMS; i++) {
		struct profile *p = sizes_draw(path, wanted, i);

		if (!i) {
			stacks = p->cell_count;
			for (size_t k = 0; k < p->event_count; k++)
				samples += p->events[k].samples;
			sizes_add(one, p);
		}
		sizes_add(node, p);
		profile_free(p);
	}
	packed = sizes_end(one, &plain);
	node_packed = sizes_end(node, &node_plain);
	printf("%-34s %7" PRIu64 " %6zu %8zu %7zu %9zu %8zu\n",
	       name ? name + 1 : path, samples, stacks, plain, packed,
	       node_plain, node_packed);
	otlp_request_free(one);
	otlp_request_free(node);
	return packed;
}

int main(int argc, char **argv)
{
	uint64_t wanted = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	size_t sum = 0;

	if (!wanted || argc < 3) {
		fprintf(stderr, "usage: push_sizes SAMPLES RECORDING...\n");
		return 2;
	}
	printf("%-34s %7s %6s %8s %7s %9s %8s\n", "bytes a push", "samples",
	       "cells", "1 JVM", "gzip", "20 alike", "gzip");
	for (int i = 2; i < argc; i++)
		sum += sizes_measure(argv[i], wanted);
	printf("NODE %zu\n", sum * NODE_JVMS / (size_t)(argc - 2));
	return 0;
}
