/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jdk_version: which JDK a version string names, for the few decisions that
 * depend on it: JVM bugs and events that a release line has or lacks.
 */
#ifndef CORE_JVM_JDK_VERSION_H
#define CORE_JVM_JDK_VERSION_H

#include <stdbool.h>

struct jdk_version {
	unsigned feature; /* 8, 11, 17, …; 0 = unknown */
	unsigned update;  /* 8u504: 504; 17.0.15: 15; 21.0.12.1: 12 */
	bool is_early;    /* -ea: it may lack fixes of that very update */
};

/*
 * Reads java.version (JEP 322, and JEP 223 before 9: "1.8.0_504"), the release
 * file's JAVA_VERSION, or "8u504".  NULL and other text give an unknown
 * version.
 */
struct jdk_version jdk_version_of(const char *text);

#endif
