/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value_path: a part of a value, by the names on the way to it.
 */
#ifndef JMX_HTTP_VALUE_VALUE_PATH_H
#define JMX_HTTP_VALUE_VALUE_PATH_H

#include "jmx_http/value/value.h"

/*
 * "used", "key.member", "0.name": members of composites and objects, keys of
 * maps and of tables (where a row is no more than a key and its value, the
 * value), numbers of an array's elements.  Names may have dots: the longest
 * that is there is meant.  A part of null is null.  NULL when there is none.
 */
const struct value *value_path(const struct value *v, const char *path);

#endif
