/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_symbols: Java names from the JVM's own metadata, read from outside.
 *
 * Method, ConstMethod, ConstantPool, Klass and Symbol give names and line
 * numbers; an nmethod's PcDescs and scopes (code/debugInfoRec, scopeDesc of
 * HotSpot) what was inlined where.  Nothing is asked of the JVM.
 */
#ifndef CORE_NATIVE_VM_SYMBOLS_H
#define CORE_NATIVE_VM_SYMBOLS_H

#include "core/base/error.h"
#include "core/native/java_symbols.h"
#include "core/native/memory.h"
#include "core/native/vm_structs.h"

struct vm_symbols;

/* All is borrowed.  ERROR_UNAVAILABLE names what this JVM does not say. */
struct vm_symbols *vm_symbols_open(const struct vm_structs *v,
				   struct memory *memory, struct error *err);
void vm_symbols_close(struct vm_symbols *s); /* NULL is fine */

struct java_symbols *vm_symbols_of(struct vm_symbols *s);

#endif
