/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash: mixes bits for the tables of core/.
 *
 * Not for secrets.  All is salted once a process, since names and keys come
 * from input: nobody can prepare any that all collide.
 */
#ifndef CORE_BASE_HASH_H
#define CORE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Random, one for the whole process; set before main(). */
extern uint64_t hash_salt __attribute__((visibility("hidden")));

/* Multiplies to 128 bits and folds: the mixer of wyhash and its kin. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128
		product = (unsigned __int128)(a ^ hash_salt) *
			  (b ^ 0xd6e8feb86659fd93u);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Equal bytes have one hash for as long as the process lives. */
uint64_t hash_bytes(const void *bytes, size_t len);

#endif
