/* SPDX-License-Identifier: Apache-2.0 */
/* nps_builder: constructs valid and damaged VisualVM snapshots. */
#ifndef TESTS_UNIT_NPS_BUILDER_H
#define TESTS_UNIT_NPS_BUILDER_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

/* A snapshot, and the parts of its header that are wrong. */
struct nps_made {
	struct text payload;
	const char *comment; /* NULL: no comment, as in version 1.1 */
	int32_t compressed_lie, len_lie;
	int32_t settings_len;
	int major;
	int32_t type;
};

/*
 * Append parts of a payload; numbers are big endian and have this number of
 * bytes.
 */
void nps_put(struct text *t, uint64_t value, int bytes);
void nps_put_utf(struct text *t, const char *string);
void nps_put_node(struct text *t, unsigned method, uint64_t total,
		  unsigned callees);
void nps_put_start(struct text *t, int64_t began_ms, int64_t taken_ms);
void nps_put_thread(struct text *t, const char *name, const struct text *tree,
		    unsigned node_size);

/* thread 2,501 us > A.main 2,501 us > B.run[native] 2,000 us */
void nps_put_tree(struct text *tree);

/* Makes a payload of one thread, main, with the tree of nps_put_tree(). */
struct nps_made nps_made_payload(int64_t began_ms, int64_t taken_ms);

/* Returns the file, which the caller releases; releases m's payload. */
struct text nps_made_file(struct nps_made *m);

/* Reads a constructed snapshot; fails the test if it is rejected. */
struct profile *nps_read_made(struct nps_made *m);
struct profile *nps_read_bytes(const uint8_t *bytes, size_t len);

/* Returns the error with which the bytes are rejected. */
struct error nps_refusal(const void *bytes, size_t len);

/* Returns a remark; fails the test if there is none. */
const struct remark *nps_find_remark(const struct profile *p, const char *what);

#endif
