/* Between the files of `hookonce setup`: what is wanted, and the steps from an unpacked archive to the
 * first delivery. Each step may be run again, and leaves what is there already. */
#ifndef HO_OPERATOR_SETUP_H
#define HO_OPERATOR_SETUP_H

#include "base/buf.h"
#include "base/secret.h"
#include "operator/operator.h"

#define SETUP_TEXT_MAX 1024 /* bytes of one answer or flag, with its NUL */

enum setup_gateway { SETUP_AUTO, SETUP_FASTCGI, SETUP_CGI };

/* What is wanted: from flags, else from an existing config, else asked for, else found. "": not yet. */
struct setup {
    struct operator *op;
    bool yes;       /* nothing is asked: what was found is taken */
    bool cron;      /* the line is given to crontab */
    enum setup_gateway gateway;
    char home[SETUP_TEXT_MAX];   /* the folder of the program: config, key and secrets lie in it */
    char web[SETUP_TEXT_MAX];    /* the web root */
    char path[SETUP_TEXT_MAX];   /* the folder in the web root */
    char url[SETUP_TEXT_MAX];    /* address of the web root, without a slash at its end */
    char socket[SETUP_TEXT_MAX], host[SETUP_TEXT_MAX], port[SETUP_TEXT_MAX];
    char database[SETUP_TEXT_MAX], user[SETUP_TEXT_MAX], prefix[SETUP_TEXT_MAX];
    char source[SETUP_TEXT_MAX], provider[SETUP_TEXT_MAX];
    const char *password_file, *secret_file; /* of flags, or NULL */
};

#endif
