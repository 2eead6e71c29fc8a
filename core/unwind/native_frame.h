/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native_frame: steps along frames of programs and libraries.
 *
 * By their call frame information, a row of which is kept for each address that
 * was come by; by frame pointers where there is none.
 */
#ifndef CORE_UNWIND_NATIVE_FRAME_H
#define CORE_UNWIND_NATIVE_FRAME_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"
#include "core/process/mappings.h"
#include "core/process/memory.h"
#include "core/unwind/unwinder.h"
#include "core/unwind/walk.h"

struct native_frames;

/* Both are borrowed. */
struct native_frames *native_frames_open(const struct jvm *jvm,
					 struct memory *memory,
					 struct error *err);
void native_frames_close(struct native_frames *n); /* NULL is fine */

/* Files that could not be read, since their file system does not answer. */
uint64_t native_frames_missed(const struct native_frames *n);

/* What is mapped may be another from now on. */
void native_frames_begin(struct native_frames *n);

/* A library that is mapped: its image and bias; NULL when there is none. */
struct elf_image *native_frames_library(struct native_frames *n,
					const char *name, uint64_t *bias);

/* True when there is code at the address. */
bool native_frames_has(struct native_frames *n, uint64_t pc);

/* Fills what of the frame is known, and goes to its caller. */
enum step native_frames_step(struct native_frames *n, struct walk *w,
			     struct unwound_frame *frame);

#endif
