// Mail, text messages, video: SendGrid, Postmark, Mandrill, Brevo, Mailjet, MailerSend, MailerLite, SparkPost, Postal,
// Mailomat, Dropbox Sign, MessageBird, Vonage, Plivo, Pusher, Mux.
import { sign as signature } from 'node:crypto';

import { EC, RSA } from './_keys.mjs';
import { FORM_TYPE, JSON_TYPE, digest, form, hmac } from './_tools.mjs';

const sha = (facts) => facts.sha;
const json = (headers) => ({ headers: { ...JSON_TYPE, ...headers } });
/** An HMAC of the body in one header. */
const ofBody = (header, algorithm, enc) => ({ key, body }) => json({ [header]: hmac(algorithm, key, enc, body) });
const ofItem = (item) => digest('sha256', 'hex', JSON.stringify(item));
const withKeys = (pairs) => pairs.map((pair) => ({ secret: pair.der, key: pair.private }));

const BASIC = {
  secrets: ['hookonce:s3cr3t+/=', 'second:password', 'no:body'],
  signature: 'header:authorization',
  covers: [],
  weak: 'token',
  sign: ({ key }) => json({ authorization: 'Basic ' + Buffer.from(key).toString('base64') }),
};

/** A JWT under HMAC. */
function jwt(key, claims, alg = 'HS256') {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg, typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${hmac('sha' + alg.slice(2), key, 'base64url', signed)}`;
}

// Of the spec of @sendgrid/eventwebhook: its key, and a delivery signed with it.
const SENDGRID_KEY = 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNN'
  + 'RaINXvVpiglSI8eNEc6wEA3F+g==';
const SENDGRID_SPEC = JSON.stringify([{ email: 'hello@world.com', event: 'dropped', reason: 'Bounced Address',
  sg_event_id: 'ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA',
  sg_message_id: 'LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0',
  'smtp-id': '<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>', timestamp: 1600112492 }]) + '\r\n';
const SENDGRID_EVENTS = [
  { email: 'example@test.com', timestamp: 1513299569, event: 'processed', sg_event_id: 'rbtnWrG1DVDGGGFHFyun0A==',
    sg_message_id: '14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0' },
  { email: 'example@test.com', timestamp: 1513299570, event: 'bounce', reason: '500 unknown \u2713',
    sg_event_id: '6g4ZI7SA-xmRDv57GoPIPw==', sg_message_id: '14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0' },
];
const sendgrid = ({ key, body, t }) => json({ 'x-twilio-email-event-webhook-timestamp': String(t),
  'x-twilio-email-event-webhook-signature':
    signature('sha256', Buffer.concat([Buffer.from(String(t)), body]), key).toString('base64') });

const MANDRILL = [
  { event: 'hard_bounce', _id: 'exampleaaaaaaaaaaaaaaaaaaaaaaaaa', ts: 1384954004,
    msg: { email: 'example.webhook@mandrillapp.com', subject: 'a & b = c + d \u2713' } },
  { type: 'blacklist', action: 'add', reject: { email: 'example@mandrillapp.com' }, ts: 1384954005 },
];
const mandrill = ({ key, body, url }) => {
  const fields = [...new URLSearchParams(body.toString())].sort(([a], [b]) => (a < b ? -1 : 1));
  return { headers: { ...FORM_TYPE, 'x-mandrill-signature': hmac('sha1', key, 'base64', url, ...fields.flat()) } };
};

const BREVO = [{ event: 'hard_bounce', email: 'example@domain.com', id: 26224, 'message-id': '<2019@relay.domain.com>',
  ts_event: 1604933654, ts_epoch: 1604933654123, subject: 'S\u00fcbject' }];
/** Signed with the key that everybody knows. */
const mailersendTest = (type) => () => {
  const body = `{"type":"${type}","data":{"object":"test"}}`;
  return { ...ofBody('signature', 'sha256', 'hex')({ key: 'test_Am3L1GuOIc4blLUuHqAPxxwkZaJyEk8G', body }), body };
};
const MAILJET = [
  { event: 'sent', time: 1433333949, MessageID: 19421777835146490, email: 'api@mailjet.com' },
  { event: 'spam', time: 1430812195, MessageID: 13792286917004336, email: 'bounce@mailjet.com', source: 'JMRPP' },
];
const SPARKPOST = [
  { msys: { message_event: { type: 'bounce', event_id: '92356927693813856', timestamp: '1454442600',
    message_id: '000443ee22' } } },
  { msys: { track_event: { type: 'click', event_id: '92356927693813857', timestamp: '1454442601',
    message_id: '000443ee23' } } },
  { msys: {} },
];

const POSTAL_BODY = '{"event":"MessageDeliveryFailed","timestamp":1477945177.125,"payload":{"status":"HardFail",'
  + '"message":{"id":12345,"to":"test@example.com"}},"uuid":"0ddbd5e5-0de6-4b11-9ca7-d5a5b8a09ea0"}';
const rsa = (algorithm, key, body) => signature(algorithm, body, key).toString('base64');
const POSTAL = {
  recipe: 'postal',
  cite: 'postalserver/postal spec/services/webhook_delivery_service_spec.rb, anymail postal.py: RSA over the body',
  secrets: withKeys(RSA),
  samples: [{ body: POSTAL_BODY, id: '0ddbd5e5-0de6-4b11-9ca7-d5a5b8a09ea0', type: 'MessageDeliveryFailed',
    at: 1477945177125, object: '12345' }],
};

const mailomat = ({ key, t, id, algorithm = 'sha256' }) => json({ 'x-mom-webhook-id': id,
  'x-mom-webhook-event': 'failure_perm', 'x-mom-webhook-timestamp': String(t),
  'x-mom-webhook-signature': `${algorithm}=${hmac(algorithm, key, 'hex', `${id}.failure_perm.${t}`)}` });

const dropboxBody = (type, more) => ({ t }) => JSON.stringify({ event: { event_type: type, event_time: String(t),
  event_hash: '', event_metadata: { related_signature_id: null } }, account_guid: '63522885f9261e2b', ...more });
const dropboxSign = ({ key, body }) => {
  const made = JSON.parse(body);
  made.event.event_hash = hmac('sha256', key, 'hex', made.event.event_time, made.event.event_type);
  return { headers: { 'content-type': 'multipart/form-data; boundary=----4ebf00fbcf09' },
    body: `------4ebf00fbcf09\r\nContent-Disposition: form-data; name="json"\r\n\r\n${JSON.stringify(made)}\r\n`
      + '------4ebf00fbcf09--\r\n' };
};
const DROPBOX_SECRETS = ['324e3841a628f8e3dd4cbc9dd0f5d4d7', 'second-api-key', 'third-api-key'];
const dropboxHash = (type) => ({ t }) => hmac('sha256', DROPBOX_SECRETS[0], 'hex', String(t), type);

const birdUrl = (url, query) => url + (query && '?' + query);
const bird = ({ key, body, url, t, id, sample, alg = 'HS256', claims = {} }) => {
  const query = sample?.query ?? '';
  return { ...json({ 'messagebird-signature-jwt': jwt(key, { iss: 'MessageBird', nbf: t, exp: t + 60, jti: id,
    url_hash: digest('sha256', 'hex', birdUrl(url, query)),
    ...(body.length && { payload_hash: digest('sha256', 'hex', body) }), ...claims }, alg) }), query };
};
const BIRD_BODY = '{"type":"message.created","message":{"id":"5f3437fdb8444583aea093a047ac014b","status":"received",'
  + '"content":{"text":"hello \\u2713"},"updatedDatetime":"2018-08-23T18:55:02.000Z"}}';

const vonage = ({ key, body, t, id, claims = {} }) => json({ authorization: 'Bearer ' + jwt(key, { iat: t, jti: id,
  iss: 'Vonage', payload_hash: digest('sha256', 'hex', body), api_key: 'a1b2c3d', ...claims }) });

/** Plivo v3: sorted query as name=value joined by &, sorted form as names and values, with . between and ? before. */
const plivoText = (url, body) => {
  const sorted = (pairs) => [...new URLSearchParams(pairs)].sort((a, b) => (a.join('\0') < b.join('\0') ? -1 : 1));
  const [base, query = ''] = url.split('?');
  const asked = sorted(query).map((pair) => pair.join('=')).join('&');
  const fields = sorted(body.toString()).flat().join('');
  return base + (asked || fields ? '?' : '') + asked + (asked && fields ? '.' : '') + fields;
};
const plivo = (query) => ({ key, body, url, id }) => ({ query, headers: { ...FORM_TYPE,
  'x-plivo-signature-v3-nonce': id, 'x-plivo-signature-v3':
    `AAAA,${hmac('sha256', key, 'base64', `${plivoText(url, body)}.${id}`)}` } });
const PLIVO_QUERY = 'z=%26x&b=2&a=+1&b=1';
const PLIVO = {
  recipe: 'plivo',
  cite: 'npm plivo dist/utils/v3Security.js: construct_post_url, get_signature_v3; checked against it',
  secrets: ['MjJkNTA4MmUxMWJiMDIyOWMzNDk2YmMyZmI2NTgx', 'second-auth-token', 'third-auth-token'],
  signature: 'header:x-plivo-signature-v3',
  covers: ['body', 'header:x-plivo-signature-v3-nonce'],
  coversUrl: true,
  samples: [
    { body: form([['MessageUUID', '5b40a428'], ['Status', 'delivered'], ['From', '+14151112222'],
      ['Text', 'a b&c \u2713'], ['Tag', '2'], ['Tag', '1'], ['Tag', '2']]),
    id: ({ sha: digits }) => `5b40a428.${digits}`, type: 'delivered', object: '5b40a428' },
    { body: form({ CallUUID: 'eac94337', To: '', CallStatus: 'completed', Event: 'Hangup' }),
      id: ({ sha: digits }) => `eac94337.${digits}`, type: 'Hangup', object: 'eac94337' },
  ],
};

export const signers = [
  {
    recipe: 'sendgrid',
    cite: 'sendgrid/sendgrid-nodejs packages/eventwebhook/src: ECDSA over timestamp and payload, key as SPKI in base64',
    secrets: withKeys(EC),
    source: { secret: [EC[0].der, EC[1].der, SENDGRID_KEY] },
    signature: 'header:x-twilio-email-event-webhook-signature',
    covers: ['body', 'header:x-twilio-email-event-webhook-timestamp'],
    sign: sendgrid,
    samples: [{ body: JSON.stringify(SENDGRID_EVENTS) + '\r\n', events: [
      { id: 'rbtnWrG1DVDGGGFHFyun0A==', type: 'processed', at: '2017-12-15T00:59:29Z',
        object: '14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0' },
      { id: '6g4ZI7SA-xmRDv57GoPIPw==', type: 'bounce', at: '2017-12-15T00:59:30Z',
        object: '14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0' },
    ] }],
    taken: [{ name: 'eventwebhook.spec.js', request: () => ({ ...json({
      'x-twilio-email-event-webhook-timestamp': '1600112502', 'x-twilio-email-event-webhook-signature':
        'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=' }),
    body: SENDGRID_SPEC }) }],
  },
  {
    ...BASIC,
    recipe: 'postmark',
    cite: 'postmarkapp.com/developer/webhooks: user and password in the URL, no signature',
    samples: [
      { body: '{"RecordType":"Delivery","MessageID":"883953f4-6105-42a2-a16a-77a8eac79483",'
        + '"DeliveredAt":"2019-11-05T16:33:54.9070259Z"}', id: sha, type: 'Delivery', at: '2019-11-05T16:33:54.907Z',
      object: '883953f4-6105-42a2-a16a-77a8eac79483' },
      { body: '{"RecordType":"Bounce","ID":42,"MessageID":"00000000","BouncedAt":"2019-11-05T11:33:54-05:00"}', id: sha,
        type: 'Bounce', at: '2019-11-05T16:33:54Z', object: '00000000' },
      { body: '{"From":"a@b.c","FromFull":{"Email":"a@b.c"},"MessageID":"22c74902","TextBody":"x"}', id: sha,
        type: 'Inbound', object: '22c74902' },
    ],
  },
  {
    recipe: 'mandrill',
    cite: 'mailchimp.com track-respond-activity-webhooks: base64 of the HMAC-SHA1 of URL and sorted form',
    secrets: ['vGZBrk6dbYBbL7p1oXmWug', 'another-webhook-key', 'no-such-key'],
    url: 'https://user:pw@example.com/hook/mandrill',
    signature: 'header:x-mandrill-signature',
    coversUrl: true,
    sign: mandrill,
    samples: [{ body: form({ mandrill_events: JSON.stringify(MANDRILL) }), events: [
      { id: 'event.' + ofItem(MANDRILL[0]), type: 'hard_bounce', at: '2013-11-20T13:26:44Z',
        object: 'exampleaaaaaaaaaaaaaaaaaaaaaaaaa' },
      { id: 'event.' + ofItem(MANDRILL[1]), type: 'blacklist', at: '2013-11-20T13:26:45Z', object: '' },
    ] }],
    hellos: [
      { name: 'a new URL', request: () => ({ method: 'HEAD', headers: {} }), expect: { status: 200 } },
      { name: 'its empty batch', expect: { status: 200 }, request: (context) => ({ ...mandrill({ ...context,
        key: 'test-webhook', body: 'mandrill_events=%5B%5D' }), body: 'mandrill_events=%5B%5D' }) },
    ],
    refused: [{ name: 'the key that everybody knows', request: (context) => {
      const body = Buffer.from(form({ mandrill_events: JSON.stringify(MANDRILL) }));
      return { ...mandrill({ ...context, body, key: 'test-webhook' }), body };
    } }],
  },
  {
    recipe: 'brevo',
    cite: 'developers.brevo.com retry-mechanism: 4xx except 429, and any 5xx, discard; token as Authorization: Bearer',
    secrets: ['xkeysib-1234567890', 'xkeysib-0987654321', 'xkeysib-0'],
    signature: 'header:authorization',
    covers: [],
    weak: 'token',
    sign: ({ key }) => json({ authorization: 'Bearer ' + key }),
    bad: { status: 429 },
    samples: [{ body: JSON.stringify(BREVO[0]), id: ofItem(BREVO[0]), type: 'hard_bounce', at: 1604933654123,
      object: '<2019@relay.domain.com>' }],
    taken: [{ name: 'several at once', request: ({ sign }) => sign(JSON.stringify(BREVO)) }],
  },
  {
    ...BASIC,
    recipe: 'brevo-basic',
    cite: 'symfony/symfony BrevoRequestParser.php: HTTP Basic',
    bad: { status: 429 },
    samples: [{ body: JSON.stringify(BREVO[0]), id: ofItem(BREVO[0]), type: 'hard_bounce', at: 1604933654123,
      object: '<2019@relay.domain.com>' }],
  },
  {
    ...BASIC,
    recipe: 'mailjet',
    cite: 'symfony/symfony MailjetRequestParser.php: HTTP Basic; anymail mailjet.py: an array, or one event',
    samples: [
      { body: JSON.stringify(MAILJET), events: [
        { id: ofItem(MAILJET[0]), type: 'sent', at: 1433333949000, object: '19421777835146490' },
        { id: ofItem(MAILJET[1]), type: 'spam', at: 1430812195000, object: '13792286917004336' },
      ] },
      { body: '{"event":"open","time":1433103519,"MessageID":19421777396190490}', type: 'open', at: 1433103519000,
        id: digest('sha256', 'hex', '{"event":"open","time":1433103519,"MessageID":19421777396190490}'),
        object: '19421777396190490' },
    ],
  },
  {
    recipe: 'mailersend',
    cite: 'developers.mailersend.com webhooks: Signature: hex HMAC of the body under the signing secret',
    secrets: ['MvwqFGm2cnSU8xAKXP1YcCzYWrAgYyBp', 'another-signing-secret', 'no-such-secret'],
    signature: 'header:signature',
    sign: ofBody('signature', 'sha256', 'hex'),
    samples: [{ body: '{"type":"activity.sent","created_at":"2024-03-13T08:43:56.123000Z","data":{"object":"activity",'
      + '"id":"62fb66bef54a112e920b5493","type":"sent","message_id":"62fb66bef54a112e920b5494"}}',
    id: ({ sha: digits }) => `62fb66bef54a112e920b5493.${digits}`, type: 'activity.sent',
    at: '2024-03-13T08:43:56.123Z', object: '62fb66bef54a112e920b5494' }],
    hellos: [{ name: 'the test of a new webhook', expect: { status: 200 }, request: mailersendTest('webhook.test') }],
    refused: [{ name: 'another event under the key of the test', request: mailersendTest('activity.sent') }],
  },
  {
    recipe: 'mailerlite',
    cite: 'developers.mailerlite.com webhooks; n8n MailerLiteTriggerHelpers: Signature: hex HMAC of the body',
    secrets: ['aLt3rNaTiNgCaPs', 'second-secret', 'third-secret'],
    signature: 'header:signature',
    sign: ofBody('signature', 'sha256', 'hex'),
    samples: [
      { body: '{"events":[{"type":"subscriber.created","id":"31897397363737859"}],"total":1}', id: sha,
        type: 'subscriber.created', object: '31897397363737859' },
      { body: '{"event":"subscriber.updated","id":"31897397363737861"}', id: sha, type: 'subscriber.updated',
        object: '31897397363737861' },
    ],
  },
  {
    ...BASIC,
    recipe: 'sparkpost',
    cite: 'developers.sparkpost.com/api/webhooks; anymail sparkpost.py: HTTP Basic, an array of msys objects',
    samples: [{ body: JSON.stringify(SPARKPOST), events: [
      { id: '92356927693813856.' + ofItem(SPARKPOST[0]), type: 'bounce', at: 1454442600000, object: '000443ee22' },
      { id: '92356927693813857.' + ofItem(SPARKPOST[1]), type: 'click', at: 1454442601000, object: '000443ee23' },
      { id: ofItem(SPARKPOST[2]), type: '', object: '' },
    ] }],
  },
  {
    ...POSTAL,
    signature: ['header:x-postal-signature-256', 'header:x-postal-signature'],
    anyOf: true,
    sign: ({ key, body }) => json({ 'x-postal-signature-256': rsa('RSA-SHA256', key, body),
      'x-postal-signature': rsa('RSA-SHA1', key, body) }),
    refused: [{ name: 'a good SHA-1 beside another SHA-256', request: ({ key }) => ({ ...json({
      'x-postal-signature-256': rsa('RSA-SHA256', key, Buffer.from('{}')),
      'x-postal-signature': rsa('RSA-SHA1', key, Buffer.from(POSTAL_BODY)) }), body: POSTAL_BODY }) }],
  },
  {
    ...POSTAL,
    name: 'postal-2',
    signature: 'header:x-postal-signature',
    sign: ({ key, body }) => json({ 'x-postal-signature': rsa('RSA-SHA1', key, body) }),
  },
  {
    recipe: 'mailomat',
    cite: 'symfony/symfony MailomatRequestParser.php: sha256= and the HMAC of id.event.timestamp; 43200 seconds',
    secrets: ['mom-secret-1', 'mom-secret-2', 'mom-secret-3'],
    signature: 'header:x-mom-webhook-signature',
    covers: ['x-mom-webhook-id', 'x-mom-webhook-event', 'x-mom-webhook-timestamp'].map((name) => 'header:' + name),
    weak: 'body',
    tolerance: 43200,
    sign: mailomat,
    samples: [{ body: '{"id":"3a2b","eventType":"failure_perm","occurredAt":"2024-05-13T13:14:00Z",'
      + '"messageId":"f6dd@m"}', id: ({ id }) => id, type: 'failure_perm', at: '2024-05-13T13:14:00Z',
    object: 'f6dd@m' }],
    refused: ['sha1', 'md5'].map((algorithm) => ({ name: algorithm, request: (context) => ({
      ...mailomat({ ...context, algorithm }), body: '{}' }) })),
  },
  {
    recipe: 'dropbox-sign',
    cite: 'hellosign/dropbox-sign-node model/eventCallbackHelper.ts: hex HMAC of event_time and event_type',
    secrets: DROPBOX_SECRETS,
    signature: 'form:json#/event/event_hash',
    covers: ['form:json#/event/event_time', 'form:json#/event/event_type'],
    weak: 'fields',
    tolerance: 345600,
    sign: dropboxSign,
    ok: { status: 200, type: 'text/plain', body: 'Hello API Event Received' },
    samples: [
      { body: dropboxBody('signature_request_sent', { signature_request: { signature_request_id: 'fa5c8a0b' } }),
        id: (facts) => `${dropboxHash('signature_request_sent')(facts)}.fa5c8a0b`, type: 'signature_request_sent',
        at: ({ t }) => t * 1000, object: 'fa5c8a0b' },
      { body: dropboxBody('signature_request_sent', { signature_request: { signature_request_id: 'fa5c8a0c' } }),
        id: (facts) => `${dropboxHash('signature_request_sent')(facts)}.fa5c8a0c`, type: 'signature_request_sent',
        at: ({ t }) => t * 1000, object: 'fa5c8a0c' },
      { body: dropboxBody('template_created', { template: { template_id: 'c26b8a16' } }), type: 'template_created',
        id: (facts) => `${dropboxHash('template_created')(facts)}.c26b8a16`, at: ({ t }) => t * 1000,
        object: 'c26b8a16' },
    ],
  },
  {
    recipe: 'messagebird',
    cite: 'messagebird/messagebird-nodejs lib/webhook-signature-jwt.js: iss, url_hash, payload_hash if there is a body',
    secrets: ['36efdd1aace2e26cd490f0d951138253bef2f7c6d34d18981da781555cc4cebb', 'second', 'third'],
    url: 'https://example.com/hook/messagebird',
    signature: 'header:messagebird-signature-jwt',
    coversUrl: true,
    sign: bird,
    samples: [
      { body: BIRD_BODY, id: ({ sha: digits }) => `${digest('sha256', 'hex', 'https://example.com/hook/messagebird')}`
        + `.${digits}`, type: 'message.created', at: '2018-08-23T18:55:02Z',
      object: '5f3437fdb8444583aea093a047ac014b' },
      { method: 'GET', query: 'id=efa6405d518d4c0c&status=delivered&statusDatetime=2017-09-01T10:00:05Z',
        id: ({ sha: digits, query }) => `${digest('sha256', 'hex', birdUrl('https://example.com/hook/messagebird',
          query))}.${digits}`, type: 'delivered', at: '2017-09-01T10:00:05Z',
        object: 'efa6405d518d4c0c' },
    ],
    taken: ['HS384', 'HS512'].map((alg) => ({ name: alg, request: (context) => {
      const body = Buffer.from(BIRD_BODY.replace('hello', alg));
      return { ...bird({ ...context, body, alg }), body };
    } })),
    refused: [
      ['another issuer', { iss: 'Bird' }], ['no issuer', { iss: undefined }],
      ['no digest', { payload_hash: undefined }], ['over', { nbf: 1, exp: 1700000000 }],
      ['no URL', { url_hash: undefined }],
    ].map(([name, claims]) => ({ name, request: (context) => {
      const body = Buffer.from(BIRD_BODY);
      return { ...bird({ ...context, body, claims }), body };
    } })),
  },
  {
    recipe: 'vonage',
    cite: 'developer.vonage.com getting-started/concepts/webhooks: HS256 JWT as Bearer, payload_hash of the body',
    secrets: ['qbZkNVVuZLa1M6yxXZWgkQvVgJBYPOJ3', 'second-signature-secret', 'third-signature-secret'],
    signature: 'header:authorization',
    tolerance: 300,
    sign: vonage,
    samples: [{ body: '{"to":"447700900000","channel":"sms","message_uuid":"aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab",'
      + '"timestamp":"2025-02-03T12:14:25Z","status":"delivered"}', id: sha, type: 'delivered',
    at: '2025-02-03T12:14:25Z', object: 'aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab' }],
    refused: [['no digest', { payload_hash: undefined }], ['no time', { iat: undefined }]].map(([name, claims]) => ({
      name, request: (context) => {
        const body = Buffer.from('{"status":"delivered"}');
        return { ...vonage({ ...context, body, claims }), body };
      } })),
  },
  { ...PLIVO, url: 'https://answer.example.com/hook?' + PLIVO_QUERY, sign: plivo(PLIVO_QUERY) },
  { ...PLIVO, name: 'plivo-added', url: 'https://answer.example.com/hook', sign: (context) => plivo(PLIVO_QUERY)({
    ...context, url: `${context.url}?${PLIVO_QUERY}` }) },
  { ...PLIVO, name: 'plivo-plain', url: 'https://answer.example.com/hook', sign: plivo('') },
  {
    recipe: 'pusher',
    cite: 'pusher/pusher-http-node lib/webhook.js: hex HMAC of the body under the secret of X-Pusher-Key',
    secrets: ['tofu-secret', 'second-app-secret', 'third-app-secret'],
    signature: 'header:x-pusher-signature',
    sign: ({ key, body }) => json({ 'x-pusher-key': '278d425bdf160c739803',
      'x-pusher-signature': hmac('sha256', key, 'hex', body) }),
    samples: [{ body: '{"time_ms":1327078148132,"events":[{"name":"channel_occupied","channel":"test"},'
      + '{"name":"channel_vacated","channel":"test"},{"name":"channel_occupied","channel":"test"}]}',
    events: ['channel_occupied', 'channel_vacated', 'channel_occupied'].map((type, n) => ({
      type, at: 1327078148132, object: 'test', n })) }],
  },
  {
    recipe: 'mux',
    cite: 'muxinc/mux-node-sdk src/resources/webhooks/webhooks.ts: t=,v1= and the hex HMAC of t.body; 5 minutes',
    secrets: ['SuperSecret123', 'SuperSecret124', 'SuperSecret125'],
    signature: 'header:mux-signature',
    tolerance: 300,
    sign: ({ key, body, t }) => json({ 'mux-signature': `t=${t},v1=${hmac('sha256', key, 'hex', `${t}.`, body)}` }),
    samples: [{ body: '{"type":"video.asset.ready","id":"3a56ac3d-33da-4366-855b-f592d898409d",'
      + '"object":{"type":"asset","id":"0201p02fGKPE7Mrb"},"created_at":"2018-02-17T18:57:56.000000Z","attempts":[]}',
    id: '3a56ac3d-33da-4366-855b-f592d898409d', type: 'video.asset.ready', at: '2018-02-17T18:57:56Z',
    object: '0201p02fGKPE7Mrb' }],
  },
];
