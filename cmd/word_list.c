/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/word_list.h"

#include <string.h>

bool word_list_has(const char *words, char parting, const char *word,
		   size_t len)
{
	while (words && *words) {
		const char *end = strchrnul(words, parting);

		if ((size_t)(end - words) == len &&
		    memcmp(words, word, len) == 0)
			return true;
		words = *end ? end + 1 : end;
	}
	return false;
}
