// The providers' own libraries as judges: what they take the receiver takes, what they refuse it refuses, and
// what `hookonce send` signs they take. Where the receiver differs, it does so on purpose: see DELIBERATE.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import { bodies, chance } from './bodies.mjs';
import { JUDGES } from './judges.mjs';
import { startSink, startSite } from './live.mjs';
import { DELIBERATE, SPELLINGS } from './spellings.mjs';

const COUNT = 200;
const SEED = 20261130;
let site;

before(async () => { site = await startSite(); });
after(async () => { await site?.close(); });

/** Runs an async function over a list, eight at a time. */
async function each(list, visit) {
  const queue = list.entries();
  await Promise.all(Array.from({ length: 8 }, async () => {
    for (const [n, entry] of queue) await visit(entry, n);
  }));
}

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

// ---- generated deliveries -----------------------------------------------------------------------------

function flip(body, at) {
  const copy = Buffer.from(body);
  copy[at] ^= 1;
  return copy;
}

/** Generated bodies of the provider's kind. */
function bodiesFor(judge, seed, count, fields = judge.fields) {
  return bodies(seed, count, fields, judge.options).map((body, n) => (judge.dress ? judge.dress(body, n) : body));
}

/** One change to a genuine request, by the number n. */
function tampered(judge, body, headers, n, random) {
  const signature = headers[judge.signature];
  const changed = (name, value) => ({ body, headers: { ...headers, [name]: value } });
  const at = (length) => Math.floor(random() * length);
  const digit = signature.length - 3 - at(20);
  switch (n % 6) {
    case 0: return { body: body.length ? flip(body, at(body.length)) : Buffer.from('x'), headers };
    case 1: return { body: Buffer.concat([body, Buffer.from(' ')]), headers };
    case 2: return { body: body.length ? body.subarray(0, -1) : Buffer.from('{}'), headers };
    case 3: return changed(judge.signature, signature.slice(0, digit) + (signature[digit] === 'a' ? 'b' : 'a')
      + signature.slice(digit + 1));
    case 4: return changed(judge.signature, signature.slice(0, -3));
    default: return judge.time ? changed(judge.time, String(Number(headers[judge.time]) - 1))
      : changed(judge.signature, signature + 'A');
  }
}

for (const [source, judge] of Object.entries(JUDGES)) {
  describe(`${source}: ${COUNT} generated deliveries`, () => {
    let made;

    before(async () => {
      made = await Promise.all(bodiesFor(judge, SEED, COUNT).map(async (body) => {
        const headers = await judge.sign(site.secrets[source], body);
        return { body, headers, taken: await judge.takes(site.secrets[source], body, headers) };
      }));
    });

    it('that the library takes are taken, and known by the digest of their bytes', async () => {
      const wrong = [];
      await each(made, async ({ body, headers, taken }, n) => {
        assert.equal(taken, true, `the library refuses body ${n}`);
        const status = await site.post(source, body, headers);
        if (status !== 200) wrong.push(`${n}: ${status} ${body.subarray(0, 200)}`);
      });
      assert.deepEqual(wrong, []);
      const rows = await site.ask({
        sql: `SELECT LOWER(HEX(body_sha256)) AS sha FROM hookonce_receipt WHERE source = '${source}'` });
      const stored = new Set(rows.map((row) => row.sha));
      assert.equal(made.filter(({ body }) => !stored.has(sha256(body))).length, 0);
    });

    it('and tampered with, as the library sees, are refused and write nothing', async () => {
      const written = await site.ask({ written: true });
      const random = chance(SEED + 1);
      const wrong = [];
      await each(made, async ({ body }, n) => {
        const forged = tampered(judge, body, await judge.sign(site.secrets[source], body), n, random);
        const taken = await judge.takes(site.secrets[source], forged.body, forged.headers);
        const status = await site.post(source, forged.body, forged.headers);
        if (taken || status < 400 || status >= 500) wrong.push(`${n}: library ${taken}, receiver ${status}`);
      });
      assert.deepEqual(wrong, []);
      assert.deepEqual(await site.ask({ written: true }), written);
    });
  });
}

// ---- spellings ------------------------------------------------------------------------------------------

describe('spellings of a signature', () => {
  for (const [source, judge] of Object.entries(JUDGES)) {
    for (const [name, applies, make] of SPELLINGS.filter(([, applies]) => applies(judge))) {
      const deliberate = DELIBERATE[`${source}: ${name}`];
      it(`${source}: ${name}${deliberate ? ' (differs: ' + deliberate[2] + ')' : ''}`, async () => {
        const [body] = bodiesFor(judge, SEED + 7, 1, () => judge.fields(1000));
        const request = await make(judge, site.secrets[source], body);
        const library = await judge.takes(site.secrets[source], request.body, request.headers);
        const status = await site.post(source, request.body, request.headers);
        assert.ok(status === 200 || (status >= 400 && status < 500), `answered ${status}`);
        assert.deepEqual([library, status === 200], deliberate ? deliberate.slice(0, 2) : [library, library]);
      });
    }
  }

  it('every difference that is listed was looked at', () => {
    const known = Object.entries(JUDGES).flatMap(([source, judge]) => (
      SPELLINGS.filter(([, applies]) => applies(judge)).map(([name]) => `${source}: ${name}`)));
    assert.deepEqual(Object.keys(DELIBERATE).filter((name) => !known.includes(name)), []);
  });
});

// ---- what we sign ---------------------------------------------------------------------------------------

describe('hookonce send', () => {
  let sink;

  before(async () => { sink = await startSink(); });
  after(async () => { await sink?.close(); });

  /** Has hookonce send something -> the requests that came of it. */
  async function send(source, options, input) {
    const from = sink.requests.length;
    const done = await site.ask({
      run: ['send', source, '--url', sink.url, ...options], ...(input && { input: input.toString('base64') }) });
    assert.equal(done.code, 0, done.err + done.out);
    return sink.requests.slice(from);
  }

  for (const [source, judge] of Object.entries(JUDGES)) {
    const takes = ({ body, headers }) => judge.takes(site.secrets[source], body, { ...headers, ...judge.unsent });

    it(`${source}: the library takes what is sent`, async () => {
      const requests = await send(source, ['--count', '20', '--repeat', '2', '--parallel', '4']);
      assert.equal(requests.length, 40);
      for (const request of judge.tolerance ? requests.slice(-4) : requests) {
        assert.equal(await takes(request), true, JSON.stringify(request.headers));
      }
      assert.equal(new Set(requests.map((r) => sha256(r.body))).size, 20);
      assert.deepEqual(new Set(requests.map((r) => r.url)), new Set(['/hook/' + source]));
    });

    it(`${source}: with a body of one's own, byte for byte`, async () => {
      for (const body of bodiesFor(judge, SEED + 2, 6).filter((b) => b.length)) {
        const type = judge.dress ? ['--content-type', 'application/x-www-form-urlencoded'] : [];
        const [request] = await send(source, ['--body', '-', ...type], body);
        assert.equal(sha256(request.body), sha256(body));
        assert.equal(await takes(request), true);
      }
    });

    it(`${source}: and refuses what was tampered with`, async () => {
      for (const request of await send(source, ['--tamper', '--count', '5'])) {
        assert.equal(await takes(request), false);
      }
    });

    if (judge.timed) {
      it(`${source}: and judges the age that was asked for`, async () => {
        const tolerance = judge.tolerance ?? 300;
        assert.equal(await takes((await send(source, ['--age', `${Math.floor(tolerance / 2)}s`]))[0]), true);
        assert.equal(await takes((await send(source, ['--age', '10m']))[0]), false);
      });
    }
  }
});
