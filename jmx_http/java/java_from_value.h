/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_from_value: writes values as the Java objects that MBean servers return.
 *
 * A declared type decides the class of a value.  Composites become
 * CompositeData: composites of the JDK's own MBeans by their members, with the
 * types that the JDK declares, other composites with types inferred from their
 * values.  A value that does not have the declared type is written by its kind.
 */
#ifndef JMX_HTTP_JAVA_JAVA_FROM_VALUE_H
#define JMX_HTTP_JAVA_JAVA_FROM_VALUE_H

#include "jmx_http/java/java_output.h"
#include "jmx_http/jmx.h"

struct open_type;

#define FROM_VALUE_INFERRED_MAX 64

/*
 * Work of the search for types: comparisons of a value, or 1/64 of a row.
 * Composites and tables that are left then become text.  Without a limit,
 * nested arrays of different composites double the work at each level.
 */
#define FROM_VALUE_WORK_MAX ((size_t)64000000)

/* One stream.  The caller sets the first two fields and zeroes the others. */
struct java_from_value {
	struct java_output *output;
	struct arena *arena; /* for types; lives as long as the stream */

	/* Private from here on. */
	struct open_type *simple; /* by enum open_simple */
	struct open_type **known; /* by index of the table; may be NULL */
	struct open_type *inferred[FROM_VALUE_INFERRED_MAX];
	size_t inferred_next;
	size_t work; /* at most FROM_VALUE_WORK_MAX */
};

/* type as Class.getName() spells it; "" if it is unknown. */
void java_from_value(struct java_from_value *f, const struct value *v,
		     const char *type);

/*
 * As above, but returns false, and writes nothing, if the value cannot be
 * written with the type.
 */
bool java_from_value_of_type(struct java_from_value *f, const struct value *v,
			     const char *type);

/* Writes a javax.management.MBeanInfo without descriptors. */
void java_from_info(struct java_output *o, const struct jmx_info *info);

#endif
