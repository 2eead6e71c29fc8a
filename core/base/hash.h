/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash: mixes bits for the tables of core/.
 *
 * Not for secrets.  hash_bytes() is seeded once a process, since names come
 * from input: nobody can prepare names that all collide.
 */
#ifndef CORE_BASE_HASH_H
#define CORE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Multiplies to 128 bits and folds: the mixer of wyhash and its kin. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128
		product = (unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) *
			  (b ^ 0xd6e8feb86659fd93u);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t hash_bytes(const void *bytes, size_t len);

/* The process's seed, from getrandom(2). */
uint64_t hash_seed(void);

#endif
