/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process: a running JVM with the details that lists of JVMs print.
 */
#ifndef CMD_SHARED_PROCESS_H
#define CMD_SHARED_PROCESS_H

#include "core/base/text.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stdint.h>

struct process {
	const struct jvm *jvm;
	struct jvm_info info;
	struct text main; /* main_name_of() */
	bool show_secrets;
	bool may_ask; /* ask the JVM by attach for other details */

	/* The members below are private, except refused. */
	struct attach *attach;
	bool has_properties;
	struct text properties; /* the JVM's reply */
	struct error refused;   /* why attach failed; kind 0: it did not */
};

/* Reads details of a JVM, which it borrows; release after success. */
int process_init(struct process *p, const struct jvm *jvm, struct error *err);
void process_release(struct process *p);

/* Appends the program's arguments, joined by spaces; masks secrets. */
void process_args(const struct process *p, struct text *out);

/* Appends words[i]; masks secrets. */
void process_word(const struct process *p, char *const *words, size_t i,
		  struct text *out);

/* Appends SJK's description: main class and arguments, nothing masked. */
void process_description(const struct process *p, struct text *out);

/*
 * Appends a system property. The sources are, in this order, the -D options of
 * the command line and the environment, some properties that every JVM has, and
 * the JVM's reply by attach. Returns false when there is no such property.
 */
bool process_property(struct process *p, const char *name, struct text *out);

/* Returns true to end the search; the value is not masked. */
typedef bool process_property_fn(void *self, const char *name, size_t name_len,
				 const char *value);

/*
 * Calls `is` for the properties, in the same order, until it returns true.
 * Returns false when it never did.
 */
bool process_has_property(struct process *p, process_property_fn *is,
			  void *self);

/*
 * Appends a flag, "-XX:+UseG1GC": the JVM's value or, without a reply, the
 * option of the command line. Returns false when both are unknown.
 */
bool process_flag(struct process *p, const char *name, struct text *out);

/* Appends a time in ns as "3 d 4 h", "5 h 6 min", "7 min 8 s" or "9 s". */
void process_add_uptime(struct text *out, int64_t ns);

#endif
