/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collapsed_frame: what a frame of collapsed stack traces says.
 *
 * The format has names only, so what a name means is judged by its looks:
 *   a.b.Class.method, a/b/Class.method, either with :LINE   Java
 *   a.b.Class                        a class alone, as allocations have it
 *   ns::function                     C++
 *   function, [libc.so.6], anything else                    native
 * A suffix, which is taken off, tells how the frame ran: _[0] interpreted,
 * _[1] by C1, _[j] compiled, _[i] inlined, _[k] in the kernel.
 */
#ifndef CORE_FORMATS_COLLAPSED_FRAME_H
#define CORE_FORMATS_COLLAPSED_FRAME_H

#include "core/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

/* The frame's id; an empty text is "[unknown]". */
uint32_t collapsed_frame(struct profile *p, const char *text, size_t len);

#endif
