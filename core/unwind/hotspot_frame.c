/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unwind/hotspot_frame.h"

#include "core/base/alloc.h"
#include "core/hotspot/method_check.h"
#include "core/unwind/hotspot_continuation.h"
#include "core/unwind/x86_64/x86_code.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FRAME   (1 << 20)
#define SCAN_SLOTS  512 /* of the stack, for a return address */
#define STUB_SLOTS  96
#define BASE_REACH  4096 /* bytes that a routine has below its base */
#define ENTRY_REACH 256  /* bytes below the base of a frame that is made */
#define MAX_LOCALS  (65536 * 8 * 2)

/*
 * An interpreted frame, in words from BP on (frame_x86.hpp since JDK 9; without
 * a mirror, before, the bytecode pointer is a word nearer).
 */
enum { SENDER_SP = -1, METHOD = -3, BCP = -8, BCP_NO_MIRROR = -7 };

/*
 * Where HotSpot has what continuations return to; in the tables only since
 * JDK 25, so a symbol says in JDK 21, where there are symbols.
 */
static uint64_t find_entry_return(const struct process_view *v)
{
	uint64_t address;

	if (vm_structs_static(v->structs, "ContinuationEntry", "_return_pc",
			      &address))
		return address;
	return process_view_vm_symbol(v, "_ZN17ContinuationEntry10_return_pcE");
}

struct hotspot_frames *hotspot_frames_new(const struct process_view *view,
					  struct native_frames *native)
{
	struct hotspot_frames *h = xcalloc(1, sizeof(*h));

	h->memory = view->memory;
	h->code = view->code;
	h->native = native;
	h->methods = view->methods;
	h->paths = code_paths_open(view->code);
	h->entry_return = find_entry_return(view);
	return h;
}

void hotspot_frames_free(struct hotspot_frames *h)
{
	if (!h)
		return;
	code_paths_close(h->paths);
	free(h);
}

bool hotspot_frames_have_continuations(const struct hotspot_frames *h)
{
	return h->entry_return;
}

static bool code_of(struct hotspot_frames *h, const struct code_blob *b,
		    struct x86_code *code)
{
	code->bytes = code_cache_code(h->code, b);
	code->len = b->end - b->begin;
	return code->bytes;
}

static bool is_continuation(const struct code_blob *b)
{
	return b->kind == BLOB_STUB && strstr(b->name, "ontinuation");
}

static bool word(struct walk *w, uint64_t base, int64_t words, uint64_t *value)
{
	return walk_read(w, base + (uint64_t)(words * 8), value);
}

/* What an interpreted frame has at its base, where there is one. */
struct interpreted {
	uint64_t method, sender_sp, pc, bp;
	const struct checked_method *checked;
};

static bool is_interpreted(struct hotspot_frames *h, struct walk *w,
			   uint64_t base, struct interpreted *i)
{
	if (base & 7 || base < walk_sp(w) || base - walk_sp(w) > MAX_LOCALS ||
	    !word(w, base, METHOD, &i->method) ||
	    !word(w, base, SENDER_SP, &i->sender_sp) ||
	    !word(w, base, 1, &i->pc) || !word(w, base, 0, &i->bp) ||
	    !code_cache_has(h->code, i->pc))
		return false;
	/* A linker of method handles takes a word off: it may be one less. */
	if (i->sender_sp == base + 8)
		i->sender_sp = base + 16;
	if (i->sender_sp & 7 || i->sender_sp < base + 16 ||
	    i->sender_sp - base > MAX_LOCALS)
		return false;
	i->checked = method_check_find(h->methods, i->method);
	return i->checked->is_valid;
}

/* Of a value that is in the code cache; bp is what the caller's BP would be. */
static enum belief believe_in(struct hotspot_frames *h, struct walk *w,
			      const struct code_blob *b, uint64_t value,
			      uint64_t bp)
{
	struct interpreted frame;
	struct x86_code code;

	switch (b->kind) {
	case BLOB_INTERPRETER:
		/* Its entries to come back to stand behind no call. */
		h->interpreter = b->begin;
		return is_interpreted(h, w, bp, &frame) ? STRONG : WEAK;
	case BLOB_ADAPTER:
		return WEAK;
	case BLOB_NMETHOD:
		if (value == b->deopt_handler || value == b->deopt_mh_handler)
			return STRONG;
		break;
	default:
		break;
	}
	if (code_of(h, b, &code) && x86_is_after_call(&code, value - b->begin))
		return STRONG;
	return is_continuation(b) ? STRONG : WEAK;
}

static enum belief believe(struct hotspot_frames *h, struct walk *w,
			   uint64_t value, uint64_t bp)
{
	const struct code_blob *b;

	if (!code_cache_has(h->code, value))
		return NOT;
	b = code_cache_find(h->code, value);
	return b ? believe_in(h, w, b, value, bp) : NOT;
}

/* True when a slot of the stack has a return address, as sure as wanted. */
bool hotspot_is_return(struct hotspot_frames *h, struct walk *w, uint64_t slot,
		       uint64_t bp, enum belief wanted, uint64_t *value)
{
	return walk_read(w, slot, value) && believe(h, w, *value, bp) >= wanted;
}

/* Goes to the caller by the slot of a return address. */
static enum step return_by(struct walk *w, uint64_t slot, uint64_t pc,
			   uint64_t bp)
{
	return walk_to(w, pc, slot + 8, bp);
}

/* The caller's BP stands below the return address mostly. */
uint64_t hotspot_bp_below(struct walk *w, uint64_t slot)
{
	uint64_t bp = walk_bp(w);

	if (slot >= walk_sp(w) + 8)
		walk_read(w, slot - 8, &bp);
	return bp;
}

/* The nearest of so many slots that has a return address. */
static bool scan(struct hotspot_frames *h, struct walk *w, size_t slots,
		 uint64_t *slot, uint64_t *pc)
{
	*slot = walk_sp(w);
	for (size_t i = 0; i < slots; i++, *slot += 8)
		if (hotspot_is_return(h, w, *slot, walk_bp(w), STRONG, pc))
			return true;
	return false;
}

/* The same of a compiled frame, which has saved its caller's BP. */
static bool scan_frame(struct hotspot_frames *h, struct walk *w, uint64_t *slot,
		       uint64_t *pc)
{
	*slot = walk_sp(w);
	for (size_t i = 0; i < SCAN_SLOTS; i++, *slot += 8)
		if (hotspot_is_return(h, w, *slot, hotspot_bp_below(w, *slot),
				      STRONG, pc))
			return true;
	return false;
}

/*
 * The caller of a leaf that has no frame of its own to speak of.  That is the
 * interpreter when BP is the base of an interpreted frame, but for a return
 * address below that: the one to there may be in a register.
 */
static bool by_scan(struct hotspot_frames *h, struct walk *w)
{
	struct interpreted frame;
	uint64_t slot, pc;
	bool is_found = scan(h, w, STUB_SLOTS, &slot, &pc);

	if (h->interpreter && (!is_found || slot >= walk_bp(w)) &&
	    is_interpreted(h, w, walk_bp(w), &frame)) {
		walk_to(w, h->interpreter, walk_sp(w), walk_bp(w));
		return true;
	}
	if (is_found)
		return_by(w, slot, pc, walk_bp(w));
	return is_found;
}

/*
 * BP is the base of the frame, and what is there is believed: a return address
 * to generated code, or to any, which a routine that is entered from C has.
 */
static bool by_base(struct hotspot_frames *h, struct walk *w,
		    enum belief wanted, uint64_t reach)
{
	uint64_t base = walk_bp(w), bp, pc;

	if (base & 7 || base < walk_sp(w) || base - walk_sp(w) > reach ||
	    !walk_read(w, base, &bp) || !walk_read(w, base + 8, &pc))
		return false;
	if (believe(h, w, pc, bp) < wanted &&
	    (wanted == STRONG || !native_frames_has(h->native, pc)))
		return false;
	return_by(w, base + 8, pc, bp);
	return true;
}

static bool place(struct walk *w, const struct x86_place *p, uint64_t *address)
{
	uint64_t bp = walk_bp(w), sp = walk_sp(w);

	*address = (p->is_from_bp ? bp : sp) + (uint64_t)(int64_t)p->offset;
	return !p->is_from_bp || (!(bp & 7) && bp >= sp && bp - sp < MAX_FRAME);
}

/*
 * By what stands where instructions take the return address from: as sure as
 * wanted, or of native code.
 */
static bool by_path(struct hotspot_frames *h, struct walk *w,
		    const struct x86_path *path, enum belief wanted)
{
	uint64_t slot, pc, saved, bp = walk_bp(w);

	if (!path->is_return || !place(w, &path->return_address, &slot) ||
	    !walk_read(w, slot, &pc))
		return false;
	if (path->has_saved_bp &&
	    (!place(w, &path->saved_bp, &saved) || !walk_read(w, saved, &bp)))
		return false;
	if (believe(h, w, pc, bp) < wanted &&
	    (code_cache_has(h->code, pc) || !native_frames_has(h->native, pc)))
		return false;
	return_by(w, slot, pc, bp);
	return true;
}

/*
 * The return address has been taken off the stack, to make room: below SP,
 * where it was, there is no copy.
 */
static bool by_ax(struct hotspot_frames *h, struct walk *w,
		  const struct code_blob *b)
{
	uint64_t pc = walk_register(w, DWARF_AX);
	struct x86_code code;

	if (!w->is_exact || !code_of(h, b, &code) ||
	    !x86_return_is_in_ax(&code, w->pc - b->begin) ||
	    believe(h, w, pc, walk_bp(w)) != STRONG)
		return false;
	walk_to(w, pc, walk_sp(w), walk_bp(w));
	return true;
}

/* ---- interpreted frames ---- */

static int32_t bci_of(const struct checked_method *m, uint64_t bcp)
{
	return bcp >= m->code && bcp - m->code < m->len
		       ? (int32_t)(bcp - m->code)
		       : -1;
}

static int32_t find_bci(struct walk *w, const struct checked_method *m,
			uint64_t base)
{
	uint64_t bcp;
	int32_t bci = -1;

	/* At work, it has it in a register. */
	if (w->is_exact && walk_knows(w, 13))
		bci = bci_of(m, w->registers[13]);
	if (bci < 0 && word(w, base, BCP, &bcp))
		bci = bci_of(m, bcp);
	if (bci < 0 && word(w, base, BCP_NO_MIRROR, &bcp))
		bci = bci_of(m, bcp);
	return bci;
}

/* An interpreted frame whose base is BP. */
static bool interpreted(struct hotspot_frames *h, struct walk *w,
			struct unwound_frame *frame)
{
	struct interpreted i;

	if (!is_interpreted(h, w, walk_bp(w), &i))
		return false;
	frame->kind = UNWOUND_INTERPRETED;
	frame->method = i.method;
	frame->bci = find_bci(w, i.checked, walk_bp(w));
	walk_to(w, i.pc, i.sender_sp, i.bp);
	return true;
}

/*
 * A method returns by leave; pop r13; mov rsp, rbx; jmp r13: in BX is what the
 * caller's SP was before arguments.
 */
static bool at_end(struct hotspot_frames *h, struct walk *w,
		   const struct code_blob *b)
{
	const struct x86_path *path = code_path_find(h->paths, b, w->pc,
						     WAY_STRAIGHT);
	uint64_t sp = walk_sp(w), sender = sp, pc = walk_register(w, 13);
	struct x86_code code;

	if (path->sp_from == DWARF_BX && path->given_back <= 8)
		sender = walk_register(w, DWARF_BX);
	else if (!code_of(h, b, &code) ||
		 !x86_is_jump_r13(&code, w->pc - b->begin))
		return false;
	if (sender < sp || sender & 7 || sender - sp > MAX_LOCALS ||
	    (path->given_back == 8 && !walk_read(w, sp, &pc)) ||
	    believe(h, w, pc, walk_bp(w)) != STRONG)
		return false;
	walk_to(w, pc, sender, walk_bp(w));
	return true;
}

/*
 * At the entry of a method its frame is half made, in BX is the method and in
 * R13 what the caller's SP will be; at the end it is gone.
 */
static enum step between_frames(struct hotspot_frames *h, struct walk *w,
				struct unwound_frame *frame,
				const struct code_blob *b)
{
	uint64_t slot, pc, base = walk_bp(w), sender = walk_register(w, 13);
	const struct checked_method *m = method_check_find(
		h->methods, walk_register(w, DWARF_BX));

	if (m->is_valid) {
		frame->kind = UNWOUND_INTERPRETED;
		frame->method = walk_register(w, DWARF_BX);
	}
	if (at_end(h, w, b))
		return STEP_ON;
	slot = walk_sp(w);
	if (by_ax(h, w, b)) {
		/* Locals are made where it was. */
		slot -= 8;
	} else if (hotspot_is_return(h, w, slot, base, STRONG, &pc)) {
		return_by(w, slot, pc, base);
	} else if (by_base(h, w, STRONG, ENTRY_REACH)) {
		/* The base is there, and not yet all of what is below it. */
		slot = walk_sp(w) - 8;
		if (base - 8 >= frame->sp)
			word(w, base, SENDER_SP, &sender);
	} else if (scan(h, w, STUB_SLOTS, &slot, &pc))
		return_by(w, slot, pc, walk_bp(w));
	else
		return walk_lost(w, "an interpreted frame has no base");
	if (sender > slot && sender - slot < MAX_LOCALS && !(sender & 7))
		w->registers[DWARF_SP] = sender;
	return STEP_ON;
}

/*
 * A frame that was compiled is being made one of the interpreter's: it has its
 * base, and no method yet.
 */
static bool unfinished(struct hotspot_frames *h, struct walk *w)
{
	uint64_t base = walk_bp(w), bp, pc, sender;

	if (base & 7 || base < walk_sp(w) || base - walk_sp(w) > MAX_LOCALS ||
	    !walk_read(w, base, &bp) || !walk_read(w, base + 8, &pc) ||
	    believe(h, w, pc, bp) < (bp > base ? WEAK : STRONG))
		return false;
	return_by(w, base + 8, pc, bp);
	/* This it is given at once, to be walked. */
	if (word(w, base, SENDER_SP, &sender) && sender > base + 8 &&
	    sender - base < MAX_LOCALS && !(sender & 7))
		w->registers[DWARF_SP] = sender;
	return true;
}

static enum step interpreter_step(struct hotspot_frames *h, struct walk *w,
				  struct unwound_frame *frame,
				  const struct code_blob *b)
{
	if (interpreted(h, w, frame))
		return STEP_ON;
	if (w->is_exact)
		return between_frames(h, w, frame, b);
	if (unfinished(h, w))
		return STEP_ON;
	return walk_lost(w, "an interpreted frame that has no method");
}

/* ---- compiled code ---- */

/* The caller of a frame that is whole. */
static bool by_size(struct hotspot_frames *h, struct walk *w,
		    const struct code_blob *b, uint32_t below,
		    enum belief wanted)
{
	uint64_t slot = walk_sp(w) + below + b->frame_bytes - 8, pc;
	uint64_t bp = hotspot_bp_below(w, slot);

	if (b->frame_bytes < 16 ||
	    !hotspot_is_return(h, w, slot, bp, wanted, &pc))
		return false;
	return_by(w, slot, pc, bp);
	return true;
}

/* What stands at an offset from SP, as instructions had it. */
static bool by_instructions(struct hotspot_frames *h, struct walk *w,
			    const struct x86_frame *f, enum belief wanted)
{
	uint64_t slot = walk_sp(w) + f->return_address, pc;
	uint64_t bp = walk_bp(w);

	if (f->saved_bp >= 0 &&
	    !walk_read(w, walk_sp(w) + (uint32_t)f->saved_bp, &bp))
		return false;
	if (!hotspot_is_return(h, w, slot, bp, wanted, &pc))
		return false;
	return_by(w, slot, pc, bp);
	return true;
}

static bool is_in_prologue(const struct code_blob *b, uint64_t pc)
{
	return pc <= b->entry || (b->frame_complete >= 0 &&
				  pc - b->begin < (uint64_t)b->frame_complete);
}

/* The frame of a leaf: whole, or as much of it as its instructions say. */
static bool leaf_frame(struct hotspot_frames *h, struct walk *w,
		       const struct code_blob *b, const struct x86_code *code,
		       enum belief wanted)
{
	size_t at = w->pc - b->begin;
	size_t entry = b->entry - b->begin;
	struct x86_frame f = { 0, -1 };

	if (at <= entry)
		return by_instructions(h, w, &f, wanted);
	if (b->frame_complete >= 0 && at < (size_t)b->frame_complete) {
		x86_prologue(code, entry, at, &f);
		return by_instructions(h, w, &f, wanted);
	}
	if (x86_epilogue(code, at, &f))
		return by_instructions(h, w, &f, wanted);
	return by_size(h, w, b, 0, wanted);
}

/*
 * There may be more below the frame than its size says: around a call out of
 * line registers are saved, and C1 pushes what some routines are handed.  How
 * the code goes on tells.  Straight on there need not be a return: a method
 * that may use the stack's reserved zone looks for that in between.
 */
static bool by_way_out(struct hotspot_frames *h, struct walk *w,
		       const struct code_blob *b)
{
	const struct x86_path *path = code_path_find(h->paths, b, w->pc,
						     WAY_STRAIGHT);
	uint32_t given = path->given_back > 0 ? (uint32_t)path->given_back : 0;
	uint64_t slot = walk_sp(w) + given, pc;

	if (path->is_return)
		return by_path(h, w, path, STRONG);
	if (w->is_exact &&
	    by_path(h, w, code_path_find(h->paths, b, w->pc, WAY_SEARCH),
		    STRONG))
		return true;
	if (!given || b->frame_bytes < 16)
		return false;
	/* It leaves by a jump, with nothing but the return address left. */
	if (given >= b->frame_bytes - 8) {
		if (!hotspot_is_return(h, w, slot, hotspot_bp_below(w, slot),
				       STRONG, &pc))
			return false;
		return_by(w, slot, pc, hotspot_bp_below(w, slot));
		return true;
	}
	return given < b->frame_bytes - 16 && by_size(h, w, b, given, STRONG);
}

/* A frame that returns to its handler has its true pc in a slot of its own. */
static void undeoptimise(struct hotspot_frames *h, struct walk *w,
			 const struct code_blob *b)
{
	uint64_t pc;

	(void)h;
	if (w->is_exact || b->original_pc < 0 || !w->pc ||
	    (w->pc != b->deopt_handler && w->pc != b->deopt_mh_handler))
		return;
	if (walk_read(w, walk_sp(w) + (uint32_t)b->original_pc, &pc) &&
	    pc >= b->begin && pc <= b->end)
		w->pc = pc;
}

/*
 * True when the caller's SP is in R13: an adapter to the interpreter puts it
 * there (lea r13, [rsp + 8]; mov r13, rsp) and takes of the stack then.
 */
static bool was_moved(struct hotspot_frames *h, struct walk *w,
		      const struct code_blob *b, size_t at, uint64_t sender)
{
	struct x86_code code;

	return sender >= walk_sp(w) && sender - walk_sp(w) < ENTRY_REACH * 8 &&
	       !(sender & 7) && code_of(h, b, &code) && x86_saves_sp(&code, at);
}

/* What is on the way from a caller to a method has no frame. */
static enum step adapter_step(struct hotspot_frames *h, struct walk *w,
			      const struct code_blob *b)
{
	size_t at = w->pc - b->begin;
	const struct x86_path *path = code_path_find(h->paths, b, w->pc,
						     WAY_STRAIGHT);
	uint64_t pc, sender = walk_register(w, 13), bp = walk_bp(w);
	uint64_t slot = walk_sp(w);
	bool is_moved;

	/* Around a call SP is in R13, at the return address still. */
	if (path->sp_from == 13 && sender >= walk_sp(w) &&
	    hotspot_is_return(h, w, sender, bp, STRONG, &pc))
		return return_by(w, sender, pc, bp);
	/* Or it has saved registers there. */
	if (path->given_back > 0)
		slot += (uint64_t)path->given_back;
	/* It may have moved that, to make room for arguments. */
	is_moved = was_moved(h, w, b, at, sender);
	if (by_ax(h, w, b) || (hotspot_is_return(h, w, slot, bp, STRONG, &pc) &&
			       return_by(w, slot, pc, bp) == STEP_ON)) {
		if (is_moved)
			w->registers[DWARF_SP] = sender;
		return STEP_ON;
	}
	/* Between: the return address is in a register, and where it was. */
	if (sender > walk_sp(w) && sender - walk_sp(w) < MAX_LOCALS &&
	    hotspot_is_return(h, w, sender - 8, bp, STRONG, &pc))
		return return_by(w, sender - 8, pc, bp);
	if (by_scan(h, w))
		return STEP_ON;
	return walk_lost(w, "an adapter without a return address");
}

static enum step compiled_step(struct hotspot_frames *h, struct walk *w,
			       struct unwound_frame *frame,
			       const struct code_blob *b)
{
	struct x86_code code = { NULL, 0 };
	bool has_code = code_of(h, b, &code);
	uint64_t slot, pc;

	frame->kind = UNWOUND_COMPILED;
	frame->method = b->method;
	undeoptimise(h, w, b);
	frame->pc = w->pc;
	/* A linker of method handles is a native method that only jumps. */
	if (b->kind == BLOB_NATIVE && !b->frame_bytes)
		return adapter_step(h, w, b);
	if (b->kind == BLOB_NATIVE &&
	    by_path(h, w, code_path_find(h->paths, b, w->pc, WAY_SEARCH),
		    STRONG))
		return STEP_ON;
	if (!(w->is_exact && is_in_prologue(b, w->pc)) && by_way_out(h, w, b))
		return STEP_ON;
	/* What is sure before what may be: a slot may have an old value. */
	for (enum belief wanted = STRONG; wanted >= WEAK; wanted--) {
		if (w->is_exact && has_code ? leaf_frame(h, w, b, &code, wanted)
					    : by_size(h, w, b, 0, wanted))
			return STEP_ON;
		if (wanted == STRONG && w->is_exact &&
		    by_size(h, w, b, 0, STRONG))
			return STEP_ON;
	}
	if (w->is_cut)
		return STEP_CUT;
	if (scan_frame(h, w, &slot, &pc))
		return return_by(w, slot, pc, hotspot_bp_below(w, slot));
	return walk_lost(w, "a compiled frame without a return address");
}

/* ---- all other code ---- */

static enum step leaf_stub(struct hotspot_frames *h, struct walk *w,
			   const struct code_blob *b)
{
	struct interpreted caller;
	uint64_t pc;

	if (by_path(h, w, code_path_find(h->paths, b, w->pc, WAY_SEARCH),
		    STRONG))
		return STEP_ON;
	/* The JVM itself calls some of them. */
	if (walk_read(w, walk_sp(w), &pc) && !code_cache_has(h->code, pc) &&
	    native_frames_has(h->native, pc))
		return return_by(w, walk_sp(w), pc, walk_bp(w));
	/* Most have a base; an interpreted caller has one of its own. */
	if (!is_interpreted(h, w, walk_bp(w), &caller) &&
	    by_base(h, w, STRONG, BASE_REACH))
		return STEP_ON;
	if (by_size(h, w, b, 0, STRONG) || by_base(h, w, WEAK, BASE_REACH))
		return STEP_ON;
	if (by_scan(h, w) || by_base(h, w, WEAK, MAX_FRAME))
		return STEP_ON;
	return walk_lost(w, "a routine of the JVM's without a return address");
}

static enum step stub_step(struct hotspot_frames *h, struct walk *w,
			   const struct code_blob *b)
{
	uint64_t slot, pc;

	/* At its end it is on the stack of what it has thawed. */
	if (is_continuation(b)) {
		if (w->is_exact &&
		    by_path(h, w,
			    code_path_find(h->paths, b, w->pc, WAY_STRAIGHT),
			    STRONG))
			return STEP_ON;
		return hotspot_continuation_step(h, w, b);
	}
	if (w->is_exact)
		return leaf_stub(h, w, b);
	/* A poll's pc stands behind no call. */
	if (by_size(h, w, b, 0, WEAK) ||
	    by_path(h, w, code_path_find(h->paths, b, w->pc, WAY_SEARCH),
		    WEAK) ||
	    by_base(h, w, WEAK, MAX_FRAME))
		return STEP_ON;
	if (scan_frame(h, w, &slot, &pc))
		return return_by(w, slot, pc, hotspot_bp_below(w, slot));
	return walk_lost(w, "a routine of the JVM's without a return address");
}

enum step hotspot_frames_step(struct hotspot_frames *h, struct walk *w,
			      struct unwound_frame *frame)
{
	uint64_t refused = code_cache_refused(h->code);
	const struct code_blob *b = code_cache_find(h->code, w->pc);

	frame->kind = UNWOUND_GENERATED;
	frame->blob = b;
	if (!b) {
		frame->kind = UNWOUND_NATIVE;
		return walk_lost(w,
				 code_cache_refused(h->code) == refused
					 ? "generated code that is no longer "
					   "there"
					 : "more generated code than is looked "
					   "at in a while");
	}
	switch (b->kind) {
	case BLOB_INTERPRETER:
		return interpreter_step(h, w, frame, b);
	case BLOB_NMETHOD:
	case BLOB_NATIVE:
		return compiled_step(h, w, frame, b);
	case BLOB_ADAPTER:
		return adapter_step(h, w, b);
	default:
		return stub_step(h, w, b);
	}
}
