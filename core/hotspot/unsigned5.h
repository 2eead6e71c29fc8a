/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unsigned5: the coding of integers in HotSpot's compressed streams.
 *
 * A number has one to five bytes, each a digit of base 64, the least
 * significant first; a byte below a limit ends the number (utilities/unsigned5,
 * code/compressedStream before JDK 20).  Since JDK 20 no byte of a number is
 * zero: each digit is one higher.
 */
#ifndef CORE_HOTSPOT_UNSIGNED5_H
#define CORE_HOTSPOT_UNSIGNED5_H

#include "core/base/cursor.h"

#include <stdint.h>

/*
 * Reads a number; excluded is the number of byte values that do not occur, 0 or
 * 1.  Fails the cursor at the end, or at an excluded byte.
 */
uint32_t unsigned5_read(struct cursor *c, unsigned excluded);

/* Reads a signed number, which has its sign in the lowest bit. */
int32_t unsigned5_read_signed(struct cursor *c, unsigned excluded);

#endif
