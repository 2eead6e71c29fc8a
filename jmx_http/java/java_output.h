/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_output: writes a graph of serialized Java objects.
 *
 * Like java_writer, but refers back to class descriptors, strings and objects
 * that the stream already contains: thread dumps have the same classes and
 * types thousands of times.  Java Object Serialization Specification, 6.4.
 */
#ifndef JMX_HTTP_JAVA_JAVA_OUTPUT_H
#define JMX_HTTP_JAVA_JAVA_OUTPUT_H

#include "core/base/map64.h"
#include "jmx_http/java/java_writer.h"

/* The caller sets the first fields and zeroes the others. */
struct java_output {
	struct text *out; /* the caller writes primitive values here */
	enum java_dialect dialect;
	bool has_no_references; /* writes repeated strings and classes again */

	/* Private from here on. */
	uint32_t handles;              /* number of handles so far */
	struct map64 strings, classes; /* handles by hash of the text */
};

void java_output_release(struct java_output *o);

/*
 * Begins an object.  The caller appends the fields, the root class first, and
 * the annotations.  Returns the handle of the object.
 */
uint32_t java_output_object(struct java_output *o,
			    const struct java_shape *shape);

/* Begins an array of the class; the caller appends the elements. */
uint32_t java_output_array(struct java_output *o, const char *class_name,
			   uint32_t count);

/* A class descriptor, followed by those of its superclasses. */
void java_output_class(struct java_output *o, const struct java_shape *shape);

/* A String of len bytes of UTF-8. */
void java_output_string(struct java_output *o, const char *utf8, size_t len);

/*
 * A String by java_write_modified(), without references: texts of foreign
 * streams could have hashes that collide.
 */
bool java_output_modified(struct java_output *o, struct java_bytes s);

/* A String, or null for NULL. */
void java_output_text(struct java_output *o, const char *utf8);

/* An earlier object or array, by its handle. */
void java_output_reference(struct java_output *o, uint32_t handle);

/* A javax.management.ObjectName. */
void java_output_object_name(struct java_output *o, const char *name);

/* A String[]. */
void java_output_strings(struct java_output *o, const char *const *strings,
			 size_t count);

/* Begins a java.util.ArrayList of count elements; java_write_end() ends it. */
void java_output_list(struct java_output *o, uint32_t count);

/* Begins a java.util.HashSet of count elements; java_write_end() ends it. */
void java_output_set(struct java_output *o, uint32_t count);

/* Begins a java.util.LinkedHashMap of count pairs of key and value. */
void java_output_map(struct java_output *o, uint32_t count);
void java_output_map_end(struct java_output *o);

/*
 * Begins a java.util.TreeMap of count pairs, whose keys are in order;
 * java_write_end() ends it.
 */
void java_output_sorted_map(struct java_output *o, uint32_t count);

#endif
