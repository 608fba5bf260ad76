// Every built-in recipe against a signer that shares nothing with it: what the provider signs is taken once and
// makes the rows it should, and everything one step away from it is refused and writes nothing. The signers and
// their form: signers/README.md. HOOKONCE_SIGNERS=module[:recipe,…] plays only some.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { startSite } from './live.mjs';
import { altered, changedAt, forgeries, retyped } from './forgeries.mjs';
import { fresh, signedBy, sourceOf } from './deliveries.mjs';

const HERE = import.meta.dirname;
const PROVIDERS = path.join(HERE, '..', '..', 'lib', 'providers');
const ONLY = process.env.HOOKONCE_SIGNERS;

/** All signers, or the part that was asked for. */
async function load() {
  const [module, recipes] = (ONLY ?? '').split(':');
  const files = readdirSync(path.join(HERE, 'signers')).filter((name) => /^[a-z].*\.mjs$/.test(name)).sort();
  const found = [];
  for (const file of files.filter((name) => !module || name === module + '.mjs')) {
    found.push(...(await import('./signers/' + file)).signers);
  }
  return recipes ? found.filter((signer) => recipes.split(',').includes(signer.recipe)) : found;
}

/** The built-in recipes: name -> {key: last value}, with what they take from the one they are like. */
function builtIn() {
  const texts = new Map(readdirSync(PROVIDERS).filter((name) => name.endsWith('.conf')).map((file) => [
    path.basename(file, '.conf'), readFileSync(path.join(PROVIDERS, file), 'utf8')]));
  const keys = (name) => {
    const own = Object.fromEntries([...texts.get(name).matchAll(/^([a-z-]+) *= *(.*)$/gm)].map(([, k, v]) => [k, v]));
    return own.like ? { ...keys(own.like), ...own } : own;
  };
  return new Map([...texts.keys()].map((name) => [name, keys(name)]));
}

const signers = await load();
const recipes = builtIn();
let site;

before(async () => {
  site = await startSite(Object.fromEntries(signers.map((signer) => [signer.name ?? signer.recipe, sourceOf(signer)])));
});
after(async () => { await site?.close(); });

/** Runs an async function over a list, eight at a time. */
async function each(list, visit) {
  const queue = list.values();
  await Promise.all(Array.from({ length: 8 }, async () => {
    for (const entry of queue) await visit(entry);
  }));
}

/** Names of those of [{name, request}] that were not answered as `fits` wants it. */
async function misfits(source, list, fits) {
  const wrong = [];
  await each(list, async ({ name, request }) => {
    const { status, body } = await site.send(source, request);
    if (!fits(status, name)) wrong.push(`${name}: ${status} ${body.slice(0, 80)}`);
  });
  return wrong.sort();
}

function assertAnswer(answer, { status = 200, type, body, headers = {} }) {
  assert.equal(answer.status, status, answer.body);
  if (type !== undefined) assert.equal((answer.headers['content-type'] ?? '').split(';')[0], type);
  if (body instanceof RegExp) assert.match(answer.body, body);
  else if (typeof body === 'function') assert.ok(body(answer.body), answer.body);
  else if (body !== undefined) assert.equal(answer.body, body);
  for (const [name, value] of Object.entries(headers)) assert.equal(answer.headers[name.toLowerCase()], value);
}

const text = (hex) => Buffer.from(hex, 'hex').toString();

/** What the database has of a source; ids and objects only where they are told. */
async function stored(source, { id: withId, object: withObject }) {
  const rows = await site.ask({ sql: 'SELECT HEX(event_id) AS id, HEX(event_type) AS type, HEX(object_key) AS object, '
    + "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', occurred_at) DIV 1000 AS at "
    + `FROM hookonce_receipt WHERE source = '${source}'` });
  return inOrder(rows.map(({ id, type, at, object }) => ({
    ...(withId && { id: text(id) }), type: text(type ?? ''), at, ...(withObject && { object: text(object ?? '') }) })));
}

function inOrder(events) {
  return events.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** The events that a delivery should make. */
function expected(sample, delivery) {
  const value = (given, none) => {
    const got = typeof given === 'function' ? given(delivery.facts) : given;
    return got === undefined ? none : got;
  };
  return (value(sample.events) ?? [sample]).map((event) => {
    const at = value(event.at, null);
    const id = value(event.id, null);
    return { id: id === null ? null : String(id), type: String(value(event.type, '')),
      at: at === null ? null : new Date(at).getTime(), object: value(event.object) };
  });
}

for (const signer of signers) {
  const source = signer.name ?? signer.recipe;
  describe(source, () => {
    const deliveries = [];

    before(async () => {
      for (const sample of signer.samples) deliveries.push(await signedBy(signer, { sample, site }));
    });

    it('what the provider signs is taken and makes its rows', async () => {
      const wanted = new Map();
      for (const [n, delivery] of deliveries.entries()) {
        assertAnswer(await site.send(source, delivery.request), signer.ok ?? {});
        for (const event of expected(signer.samples[n], delivery)) wanted.set(event.id ?? wanted.size, event);
      }
      const events = [...wanted.values()];
      const told = {
        id: events.every((event) => event.id !== null),
        object: events.some((event) => event.object !== undefined),
      };
      assert.deepEqual(await stored(source, told), inOrder(events.map(({ id, object, ...event }) => (
        { ...(told.id && { id }), ...event, ...(told.object && { object: object ?? '' }) }))));
    });

    const repeated = signer.again ? 'is another event, since nothing tells' : 'is taken and makes none';
    it(`the same again ${repeated}`, async () => {
      const before = await site.ask({ written: true });
      for (const { request } of deliveries) assertAnswer(await site.send(source, request), signer.ok ?? {});
      const after = await site.ask({ written: true });
      if (signer.again) assert.equal(after.receipt, before.receipt + deliveries.length);
      else assert.deepEqual(after, before);
    });

    // No provider signs what a body is sent as: it must not choose how the signed bytes are read.
    // Where each delivery is an event of its own there is nothing to tell by.
    if (!signer.again) it('sent as something else it is no other event', async () => {
      const { receipt } = await site.ask({ written: true });
      const sent = [];
      for (const [n, { request }] of deliveries.entries()) {
        sent.push(...retyped(request, signer).map((entry) => ({ ...entry, name: `sample ${n}: ${entry.name}` })));
      }
      assert.deepEqual(await misfits(source, sent, (status) => status < 500), []);
      assert.equal((await site.ask({ written: true })).receipt, receipt);
    });

    it('what else a genuine sender may say is taken', async () => {
      const taken = (signer.taken ?? []).map(({ name, request }) => (
        { name, request: request(fresh(signer, { site })) }));
      if (signer.tolerance !== undefined) {
        taken.push({ name: 'near the end of the tolerance',
          request: (await signedBy(signer, { site, ago: signer.tolerance - 20 })).request });
      }
      if (signer.secrets[1]) {
        taken.push({ name: 'the second secret', request: (await signedBy(signer, { site, secret: 1 })).request });
      }
      for (const entry of taken) entry.request = await entry.request;
      assert.deepEqual(await misfits(source, taken, (status) => status >= 200 && status < 300), []);
    });

    it('what is one step away from that is refused and writes nothing', async () => {
      const forged = await forgeries(signer, site, deliveries);
      for (const { name, request } of signer.refused ?? []) {
        forged.push({ name, request: await request(fresh(signer, { site })) });
      }
      const rows = await site.ask({ written: true });
      // An empty body is refused before a recipe's own answer to a bad signature counts.
      const refused = (status, name) => (signer.bad && !name.endsWith('taken off') ? status === signer.bad.status
        : status >= 400 && status < 500);
      assert.deepEqual(await misfits(source, forged, refused), []);
      assert.deepEqual(await site.ask({ written: true }), rows);
    });

    if (signer.hellos) {
      it('handshakes are answered and write nothing', async () => {
        const rows = await site.ask({ written: true });
        for (const { request, expect } of signer.hellos) {
          assertAnswer(await site.send(source, await request(fresh(signer, { site }))), expect);
        }
        assert.deepEqual(await site.ask({ written: true }), rows);
      });
    }
  });
}

describe('signers and recipes', { skip: ONLY ? 'only some are played' : false }, () => {
  const played = new Set(signers.map((signer) => signer.recipe));

  it('every signer has a recipe and a name of its own', () => {
    assert.deepEqual([...played].filter((name) => !recipes.has(name)), []);
    assert.equal(new Set(signers.map((signer) => signer.name ?? signer.recipe)).size, signers.length);
  });

  it('a recipe that no signer plays says that it is unconfirmed', () => {
    const silent = [...recipes].filter(([name]) => !played.has(name));
    assert.deepEqual(silent.filter(([, keys]) => keys.confidence !== 'unconfirmed').map(([name]) => name), []);
  });

  it('every recipe says where its facts are from, and how sure they are', () => {
    const bad = [...recipes].filter(([, keys]) => !keys.title || !keys.docs || !keys.basis
      || !['official', 'published', 'unconfirmed'].includes(keys.confidence));
    assert.deepEqual(bad.map(([name]) => name), []);
  });

  it('and the program says so too', async () => {
    const { out } = await site.ask({ run: ['providers', '--json'] });
    const told = out.trim().split('\n').map((line) => JSON.parse(line));
    assert.deepEqual(Object.fromEntries(told.map(({ provider, confidence, weak }) => [provider, [confidence, weak]])),
      Object.fromEntries([...recipes].map(([name, { confidence, weak }]) => [name, [confidence, weak ?? null]])));
  });

  it('a recipe admits what its signature does not cover', () => {
    const bad = signers.filter(({ recipe, weak }) => recipes.get(recipe)?.weak !== weak);
    assert.deepEqual(bad.map(({ recipe, weak }) => `${recipe}: ${weak}`), []);
    const loose = signers.filter(({ weak, covers = ['body'] }) => !weak && !covers.length);
    assert.deepEqual(loose.map(({ recipe }) => recipe), []);
  });
});

describe('the forgeries', () => {
  const request = { method: 'POST', query: 'a=1&b=%2B2', headers: { 'x-sig': 'abc', 'x-two': ['p', 'q'] },
    body: Buffer.from('{"s":{"t":"v"},"n":1.0}') };

  it('change one character, of its own kind', () => {
    assert.equal(altered('0123456789'), '0123465789'.replace('65', '66'));
    for (const word of ['a', '9', 'zz', 'AbC', '1790000000', '/', 'é']) assert.notEqual(altered(word), word);
  });

  it('find every kind of place, and say when there is none', () => {
    const up = (value) => value.toUpperCase() + '!';
    const at = (place, given = request) => changedAt(given, place, up);
    assert.equal(at('header:x-sig').headers['x-sig'], 'ABC!');
    assert.deepEqual(at('header:x-two').headers['x-two'], ['P!', 'Q!']);
    assert.equal(at('query:b').query, 'a=1&b=%2B2!');
    assert.equal(JSON.parse(at('json:/s/t').body).s.t, 'V!');
    assert.equal(at('body').body.toString(), '{"S":{"T":"V"},"N":1.0}!');
    const form = { ...request, headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'p=%7B%22q%22%3A%22r%22%7D&z=+y' };
    assert.equal(at('form:z', form).body.toString(), 'p=%7B%22q%22%3A%22r%22%7D&z=%20Y!');
    assert.match(decodeURIComponent(at('form:p#/q', form).body), /"q":"R!"/);
    const parts = { ...request, headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\nContent-Disposition: form-data; name="z"\r\n\r\ny\r\n--x--\r\n' };
    assert.match(at('form:z', parts).body.toString(), /"z"\r\n\r\nY!\r\n--x--/);
    for (const place of ['header:no', 'query:no', 'json:/no/no', 'form:no']) assert.equal(at(place), null);
  });
});
