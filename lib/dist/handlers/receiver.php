<?php
// A URL handler in PHP: takes only what hookonce has signed (Standard Webhooks, `sign_with`), and does its
// work once for each idempotency key.
//
// Outside the web root, one folder above this file: receiver.secret (the text behind `sign_with`, mode 0600),
// and kept/, which is made here: a file for each key that is done.
declare(strict_types=1);

const LATEST = 300; // seconds that the signed time may be off

// What this event is to do; whatever it throws is answered 500, and it is tried again.
function work(array $event, string $place): void
{
    // -------------------------------------------------------------------------------------------------
    file_put_contents("$place/events.log", $event['id'] . ' ' . $event['type'] . "\n", FILE_APPEND | LOCK_EX);
    // -------------------------------------------------------------------------------------------------
}

function answer(int $status, string $text, array $headers = []): void
{
    http_response_code($status);
    header('Content-Type: text/plain; charset=utf-8');
    array_map('header', $headers);
    echo $text, "\n";
    exit;
}

// Was this body signed with this secret, not long ago? The signature is over id.time.body.
function genuine(string $secret, string $body, int $now): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $time = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    $key = base64_decode(preg_replace('/^whsec_/', '', trim($secret)), true);
    if ($id === '' || !ctype_digit($time) || abs($now - (int) $time) > LATEST || $key === false || $key === '') {
        return false;
    }
    $right = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $one) {
        if (hash_equals($right, $one)) {
            return true;
        }
    }
    return false;
}

$place = dirname(__DIR__);
$secret = @file_get_contents("$place/receiver.secret");
if ($secret === false) {
    answer(500, 'receiver.secret is missing');
}
$body = (string) file_get_contents('php://input');
if (!genuine($secret, $body, time())) {
    answer(401, 'no signature, or not a right one');
}
$key = $_SERVER['HTTP_WEBHOOK_ID']; // the idempotency key, and signed
$event = json_decode($body, true);
if (!is_array($event) || !preg_match('/^[0-9a-f]{64}$/D', $key)) {
    answer(422, 'no JSON, or no idempotency key');
}
umask(0077);
@mkdir("$place/kept");
$mark = fopen("$place/kept/$key", 'c+');
if (!$mark || !flock($mark, LOCK_EX | LOCK_NB)) {
    answer(503, 'the same event is being worked on', ['Retry-After: 5']);
}
if (fstat($mark)['size'] > 0) {
    answer(200, 'done before');
}
try {
    work($event, $place);
} catch (Throwable $e) {
    answer(500, get_class($e));
}
if (fwrite($mark, "done\n") !== 5 || !fflush($mark)) {
    answer(500, 'it was done, and the mark could not be written');
}
answer(200, 'done');
