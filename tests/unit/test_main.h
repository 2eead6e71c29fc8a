/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read before each unit test: main, there the name of a macro (Makefile), is
 * one function of many in the program of them all (unit_tests.c).
 */
#ifndef TESTS_UNIT_TEST_MAIN_H
#define TESTS_UNIT_TEST_MAIN_H

int main(void);

#endif
