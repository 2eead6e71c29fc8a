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

#include "core/hotspot/process_view.h"
#include "core/unwind/native_frame.h"
#include "core/unwind/unwinder.h"
#include "core/unwind/walk.h"

struct hotspot_frames;

/* Both are borrowed; the view has a code cache. */
struct hotspot_frames *hotspot_frames_new(const struct process_view *view,
					  struct native_frames *native);
void hotspot_frames_free(struct hotspot_frames *h); /* NULL is fine */

/* Whether the JVM says what continuations return to. */
bool hotspot_frames_have_continuations(const struct hotspot_frames *h);

/*
 * Of a pc in the code cache: fills what of the frame is known, and goes to its
 * caller.
 */
enum step hotspot_frames_step(struct hotspot_frames *h, struct walk *w,
			      struct unwound_frame *frame);

#endif
