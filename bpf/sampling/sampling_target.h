/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampling_target: one process that is sampled: how its stacks are unwound, and
 * what its frames and threads are called.
 */
#ifndef BPF_SAMPLING_SAMPLING_TARGET_H
#define BPF_SAMPLING_SAMPLING_TARGET_H

#include "bpf/sampler.h"
#include "bpf/sampling/sampling_frames.h"
#include "bpf/sampling/sampling_options.h"
#include "bpf/sampling/sampling_threads.h"
#include "core/base/error.h"
#include "core/base/map64.h"
#include "core/base/text.h"
#include "core/hotspot/process_view.h"
#include "core/hotspot/vm_symbols.h"
#include "core/jvm/jvm.h"
#include "core/unwind/unwinder.h"
#include "jvmti/client/client.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct idle_threads;

/* What a target has counted. */
struct sampling_counts {
	uint64_t samples;
	uint64_t stalls;  /* of its memory */
	uint64_t unnamed; /* Java frames */
	uint64_t classless, ownerless;
	uint64_t untold;  /* of code that the agent had no room to tell of */
	uint64_t refused; /* looks at code that were too much at a time */
	uint64_t files;   /* that did not come */
};

/* Why a stack trace does not reach its thread's root. */
enum sampling_end {
	SAMPLING_END_ROOT, /* it does */
	SAMPLING_END_BYTES,
	SAMPLING_END_FRAMES,
	SAMPLING_END_PAGE,    /* of the stack cannot be read */
	SAMPLING_END_OFTEN,   /* waits come too often to copy each stack */
	SAMPLING_END_EARLIER, /* a wait that began before sampling */
	SAMPLING_END_STALLED, /* memory of the target did not come */
	SAMPLING_END_LOST,    /* the unwinder's words say why */
	SAMPLING_ENDS
};

/* How often the unwinder has said so. */
struct sampling_why {
	const char *why; /* static text */
	uint64_t count;
};
enum { SAMPLING_WHYS = 32 };

/* What all targets of a session have in common. */
struct sampling_shared {
	const struct sampling_options *o;
	struct profile *profile;
	struct sampling_kernel *kernel;
	struct sampler *sampler;
	struct elf_image_set images; /* of all targets */
	struct map64 traced;         /* walks that were reported */
	uint32_t events[16];         /* the profile's, by the bits' numbers */
	int64_t epoch_ns;            /* what to add to a sample's time */
	uint64_t hz;
	uint64_t tick_ns; /* what a tick of the CPU clock stands for */
	uint64_t ends[SAMPLING_ENDS];               /* of stack traces */
	uint64_t waited_ns, ends_ns[SAMPLING_ENDS]; /* of waits, likewise */
	struct sampling_why whys[SAMPLING_WHYS];    /* of SAMPLING_END_LOST */
	uint64_t likened;    /* waits that have another's stack trace */
	bool is_tried_again; /* a target that lacks something */
	bool has_begun;      /* samples of others wait for whoever is new */
	/* Of targets that others have taken the place of. */
	struct sampling_counts counts;
	unsigned unavailable; /* events that a target does not have */
};

struct sampling_target {
	struct sampling_shared *shared;
	struct jvm jvm;
	struct text name; /* "com.acme.Main (4711)"; foreign */
	struct process_view *view;
	struct unwinder *unwinder;
	struct vm_symbols *metadata;
	struct agent_client *agent;
	bool agent_names;     /* the agent names methods, too */
	unsigned events;      /* those of the session that this JVM has */
	struct text no_names; /* why not; empty = they are, or need not */
	struct text no_alloc; /* why that event is not sampled here */
	struct sampling_frames *frames;
	struct sampling_threads *threads;
	struct object_classes *classes; /* NULL = not known */
	struct java_threads *owners;    /* likewise, of monitors */
	struct idle_threads *idle;      /* NULL = not looked at */
	struct sampling_wait *waits;    /* NULL = none was sampled */
	struct sampling_wait *wait;     /* that the sample at work on is of */
	enum sampling_end end;          /* likewise: how its walk ended */
	uint64_t samples;
	uint64_t classless; /* of allocations and locks */
	uint64_t ownerless; /* of waits for a monitor */
	uint64_t untold;    /* what an agent was lost with */
	uint64_t batch;     /* of which its code was looked at; 0 = none */
	int64_t looked_ns; /* when sampling_target_begin() looked at its code */
	int64_t since_ns;  /* it is sampled; CLOCK_MONOTONIC */
	bool has_ended;
};

/*
 * Takes over a process, whose jvm is copied and is the target's from now on,
 * closed even on failure.  Says what loading the agent does to the JVM, and
 * loads it, unless that is not wanted; when it cannot be, that is an error only
 * where the agent is needed (alloc, lock), else it is said where names are
 * from.
 */
struct sampling_target *sampling_target_new(struct sampling_shared *s,
					    const struct jvm *jvm,
					    struct error *err);
void sampling_target_free(struct sampling_target *t); /* NULL is fine */

/*
 * The session has a new, empty profile: whatever refers to the one before is
 * renewed.  To be called once per target, before any more samples are added.
 */
void sampling_target_renew(struct sampling_target *t,
			   const struct profile *before);

/* Sets all counts of a window to zero. */
void sampling_shared_clear(struct sampling_shared *s);

/* Adds a stack trace of one profile to another; its id there. */
uint32_t sampling_copy_stack(const struct profile *from, struct profile *to,
			     uint32_t stack);

/* Frees it; what it has counted is its session's from now on. */
void sampling_target_retire(struct sampling_target *t);

/* Adds what it has counted. */
void sampling_target_counts(const struct sampling_target *t,
			    struct sampling_counts *counts);

/* Whether it is a JVM of which all was found that was looked for. */
bool sampling_target_is_whole(const struct sampling_target *t);

/* Before a batch of samples. */
void sampling_target_begin(struct sampling_target *t);

/* How much of it was gone when it was looked at, since the beginning. */
uint64_t sampling_target_changes(const struct sampling_target *t);

/* The stack trace of the frames that there are now, as the profile has it. */
uint32_t sampling_target_stack(struct sampling_target *t);

/* The registers of a sample, from which a walk begins. */
struct unwind_start sampling_target_registers(const struct sampling_target *t,
					      const __u64 *regs);

/*
 * Counts how a walk has ended, and returns that.  cut is what it means that
 * the copy of the stack has ended before; missed is what
 * remote_memory_missed() was before, whose rise says why.
 */
enum sampling_end sampling_target_count_end(struct sampling_target *t,
					    const struct unwound *u,
					    enum sampling_end cut,
					    uint64_t missed);

/* The frame that stands for it in a stack trace; NULL = there is none. */
const char *sampling_end_frame(enum sampling_end end);

/* Adds a sample to those of the events (SAMPLING_…) that are wanted. */
void sampling_target_add(struct sampling_target *t, unsigned events,
			 struct sample *sample);

/* Adds what a program in the kernel has taken. */
void sampling_target_sample(struct sampling_target *t,
			    const struct sample_event *e,
			    const uint64_t *kernel, const uint8_t *stack);

#endif
