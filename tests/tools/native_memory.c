/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native methods of NativeLeak: mappings, and an allocator that samples itself
 * and has the USDT probes of OpenTelemetry's contract for memory profiling.  No
 * known library for JVMs has these probes yet.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* As javac -h declares them. */
int64_t Java_NativeLeak_allocateSampled(void *env, void *class, int kept,
					int freed);
int64_t Java_NativeLeak_mapHalf(void *env, void *class, int count, int size);

/* Bytes per sample.  Each block is as large, so that each call is sampled. */
enum { INTERVAL = 16384 };

/* The kernel raises it while somebody has attached to the probe. */
unsigned short otel_memory_alloc_semaphore
	__attribute__((section(".probes"), visibility("hidden"))) = 0;

/* A note as SystemTap's sys/sdt.h writes it. */
#define NOTE(name, semaphore, arguments)                                       \
	"990: nop\n"                                                           \
	".pushsection .note.stapsdt, \"?\", \"note\"\n"                        \
	".balign 4\n"                                                          \
	".4byte 992f-991f, 994f-993f, 3\n"                                     \
	"991: .asciz \"stapsdt\"\n"                                            \
	"992: .balign 4\n"                                                     \
	"993: .8byte 990b\n"                                                   \
	".8byte 0\n"                                                           \
	".8byte " semaphore "\n"                                               \
	".asciz \"otel_memory\"\n"                                             \
	".asciz \"" name "\"\n"                                                \
	".asciz \"" arguments "\"\n"                                           \
	"994: .balign 4\n"                                                     \
	".popsection\n"

/* The size is in memory, and the weight a constant. */
static __attribute__((noinline)) void probe_alloc(void *block, uint32_t size)
{
	volatile uint32_t sizes[2] = { 0, size };

	__asm__ volatile(NOTE("alloc", "otel_memory_alloc_semaphore",
			      "8@%%rdi 4@4(%%rsi) -4@$16384")
			 :
			 : "D"(block), "S"(sizes)
			 : "memory");
}

static __attribute__((noinline)) void probe_free(void *block)
{
	__asm__ volatile(NOTE("free", "0", "8@%%rdx")
			 :
			 : "d"(block)
			 : "memory");
}

/* Returns a block that was sampled if somebody has attached to the probe. */
static void *sampled_alloc(void)
{
	void *block = malloc(INTERVAL);

	if (block && *(volatile unsigned short *)&otel_memory_alloc_semaphore)
		probe_alloc(block, INTERVAL);
	return block;
}

/* Allocates `kept + freed` blocks in turn; returns the bytes that are kept. */
int64_t Java_NativeLeak_allocateSampled(void *env, void *class, int kept,
					int freed)
{
	int64_t bytes = 0;

	(void)env, (void)class;
	for (int i = 0; i < kept + freed; i++) {
		void *block = sampled_alloc();

		if (i >= freed) {
			bytes += INTERVAL;
			continue;
		}
		probe_free(block);
		free(block);
	}
	return bytes;
}

static char *map(size_t bytes, int protection)
{
	char *at = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/*
 * Maps memory count times, and unmaps the second half of each; returns the
 * bytes that are still mapped.  Beside that, maps and unmaps as much, and
 * reserves memory, of which only the part that becomes accessible counts.
 */
int64_t Java_NativeLeak_mapHalf(void *env, void *class, int count, int size)
{
	size_t bytes = (size_t)size;
	int64_t left = 0;

	(void)env, (void)class;
	for (int i = 0; i < count; i++) {
		char *all = map(2 * bytes, PROT_READ | PROT_WRITE);
		char *gone = map(2 * bytes, PROT_READ | PROT_WRITE);
		char *reserved = map(8 * bytes, PROT_NONE);

		if (!all || !gone || !reserved)
			return -1;
		munmap(all + bytes, bytes);
		munmap(gone, 2 * bytes);
		if (mmap(reserved + bytes, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			 0) == MAP_FAILED)
			return -1;
		left += 2 * (int64_t)bytes;
	}
	return left;
}
