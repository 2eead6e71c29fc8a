/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mx_fields: the attributes that `mx -f` selects.
 *
 * Names, in which * and ? match any text and any character, regular expressions
 * between slashes, and "HeapMemoryUsage.used" for a part of an attribute.
 */
#ifndef CMD_JMX_MX_FIELDS_H
#define CMD_JMX_MX_FIELDS_H

#include "cmd/command.h"
#include "core/base/pattern.h"
#include "jmx_http/jmx.h"

struct mx_field {
	char *text;
	struct pattern *pattern; /* NULL: a name */
	/* Of "*Usage.used": "*Usage", used when the whole matches nothing. */
	struct pattern *front;
	const char *path;  /* "used" of that; or NULL */
	bool was_found;    /* an MBean has it */
	bool not_readable; /* an MBean has it, but it can only be set */
	struct text hint;  /* names near it in the first MBean without it */
};

struct mx_fields {
	struct mx_field *at;
	size_t count, cap;
};

/* One value to print of an MBean. */
struct mx_column {
	const char *key; /* as it is printed */
	const char *attribute;
	const char *path; /* within it, or NULL */
	bool was_named;   /* by -f; false: found by a pattern */
};

struct mx_columns {
	const struct mx_column *at;
	size_t count;
};

/*
 * Reads the values of -f, which hold several names each, between commas.
 * ERROR_MISUSE; mx_fields_release() is due in any case.
 */
int mx_fields_init(struct mx_fields *f, const struct option_list *given,
		   struct error *err);
void mx_fields_release(struct mx_fields *f);

/*
 * The columns that the fields select of an MBean; all readable attributes when
 * there are no fields.  In the arena, in the order of the fields, each once.
 */
struct mx_columns mx_fields_of(struct mx_fields *f, const struct jmx_info *info,
			       struct arena *a);

/*
 * Appends "; did you mean 'used'?" for a path that leads to no part of v; or
 * nothing, when no member or key is near.
 */
void mx_part_hint(const struct value *v, const char *path, struct text *hint);

/*
 * Sets hint to the text that follows "there is no attribute 'name'": similar
 * names, or how to list all.
 */
void mx_attribute_hint(const struct jmx_info *info, const char *name,
		       struct text *hint);

/* ERROR_NO_TARGET for the first field that no MBean had. */
int mx_fields_check(const struct mx_fields *f, const char *bean,
		    struct error *err);

#endif
