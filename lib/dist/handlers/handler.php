#!/usr/bin/env php
<?php
// A handler in PHP: marks an order as paid, in a MariaDB database.
//
// The work and the mark "this event is done" are one transaction: either both happen or neither, so a try
// that was cut off can be repeated, and a repeat of what is done does nothing. It needs the table
//     CREATE TABLE done (idempotency_key CHAR(64) PRIMARY KEY) ENGINE=InnoDB
// and handler.ini beside this file, mode 0600:
//     dsn = "mysql:unix_socket=/run/mysqld/mysqld.sock;dbname=acme;charset=utf8mb4"
//     user = "acme"
//     password = "..."
declare(strict_types=1);

const DONE = 0, GIVE_UP = 65, NOT_NOW = 69, FAILED = 1;

// What this event is to do; whatever it throws undoes all of it, and it is tried again.
function work(PDO $link, array $event): void
{
    // -------------------------------------------------------------------------------------------------
    $order = $event['data']['object']['client_reference_id'];
    $link->prepare("UPDATE orders SET status = 'paid' WHERE id = ?")->execute([$order]);
    // -------------------------------------------------------------------------------------------------
}

function say(string $text): void
{
    fwrite(STDERR, $text . "\n");
}

$event = json_decode((string) stream_get_contents(STDIN), true);
if (!is_array($event)) {
    say('no JSON: ' . json_last_error_msg());
    exit(GIVE_UP);
}
$at = parse_ini_file(__DIR__ . '/handler.ini', false, INI_SCANNER_RAW);
try {
    $link = new PDO($at['dsn'], $at['user'], $at['password'], [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
} catch (PDOException $e) {
    echo "retry-after: 60\n";
    say('the database is away, error ' . $e->getCode());
    exit(NOT_NOW);
}
try {
    $link->beginTransaction();
    $mark = $link->prepare('INSERT IGNORE INTO done (idempotency_key) VALUES (?)');
    $mark->execute([getenv('HOOKONCE_IDEMPOTENCY_KEY')]);
    if ($mark->rowCount() === 1) {
        work($link, $event);
    }
    $link->commit();
} catch (Throwable $e) {
    say($e->getMessage());
    exit(FAILED);
}
exit(DONE);
