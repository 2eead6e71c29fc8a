/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfi_expression: DWARF expressions of call frame information.
 *
 * Those that occur come down to a register and an offset, or to what stands in
 * memory there: of a PLT's entries, of a signal's frame, of functions that
 * realign their stack.  Anything else is not understood.
 */
#ifndef CORE_ELF_CFI_EXPRESSION_H
#define CORE_ELF_CFI_EXPRESSION_H

#include "core/base/cursor.h"

#include <stdbool.h>
#include <stdint.h>

struct cfi_value {
	uint8_t base;   /* a register: a DWARF number below DWARF_RA */
	bool is_memory; /* what stands at base + offset */
	int32_t offset;
};

/*
 * What the expression comes to at an address of the file; false when it is
 * another kind of value, or is damaged.
 */
bool cfi_expression(struct cursor expression, uint64_t address,
		    struct cfi_value *value);

#endif
