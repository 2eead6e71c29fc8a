/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arch: the properties of an architecture that unwinding depends on.
 *
 * A table per architecture holds the numbers of its registers, HotSpot's
 * conventions, and functions that read its machine code.  Each table and its
 * code are in a directory of their own (x86_64/); all other files of
 * core/unwind use the table alone.  Machine code is foreign: the functions read
 * nothing beyond its length, and their time is bounded.
 */
#ifndef CORE_UNWIND_ARCH_H
#define CORE_UNWIND_ARCH_H

#include "core/elf/elf_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_blob;
struct hotspot_frames;
struct unwound_frame;
struct walk;

/* How a step from a frame to its caller ended. */
enum step {
	STEP_ON,   /* the walk is at the caller */
	STEP_ROOT, /* the frame has no caller */
	STEP_CUT,  /* the copy of the stack ends before the caller is known */
	STEP_LOST, /* the caller is unknown; the reason is in walk.why */
};

/* Machine code.  Each position `at` below is at most len. */
struct machine_code {
	const uint8_t *bytes;
	size_t len;
};

/*
 * The state of a frame in a prologue or an epilogue: offsets from SP in bytes.
 */
struct frame_edge {
	uint32_t return_address;
	int32_t saved_fp; /* -1: FP holds the caller's value */
};

/* An address relative to the value that SP or FP has where a path begins. */
struct code_place {
	bool is_from_fp;
	int32_t offset;
};

/*
 * The place that code leads to from a position, and its effect on SP and FP on
 * the way.
 */
struct code_path {
	bool is_return; /* the code returns to the address stored at
			   return_address */
	struct code_place return_address;
	bool has_saved_fp; /* the code restores FP from saved_fp */
	struct code_place saved_fp;
	int32_t given_back; /* without a return: bytes of stack released before
			       the jump */
	uint8_t sp_from; /* the register that SP is set from before the jump; 0
			    = none */
	uint16_t instructions; /* number of instructions */
};

/* How code_path functions follow jumps. */
enum code_way {
	WAY_STRAIGHT, /* up to the first jump */
	WAY_FOLLOW,   /* through unconditional jumps */
	WAY_SEARCH,   /* both ways of each jump, to the nearest return */
	CODE_WAYS
};

struct arch {
	const char *name;

	const struct elf_machine *machine;
	/* Registers by their DWARF numbers. */
	uint8_t sp, fp;
	uint32_t sampled; /* a bit for each that samples carry */

	/*
	 * HotSpot's interpreted frames: slots in words from FP, and registers
	 * of an interpreter at work.
	 */
	int8_t sender_sp, method, bcp;
	int8_t bcp_before_mirror; /* offset up to JDK 8, where no mirror
				     precedes BCP */
	uint8_t bcp_register, method_register;
	/*
	 * The register that holds the space for frames while a continuation
	 * thaws.
	 */
	uint8_t room_register;

	/* Returns true if a call instruction ends at `at`. */
	bool (*is_after_call)(const struct machine_code *c, size_t at);
	/*
	 * If a direct call ends at `at`, sets *distance from `at` to the called
	 * function and returns true.
	 */
	bool (*called)(const struct machine_code *c, size_t at,
		       int64_t *distance);
	/*
	 * Sets *out to the frame as the prologue that begins at entry has built
	 * it before `at`.
	 */
	void (*prologue)(const struct machine_code *c, size_t entry, size_t at,
			 struct frame_edge *out);
	/*
	 * Returns true in an epilogue, with the rest of the frame in *out;
	 * false while the frame is complete.
	 */
	bool (*epilogue)(const struct machine_code *c, size_t at,
			 struct frame_edge *out);
	/* Follows the code from `at`; *out is valid even without a return. */
	void (*path[CODE_WAYS])(const struct machine_code *c, size_t at,
				struct code_path *out);

	/*
	 * Steps from the first or last instructions of an interpreted method,
	 * where its frame is incomplete, to the caller; names the method in
	 * *frame if a register holds it.
	 */
	enum step (*entry_step)(struct hotspot_frames *h, struct walk *w,
				struct unwound_frame *frame,
				const struct code_blob *b);
	/*
	 * Steps from code between a caller and a method; such code has no
	 * frame.
	 */
	enum step (*adapter_step)(struct hotspot_frames *h, struct walk *w,
				  const struct code_blob *b);
};

extern const struct arch arch_x86_64;

#endif
