/* SPDX-License-Identifier: Apache-2.0 */
/* prompt: a line that the user types. */
#ifndef RENDER_TOP_PROMPT_H
#define RENDER_TOP_PROMPT_H

#include "core/base/text.h"
#include "render/top/keys.h"
#include "render/top/screen.h"

#include <stdbool.h>

enum prompt_answer {
	PROMPT_GOES_ON, /* nothing that changes it */
	PROMPT_CHANGED,
	PROMPT_DONE,
	PROMPT_LEFT, /* by Escape */
};

/* A zeroed struct is an inactive prompt. */
struct prompt {
	const char *asks; /* what for: "regex"; NULL: nothing */
	struct text typed;
};

/* Starts a prompt; the initial text may be NULL. */
void prompt_ask(struct prompt *p, const char *what, const char *typed);
enum prompt_answer prompt_key(struct prompt *p, const struct key *key);
void prompt_end(struct prompt *p); /* asks no more; typed stays */
void prompt_release(struct prompt *p);

/* Returns the typed text, NUL-terminated. */
const char *prompt_typed(const struct prompt *p);

/* Draws the prompt and its cursor into a row; of a longer line, its end. */
void prompt_draw(const struct prompt *p, struct screen *s, unsigned row);

#endif
