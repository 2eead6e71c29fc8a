/* SPDX-License-Identifier: Apache-2.0 */
/* amount: formats the values of a profile. */
#ifndef RENDER_TEXT_AMOUNT_H
#define RENDER_TEXT_AMOUNT_H

#include "core/base/text.h"
#include "core/profile/profile.h"

#include <stdint.h>

/*
 * Appends a value of a unit: "1,730" for samples, "1.21 GB" for bytes, "340 ms"
 * for ns (core/base/units.h).
 */
void amount_add(struct text *out, enum unit unit, uint64_t value);

/* Appends a part as a percentage of the whole: "4.5%"; 0.0% of a whole of 0. */
void amount_add_share(struct text *out, uint64_t part, uint64_t whole);

#endif
