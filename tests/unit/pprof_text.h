/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof_text: a profile of pprof as text that tests compare.
 *
 *	cpu/count lock/nanoseconds=
 *	a.A.a;b.B.b:12 1 0 thread=main thread_id=1
 *
 * The first line has the sample types, = behind the default; then come lines
 * "time", "period", "comment" where there is such, then the samples, root
 * first, as they stand.
 */
#ifndef TESTS_UNIT_PPROF_TEXT_H
#define TESTS_UNIT_PPROF_TEXT_H

#include "core/base/text.h"

/* Damage fails the test. */
struct text pprof_text(const struct text *file);

#endif
