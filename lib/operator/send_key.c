/* Keys of test deliveries whose provider signs with a private key. */
#include "operator/send_key.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "edge/sign_key.h"

#define PATH_ROOM 4096
#define KEY_ROOM 65536

int send_key_find(const struct operator *op, const struct endpoint *e, const char *file,
                  int64_t now_us, struct secret *owned, struct span *key)
{
    const char *source = e->source->name;
    struct ho_err err = {HO_OK, 0, ""};
    enum mac_sig kind;
    bool private_wanted = sign_private(e->recipe, &kind);

    *owned = (struct secret){NULL, 0};
    *key = SPAN_NONE;
    if (private_wanted && file == NULL) {
        return operator_fail(op, EXIT_USAGE,
                             "this provider signs with a private key, which only it has; make a "
                             "test key with `hookonce send %s --new-key FILE`, then send with --key FILE",
                             source);
    }
    if (!private_wanted && file != NULL) {
        return operator_fail(op, EXIT_USAGE, "--key is for providers that sign with a private key; "
                                             "the secret of source '%s' signs", source);
    }
    if (file != NULL) {
        if (secret_read(file, owned, &err) != HO_OK) {
            return operator_fail(op, EXIT_USAGE, "%s", err.text);
        }
        *key = secret_span(owned);
        return EXIT_WELL;
    }
    if (e->n_keys == 0) {
        struct recipe_facts f;

        recipe_facts(e->recipe, &f);
        return operator_fail(op, EXIT_USAGE, "source '%s' has no usable secret: %s%s%s", source,
                             e->trouble != NULL ? e->trouble : "none is given",
                             f.pairs ? "; it comes in a handshake: hookonce pair " : "",
                             f.pairs ? source : "");
    }
    *key = endpoint_signing_key(e, now_us);
    return span_present(*key) ? EXIT_WELL
                              : operator_fail(op, EXIT_USAGE, "every secret of source '%s' has ended",
                                              source);
}

/* Neither file may be there: a key that is in use must not be lost by a second call. */
static enum ho_code write_pair(const char *file, const struct buf *private_pem,
                               const struct buf *secret, struct ho_err *err)
{
    char public_file[PATH_ROOM];
    enum ho_code code;

    if (snprintf(public_file, sizeof public_file, "%s.pub", file) >= (int)sizeof public_file) {
        return ho_fail(err, HO_REJECT, "the file's name is too long");
    }
    code = file_write(file, buf_span(private_pem), false, err);
    return code == HO_OK ? file_write(public_file, buf_span(secret), false, err) : code;
}

int send_key_make(const struct operator *op, const struct endpoint *e, const char *file)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct buf private_pem, secret;
    enum ho_code code;

    buf_init(&private_pem, KEY_ROOM);
    buf_init(&secret, KEY_ROOM);
    code = sign_new_key(e->recipe, &private_pem, &secret, &err);
    if (code == HO_OK) {
        code = write_pair(file, &private_pem, &secret, &err);
    }
    buf_wipe(&private_pem);
    buf_free(&secret);
    if (code != HO_OK) {
        return operator_fail(op, EXIT_USAGE, "%s", err.text);
    }
    (void)printf("%s     the private key, for hookonce send %s --key %s\n"
                 "%s.pub the public key as a secret of this source. For the time of the test add\n"
                 "    secret = file:%s.pub\n"
                 "to section [source %s] of %s, and take it out again afterwards:\n"
                 "whoever has the private key can send events in the provider's name.\n",
                 file, e->source->name, file, file, file, e->source->name, op->file);
    return EXIT_WELL;
}
