/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/hash.h"

#include <stdbool.h>
#include <string.h>
#include <sys/random.h>

uint64_t hash_seed(void)
{
	static bool known;
	static uint64_t seed = 0x2545f4914f6cdd1du;

	if (!known) {
		/* Without randomness the constant serves: only speed hangs on
		 * it. */
		if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) < 0)
			seed ^= (uint64_t)(uintptr_t)&known;
		known = true;
	}
	return seed;
}

uint64_t hash_bytes(const void *bytes, size_t len)
{
	const char *p = bytes;
	uint64_t hash = hash_mix(hash_seed(), len);
	uint64_t word;

	for (; len >= 8; len -= 8, p += 8) {
		memcpy(&word, p, 8);
		hash = hash_mix(hash, word);
	}
	if (len) {
		word = 0;
		memcpy(&word, p, len);
		hash = hash_mix(hash, word);
	}
	return hash;
}
