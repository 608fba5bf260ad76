// Payments: Square to Recurly. Vectors that a provider or its library has published are posted as they are.
import { createHmac, sign as signature } from 'node:crypto';
import { crc32 } from 'node:zlib';

import { RSA } from './_keys.mjs';
import { FORM_TYPE, JSON_TYPE, digest, form, hmac } from './_tools.mjs';

const json = (headers) => ({ headers: { ...JSON_TYPE, ...headers } });
const posted = (body, headers) => ({ ...json(headers), body });
const ADYEN = '/notificationItems/0/NotificationRequestItem';

// ---- Adyen ----------------------------------------------------------------------------------------------

const adyenText = (item) => [item.pspReference, item.originalReference, item.merchantAccountCode,
  item.merchantReference,
  item.amount.value, item.amount.currency, item.eventCode, item.success].map((part) => part ?? '').join(':');

/** The body with the signature of its item put in. */
function adyen({ key, body }) {
  const item = JSON.parse(body).notificationItems[0].NotificationRequestItem;
  const mac = hmac('sha256', Buffer.from(key, 'hex'), 'base64', adyenText(item));
  return { headers: JSON_TYPE, body: body.toString().replace('"hmacSignature":""', `"hmacSignature":"${mac}"`) };
}

const adyenBody = (item, ...more) => '{"live":"false","notificationItems":[' + [item, ...more].map((one) => (
  `{"NotificationRequestItem":${one}}`)).join(',') + ']}';

const adyenItem = (signed, rest) => `{"additionalData":{"hmacSignature":"${signed}"},${rest}}`;

const ADYEN_ITEM = '"amount":{"currency":"EUR","value":113000},"eventCode":"AUTHORISATION",'
  + '"eventDate":"2020-01-08T12:00:00+01:00","merchantAccountCode":"PHPApiLibrary","merchantReference":"auth:123",'
  + '"originalReference":"","paymentMethod":"visa","pspReference":"TEST_CUSTOM_7914073381342284","reason":"",'
  + '"success":"true"';

// ---- Braintree --------------------------------------------------------------------------------------------

const braintreeMac = (key, text) => createHmac('sha1', digest('sha1', undefined, key)).update(text).digest('hex');
const braintreeForm = (key, payload, publicKey) => form({
  bt_signature: `${publicKey}|${braintreeMac(key, payload)}`, bt_payload: payload });

// ---- Hook0 ------------------------------------------------------------------------------------------------

function hook0({ key, body, t, id, sample, v0 }) {
  const headers = { ...JSON_TYPE, 'x-event-id': id, 'x-event-type': sample?.type ?? 'order.paid' };
  const names = Object.keys(headers);
  const mac = hmac('sha256', key, 'hex', `${t}.${names.join(' ')}.${Object.values(headers).join('.')}.`, body);
  const older = v0 ? `v0=${hmac('sha256', key, 'hex', `${t}.`, body)},` : '';
  return { headers: { ...headers, 'x-hook0-signature': `t=${t},${older}h=${names.join(' ')},v1=${mac}` }, body };
}

const HOOK0 = {
  signature: 'header:x-hook0-signature',
  covers: ['body', 'header:x-event-id', 'header:x-event-type', 'header:content-type'],
  tolerance: 300,
  sign: hook0,
};

const paypal = ({ key, body, t, id, params, algorithm = 'SHA256withRSA' }) => {
  const time = new Date(t * 1000).toISOString();
  const text = `${id}|${time}|${params['webhook-id']}|${crc32(body)}`;
  return json({ 'paypal-auth-algo': algorithm, 'paypal-auth-version': 'v2', 'paypal-transmission-id': id,
    'paypal-transmission-time': time,
      'paypal-cert-url': 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-1d93a270',
    'paypal-transmission-sig': signature('RSA-SHA256', text, key).toString('base64') });
};

const bodyMac = (name, algorithm, encoding, prefix = '') => ({ key, body }) => json({
  [name]: prefix + hmac(algorithm, key, encoding, body) });

export const signers = [
  {
    recipe: 'square',
    cite: 'square/square-nodejs-sdk src/wrapper/WebhooksHelper.ts: HMAC-SHA256 in base64 over notification URL and '
      + 'body',
    secrets: ['asdf1234', 'Ibxx_5AKakO-3qeNVR61Dw', 'no-such-signature-key'],
    url: 'https://webhook.site/679a4f3a-dcfa-49ee-bac5-9d0edad886b9',
    signature: 'header:x-square-hmacsha256-signature',
    coversUrl: true,
    sign: ({ key, body, url }) => json({ 'x-square-hmacsha256-signature': hmac('sha256', key, 'base64', url, body) }),
    samples: [{
      body: '{"merchant_id":"MLEFBHHSJGVHD","type":"payment.created",'
        + '"event_id":"6a8f5f28-54a1-4eb0-a98a-3111513fd4fc","created_at":"2020-02-06T21:27:34.308Z",'
        + '"data":{"type":"payment","id":"KkAkhdMsgzn59SM8A89WgKwekxLZY"}}',
      id: '6a8f5f28-54a1-4eb0-a98a-3111513fd4fc', type: 'payment.created', at: '2020-02-06T21:27:34.308Z',
      object: 'KkAkhdMsgzn59SM8A89WgKwekxLZY',
    }],
    taken: [{ name: 'tests/integration/webhooks.test.ts of the SDK', request: () => posted(
      '{"merchant_id":"MLEFBHHSJGVHD","type":"webhooks.test_notification",'
        + '"event_id":"ac3ac95b-f97d-458c-a6e6-18981597e05f","created_at":"2022-07-13T20:30:59.037339943Z",'
        + '"data":{"type":"webhooks","id":"bc368e64-01aa-407e-b46e-3231809b1129"}}',
      { 'x-square-hmacsha256-signature': 'GF4YkrJgGBDZ9NIYbNXBnMzqb2HoL4RW/S6vkZ9/2N4=' }) }],
  },
  {
    recipe: 'paypal',
    cite: 'paypal/PayPal-Python-SDK paypalrestsdk/notifications.py: RSA-SHA256 over id|time|webhook id|CRC-32 of the '
      + 'body',
    secrets: RSA.map((pair) => ({ secret: pair.pem, key: pair.private })),
    params: { 'webhook-id': '5GP028458E2496506' },
    signature: 'header:paypal-transmission-sig',
    covers: ['body', 'header:paypal-transmission-id', 'header:paypal-transmission-time'],
    weak: 'body',
    sign: paypal,
    samples: [{
      body: '{"id":"WH-2WR32451HC0233532-67976317FL4543714","create_time":"2014-10-23T17:23:52Z",'
        + '"resource_type":"sale","event_type":"PAYMENT.SALE.COMPLETED","summary":"A successful sale payment was '
        + 'made for $ 0.48 USD","resource":{"id":"80021663DE681814L","amount":{"total":"0.48","currency":"USD"}}}',
      id: 'WH-2WR32451HC0233532-67976317FL4543714', type: 'PAYMENT.SALE.COMPLETED', at: '2014-10-23T17:23:52Z',
      object: '80021663DE681814L',
    }],
    refused: ['SHA1withRSA', 'none', ''].map((algorithm) => ({ name: `algorithm "${algorithm}"`, request: (context) => {
      const body = Buffer.from('{"id":"WH-1","event_type":"PAYMENT.SALE.COMPLETED"}');
      return { ...paypal({ ...context, body, algorithm }), body };
    } })),
  },
  {
    recipe: 'adyen',
    cite: 'Adyen/adyen-php-api-library src/Adyen/Util/HmacSignature.php: HMAC-SHA256 under the hex key over eight '
      + 'fields',
    secrets: ['C56F00E99723D90F65254B00746844BED11BCDD0DD42B26EC980DC1301C6CD20',
      'DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00',
      '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056'],
    signature: `json:${ADYEN}/additionalData/hmacSignature`,
    covers: ['pspReference', 'merchantAccountCode', 'merchantReference', 'amount/value', 'amount/currency', 'eventCode',
      'success'].map((name) => `json:${ADYEN}/${name}`),
    weak: 'fields',
    sign: adyen,
    ok: { status: 200, type: 'text/plain', body: '[accepted]' },
    samples: [{
      body: adyenBody(adyenItem('', ADYEN_ITEM)),
      id: 'TEST_CUSTOM_7914073381342284-AUTHORISATION-true', type: 'AUTHORISATION', at: '2020-01-08T11:00:00Z',
      object: 'TEST_CUSTOM_7914073381342284',
    }, {
      body: adyenBody(adyenItem('', '"amount" : {"value": 0,"currency":"EUR"},"eventCode":"REFUND",'
        + '"eventDate":"2021-01-08T12:00:00Z","merchantAccountCode":"T\\u00e9st","merchantReference":"a\\/b",'
        + '"originalReference":"8313842560770001","pspReference":"7914073381342285","success":"false"')),
      id: '7914073381342285-REFUND-false', type: 'REFUND', at: '2021-01-08T12:00:00Z', object: '8313842560770001',
    }],
    taken: [
      { name: 'tests/Unit/Util/HmacSignatureTest.php of the library', request: () => posted(adyenBody(adyenItem(
        'ovT21mqdbQToGbWssIhnBXAlnkhgKuehtGwvYFf5h2Q=', ADYEN_ITEM))) },
      { name: 'src/__tests__/hmacValidator.spec.ts of the Node library', request: () => posted(adyenBody(adyenItem(
        'xhpHvYq2u2Np0rstbZ6QjLGu7JWhvf7Iwaa6EviJSX0=', '"pspReference":"pspReference",'
          + '"originalReference":"originalReference","merchantAccountCode":"merchantAccount",'
          + '"merchantReference":"reference","amount":{"currency":"EUR","value":1000},"eventCode":"CAPTURE",'
          + '"eventDate":"1970-01-01T00:00:00Z","success":"true"'))) },
      { name: 'a null is nothing', request: ({ sign }) => sign(adyenBody(adyenItem('',
        '"amount":{"value":1,"currency":"EUR"},"eventCode":"CAPTURE","merchantAccountCode":"A",'
          + '"merchantReference":"m","originalReference":null,"pspReference":"7914073381342286","success":"true"'))) },
    ],
    refused: [{ name: 'a second item', request: ({ sign }) => sign(adyenBody(adyenItem('', ADYEN_ITEM),
      '{"eventCode":"AUTHORISATION","pspReference":"forged","success":"true"}')) }],
  },
  {
    recipe: 'adyen-platform',
    cite: 'Adyen/adyen-php-api-library HmacSignature::validateHMAC: HMAC-SHA256 under the hex key over the body',
    secrets: ['D7DD5BA6146493707BF0BE7496F6404EC7A63616B7158EC927B9F54BB436765F', 'AB'.repeat(32), 'CD'.repeat(32)],
    signature: 'header:hmacsignature',
    sign: ({ key, body }) => json({ hmacsignature: hmac('sha256', Buffer.from(key, 'hex'), 'base64', body),
      protocol: 'HmacSHA256' }),
    samples: [{
      body: '{"data":{"id":"3JPL9N5XKOHQB8S2","balancePlatform":"YOUR_PLATFORM"},"environment":"test",'
        + '"timestamp":"2023-01-19T14:34:32+01:00","type":"balancePlatform.transfer.created"}',
      id: ({ sha }) => sha, type: 'balancePlatform.transfer.created', at: '2023-01-19T13:34:32Z',
        object: '3JPL9N5XKOHQB8S2',
    }],
    taken: [{ name: 'tests/Unit/Util/HmacSignatureTest.php of the library', request: () => posted(
      '{"data":{"balancePlatform":"Integration_tools_test","accountId":"BA32272223222H5HVKTBK4MLB",'
        + '"sweep":{"id":"SWPC42272223222H5HVKV6H8C64DP5","schedule":{"type":"balance"},"status":"active",'
        + '"targetAmount":{"currency":"EUR","value":0},"triggerAmount":{"currency":"EUR","value":0},"type":"pull",'
        + '"counterparty":{"balanceAccountId":"BA3227C223222H5HVKT3H9WLC"},"currency":"EUR"}},"environment":"test",'
        + '"type":"balancePlatform.balanceAccountSweep.updated"}',
      { hmacsignature: '9Qz9S/0xpar1klkniKdshxpAhRKbiSAewPpWoxKefQA=' }) }],
  },
  {
    recipe: 'braintree',
    cite: 'npm braintree webhook_notification_gateway.js, digest.js: HMAC-SHA1 under the SHA-1 of the private key',
    secrets: ['integration_private_key', 'another_private_key', 'no_such_private_key'],
    params: { 'public-key': 'integration_public_key' },
    signature: 'form:bt_signature',
    covers: ['form:bt_payload'],
    weak: 'fields',
    sign: ({ key, body, params }) => ({ headers: FORM_TYPE,
      body: braintreeForm(key, body.toString('base64') + '\n', params['public-key']) }),
    samples: [{
      body: '<notification>\n    <timestamp type="datetime">2026-09-21T12:00:00Z</timestamp>\n    '
        + '<kind>check</kind>\n    <subject><check type="boolean">true</check></subject>\n</notification>',
      id: ({ body }) => digest('sha256', 'hex', new URLSearchParams(body.toString()).get('bt_payload')),
    }],
    taken: [{ name: 'signed under two keys', request: ({ key }) => {
      const payload = Buffer.from('<notification><kind>check</kind><subject>two '
        + 'keys</subject></notification>').toString('base64') + '\n';
      return { headers: FORM_TYPE, body: form({
        bt_signature: `other|${braintreeMac('x', payload)}&integration_public_key|${braintreeMac(key, payload)}`,
          bt_payload: payload }) };
    } }],
    hellos: [{
      name: 'the challenge',
      request: () => ({ method: 'GET', query: 'bt_challenge=20f9f8ed05f77439fe955c977e4c8a53' }),
      expect: { status: 200, type: 'text/plain',
        body: 'integration_public_key|' + braintreeMac('integration_private_key', '20f9f8ed05f77439fe955c977e4c8a53') },
    }, {
      name: 'a challenge that is no word has no answer',
      request: () => ({ method: 'GET', query: 'bt_challenge=PGtpbmQ%2B' }),
      expect: { body: (text) => !text.includes('|') },
    }],
    refused: [
      { name: 'a payload that could have been a challenge', request: ({ key, params }) => ({ headers: FORM_TYPE,
        body: braintreeForm(key, 'PGtpbmQ', params['public-key']) }) },
    ],
  },
  {
    recipe: 'mollie',
    cite: 'mollie/mollie-api-php src/Webhooks/SignatureValidator.php: sha256= and HMAC-SHA256; the header may repeat',
    secrets: ['4Rb9mDqkQ9nG2sNfP7', 'another-signing-secret', 'no-such-secret'],
    signature: 'header:x-mollie-signature',
    sign: bodyMac('x-mollie-signature', 'sha256', 'hex', 'sha256='),
    samples: [{
      body: '{"resource":"event","id":"event_GvJ8WHrp5isUdRub9CJyH","type":"payment-link.paid",'
        + '"entityId":"pl_qng5gbbv8NAZ5gpM5ZYgx","createdAt":"2024-12-16T15:57:04.0Z"}',
      id: 'event_GvJ8WHrp5isUdRub9CJyH', type: 'payment-link.paid', at: '2024-12-16T15:57:04Z',
        object: 'pl_qng5gbbv8NAZ5gpM5ZYgx',
    }],
    taken: [{ name: 'the header twice', request: ({ key }) => {
      const body = '{"resource":"event","id":"event_2","type":"payment-link.paid",'
        + '"createdAt":"2024-12-16T15:57:04.0Z"}';
      return posted(body, { 'x-mollie-signature': ['sha256=' + hmac('sha256', 'older', 'hex', body),
        'sha256=' + hmac('sha256', key, 'hex', body)] });
    } }],
  },
  {
    recipe: 'mollie-classic',
    cite: 'mollie/mollie-api-php docs: a form with id and nothing else, unsigned; the token is part of the webhookUrl',
    secrets: ['a-token-of-ones-own', 'another-token', 'no-such-token'],
    signature: 'query:token',
    covers: [],
    weak: 'token',
    again: true,
    sign: ({ key }) => ({ query: `token=${key}`, headers: FORM_TYPE }),
    samples: [{ body: 'id=tr_d0b0E3EA3v', object: 'tr_d0b0E3EA3v' }],
  },
  {
    recipe: 'gocardless',
    cite: 'gocardless/gocardless-pro-php lib/Webhook.php: hex HMAC-SHA256 of the body',
    secrets: ['ED7D658C-D8EB-4941-948B-3973214F2D49', 'another-endpoint-secret', 'no-such-secret'],
    signature: 'header:webhook-signature',
    sign: bodyMac('webhook-signature', 'sha256', 'hex'),
    samples: [{
      body: '{"events":[{"id":"EV00BD05S5VM2U","created_at":"2018-07-05T09:13:51.404Z","resource_type":"payments",'
        + '"action":"confirmed","links":{"payment":"PM0003JJQ2MR06"}},{"id":"EV00BD05TB8K64",'
        + '"created_at":"2018-07-05T09:13:56.893Z","resource_type":"mandates","action":"created",'
        + '"links":{"mandate":"MD000AMA19XGEC"}}],"meta":{"webhook_id":"WB1"}}',
      events: [
        { id: 'EV00BD05S5VM2U', type: 'payments.confirmed', at: '2018-07-05T09:13:51.404Z', object: 'PM0003JJQ2MR06' },
        { id: 'EV00BD05TB8K64', type: 'mandates.created', at: '2018-07-05T09:13:56.893Z', object: 'MD000AMA19XGEC' },
      ],
    }],
    taken: [{ name: 'tests/WebhookTest.php of the library', request: () => posted(
      '{"events":[{"id":"EV00BD05S5VM2T","created_at":"2018-07-05T09:13:51.404Z","resource_type":"subscriptions",'
        + '"action":"created","links":{"subscription":"SB0003JJQ2MR06"},"details":{"origin":"api",'
        + '"cause":"subscription_created","description":"Subscription created via the API."},"metadata":{}},'
        + '{"id":"EV00BD05TB8K63","created_at":"2018-07-05T09:13:56.893Z","resource_type":"mandates",'
        + '"action":"created","links":{"mandate":"MD000AMA19XGEC"},"details":{"origin":"api",'
        + '"cause":"mandate_created","description":"Mandate created via the API."},"metadata":{}}]}',
      { 'webhook-signature': '2693754819d3e32d7e8fcb13c729631f316c6de8dc1cf634d6527f1c07276e7e' }) }],
  },
  {
    recipe: 'coinbase-commerce',
    cite: 'coinbase/coinbase-commerce-node lib/Webhook.js: hex HMAC-SHA256 of the body',
    secrets: ['30291a20-0bd1-4267-9b0f-e6e7b123c0bf', 'another-shared-secret', 'no-such-secret'],
    signature: 'header:x-cc-webhook-signature',
    sign: bodyMac('x-cc-webhook-signature', 'sha256', 'hex'),
    samples: [{
      body: '{"id":1,"scheduled_for":"2017-01-31T20:50:02Z","attempt_number":1,'
        + '"event":{"id":"24934862-d980-46cb-9402-43c81b0cdba7","type":"charge:confirmed","api_version":"2018-03-22",'
        + '"created_at":"2017-01-31T20:49:02Z","data":{"code":"66BEOV2A"}}}',
      id: '24934862-d980-46cb-9402-43c81b0cdba7', type: 'charge:confirmed', at: '2017-01-31T20:49:02Z',
        object: '66BEOV2A',
    }],
    taken: [{ name: 'another attempt', request: ({ sign }) => sign(
      '{"id":2,"scheduled_for":"2017-01-31T21:50:02Z","attempt_number":2,'
        + '"event":{"id":"24934862-d980-46cb-9402-43c81b0cdba7","type":"charge:confirmed","api_version":"2018-03-22",'
        + '"created_at":"2017-01-31T20:49:02Z","data":{"code":"66BEOV2A"}}}') }],
  },
  {
    recipe: 'hook0',
    cite: 'hook0/hook0 clients/go/signature.go: HMAC-SHA256 over time, header names, their values and the body',
    secrets: ['d48488f1-cddc-455a-ba9b-9a2e7c4b1a0f', 'another-subscription', 'no-such-subscription'],
    ...HOOK0,
    samples: [{ body: '{"test":true}', type: 'order.paid', id: ({ id }) => id, at: ({ t }) => t * 1000 }],
    refused: [{ name: 'v0 alone', request: ({ key, t }) => posted('{}', {
      'x-event-id': 'e', 'x-hook0-signature': `t=${t},v0=${hmac('sha256', key, 'hex', `${t}.{}`)}` }) }],
  },
  {
    recipe: 'coinbase',
    cite: 'docs.cdp.coinbase.com/webhooks/verify-signatures: X-Hook0-Signature with t, v0, h and v1',
    secrets: ['f8ebb35e-3a7b-4f0d-9d0f-3e8e3a0f0b11', 'another-subscription', 'no-such-subscription'],
    ...HOOK0,
    samples: [{ body: '{"eventType":"wallet.activity.detected"}', type: 'wallet.activity.detected', id: ({ id }) => id,
      at: ({ t }) => t * 1000 }],
    taken: [{ name: 'with v0 beside v1', request: (context) => (
      hook0({ ...context, body: Buffer.from('{"eventType":"x"}'), v0: true })) }],
  },
  {
    recipe: 'lemon-squeezy',
    cite: 'lmsqueezy/laravel src/Http/Middleware/VerifyWebhookSignature.php: hex HMAC-SHA256 of the body',
    secrets: ['lemon-signing-secret', 'another-secret', 'no-such-secret'],
    signature: 'header:x-signature',
    sign: bodyMac('x-signature', 'sha256', 'hex'),
    samples: [{
      body: '{"meta":{"event_name":"order_created","custom_data":{"customer_id":25}},"data":{"type":"orders",'
        + '"id":"1","attributes":{"store_id":1,"status":"paid","updated_at":"2021-08-11T13:47:29.000000Z"}}}',
      id: ({ sha }) => sha, type: 'order_created', at: '2021-08-11T13:47:29Z', object: 'orders:1',
    }],
  },
  {
    recipe: 'chargebee',
    cite: 'npm chargebee README, "Auto-configured Basic Auth": user and password in Authorization',
    secrets: ['hook:pa:ss wörd', 'other:password', 'no:such'],
    signature: 'header:authorization',
    covers: [],
    weak: 'token',
    sign: ({ key }) => json({ authorization: 'Basic ' + Buffer.from(key).toString('base64') }),
    samples: [{
      body: '{"id":"ev_16BHbhF4s42tO2lK","occurred_at":1700000000,"source":"admin_console","object":"event",'
        + '"content":{"subscription":{"id":"16BHbhF4s42tNdv3","object":"subscription"}},'
        + '"event_type":"subscription_created","webhook_status":"scheduled"}',
      id: 'ev_16BHbhF4s42tO2lK', type: 'subscription_created', at: 1700000000000, object: '16BHbhF4s42tNdv3',
    }],
    taken: [{ name: 'another try', request: ({ sign }) => sign('{"id":"ev_16BHbhF4s42tO2lK","occurred_at":1700000000,'
      + '"object":"event","event_type":"subscription_created","webhook_status":"re_scheduled"}') }],
    refused: [{ name: 'as Bearer', request: ({ key }) => posted('{"id":"ev_1"}', {
      authorization: 'Bearer ' + Buffer.from(key).toString('base64') }) }],
  },
  {
    recipe: 'recurly',
    cite: 'recurly/recurly-client-ruby lib/recurly/webhooks.rb: milliseconds, then signatures over time.body',
    secrets: ['354fab5bd35f5a0d50845ee7e30165244468b13c2c343f104e4e730a59326d9d', 'another-key', 'no-such-key'],
    signature: 'header:recurly-signature',
    tolerance: 300,
    sign: ({ key, body, t }) =>
      json({ 'recurly-signature': `${t}000,${hmac('sha256', key, 'hex', `${t}000.`, body)}` }),
    samples: [{
      body: '{"id":"rjxwmwedwqug","object_type":"account","site_id":"qc326l1hl8k9","event_type":"created",'
        + '"event_time":"2022-09-13T21:18:40Z","account_code":"adfas23zzz14123"}',
      id: ({ sha }) => sha, type: 'account.created', at: '2022-09-13T21:18:40Z', object: 'account:rjxwmwedwqug',
    }],
    taken: [{ name: 'two signatures', request: ({ key, t }) => posted('{"object_type":"account",'
      + '"event_type":"closed"}', {
      'recurly-signature': `${t}000,${'de1ec7ab1e'.repeat(6)}0000,${hmac('sha256', key, 'hex',
        `${t}000.{"object_type":"account","event_type":"closed"}`)}` }) }],
    refused: [
      { name: 'the time alone', request: ({ t }) => posted('{}', { 'recurly-signature': `${t}000,` }) },
      { name: 'a time that is none', request: ({ key }) => posted('{}', {
        'recurly-signature': `abc,${hmac('sha256', key, 'hex', 'abc.{}')}` }) },
    ],
  },
];
