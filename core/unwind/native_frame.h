/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native_frame: steps from frames of programs and libraries.
 *
 * Call frame information gives the caller, and a row of it is cached for each
 * address; frame pointers are used where there is none.
 */
#ifndef CORE_UNWIND_NATIVE_FRAME_H
#define CORE_UNWIND_NATIVE_FRAME_H

#include "core/elf/process_images.h"
#include "core/hotspot/java_symbols.h"
#include "core/unwind/walk.h"

struct native_frames;

/* The images, which are borrowed, are those of one process. */
struct native_frames *native_frames_new(const struct arch *arch,
					struct process_images *images);
void native_frames_free(struct native_frames *n); /* NULL is fine */

/* Returns true when an executable mapping holds the address. */
bool native_frames_has(struct native_frames *n, uint64_t pc);

/* Describes the frame at w->pc in *frame and steps to its caller. */
enum step native_frames_step(struct native_frames *n, struct walk *w,
			     struct unwound_frame *frame);

#endif
