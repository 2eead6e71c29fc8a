/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native_frame: steps along frames of programs and libraries.
 *
 * By their call frame information, a row of which is kept for each address that
 * was come by; by frame pointers where there is none.
 */
#ifndef CORE_UNWIND_NATIVE_FRAME_H
#define CORE_UNWIND_NATIVE_FRAME_H

#include "core/elf/process_images.h"
#include "core/unwind/unwinder.h"
#include "core/unwind/walk.h"

struct native_frames;

/* The images are borrowed. */
struct native_frames *native_frames_new(const struct arch *arch,
					struct process_images *images);
void native_frames_free(struct native_frames *n); /* NULL is fine */

/* True when there is code at the address. */
bool native_frames_has(struct native_frames *n, uint64_t pc);

/* Fills what of the frame is known, and goes to its caller. */
enum step native_frames_step(struct native_frames *n, struct walk *w,
			     struct unwound_frame *frame);

#endif
