/* SPDX-License-Identifier: Apache-2.0 */
/*
 * amount: what was measured, as people read it.
 */
#ifndef RENDER_TEXT_AMOUNT_H
#define RENDER_TEXT_AMOUNT_H

#include "core/base/text.h"
#include "core/profile/profile.h"

#include <stdint.h>

/*
 * Appends a number of samples as it is; bytes and ns in the largest unit in
 * which they are 1 or more: "1,730", "1.21 GB", "340 ms" (core/base/units.h).
 */
void amount_add(struct text *out, enum unit unit, uint64_t value);

/* Appends what per cent of the whole a part is: "4.5%". */
void amount_add_share(struct text *out, uint64_t part, uint64_t whole);

#endif
