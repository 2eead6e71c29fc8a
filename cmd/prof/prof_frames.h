/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof_frames: a sample's addresses and frames as frames of a profile.
 *
 * Names are looked up once for each address of a piece of code, since looking
 * may mean to read the target's memory.  What is not known yet is asked again:
 * an agent tells of a method a moment after it has run.
 */
#ifndef CMD_PROF_PROF_FRAMES_H
#define CMD_PROF_PROF_FRAMES_H

#include "cmd/prof/prof_kernel.h"
#include "core/hotspot/java_symbols.h"
#include "core/profile/profile.h"
#include "core/unwind/unwinder.h"

#include <stddef.h>
#include <stdint.h>

/* Who knows names; each may be NULL.  All are borrowed. */
struct prof_names {
	struct java_symbols *agent, *metadata; /* asked in this order */
	struct prof_kernel *kernel;
};

/* Of one process. */
struct prof_frames;

struct prof_frames *prof_frames_new(struct profile *p,
				    const struct prof_names *names);
void prof_frames_free(struct prof_frames *f); /* NULL is fine */

/* Others know them from now on. */
void prof_frames_ask(struct prof_frames *f, const struct prof_names *names);

/*
 * Begins a batch of samples: a Method* of an interpreted frame may be another
 * method's by now, and is asked for again.  Compiled code has an identity.
 */
void prof_frames_batch(struct prof_frames *f);

/* Begins a stack trace, which prof_frames_stack() ends; leaf first. */
void prof_frames_begin(struct prof_frames *f);
void prof_frames_kernel(struct prof_frames *f, const uint64_t *addresses,
			size_t count);
/* One of which only the name is known. */
void prof_frames_kernel_name(struct prof_frames *f, const char *name,
			     size_t len);
/*
 * end, unless NULL, is a last frame, which says why the stack trace does not
 * reach the thread's root.  time_ns: when the sample was taken,
 * CLOCK_MONOTONIC.
 */
void prof_frames_user(struct prof_frames *f, const struct unwound *u,
		      const char *end, uint64_t time_ns);

/* One of our own, which says of what the frames so far are. */
void prof_frames_root(struct prof_frames *f, const char *name);

/*
 * Of a stack trace taken by a program that the scheduler called: takes away
 * that program's frames and those of the kernel that lead to it.
 */
void prof_frames_drop_hook(struct prof_frames *f);

/*
 * Of one taken in a function of the agent's, which the JVM called: leaves the
 * Java method that was at work, and its callers.  Where there is none, all of
 * it.
 */
void prof_frames_drop_callback(struct prof_frames *f);

/* The profile's id of the stack trace; 0 when it has no frame. */
uint32_t prof_frames_stack(struct prof_frames *f);

/* Java frames of which nobody knew the method, so far. */
uint64_t prof_frames_unnamed(const struct prof_frames *f);

#endif
