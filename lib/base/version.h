/* The program's version; the Makefile says which. */
#ifndef HO_BASE_VERSION_H
#define HO_BASE_VERSION_H

#ifndef HO_VERSION
#error "compile with -DHO_VERSION: see the Makefile"
#endif
#define HOOKONCE_VERSION HO_VERSION

#endif
