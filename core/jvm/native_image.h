/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native_image: Java programs compiled ahead of time, which have no JVM.
 */
#ifndef CORE_JVM_NATIVE_IMAGE_H
#define CORE_JVM_NATIVE_IMAGE_H

#include <stdbool.h>

/*
 * True when an open file is a program that GraalVM's native-image made: an ELF
 * file of 64 bits with a section .svm_heap.  The file is not trusted.
 */
bool native_image_is(int fd);

#endif
