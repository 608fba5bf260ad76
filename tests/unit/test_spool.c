/* The spool's files: what is written is read back, and nothing else is believed. */
#include "spool_files.h"

#include "store/spool_form.h"

static bool same_span(struct span a, struct span b)
{
    return span_present(a) == span_present(b) && span_eq(a, b);
}

static void check_equal(const struct event *got, const struct event *want)
{
    assert_string_equal(got->cid, want->cid);
    assert_true(same_span(got->provider, want->provider) && same_span(got->source, want->source));
    assert_true(same_span(got->id, want->id) && same_span(got->type, want->type));
    assert_true(same_span(got->object, want->object) && same_span(got->document, want->document));
    assert_true(same_span(got->headers, want->headers) && same_span(got->body, want->body));
    assert_int_equal(got->has_occurred, want->has_occurred);
    assert_true(!want->has_occurred || got->occurred_us == want->occurred_us);
    assert_memory_equal(got->same, want->same, sizeof want->same);
    assert_int_equal(got->has_guard, want->has_guard);
    assert_true(!want->has_guard || memcmp(got->guard, want->guard, sizeof want->guard) == 0);
    assert_int_equal(got->secret_no, want->secret_no);
    assert_true(got->has_received && got->received_us == RECEIVED_US);
}

static void what_is_written_is_read_back(void **state)
{
    struct event all[3] = {sample('A'), sample('B'), sample('C')};
    struct spool s = spool();
    struct spooled f;
    struct ho_err err;
    (void)state;
    all[1].object = all[1].type = SPAN_NONE;
    all[1].has_occurred = all[1].has_guard = false;
    all[2].object = all[2].type = SPAN_LIT("");
    for (int bare = 0; bare < 2; bare++) {
        for (size_t i = 0; i < 3 && bare; i++) {
            all[i].body = all[i].headers = SPAN_NONE;
        }
        assert_int_equal(write_events(&s, all, 3, &err), HO_OK);
        const char *name = only_name();
        assert_int_equal(spool_read(&s, name, &f, &err), HO_OK);
        assert_int_equal(f.n, 3);
        assert_int_equal(f.received_us, RECEIVED_US);
        for (size_t i = 0; i < 3; i++) {
            check_equal(accepted_event(f.events[i]), &all[i]);
        }
        spooled_free(&f);
        assert_int_equal(spool_remove(dir, name, &err), HO_OK);
        assert_int_equal(spool_remove(dir, name, &err), HO_OK); /* gone already */
        assert_int_equal(spool_read(&s, name, &f, &err), HO_TRANSIENT);
        assert_int_equal(err.sys, ENOENT);
        spooled_free(&f);
    }
}

static void files_are_private_and_say_their_size(void **state)
{
    struct spool s = spool();
    struct stat st;
    (void)state;
    assert_int_equal(write_one(&s, 'A'), HO_OK);
    char *path = spool_path(dir, only_name());
    assert_int_equal(stat(dir, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    struct spool_name said = spool_name_of(only_name());
    assert_int_equal(said.bytes, st.st_size);
    free(path);
}

/* ---- what is not believed ---- */

static enum ho_code read_as(const char *name, struct span bytes, struct ho_err *err)
{
    struct spool s = spool();
    struct spooled f;
    put_file(name, bytes, 0600);
    enum ho_code code = spool_read(&s, name, &f, err);
    spooled_free(&f);
    char *path = spool_path(dir, name);
    (void)unlink(path);
    free(path);
    return code;
}

/* A genuine file's bytes; the file is gone. */
static struct buf genuine(char name[SPOOL_NAME_ROOM])
{
    struct event all[2] = {sample('A'), sample('B')};
    struct spool s = spool();
    struct ho_err err;
    struct buf bytes;
    assert_int_equal(write_events(&s, all, 2, &err), HO_OK);
    memcpy(name, only_name(), SPOOL_NAME_ROOM);
    char *path = spool_path(dir, name);
    buf_init(&bytes, 1 << 20);
    assert_int_equal(file_read(path, true, &bytes, &err), HO_OK);
    assert_int_equal(unlink(path), 0);
    free(path);
    return bytes;
}

static void a_torn_file_is_refused_at_every_length(void **state)
{
    char name[SPOOL_NAME_ROOM], shorter[SPOOL_NAME_ROOM];
    struct buf whole = genuine(name);
    struct ho_err err;
    (void)state;
    assert_int_equal(read_as(name, buf_span(&whole), &err), HO_OK);
    for (size_t len = 0; len < whole.len; len++) {
        struct span torn = span_make(whole.p, len);
        ROW(len, read_as(name, torn, &err) == HO_REJECT);
        spool_name_put(CID "A", len > 0 ? len : 1, SPOOL_COMPLETE, shorter);
        ROW(len, read_as(shorter, torn, &err) == HO_REJECT);
    }
    assert_int_equal(buf_add_byte(&whole, 0), HO_OK);
    assert_int_equal(read_as(name, buf_span(&whole), &err), HO_REJECT);
    buf_free(&whole);
}

static void a_changed_byte_is_refused_wherever_it_is(void **state)
{
    char name[SPOOL_NAME_ROOM];
    struct buf whole = genuine(name);
    struct ho_err err;
    (void)state;
    for (size_t i = 0; i < whole.len; i++) {
        for (unsigned bit = 1; bit < 256; bit <<= 3) {
            whole.p[i] ^= (unsigned char)bit;
            ROW(i, read_as(name, buf_span(&whole), &err) == HO_REJECT);
            whole.p[i] ^= (unsigned char)bit;
        }
    }
    buf_free(&whole);
}

/* Gives changed bytes a checksum and a MAC that hold, under that key. */
static void sign(struct buf *b, struct span key)
{
    unsigned char mac[MAC_MAX];
    const struct span with_sum = span_make(b->p, b->len - SHA256_LEN);
    mac_sha256(span_make(b->p, b->len - SPOOL_TAIL), b->p + b->len - SPOOL_TAIL);
    mac_hmac(MAC_SHA256, key, &with_sum, 1, mac);
    memcpy(b->p + b->len - SHA256_LEN, mac, SHA256_LEN);
}

static void a_forged_file_is_refused(void **state)
{
    char name[SPOOL_NAME_ROOM];
    struct buf whole = genuine(name);
    struct ho_err err;
    (void)state;
    sign(&whole, SPAN_LIT("another installation's key......"));
    assert_int_equal(read_as(name, buf_span(&whole), &err), HO_REJECT);
    assert_non_null(strstr(err.text, "key"));
    sign(&whole, KEY);
    assert_int_equal(read_as(name, buf_span(&whole), &err), HO_OK);
    buf_free(&whole);
}

/* Even signed, no length is believed: whoever has the key may have a fault. */
static void lengths_that_do_not_fit_are_refused_although_signed(void **state)
{
    static const unsigned char values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    char name[SPOOL_NAME_ROOM];
    struct buf whole = genuine(name);
    struct ho_err err;
    size_t taken = 0;
    (void)state;
    for (size_t i = 0; i < whole.len - SPOOL_TAIL; i++) {
        const unsigned char was = whole.p[i];
        for (size_t k = 0; k < COUNT(values); k++) {
            whole.p[i] = values[k];
            sign(&whole, KEY);
            enum ho_code code = read_as(name, buf_span(&whole), &err);
            ROW(i, code == HO_OK || code == HO_REJECT);
            taken += code == HO_OK ? 1 : 0;
        }
        whole.p[i] = was;
    }
    assert_true(taken > 0); /* other contents of the right length */
    for (size_t cut = 1; cut < 200; cut++) {
        struct buf shorter;
        buf_init(&shorter, whole.len);
        assert_int_equal(buf_add(&shorter, whole.p, whole.len - cut), HO_OK);
        sign(&shorter, KEY);
        spool_name_put(CID "A", shorter.len, SPOOL_COMPLETE, name);
        ROW(cut, read_as(name, buf_span(&shorter), &err) == HO_REJECT);
        buf_free(&shorter);
    }
    buf_free(&whole);
}

static void a_file_under_another_name_or_open_to_others_is_refused(void **state)
{
    char name[SPOOL_NAME_ROOM], other[SPOOL_NAME_ROOM];
    struct buf whole = genuine(name);
    struct spool s = spool();
    struct spooled f;
    struct ho_err err;
    (void)state;
    spool_name_put(CID "B", whole.len, SPOOL_COMPLETE, other);
    assert_int_equal(read_as(other, buf_span(&whole), &err), HO_REJECT);
    spool_name_put(CID "A", whole.len + 1, SPOOL_COMPLETE, other);
    assert_int_equal(read_as(other, buf_span(&whole), &err), HO_REJECT);
    put_file(name, buf_span(&whole), 0640);
    assert_int_equal(spool_read(&s, name, &f, &err), HO_REJECT);
    spooled_free(&f);
    buf_free(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_is_written_is_read_back, empty),
        cmocka_unit_test_teardown(files_are_private_and_say_their_size, empty),
        cmocka_unit_test_teardown(a_torn_file_is_refused_at_every_length, empty),
        cmocka_unit_test_teardown(a_changed_byte_is_refused_wherever_it_is, empty),
        cmocka_unit_test_teardown(a_forged_file_is_refused, empty),
        cmocka_unit_test_teardown(lengths_that_do_not_fit_are_refused_although_signed, empty),
        cmocka_unit_test_teardown(a_file_under_another_name_or_open_to_others_is_refused, empty),
    };
    return cmocka_run_group_tests(tests, make_top, remove_top);
}
