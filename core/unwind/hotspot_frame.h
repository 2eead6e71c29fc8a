/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hotspot_frame: steps along frames of code that HotSpot has made.
 *
 * In the middle of compiled code the CodeBlob says how large the frame is; at
 * its ends, and in what is out of line, instructions say it (x86_code.h).
 * Interpreted frames and most routines of HotSpot's have BP for a base.  What
 * is taken for a return address is looked at: code that calls stands before it
 * (frame_x86.cpp, sharedRuntime_x86_64.cpp, templateInterpreterGenerator_x86 of
 * HotSpot, JDK 17 to 25).
 */
#ifndef CORE_UNWIND_HOTSPOT_FRAME_H
#define CORE_UNWIND_HOTSPOT_FRAME_H

#include "core/base/error.h"
#include "core/hotspot/code_cache.h"
#include "core/hotspot/vm_structs.h"
#include "core/unwind/native_frame.h"
#include "core/unwind/unwinder.h"
#include "core/unwind/walk.h"

struct hotspot_frames;

/* All is borrowed. */
struct hotspot_frames *hotspot_frames_open(const struct vm_structs *v,
					   struct memory *memory,
					   struct code_cache *code,
					   struct native_frames *native,
					   struct error *err);
void hotspot_frames_close(struct hotspot_frames *h); /* NULL is fine */

/* Whether the JVM says what continuations return to. */
bool hotspot_frames_have_continuations(const struct hotspot_frames *h);

/* What may have changed is looked at again from now on. */
void hotspot_frames_begin(struct hotspot_frames *h);

/* How many methods that frames had were found to be gone. */
uint64_t hotspot_frames_gone(const struct hotspot_frames *h);

/*
 * Of a pc in the code cache: fills what of the frame is known, and goes to its
 * caller.
 */
enum step hotspot_frames_step(struct hotspot_frames *h, struct walk *w,
			      struct unwound_frame *frame);

#endif
