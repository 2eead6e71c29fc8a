/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of x86-64, and the conventions by which HotSpot enters and leaves
 * methods on it (templateInterpreterGenerator_x86.cpp, sharedRuntime_x86_64.cpp
 * of JDK 17 to 25):
 *
 * - A method is entered with its Method* in RBX and the sender's SP in R13.
 * - An interpreted method returns by leave; pop r13; mov rsp, rbx; jmp r13,
 *   with the sender's SP in RBX.
 * - To make room for arguments or locals, an adapter or an entry pops the
 *   return address into RAX and pushes it again.
 */
#include "core/unwind/x86_64/x86_code.h"

#include "core/hotspot/method_check.h"
#include "core/unwind/hotspot_frame.h"

/* DWARF numbers (System V ABI AMD64, figure 3.36). */
enum { AX = DWARF_AX, BX = DWARF_BX, BP = DWARF_BP, SP = DWARF_SP, R13 = 13 };

/* True when a value can be the SP of a caller whose arguments end at SP. */
static bool sender_is_valid(uint64_t sender, uint64_t sp, uint64_t most)
{
	return sender >= sp && sender - sp < most && !(sender & 7);
}

/*
 * Steps with the return address in RAX; the copy of the stack has nothing below
 * SP.
 */
static bool x86_step_by_ax(struct hotspot_frames *h, struct walk *w,
			   const struct code_blob *b)
{
	uint64_t pc = walk_register(w, AX);
	struct machine_code code;

	if (!w->is_exact || !hotspot_read_code(h, b, &code) ||
	    !x86_return_is_in_ax(&code, w->pc - b->begin) ||
	    hotspot_believe(h, w, pc, walk_fp(w)) != BELIEF_STRONG)
		return false;
	w->rule = "return register";
	walk_to(w, pc, walk_sp(w), walk_fp(w));
	return true;
}

/* Steps from the last instructions of an interpreted method. */
static bool x86_step_from_end(struct hotspot_frames *h, struct walk *w,
			      const struct code_blob *b)
{
	const struct code_path *path = hotspot_path(h, b, w->pc, WAY_STRAIGHT);
	uint64_t sp = walk_sp(w), sender = sp, pc = walk_register(w, R13);
	struct machine_code code;

	if (path->sp_from == BX && path->given_back <= 8)
		sender = walk_register(w, BX);
	else if (!hotspot_read_code(h, b, &code) ||
		 !x86_is_jump_r13(&code, w->pc - b->begin))
		return false;
	if (sender < sp || sender & 7 || sender - sp > HOTSPOT_MAX_LOCALS ||
	    (path->given_back == 8 && !walk_read(w, sp, &pc)) ||
	    hotspot_believe(h, w, pc, walk_fp(w)) != BELIEF_STRONG)
		return false;
	w->rule = "return register";
	walk_to(w, pc, sender, walk_fp(w));
	return true;
}

static enum step x86_entry_step(struct hotspot_frames *h, struct walk *w,
				struct unwound_frame *frame,
				const struct code_blob *b)
{
	uint64_t slot, pc, base = walk_fp(w), sender = walk_register(w, R13);
	const struct checked_method *m = method_check_find(
		h->methods, walk_register(w, BX));

	if (m->is_valid) {
		frame->kind = UNWOUND_INTERPRETED;
		frame->method = walk_register(w, BX);
	}
	if (x86_step_from_end(h, w, b))
		return STEP_ON;
	slot = walk_sp(w);
	if (x86_step_by_ax(h, w, b)) {
		/* The entry reserves locals where the return address was. */
		slot -= 8;
	} else if (hotspot_is_return(h, w, slot, base, BELIEF_STRONG, &pc)) {
		hotspot_return(w, slot, pc, base, "return at SP");
	} else if (hotspot_step_by_base(h, w, BELIEF_STRONG,
					HOTSPOT_ENTRY_REACH)) {
		/* The frame base exists, but not every slot below it. */
		slot = walk_sp(w) - 8;
		if (base - 8 >= frame->sp)
			walk_read(w, base + (uint64_t)(w->arch->sender_sp * 8),
				  &sender);
	} else if (hotspot_scan(h, w, HOTSPOT_STUB_SLOTS, &slot, &pc))
		hotspot_return(w, slot, pc, walk_fp(w), "scan");
	else
		return walk_lost(w, "an interpreted frame without a base");
	if (sender > slot && sender_is_valid(sender, slot, HOTSPOT_MAX_LOCALS))
		w->registers[SP] = sender;
	return STEP_ON;
}

/*
 * True when the caller's SP is in R13: an adapter to the interpreter saves it
 * there (lea r13, [rsp + 8]; mov r13, rsp) and then takes stack.
 */
static bool x86_sender_is_saved(struct hotspot_frames *h, struct walk *w,
				const struct code_blob *b, size_t at,
				uint64_t sender)
{
	struct machine_code code;

	return sender_is_valid(sender, walk_sp(w),
			       (uint64_t)HOTSPOT_ENTRY_REACH * 8) &&
	       hotspot_read_code(h, b, &code) && x86_saves_sp(&code, at);
}

static enum step x86_adapter_step(struct hotspot_frames *h, struct walk *w,
				  const struct code_blob *b)
{
	size_t at = w->pc - b->begin;
	const struct code_path *path = hotspot_path(h, b, w->pc, WAY_STRAIGHT);
	uint64_t pc, sender = walk_register(w, R13), fp = walk_fp(w);
	uint64_t slot = walk_sp(w);
	bool is_saved;

	/* Around a call, R13 holds SP, which points to the return address. */
	if (path->sp_from == R13 && sender >= walk_sp(w) &&
	    hotspot_is_return(h, w, sender, fp, BELIEF_STRONG, &pc))
		return hotspot_return(w, sender, pc, fp, "sender register");
	/* Otherwise registers are saved on the stack around the call. */
	if (path->given_back > 0)
		slot += (uint64_t)path->given_back;
	is_saved = x86_sender_is_saved(h, w, b, at, sender);
	if (x86_step_by_ax(h, w, b) ||
	    (hotspot_is_return(h, w, slot, fp, BELIEF_STRONG, &pc) &&
	     hotspot_return(w, slot, pc, fp, "return at SP") == STEP_ON)) {
		if (is_saved)
			w->registers[SP] = sender;
		return STEP_ON;
	}
	/*
	 * Elsewhere the return address is in a register and still in its old
	 * slot.
	 */
	if (sender > walk_sp(w) && sender - walk_sp(w) < HOTSPOT_MAX_LOCALS &&
	    hotspot_is_return(h, w, sender - 8, fp, BELIEF_STRONG, &pc))
		return hotspot_return(w, sender - 8, pc, fp, "below sender");
	if (hotspot_step_by_scan(h, w))
		return STEP_ON;
	return walk_lost(w, "an adapter without a return address");
}

const struct arch arch_x86_64 = {
	.name = "x86-64",
	.machine = &elf_x86_64,
	.sp = SP,
	.fp = BP,
	.sampled = 1u << AX | 1u << BX | 1u << BP | 1u << SP | 1u << 12 |
		   1u << R13 | 1u << 14 | 1u << 15,
	/* frame_x86.hpp; a mirror precedes BCP since JDK 9. */
	.sender_sp = -1,
	.method = -3,
	.bcp = -8,
	.bcp_before_mirror = -7,
	.bcp_register = R13,
	.method_register = BX,
	.room_register = BX,
	.is_after_call = x86_is_after_call,
	.called = x86_called,
	.prologue = x86_prologue,
	.epilogue = x86_epilogue,
	.path = { [WAY_STRAIGHT] = x86_straight,
		  [WAY_FOLLOW] = x86_follow,
		  [WAY_SEARCH] = x86_search },
	.entry_step = x86_entry_step,
	.adapter_step = x86_adapter_step,
};
