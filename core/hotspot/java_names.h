/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_names: names of Java methods, interned.
 *
 * Their memory may have been reused before it was read, so the syntax of names
 * is checked.
 */
#ifndef CORE_HOTSPOT_JAVA_NAMES_H
#define CORE_HOTSPOT_JAVA_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct java_name {
	const char *class_name; /* as in java_symbols.h */
	const char *method, *signature;
};

/* The text of a Symbol: modified UTF-8, not NUL-terminated. */
struct java_symbol {
	const char *bytes;
	size_t len;
};

struct java_names;

/*
 * The names have at most most_bytes.  A large application has about 100,000
 * methods with names of 100 bytes.
 */
struct java_names *java_names_new(size_t most_bytes);
void java_names_free(struct java_names *n); /* NULL is fine */

/* Returns the bytes of all names. */
size_t java_names_bytes(const struct java_names *n);

/*
 * Returns the ID of a method by the JVM's names of its class ("a/B"), of the
 * method and of its descriptor.  Returns 0 when they are not valid names or the
 * table is full.
 */
uint32_t java_names_add(struct java_names *n, struct java_symbol class_name,
			struct java_symbol method,
			struct java_symbol signature);

/* Returns the names of an id other than 0; the strings live as long as n. */
struct java_name java_names_get(const struct java_names *n, uint32_t id);

#endif
