/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns: texts of a given width, in characters of valid UTF-8.
 */
#ifndef RENDER_TEXT_COLUMNS_H
#define RENDER_TEXT_COLUMNS_H

#include "core/base/text.h"

#include <stddef.h>

/* Appends a text, right-aligned by spaces. */
void columns_right(struct text *out, const struct text *text, size_t width);

/*
 * Appends a text that has at most so many characters, and of a longer one the
 * end, which in the name of a frame is the method; or the beginning, where
 * arguments are at the end.  "…" stands for the rest.
 */
void columns_fit(struct text *out, const char *bytes, size_t len, size_t width);

/*
 * Appends words on lines of at most so many characters, if that can be, each
 * after the first indented by two spaces; width 0: on one line.
 */
void columns_wrap(struct text *out, const char *words, size_t width);

#endif
