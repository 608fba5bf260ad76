/* The program's version, one place. */
#ifndef HO_BASE_VERSION_H
#define HO_BASE_VERSION_H

#define HOOKONCE_VERSION "0.1.0"

#endif
