// The providers with libraries of their own: those sign here where they can, and judge what is signed by hand.
import { createHmac } from 'node:crypto';
import assert from 'node:assert/strict';

import twilio from 'twilio';

import { JUDGES } from '../judges.mjs';
import { FORM_TYPE, JSON_TYPE, digest, form, hmac } from './_tools.mjs';

/** Signs as judges.mjs does, and has the provider's library look at it. */
function judged(name, more = () => ({})) {
  const judge = JUDGES[name];
  return async ({ key, body, ...context }) => {
    const headers = { ...await judge.sign(key, body, context), ...more({ body, ...context }) };
    const fresh = Math.abs(context.t - Date.now() / 1000) < (judge.tolerance ?? 300) - 2;
    if (fresh && body.length) assert.equal(await judge.takes(key, body, headers), true,
        `${name}'s own library refuses this`);
    return { headers };
  };
}

// ---- Slack: the same signature over events, commands and what people click --------------------------------------

const SLACK_COMMAND = form({ token: 'gIkuvaNzQIHg97ATvDxqgjtO', team_id: 'T0001', channel_id: 'C2147483705',
    user_id: 'U2147483697',
  command: '/weather', text: '94070 Plaça 😀', response_url: 'https://hooks.slack.com/commands/1234/5678',
  trigger_id: '13345224609.738474920.8088930838d88f008e0', api_app_id: 'A123456' });
const SLACK_CLICK = form({ payload: JSON.stringify({ type: 'block_actions', team: { id: 'T9TK3CUKW',
    domain: 'example' },
  user: { id: 'UA8RXUSPL' }, api_app_id: 'AABA1ABCD',
    trigger_id: '12321423423.333649436676.d8c1bb837935619ccad0f624c448ffb3',
  actions: [{ action_id: 'WaXA', block_id: '=qXel', value: 'click_me_123', type: 'button' }] }) });
const SLACK_CLOSED = form({ payload: '{"type":"view_closed","team":{"id":"T1"},"view":{"id":"V1"},'
  + '"is_cleared":false}' });
const SLACK_CHALLENGE = JSON.stringify({ token: 'Jhj5dZrVaK7ZwHHjRyZWjbDl', type: 'url_verification',
  challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P' });

function signedSlack({ key, body, t }) {
  return { headers: { ...(body.includes('=') && !body.includes('{"token"') ? FORM_TYPE : JSON_TYPE),
    'x-slack-request-timestamp': String(t), 'x-slack-signature': 'v0=' + hmac('sha256', key, 'hex', `v0:${t}:`,
        body) } };
}

const slack = {
  recipe: 'slack',
  cite: 'slackapi/bolt-js src/receivers/verify-request.ts; docs.slack.dev: events-api, slash-commands,'
    + ' handling-user-interaction',
  secrets: ['8f742231b10e8888abcd99yyyzzz85a5', 'e6b19c573432dcc6b075501d51b51bb8', '0f742231b10e8888abcd99yyyzzz85a5'],
  signature: 'header:x-slack-signature',
  covers: ['body', 'header:x-slack-request-timestamp'],
  tolerance: 300,
  sign: signedSlack,
  samples: [
    { body: '{"token":"z26uFbvR1xHJEdHE1OQiO6t8","team_id":"T123ABC456","api_app_id":"A123ABC456",'
      + '"event":{"type":"app_mention",'
        + '"user":"U123ABC456","text":"What is the hour of the pearl, <@U0LAN0Z89>?","ts":"1515449522.000016",'
        + '"channel":"C123ABC456","event_ts":"1515449522000016"},"type":"event_callback","event_id":"Ev123ABC456",'
        + '"event_time":1515449522}',
    id: 'Ev123ABC456', type: 'app_mention', at: '2018-01-08T22:12:02Z', object: 'C123ABC456:1515449522.000016' },
    { body: '{"token":"Jhj5dZrVaK7ZwHHjRyZWjbDl","type":"app_rate_limited","team_id":"T123456",'
      + '"minute_rate_limited":1518467820,'
        + '"api_app_id":"A123456"}', id: ({ sha }) => sha, type: 'app_rate_limited' },
    { body: SLACK_COMMAND, id: '13345224609.738474920.8088930838d88f008e0', type: '/weather' },
    { body: SLACK_CLICK, id: '12321423423.333649436676.d8c1bb837935619ccad0f624c448ffb3', type: 'block_actions' },
    { body: SLACK_CLOSED, id: ({ sha }) => sha, type: 'view_closed' },
  ],
  ok: { status: 200, body: '' },
  hellos: [
    { name: 'url_verification', request: ({ sign }) => sign(SLACK_CHALLENGE),
      expect: { status: 200, type: 'text/plain', body: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P' } },
    { name: 'ssl_check', request: () => ({ headers: FORM_TYPE, body: 'token=x&ssl_check=1&command=%2Fweather' }),
      expect: { status: 200, body: '' } },
  ],
  refused: [
    { name: 'a challenge that nobody signed', request: () => ({ headers: JSON_TYPE, body: SLACK_CHALLENGE }) },
    { name: 'an event beside ssl_check', request: () => ({ headers: JSON_TYPE,
        body: '{"ssl_check":1,"event_id":"Ev1"}' }) },
  ],
};

// ---- Twilio: URL and form, the query of a GET, JSON by its digest, shared keys -----------------------------------

const TWILIO_URL = 'https://mycompany.com/myapp.php?foo=1&bar=2';
const token = 'i-twilio-idempotency-token';

/** The parameters of a form as one object, several values of a name as a list. */
function parameters(body) {
  const all = {};
  for (const [name, value] of new URLSearchParams(body.toString())) {
    all[name] = name in all ? [all[name], value].flat() : value;
  }
  return all;
}

function signedTwilio({ key, body, url, id, sample, algorithm }) {
  const signature = twilio.getExpectedTwilioSignature(key, url, parameters(body), algorithm);
  return { headers: { ...FORM_TYPE, 'x-twilio-signature': signature, ...(!sample?.bare && { [token]: id }),
    ...(algorithm && { 'x-twilio-webhooks-signature-settings': `key=webhooks_sharedkey_1,algorithm=${algorithm}` }) } };
}

const SMS = form({ ToCountry: 'US', NumMedia: '0', SmsStatus: 'received', Body: 'Olá ✓ 😀 a&b=c + 100% "q"\nline2 ',
    To: '+15005550006',
  MessageSid: 'SM1', AccountSid: 'AC1', From: '+15005550001', FromCity: '', fromZip: '',
      AddOns: '{"status":"successful"}' });

/** Each of these is a source of its own, since it has another URL. */
const twilioLike = {
  recipe: 'twilio',
  cite: 'twilio/twilio-node src/webhooks/webhooks.ts; twilio.com/docs/usage/webhooks/webhooks-security',
  secrets: ['12345', '0123456789abcdef0123456789abcdef', '54321'],
  url: TWILIO_URL,
  signature: 'header:x-twilio-signature',
  covers: [],
  coversUrl: true,
  sign: signedTwilio,
};

const twilios = [
  { ...twilioLike,
    covers: ['form:Body', 'form:MessageSid', 'form:From'],
    samples: [
      { body: SMS, id: ({ id }) => id, type: 'received', object: 'SM1' },
      { body: SMS.replace('SM1', 'SM2'), bare: true, id: 'SM2-received', type: 'received', object: 'SM2' },
      { body: 'MessageSid=SM3&MessageStatus=delivered&SmsStatus=delivered&Body=&From=%2B1', bare: true,
          id: 'SM3-delivered',
        type: 'delivered', object: 'SM3' },
      { body: 'MessageSid=SM3&MessageStatus=sent&SmsStatus=sent&From=%2B1', bare: true, id: 'SM3-sent', type: 'sent',
          object: 'SM3' },
      { body: 'CallSid=CA1&CallStatus=ringing&SequenceNumber=1&Timestamp=Mon%2C+21+Sep+2026+12%3A00%3A00+%2B0000',
          bare: true,
        id: 'CA1-ringing-1', type: 'ringing', at: '2026-09-21T12:00:00Z', object: 'CA1' },
      { body: 'CallSid=CA1&CallStatus=ringing', bare: true, id: 'CA1-ringing', type: 'ringing', object: 'CA1' },
      { body: 'MediaUrl=https%3A%2F%2Fb.example%2F2&a=1&MediaUrl=https%3A%2F%2Fa.example%2F1&B=2&_z=3&a=1',
        id: ({ id }) => id, type: '', object: '' },
    ],
    taken: [
      { name: 'the default port in the URL',
        request: ({ key, id }) => ({ ...signedTwilio({ key, body: SMS, url: TWILIO_URL.replace('.com/', '.com:443/'),
            id }), body: SMS }) },
      { name: 'a shared key by SHA-256',
        request: ({ key, url, id }) => ({ ...signedTwilio({ key, body: SMS, url, id, algorithm: 'HMAC_SHA256' }),
            body: SMS }) },
    ],
    refused: [
      { name: 'http in place of https',
        request: ({ key, id }) => ({ ...signedTwilio({ key, body: SMS, url: TWILIO_URL.replace('https', 'http'),
            id }), body: SMS }) },
      { name: 'a field more',
        request: ({ key, url, id }) => ({ ...signedTwilio({ key, body: SMS, url, id }), body: SMS + '&Extra=1' }) },
      { name: 'signed by SHA-256 while nothing says so',
        request({ key, url, id }) {
          const { headers } = signedTwilio({ key, body: SMS, url, id, algorithm: 'HMAC_SHA256' });
          delete headers['x-twilio-webhooks-signature-settings'];
          return { headers, body: SMS };
        } },
      { name: 'SHA-1 under the name of another algorithm',
        request({ key, url, id }) {
          const { headers } = signedTwilio({ key, body: SMS, url, id });
          return { headers: { ...headers, 'x-twilio-webhooks-signature-settings': 'key=k,algorithm=HMAC_MD5' },
              body: SMS };
        } },
      { name: 'a body of another type behind a signature over the URL alone',
        request: ({ key, url, id }) => ({ headers: { ...JSON_TYPE, [token]: id,
          'x-twilio-signature': twilio.getExpectedTwilioSignature(key, url, {}) }, body: '{"MessageSid":"SM9"}' }) },
    ] },
  { ...twilioLike,
    name: 'twilio-get',
    url: 'https://hooks.example.com/hook/twilio?CallSid=CA9&From=%2B15005550001&CallStatus=ringing',
    covers: ['query:CallSid', 'query:CallStatus'],
    sign: ({ key, url, target, id }) => {
      const given = new URL(url);
      const asked = given.origin + target + given.search;
      return { query: given.search.slice(1),
        headers: { 'x-twilio-signature': twilio.getExpectedTwilioSignature(key, asked, {}), [token]: id } };
    },
    coversUrl: false,
    samples: [{ method: 'GET', body: '', id: ({ id }) => id, type: 'ringing', object: 'CA9' }],
  },
  { ...twilioLike,
    name: 'twilio-json',
    url: 'https://hooks.example.com/hook/twilio',
    covers: ['body', 'query:bodySHA256'],
    coversUrl: false,
    sign({ key, body, url, target, id }) {
      const query = 'bodySHA256=' + digest('sha256', 'hex', body);
      const asked = new URL(url).origin + target + '?' + query;
      assert.equal(twilio.validateRequestWithBody(key, twilio.getExpectedTwilioSignature(key, asked, {}), asked,
          body.toString()), true);
      return { query, headers: { ...JSON_TYPE, [token]: id,
        'x-twilio-signature': twilio.getExpectedTwilioSignature(key, asked, {}) } };
    },
    samples: [{ body: '[{"specversion":"1.0","type":"com.twilio.messaging.message.delivered","id":"EZ1",'
      + '"data":{"name":"José 🎈"}}]',
      id: ({ id }) => id, type: '' }],
  },
];

// ---- Mailgun: the signature in the body, three encodings --------------------------------------------------------

const mailgunToken = (id) => (id.replaceAll('-', '') + 'c0ffee').repeat(2).slice(0, 50);

function mailgunSignature({ key, t, id }) {
  return { timestamp: String(t), token: mailgunToken(id), signature: hmac('sha256', key, 'hex', String(t),
      mailgunToken(id)) };
}

const BOUNDARY = '--a"b-boundary';

function multipart(fields) {
  const parts = Object.entries(fields).map(([name, value]) => (
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`));
  return Buffer.concat([Buffer.from(parts.join('')
    + `--${BOUNDARY}\r\nContent-Disposition: form-data; name="attachment-1"; `
    + 'filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\n'), Buffer.alloc(200 * 1024, 0xe9),
    Buffer.from(
    `\r\n--${BOUNDARY}--\r\n`)]);
}

/** What a sample's body says is put into the kind of body that it names. */
function signedMailgun({ key, body, t, id, sample = {} }) {
  const signature = mailgunSignature({ key, t, id });
  if (sample.kind === 'form') {
    return { headers: FORM_TYPE, body: form({ ...JSON.parse(body), ...signature }) };
  }
  if (sample.kind === 'multipart') {
    return { headers: { 'content-type': `multipart/form-data; boundary="${BOUNDARY.replaceAll('"', '\\"')}"` },
      body: multipart({ ...signature, ...JSON.parse(body) }) };
  }
  return { headers: JSON_TYPE, body: `{"signature":${JSON.stringify(signature)},\r\n "event-data":${body}}\r\n` };
}

const MAILGUN_EVENT = '{"id":"G9Bn5sl1TC6nu79C8C0bwg","timestamp":1789999998.375624,"log-level":"info",'
  + '"event":"delivered",'
  + '"recipient":"alice@example.com","message":{"headers":{"to":"Älice <alice@example.com>",'
  + '"message-id":"2026.1@mg.example.com"}}}';
const MAILGUN_OLD = '{"event":"bounced","recipient":"alice@example.com","domain":"example.com","code":"550",'
  + '"Message-Id":"<2026.2@mg.example.com>"}';
const MAILGUN_ROUTE = '{"recipient":"in@mg.example.com","sender":"bob@example.com","subject":"Hëllo & \\"bye\\" 😀",'
  + '"Message-Id":"<2026.3@mail.example.com>","body-plain":"line1\\r\\nline2\\r\\n"}';
const mailgunLike = {
  recipe: 'mailgun',
  cite: 'documentation.mailgun.com user-manual/webhooks/securing-webhooks; mailgun/mailgun-go webhooks.go',
  secrets: ['mg-signing-key-0000000000000001', 'mg-signing-key-0000000000000002', 'mg-signing-key-0000000000000003'],
  weak: 'body',
  tolerance: 43200,
  bad: { status: 401 },
  sign: signedMailgun,
};
const at = ({ t }) => new Date(t * 1000);
const tokenOf = ({ id }) => mailgunToken(id);

const mailguns = [
  { ...mailgunLike,
    signature: 'json:/signature/signature',
    covers: ['json:/signature/timestamp', 'json:/signature/token'],
    samples: [{ body: MAILGUN_EVENT, id: 'G9Bn5sl1TC6nu79C8C0bwg', type: 'delivered', at: '2026-09-21T14:13:18.375Z',
      object: '2026.1@mg.example.com' }],
  },
  { ...mailgunLike,
    name: 'mailgun-forms',
    signature: 'form:signature',
    covers: ['form:timestamp', 'form:token'],
    samples: [
      { body: MAILGUN_OLD, kind: 'form', id: (facts) => `bounced.${tokenOf(facts)}`, type: 'bounced', at },
      { body: MAILGUN_OLD, kind: 'multipart', id: (facts) => `bounced.${tokenOf(facts)}`, type: 'bounced', at },
      { body: MAILGUN_ROUTE, kind: 'multipart', id: '<2026.3@mail.example.com>', type: '', at },
      { body: '{"recipient":"in@mg.example.com","body-mime":"Subject: x\\r\\n\\r\\ny"}', kind: 'form', id: tokenOf,
          type: '', at },
    ],
  },
];

// ---- Supabase ----------------------------------------------------------------------------------------------------

const supabaseKey = (secret) => Buffer.from(secret.replace('v1,whsec_', ''), 'base64');

function signedSupabase({ key, body, t, id }) {
  const mac = hmac('sha256', supabaseKey(key), 'base64', `${id}.${t}.`, body);
  const other = hmac('sha256', 'another', 'base64', body);
  return { headers: { ...JSON_TYPE, 'webhook-id': id, 'webhook-timestamp': String(t),
      'webhook-signature': `v1,${other}, v1,${mac}` } };
}

const USER = '"user":{"id":"8484b834-f29e-4af2-bf42-80644d154f76","email":"user@example.test"}';
const supabases = [
  {
    recipe: 'supabase',
    cite: 'supabase/auth internal/hooks/hookshttp/hookshttp.go: Standard Webhooks, signatures joined by ", ",'
      + ' a fresh id each attempt',
    secrets: ['v1,whsec_aG9va29uY2UtdGVzdC1zdXBhYmFzZS1rZXktMDE=', 'v1,whsec_aG9va29uY2UtdGVzdC1zdXBhYmFzZS1rZXktMDI=',
      'v1,whsec_aG9va29uY2UtdGVzdC1zdXBhYmFzZS1rZXktMDM='],
    signature: 'header:webhook-signature',
    covers: ['body', 'header:webhook-id', 'header:webhook-timestamp'],
    tolerance: 300,
    sign: signedSupabase,
    samples: [
      { body: '{"metadata":{"uuid":"8e6d3c2b-1111-4222-8333-aabbccddeeff","time":"2026-09-21T14:13:19.987654321Z",'
          + `"name":"before-user-created","ip_address":"192.0.2.7"},${USER}}`,
      id: '8e6d3c2b-1111-4222-8333-aabbccddeeff', type: 'before-user-created', at: '2026-09-21T14:13:19.987Z',
      object: '8484b834-f29e-4af2-bf42-80644d154f76' },
      { body: `{${USER},"sms":{"otp":"561166"}}`, id: ({ id }) => id, type: '',
          object: '8484b834-f29e-4af2-bf42-80644d154f76' },
    ],
    ok: { status: 200, type: 'application/json', body: '{}' },
    bad: { status: 401 },
    taken: [{ name: 'another attempt of the same call', request: ({ sign }) => sign(
      '{"metadata":{"uuid":"8e6d3c2b-1111-4222-8333-aabbccddeeff","time":"2026-09-21T14:13:19.987654321Z",'
      + `"name":"before-user-created","ip_address":"192.0.2.7"},${USER}}`) }],
  },
  {
    recipe: 'supabase-database',
    cite: 'supabase.com/docs/guides/database/webhooks: payload; the header is the operator\'s own',
    secrets: ['a-secret-of-our-own-1', 'a-secret-of-our-own-2', 'a-secret-of-our-own-3'],
    signature: 'header:authorization',
    covers: [],
    weak: 'token',
    again: true,
    sign: ({ key }) => ({ headers: { ...JSON_TYPE, authorization: `Bearer ${key}` } }),
    samples: [{ body: '{"type":"UPDATE","table":"orders","schema":"public","record":{"id":7,"status":"b"},'
      + '"old_record":{"id":7}}',
      type: 'UPDATE', object: 'public.orders.7' }],
    taken: [{ name: 'a header of its own', request: ({ key }) => ({ headers: { ...JSON_TYPE, 'x-webhook-secret': key },
      body: '{"type":"DELETE","table":"orders","schema":"public","record":null}' }) }],
    refused: [{ name: 'Basic in place of Bearer', request: ({ key }) => ({ headers: { authorization: `Basic ${key}` },
        body: '{}' }) }],
  },
];

// ------------------------------------------------------------------------------------------------------------------

export const signers = [
  {
    recipe: 'stripe',
    cite: 'stripe/stripe-node webhooks.generateTestHeaderString and signature.verifyHeader',
    secrets: ['whsec_b2ZmaWNpYWwtc3RyaXBlLXNlY3JldA==', 'whsec_another', 'whsec_b2ZmaWNpYWwtc3RyaXBlLXNlY3JldB=='],
    signature: 'header:stripe-signature',
    tolerance: 300,
    sign: judged('stripe'),
    samples: [
      { body: '{\n  "id": "evt_1NG8Du2eZvKYlo2CUI79vXWy",\n  "object": "event",\n  "account": null,'
        + '\n  "created": 1686089970,\n'
          + '  "data": {"object": {"id": "cs_1", "amount": 1.0, "url": "a\\/b 😀"}},'
          + '\n  "type": "checkout.session.completed"\n}',
      id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy', type: 'checkout.session.completed', at: '2023-06-06T22:19:30Z',
          object: 'cs_1' },
      { body: '{"id":"evt_connect_1","object":"event","account":"acct_1","created":1686089971,"livemode":true,'
          + '"data":{"object":{"id":"po_1"}},"type":"payout.paid"}',
      id: 'evt_connect_1', type: 'payout.paid', at: '2023-06-06T22:19:31Z', object: 'po_1' },
      { body: '{"id":"evt_65R9Ijk8dKEYZcXeRWn16R9A7j1FSQ3w3TGDPLLGSM4CW0","object":"v2.core.event",'
          + '"type":"v1.billing.meter.error_report_triggered","created":"2024-09-17T06:20:52.246Z",'
          + '"related_object":{"id":"mtr_test_61R9","type":"billing.meter"}}',
      id: 'evt_65R9Ijk8dKEYZcXeRWn16R9A7j1FSQ3w3TGDPLLGSM4CW0', type: 'v1.billing.meter.error_report_triggered',
      at: '2024-09-17T06:20:52.246Z', object: 'mtr_test_61R9' },
    ],
    taken: [{ name: 'several v1 while a secret is rolled', request: async ({ sign }) => {
      const request = await sign('{"id":"evt_rolled","type":"a"}');
      request.headers['stripe-signature'] = request.headers['stripe-signature'].replace(',v1=',
          `,v1=zz,v1=${'0'.repeat(64)},v1=`);
      return request;
    } }],
    refused: [{ name: 'only another scheme', request: async ({ sign }) => {
      const request = await sign('{"id":"evt_v0","type":"a"}');
      request.headers['stripe-signature'] = request.headers['stripe-signature'].replace('v1=', 'v0=');
      return request;
    } }],
  },
  {
    recipe: 'github',
    cite: 'octokit/webhooks-methods.js sign and verify',
    secrets: ["It's a Secret to Everybody", 'a second — 😀', "It's a secret to everybody"],
    signature: 'header:x-hub-signature-256',
    sign: judged('github', ({ sample, id }) => ({ ...(sample?.form && FORM_TYPE),
        'x-github-event': sample?.type ?? 'push',
      'x-github-delivery': id, 'user-agent': 'GitHub-Hookshot/044aadd' })),
    samples: [
      { body: '{ "ref" : "refs/heads/main",\n\t"n":1.0,"repository":{"id":1296269},'
        + '"pusher":{"name":"Plaça\\u001b[0m"} }  ',
        id: ({ id }) => id, type: 'push', object: '1296269' },
      { body: 'payload=' + encodeURIComponent('{"zen":"Keep it logically awesome.","hook_id":109948940,'
        + '"repository":{"id":2}}'),
        form: true, id: ({ id }) => id, type: 'ping', object: '2' },
    ],
    refused: [
      { name: 'SHA-1 alone', request: ({ key, id }) => ({ body: '{}', headers: { ...JSON_TYPE, 'x-github-event': 'push',
        'x-github-delivery': id, 'x-hub-signature': 'sha1=' + createHmac('sha1', key).update('{}').digest('hex') } }) },
      { name: 'no delivery id', request: async ({ sign }) => {
        const request = await sign('{}');
        delete request.headers['x-github-delivery'];
        return request;
      } },
    ],
  },
  {
    recipe: 'shopify',
    cite: 'Shopify/shopify-app-js shopify-api webhooks.validate; shopify.dev apps/build/webhooks',
    secrets: ['hush', 'shpss_2', 'hushh'],
    signature: 'header:x-shopify-hmac-sha256',
    sign: judged('shopify', ({ id }) => ({ 'x-shopify-webhook-id': id,
        'x-shopify-event-id': '98880550-7158-44d4-b7cd-2c97c8a091b5',
      'x-shopify-triggered-at': '2023-03-29T18:00:27.877041743Z' })),
    samples: [{ body: '{"id":820982911946154508,'
      + '"admin_graphql_api_id":"gid:\\/\\/shopify\\/Order\\/820982911946154508","total":"10.00"}',
      id: ({ id }) => id, type: 'orders/paid', at: '2023-03-29T18:00:27.877Z',
          object: 'gid://shopify/Order/820982911946154508' }],
    bad: { status: 401 },
    taken: [{ name: 'the same headers without x-', request: ({ key, id }) => ({ body: '{"id":1}',
        headers: { ...JSON_TYPE,
      'shopify-topic': 'orders/paid', 'shopify-webhook-id': id, 'shopify-hmac-sha256': hmac('sha256', key, 'base64',
          '{"id":1}') } }) }],
  },
  slack,
  {
    recipe: 'razorpay',
    cite: 'razorpay/razorpay-node validateWebhookSignature; razorpay.com/docs/webhooks/payloads/payments',
    secrets: ['a webhook secret, with blanks', 'second', 'a webhook secret,with blanks'],
    signature: 'header:x-razorpay-signature',
    sign: judged('razorpay', ({ id }) => ({ 'x-razorpay-event-id': id })),
    samples: [{ body: '{"entity":"event","account_id":"acc_BFQ7uQEaa7j2z7","event":"payment.captured",'
      + '"contains":["payment"],'
        + '"payload":{"payment":{"entity":{"id":"pay_DESlfW9H8K9uqM","amount":100,"notes":[],"fee":2}}},'
        + '"created_at":1567674606}',
    id: ({ id }) => id, type: 'payment.captured', at: '2019-09-05T09:10:06Z', object: 'pay_DESlfW9H8K9uqM' }],
    refused: [{ name: 'no event id', request: async ({ sign }) => {
      const request = await sign('{"event":"payment.captured"}');
      delete request.headers['x-razorpay-event-id'];
      return request;
    } }],
  },
  {
    recipe: 'paddle',
    cite: 'PaddleHQ/paddle-node-sdk webhooks.isSignatureValid; developer.paddle.com/webhooks/signature-verification',
    secrets: ['pdl_ntfset_01gkdqfd3phnqzv6n5wrgqz4ar_aaaa+/bb', 'pdl_ntfset_02',
        'pdl_ntfset_01gkdqfd3phnqzv6n5wrgqz4ar_aaaa+/bc'],
    signature: 'header:paddle-signature',
    tolerance: 300,
    sign: judged('paddle'),
    samples: [{ body: '{"event_id":"evt_01hv8x2b6rj7","event_type":"transaction.completed",'
      + '"occurred_at":"2024-04-12T10:18:49.621022Z",'
        + '"notification_id":"ntf_01hv8x2bb4","data":{"id":"txn_01hv8wptq8987qeep44cyrewp9",'
        + '"details":{"totals":{"tax":"0"}}}}',
    id: 'evt_01hv8x2b6rj7', type: 'transaction.completed', at: '2024-04-12T10:18:49.621Z',
        object: 'txn_01hv8wptq8987qeep44cyrewp9' }],
    ok: { status: 200 },
    taken: [
      { name: 'h1 before ts, and a second one', request: async ({ sign }) => {
        const request = await sign('{"event_id":"evt_order"}');
        const [ts, h1] = request.headers['paddle-signature'].split(';');
        request.headers['paddle-signature'] = `${h1};${ts};h1=${'0'.repeat(64)}`;
        return request;
      } },
    ],
    refused: [{ name: 'no ts', request: async ({ sign }) => {
      const request = await sign('{"event_id":"evt_no_ts"}');
      request.headers['paddle-signature'] = request.headers['paddle-signature'].split(';')[1];
      return request;
    } }],
  },
  ...twilios,
  ...mailguns,
  ...supabases,
];
