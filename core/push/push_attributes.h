/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push_attributes: the attributes of a JVM's resource, those that sjkc knows
 * and those that the user gives in lists like OTEL_RESOURCE_ATTRIBUTES.
 */
#ifndef CORE_PUSH_PUSH_ATTRIBUTES_H
#define CORE_PUSH_PUSH_ATTRIBUTES_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* Limits of attributes that the user gives; backends have limits, too.
	 */
	PUSH_GIVEN_MAX = 16,
	PUSH_KEY_MAX = 128,
	PUSH_VALUE_MAX = 1024,
	PUSH_OWN_MAX = 24,
};

/* Appends an attribute to those of a resource; both texts may be any bytes. */
void push_attribute(struct text *resource, const char *key, const char *value,
		    size_t len);

/* Zeroed storage is empty. */
struct push_attributes {
	bool omits_ids;         /* leaves out ids of containers and processes */
	struct text own, given; /* made by push_attribute() */
	struct text keys[PUSH_OWN_MAX + PUSH_GIVEN_MAX];
	size_t own_count, given_count; /* keys; the own ones are first */
	/* Given attributes that are not sent: invalid, repeated or too many. */
	uint64_t omitted;
};

void push_attributes_release(struct push_attributes *a);

/* Adds an attribute that sjkc knows, before any list; an empty value is none.
 */
void push_attributes_put(struct push_attributes *a, const char *key,
			 const char *value);

/*
 * Adds the attributes of a list "key=value,key=value". Attributes that sjkc
 * knows itself replace those of the list, and service.name is not one of them.
 * repeats: the list may have attributes of an earlier one.
 */
void push_attributes_add_list(struct push_attributes *a, const char *list,
			      bool repeats);

/*
 * Reads the first pair of a list; a text without "=" leaves both empty. Returns
 * the rest of the list.
 */
const char *push_attributes_next(const char *list, struct text *key,
				 struct text *value);

#endif
