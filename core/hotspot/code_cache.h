/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_cache: what HotSpot has compiled or generated: its CodeBlobs.
 *
 * A blob is found by any address in it, through the heap's segment map
 * (CodeHeap::find_start).  What was found is kept until the blob that is there
 * is another: compilations come and go while samples are looked at, so a blob's
 * compile id is looked at again now and then (code_cache_begin()).
 */
#ifndef CORE_HOTSPOT_CODE_CACHE_H
#define CORE_HOTSPOT_CODE_CACHE_H

#include "core/base/error.h"
#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum blob_kind {
	BLOB_NMETHOD,     /* a compiled Java method */
	BLOB_NATIVE,      /* the wrapper of a native Java method */
	BLOB_INTERPRETER, /* all of the template interpreter */
	BLOB_ADAPTER,     /* I2C/C2I and method handles' adapters, vtable
			     and itable calls */
	BLOB_STUB,        /* StubRoutines, runtime blobs, all else */
};

struct code_blob {
	enum blob_kind kind;
	uint64_t address;       /* of the CodeBlob */
	uint64_t begin, end;    /* its code */
	uint64_t entry;         /* of an nmethod: where its prologue begins */
	uint32_t frame_bytes;   /* 0 = not known */
	int32_t frame_complete; /* offset of the first instruction after the
				   prologue; -1 = never */
	uint64_t method;        /* Method*; 0 = none */
	uint32_t compile_id;    /* of an nmethod; 0 = none */
	uint8_t tier;           /* its compilation level, 1 to 4; 0 = none */
	uint64_t deopt_handler; /* where a deoptimised frame returns to */
	uint64_t deopt_mh_handler;
	int32_t original_pc; /* where in its frame the true pc then is */
	uint32_t identity;   /* no two blobs that ever were have the same, and
				one whose code has grown, or may have,
				gets another */
	char name[64];       /* CodeBlob::_name: "nmethod", "I2C/C2I …" */
};

/*
 * Whether it is of several routines that have names of their own in
 * StubCodeDesc's list (MethodHandlesAdapterBlob's are generated as stubs are).
 */
static inline bool blob_has_routines(const struct code_blob *b)
{
	return b->kind == BLOB_STUB ||
	       strncmp(b->name, "MethodHandles", 13) == 0;
}

struct code_cache;

struct code_cache *code_cache_open(const struct vm_structs *v,
				   struct memory *memory, struct error *err);
void code_cache_close(struct code_cache *c); /* NULL is fine */

/* True when the address is in a heap of the code cache. */
bool code_cache_has(const struct code_cache *c, uint64_t pc);

/*
 * The blob at pc, or NULL; valid until the next code_cache_begin().  When it
 * was not looked for, code_cache_refused() says one more than before.
 */
const struct code_blob *code_cache_find(struct code_cache *c, uint64_t pc);

/*
 * Its code, from begin to end, as it was at some time; NULL when it cannot be
 * read.  It is valid until the next code_cache_begin().
 */
const uint8_t *code_cache_code(struct code_cache *c,
			       const struct code_blob *blob);

/*
 * What was not looked at since it was too much for one generation; no JVM has
 * so much unless it lies.
 */
uint64_t code_cache_refused(const struct code_cache *c);

/*
 * How many blobs that had been asked for were found to be gone, or to be
 * others', since the beginning.
 */
uint64_t code_cache_gone(const struct code_cache *c);

/*
 * From now on blobs are looked at again, each once, before they are believed,
 * as are heaps that have grown.  For each batch of samples.
 */
void code_cache_begin(struct code_cache *c);

#endif
