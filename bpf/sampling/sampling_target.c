/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/sampling_target.h"

#include "bpf/gc_probes.h"
#include "bpf/sampling/monitor_exits.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/hotspot/object_class.h"
#include "core/jvm/procfs.h"
#include "core/profile/java_name.h"
#include "jvmti/client/client_fences.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * The places where threads have waited, and their stack traces.  If a thread
 * waits too often, only a random part of its waits have a whole copy of the
 * stack.  The others get the stack trace of another wait of the thread that has
 * the same instruction and stack pointer, and the same return addresses in the
 * bytes that were copied.
 */
enum { WAITS = 1 << 11, WAIT_WAYS = 4, WAIT_RETURNS = 12 };

struct sampling_wait {
	uint64_t place;
	uint32_t stack, count;
	bool is_used; /* in the current window */
	struct {
		uint32_t offset;
		uint64_t pc;
	} returns[WAIT_RETURNS];
};

/* Threads start and end, so a missing anchor is searched again after this. */
#define ANCHORS_NS CLOCK_NS_PER_S

/* Bytes of the names of a JVM that are kept from one batch to the next. */
#define NAMES_MOST ((size_t)16 << 20)

void sampling_target_free(struct sampling_target *t)
{
	if (!t)
		return;
	agent_client_close(t->agent);
	gc_source_close(t->gc);
	free(t->waits);
	monitor_exits_free(t->exits);
	sampling_target_free_blocks(t);
	sampling_threads_free(t->threads);
	sampling_frames_free(t->frames);
	java_threads_free(t->owners);
	object_classes_free(t->classes);
	vm_symbols_close(t->metadata);
	unwinder_free(t->unwinder);
	process_view_close(t->view);
	text_release(&t->no_names);
	text_release(&t->no_alloc);
	text_release(&t->name);
	text_release(&t->about);
	free(t->copied);
	map64_release(&t->anchor_of);
	free(t->anchor_at);
	if (t->profile != t->shared->profile)
		profile_free(t->profile);
	jvm_close(&t->jvm);
	free(t);
}

/* Adds the records that the agent omitted. */
static void target_add_unrecorded(const struct sampling_target *t,
				  struct sampling_counts *counts)
{
	struct agent_costs costs = { .lost = t->unrecorded,
				     .delayed = t->delayed };

	if (t->agent)
		agent_client_costs(t->agent, &costs);
	counts->unrecorded += costs.lost;
	counts->delayed += costs.delayed;
}

void sampling_target_counts(const struct sampling_target *t,
			    struct sampling_counts *counts)
{
	counts->samples += t->samples;
	counts->stalls += remote_memory_stalls(t->view->remote);
	counts->unnamed += sampling_frames_unnamed(t->frames);
	counts->classless += t->classless;
	counts->ownerless += t->ownerless;
	counts->methodless += t->methodless;
	target_add_unrecorded(t, counts);
	counts->files += t->view->images->files.missed;
	if (t->view->code)
		counts->refused += code_cache_refused(t->view->code);
}

uint64_t sampling_target_changes(const struct sampling_target *t)
{
	return sampling_frames_unnamed(t->frames) + process_view_gone(t->view);
}

void sampling_target_retire(struct sampling_target *t)
{
	struct sampling_shared *s = t->shared;

	if (t->gc)
		t->gc->is_ending = true;
	sampling_target_read_pauses(t, INT64_MAX);
	sampling_target_add_live(t, clock_monotonic_ns());
	sampling_target_counts(t, &s->counts);
	if (s->o->separate) {
		array_add(s->ended, s->ended_count, s->ended_cap,
			  (struct profile_part){
				  .about = t->about,
				  .profile = t->profile,
			  });
		t->about = (struct text){ 0 };
		t->profile = s->profile;
	}
	sampling_target_free(t);
}

uint32_t sampling_target_copy_stack(struct sampling_target *t, uint32_t stack)
{
	const struct profile *from = t->before;
	uint32_t *missing = NULL, copied;
	size_t count = 0, cap = 0;

	if (!t->copied)
		t->copied = xcalloc(from->stack_count + 1, sizeof(*t->copied));
	for (; stack && !t->copied[stack]; stack = from->stacks[stack].caller) {
		array_add(missing, count, cap, stack);
	}
	copied = t->copied[stack];
	while (count-- > 0) {
		struct frame
			f = from->frames[from->stacks[missing[count]].frame];
		const char *class_name = profile_text(from, f.class_name);
		const char *method = profile_text(from, f.method);

		f.class_name = profile_string(t->profile, class_name,
					      strlen(class_name));
		f.method = profile_string(t->profile, method, strlen(method));
		copied = profile_push(t->profile, copied,
				      profile_frame(t->profile, &f));
		t->copied[missing[count]] = copied;
	}
	free(missing);
	return copied;
}

void sampling_target_renew_wait(struct sampling_target *t,
				struct sample_event *e)
{
	e->stack = sampling_target_copy_stack(t, e->stack);
	if (e->owner)
		e->owner = sampling_threads_copy(t->before, t->profile,
						 (uint32_t)e->owner);
}

void sampling_target_end_renewal(struct sampling_target *t)
{
	t->before = NULL;
	free(t->copied);
	t->copied = NULL;
}

static void target_adopt_wait(void *self, struct sample_event *e)
{
	struct sampling_target *t = self;

	if (e->tgid == (uint32_t)t->jvm.pid)
		sampling_target_renew_wait(t, e);
}

void sampling_target_replace(struct sampling_target *t,
			     struct sampling_target *by)
{
	/* execve(2) has freed the memory of a program that has ended. */
	if (t->has_ended)
		sampling_target_free_blocks(t);
	if (t->profile != by->profile) {
		by->before = t->profile;
		sampler_each_known_wait(t->shared->sampler, target_adopt_wait,
					by);
		sampling_target_move_blocks(t, by);
		sampling_target_end_renewal(by);
	} else {
		sampling_target_move_blocks(t, by);
	}
	/* The probe of the other target has counted the pauses after that. */
	if (by->gc) {
		sampling_target_read_pauses(t, clock_wall_of(by->gc->begin_ns));
		gc_source_close(t->gc);
		t->gc = NULL;
	}
	sampling_target_retire(t);
}

void sampling_target_drop_caches(struct sampling_target *t)
{
	sampling_frames_drop(t->frames);
	if (t->view->code)
		code_cache_drop(t->view->code);
	if (t->metadata)
		vm_symbols_drop(t->metadata);
	t->batch = 0;
	t->has_dropped = true;
}

/* Forgets the places where no thread waited in the window before. */
static void target_renew_places(struct sampling_target *t)
{
	for (size_t i = 0; t->waits && i < (size_t)WAITS * WAIT_WAYS; i++) {
		struct sampling_wait *w = &t->waits[i];

		w->stack = w->is_used ? sampling_target_copy_stack(t, w->stack)
				      : 0;
		w->is_used = false;
	}
}

void sampling_target_renew(struct sampling_target *t, struct profile *p)
{
	t->before = t->profile;
	t->profile = p;
	t->has_dropped = false;
	sampling_frames_renew(t->frames, p);
	sampling_threads_renew(t->threads, p);
	target_renew_places(t);
	sampling_target_renew_blocks(t);
	/* All waits have been cut. */
	if (t->exits)
		monitor_exits_clear(t->exits);
	sampling_target_note_virtual_threads(t);
}

/* Counts files whose tables exceed the memory limit, and names the first. */
static void target_count_cut(struct sampling_target *t)
{
	const char *name;
	uint64_t cut = process_images_cut(t->view->images, &name);

	if (cut <= t->cut)
		return;
	t->shared->counts.cut += cut - t->cut;
	if (!t->cut)
		sampling_notify(t->shared->o, SAMPLING_LOSS,
				"%s: %s has too large symbol tables for the "
				"memory limit; some functions have no names",
				t->name.bytes, name);
	t->cut = cut;
}

void sampling_target_begin(struct sampling_target *t)
{
	struct error why;

	t->read_ns = clock_monotonic_ns();
	process_view_begin(t->view);
	/* A JVM loads classes and compiles methods for days. */
	if (t->metadata && vm_symbols_bytes(t->metadata) > NAMES_MOST)
		vm_symbols_drop(t->metadata);
	if (t->metadata)
		vm_symbols_begin(t->metadata);
	if (t->classes)
		object_classes_begin(t->classes);
	if (t->owners)
		java_threads_begin(t->owners);
	sampling_frames_batch(t->frames);
	if (t->agent && agent_client_read(t->agent, &why)) {
		struct sampling_counts counts = { 0 };
		struct sampling_names names;

		sampling_notify(t->shared->o, SAMPLING_INFO,
				"%s: lost the sjkc agent, names come from the "
				"JVM's memory: "
				"%s",
				t->name.bytes, why.text);
		if (sampling_target_needs_agent(t))
			profile_lost(
				t->profile, "the sjkc agent was lost", 1,
				"no allocations and lock waits after that");
		target_add_unrecorded(t, &counts);
		t->unrecorded = counts.unrecorded;
		t->delayed = counts.delayed;
		agent_client_close(t->agent);
		t->agent = NULL;
		names = sampling_target_names(t);
		sampling_frames_set_names(t->frames, &names);
	}
	sampling_threads_refresh(t->threads);
	target_count_cut(t);
}

static void shared_count_why(struct sampling_shared *s, const char *why)
{
	size_t i = 0;

	while (i < SAMPLING_WHYS - 1 && s->whys[i].why && s->whys[i].why != why)
		i++;
	s->whys[i].why = why;
	s->whys[i].count++;
}

enum sampling_end sampling_target_count_end(struct sampling_target *t,
					    const struct unwound *u,
					    enum sampling_end cut,
					    uint64_t missed)
{
	struct sampling_shared *s = t->shared;
	enum sampling_end end = SAMPLING_END_LOST;

	if (u->end == UNWIND_ROOT)
		end = SAMPLING_END_ROOT;
	else if (remote_memory_missed(t->view->remote) != missed)
		end = SAMPLING_END_STALLED;
	else if (u->end == UNWIND_CUT)
		end = cut;
	else if (u->end == UNWIND_DEEP)
		end = SAMPLING_END_FRAMES;
	s->ends[end]++;
	s->anchored += u->is_anchored;
	if (end == SAMPLING_END_LOST)
		shared_count_why(s, u->why);
	return end;
}

const char *sampling_end_frame(enum sampling_end end)
{
	static const char *const frames[SAMPLING_ENDS] = {
		[SAMPLING_END_BYTES] = "[truncated at --stack-bytes]",
		[SAMPLING_END_FRAMES] = "[truncated at --max-stack]",
		[SAMPLING_END_PAGE] = "[truncated: stack not in memory]",
		[SAMPLING_END_OFTEN] = "[truncated: stack not copied]",
		[SAMPLING_END_EARLIER] = "[truncated: began before sampling]",
		[SAMPLING_END_STALLED] = "[truncated: memory read timed out]",
	};

	return frames[end];
}

/*
 * Sets the end of a thread's stack, so that later copies stop there: most
 * stacks are much smaller than the maximum.  The TID may have been reused by a
 * thread whose stack ends elsewhere.
 */
static void target_note_stack_end(struct sampling_target *t,
				  const struct sample_event *e,
				  const struct unwound *u)
{
	pid_t tid = (pid_t)e->tid;
	uint64_t *known = sampling_threads_stack_end(t->threads, tid);
	uint64_t end = *known;

	if (u->end == UNWIND_ROOT && u->root_sp > end)
		end = u->root_sp;
	else if (u->end == UNWIND_CUT)
		end = 0;
	if (end != *known)
		sampler_stack_end(t->shared->sampler, tid, end);
	*known = end;
}

struct unwind_start sampling_target_registers(const struct sampling_target *t,
					      const __u64 *regs)
{
	return (struct unwind_start){
		.pc = regs[SAMPLE_IP],
		.registers[DWARF_SP] = regs[SAMPLE_SP],
		.registers[DWARF_BP] = regs[SAMPLE_BP],
		.registers[DWARF_BX] = regs[SAMPLE_BX],
		.registers[12] = regs[SAMPLE_R12],
		.registers[13] = regs[SAMPLE_R13],
		.registers[14] = regs[SAMPLE_R14],
		.registers[15] = regs[SAMPLE_R15],
		.registers[DWARF_AX] = regs[SAMPLE_AX],
		.max_frames = t->shared->o->max_stack,
	};
}

static struct sampling_wait *target_find_waits(struct sampling_target *t,
					       const struct sample_event *e,
					       uint64_t *place)
{
	*place = hash_mix(e->regs[SAMPLE_IP] ^ (uint64_t)e->tid << 48,
			  e->regs[SAMPLE_SP]);
	if (!t->waits)
		t->waits = xcalloc((size_t)WAITS * WAIT_WAYS,
				   sizeof(*t->waits));
	return &t->waits[*place % WAITS * WAIT_WAYS];
}

static bool copy_has_return(const struct sample_event *e, const uint8_t *stack,
			    uint32_t offset, uint64_t pc)
{
	uint64_t value;

	if (e->stack_bytes < 8 || offset > e->stack_bytes - 8)
		return false;
	memcpy(&value, stack + offset, sizeof(value));
	return value == pc;
}

/* Keeps a return address that is in a short copy of the stack. */
static void wait_add_return(struct sampling_wait *w,
			    const struct sample_event *e, const uint8_t *stack,
			    uint64_t address, uint64_t pc)
{
	uint64_t offset = address - e->regs[SAMPLE_SP];

	if (w->count == WAIT_RETURNS || offset > SAMPLE_GLANCE - 8 ||
	    !copy_has_return(e, stack, (uint32_t)offset, pc))
		return;
	w->returns[w->count].offset = (uint32_t)offset;
	w->returns[w->count++].pc = pc;
}

static bool wait_fits(const struct sampling_wait *w,
		      const struct sample_event *e, const uint8_t *stack)
{
	for (uint32_t i = 0; i < w->count; i++)
		if (!copy_has_return(e, stack, w->returns[i].offset,
				     w->returns[i].pc))
			return false;
	return w->stack && w->count;
}

/* Keeps a walked wait, the latest wait of a place first. */
static void target_note_wait(struct sampling_target *t,
			     const struct sample_event *e, const uint8_t *stack,
			     const struct unwound *u)
{
	struct sampling_wait *w, new = { 0 };
	size_t at = 0;

	if (e->kind != SAMPLE_OFFCPU || u->end != UNWIND_ROOT)
		return;
	w = target_find_waits(t, e, &new.place);
	for (size_t i = 1; i < u->count; i++) {
		wait_add_return(&new, e, stack, u->frames[i].sp - 8,
				u->frames[i].pc);
		wait_add_return(&new, e, stack, u->frames[i - 1].bp + 8,
				u->frames[i].pc);
	}
	/* Replaces an equal wait, or the oldest. */
	while (at < WAIT_WAYS - 1 &&
	       !(w[at].place == new.place &&wait_fits(&w[at], e, stack)))
		at++;
	memmove(w + 1, w, at * sizeof(*w));
	*w = new;
	w->is_used = true;
	t->wait = w;
}

static uint32_t target_estimate_stack(struct sampling_target *t,
				      const struct sample_event *e,
				      const uint8_t *stack)
{
	uint64_t place;
	struct sampling_wait *w;

	if (!(e->flags & SAMPLE_LEFT_OUT) || !e->stack_bytes)
		return 0;
	w = target_find_waits(t, e, &place);
	for (size_t i = 0; i < WAIT_WAYS; i++, w++)
		if (w->place == place && wait_fits(w, e, stack)) {
			t->shared->estimated++;
			w->is_used = true;
			return w->stack;
		}
	return 0;
}

/* Returns the reason why the copy of the stack ended before the walk. */
static enum sampling_end sample_cut_reason(const struct sample_event *e)
{
	if (e->flags & SAMPLE_LEFT_OUT)
		return SAMPLING_END_OFTEN;
	if (e->flags & SAMPLE_BEGAN_EARLIER)
		return SAMPLING_END_EARLIER;
	return e->flags & SAMPLE_STACK_CUT ? SAMPLING_END_BYTES
					   : SAMPLING_END_PAGE;
}

/* Reports how a stack was unwound, if it is one of the first of its kind. */
static void target_trace_walk(struct sampling_target *t,
			      const struct sample_event *e,
			      const struct unwound *u)
{
	struct sampling_shared *s = t->shared;
	struct sampling_names names = sampling_target_names(t);
	uint64_t hash = unwound_hash(u);
	struct text line = { 0 };

	if (s->traced.count >= s->o->trace_walks ||
	    map64_get(&s->traced, hash) != MAP64_NONE)
		return;
	map64_add(&s->traced, hash, (uint32_t)s->traced.count);
	sampling_notify(s->o, SAMPLING_INFO, "walk %zu: %s, thread %u \"%s\"",
			(size_t)s->traced.count, t->name.bytes,
			(unsigned)e->tid, e->comm);
	for (size_t i = 0; i < u->count; i++) {
		text_clear(&line);
		unwound_describe(u, i, names.agent, names.metadata, e->time_ns,
				 &line);
		sampling_notify(s->o, SAMPLING_INFO, "%s", line.bytes);
	}
	text_release(&line);
}

/* ---- anchors ---- */

/* Stores the places of all threads, and gives new ones to the sampler. */
static void target_read_anchors(struct sampling_target *t)
{
	struct java_anchor_place *all;
	size_t count;

	t->anchors_ns = clock_monotonic_ns();
	if (!t->view->structs ||
	    (!t->anchors.anchor &&
	     !java_anchor_layout_read(&t->anchors, t->view->structs)))
		return;
	count = java_anchors_read(&t->anchors, t->view->memory, &all);
	for (size_t i = 0; i < count; i++) {
		pid_t tid = sampling_threads_here(t->threads, all[i].ns_tid);
		uint32_t at = map64_get(&t->anchor_of, (uint64_t)tid);

		if (!tid)
			continue;
		if (at == MAP64_NONE) {
			at = (uint32_t)t->anchor_count++;
			array_reserve(t->anchor_at, t->anchor_cap, at + 1);
			map64_add(&t->anchor_of, (uint64_t)tid, at);
		} else if (t->anchor_at[at] == all[i].address) {
			continue;
		}
		t->anchor_at[at] = all[i].address;
		sampler_set_anchor(t->shared->sampler, tid, all[i].address);
	}
	free(all);
}

static struct unwind_anchor target_anchor(const struct sampling_target *t,
					  const __u64 *words)
{
	return (struct unwind_anchor){
		.is_known = true,
		.sp = words[t->anchors.sp],
		.fp = words[t->anchors.fp],
		.pc = words[t->anchors.pc],
	};
}

bool sampling_target_find_anchor(struct sampling_target *t, pid_t tid,
				 struct unwind_anchor *anchor)
{
	__u64 words[JAVA_ANCHOR_WORDS];
	uint32_t at;

	if (!t->anchors_ns ||
	    (t->read_ns - t->anchors_ns > ANCHORS_NS &&
	     map64_get(&t->anchor_of, (uint64_t)tid) == MAP64_NONE))
		target_read_anchors(t);
	at = map64_get(&t->anchor_of, (uint64_t)tid);
	if (at == MAP64_NONE || !memory_read(t->view->memory, t->anchor_at[at],
					     words, sizeof(words)))
		return false;
	*anchor = target_anchor(t, words);
	return anchor->sp != 0;
}

static void target_walk(struct sampling_target *t, const struct sample_event *e,
			const uint8_t *stack)
{
	struct unwind_start from = sampling_target_registers(t, e->regs);
	uint64_t missed = remote_memory_missed(t->view->remote);
	enum sampling_end end;
	struct unwound u;

	from.stack = stack;
	from.stack_bytes = e->stack_bytes;
	if (e->flags & SAMPLE_HAS_ANCHOR)
		from.anchor = target_anchor(t, e->anchor);
	unwinder_walk(t->unwinder, &from, &u);
	if (u.end == UNWIND_LOST && !(e->flags & SAMPLE_HAS_ANCHOR))
		sampling_target_find_anchor(t, (pid_t)e->tid, &from.anchor);
	/*
	 * Read the memory again for the next sample, which may not need the
	 * part that stalled.
	 */
	if (remote_memory_missed(t->view->remote) != missed)
		t->batch = 0;
	end = sampling_target_count_end(t, &u, sample_cut_reason(e), missed);
	t->end = end;
	if (t->shared->o->trace_walks)
		target_trace_walk(t, e, &u);
	target_note_stack_end(t, e, &u);
	target_note_wait(t, e, stack, &u);
	sampling_frames_user(t->frames, &u, sampling_end_frame(end),
			     e->time_ns);
}

uint32_t sampling_target_stack(struct sampling_target *t)
{
	const struct sampling_options *o = t->shared->o;

	if ((o->all || o->several) && !o->separate)
		sampling_frames_root(t->frames, t->name.bytes);
	return sampling_frames_stack(t->frames);
}

void sampling_target_add(struct sampling_target *t, unsigned wanted,
			 struct sample *sample)
{
	struct sampling_shared *s = t->shared;

	for (unsigned left = wanted & s->o->events; left; left &= left - 1) {
		sample->event = s->events[__builtin_ctz(left)];
		profile_add(t->profile, sample);
	}
	t->samples += sample->count;
}

/* ---- pauses ---- */

static uint32_t target_push_words(struct sampling_target *t, uint32_t stack,
				  const char *first, const char *words)
{
	struct frame frame = { .kind = FRAME_SYNTHETIC };
	struct text name = { 0 };

	if (!words || !*words)
		return stack;
	text_printf(&name, "%s%s", first, words);
	frame.method = profile_string(t->profile, name.bytes, name.len);
	text_release(&name);
	return profile_push(t->profile, stack,
			    profile_frame(t->profile, &frame));
}

static void target_add_pause(struct sampling_target *t,
			     const struct gc_pause *p)
{
	struct sample sample = {
		.count = p->count,
		.weight = (uint64_t)p->stopped_ns,
		.time_ns = p->end_ns - p->stopped_ns,
		.duration_ns = (uint64_t)p->stopped_ns,
	};
	const char *collector = p->collector ? p->collector
					     : t->gc->collector.bytes;

	sample.stack = target_push_words(t, 0, "GC pause ",
					 collector ? collector : "");
	sample.stack = target_push_words(t, sample.stack, "",
					 gc_kind_name(p->kind));
	sample.stack = target_push_words(t, sample.stack, "", p->cause);
	sampling_target_add(t, SAMPLING_GC, &sample);
}

void sampling_target_read_pauses(struct sampling_target *t, int64_t until_ns)
{
	struct gc_lost lost = { 0 };
	struct gc_pause p;

	if (!t->gc)
		return;
	while (gc_source_next(t->gc, &p, error_unused()) == GC_NEXT_RECORD)
		if (gc_pause_is_collection(&p) && p.count && p.stopped_ns > 0 &&
		    p.end_ns <= until_ns)
			target_add_pause(t, &p);
	gc_source_lost(t->gc, &lost);
	if (lost.pauses + lost.records > t->gc_lost)
		profile_lost(t->profile, "pauses for garbage collection lost",
			     lost.pauses + lost.records - t->gc_lost,
			     "no record from the probe");
	t->gc_lost = lost.pauses + lost.records;
}

/*
 * Returns true for a call of the agent's function: all its kernel frames belong
 * to the uprobe.
 */
static bool sample_is_call(const struct sample_event *e)
{
	return e->kind == SAMPLE_ALLOC || e->kind == SAMPLE_LOCK ||
	       e->kind == SAMPLE_PROBE;
}

static uint32_t target_find_stack(struct sampling_target *t,
				  const struct sample_event *e,
				  const uint64_t *kernel, const uint8_t *stack)
{
	const struct sampling_options *o = t->shared->o;
	uint32_t known = target_estimate_stack(t, e, stack);

	t->wait = NULL;
	t->end = SAMPLING_END_ROOT;
	if (known)
		return known;
	sampling_frames_begin(t->frames);
	if (!o->only_user && !sample_is_call(e))
		sampling_frames_kernel(t->frames, kernel, e->kernel_frames);
	if (e->kind == SAMPLE_OFFCPU)
		sampling_frames_drop_hook(t->frames);
	if (!o->only_kernel && !(e->flags & SAMPLE_NO_USER))
		target_walk(t, e, stack);
	if (sample_is_call(e))
		sampling_frames_drop_callback(t->frames);
	if (e->kind == SAMPLE_PROBE)
		sampling_frames_drop_class(t->frames, "java.lang.SjkcTrace");
	return sampling_target_stack(t);
}

/* Returns the allocated or locked class; 0 = it could not be read. */
static uint32_t target_find_class(struct sampling_target *t,
				  const struct sample_event *e)
{
	const uint64_t header[2] = { e->object[0], e->object[1] };
	const char *name = NULL;
	size_t len;

	if (t->classes && e->flags & SAMPLE_HAS_OBJECT)
		name = object_classes_name(t->classes, header, &len);
	if (name)
		return java_class_name(t->profile, name, len);
	t->classless++;
	return 0;
}

/* Returns the monitor's owner when the wait began; 0 = unknown. */
static uint32_t target_find_owner(struct sampling_target *t,
				  const struct sample_event *e)
{
	struct monitor_owner owner;
	uint32_t id = 0;

	if (t->owners && e->flags & SAMPLE_HAS_OWNER &&
	    java_threads_owner(t->owners, e->owner, &owner))
		id = sampling_threads_owner(t->threads, &owner,
					    (int64_t)e->time_ns);
	t->ownerless += t->owners && !id;
	return id;
}

/* Sets the stack trace and the owner of a monitor. */
static void target_find_place(struct sampling_target *t,
			      const struct sample_event *e,
			      const uint64_t *kernel, const uint8_t *stack,
			      struct sample *sample)
{
	if (e->stack) {
		sample->stack = e->stack;
		sample->owner = (uint32_t)e->owner;
		t->wait = NULL;
		t->end = SAMPLING_END_ROOT;
		return;
	}
	sample->stack = target_find_stack(t, e, kernel, stack);
	if (e->kind == SAMPLE_LOCK)
		sample->owner = target_find_owner(t, e);
	if (sample_is_call(e) && e->kind != SAMPLE_PROBE)
		sample->stack = profile_push_class(t->profile, sample->stack,
						   target_find_class(t, e));
	if (e->kind == SAMPLE_FAULT)
		sample->stack = profile_push_class(
			t->profile, sample->stack,
			sampling_target_fault_kind(t, e));
	if (t->wait)
		t->wait->stack = sample->stack;
}

/* Keeps the method that holds the monitor which the thread releases. */
static void target_add_exit(struct sampling_target *t,
			    const struct sample_event *e, const uint8_t *stack)
{
	uint32_t holder;

	if (!t->exits)
		return;
	sampling_threads_id(t->threads, (pid_t)e->tid, e->comm);
	sampling_frames_begin_release(t->frames);
	target_walk(t, e, stack);
	holder = sampling_frames_holder(t->frames);
	if (holder)
		monitor_exits_add(t->exits, e->monitor, e->time_ns, holder,
				  e->weight > 1);
}

/*
 * Adds a wait for a monitor: a part for each method that held it meanwhile.
 * The longest part has the count.
 */
static void target_add_lock_wait(struct sampling_target *t,
				 const struct sample_event *e,
				 struct sample *sample)
{
	int64_t epoch_ns = t->shared->epoch_ns;
	struct monitor_part parts[MONITOR_PARTS];
	uint64_t from_ns = (uint64_t)(sample->time_ns - epoch_ns);
	size_t count = 0, longest = 0;

	if (t->exits && e->monitor)
		count = monitor_exits_split(t->exits, e->monitor, from_ns,
					    from_ns + sample->weight, parts);
	if (!count) {
		t->methodless += t->exits != NULL;
		sampling_target_add(t, SAMPLING_LOCK, sample);
		return;
	}
	for (size_t i = 1; i < count; i++)
		if (parts[i].ns > parts[longest].ns)
			longest = i;
	for (size_t i = 0; i < count; i++) {
		sample->time_ns = (int64_t)parts[i].from_ns + epoch_ns;
		sample->weight = sample->duration_ns = parts[i].ns;
		sample->count = i == longest;
		sample->owner_frame = parts[i].frame;
		sampling_target_add(t, SAMPLING_LOCK, sample);
	}
}

/* Adds a sample that has its stack trace. */
static void target_add_sample(struct sampling_target *t,
			      const struct sample_event *e,
			      struct sample *sample)
{
	/* A kind of sample may belong to several events. */
	static const unsigned of[SAMPLE_KINDS] = {
		[SAMPLE_CPU] = SAMPLING_CPU | SAMPLING_WALL,
		[SAMPLE_OFFCPU] = SAMPLING_OFFCPU | SAMPLING_WALL,
		[SAMPLE_ALLOC] = SAMPLING_ALLOC,
		[SAMPLE_LOCK] = SAMPLING_LOCK,
		[SAMPLE_PROBE] = SAMPLING_PROBE,
		[SAMPLE_FAULT] = SAMPLING_PAGEFAULT,
	};
	bool is_wait = e->kind == SAMPLE_OFFCPU || e->kind == SAMPLE_LOCK;
	struct sampling_shared *s = t->shared;
	int64_t from_ns = (int64_t)e->time_ns;

	sample->count = 1;
	sample->weight = e->kind == SAMPLE_CPU     ? s->tick_ns
			 : e->kind == SAMPLE_FAULT ? e->weight * s->fault_bytes
						   : e->weight;
	/* The windows before have the time of a thread that slept then. */
	if (e->flags & SAMPLE_BEGAN_EARLIER && from_ns < s->window_ns) {
		int64_t end_ns = from_ns + (int64_t)e->weight;

		from_ns = s->window_ns;
		sample->weight = end_ns > from_ns ? (uint64_t)(end_ns - from_ns)
						  : 0;
	}
	sample->time_ns = from_ns + s->epoch_ns;
	sample->duration_ns = is_wait ? sample->weight : 0;
	if (is_wait && !sample->weight)
		return;
	if (e->kind == SAMPLE_OFFCPU) {
		s->waited_ns += sample->weight;
		s->ends_ns[t->end] += sample->weight;
	}
	if (e->kind == SAMPLE_LOCK)
		target_add_lock_wait(t, e, sample);
	else
		sampling_target_add(t, of[e->kind], sample);
}

void sampling_target_sample(struct sampling_target *t,
			    const struct sample_event *e,
			    const uint64_t *kernel, const uint8_t *stack)
{
	struct sample sample = { 0 };

	if (e->kind >= SAMPLE_KINDS)
		return;
	if (e->kind == SAMPLE_EXIT) {
		target_add_exit(t, e, stack);
		return;
	}
	if (e->kind == SAMPLE_MAP && !sampling_target_wants_map(t, e))
		return;
	sample.thread = sampling_threads_id(t->threads, (pid_t)e->tid, e->comm);
	/* After the thread got its id: a short wait still shows that it ran. */
	if (e->kind == SAMPLE_OFFCPU && !(e->flags & SAMPLE_CONTINUED) &&
	    e->weight < (uint64_t)t->shared->o->min_blocked_ns)
		return;
	target_find_place(t, e, kernel, stack, &sample);
	if (e->kind == SAMPLE_BLOCK)
		sampling_target_add_block(t, e, &sample);
	else if (e->kind == SAMPLE_MAP)
		sampling_target_add_map(t, e, &sample);
	else
		target_add_sample(t, e, &sample);
}

void sampling_target_part(struct sampling_target *t, struct sample_event *e,
			  const uint64_t *kernel, const uint8_t *stack)
{
	struct sample sample = { 0 };

	/* A thread that sleeps since before sampling has no sample yet. */
	sample.thread = e->flags & SAMPLE_BEGAN_EARLIER
				? sampling_threads_sleeper(t->threads,
							   (pid_t)e->tid)
				: sampling_threads_id(t->threads, (pid_t)e->tid,
						      e->comm);
	target_find_place(t, e, kernel, stack, &sample);
	target_add_sample(t, e, &sample);
	e->stack = sample.stack;
	e->owner = sample.owner;
}
