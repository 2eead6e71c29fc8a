/* SPDX-License-Identifier: Apache-2.0 */
/*
 * saturate: sums that stop at the maximum instead of overflowing.
 *
 * Weights come from input, and a hostile weight must not make a total small.
 */
#ifndef CORE_BASE_SATURATE_H
#define CORE_BASE_SATURATE_H

#include <stdint.h>

static inline uint64_t saturate_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

#endif
