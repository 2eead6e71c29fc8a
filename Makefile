# SPDX-License-Identifier: Apache-2.0
#
# One Makefile, no configure.  `make help` lists the targets.
#
#	V=1				show the commands
#	CC=clang			build with clang, in its own directory
#	SANITIZE=address,undefined	likewise
#	CFLAGS=… LDFLAGS=…		instead of -O2 -g, or -O1 -g1 to sanitize

.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

SANITIZE ?=
# Sanitized code runs once, so it is compiled for a short build, with line numbers
# as its only debug information.
CFLAGS ?= $(if $(SANITIZE),-O1 -g1,-O2 -g)
PREFIX ?= /usr/local
DESTDIR ?=

comma := ,
B := build/$(notdir $(firstword $(CC)))$(addprefix -,$(subst $(comma),-,$(SANITIZE)))

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wvla \
	-Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wwrite-strings -Werror
HARDENING := -fno-omit-frame-pointer -fPIE
# The build ID, which is a hash of the debug information, too, is the same wherever
# the sources are.
ifeq ($(SANITIZE),)
HARDENING += -ffile-prefix-map=$(CURDIR)=.
endif
# glibc's checks and the sanitizers' get in each other's way; they also need -O.
# AddressSanitizer checks more than the stack protector, which takes a fifth of
# the time to compile sanitized code.
ifeq ($(SANITIZE),)
HARDENING += -fstack-protector-strong -fstack-clash-protection
ifneq ($(filter -O1 -O2 -O3 -Os,$(CFLAGS)),)
HARDENING += -D_FORTIFY_SOURCE=2
endif
else
HARDENING += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all
LINK_SANITIZE := -fsanitize=$(SANITIZE)
# Fuzzers do not need the coverage of unit tests.
NOT_FUZZED := $(if $(findstring fuzzer,$(SANITIZE)),-fno-sanitize=fuzzer-no-link)
endif
# In directories without hot loops, optimizing sanitized code takes longer than
# running it.  With -O1, gcc still reports uninitialized variables.
ifeq ($(origin CFLAGS),file)
RUN_LITTLE := $(if $(SANITIZE),-O0)
UNIT_TESTS := $(if $(SANITIZE),-O0,-O1 -g1)
endif
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE $(CFLAGS) $(WARNINGS) $(HARDENING) \
	-include core/base/banned.h -I. -Ibuild/include $(CPPFLAGS) \
	$(ONE_OF_MANY) $(OPTIMISED)
# glibc 2.36 can read relative relocations in 9 KB in place of 650 KB.
PACKED := $(shell grep -q GLIBC_ABI_DT_RELR \
	"$$($(CC) -print-file-name=libc.so.6)" && echo $(comma)-z,pack-relative-relocs)
ALL_LDFLAGS = -pie -Wl,-z,relro,-z,now$(PACKED) $(LINK_SANITIZE) $(CFLAGS) $(LDFLAGS)
# Static libraries: loading shared ones would take longer than the rest of the
# start.  Debian has no static libcjson.
LIBS := -Wl,-Bstatic -lpcre2-8 -lz -ldeflate -lncursesw -ltinfo \
	-levent_openssl -levent -lssl -lcrypto -lbpf -lelf -llzma -lz -liberty \
	-lzstd -llz4 -Wl,-Bdynamic -lcjson
# The reference for the reader of call frame information.
UNIT_LIBS := -lcmocka -Wl,-Bstatic -ldw -lelf -llzma -lbz2 -lz -Wl,-Bdynamic

say = @$(if $(V),:,printf '  %-8s %s\n' $(1) $(2))
Q := $(if $(V),,@)

sources := $(filter-out cmd/main.c,$(wildcard core/*/*.c core/*/*/*.c \
	jmx_http/*.c jmx_http/*/*.c render/*/*.c cmd/*.c cmd/*/*.c \
	jvmti/client/*.c bpf/*.c bpf/sampling/*.c))
objects := $(sources:%.c=$(B)/%.o)
# tests/unit has the product's directories; each test program, their names.
unit_sources := $(wildcard tests/unit/*.c tests/unit/*/*.c tests/unit/*/*/*.c \
	tests/unit/*/*/*/*.c)
unit_tests := $(patsubst %.c,$(B)/tests/unit/%,$(notdir \
	$(filter %_test.c,$(unit_sources))))
unit_objects := $(unit_sources:%.c=$(B)/%.o)
fuzzers := $(patsubst %.c,$(B)/%,$(wildcard tests/fuzz/fuzz_*.c))
replayed := $(fuzzers:$(B)/tests/fuzz/%=$(B)/tests/fuzz/replay/%)

# Programs and libraries for tests only.
tools := $(patsubst %.c,$(B)/%.so,$(wildcard tests/tools/*.c))
jvm_tools := $(patsubst %.c,$(B)/%,$(wildcard tests/jvm/lib/*.c))
root_tools := $(patsubst %.c,$(B)/%,$(wildcard tests/root/lib/*.c))

# What clang checks while tests run; fuzzers need coverage, which costs a fifth more.
sanitized := CC=clang SANITIZE=address,undefined
covered := CC=clang SANITIZE=fuzzer-no-link,address,undefined
parallel := $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
MAKEFLAGS += --no-print-directory
# Builds in another make, which prints only what it builds.
build = $(MAKE) $(if $(V),,-s) $(parallel)

# Installs the packages of a part of the tests, as $(call set_up,check). tests/run.sh,
# which sets FAILED, has done so. Without rights or a network, the tests that need no
# missing package still run.
set_up = [ -n "$$FAILED" ] || sh tests/setup.sh $(1) || :

# The programs whose name contains T; without T, all.
chosen = $(or $(strip $(if $(T),$(foreach f,$(1),$(if $(findstring $(T),$(notdir $f)),$f)),$(1))),\
	$(error no program has '$(T)' in its name))

.PHONY: all demo check check-all quick setup unit fuzz bench lint format sizes bless \
	picture deb tarball install uninstall clean help everything tools sanitized fuzzers replayed
.PHONY: $(addprefix check-,build everything unit sanitized cli screen layers man \
	replay fuzz browser jvm root live jdks kernels collector packaging backends \
	cluster incidents)

all: $(B)/sjkc			## build ./sjkc
	$(Q)$(if $(SANITIZE),:,cmp -s $< sjkc || cp -f $< sjkc)

demo:				## record a Java program and draw it
	$(Q)sh tests/setup.sh demo
	$(Q)$(build) all
	$(Q)sh tests/demo/run.sh ./sjkc build/demo

check:				## run the tests of a change; the last line counts them
	$(Q)sh tests/setup.sh check
	$(Q)sh tests/run.sh build sanitized,replay \
		cli,screen,layers,man,browser live

# Adds unit tests without sanitizers, each script on each installed JDK, fuzzing,
# other JDKs and the packages.
check-all:			## run check on each JDK, and each fuzzer for SECONDS=60
	$(Q)sh tests/setup.sh check
	$(Q)EVERY_JDK=1 sh tests/run.sh everything sanitized,replay \
		unit,cli,screen,layers,man,browser,fuzz live jdks,packaging

quick:				## run the fast tests: no browser, no JVM
	$(Q)$(call set_up,check)
	$(Q)sh tests/run.sh unit,cli,layers,man

setup:				## install the packages that demo, check and lint need
	$(Q)for t in demo check lint format sizes; do \
		sh tests/setup.sh $$t || exit 1; done

# Changed flags rebuild what was built with the old ones.
flags := $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(LIBS)
$(shell mkdir -p $(B); printf '%s\n' '$(flags)' | cmp -s - $(B)/flags || \
	printf '%s\n' '$(flags)' >$(B)/flags)

# The names of the sources: renaming or deleting one makes the archives again.
names := $(sources) $(unit_sources)
$(shell printf '%s\n' '$(names)' | cmp -s - $(B)/names || \
	printf '%s\n' '$(names)' >$(B)/names)

# The commit, for --version: main.o is compiled again when it changes.
$(shell sh packaging/build_info.sh build/include/build_info.h)
$(B)/cmd/main.o: build/include/build_info.h

$(B)/cmd/%.o $(B)/jmx_http/%.o $(B)/render/%.o $(B)/bpf/%.o \
$(B)/core/attach/%.o $(B)/core/elf/%.o $(B)/core/jvm/%.o \
$(B)/core/process/%.o $(B)/core/push/%.o $(B)/core/threads/%.o \
$(B)/core/unwind/%.o $(B)/tests/jvm/lib/%.o $(B)/tests/root/lib/%.o: \
	OPTIMISED = $(RUN_LITTLE)
# Their unit tests read every prefix of a reply.
$(B)/jmx_http/java/%.o $(B)/jmx_http/rmi/%.o: OPTIMISED =
$(B)/tests/unit/%.o: OPTIMISED = $(UNIT_TESTS)
$(B)/%.o: %.c $(B)/flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# The recipe of an object that contains FILE, from NAME_start to NAME_end.
contain = $(Q)printf '%s\n' '.section .rodata' '.balign 16' \
	'.global $(1)_start, $(1)_end' '.hidden $(1)_start, $(1)_end' \
	'$(1)_start: .incbin "$(2)"' '$(1)_end: .byte 0' \
	'.section .note.GNU-stack, "", @progbits' | $(CC) -x assembler -c -o $@ -

# The pages; flame, gc and threads.
pages := $(patsubst %.html,%,$(notdir $(wildcard render/page/*.html)))
build/%_page.html: render/page/assemble.sh $(foreach e,html css inc,$(wildcard render/page/*.$e)) \
		$(wildcard render/page/*js/*.js render/page/js/*/*.js)
	$(call say,PAGE,$@)
	$(Q)sh render/page/assemble.sh $@ $*
$(B)/%_page.o: build/%_page.html $(B)/flags
	$(call contain,$*_page,$<)

# The programs that run in the kernel are checked by it, and are the same whatever
# the compiler of the rest.  -target bpf does not look where Debian has <asm/*.h>.
BPFTOOL ?= $(or $(shell command -v bpftool),/usr/sbin/bpftool)
BPF_CFLAGS := -target bpf -mcpu=v3 -O2 -g -Wall -Wextra -Werror -I. \
	-ffile-prefix-map=$(CURDIR)=. \
	-I/usr/include/$(shell $(CC) -print-multiarch 2>/dev/null || \
		gcc -print-multiarch)
bpf_shared := $(wildcard bpf/kernel/*.h)

# Without DWARF, which nobody reads, through bpftool.
build/include/bpf/%.skel.h: bpf/kernel/%.bpf.c $(bpf_shared)
	$(call say,BPF,$<)
	$(Q)mkdir -p $(@D)
	$(Q)clang $(BPF_CFLAGS) -c -o $@.$$$$.o $< && \
		$(BPFTOOL) gen object $@.$$$$.stripped.o $@.$$$$.o && \
		{ printf '#pragma GCC system_header\n/* NOLINTBEGIN */\n' && \
		$(BPFTOOL) gen skeleton $@.$$$$.stripped.o name $*_bpf && \
		echo '/* NOLINTEND */'; } \
			>$@.$$$$ && \
		rm -f $@.$$$$.*o && mv $@.$$$$ $@

$(B)/bpf/sampler.o: build/include/bpf/sampler.skel.h
$(B)/bpf/kernel_names.o: build/include/bpf/kernel_names.skel.h
$(B)/bpf/gc_probes.o: build/include/bpf/gc.skel.h

# The agent that the binary contains, loaded by glibc and musl alike, so it needs
# neither.  It contains the classes that woven code calls.
agent_sources := $(wildcard jvmti/agent/*.c)
agent_classes := $(foreach jdk,jdk8 jdk9,$(foreach class,Probe Trace,\
	$(B)/jvmti/helper/$(jdk)/Sjkc$(class).o))
AGENT_CFLAGS := -std=c11 -O2 $(WARNINGS) -ffreestanding -fPIC -shared -nostdlib \
	-fvisibility=hidden -fno-stack-protector -fcf-protection=none \
	-fasynchronous-unwind-tables -I. -Wl,-z,noexecstack,-z,relro,-z,now \
	-Wl,-z,defs,-Bsymbolic,--hash-style=both,--build-id=none,-s
$(B)/jvmti/helper/%.o: jvmti/helper/%.class $(B)/flags
	$(Q)mkdir -p $(@D)
	$(call contain,$(subst /,_,$*),$<)
$(B)/agent.so: $(agent_sources) $(agent_classes) $(wildcard jvmti/agent/*.h) $(B)/flags
	$(call say,AGENT,$@)
	$(Q)$(CC) $(AGENT_CFLAGS) -o $@ $(agent_sources) $(agent_classes)

$(B)/agent_library.o: $(B)/agent.so $(B)/flags
	$(call contain,agent_library,$<)

$(B)/libsjkc.a: $(objects) $(pages:%=$(B)/%_page.o) $(B)/agent_library.o $(B)/names
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)ar rcs $@ $(filter %.o,$^)

# The map names the static libraries, for packaging/licenses.sh.
$(B)/sjkc: $(B)/cmd/main.o $(B)/libsjkc.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -Wl,-Map=$@.map -o $@ $^ $(LIBS)

# The unit tests are one program with many names: to link one for each would take
# longer than to run them.
$(B)/tests/unit/%_test.o: ONE_OF_MANY = -include tests/unit/test_main.h \
	-Dmain=test_main_$(notdir $*) $(NOT_FUZZED)

$(B)/tests/unit/unit_tests: $(unit_objects) $(B)/libsjkc.a $(B)/names
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -Wl,--export-dynamic-symbol=test_main_* \
		-o $@ $(filter %.o %.a,$^) $(UNIT_LIBS) $(LIBS)

$(unit_tests): $(B)/tests/unit/unit_tests
	$(Q)ln -sf unit_tests $@

# Likewise, to replay what is known; to look for more, each has libFuzzer.
$(B)/tests/fuzz/fuzz_%.o: ONE_OF_MANY = \
	-DLLVMFuzzerTestOneInput=$(patsubst fuzz_%,fuzz_one_%,$(notdir $*))

# Some contain the same helpers.
$(B)/tests/fuzz/replay/fuzz_%.o: $(B)/tests/fuzz/fuzz_%.o
	$(Q)mkdir -p $(@D)
	$(Q)objcopy --keep-global-symbol=fuzz_one_$* $< $@

$(B)/tests/fuzz/replay/replay: $(B)/tests/fuzz/replay.o $(replayed:%=%.o) \
		$(B)/libsjkc.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -Wl,--export-dynamic-symbol=fuzz_one_* \
		-o $@ $^ $(LIBS)

$(replayed): $(B)/tests/fuzz/replay/replay
	$(Q)ln -sf replay $@

$(B)/tests/fuzz/fuzz_%: $(B)/tests/fuzz/fuzz_%.o $(B)/libsjkc.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS) \
		-Wl,--defsym=LLVMFuzzerTestOneInput=fuzz_one_$*

$(B)/tests/tools/%.so: tests/tools/%.c $(B)/flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -O2 -g -fPIC -shared $(WARNINGS) -o $@ $<

$(B)/tests/jvm/lib/%: $(B)/tests/jvm/lib/%.o $(B)/libsjkc.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(B)/tests/root/lib/%: $(B)/tests/root/lib/%.o $(B)/libsjkc.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

tools: $(tools) $(jvm_tools) $(root_tools)
everything: $(B)/sjkc $(unit_tests) tools
# The sanitized programs that tests run.
sanitized: $(B)/sjkc $(unit_tests) $(tools)
fuzzers: $(fuzzers)
replayed: $(replayed)

# These wait for work of minutes, or for emulated machines.
bench check-jdks check-kernels check-day check-collector check-backends \
	check-cluster: export AWAIT_LIMIT = 300

# The parts of check; each prints TAP (tests/run.sh).  With ONLY, most run a single
# test.
# Both compilers before any test: the parts that follow take equal times.
check-build:
	$(Q)$(call set_up,check)
	$(Q)$(build) all tools && echo 'ok 1 - it builds with $(CC)' || \
		echo 'not ok 1 - it builds with $(CC)'
	$(Q)$(build) $(sanitized) sanitized replayed && \
		echo 'ok 2 - it builds with clang' || \
		echo 'not ok 2 - it builds with clang'

check-everything:
	$(Q)$(call set_up,check)
	$(Q)$(build) all everything && echo 'ok 1 - it builds with $(CC)' || \
		echo 'not ok 1 - it builds with $(CC)'

check-unit:
	$(Q)$(call set_up,check)
	$(Q)$(build) $(unit_tests)
	$(Q)sh tests/unit.sh $(or $(ONLY),$(unit_tests))

check-sanitized:
	$(Q)$(call set_up,check)
	$(Q)$(build) $(sanitized) sanitized
	$(Q)$(MAKE) $(sanitized) check-sanitized-here

.PHONY: check-sanitized-here
check-sanitized-here:
	$(Q)status=0; for name in $(or $(ONLY),units /flame/ /prof/); do \
		case $$name in \
		units) sh tests/unit.sh $(unit_tests) ;; \
		build/*) sh tests/unit.sh $$name ;; \
		*) SANITIZED=1 sh tests/cli.sh $(B)/sjkc $$name ;; \
		esac || status=1; done; exit $$status

check-cli:
	$(Q)$(call set_up,check)
	$(Q)$(build) all $(tools)
	$(Q)TOOLS=$(B)/tests/tools sh tests/cli.sh ./sjkc $(ONLY)

check-screen:
	$(Q)$(call set_up,check)
	$(Q)$(build) all
	$(Q)CASES=screen sh tests/cli.sh ./sjkc $(ONLY)

check-layers:
	$(Q)$(call set_up,check)
	$(Q)sh tests/layers.sh
	$(Q)sh tests/words.sh
	$(Q)sh tests/run_test.sh

check-man:
	$(Q)$(call set_up,check)
	$(Q)$(build) all
	$(Q)sh tests/man.sh ./sjkc sjkc.1 docs/man

check-replay:
	$(Q)$(call set_up,check)
	$(Q)$(build) $(sanitized) replayed
	$(Q)$(MAKE) $(sanitized) check-replay-here

.PHONY: check-replay-here
check-replay-here:
	$(Q)sh tests/fuzz.sh 0 $(replayed)

check-fuzz:
	$(Q)$(call set_up,check)
	$(Q)$(build) $(covered) fuzzers
	$(Q)$(MAKE) $(covered) T= fuzz-here

check-browser:
	$(Q)$(call set_up,check)
	$(Q)$(build) all
	$(Q)NODE_PATH=build/browser/node_modules node tests/browser/run.js ./sjkc "$$ONLY"

check-jvm:
	$(Q)$(call set_up,check)
	$(Q)$(build) all $(tools) $(jvm_tools)
	$(Q)TOOLS=$(B)/tests/jvm/lib sh tests/jvm.sh ./sjkc $(ONLY)

check-root:
	$(Q)$(call set_up,check)
	$(Q)$(build) all $(tools) $(jvm_tools) $(root_tools)
	$(Q)TOOLS=$(B)/tests/root/lib sh tests/root.sh ./sjkc $(ONLY)

# The scripts of check-jvm and check-root side by side.
check-live:
	$(Q)$(call set_up,check)
	$(Q)$(build) all $(tools) $(jvm_tools) $(root_tools)
	$(Q)JVM_TOOLS=$(B)/tests/jvm/lib TOOLS=$(B)/tests/root/lib sh tests/root.sh \
		./sjkc $(or $(ONLY),tests/jvm/*.sh tests/root/*.sh)

# Not part of check: it takes a minute for each JDK and downloads missing ones.
check-jdks:			## run live tests on other JDKs; JDKS='8 25', ONLY=script
	$(Q)$(call set_up,check)
	$(Q)$(build) all $(tools) $(jvm_tools) $(root_tools)
	$(Q)TOOLS=$(B)/tests/root/lib sh tests/jdks.sh ./sjkc $(ONLY)

# Not part of check: each kernel takes minutes.
check-kernels:			## run prof on other kernels, emulated; KERNELS=directory
	$(Q)for t in demo kernels; do sh tests/setup.sh $$t || exit 1; done
	$(Q)$(build) all $(root_tools)
	$(Q)TOOLS=$(B)/tests/root/lib sh tests/kernels.sh ./sjkc

# Not part of check: it takes eight minutes for each JDK, and needs a quiet machine.
check-incidents:		## run why on services with a fault, which need a quiet machine
	$(Q)$(call set_up,check)
	$(Q)$(build) all
	$(Q)sh tests/incidents.sh ./sjkc $(ONLY)

# Not part of check: it takes ten minutes.
check-day:			## run prof --push while 200 JVMs start and end
	$(Q)$(call set_up,check)
	$(Q)$(build) all $(tools)
	$(Q)TOOLS=$(B)/tests/tools sh tests/day.sh ./sjkc

# Not part of check: it downloads 125 MB, and compiles Go sources for minutes.
check-collector:		## push to a real OpenTelemetry Collector; ONLY=script
	$(Q)for t in demo collector; do sh tests/setup.sh $$t || exit 1; done
	$(Q)$(build) all $(root_tools)
	$(Q)TOOLS=$(B)/tests/root/lib sh tests/collector.sh ./sjkc $(ONLY)

# Not part of check: the backends are not packaged.
check-backends:			## push to real backends; PARCA=HOST:PORT PYROSCOPE=/PATH/OF/PROGRAM
	$(Q)$(call set_up,check)
	$(Q)$(build) all $(root_tools)
	$(Q)TOOLS=$(B)/tests/root/lib JOBS=1 sh tests/root.sh ./sjkc \
		$(or $(ONLY),$(wildcard tests/backends/*_*.sh))

# Not part of check: it needs a cluster.
check-cluster:			## reach pods of the cluster of KUBECONFIG; CLUSTER_IMAGE=image with a JDK
	$(Q)$(call set_up,check)
	$(Q)$(build) all
	$(Q)[ -z "$$KUBECONFIG" ] || $(MAKE) tarball >/dev/null
	$(Q)sh tests/cluster.sh ./sjkc build $(ONLY)

# Not part of check: it makes Debian roots and builds in one.
check-packaging:		## test the packages in bare roots; ONLY='deb tarball image'
	$(Q)for t in demo packaging; do sh tests/setup.sh $$t || exit 1; done
	$(Q)$(MAKE) deb tarball >/dev/null
	$(Q)sh tests/packaging.sh build $(ONLY)

unit:				## run the unit tests; T=part-of-name selects some
	$(Q)$(call set_up,check)
	$(Q)$(build) $(unit_tests)
	$(Q)sh tests/unit.sh $(call chosen,$(unit_tests))

# Each fuzzer first gets its corpus and its old crashes.
SECONDS := 60
fuzz:				## run the fuzzers; T=jfr SECONDS=60
	$(Q)$(call set_up,check)
	$(Q)$(build) $(covered) fuzzers
	$(Q)$(MAKE) $(covered) fuzz-here

.PHONY: fuzz-here
fuzz-here:
	$(Q)sh tests/fuzz.sh $(SECONDS) $(call chosen,$(fuzzers))

bench:				## measure the cost, beside the budgets and other tools
	$(Q)$(call set_up,check)
	$(Q)$(build) all
	$(Q)for b in tests/bench/*.sh; do sh $$b ./sjkc || exit 1; done

CYCLES := 1000
.PHONY: torture-attach
torture-attach:			## attach to JVMs in hostile ways; CYCLES=1000
	$(Q)$(call set_up,check)
	$(Q)$(build) all
	$(Q)sh tests/jvm/lib/torture_attach.sh ./sjkc $(CYCLES)

lint:				## run clang-tidy, cppcheck, shellcheck and mandoc
	$(Q)sh tests/setup.sh lint
	$(Q)sh tests/lint.sh $(ALL_CFLAGS)

format:				## run clang-format in place
	$(Q)sh tests/setup.sh format
	$(Q)find $(wildcard cmd core jmx_http bpf jvmti render packaging tests) \
		-name '*.[ch]' -exec clang-format -i {} +

sizes:				## how large the product is, beside the targets
	$(Q)sh tests/setup.sh sizes
	$(Q)sh tests/sizes.sh

bless:				## rewrite the expected output of tests/cli and tests/screen; ONLY=part-of-name
	$(Q)$(call set_up,check)
	$(Q)$(build) all $(tools)
	$(Q)BLESS=1 CASES='cli screen' TOOLS=$(B)/tests/tools \
		sh tests/cli.sh ./sjkc $(or $(ONLY),$(T))

bless-man:			## rewrite the combinations of options in docs/man
	$(Q)$(build) all
	$(Q)for page in docs/man/*.1; do \
		sh tests/combinations.sh ./sjkc $$page >build/page.new && \
			cp build/page.new $$page || exit 1; \
	done

picture:			## take the pictures of the documents
	$(Q)for t in demo picture; do sh tests/setup.sh $$t || exit 1; done
	$(Q)$(build) all
	$(Q)sh tests/demo/ttop.sh ./sjkc build/demo
	$(Q)sh tests/demo/pages.sh ./sjkc build/demo
	$(Q)NODE_PATH=build/browser/node_modules node tests/demo/picture.js \
		build/demo docs/pictures
	$(Q)rm -rf build/demo/visualvm && mkdir -p build/demo/visualvm
	$(Q)PICTURE=docs/pictures/visualvm.png sh \
		tests/jvm/jmx_clients_reach_a_jolokia_agent_through_mxprx_rmi.sh \
		./sjkc build/demo/visualvm

deb:				## build a Debian package in build/
	$(Q)sh tests/setup.sh package
	$(Q)$(build) all
	$(Q)sh packaging/deb.sh $(B)/sjkc build

tarball:			## build a relocatable tarball for any Linux in build/
	$(Q)sh tests/setup.sh package
	$(Q)$(build) all
	$(Q)sh packaging/tarball.sh $(B)/sjkc build

completions := $(DESTDIR)$(PREFIX)/share/bash-completion/completions/sjkc \
	$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_sjkc \
	$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/sjkc.fish

install: all			## install sjkc; PREFIX=/usr/local DESTDIR=
	$(Q)install -D sjkc $(DESTDIR)$(PREFIX)/bin/sjkc
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man1 sjkc.1 docs/man/*.1
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man7 docs/man/*.7
	$(Q)mkdir -p $(dir $(completions))
	$(Q)./sjkc completion bash >$(word 1,$(completions))
	$(Q)./sjkc completion zsh >$(word 2,$(completions))
	$(Q)./sjkc completion fish >$(word 3,$(completions))

uninstall:			## remove the installed files
	$(Q)rm -f $(DESTDIR)$(PREFIX)/bin/sjkc \
		$(addprefix $(DESTDIR)$(PREFIX)/share/man/,man1/sjkc.1 \
			$(foreach n,1 7,$(patsubst docs/man/%,man$n/%,$(wildcard docs/man/*.$n)))) \
		$(completions)

clean:				## remove everything that was built
	$(Q)rm -rf build sjkc

help:				## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | \
		awk -F '|' '{ printf "  %-14s %s\n", $$1, $$2 }'

# Keeps the objects that only a chain of pattern rules names.  Without a list, make
# would ignore missing objects and not link a program again.
.SECONDARY: $(pages:%=build/%_page.html) $(fuzzers:%=%.o) $(jvm_tools:%=%.o) $(root_tools:%=%.o)
-include $(shell find $(B) -name '*.d' 2>/dev/null)
