/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc: allocation that ends the program when it fails.
 *
 * Callers need no checks. When memory runs out, the handler that main()
 * installed runs (it removes unfinished files and restores the terminal) and
 * the process exits with status 1.
 */
#ifndef CORE_BASE_ALLOC_H
#define CORE_BASE_ALLOC_H

#include <stddef.h>

/*
 * The handler runs once and must not return. size is that of the allocation
 * that failed; 0 means unknown or too large to represent.
 */
typedef void alloc_failed_fn(size_t size);

/* Installs the handler; without one, the process aborts. */
void alloc_on_failure(alloc_failed_fn *handler);

/*
 * Ends the program as if an allocation of size bytes had failed (0: unknown).
 */
_Noreturn void alloc_give_up(size_t size);

/*
 * Like malloc(3), calloc(3) and realloc(3), but these never fail. Size 0
 * returns a pointer that may be freed.
 */
void *xmalloc(size_t size) __attribute__((malloc));
void *xcalloc(size_t count, size_t size) __attribute__((malloc));
void *xrealloc(void *old, size_t count, size_t size);
char *xstrdup(const char *text) __attribute__((malloc));
char *xstrndup(const char *text, size_t len) __attribute__((malloc));

/*
 * The usual size of a huge page. Memory of at least this size is in huge pages
 * where the system offers them, since page faults would take longer than the
 * work on the data; except that of xcalloc(), which may be a table with few
 * entries. An array fills its pages in order, so at most one is partly used.
 */
#define ALLOC_HUGE_PAGE ((size_t)2 << 20)

/* Returns an array of zeros, which the caller fills; like xcalloc(). */
void *array_new(size_t count, size_t size) __attribute__((malloc));

/* Requests huge pages for a mapping, which must begin at a page. */
void alloc_use_huge_pages(void *mapping, size_t bytes);

/*
 * Reserves space for at least `need` elements in an array, which doubles. array
 * is an lvalue pointer, cap an lvalue size_t that counts elements. Afterwards
 * the array is not NULL, which the first condition tells static analysers.
 */
#define array_reserve(array, cap, need)                                        \
	do {                                                                   \
		if (!(array) || (need) > (cap))                                \
			(array) = array_grown((array), &(cap), (need),         \
					      sizeof(*(array)));               \
	} while (0)

/* Appends a value to an array; count is an lvalue. */
#define array_add(array, count, cap, ...)                                      \
	do {                                                                   \
		array_reserve(array, cap, (count) + 1);                        \
		(array)[(count)++] = __VA_ARGS__;                              \
	} while (0)

/*
 * Used by array_reserve(). Returns the array, which may have moved; updates
 * *cap.
 */
void *array_grown(void *array, size_t *cap, size_t need, size_t size);

#endif
