// Shops, forms, mailing lists: HighLevel, Ecwid, Squarespace, EasyPost, Patreon, Oracle Commerce, Fourthwall, eBay,
// Adobe Sign, Attio, Mailchimp, Acuity, Formstack, Wufoo, SurveyMonkey, Help Scout, Customer.io, Klaviyo, Onfleet.
import { createSign, sign as signature } from 'node:crypto';

import { EC, ED25519, RSA } from './_keys.mjs';
import { FORM_TYPE, JSON_TYPE, digest, form, hmac } from './_tools.mjs';

/** An HMAC of the body in one header. */
const ofBody = (header, algorithm, enc, prefix = '') => ({ key, body }) => ({
  headers: { ...JSON_TYPE, [header]: prefix + hmac(algorithm, key, enc, body) } });

const sha = (facts) => facts.sha;
const bySha = (id) => (facts) => `${id}.${facts.sha}`;
const HEX_SECRETS = ['00ff10a5c3d2e1f0aabbccddeeff0011', '8899aabbccddeeff0011223344556677', 'f'.repeat(32)]
  .map((secret) => ({ secret, key: Buffer.from(secret, 'hex') }));
const BASE64_SECRETS = ['bWFjLXNlY3JldC0x/w==', 'bWFjLXNlY3JldC0y+w==', 'bWFjLXNlY3JldC0z/g==']
  .map((secret) => ({ secret, key: Buffer.from(secret, 'base64') }));

const EASYPOST_BODY = '{"result":{"id":"batch_123...","object":"Batch","mode":"test","state":"created",'
  + '"num_shipments":0,"reference":null,"created_at":"2022-07-26T17:22:32Z","updated_at":"2022-07-26T17:22:32Z",'
  + '"scan_form":null,"shipments":[],"status":{"created":0,"queued_for_purchase":0,"creation_failed":0,'
  + '"postage_purchased":0,"postage_purchase_failed":0},"pickup":null,"label_url":null},'
  + '"description":"batch.created","mode":"test","previous_attributes":null,"completed_urls":null,'
  + '"user_id":"user_123...","status":"pending","object":"Event","id":"evt_123..."}';

// What eBay's own library is tested with.
const EBAY_BODY = '{"metadata":{"topic":"MARKETPLACE_ACCOUNT_DELETION","schemaVersion":"1.0","deprecated":false},'
  + '"notification":{"notificationId":"49feeaeb-4982-42d9-a377-9645b8479411_33f7e043-fed8-442b-9d44-791923bd9a6d",'
  + '"eventDate":"2021-03-19T20:43:59.462Z","publishDate":"2021-03-19T20:43:59.679Z","publishAttemptCount":1,"data":'
  + '{"username":"test_user","userId":"ma8vp1jySJC",'
  + '"eiasToken":"nY+sHZ2PrBmdj6wVnY+sEZ2PrA2dj6wJnY+gAZGEpwmdj6x9nY+seQ=="}}}';
const EBAY_SIGNATURE = 'eyJhbGciOiJlY2RzYSIsImtpZCI6Ijk5MzYyNjFhLTdkN2ItNDYyMS1hMGYxLTk2Y2NiNDI4YWY0OSIsInNpZ25hdHVyZ'
  + 'SI6Ik1FWUNJUUNmeGZJV3V4bVdjSUJRSjljNS9YN2lHREpxczJSQ0dzQkVhQWppbnlycmZBSWhBSVY2d0djVGlCdVY1S0pVaWYyaG9reXJMK1E5'
  + 'c3NIa2FkK214Mm5FRTI1dyIsImRpZ2VzdCI6IlNIQTEifQ==';
const EBAY_KEY = '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEZhhxXKtR+TOvtDbgTPCkSof02qgBB7IsYO'
  + 'yf76ilExJ/upAa/vKIKheOoCyOpcLmi4t0b4uepb7LLjmMr90FUg==\n-----END PUBLIC KEY-----\n';
const EBAY_TOKEN = '71745723-d031-455c-bfa5-f90d11b4f20a';
const EBAY_URL = 'https://www.testendpoint.com/webhook';

const HIGHLEVEL = {
  body: '{"type":"ContactCreate","timestamp":"2026-01-28T14:35:10.000Z","webhookId":"abc123xyz","locationId":"ve9EPM",'
    + '"id":"nmFmQEsNgz6AVpgLVUJ0","firstName":"J\u00fcrgen"}',
  id: bySha('abc123xyz'), type: 'ContactCreate', at: '2026-01-28T14:35:10Z', object: 'nmFmQEsNgz6AVpgLVUJ0',
};

const adobeAnswer = (id) => ({ status: 200, type: 'application/json', body: `{"xAdobeSignClientId":"${id}"}` });

export const signers = [
  {
    recipe: 'highlevel',
    cite: 'marketplace.gohighlevel.com Webhook Integration Guide: X-GHL-Signature, Ed25519 of the body, base64',
    secrets: ED25519.map((pair) => ({ secret: pair.pem, key: pair.private })),
    signature: 'header:x-ghl-signature',
    sign: ({ key, body }) => ({ headers: { ...JSON_TYPE,
      'x-ghl-signature': signature(null, body, key).toString('base64') } }),
    samples: [HIGHLEVEL],
  },
  {
    recipe: 'highlevel-legacy',
    cite: 'NangoHQ/nango highlevel-webhook-routing.ts: X-WH-Signature, RSA-SHA256 of the body, base64',
    secrets: RSA.map((pair) => ({ secret: pair.pem, key: pair.private })),
    signature: 'header:x-wh-signature',
    sign: ({ key, body }) => ({ headers: { ...JSON_TYPE,
      'x-wh-signature': createSign('sha256').update(body).sign(key, 'base64') } }),
    samples: [HIGHLEVEL],
  },
  {
    recipe: 'ecwid',
    cite: 'docs.ecwid.com webhooks: base64 HMAC-SHA256 of eventCreated, ".", eventId under the client secret',
    weak: 'fields',
    secrets: ['ecwid-client-secret-1', 'ecwid-client-secret-2', 'ecwid-client-secret-3'],
    signature: 'header:x-ecwid-webhook-signature',
    covers: ['json:/eventCreated', 'json:/eventId'],
    sign: ({ key, body }) => {
      const { eventCreated, eventId } = JSON.parse(body);
      return { headers: { ...JSON_TYPE,
        'x-ecwid-webhook-signature': hmac('sha256', key, 'base64', `${eventCreated}.${eventId}`) } };
    },
    samples: [{
      body: '{"eventId":"80aece08-40e8-4145-8764-6c2f0d38678","eventCreated":1436789854,"storeId":1003,'
        + '"entityId":103878161,"eventType":"order.created","data":{"newPaymentStatus":"PAID"}}',
      id: '80aece08-40e8-4145-8764-6c2f0d38678', type: 'order.created', at: '2015-07-13T12:17:34Z', object: '103878161',
    }],
  },
  {
    recipe: 'squarespace',
    cite: 'developers.squarespace.com webhooks: hex HMAC-SHA256 of the body under the unhexed secret',
    secrets: HEX_SECRETS,
    signature: 'header:squarespace-signature',
    sign: ofBody('squarespace-signature', 'sha256', 'hex'),
    samples: [{
      body: '{"id":"bc2e8a3d-0000-4000-8000-0000000000a1","websiteId":"w","subscriptionId":"s","topic":"order.create",'
        + '"createdOn":"2020-01-16T15:14:43.112Z","data":{"orderId":"5ebd3a4f"}}',
      id: bySha('bc2e8a3d-0000-4000-8000-0000000000a1'), type: 'order.create', at: '2020-01-16T15:14:43.112Z',
      object: '5ebd3a4f',
    }],
  },
  {
    recipe: 'easypost',
    cite: 'EasyPost/easypost-node src/utils/util.js validateWebhook; vector: its test/services/webhook.test.js',
    secrets: ['s\u00e9cret'.normalize('NFKD'), 'another', 'wrong'],
    signature: 'header:x-hmac-signature',
    sign: ({ key, body }) => ({ headers: { ...JSON_TYPE,
      'x-hmac-signature': 'hmac-sha256-hex=' + hmac('sha256', key.normalize('NFKD'), 'hex', body) } }),
    samples: [
      { body: EASYPOST_BODY, id: 'evt_123...', type: 'batch.created', object: 'batch_123...' },
      { body: '{"description":"tracker.updated","created_at":"2024-08-02T19:26:52.000Z","id":"evt_1","user_id":'
        + '"user_1","result":{"id":"trk_1","weight":614.4}}',
      id: 'evt_1', type: 'tracker.updated', at: '2024-08-02T19:26:52Z', object: 'trk_1' },
    ],
    taken: [{ name: 'the published vector', request: () => ({ body: EASYPOST_BODY, headers: { ...JSON_TYPE,
      'x-hmac-signature': 'hmac-sha256-hex=e93977c8ccb20363d51a62b3fe1fc402b7829be1152da9e88cf9e8d07115a46b' } }) }],
  },
  {
    recipe: 'patreon',
    cite: 'docs.patreon.com webhooks: X-Patreon-Signature, HMAC-MD5 of the body, hex; X-Patreon-Event',
    secrets: ['patreon-1', 'patreon-2', 'patreon-3'],
    signature: 'header:x-patreon-signature',
    sign: ({ key, body }) => ({ headers: { ...JSON_TYPE, 'x-patreon-event': 'members:create',
      'x-patreon-signature': hmac('md5', key, 'hex', body) } }),
    samples: [{ body: '{"data":{"attributes":{"full_name":"Platform Team"},"id":"d1","type":"member"},"included":[]}',
      id: sha, type: 'members:create', object: 'd1' }],
  },
  {
    recipe: 'oracle-commerce',
    cite: 'docs.oracle.com Secure webhooks; @isv-occ-payment webhookSignatureValidation: HMAC-SHA512, base64 key',
    secrets: BASE64_SECRETS,
    signature: 'header:x-oracle-cc-webhook-signature-sha512',
    sign: ({ key, body }) => ({ headers: { ...JSON_TYPE,
      'x-oracle-cc-webhook-signature': hmac('sha1', key, 'base64', body),
      'x-oracle-cc-webhook-signature-sha512': hmac('sha512', key, 'base64', body) } }),
    samples: [{ body: '{"order":{"id":"o30411","state":"SUBMITTED"}}', id: sha, object: 'o30411' }],
  },
  {
    recipe: 'fourthwall',
    cite: 'docs.fourthwall.com webhooks/signature-verification: X-Fourthwall-Hmac-SHA256, base64',
    secrets: ['4ca9', '4caa', '0000'],
    signature: 'header:x-fourthwall-hmac-sha256',
    sign: ofBody('x-fourthwall-hmac-sha256', 'sha256', 'base64'),
    samples: [{ body: '{"testMode":false,"id":"weve_HfMVz","webhookId":"wcon_1","shopId":"sh_1","type":"ORDER_PLACED",'
        + '"apiVersion":"V1","createdAt":"2020-08-13T09:05:36.939Z","data":{"id":"d_1","total":10.00}}',
    id: bySha('weve_HfMVz'), type: 'ORDER_PLACED', at: '2020-08-13T09:05:36.939Z', object: 'd_1' }],
  },
  {
    recipe: 'fourthwall',
    name: 'fourthwall-apps',
    cite: 'docs.fourthwall.com webhooks/signature-verification: X-Fourthwall-Hmac-Apps-SHA256 for apps',
    secrets: ['4cab', '4cac', '0000'],
    signature: 'header:x-fourthwall-hmac-apps-sha256',
    sign: ofBody('x-fourthwall-hmac-apps-sha256', 'sha256', 'base64'),
    samples: [{ body: '{"id":"weve_2","type":"ORDER_UPDATED"}', id: bySha('weve_2'), type: 'ORDER_UPDATED' }],
  },
  {
    recipe: 'ebay',
    cite: 'eBay/event-notification-nodejs-sdk lib/validator.js; vector: its test/test.json',
    secrets: EC.map((pair) => ({ secret: pair.pem, key: pair.private })),
    source: { secret: [EC[0].pem, EC[1].pem, EBAY_KEY] },
    params: { 'verification-token': EBAY_TOKEN, endpoint: EBAY_URL },
    signature: 'header:x-ebay-signature',
    sign: ({ key, body }) => ({ headers: { ...JSON_TYPE, 'x-ebay-signature': Buffer.from(JSON.stringify({
      alg: 'ecdsa', kid: '9936261a', digest: 'SHA1', signature: createSign('sha1').update(body).sign(key, 'base64'),
    })).toString('base64') } }),
    samples: [{
      body: '{"metadata":{"topic":"MARKETPLACE_ACCOUNT_DELETION","schemaVersion":"1.0"},"notification":'
        + '{"notificationId":'
        + '"n-1","eventDate":"2021-03-19T20:43:59.462Z","publishAttemptCount":1,"data":{"userId":"ma8vp1jySJC"}}}',
      id: 'n-1', type: 'MARKETPLACE_ACCOUNT_DELETION', at: '2021-03-19T20:43:59.462Z', object: 'ma8vp1jySJC',
    }],
    bad: { status: 412 },
    taken: [{ name: 'the published vector', request: () => (
      { body: EBAY_BODY, headers: { ...JSON_TYPE, 'x-ebay-signature': EBAY_SIGNATURE } }) }],
    hellos: [{
      name: 'a challenge',
      request: () => ({ method: 'GET', query: 'challenge_code=a8628072-3d33-45ee-9004-bee86830a22d', headers: {} }),
      expect: { status: 200, type: 'application/json', body: JSON.stringify({ challengeResponse:
        digest('sha256', 'hex', 'a8628072-3d33-45ee-9004-bee86830a22d', EBAY_TOKEN, EBAY_URL) }) },
    }],
  },
  {
    recipe: 'adobe-sign',
    cite: 'Adobe Sign REST API createWebhook: the client id comes in X-AdobeSign-ClientId and is said back',
    weak: 'token',
    secrets: ['CBJCHBCAABAAVAMhAcHcH-oyVVAzsdm8qelsEg2N__ZA', null, 'CBJCHBCAABAAother'],
    signature: 'header:x-adobesign-clientid',
    covers: [],
    sign: ({ key }) => ({ headers: { ...JSON_TYPE, 'x-adobesign-clientid': key } }),
    samples: [{ body: '{"webhookId":"1","webhookNotificationId":"2","event":"AGREEMENT_CREATED",'
        + '"eventDate":"2018-06-13T09:49:50Z","agreement":{"id":"a1"}}',
    id: bySha('2'), type: 'AGREEMENT_CREATED', at: '2018-06-13T09:49:50Z', object: 'a1' }],
    ok: adobeAnswer('CBJCHBCAABAAVAMhAcHcH-oyVVAzsdm8qelsEg2N__ZA'),
    hellos: [{ name: 'intent', request: () => ({ method: 'GET', headers: { 'x-adobesign-clientid': 'CBJ"x' } }),
      expect: { status: 200, type: 'application/json',
        body: (answer) => JSON.parse(answer).xAdobeSignClientId === 'CBJ"x' } }],
  },
  {
    recipe: 'mailchimp',
    cite: 'mailchimp.com sync-audience-data-webhooks: a form, nothing signed; the secret is in the URL',
    weak: 'token',
    secrets: ['url-secret-1', 'url-secret-2', 'url-secret-3'],
    signature: 'query:token',
    covers: [],
    sign: ({ key }) => ({ query: 'token=' + key, headers: FORM_TYPE }),
    samples: [{ body: 'type=subscribe&fired_at=2009-03-26+21%3A35%3A57&data%5Bid%5D=8a25ff1d98&data%5Blist_id%5D=a6b'
      + '5da1054&data%5Bemail%5D=api%40mailchimp.com', id: sha, type: 'subscribe', object: '8a25ff1d98' }],
    hellos: [
      { name: 'GET', request: () => ({ method: 'GET', query: 'token=url-secret-1', headers: {} }), expect: {} },
      { name: 'HEAD', request: () => ({ method: 'HEAD', query: 'token=url-secret-1', headers: {} }), expect: {} },
    ],
  },
  {
    recipe: 'formstack',
    cite: 'n8n-nodes-base FormstackTriggerHelpers: X-FS-Signature: sha256= and the hex HMAC of the body',
    secrets: ['form-key-1', 'form-key-2', 'form-key-3'],
    signature: 'header:x-fs-signature',
    sign: ofBody('x-fs-signature', 'sha256', 'hex', 'sha256='),
    samples: [
      { body: '{"FormID":"1234567","UniqueID":"89","Name":{"first":"John"}}', id: bySha('89'), object: '1234567' },
      { body: '{"Name":"no id"}', id: sha },
    ],
  },
  {
    recipe: 'wufoo',
    cite: 'wufoo.github.io/docs webhooks: HandshakeKey is a field of the form',
    weak: 'token',
    secrets: ['hand&shake=1', 'handshake 2', 'handshake3'],
    signature: 'form:HandshakeKey',
    covers: [],
    sign: ({ key, sample, body }) => ({ headers: FORM_TYPE,
      body: form({ ...Object.fromEntries(new URLSearchParams(body.toString())), HandshakeKey: key }) }),
    samples: [{ body: 'Field1=J%C3%B6rg&EntryId=17&CreatedBy=public', id: bySha('17'), object: '17' }],
  },
  {
    recipe: 'surveymonkey',
    cite: 'n8n-nodes-base SurveyMonkeyTrigger: Sm-Signature, HMAC-SHA1 under "client id & client secret", base64',
    secrets: ['82100900000000000001', '82100900000000000002', '0'].map((secret) => (
      { secret, key: 'EAPuiMnRRvObNNjjPYfIVA&' + secret })),
    params: { 'client-id': 'EAPuiMnRRvObNNjjPYfIVA' },
    signature: 'header:sm-signature',
    sign: ofBody('sm-signature', 'sha1', 'base64'),
    samples: [{ body: '{"name":"My Webhook","filter_type":"survey","event_type":"response_completed","event_id":'
      + '"123456789",'
        + '"object_type":"response","object_id":"123456","event_datetime":"2016-01-01T21:56:31.182613+00:00"}',
    id: bySha('123456789'), type: 'response_completed', at: '2016-01-01T21:56:31.182Z', object: '123456' }],
    hellos: [{ name: 'HEAD', request: () => ({ method: 'HEAD', headers: {} }), expect: {} }],
  },
  {
    recipe: 'help-scout',
    cite: 'developer.helpscout.com webhooks: X-HelpScout-Signature, HMAC-SHA1 of the body, base64',
    secrets: ['helpscout-1', 'helpscout-2', 'helpscout-3'],
    signature: 'header:x-helpscout-signature',
    sign: ({ key, body }) => ({ headers: { ...JSON_TYPE, 'x-helpscout-event': 'convo.created',
      'x-helpscout-signature': hmac('sha1', key, 'base64', body) } }),
    samples: [{ body: '{"id": 2391938111, "subject": "I need help!"}', id: sha, type: 'convo.created',
      object: '2391938111' }],
  },
  {
    recipe: 'customer-io',
    cite: 'docs.customer.io reporting webhooks: X-CIO-Signature, hex HMAC-SHA256 of v0:time:body',
    secrets: ['cio-1', 'cio-2', 'cio-3'],
    signature: 'header:x-cio-signature',
    covers: ['body', 'header:x-cio-timestamp'],
    tolerance: 300,
    sign: ({ key, body, t }) => ({ headers: { ...JSON_TYPE, 'x-cio-timestamp': String(t),
      'x-cio-signature': hmac('sha256', key, 'hex', `v0:${t}:`, body) } }),
    samples: [{ body: '{"data":{"customer_id":"42"},"event_id":"01E4C4CT6YDC7Y5M7FE1GWWPQJ","object_type":"customer",'
        + '"metric":"subscribed","timestamp":1613063089}',
    id: '01E4C4CT6YDC7Y5M7FE1GWWPQJ', type: 'customer.subscribed', at: '2021-02-11T17:04:49Z', object: '42' }],
  },
  {
    recipe: 'klaviyo',
    cite: 'developers.klaviyo.com Working with system webhooks: hex HMAC-SHA256 of the body, then Klaviyo-Timestamp',
    secrets: ['klaviyo-secret-key-1', 'klaviyo-secret-key-2', 'klaviyo-secret-key-3'],
    signature: 'header:klaviyo-signature',
    covers: ['body', 'header:klaviyo-timestamp'],
    sign: ({ key, body }) => ({ headers: { ...JSON_TYPE, 'klaviyo-timestamp': 'Tue, 14 Apr 2026 03:50:12 GMT',
      'klaviyo-signature': hmac('sha256', key, 'hex', body, 'Tue, 14 Apr 2026 03:50:12 GMT') } }),
    samples: [{
      body: '{"meta":{"timestamp":"2026-04-13T22:50:12.101159+00:00","klaviyo_webhook_id":'
        + '"01KP4928STE8FKCWB6WDHZ4ZB7"},'
        + '"data":[{"topic":"event:klaviyo.unsubscribed_from_email_marketing","external_id":"73WCCK7JKtE","payload":'
        + '{"data":{"id":"73WCCK7JKtE","type":"event","attributes":{"timestamp":1776118606}}}}]}',
      events: [{ id: '73WCCK7JKtE', type: 'event:klaviyo.unsubscribed_from_email_marketing',
        at: '2026-04-13T22:16:46Z' }],
    }],
  },
  {
    recipe: 'onfleet',
    cite: 'docs.onfleet.com webhooks: X-Onfleet-Signature, hex HMAC-SHA512 under the unhexed secret; ?check= is echoed',
    secrets: HEX_SECRETS,
    signature: 'header:x-onfleet-signature',
    sign: ofBody('x-onfleet-signature', 'sha512', 'hex'),
    samples: [{ body: '{"taskId":"T1","triggerId":3,"triggerName":"taskCompleted","time":1452219139000}',
      id: bySha('T1.3.1452219139000'), type: 'taskCompleted', at: '2016-01-08T02:12:19Z', object: 'T1' }],
    hellos: [{ name: 'the check', request: () => ({ method: 'GET', query: 'check=3d%2Bxyz', headers: {} }),
      expect: { status: 200, type: 'text/plain', body: '3d+xyz' } }],
  },
];
