// What the providers' own libraries say. For each source: fields of a body, how a genuine delivery is signed,
// and whether the library takes a request.
import { createHmac, randomUUID } from 'node:crypto';
import { parse } from 'node:querystring';

import { verify as octokitVerify, sign as octokitSign } from '@octokit/webhooks-methods';
import '@shopify/shopify-api/adapters/node';
import { LogSeverity, shopifyApi } from '@shopify/shopify-api';
import { LogLevel, Paddle } from '@paddle/paddle-node-sdk';
import bolt from '@slack/bolt';
import OpenAI from 'openai';
import Razorpay from 'razorpay';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import twilio from 'twilio';

const stripe = new Stripe('sk_test_none');
const openai = new OpenAI({ apiKey: 'none' });
const paddle = new Paddle('none', { logLevel: LogLevel.none });
const now = () => Math.floor(Date.now() / 1000);

/** false where the library throws or says so, true else. */
async function takes(judge) {
  try {
    return (await judge()) !== false;
  } catch {
    return false;
  }
}

// Not signed, and of no use to the receiver; the library asks whether they are there.
const SHOP = { 'x-shopify-shop-domain': 'a.myshopify.com', 'x-shopify-api-version': '2026-04' };
const shops = new Map();

function shop(secret) {
  if (!shops.has(secret)) {
    shops.set(secret, shopifyApi({
      apiKey: 'key', apiSecretKey: secret, hostName: 'example.com', apiVersion: '2026-04', isEmbeddedApp: true,
      logger: { level: LogSeverity.Error },
    }));
  }
  return shops.get(secret);
}

function standardLike(Webhook, prefix) {
  return {
    timed: true,
    signature: prefix + 'signature',
    time: prefix + 'timestamp',
    fields: (n) => ({ type: 'invoice.paid', timestamp: '2026-09-21T12:00:00Z', data: { id: 'in_' + n } }),
    options: { anything: true, empty: true },
    sign(secret, body, { t = now(), id = 'msg_' + randomUUID() } = {}) {
      const value = new Webhook(secret).sign(id, new Date(t * 1000), body);
      return { 'content-type': 'application/json', [prefix + 'id']: id, [prefix + 'timestamp']: String(t),
        [prefix + 'signature']: value };
    },
    takes: (secret, body, headers) => takes(() => {
      try {
        new Webhook(secret).verify(body, headers);
      } catch (e) {
        if (!(e instanceof SyntaxError)) throw e; // the signature held; the body is no JSON
      }
    }),
  };
}

/** Twilio's parameters, as Express and its like read them. */
function parameters(body) {
  return { ...parse(body.toString()) };
}

/** A form that holds a body of any kind in one of its fields. */
function twilioForm(body, n) {
  return Buffer.from(`MessageSid=SM${n}&MessageStatus=sent&Empty=&Body=${encodeURIComponent(body)}`);
}

const TWILIO_URL = 'https://hooks.example.com/hook/twilio?b=2&a=1%2B1';

/**
 * source -> {name, timed, signature and time (names of headers), fields, options, sign, takes}; where needed `dress`
 * (makes the provider's kind of body of a generated one), `url` (that is signed), `tolerance` (where it is less than
 * the receiver's) and `unsent`: headers that the library wants and `hookonce send` does not send.
 */
export const JUDGES = {
  stripe: {
    timed: true,
    signature: 'stripe-signature',
    fields: (n) => ({ id: 'evt_official_' + n, object: 'event', type: 'charge.succeeded', created: 1790000000 + n }),
    options: {},
    sign: (secret, body, { t = now() } = {}) => ({
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': stripe.webhooks.generateTestHeaderString({ payload: body.toString(), secret, timestamp: t }),
    }),
    takes: (secret, body, headers) => takes(() => stripe.webhooks.signature.verifyHeader(
      body, headers['stripe-signature'] ?? '', secret, 300)),
  },
  github: {
    signature: 'x-hub-signature-256',
    fields: (n) => ({ ref: 'refs/heads/b' + n, repository: { id: n } }),
    options: { anything: true },
    async sign(secret, body, { id = randomUUID() } = {}) {
      const value = body.length ? await octokitSign(secret, body.toString())
        : 'sha256=' + createHmac('sha256', secret).update('').digest('hex');
      return { 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': id,
        'x-hub-signature-256': value };
    },
    takes: (secret, body, headers) => takes(() => octokitVerify(
      secret, body.toString(), headers['x-hub-signature-256'])),
  },
  shopify: {
    signature: 'x-shopify-hmac-sha256',
    unsent: SHOP,
    fields: (n) => ({ id: n, admin_graphql_api_id: 'gid://shopify/Order/' + n }),
    options: { anything: true },
    sign: (secret, body, { id = randomUUID() } = {}) => ({
      'content-type': 'application/json', 'x-shopify-topic': 'orders/paid', 'x-shopify-webhook-id': id, ...SHOP,
      'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
    }),
    takes: (secret, body, headers) => takes(async () => (await shop(secret).webhooks.validate({
      rawBody: body.toString(), rawRequest: { method: 'POST', url: '/hook', headers }, rawResponse: {},
    })).valid),
  },
  slack: {
    timed: true,
    signature: 'x-slack-signature',
    time: 'x-slack-request-timestamp',
    fields: (n) => ({ type: 'event_callback', event_id: 'EvOFFICIAL' + n, event_time: 1790000000 }),
    options: { anything: true },
    sign: (secret, body, { t = now() } = {}) => ({
      'content-type': 'application/json', 'x-slack-request-timestamp': String(t),
      'x-slack-signature': 'v0=' + createHmac('sha256', secret).update(`v0:${t}:`).update(body).digest('hex'),
    }),
    takes: (secret, body, headers) => takes(() => bolt.HTTPModuleFunctions.parseAndVerifyHTTPRequest(
      { signingSecret: secret }, { headers, rawBody: body })),
  },
  razorpay: {
    signature: 'x-razorpay-signature',
    fields: (n) => ({ entity: 'event', event: 'payment.captured', created_at: 1790000000 + n, notes: [] }),
    options: { anything: true },
    sign: (secret, body, { id = randomUUID() } = {}) => ({
      'content-type': 'application/json', 'x-razorpay-event-id': id,
      'x-razorpay-signature': createHmac('sha256', secret).update(body).digest('hex'),
    }),
    takes: (secret, body, headers) => takes(() => Razorpay.validateWebhookSignature(
      body.toString(), headers['x-razorpay-signature'], secret)),
  },
  paddle: {
    timed: true,
    tolerance: 5,
    signature: 'paddle-signature',
    fields: (n) => ({ event_id: 'evt_official_' + n, event_type: 'transaction.paid',
        occurred_at: '2026-09-21T12:00:00Z' }),
    options: { anything: true },
    sign: (secret, body, { t = now() } = {}) => ({
      'content-type': 'application/json',
      'paddle-signature': `ts=${t};h1=` + createHmac('sha256', secret).update(`${t}:`).update(body).digest('hex'),
    }),
    takes: (secret, body, headers) => takes(() => paddle.webhooks.isSignatureValid(
      body.toString(), secret, headers['paddle-signature'])),
  },
  twilio: {
    signature: 'x-twilio-signature',
    url: TWILIO_URL,
    fields: (n) => ({ n }),
    options: { anything: true },
    dress: twilioForm,
    sign: (secret, body, { url = TWILIO_URL, algorithm } = {}) => ({
      'content-type': 'application/x-www-form-urlencoded',
      ...(algorithm && { 'x-twilio-webhooks-signature-settings': `key=webhooks_sharedkey_1,algorithm=${algorithm}` }),
      'x-twilio-signature': twilio.getExpectedTwilioSignature(secret, url, parameters(body), algorithm),
    }),
    takes: (secret, body, headers, url = TWILIO_URL) => takes(() => twilio.validateRequest(
      secret, headers['x-twilio-signature'], url, parameters(body), twilio.getSignatureAlgorithm(
        headers['x-twilio-webhooks-signature-settings']))),
  },
  openai: {
    ...standardLike(StandardWebhook, 'webhook-'),
    fields: (n) => ({ id: 'evt_' + n, object: 'event', type: 'response.completed', created_at: 1790000000 + n }),
    takes: (secret, body, headers) => takes(() => openai.webhooks.verifySignature(body.toString(), headers, secret)),
  },
  standard: standardLike(StandardWebhook, 'webhook-'),
  svix: standardLike(SvixWebhook, 'svix-'),
};

for (const [name, judge] of Object.entries(JUDGES)) judge.name = name;
