// Requests one step away from a genuine one; see signers/README.md.
import { signedBy } from './deliveries.mjs';

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The text with one character changed to another of its kind: digit, lower case, upper case. */
export function altered(value, at = Math.max(0, value.length - 5)) {
  const c = value[at] ?? '';
  let other = 'x';
  if (/[0-9]/.test(c)) other = c === '9' ? '8' : String(Number(c) + 1);
  else if (/[a-z]/.test(c)) other = c === 'a' ? 'b' : 'a';
  else if (/[A-Z]/.test(c)) other = c === 'A' ? 'B' : 'A';
  return value.slice(0, at) + other + value.slice(at + 1);
}

// ---- places -------------------------------------------------------------------------------------------------

/** Changes the scalar at a pointer of JSON text; undefined takes it out. null: it is not there. */
function changedJson(json, pointer, change) {
  const document = JSON.parse(json);
  const steps = pointer.split('/').slice(1);
  const last = steps.pop();
  const parent = steps.reduce((at, step) => at?.[step], document);
  if (parent?.[last] === undefined) return null;
  const value = change(String(parent[last]));
  if (value === undefined) delete parent[last];
  else parent[last] = typeof parent[last] === 'number' && !Number.isNaN(Number(value)) ? Number(value) : value;
  return JSON.stringify(document);
}

const decoded = (value) => decodeURIComponent(value.replaceAll('+', ' '));

function changedPairs(pairs, name, change) {
  let found = false;
  const kept = pairs.split('&').flatMap((pair) => {
    const [key, ...rest] = pair.split('=');
    if (decoded(key) !== name) return [pair];
    const value = change(decoded(rest.join('=')));
    if (value === null) return [pair];
    found = true;
    return value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`];
  });
  return found ? kept.join('&') : null;
}

/** Multipart: bytes are kept by reading them as Latin-1. */
function changedPart(body, name, change) {
  const form = body.toString('latin1');
  const [boundary] = form.split('\r\n', 1);
  const parts = form.split(boundary);
  const n = parts.findIndex((part) => new RegExp(`[ ;]name="${name}"`).test(part.split('\r\n\r\n')[0]));
  if (n < 0) return null;
  const [head, ...rest] = parts[n].split('\r\n\r\n');
  const value = change(Buffer.from(rest.join('\r\n\r\n').slice(0, -2), 'latin1').toString());
  if (value === null) return null;
  if (value === undefined) parts.splice(n, 1);
  else parts[n] = `${head}\r\n\r\n${Buffer.from(value).toString('latin1')}\r\n`;
  return Buffer.from(parts.join(boundary), 'latin1');
}

function changedForm(request, what, change) {
  const [name, pointer] = what.split('#');
  const within = pointer ? (value) => changedJson(value, pointer, change) : change;
  const type = String(request.headers['content-type']);
  return type.startsWith('multipart/') ? changedPart(Buffer.from(request.body), name, within)
    : changedPairs(request.body.toString(), name, within);
}

function changedHeader(headers, name, change) {
  if (headers[name] === undefined) return null;
  const given = headers[name];
  const value = Array.isArray(given) ? given.map(change).filter((v) => v !== undefined) : change(given);
  const { [name]: _, ...others } = headers;
  return value === undefined || value.length === 0 && Array.isArray(given) ? others : { ...others, [name]: value };
}

/**
 * The request with the text at a place (header:, query:, form:, json:, body) changed; change may return undefined
 * to take it out. null: there is no such place.
 */
export function changedAt(request, place, change) {
  const [kind, ...rest] = place.split(':');
  const what = rest.join(':');
  const part = (name, value) => (value === null ? null : { ...request, [name]: value });
  switch (kind) {
    case 'header': return part('headers', changedHeader(request.headers, what.toLowerCase(), change));
    case 'query': return part('query', changedPairs(request.query, what, change));
    case 'form': return part('body', bytes(changedForm(request, what, change)));
    case 'json': return part('body', bytes(changedJson(request.body.toString(), what, change)));
    case 'body': return part('body', bytes(change(request.body.toString()) ?? ''));
    default: throw new Error(`no such place: ${place}`);
  }
}

const bytes = (value) => (value === null ? null : Buffer.from(value));

// ---- what is made of a genuine request ------------------------------------------------------------------------

function flip(body, at) {
  const copy = Buffer.from(body);
  copy[at] ^= 1;
  return copy;
}

/** The longest run of digest-like characters of a signature's text, [start, end]. */
function digestIn(value) {
  const runs = [...value.matchAll(/[A-Za-z0-9+/_-]{16,}/g)].sort((a, b) => b[0].length - a[0].length);
  return runs.length ? [runs[0].index, runs[0].index + runs[0][0].length] : [0, value.length];
}

/** [name, text] for each way to spoil a signature's text. */
function spoilt(value, anyCase) {
  const [start, end] = digestIn(value);
  const ways = [
    ['altered', altered(value, Math.max(start, end - 5))],
    ['altered in the middle', altered(value, Math.floor((start + end) / 2))],
    ['cut', value.slice(0, end - 1) + value.slice(end)],
    ['empty', ''],
    ['left out', undefined],
  ];
  const run = value.slice(start, end);
  if (!anyCase && /^[0-9a-f]{32,}$/.test(run) && /[a-f]/.test(run)) {
    ways.push(['in upper case', value.slice(0, start) + run.toUpperCase() + value.slice(end)]);
  }
  const pad = value.slice(end).match(/^=+/)?.[0] ?? '';
  if (pad && (run.length + pad.length) % 4 === 0) {
    const loose = run.slice(0, -1) + DIGITS[DIGITS.indexOf(run.at(-1)) ^ 1];
    ways.push(['without padding', value.slice(0, end) + value.slice(end + pad.length)]);
    ways.push(['with loose bits', value.slice(0, start) + loose + value.slice(end)]);
  }
  return ways;
}

/**
 * Signatures in one place, or in all at once when they are one. A GET without any is a probe, which is answered like
 * any other that asks what is here.
 */
function ofSignature(signer, request) {
  const there = [signer.signature].flat().filter((place) => changedAt(request, place, (value) => value));
  const groups = signer.anyOf ? [there] : there.map((place) => [place]);
  return groups.flatMap((group) => {
    let first;
    changedAt(request, group[0], (value) => { first ??= value; return value; });
    const ways = spoilt(first, signer.anyCase).filter(([, value]) => value || request.method !== 'GET');
    return ways.map(([name]) => {
      const change = (value) => spoilt(value, signer.anyCase).find(([other]) => other === name)?.[1];
      return { name: `${group.join(' and ')} ${name}`,
        request: group.reduce((made, place) => changedAt(made, place, change), request) };
    });
  });
}

function ofBody({ body }, request) {
  if (!body.length) return [{ name: 'a body', request: { ...request, body: Buffer.from('x') } }];
  return [
    { name: 'one byte of the body altered', request: { ...request, body: flip(body, body.length >> 1) } },
    { name: 'a blank behind the body', request: { ...request, body: Buffer.concat([body, Buffer.from(' ')]) } },
    { name: 'the last byte left out', request: { ...request, body: body.subarray(0, -1) } },
    { name: 'the body taken off', request: { ...request, body: Buffer.alloc(0) } },
  ];
}

function ofCovered(signer, request) {
  const places = (signer.covers ?? ['body']).filter((place) => place !== 'body');
  return places.flatMap((place) => {
    const ways = [
      [`${place} altered`, (value) => altered(value, value.length - 1)],
      [`${place} left out`, () => undefined],
    ];
    return ways.map(([name, change]) => ({ name, request: changedAt(request, place, change) }));
  }).filter((entry) => entry.request);
}

const TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/json', 'text/plain',
  undefined];

/**
 * -> [{name, request}]: the request under every other Content-Type, and without; a form that is signed also with its
 * fields written in another way, of which some providers sign only what they say.
 */
export function retyped({ headers: { 'content-type': own, ...headers }, ...request }, { weak }) {
  const as = (type) => ({ ...headers, ...(type && { 'content-type': type }) });
  const made = TYPES.filter((type) => type !== own).map((type) => (
    { name: `as ${type}`, request: { ...request, headers: as(type) } }));
  if (!weak && String(own).startsWith('application/x-www-form-urlencoded')) {
    const form = request.body.toString();
    const ways = { 'turned round': form.split('&').reverse().join('&'), 'with an empty field': form + '&=',
      'with nothing between': form.replaceAll('&', '&&'), 'with a field twice': form + '&' + form.split('&')[0],
      'escaped in lower case': form.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()) };
    for (const [name, body] of Object.entries(ways)) {
      if (body !== form) made.push({ name, request: { ...request, headers: as(own), body: Buffer.from(body) } });
    }
  }
  return made;
}

/** -> [{name, request}], all of which must be refused. */
export async function forgeries(signer, site, deliveries) {
  const made = [];
  const again = async (name, how) => made.push({ name, request: (await signedBy(signer, { site, ...how })).request });
  for (const [n, { request }] of deliveries.entries()) {
    const covers = signer.covers ?? ['body'];
    const more = [...ofSignature(signer, request), ...ofCovered(signer, request),
      ...(covers.includes('body') && [signer.signature].flat().some((place) => /^(header|query)/.test(place))
        ? ofBody(request, request) : [])];
    made.push(...more.map((entry) => ({ ...entry, name: `sample ${n}: ${entry.name}` })));
    await again(`sample ${n}: the wrong secret`, { secret: 2, sample: signer.samples[n] });
  }
  if (signer.coversUrl) {
    const url = new URL(signer.url ?? `http://127.0.0.1:${site.port}/hookonce.fcgi/${signer.name ?? signer.recipe}`);
    await again('another path', { url: url.href + 'x' });
    await again('another host', { url: url.href.replace(url.host, 'evil.' + url.host) });
  }
  if (signer.tolerance !== undefined) {
    await again('too old', { ago: signer.tolerance + 10 });
    await again('too far ahead', { ago: -signer.tolerance - 10 });
  }
  return made;
}
