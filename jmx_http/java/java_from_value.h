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

#include "jmx_http/java/java_open_type.h"
#include "jmx_http/jmx.h"

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
