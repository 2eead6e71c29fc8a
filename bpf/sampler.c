/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampler.h"

#include "bpf/load.h"
#include "bpf/sampler_maps.h"
#include "bpf/ticks.h"
#include "core/base/alloc.h"

#include "bpf/sampler.skel.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>

struct sampler {
	struct sampler_options options;
	struct sampler_bpf *programs;
	struct ring_buffer *ring;
	struct ticks ticks;
	sampler_sink_fn *sink; /* while it is read */
	void *self;
	size_t read;
};

/* Whether a record is what its head says; the programs made it. */
static bool is_whole(const struct sample_event *e, size_t size)
{
	return size >= sizeof(*e) && e->kernel_frames <= SAMPLER_WALK_FRAMES &&
	       e->user_frames <= SAMPLER_WALK_FRAMES &&
	       e->stack_bytes <= SAMPLER_STACK_LIMIT &&
	       sizeof(*e) +
			       (e->kernel_frames + (size_t)e->user_frames) *
				       sizeof(uint64_t) +
			       e->stack_bytes <=
		       size;
}

static int hand_over(void *self, void *bytes, size_t size)
{
	struct sampler *s = self;
	const struct sample_event *e = bytes;
	const uint64_t *kernel = (const uint64_t *)(e + 1);
	const uint64_t *user;

	if (!is_whole(e, size))
		return 0;
	user = kernel + e->kernel_frames;
	s->read++;
	return s->sink(s->self, e, kernel, user,
		       (const uint8_t *)(user + e->user_frames))
		       ? 0
		       : -ECANCELED;
}

/* What has to be known before the programs are checked. */
static int configure(struct sampler *s, struct error *err)
{
	const struct sampler_options *o = &s->options;
	struct bpf_map *ticks = s->programs->maps.ticks;
	int cpus = libbpf_num_possible_cpus();

	s->programs->rodata->stack_limit = o->user ? (__u32)o->stack_bytes : 0;
	s->programs->rodata->only_tid = (__u32)o->tid;
	s->programs->rodata->want_kernel = o->kernel;
	s->programs->rodata->want_frames = o->user && o->frame_pointers;
	if (cpus < 1 ||
	    bpf_map__set_value_size(ticks,
				    (__u32)(sizeof(struct sample_event) +
					    SAMPLER_ARRAYS + o->stack_bytes +
					    PAGE_BYTES)) ||
	    bpf_map__set_max_entries(ticks, (__u32)cpus))
		return fail(err, ERROR_FAILED, "BPF maps cannot be sized");
	return 0;
}

static int load(struct sampler *s, struct error *err)
{
	load_quietly();
	s->programs = sampler_bpf__open();
	if (!s->programs)
		return load_refused("BPF programs", errno, err);
	if (configure(s, err))
		return -1;
	if (sampler_bpf__load(s->programs))
		return load_refused("BPF programs", errno, err);
	s->ring = ring_buffer__new(bpf_map__fd(s->programs->maps.ring),
				   hand_over, s, NULL);
	if (!s->ring)
		return load_refused("BPF ring buffer", errno, err);
	return 0;
}

struct sampler *sampler_open(const struct sampler_options *o, struct error *err)
{
	struct sampler *s = xcalloc(1, sizeof(*s));

	s->options = *o;
	if (load(s, err)) {
		sampler_close(s);
		return NULL;
	}
	return s;
}

void sampler_close(struct sampler *s)
{
	if (!s)
		return;
	ticks_close(&s->ticks);
	ring_buffer__free(s->ring);
	sampler_bpf__destroy(s->programs);
	free(s);
}

int sampler_add(struct sampler *s, pid_t pid, struct error *err)
{
	__u32 key = (__u32)pid;

	if (bpf_map_update_elem(bpf_map__fd(s->programs->maps.targets), &key,
				&key, BPF_ANY) == 0)
		return 0;
	return fail_sys(err, ERROR_FAILED, "%d cannot be sampled, too",
			(int)pid);
}

void sampler_remove(struct sampler *s, pid_t pid)
{
	__u32 key = (__u32)pid;

	bpf_map_delete_elem(bpf_map__fd(s->programs->maps.targets), &key);
}

int sampler_probe(struct sampler *s, enum sample_kind kind, pid_t pid,
		  const char *path, uint64_t offset, struct error *err)
{
	(void)s, (void)kind, (void)path, (void)offset;
	return fail(err, ERROR_UNAVAILABLE, "%d: no function can be probed",
		    (int)pid);
}

int sampler_start(struct sampler *s, struct error *err)
{
	if (!(s->options.kinds & 1U << SAMPLE_CPU))
		return 0;
	return ticks_open(&s->ticks, s->programs->progs.on_tick, s->options.hz,
			  err);
}

void sampler_stop(struct sampler *s)
{
	const char *clock = s->ticks.clock;

	ticks_close(&s->ticks);
	s->ticks.clock = clock;
}

int sampler_fd(const struct sampler *s)
{
	return ring_buffer__epoll_fd(s->ring);
}

size_t sampler_read(struct sampler *s, sampler_sink_fn *sink, void *self)
{
	s->sink = sink;
	s->self = self;
	s->read = 0;
	ring_buffer__consume(s->ring);
	return s->read;
}

void sampler_counts(const struct sampler *s, struct sampler_counts *counts)
{
	int cpus = libbpf_num_possible_cpus();
	struct counters *each = xcalloc(cpus > 0 ? (size_t)cpus : 1,
					sizeof(*each));
	__u32 zero = 0;

	*counts = (struct sampler_counts){ 0 };
	if (bpf_map_lookup_elem(bpf_map__fd(s->programs->maps.counts), &zero,
				each) == 0) {
		for (int i = 0; i < cpus; i++) {
			counts->taken += each[i].taken;
			counts->lost += each[i].lost;
		}
	}
	free(each);
}

const char *sampler_clock(const struct sampler *s) { return s->ticks.clock; }
