/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler: takes samples of threads in the kernel, and hands them over.
 *
 * Three kinds of moments: a tick of the CPU clock (hardware cycles where there
 * are any), a switch of the scheduler, a function that a thread reaches (a
 * uprobe).  At each, the user's registers, a bounded copy of the user's stack
 * and the kernel's stack go into a ring buffer: unwinding is done outside.
 * Nothing is changed in the target but for a uprobe's instruction, which goes
 * when the sampler does, however it ends.
 *
 * The rights that this takes are needed for as long as it goes on: for CPUs
 * that come online, for processes that begin, and, by who unwinds, for files
 * that are mapped meanwhile (/proc/PID/map_files).  So none are given up.
 */
#ifndef BPF_SAMPLER_H
#define BPF_SAMPLER_H

#include "bpf/kernel/sample_event.h"
#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sampler;

struct sampler_options {
	unsigned kinds;     /* bits 1 << enum sample_kind */
	unsigned hz;        /* ticks a second and CPU, for SAMPLE_CPU */
	size_t stack_bytes; /* of the user's stack at most: 4 KiB to 256 KiB */
	bool kernel, user;  /* which side's stack is wanted; both mostly */
	pid_t tid;          /* only this thread, as seen here; 0 = all */
	size_t ring_bytes;  /* of the ring buffer, a power of two; 0 = enough */
	unsigned threads;   /* that may be off-CPU at a time; 0 = enough */
};

/*
 * Loads and checks the programs.  ERROR_PERMISSION or ERROR_UNAVAILABLE names
 * what is missing (a capability, BTF, a kernel setting) and the remedy.
 */
struct sampler *sampler_open(const struct sampler_options *o,
			     struct error *err);
void sampler_close(struct sampler *s); /* NULL is fine */

/*
 * Samples a process, too, or no longer; pid as this process sees it.  May be
 * called while samples are taken.
 */
int sampler_add(struct sampler *s, pid_t pid, struct error *err);
void sampler_remove(struct sampler *s, pid_t pid);

/*
 * Has the function at an offset of a file (path may be below
 * /proc/PID/map_files) give samples of a kind, SAMPLE_ALLOC or SAMPLE_LOCK, in
 * the process pid; its first argument is the weight, the third an object's
 * handle.  Of SAMPLE_LOCK the weight is 0 where a wait begins, when the sample
 * is taken; the second says when that was, the fourth is the thread's JNIEnv.
 */
int sampler_probe(struct sampler *s, enum sample_kind kind, pid_t pid,
		  const char *path, uint64_t offset, struct error *err);

/*
 * Has SAMPLE_LOCK of a process read the owners of monitors, too; pid as this
 * process sees it.
 */
int sampler_read_owners(struct sampler *s, pid_t pid,
			const struct sampler_monitors *m, struct error *err);

/*
 * Says where the stack of a thread ends (the address behind its last byte), so
 * that nothing behind it is copied; 0 = not known any more.  Without it, a copy
 * ends where memory does.
 */
void sampler_stack_end(struct sampler *s, pid_t tid, uint64_t end);

int sampler_start(struct sampler *s, struct error *err);

/*
 * What was taken can still be read, and threads that are off-CPU have samples
 * from then on, SAMPLE_UNFINISHED.
 */
void sampler_stop(struct sampler *s);

/*
 * For poll(2): readable when so many samples are unread that they should be
 * read, and then once until sampler_read().  Few of them wake nobody, since
 * that would take threads off their CPUs: so wait for no longer than samples
 * may be unread, say 50 ms.
 */
int sampler_fd(const struct sampler *s);

/* Whether from now on it is readable with each sample; at first it is not. */
void sampler_wake(struct sampler *s, bool each);

/*
 * One sample; the arrays behind it are aligned and are the event's, which is
 * valid until the function returns.  False ends this reading; the rest is for
 * the next one.
 */
typedef bool sampler_sink_fn(void *self, const struct sample_event *e,
			     const uint64_t *kernel, const uint8_t *stack);

/* Hands over what there is, without waiting; how many samples. */
size_t sampler_read(struct sampler *s, sampler_sink_fn *sink, void *self);

/*
 * Hands over each thread of the targets that sleeps now: its registers, the
 * kernel's stack, and as weight how often it has left its CPU; no user's stack.
 * Where switches are sampled; fails where the kernel has no such programs.
 */
int sampler_look(struct sampler *s, sampler_sink_fn *sink, void *self,
		 struct error *err);

struct sampler_counts {
	uint64_t taken;   /* put into the ring buffer */
	uint64_t lost;    /* of the targets, for want of room */
	uint64_t unended; /* waits whose end the kernel did not report */
	uint64_t runs;    /* of the programs, and how long they took: 0 */
	uint64_t runs_ns; /* unless kernel.bpf_stats_enabled is 1 */
};

void sampler_counts(const struct sampler *s, struct sampler_counts *counts);

/* "cycles" or "cpu-clock": what ticks; "none" when nothing does. */
const char *sampler_clock(const struct sampler *s);

#endif
