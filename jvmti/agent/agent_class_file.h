/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_class_file: bounded reading of a Java class file, and bounded writing.
 *
 * It uses no C library and no JVM, so that tests and fuzzers run it, too.  A
 * class file is foreign: each read checks its bounds, and a failed read returns
 * zeroes and marks the reader.
 */
#ifndef JVMTI_AGENT_AGENT_CLASS_FILE_H
#define JVMTI_AGENT_AGENT_CLASS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLASS_MAGIC 0xcafebabe

struct class_reader {
	const uint8_t *bytes;
	size_t len, at;
	bool is_bad;
};

/* Returns the next len bytes, or NULL when there are fewer. */
static inline const uint8_t *class_read(struct class_reader *r, size_t len)
{
	if (r->is_bad || len > r->len - r->at) {
		r->is_bad = true;
		return NULL;
	}
	r->at += len;
	return r->bytes + r->at - len;
}

static inline uint16_t class_u2_at(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t class_u4_at(const uint8_t *at)
{
	return (uint32_t)class_u2_at(at) << 16 | class_u2_at(at + 2);
}

static inline uint8_t class_u1(struct class_reader *r)
{
	const uint8_t *at = class_read(r, 1);

	return at ? *at : 0;
}

static inline uint16_t class_u2(struct class_reader *r)
{
	const uint8_t *at = class_read(r, 2);

	return at ? class_u2_at(at) : 0;
}

static inline uint32_t class_u4(struct class_reader *r)
{
	const uint8_t *at = class_read(r, 4);

	return at ? class_u4_at(at) : 0;
}

/* Writes that do not fit are omitted and mark the output. */
struct class_out {
	uint8_t *bytes;
	size_t len, cap;
	bool is_full;
};

void class_put(struct class_out *o, const void *bytes, size_t len);
void class_put_u1(struct class_out *o, unsigned value);
void class_put_u2(struct class_out *o, unsigned value);
void class_put_u4(struct class_out *o, uint32_t value);
/* Overwrite what was written at a position. */
void class_set_u2(struct class_out *o, size_t at, unsigned value);
void class_set_u4(struct class_out *o, size_t at, uint32_t value);

/* Tags of constants, JVMS 4.4. */
enum {
	CLASS_UTF8 = 1,
	CLASS_INTEGER = 3,
	CLASS_FLOAT,
	CLASS_LONG,
	CLASS_DOUBLE,
	CLASS_CLASS,
	CLASS_STRING,
	CLASS_FIELDREF,
	CLASS_METHODREF,
	CLASS_INTERFACE_METHODREF,
	CLASS_NAME_AND_TYPE,
	CLASS_METHOD_HANDLE = 15,
	CLASS_METHOD_TYPE,
	CLASS_DYNAMIC,
	CLASS_INVOKE_DYNAMIC,
	CLASS_MODULE,
	CLASS_PACKAGE,
};

/* Instructions, JVMS 6.5. */
enum {
	OP_ACONST_NULL = 1,
	OP_SIPUSH = 17,
	OP_ILOAD = 21,
	OP_LLOAD = 22,
	OP_FLOAD = 23,
	OP_DLOAD = 24,
	OP_ALOAD = 25,
	OP_ISTORE = 54,
	OP_LSTORE = 55,
	OP_FSTORE = 56,
	OP_DSTORE = 57,
	OP_ASTORE = 58,
	OP_DUP = 89,
	OP_IINC = 132,
	OP_I2L = 133,
	OP_F2D = 141,
	OP_IFEQ = 153,
	OP_JSR = 168,
	OP_TABLESWITCH = 170,
	OP_LOOKUPSWITCH = 171,
	OP_IRETURN = 172,
	OP_RETURN = 177,
	OP_INVOKESTATIC = 184,
	OP_ATHROW = 191,
	OP_WIDE = 196,
	OP_IFNULL = 198,
	OP_IFNONNULL = 199,
	OP_GOTO_W = 200,
	OP_JSR_W = 201,
};

enum {
	CLASS_CONSTANTS = 65536,
	CLASS_HASHES = 131072, /* twice as many, a power of two */
	CLASS_ADDED = 1 << 20, /* bytes of added constants */
	CLASS_NATIVE = 0x0100, /* access flags: JVMS 4.6 */
	CLASS_STATIC = 0x0008,
	CLASS_ABSTRACT = 0x0400,
};

struct class_text {
	const uint8_t *bytes;
	size_t len;
};

bool class_text_is(struct class_text a, const char *b);
bool class_text_equals(struct class_text a, struct class_text b);
uint32_t class_text_hash(struct class_text t); /* FNV-1a, folded */
/* Returns the text of a string literal. */
struct class_text class_text_of(const char *text);
/*
 * Returns "com/acme/Orders" of the signature "Lcom/acme/Orders;", which must
 * outlive it; an empty text for an array or a primitive type.
 */
struct class_text class_text_of_signature(const char *signature);
/* Reads a length (2 bytes) and its bytes; an empty text if there are fewer. */
struct class_text class_read_text(struct class_reader *r);

/*
 * The constant pool.  Constants can be added: their numbers follow those of the
 * file.  About 1.5 MB, of which a small class uses little; zeroed storage is
 * the initial state.
 */
struct class_pool {
	struct class_reader file;
	unsigned count; /* with the added constants; number 0 is unused */
	unsigned in_file;
	size_t begin, end; /* of the constants in the file */
	bool is_full;      /* an addition failed */
	struct class_out added;
	/* Positions + 1; those of added constants count from the file's end. */
	uint32_t at[CLASS_CONSTANTS];
	uint16_t by_name[CLASS_HASHES]; /* CLASS_CLASS by hash of the name */
	uint32_t hashes;                /* used part of by_name: a power of 2 */
	uint32_t named;                 /* numbers in it, also stale ones */
	uint8_t added_bytes[CLASS_ADDED];
};

/*
 * Reads the constant pool, up to the reader's position behind it.  Returns
 * false when the file is not a class file.  The bytes are borrowed.
 */
bool class_pool_read(struct class_pool *p, struct class_reader *r);

/* Returns the text of a CLASS_UTF8; its bytes are NULL when there is none. */
struct class_text class_pool_text(const struct class_pool *p, unsigned index);

/* Likewise the name of a CLASS_CLASS. */
struct class_text class_pool_name(const struct class_pool *p, unsigned index);

/*
 * Each adds constants, or finds an equal one for classes, and returns the
 * number; 0 when there is no room.
 */
unsigned class_pool_add_text(struct class_pool *p, struct class_text text);
unsigned class_pool_add_class(struct class_pool *p, struct class_text name);
unsigned class_pool_add_method(struct class_pool *p, unsigned class_index,
			       const char *name, const char *descriptor);

/* Returns the state to which class_pool_rewind() goes back. */
struct class_pool_mark {
	unsigned count;
	size_t len;
};

struct class_pool_mark class_pool_mark(const struct class_pool *p);
void class_pool_rewind(struct class_pool *p, struct class_pool_mark mark);

/*
 * Returns the length of the instruction at a position of a method's code, or 0
 * when it is invalid or incomplete (JVMS 6.5).
 */
size_t class_instruction(const uint8_t *code, size_t len, size_t at);

#endif
