/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_text: finds out from a frame's name what the frame is, for formats that
 * have only names.
 *
 *    a.b.Class.method, a/b/Class.method, either with :LINE   Java
 *    a.b.Class                        a class alone, of an allocation
 *    ns::function                     C++
 *    function, [libc.so.6], anything else                    native
 *
 * A suffix tells how the frame ran and is removed: _[0] interpreted, _[1] by
 * C1, _[j] compiled, _[i] inlined, _[k] in the kernel.
 */
#ifndef CORE_FORMATS_FRAME_TEXT_H
#define CORE_FORMATS_FRAME_TEXT_H

#include "core/base/lines.h"
#include "core/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

#define FRAME_LONGEST ((size_t)1 << 20) /* maximum bytes of a name */

/*
 * Returns the id of the frame of that name, which has no NUL; an empty name is
 * "[unknown]". line is the line number if the format has one, or 0 to look for
 * it in the name; it is ignored unless the profile keeps lines.
 */
uint32_t frame_text_id(struct profile *p, const char *text, size_t len,
		       uint32_t line);

/*
 * Returns the id of the same frame at a line, for readers that keep the frame
 * of each name: frame_text_id() reads all of a name, and a hostile file refers
 * to a long one millions of times. Line 0 and frames without lines change
 * nothing.
 */
uint32_t frame_text_at_line(struct profile *p, uint32_t frame, uint32_t line);

/*
 * Returns the frame of code without a function, named after its file:
 * [libc.so.6].
 */
uint32_t frame_text_of_file(struct profile *p, struct line path);

/*
 * Returns the maximum number of frames that the stack traces of a file of len
 * bytes may have in formats whose references of a few bytes stand for many
 * frames. Real files have less than one frame per byte.
 */
static inline uint64_t frame_text_room(size_t len)
{
	return ((uint64_t)1 << 23) + (uint64_t)len;
}

#endif
