/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jdk_version: parses the version of a JDK, for decisions that depend on it:
 * JVM bugs, and events that a release has or lacks.
 */
#ifndef CORE_JVM_JDK_VERSION_H
#define CORE_JVM_JDK_VERSION_H

#include <stdbool.h>

struct jdk_version {
	unsigned feature; /* 8, 11, 17, …; 0 = unknown */
	unsigned update;  /* 8u504: 504; 17.0.15: 15; 21.0.12.1: 12 */
	bool is_early;    /* -ea: may lack fixes of this update */
};

/*
 * Parses java.version (JEP 322, and JEP 223 before 9: "1.8.0_504"),
 * JAVA_VERSION of the release file, or "8u504". NULL and other text return an
 * unknown version.
 */
struct jdk_version jdk_version_of(const char *text);

#endif
