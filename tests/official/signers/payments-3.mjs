// Payments: WeChat Pay to NMI. Vectors that a provider or its library has published are posted as they are.
import { createHmac, sign as signature } from 'node:crypto';

import { EC, ED25519, RSA } from './_keys.mjs';
import { JSON_TYPE, digest, hmac } from './_tools.mjs';

const json = (headers) => ({ headers: { ...JSON_TYPE, ...headers } });
const posted = (body, headers) => ({ ...json(headers), body });
const pinned = (pairs) => pairs.map((pair) => ({ secret: pair.pem, key: pair.private }));
const base64url = (value) => Buffer.from(value).toString('base64url');

// ---- WeChat Pay, Vipps, integrated.finance ------------------------------------------------------------------

const wechat = ({ key, body, t, id, prefix = '' }) => json({
  'wechatpay-timestamp': String(t), 'wechatpay-nonce': id,
    'wechatpay-serial': 'PUB_KEY_ID_0114232134912410000000000000',
  'wechatpay-signature-type': 'WECHATPAY2-SHA256-RSA2048',
  'wechatpay-signature': prefix + signature('RSA-SHA256', `${t}\n${id}\n${body}\n`, key).toString('base64') });

function vipps({ key, body, t, url, target, sample, host = new URL(url).host, signs = host }) {
  const date = new Date(t * 1000).toUTCString();
  const content = digest('sha256', 'base64', body);
  const query = sample?.query ?? '';
  const text = `POST\n${target}${query && '?' + query}\n${date};${signs};${content}`;
  const mac = hmac('sha256', key, 'base64', text);
  return { query, ...json({ host, 'x-ms-date': date, 'x-ms-content-sha256': content,
    authorization: `HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature=${mac}` }) };
}

function integrated({ key, body, t, id }) {
  const headers = { 'x-webhook-event-id': id, 'x-webhook-event-timestamp': '2026-09-21T12:00:00.000Z',
    'x-webhook-request-id': 'r-' + id, 'x-webhook-request-timestamp': new Date(t * 1000).toISOString(),
    'x-webhook-key-version': '1' };
  const content = digest('sha512', 'base64', body);
  const text = [content, ...Object.values(headers)].join('|');
  return json({ ...headers, 'x-webhook-content-digest': content,
    'x-webhook-signature': signature(null, Buffer.from(text), key).toString('base64') });
}

// ---- Fireblocks, Plaid --------------------------------------------------------------------------------------

function jws({ key, body, head = { alg: 'RS512', kid: 'key-1' }, hash = 'RSA-SHA512' }) {
  const signing = `${base64url(JSON.stringify(head))}.${base64url(body)}`;
  const mac = hash ? signature(hash, Buffer.from(signing), key).toString('base64url') : '';
  return json({ 'fireblocks-webhook-signature': `${signing.split('.')[0]}..${mac}` });
}

const plaidClaims = (body, t) => ({ iat: t, request_body_sha256: digest('sha256', 'hex', body) });

function plaid({ key, body, t, head = { alg: 'ES256', kid: 'bfbd5111-8e33-4643-8ced-b2e642a72f3c', typ: 'JWT' },
  claims = plaidClaims(body, t) }) {
  const signing = `${base64url(JSON.stringify(head))}.${base64url(JSON.stringify(claims))}`;
  const mac = signature('SHA256', Buffer.from(signing), { key, dsaEncoding: 'ieee-p1363' });
  return json({ 'plaid-verification': `${signing}.${mac.toString('base64url')}` });
}

const FIREBLOCKS = ['fireblocks', 'fireblocks-eu', 'fireblocks-eu2', 'fireblocks-sandbox'].map((recipe) => ({
  recipe,
  cite: 'developers.fireblocks.com/reference/validating-webhooks: a detached JWS, RS512, over the body',
  secrets: pinned(RSA),
  signature: 'header:fireblocks-webhook-signature',
  sign: jws,
  samples: [{
    body: '{"id":"b1a6f2f0-5a8a-4f0e-9e50-3b5a0f6f3e11","eventType":"transaction.status.updated","eventVersion":1,'
      + '"resourceId":"1f8b4f5e","data":{"id":"1f8b4f5e","status":"COMPLETED"},"createdAt":1717683600000,'
      + '"workspaceId":"w"}',
    id: 'b1a6f2f0-5a8a-4f0e-9e50-3b5a0f6f3e11', type: 'transaction.status.updated', at: 1717683600000,
      object: '1f8b4f5e',
  }],
  refused: [
    { name: 'another algorithm', request: (context) => {
      const body = Buffer.from('{"id":"1"}');
      return { ...jws({ ...context, body, head: { alg: 'RS256', kid: 'key-1' }, hash: 'RSA-SHA256' }), body };
    } },
    { name: 'no algorithm', request: (context) => {
      const body = Buffer.from('{"id":"2"}');
      return { ...jws({ ...context, body, head: { alg: 'none' }, hash: null }), body };
    } },
    { name: 'the public key as a shared secret', request: () => {
      const head = base64url('{"alg":"HS512"}');
      const mac = createHmac('sha512', RSA[0].pem).update(`${head}.${base64url('{"id":"3"}')}`).digest('base64url');
      return posted('{"id":"3"}', { 'fireblocks-webhook-signature': `${head}..${mac}` });
    } },
  ],
}));

const WISE_PEM = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwpb91cEYuyJNQepZAVfP
ZIlPZfNUefH+n6w9SW3fykqKu938cR7WadQv87oF2VuT+fDt7kqeRziTmPSUhqPU
ys/V2Q1rlfJuXbE+Gga37t7zwd0egQ+KyOEHQOpcTwKmtZ81ieGHynAQzsn1We3j
wt760MsCPJ7GMT141ByQM+yW1Bx+4SG3IGjXWyqOWrcXsxAvIXkpUD/jK/L958Cg
nZEgz0BSEh0QxYLITnW1lLokSx/dTianWPFEhMC9BgijempgNXHNfcVirg1lPSyg
z7KqoKUN0oHqWLr2U1A+7kqrl6O2nx3CKs1bj1hToT1+p4kcMoHXA7kA+VBLUpEs
VwIDAQAB
-----END PUBLIC KEY-----
`;

const wise = ({ key, body, id }) => json({ 'x-delivery-id': id,
  'x-signature-sha256': signature('RSA-SHA256', body, key).toString('base64') });

export const signers = [
  {
    recipe: 'wechat-pay',
    cite: 'wechatpay-apiv3/wechatpay-php README, Formatter.php: RSA-SHA256 over time, nonce and body, each with a '
      + 'line end',
    secrets: pinned(RSA),
    signature: 'header:wechatpay-signature',
    covers: ['body', 'header:wechatpay-timestamp', 'header:wechatpay-nonce'],
    tolerance: 300,
    sign: wechat,
    samples: [{
      body: '{"id":"EV-2018022511223320873","create_time":"2015-05-20T13:29:35+08:00",'
        + '"resource_type":"encrypt-resource","event_type":"TRANSACTION.SUCCESS","summary":"支付成功",'
        + '"resource":{"algorithm":"AEAD_AES_256_GCM","ciphertext":"...","nonce":"","associated_data":""}}',
      id: 'EV-2018022511223320873', type: 'TRANSACTION.SUCCESS', at: '2015-05-20T05:29:35Z',
    }],
    refused: [{ name: 'a probe', request: (context) => {
      const body = Buffer.from('{"id":"EV-1"}');
      return { ...wechat({ ...context, body, prefix: 'WECHATPAY/SIGNTEST/' }), body };
    } }],
  },
  {
    recipe: 'wise',
    cite: 'docs.wise.com event handling; transferwise/digital-signatures-examples: RSA-SHA256 in base64 of the body',
    secrets: pinned(RSA),
    source: { secret: [RSA[0].pem, RSA[1].pem, WISE_PEM] },
    signature: 'header:x-signature-sha256',
    sign: wise,
    samples: [{
      body: '{"data":{"resource":{"id":111,"profile_id":222,"account_id":333,"type":"transfer"},'
        + '"current_state":"processing","previous_state":"incoming_payment_waiting",'
        + '"occurred_at":"2020-01-01T12:34:56Z"},"subscription_id":"01234567-89ab-cdef-0123-456789abcdef",'
        + '"event_type":"transfers#state-change","schema_version":"2.0.0","sent_at":"2020-01-01T12:34:56Z"}',
      id: ({ id }) => id, type: 'transfers#state-change', at: '2020-01-01T12:34:56Z', object: 'transfer:111',
    }],
    taken: [{ name: 'verify-webhook-signature of the examples', request: () => posted(
      '{"data":{"resource":{"id":49983981,"profile_id":16055450,"account_id":14124090,"type":"transfer"},'
        + '"current_state":"incoming_payment_waiting","previous_state":null,"occurred_at":"2021-08-23T10:12:50Z"},'
        + '"subscription_id":"90aa8e14-4ef1-4a56-861c-f3c9cde097ea","event_type":"transfers#state-change",'
        + '"schema_version":"2.0.0","sent_at":"2021-08-23T10:12:50Z"}', { 'x-signature-sha256':
        'wKcKCYXAzxNgiu7xmoDm943NUni7Rz33QN8JkEA9dWSGebgndonabgSj18Y4C08OrwVmueGsED2s00M7DtJVcYKOS1i3G4TM'
        + 'Vx+mgM3aL9djMBkQtiYNBFUd6wrPI7ZUNHv/TrlKSjTMc+6JFvUvJ7owY3z85e3I4jLRLJowMFvO8kvCJ60+1pY9wDwZvtZ/'
        + '/WS93LrwGjk9Dvwzpmu0w+P4J75tETT5qC3Uv0y5G2yO8SEoO3yNP/tg/BOli02niHb53vEOUWUb9bly6thnfMoXoiV/osoG'
        + 'xgF20R58RlvkAmezyyl1Sv542TfS2DpiwVnmjjjkCyXeSUcKookYLQ==' }) }],
    hellos: [{ name: 'the test request', request: async ({ sign }) => {
      const request = await sign('{"data":{"resource":{"id":0}},"event_type":"transfers#state-change"}');
      return { ...request, headers: { ...request.headers, 'x-test-notification': 'true' } };
    }, expect: { status: 200, body: '' } }],
    refused: [{ name: 'a test request without a signature', request: () => posted('{}',
      { 'x-test-notification': 'true' }) }],
  },
  ...FIREBLOCKS,
  {
    recipe: 'fireblocks-v1',
    cite: 'developers.fireblocks.com/reference/verify-requests: RSA-SHA512 in base64 of the body',
    secrets: pinned(RSA),
    signature: 'header:fireblocks-signature',
    sign: ({ key, body }) => json({ 'fireblocks-signature': signature('RSA-SHA512', body, key).toString('base64') }),
    samples: [{
      body: '{"type":"TRANSACTION_STATUS_UPDATED","tenantId":"t","timestamp":1680014718734,"data":{"id":"a5d2",'
        + '"status":"COMPLETED"}}',
      id: ({ sha }) => sha, type: 'TRANSACTION_STATUS_UPDATED', at: 1680014718734, object: 'a5d2',
    }],
  },
  {
    recipe: 'btcpay',
    cite: 'btcpayserver/btcpayserver-greenfield-php src/Client/Webhook.php: sha256= and hex HMAC-SHA256 of the body',
    secrets: ['5TjrCfkTgfjY4rJj85bTJj', 'another-secret', 'no-such-secret'],
    signature: 'header:btcpay-sig',
    sign: ({ key, body }) => json({ 'btcpay-sig': 'sha256=' + hmac('sha256', key, 'hex', body) }),
    samples: [{
      body: '{\n  "deliveryId": "PENf2czGBzTepjzSJdt6Nz",\n  "webhookId": "6KQ4EmzqKowRgyBL65TwJg",\n  '
        + '"originalDeliveryId": "PENf2czGBzTepjzSJdt6Nz",\n  "isRedelivery": false,\n  "type": "InvoiceProcessing",'
        + '\n  "timestamp": 1623954207,\n  "storeId": "Hf9GvFK2dHJehm9J8A6kYfbc1ruc5jEZBKEr9r7jsrLo",\n  '
        + '"invoiceId": "7TW"\n}',
      id: 'PENf2czGBzTepjzSJdt6Nz', type: 'InvoiceProcessing', at: 1623954207000, object: '7TW',
    }],
    taken: [{ name: 'a redelivery', request: ({ sign }) => sign('{"deliveryId":"another",'
      + '"originalDeliveryId":"PENf2czGBzTepjzSJdt6Nz","isRedelivery":true,"type":"InvoiceProcessing",'
      + '"timestamp":1623954207,"storeId":"Hf9GvFK2dHJehm9J8A6kYfbc1ruc5jEZBKEr9r7jsrLo","invoiceId":"7TW"}') }],
  },
  {
    recipe: 'plaid',
    cite: 'plaid.com/docs/api/webhooks/webhook-verification: an ES256 JWT with iat and request_body_sha256',
    secrets: pinned(EC),
    signature: 'header:plaid-verification',
    tolerance: 300,
    sign: plaid,
    samples: [{
      body: '{\n  "webhook_type": "TRANSACTIONS",\n  "webhook_code": "SYNC_UPDATES_AVAILABLE",\n  "item_id": '
        + '"wz666MBjYWTp2PDzzggYhM6oWWmBb"\n}',
      id: ({ t, sha }) => `${t}.${sha}`, type: 'TRANSACTIONS.SYNC_UPDATES_AVAILABLE', at: ({ t }) => t * 1000,
      object: 'wz666MBjYWTp2PDzzggYhM6oWWmBb',
    }],
    refused: [
      ['a token without the digest', (t) => ({ claims: { iat: t } })],
      ['a token without the time', () => ({ claims: { request_body_sha256: digest('sha256', 'hex', '{}') } })],
      ['an algorithm that is not ES256', (t) => ({ claims: plaidClaims('{}', t), head: { alg: 'ES384' } })],
      ['no algorithm', (t) => ({ claims: plaidClaims('{}', t), head: { alg: 'none' } })],
    ].map(([name, made]) => ({ name, request: (context) => ({ ...plaid({ ...context, body: '{}',
      ...made(context.t) }), body: '{}' }) })),
  },
  {
    recipe: 'modern-treasury',
    cite: 'Modern-Treasury/modern-treasury-node src/resources/webhooks.ts: X-Signature, hex HMAC-SHA256 of the body',
    secrets: ['My Webhook Key', 'another-key', 'no-such-key'],
    signature: 'header:x-signature',
    sign: ({ key, body, id }) => json({ 'x-signature': hmac('sha256', key, 'hex', body), 'x-webhook-id': id,
      'x-topic': 'payment_order' }),
    samples: [{
      body: '{"event":"created","data":{"id":"f0d5b9c8","object":"payment_order","amount":500,'
        + '"updated_at":"2020-08-04T16:54:32Z"}}',
      id: ({ id, sha }) => `${id}.${sha}`, type: 'payment_order.created', at: '2020-08-04T16:54:32Z',
        object: 'payment_order:f0d5b9c8',
    }],
  },
  {
    recipe: 'vipps-mobilepay',
    cite: 'developer.vippsmobilepay.com webhooks-api/request-authentication: HMAC-SHA256 over method, path, date, '
      + 'host, digest',
    secrets: ['A0+AeZi2Dpm7tdJZr6zCBW5nBgUoDWJqZVc7/ZRp', '090a478d-37ff-4e77-970e', 'no-such-secret'],
    signature: 'header:authorization',
    covers: ['body', 'header:x-ms-date', 'header:x-ms-content-sha256'],
    sign: vipps,
    samples: ['', 'shop=1&x=%2F'].map((query, n) => ({
      query,
      body: `{"msn":"123456","reference":"24ab7cd6ef658155992","pspReference":"1234567${n}","name":"AUTHORIZED",`
        + '"amount":'
        + '{"currency":"NOK","value":35000},"timestamp":"2023-08-14T12:48:46.260Z","idempotencyKey":"49ca711a",'
          + '"success":true}',
      id: `1234567${n}-AUTHORIZED`, type: 'AUTHORIZED', at: '2023-08-14T12:48:46.26Z', object: '24ab7cd6ef658155992',
    })),
    refused: [{ name: 'signed for another host', request: (context) => ({
      ...vipps({ ...context, body: '{}', signs: 'evil.example' }), body: '{}' }) }],
  },
  {
    recipe: 'integrated-finance',
    cite: 'developer.integrated.finance/docs/webhook-authentication: Ed25519 over SHA-512 of the body and five headers',
    secrets: pinned(ED25519),
    signature: 'header:x-webhook-signature',
    covers: ['body', ...['event-id', 'event-timestamp', 'request-id', 'request-timestamp',
      'key-version'].map((name) => (
      `header:x-webhook-${name}`))],
    tolerance: 300,
    sign: integrated,
    samples: [{ body: '{"type":"TRANSACTION","transactionId":"t-1"}', id: ({ id }) => id, type: 'TRANSACTION',
      at: '2026-09-21T12:00:00Z' }],
  },
  {
    recipe: 'nmi',
    cite: 'hookdeck/webhook-skills skills/nmi-webhooks: t=nonce,s=hex, HMAC-SHA256 over nonce.body',
    secrets: ['nmi-signing-key', 'another-signing-key', 'no-such-key'],
    signature: 'header:webhook-signature',
    sign: ({ key, body, id }) =>
      json({ 'webhook-signature': `t=${id},s=${hmac('sha256', key, 'hex', `${id}.`, body)}` }),
    samples: [{
      body: '{"event_id":"11111111-2222-3333-4444-555555555555","event_type":"transaction.sale.success",'
        + '"event_body":{"merchant":{"id":"1234","name":"Test"},"transaction_id":"7200006410"}}',
      id: ({ sha }) => `11111111-2222-3333-4444-555555555555.${sha}`, type: 'transaction.sale.success',
        object: '7200006410',
    }],
  },
  {
    recipe: 'nmi-applications',
    cite: "docs.nmi.com/reference/webhook-events-2: hash_hmac('sha256', event, secret) in the Signature header",
    secrets: ['subscription-secret', 'another-secret', 'no-such-secret'],
    signature: 'header:signature',
    sign: ({ key, body }) => json({ signature: hmac('sha256', key, 'hex', body) }),
    samples: [{ body: '{"event_id":"e-1","event_type":"application.updated"}', id: ({ sha }) => `e-1.${sha}`,
      type: 'application.updated' }],
  },
];
