/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mx_fields: the attributes that `mx -f` selects.
 *
 * A field is a name, in which * matches any text and ? any character, a regular
 * expression between slashes, or a part of an attribute:
 * "HeapMemoryUsage.used".
 */
#ifndef CMD_JMX_MX_FIELDS_H
#define CMD_JMX_MX_FIELDS_H

#include "cmd/shared/command.h"
#include "core/base/pattern.h"
#include "jmx_http/jmx.h"

struct mx_field {
	char *text;
	struct pattern *pattern; /* NULL: a name */
	/* Of "*Usage.used": "*Usage", used when the whole matches nothing. */
	struct pattern *front;
	const char *path;  /* "used" of "*Usage.used", or NULL */
	bool was_found;    /* an MBean has it */
	bool not_readable; /* an MBean has it, but as a write-only one */
	struct text hint;  /* near misses in the first MBean without it */
};

struct mx_fields {
	struct mx_field *at;
	size_t count, cap;
	bool was_split; /* a comma separated two of them */
};

/* One value to print of an MBean. */
struct mx_column {
	const char *key; /* its printed name */
	const char *attribute;
	const char *path; /* within it, or NULL */
	bool was_named;   /* by -f; false: found by a pattern */
};

struct mx_columns {
	const struct mx_column *at;
	size_t count;
};

/*
 * Parses the values of -f, each a list of fields separated by commas.
 * ERROR_MISUSE; call mx_fields_release() in any case.
 */
int mx_fields_init(struct mx_fields *f, const struct option_list *given,
		   struct error *err);
void mx_fields_release(struct mx_fields *f);

/*
 * Returns the columns that the fields select of an MBean, or all readable
 * attributes without fields: each once, in the order of the fields, in the
 * arena.
 */
struct mx_columns mx_fields_of(struct mx_fields *f, const struct jmx_info *info,
			       struct arena *a);

/*
 * Appends "; did you mean 'used'?" for a path that matches no part of v, or
 * nothing when no member or key is similar.
 */
void mx_part_hint(const struct value *v, const char *path, struct text *hint);

/*
 * Sets hint to the text that follows "there is no attribute 'name'": near
 * misses, or how to list all attributes.
 */
void mx_attribute_hint(const struct jmx_info *info, const char *name,
		       struct text *hint);

/* Fails with ERROR_NO_TARGET for the first field that no MBean has. */
int mx_fields_check(const struct mx_fields *f, const char *bean,
		    struct error *err);

#endif
