// Chat and social: Discord, Telegram, Meta, Twitch, X, LINE, Viber, Strava, LinkedIn, TikTok, Kick, Microsoft Teams
// and Graph, RingCentral, Telnyx, Webex.
import { sign as signature } from 'node:crypto';

import { ED25519, RSA } from './_keys.mjs';
import { JSON_TYPE, digest, hmac } from './_tools.mjs';

const sha = (facts) => facts.sha;
const json = (headers) => ({ headers: { ...JSON_TYPE, ...headers } });
/** An HMAC of the body in one header. */
const ofBody = (header, algorithm, enc, prefix = '') => ({ key, body }) => json({
  [header]: prefix + hmac(algorithm, key, enc, body) });
const ofItem = (item) => digest('sha256', 'hex', JSON.stringify(item));
const posted = (body, headers = {}) => ({ ...json(headers), body });

const discord = ({ key, body, t }) => json({ 'x-signature-timestamp': String(t),
  'x-signature-ed25519': signature(null, Buffer.concat([Buffer.from(String(t)), body]), key).toString('hex') });
const DISCORD = {
  secrets: ED25519.map((pair) => ({ secret: pair.raw.toString('hex'), key: pair.private })),
  signature: 'header:x-signature-ed25519',
  covers: ['body', 'header:x-signature-timestamp'],
  tolerance: 300,
  sign: discord,
  bad: { status: 401 },
};

const update = (id, rest) => ({ body: `{"update_id":${id},${rest}}`, id: String(id) });
const TELEGRAM_CHAT = '"chat":{"id":-1001111111,"type":"supergroup","title":"\u2713"}';

const META_SECRETS = ['f9d6f3a20c4b4a6e8e0b1c2d3e4f5a6b', 'another-app-secret', 'no-such-app-secret'];
const WHATSAPP = { id: '102290129340398', changes: [{ value: { messaging_product: 'whatsapp',
  messages: [{ from: '16505551234', id: 'wamid.HBgLMTY1MDM4Nzk0MzkVAgASGBQzQTRBNjU5OUFFRTAzODEwMTQ0RgA=',
    timestamp: '1749416383', type: 'text', text: { body: 'Does it come in another color? \u{1F600}' } }] },
field: 'messages' }] };
const PAGE = [
  { id: '0', time: 1520383571, changes: [{ field: 'feed', value: { item: 'status', created_time: 1520383570 } }] },
  { id: '1', time: 1458692752478, messaging: [{ sender: { id: 'U' }, recipient: { id: 'P' }, timestamp: 1458692752478,
    message: { mid: 'm_1457764197618:41d102a3e1ae206a38', text: 'hello, world!' } }] },
];
const hub = (query) => ({ method: 'GET', query });
/** Asked so, nothing is said: the answer is that to any GET. */
const toldNothing = (query) => ({ name: `asked with "${query}"`, request: () => hub(query),
  expect: { status: 200, body: '' } });

const twitchTime = (t) => new Date(t * 1000).toISOString().slice(0, 19) + '.634234626Z';
const twitch = ({ key, body, t, id }) => json({ 'twitch-eventsub-message-id': id,
  'twitch-eventsub-message-timestamp': twitchTime(t), 'twitch-eventsub-subscription-type': 'channel.follow',
  'twitch-eventsub-message-type': /"challenge"/.test(body) ? 'webhook_callback_verification' : 'notification',
  'twitch-eventsub-message-signature': 'sha256=' + hmac('sha256', key, 'hex', id, twitchTime(t), body) });
const TWITCH_CHALLENGE = '{"challenge":"pogchamp-kappa-360noscope-vohiyo","subscription":{"id":"f1c2a387",'
  + '"status":"webhook_callback_verification_pending","type":"channel.follow","version":"1"}}';
const twitchBody = (status) => `{"subscription":{"id":"f1c2a387","status":"${status}","type":"channel.follow",`
  + '"version":"1","created_at":"2019-11-16T10:11:12.634234626Z"}'
  + (status === 'enabled' ? ',"event":{"user_id":"1337","broadcaster_user_id":"12826"}}' : '}');

const X_SECRETS = ['z3ZX4v7mAAUGykl2EcmkqbVmuWdJlwx3RbZQbsJh9RU2YvK1xN', 'second', 'third'];
const CRC = 'NjQyYzdiMjMtMzQ4ZC00ZjU1LWI0ZWMtOWZmMGE1ZGE3ZWIx';

const LINE_EVENTS = [
  { type: 'message', message: { id: '325708', type: 'text', text: 'Hello, \u4e16\u754c' }, timestamp: 1462629479859,
    source: { type: 'user', userId: 'U4af4980629' }, webhookEventId: '01FZ74A0TDDPYRVKNK77XKC3ZR',
    deliveryContext: { isRedelivery: false } },
  { type: 'follow', timestamp: 1462629479860, source: { type: 'user', userId: 'U4af4980630' },
    webhookEventId: '01FZ74ASS536FW97EX38NKCZQK', deliveryContext: { isRedelivery: false } },
];
const lineBody = (events) => JSON.stringify({ destination: 'xxxxxxxxxx', events });

const viber = (rest) => `{"event":"${rest.event}","timestamp":1457764197627,"message_token":4912661846655238145,`
  + `${rest.more}}`;

const LINKEDIN_SECRETS = ['WPL_AP0.abcdefghijklmnop', 'second-client-secret', 'third-client-secret'];
const CHALLENGE = '890e4665-4dfe-4ab1-b689-ed553bceeed0';

const kick = ({ key, body, t, id, type = 'channel.followed' }) => {
  const time = new Date(t * 1000).toISOString().replace('.000Z', 'Z');
  return json({ 'kick-event-message-id': id, 'kick-event-message-timestamp': time, 'kick-event-type': type,
    'kick-event-version': '1', 'kick-event-subscription-id': '01JQ', 'kick-event-signature':
      signature('RSA-SHA256', Buffer.concat([Buffer.from(`${id}.${time}.`), body]), key).toString('base64') });
};

const graph = ({ key, body }) => posted(body.toString().replaceAll('"STATE"', JSON.stringify(key)));
const change = (more) => `{"subscriptionId":"76222963-cc7b-42d2-882d-8aaa69cb2ba3","clientState":"STATE",`
  + `"changeType":"updated","resource":"users/ddfcd489/drive/root","tenantId":"84bd8158"${more}}`;
const GRAPH = {
  recipe: 'microsoft-graph',
  cite: 'learn.microsoft.com graph change-notifications-delivery-webhooks: clientState in each item of value; '
    + 'validationToken answered as text',
  secrets: ['secretClientValue', 'another value = "x"', 'not it'],
  signature: 'json:/value/0/clientState',
  covers: [],
  weak: 'token',
  ok: { status: 202 },
  sign: graph,
};
const ETAG = ',"resourceData":{"@odata.etag":"W/\\"CQ\\""}';

const telnyx = (attempt) => '{"data":{"event_type":"message.received","id":"b301ed3f-1490-491f-995f-6e64e69674d4",'
  + '"occurred_at":"2019-12-09T20:16:07.588+00:00","payload":{"id":"84cca175","text":"\\u2713"}},'
  + `"meta":{"attempt":${attempt}}}`;

export const signers = [
  {
    ...DISCORD,
    recipe: 'discord',
    cite: 'discord/discord-interactions-js src/index.ts: Ed25519 over timestamp and body, both in hex',
    samples: [{
      body: '{"id":"846462639134605312","application_id":"845027738276462632","type":2,"token":"t","version":1,'
        + '"data":{"type":1,"name":"cardsearch","id":"845027738276462632"}}',
      id: '846462639134605312', type: '2', object: 'cardsearch',
    }],
    ok: { status: 200, type: 'application/json', body: '{"type":5}' },
    hellos: [{ name: 'a ping', request: ({ sign }) => sign('{"id":"1","application_id":"2","type":1}'),
      expect: { status: 200, type: 'application/json', body: '{"type":1}' } }],
    refused: [{ name: 'a ping without a signature', request: () => posted('{"id":"1","type":1}') }],
  },
  {
    ...DISCORD,
    recipe: 'discord-events',
    cite: 'discord/discord-api-docs developers/events/webhook-events.mdx: as interactions; 204 for pings and events',
    samples: [{
      body: '{"version":1,"application_id":"1234560123453231555","type":1,"event":{"type":"APPLICATION_AUTHORIZED",'
        + '"timestamp":"2024-10-18T14:42:53.064834","data":{"integration_type":1,"user":{"id":"80351110224678912"}}}}',
      id: sha, type: 'APPLICATION_AUTHORIZED', object: '80351110224678912',
    }],
    ok: { status: 204, body: '' },
    hellos: [{ name: 'a ping', request: ({ sign }) => sign('{"version":1,"application_id":"2","type":0}'),
      expect: { status: 204, body: '' } }],
    refused: [{ name: 'a ping without a signature', request: () => posted('{"version":1,"type":0}') }],
  },
  {
    recipe: 'telegram',
    cite: 'core.telegram.org/bots/api#setwebhook: secret_token comes in X-Telegram-Bot-Api-Secret-Token',
    secrets: ['A-token_of-256-characters', 'another_token', 'no-such-token'],
    signature: 'header:x-telegram-bot-api-secret-token',
    covers: [],
    weak: 'token',
    sign: ({ key }) => json({ 'x-telegram-bot-api-secret-token': key }),
    samples: [
      { ...update(10000, `"message":{"date":1441645532,${TELEGRAM_CHAT},"message_id":1365,"text":"/start"}`),
        type: 'message', at: '2015-09-07T17:05:32Z', object: '-1001111111' },
      { ...update(10001, `"edited_message":{"date":1441645532,"edit_date":1441646600,${TELEGRAM_CHAT},"message_id":1}`),
        type: 'edited_message', at: '2015-09-07T17:23:20Z', object: '-1001111111' },
      { ...update(10002, `"callback_query":{"id":"4382bfdwdsb323b2d9","data":"x","message":{"message_id":1,`
        + `${TELEGRAM_CHAT}}}`), type: 'callback_query', object: '-1001111111' },
      { ...update(10003, '"inline_query":{"id":134567890097,"query":"q","offset":""}'), type: 'inline_query',
        object: '' },
      { ...update(10004, '"something_new":{"id":1}'), type: '', object: '' },
    ],
  },
  {
    recipe: 'meta',
    cite: 'developers.facebook.com graph-api/webhooks/getting-started: sha256= and the HMAC of the payload under the '
      + 'app secret; hub.challenge',
    secrets: META_SECRETS,
    params: { 'verify-token': 'meatyhamhock' },
    signature: 'header:x-hub-signature-256',
    sign: ofBody('x-hub-signature-256', 'sha256', 'hex', 'sha256='),
    samples: [
      { body: JSON.stringify({ object: 'whatsapp_business_account', entry: [WHATSAPP] }), id: ofItem(WHATSAPP),
        type: 'whatsapp_business_account.messages', at: '2025-06-08T20:59:43Z',
        object: 'wamid.HBgLMTY1MDM4Nzk0MzkVAgASGBQzQTRBNjU5OUFFRTAzODEwMTQ0RgA=' },
      { body: JSON.stringify({ object: 'page', entry: PAGE }), events: [
        { id: ofItem(PAGE[0]), type: 'page.feed', at: '2018-03-07T00:46:10Z', object: '0' },
        { id: ofItem(PAGE[1]), type: 'page.messages', at: '2016-03-23T00:25:52.478Z',
          object: 'm_1457764197618:41d102a3e1ae206a38' },
      ] },
    ],
    hellos: [{ name: 'a new URL', expect: { status: 200, type: 'text/plain', body: '1158201444' },
      request: () => hub('hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=meatyhamhock') },
    ...['hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=wrong',
      'hub.mode=subscribe&hub.challenge=1158201444', 'hub.challenge=1158201444&hub.verify_token=meatyhamhock',
      'hub.mode=subscribe&hub.verify_token=meatyhamhock&hub.verify_token=meatyhamhock&hub.challenge=1',
    ].map(toldNothing)],
  },
  {
    recipe: 'twitch',
    cite: 'dev.twitch.tv/docs/eventsub/handling-webhook-events: HMAC of id, timestamp and body; challenge as text',
    secrets: ['s3cre7-of-ten', 'another-secret', 'no-such-secret'],
    signature: 'header:twitch-eventsub-message-signature',
    covers: ['body', 'header:twitch-eventsub-message-id', 'header:twitch-eventsub-message-timestamp'],
    tolerance: 600,
    sign: twitch,
    samples: [
      { body: twitchBody('enabled'), id: ({ id }) => id, type: 'channel.follow', object: '12826',
        at: ({ t }) => t * 1000 + 634 },
      { body: twitchBody('authorization_revoked'), id: ({ id }) => id, object: 'f1c2a387',
        type: 'channel.follow.authorization_revoked', at: ({ t }) => t * 1000 + 634 },
    ],
    hellos: [{ name: 'a new subscription', request: ({ sign }) => sign(TWITCH_CHALLENGE),
      expect: { status: 200, type: 'text/plain', body: 'pogchamp-kappa-360noscope-vohiyo' } }],
    refused: [{ name: 'a challenge without a signature', request: () => posted(TWITCH_CHALLENGE,
      { 'twitch-eventsub-message-type': 'webhook_callback_verification' }) }],
  },
  {
    recipe: 'x-twitter',
    cite: 'developer.x.com securing-webhooks: sha256= and base64 of the HMAC under the consumer secret, of body and '
      + 'crc_token',
    secrets: X_SECRETS,
    signature: 'header:x-twitter-webhooks-signature',
    sign: ofBody('x-twitter-webhooks-signature', 'sha256', 'base64', 'sha256='),
    samples: [
      { body: '{"for_user_id":"2244994945","tweet_create_events":[{"id_str":"1050118621198921728","text":"\\u2713",'
        + '"timestamp_ms":"1539200000123"}]}', id: sha, type: 'tweet_create_events', at: 1539200000123,
      object: '1050118621198921728' },
      { body: '{"for_user_id":"4337869213","follow_events":[{"type":"follow","created_timestamp":"1517588749178"}]}',
        id: sha, type: 'follow_events', at: 1517588749178, object: '' },
    ],
    hellos: [{ name: 'a challenge', request: () => hub('crc_token=' + CRC), expect: { status: 200,
      type: 'application/json', body: `{"response_token":"sha256=${hmac('sha256', X_SECRETS[0], 'base64', CRC)}"}` } },
    ...['crc_token=', 'crc_token=%7B%22a%22%3A1%7D', `crc_token=${'a'.repeat(129)}`].map(toldNothing)],
    refused: [{ name: 'what a challenge was answered with', request: ({ sign }) => sign(CRC) }],
  },
  {
    recipe: 'line',
    cite: 'line/line-bot-sdk-nodejs lib/validate-signature.ts: base64 of the HMAC of the body under the channel secret',
    secrets: ['8c570fa6dd201bb328f1c1eac23a96d8', '7c570fa6dd201bb328f1c1eac23a96d8', '00'],
    signature: 'header:x-line-signature',
    sign: ofBody('x-line-signature', 'sha256', 'base64'),
    samples: [{ body: lineBody(LINE_EVENTS), events: [
      { id: '01FZ74A0TDDPYRVKNK77XKC3ZR', type: 'message', at: 1462629479859, object: '325708' },
      { id: '01FZ74ASS536FW97EX38NKCZQK', type: 'follow', at: 1462629479860, object: 'U4af4980630' },
    ] }],
    taken: [
      { name: 'a look from the console', request: ({ sign }) => sign(lineBody([])) },
      { name: 'the same redelivered', request: ({ sign }) => sign(lineBody([{ ...LINE_EVENTS[0],
        deliveryContext: { isRedelivery: true } }])) },
    ],
  },
  {
    recipe: 'viber',
    cite: 'Viber/viber-bot-node lib/middleware.js; developers.viber.com rest-bot-api: HMAC of the body under the token',
    secrets: ['445da6az1s345z78-dazcczb2542zv51a-e0vc5fva17480im9', 'second-token', 'third-token'],
    signature: 'header:x-viber-content-signature',
    sign: ofBody('x-viber-content-signature', 'sha256', 'hex'),
    samples: [
      { body: viber({ event: 'message', more: '"sender":{"id":"01234567890A="},"message":{"type":"text","text":"a"}' }),
        id: 'message.4912661846655238145', type: 'message', at: 1457764197627, object: '4912661846655238145' },
      { body: viber({ event: 'seen', more: '"user_id":"01234567890A="' }), type: 'seen', at: 1457764197627,
        id: 'seen.4912661846655238145.01234567890A=', object: '4912661846655238145' },
      { body: viber({ event: 'seen', more: '"user_id":"01234567890B="' }), type: 'seen', at: 1457764197627,
        id: 'seen.4912661846655238145.01234567890B=', object: '4912661846655238145' },
    ],
    hellos: [{ name: 'set_webhook', expect: { status: 200 }, request: ({ sign }) => sign(
      '{"event":"webhook","timestamp":1457764197627,"message_token":241256543215}') }],
  },
  {
    recipe: 'strava',
    cite: 'developers.strava.com/docs/webhooks: no signature; hub.challenge as JSON',
    secrets: ['my own token+1', 'my other token', 'not mine'],
    params: { 'verify-token': 'STRAVA' },
    signature: 'query:token',
    covers: [],
    weak: 'token',
    sign: ({ key }) => ({ ...json({}), query: 'token=' + encodeURIComponent(key) }),
    samples: [{ body: '{"aspect_type":"update","event_time":1516126040,"object_id":1360128428,"object_type":"activity",'
      + '"owner_id":134815,"subscription_id":120475,"updates":{"title":"Messy"}}', id: sha, type: 'activity.update',
    at: '2018-01-16T18:07:20Z', object: '1360128428' }],
    hellos: [{ name: 'a new subscription', request: () => hub(
      'token=my%20own%20token%2B1&hub.verify_token=STRAVA&hub.challenge=15f7d1a91c1f40f8&hub.mode=subscribe'),
    expect: { status: 200, type: 'application/json', body: '{"hub.challenge":"15f7d1a91c1f40f8"}' } }],
    refused: [{ name: 'another verify_token', request: () => hub(
      'token=my%20own%20token%2B1&hub.verify_token=strava&hub.challenge=15f7d1a91c1f40f8&hub.mode=subscribe') }],
  },
  {
    recipe: 'linkedin',
    cite: 'learn.microsoft.com linkedin/shared/api-guide/webhook-validation: hex HMAC of hmacsha256= and the body; of '
      + 'the challenge',
    secrets: LINKEDIN_SECRETS,
    signature: 'header:x-li-signature',
    sign: ({ key, body }) => json({ 'x-li-signature': hmac('sha256', key, 'hex', 'hmacsha256=', body) }),
    samples: [{ body: '{"type":"LEAD_ACTION","leadGenFormResponse":"urn:li:leadGenFormResponse:f3b5e9f1-1",'
      + '"owner":{"organization":"urn:li:organization:5509810"},"leadAction":"CREATED","occurredAt":1706572800000}',
    id: sha, type: 'LEAD_ACTION', at: 1706572800000, object: 'urn:li:leadGenFormResponse:f3b5e9f1-1' }],
    hellos: [{ name: 'a challenge', request: () => hub('challengeCode=' + CHALLENGE), expect: { status: 200,
      type: 'application/json', body: `{"challengeCode":"${CHALLENGE}",`
        + `"challengeResponse":"${hmac('sha256', LINKEDIN_SECRETS[0], 'hex', CHALLENGE)}"}` } },
    toldNothing('challengeCode=hmacsha256%3D%7B%7D')],
    refused: [
      { name: 'without the prefix in what is signed', request: ({ key }) => posted('{"type":"LEAD_ACTION"}',
        { 'x-li-signature': hmac('sha256', key, 'hex', '{"type":"LEAD_ACTION"}') }) },
      { name: 'what a challenge was answered with', request: ({ key }) => posted(CHALLENGE,
        { 'x-li-signature': hmac('sha256', key, 'hex', CHALLENGE) }) },
    ],
  },
  {
    recipe: 'tiktok',
    cite: 'developers.tiktok.com/doc/webhooks-verification: t=,s= and the hex HMAC of t.body under the client secret',
    secrets: ['tiktok-client-secret-1', 'tiktok-client-secret-2', 'tiktok-client-secret-3'],
    signature: 'header:tiktok-signature',
    tolerance: 300,
    sign: ({ key, body, t }) => json({ 'tiktok-signature': `t=${t},s=${hmac('sha256', key, 'hex', `${t}.`, body)}` }),
    samples: [{ body: '{"client_key":"bwo2m45353a6k85","event":"video.publish.completed","create_time":1615338610,'
      + '"user_openid":"act.example12345","content":"{\\"share_id\\":\\"video.6974245311675353080.VDCxrcMJ\\"}"}',
    id: sha, type: 'video.publish.completed', at: '2021-03-10T01:10:10Z', object: 'act.example12345' }],
  },
  {
    recipe: 'kick',
    cite: 'docs.kick.com/events/webhook-security: RSA-SHA256 in base64 over id.timestamp.body',
    secrets: RSA.map((pair) => ({ secret: pair.pem, key: pair.private })),
    signature: 'header:kick-event-signature',
    covers: ['body', 'header:kick-event-message-id', 'header:kick-event-message-timestamp'],
    tolerance: 300,
    sign: kick,
    samples: [{ body: '{"broadcaster":{"user_id":123456789,"channel_slug":"a"},"follower":{"user_id":987654321}}',
      id: ({ id }) => id, type: 'channel.followed', at: ({ t }) => t * 1000, object: '123456789' }],
  },
  {
    recipe: 'microsoft-teams',
    cite: 'OfficeDev/msteams-samples-outgoing-webhook-nodejs app.js: base64 of the HMAC under the decoded token',
    secrets: ['+ZaRRMC8+mpnfGaGsBOmkIFt98bttL5YQRq3p2tXgcE=', 'vqF0En+Z0ucuRTM/01o2GuhMH3hKKk/N2bOmlM31zaA=',
      'QgyNSToQjf4p6+YzDpjKks1/tXeJQ7FhVHqRwTnugVI='].map((secret) => ({ secret, key: Buffer.from(secret, 'base64') })),
    signature: 'header:authorization',
    sign: ofBody('authorization', 'sha256', 'base64', 'HMAC '),
    ok: { status: 200, type: 'application/json', body: '{"type":"message","text":"Received."}' },
    samples: [{ body: '{"type":"message","id":"1485983408511","timestamp":"2017-02-01T21:10:07.437Z",'
      + '"conversation":{"id":"19:253b1f341670408fb6fe51050b6e5ceb@thread.skype"},"text":"<at>Echo</at> \\u2713"}',
    id: ({ sha: digits }) => `1485983408511.${digits}`, type: 'message', at: '2017-02-01T21:10:07.437Z',
    object: '19:253b1f341670408fb6fe51050b6e5ceb@thread.skype' }],
  },
  {
    ...GRAPH,
    samples: [
      { body: `{"value":[${change(',"id":"lsgTZMr9KwAAA"')},${change(ETAG)}]}`, events: [
        { id: '76222963-cc7b-42d2-882d-8aaa69cb2ba3.lsgTZMr9KwAAA', type: 'updated',
          object: 'users/ddfcd489/drive/root' },
        { id: digest('sha256', 'hex', change(ETAG).replace('"STATE"', '"secretClientValue"')) + '.etag',
          type: 'updated', object: 'users/ddfcd489/drive/root' },
      ] },
    ],
    hellos: [{ name: 'a new subscription', expect: { status: 200, type: 'text/plain', body: 'Validation: Testing <x>' },
      request: () => ({ query: 'validationToken=Validation%3a+Testing+%3Cx%3E', headers: {}, body: '' }) }],
  },
  {
    ...GRAPH,
    name: 'microsoft-graph-thin',
    again: true,
    samples: [{ body: `{"value":[${change('')}]}`, type: 'updated', object: 'users/ddfcd489/drive/root' }],
  },
  {
    recipe: 'ringcentral',
    cite: 'ringcentral-faq.readthedocs.io webhooks: Verification-Token in each notification; Validation-Token echoed',
    secrets: ['hello-world', 'hello-again', 'hello-nobody'],
    signature: 'header:verification-token',
    covers: [],
    weak: 'token',
    sign: ({ key }) => json({ 'verification-token': key }),
    samples: [{ body: '{"uuid":"1234567890","event":"/restapi/v1.0/account/1/extension/2/presence",'
      + '"timestamp":"2025-04-21T06:49:13.134Z","subscriptionId":"6a9e29d1","body":{"sequence":1}}', id: '1234567890',
    type: '/restapi/v1.0/account/1/extension/2/presence', at: '2025-04-21T06:49:13.134Z', object: '6a9e29d1' }],
    hellos: [{ name: 'a new subscription', request: () => posted('', { 'validation-token': '5d8b7a-1' }),
      expect: { status: 200, headers: { 'validation-token': '5d8b7a-1' } } }],
  },
  {
    recipe: 'telnyx',
    cite: 'team-telnyx/telnyx-node src/lib/webhooks.ts: Ed25519 over timestamp|payload, in base64, key of 32 bytes',
    secrets: ED25519.map((pair) => ({ secret: pair.raw.toString('base64'), key: pair.private })),
    signature: 'header:telnyx-signature-ed25519',
    covers: ['body', 'header:telnyx-timestamp'],
    tolerance: 300,
    sign: ({ key, body, t }) => json({ 'telnyx-timestamp': String(t), 'telnyx-signature-ed25519':
      signature(null, Buffer.concat([Buffer.from(`${t}|`), body]), key).toString('base64') }),
    samples: [{ body: telnyx(1),
    id: 'b301ed3f-1490-491f-995f-6e64e69674d4', type: 'message.received', at: '2019-12-09T20:16:07.588Z',
    object: '84cca175' }],
    taken: [{ name: 'the second attempt', request: ({ sign }) => sign(telnyx(2)) }],
  },
  {
    recipe: 'webex',
    cite: 'developer.webex.com/docs/webhooks: X-Spark-Signature: hex HMAC-SHA1 of the body',
    secrets: ['some secret phrase', 'another one', 'not it'],
    signature: 'header:x-spark-signature',
    sign: ofBody('x-spark-signature', 'sha1', 'hex'),
    samples: [{ body: '{"id":"Y2lzY29zcGFyazov","resource":"messages","event":"created",'
      + '"data":{"id":"Y2lzY29zcGFyazox","created":"2015-10-18T14:26:16.203Z"}}', id: sha, type: 'messages.created',
    at: '2015-10-18T14:26:16.203Z', object: 'Y2lzY29zcGFyazox' }],
  },
];
