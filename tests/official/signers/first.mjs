// The first providers; where they have libraries, those sign, or judge what is signed by hand.
import assert from 'node:assert/strict';

import { JUDGES } from '../judges.mjs';
import { FORM_TYPE, JSON_TYPE, form, hmac } from './_tools.mjs';

const idOf = ({ id }) => id;

/** Signs as judges.mjs does, and has the provider's library look at it. */
function judged(name, more = () => ({})) {
  const judge = JUDGES[name];
  return async ({ key, body, ...context }) => {
    const headers = { ...await judge.sign(key, body, context), ...more(context) };
    const inTime = Math.abs(context.t - Date.now() / 1000) < (judge.tolerance ?? 300) - 2;
    if (inTime && body.length) {
      assert.equal(await judge.takes(key, body, headers), true, `${name}'s own library refuses it`);
    }
    return { headers };
  };
}

/** A further request: a genuine one whose header was changed; undefined takes it out. */
function changed(body, header, change) {
  return async ({ sign }) => {
    const request = await sign(body);
    const { [header]: value, ...headers } = request.headers;
    const other = change?.(value);
    return { ...request, headers: other === undefined ? headers : { ...headers, [header]: other } };
  };
}

const stripe = {
  recipe: 'stripe',
  cite: 'stripe/stripe-node webhooks.generateTestHeaderString and signature.verifyHeader',
  secrets: ['whsec_b2ZmaWNpYWwtc3RyaXBlLXNlY3JldA==', 'whsec_another', 'whsec_b2ZmaWNpYWwtc3RyaXBlLXNlY3JldB=='],
  signature: 'header:stripe-signature',
  tolerance: 300,
  sign: judged('stripe'),
  samples: [
    { body: '{\n  "id": "evt_1NG8Du2eZvKYlo2CUI79vXWy",\n  "object": "event",\n  "account": null,\n'
        + '  "created": 1686089970,\n  "data": {"object": {"id": "cs_1", "amount": 1.0, "url": "a\\/b 😀"}},\n'
        + '  "type": "checkout.session.completed"\n}',
      id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy', type: 'checkout.session.completed', at: '2023-06-06T22:19:30Z',
      object: 'cs_1' },
    { body: '{"id":"evt_connect_1","object":"event","account":"acct_1","created":1686089971,"livemode":true,'
        + '"data":{"object":{"id":"po_1"}},"type":"payout.paid"}',
      id: 'evt_connect_1', type: 'payout.paid', at: '2023-06-06T22:19:31Z', object: 'po_1' },
    { body: '{"id":"evt_65R9Ijk8","object":"v2.core.event","type":"v1.billing.meter.error_report_triggered",'
        + '"created":"2024-09-17T06:20:52.246Z","related_object":{"id":"mtr_test_61R9","type":"billing.meter"}}',
      id: 'evt_65R9Ijk8', type: 'v1.billing.meter.error_report_triggered', at: '2024-09-17T06:20:52.246Z',
      object: 'mtr_test_61R9' },
  ],
  taken: [{ name: 'several v1 while a secret is rolled',
    request: changed('{"id":"evt_rolled","type":"a"}', 'stripe-signature', (value) => (
      value.replace(',v1=', `,v1=zz,v1=${'0'.repeat(64)},v1=`))) }],
  refused: [{ name: 'only another scheme',
    request: changed('{"id":"evt_v0","type":"a"}', 'stripe-signature', (value) => value.replace('v1=', 'v0=')) }],
};

const github = {
  recipe: 'github',
  cite: 'octokit/webhooks-methods.js sign and verify',
  secrets: ["It's a Secret to Everybody", 'a second — 😀', "It's a secret to everybody"],
  signature: 'header:x-hub-signature-256',
  sign: judged('github', ({ sample, id }) => ({
    ...(sample?.form && FORM_TYPE), 'x-github-event': sample?.type ?? 'push', 'x-github-delivery': id,
    'user-agent': 'GitHub-Hookshot/044aadd' })),
  samples: [
    { body: '{ "ref" : "refs/heads/main",\n\t"n":1.0,"repository":{"id":1296269},"x":"Plaça\\u001b[0m" }  ',
      id: idOf, type: 'push', object: '1296269' },
    { body: form({ payload: '{"zen":"Keep it logically awesome.","hook_id":109948940,"repository":{"id":2}}' }),
      form: true, id: idOf, type: 'ping', object: '2' },
  ],
  refused: [
    { name: 'SHA-1 alone',
      request: ({ key, id }) => ({ body: '{}', headers: { ...JSON_TYPE, 'x-github-event': 'push',
        'x-github-delivery': id, 'x-hub-signature': 'sha1=' + hmac('sha1', key, 'hex', '{}') } }) },
    { name: 'no delivery id', request: changed('{}', 'x-github-delivery') },
  ],
};

const shopify = {
  recipe: 'shopify',
  cite: 'Shopify/shopify-app-js shopify-api webhooks.validate; shopify.dev apps/build/webhooks',
  secrets: ['hush', 'shpss_2', 'hushh'],
  signature: 'header:x-shopify-hmac-sha256',
  sign: judged('shopify', ({ id }) => ({
    'x-shopify-webhook-id': id, 'x-shopify-event-id': '98880550-7158-44d4-b7cd-2c97c8a091b5',
    'x-shopify-triggered-at': '2023-03-29T18:00:27.877041743Z' })),
  samples: [{
    body: '{"id":820982911946154508,"admin_graphql_api_id":"gid:\\/\\/shopify\\/Order\\/820982911946154508","x":"1.0"}',
    id: idOf, type: 'orders/paid', at: '2023-03-29T18:00:27.877Z', object: 'gid://shopify/Order/820982911946154508' }],
  bad: { status: 401 },
  taken: [{ name: 'the same headers without x-',
    request: ({ key, id }) => ({ body: '{"id":1}', headers: { ...JSON_TYPE, 'shopify-topic': 'orders/paid',
      'shopify-webhook-id': id, 'shopify-hmac-sha256': hmac('sha256', key, 'base64', '{"id":1}') } }) }],
  refused: [{ name: 'a digest in hex', request: ({ key, id }) => ({ body: '{"id":1}', headers: { ...JSON_TYPE,
    'x-shopify-topic': 'orders/paid', 'x-shopify-webhook-id': id,
    'x-shopify-hmac-sha256': hmac('sha256', key, 'hex', '{"id":1}') } }) }],
};

// ---- Slack: the same signature over events, commands and what people click ------------------------------------

const COMMAND = form({ team_id: 'T0001', channel_id: 'C2147483705', user_id: 'U2147483697', command: '/weather',
  text: '94070 Plaça 😀', response_url: 'https://hooks.slack.com/commands/1234/5678', api_app_id: 'A123456',
  trigger_id: '13345224609.738474920.8088930838d88f008e0' });
const CLICK = form({ payload: JSON.stringify({ type: 'block_actions', team: { id: 'T9TK3CUKW' }, api_app_id: 'AABA1',
  trigger_id: '12321423423.333649436676.d8c1bb83', actions: [{ action_id: 'WaXA', block_id: '=qXel' }] }) });
const CLOSED = form({ payload: JSON.stringify({ type: 'view_closed', team: { id: 'T1' }, view: { id: 'V1' } }) });
const CHALLENGE = '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P';
const VERIFICATION = JSON.stringify({ token: 'Jhj5dZrVaK7ZwHH', type: 'url_verification', challenge: CHALLENGE });

const slack = {
  recipe: 'slack',
  cite: 'slackapi/bolt-js src/receivers/verify-request.ts; docs.slack.dev: events-api, slash-commands, interactivity',
  secrets: ['8f742231b10e8888abcd99yyyzzz85a5', 'e6b19c573432dcc6b075501d51b51bb8', '0f742231b10e8888abcd99yyyzzz85a5'],
  signature: 'header:x-slack-signature',
  covers: ['body', 'header:x-slack-request-timestamp'],
  tolerance: 300,
  sign: judged('slack', ({ sample }) => (sample?.form ? FORM_TYPE : {})),
  samples: [
    { body: '{"token":"z26uFbvR1xHJEdHE1OQiO6t8","team_id":"T123ABC456","api_app_id":"A123ABC456",'
        + '"event":{"type":"app_mention","user":"U1","text":"What is the hour of the pearl, <@U0LAN0Z89>?",'
        + '"ts":"1515449522.000016","channel":"C123ABC456","event_ts":"1515449522000016"},"type":"event_callback",'
        + '"event_id":"Ev123ABC456","event_time":1515449522}',
      id: 'Ev123ABC456', type: 'app_mention', at: '2018-01-08T22:12:02Z', object: 'C123ABC456:1515449522.000016' },
    { body: '{"token":"Jhj5dZrVaK7ZwHHjRyZWjbDl","type":"app_rate_limited","minute_rate_limited":1518467820}',
      id: ({ sha }) => sha, type: 'app_rate_limited' },
    { body: COMMAND, form: true, id: '13345224609.738474920.8088930838d88f008e0', type: '/weather' },
    { body: CLICK, form: true, id: '12321423423.333649436676.d8c1bb83', type: 'block_actions' },
    { body: CLOSED, form: true, id: ({ sha }) => sha, type: 'view_closed' },
  ],
  ok: { status: 200, body: '' },
  hellos: [
    { name: 'url_verification', request: ({ sign }) => sign(VERIFICATION),
      expect: { status: 200, type: 'text/plain', body: CHALLENGE } },
    { name: 'ssl_check', request: () => ({ headers: FORM_TYPE, body: 'token=x&ssl_check=1&command=%2Fweather' }),
      expect: { status: 200, body: '' } },
  ],
  refused: [
    { name: 'a challenge that nobody signed', request: () => ({ headers: JSON_TYPE, body: VERIFICATION }) },
    { name: 'ssl_check in JSON', request: () => ({ headers: JSON_TYPE, body: '{"ssl_check":1,"event_id":"Ev1"}' }) },
  ],
};

const razorpay = {
  recipe: 'razorpay',
  cite: 'razorpay/razorpay-node validateWebhookSignature; razorpay.com/docs/webhooks/payloads/payments',
  secrets: ['a webhook secret, with blanks', 'second', 'a webhook secret,with blanks'],
  signature: 'header:x-razorpay-signature',
  sign: judged('razorpay', ({ id }) => ({ 'x-razorpay-event-id': id })),
  samples: [{
    body: '{"entity":"event","account_id":"acc_BFQ7uQEaa7j2z7","event":"payment.captured","contains":["payment"],'
      + '"payload":{"payment":{"entity":{"id":"pay_DESlfW9H8K9uqM","amount":100,"notes":[]}}},"created_at":1567674606}',
    id: idOf, type: 'payment.captured', at: '2019-09-05T09:10:06Z', object: 'pay_DESlfW9H8K9uqM' }],
  refused: [{ name: 'no event id', request: changed('{"event":"payment.captured"}', 'x-razorpay-event-id') }],
};

const paddle = {
  recipe: 'paddle',
  cite: 'PaddleHQ/paddle-node-sdk webhooks.isSignatureValid; developer.paddle.com/webhooks/signature-verification',
  secrets: ['pdl_ntfset_01gkdqfd3_aaaa+/bb', 'pdl_ntfset_02', 'pdl_ntfset_01gkdqfd3_aaaa+/bc'],
  signature: 'header:paddle-signature',
  tolerance: 300,
  sign: judged('paddle'),
  samples: [{
    body: '{"event_id":"evt_01hv8x2b6rj7","event_type":"transaction.completed",'
      + '"occurred_at":"2024-04-12T10:18:49.621022Z","notification_id":"ntf_01hv8x2bb4",'
      + '"data":{"id":"txn_01hv8wptq898","details":{"totals":{"tax":"0"}}}}',
    id: 'evt_01hv8x2b6rj7', type: 'transaction.completed', at: '2024-04-12T10:18:49.621Z',
    object: 'txn_01hv8wptq898' }],
  ok: { status: 200 },
  taken: [{ name: 'h1 before ts, and a second one',
    request: changed('{"event_id":"evt_order"}', 'paddle-signature', (value) => (
      [...value.split(';').reverse(), 'h1=' + '0'.repeat(64)].join(';'))) }],
  refused: [{ name: 'no ts',
    request: changed('{"event_id":"evt_no_ts"}', 'paddle-signature', (value) => value.split(';')[1]) }],
};

// ---- Supabase ---------------------------------------------------------------------------------------------------

const USER_ID = '8484b834-f29e-4af2-bf42-80644d154f76';
const CREATED = '{"metadata":{"uuid":"8e6d3c2b-1111-4222-8333-aabbccddeeff","time":"2026-09-21T14:13:19.987654321Z",'
  + `"name":"before-user-created","ip_address":"192.0.2.7"},"user":{"id":"${USER_ID}","email":"user@example.test"}}`;

const supabase = {
  recipe: 'supabase',
  cite: 'supabase/auth internal/hooks/hookshttp/hookshttp.go: Standard Webhooks, joined by ", ", a fresh id each time',
  secrets: ['v1,whsec_aG9va29uY2UtdGVzdC1zdXBhYmFzZS1rZXktMDE=', 'v1,whsec_aG9va29uY2UtdGVzdC1zdXBhYmFzZS1rZXktMDI=',
    'v1,whsec_aG9va29uY2UtdGVzdC1zdXBhYmFzZS1rZXktMDM='],
  signature: 'header:webhook-signature',
  covers: ['body', 'header:webhook-id', 'header:webhook-timestamp'],
  tolerance: 300,
  sign({ key, body, t, id }) {
    const bytes = Buffer.from(key.replace('v1,whsec_', ''), 'base64');
    return { headers: { ...JSON_TYPE, 'webhook-id': id, 'webhook-timestamp': String(t),
      'webhook-signature': 'v1,' + hmac('sha256', bytes, 'base64', `${id}.${t}.`, body) } };
  },
  samples: [
    { body: CREATED, id: '8e6d3c2b-1111-4222-8333-aabbccddeeff', type: 'before-user-created',
      at: '2026-09-21T14:13:19.987Z', object: USER_ID },
    { body: `{"user":{"id":"${USER_ID}"},"sms":{"otp":"561166"}}`, id: idOf, type: '', object: USER_ID },
  ],
  ok: { status: 200, type: 'application/json', body: '{}' },
  bad: { status: 401 },
  taken: [
    { name: 'another attempt of the same call', request: ({ sign }) => sign(CREATED) },
    { name: 'signatures by several secrets, a comma and a blank between',
      request: changed('{}', 'webhook-signature', (value) => `v1,${'A'.repeat(43)}=, ${value}, v1,AAAA`) },
  ],
};

const supabaseDatabase = {
  recipe: 'supabase-database',
  cite: "supabase.com/docs/guides/database/webhooks: the payload; the header is the operator's own",
  secrets: ['a-secret-of-our-own-1', 'a-secret-of-our-own-2', 'a-secret-of-our-own-3'],
  signature: 'header:authorization',
  covers: [],
  weak: 'token',
  again: true,
  sign: ({ key }) => ({ headers: { ...JSON_TYPE, authorization: `Bearer ${key}` } }),
  samples: [{
    body: '{"type":"UPDATE","table":"orders","schema":"public","record":{"id":7,"status":"b"},"old_record":{"id":7}}',
    type: 'UPDATE', object: 'public.orders.7' }],
  taken: [{ name: 'a header of its own', request: ({ key }) => ({ headers: { ...JSON_TYPE, 'x-webhook-secret': key },
    body: '{"type":"DELETE","table":"orders","schema":"public","record":null}' }) }],
  refused: [{ name: 'Basic in place of Bearer',
    request: ({ key }) => ({ headers: { authorization: `Basic ${key}` }, body: '{}' }) }],
};

export const signers = [stripe, github, shopify, slack, razorpay, paddle, supabase, supabaseDatabase];
