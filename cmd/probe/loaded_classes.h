/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loaded_classes: the names of a JVM's classes, by jcmd VM.class_hierarchy (JDK
 * 9 or later), and their class loaders, by jcmd VM.classloaders.
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

/* A class of any name, which several loaders may have loaded. */
struct loaded_class {
	uint32_t name;   /* id */
	uint32_t loader; /* id of its address; 0 = the bootstrap loader */
};

/* Zeroed storage is an empty list. */
struct loaded_classes {
	struct intern names;         /* all, without hidden classes */
	struct chosen_class *chosen; /* sorted, each once */
	size_t chosen_count, chosen_cap;
	struct loaded_class *all;
	size_t count, cap;
	struct intern addresses; /* of class loaders: "0x00007f4e3c0ab470" */
	struct intern loaders;   /* "app", a.Loader */
	uint32_t *barred;        /* by id of name - 1: id of a loader */
	/* Loaders that may not find all classes of the bootstrap loader. */
	size_t barring;
	const char *barring_name; /* one of them */
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
 * Reads the class loaders of the classes: those of the JDK delegate to the
 * bootstrap loader, and the code of others may not. Errors are those of
 * attach_call().
 */
int loaded_classes_read_loaders(struct loaded_classes *l, struct attach *attach,
				struct error *err);

/* The same from the text of the reply; for tests. */
void loaded_classes_parse_loaders(struct loaded_classes *l, const char *text,
				  size_t len);

/*
 * Returns a class loader that has loaded a class of this name and may not find
 * all classes of the bootstrap loader, as the JVM prints it, or NULL.
 */
const char *loaded_classes_barring(const struct loaded_classes *l,
				   const char *name);

/*
 * Appends "; did you mean 'com.acme.Orders'?" for a pattern whose class is not
 * loaded, or nothing.
 */
void loaded_classes_suggest(const struct loaded_classes *l,
			    const struct method_pattern *m, struct text *out);

void loaded_classes_release(struct loaded_classes *l);

#endif
