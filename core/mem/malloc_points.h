/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc_points: the functions of a library that allocate, map and free memory,
 * where a uprobe in each of them costs least, and the USDT probes of a library
 * that samples its allocations itself.
 */
#ifndef CORE_MEM_MALLOC_POINTS_H
#define CORE_MEM_MALLOC_POINTS_H

#include "core/base/error.h"
#include "core/elf/elf_usdt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functions by their arguments and result. */
enum malloc_function {
	MALLOC_OF_SIZE,  /* malloc(size) */
	MALLOC_OF_ARRAY, /* calloc(count, size) */
	MALLOC_AGAIN,    /* realloc(block, size) */
	/* The same, which calls malloc() if there is no block. */
	MALLOC_AGAIN_OR_FIRST,
	MALLOC_ALIGNED,     /* aligned_alloc(alignment, size), memalign() */
	MALLOC_ALIGNED_OUT, /* posix_memalign(&block, alignment, size) */
	MALLOC_MAP,         /* mmap(address, size, protection, flags, …) */
	/* The return of these is of no interest. */
	MALLOC_FREE,         /* free(block) */
	MALLOC_UNMAP,        /* munmap(address, size) */
	MALLOC_PROTECT,      /* mprotect(address, size, protection) */
	MALLOC_BREAK,        /* brk(address) */
	MALLOC_SAMPLED,      /* otel_memory:alloc(block, size, weight) */
	MALLOC_SAMPLED_FREE, /* otel_memory:free(block) */
	MALLOC_FUNCTIONS
};

/* Returns true for functions that map memory, and are rarely called. */
bool malloc_function_maps(enum malloc_function function);

struct malloc_point {
	enum malloc_function function;
	uint64_t offset;  /* in the file; arguments are in their registers */
	bool is_emulated; /* by the kernel, which makes a probe cheap */
	/* Of a USDT probe: an offset in the file, and places of arguments. */
	uint64_t semaphore; /* 0 = none */
	struct elf_usdt_argument arguments[3];
};

enum { MALLOC_POINTS_MAX = 16 };

/*
 * Finds the functions that the ELF file fd, which stays the caller's, exports,
 * and stores each place once, however many names it has.  Returns their number;
 * 0 if the file does not export both malloc() and free().  ERROR_INPUT (-1) if
 * it is not an ELF file of this machine.
 *
 * A function that calls another one of the library is omitted if each call
 * would count twice: calloc() of musl 1.2.
 *
 * The USDT probes of OpenTelemetry's contract for memory profiling come after
 * the functions, if the file has both, at several places perhaps
 * (opentelemetry-ebpf-profiler, design-docs/00003-memory-profiling).
 */
int malloc_points_read(int fd, struct malloc_point points[MALLOC_POINTS_MAX],
		       struct error *err);

#endif
