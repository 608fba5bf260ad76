/* The flow part of the config: sources, handlers and routes in the order in which they need each
 * other, and the end of it all. */
#include <stdlib.h>
#include <string.h>

#include "core/settings_parts.h"

enum ho_code settings_load_flow(struct settings *s, struct ho_err *err)
{
    static const struct {
        const char *kind;
        enum ho_code (*load)(struct settings *, const struct conf_section *, struct ho_err *);
    } passes[] = {{"source", settings_load_source},
                  {"handler", settings_load_handler},
                  {"route", settings_load_route},
                  {"source", settings_load_reply},
                  {"source", settings_load_expect},
                  {"expect", settings_load_expect},
                  {"alert", settings_load_alert}};

    /* Handlers may stand behind what names them, so each kind has a pass of its own. */
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        for (const struct conf_section *at = conf_first(s->conf); at != NULL; at = at->next) {
            if (strcmp(at->kind, passes[i].kind) == 0 && passes[i].load(s, at, err) != HO_OK) {
                return HO_REJECT;
            }
        }
    }
    return HO_OK;
}

void setting_list_free(char **list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(list[i]);
    }
    free(list);
}

void settings_free(struct settings *s)
{
    if (s == NULL) {
        return;
    }
    for (size_t i = 0; i < s->n_sources; i++) {
        for (size_t k = 0; k < s->sources[i].n_secrets; k++) {
            free(s->sources[i].secrets[k].path);
        }
        free(s->sources[i].secrets);
        free(s->sources[i].params);
    }
    for (size_t i = 0; i < s->n_handlers; i++) {
        settings_free_handler(&s->handlers[i]);
    }
    for (size_t i = 0; i < s->n_routes; i++) {
        settings_free_route(&s->routes[i]);
    }
    for (size_t i = 0; i < s->n_alerts; i++) {
        settings_free_alert(&s->alerts[i]);
    }
    free(s->alerts);
    free(s->expects);
    free(s->sources);
    free(s->handlers);
    free(s->routes);
    setting_list_free(s->sockets, s->n_sockets);
    setting_list_free(s->recipes, s->n_recipes);
    setting_list_free(s->body_keys, s->n_body_keys);
    free(s->tls_ca);
    free(s->tls_cert);
    free(s->tls_key);
    free(s->db_password_file);
    free(s->db_receiver_password_file);
    free(s->state_dir);
    free(s->spool_dir);
    free(s->key_file);
    free(s->page_token_file);
    free(s->setup_token_file);
    free(s->log_path);
    free(s->ca_file);
    free(s->program);
    free(s->file);
    conf_free(s->conf);
    free(s);
}

const struct source *settings_source(const struct settings *s, struct span name)
{
    for (size_t i = 0; i < s->n_sources; i++) {
        if (span_is(name, s->sources[i].name)) {
            return &s->sources[i];
        }
    }
    return NULL;
}

const struct handler *settings_handler(const struct settings *s, struct span name)
{
    for (size_t i = 0; i < s->n_handlers; i++) {
        if (span_is(name, s->handlers[i].name)) {
            return &s->handlers[i];
        }
    }
    return NULL;
}

const struct route *settings_route(const struct settings *s, struct span name)
{
    for (size_t i = 0; i < s->n_routes; i++) {
        if (span_is(name, s->routes[i].name)) {
            return &s->routes[i];
        }
    }
    return NULL;
}
