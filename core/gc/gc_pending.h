/* SPDX-License-Identifier: Apache-2.0 */
/* gc_pending: describes a stop of the application that does not end. */
#ifndef CORE_GC_GC_PENDING_H
#define CORE_GC_GC_PENDING_H

#include "core/base/text.h"
#include "core/gc/gc_pause.h"
#include "core/jvm/jvm.h"

/*
 * Appends "has waited for a safepoint for at least 3.2 s; running: spinner
 * (sjkc prof shows the code)" if the stop lasts a second or longer; otherwise
 * returns false. Names of threads are the kernel's, and foreign.
 */
bool gc_pending_add(struct text *out, const struct gc_pending *p,
		    const struct jvm *jvm);

#endif
