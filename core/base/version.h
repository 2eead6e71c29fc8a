/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version: of sjkc, as --version and the files that it writes say it.
 */
#ifndef CORE_BASE_VERSION_H
#define CORE_BASE_VERSION_H

#define SJKC_VERSION "0.1"

#endif
