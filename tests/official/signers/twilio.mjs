// Twilio: URL and form, the query of a GET, JSON by its digest, shared keys. Its own library signs.
import assert from 'node:assert/strict';

import twilio from 'twilio';

import { FORM_TYPE, JSON_TYPE, digest, form } from './_tools.mjs';

const URL_SIGNED = 'https://mycompany.com/myapp.php?foo=1&bar=2';
const TOKEN = 'i-twilio-idempotency-token';
const SETTINGS = 'x-twilio-webhooks-signature-settings';

/** The parameters of a form as one object, several values of a name as a list. */
function parameters(body) {
  const all = {};
  for (const [name, value] of new URLSearchParams(body.toString())) {
    all[name] = name in all ? [all[name], value].flat() : value;
  }
  return all;
}

function sign({ key, body, url, id, sample, algorithm }) {
  return {
    body,
    headers: {
      ...FORM_TYPE,
      'x-twilio-signature': twilio.getExpectedTwilioSignature(key, url, parameters(body), algorithm),
      ...(!sample?.bare && { [TOKEN]: id }),
      ...(algorithm && { [SETTINGS]: `key=webhooks_sharedkey_1,algorithm=${algorithm}` }),
    },
  };
}

const SMS = form({
  ToCountry: 'US', NumMedia: '0', SmsStatus: 'received', Body: 'Olá ✓ 😀 a&b=c + 100% "q"\nline2 ', To: '+15005550006',
  MessageSid: 'SM1', AccountSid: 'AC1', From: '+15005550001', FromCity: '', fromZip: '',
  AddOns: '{"status":"successful"}',
});
const callback = (status) => (
  form({ MessageSid: 'SM3', MessageStatus: status, SmsStatus: status, Body: '', From: '+1' }));
const RINGING = form({ CallSid: 'CA1', CallStatus: 'ringing', SequenceNumber: '1',
  Timestamp: 'Mon, 21 Sep 2026 12:00:00 +0000' });
const idOf = ({ id }) => id;

/** Each of these is a source of its own, since it has another URL. */
const twilioLike = {
  recipe: 'twilio',
  cite: 'twilio/twilio-node src/webhooks/webhooks.ts; twilio.com/docs/usage/webhooks/webhooks-security',
  secrets: ['12345', '0123456789abcdef0123456789abcdef', '54321'],
  signature: 'header:x-twilio-signature',
};

const forms = {
  ...twilioLike,
  url: URL_SIGNED,
  covers: ['form:Body', 'form:MessageSid', 'form:From'],
  coversUrl: true,
  sign,
  samples: [
    { body: SMS, id: idOf, type: 'received', object: 'SM1' },
    { body: SMS.replace('SM1', 'SM2'), bare: true, id: 'SM2-received', type: 'received', object: 'SM2' },
    { body: callback('delivered'), bare: true, id: 'SM3-delivered', type: 'delivered', object: 'SM3' },
    { body: callback('sent'), bare: true, id: 'SM3-sent', type: 'sent', object: 'SM3' },
    { body: RINGING, bare: true, id: 'CA1-ringing-1', type: 'ringing', at: '2026-09-21T12:00:00Z', object: 'CA1' },
    { body: 'CallSid=CA1&CallStatus=ringing', bare: true, id: 'CA1-ringing', type: 'ringing', object: 'CA1' },
    { body: 'MediaUrl=https%3A%2F%2Fb.example%2F2&a=1&MediaUrl=https%3A%2F%2Fa.example%2F1&B=2&_z=3&a=1', id: idOf,
      type: '', object: '' },
    { body: 'Digits=1234&AccountSid=AC1', bare: true, id: digest('sha256', 'hex', 'AccountSidAC1Digits1234'), type: '' },
  ],
  taken: [
    { name: 'the default port in the URL',
      request: (context) => sign({ ...context, body: SMS, url: URL_SIGNED.replace('.com/', '.com:443/') }) },
    { name: 'a shared key by SHA-256',
      request: (context) => sign({ ...context, body: SMS, algorithm: 'HMAC_SHA256' }) },
  ],
  refused: [
    { name: 'http in place of https',
      request: (context) => sign({ ...context, body: SMS, url: URL_SIGNED.replace('https', 'http') }) },
    { name: 'a field more', request: (context) => ({ ...sign({ ...context, body: SMS }), body: SMS + '&Extra=1' }) },
    { name: 'signed by SHA-256 while nothing says so',
      request(context) {
        const request = sign({ ...context, body: SMS, algorithm: 'HMAC_SHA256' });
        delete request.headers[SETTINGS];
        return request;
      } },
    { name: 'SHA-1 under the name of another algorithm',
      request(context) {
        const request = sign({ ...context, body: SMS });
        request.headers[SETTINGS] = 'key=k,algorithm=HMAC_MD5';
        return request;
      } },
    { name: 'a body of another type behind a signature over the URL alone',
      request(context) {
        const request = sign({ ...context, body: '' });
        return { headers: { ...request.headers, ...JSON_TYPE }, body: '{"MessageSid":"SM9"}' };
      } },
  ],
};

/** What is asked for with a query: its URL is scheme and host as configured, path and query as received. */
function asked({ url, target }, query) {
  return `${new URL(url).origin}${target}?${query}`;
}

const get = {
  ...twilioLike,
  name: 'twilio-get',
  url: 'https://hooks.example.com/hook/twilio',
  covers: ['query:CallSid', 'query:CallStatus'],
  sign(context) {
    const query = 'CallSid=CA9&From=%2B15005550001&CallStatus=ringing';
    return { query, headers: { [TOKEN]: context.id,
      'x-twilio-signature': twilio.getExpectedTwilioSignature(context.key, asked(context, query), {}) } };
  },
  samples: [{ method: 'GET', body: '', id: idOf, type: 'ringing', object: 'CA9' }],
};

const json = {
  ...twilioLike,
  name: 'twilio-json',
  url: 'https://hooks.example.com/hook/twilio',
  covers: ['body', 'query:bodySHA256'],
  sign(context) {
    const { key, body, id } = context;
    const query = 'bodySHA256=' + digest('sha256', 'hex', body);
    const signature = twilio.getExpectedTwilioSignature(key, asked(context, query), {});
    assert.equal(twilio.validateRequestWithBody(key, signature, asked(context, query), body.toString()), true);
    return { query, headers: { ...JSON_TYPE, [TOKEN]: id, 'x-twilio-signature': signature } };
  },
  refused: ['=', '=&=', 'a', ' '].map((text) => ({ name: `the body exchanged for ${JSON.stringify(text)}`,
    request: (context) => {
      const body = Buffer.from('[{"id":"EZ2"}]');
      return { ...json.sign({ ...context, body }), body: text };
    } })),
  samples: [{
    body: JSON.stringify([{ specversion: '1.0', type: 'com.twilio.messaging.message.delivered', id: 'EZ1',
      data: { name: 'José 🎈' } }]),
    id: idOf, type: '',
  }],
};

export const signers = [forms, get, json];
