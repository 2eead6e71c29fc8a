/* SPDX-License-Identifier: Apache-2.0 */
/* agent_record: builds records of the stream file (agent_protocol.h). */
#ifndef JVMTI_AGENT_AGENT_RECORD_H
#define JVMTI_AGENT_AGENT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_NAME 8192 /* bytes of a name; a class file allows 65535 */

/*
 * A record under construction.  A field that does not fit marks the record as
 * full permanently.
 */
struct record {
	uint8_t *begin, *at, *end;
	bool is_full;
};

struct record record_over(void *memory, size_t size);

void record_put_byte(struct record *r, uint8_t byte);
/* Adds a varint; the second function one with a sign. */
void record_put(struct record *r, uint64_t value);
void record_put_signed(struct record *r, int64_t value);
void record_put_bytes(struct record *r, const void *bytes, size_t len);
/* Adds a string of at most RECORD_NAME bytes; NULL is an empty string. */
void record_put_text(struct record *r, const char *text);

/* Begins a record; pass the result to record_end(). */
uint8_t *record_begin(struct record *r, unsigned kind);
void record_end(struct record *r, uint8_t *begin);

#endif
