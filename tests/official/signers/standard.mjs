// Standard Webhooks, Svix, and those who send by that scheme; the libraries of both sign here.
import { sign as signature } from 'node:crypto';

import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';

import { ED25519 } from './_keys.mjs';
import { JSON_TYPE } from './_tools.mjs';

const A = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const B = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const C = 'whsec_plJ3nmyCDGBKInavdOK15jsl9Oh8LnYa';
const at = '2022-11-03T20:26:10.344Z';
const fresh = ({ id }) => id;

/** A signer by a library. prefix: of the headers; headers: further ones; whole: the secret's text is the key. */
function by(Webhook, recipe, cite, samples, { prefix = 'webhook-', secrets = [A, B, C], whole = false, headers,
    ...more } = {}) {
  return {
    recipe,
    cite,
    secrets,
    signature: `header:${prefix}signature`,
    covers: ['body', `header:${prefix}id`, `header:${prefix}timestamp`],
    tolerance: 300,
    sign({ key, body, t, id, sample }) {
      const secret = whole ? Buffer.from(key).toString('base64') : key;
      return { headers: { ...JSON_TYPE, ...headers?.(sample), [prefix + 'id']: id, [prefix + 'timestamp']: String(t),
        [prefix + 'signature']: new Webhook(secret).sign(id, new Date(t * 1000), body) } };
    },
    samples: samples.map((sample) => ({ id: fresh, ...sample })),
    ...more,
  };
}

/** Parts of two header families in one request, and others' versions beside ours. */
const families = {
  taken: [
    { name: 'under the names of the other family', request: async ({ sign }) => renamed(await sign('{"type":"a"}'),
        () => true) },
    { name: 'a wrong signature and another version before it', request: async ({ sign }) => {
      const request = await sign('{"type":"a"}');
      const name = Object.keys(request.headers).find((header) => header.endsWith('signature'));
      request.headers[name] = `v1,${'A'.repeat(43)}= v1a,AAAA ${request.headers[name]}`;
      return request;
    } },
  ],
  refused: [
    { name: 'an id of the other family', request: async ({ sign }) => renamed(await sign('{"type":"a"}'), (name) =>
        /id$/.test(name)) },
    { name: 'a time of the other family',
      request: async ({ sign }) => renamed(await sign('{"type":"a"}'), (name) => /timestamp$/.test(name)) },
    { name: 'another version alone', request: async ({ sign }) => {
      const request = await sign('{"type":"a"}');
      const name = Object.keys(request.headers).find((header) => header.endsWith('signature'));
      request.headers[name] = request.headers[name].replace('v1,', 'v2,');
      return request;
    } },
  ],
};

function renamed(request, which) {
  const other = (name) => (name.startsWith('svix-') ? name.replace('svix-', 'webhook-') : name.replace('webhook-',
      'svix-'));
  request.headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) =>
      [which(name) ? other(name) : name, value]));
  return request;
}

const CONTACT = { body: `{"type":"contact.created","timestamp":"${at}","data":{"id":"1f81eb52","name":"J\\u00f6hn 😀"}}`,
  type: 'contact.created', at, object: '1f81eb52' };

export const signers = [
  by(StandardWebhook, 'standard-webhooks', 'standard-webhooks/standard-webhooks libraries/javascript', [
    CONTACT,
    { body: 'no JSON at all', type: '' },
  ], families),
  {
    recipe: 'standard-webhooks-ed25519',
    cite: 'standard-webhooks/standard-webhooks spec/standard-webhooks.md: v1a, Ed25519, keys whpk_ and base64',
    secrets: ED25519.map((pair) => ({ secret: 'whpk_' + pair.raw.toString('base64'), key: pair.private })),
    signature: 'header:webhook-signature',
    covers: ['body', 'header:webhook-id', 'header:webhook-timestamp'],
    tolerance: 300,
    sign: ({ key, body, t, id }) => ({ headers: { ...JSON_TYPE, 'webhook-id': id, 'webhook-timestamp': String(t),
      'webhook-signature': 'v1a,' + signature(null, Buffer.concat([Buffer.from(`${id}.${t}.`), body]),
          key).toString('base64') } }),
    samples: [{ ...CONTACT, id: fresh }],
  },
  by(SvixWebhook, 'svix', 'svix/svix-webhooks javascript', [
    CONTACT,
    { body: '{"type":"a.b","timestamp":1790000000123}', type: 'a.b', at: '2026-09-21T14:13:20.123Z' },
  ], { prefix: 'svix-', ...families }),
  by(SvixWebhook, 'clerk', 'clerk.com/docs/guides/development/webhooks/overview; svix library', [
    { body: '{"data":{"id":"user_29w83sxmDNGwOuEthce5gg56FcC","first_name":"Example"},"instance_id":"ins_1",'
      + '"object":"event",'
        + '"timestamp":1654012591514,"type":"user.created"}',
    type: 'user.created', at: '2022-05-31T15:56:31.514Z', object: 'user_29w83sxmDNGwOuEthce5gg56FcC' },
  ], { prefix: 'svix-' }),
  by(StandardWebhook, 'openai', 'openai/openai-node src/resources/webhooks; developers.openai.com guides/webhooks', [
    { body: '{"object":"event","id":"evt_685343a1381c819085d44c354e1b330e","type":"response.completed",'
      + '"created_at":1750287018,'
        + '"data":{"id":"resp_abc123"}}', type: 'response.completed', at: '2025-06-18T22:50:18Z',
        object: 'resp_abc123' },
  ]),
  by(StandardWebhook, 'replicate', 'replicate.com/docs/topics/webhooks/verify-webhook; replicate-javascript '
    + 'validateWebhook', [
    { body: '{"id":"ufawqhfynnddngldkgtslldrkq","status":"succeeded","created_at":"2022-04-26T22:13:06.224088Z",'
        + '"completed_at":"2022-04-26T22:13:07.224088Z","output":null}',
    type: 'succeeded', at: '2022-04-26T22:13:07.224Z', object: 'ufawqhfynnddngldkgtslldrkq' },
    { body: '{"id":"u2","status":"starting","created_at":"2022-04-26T22:13:06.224088Z","completed_at":null}',
      type: 'starting', at: '2022-04-26T22:13:06.224Z', object: 'u2' },
  ]),
  by(SvixWebhook, 'resend', 'resend.com/docs/webhooks; symfony Mailer/Bridge/Resend ResendRequestParser', [
    { body: '{"type":"email.bounced","created_at":"2024-11-22T23:41:12.126Z",'
      + '"data":{"email_id":"56761188-7520-42d8-8898-ff6fc54ce618",'
        + '"bounce":{"type":"Permanent"}}}', type: 'email.bounced', at: '2024-11-22T23:41:12.126Z',
    object: '56761188-7520-42d8-8898-ff6fc54ce618' },
  ], { prefix: 'svix-' }),
  by(StandardWebhook, 'recall-ai', 'docs.recall.ai authenticating-requests-from-recallai', [
    { body: '{"event":"bot.done","data":{"data":{"code":"done","sub_code":null,'
      + '"updated_at":"2024-12-03T01:38:24.123Z"},'
        + '"bot":{"id":"7b8f","metadata":{}}}}', type: 'bot.done', at: '2024-12-03T01:38:24.123Z', object: '7b8f' },
  ], { taken: families.taken.slice(0, 1) }),
  by(StandardWebhook, 'brex', 'developer.brex.com/docs/webhooks: secrets without a prefix,'
    + ' two signatures while one is rotated', [
    { body: '{"event_type":"TRANSFER_PROCESSED","transfer_id":"dpar_cl1k0c2mw","payment_type":"ACH",'
      + '"company_id":"cu_1"}',
      type: 'TRANSFER_PROCESSED', object: 'dpar_cl1k0c2mw' },
  ], { secrets: [A, B, C].map((secret) => secret.slice('whsec_'.length)) }),
  by(SvixWebhook, 'lithic', 'lithic-com/lithic-node src/resources/webhooks.ts', [
    { body: '{"event_type":"card_transaction.updated","token":"764fa5a3","created":"2023-06-08T12:00:00Z",'
      + '"status":"PENDING"}',
      type: 'card_transaction.updated', at: '2023-06-08T12:00:00Z', object: '764fa5a3' },
  ], { prefix: 'webhook-' }),
  by(StandardWebhook, 'dodo-payments', 'docs.dodopayments.com/developer-resources/webhooks', [
    { body: '{"business_id":"bus_1","type":"payment.succeeded","timestamp":"2024-08-05T06:22:59.546Z",'
        + '"data":{"payload_type":"Payment","payment_id":"pay_1"}}', type: 'payment.succeeded',
        at: '2024-08-05T06:22:59.546Z',
    object: 'pay_1' },
  ]),
  by(StandardWebhook, 'make', 'developers.make.com/event-subscription/implementation: receive-events,'
    + ' verify-signatures', [
    { body: '{\n  "type": "scenario.created",\n  "timestamp": "2026-06-09T12:00:00.000Z",\n  "version": 1,'
      + '\n  "data": {\n'
        + '    "scenario_id": 999,\n    "user_id": 42\n  }\n}', type: 'scenario.created', at: '2026-06-09T12:00:00Z',
        object: '999' },
  ], { headers: () => ({ 'webhook-topic': 'scenario.created' }) }),
  by(StandardWebhook, 'bigcommerce', 'bigcommerce/docs https-webhook-overview.mdx: the client secret,'
    + ' made base64 for the library', [
    { body: '{"producer":"stores/abcde","hash":"0f1b5800def7b505369b08b4a3503a1db2c4b1a6","created_at":1688588419,'
        + '"store_id":"1001197568","scope":"store/order/updated","data":{"type":"order","id":272}}',
    type: 'store/order/updated', at: '2023-07-05T20:20:19Z', object: 'order/272' },
  ], { secrets: ['a client secret, 1', '8dd32c61eb1f1b0f', 'a client secret, 3'], whole: true }),
  by(StandardWebhook, 'polar', 'polarsource/polar-js src/webhooks.ts validateEvent: the whole text is the key', [
    { body: '{"type":"order.paid","timestamp":"2026-01-01T00:00:00Z","data":{"id":"ord_1","status":"paid"}}',
        type: 'order.paid',
      at: '2026-01-01T00:00:00Z', object: 'ord_1' },
  ], { secrets: ['polar_whs_ZW5jb2RlZC1vci1ub3Q', 'older secret', 'polar_whs_ZW5jb2RlZC1vci1ub3Z'], whole: true }),
  by(StandardWebhook, 'gitlab', 'gitlab-org/gitlab merge requests 230944 and 231325', [
    { body: '{"object_kind":"merge_request","project":{"id":1},"object_attributes":{"id":99,'
      + '"updated_at":"2026-05-01T10:00:00Z"}}',
      type: 'Merge Request Hook', at: '2026-05-01T10:00:00Z', object: '1' },
  ], { secrets: [1, 2, 3].map((n) => 'whsec_' + Buffer.alloc(32, n).toString('base64')),
    headers: (sample) => ({ 'x-gitlab-event': sample?.type ?? 'Push Hook' }) }),
  {
    recipe: 'gitlab-token',
    cite: 'docs.gitlab.com user/project/integrations/webhooks: X-Gitlab-Token, Idempotency-Key, X-Gitlab-Event',
    secrets: ['a token of our own', 'second-token', 'a token of our owm'],
    signature: 'header:x-gitlab-token',
    covers: [],
    weak: 'token',
    sign: ({ key, id, sample }) => ({ headers: { ...JSON_TYPE, 'x-gitlab-token': key,
        'x-gitlab-event': sample?.type ?? 'Push Hook',
      ...(sample?.old ? { 'x-gitlab-event-uuid': id } : { 'idempotency-key': id }) } }),
    samples: [
      { body: '{"object_kind":"push","project":{"id":15},"total_commits_count":0}', id: fresh, type: 'Push Hook',
          object: '15' },
      { body: '{"object_kind":"push","project":{"id":16}}', old: true, id: ({ id, sha }) => `${id}.${sha}`,
          type: 'Push Hook', object: '16' },
    ],
  },
];
