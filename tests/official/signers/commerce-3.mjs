// Work and publishing: Jira, Linear, Asana, Trello, Monday, Notion, Airtable, Typeform, Calendly, Cal.com, Zoom,
// ClickUp, Figma, Webflow, Mautic, Taiga, Ghost, Frame.io, Attio, Acuity.
import { FORM_TYPE, JSON_TYPE, digest, hmac } from './_tools.mjs';

/** An HMAC of the body in one header. */
const ofBody = (header, algorithm, enc, prefix = '') => ({ key, body }) => ({
  headers: { ...JSON_TYPE, [header]: prefix + hmac(algorithm, key, enc, body) } });

const sha = (facts) => facts.sha;

const base64url = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A JWT as monday.com makes it. */
function jwt({ key, url, t }, { header = { alg: 'HS256', typ: 'JWT' }, algorithm = 'sha256', claims = {} } = {}) {
  const signed = base64url(header) + '.' + base64url({ accountId: 1825529, userId: 4012689, aud: url, exp: t + 300,
    shortLivedToken: 'x.y.z', iat: t, ...claims });
  return `${signed}.${algorithm ? hmac(algorithm, key, 'base64url', signed) : ''}`;
}

const MONDAY_BODY = '{"event":{"userId":42973518,"originalTriggerUuid":null,"boardId":4429449918,"pulseId":4429514497,'
  + '"pulseName":"New Item","app":"monday","type":"create_pulse","triggerTime":"2023-05-07T06:16:58.471Z",'
  + '"subscriptionId":227626570,"triggerUuid":"1f418681359b1cc8f675efe2fd0ba062"}}';
const monday = (how) => (context) => ({ body: MONDAY_BODY,
  headers: { ...JSON_TYPE, authorization: jwt(context, how(context)) } });

const ZOOM_SECRETS = ['zoom-secret-token-1', 'zoom-secret-token-2', 'zoom-secret-token-3'];
const zoomCheck = (token) => `{"payload":{"plainToken":"${token}"},"event":"endpoint.url_validation"}`;

const ASANA_EVENTS = [
  { user: { gid: '12345' }, created_at: '2013-08-21T18:20:37.972Z', action: 'changed',
    resource: { gid: '1337', resource_type: 'task' }, parent: null },
  { action: 'deleted', resource: { gid: '1337', resource_type: 'task' }, created_at: '2013-08-21T18:22:45.421Z' },
];
/** Of an event by its bytes, in a list that is written with one blank for each level. */
const asStands = (event) => digest('sha256', 'hex', JSON.stringify(event, null, 1).replaceAll('\n', '\n  '));

export const signers = [
  {
    recipe: 'jira',
    cite: 'developer.atlassian.com jira/platform/webhooks: X-Hub-Signature: sha256= and the hex HMAC of the body',
    secrets: ["It's a secret", 'another', 'wrong'],
    signature: 'header:x-hub-signature',
    sign: ({ key, body, id }) => ({ headers: { ...JSON_TYPE, 'x-atlassian-webhook-identifier': id,
      'x-hub-signature': 'sha256=' + hmac('sha256', key, 'hex', body) } }),
    samples: [{ body: '{"timestamp":1525698237764,"webhookEvent":"jira:issue_created","issue":{"id":"99291","key":'
      + '"JRA-20002","fields":{"summary":"I feel the need for speed"}}}',
    id: ({ id }) => id, type: 'jira:issue_created', at: '2018-05-07T13:03:57.764Z', object: 'JRA-20002' }],
  },
  {
    recipe: 'linear',
    cite: 'linear/linear packages/sdk/src/webhooks/client.ts: hex HMAC-SHA256 of the body; webhookTimestamp within '
      + 'a minute',
    secrets: ['lin_wh_1', 'lin_wh_2', 'lin_wh_3'],
    signature: 'header:linear-signature',
    tolerance: 60,
    sign: ({ key, body, id, t }) => ({ headers: { ...JSON_TYPE, 'linear-delivery': id, 'linear-event': 'Issue',
      'linear-timestamp': `${t}000`, 'linear-signature': hmac('sha256', key, 'hex', body) } }),
    samples: [{ body: ({ t }) => '{"action":"create","type":"Issue","createdAt":"2020-01-23T12:53:18.084Z",'
      + '"organizationId":"o1",'
        + `"data":{"id":"2174add1","title":"\u2713"},"webhookTimestamp":${t}000,"webhookId":"w1"}`,
    id: ({ id }) => id, type: 'Issue.create', at: '2020-01-23T12:53:18.084Z', object: '2174add1' }],
    refused: [{ name: 'a fresh time in the header only', request: ({ sign, t }) => sign('{"action":"create","type":'
      + '"Issue",'
      + `"webhookTimestamp":${t - 300}000}`) }],
  },
  {
    recipe: 'asana',
    cite: 'Asana/developer-docs webhooks: X-Hook-Signature, hex HMAC-SHA256 of the body under the X-Hook-Secret',
    secrets: ['b537207f20cbfa02357cf448134da559', '0537207f20cbfa02357cf448134da550', 'ffffffff20cbfa02357cf448134da'
      + '559'],
    signature: 'header:x-hook-signature',
    sign: ofBody('x-hook-signature', 'sha256', 'hex'),
    samples: [{
      body: JSON.stringify({ events: ASANA_EVENTS }, null, 1),
      events: [
        { id: asStands(ASANA_EVENTS[0]), type: 'task.changed', at: '2013-08-21T18:20:37.972Z', object: '1337' },
        { id: asStands(ASANA_EVENTS[1]), type: 'task.deleted', at: '2013-08-21T18:22:45.421Z', object: '1337' },
      ],
    }],
    taken: [{ name: 'a heartbeat', request: ({ sign }) => sign('{"events":[]}') }],
    refused: [{ name: 'a handshake that nobody waits for', request: () => ({ body: '{}',
      headers: { ...JSON_TYPE, 'x-hook-secret': 'attackers' } }) }],
  },
  {
    recipe: 'trello',
    cite: 'developer.atlassian.com trello webhooks: base64 HMAC-SHA1 of the body, then the callback URL',
    secrets: ['8b5a1d2f', '9c6b2e30', '00000000'],
    url: 'https://hooks.example.com/hook/trello?board=1',
    signature: 'header:x-trello-webhook',
    coversUrl: true,
    sign: ({ key, body, url }) => ({ query: 'board=1', headers: { ...JSON_TYPE,
      'x-trello-webhook': hmac('sha1', key, 'base64', body, url) } }),
    samples: [{ body: '{"action":{"id":"51f9424bcd6e040f3c002412","data":{"board":{"id":"4d5e"},"card":{"id":"51a7"}},'
        + '"type":"updateCard","date":"2013-07-31T17:00:27.000Z"},"model":{"id":"4d5e"}}',
    id: '51f9424bcd6e040f3c002412', type: 'updateCard', at: '2013-07-31T17:00:27Z', object: '51a7' }],
    hellos: [
      { name: 'HEAD', request: () => ({ method: 'HEAD', query: 'board=1', headers: {} }), expect: {} },
      { name: 'GET', request: () => ({ method: 'GET', query: 'board=1', headers: {} }), expect: {} },
    ],
  },
  {
    recipe: 'monday',
    cite: 'developer.monday.com authorization-header: HS256 JWT, aud is the URL, exp; samples: hookdeck/'
      + 'webhook-samples',
    weak: 'body',
    secrets: ['monday-signing-secret-1', 'monday-signing-secret-2', 'monday-signing-secret-3'],
    url: 'https://www.yourserver.com/endpoint',
    signature: 'header:authorization',
    covers: [],
    coversUrl: true,
    sign: (context) => ({ headers: { ...JSON_TYPE, authorization: jwt(context) } }),
    samples: [{ body: MONDAY_BODY, id: '227626570.1f418681359b1cc8f675efe2fd0ba062', type: 'create_pulse',
      at: '2023-05-07T06:16:58.471Z', object: '4429514497' }],
    hellos: [{ name: 'the challenge', request: () => ({ body: '{"challenge":"3eZbrw1aBm\\"2rG"}', headers: JSON_TYPE }),
      expect: { status: 200, type: 'application/json', body: '{"challenge":"3eZbrw1aBm\\"2rG"}' } }],
    refused: [
      { name: 'expired', request: monday(({ t }) => ({ claims: { exp: t - 120 } })) },
      { name: 'alg none', request: monday(() => ({ header: { alg: 'none' }, algorithm: null })) },
      { name: 'alg HS512', request: monday(() => ({ header: { alg: 'HS512' }, algorithm: 'sha512' })) },
      { name: 'no aud', request: monday(() => ({ claims: { aud: undefined } })) },
    ],
  },
  {
    recipe: 'notion',
    cite: 'developers.notion.com webhooks: X-Notion-Signature: sha256= and the hex HMAC under the verification token',
    secrets: ['secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl', 'secret_2', 'secret_3'],
    signature: 'header:x-notion-signature',
    sign: ofBody('x-notion-signature', 'sha256', 'hex', 'sha256='),
    samples: [{ body: '{"id":"367cba44-b6f3-4c92-81e7-6a2e9659efd4","timestamp":"2024-12-05T23:55:34.285Z",'
        + '"subscription_id":"29d75c0d","type":"page.created","attempt_number":1,"entity":{"id":"153104cd","type":'
        + '"page"}}',
    id: '367cba44-b6f3-4c92-81e7-6a2e9659efd4', type: 'page.created', at: '2024-12-05T23:55:34.285Z',
      object: '153104cd' }],
    refused: [{ name: 'a token that nobody waits for', request: () => ({ headers: JSON_TYPE,
      body: '{"verification_token":"secret_of_an_attacker"}' }) }],
  },
  {
    recipe: 'airtable',
    cite: 'airtable.com webhooks overview: X-Airtable-Content-MAC: hmac-sha256= and the hex HMAC under the decoded '
      + 'secret',
    secrets: ['bWFjLXNlY3JldC0x/w==', 'bWFjLXNlY3JldC0y+w==', 'bWFjLXNlY3JldC0z/g=='].map((secret) => (
      { secret, key: Buffer.from(secret, 'base64') })),
    signature: 'header:x-airtable-content-mac',
    sign: ofBody('x-airtable-content-mac', 'sha256', 'hex', 'hmac-sha256='),
    samples: [{ body: '{"base":{"id":"app00000000000000"},"webhook":{"id":"ach00000000000000"},'
        + '"timestamp":"2022-02-01T21:25:05.663Z"}',
    id: sha, at: '2022-02-01T21:25:05.663Z', object: 'ach00000000000000' }],
  },
  {
    recipe: 'typeform',
    cite: 'typeform.com secure-your-webhooks: Typeform-Signature: sha256= and the base64 HMAC of the body',
    secrets: ['typeform-1', 'typeform-2', 'typeform-3'],
    signature: 'header:typeform-signature',
    sign: ofBody('typeform-signature', 'sha256', 'base64', 'sha256='),
    samples: [{ body: '{"event_id":"LtWXD3crgy","event_type":"form_response","form_response":{"form_id":"lT4Z3j",'
        + '"token":"a3a12ec67a1365927098a606107fac15","submitted_at":"2018-01-18T18:17:02Z"}}',
    id: 'LtWXD3crgy', type: 'form_response', at: '2018-01-18T18:17:02Z', object: 'a3a12ec67a1365927098a606107fac15' }],
  },
  {
    recipe: 'calendly',
    cite: 'developer.calendly.com webhooks: t=,v1= with the hex HMAC-SHA256 of time, ".", body; three minutes',
    secrets: ['5mEzn9C-I28UtwOjZJtFoob0sAAFZ95GbZkqj4y3i0I', 'second', 'wrong'],
    signature: 'header:calendly-webhook-signature',
    tolerance: 180,
    sign: ({ key, body, t }) => ({ headers: { ...JSON_TYPE,
      'calendly-webhook-signature': `t=${t},v1=${hmac('sha256', key, 'hex', `${t}.`, body)}` } }),
    samples: [{ body: '{"event":"invitee.created","created_at":"2020-11-23T17:51:19.000000Z","payload":{"uri":'
      + '"https://x/i/1"}}',
      id: sha, type: 'invitee.created', at: '2020-11-23T17:51:19Z', object: 'https://x/i/1' }],
  },
  {
    recipe: 'cal-com',
    cite: 'calcom/cal.com packages/features/webhooks/lib/sendPayload.ts createWebhookSignature',
    secrets: ['cal-1', 'cal-2', 'cal-3'],
    signature: 'header:x-cal-signature-256',
    sign: ofBody('x-cal-signature-256', 'sha256', 'hex'),
    samples: [{ body: '{"triggerEvent":"BOOKING_CREATED","createdAt":"2023-05-24T09:30:00.538Z","payload":{"uid":'
      + '"bFJeNb2uX8"}}',
      id: sha, type: 'BOOKING_CREATED', at: '2023-05-24T09:30:00.538Z', object: 'bFJeNb2uX8' }],
    refused: [{ name: 'a webhook without a secret', request: () => ({ body: '{"triggerEvent":"X"}',
      headers: { ...JSON_TYPE, 'x-cal-signature-256': 'no-secret-provided' } }) }],
  },
  {
    recipe: 'zoom',
    cite: 'zoom/webhook-sample index.js: v0= and the hex HMAC-SHA256 of v0:time:body; endpoint.url_validation',
    secrets: ZOOM_SECRETS,
    signature: 'header:x-zm-signature',
    covers: ['body', 'header:x-zm-request-timestamp'],
    tolerance: 300,
    sign: ({ key, body, t }) => ({ headers: { ...JSON_TYPE, 'x-zm-request-timestamp': String(t),
      'x-zm-signature': 'v0=' + hmac('sha256', key, 'hex', `v0:${t}:`, body) } }),
    samples: [{ body: '{"event":"meeting.started","event_ts":1626230691572,"payload":{"account_id":"AA","object":'
      + '{"id":"1234567890"}}}',
      id: sha, type: 'meeting.started', at: '2021-07-14T02:44:51.572Z', object: '1234567890' }],
    hellos: [{ name: 'validation of the URL', request: ({ sign }) => sign(zoomCheck('qgg8vlvZRS6UYooatFL8Aw')),
      expect: { status: 200, type: 'application/json', body: JSON.stringify({ plainToken: 'qgg8vlvZRS6UYooatFL8Aw',
        encryptedToken: hmac('sha256', ZOOM_SECRETS[0], 'hex', 'qgg8vlvZRS6UYooatFL8Aw') }) } }],
    refused: [{ name: 'an unsigned validation', request: () => ({ body: zoomCheck('qgg8vlvZRS6UYooatFL8Aw'),
      headers: JSON_TYPE }) }],
  },
  {
    recipe: 'clickup',
    cite: 'developer.clickup.com webhooksignature: X-Signature, hex HMAC-SHA256 of the body',
    secrets: ['O94IM25S7PXBPYTMNXLLET230SRP0S89COR7B1YOJ2ZIE8WQNK5UUKEF26W0Z5GA', 'second', 'wrong'],
    signature: 'header:x-signature',
    sign: ofBody('x-signature', 'sha256', 'hex'),
    samples: [
      { body: '{"event":"taskStatusUpdated","history_items":[{"id":"2800763136717140857","type":1,"date":'
        + '"1642734631523"}],"task_id":"1vj37mc","webhook_id":"7fa3ec74"}',
      id: '7fa3ec74.taskStatusUpdated.2800763136717140857', type: 'taskStatusUpdated', at: '2022-01-21T03:10:31.523Z',
      object: '1vj37mc' },
      { body: '{"event":"taskDeleted","task_id":"1vj37mc","webhook_id":"7fa3ec74"}', id: sha, type: 'taskDeleted',
        object: '1vj37mc' },
    ],
  },
  {
    recipe: 'figma',
    cite: 'developers.figma.com webhooks-security: the passcode is in every body',
    weak: 'token',
    secrets: ['secretpasscode', 'second', 'wrong'],
    signature: 'json:/passcode',
    covers: [],
    sign: ({ key, body }) => ({ headers: JSON_TYPE, body: JSON.stringify({ ...JSON.parse(body), passcode: key }) }),
    samples: [{ body: '{"event_type":"FILE_COMMENT","file_key":"zH24I8cCkMDjJ7eB8AEdnE","timestamp":"2020-02-23T20:'
      + '27:16Z"}',
      id: sha, type: 'FILE_COMMENT', at: '2020-02-23T20:27:16Z', object: 'zH24I8cCkMDjJ7eB8AEdnE' }],
  },
  {
    recipe: 'webflow',
    cite: 'developers.webflow.com working-with-webhooks: hex HMAC-SHA256 of time, ":", body; milliseconds, five '
      + 'minutes',
    secrets: ['webflow-1', 'webflow-2', 'webflow-3'],
    signature: 'header:x-webflow-signature',
    covers: ['body', 'header:x-webflow-timestamp'],
    tolerance: 300,
    sign: ({ key, body, t }) => ({ headers: { ...JSON_TYPE, 'x-webflow-timestamp': `${t}000`,
      'x-webflow-signature': hmac('sha256', key, 'hex', `${t}000:`, body) } }),
    samples: [{ body: '{"triggerType":"form_submission","payload":{"name":"Contact Us","id":'
      + '"6321ca84df3949bfc6752327"}}',
      id: sha, type: 'form_submission', object: '6321ca84df3949bfc6752327' }],
  },
  {
    recipe: 'mautic',
    cite: 'mautic/mautic app/bundles/WebhookBundle/Http/Client.php: Webhook-Signature, base64 HMAC-SHA256',
    secrets: ['mautic-1', 'mautic-2', 'mautic-3'],
    signature: 'header:webhook-signature',
    sign: ofBody('webhook-signature', 'sha256', 'base64'),
    samples: [{ body: '{"mautic.page_on_hit":[{"hit":{"id":1},"timestamp":"2017-01-19T20:39:11+00:00"}]}', id: sha }],
  },
  {
    recipe: 'taiga',
    cite: 'taigaio/taiga-back taiga/webhooks/tasks.py _generate_signature: HMAC-SHA1, hex',
    secrets: ['taiga-1', 'taiga-2', 'taiga-3'],
    signature: 'header:x-taiga-webhook-signature',
    sign: ofBody('x-taiga-webhook-signature', 'sha1', 'hex'),
    samples: [{ body: '{"action": "create", "type": "milestone", "by": {"id": 6}, "date": "2016-04-12T12:17:20.'
      + '486Z", "data": {"id": 11}}',
      id: sha, type: 'milestone.create', at: '2016-04-12T12:17:20.486Z', object: '11' }],
  },
  {
    recipe: 'ghost',
    cite: 'TryGhost/Ghost services/webhooks/webhook-trigger.js: sha256= and t= in milliseconds; HMAC of body and time',
    secrets: ['ghost-1', 'ghost-2', 'ghost-3'],
    signature: 'header:x-ghost-signature',
    tolerance: 300,
    sign: ({ key, body, t }) => ({ headers: { ...JSON_TYPE,
      'x-ghost-signature': `sha256=${hmac('sha256', key, 'hex', body, `${t}000`)}, t=${t}000` } }),
    samples: [{ body: '{"post":{"current":{"id":"5f1","title":"\u00c4"},"previous":{}}}', id: sha, object: '5f1' }],
  },
  {
    recipe: 'frame-io',
    cite: 'developer.adobe.com/frameio webhooks: v0= and the hex HMAC-SHA256 of v0:time:body',
    secrets: ['frame-1', 'frame-2', 'frame-3'],
    signature: 'header:x-frameio-signature',
    covers: ['body', 'header:x-frameio-request-timestamp'],
    tolerance: 300,
    sign: ({ key, body, t }) => ({ headers: { ...JSON_TYPE, 'x-frameio-request-timestamp': String(t),
      'x-frameio-signature': 'v0=' + hmac('sha256', key, 'hex', `v0:${t}:`, body) } }),
    samples: [{ body: '{"type":"asset.created","resource":{"type":"asset","id":"a1"},"user":{"id":"u1"}}',
      id: (facts) => `${facts.t}.${facts.sha}`, type: 'asset.created', object: 'a1' }],
  },
  {
    recipe: 'attio',
    cite: 'docs.attio.com webhooks: Attio-Signature, hex HMAC-SHA256 of the body',
    secrets: ['attio-1', 'attio-2', 'attio-3'],
    signature: 'header:attio-signature',
    again: true,
    sign: ofBody('attio-signature', 'sha256', 'hex'),
    samples: [{ body: '{"webhook_id":"w","events":[{"event_type":"record.updated","id":{"record_id":"r1"},"actor":'
      + '{"id":"a"}}]}',
      events: [{ type: 'record.updated', object: 'r1' }] }],
    taken: [{ name: 'no events', request: ({ sign }) => sign('{"webhook_id":"w","events":[]}') }],
  },
  {
    recipe: 'acuity',
    cite: 'developers.acuityscheduling.com webhooks: X-Acuity-Signature, base64 HMAC-SHA256 of the form under the '
      + 'API key',
    secrets: ['acuity-1', 'acuity-2', 'acuity-3'],
    signature: 'header:x-acuity-signature',
    again: true,
    sign: ({ key, body }) => ({ headers: { ...FORM_TYPE, 'x-acuity-signature': hmac('sha256', key, 'base64', body) } }),
    samples: [{ body: 'action=rescheduled&id=54321&calendarID=1&appointmentTypeID=1', type: 'rescheduled',
      object: '54321' }],
  },
];
