/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules that find the caller of a frame of generated code, in the order in
 * which they are tried.  `sjkc prof --trace-walk` prints the rule of each
 * frame by the name in quotes.
 *
 * A rule only proposes a return address.  hotspot_believe() decides: STRONG
 * means that a call instruction ends there, that it is a known entry, or that
 * an interpreted frame lies where it must; WEAK means that it is an address in
 * the interpreter or in an adapter; native code is accepted where a routine may
 * be called from C.
 *
 * Interpreted method (interpreter_step):
 *   1. "interpreter layout"  FP is the base of a frame with a valid Method*
 *   2. a leaf only: arch->entry_step, prologue or epilogue of a method:
 *      "return register", "return at SP", "frame base", "scan"
 *   3. "unfinished frame"    deoptimization is building the frame
 *
 * Compiled method (compiled_step):
 *   1. "path to return"      native wrappers: search the code for a return
 *   2. way out, unless the pc is in the prologue: "path to return" straight
 *      ahead, else by search from a leaf; "jump out" if the code jumps away
 *      with only the return address left; "frame size" plus what was pushed
 *   3. a leaf: "entry", "prologue" or "epilogue" by its instructions, else
 *      "frame size"; a caller: "frame size"; first STRONG, then WEAK
 *   4. "frame scan"          nearest STRONG return address above SP
 *
 * Adapter (arch->adapter_step): "sender register", "return register",
 *   "return at SP", "below sender", "scan"
 *
 * Other routine as a leaf (leaf_stub_step): "path to return", "called from C",
 *   "frame base" within 4 KB, "frame size", "frame base" WEAK, "scan", "frame
 *   base" anywhere.  As a caller (stub_step): "frame size", "path to return",
 *   "frame base", "frame scan".
 *
 * Continuation routine (hotspot_continuation.c): "path to return" at its end,
 *   "thawed frame", "preempted", "continuation entry".
 *
 * Sources: HotSpot's frame_x86.cpp, sharedRuntime_x86_64.cpp and
 * templateInterpreterGenerator_x86.cpp of JDK 17 to 25.
 */
#include "core/unwind/hotspot_frame.h"

#include "core/base/alloc.h"
#include "core/base/hash.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FRAME   (1 << 20)
#define SCAN_SLOTS  512  /* scanned in a compiled frame */
#define BASE_REACH  4096 /* bytes that a routine has below its base */
#define CACHE_SLOTS 4096 /* paths; hot code is looked up again and again */

struct path_cache {
	struct path_slot {
		uint32_t identity; /* of a blob; 0 = free */
		uint32_t at;
		enum code_way way;
		struct code_path path;
	} slots[CACHE_SLOTS];
};

/*
 * Returns the address of ContinuationEntry::_return_pc, or 0.  The tables have
 * it since JDK 25; JDK 21 has it as a symbol, unless libjvm is stripped.
 */
static uint64_t frames_find_entry_return(const struct process_view *v)
{
	uint64_t address;

	if (vm_structs_static(v->structs, "ContinuationEntry", "_return_pc",
			      &address))
		return address;
	return process_view_vm_symbol(v, "_ZN17ContinuationEntry10_return_pcE");
}

struct hotspot_frames *hotspot_frames_new(const struct arch *arch,
					  const struct process_view *view,
					  struct native_frames *native)
{
	struct hotspot_frames *h = xcalloc(1, sizeof(*h));

	h->arch = arch;
	h->memory = view->memory;
	h->code = view->code;
	h->native = native;
	h->methods = view->methods;
	h->paths = xcalloc(1, sizeof(*h->paths));
	h->entry_return = frames_find_entry_return(view);
	return h;
}

void hotspot_frames_free(struct hotspot_frames *h)
{
	if (!h)
		return;
	free(h->paths);
	free(h);
}

bool hotspot_frames_have_continuations(const struct hotspot_frames *h)
{
	return h->entry_return;
}

bool hotspot_read_code(struct hotspot_frames *h, const struct code_blob *b,
		       struct machine_code *code)
{
	code->bytes = code_cache_code(h->code, b);
	code->len = b->end - b->begin;
	return code->bytes;
}

const struct code_path *hotspot_path(struct hotspot_frames *h,
				     const struct code_blob *b, uint64_t pc,
				     enum code_way way)
{
	uint32_t at = (uint32_t)(pc - b->begin);
	uint64_t key = (uint64_t)b->identity << 32 | at;
	struct path_slot *s;
	struct machine_code code;

	s = &h->paths->slots[hash_mix(key, way) % CACHE_SLOTS];
	if (s->identity == b->identity && s->at == at && s->way == way)
		return &s->path;
	/* Code that is not readable now may become readable. */
	*s = (struct path_slot){ 0, at, way, { 0 } };
	if (hotspot_read_code(h, b, &code)) {
		s->identity = b->identity;
		h->arch->path[way](&code, at, &s->path);
	}
	return &s->path;
}

static bool blob_is_continuation(const struct code_blob *b)
{
	return b->kind == BLOB_STUB && strstr(b->name, "ontinuation");
}

static bool walk_read_word(struct walk *w, uint64_t base, int64_t words,
			   uint64_t *value)
{
	return walk_read(w, base + (uint64_t)(words * 8), value);
}

/* ---- belief ---- */

/* The contents of an interpreted frame at its base. */
struct interpreted {
	uint64_t method, sender_sp, pc, fp;
	const struct checked_method *checked;
};

static bool interpreted_read(struct hotspot_frames *h, struct walk *w,
			     uint64_t base, struct interpreted *i)
{
	const struct arch *a = h->arch;

	if (base & 7 || base < walk_sp(w) ||
	    base - walk_sp(w) > HOTSPOT_MAX_LOCALS ||
	    !walk_read_word(w, base, a->method, &i->method) ||
	    !walk_read_word(w, base, a->sender_sp, &i->sender_sp) ||
	    !walk_read_word(w, base, 1, &i->pc) ||
	    !walk_read_word(w, base, 0, &i->fp) ||
	    !code_cache_has(h->code, i->pc))
		return false;
	/*
	 * A linker of method handles pops a word, so the slot may be one word
	 * too low.
	 */
	if (i->sender_sp == base + 8)
		i->sender_sp = base + 16;
	if (i->sender_sp & 7 || i->sender_sp < base + 16 ||
	    i->sender_sp - base > HOTSPOT_MAX_LOCALS)
		return false;
	i->checked = method_check_find(h->methods, i->method);
	return i->checked->is_valid;
}

/* Returns the belief in a value that is in the blob. */
static enum belief blob_believe(struct hotspot_frames *h, struct walk *w,
				const struct code_blob *b, uint64_t value,
				uint64_t fp)
{
	struct interpreted frame;
	struct machine_code code;

	switch (b->kind) {
	case BLOB_INTERPRETER:
		/* Calls return to entries that no call instruction precedes. */
		h->interpreter = b->begin;
		return interpreted_read(h, w, fp, &frame) ? BELIEF_STRONG
							  : BELIEF_WEAK;
	case BLOB_ADAPTER:
		return BELIEF_WEAK;
	case BLOB_NMETHOD:
		if (value == b->deopt_handler || value == b->deopt_mh_handler)
			return BELIEF_STRONG;
		break;
	default:
		break;
	}
	if (hotspot_read_code(h, b, &code) &&
	    h->arch->is_after_call(&code, value - b->begin))
		return BELIEF_STRONG;
	return blob_is_continuation(b) ? BELIEF_STRONG : BELIEF_WEAK;
}

enum belief hotspot_believe(struct hotspot_frames *h, struct walk *w,
			    uint64_t value, uint64_t fp)
{
	const struct code_blob *b;

	if (!code_cache_has(h->code, value))
		return BELIEF_NONE;
	b = code_cache_find(h->code, value);
	return b ? blob_believe(h, w, b, value, fp) : BELIEF_NONE;
}

bool hotspot_is_return(struct hotspot_frames *h, struct walk *w, uint64_t slot,
		       uint64_t fp, enum belief wanted, uint64_t *value)
{
	return walk_read(w, slot, value) &&
	       hotspot_believe(h, w, *value, fp) >= wanted;
}

/* ---- rules that several kinds of code share ---- */

enum step hotspot_return(struct walk *w, uint64_t slot, uint64_t pc,
			 uint64_t fp, const char *rule)
{
	w->rule = rule;
	return walk_to(w, pc, slot + 8, fp);
}

uint64_t hotspot_fp_below(struct walk *w, uint64_t slot)
{
	uint64_t fp = walk_fp(w);

	if (slot >= walk_sp(w) + 8)
		walk_read(w, slot - 8, &fp);
	return fp;
}

bool hotspot_scan(struct hotspot_frames *h, struct walk *w, size_t slots,
		  uint64_t *slot, uint64_t *pc)
{
	*slot = walk_sp(w);
	for (size_t i = 0; i < slots; i++, *slot += 8)
		if (hotspot_is_return(h, w, *slot, walk_fp(w), BELIEF_STRONG,
				      pc))
			return true;
	return false;
}

/* Scans a frame that has saved its caller's FP below the return address. */
static bool step_by_frame_scan(struct hotspot_frames *h, struct walk *w)
{
	uint64_t slot = walk_sp(w), pc;

	for (size_t i = 0; i < SCAN_SLOTS; i++, slot += 8) {
		uint64_t fp = hotspot_fp_below(w, slot);

		if (hotspot_is_return(h, w, slot, fp, BELIEF_STRONG, &pc)) {
			hotspot_return(w, slot, pc, fp, "frame scan");
			return true;
		}
	}
	return false;
}

/*
 * If FP is the base of an interpreted frame and no return address is below it,
 * the caller is the interpreter: the return address may be in a register.
 */
bool hotspot_step_by_scan(struct hotspot_frames *h, struct walk *w)
{
	struct interpreted frame;
	uint64_t slot, pc;
	bool is_found = hotspot_scan(h, w, HOTSPOT_STUB_SLOTS, &slot, &pc);

	if (h->interpreter && (!is_found || slot >= walk_fp(w)) &&
	    interpreted_read(h, w, walk_fp(w), &frame)) {
		w->rule = "scan";
		walk_to(w, h->interpreter, walk_sp(w), walk_fp(w));
		return true;
	}
	if (is_found)
		hotspot_return(w, slot, pc, walk_fp(w), "scan");
	return is_found;
}

/*
 * Accepts a return address to native code, too, unless the wanted belief is
 * STRONG: C enters some routines.
 */
bool hotspot_step_by_base(struct hotspot_frames *h, struct walk *w,
			  enum belief wanted, uint64_t reach)
{
	uint64_t base = walk_fp(w), fp, pc;

	if (base & 7 || base < walk_sp(w) || base - walk_sp(w) > reach ||
	    !walk_read(w, base, &fp) || !walk_read(w, base + 8, &pc))
		return false;
	if (hotspot_believe(h, w, pc, fp) < wanted &&
	    (wanted == BELIEF_STRONG || !native_frames_has(h->native, pc)))
		return false;
	hotspot_return(w, base + 8, pc, fp, "frame base");
	return true;
}

/* Computes the address of a place; false when FP cannot be a base. */
static bool path_find_place(struct walk *w, const struct code_place *p,
			    uint64_t *address)
{
	uint64_t fp = walk_fp(w), sp = walk_sp(w);

	*address = (p->is_from_fp ? fp : sp) + (uint64_t)(int64_t)p->offset;
	return !p->is_from_fp || (!(fp & 7) && fp >= sp && fp - sp < MAX_FRAME);
}

/* Accepts the wanted belief, or a return address to native code. */
static bool step_by_path(struct hotspot_frames *h, struct walk *w,
			 const struct code_path *path, enum belief wanted)
{
	uint64_t slot, pc, saved, fp = walk_fp(w);

	if (!path->is_return ||
	    !path_find_place(w, &path->return_address, &slot) ||
	    !walk_read(w, slot, &pc))
		return false;
	if (path->has_saved_fp &&
	    (!path_find_place(w, &path->saved_fp, &saved) ||
	     !walk_read(w, saved, &fp)))
		return false;
	if (hotspot_believe(h, w, pc, fp) < wanted &&
	    (code_cache_has(h->code, pc) || !native_frames_has(h->native, pc)))
		return false;
	hotspot_return(w, slot, pc, fp, "path to return");
	return true;
}

static bool step_by_search(struct hotspot_frames *h, struct walk *w,
			   const struct code_blob *b, enum belief wanted)
{
	return step_by_path(h, w, hotspot_path(h, b, w->pc, WAY_SEARCH),
			    wanted);
}

/* ---- interpreted methods ---- */

static int32_t method_find_bci(const struct checked_method *m, uint64_t bcp)
{
	return bcp >= m->code && bcp - m->code < m->len
		       ? (int32_t)(bcp - m->code)
		       : -1;
}

static int32_t interpreted_find_bci(struct walk *w,
				    const struct checked_method *m,
				    uint64_t base)
{
	const struct arch *a = w->arch;
	uint64_t bcp;
	int32_t bci = -1;

	/* An interpreter that is running has it in a register. */
	if (w->is_exact && walk_knows(w, a->bcp_register))
		bci = method_find_bci(m, w->registers[a->bcp_register]);
	if (bci < 0 && walk_read_word(w, base, a->bcp, &bcp))
		bci = method_find_bci(m, bcp);
	if (bci < 0 && walk_read_word(w, base, a->bcp_before_mirror, &bcp))
		bci = method_find_bci(m, bcp);
	return bci;
}

/* Steps from an interpreted frame whose base is FP. */
static bool step_by_layout(struct hotspot_frames *h, struct walk *w,
			   struct unwound_frame *frame)
{
	struct interpreted i;

	if (!interpreted_read(h, w, walk_fp(w), &i))
		return false;
	frame->kind = UNWOUND_INTERPRETED;
	frame->method = i.method;
	frame->bci = interpreted_find_bci(w, i.checked, walk_fp(w));
	w->rule = "interpreter layout";
	walk_to(w, i.pc, i.sender_sp, i.fp);
	return true;
}

/*
 * Deoptimization is building an interpreter frame: FP is set, the method slot
 * is not.
 */
static bool step_by_unfinished(struct hotspot_frames *h, struct walk *w)
{
	uint64_t base = walk_fp(w), fp, pc, sender;

	if (base & 7 || base < walk_sp(w) ||
	    base - walk_sp(w) > HOTSPOT_MAX_LOCALS ||
	    !walk_read(w, base, &fp) || !walk_read(w, base + 8, &pc) ||
	    hotspot_believe(h, w, pc, fp) <
		    (fp > base ? BELIEF_WEAK : BELIEF_STRONG))
		return false;
	hotspot_return(w, base + 8, pc, fp, "unfinished frame");
	/*
	 * The JVM sets this slot first, so that it can walk the frame itself.
	 */
	if (walk_read_word(w, base, w->arch->sender_sp, &sender) &&
	    sender > base + 8 && sender - base < HOTSPOT_MAX_LOCALS &&
	    !(sender & 7))
		w->registers[w->arch->sp] = sender;
	return true;
}

static enum step interpreter_step(struct hotspot_frames *h, struct walk *w,
				  struct unwound_frame *frame,
				  const struct code_blob *b)
{
	if (step_by_layout(h, w, frame))
		return STEP_ON;
	if (w->is_exact)
		return h->arch->entry_step(h, w, frame, b);
	if (step_by_unfinished(h, w))
		return STEP_ON;
	return walk_lost(w, "an interpreted frame without a method");
}

/* ---- compiled methods ---- */

/* Steps from a complete frame that has `pushed` bytes more than its size. */
static bool step_by_size(struct hotspot_frames *h, struct walk *w,
			 const struct code_blob *b, uint32_t pushed,
			 enum belief wanted)
{
	uint64_t slot = walk_sp(w) + pushed + b->frame_bytes - 8, pc;
	uint64_t fp = hotspot_fp_below(w, slot);

	if (b->frame_bytes < 16 ||
	    !hotspot_is_return(h, w, slot, fp, wanted, &pc))
		return false;
	hotspot_return(w, slot, pc, fp, "frame size");
	return true;
}

static bool step_by_edge(struct hotspot_frames *h, struct walk *w,
			 const struct frame_edge *e, enum belief wanted,
			 const char *rule)
{
	uint64_t slot = walk_sp(w) + e->return_address, pc;
	uint64_t fp = walk_fp(w);

	if (e->saved_fp >= 0 &&
	    !walk_read(w, walk_sp(w) + (uint32_t)e->saved_fp, &fp))
		return false;
	if (!hotspot_is_return(h, w, slot, fp, wanted, &pc))
		return false;
	hotspot_return(w, slot, pc, fp, rule);
	return true;
}

static bool blob_is_in_prologue(const struct code_blob *b, uint64_t pc)
{
	return pc <= b->entry || (b->frame_complete >= 0 &&
				  pc - b->begin < (uint64_t)b->frame_complete);
}

/*
 * Steps from a leaf whose frame is complete or as far as its instructions tell.
 */
static bool step_by_leaf(struct hotspot_frames *h, struct walk *w,
			 const struct code_blob *b,
			 const struct machine_code *code, enum belief wanted)
{
	size_t at = w->pc - b->begin;
	size_t entry = b->entry - b->begin;
	struct frame_edge e = { 0, -1 };

	if (at <= entry)
		return step_by_edge(h, w, &e, wanted, "entry");
	if (b->frame_complete >= 0 && at < (size_t)b->frame_complete) {
		h->arch->prologue(code, entry, at, &e);
		return step_by_edge(h, w, &e, wanted, "prologue");
	}
	if (h->arch->epilogue(code, at, &e))
		return step_by_edge(h, w, &e, wanted, "epilogue");
	return step_by_size(h, w, b, 0, wanted);
}

/*
 * More may be on the stack than the frame size says: code around an out-of-line
 * call saves registers, and C1 pushes arguments of some routines.  The
 * instructions up to the return tell how much.  They need not lead straight to
 * a return: a method that may use the reserved zone of the stack checks for
 * that first.
 */
static bool step_by_way_out(struct hotspot_frames *h, struct walk *w,
			    const struct code_blob *b)
{
	const struct code_path *path = hotspot_path(h, b, w->pc, WAY_STRAIGHT);
	uint32_t given = path->given_back > 0 ? (uint32_t)path->given_back : 0;
	uint64_t slot = walk_sp(w) + given, pc;

	if (path->is_return)
		return step_by_path(h, w, path, BELIEF_STRONG);
	if (w->is_exact && step_by_search(h, w, b, BELIEF_STRONG))
		return true;
	if (!given || b->frame_bytes < 16)
		return false;
	if (given >= b->frame_bytes - 8) {
		uint64_t fp = hotspot_fp_below(w, slot);

		if (!hotspot_is_return(h, w, slot, fp, BELIEF_STRONG, &pc))
			return false;
		hotspot_return(w, slot, pc, fp, "jump out");
		return true;
	}
	return given < b->frame_bytes - 16 &&
	       step_by_size(h, w, b, given, BELIEF_STRONG);
}

/* A deoptimized frame returns to a handler.  Its original pc is in a slot. */
static void walk_restore_original_pc(struct walk *w, const struct code_blob *b)
{
	uint64_t pc;

	if (w->is_exact || b->original_pc < 0 || !w->pc ||
	    (w->pc != b->deopt_handler && w->pc != b->deopt_mh_handler))
		return;
	if (walk_read(w, walk_sp(w) + (uint32_t)b->original_pc, &pc) &&
	    pc >= b->begin && pc <= b->end)
		w->pc = pc;
}

static enum step compiled_step(struct hotspot_frames *h, struct walk *w,
			       struct unwound_frame *frame,
			       const struct code_blob *b)
{
	struct machine_code code = { NULL, 0 };
	bool has_code = hotspot_read_code(h, b, &code);

	frame->kind = UNWOUND_COMPILED;
	frame->method = b->method;
	walk_restore_original_pc(w, b);
	frame->pc = w->pc;
	/* A linker of method handles is a native method that only jumps. */
	if (b->kind == BLOB_NATIVE && !b->frame_bytes)
		return h->arch->adapter_step(h, w, b);
	if (b->kind == BLOB_NATIVE && step_by_search(h, w, b, BELIEF_STRONG))
		return STEP_ON;
	if (!(w->is_exact && blob_is_in_prologue(b, w->pc)) &&
	    step_by_way_out(h, w, b))
		return STEP_ON;
	/* Try STRONG first: a slot may hold an old return address. */
	for (enum belief wanted = BELIEF_STRONG; wanted >= BELIEF_WEAK;
	     wanted--) {
		if (w->is_exact && has_code
			    ? step_by_leaf(h, w, b, &code, wanted)
			    : step_by_size(h, w, b, 0, wanted))
			return STEP_ON;
		if (wanted == BELIEF_STRONG && w->is_exact &&
		    step_by_size(h, w, b, 0, BELIEF_STRONG))
			return STEP_ON;
	}
	if (w->is_cut)
		return STEP_CUT;
	if (step_by_frame_scan(h, w))
		return STEP_ON;
	return walk_lost(w, "a compiled frame without a return address");
}

/* ---- other routines ---- */

static enum step leaf_stub_step(struct hotspot_frames *h, struct walk *w,
				const struct code_blob *b)
{
	struct interpreted caller;
	uint64_t pc;

	if (step_by_search(h, w, b, BELIEF_STRONG))
		return STEP_ON;
	if (walk_read(w, walk_sp(w), &pc) && !code_cache_has(h->code, pc) &&
	    native_frames_has(h->native, pc))
		return hotspot_return(w, walk_sp(w), pc, walk_fp(w),
				      "called from C");
	/*
	 * If FP is not the base of an interpreted caller, FP is the base of
	 * this frame.
	 */
	if (!interpreted_read(h, w, walk_fp(w), &caller) &&
	    hotspot_step_by_base(h, w, BELIEF_STRONG, BASE_REACH))
		return STEP_ON;
	if (step_by_size(h, w, b, 0, BELIEF_STRONG) ||
	    hotspot_step_by_base(h, w, BELIEF_WEAK, BASE_REACH))
		return STEP_ON;
	if (hotspot_step_by_scan(h, w) ||
	    hotspot_step_by_base(h, w, BELIEF_WEAK, MAX_FRAME))
		return STEP_ON;
	return walk_lost(w, "a JVM routine without a return address");
}

static enum step stub_step(struct hotspot_frames *h, struct walk *w,
			   const struct code_blob *b)
{
	if (blob_is_continuation(b)) {
		/*
		 * Near its return, the routine is on the stack of the thawed
		 * frames.
		 */
		if (w->is_exact &&
		    step_by_path(h, w, hotspot_path(h, b, w->pc, WAY_STRAIGHT),
				 BELIEF_STRONG))
			return STEP_ON;
		return hotspot_continuation_step(h, w, b);
	}
	if (w->is_exact)
		return leaf_stub_step(h, w, b);
	/* No call precedes the pc of a safepoint poll, so accept WEAK. */
	if (step_by_size(h, w, b, 0, BELIEF_WEAK) ||
	    step_by_search(h, w, b, BELIEF_WEAK) ||
	    hotspot_step_by_base(h, w, BELIEF_WEAK, MAX_FRAME) ||
	    step_by_frame_scan(h, w))
		return STEP_ON;
	return walk_lost(w, "a JVM routine without a return address");
}

bool hotspot_frames_call_native(struct hotspot_frames *h, struct walk *w)
{
	const struct code_blob *b = code_cache_find(h->code, w->pc);

	return b && (b->kind == BLOB_NATIVE || b->kind == BLOB_INTERPRETER) &&
	       blob_believe(h, w, b, w->pc, walk_fp(w)) == BELIEF_STRONG;
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
					 ? "generated code that was freed"
					 : "more generated code than the limit "
					   "of a batch");
	}
	switch (b->kind) {
	case BLOB_INTERPRETER:
		return interpreter_step(h, w, frame, b);
	case BLOB_NMETHOD:
	case BLOB_NATIVE:
		return compiled_step(h, w, frame, b);
	case BLOB_ADAPTER:
		return h->arch->adapter_step(h, w, b);
	default:
		return stub_step(h, w, b);
	}
}
