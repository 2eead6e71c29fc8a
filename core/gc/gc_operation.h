/* SPDX-License-Identifier: Apache-2.0 */
/* gc_operation: which VM operations of HotSpot collect garbage. */
#ifndef CORE_GC_GC_OPERATION_H
#define CORE_GC_GC_OPERATION_H

#include "core/gc/gc_pause.h"

#include <stdbool.h>

/*
 * Returns the kind of pause of an operation, named as in -Xlog:safepoint
 * ("G1CollectForAllocation"), JDK 8 to 28; GC_OTHER for NULL and operations
 * that collect nothing. *collector, unless NULL, becomes the name of the
 * collector, or NULL if several have the operation. A young collection may
 * become a full one.
 */
enum gc_kind gc_operation_kind(const char *operation, const char **collector);

/*
 * The kind of a stop without the record of a collection. If the source has
 * records of other collections, the operation collected nothing: while a thread
 * is in a JNI critical section, G1CollectForAllocation does nothing.
 */
enum gc_kind gc_operation_kind_alone(const char *operation, bool has_pauses,
				     const char **collector);

#endif
