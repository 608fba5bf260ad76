// Cloud and identity: Amazon SNS, Azure Event Grid, Google Pub/Sub and push channels, Okta, Auth0, WorkOS, FusionAuth,
// Persona, Onfido, Sumsub, Kinde, Wix.
import { createHmac, createSign, sign as signature } from 'node:crypto';

import { EC, ED25519, RSA } from './_keys.mjs';
import { JSON_TYPE, digest, hmac } from './_tools.mjs';

const pinned = (pairs) => pairs.map((pair) => ({ secret: pair.pem, key: pair.private }));
const json = (headers) => ({ headers: { ...JSON_TYPE, ...headers } });
const base64url = (text) => Buffer.from(text).toString('base64url');

/** A JWT; key: text for HS, else a private key. */
function jwt(key, claims, { alg = 'RS256', kid } = {}) {
  const signing = `${base64url(JSON.stringify({ alg, typ: 'JWT', kid }))}.${base64url(JSON.stringify(claims))}`;
  const hash = 'sha' + alg.slice(2);
  const bytes = Buffer.from(signing);
  const mac = { HS: () => createHmac(hash, key).update(bytes).digest(),
    RS: () => signature(hash, bytes, key), ES: () => signature(hash, bytes, { key, dsaEncoding: 'ieee-p1363' }),
    Ed: () => signature(null, bytes, key), no: () => Buffer.alloc(0) }[alg.slice(0, 2)]();
  return `${signing}.${mac.toString('base64url')}`;
}

// ---- Amazon SNS -----------------------------------------------------------------------------------------------

const TOPIC = 'arn:aws:sns:us-west-2:123456789012:MyTopic';
const NOTIFICATION = { Type: 'Notification', MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324', TopicArn: TOPIC,
  Subject: 'My First Message', Message: 'Hello "world"!\nCaf\u00e9 \u2603', Timestamp: '2012-05-02T00:54:06.655Z' };
const CONFIRMATION = { Type: 'SubscriptionConfirmation', MessageId: '165545c9-2a5c-472c-8df2-7ff2be2b3b1b',
  Token: '2336412f37fb687f5d51e6e241d09c805a5a57b30d712f794cc5f6a988666d92768dd60a747ba6f3beb71854e285d6ad02428b09ceec',
  TopicArn: TOPIC, Message: 'You have chosen to subscribe to the topic.', Timestamp: '2012-04-26T20:45:04.751Z',
  SubscribeURL: 'https://sns.us-west-2.amazonaws.com/?Action=ConfirmSubscription&TopicArn=arn:aws:sns:us-west-2:'
    + '123456789012:MyTopic&Token=2336412f37fb687f5d51e6e241d09c805a5a57b30d712f794cc5f6a988666d92768dd60a74' };

/** Whole signed JSON of a message; shown: what is posted in place of what was signed. */
function sns({ key }, message, { version = '2', shown = message } = {}) {
  const names = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
  const text = names.filter((name) => name in message).map((name) => `${name}\n${message[name]}\n`).join('');
  const mac = createSign(version === '1' ? 'RSA-SHA1' : 'RSA-SHA256').update(text).sign(key, 'base64');
  return {
    headers: { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': message.Type,
      'x-amz-sns-message-id': message.MessageId },
    body: JSON.stringify({ ...shown, SignatureVersion: version, Signature: mac, SigningCertURL:
      'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem' }, null, 2),
  };
}

/** What a stranger may have SNS sign for his own topic, so that it reads as a message of ours. */
function folded(context) {
  const theirs = { Type: 'Notification', MessageId: 'm2', TopicArn: 'arn:aws:sns:us-west-2:666:Evil', Timestamp: 't2',
    Message: `Hi\nMessageId\nm1\nTimestamp\n2012-05-02T00:54:06.655Z\nTopicArn\n${TOPIC}\nType\nNotification` };
  const shown = { Message: 'Hi', MessageId: 'm1', Timestamp: '2012-05-02T00:54:06.655Z', TopicArn: TOPIC,
    Type: `Notification\nMessageId\nm2\nTimestamp\nt2\nTopicArn\n${theirs.TopicArn}\nType\nNotification` };
  return sns(context, theirs, { shown });
}

// ---- Google -----------------------------------------------------------------------------------------------------

const PUSH = '{"message":{"attributes":{"eventType":"OBJECT_FINALIZE"},"data":"SGVsbG8=","messageId":"136969346945",'
  + '"publishTime":"2021-02-26T19:13:55.749Z"},"subscription":"projects/myproject/subscriptions/mysubscription"}';
const CLAIMS = (t) => ({ aud: 'https://example.com/push', azp: '113774264463038321964',
  email: 'push@my.iam.gserviceaccount.com', sub: '113774264463038321964', email_verified: true,
  exp: t + 3600, iat: t, iss: 'https://accounts.google.com' });
const bearer = (token) => json({ authorization: `Bearer ${token}` });

// ---- the body is the token ----------------------------------------------------------------------------------------

const kinde = (data) => JSON.stringify({ event_id: 'event_018b4b0d', type: 'user.created', source: 'admin',
  timestamp: '2023-10-20T03:33:45.184Z', data });
const wix = (inner) => JSON.stringify({ data: JSON.stringify({ data: JSON.stringify(inner), instanceId: 'i-1',
  eventType: 'wix.ecom.v1.order_created', identity: '{}' }), iat: 1700000000 });
const WIX = { id: 'e-1', entityFqdn: 'wix.ecom.v1.order', slug: 'created', entityId: 'o-1' };

const asToken = ({ key, body }) => ({ headers: { 'content-type': 'application/jwt' }, body: jwt(key, JSON.parse(body),
  { kid: 'key-1' }) });
const otherTokens = [
  { name: 'no algorithm', request: ({ key }) => ({ body: jwt(key, JSON.parse(kinde({})), { alg: 'none' }) }) },
  { name: 'the public key as a shared secret', request: () => ({ body: jwt(RSA[0].pem, JSON.parse(kinde({})),
    { alg: 'HS256' }) }) },
  { name: 'a line end behind the token', request: ({ key }) => ({ body: jwt(key, JSON.parse(kinde({}))) + '\n' }) },
  { name: 'a token that is over', request: ({ key, t }) => ({ body: jwt(key, { ...JSON.parse(kinde({})),
    exp: t - 3600 }) }) },
];

// ---- FusionAuth -------------------------------------------------------------------------------------------------

const FUSION = '{"event":{"id":"e502168a","type":"user.login.success","createInstant":1505762615056,"user":{"id":"u1"'
  + '}}}';
const fusion = (alg) => ({ key, body }) => json({ 'x-fusionauth-signature-jwt': jwt(key, { request_body_sha256: digest(
  'sha256', 'base64', body) }, { alg, kid: 'key-1' }) });
const FUSION_MADE = { id: ({ sha }) => `e502168a.${sha}`, type: 'user.login.success', at: 1505762615056, object: 'u1' };

const SUMSUB = '{"applicantId":"5c9e177b","correlationId":"req-ec508a2a","type":"applicantReviewed","reviewStatus":'
  + '"completed","createdAtMs":"2020-02-21 13:23:19.321"}';
const SUMSUB_SIGN = (name, algorithm) => ({ key, body }) => json({ 'x-payload-digest-alg': name,
  'x-payload-digest': hmac(algorithm, key, 'hex', body) });

export const signers = [
  {
    recipe: 'aws-sns',
    cite: 'aws/aws-php-sns-message-validator src/MessageValidator.php; npm sns-validator; docs.aws.amazon.com sns',
    secrets: pinned(RSA),
    params: { topic: TOPIC },
    signature: 'json:/Signature',
    covers: ['json:/Message', 'json:/MessageId', 'json:/Subject', 'json:/Timestamp', 'json:/TopicArn', 'json:/Type',
      'json:/SignatureVersion', 'header:x-amz-sns-message-type'],
    weak: 'fields',
    sign: (context) => sns(context, JSON.parse(context.body), { version: context.sample?.version }),
    samples: [
      { body: JSON.stringify(NOTIFICATION), id: NOTIFICATION.MessageId, type: 'Notification',
        at: NOTIFICATION.Timestamp, object: TOPIC },
      { version: '1', body: JSON.stringify({ ...NOTIFICATION, Subject: undefined, MessageId: 'v1' }), id: 'v1',
        type: 'Notification', at: NOTIFICATION.Timestamp, object: TOPIC },
    ],
    hellos: [{ name: 'a new subscription', request: (context) => sns(context, CONFIRMATION), expect: { status: 200,
      body: '' } }],
    refused: [
      { name: 'another topic', request: (context) => sns(context, { ...NOTIFICATION, TopicArn: TOPIC + '2' }) },
      { name: 'a message for another topic that reads as one for ours', request: folded },
      { name: 'the same with the type in the header cut', request: (context) => {
        const made = folded(context);
        return { ...made, headers: { ...made.headers, 'x-amz-sns-message-type': 'Notification MessageId' } };
      } },
      { name: 'a version that there is not', request: (context) => sns(context, NOTIFICATION, { version: '3' }) },
    ],
  },
  {
    recipe: 'azure-event-grid',
    cite: 'learn.microsoft.com event-grid: end-point validation, CloudEvents 1.0; the token in the URL is our own',
    secrets: ['event-grid-token', 'second-token', 'wrong-token'],
    signature: 'query:token',
    covers: [],
    weak: 'token',
    sign: ({ key }) => ({ query: `token=${key}`, ...json({ 'aeg-event-type': 'Notification' }) }),
    samples: [
      { body: '[{"topic":"/t","id":"831e1650","subject":"/b/1","eventType":"Microsoft.Storage.BlobCreated","eventTime":'
        + '"2017-06-26T18:41:00.9584103Z","data":{}},{"topic":"/t","id":"831e1651","subject":"/b/2","eventType":"X",'
        + '"eventTime":"2017-06-26T18:41:01Z","data":{}}]',
      events: [
        { id: '/t.831e1650', type: 'Microsoft.Storage.BlobCreated', at: '2017-06-26T18:41:00.958Z', object: '/b/1' },
        { id: '/t.831e1651', type: 'X', at: '2017-06-26T18:41:01Z', object: '/b/2' },
      ] },
      { body: '{"specversion":"1.0","source":"/s","id":"9aeb0fdf","type":"com.example.a","time":'
        + '"2020-01-01T00:00:00Z"}',
        id: '/s.9aeb0fdf', type: 'com.example.a', at: '2020-01-01T00:00:00Z', object: '' },
    ],
    hellos: [
      { name: 'validation', request: ({ key }) => ({ query: `token=${key}`, ...json({ 'aeg-event-type':
        'SubscriptionValidation' }), body: '[{"id":"2d17","eventType":"Microsoft.EventGrid.Subscription","topic":"/t",'
        + '"data":{"validationCode":"512d38b6-\\"c7b8"}}]' }), expect: { type: 'application/json',
        body: '{"validationResponse":"512d38b6-\\"c7b8"}' } },
      { name: 'validation of CloudEvents', request: ({ key }) => ({ method: 'OPTIONS', query: `token=${key}`, headers: {
        'webhook-request-origin': 'eventgrid.azure.net', 'webhook-request-rate': '120' } }), expect: { status: 200,
        headers: { 'WebHook-Allowed-Origin': 'eventgrid.azure.net' } } },
    ],
    refused: [
      { name: 'validation without the token', request: () => ({ ...json({ 'aeg-event-type': 'SubscriptionValidation' }),
        body: '[{"data":{"validationCode":"1"}}]' }) },
      { name: 'validation of CloudEvents for another origin', request: ({ key }) => ({ method: 'OPTIONS',
        query: `token=${key}`, headers: { 'webhook-request-origin': 'eventgrid.azure.net.evil' } }) },
    ],
  },
  {
    recipe: 'google-pubsub',
    cite: 'cloud.google.com/pubsub/docs/authenticate-push-subscriptions: an OpenID Connect token in Authorization',
    secrets: pinned(RSA),
    params: { audience: 'https://example.com/push', email: 'push@my.iam.gserviceaccount.com' },
    signature: 'header:authorization',
    covers: [],
    weak: 'body',
    sign: ({ key, t }) => bearer(jwt(key, CLAIMS(t), { kid: 'key-1' })),
    samples: [{ body: PUSH, id: '136969346945', type: 'OBJECT_FINALIZE', at: '2021-02-26T19:13:55.749Z',
      object: 'projects/myproject/subscriptions/mysubscription' }],
    refused: [
      ['another audience', { aud: 'https://example.com/other' }], ['no audience', { aud: undefined }],
      ['another account', { email: 'evil@my.iam.gserviceaccount.com' }], ['an address not verified', { email_verified:
        false }], ['another issuer', { iss: 'https://accounts.example.com' }], ['a token that is over', { exp: 1000 }],
    ].map(([name, other]) => ({ name, request: ({ key, t }) => ({ ...bearer(jwt(key, { ...CLAIMS(t), ...other })),
      body: PUSH }) })),
  },
  {
    recipe: 'google-channels',
    cite: 'developers.google.com drive and calendar push guides: X-Goog-* headers, body mostly empty',
    secrets: ['channel-token', 'second-token', 'wrong-token'],
    signature: 'header:x-goog-channel-token',
    covers: [],
    weak: 'token',
    sign: ({ key, sample }) => ({ headers: { 'x-goog-channel-id': '4ba78bf0', 'x-goog-channel-token': key,
      'x-goog-channel-expiration': 'Tue, 19 Nov 2013 01:13:52 GMT', 'x-goog-resource-id': 'ret08u3rv24htgh289g',
      'x-goog-resource-uri': 'https://www.googleapis.com/drive/v3/files/x', 'x-goog-resource-state': 'update',
      'x-goog-message-number': sample?.number ?? '999' } }),
    samples: ['10', '12'].map((number) => ({ number, body: '', id: `4ba78bf0.${number}`, type: 'update',
      object: 'ret08u3rv24htgh289g' })),
    hellos: [{ name: 'sync', request: ({ key }) => ({ headers: { 'x-goog-channel-id': '4ba78bf0',
      'x-goog-channel-token': key, 'x-goog-resource-state': 'sync', 'x-goog-message-number': '1' } }),
    expect: { status: 200 } }],
  },
  {
    recipe: 'okta',
    cite: 'okta/okta-developer-docs docs/concepts/event-hooks/index.md',
    secrets: ['any text as it is', 'Bearer second', 'wrong'],
    signature: 'header:authorization',
    covers: [],
    weak: 'token',
    sign: ({ key }) => json({ authorization: key }),
    samples: [{ body: '{"eventType":"com.okta.event_hook","eventId":"85b60edb","data":{"events":[{"uuid":"f1d0b993",'
      + '"published":"2023-03-26T21:05:32.159Z","eventType":"user.session.start","target":null,"actor":{"id":"00u1"}},'
      + '{"uuid":"f1d0b994","published":"2023-03-26T21:05:33Z","eventType":"user.lifecycle.create","target":[{"id":'
      + '"00u2"}]}]}}',
    events: [
      { id: 'f1d0b993', type: 'user.session.start', at: '2023-03-26T21:05:32.159Z', object: '00u1' },
      { id: 'f1d0b994', type: 'user.lifecycle.create', at: '2023-03-26T21:05:33Z', object: '00u2' },
    ] }],
    hellos: [{ name: 'verification', request: () => ({ method: 'GET', headers: { 'x-okta-verification-challenge':
      'Nb3Cj"tE-1' } }), expect: { type: 'application/json', body: '{"verification":"Nb3Cj\\"tE-1"}' } }],
  },
  {
    recipe: 'auth0',
    cite: 'triggerdotdev/trigger.dev auth0: the token as the whole of Authorization, an array of log events',
    secrets: ['Bearer auth0-token', 'second', 'wrong'],
    signature: 'header:authorization',
    covers: [],
    weak: 'token',
    sign: ({ key }) => json({ authorization: key }),
    samples: [{ body: '[{"log_id":"9002025070","data":{"date":"2026-07-08T14:12:38.123Z","type":"s","user_id":'
      + '"auth0|64"}},{"log_id":"9002025071","data":{"date":"2026-07-08T14:19:02.881Z","type":"fp","user_id":null}}]',
    events: [
      { id: '9002025070', type: 's', at: '2026-07-08T14:12:38.123Z', object: 'auth0|64' },
      { id: '9002025071', type: 'fp', at: '2026-07-08T14:19:02.881Z', object: '' },
    ] }],
  },
  {
    recipe: 'workos',
    cite: 'workos/workos-node src/common/crypto/signature-provider.ts: HMAC-SHA256 of time . body; milliseconds',
    secrets: ['workos-secret', 'second-secret', 'wrong-secret'],
    signature: 'header:workos-signature',
    tolerance: 180,
    sign: ({ key, body, t }) => json({ 'workos-signature': `t=${t}000, v1=${hmac('sha256', key, 'hex', `${t}000.`,
      body)}` }),
    samples: [{ body: '{"id":"event_01J4","event":"dsync.user.created","data":{"id":"directory_user_01"},"created_at":'
      + '"2026-07-13T09:20:01.104Z"}', id: 'event_01J4', type: 'dsync.user.created', at: '2026-07-13T09:20:01.104Z',
    object: 'directory_user_01' }],
  },
  {
    recipe: 'fusionauth',
    cite: 'hookdeck/webhook-skills fusionauth verification.md: claim request_body_sha256 in base64',
    secrets: ['fusion-secret', 'second-secret', 'wrong-secret'],
    signature: 'header:x-fusionauth-signature-jwt',
    sign: fusion('HS256'),
    samples: [{ body: FUSION, ...FUSION_MADE }],
    taken: ['HS384', 'HS512'].map((alg) => ({ name: alg, request: (context) => ({ ...fusion(alg)({ ...context,
      body: '{"event":{"id":"2"}}' }), body: '{"event":{"id":"2"}}' }) })),
    refused: [{ name: 'the digest in hex', request: ({ key }) => ({ ...json({ 'x-fusionauth-signature-jwt': jwt(key, {
      request_body_sha256: digest('sha256', 'hex', FUSION) }, { alg: 'HS256' }) }), body: FUSION }) }],
  },
  ...[['RS256', RSA], ['ES256', EC], ['EdDSA', ED25519]].map(([alg, pairs]) => ({
    name: `fusionauth-${alg.toLowerCase()}`,
    recipe: 'fusionauth-public',
    cite: 'hookdeck/webhook-skills fusionauth verification.md: keys of JWKS, here pinned as PEM',
    secrets: pinned(pairs),
    signature: 'header:x-fusionauth-signature-jwt',
    sign: fusion(alg),
    samples: [{ body: FUSION, ...FUSION_MADE }],
    refused: [{ name: 'the public key as a shared secret', request: (context) => ({ ...fusion('HS256')({ ...context,
      key: pairs[0].pem, body: FUSION }), body: FUSION }) }],
  })),
  {
    recipe: 'persona',
    cite: 'hookdeck/webhook-skills persona: t=,v1= over time . body, two of them with a blank between on rotation',
    secrets: ['wbhsec_first', 'wbhsec_second', 'wbhsec_wrong'],
    signature: 'header:persona-signature',
    sign: ({ key, body, t }) => json({ 'persona-signature': `t=${t},v1=${hmac('sha256', key, 'hex', `${t}.`, body)}` }),
    samples: [{ body: '{"data":{"type":"event","id":"evt_1","attributes":{"name":"inquiry.completed","created-at":'
      + '"2023-01-01T00:00:00.000Z","payload":{"data":{"type":"inquiry","id":"inq_1"}}}}}', id: 'evt_1',
    type: 'inquiry.completed', at: '2023-01-01T00:00:00Z', object: 'inq_1' }],
    taken: [{ name: 'two at once', request: ({ key, t }) => ({ ...json({ 'persona-signature':
      `t=${t},v1=${'0f'.repeat(32)} t=${t},v1=${hmac('sha256', key, 'hex', `${t}.{"data":{"id":"evt_2"}}`)}` }),
    body: '{"data":{"id":"evt_2"}}' }) }],
  },
  {
    recipe: 'onfido',
    cite: 'npm @onfido/api dist/webhook-event-verifier.js',
    secrets: ['onfido-token', 'second', 'wrong'],
    signature: 'header:x-sha2-signature',
    sign: ({ key, body }) => json({ 'x-sha2-signature': hmac('sha256', key, 'hex', body) }),
    samples: [{ body: '{"payload":{"resource_type":"check","action":"check.completed","object":{"id":"c1","status":'
      + '"complete","completed_at_iso8601":"2019-10-28T15:00:39Z"}}}', id: ({ sha }) => sha, type: 'check.completed',
    at: '2019-10-28T15:00:39Z', object: 'c1' }],
  },
  ...[['sumsub', 'HMAC_SHA256_HEX', 'sha256'], ['sumsub-512', 'HMAC_SHA512_HEX', 'sha512'], ['sumsub-1',
    'HMAC_SHA1_HEX', 'sha1']].map(([name, word, algorithm]) => ({
    name,
    recipe: 'sumsub',
    cite: 'receivers on GitHub: HMAC of the body, hex, the algorithm in X-Payload-Digest-Alg',
    secrets: ['sumsub-secret', 'second', 'wrong'],
    signature: 'header:x-payload-digest',
    covers: ['body', 'header:x-payload-digest-alg'],
    sign: SUMSUB_SIGN(word, algorithm),
    samples: [{ body: SUMSUB, id: ({ sha }) => `req-ec508a2a.${sha}`, type: 'applicantReviewed', object: '5c9e177b' }],
    refused: [{ name: 'an algorithm that is not known', request: (context) => ({ ...SUMSUB_SIGN('HMAC_MD5_HEX', 'md5')({
      ...context, body: SUMSUB }), body: SUMSUB }) }],
  })),
  {
    recipe: 'kinde',
    cite: 'npm @kinde/webhooks dist/webhooks.js: the body is a JWT, RS256',
    secrets: pinned(RSA),
    signature: 'body',
    sign: asToken,
    samples: [{ body: kinde({ user: { id: 'kp_1' } }), id: 'event_018b4b0d', type: 'user.created',
      at: '2023-10-20T03:33:45.184Z', object: 'kp_1' }],
    refused: otherTokens,
  },
  {
    recipe: 'wix',
    cite: 'npm @wix/sdk build/auth/AppStrategy.js decodeJWT, build/event-handlers-modules.js parseJWT',
    secrets: pinned(RSA),
    signature: 'body',
    sign: asToken,
    samples: [{ body: wix(WIX), id: `e-1.${digest('sha256', 'hex', JSON.parse(wix(WIX)).data)}`,
      type: 'wix.ecom.v1.order_created', at: '2023-11-14T22:13:20Z', object: 'i-1' }],
    refused: otherTokens,
  },
];
