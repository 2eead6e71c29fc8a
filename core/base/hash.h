/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash: hash functions for tables.
 *
 * Not for secrets.  All hashes are salted once per process, because names and
 * keys come from input: keys with colliding hashes cannot be prepared.
 */
#ifndef CORE_BASE_HASH_H
#define CORE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Random for each process; set before main(). */
extern uint64_t hash_salt __attribute__((visibility("hidden")));

/* Multiplies to 128 bits and folds: the mixer of wyhash. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128
		product = (unsigned __int128)(a ^ hash_salt) *
			  (b ^ 0xd6e8feb86659fd93u);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Equal bytes have equal hashes within a process. */
uint64_t hash_bytes(const void *bytes, size_t len);

#endif
