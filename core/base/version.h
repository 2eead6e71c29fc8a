/* SPDX-License-Identifier: Apache-2.0 */
/* version: the version of sjkc for --version and for files that sjkc writes. */
#ifndef CORE_BASE_VERSION_H
#define CORE_BASE_VERSION_H

#define SJKC_VERSION "0.1"

#endif
