/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof_text: a profile of pprof as text that tests compare.
 *
 *	cpu/count lock/nanoseconds=
 *	a.A.a;b.B.b:12 1 0 thread=main thread_id=1
 *
 * The first line has the sample types, with = after the default.  Lines "time",
 * "period" and "comment" follow if the file has these fields, then the samples
 * in the order of the file, root first.
 */
#ifndef TESTS_UNIT_PPROF_TEXT_H
#define TESTS_UNIT_PPROF_TEXT_H

#include "core/base/text.h"

/*
 * Converts a pprof file to text, which the caller releases.  Fails the test if
 * the file is damaged.
 */
struct text pprof_text(const struct text *file);

#endif
