/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampling_frames: turns a sample's addresses and unwound frames into frames of
 * a profile.
 *
 * A name is looked up once for each address of a piece of code, since a lookup
 * may read the target's memory.  Unknown names are looked up again: the agent
 * reports a method a moment after the method has run.
 */
#ifndef BPF_SAMPLING_SAMPLING_FRAMES_H
#define BPF_SAMPLING_SAMPLING_FRAMES_H

#include "bpf/sampling/session.h"
#include "core/hotspot/java_symbols.h"
#include "core/profile/profile.h"
#include "core/unwind/unwinder.h"

#include <stddef.h>
#include <stdint.h>

/*
 * The names of kernel functions, from a BPF program or, on kernels without it,
 * from /proc/kallsyms.  Both are opened when the first name is needed.
 */
struct sampling_kernel;

/* The options are borrowed.  A notice reports unavailable names. */
struct sampling_kernel *sampling_kernel_new(const struct sampling_options *o);
void sampling_kernel_free(struct sampling_kernel *k); /* NULL is fine */

/* The sources of names; each may be NULL.  All are borrowed. */
struct sampling_names {
	struct java_symbols *agent, *metadata; /* in this order */
	struct sampling_kernel *kernel;
};

/* The frames of one process. */
struct sampling_frames;

struct sampling_frames *sampling_frames_new(struct profile *p,
					    const struct sampling_names *names);
void sampling_frames_free(struct sampling_frames *f); /* NULL is fine */

/* Replaces the sources of names. */
void sampling_frames_set_names(struct sampling_frames *f,
			       const struct sampling_names *names);

/* Adds frames to another profile from now on. */
void sampling_frames_renew(struct sampling_frames *f, struct profile *p);

/* Frees the cached frames of addresses; later samples look them up again. */
void sampling_frames_drop(struct sampling_frames *f);

/*
 * Starts a batch of samples: looks up interpreted methods again, since their
 * Method* may have been reused.  Compiled code is known by its identity.
 */
void sampling_frames_batch(struct sampling_frames *f);

/*
 * Starts a stack trace; sampling_frames_stack() ends it.  The functions between
 * append frames, leaf first.
 */
void sampling_frames_begin(struct sampling_frames *f);
/*
 * The same for a thread that releases a monitor: compilers do not record the
 * place of such a call.
 */
void sampling_frames_begin_release(struct sampling_frames *f);
void sampling_frames_kernel(struct sampling_frames *f,
			    const uint64_t *addresses, size_t count);
/* Appends a kernel function by its name. */
void sampling_frames_kernel_name(struct sampling_frames *f, const char *name,
				 size_t len);

/*
 * Appends the frames of a walk.  end, unless NULL, is one more frame, which
 * tells why the walk did not reach the root.  time_ns is the time of the
 * sample, CLOCK_MONOTONIC.
 */
void sampling_frames_user(struct sampling_frames *f, const struct unwound *u,
			  const char *end, uint64_t time_ns);

/* Appends a synthetic root frame: the process, if several are sampled. */
void sampling_frames_root(struct sampling_frames *f, const char *name);

/*
 * Removes the leaf frames of the scheduler and of the program that it called to
 * take the sample.
 */
void sampling_frames_drop_hook(struct sampling_frames *f);

/*
 * Removes the leaf frames of the agent and of the JVM that called it, so that a
 * Java method is the leaf.  Without a Java frame, removes nothing.
 */
void sampling_frames_drop_callback(struct sampling_frames *f);

/*
 * Returns the frame of the method that holds the monitor which a thread
 * releases: the application's frame nearest the leaf or else the Java frame,
 * without Object.wait(); 0 = there is none.  The id does not depend on how the
 * method is compiled.
 */
uint32_t sampling_frames_holder(struct sampling_frames *f);

/* Removes the leaf frames of a class, which has this whole name. */
void sampling_frames_drop_class(struct sampling_frames *f, const char *name);

/* Returns the id of the stack trace in the profile; 0 = it has no frame. */
uint32_t sampling_frames_stack(struct sampling_frames *f);

/* Returns the number of Java frames whose method was unknown. */
uint64_t sampling_frames_unnamed(const struct sampling_frames *f);

#endif
