// Standard Webhooks, Svix, and those who send by that scheme; the libraries of both sign here.
import { sign as signature } from 'node:crypto';

import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';

import { ED25519 } from './_keys.mjs';
import { JSON_TYPE } from './_tools.mjs';

const SECRETS = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
  'whsec_plJ3nmyCDGBKInavdOK15jsl9Oh8LnYa'];
const idOf = ({ id }) => id;

/** Standard Webhooks signed by `mac(key, id, t, body)`. prefix: of the headers; headers: further ones. */
function signer(recipe, cite, samples, { mac, prefix = 'webhook-', headers = () => ({}), ...more }) {
  return {
    recipe,
    cite,
    secrets: SECRETS,
    signature: `header:${prefix}signature`,
    covers: ['body', `header:${prefix}id`, `header:${prefix}timestamp`],
    tolerance: 300,
    sign: ({ key, body, t, id, sample }) => ({ headers: { ...JSON_TYPE, ...headers(sample), [prefix + 'id']: id,
      [prefix + 'timestamp']: String(t), [prefix + 'signature']: mac(key, id, t, body) } }),
    samples: samples.map((sample) => ({ id: idOf, ...sample })),
    ...more,
  };
}

const byLibrary = (Webhook) => (key, id, t, body) => new Webhook(key).sign(id, new Date(t * 1000), body);
const standard = (recipe, cite, samples, more) => (
  signer(recipe, cite, samples, { mac: byLibrary(StandardWebhook), ...more }));
const svix = (recipe, cite, samples, more) => (
  signer(recipe, cite, samples, { mac: byLibrary(SvixWebhook), prefix: 'svix-', ...more }));

/** The key is the whole text of the secret, which the library wants in base64. */
const byText = (key, ...rest) => byLibrary(StandardWebhook)(Buffer.from(key).toString('base64'), ...rest);

const byPublicKey = (key, id, t, body) => (
  'v1a,' + signature(null, Buffer.concat([Buffer.from(`${id}.${t}.`), body]), key).toString('base64'));

// ---- parts of two header families in one request, and other versions beside ours ------------------------------

function renamed(which) {
  const other = (name) => (name.startsWith('svix-') ? 'webhook-' + name.slice(5) : name.replace('webhook-', 'svix-'));
  return async ({ sign }) => {
    const request = await sign('{"type":"a"}');
    const headers = Object.entries(request.headers).map(([name, value]) => [which(name) ? other(name) : name, value]);
    return { ...request, headers: Object.fromEntries(headers) };
  };
}

function signedOtherwise(change) {
  return async ({ sign }) => {
    const request = await sign('{"type":"a"}');
    const name = Object.keys(request.headers).find((header) => header.endsWith('signature'));
    request.headers[name] = change(request.headers[name]);
    return request;
  };
}

const otherFamily = { name: 'under the names of the other family', request: renamed(() => true) };
const families = {
  taken: [
    otherFamily,
    { name: 'a wrong signature and another version before it',
      request: signedOtherwise((value) => `v1,${'A'.repeat(43)}= v1a,AAAA ${value}`) },
  ],
  refused: [
    { name: 'an id of the other family', request: renamed((name) => name.endsWith('-id')) },
    { name: 'a time of the other family', request: renamed((name) => name.endsWith('-timestamp')) },
    { name: 'another version alone', request: signedOtherwise((value) => value.replace('v1,', 'v2,')) },
  ],
};

// ------------------------------------------------------------------------------------------------------------------

const CONTACT = {
  body: '{"type":"contact.created","timestamp":"2022-11-03T20:26:10.344Z","data":{"id":"1f81eb52","name":"J\\u00f6😀"}}',
  type: 'contact.created', at: '2022-11-03T20:26:10.344Z', object: '1f81eb52' };

export const signers = [
  standard('standard-webhooks', 'standard-webhooks/standard-webhooks libraries/javascript', [
    CONTACT,
    { body: 'no JSON at all', type: '' },
  ], families),
  signer('standard-webhooks-ed25519', 'standard-webhooks/standard-webhooks spec/standard-webhooks.md: v1a, whpk_', [
    CONTACT,
  ], { mac: byPublicKey,
    secrets: ED25519.map((pair) => ({ secret: 'whpk_' + pair.raw.toString('base64'), key: pair.private })) }),
  svix('svix', 'svix/svix-webhooks javascript', [
    CONTACT,
    { body: '{"type":"a.b","timestamp":1790000000123}', type: 'a.b', at: '2026-09-21T14:13:20.123Z' },
  ], families),
  svix('clerk', 'clerk.com/docs/guides/development/webhooks/overview', [
    { body: '{"data":{"id":"user_29w83sxmDNGwOuEthce5gg56FcC","first_name":"Example"},"instance_id":"ins_1",'
        + '"object":"event","timestamp":1654012591514,"type":"user.created"}',
      type: 'user.created', at: '2022-05-31T15:56:31.514Z', object: 'user_29w83sxmDNGwOuEthce5gg56FcC' },
  ]),
  standard('openai', 'openai/openai-node src/resources/webhooks; developers.openai.com guides/webhooks', [
    { body: '{"object":"event","id":"evt_685343a1381c","type":"response.completed","created_at":1750287018,'
        + '"data":{"id":"resp_abc123"}}',
      type: 'response.completed', at: '2025-06-18T22:50:18Z', object: 'resp_abc123' },
  ]),
  standard('replicate', 'replicate.com/docs/topics/webhooks/verify-webhook; replicate-javascript validateWebhook', [
    { body: '{"id":"ufawqhfynnddngldkgtslldrkq","status":"succeeded","created_at":"2022-04-26T22:13:06.224088Z",'
        + '"completed_at":"2022-04-26T22:13:07.224088Z","output":null}',
      type: 'succeeded', at: '2022-04-26T22:13:07.224Z', object: 'ufawqhfynnddngldkgtslldrkq' },
    { body: '{"id":"u2","status":"starting","created_at":"2022-04-26T22:13:06.224088Z","completed_at":null}',
      type: 'starting', at: '2022-04-26T22:13:06.224Z', object: 'u2' },
  ]),
  svix('resend', 'resend.com/docs/webhooks; symfony Mailer/Bridge/Resend ResendRequestParser', [
    { body: '{"type":"email.bounced","created_at":"2024-11-22T23:41:12.126Z",'
        + '"data":{"email_id":"56761188-7520-42d8-8898-ff6fc54ce618","bounce":{"type":"Permanent"}}}',
      type: 'email.bounced', at: '2024-11-22T23:41:12.126Z', object: '56761188-7520-42d8-8898-ff6fc54ce618' },
  ]),
  standard('recall-ai', 'docs.recall.ai authenticating-requests-from-recallai', [
    { body: '{"event":"bot.done","data":{"data":{"code":"done","updated_at":"2024-12-03T01:38:24.123Z"},'
        + '"bot":{"id":"7b8f","metadata":{}}}}',
      type: 'bot.done', at: '2024-12-03T01:38:24.123Z', object: '7b8f' },
  ], { taken: [otherFamily] }),
  standard('brex', 'developer.brex.com/docs/webhooks: secrets have no prefix', [
    { body: '{"event_type":"TRANSFER_PROCESSED","transfer_id":"dpar_cl1k0c2mw","company_id":"cu_1"}',
      type: 'TRANSFER_PROCESSED', object: 'dpar_cl1k0c2mw' },
  ], { secrets: SECRETS.map((secret) => secret.slice('whsec_'.length)) }),
  svix('lithic', 'lithic-com/lithic-node src/resources/webhooks.ts', [
    { body: '{"event_type":"card_transaction.updated","token":"764fa5a3","created":"2023-06-08T12:00:00Z"}',
      type: 'card_transaction.updated', at: '2023-06-08T12:00:00Z', object: '764fa5a3' },
  ], { prefix: 'webhook-' }),
  standard('dodo-payments', 'docs.dodopayments.com/developer-resources/webhooks', [
    { body: '{"business_id":"bus_1","type":"payment.succeeded","timestamp":"2024-08-05T06:22:59.546Z",'
        + '"data":{"payload_type":"Payment","payment_id":"pay_1"}}',
      type: 'payment.succeeded', at: '2024-08-05T06:22:59.546Z', object: 'pay_1' },
  ]),
  standard('make', 'developers.make.com/event-subscription/implementation: receive-events, verify-signatures', [
    { body: '{\n  "type": "scenario.created",\n  "timestamp": "2026-06-09T12:00:00.000Z",\n  "version": 1,\n'
        + '  "data": {\n    "scenario_id": 999,\n    "user_id": 42\n  }\n}',
      type: 'scenario.created', at: '2026-06-09T12:00:00Z', object: '999' },
  ], { headers: () => ({ 'webhook-topic': 'scenario.created' }) }),
  standard('bigcommerce', 'bigcommerce/docs https-webhook-overview.mdx: the text of the client secret is the key', [
    { body: '{"producer":"stores/abcde","hash":"0f1b5800def7b505369b08b4a3503a1db2c4b1a6","created_at":1688588419,'
        + '"store_id":"1001197568","scope":"store/order/updated","data":{"type":"order","id":272}}',
      type: 'store/order/updated', at: '2023-07-05T20:20:19Z', object: 'order/272' },
  ], { mac: byText, secrets: ['a client secret, 1', '8dd32c61eb1f1b0f', 'a client secret, 3'] }),
  standard('polar', 'polarsource/polar-js src/webhooks.ts validateEvent: the whole text is the key', [
    { body: '{"type":"order.paid","timestamp":"2026-01-01T00:00:00Z","data":{"id":"ord_1","status":"paid"}}',
      type: 'order.paid', at: '2026-01-01T00:00:00Z', object: 'ord_1' },
  ], { mac: byText, secrets: ['polar_whs_ZW5jb2RlZC1vci1ub3Q', 'older secret', 'polar_whs_ZW5jb2RlZC1vci1ub3Z'] }),
  standard('gitlab', 'gitlab-org/gitlab merge requests 230944 and 231325', [
    { body: '{"object_kind":"merge_request","project":{"id":1},'
        + '"object_attributes":{"id":99,"updated_at":"2026-05-01T10:00:00Z"}}',
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
    sign: ({ key, id, sample }) => ({ headers: { ...JSON_TYPE, 'x-gitlab-token': key, 'x-gitlab-event': 'Push Hook',
      [sample?.old ? 'x-gitlab-event-uuid' : 'idempotency-key']: id } }),
    samples: [
      { body: '{"object_kind":"push","project":{"id":15},"commits":[]}', id: idOf, type: 'Push Hook', object: '15' },
      { body: '{"object_kind":"push","project":{"id":16}}', old: true, id: ({ id, sha }) => `${id}.${sha}`,
        type: 'Push Hook', object: '16' },
    ],
  },
];
