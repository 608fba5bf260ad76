/* What is known of the current link. */
#include "store/db_link.h"
#include "store/names.h"

uint64_t db_max_packet(struct db *db)
{
    struct db_rows rows = {0};
    struct ho_err ignored;

    if (db->link == NULL) {
        return 0;
    }
    if (db->max_packet == 0 &&
        db_run(db, "SELECT @@max_allowed_packet", NULL, 0, &rows, &ignored) == HO_OK) {
        db->max_packet = (uint64_t)db_cell_int(&rows, 0, 0);
    }
    db_rows_free(&rows);
    return db->max_packet;
}

unsigned long db_server_version(struct db *db)
{
    return db->link != NULL ? mysql_get_server_version(db->link) : 0;
}

bool db_is_mariadb(struct db *db)
{
    return db->link != NULL && mariadb_connection(db->link) != 0;
}

unsigned long db_thread_id(struct db *db)
{
    return db->link != NULL ? mysql_thread_id(db->link) : 0;
}

const char *db_socket(const struct db *db)
{
    return db->link != NULL ? db->socket : NULL;
}

void db_named(const struct db *db, const char *text, char *out, size_t room)
{
    names_text(db->settings, text, out, room);
}

bool db_wrote_untransacted(struct db *db)
{
    return db->untransacted;
}
