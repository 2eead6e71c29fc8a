/* SPDX-License-Identifier: Apache-2.0 */
/* prompt: a line that the user types. */
#ifndef RENDER_TOP_PROMPT_H
#define RENDER_TOP_PROMPT_H

#include "core/base/text.h"
#include "render/top/keys.h"
#include "render/top/screen.h"

#include <stdbool.h>

enum prompt_answer {
	PROMPT_UNCHANGED,
	PROMPT_CHANGED,
	PROMPT_DONE, /* Enter */
	PROMPT_LEFT, /* Escape, or Backspace in an empty line */
};

/* A zeroed struct is an inactive prompt. */
struct prompt {
	const char *label; /* label, static; NULL: inactive */
	struct text typed;
};

/* Starts a prompt with a static label; the initial text may be NULL. */
void prompt_start(struct prompt *p, const char *label, const char *typed);

/* Edits the text with a key. */
enum prompt_answer prompt_key(struct prompt *p, const struct key *key);

/* Makes the prompt inactive; the typed text stays. */
void prompt_end(struct prompt *p);
void prompt_release(struct prompt *p);

/* Returns the typed text, NUL-terminated. */
const char *prompt_typed(const struct prompt *p);

/* Draws the prompt and its cursor into a row: the end of a long text. */
void prompt_draw(const struct prompt *p, struct screen *s, unsigned row);

#endif
