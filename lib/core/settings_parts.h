/* Between the settings*.c files only. */
#ifndef HO_CORE_SETTINGS_PARTS_H
#define HO_CORE_SETTINGS_PARTS_H

#include "core/settings.h"

const char *setting_text(const struct conf_section *s, const char *key);
int64_t setting_number(const struct conf_section *s, const char *key);
void setting_add(char ***list, size_t *n, char *owned);
void setting_list(const struct conf_section *s, const char *key, char ***list, size_t *n);
enum ho_code setting_file(const struct conf_section *s, const char *key, char **out,
                          struct ho_err *err) HO_MUST_CHECK;

void setting_list_free(char **list, size_t n);

/* "file:PATH" of an entry as a path, made absolute. */
enum ho_code setting_path(const struct conf_section *s, const struct conf_entry *e,
                          struct span value, char **out, struct ho_err *err) HO_MUST_CHECK;
/* "bearer file:PATH" or "basic file:PATH"; AUTH_NONE when the key is absent. */
enum ho_code setting_auth(const struct conf_section *s, const char *key, struct setting_auth *out,
                          struct ho_err *err) HO_MUST_CHECK;

/* Where the database is, and as whom. */
enum ho_code settings_load_database(struct settings *out, const struct conf_section *s,
                                    struct ho_err *err) HO_MUST_CHECK;

/* Each adds what one section says; routes and replies want all handlers to be there. */
enum ho_code settings_load_source(struct settings *out, const struct conf_section *s,
                                  struct ho_err *err) HO_MUST_CHECK;
enum ho_code settings_load_handler(struct settings *out, const struct conf_section *s,
                                   struct ho_err *err) HO_MUST_CHECK;
enum ho_code settings_load_route(struct settings *out, const struct conf_section *s,
                                 struct ho_err *err) HO_MUST_CHECK;
enum ho_code settings_load_reply(struct settings *out, const struct conf_section *s,
                                 struct ho_err *err) HO_MUST_CHECK;
enum ho_code settings_load_alert(struct settings *out, const struct conf_section *s,
                                 struct ho_err *err) HO_MUST_CHECK;
/* What is expected of the sources, which must be there; the first of a section is a source. */
enum ho_code settings_load_expect(struct settings *out, const struct conf_section *s,
                                  struct ho_err *err) HO_MUST_CHECK;
enum ho_code settings_load_processor(struct settings *out, const struct conf_section *s,
                                     struct ho_err *err) HO_MUST_CHECK;
void settings_load_watch(struct settings *out, const struct conf_section *s);
void settings_free_alert(struct setting_alert *a);
void settings_free_handler(struct handler *h);
void settings_free_route(struct route *r);

/* `sql_commands` as bits. */
enum ho_code settings_load_commands(struct settings *out, const struct conf_section *s,
                                    struct ho_err *err) HO_MUST_CHECK;

/* Sources, handlers and routes of s->conf into s. */
enum ho_code settings_load_flow(struct settings *s, struct ho_err *err) HO_MUST_CHECK;

#endif
