// Requests that are one step away from genuine, in ways that verifiers have come to disagree about.
import { createHmac } from 'node:crypto';

const BOM = Buffer.from('\ufeff');
const NO_TEXT = Buffer.concat([
  Buffer.from('{"id":"evt_raw","event_id":"EvRAW","x":"'), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('"}')]);
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const all = () => true;
const hex = (judge) => ['stripe', 'github', 'slack', 'razorpay', 'paddle'].includes(judge.name);
const base64 = (judge) => !hex(judge);
const standard = (judge) => ['standard', 'svix', 'openai'].includes(judge.name);
const only = (...names) => (judge) => names.includes(judge.name);
const not = (...names) => (judge) => !names.includes(judge.name);
const prefixed = not('shopify', 'razorpay', 'twilio');
const listed = (judge) => prefixed(judge) && judge.name !== 'github';
const manySigned = (judge) => listed(judge) && judge.name !== 'slack';
const timed = (judge) => judge.timed;

/** A genuine request whose header `name` (the signature's, unless told) was changed; undefined: left out. */
async function change(judge, secret, body, how, name = judge.signature) {
  const headers = await judge.sign(secret, body);
  const value = how(headers[name]);
  if (value === undefined) delete headers[name];
  else headers[name] = value;
  return { body, headers };
}

const changes = (how) => (judge, secret, body) => change(judge, secret, body, how);

const ago = (seconds) => async (judge, secret, body) => (
  { body, headers: await judge.sign(secret, body, { t: Math.floor(Date.now() / 1000) - seconds }) });

/** Another secret of the same form. */
function other(secret) {
  const base64 = Buffer.from('a different key altogether').toString('base64');
  return secret.startsWith('whsec_') ? 'whsec_' + base64 : secret + 'x';
}

/** The last digit before the padding with a bit set that no byte has. */
function loose(text) {
  return text.replace(/([A-Za-z0-9+/])(=+)$/, (_, digit, pad) => DIGITS[DIGITS.indexOf(digit) ^ 1] + pad);
}

/** Genuine and wrong signature in one header, in the order that `order` puts them. */
const several = (order) => changes((value) => {
  if (value.startsWith('ts=')) {
    const [ts, good] = value.split(';');
    return [ts, ...order(good, 'h1=' + '0'.repeat(64))].join(';');
  }
  if (!value.includes('t=')) return order(value, `v1,${'A'.repeat(43)}=`).join(' ');
  const [t, good] = value.split(',');
  return [t, ...order(good, 'v1=' + '0'.repeat(64))].join(',');
});

/** Signs bytes as they are; the libraries' own functions sign text. */
async function raw(judge, secret, body) {
  const headers = await judge.sign(secret, body);
  const key = standard(judge) ? Buffer.from(secret.replace('whsec_', ''), 'base64') : secret;
  const mac = (before, form) => createHmac('sha256', key).update(before).update(body).digest(form);
  if (judge.name === 'razorpay') {
    headers[judge.signature] = mac('', 'hex');
  } else if (judge.name === 'paddle') {
    const [ts] = headers[judge.signature].split(';');
    headers[judge.signature] = `${ts};h1=${mac(ts.slice(3) + ':', 'hex')}`;
  } else if (judge.name === 'stripe') {
    const t = headers[judge.signature].match(/t=(\d+)/)[1];
    headers[judge.signature] = `t=${t},v1=${mac(t + '.', 'hex')}`;
  } else if (judge.name === 'github') {
    headers[judge.signature] = 'sha256=' + mac('', 'hex');
  } else if (standard(judge)) {
    const id = headers[judge.signature.replace('signature', 'id')];
    headers[judge.signature] = 'v1,' + mac(`${id}.${headers[judge.time]}.`, 'base64');
  }
  return { body, headers };
}

const sha1 = (judge, secret, body) => change(judge, secret, body, () => (
  'sha1=' + createHmac('sha1', secret).update(body).digest('hex')));

const junkBehindTime = (judge, secret, body) => (judge.time
  ? change(judge, secret, body, (value) => value + 'abc', judge.time)
  : change(judge, secret, body, (value) => value.replace(/(ts?=\d+)/, '$1abc')));

const noTime = (judge, secret, body) => (judge.time
  ? change(judge, secret, body, () => undefined, judge.time)
  : change(judge, secret, body, (value) => value.replace(/ts?=\d+[,;]/, '')));

/** Signed by one algorithm, with a header that names another, or none. */
const shared = (algorithm, named) => async (judge, secret, body) => {
  const { 'x-twilio-webhooks-signature-settings': _, ...headers } = await judge.sign(secret, body, { algorithm });
  return { body, headers: named
    ? { ...headers, 'x-twilio-webhooks-signature-settings': `key=webhooks_sharedkey_1,algorithm=${named}` } : headers };
};

/** One form, signed as another. */
const formed = (sent, signed) => async (judge, secret) => (
  { body: Buffer.from(sent), headers: await judge.sign(secret, Buffer.from(new URLSearchParams(signed).toString())) });

/** [name, for which judges, (judge, secret, body) -> {body, headers}] */
export const SPELLINGS = [
  ['as it should be', all, changes((value) => value)],
  ['another secret', all, async (judge, secret, body) => ({ body, headers: await judge.sign(other(secret), body) })],
  ['no signature', all, changes(() => undefined)],
  ['empty signature', all, changes(() => '')],
  ['upper-case hex', hex, changes((value) => value.replace(/[0-9a-f]{64}/, (digits) => digits.toUpperCase()))],
  ['no prefix', prefixed, changes((value) => value.replace(/sha256=|v0=|v1=|v1,|h1=/, ''))],
  ['another version', listed, changes((value) => value.replace(/v0=|v1=|v1,|h1=/, 'v9$&'))],
  ['SHA-1 in place of SHA-256', only('github'), sha1],
  ['hex in place of base64', base64, changes((value) => value.replace(
    /[A-Za-z0-9+/]{27,43}=/, (text) => Buffer.from(text, 'base64').toString('hex')))],
  ['base64 without padding', base64, changes((value) => value.replace(/=$/, ''))],
  ['base64 with loose bits', base64, changes(loose)],
  ['digest and more', all, changes((value) => value + 'AA')],
  ['=junk behind the digest', only('slack'), changes((value) => value + '=junk')],
  ['signed 290 s ago', timed, ago(290)],
  ['signed 310 s ago', timed, ago(310)],
  ['signed 290 s ahead', timed, ago(-290)],
  ['signed 310 s ahead', timed, ago(-310)],
  ['signed at the epoch', timed, (judge, secret, body) => ago(Math.floor(Date.now() / 1000))(judge, secret, body)],
  ['junk behind the time', timed, junkBehindTime],
  ['no time', timed, noTime],
  ['two signatures, the first one wrong', manySigned, several((good, bad) => [bad, good])],
  ['two signatures, the last one wrong', manySigned, several((good, bad) => [good, bad])],
  ['another id', standard, (judge, secret, body) => change(
    judge, secret, body, () => 'msg_other', judge.signature.replace('signature', 'id'))],
  ['bytes that are no UTF-8', not('twilio'), (judge, secret) => raw(judge, secret, NO_TEXT)],
  ['a BOM that was signed', not('stripe', 'twilio'), (judge, secret, body) => raw(judge, secret, Buffer.concat([BOM,
      body]))],
  ['a BOM that was not signed', all, async (judge, secret, body) => (
    { body: Buffer.concat([BOM, body]), headers: await judge.sign(secret, body) })],
  ['a shared key by SHA-256', only('twilio'), shared('HMAC_SHA256', 'HMAC_SHA256')],
  ['a shared key by SHA-1', only('twilio'), shared('HMAC_SHA1', 'HMAC_SHA1')],
  ['a shared key by something else', only('twilio'), shared('HMAC_SHA1', 'HMAC_SHA512')],
  ['SHA-256 that no header names', only('twilio'), shared('HMAC_SHA256')],
  ['a field twice with the same value', only('twilio'), formed('a=1&b=2&a=1', { a: '1', b: '2' })],
  ['fields in another order, blanks spelled another way', only('twilio'), formed('b=x%20y&a=x+y', { a: 'x y',
      b: 'x y' })],
  ['a field that was not signed', only('twilio'), formed('a=1&b=2&c=', { a: '1', b: '2' })],
  ['no body', all, async (judge, secret) => (
    { body: Buffer.alloc(0), headers: await judge.sign(secret, Buffer.alloc(0)) })],
];

const FUTURE = 'the library sets no bound on times ahead of its own';
const DIGITS_ONLY = 'the library reads the digits that a time begins with; a time is a whole number here';
const BYTES = 'the library signs the text it reads out of the bytes; the signature is over the bytes';
const DECODED = 'the library decodes what it can; a digest has one spelling here';
const SECONDS = 'the library allows for five seconds, less than a slow link needs';
const EMPTY = 'an empty body is no event, whatever was signed';

/** Where the receiver differs from a library: "source: spelling" -> [library takes it, receiver takes it, why]. */
export const DELIBERATE = {
  'stripe: signed 310 s ahead': [true, false, FUTURE],
  'slack: signed 310 s ahead': [true, false, FUTURE],
  'stripe: junk behind the time': [true, false, DIGITS_ONLY],
  'standard: junk behind the time': [true, false, DIGITS_ONLY],
  'svix: junk behind the time': [true, false, DIGITS_ONLY],
  'slack: =junk behind the digest': [true, false, 'the library looks at the first two parts only'],
  'stripe: bytes that are no UTF-8': [false, true, BYTES],
  'github: bytes that are no UTF-8': [false, true, BYTES],
  'shopify: bytes that are no UTF-8': [false, true, BYTES],
  'slack: bytes that are no UTF-8': [false, true, BYTES],
  'standard: bytes that are no UTF-8': [false, true, BYTES],
  'svix: bytes that are no UTF-8': [false, true, BYTES],
  'stripe: a BOM that was not signed': [true, false, BYTES],
  'stripe: no body': [true, false, EMPTY],
  'slack: no body': [true, false, EMPTY],
  'paddle: signed 290 s ago': [false, true, SECONDS],
  'paddle: signed 310 s ahead': [true, false, FUTURE],
  'paddle: junk behind the time': [true, false, DIGITS_ONLY],
  'paddle: two signatures, the last one wrong': [false, true, 'the library looks at the last signature only'],
  'paddle: bytes that are no UTF-8': [false, true, BYTES],
  'paddle: no body': [true, false, EMPTY],
  'razorpay: bytes that are no UTF-8': [false, true, BYTES],
  'razorpay: no body': [true, false, EMPTY],
  'openai: bytes that are no UTF-8': [false, true, BYTES],
  'openai: no prefix': [true, false, 'the library takes a digest without a version'],
  'openai: base64 without padding': [true, false, DECODED],
  'openai: base64 with loose bits': [true, false, DECODED],
  'openai: digest and more': [true, false, DECODED],
};
