/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/process_view.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Zero (--with-jvm-variants=zero, Debian's java -zero) interprets bytecodes in
 * C++ and keeps Java frames outside the thread's stack, so there are no frames
 * to walk.
 */
static bool view_finds_zero(const struct vm_structs *v, struct memory *memory)
{
	char text[128];
	uint64_t at;

	return vm_structs_static(v, "Abstract_VM_Version",
				 "_s_internal_vm_info_string", &at) &&
	       memory_string(memory, memory_u64(memory, at), text,
			     sizeof(text)) &&
	       strstr(text, " Zero VM");
}

/* The loader writes the tables as a JVM starts, which takes less time. */
#define STARTING_NS CLOCK_NS_PER_S

/*
 * Returns true if the process may use the tables of another one unread. The
 * tables come from the memory of a process, which can forge them: only
 * processes of the same user that map the same file trust each other, not those
 * of other containers.
 */
static bool view_trusts_tables(const struct process_view *v)
{
	int64_t tick_ns = CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK);
	int64_t age_ns = clock_boot_ns() -
			 (int64_t)v->jvm->start_ticks * tick_ns;

	return age_ns > STARTING_NS && elf_image_is_of_one_place(v->libjvm);
}

static int view_open_hotspot(struct process_view *v,
			     struct process_sharing *shared, struct error *err)
{
	if (!v->libjvm)
		return fail(err, ERROR_UNAVAILABLE,
			    "no readable libjvm.so is mapped");
	v->structs = vm_structs_read(v->libjvm, v->libjvm_bias, v->memory,
				     shared ? &shared->structs : NULL,
				     view_trusts_tables(v), err);
	if (!v->structs)
		return -1;
	v->is_zero = view_finds_zero(v->structs, v->memory);
	if (v->is_zero)
		return fail(err, ERROR_UNAVAILABLE,
			    "the JVM runs the Zero interpreter");
	v->code = code_cache_open(v->structs, v->memory, err);
	if (!v->code)
		return -1;
	v->methods = method_check_open(v->structs, v->memory, err);
	return v->methods ? 0 : -1;
}

static struct process_view *view_open(struct process_view *v,
				      struct process_sharing *shared,
				      struct error *err)
{
	struct error why;

	v->images = process_images_open(v->jvm, v->memory,
					shared ? &shared->images : NULL, err);
	if (!v->images) {
		process_view_close(v);
		return NULL;
	}
	if (!v->libjvm)
		v->libjvm = process_images_library(v->images, "libjvm.so",
						   &v->libjvm_bias);
	if (view_open_hotspot(v, shared, &why)) {
		snprintf(v->limits_text, sizeof(v->limits_text),
			 "cannot unwind Java frames: %s", why.text);
		code_cache_close(v->code);
		v->code = NULL;
		v->limits = v->limits_text;
	}
	process_view_begin(v);
	return v;
}

struct process_view *process_view_open(const struct jvm *jvm,
				       struct process_sharing *shared,
				       struct error *err)
{
	struct process_view *v = xcalloc(1, sizeof(*v));

	v->jvm = jvm;
	v->remote = remote_memory_open(jvm, shared ? shared->readers : NULL,
				       err);
	if (!v->remote) {
		process_view_close(v);
		return NULL;
	}
	v->memory = remote_memory_of(v->remote);
	return view_open(v, shared, err);
}

struct process_view *process_view_open_with(const struct jvm *jvm,
					    struct memory *memory,
					    const struct elf_image *libjvm,
					    uint64_t bias, struct error *err)
{
	struct process_view *v = xcalloc(1, sizeof(*v));

	v->jvm = jvm;
	v->memory = memory;
	v->libjvm = libjvm;
	v->libjvm_bias = bias;
	return view_open(v, NULL, err);
}

void process_view_close(struct process_view *v)
{
	if (!v)
		return;
	code_cache_close(v->code);
	method_check_close(v->methods);
	vm_structs_free(v->structs);
	process_images_close(v->images);
	remote_memory_close(v->remote);
	free(v);
}

void process_view_begin(struct process_view *v)
{
	process_images_begin(v->images);
	if (v->remote)
		remote_memory_begin(v->remote);
	if (!v->code)
		return;
	code_cache_begin(v->code);
	method_check_begin(v->methods);
}

uint64_t process_view_gone(const struct process_view *v)
{
	return v->code ? code_cache_gone(v->code) +
				 method_check_gone(v->methods)
		       : 0;
}

uint64_t process_view_vm_symbol(const struct process_view *v, const char *name)
{
	uint64_t address = v->libjvm ? elf_image_symbol(v->libjvm, name) : 0;

	return address ? address + v->libjvm_bias : 0;
}
