/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vminfo_summary: what a JVM is, on one screen.
 */
#ifndef CMD_VMINFO_SUMMARY_H
#define CMD_VMINFO_SUMMARY_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jvm/jvm.h"

/* Takes a line of it; both are borrowed, the value is foreign. */
typedef void vminfo_put_fn(void *self, const char *name,
			   const struct text *value);

/*
 * Hands on what is known of a JVM.  flags and heap are its answers to
 * "VM.flags -all" and "GC.heap_info", empty where it could not be asked.
 */
int vminfo_summary(const struct jvm *jvm, const struct text *flags,
		   const struct text *heap, bool show_secrets,
		   vminfo_put_fn *put, void *self, struct error *err);

#endif
