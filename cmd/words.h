/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words: several of them in one string, as option tables have them: "a|b|c".
 */
#ifndef CMD_WORDS_H
#define CMD_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * True when word, of len bytes, is one of the words between which the character
 * `parting` stands.  words may be NULL: no words.
 */
bool words_have(const char *words, char parting, const char *word, size_t len);

#endif
