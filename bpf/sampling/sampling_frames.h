/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampling_frames: a sample's addresses and frames as frames of a profile.
 *
 * Names are looked up once for each address of a piece of code, since looking
 * may mean to read the target's memory.  What is not known yet is asked again:
 * an agent tells of a method a moment after it has run.
 */
#ifndef BPF_SAMPLING_SAMPLING_FRAMES_H
#define BPF_SAMPLING_SAMPLING_FRAMES_H

#include "bpf/sampling/sampling_options.h"
#include "core/hotspot/java_symbols.h"
#include "core/profile/profile.h"
#include "core/unwind/unwinder.h"

#include <stddef.h>
#include <stdint.h>

/*
 * The names of the kernel's functions, from the kernel itself or, where it has
 * no program for that, from /proc/kallsyms.  Both are opened when the first
 * name is wanted.
 */
struct sampling_kernel;

/* The options are borrowed: a notice says when no names are available. */
struct sampling_kernel *sampling_kernel_new(const struct sampling_options *o);
void sampling_kernel_free(struct sampling_kernel *k); /* NULL is fine */

/* Who knows names; each may be NULL.  All are borrowed. */
struct sampling_names {
	struct java_symbols *agent, *metadata; /* asked in this order */
	struct sampling_kernel *kernel;
};

/* Of one process. */
struct sampling_frames;

struct sampling_frames *sampling_frames_new(struct profile *p,
					    const struct sampling_names *names);
void sampling_frames_free(struct sampling_frames *f); /* NULL is fine */

/* Others know them from now on. */
void sampling_frames_ask(struct sampling_frames *f,
			 const struct sampling_names *names);

/* Frames are of another profile from now on. */
void sampling_frames_renew(struct sampling_frames *f, struct profile *p);

/*
 * Begins a batch of samples: a Method* of an interpreted frame may be another
 * method's by now, and is asked for again.  Compiled code has an identity.
 */
void sampling_frames_batch(struct sampling_frames *f);

/* Begins a stack trace, which sampling_frames_stack() ends; leaf first. */
void sampling_frames_begin(struct sampling_frames *f);
void sampling_frames_kernel(struct sampling_frames *f,
			    const uint64_t *addresses, size_t count);
/* One of which only the name is known. */
void sampling_frames_kernel_name(struct sampling_frames *f, const char *name,
				 size_t len);
/*
 * end, unless NULL, is a last frame, which says why the stack trace does not
 * reach the thread's root.  time_ns: when the sample was taken,
 * CLOCK_MONOTONIC.
 */
void sampling_frames_user(struct sampling_frames *f, const struct unwound *u,
			  const char *end, uint64_t time_ns);

/* One of our own, which says of what the frames so far are. */
void sampling_frames_root(struct sampling_frames *f, const char *name);

/*
 * Of a stack trace taken by a program that the scheduler called: takes away
 * that program's frames and those of the kernel that lead to it.
 */
void sampling_frames_drop_hook(struct sampling_frames *f);

/*
 * Of one taken in a function of the agent's, which the JVM called: leaves the
 * Java method that was at work, and its callers.  Where there is none, all of
 * it.
 */
void sampling_frames_drop_callback(struct sampling_frames *f);

/* The profile's id of the stack trace; 0 when it has no frame. */
uint32_t sampling_frames_stack(struct sampling_frames *f);

/* Java frames of which nobody knew the method, so far. */
uint64_t sampling_frames_unnamed(const struct sampling_frames *f);

#endif
