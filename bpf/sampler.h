/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler: samples threads in the kernel and hands the samples over.
 *
 * A sample is taken at a tick of the CPU clock (hardware cycles if available),
 * at a context switch, and at a function that a thread reaches (a uprobe).  The
 * user's registers, a bounded copy of the user's stack and the kernel's stack
 * go into a ring buffer; user space unwinds them.  The target is not changed
 * except for the instruction of a uprobe, which the kernel removes when the
 * sampler exits, even if it is killed.
 *
 * The capabilities are needed for the whole run, so none is dropped: for CPUs
 * that come online, for new processes, and to read files that are mapped later
 * (/proc/PID/map_files).
 */
#ifndef BPF_SAMPLER_H
#define BPF_SAMPLER_H

#include "bpf/kernel/sample_event.h"
#include "core/base/error.h"
#include "core/mem/malloc_points.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sampler;

struct sampler_options {
	unsigned kinds;     /* bits 1 << enum sample_kind */
	unsigned hz;        /* ticks per second and CPU, for SAMPLE_CPU */
	size_t stack_bytes; /* maximum copy of a user's stack: 4 to 256 KiB */
	bool kernel, user;  /* the stacks to sample */
	pid_t tid; /* only this thread, in this PID namespace; 0 = all */
	size_t ring_bytes; /* size of the ring buffer, a power of two; 0 =
			      automatic */
	unsigned threads; /* maximum threads off-CPU at a time; 0 = automatic */
	unsigned targets; /* maximum processes at a time; 0 = automatic */
	size_t waits_bytes; /* maximum of unfinished waits; 0 = automatic */
	size_t ring_most;   /* limits an automatic ring_bytes; 0 = no limit */
	/* Mean bytes between samples of blocks; 0 = 512 KiB. */
	uint64_t block_interval;
	uint64_t fault_period; /* page faults of a CPU per sample; 0 = 1 */
};

/*
 * Loads the programs.  ERROR_PERMISSION or ERROR_UNAVAILABLE names the missing
 * requirement (a capability, BTF, a kernel setting) and the fix.
 */
struct sampler *sampler_open(const struct sampler_options *o,
			     struct error *err);
void sampler_close(struct sampler *s); /* NULL is fine */

/*
 * Starts or stops sampling a process; pid is in this PID namespace.  Both may
 * be called while sampling.  sampler_remove() detaches the process's probes.
 */
int sampler_add(struct sampler *s, pid_t pid, struct error *err);
void sampler_remove(struct sampler *s, pid_t pid);

/* Returns the maximum number of processes at a time. */
size_t sampler_targets_max(const struct sampler *s);

/*
 * Takes a sample whenever the process pid reaches the function at an offset of
 * a file (path may be below /proc/PID/map_files).  kind is SAMPLE_ALLOC,
 * SAMPLE_LOCK, SAMPLE_PROBE or SAMPLE_EXIT.  semaphore is the offset in the
 * file of a 16-bit word that the kernel raises meanwhile; 0 = none.  For the
 * first two, the function's first argument is the weight, the third an object's
 * handle.  For SAMPLE_LOCK, the second argument is the time when the wait
 * began, the fourth the thread's JNIEnv; at the beginning of a wait, when the
 * sample is taken, the weight is 0.  For SAMPLE_EXIT, the first argument is an
 * ObjectMonitor; if there are many calls, only some are sampled.  Does nothing
 * if the same probe is attached to the process already.
 */
int sampler_probe(struct sampler *s, enum sample_kind kind, pid_t pid,
		  const char *path, uint64_t offset, uint64_t semaphore,
		  struct error *err);

/*
 * ---- native memory ----
 *
 * A sample of SAMPLE_BLOCK is a block that was allocated.  A block of n bytes
 * is sampled with the probability 1 - exp(-n / interval).  The kernel's
 * programs know which of the sampled blocks are not freed.  SAMPLE_MAP is each
 * change of the mappings, in their order.
 */

/* Attaches a uprobe to such a function, as sampler_probe() does. */
int sampler_probe_blocks(struct sampler *s, pid_t pid, const char *path,
			 const struct malloc_point *point, struct error *err);

/* Returns the mean number of bytes between two samples. */
uint64_t sampler_block_interval(const struct sampler *s);

/* Calls since the first uprobe, before sampler_start() and after that. */
struct sampler_calls {
	uint64_t allocations, frees, maps;
	uint64_t cost_ns;      /* estimated CPU time that their uprobes took */
	uint64_t maps_cost_ns; /* the part of maps */
};

void sampler_count_calls(const struct sampler *s, struct sampler_calls *calls);

/* Detaches these uprobes: the blocks that are not freed stay the same. */
void sampler_end_blocks(struct sampler *s);
/* The same for blocks only: changes of mappings are still sent. */
void sampler_keep_maps(struct sampler *s);

/* Returns true if the block that was allocated at a time is not freed. */
bool sampler_block_is_live(const struct sampler *s,
			   const struct sampler_block *b, uint64_t time_ns);

/* Forgets a block of a process that has ended. */
void sampler_forget_block(struct sampler *s, const struct sampler_block *b);

/*
 * Makes SAMPLE_LOCK of a process read the owners of monitors.
 */
int sampler_read_owners(struct sampler *s, pid_t pid,
			const struct sampler_monitors *m, struct error *err);

/*
 * Sets the end address of a thread's stack, where copies stop; 0 = unknown. A
 * stack of unknown end is copied up to the end of its memory.
 */
void sampler_stack_end(struct sampler *s, pid_t tid, uint64_t end);

/*
 * Makes the samples of a thread have the JavaFrameAnchor at an address in its
 * process.
 */
void sampler_set_anchor(struct sampler *s, pid_t tid, uint64_t address);

int sampler_start(struct sampler *s, struct error *err);

/*
 * Stops the ticks of SAMPLE_CPU, so that samples of one frequency can be read
 * to the last one, and starts them with another frequency, at most that of
 * sampler_open().  Fails like sampler_start(); there are no ticks then.
 */
void sampler_stop_ticks(struct sampler *s);
int sampler_start_ticks(struct sampler *s, unsigned hz, struct error *err);

/*
 * Stops sampling.  Samples can still be read, and unfinished waits cut.
 * Returns that time (CLOCK_MONOTONIC).
 */
int64_t sampler_stop(struct sampler *s);

/*
 * Returns a descriptor for poll(2).  It becomes readable when many samples are
 * unread, once until sampler_read().  A few samples do not wake the reader,
 * because that would take threads off their CPUs: poll with a timeout of, say,
 * 50 ms.
 */
int sampler_fd(const struct sampler *s);

/* Makes the descriptor readable with each sample, or not (the default). */
void sampler_wake(struct sampler *s, bool each);

/*
 * Receives one sample with its arrays, which are aligned and valid until the
 * function returns.  Return false to end this read; the next one continues.
 */
typedef bool sampler_sink_fn(void *self, const struct sample_event *e,
			     const uint64_t *kernel, const uint8_t *stack);

/* Hands over all unread samples without waiting; returns their number. */
size_t sampler_read(struct sampler *s, sampler_sink_fn *sink, void *self);

/*
 * Receives the part of an unfinished wait until a cut; e->weight is its length.
 * If the receiver sets e->stack, its id of the stack trace, and e->owner, its
 * id of the monitor's owner, later parts and the end of the wait have them and
 * SAMPLE_CONTINUED, but no arrays.  Return false if the wait has ended: it is
 * removed and counted in unended.
 */
typedef bool sampler_part_fn(void *self, struct sample_event *e,
			     const uint64_t *kernel, const uint8_t *stack);

/*
 * Hands over all unread samples, and cuts the unfinished waits: each begins
 * again at the time that is returned (CLOCK_MONOTONIC).  That is now, the time
 * of sampler_stop() or, if the sink ended the read, the time of its last
 * sample.  A wait that may have
 * ended, because the record of an end was lost, is removed.
 */
uint64_t sampler_cut(struct sampler *s, sampler_sink_fn *sink,
		     sampler_part_fn *part, void *self);

/* Calls a function for each wait with a stack trace, which may replace it. */
void sampler_each_known_wait(struct sampler *s,
			     void (*fn)(void *self, struct sample_event *e),
			     void *self);

/*
 * Adds the wait of a thread that sleeps since before sampling began, whose
 * stack trace is known; see struct sample_event.  It is ignored if the thread
 * has left a CPU since.
 */
void sampler_begin_earlier(struct sampler *s, const struct sample_event *e);

/* Returns true if the thread has an unfinished wait off a CPU. */
bool sampler_has_wait(struct sampler *s, pid_t tid);

/* Removes the unfinished waits of a process that has ended; see counts. */
void sampler_forget_waits(struct sampler *s, pid_t pid);

/*
 * Hands over each sleeping thread of the targets: its registers, the kernel's
 * stack, and its number of context switches as the weight, without a user
 * stack.  Requires SAMPLE_OFFCPU.  Fails if the kernel has no programs for each
 * task.
 */
int sampler_read_sleepers(struct sampler *s, sampler_sink_fn *sink, void *self,
			  struct error *err);

struct sampler_counts {
	uint64_t taken;   /* put into the ring buffer */
	uint64_t lost;    /* because the ring buffer or a map was full */
	uint64_t unended; /* waits whose end the kernel did not report */
	uint64_t ended;   /* waits for monitors in processes that ended */
	uint64_t unsure;  /* waits that may have begun earlier, or ended */
	/* Context switches for which the kernel ran no program: a wait has no
	 * beginning or no end.  0 before Linux 5.12. */
	uint64_t skipped;
	uint64_t hidden;  /* threads off their CPU at the last cut whose sample
			     was lost; this does not only grow */
	uint64_t runs;    /* of the programs, and their duration; 0 */
	uint64_t runs_ns; /* unless kernel.bpf_stats_enabled is 1 */
};

void sampler_counts(const struct sampler *s, struct sampler_counts *counts);

/* Returns true if samples, or beginnings or ends of waits, were lost since. */
bool sampler_has_lost(const struct sampler *s,
		      const struct sampler_counts *since);

/* The source of ticks: "cycles" or "cpu-clock"; "none" = none is open. */
const char *sampler_clock(const struct sampler *s);

#endif
