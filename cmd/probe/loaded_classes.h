/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loaded_classes: the names of a JVM's classes, by jcmd VM.class_hierarchy (JDK
 * 9 or later).
 */
#ifndef CMD_PROBE_LOADED_CLASSES_H
#define CMD_PROBE_LOADED_CLASSES_H

#include "cmd/probe/method_pattern.h"
#include "core/attach/attach.h"
#include "core/base/intern.h"
#include "core/base/text.h"

#include <stddef.h>

/* A class that a pattern selects. */
struct chosen_class {
	const char *name; /* "com.acme.Orders$Line" */
	size_t pattern;   /* index */
};

/* Zeroed storage is an empty list. */
struct loaded_classes {
	struct intern names;         /* all, without hidden classes */
	struct chosen_class *chosen; /* sorted, each once */
	size_t chosen_count, chosen_cap;
};

/*
 * Reads the names, and the classes that the patterns select, without those that
 * a pattern with method "*" excludes. Errors are those of attach_call().
 */
int loaded_classes_read(struct loaded_classes *l, struct attach *attach,
			const struct method_pattern *patterns, size_t count,
			struct error *err);

/* The same from the text of the reply; for tests. */
void loaded_classes_parse(struct loaded_classes *l, const char *text,
			  size_t len, const struct method_pattern *patterns,
			  size_t count);

/*
 * Appends "; did you mean 'com.acme.Orders'?" for a pattern whose class is not
 * loaded, or nothing.
 */
void loaded_classes_suggest(const struct loaded_classes *l,
			    const struct method_pattern *m, struct text *out);

void loaded_classes_release(struct loaded_classes *l);

#endif
