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

/* Adds the source of one section. */
enum ho_code settings_load_source(struct settings *out, const struct conf_section *s,
                                  struct ho_err *err) HO_MUST_CHECK;

/* Sources, handlers and routes of s->conf into s. */
enum ho_code settings_load_flow(struct settings *s, struct ho_err *err) HO_MUST_CHECK;

#endif
