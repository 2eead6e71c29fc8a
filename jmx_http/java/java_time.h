/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_time: the values of java.time, which the class java.time.Ser writes: a
 * byte for the type, and the value without its length.
 */
#ifndef JMX_HTTP_JAVA_JAVA_TIME_H
#define JMX_HTTP_JAVA_JAVA_TIME_H

#include "core/base/cursor.h"
#include "core/base/text.h"

/*
 * Appends a value in the form of ISO 8601. Returns the name of its class,
 * or NULL if the bytes are no value.
 */
const char *java_time_read(struct cursor *c, struct text *out);

/*
 * Skips a value. False if its type is unknown, so that its length is, too; the
 * cursor fails if bytes are missing.
 */
bool java_time_skip(struct cursor *c);

#endif
