/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/agent/agent_system.h"

/* Maximum delay of an application thread. */
#define TRY_NS 200000
#define NAPS   10000
#define NAP_NS 100000

enum { HOT_TRIES = 64 }; /* tries before a yield */

void *memcpy(void *restrict to, const void *restrict from, size_t len)
{
	void *at = to;

	__asm__ volatile("rep movsb"
			 : "+D"(at), "+S"(from), "+c"(len)
			 :
			 : "memory");
	return to;
}

void *memmove(void *to, const void *from, size_t len)
{
	uint8_t *last = (uint8_t *)to + len - 1;
	const uint8_t *source = (const uint8_t *)from + len - 1;

	if ((uintptr_t)to - (uintptr_t)from >= len)
		return memcpy(to, from, len);
	/*
	 * Copies backwards; a compiler would turn a loop into a call of
	 * memmove().
	 */
	__asm__ volatile("std; rep movsb; cld"
			 : "+D"(last), "+S"(source), "+c"(len)
			 :
			 : "memory");
	return to;
}

void *memset(void *to, int byte, size_t len)
{
	void *at = to;

	__asm__ volatile("rep stosb"
			 : "+D"(at), "+c"(len)
			 : "a"(byte)
			 : "memory");
	return to;
}

static bool system_take(int *lock)
{
	return !__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE);
}

bool system_try(int *lock)
{
	uint64_t until_ns;

	for (int i = 0; i < HOT_TRIES; i++) {
		if (system_take(lock))
			return true;
		__builtin_ia32_pause();
	}
	/*
	 * The time is limited, not the number of yields: a yield takes as long
	 * as other threads run.
	 */
	until_ns = system_now() + TRY_NS;
	do {
		system_call(SYSTEM_SCHED_YIELD, 0, 0, 0, 0, 0, 0);
		if (system_take(lock))
			return true;
	} while (system_now() < until_ns);
	return false;
}

bool system_wait(int *lock)
{
	static const int64_t nap[2] = { 0, NAP_NS };

	if (system_try(lock))
		return true;
	for (int i = 0; i < NAPS; i++) {
		if (system_take(lock))
			return true;
		system_call(SYSTEM_NANOSLEEP, (long)nap, 0, 0, 0, 0, 0);
	}
	return false;
}
