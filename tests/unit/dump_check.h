/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_check: what the tests of the thread dump readers share.
 */
#ifndef TESTS_UNIT_DUMP_CHECK_H
#define TESTS_UNIT_DUMP_CHECK_H

#include "core/formats/reader.h"

#include <stdint.h>

/* The profile that a reader makes of a text; the test fails if it cannot. */
struct profile *profile_of(const struct reader *reader, const char *text);
struct profile *profile_of_bytes(const struct reader *reader, const void *bytes,
				 size_t len);

/* The same for a thread dump as text. */
struct profile *read_text(const char *text);

/* Fails the test when there is any remark. */
void assert_whole(const struct profile *p);

/* Samples of the event, and the sum of their stack traces' depths. */
uint64_t samples_in(const struct profile *p);
uint64_t frames_in(const struct profile *p);

/* The only cell of the thread of that name; the test fails if it is not one. */
const struct cell *cell_of(const struct profile *p, const char *thread);
const struct thread *thread_of(const struct profile *p, const char *name);

/*
 * Returns a cell's stack trace, leaf first: "a.B.c:12 a.B.d", valid until the
 * next call.
 */
const char *stack_of(const struct profile *p, const struct cell *c);

/* How often the remark was made; 0 when it was not. */
uint64_t remarks_of(const struct profile *p, const char *what);

/* Reads a file; the caller frees the bytes. NULL if it does not exist. */
char *file_bytes(const char *path, size_t *len);

#endif
