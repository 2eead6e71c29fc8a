/* SPDX-License-Identifier: Apache-2.0 */
/* columns: fits text into a width in characters; the text is valid UTF-8. */
#ifndef RENDER_TEXT_COLUMNS_H
#define RENDER_TEXT_COLUMNS_H

#include "core/base/text.h"

#include <stddef.h>

/* Aligns the text from `start` on to the right, by spaces before it. */
void columns_right(struct text *out, size_t start, size_t width);

/*
 * Appends a frame name, truncated to width characters with "…": at its start,
 * to keep the method; or at its end if it has a parenthesis, to drop arguments.
 */
void columns_fit(struct text *out, const char *bytes, size_t len, size_t width);

/*
 * Appends words and a newline, with line breaks at spaces to keep lines within
 * width characters.  The text so far ends at `column`; later lines are indented
 * by `indent` spaces.  Longer words are not broken.  Width 0 means one line.
 */
void columns_wrap(struct text *out, const char *words, size_t column,
		  size_t indent, size_t width);

#endif
