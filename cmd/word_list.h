/* SPDX-License-Identifier: Apache-2.0 */
/*
 * word_list: several words in one string, as in option tables: "a|b|c".
 */
#ifndef CMD_WORD_LIST_H
#define CMD_WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * True when word, of len bytes, is one of the words between which the character
 * `parting` stands.  words may be NULL: no words.
 */
bool word_list_has(const char *words, char parting, const char *word,
		   size_t len);

#endif
