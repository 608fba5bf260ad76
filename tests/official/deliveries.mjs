// Deliveries as a signer makes them; see signers/README.md.
import { createHash, randomUUID } from 'node:crypto';

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const secretOf = (entry) => (typeof entry === 'string' ? { secret: entry, key: entry } : entry);

/** The keys of a source's section for a signer. */
export function sourceOf(signer) {
  return {
    provider: signer.recipe,
    secret: signer.secrets.slice(0, 2).filter(Boolean).map((entry) => secretOf(entry).secret),
    guard: 'no',
    scope: 'source',
    ...(signer.url && { url: signer.url }),
    ...(signer.params && { param: Object.entries(signer.params).map(([name, value]) => `${name} ${value}`) }),
    ...signer.source,
  };
}

/** A request with all its parts. */
function whole(made, body) {
  return {
    method: made.method ?? 'POST',
    query: made.query ?? '',
    headers: Object.fromEntries(Object.entries(made.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
    body: Buffer.from(made.body ?? body ?? ''),
  };
}

/**
 * What a signer's functions are given. secret: number of the secret; ago: how old the time is, in seconds; url:
 * another one than the source's.
 */
export function fresh(signer, { site, secret = 0, ago = 0, url, method } = {}) {
  const target = '/hookonce.fcgi/' + (signer.name ?? signer.recipe);
  const context = {
    ...secretOf(signer.secrets[secret]),
    t: Math.floor(Date.now() / 1000) - ago,
    id: randomUUID(),
    url: url ?? signer.url ?? `http://127.0.0.1:${site.port}${target}`,
    target,
    params: signer.params ?? {},
    method: method ?? 'POST',
  };
  context.sign = async (body) => whole(await signer.sign({ ...context, body: Buffer.from(body) }), body);
  return context;
}

/** A signed delivery of a sample (default: the first) -> {request, facts}. */
export async function signedBy(signer, { sample = signer.samples[0], ...how }) {
  const context = fresh(signer, { ...how, method: sample.method });
  const body = Buffer.from(typeof sample.body === 'function' ? sample.body(context) : sample.body ?? '');
  const made = await signer.sign({ ...context, body, sample });
  const request = whole({ method: sample.method, ...made }, body);
  const { t, id } = context;
  return { request, facts: { t, id, sha: sha256(request.body), ...request } };
}
