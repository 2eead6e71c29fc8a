/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/agent/agent_system.h"

#define TRIES     2000
#define NAPS      10000
#define NAP_NS    100000
#define HOT_TRIES 64 /* before others are let run */

void *memcpy(void *restrict to, const void *restrict from, size_t len)
{
	void *at = to;

	__asm__ volatile("rep movsb"
			 : "+D"(at), "+S"(from), "+c"(len)
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

static bool take(int *lock)
{
	return !__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE);
}

bool system_try(int *lock)
{
	for (int i = 0; i < TRIES; i++) {
		if (take(lock))
			return true;
		if (i < HOT_TRIES)
			__builtin_ia32_pause();
		else
			system_call(SYSTEM_SCHED_YIELD, 0, 0, 0, 0, 0, 0);
	}
	return false;
}

bool system_wait(int *lock)
{
	static const int64_t nap[2] = { 0, NAP_NS };

	if (system_try(lock))
		return true;
	for (int i = 0; i < NAPS; i++) {
		if (take(lock))
			return true;
		system_call(SYSTEM_NANOSLEEP, (long)nap, 0, 0, 0, 0, 0);
	}
	return false;
}
