/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_system: replaces the C library for the agent.
 *
 * glibc and musl both load the agent, so it uses neither: it makes system calls
 * directly (x86-64), and has locks with a time limit.
 */
#ifndef JVMTI_AGENT_AGENT_SYSTEM_H
#define JVMTI_AGENT_AGENT_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of the kernel (asm/unistd_64.h) and flags (asm-generic/fcntl.h). */
enum {
	SYSTEM_CLOSE = 3,
	SYSTEM_MMAP = 9,
	SYSTEM_MUNMAP = 11,
	SYSTEM_PREAD = 17,
	SYSTEM_PWRITE = 18,
	SYSTEM_SCHED_YIELD = 24,
	SYSTEM_NANOSLEEP = 35,
	SYSTEM_FCNTL = 72,
	SYSTEM_FTRUNCATE = 77,
	SYSTEM_GETTID = 186,
	SYSTEM_FUTEX = 202,
	SYSTEM_CLOCK_GETTIME = 228,
	SYSTEM_OPENAT = 257,
	SYSTEM_UNLINKAT = 263,
	SYSTEM_MEMFD_CREATE = 319,

	SYSTEM_EINTR = 4,
	SYSTEM_EBUSY = 16,
	SYSTEM_O_RDWR = 02,
	SYSTEM_O_NOFOLLOW = 0400000,
	SYSTEM_O_CLOEXEC = 02000000,
	SYSTEM_AT_FDCWD = -100,
	SYSTEM_AT_REMOVEDIR = 0x200,
	SYSTEM_F_OFD_GETLK = 36,
	SYSTEM_F_WRLCK = 1,
	SYSTEM_F_UNLCK = 2,
	SYSTEM_PROT_NONE = 0,
	SYSTEM_PROT_READ_WRITE = 3,
	SYSTEM_MAP_PRIVATE_ANONYMOUS = 0x22,
	SYSTEM_MAP_SHARED = 0x01,
	SYSTEM_MAP_PRIVATE = 0x02,
	SYSTEM_MAP_FIXED = 0x10,
	SYSTEM_MAP_NORESERVE = 0x4000,
	SYSTEM_MFD_CLOEXEC_SEALING = 3,
	SYSTEM_F_ADD_SEALS = 1033,
	SYSTEM_SEAL_SIZE = 7, /* F_SEAL_SEAL, _SHRINK, _GROW */
	SYSTEM_FUTEX_WAIT = 0,
	SYSTEM_FUTEX_WAKE = 1,
	SYSTEM_CLOCK_MONOTONIC = 1,
};

struct system_flock { /* struct flock */
	int16_t type, whence;
	int64_t start, len;
	int32_t pid;
};

/* Makes a system call; a result below 0 is -errno. */
static inline long system_call(long number, long a, long b, long c, long d,
			       long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10),
			   "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

/* Returns the time, CLOCK_MONOTONIC in ns. */
static inline uint64_t system_now(void)
{
	int64_t time[2] = { 0, 0 };

	system_call(SYSTEM_CLOCK_GETTIME, SYSTEM_CLOCK_MONOTONIC, (long)time, 0,
		    0, 0, 0);
	return (uint64_t)time[0] * 1000000000u + (uint64_t)time[1];
}

/*
 * Reads a clock that costs almost nothing: some GHz, with an arbitrary origin.
 */
static inline uint64_t system_ticks(void) { return __builtin_ia32_rdtsc(); }

/*
 * Returns a value that differs between threads: the thread control blocks of
 * glibc and musl both begin with their address.
 */
static inline uintptr_t system_thread(void)
{
	uintptr_t self;

	__asm__("movq %%fs:0, %0" : "=r"(self));
	return self;
}

/* Returns zeroed memory, or NULL and the errno in *code. */
static inline void *system_map(size_t size, int *code)
{
	long at = system_call(SYSTEM_MMAP, 0, (long)size,
			      SYSTEM_PROT_READ_WRITE,
			      SYSTEM_MAP_PRIVATE_ANONYMOUS, -1, 0);

	if (at < 0 && at > -4096) {
		*code = (int)-at;
		return NULL;
	}
	return (void *)at;
}

static inline void system_unmap(void *memory, size_t size)
{
	if (memory)
		system_call(SYSTEM_MUNMAP, (long)memory, (long)size, 0, 0, 0,
			    0);
}

static inline size_t system_length(const char *text)
{
	size_t len = 0;

	while (text && text[len])
		len++;
	return len;
}

/* Compilers generate calls of these functions. */
void *memcpy(void *restrict to, const void *restrict from, size_t len);
void *memmove(void *to, const void *from, size_t len);
void *memset(void *to, int byte, size_t len);

/*
 * A lock is an int, 0 when free.  Both functions give up after a while:
 * system_try() after 200 us and a yield, system_wait() after a second.
 */
bool system_try(int *lock);
bool system_wait(int *lock);

static inline void system_unlock(int *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

#endif
