/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native_frame: steps from frames of programs and libraries.
 *
 * Call frame information (DWARF 5, 6.4) gives the caller; its rows are cached
 * by address.  Code without call frame information is walked by frame pointers.
 */
#ifndef CORE_UNWIND_NATIVE_FRAME_H
#define CORE_UNWIND_NATIVE_FRAME_H

#include "core/elf/process_images.h"
#include "core/hotspot/java_symbols.h"
#include "core/unwind/walk.h"

struct native_frames;

/* Borrows the images, which belong to one process. */
struct native_frames *native_frames_new(const struct arch *arch,
					struct process_images *images);
void native_frames_free(struct native_frames *n); /* NULL is fine */

/* Returns true if the address is in an executable mapping. */
bool native_frames_has(struct native_frames *n, uint64_t pc);

/* Describes the frame at w->pc in *frame and steps to its caller. */
enum step native_frames_step(struct native_frames *n, struct walk *w,
			     struct unwound_frame *frame);

#endif
