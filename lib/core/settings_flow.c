/* The flow part of the config: handlers, routes, and the names between them. */
#include <stdlib.h>
#include <string.h>

#include "core/settings_parts.h"

static enum ho_code load_handler(struct settings *out, const struct conf_section *s,
                                 struct ho_err *err)
{
    struct handler *h;
    struct ho_err why;

    out->handlers = ho_realloc(out->handlers, (out->n_handlers + 1) * sizeof *out->handlers);
    h = &out->handlers[out->n_handlers++];
    memset(h, 0, sizeof *h);
    h->name = s->name;
    h->at = s;
    h->timeout_ms = setting_number(s, "timeout");
    if (h->timeout_ms >= out->lease_ms) {
        return conf_fail(err, s, conf_find(s, "timeout"),
                         "a handler's timeout must be shorter than [processor] lease");
    }
    for (const struct conf_entry *e = s->entries; e != NULL; e = e->next) {
        if (strcmp(e->key, "sql") != 0) {
            continue;
        }
        h->statements = ho_realloc(h->statements, (h->n_statements + 1) * sizeof *h->statements);
        ho_err_clear(&why);
        if (statement_parse(e->value, &h->statements[h->n_statements], &why) != HO_OK) {
            return conf_fail(err, s, e, "%s", why.text);
        }
        h->n_statements++;
    }
    return HO_OK;
}

static const struct handler *find_handler(const struct settings *s, const char *name)
{
    for (size_t i = 0; i < s->n_handlers; i++) {
        if (strcmp(s->handlers[i].name, name) == 0) {
            return &s->handlers[i];
        }
    }
    return NULL;
}

static enum ho_code route_handler(const struct settings *out, const struct conf_section *s,
                                  struct route *r, struct ho_err *err)
{
    const char *name = setting_text(s, "handler");

    if (name == NULL && (r->n_on > 0 || r->n_informational == 0)) {
        return conf_fail(err, s, NULL, "a route needs `handler = NAME`, or only `informational` "
                                       "types");
    }
    if (name == NULL) {
        return HO_OK;
    }
    r->handler = find_handler(out, name);
    if (r->handler == NULL) {
        return conf_fail(err, s, conf_find(s, "handler"), "there is no [handler %s]", name);
    }
    return HO_OK;
}

static enum ho_code load_route(struct settings *out, const struct conf_section *s,
                               struct ho_err *err)
{
    const char *mode = setting_text(s, "livemode");
    struct route *r;
    struct ho_err why;
    size_t of_provider = 0;

    out->routes = ho_realloc(out->routes, (out->n_routes + 1) * sizeof *out->routes);
    r = &out->routes[out->n_routes++];
    memset(r, 0, sizeof *r);
    r->name = s->name;
    r->at = s;
    r->provider = setting_text(s, "provider");
    r->livemode = strcmp(mode, "true") == 0    ? LIVEMODE_TRUE
                  : strcmp(mode, "false") == 0 ? LIVEMODE_FALSE
                                               : LIVEMODE_ANY;
    setting_list(s, "on", &r->on, &r->n_on);
    setting_list(s, "informational", &r->informational, &r->n_informational);
    for (size_t i = 0; i < out->n_routes; i++) {
        of_provider += strcmp(out->routes[i].provider, r->provider) == 0 ? 1 : 0;
    }
    if (of_provider > SETTINGS_ROUTES_MAX) {
        return conf_fail(err, s, NULL, "more than %d routes for %s", SETTINGS_ROUTES_MAX,
                         r->provider);
    }
    ho_err_clear(&why);
    if (retry_parse(span_of(setting_text(s, "retry")), &r->retry, &why) != HO_OK) {
        return conf_fail(err, s, conf_find(s, "retry"), "%s", why.text);
    }
    return route_handler(out, s, r, err);
}

enum ho_code settings_load_flow(struct settings *s, struct ho_err *err)
{
    static const struct {
        const char *kind;
        enum ho_code (*load)(struct settings *, const struct conf_section *, struct ho_err *);
    } passes[] = {{"source", settings_load_source}, {"handler", load_handler}, {"route", load_route}};

    /* Handlers may stand behind the routes that name them, so each kind has a pass of its own. */
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        for (const struct conf_section *at = conf_first(s->conf); at != NULL; at = at->next) {
            if (strcmp(at->kind, passes[i].kind) == 0 && passes[i].load(s, at, err) != HO_OK) {
                return HO_REJECT;
            }
        }
    }
    return HO_OK;
}

static void free_list(char **list, size_t n)
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
        for (size_t k = 0; k < s->handlers[i].n_statements; k++) {
            statement_free(&s->handlers[i].statements[k]);
        }
        free(s->handlers[i].statements);
    }
    for (size_t i = 0; i < s->n_routes; i++) {
        free_list(s->routes[i].on, s->routes[i].n_on);
        free_list(s->routes[i].informational, s->routes[i].n_informational);
    }
    free(s->sources);
    free(s->handlers);
    free(s->routes);
    free_list(s->sockets, s->n_sockets);
    free_list(s->recipes, s->n_recipes);
    free(s->db_password_file);
    free(s->state_dir);
    free(s->key_file);
    free(s->log_file);
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

const struct route *settings_route(const struct settings *s, struct span name)
{
    for (size_t i = 0; i < s->n_routes; i++) {
        if (span_is(name, s->routes[i].name)) {
            return &s->routes[i];
        }
    }
    return NULL;
}
