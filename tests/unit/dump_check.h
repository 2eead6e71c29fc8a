/* SPDX-License-Identifier: Apache-2.0 */
/* dump_check: functions that the tests of the thread dump readers share. */
#ifndef TESTS_UNIT_DUMP_CHECK_H
#define TESTS_UNIT_DUMP_CHECK_H

#include "core/formats/reader.h"

#include <stdint.h>

/*
 * Reads a text; fails the test if the reader rejects it.  The caller frees the
 * profile.
 */
struct profile *profile_of(const struct reader *reader, const char *text);
struct profile *profile_of_bytes(const struct reader *reader, const void *bytes,
				 size_t len);

/* The same with the reader of thread dumps as text. */
struct profile *read_text(const char *text);

/* Fails the test if there is any remark. */
void assert_whole(const struct profile *p);

/*
 * Return the number of samples, and the sum of the depths of their stack
 * traces.
 */
uint64_t samples_in(const struct profile *p);
uint64_t frames_in(const struct profile *p);

/*
 * Returns the thread's only cell; fails the test unless there is exactly one.
 */
const struct cell *cell_of(const struct profile *p, const char *thread);
const struct thread *thread_of(const struct profile *p, const char *name);

/*
 * Returns a cell's stack trace, leaf first: "a.B.c:12 a.B.d", valid until the
 * next call.
 */
const char *stack_of(const struct profile *p, const struct cell *c);

/* Returns the count of the remark, or 0. */
uint64_t remarks_of(const struct profile *p, const char *what);

/*
 * Reads a file; the caller frees the bytes.  Returns NULL if it does not exist.
 */
char *file_bytes(const char *path, size_t *len);

#endif
