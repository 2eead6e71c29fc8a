/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_pool: the constant pools of one chunk: stack traces, methods, threads.
 *
 * Reading collects the contents of checkpoint events; names and frames are
 * created only if an event refers to them. Checkpoints must be read from the
 * newest to the oldest: the first value of a key is kept, which is the newest.
 */
#ifndef CORE_FORMATS_JFR_JFR_POOL_H
#define CORE_FORMATS_JFR_JFR_POOL_H

#include "core/base/cursor.h"
#include "core/formats/jfr/jfr_layout.h"
#include "core/formats/jfr/jfr_metadata.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* The pools that are used; all others are skipped. */
enum jfr_pool_role {
	JFR_POOL_STRING,
	JFR_POOL_SYMBOL,
	JFR_POOL_CLASS,
	JFR_POOL_METHOD,
	JFR_POOL_THREAD,
	JFR_POOL_FRAME_TYPE,
	JFR_POOL_THREAD_STATE,
	JFR_POOL_STACK_TRACE,
	JFR_POOL_OLD_OBJECT,
	JFR_POOL_ROLES
};

#define JFR_POOL_FIELDS 5 /* maximum number of fields of one value */

/* A field: a number (a pool key, an int, a boolean) or a string. */
struct jfr_value {
	uint64_t number;
	struct jfr_string string;
};

/*
 * Values of one role, stored one after another with a fixed number of fields
 * each.
 */
struct jfr_pool {
	const struct jfr_type *type; /* NULL = the chunk lacks the type */
	struct jfr_layout layout;
	struct map64 keys; /* index of the value */
	struct jfr_value *values;
	size_t count, cap;
	uint32_t *
		made; /* id in the profile + 1, by index; 0 = not created yet */
	size_t made_cap;
	/*
	 * The pool of which a field's number is a key; JFR_POOL_ROLES = none.
	 */
	enum jfr_pool_role refers[JFR_POOL_FIELDS];
};

/* A site: the contents of a frame of a stack trace. */
struct jfr_site {
	uint64_t method;
	uint32_t line;
	uint32_t type;
};

#define JFR_RECENT_BITS 10

/* A method as encoded in a frame, the frame's type, and their site. */
struct jfr_recent {
	uint64_t bytes; /* 0 = unused */
	uint32_t type;
	uint32_t site;
};

/* A pool that only names numbers: causes and names of collections. */
struct jfr_words {
	struct jfr_layout layout; /* without operations: not such a pool */
	struct map64 keys;        /* index of the word */
	struct jfr_string *words;
	size_t count, cap;
};

struct jfr_frame_layout; /* private: how a frame is read */

struct jfr_pools {
	struct profile *profile;
	const struct jfr_metadata *metadata;
	struct jfr_pool pools[JFR_POOL_ROLES];
	/* Layouts that skip values of other types, by index of the type. */
	struct jfr_layout *skip;
	size_t type_count;
	uint8_t *roles; /* by index of the type; JFR_POOL_ROLES = none */
	struct jfr_words *words; /* likewise; NULL unless tables are wanted */

	/*
	 * The keys of the stack traces to read. Any other stack trace gets one
	 * placeholder frame. NULL = all. Set by the caller between
	 * jfr_pools_begin() and the first checkpoint.
	 */
	const struct map64 *wanted;
	struct jfr_frame_layout *frame;
	struct idtable site_ids;
	struct jfr_site *sites;
	size_t site_count, site_cap;
	/* Cache of sites without a line, in slots by hash. */
	struct jfr_recent recent[1 << JFR_RECENT_BITS];
	uint32_t *direct; /* frames of sites that are not hashed */
	size_t direct_count, direct_cap;

	/*
	 * All stack traces, one after another, leaf first: sites, and after all
	 * pools are read, frames of the profile.
	 */
	uint32_t *path;
	size_t path_len, path_cap;
	uint32_t *stack_lens;  /* number of frames of each stack trace */
	uint32_t *stack_nodes; /* id of each stack trace in the profile */
	size_t stack_count, stack_cap, node_cap;
	/* Ids by key - key_first if keys are dense enough, or NULL. */
	uint32_t *by_key;
	uint64_t key_first;
	size_t key_count;

	/* The last key of each role that was looked up, and its slot. */
	struct {
		uint64_t key;
		uint32_t *slot;
	} last[JFR_POOL_ROLES];

	uint8_t native_is_c;     /* 1 = no, 2 = yes; 0 = not known yet */
	uint64_t unknown_frames; /* frames whose method is not in the chunk */
	uint64_t skipped_names;  /* long ones, beyond the limit */
	uint64_t long_names;     /* their bytes, in all chunks */
};

/* Prepares to read pools of these types; both arguments are borrowed. */
void jfr_pools_begin(struct jfr_pools *ps, struct profile *p,
		     const struct jfr_metadata *m);

/*
 * Adds the pools of one checkpoint event, whose type has been read from c; c
 * ends with the event.  Returns false if it is damaged; the values before the
 * damage are kept.  *delta is the position of the previous checkpoint relative
 * to this one.
 */
bool jfr_pools_read(struct jfr_pools *ps, struct cursor c, int64_t *delta);

/* Creates the stack traces, after the last checkpoint. */
void jfr_pools_end(struct jfr_pools *ps);

/* Return the profile ids for keys; 0 if the pool lacks the key. */
uint32_t jfr_pools_stack(struct jfr_pools *ps, uint64_t key);
uint32_t jfr_pools_frame(struct jfr_pools *ps, const struct jfr_site *site);
bool jfr_pools_has_stack(const struct jfr_pools *ps, uint64_t key);
uint32_t jfr_pools_thread(struct jfr_pools *ps, uint64_t key);
/* Likewise for the name of a class, and for the class of an old object. */
uint32_t jfr_pools_class(struct jfr_pools *ps, uint64_t key);
uint32_t jfr_pools_object_class(struct jfr_pools *ps, uint64_t key);
/* Appends a string of an event, as UTF-8. */
void jfr_pools_text(struct jfr_pools *ps, const struct jfr_string *s,
		    struct text *out);
enum thread_state jfr_pools_state(struct jfr_pools *ps, uint64_t key);

/*
 * jfr_pools_has_words() is true if values of a type are names and the profile
 * wants tables. jfr_pools_word() appends the name of a key as UTF-8.
 */
bool jfr_pools_has_words(const struct jfr_pools *ps, uint64_t type_id);
void jfr_pools_word(struct jfr_pools *ps, uint64_t type_id, uint64_t key,
		    struct text *out);

/* Zeroed storage is allowed. */
void jfr_pools_release(struct jfr_pools *ps);

/*
 * jfr_frames.c reads the pool of stack traces, which is most of a recording.
 * Only jfr_pool.c uses the following functions.
 */

/*
 * Returns how the chunk encodes a stack trace and its frames; NULL if the
 * layout is not supported. t is the type StackTrace.
 */
struct jfr_frame_layout *jfr_frames_new(const struct jfr_metadata *m,
					const struct jfr_type *t);

/* Reads count stack traces with their keys into ps. */
void jfr_frames_read(struct jfr_pools *ps, struct cursor *c, size_t count);

/* Creates frames and stack traces of the profile, after all pools were read. */
void jfr_frames_end(struct jfr_pools *ps);

/* Releases the stack traces of a chunk but keeps the memory. */
void jfr_frames_clear(struct jfr_pools *ps);

void jfr_frames_free(struct jfr_frame_layout *l); /* NULL is allowed */

#endif
