/* SPDX-License-Identifier: Apache-2.0 */
/*
 * method_pattern: selects methods by class, name and parameters, as sjkc(1)
 * describes under "probe".
 */
#ifndef CMD_PROBE_METHOD_PATTERN_H
#define CMD_PROBE_METHOD_PATTERN_H

#include "core/base/error.h"
#include "core/base/pattern.h"

#include <stdbool.h>
#include <stddef.h>

struct method_pattern {
	const char *word; /* the user's; borrowed */
	bool excludes, with_subtypes;
	/*
	 * "com.acme.*". If any_package, the name of a class without its
	 * package and without the class that encloses it.
	 */
	char *class_name;
	bool any_package;
	char *method; /* "submit", "sub*", "<init>" */
	bool has_parameters;
	bool is_open; /* more parameters may follow */
	struct pattern **parameters;
	size_t parameter_count, parameter_cap;
	struct pattern *classes, *methods;
};

/*
 * Parses a pattern of the command line. ERROR_MISUSE quotes the word.
 * method_pattern_release() must follow, even after a failure.
 */
int method_pattern_init(struct method_pattern *m, const char *word,
			struct error *err);
void method_pattern_release(struct method_pattern *m);

/* Returns true if the class, named with dots, matches. */
bool method_pattern_has_class(const struct method_pattern *m, const char *name);

/*
 * Returns true if a method's name and descriptor match; the descriptor may be
 * NULL if there are no parameters in the pattern.
 */
bool method_pattern_has_method(const struct method_pattern *m, const char *name,
			       const char *descriptor);

#endif
