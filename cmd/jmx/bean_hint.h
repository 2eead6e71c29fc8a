/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bean_hint: which MBeans are called nearly as one that the JVM lacks.
 */
#ifndef CMD_JMX_BEAN_HINT_H
#define CMD_JMX_BEAN_HINT_H

#include "core/base/text.h"
#include "jmx_http/jmx.h"

/*
 * Asks the JVM for the names of its MBeans and appends those nearest to bean as
 * nearest_suggest() does; false and nothing when none is near, bean is a
 * pattern, or the JVM does not answer.
 */
bool bean_hint(struct jmx *jmx, const char *bean, struct text *out);

#endif
