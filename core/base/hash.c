/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/hash.h"

#include <string.h>
#include <sys/random.h>

/* The constant is used if getrandom(2) fails, which costs only speed. */
uint64_t hash_salt = 0x2545f4914f6cdd1du;

__attribute__((constructor)) static void hash_set_salt(void)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) ==
	    (ssize_t)sizeof(random))
		hash_salt = random;
}

uint64_t hash_bytes(const void *bytes, size_t len)
{
	const char *p = bytes;
	uint64_t seed = hash_salt;
	uint64_t hash = hash_mix(len, seed);
	uint64_t word;

	for (; len >= 8; len -= 8, p += 8) {
		memcpy(&word, p, 8);
		/* A factor that is input alone could make the product 0. */
		hash = hash_mix(hash ^ word, seed);
	}
	if (len) {
		word = 0;
		memcpy(&word, p, len);
		hash = hash_mix(hash ^ word, seed);
	}
	return hash;
}
