// Payments: Mercado Pago to Airwallex. Vectors that a provider or its library has published are posted as they are.
import { JSON_TYPE, digest, hmac } from './_tools.mjs';

const json = (headers) => ({ headers: { ...JSON_TYPE, ...headers } });
const posted = (body, headers) => ({ ...json(headers), body });
const bodyMac = (name, algorithm, encoding, prefix = '') => ({ key, body }) => json({
  [name]: prefix + hmac(algorithm, key, encoding, body) });
const token = (name) => ({ key }) => json({ [name]: key });
const bodyDigest = ({ sha }) => sha;

function midtrans({ key, body }) {
  const { order_id: order, status_code: status, gross_amount: amount } = JSON.parse(body);
  const mac = digest('sha512', 'hex', order, status, amount, key);
  return { headers: JSON_TYPE, body: body.toString().replace('"signature_key":""', `"signature_key":"${mac}"`) };
}

function mercadoPago({ key, t, id, sample }) {
  const resource = sample.resource;
  const text = [resource && `id:${resource.toLowerCase()};`, `request-id:${id};`, `ts:${t};`].filter(Boolean).join('');
  return { ...json({ 'x-request-id': id, 'x-signature': `ts=${t},v1=${hmac('sha256', key, 'hex', text)}` }),
    query: resource ? `data.id=${resource}&type=${sample.topic}` : '' };
}

const WORLDLINE_BODY = `{
  "apiVersion": "v1",
  "id": "8ee793f6-4553-4749-85dc-f2ef095c5ab0",
  "created": "2017-02-02T11:24:14.040+0100",
  "merchantId": "20000",
  "type": "payment.paid",
  "payment": {
    "id": "00000200000143570012",
    "paymentOutput": {
      "amountOfMoney": {
        "amount": 1000,
        "currencyCode": "EUR"
      },
      "references": {
        "paymentReference": "200001681810"
      },
      "paymentMethod": "bankTransfer",
      "bankTransferPaymentMethodSpecificOutput": {
        "paymentProductId": 11
      }
    },
    "status": "PAID",
    "statusOutput": {
      "isCancellable": false,
      "statusCategory": "COMPLETED",
      "statusCode": 1000,
      "statusCodeChangeDateTime": "20170202112414",
      "isAuthorized": true
    }
  }
}`;

const ANET_BODY = '{"notificationId":"182cbbff-cab2-4080-931d-80e5d818f23a",'
  + '"eventType":"net.authorize.payment.authcapture.created","eventDate":"2017-08-18T20:40:52.7722007Z",'
  + '"webhookId":"849eb87e-078a-4169-a34b-c0bded5019a8","payload":{"responseCode":0,"authCode":"Z3PV5H",'
  + '"avsResponse":"Y","authAmount":0.0,"entityName":"transaction","id":"40005915599"}}';

export const signers = [
  {
    recipe: 'mercado-pago',
    cite: 'npm mercadopago dist/utils/webhook: HMAC-SHA256 over id:…;request-id:…;ts:…; with what is there',
    secrets: ['a1f4bcfc9b5d3a7e2c', 'another-secret-signature', 'no-such-secret'],
    signature: 'header:x-signature',
    covers: ['query:data.id', 'header:x-request-id'],
    weak: 'body',
    sign: mercadoPago,
    samples: [{
      resource: '999999999', topic: 'payment',
      body: '{"id":12345,"live_mode":true,"type":"payment","date_created":"2015-03-25T10:04:58.396-04:00",'
        + '"user_id":44444,"api_version":"v1","action":"payment.created","data":{"id":"999999999"}}',
      id: ({ sha }) => `12345.${sha}`, type: 'payment.created', at: '2015-03-25T14:04:58.396Z', object: '999999999',
    }, {
      resource: 'ORD01JQ4S4KY8HWQ6NA5PXB65B3D3', topic: 'order',
      body: '{"action":"order.processed","type":"order","data":{"id":"ORD01JQ4S4KY8HWQ6NA5PXB65B3D3"}}',
      id: ({ sha }) => sha, type: 'order.processed', object: 'ORD01JQ4S4KY8HWQ6NA5PXB65B3D3',
    }],
    refused: [{ name: 'a body that names another payment', request: (context) => {
      const body = '{"id":12346,"action":"payment.created","data":{"id":"888888888"}}';
      return { ...mercadoPago({ ...context, sample: { resource: '999999999', topic: 'payment' } }), body };
    } }],
  },
  {
    recipe: 'paystack',
    cite: 'paystack.com/docs/payments/webhooks: hex HMAC-SHA512 of the body under the secret key',
    secrets: ['sk_test_0123456789abcdef', 'sk_test_another', 'sk_test_none'],
    signature: 'header:x-paystack-signature',
    sign: bodyMac('x-paystack-signature', 'sha512', 'hex'),
    samples: [{
      body: '{"event":"charge.success","data":{"id":302961,"domain":"live","status":"success",'
        + '"reference":"qTPrJoy9Bx","amount":10000,"paid_at":"2016-09-30T21:10:19.000Z","currency":"NGN"}}',
      id: bodyDigest, type: 'charge.success', at: '2016-09-30T21:10:19Z', object: 'qTPrJoy9Bx',
    }],
  },
  {
    recipe: 'flutterwave',
    cite: 'developer.flutterwave.com/v3.0/docs/webhooks: verif-hash is the secret hash itself',
    secrets: ['my-secret-hash', 'another-hash', 'no-such-hash'],
    signature: 'header:verif-hash',
    covers: [],
    weak: 'token',
    sign: token('verif-hash'),
    samples: [{
      body: '{"event":"charge.completed","data":{"id":285959875,"tx_ref":"Links-616626414629","amount":100,'
        + '"status":"successful","created_at":"2020-07-06T19:17:04.000Z"}}',
      id: bodyDigest, type: 'charge.completed', at: '2020-07-06T19:17:04Z', object: '285959875',
    }],
  },
  {
    recipe: 'flutterwave-v4',
    cite: 'developer.flutterwave.com/docs/webhooks: HMAC-SHA256 in base64 of the body under the secret hash',
    secrets: ['my-secret-hash', 'another-hash', 'no-such-hash'],
    signature: 'header:flutterwave-signature',
    sign: bodyMac('flutterwave-signature', 'sha256', 'base64'),
    samples: [{
      body: '{"webhook_id":"wbk_1","timestamp":1739456704200,"type":"charge.completed","data":{"id":"chg_1"}}',
      id: ({ sha }) => `wbk_1.${sha}`, type: 'charge.completed', at: 1739456704200, object: 'chg_1',
    }],
  },
  {
    recipe: 'xendit',
    cite: 'docs.xendit.co handling webhooks: x-callback-token is the verification token itself',
    secrets: ['eLEOKRWmSdL9N3PdTAdBgwKBxEjdSwKn', 'another-token', 'no-such-token'],
    signature: 'header:x-callback-token',
    covers: [],
    weak: 'token',
    sign: ({ key, id }) => json({ 'x-callback-token': key, 'webhook-id': id }),
    samples: [{
      body: '{"event":"payment.succeeded","business_id":"5f27a14a9bf05c73dd040bc8",'
        + '"created":"2020-08-29T09:12:33.001Z","data":{"id":"py-1fdaf346-dd2e-4b6c-b938-124c7167a822","amount":1000,'
        + '"currency":"PHP"}}',
      id: ({ id, sha }) => `${id}.${sha}`, type: 'payment.succeeded', at: '2020-08-29T09:12:33.001Z',
      object: 'py-1fdaf346-dd2e-4b6c-b938-124c7167a822',
    }],
  },
  {
    recipe: 'midtrans',
    cite: 'docs.midtrans.com/docs/https-notification-webhooks: SHA512(order_id + status_code + gross_amount + '
      + 'ServerKey)',
    secrets: ['SB-Mid-server-GwUP_WGbJPXsDzsNEBRs8IYA', 'SB-Mid-server-another', 'SB-Mid-server-none'],
    signature: 'json:/signature_key',
    covers: ['json:/order_id', 'json:/status_code', 'json:/gross_amount'],
    weak: 'fields',
    sign: midtrans,
    samples: [{
      body: '{"transaction_time":"2018-10-24 15:34:33","transaction_status":"pending",'
        + '"transaction_id":"6ee793df-9b1d-4343-8eda-cc9663b4222f","status_code":"201","signature_key":"",'
        + '"order_id":"test-transaction-321","gross_amount":"24145.00","currency":"IDR"}',
      id: ({ sha }) => `6ee793df-9b1d-4343-8eda-cc9663b4222f.${sha}`, type: 'pending', object: 'test-transaction-321',
    }],
  },
  {
    recipe: 'midtrans-payouts',
    cite: 'docs.midtrans.com/reference/notification-payload-1: Iris-Signature = SHA512(body + merchant key)',
    secrets: ['IRIS-merchant-0123456789', 'IRIS-merchant-another', 'IRIS-merchant-none'],
    signature: 'header:iris-signature',
    sign: ({ key, body }) => json({ 'iris-signature': digest('sha512', 'hex', body, key) }),
    samples: [{
      body: '{"reference_no":"83hgf882","amount":"10000.0","status":"completed","updated_at":"2017-11-23T12:11:51Z"}',
      id: bodyDigest, type: 'completed', at: '2017-11-23T12:11:51Z', object: '83hgf882',
    }],
  },
  {
    recipe: 'cashfree',
    cite: 'npm cashfree-pg PGVerifyWebhookSignature: HMAC-SHA256 in base64 over timestamp and body, nothing between',
    secrets: ['cfsk_ma_test_0123456789', 'cfsk_ma_test_another', 'cfsk_ma_test_none'],
    signature: 'header:x-webhook-signature',
    covers: ['body', 'header:x-webhook-timestamp'],
    sign: ({ key, body, t }) => json({ 'x-webhook-timestamp': `${t}000`,
      'x-webhook-signature': hmac('sha256', key, 'base64', `${t}000`, body) }),
    samples: [{
      body: '{"data":{"order":{"order_id":"order_OFR_2","order_amount":2.00},"payment":{"cf_payment_id":1453002795,'
        + '"payment_status":"SUCCESS"}},"event_time":"2022-01-11T12:20:29+05:30","type":"PAYMENT_SUCCESS_WEBHOOK"}',
      id: bodyDigest, type: 'PAYMENT_SUCCESS_WEBHOOK', at: '2022-01-11T06:50:29Z', object: 'order_OFR_2',
    }],
    refused: [{ name: 'with a point between', request: ({ key, t }) => posted('{}', { 'x-webhook-timestamp': `${t}000`,
      'x-webhook-signature': hmac('sha256', key, 'base64', `${t}000.{}`) }) },
    ...[1, 3, 12].map((n) => ({ name: `${n} digits of the time moved into the body`, request: ({ key, t }) => (
      { ...json({ 'x-webhook-timestamp': `${t}000`.slice(0, -n),
        'x-webhook-signature': hmac('sha256', key, 'base64', `${t}000{}`) }), body: `${t}000{}`.slice(13 - n) }) }))],
  },
  {
    recipe: 'revolut',
    cite: 'developer.revolut.com verify-the-payload-signature: v1= and HMAC-SHA256 over v1.timestamp.body',
    secrets: ['wsk_r59a4HfWVAKycbCaNO1RvgCJec02gRd8', 'wsk_another', 'wsk_none'],
    signature: 'header:revolut-signature',
    covers: ['body', 'header:revolut-request-timestamp'],
    tolerance: 300,
    sign: ({ key, body, t }) => json({ 'revolut-request-timestamp': `${t}000`,
      'revolut-signature': 'v1=' + hmac('sha256', key, 'hex', `v1.${t}000.`, body) }),
    samples: [{
      body: '{"event": "ORDER_COMPLETED","order_id": "9fc01989-3f61-4484-a5d9-ffe768531be9",'
        + '"merchant_order_ext_ref": "Test 3928"}',
      id: bodyDigest, type: 'ORDER_COMPLETED', object: '9fc01989-3f61-4484-a5d9-ffe768531be9',
    }],
    taken: [',', ', '].map((glue) => ({ name: `two signatures with "${glue}"`, request: ({ key, t }) => {
      const body = `{"event":"ORDER_AUTHORISED","order_id":"${glue.length}"}`;
      return posted(body, { 'revolut-request-timestamp': `${t}000`,
        'revolut-signature': ['older', key].map((k) => 'v1=' + hmac('sha256', k, 'hex',
          `v1.${t}000.${body}`)).join(glue) });
    } })),
  },
  {
    recipe: 'checkout-com',
    cite: 'checkout.com/docs/workflows/set-up-your-webhook-receiver: Cko-Signature, hex HMAC-SHA256 of the body',
    secrets: ['Bgxbxl6jOcwFkAkkrGUtP2rRJmSJJtzFpzKuMUIOFnY=', 'another-signature-key', 'no-such-key'],
    signature: 'header:cko-signature',
    sign: bodyMac('cko-signature', 'sha256', 'hex'),
    samples: [{
      body: '{"id":"evt_az5sblvku4ge3dwpztvyizgcau","type":"payment_approved","version":"1.0.0",'
        + '"created_on":"2018-04-10T20:13:30Z","data":{"id":"pay_mbabizu24mvu3mela5njyhpit4","amount":6540}}',
      id: 'evt_az5sblvku4ge3dwpztvyizgcau', type: 'payment_approved', at: '2018-04-10T20:13:30Z',
      object: 'pay_mbabizu24mvu3mela5njyhpit4',
    }, { body: '{"type":"authentication_failed","created_on":"2018-04-10T20:13:30Z",\n"reason":"x"}}',
      id: bodyDigest }],
  },
  {
    recipe: 'authorize-net',
    cite: 'stymiee/authnetjson tests/AuthnetWebhookTest.php: sha512= and upper-case HMAC-SHA512 under the key as text',
    secrets: ['52CB4A002C634B84E397DC8A218E1A160BA7CAB7CBE4C05B35E9CBB05E14FE4A'
        + '2385812E980CCF97D177F17863CE214D1BE6CE8E1E894487AACF3609C1A5FE17',
      'AB'.repeat(64), 'CD'.repeat(64)],
    signature: 'header:x-anet-signature',
    anyCase: true,
    sign: ({ key, body }) => json({ 'x-anet-signature': 'sha512=' + hmac('sha512', key, 'hex', body).toUpperCase() }),
    samples: [{ body: ANET_BODY, id: '182cbbff-cab2-4080-931d-80e5d818f23a',
      type: 'net.authorize.payment.authcapture.created',
      at: '2017-08-18T20:40:52.772Z', object: '40005915599' }],
    taken: [{ name: 'the test of the library', request: () => posted(ANET_BODY,
      { 'x-anet-signature': 'sha512=A1E0CC0F8A7B6274E0951CAC5EB63579F70FC6B7B15384B146DCE02B98DEE395'
      + '4A5A8E331661B51DE953E141E88994DFA7D267FFB8428BE0660511B6EFB94960' }) }],
  },
  {
    recipe: 'worldpay',
    cite: 'developer.worldpay.com/products/events/signature: keyId/SHA256/HMAC, several with commas between',
    secrets: ['worldpay-shared-secret', 'another-shared-secret', 'no-such-secret'],
    signature: 'header:event-signature',
    anyCase: true,
    bad: { status: 400 },
    sign: bodyMac('event-signature', 'sha256', 'hex', '1/SHA256/'),
    samples: [{
      body: '{"eventId":"c7c41d7e-07f2-4b5a-bb24-ee1f9d9d9d7d","eventTimestamp":"2018-12-10T15:59:50.301Z",'
        + '"eventDetails":{"classification":"payment","transactionReference":"2c8bc9ba","type":"sentForSettlement",'
        + '"date":"2018-12-10"}}',
      id: ({ sha }) => `c7c41d7e-07f2-4b5a-bb24-ee1f9d9d9d7d.${sha}`, type: 'sentForSettlement',
        at: '2018-12-10T15:59:50.301Z',
      object: '2c8bc9ba',
    }],
    taken: [{ name: 'two signatures', request: ({ key }) => posted('{"eventId":"2"}', { 'event-signature':
      ['older', key].map((k, n) => `${n + 1}/SHA256/${hmac('sha256', k, 'hex', '{"eventId":"2"}')}`).join(',') }) }],
    refused: [{ name: 'another digest', request: ({ key }) => posted('{"eventId":"3"}', {
      'event-signature': '1/SHA1/' + hmac('sha256', key, 'hex', '{"eventId":"3"}') }) }],
  },
  {
    recipe: 'worldline',
    cite: 'npm connect-sdk-nodejs lib/v1/webhooks/validation.js: X-GCS-Signature, HMAC-SHA256 in base64 of the body',
    secrets: ['hello+world', 'another-secret-key', 'no-such-secret-key'],
    signature: 'header:x-gcs-signature',
    sign: ({ key, body }) => json({ 'x-gcs-signature': hmac('sha256', key, 'base64', body),
      'x-gcs-keyid': 'dummy-key-id' }),
    samples: [{ body: WORLDLINE_BODY, id: '8ee793f6-4553-4749-85dc-f2ef095c5ab0', type: 'payment.paid',
      object: '00000200000143570012' }],
    taken: [{ name: '__tests__/unit/webhooks/webhooks.test.ts of the library', request: () => posted(WORLDLINE_BODY, {
      'x-gcs-signature': '2S7doBj/GnJnacIjSJzr5fxGM5xmfQyFAwxv1I53ZEk=', 'x-gcs-keyid': 'dummy-key-id' }) }],
    hellos: [{
      name: 'the check of the endpoint',
      request: () => ({ method: 'GET', headers: { 'x-gcs-webhooks-endpoint-verification': 'c19a4b6d-51a0-4d1e' } }),
      expect: { status: 200, type: 'text/plain', body: 'c19a4b6d-51a0-4d1e' },
    }],
  },
  {
    recipe: 'qonto',
    cite: 'docs.qonto.com/guides/webhooks/setup: t= and v1=, HMAC-SHA256 over timestamp.body',
    secrets: ['qonto-subscription-secret', 'another-secret', 'no-such-secret'],
    signature: 'header:x-qonto-signature',
    tolerance: 300,
    sign: ({ key, body, t }) => json({ 'x-qonto-signature': `t=${t},v1=${hmac('sha256', key, 'hex', `${t}.`, body)}` }),
    samples: [{ body: '{"event":"transactions.created","data":{"id":"7b7a5ed6-3903-4782-889d-b4f64bd7bef9"}}',
      id: bodyDigest, type: 'transactions.created', object: '7b7a5ed6-3903-4782-889d-b4f64bd7bef9' }],
  },
  {
    recipe: 'qonto-onboarding',
    cite: 'docs.qonto.com/api-reference/onboarding-api/webhooks: hex HMAC-SHA256 of the body, with an example',
    secrets: ['secret_key', 'another_secret_key', 'no_such_key'],
    signature: 'header:qonto-sha256-signature',
    sign: bodyMac('qonto-sha256-signature', 'sha256', 'hex'),
    samples: [{
      body: '{"id":"75341dcb-0376-474d-97d7-d2c03ff3973d","event_type":"registrations.approved",'
        + '"resource_type":"registration","resource_id":"525817f7-93e8-4f31-a83d-20319778b4b0",'
        + '"created_at":"2022-08-29T13:17:33Z"}',
      id: '75341dcb-0376-474d-97d7-d2c03ff3973d', type: 'registrations.approved', at: '2022-08-29T13:17:33Z',
      object: 'registration:525817f7-93e8-4f31-a83d-20319778b4b0',
    }],
    taken: [{ name: 'the example of the page', request: () => posted(
      '{"id":"75341dcb-0376-474d-97d7-d2c03ff3973c","event_type":"registrations.pending",'
        + '"resource_type":"registration","resource_id":"525817f7-93e8-4f31-a83d-20319778b4b0",'
        + '"created_at":"2022-08-29T13:17:32Z"}',
      { 'qonto-sha256-signature': 'b0d249e653f1310fa5b7f26d5682548afa1799353b92fcafd4cacbd90312023e' }) }],
  },
  {
    recipe: 'zoho-payments',
    cite: 'zoho.com payments/developerdocs/webhooks/verification: t= in milliseconds and v=, HMAC-SHA256 over t.body',
    secrets: ['zoho-signing-key', 'another-signing-key', 'no-such-key'],
    signature: 'header:x-zoho-webhook-signature',
    tolerance: 300,
    sign: ({ key, body, t }) => json({
      'x-zoho-webhook-signature': `t=${t}423,v=${hmac('sha256', key, 'hex', `${t}423.`, body)}` }),
    samples: [{
      body: '{ "event_id": 9973000000138072, "event_type": "payment.succeeded", "account_id": 105078477, '
        + '"live_mode": false, "event_time": 1756096975624, "event_object": { "payment": { "payment_id": '
        + '"9973000000138050" } } }',
      id: '9973000000138072', type: 'payment.succeeded', at: 1756096975624, object: '9973000000138050',
    }],
  },
  {
    recipe: 'airwallex',
    cite: 'airwallex.com docs/developer-tools/webhooks, code examples: hex HMAC-SHA256 over x-timestamp and body',
    secrets: ['whsec_cuMkO6zxhKzLfQ', 'another-secret', 'no-such-secret'],
    signature: 'header:x-signature',
    covers: ['body', 'header:x-timestamp'],
    sign: ({ key, body, t }) => json({ 'x-timestamp': `${t}000`, 'x-signature': hmac('sha256', key, 'hex', `${t}000`,
      body) }),
    samples: [{
      body: '{"id":"evt_hkdmr7v9rg1j58ky8re","name":"payment_intent.succeeded","account_id":"acct_1",'
        + '"data":{"object":{"id":"int_hkdmtczmdg0vq5j7hof","amount":100.0}},"created_at":"2022-08-31T06:30:00Z"}',
      id: 'evt_hkdmr7v9rg1j58ky8re', type: 'payment_intent.succeeded', at: '2022-08-31T06:30:00Z',
      object: 'int_hkdmtczmdg0vq5j7hof',
    }],
  },
];
