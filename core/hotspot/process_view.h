/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_view: a process seen from outside: its memory, its mapped files and,
 * if it is a HotSpot JVM, the JVM's structures, code cache and methods.
 *
 * The unwinder, the Java names and perfmap read a process through one view.
 * The view is in core/hotspot because it owns objects of this directory and of
 * the directories that this one includes.
 */
#ifndef CORE_HOTSPOT_PROCESS_VIEW_H
#define CORE_HOTSPOT_PROCESS_VIEW_H

#include "core/base/error.h"
#include "core/elf/process_images.h"
#include "core/hotspot/code_cache.h"
#include "core/hotspot/method_check.h"
#include "core/hotspot/vm_structs.h"
#include "core/jvm/jvm.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stdint.h>

/* Users read the fields and call the functions of the parts. */
struct process_view {
	const struct jvm *jvm;
	struct remote_memory *remote; /* NULL: the caller owns memory */
	struct memory *memory;
	struct process_images *images;
	const struct elf_image *libjvm; /* NULL: there is no readable libjvm */
	uint64_t libjvm_bias;
	struct vm_structs *structs; /* NULL: see limits */
	struct code_cache *code;    /* NULL: see limits */
	/* NULL if and only if code is NULL. */
	struct method_check *methods;
	bool is_zero;       /* a JVM with the Zero interpreter */
	const char *limits; /* why code is NULL, or NULL */
	char limits_text[600];
};

/*
 * What the views of several processes share: the images of files that all of
 * them map, their tables, and the child that reads their memory. Zeroed storage
 * shares images and tables.
 */
struct process_sharing {
	struct elf_image_set images;
	struct vm_structs_set structs;
	struct memory_readers *readers; /* NULL: each has its own child */
};

/*
 * Opens the memory of the process and reads its mappings and, if a HotSpot
 * libjvm is mapped, the JVM's tables.  If the tables are unreadable, the view
 * opens nevertheless, and limits has the reason.  jvm is borrowed.  shared
 * may be NULL.
 */
struct process_view *process_view_open(const struct jvm *jvm,
				       struct process_sharing *shared,
				       struct error *err);

/*
 * The same with the caller's memory, which is borrowed.  libjvm, if not NULL,
 * is borrowed as well and used as the libjvm that is loaded with that bias.
 */
struct process_view *process_view_open_with(const struct jvm *jvm,
					    struct memory *memory,
					    const struct elf_image *libjvm,
					    uint64_t bias, struct error *err);
void process_view_close(struct process_view *v); /* NULL is fine */

/*
 * Call before a batch of samples: mappings, code and methods may have changed
 * and are checked again on first use.
 */
void process_view_begin(struct process_view *v);

/* Returns the number of code blobs and methods that were replaced. */
uint64_t process_view_gone(const struct process_view *v);

/*
 * Returns the address in the process of a symbol of its libjvm by its mangled
 * name; 0 when there is none, as in a stripped libjvm.
 */
uint64_t process_view_vm_symbol(const struct process_view *v, const char *name);

#endif
