/* What every cmocka test includes, in the order cmocka wants it. */
#ifndef CH_TESTS_UNIT_H
#define CH_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#endif
