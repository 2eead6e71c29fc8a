/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_names: names of Java methods, each kept once and for good.
 *
 * They come from memory that may hold anything by the time it is read, so they
 * are looked at before they are believed.
 */
#ifndef CORE_HOTSPOT_JAVA_NAMES_H
#define CORE_HOTSPOT_JAVA_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct java_name {
	const char *class_name; /* as java_symbols.h has it */
	const char *method, *signature;
};

/* A Symbol of the JVM: modified UTF-8, not NUL-terminated. */
struct java_symbol {
	const char *bytes;
	size_t len;
};

struct java_names;

struct java_names *java_names_new(void);
void java_names_free(struct java_names *n); /* NULL is fine */

/*
 * The id of a method by the names that its class ("a/B"), it and its
 * descriptor have in the JVM; 0 when these cannot be such names, or there is
 * room for no more.
 */
uint32_t java_names_add(struct java_names *n, struct java_symbol class_name,
			struct java_symbol method,
			struct java_symbol signature);

/* What an id other than 0 stands for; the strings live as long as n does. */
struct java_name java_names_get(const struct java_names *n, uint32_t id);

#endif
