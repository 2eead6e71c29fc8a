/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampling_target: one sampled process: unwinds its stacks, names its frames
 * and threads, and adds its samples to the session's profile.
 */
#ifndef BPF_SAMPLING_SAMPLING_TARGET_H
#define BPF_SAMPLING_SAMPLING_TARGET_H

#include "bpf/sampling/native_blocks.h"
#include "bpf/sampling/native_maps.h"
#include "bpf/sampling/sampling_frames.h"
#include "bpf/sampling/sampling_threads.h"
#include "bpf/sampling/session.h"
#include "core/base/error.h"
#include "core/base/map64.h"
#include "core/base/text.h"
#include "core/hotspot/java_threads.h"
#include "core/hotspot/process_view.h"
#include "core/hotspot/vm_symbols.h"
#include "core/jvm/jvm.h"
#include "core/unwind/unwinder.h"
#include "jvmti/client/client.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gc_source;
struct idle_threads;
struct monitor_exits;

/* Libraries of a process that allocate memory: perhaps glibc's and another. */
enum { SAMPLING_ALLOCATORS = 8 };

struct sampling_target {
	struct sampling_shared *shared;
	struct jvm jvm;
	struct text name;        /* "com.acme.Main (4711)"; foreign */
	struct text about;       /* with options.separate */
	struct profile *profile; /* its own with options.separate, or shared */
	/* Of the window before, until its ids are replaced. */
	const struct profile *before;
	uint32_t *copied; /* its stack traces by their ids there; 0 = not yet */
	struct process_view *view;
	struct unwinder *unwinder;
	struct vm_symbols *metadata;
	struct agent_client *agent;
	bool agent_names;     /* the agent reports method names */
	unsigned events;      /* of the session, that this JVM supports */
	struct text no_names; /* why the agent reports no names, or empty */
	struct text no_alloc; /* why alloc is not sampled, or empty */
	struct sampling_frames *frames;
	struct sampling_threads *threads;
	struct object_classes *classes;    /* NULL = unavailable */
	struct java_threads *owners;       /* of monitors; NULL = unavailable */
	struct java_anchor_layout anchors; /* zeroed = not read yet */
	struct map64 anchor_of;            /* index in anchor_at, by TID */
	uint64_t *anchor_at;               /* addresses */
	size_t anchor_count, anchor_cap;
	int64_t anchors_ns;          /* when they were read; 0 = never */
	struct idle_threads *idle;   /* of struct sampling_targets; NULL = not
					read yet */
	struct gc_source *gc;        /* pauses; NULL = not wanted */
	uint64_t gc_lost;            /* pauses that it lost so far */
	struct sampling_wait *waits; /* NULL = none was sampled yet */
	struct sampling_wait *wait;  /* of the current sample, or NULL */
	enum sampling_end end;       /* of the current sample's walk */
	uint64_t samples;
	struct monitor_exits *exits; /* NULL = unavailable */
	struct native_blocks blocks; /* of native memory */
	struct native_maps maps;     /* likewise */
	uint64_t break_end;          /* of the heap of brk(2); 0 = unknown */
	struct {
		uint64_t start, end; /* of their code */
	} allocators[SAMPLING_ALLOCATORS];
	size_t allocator_count;
	uint64_t heap_begin, heap_end; /* of Java objects; equal = unknown */
	bool is_heap_read;
	uint64_t huge_bytes; /* in huge pages when it was opened */
	/* As in sampling_counts: */
	uint64_t classless, ownerless, methodless;
	uint64_t unrecorded, delayed; /* records that a lost agent omitted */
	uint64_t cut;                 /* files that exceeded the memory limit */
	uint64_t batch;   /* the batch that its code was read for; 0 = none */
	int64_t read_ns;  /* when its code was read; CLOCK_MONOTONIC */
	int64_t since_ns; /* start of sampling; CLOCK_MONOTONIC */
	bool has_dropped; /* its caches were dropped in this window */
	bool is_last;     /* its limitations have been reported */
	bool has_ended;
	bool is_forgotten; /* its unfinished waits were removed */
};

/*
 * Opens a process.  *jvm is copied; the target owns it and closes it, even on
 * failure.  Unless an option forbids it, loads the agent into the JVM and
 * reports what that does to the JVM.  Fails without the agent only if an event
 * needs it (alloc, lock); otherwise reports where names come from.
 */
struct sampling_target *sampling_target_new(struct sampling_shared *s,
					    const struct jvm *jvm,
					    struct error *err);
void sampling_target_free(struct sampling_target *t); /* NULL is fine */

/*
 * Makes a target use a new profile: replaces all ids of the profile that it
 * has used, which still exists.  Call it once for each target and window,
 * before more samples are added; then sampling_target_renew_wait() for each of
 * its waits that was cut, and sampling_target_end_renewal().
 */
void sampling_target_renew(struct sampling_target *t, struct profile *p);
void sampling_target_renew_wait(struct sampling_target *t,
				struct sample_event *e);
void sampling_target_end_renewal(struct sampling_target *t);

/* Frees the caches, which are filled again when needed. */
void sampling_target_drop_caches(struct sampling_target *t);

/*
 * Adds a stack trace of the profile before to the target's profile; returns its
 * id there.
 */
uint32_t sampling_target_copy_stack(struct sampling_target *t, uint32_t stack);

/* Frees a target that has ended; the session keeps its counts. */
void sampling_target_retire(struct sampling_target *t);

/*
 * The same for a target that another target of its process replaces: its waits
 * that were cut go on in the other one.
 */
void sampling_target_replace(struct sampling_target *t,
			     struct sampling_target *by);

/* Adds the target's counters to *counts. */
void sampling_target_counts(const struct sampling_target *t,
			    struct sampling_counts *counts);

/*
 * Returns true for a JVM whose tables were all found, so that opening it again
 * is useless.
 */
bool sampling_target_is_complete(const struct sampling_target *t);

/*
 * Adds the pauses for garbage collection that have ended, until a wall-clock
 * time: the stack trace is the collector, the kind and the cause.
 */
void sampling_target_read_pauses(struct sampling_target *t, int64_t until_ns);

/* Reads changes of the process; call it before each batch of samples. */
void sampling_target_begin(struct sampling_target *t);

/* Number of names and pieces of code that were gone when they were read. */
uint64_t sampling_target_changes(const struct sampling_target *t);

/* Adds the current frames to the profile; returns the stack trace's id. */
uint32_t sampling_target_stack(struct sampling_target *t);

/* Returns the start of a walk with a sample's registers. */
struct unwind_start sampling_target_registers(const struct sampling_target *t,
					      const __u64 *regs);

/*
 * Counts the end of a walk, and returns it.  cut is the reason if the copy of
 * the stack was too short.  missed is remote_memory_missed() before the walk:
 * if it has grown, reads have timed out.
 */
enum sampling_end sampling_target_count_end(struct sampling_target *t,
					    const struct unwound *u,
					    enum sampling_end cut,
					    uint64_t missed);

/*
 * After a walk that ended in native code: reads the anchor that a thread has
 * now, and makes its next samples have theirs.  Returns false if the thread is
 * no Java thread or its JVM exports no anchors.
 */
bool sampling_target_find_anchor(struct sampling_target *t, pid_t tid,
				 struct unwind_anchor *anchor);

/* The frame that marks such an end in a stack trace; NULL = none. */
const char *sampling_end_frame(enum sampling_end end);

/* Adds a sample to those of the events (bits SAMPLING_…) that are sampled. */
void sampling_target_add(struct sampling_target *t, unsigned events,
			 struct sample *sample);

/* ---- sampling_target_open.c ---- */

/* Returns the sources of names that are available now. */
struct sampling_names sampling_target_names(const struct sampling_target *t);

/* True if the target has events that only the agent reports. */
bool sampling_target_needs_agent(const struct sampling_target *t);

/*
 * Adds a limitation to the profile: the samples omit waiting virtual threads,
 * which are not mounted on a kernel thread (JEP 444).
 */
void sampling_target_note_virtual_threads(const struct sampling_target *t);

/* ---- sampling_probe.c ---- */

struct published_probe {
	char path[64];      /* of the library, below /proc/PID/map_files */
	uint64_t offset;    /* of its nop in the file */
	uint64_t semaphore; /* likewise */
};

/*
 * Finds the entry of the method that `sjkc probe --publish` has published with
 * this name.  ERROR_NO_TARGET if there is none.
 */
int published_probe_find(const struct jvm *jvm, const char *name,
			 struct published_probe *out, struct error *err);

/* ---- sampling_native.c ---- */

/* Bytes of a page fault.  The kernel may fill a huge page at one fault. */
enum { SAMPLING_FAULT_BYTES = 4096 };

/* Sets the rates of nativemem and pagefault. */
void sampling_set_memory_rates(const struct sampling_shared *s,
			       struct profile *p);

/*
 * With nativemem, counts the calls that hit its uprobes, for a second before
 * samples are taken.  If they cost the processes too much, detaches those of
 * blocks and sets maps_only: sampling_target_probe_blocks() is due again. Fails
 * with ERROR_REFUSED if mappings cost too much, too.
 */
int sampling_check_calls(struct sampling_shared *s, struct error *err);

/*
 * Ends nativemem if its uprobes have cost the processes far too much for ten
 * seconds.  Call it often.
 */
void sampling_watch_calls(struct sampling_shared *s);

/*
 * Attaches uprobes to all functions of the process's libraries that allocate
 * and free native memory, or to the USDT probes of a library that samples its
 * allocations, and to the functions that map memory.  ERROR_UNAVAILABLE if no
 * library has them.
 */
int sampling_target_probe_blocks(struct sampling_target *t, struct error *err);

/*
 * Returns true if memory is mapped that sampling_target_add_map() is to keep;
 * removes memory that is freed.
 */
bool sampling_target_wants_map(struct sampling_target *t,
			       const struct sample_event *e);

/* Keeps memory that was mapped, with its stack trace and thread. */
void sampling_target_add_map(struct sampling_target *t,
			     const struct sample_event *e,
			     const struct sample *sample);

/* Keeps a block that was allocated, with its stack trace and thread. */
void sampling_target_add_block(struct sampling_target *t,
			       const struct sample_event *e,
			       const struct sample *sample);

/*
 * Adds the blocks and mappings that are not freed at a time (CLOCK_MONOTONIC),
 * and old enough then, as samples to the target's profile.
 */
void sampling_target_add_live(struct sampling_target *t, int64_t end_ns);

/*
 * Returns the kind of memory of a page fault, a string of the profile: the
 * report lists it as the class of the memory.
 */
uint32_t sampling_target_fault_kind(struct sampling_target *t,
				    const struct sample_event *e);

/*
 * Remembers the size of huge pages; adds a note to the profile if it has grown
 * since then, because a page fault of a huge page counts as a small one.
 */
void sampling_target_read_huge(struct sampling_target *t);
void sampling_target_note_huge(const struct sampling_target *t);

/* Replaces the ids of the profile before. */
void sampling_target_renew_blocks(struct sampling_target *t);

/* Moves the blocks to another target of the process. */
void sampling_target_move_blocks(struct sampling_target *t,
				 struct sampling_target *by);
void sampling_target_free_blocks(struct sampling_target *t);

/* Adds a sample of the kernel's programs. */
void sampling_target_sample(struct sampling_target *t,
			    const struct sample_event *e,
			    const uint64_t *kernel, const uint8_t *stack);

/* Adds the part of a wait until a cut; see sampler_part_fn. */
void sampling_target_part(struct sampling_target *t, struct sample_event *e,
			  const uint64_t *kernel, const uint8_t *stack);

#endif
