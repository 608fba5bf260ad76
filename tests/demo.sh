#!/usr/bin/env bash
# `make run`: hookonce at work, with a private MariaDB and lighttpd on 127.0.0.1.
#
#     PORT=8480 tests/demo.sh     that port, or the next free one
#     ONCE=1 tests/demo.sh        ends after the scenario: 0 if the table shows what it should
#
# Everything it makes lies in run/ and is kept: a second run goes on with the same data. Ctrl-C stops
# all that it started.
set -euo pipefail
umask 077

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${HOOKONCE_BUILD:-$root/build}
case $build in /*) ;; *) build=$root/$build ;; esac
run=${DEMO_DIR:-$root/run}
port=${PORT:-8480}
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
pids=()
as_root=()
[ "$(id -u)" != 0 ] || as_root=(--user=root)

say() { printf '%s\n' "$*"; }

die() {
    printf 'demo: %s\n' "$*" >&2
    exit 1
}

# ---- processes ------------------------------------------------------------------------------------

# start LOG COMMAND...: in a session of its own, so that Ctrl-C reaches only this script, which then
# stops everything in order.
start() {
    local log=$1
    shift
    setsid "$@" </dev/null >>"$log" 2>&1 9>&- &
    pids+=("$!")
    printf '%s\n' "$!" >>"$run/pids"
}

# stop_pid PID: SIGTERM, and SIGKILL if it takes more than 20 s.
stop_pid() {
    local left=200
    kill -TERM "$1" 2>/dev/null || return 0
    while kill -0 "$1" 2>/dev/null; do
        if [ $((left -= 1)) -le 0 ]; then
            kill -KILL "$1" 2>/dev/null || true
            return 0
        fi
        sleep 0.1
    done
}

stop_all() {
    local i
    trap '' INT TERM HUP
    for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
        stop_pid "${pids[i]}"
    done
    rm -f "$run/pids"
}

# What an earlier run could not stop, because it was killed itself: by the pids it wrote down, and only
# if the command line still names this very folder.
stop_leftovers() {
    local pid
    [ -f "$run/pids" ] || return 0
    while read -r pid; do
        if tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF "$run/"; then
            say "stopping process $pid of an earlier run"
            stop_pid "$pid"
        fi
    done <"$run/pids"
    rm -f "$run/pids"
}

# wait_for SECONDS WHAT COMMAND...: until the command succeeds.
wait_for() {
    local end=$((SECONDS + $1)) what=$2
    shift 2
    until "$@"; do
        [ $SECONDS -lt $end ] || die "$what: not within the time it may take; see the logs in $run"
        sleep 0.1
    done
}

# The processor as cron would run it, one run after the other; $0 is the program.
# shellcheck disable=SC2016  # expanded by the shell that runs it
processor_loop='
trap '\''kill -TERM "$child" 2>/dev/null; wait "$child"; exit 0'\'' TERM
while :; do
    "$0" process --for 55s &
    child=$!
    wait "$child" || sleep 1
done'

# ---- set-up ---------------------------------------------------------------------------------------

# secret FILE PREFIX: made once, then kept.
secret() {
    [ -s "$run/$1" ] || printf '%s%s\n' "$2" "$(head -c 24 /dev/urandom | base64)" >"$run/$1"
}

install_programs() {
    local name
    for name in hookonce hookonce.fcgi; do
        [ -x "$build/$name" ] || die "$build/$name is missing: run make first"
        cp "$build/$name" "$run/$name.new"
        chmod 755 "$run/$name.new"
        mv "$run/$name.new" "$run/$name"
    done
}

sql() { mariadb --no-defaults --socket="$run/db.sock" -u root -N -B "$@"; }
shop() { sql hookonce -e "$1"; }
db_answers() { sql -e 'SELECT 1' >/dev/null 2>&1; }

start_mariadb() {
    if [ ! -d "$run/data" ]; then
        say "making a database server in $run/data"
        rm -rf "$run/data.new"
        mariadb-install-db --no-defaults "${as_root[@]}" --datadir="$run/data.new" --skip-test-db \
            --auth-root-authentication-method=normal >"$run/mariadb-install.log" 2>&1 ||
            die "mariadb-install-db failed, see $run/mariadb-install.log"
        mv "$run/data.new" "$run/data"
    fi
    start "$run/mariadb.log" mariadbd --no-defaults "${as_root[@]}" --datadir="$run/data" \
        --socket="$run/db.sock" --pid-file="$run/db.pid" --skip-networking \
        --innodb-buffer-pool-size=64M --innodb-flush-log-at-trx-commit=1
    wait_for 60 "starting MariaDB" db_answers
}

# A little shop in the same database, as on a shared host: it is what the handlers work on.
make_shop() {
    sql <<SQL
CREATE DATABASE IF NOT EXISTS hookonce;
CREATE USER IF NOT EXISTS hookonce@localhost IDENTIFIED BY '$(cat "$run/db.password")';
GRANT ALL PRIVILEGES ON hookonce.* TO hookonce@localhost;
USE hookonce;
CREATE TABLE IF NOT EXISTS shop_order (
    id VARCHAR(40) PRIMARY KEY, status VARCHAR(10) NOT NULL DEFAULT 'open',
    payments INT NOT NULL DEFAULT 0) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS shop_deploy (
    n INT AUTO_INCREMENT PRIMARY KEY, ref VARCHAR(200) NOT NULL, commit_id VARCHAR(64) NOT NULL) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS shop_message (
    n INT AUTO_INCREMENT PRIMARY KEY, channel VARCHAR(40) NOT NULL, words TEXT NOT NULL) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS shop_customer (
    id VARCHAR(40) PRIMARY KEY) ENGINE=InnoDB;
CREATE TABLE IF NOT EXISTS shop_parcel (
    n INT AUTO_INCREMENT PRIMARY KEY, customer VARCHAR(40) NOT NULL, total VARCHAR(20) NOT NULL,
    FOREIGN KEY (customer) REFERENCES shop_customer (id)) ENGINE=InnoDB;
SQL
}

write_config() {
    secret db.password ''
    secret stripe.secret whsec_
    secret github.secret ''
    secret shopify.secret ''
    secret slack.secret ''
    if [ ! -s "$run/hookonce.conf" ]; then
        cat >"$run/hookonce.conf" <<CONF
# Written by make run, and yours to change; only the url line is kept up to date.
[database]
socket = db.sock
name = hookonce
user = hookonce
password = file:db.password

[hookonce]
key = file:hookonce.key
url = http://127.0.0.1:$port/hook

[source stripe]
provider = stripe
secret = file:stripe.secret

[source github]
provider = github
secret = file:github.secret

[source shopify]
provider = shopify
secret = file:shopify.secret

[source slack]
provider = slack
secret = file:slack.secret

# Every payment counts: were an event handled twice, the order would show two payments.
[handler pay]
sql = UPDATE shop_order SET status = 'paid', payments = payments + 1
      WHERE id = {/data/object/client_reference_id}

[handler deploy]
sql = INSERT INTO shop_deploy (ref, commit_id) VALUES ({/ref}, {/after})

# Fails as long as the shop does not know the customer, for a parcel needs one.
[handler ship]
sql = INSERT INTO shop_parcel (customer, total) VALUES ({/customer/id}, {/total_price})

[handler note]
sql = INSERT INTO shop_message (channel, words) VALUES ({/event/channel}, {/event/text})

[route paid]
provider = stripe
on = checkout.session.completed
handler = pay

[route pushed]
provider = github
on = push
handler = deploy

[route ordered]
provider = shopify
on = orders/create
handler = ship
retry = 8 tries, 1s to 4s

[route said]
provider = slack
on = message
handler = note
CONF
    fi
    sed -i "s|^url = .*|url = http://127.0.0.1:$port/hook|" "$run/hookonce.conf"
}

port_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

choose_port() {
    local first=$port
    while port_taken "$port"; do
        port=$((port + 1))
        [ "$port" -le $((first + 50)) ] || die "no free port from $first on; choose one with PORT=…"
    done
}

start_lighttpd() {
    local program=$build/tools/lighttpd/usr/sbin/lighttpd modules=$build/tools/lighttpd/usr/lib/lighttpd
    if [ ! -x "$program" ]; then
        program=$(command -v lighttpd) || die "lighttpd is missing: run tests/setup.sh run"
        for modules in /usr/lib/lighttpd /usr/lib64/lighttpd /usr/local/lib/lighttpd; do
            [ ! -d "$modules" ] || break
        done
    fi
    mkdir -p "$run/www" "$run/upload"
    cat >"$run/lighttpd.conf" <<CONF
var.hookonce_dir = "$run"
var.hookonce_procs = 4
server.document-root = "$run/www"
server.bind = "127.0.0.1"
server.port = $port
server.errorlog = "$run/lighttpd.log"
server.upload-dirs = ( "$run/upload" )
include "$root/lighttpd/hookonce.conf"
CONF
    start "$run/lighttpd.log" "$program" -D -f "$run/lighttpd.conf" -m "$modules"
    wait_for 20 "starting lighttpd" port_taken "$port"
}

# ---- the scenario -----------------------------------------------------------------------------------

names=() ids=() answers=() effects=() expected=()

# play NAME EVENT_ID EFFECT_SQL EXPECTED BODY SOURCE [option ...]: one delivery through `hookonce send`.
# EXPECTED is what the row of the table must say behind the name.
play() {
    local got body=$5
    names+=("$1") ids+=("$2") effects+=("$3") expected+=("$4")
    shift 5
    got=$(printf '%s' "$body" | "$run/hookonce" send "$@" --body - --json) || true
    answers+=("$(sed -n 's/.*"status":\([0-9]*\),"times":\([0-9]*\).*/\2x \1/p' <<<"$got" | sed 's/^1x //' |
        paste -sd' ')")
}

stripe_body() { # EVENT_ID ORDER
    printf '{"id":"%s","object":"event","type":"checkout.session.completed","created":%s,"livemode":false,' \
        "$1" "$(date +%s)"
    printf '"data":{"object":{"id":"cs_%s","object":"checkout.session","payment_status":"paid",' "$1"
    printf '"client_reference_id":"%s"}}}' "$2"
}

slack_body() { # EVENT_ID TEXT
    printf '{"type":"event_callback","event_id":"%s","event_time":%s,"team_id":"T1","api_app_id":"A1",' \
        "$1" "$(date +%s)"
    printf '"event":{"type":"message","channel":"C1","ts":"%s.000100","text":"%s"}}' "$(date +%s)" "$2"
}

order_says() { echo "SELECT CONCAT('order ', status, ', payments: ', payments) FROM shop_order WHERE id = '$1'"; }

rows_say() { echo "SELECT CONCAT('$1s: ', COUNT(*)) FROM shop_$1 WHERE $2"; }

play_all() {
    local t
    t=$(date +%s)
    shop "INSERT INTO shop_order (id) VALUES ('A-$t'), ('B-$t'), ('C-$t')"

    play "Stripe: an order is paid" "evt_a$t" "$(order_says "A-$t")" \
        "200|processed|0|done|1|order paid, payments: 1" "$(stripe_body "evt_a$t" "A-$t")" stripe
    play "Stripe: another, five times at once" "evt_b$t" "$(order_says "B-$t")" \
        "5x 200|processed|4|done|1|order paid, payments: 1" "$(stripe_body "evt_b$t" "B-$t")" \
        stripe --repeat 5 --parallel 5
    play "Stripe: forged" "evt_c$t" "$(order_says "C-$t")" \
        "401|none|-|-|-|order open, payments: 0" "$(stripe_body "evt_c$t" "C-$t")" stripe --tamper
    play "GitHub: a push" "push-$t" "$(rows_say deploy "commit_id = '$t'")" \
        "200|processed|0|done|1|deploys: 1" \
        "{\"ref\":\"refs/heads/main\",\"after\":\"$t\",\"repository\":{\"id\":1}}" \
        github --type push --id "push-$t"
    play "Slack: a message" "Ev1$t" "$(rows_say message "words = 'hello $t'")" \
        "200|processed|0|done|1|messages: 1" "$(slack_body "Ev1$t" "hello $t")" slack
    play "Slack: one signed ten minutes ago" "Ev2$t" "$(rows_say message "words = 'late $t'")" \
        "401|none|-|-|-|messages: 0" "$(slack_body "Ev2$t" "late $t")" slack --age 10m
    play "Shopify: an order, handler fails twice" "order-$t" "$(rows_say parcel "customer = 'cu-$t'")" \
        "200|processed|0|done|3|parcels: 1" \
        "{\"id\":1,\"total_price\":\"19.90\",\"customer\":{\"id\":\"cu-$t\"}}" \
        shopify --type orders/create --id "order-$t"

    customer_missed_twice() {
        [ "$(shop "SELECT j.tries FROM hookonce_job j JOIN hookonce_receipt r USING (correlation_id)
            WHERE r.event_id = 'order-$t'")" = 2 ]
    }
    say "waiting until the parcel has failed twice for want of its customer …"
    wait_for 30 "two failed tries" customer_missed_twice
    say "… now the shop learns of the customer"
    shop "INSERT INTO shop_customer (id) VALUES ('cu-$t')"
}

# Whether nothing of the scenario is left to do.
settled() {
    local list
    list=$(printf "'%s'," "${ids[@]}")
    [ "$(shop "SELECT COUNT(*) FROM hookonce_job j JOIN hookonce_receipt r USING (correlation_id)
        WHERE j.state IN ('ready', 'running') AND r.event_id IN (${list%,})")" = 0 ]
}

show_row() { printf '%-39s %-9s %-10s %5s  %-5s %5s  %s\n' "$@"; }

# Prints the table; fails if a row is not what the scenario expects.
show_table() {
    local i row good=yes
    printf '\n'
    show_row DELIVERY ANSWERED RECEIPT AGAIN JOB TRIES "IN THE SHOP"
    for i in "${!names[@]}"; do
        row=$(shop "SELECT CONCAT_WS('|', r.status, r.duplicates, GROUP_CONCAT(j.state), GROUP_CONCAT(j.tries))
            FROM hookonce_receipt r LEFT JOIN hookonce_job j USING (correlation_id)
            WHERE r.event_id = '${ids[i]}' GROUP BY r.provider, r.event_id")
        row="${answers[i]}|${row:-none|-|-|-}|$(shop "${effects[i]}")"
        IFS='|' read -r -a cells <<<"$row"
        show_row "${names[i]}" "${cells[@]}"
        if [ "$row" != "${expected[i]}" ]; then
            good=no
            IFS='|' read -r -a cells <<<"${expected[i]}"
            show_row "   but it should be" "${cells[@]}"
        fi
    done
    printf '\n'
    [ $good = yes ]
}

say_how_to_go_on() {
    cat <<TEXT
hookonce is up. Receivers, one URL a source:
    http://127.0.0.1:$port/hook/stripe     …/github     …/shopify     …/slack
Send more, signed as the provider would (hookonce send --help lists the options):
    $run/hookonce send stripe --repeat 5 --parallel 5
    $run/hookonce send github --type push --tamper
See what became of it:
    $run/hookonce list
    mariadb --no-defaults --socket=$run/db.sock -u root hookonce
    SELECT event_id, event_type, status, duplicates FROM hookonce_receipt ORDER BY received_at DESC LIMIT 9;
Config, secrets and logs: $run      Ctrl-C stops everything; the data stays.
TEXT
}

# ---- all of it ----------------------------------------------------------------------------------------

[ ${#run} -le 85 ] || die "the path $run is too long for a socket in it; set DEMO_DIR to a shorter one"
mkdir -p "$run"
exec 9>"$run/lock"
flock -n 9 || die "it runs already, in $run"
stop_leftovers
trap stop_all EXIT
trap 'exit 0' INT TERM HUP

choose_port
install_programs
write_config
start_mariadb
make_shop
"$run/hookonce" migrate
start_lighttpd
start "$run/processor.log" bash -c "$processor_loop" "$run/hookonce"

say "playing the scenario …"
play_all
wait_for 60 "settling the scenario" settled
result=0
show_table || result=1
if [ -n "${ONCE:-}" ]; then
    exit $result
fi
say_how_to_go_on
while :; do
    wait -n || true
    for pid in "${pids[@]}"; do
        kill -0 "$pid" 2>/dev/null || die "a process it needs has ended; see the logs in $run"
    done
done
