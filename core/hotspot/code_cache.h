/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_cache: the code that HotSpot has compiled or generated, as CodeBlobs.
 *
 * Any address in a blob leads to it, through the heap's segment map
 * (CodeHeap::find_start).  Blobs are cached.  Methods are compiled and freed
 * while samples are processed, so code_cache_begin() has cached blobs checked
 * again by their compile IDs.
 */
#ifndef CORE_HOTSPOT_CODE_CACHE_H
#define CORE_HOTSPOT_CODE_CACHE_H

#include "core/base/error.h"
#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct code_cache;

struct code_cache *code_cache_open(const struct vm_structs *v,
				   struct memory *memory, struct error *err);
void code_cache_close(struct code_cache *c); /* NULL is fine */

/* Returns true when the address is in a heap of the code cache. */
bool code_cache_has(const struct code_cache *c, uint64_t pc);

/*
 * Returns the blob at pc, or NULL; valid until the next code_cache_begin().  If
 * the limits of a generation prevent the search, code_cache_refused()
 * increases.
 */
const struct code_blob *code_cache_find(struct code_cache *c, uint64_t pc);

/*
 * Returns a copy of the blob's code, from begin to end, or NULL when it is
 * unreadable.  The copy may be older than the blob's latest code.  Valid until
 * the next call of a function of the code cache.
 */
const uint8_t *code_cache_code(struct code_cache *c,
			       const struct code_blob *blob);

/*
 * Returns the number of searches that the limits of a generation have
 * prevented; no genuine JVM reaches the limits.
 */
uint64_t code_cache_refused(const struct code_cache *c);

/*
 * Returns the number of cached blobs that were gone or replaced when checked.
 */
uint64_t code_cache_gone(const struct code_cache *c);

/*
 * Call before a batch of samples: checks each cached blob again before it is
 * used, and reads heaps that have grown.
 */
void code_cache_begin(struct code_cache *c);

/* Frees all blobs and copies of code; valid pointers to blobs end. */
void code_cache_drop(struct code_cache *c);

struct code_list {
	/* Sorted by begin; identities are unique in the list. */
	struct code_blob *blobs;
	size_t count;
};

/*
 * Lists all blobs in the code cache.  The JVM keeps running: blobs that appear
 * or disappear during the read may be in the list or not. ERROR_UNAVAILABLE
 * names what the JVM does not export.  After success,
 * code_list_release() must follow.
 */
int code_list_read(struct code_list *list, const struct vm_structs *v,
		   struct memory *memory, struct error *err);
void code_list_release(struct code_list *list); /* zeroed storage is fine */

/*
 * ---- code_blob.c ----
 *
 * HotSpot's CodeBlobs: the layout of their headers, and the heaps
 * that hold them, with their segment maps.
 *
 * Up to JDK 22, code_begin and similar fields are addresses, in later JDKs
 * offsets.  In some JDKs the fields of an nmethod belonged to CompiledMethod
 * (code/codeBlob.hpp, nmethod.hpp, compiledMethod.hpp of HotSpot). vmStructs
 * show which layout the JVM has.
 */

enum blob_kind {
	BLOB_NMETHOD,     /* a compiled Java method */
	BLOB_NATIVE,      /* the wrapper of a native Java method */
	BLOB_INTERPRETER, /* all of the template interpreter */
	BLOB_ADAPTER,     /* I2C/C2I and method handles' adapters, vtable
			     and itable calls */
	BLOB_STUB,        /* StubRoutines, runtime blobs, all others */
};

struct code_blob {
	enum blob_kind kind;
	uint64_t address;       /* address of the CodeBlob */
	uint64_t begin, end;    /* its code */
	uint64_t entry;         /* start of an nmethod's prologue */
	uint32_t frame_bytes;   /* 0 = unknown */
	int32_t frame_complete; /* offset of the first instruction after the
				   prologue; -1 = never */
	uint64_t method;        /* Method*; 0 = none */
	uint32_t compile_id;    /* of an nmethod; 0 for others */
	uint8_t tier;           /* compilation level, 1 to 4; 0 = none */
	uint64_t
		deopt_handler; /* a deoptimized frame returns to this address */
	uint64_t deopt_mh_handler;
	int32_t original_pc; /* offset of the original pc in a deoptimized frame
			      */
	uint32_t identity;   /* unique among all blobs ever found; changes when
				the blob's code has grown or may have grown */
	char name[64];       /* CodeBlob::_name: "nmethod", "I2C/C2I …" */
};

/*
 * Returns true for a blob with several routines that have their own names in
 * StubCodeDesc's list.  MethodHandlesAdapterBlobs are generated like stubs.
 */
static inline bool blob_has_routines(const struct code_blob *b)
{
	return b->kind == BLOB_STUB ||
	       strncmp(b->name, "MethodHandles", 13) == 0;
}

/* ---- the header of a blob ---- */

enum { BLOB_HEADER_BYTES = 1024 };

/* A field; width 0 = this JVM does not have it. */
struct blob_field {
	uint32_t offset;
	uint8_t width;
	bool is_address; /* otherwise an offset, whose base depends on the field
			  */
};

struct blob_layout {
	struct blob_field name, frame_size, frame_complete, begin, end;
	struct blob_field method, compile_id, tier, original_pc;
	struct blob_field entry, deopt, deopt_mh;
	uint32_t header_bytes; /* number of bytes to read */
};

int blob_layout_read(struct blob_layout *l, const struct vm_structs *v,
		     struct error *err);

/*
 * Returns the address of the blob's name, which the caller reads for
 * blob_layout_parse().
 */
uint64_t blob_layout_name(const struct blob_layout *l, const uint8_t *header);

/*
 * Fills in the blob at an address, whose name is set already, from its header.
 * Returns false when the header cannot be a blob's.
 */
bool blob_layout_parse(const struct blob_layout *l, const uint8_t *header,
		       uint64_t address, struct code_blob *blob);

/*
 * ---- heaps ----
 *
 * A heap is divided into segments.  Its map has a byte per segment: 0 at the
 * first segment of a block, an upper bound of the number of segments back to
 * that one in the others, and 255 where there is no block (memory/heap.cpp,
 * CodeHeap::find_block_for).
 */

enum { CODE_HEAPS = 16 };

struct code_heaps {
	struct code_heap {
		uint64_t low,
			high; /* reserved range, which the heap grows into */
		uint64_t segment_map;
		uint32_t segment_shift;
	} all[CODE_HEAPS];
	size_t count;
	uint32_t block_header; /* size of a block's header */
	bool says_used; /* the header has a byte, at used_at, that tells whether
			   the block is in use */
	uint32_t used_at;
};

/* Reads all heaps. ERROR_UNAVAILABLE names what this JVM does not export. */
int code_heaps_read(struct code_heaps *h, const struct vm_structs *v,
		    struct memory *memory, struct error *err);

/* Returns the heap that holds an address, or NULL. */
const struct code_heap *code_heaps_at(const struct code_heaps *h, uint64_t pc);

/*
 * Finds the block that holds the address.  Returns false when there is none.
 * Decrements *reads for each read of the map and stops at 0, because a forged
 * map may lead far away.
 */
bool code_heaps_block(const struct code_heaps *h, struct memory *memory,
		      uint64_t pc, uint32_t *reads, uint64_t *block);

#endif
