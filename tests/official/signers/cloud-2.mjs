// Documents, files, AI and the rest: DocuSign, Dropbox, Box, ElevenLabs, Deepgram, AssemblyAI, Retell, Vapi, Cursor,
// fal.ai, Hookdeck, Constant Contact, Dyte.
import { createSign, sign as signature } from 'node:crypto';

import { ED25519, RSA } from './_keys.mjs';
import { JSON_TYPE, digest, hmac } from './_tools.mjs';

const pinned = (pairs) => pairs.map((pair) => ({ secret: pair.pem, key: pair.private }));
const json = (headers) => ({ headers: { ...JSON_TYPE, ...headers } });
const base64url = (text) => Buffer.from(text).toString('base64url');
const sha = ({ sha: digits }) => digits;
const bySha = (id) => (facts) => `${id}.${facts.sha}`;

const CHALLENGE = 'zsBzMGF6OjLo-Tz_1';
const BOX_BODY = '{"type":"webhook_event","id":"0f0fbb6e","created_at":"2016-07-11T10:10:33-07:00","trigger":'
  + '"FILE.UPLOADED","webhook":{"id":"53"},"source":{"id":"73835521473","type":"file","name":"\\ud83d\\ude00"}}';

/** RFC 3339 in Box's spelling, with an offset. */
const boxTime = (t) => new Date((t - 7 * 3600) * 1000).toISOString().slice(0, 19) + '-07:00';
const box = (name) => ({ key, body, t, id }) => json({ 'box-delivery-id': id, 'box-delivery-timestamp': boxTime(t),
  'box-signature-version': '1', 'box-signature-algorithm': 'HmacSHA256', [`box-signature-${name}`]: hmac('sha256', key,
    'base64', body, boxTime(t)) });

const DOCUSIGN = (over = {}) => JSON.stringify({ event: 'envelope-sent', apiVersion: 'v2.1', retryCount: 0,
  generatedDateTime: '2026-06-28T15:02:11.4471203Z', data: { accountId: '8675', envelopeId: '3f9a2c1e' }, ...over });
const docusign = (...numbers) => ({ key, body }) => json(Object.fromEntries(numbers.map((n, i) => [
  `x-docusign-signature-${n}`, hmac('sha256', i ? 'another key' : key, 'base64', body)])));

const retell = ({ key, body, t }) => json({ 'x-retell-signature': `v=${t}000,d=${hmac('sha256', key, 'hex', body,
  `${t}000`)}` });

/** fal.ai's four lines. */
function fal({ key, body, t, id, user = 'user-1' }) {
  const text = `${id}\n${user}\n${t}\n${digest('sha256', 'hex', body)}`;
  return json({ 'x-fal-webhook-request-id': id, 'x-fal-webhook-user-id': user, 'x-fal-webhook-timestamp': String(t),
    'x-fal-webhook-signature': signature(null, Buffer.from(text), key).toString('hex') });
}

/** A detached JWS over the raw body. */
function detached({ key, body, t, head = { alg: 'RS256', ts: t, b64: false, crit: ['b64'] } }) {
  const protect = base64url(JSON.stringify(head));
  const mac = signature('sha256', Buffer.concat([Buffer.from(`${protect}.`), Buffer.from(body)]), key);
  return json({ 'x-ctct-webhook-sig': `${protect}..${mac.toString('base64url')}` });
}

const CTCT = '{"url":"https://api.cc.email/v3/partner/accounts/1/plan","event_type":"tier.increase","n":"\u00e9."}';

export const signers = [
  {
    recipe: 'docusign',
    cite: 'triggerdotdev/trigger.dev docusign: X-DocuSign-Signature-1 and so on, base64 HMAC-SHA256 of the body',
    secrets: ['docusign-key', 'docusign-key-2', 'wrong'],
    signature: 'header:x-docusign-signature-1',
    sign: docusign(1),
    samples: [
      { body: DOCUSIGN(), id: '3f9a2c1e.envelope-sent.2026-06-28T15:02:11.4471203Z', type: 'envelope-sent',
        at: '2026-06-28T15:02:11.447Z', object: '3f9a2c1e' },
      { body: DOCUSIGN({ event: 'recipient-sent', data: { envelopeId: '3f9a2c1e', recipientId: '2' } }),
        id: '3f9a2c1e.recipient-sent.2026-06-28T15:02:11.4471203Z.2', type: 'recipient-sent',
        at: '2026-06-28T15:02:11.447Z', object: '3f9a2c1e' },
      { body: '<?xml version="1.0"?><DocuSignEnvelopeInformation/>', id: sha },
    ],
    taken: [
      { name: 'sent again', request: ({ sign }) => sign(DOCUSIGN({ retryCount: 3 })) },
      { name: 'the second of two keys', request: (context) => ({ ...docusign(2, 1)({ ...context, body: DOCUSIGN() }),
        body: DOCUSIGN() }) },
    ],
  },
  {
    recipe: 'dropbox',
    cite: 'dropbox/mdwebhook app.py: X-Dropbox-Signature, hex HMAC-SHA256 of the body; the challenge is echoed',
    secrets: ['app-secret', 'app-secret-2', 'wrong'],
    signature: 'header:x-dropbox-signature',
    again: true,
    sign: ({ key, body }) => json({ 'x-dropbox-signature': hmac('sha256', key, 'hex', body) }),
    samples: [{ body: '{"list_folder": {"accounts": ["dbid:AAH4"]}, "delta": {"users": [12345678]}}', type: '',
      object: 'dbid:AAH4' }],
    hellos: [{ name: 'verification', request: () => ({ method: 'GET', query: `challenge=${CHALLENGE}` }), expect: {
      type: 'text/plain', body: CHALLENGE, headers: { 'X-Content-Type-Options': 'nosniff' } } }],
  },
  ...['primary', 'secondary'].map((name) => ({
    name: `box-${name}`,
    recipe: 'box',
    cite: 'npm box-node-sdk lib/managers/webhooks.js: HMAC-SHA256 of body and time, base64, ten minutes',
    secrets: ['SamplePrimaryKey', 'SampleSecondaryKey', 'wrong'],
    signature: `header:box-signature-${name}`,
    covers: ['body', 'header:box-delivery-timestamp'],
    tolerance: 600,
    sign: box(name),
    samples: [{ body: BOX_BODY, id: '0f0fbb6e', type: 'FILE.UPLOADED', at: '2016-07-11T17:10:33Z',
      object: '73835521473' }],
  })),
  {
    recipe: 'elevenlabs',
    cite: 'elevenlabs/elevenlabs-js wrapper/webhooks.js: constructEvent, half an hour',
    secrets: ['wsec_first', 'wsec_second', 'wsec_wrong'],
    signature: 'header:elevenlabs-signature',
    tolerance: 1800,
    sign: ({ key, body, t }) => json({ 'elevenlabs-signature':
      `t=${t},v0=${hmac('sha256', key, 'hex', `${t}.`, body)}` }),
    samples: [{ body: '{"type":"post_call_transcription","event_timestamp":1752562811,"data":{"agent_id":"xI",'
      + '"conversation_id":"conv_4f9b","transcript":[]}}', id: sha, type: 'post_call_transcription',
    at: '2025-07-15T07:00:11Z', object: 'conv_4f9b' }],
    refused: [{ name: 'another version', request: ({ key, t }) => ({ ...json({ 'elevenlabs-signature':
      `t=${t},v1=${hmac('sha256', key, 'hex', `${t}.{}`)}` }), body: '{}' }) }],
  },
  {
    recipe: 'deepgram',
    cite: 'hookdeck/webhook-skills deepgram: dg-token is the identifier of the API key; callback_method=put',
    secrets: ['0ea7d8c8-key-id', 'second-key-id', 'wrong-key-id'],
    signature: 'header:dg-token',
    covers: [],
    weak: 'token',
    sign: ({ key, method }) => ({ method, ...json({ 'dg-token': key }) }),
    samples: [
      { body: '{"metadata":{"request_id":"c22bea24","created":"2026-07-14T09:32:11.418Z"},"results":{"channels":[]}}',
        id: bySha('c22bea24'), at: '2026-07-14T09:32:11.418Z', object: 'c22bea24' },
      { method: 'PUT', body: '{"err_code":"Bad Request","request_id":"c22bea25"}', id: bySha('c22bea25'),
        object: 'c22bea25' },
    ],
  },
  ...[['assemblyai', 'x-webhook-secret', ''], ['assemblyai-bearer', 'authorization', 'Bearer ']].map(([name, header,
    prefix]) => ({
    name,
    recipe: 'assemblyai',
    cite: 'triggerdotdev/trigger.dev assemblyai: a header of your own choice comes back',
    secrets: ['assembly-secret', 'second-secret', 'wrong-secret'],
    signature: `header:${header}`,
    covers: [],
    weak: 'token',
    sign: ({ key }) => json({ [header]: prefix + key }),
    samples: [
      { body: '{"transcript_id":"5552493","status":"completed"}', id: bySha('5552493'), type: 'completed',
        object: '5552493' },
      { body: '{"redacted_audio_url":"https://s3/x","status":"redacted_audio_ready"}', id: sha,
        type: 'redacted_audio_ready', object: '' },
    ],
  })),
  {
    recipe: 'retell',
    cite: 'npm retell-sdk src/lib/webhook_auth.ts: v= milliseconds, d= HMAC-SHA256 of body and time, five minutes',
    secrets: ['key_first', 'key_second', 'key_wrong'],
    signature: 'header:x-retell-signature',
    tolerance: 300,
    anyCase: true,
    sign: retell,
    samples: [{ body: '{"event":"call_ended","call":{"call_id":"Jabr9TX","start_timestamp":1752562800000,'
      + '"end_timestamp":1752562842137}}', id: bySha('Jabr9TX.call_ended'), type: 'call_ended',
    at: 1752562842137, object: 'Jabr9TX' }],
  },
  {
    recipe: 'vapi',
    cite: 'triggerdotdev/trigger.dev vapi: hex HMAC-SHA256 of the body',
    secrets: ['vapi-secret', 'vapi-secret-2', 'wrong'],
    signature: 'header:x-vapi-signature',
    sign: ({ key, body }) => json({ 'x-vapi-signature': hmac('sha256', key, 'hex', body) }),
    samples: [{ body: '{"message":{"type":"status-update","status":"in-progress","timestamp":1783533600123,"call":'
      + '{"id":"call_29"}}}', id: sha, type: 'status-update', at: 1783533600123, object: 'call_29' }],
  },
  {
    recipe: 'cursor',
    cite: 'hookdeck/webhook-skills cursor: sha256= and hex HMAC-SHA256 of the body; X-Webhook-ID',
    secrets: ['cursor-secret', 'cursor-secret-2', 'wrong'],
    signature: 'header:x-webhook-signature',
    sign: ({ key, body, id }) => json({ 'x-webhook-id': id, 'x-webhook-event': 'statusChange',
      'x-webhook-signature': 'sha256=' + hmac('sha256', key, 'hex', body) }),
    samples: [{ body: '{"event":"statusChange","timestamp":"2024-01-15T10:30:00Z","id":"bc_abc123","status":"ERROR"}',
      id: ({ id }) => id, type: 'statusChange', at: '2024-01-15T10:30:00Z', object: 'bc_abc123' }],
  },
  {
    recipe: 'fal-ai',
    cite: 'Hookflo/tern src/verifiers/algorithms.ts: Ed25519 over request id, user id, time and digest, a line each',
    secrets: pinned(ED25519),
    signature: 'header:x-fal-webhook-signature',
    covers: ['body', 'header:x-fal-webhook-request-id', 'header:x-fal-webhook-user-id',
      'header:x-fal-webhook-timestamp'],
    tolerance: 300,
    sign: fal,
    samples: [{ body: '{"request_id":"123e4567","gateway_request_id":"123e4567","status":"OK","payload":{"seed":1}}',
      id: ({ id }) => id, type: 'OK', object: '123e4567' }],
  },
  {
    recipe: 'hookdeck',
    cite: 'hookdeck/webhook-skills hookdeck-event-gateway verification.md: base64 HMAC-SHA256 of the body',
    secrets: ['hookdeck-secret', 'hookdeck-secret-2', 'wrong'],
    signature: 'header:x-hookdeck-signature',
    sign: ({ key, body, id }) => json({ 'x-hookdeck-eventid': id, 'x-hookdeck-source-name': 'stripe-prod',
      'x-hookdeck-attempt-count': '1', 'x-hookdeck-signature': hmac('sha256', key, 'base64', body) }),
    samples: [{ body: '{"id":"evt_1"}\r\n', id: ({ id }) => id, type: 'stripe-prod' }, { body: '', id: ({ id }) => id,
      type: 'stripe-prod' }],
    taken: [{ name: 'the second of two signatures', request: ({ key, id }) => ({ ...json({ 'x-hookdeck-eventid': id,
      'x-hookdeck-signature': hmac('sha256', 'old', 'base64', '{}'), 'x-hookdeck-signature-2': hmac('sha256', key,
        'base64', '{}') }), body: '{}' }) }],
  },
  {
    recipe: 'constant-contact',
    cite: 'developer.constantcontact.com api_guide/webhook_authenticity: detached JWS, RS256, b64 false, ts',
    secrets: pinned(RSA),
    signature: 'header:x-ctct-webhook-sig',
    tolerance: 300,
    sign: detached,
    samples: [{ body: CTCT, id: ({ t, sha: digits }) => `${t}.${digits}`, type: 'tier.increase',
      at: ({ t }) => new Date(t * 1000) }],
    refused: [
      ['b64 without crit', { alg: 'RS256', b64: false }], ['a crit that is not known', { alg: 'RS256', b64: false,
        crit: ['b64', 'x'], x: 1 }], ['no time', { ts: undefined, alg: 'RS256', b64: false, crit: ['b64'] }],
      ['no algorithm', { alg: 'none', b64: false, crit: ['b64'] }],
    ].map(([name, head]) => ({ name, request: (context) => ({ ...detached({ ...context, body: CTCT,
      head: { ts: context.t, ...head } }), body: CTCT }) })),
  },
  {
    recipe: 'dyte',
    cite: 'docs.dyte.io guides/capabilities/webhooks/signatures: RSA-SHA256 of the body, base64',
    secrets: pinned(RSA),
    signature: 'header:dyte-signature',
    sign: ({ key, body, id }) => json({ 'dyte-webhook-id': id, 'dyte-signature': createSign('RSA-SHA256').update(body)
      .sign(key, 'base64') }),
    samples: [{ body: '{"event":"meeting.ended","meeting":{"id":"m1","sessionId":"s1","status":"ENDED"}}', id: sha,
      type: 'meeting.ended', object: 'm1' }],
  },
];
