/* SPDX-License-Identifier: Apache-2.0 */
/*
 * banned: unsafe functions, rejected at compile time.
 *
 * The Makefile includes this file before every source file.
 */
#ifndef CORE_BASE_BANNED_H
#define CORE_BASE_BANNED_H

/* The C library must declare these before they are renamed. */
#ifndef __bpf__
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BANNED(name) sjkc_does_not_call_##name

#undef strcpy
#define strcpy(...) BANNED(strcpy)
#undef strcat
#define strcat(...) BANNED(strcat)
#undef strncpy
#define strncpy(...) BANNED(strncpy)
#undef strncat
#define strncat(...) BANNED(strncat)
#undef sprintf
#define sprintf(...) BANNED(sprintf)
#undef vsprintf
#define vsprintf(...) BANNED(vsprintf)
#undef gets
#define gets(...) BANNED(gets)
#undef strtok
#define strtok(...) BANNED(strtok)
#undef atoi
#define atoi(...) BANNED(atoi)
#undef atol
#define atol(...) BANNED(atol)
#undef scanf
#define scanf(...) BANNED(scanf)
#undef sscanf
#define sscanf(...) BANNED(sscanf)
#undef fscanf
#define fscanf(...) BANNED(fscanf)
#undef alloca
#define alloca(...) BANNED(alloca)
#undef gmtime
#define gmtime(...) BANNED(gmtime)
#undef localtime
#define localtime(...) BANNED(localtime)
#endif
#endif
