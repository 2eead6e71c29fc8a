/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/sampling_frames.h"

#include "bpf/kernel_names.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/idtable.h"
#include "core/base/intern.h"
#include "core/base/map64.h"
#include "core/elf/demangle.h"
#include "core/profile/frame_name.h"
#include "core/profile/java_name.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of methods that are inlined into one another at a pc. */
enum { INLINED = 256 };

/* Code that is generated and freed again must not fill memory. */
#define PLACES ((size_t)1 << 20)
#define IDS    ((size_t)1 << 24)

/* The profile frames of an address, innermost first. */
struct place {
	uint64_t address;
	uint64_t code;  /* a blob's identity, an image, or a Method* */
	uint32_t kind;  /* enum unwound_kind, or KERNEL; EXACT, CAUTIOUS */
	uint32_t batch; /* when it was looked up */
	uint32_t first, count;
};

enum { KERNEL = 100, EXACT = 1 << 16, CAUTIOUS = 1 << 17 };

struct sampling_frames {
	struct profile *profile;
	struct sampling_names names;
	struct idtable table; /* of places; ids are 1 + index */
	struct place *places;
	size_t place_count, place_cap;
	uint32_t *ids; /* frame ids of all places */
	size_t id_count, id_cap;
	uint32_t *stack; /* the current stack trace */
	size_t depth, depth_cap;
	bool is_cautious; /* about the next Java frame */
	uint32_t batch;
	uint64_t unnamed;
};

/* ---- names of kernel functions ---- */

/*
 * Asking the kernel takes longer than the rest of a frame.  The addresses are
 * the same in all processes, so their names are kept for a time in which no
 * module is likely to be replaced by another.
 */
#define KERNEL_KEPT_NS (300 * CLOCK_NS_PER_S)
#define KERNEL_KEPT    ((size_t)1 << 16)

struct sampling_kernel {
	const struct sampling_options *o;
	struct kernel_names *names;
	struct kernel_symbols *symbols; /* used if names is NULL */
	bool asked_names, asked_symbols;
	struct map64 known;  /* ids of texts by address; 0 = no name */
	struct intern texts; /* names of the known addresses */
	int64_t since_ns;    /* of the first known address */
};

struct sampling_kernel *sampling_kernel_new(const struct sampling_options *o)
{
	struct sampling_kernel *k = xcalloc(1, sizeof(*k));

	k->o = o;
	return k;
}

void sampling_kernel_free(struct sampling_kernel *k)
{
	if (!k)
		return;
	kernel_names_close(k->names);
	kernel_symbols_close(k->symbols);
	map64_release(&k->known);
	intern_release(&k->texts);
	free(k);
}

static bool kernel_find_by_program(struct sampling_kernel *k, uint64_t address,
				   const char **name)
{
	if (!k->asked_names)
		k->names = kernel_names_open(error_unused());
	k->asked_names = true;
	if (k->names && kernel_names_find(k->names, address, name))
		return true;
	kernel_names_close(k->names);
	k->names = NULL;
	return false;
}

static const char *kernel_find_name(struct sampling_kernel *k, uint64_t address)
{
	const char *name;
	struct error why;

	if (kernel_find_by_program(k, address, &name))
		return name;
	if (!k->asked_symbols) {
		k->symbols = kernel_symbols_open(&why);
		if (!k->symbols)
			sampling_notify(k->o, SAMPLING_INFO,
					"kernel frames have no names: %s",
					why.text);
	}
	k->asked_symbols = true;
	return k->symbols ? kernel_symbols_function(k->symbols, address) : NULL;
}

static void kernel_forget_old(struct sampling_kernel *k)
{
	int64_t now_ns = clock_monotonic_ns();

	if (k->known.count && k->known.count < KERNEL_KEPT &&
	    now_ns - k->since_ns < KERNEL_KEPT_NS)
		return;
	map64_clear(&k->known);
	intern_release(&k->texts);
	k->since_ns = now_ns;
}

/*
 * Returns the function that holds the address, or NULL; valid until the next
 * call.
 */
static const char *kernel_function(struct sampling_kernel *k, uint64_t address)
{
	const char *name;
	uint32_t id;

	kernel_forget_old(k);
	id = map64_get(&k->known, address);
	if (id == MAP64_NONE) {
		name = kernel_find_name(k, address);
		id = name ? intern_id(&k->texts, name, strlen(name)) : 0;
		map64_add(&k->known, address, id);
	}
	return id ? intern_text(&k->texts, id) : NULL;
}

/* ---- frames ---- */

struct sampling_frames *sampling_frames_new(struct profile *p,
					    const struct sampling_names *names)
{
	struct sampling_frames *f = xcalloc(1, sizeof(*f));

	f->profile = p;
	f->names = *names;
	return f;
}

void sampling_frames_free(struct sampling_frames *f)
{
	if (!f)
		return;
	idtable_release(&f->table);
	free(f->places);
	free(f->ids);
	free(f->stack);
	free(f);
}

void sampling_frames_set_names(struct sampling_frames *f,
			       const struct sampling_names *names)
{
	f->names = *names;
}

/*
 * Discards all places, because there are too many or the names have another
 * source.
 */
static void frames_forget(struct sampling_frames *f)
{
	idtable_clear(&f->table);
	f->place_count = 0;
	f->id_count = 0;
}

void sampling_frames_drop(struct sampling_frames *f)
{
	frames_forget(f);
	idtable_release(&f->table);
	free(f->places);
	free(f->ids);
	f->places = NULL;
	f->ids = NULL;
	f->place_cap = f->id_cap = 0;
}

void sampling_frames_renew(struct sampling_frames *f, struct profile *p)
{
	f->profile = p;
	frames_forget(f);
}

static uint32_t place_tag(const struct place *at)
{
	return (uint32_t)hash_mix(at->address ^ at->kind, at->code);
}

/* Returns the known place, or NULL; *probe is for place_put(). */
static struct place *place_find(struct sampling_frames *f,
				const struct place *at, struct idprobe *probe)
{
	uint32_t id;

	if (f->place_count >= PLACES)
		frames_forget(f);
	idtable_reserve(&f->table, 1);
	*probe = idtable_probe(&f->table, place_tag(at));
	while ((id = idtable_next(&f->table, probe))) {
		struct place *p = &f->places[id - 1];

		if (p->address == at->address && p->code == at->code &&
		    p->kind == at->kind)
			return p;
	}
	return NULL;
}

/* Sets the frames of a place. */
static void place_set(struct sampling_frames *f, struct place *p,
		      const uint32_t *ids, size_t count)
{
	p->batch = f->batch;
	if (p->count == count && count &&
	    memcmp(f->ids + p->first, ids, count * sizeof(*ids)) == 0)
		return;
	array_reserve(f->ids, f->id_cap, f->id_count + count);
	p->first = (uint32_t)f->id_count;
	p->count = (uint32_t)count;
	memcpy(f->ids + f->id_count, ids, count * sizeof(*ids));
	f->id_count += count;
}

static void place_put(struct sampling_frames *f, const struct place *at,
		      const struct idprobe *probe, const uint32_t *ids,
		      size_t count)
{
	struct place *p;

	array_reserve(f->places, f->place_cap, f->place_count + 1);
	p = &f->places[f->place_count];
	*p = *at;
	p->count = 0;
	place_set(f, p, ids, count);
	idtable_put(&f->table, probe, (uint32_t)++f->place_count);
}

static void frames_push(struct sampling_frames *f, const uint32_t *ids,
			size_t count)
{
	array_reserve(f->stack, f->depth_cap, f->depth + count);
	memcpy(f->stack + f->depth, ids, count * sizeof(*ids));
	f->depth += count;
}

static bool frames_push_known(struct sampling_frames *f, const struct place *at,
			      struct idprobe *probe)
{
	const struct place *known = place_find(f, at, probe);

	if (known)
		frames_push(f, f->ids + known->first, known->count);
	return known != NULL;
}

/* Returns the id of a frame with one name, of any kind. */
static uint32_t frames_id_of_name(struct sampling_frames *f,
				  enum frame_kind kind, const char *name)
{
	const struct frame frame = {
		.method = profile_string(f->profile, name, strlen(name)),
		.kind = kind,
	};

	return profile_frame(f->profile, &frame);
}

static uint32_t frames_id_of_java(struct sampling_frames *f,
				  const struct java_frame *j)
{
	static const enum frame_kind kinds[] = {
		[JAVA_INTERPRETED] = FRAME_INTERPRETED,
		[JAVA_C1] = FRAME_C1,
		[JAVA_C2] = FRAME_JIT,
		[JAVA_INLINED] = FRAME_INLINED,
		[JAVA_NATIVE] = FRAME_NATIVE,
	};
	const struct frame frame = {
		.class_name = java_class_name(f->profile, j->class_name,
					      strlen(j->class_name)),
		.method = profile_string(f->profile, j->method,
					 strlen(j->method)),
		.line = f->profile->keep_lines ? j->line : 0,
		.kind = kinds[j->kind],
	};

	return profile_frame(f->profile, &frame);
}

/*
 * Returns true for method handle intrinsics (linkToStatic, invokeBasic and
 * others) as the agent reports them: the JVM has one jmethodID for all of them,
 * so the name may be that of another intrinsic.
 */
static bool frames_are_intrinsic(const struct java_frame *frames, size_t count)
{
	return count == 1 && frames[0].kind == JAVA_NATIVE &&
	       strcmp(frames[0].class_name, "java.lang.invoke.MethodHandle") ==
		       0;
}

/*
 * Returns the number of methods of a compiled or interpreted frame; 0 =
 * unknown.
 */
static size_t frames_find_methods(struct sampling_frames *f,
				  const struct unwound_frame *at,
				  uint64_t time_ns, uint32_t ids[INLINED])
{
	struct java_symbols *agent = f->names.agent;
	struct java_symbols *metadata = f->names.metadata;
	struct java_frame frames[2][INLINED];
	const struct java_frame *best = frames[0];
	size_t count = 0, n = 0;

	if (agent)
		count = agent->frames(agent, at, time_ns, frames[0], INLINED);
	if (metadata && (!count || frames_are_intrinsic(best, count)))
		n = metadata->frames(metadata, at, time_ns, frames[1], INLINED);
	if (n) {
		best = frames[1];
		count = n;
	}
	for (size_t i = 0; i < count; i++)
		ids[i] = frames_id_of_java(f, &best[i]);
	return count;
}

static const char *frames_find_generated(struct sampling_frames *f,
					 const struct unwound_frame *at,
					 uint64_t time_ns)
{
	struct java_symbols *const who[] = { f->names.agent,
					     f->names.metadata };
	const char *name = NULL;

	for (size_t i = 0; i < 2 && !name; i++) {
		if (who[i])
			name = who[i]->generated(who[i], at, time_ns);
	}
	return name;
}

static void frames_add_java(struct sampling_frames *f,
			    const struct unwound_frame *frame, uint64_t time_ns)
{
	struct unwound_frame here = *frame;
	const struct unwound_frame *at = &here;
	const bool compiled = at->kind == UNWOUND_COMPILED;
	const struct place place = {
		.address = compiled ? at->pc : (uint64_t)(int64_t)at->bci,
		.code = compiled ? at->blob->identity : at->method,
		.kind = at->kind | (at->is_exact ? EXACT : 0) |
			(f->is_cautious ? CAUTIOUS : 0),
	};
	uint32_t ids[INLINED];
	struct idprobe probe;
	struct place *known = place_find(f, &place, &probe);
	size_t count;

	here.is_cautious = f->is_cautious;
	f->is_cautious = false;
	if (known && (compiled || known->batch == f->batch)) {
		frames_push(f, f->ids + known->first, known->count);
		return;
	}
	count = frames_find_methods(f, at, time_ns, ids);
	if (count) {
		if (known)
			place_set(f, known, ids, count);
		else
			place_put(f, &place, &probe, ids, count);
		frames_push(f, ids, count);
		return;
	}
	f->unnamed++;
	ids[0] = frames_id_of_name(f, compiled ? FRAME_JIT : FRAME_INTERPRETED,
				   "[unknown Java method]");
	frames_push(f, ids, 1);
}

static void frames_add_generated(struct sampling_frames *f,
				 const struct unwound_frame *at,
				 uint64_t time_ns)
{
	const struct place place = {
		.address = at->pc,
		.code = at->blob->identity,
		.kind = at->kind,
	};
	struct idprobe probe;
	const char *name;
	uint32_t id;

	if (frames_push_known(f, &place, &probe))
		return;
	name = frames_find_generated(f, at, time_ns);
	id = frames_id_of_name(f, FRAME_NATIVE, name ? name : at->blob->name);
	if (name)
		place_put(f, &place, &probe, &id, 1);
	frames_push(f, &id, 1);
}

/* Returns true for names that only C++ has; parameters are already removed. */
static bool name_is_cpp(const char *name)
{
	return strstr(name, "::") || strchr(name, '(');
}

/* A function without a symbol is recognized by its callers. */
enum { CALLERS = 4 };

/*
 * Returns the address of a frame's instruction: a return address follows its
 * call.
 */
static uint64_t frame_image_address(const struct unwound_frame *at)
{
	return at->image_pc - (at->is_exact ? 0 : 1);
}

static const char *frame_native_name(const struct unwound *u, size_t at,
				     size_t callers)
{
	const struct unwound_frame *f = &u->frames[at];
	const char *name = elf_image_function(f->image, frame_image_address(f),
					      NULL);
	const char *caller = "";
	bool has_callee = at > 0 && u->frames[at - 1].kind == UNWOUND_NATIVE;

	if (name)
		return name;
	if (at + 1 < u->count && u->frames[at + 1].image && callers)
		caller = frame_native_name(u, at + 1, callers - 1);
	else if (at + 1 == u->count && u->end == UNWIND_ROOT)
		caller = NULL;
	return elf_image_unnamed(f->image, frame_image_address(f), caller,
				 has_callee &&
					 u->frames[at - 1].image != f->image);
}

static void frames_add_native(struct sampling_frames *f,
			      const struct unwound *u, size_t at)
{
	const struct unwound_frame *frame = &u->frames[at];
	const struct place place = {
		.address = frame->image_pc,
		.code = (uintptr_t)frame->image,
		.kind = frame->kind | (frame->is_exact ? EXACT : 0),
	};
	struct text library = { 0 };
	struct idprobe probe;
	const char *name;
	uint32_t id;

	if (frames_push_known(f, &place, &probe))
		return;
	name = frame_native_name(u, at, CALLERS);
	if (name) {
		id = frames_id_of_name(
			f, name_is_cpp(name) ? FRAME_CPP : FRAME_NATIVE, name);
	} else {
		text_printf(&library, "[%s]", elf_image_name(frame->image));
		id = frames_id_of_name(f, FRAME_NATIVE, library.bytes);
		text_release(&library);
	}
	place_put(f, &place, &probe, &id, 1);
	frames_push(f, &id, 1);
}

static void frames_add_synthetic(struct sampling_frames *f, const char *name)
{
	uint32_t id = frames_id_of_name(f, FRAME_SYNTHETIC, name);

	frames_push(f, &id, 1);
}

void sampling_frames_root(struct sampling_frames *f, const char *name)
{
	frames_add_synthetic(f, name);
}

void sampling_frames_batch(struct sampling_frames *f)
{
	f->batch++;
	/*
	 * A method that is replaced by another at its address leaves its names
	 * in the table, though rarely.
	 */
	if (f->id_count >= IDS)
		frames_forget(f);
}

void sampling_frames_begin(struct sampling_frames *f)
{
	f->depth = 0;
	f->is_cautious = false;
}

void sampling_frames_begin_release(struct sampling_frames *f)
{
	sampling_frames_begin(f);
	f->is_cautious = true;
}

/* Turns "name.isra.0 [module]" into "name [module]". */
static uint32_t frames_id_of_kernel(struct sampling_frames *f, const char *name,
				    size_t len)
{
	const char *space = memchr(name, ' ', len);
	size_t own = space ? (size_t)(space - name) : len;
	struct text text = { 0 };
	struct frame frame = { .kind = FRAME_KERNEL };

	text_add(&text, name, demangle_source_length(name, own));
	text_add(&text, name + own, len - own);
	frame.method = profile_string(f->profile, text.bytes, text.len);
	text_release(&text);
	return profile_frame(f->profile, &frame);
}

void sampling_frames_kernel(struct sampling_frames *f,
			    const uint64_t *addresses, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct place place = { .address = addresses[i],
					     .kind = KERNEL };
		const char *name = NULL;
		struct idprobe probe;
		uint32_t id;

		if (frames_push_known(f, &place, &probe))
			continue;
		if (f->names.kernel)
			name = kernel_function(f->names.kernel, addresses[i]);
		if (!name)
			name = "[kernel]";
		id = frames_id_of_kernel(f, name, strlen(name));
		place_put(f, &place, &probe, &id, 1);
		frames_push(f, &id, 1);
	}
}

void sampling_frames_kernel_name(struct sampling_frames *f, const char *name,
				 size_t len)
{
	uint32_t id = frames_id_of_kernel(f, name, len);

	frames_push(f, &id, 1);
}

static void frames_drop(struct sampling_frames *f, size_t leaves)
{
	f->depth -= leaves;
	memmove(f->stack, f->stack + leaves, f->depth * sizeof(*f->stack));
}

static const struct frame *frames_at(const struct sampling_frames *f, size_t i)
{
	return &f->profile->frames[f->stack[i]];
}

/*
 * Returns true for functions of the scheduler, which all off-CPU stacks have.
 */
static bool name_is_scheduler(const char *name)
{
	return strncmp(name, "__schedule", 10) == 0 ||
	       strcmp(name, "schedule") == 0;
}

void sampling_frames_drop_hook(struct sampling_frames *f)
{
	size_t hook = 0;

	for (size_t i = 0; i < f->depth; i++) {
		const struct frame *at = frames_at(f, i);

		if (at->kind != FRAME_KERNEL)
			break;
		if (name_is_scheduler(profile_text(f->profile, at->method)))
			hook = i + 1;
	}
	frames_drop(f, hook);
}

/* Java code without a name counts as a Java frame. */
static bool frame_is_java(const struct frame *at)
{
	return at->class_name || at->kind == FRAME_INTERPRETED ||
	       at->kind == FRAME_JIT;
}

void sampling_frames_drop_callback(struct sampling_frames *f)
{
	for (size_t i = 0; i < f->depth; i++) {
		const struct frame *at = frames_at(f, i);

		if (frame_is_java(at)) {
			frames_drop(f, i);
			return;
		}
	}
}

static bool frame_is_wait(const struct profile *p, const struct frame *at)
{
	return strcmp(profile_text(p, at->class_name), "java.lang.Object") ==
		       0 &&
	       strncmp(profile_text(p, at->method), "wait", 4) == 0;
}

uint32_t sampling_frames_holder(struct sampling_frames *f)
{
	const struct frame *found = NULL;
	struct frame holder;

	for (size_t i = 0; i < f->depth; i++) {
		const struct frame *at = frames_at(f, i);

		if (frame_is_application(f->profile, at)) {
			found = at;
			break;
		}
		if (!found && frame_is_java_call(at) &&
		    !frame_is_wait(f->profile, at))
			found = at;
	}
	if (!found)
		return 0;
	holder = *found;
	holder.kind = FRAME_JAVA;
	return profile_frame(f->profile, &holder);
}

void sampling_frames_drop_class(struct sampling_frames *f, const char *name)
{
	size_t leaves = 0;

	while (leaves < f->depth &&
	       strcmp(profile_text(f->profile,
				   frames_at(f, leaves)->class_name),
		      name) == 0)
		leaves++;
	frames_drop(f, leaves);
}

static void frames_add_user(struct sampling_frames *f, const struct unwound *u,
			    size_t i, uint64_t time_ns)
{
	const struct unwound_frame *at = &u->frames[i];

	switch (at->kind) {
	case UNWOUND_NATIVE:
		if (at->image)
			frames_add_native(f, u, i);
		else
			frames_add_synthetic(f, "[unknown]");
		break;
	case UNWOUND_COMPILED:
	case UNWOUND_INTERPRETED:
		frames_add_java(f, at, time_ns);
		break;
	case UNWOUND_GENERATED:
		frames_add_generated(f, at, time_ns);
		break;
	case UNWOUND_UNKNOWN:
		frames_add_synthetic(f, "[unknown]");
		break;
	}
}

void sampling_frames_user(struct sampling_frames *f, const struct unwound *u,
			  const char *end, uint64_t time_ns)
{
	for (size_t i = 0; i < u->count; i++)
		frames_add_user(f, u, i, time_ns);
	if (end)
		frames_add_synthetic(f, end);
}

uint32_t sampling_frames_stack(struct sampling_frames *f)
{
	return profile_stack(f->profile, f->stack, f->depth);
}

uint64_t sampling_frames_unnamed(const struct sampling_frames *f)
{
	return f->unnamed;
}
