# SPDX-License-Identifier: Apache-2.0
#
# One Makefile, no configure.  `make help` lists the targets.
#
#	V=1			show the commands
#	CC=clang		another compiler, in a folder of its own
#	SANITIZE=address,undefined	likewise
#	CFLAGS=… LDFLAGS=…	instead of -O2 -g

.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

CFLAGS ?= -O2 -g
SANITIZE ?=
PREFIX ?= /usr/local
DESTDIR ?=

comma := ,
B := build/$(notdir $(firstword $(CC)))$(addprefix -,$(subst $(comma),-,$(SANITIZE)))

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wvla \
	-Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wwrite-strings -Werror
HARDENING := -fstack-protector-strong -fstack-clash-protection \
	-fno-omit-frame-pointer -fPIE
# glibc's checks and the sanitizers' get in each other's way; they also need -O.
ifeq ($(SANITIZE),)
ifneq ($(filter -O1 -O2 -O3 -Os,$(CFLAGS)),)
HARDENING += -D_FORTIFY_SOURCE=2
endif
else
HARDENING += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all
LINK_SANITIZE := -fsanitize=$(SANITIZE)
endif
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE $(CFLAGS) $(WARNINGS) $(HARDENING) \
	-include core/base/banned.h -I. $(CPPFLAGS)
ALL_LDFLAGS = -pie -Wl,-z,relro,-z,now $(LINK_SANITIZE) $(CFLAGS) $(LDFLAGS)
LIBS := -lpcre2-8 -lz

say = @$(if $(V),:,printf '  %-8s %s\n' $(1) $(2))
Q := $(if $(V),,@)

sources := $(filter-out cmd/main.c,$(wildcard core/*/*.c render/*.c cmd/*.c))
objects := $(sources:%.c=$(B)/%.o)
unit_tests := $(patsubst %.c,$(B)/%,$(wildcard tests/unit/*_test.c))
# What the tests of a folder share: linked into each of them.
unit_shared := $(patsubst %.c,$(B)/%.o,\
	$(filter-out %_test.c,$(wildcard tests/unit/*.c)))
fuzzers := $(patsubst %.c,$(B)/%,$(wildcard tests/fuzz/fuzz_*.c))

.PHONY: all unit
all: $(B)/sjkc			## ./sjkc
	$(Q)$(if $(SANITIZE),:,cmp -s $< sjkc || cp $< sjkc)

unit: $(unit_tests)
	$(Q)for t in $(unit_tests); do $$t || exit 1; done

# Changed flags rebuild what was built with the old ones.
flags := $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)
$(shell mkdir -p $(B); printf '%s\n' '$(flags)' | cmp -s - $(B)/flags || \
	printf '%s\n' '$(flags)' >$(B)/flags)

$(B)/%.o: %.c $(B)/flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# The page that the binary carries; flame.c knows it by these two names.
page_parts := $(wildcard render/flame*.html render/flame*.css render/flame*.js)
ifneq ($(wildcard render/assemble.sh),)
build/flame_page.html: render/assemble.sh $(page_parts)
	$(call say,PAGE,$@)
	$(Q)sh render/assemble.sh $@
else
build/flame_page.html: Makefile
	$(Q)printf '%s\n' '<!DOCTYPE html><html><head><title>' \
		'<!--sjkc:title-->' '</title></head><body><noscript>' \
		'<!--sjkc:summary-->' '</noscript>' \
		'<script id="data" type="application/octet-stream">' \
		'<!--sjkc:data-->' '</script>' '<!--sjkc:notes-->' \
		'</body></html>' >$@
endif

define flame_page_S
.section .rodata
.global flame_page_start, flame_page_end
flame_page_start: .incbin "build/flame_page.html"
flame_page_end: .byte 0
.section .note.GNU-stack, "", @progbits
endef
export flame_page_S
$(B)/flame_page.o: build/flame_page.html $(B)/flags
	$(Q)printf '%s\n' "$$flame_page_S" | $(CC) -x assembler -c -o $@ -

$(B)/libsjkc.a: $(objects) $(B)/flame_page.o
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)ar rcs $@ $^

$(B)/sjkc: $(B)/cmd/main.o $(B)/libsjkc.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(B)/tests/unit/%_test: $(B)/tests/unit/%_test.o $(unit_shared) $(B)/libsjkc.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ -lcmocka $(LIBS)

$(B)/tests/fuzz/%: $(B)/tests/fuzz/%.o $(B)/libsjkc.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS)

.SECONDARY:
-include $(shell find $(B) -name '*.d' 2>/dev/null)
