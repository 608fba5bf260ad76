// Bodies to sign: odd, but of each provider's shape where it has one. The same ones in every run.

/** A generator of numbers in [0, 1) (mulberry32). */
export function chance(seed) {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const TEXTS = [
  'plain', 'Plaça 😀 ™', '\u0000', '\u0001\u001b[0m', 'a\r\nb\rc\n', '"\\/\b\f', '\u2028\u2029', '日本語 עברית',
  '\u200b\ufeff', 'e\u0301', '%00%0a', '{event:id}', '</script>', '\u007f', '👩‍👩‍👧‍👦', 'A'.repeat(3000), '',
];
const NUMBERS = ['0', '-0', '1.0', '1e400', '1E+2', '12345678901234567890', '9007199254740993', '-1.5e-300', '0.1'];
const BLANKS = ['', ' ', '\n', '\r\n', '\t', '  \r\n\t'];

function pick(random, list) {
  return list[Math.floor(random() * list.length)];
}

/** Escapes some characters as \uXXXX, as senders like to do. */
function quoted(random, text) {
  const json = JSON.stringify(text);
  if (random() < 0.7) return json;
  return json.replace(/[^\x20-\x7e]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

function value(random, depth) {
  const kind = random();
  const blank = () => pick(random, BLANKS);
  if (depth <= 0 || kind < 0.35) return quoted(random, pick(random, TEXTS));
  if (kind < 0.6) return pick(random, NUMBERS);
  if (kind < 0.7) return pick(random, ['true', 'false', 'null', '[]', '{}', '"\\ud800"']);
  const inner = Array.from({ length: 1 + Math.floor(random() * 3) }, () => value(random, depth - 1));
  if (kind < 0.85) return '[' + blank() + inner.join(',' + blank()) + blank() + ']';
  return '{' + inner.map((v, n) => `${blank()}"k${n}"${blank()}:${blank()}${v}`).join(',') + blank() + '}';
}

function nested(depth) {
  return '['.repeat(depth) + '1' + ']'.repeat(depth);
}

/** One JSON object with these fields first, in a spelling of its own. */
function object(random, fields, more) {
  const blank = () => pick(random, BLANKS);
  const known = Object.entries(fields).map(([k, v]) => `${JSON.stringify(k)}${blank()}:${blank()}${JSON.stringify(v)}`);
  return Buffer.from(`{${blank()}${[...known, `"more":${blank()}${more}`].join(`,${blank()}`)}${blank()}}${blank()}`);
}

/**
 * `count` bodies. fields(n): what the provider's events always have. anything: also such that are no JSON.
 * One has a megabyte; some are deep; with `empty` one has no byte at all.
 */
export function bodies(seed, count, fields, { anything = false, empty = false } = {}) {
  const random = chance(seed);
  const made = [];
  for (let n = 0; n < count; n++) {
    let more = value(random, 4);
    if (n === 3) more = nested(40);
    if (n === 4) more = JSON.stringify('x😀'.repeat(210000));
    let body = object(random, fields(n), more);
    if (anything && n % 10 === 7) {
      body = Buffer.from(pick(random, TEXTS.filter((t) => t)) + pick(random, BLANKS) + n);
    }
    if (empty && n === 5) body = Buffer.alloc(0);
    made.push(body);
  }
  return made;
}
