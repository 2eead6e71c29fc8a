/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hotspot_image: memory with the layout of a JVM's: code, methods, and the
 * exported tables, as in JDK 8, 11, 17 or 25.
 *
 * A library with the symbols that libjvm exports replaces libjvm.
 */
#ifndef TESTS_UNIT_HOTSPOT_IMAGE_H
#define TESTS_UNIT_HOTSPOT_IMAGE_H

#include "core/elf/elf_image.h"
#include "core/process/memory.h"
#include "core/unwind/unwinder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HOTSPOT_IMAGE_BYTES = 1 << 20, HOTSPOT_STACK_WORDS = 512 };
#define HOTSPOT_IMAGE UINT64_C(0x7e0000000000)
#define HOTSPOT_STACK UINT64_C(0x7d0000000000)

/* Static fields in the tables; zero at first. */
enum hotspot_static {
	HOTSPOT_VM_INFO,
	HOTSPOT_THREADS, /* a JavaThread (JDK 8, 11) or a ThreadsList */
	HOTSPOT_THREAD_CLASS,
	HOTSPOT_STRING_CLASS,
	HOTSPOT_OOP_BASE,
	HOTSPOT_OOP_SHIFT,
	HOTSPOT_CLASS_BASE,
	HOTSPOT_CLASS_SHIFT,
	HOTSPOT_STATICS,
};

struct hotspot_image {
	struct memory memory; /* first member */
	int jdk;
	uint8_t *bytes; /* from HOTSPOT_IMAGE on */
	size_t used, code_used;
	struct jvm jvm;
	struct elf_image *program;
	uint64_t bias;
	uint64_t entry; /* the address of ContinuationEntry::_return_pc */
	uint64_t statics[HOTSPOT_STATICS]; /* address of each */
	struct process_view *view;
	struct unwinder *unwinder;
	uint64_t stack[HOTSPOT_STACK_WORDS]; /* from HOTSPOT_STACK on */
};

/* The properties of a blob; its code is copied. */
struct image_blob {
	const char *name;
	const uint8_t *code;
	uint32_t len;
	uint32_t frame_words;
	int32_t frame_complete;
	uint64_t method;
	uint32_t compile_id;
	int32_t original_pc;
	uint32_t deopt; /* offset of its handler in the code */
};

/* jdk is 8, 11, 17 or 25; hotspot_image_release() must follow. */
void hotspot_image_init(struct hotspot_image *image, int jdk);
void hotspot_image_release(struct hotspot_image *image);

/*
 * Changes the offset of a field in the tables of the image that was initialized
 * last.  Returns false if the tables do not have the field.
 */
bool hotspot_image_set_offset(struct hotspot_image *image, const char *type,
			      const char *field, uint64_t offset);

/* Opens a view and an unwinder.  Nothing may be added afterwards. */
void hotspot_image_open(struct hotspot_image *image);

/* Adds a blob and returns the address of its code. */
uint64_t hotspot_image_blob(struct hotspot_image *image,
			    const struct image_blob *blob);
/* Replaces a blob by one of the same sizes. */
void hotspot_image_replace(struct hotspot_image *image, uint64_t code,
			   const struct image_blob *blob);
/*
 * Frees a blob and puts another one into its place, starting some segments of
 * 128 bytes later, as CodeHeap does: the old header stays.
 */
uint64_t hotspot_image_split(struct hotspot_image *image, uint64_t code,
			     size_t segments, const struct image_blob *blob);
/* Makes each entry of the heap's segment map point `back` segments back. */
void hotspot_image_lie(struct hotspot_image *image, uint8_t back);
/*
 * Sets the address that thawed frames of virtual threads return to; JDK 25
 * only.
 */
void hotspot_image_entry(struct hotspot_image *image, uint64_t pc);
/* Adds the Method a.B.run()V with len bytecodes; *code is their address. */
uint64_t hotspot_image_method(struct hotspot_image *image, uint16_t len,
			      uint64_t *code);

/* Sets the JVM's name: "OpenJDK 64-Bit Server VM (…)". */
void hotspot_image_vm(struct hotspot_image *image, const char *name);

/* Adds zeroed bytes, 8-byte aligned, and returns their address. */
uint64_t hotspot_image_add(struct hotspot_image *image, size_t len);
void hotspot_image_put(struct hotspot_image *image, uint64_t address,
		       uint64_t value, size_t len);
/*
 * Writes a field of a structure; does nothing if this JDK does not have the
 * field.
 */
void hotspot_image_put_field(struct hotspot_image *image, uint64_t address,
			     const char *type, const char *name, uint64_t value,
			     size_t len);
uint64_t hotspot_image_symbol(struct hotspot_image *image, const char *text);
/* Returns the size of a type by the tables. */
uint64_t hotspot_image_size(const struct hotspot_image *image,
			    const char *type);

#endif
