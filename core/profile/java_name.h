/* SPDX-License-Identifier: Apache-2.0 */
/* java_name: readable class names that do not change between runs. */
#ifndef CORE_PROFILE_JAVA_NAME_H
#define CORE_PROFILE_JAVA_NAME_H

#include "core/profile/profile.h"

#include <stddef.h>

/*
 * Returns the string id of a class name, given as the JVM's symbol
 * (java/lang/String) or with dots. Slashes become dots. Numbers and addresses
 * of generated classes are removed, so that a lambda is the same frame in every
 * run:
 *    a/B$$Lambda$89+0x00007fde/3600, a.B$$Lambda/0x1b04   a.B$$Lambda
 *    jdk/internal/reflect/GeneratedMethodAccessor12 …GeneratedMethodAccessor
 *    com/sun/proxy/$Proxy12                               com.sun.proxy.$Proxy
 *    java/lang/invoke/LambdaForm$MH/0x00000008000c1400    …LambdaForm$MH
 *    a/B$$EnhancerBySpringCGLIB$$5f3a        a.B$$EnhancerBySpringCGLIB
 *    a/B$$FastClassBySpringCGLIB$$1c         a.B$$FastClassBySpringCGLIB
 */
uint32_t java_class_name(struct profile *p, const char *name, size_t len);

#endif
