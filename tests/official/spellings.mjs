// Requests that are one step away from genuine, in ways that verifiers have come to disagree about.
import { createHmac } from 'node:crypto';

const BOM = Buffer.from('\ufeff');
const NO_TEXT = Buffer.concat([
  Buffer.from('{"id":"evt_raw","event_id":"EvRAW","x":"'), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('"}')]);
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const all = () => true;
const hex = (judge) => ['stripe', 'github', 'slack'].includes(judge.name);
const base64 = (judge) => !hex(judge);
const standard = (judge) => ['standard', 'svix'].includes(judge.name);
const only = (...names) => (judge) => names.includes(judge.name);
const not = (...names) => (judge) => !names.includes(judge.name);
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
  if (!value.includes('t=')) return order(value, `v1,${'A'.repeat(43)}=`).join(' ');
  const [t, good] = value.split(',');
  return [t, ...order(good, 'v1=' + '0'.repeat(64))].join(',');
});

/** Signs bytes as they are; the libraries' own functions sign text. */
async function raw(judge, secret, body) {
  const headers = await judge.sign(secret, body);
  const key = standard(judge) ? Buffer.from(secret.replace('whsec_', ''), 'base64') : secret;
  const mac = (before, form) => createHmac('sha256', key).update(before).update(body).digest(form);
  if (judge.name === 'stripe') {
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
  : change(judge, secret, body, (value) => value.replace(/t=(\d+)/, 't=$1abc')));

const noTime = (judge, secret, body) => (judge.time
  ? change(judge, secret, body, () => undefined, judge.time)
  : change(judge, secret, body, (value) => value.replace(/t=\d+,/, '')));

/** [name, for which judges, (judge, secret, body) -> {body, headers}] */
export const SPELLINGS = [
  ['as it should be', all, changes((value) => value)],
  ['another secret', all, async (judge, secret, body) => ({ body, headers: await judge.sign(other(secret), body) })],
  ['no signature', all, changes(() => undefined)],
  ['empty signature', all, changes(() => '')],
  ['upper-case hex', hex, changes((value) => value.replace(/[0-9a-f]{64}/, (digits) => digits.toUpperCase()))],
  ['no prefix', not('shopify'), changes((value) => value.replace(/sha256=|v0=|v1=|v1,/, ''))],
  ['another version', not('shopify', 'github'), changes((value) => value.replace(/v0=|v1=|v1,/, 'v9$&'))],
  ['SHA-1 in place of SHA-256', only('github'), sha1],
  ['hex in place of base64', base64, changes((value) => value.replace(
    /[A-Za-z0-9+/]{43}=/, (text) => Buffer.from(text, 'base64').toString('hex')))],
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
  ['two signatures, the first one wrong', not('github', 'shopify', 'slack'), several((good, bad) => [bad, good])],
  ['two signatures, the last one wrong', not('github', 'shopify', 'slack'), several((good, bad) => [good, bad])],
  ['another id', standard, (judge, secret, body) => change(
    judge, secret, body, () => 'msg_other', judge.signature.replace('signature', 'id'))],
  ['bytes that are no UTF-8', all, (judge, secret) => raw(judge, secret, NO_TEXT)],
  ['a BOM that was signed', not('stripe'), (judge, secret, body) => raw(judge, secret, Buffer.concat([BOM, body]))],
  ['a BOM that was not signed', all, async (judge, secret, body) => (
    { body: Buffer.concat([BOM, body]), headers: await judge.sign(secret, body) })],
  ['no body', all, async (judge, secret) => (
    { body: Buffer.alloc(0), headers: await judge.sign(secret, Buffer.alloc(0)) })],
];

const FUTURE = 'the library sets no bound on times ahead of its own';
const DIGITS_ONLY = 'the library reads the digits that a time begins with; a time is a whole number here';
const BYTES = 'the library signs the text it reads out of the bytes; the signature is over the bytes';
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
};
