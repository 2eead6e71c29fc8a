/* SPDX-License-Identifier: Apache-2.0 */
/* foreign: checks that are the same for all readers of exchange formats. */
#ifndef TESTS_UNIT_FOREIGN_H
#define TESTS_UNIT_FOREIGN_H

#include "core/base/text.h"
#include "core/formats/reader.h"

#include <stddef.h>

/* Reads bytes, which must succeed; the caller frees the profile. */
struct profile *foreign_read(const struct reader *r, const void *bytes,
			     size_t len);

/* Fails the test unless reading fails with ERROR_INPUT and this message. */
void foreign_refuse(const struct reader *r, const void *bytes, size_t len,
		    const char *message);

/*
 * Returns the samples as sorted lines "event: root;leaf|thread|count weight";
 * cells with equal texts are added up.
 */
struct text foreign_lines(const struct profile *p);

/* Fails the test unless the lines of the profile are these. */
void foreign_expect(const struct profile *p, const char *lines);

/*
 * Reads every prefix of the bytes. Each must be refused, be partial, or have
 * the samples of the whole; none may have more, or frames, threads and states
 * that the whole has not. has_end: the format has an end, so that a cut between
 * two samples is noticed, too.
 */
void foreign_cut_everywhere(const struct reader *r, const void *bytes,
			    size_t len, bool has_end);

/* Returns the bytes of a file, decompressed if it is gzipped. */
struct text foreign_file(const char *path);

#endif
