# hookonce. `make run` shows it working, `make test` is the whole gate, `make help` lists the rest.
# GNU make. Variables: BUILD (folder for everything made), CC, WERROR=1, SAN=1 (ASan and UBSan).
BUILD ?= build
CC ?= cc
VERSION := 0.1.0
PKG_CONFIG ?= pkg-config
NM ?= nm

WARN := -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wstrict-prototypes \
  -Wmissing-prototypes -Wwrite-strings -Wformat=2 -Wcast-qual -Wvla -Wswitch-enum -Wundef \
  -Wimplicit-fallthrough -Wnull-dereference
WARN += $(if $(WERROR),-Werror)

# Hardening, each flag only where the compiler takes it.
takes = $(shell $(CC) -Werror $(1) -O2 -x c -c /dev/null -o /dev/null 2>/dev/null && echo $(1))
HARDEN := -U_FORTIFY_SOURCE $(or $(call takes,-D_FORTIFY_SOURCE=3),-D_FORTIFY_SOURCE=2) \
  -fstack-protector-strong $(call takes,-fstack-clash-protection) $(call takes,-fcf-protection=full)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
COVER := --coverage -O0 -include tests/coverage.h
MODE := $(if $(COVERAGE),$(COVER),$(if $(SAN),$(SANITIZE) -O1 -DHO_ABORT_ON_BUG,-O2 $(HARDEN)))
MODE += $(if $(FUZZ),-fsanitize=fuzzer-no-link)

PACKAGES := libmariadb json-c libcrypto libcurl
HAVE_LIBS := $(shell $(PKG_CONFIG) --exists $(PACKAGES) 2>/dev/null && echo yes)
THIRD := $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags $(PACKAGES) 2>/dev/null))
LIBS_COMMON := $(shell $(PKG_CONFIG) --libs libmariadb json-c libcrypto 2>/dev/null)
LIBS_FCGI := -lfcgi
LIBS_CURL := $(shell $(PKG_CONFIG) --libs libcurl 2>/dev/null)
# Portable programs: everything linked statically but the C library, and that an old one.
ifdef PORTABLE
ARCHIVES := $(shell $(CC) -print-file-name=libcrypto.a | xargs dirname)
THIRD := -isystem $(PORTABLE)/include/mariadb -isystem $(PORTABLE)/include $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags json-c))
LIBS_COMMON := $(PORTABLE)/lib/libmariadbclient.a $(ARCHIVES)/libjson-c.a $(ARCHIVES)/libssl.a $(ARCHIVES)/libcrypto.a \
  $(ARCHIVES)/libz.a $(PORTABLE)/old_libc.o -lpthread -ldl -lm
LIBS_FCGI := $(ARCHIVES)/libfcgi.a
LIBS_CURL := $(PORTABLE)/lib/libcurl.a $(ARCHIVES)/libnghttp2.a
MODE += -DHO_PORTABLE -ffile-prefix-map=$(CURDIR)=. -ffile-prefix-map=$(abspath $(BUILD))=build
LINK_OLD := -Wl,--build-id=none --sysroot=$(PORTABLE)/sysroot -B$(PORTABLE)/sysroot/usr/lib/$(shell $(CC) -print-multiarch)
endif
LIBS_RECEIVER := $(LIBS_FCGI) $(LIBS_COMMON)
LIBS_PROCESSOR := $(LIBS_CURL) $(LIBS_COMMON)

CFLAGS_ALL := -std=c11 -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -DHO_VERSION='"$(VERSION)"' \
  -g $(MODE) $(WARN) -fPIE -Ilib $(THIRD) $(CFLAGS)
LDFLAGS_ALL := -pie -Wl,-z,relro,-z,now,-z,noexecstack -Wl,--as-needed $(if $(SAN),$(SANITIZE)) $(if $(COVERAGE),--coverage) $(LINK_OLD) $(LDFLAGS)

LAYERS := base core edge store receiver work operator
objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard lib/$(1)/*.c))
lib = $(BUILD)/lib$(1).a
GEN := $(BUILD)/gen/providers.c $(BUILD)/gen/schema.c $(BUILD)/gen/grants.c $(BUILD)/gen/views.c \
  $(BUILD)/gen/calls.c $(BUILD)/gen/htaccess.c
# Order matters to the linker: users before what they use.
LIBS_A_RECEIVER := $(foreach l,receiver edge store core base,$(call lib,$(l)))
LIBS_A_PROCESSOR := $(foreach l,operator work edge store core base,$(call lib,$(l)))
UNITS := $(patsubst tests/unit/%.c,$(BUILD)/test/unit/%,$(wildcard tests/unit/test_*.c))

.PHONY: all help test run check units analyze man clean
all: need-libs $(BUILD)/hookonce.fcgi $(BUILD)/hookonce

help:
	@sed -n 's/^#: //p' Makefile

#: make            both programs into build/
#: make run        a small demonstration: installs what is missing, starts everything privately
#: make test       the whole gate: installs what is missing, last line "N passed, N failed"
#: make check      unit tests without a database, include rules, symbols; a few seconds
#: make bench      what verification costs, as a ratio
#: make fuzz       every fuzzer for MINUTES=10; `make test` has them for some seconds
#: make model      the protocols as models: what must hold does, and what is done wrong does not
#: make histories  random histories for SECONDS=600: the real programs, killed and cut off at any step
#: make faults     kill -9, SIGSTOP, a full disk and others, at every place where they could hurt; 15 minutes
#: make soak       deliveries of many providers while all parties are killed and stopped, SECONDS=1800
#: make hostile    REQUESTS=100000 spoilt requests to the receiver, sanitized, as shipped, and under valgrind
#: make browser    Chromium before Adminer, phpMyAdmin and the status page; pictures in build/test/browser/
#: make scale      a database of ROWS=10000000 receipts: what each view, migrate and prune cost there; 20 minutes, 15 GB of disk
#: make coverage   which lines of lib/ the tests run: a build of its own, unit and end-to-end tests
#: make analyze    gcc -fanalyzer, clang-tidy, cppcheck and shellcheck; some minutes, later only what changed
#: make dist       an archive with programs that run wherever glibc is 2.17 or newer; Debian 12 only
#: make compat     that archive in Debian 11 and 13, with their servers and databases, and packages built there; an hour
#: make deb        a package for this Debian, of programs that are built here
#: make install    into DESTDIR and PREFIX=/usr/local: programs, manual pages, and the rest below share
#: make man        manual pages into build/man/
#: make clean      removes build/

.PHONY: need-libs
need-libs:
	@test -n "$(HAVE_LIBS)" || { echo "The libraries are missing. Install them with: tests/setup.sh build" >&2; exit 1; }

$(BUILD)/hookonce.fcgi: $(BUILD)/obj/cgi-bin/receiver.o $(LIBS_A_RECEIVER)
	$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LIBS_RECEIVER)
$(BUILD)/hookonce: $(BUILD)/obj/cgi-bin/processor.o $(LIBS_A_PROCESSOR)
	$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LIBS_PROCESSOR)

define archive
$(call lib,$(1)): $(call objects,$(1)) $(2)
	@rm -f $$@ && ar rcs $$@ $$^
endef
$(foreach l,base core receiver work,$(eval $(call archive,$(l))))
$(eval $(call archive,edge,$(BUILD)/obj/gen/providers.o))
$(eval $(call archive,operator,$(BUILD)/obj/gen/htaccess.o))
$(eval $(call archive,store,$(BUILD)/obj/gen/schema.o $(BUILD)/obj/gen/grants.o $(BUILD)/obj/gen/views.o \
  $(BUILD)/obj/gen/calls.o))

$(BUILD)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<
$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -c -o $@ $<
$(BUILD)/gen/providers.c: $(wildcard lib/providers/*.conf) lib/embed.sh
	@mkdir -p $(@D)
	lib/embed.sh recipes $(sort $(filter %.conf,$^)) >$@.part && mv $@.part $@
$(BUILD)/gen/schema.c: $(wildcard schema/[0-9]*.sql) lib/embed.sh
	@mkdir -p $(@D)
	lib/embed.sh schema $(sort $(filter %.sql,$^)) >$@.part && mv $@.part $@
$(BUILD)/gen/grants.c: schema/grants.sql lib/embed.sh
	@mkdir -p $(@D)
	lib/embed.sh grants $< >$@.part && mv $@.part $@
$(BUILD)/gen/views.c: schema/views.sql lib/embed.sh
	@mkdir -p $(@D)
	lib/embed.sh views $< >$@.part && mv $@.part $@
$(BUILD)/gen/htaccess.c: apache/htaccess-fcgid apache/htaccess-cgid apache/htaccess-litespeed lib/embed.sh Makefile
	@mkdir -p $(@D)
	lib/embed.sh htaccess $(filter apache/%,$^) >$@.part && mv $@.part $@
$(BUILD)/gen/calls.c: schema/calls.sql lib/embed.sh
	@mkdir -p $(@D)
	lib/embed.sh calls $< >$@.part && mv $@.part $@

# Unit tests: one program a module, linked with everything; HO_ABORT_ON_BUG makes a BUG abort.
PRELOADS := $(BUILD)/test/fault.so $(BUILD)/test/halt.so $(BUILD)/test/host.so
units: $(UNITS) $(PRELOADS)
preloads: $(PRELOADS)
$(BUILD)/test/unit/%: tests/unit/%.c $(LIBS_A_PROCESSOR) Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -DHO_TESTS='"$(CURDIR)/tests"' -MMD -MP $(LDFLAGS_ALL) -o $@ $< $(LIBS_A_PROCESSOR) \
	  $(LIBS_A_PROCESSOR) $(LIBS_PROCESSOR) -lfcgi -lcmocka -pthread
check: units
	@tests/layers.sh "$(BUILD)"
	@for t in $(filter-out $(BUILD)/test/unit/test_db_%,$(UNITS)); do "$$t" >"$$t.log" 2>&1 || { cat "$$t.log"; exit 1; }; done

# Fuzzers: libFuzzer with ASan and UBSan, so clang only.
FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_MAKE = $(MAKE) --no-print-directory -s -j2 WERROR=1 SAN=1 FUZZ=1 CC=clang BUILD=$(BUILD)/fuzzing
.PHONY: fuzz fuzzers fuzzers-here
fuzzers:
	@$(FUZZ_MAKE) fuzzers-here
	@mkdir -p $(BUILD)/fuzz && cp -u $(BUILD)/fuzzing/fuzz/fuzz_* $(BUILD)/fuzz/
fuzzers-here: $(FUZZERS)
$(BUILD)/fuzz/%: tests/fuzz/%.c tests/fuzz/fuzz.h $(LIBS_A_PROCESSOR) Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -fsanitize=fuzzer -Itests/fuzz $(LDFLAGS_ALL) -o $@ $< $(LIBS_A_PROCESSOR) $(LIBS_PROCESSOR)
MINUTES ?= 10
fuzz:
	@tests/setup.sh test
	@$(MAKE) --no-print-directory -s fuzzers
	@tests/fuzz/run.sh $$(( $(MINUTES) * 60 )) $(BUILD)

.PHONY: model
model:
	@tests/setup.sh test
	@tests/model/run

.PHONY: histories
SECONDS ?= 600
histories:
	@tests/setup.sh test
	@$(MAKE) --no-print-directory -s -j2 all $(BUILD)/test/fault.so
	@HOOKONCE_BUILD=$(BUILD) tests/history/run --seconds $(SECONDS)
.PHONY: faults soak preloads
soak: SECONDS = 1800
soak:
	@tests/setup.sh test
	@$(MAKE) --no-print-directory -s -j2 all
	@HOOKONCE_BUILD=$(BUILD) tests/soak/run --seconds $(SECONDS)
faults:
	@tests/setup.sh test
	@$(MAKE) --no-print-directory -s -j2 all $(PRELOADS)
	@HOOKONCE_BUILD=$(BUILD) tests/faults/run
$(BUILD)/test/%.so: Makefile
	@mkdir -p $(@D)
	$(CC) -std=c11 -O1 -g $(WARN) -fPIC $(THIRD) -shared -o $@ $(filter %.c,$^) -ldl
$(BUILD)/test/fault.so: tests/history/fault.c
$(BUILD)/test/halt.so: tests/faults/halt.c
$(BUILD)/test/host.so: tests/faults/host.c

.PHONY: hostile
REQUESTS ?= 100000
hostile:
	@tests/setup.sh test
	@$(MAKE) --no-print-directory -s -j2 all
	@$(MAKE) --no-print-directory -s -j2 SAN=1 BUILD=$(BUILD)/asan all
	@HOOKONCE_BUILD=$(BUILD) tests/hostile/run --requests $(REQUESTS)

.PHONY: browser
browser:
	@tests/setup.sh test
	@$(MAKE) --no-print-directory -s -j2 all
	@HOOKONCE_BUILD=$(BUILD) tests/run browser

.PHONY: scale
ROWS ?= 10000000
scale:
	@tests/setup.sh test
	@$(MAKE) --no-print-directory -s -j2 all
	@HOOKONCE_BUILD=$(BUILD) tests/scale/run --rows $(ROWS)

.PHONY: coverage
coverage:
	@tests/setup.sh test
	@HOOKONCE_BUILD=$(BUILD) tests/coverage

.PHONY: bench
bench: $(BUILD)/bench/bench_verify
	@$(BUILD)/bench/bench_verify
$(BUILD)/bench/%: tests/bench/%.c $(LIBS_A_PROCESSOR) Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< $(LIBS_A_PROCESSOR) $(LIBS_PROCESSOR)

test:
	@tests/setup.sh test
	@$(MAKE) --no-print-directory -s -j2 WERROR=1 all units
	@$(MAKE) --no-print-directory -s -j2 WERROR=1 CC=clang BUILD=$(BUILD)/clang all
	@$(MAKE) --no-print-directory -s -j2 WERROR=1 SAN=1 BUILD=$(BUILD)/asan all units
	@$(MAKE) --no-print-directory -s fuzzers
	@HOOKONCE_BUILD=$(BUILD) tests/run
run:
	@tests/setup.sh run
	@$(MAKE) --no-print-directory -s -j2 all
	@HOOKONCE_BUILD=$(BUILD) tests/demo.sh

analyze:
	@tests/setup.sh analyze
	@tests/analyze.sh "$(BUILD)"

# The portable release; lib/dist says how, and from what.
.PHONY: dist dist-here
dist:
	@tests/setup.sh dist
	@lib/dist/third.sh $(BUILD)/dist/third
	@$(MAKE) --no-print-directory -s -j2 BUILD=$(BUILD)/dist PORTABLE=$(abspath $(BUILD)/dist/third) dist-here
	@lib/dist/pack.sh $(BUILD)/dist $(VERSION)
dist-here: all man
$(PORTABLE)/old_libc.o: lib/dist/old_libc.c
	$(CC) -std=c11 -O2 -g0 -fPIC $(WARN) -c -o $@ $<
$(if $(PORTABLE),$(BUILD)/hookonce $(BUILD)/hookonce.fcgi: | $(PORTABLE)/old_libc.o)

# Into a system's folders, and as a package of this Debian.
.PHONY: install deb compat
PREFIX ?= /usr/local
install: all man
	@lib/dist/install.sh $(BUILD) "$(DESTDIR)" "$(PREFIX)"
deb:
	@tests/setup.sh deb
	@$(MAKE) --no-print-directory -s -j2 all man
	@lib/dist/deb.sh $(BUILD) $(VERSION)
compat:
	@tests/setup.sh compat
	@HOOKONCE_BUILD=$(BUILD) tests/compat/run

man: $(BUILD)/hookonce
	@mkdir -p $(BUILD)/man
	$(BUILD)/hookonce help --man >$(BUILD)/man/hookonce.1
	$(BUILD)/hookonce help --man-conf >$(BUILD)/man/hookonce.conf.5
	$(BUILD)/hookonce help --man-recipe >$(BUILD)/man/hookonce-recipe.5

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD)/obj $(BUILD)/test -type f -name '*.d' 2>/dev/null)
