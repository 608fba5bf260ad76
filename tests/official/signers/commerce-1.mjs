// Shops, books and CRM: WooCommerce, Xero, QuickBooks, HubSpot, Intercom, Zendesk, Pipedrive, Close, Jobber, Sellsy,
// Autotask, ConnectWise.
import { FORM_TYPE, JSON_TYPE, digest, hmac } from './_tools.mjs';

/** An HMAC of the body in one header. */
const ofBody = (header, algorithm, enc, prefix = '') => ({ key, body }) => ({
  headers: { ...JSON_TYPE, [header]: prefix + hmac(algorithm, key, enc, body) } });

const sha = ({ sha: digits }) => digits;
const bySha = (id) => (facts) => `${id}.${facts.sha}`;
const hexSecrets = ['00ff10a5c3d2e1f0aabbccddeeff0011', '8899aabbccddeeff0011223344556677', 'fffffffffffffffffffffff'
  + 'fffffffff'];
const bytesOf = (enc) => (secret) => ({ secret, key: Buffer.from(secret, enc) });

const HUBSPOT_EVENT = '[{"eventId":1,"subscriptionId":12345,"portalId":62515,"occurredAt":1564113600000,'
  + '"subscriptionType":"contact.creation","attemptNumber":0,"objectId":123,"changeSource":"CRM","changeFlag":"NEW",'
  + '"appId":54321}]';
const HUBSPOT_SECRETS = ['yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy', 'f9d6f3a2-0000-4000-8000-000000000001',
  'no-such-client-secret'];
const HUBSPOT_URL = 'https://www.example.com/webhook_uri';
const HUBSPOT_MADE = { id: '62515.12345.1.1564113600000', type: 'contact.creation', at: '2019-07-26T04:00:00Z',
  object: '123' };

export const signers = [
  {
    recipe: 'woocommerce',
    cite: 'woocommerce/woocommerce class-wc-webhook.php: generate_signature, get_new_delivery_id, deliver_ping',
    secrets: ['ck_ =&<"hush"> *', 'a second one', 'not it'],
    signature: 'header:x-wc-webhook-signature',
    sign: ({ key, body }) => ({ headers: { ...JSON_TYPE, 'x-wc-webhook-topic': 'order.created', 'x-wc-webhook-id': '5',
      'x-wc-webhook-delivery-id': 'a3f1c8d2e4b5a697', 'x-wc-webhook-signature': hmac('sha256', key, 'base64',
        body) } }),
    samples: [
      { body: '{"id":727,"number":"727","total":"29.35","date_created_gmt":"2017-03-22T19:28:02"}',
        id: bySha('a3f1c8d2e4b5a697'),
        type: 'order.created', object: '727' },
      { body: '{"id":728,"billing":{"first_name":"J\\u00f6rg \\/ \u2603"}}', id: bySha('a3f1c8d2e4b5a697'),
        type: 'order.created',
        object: '728' },
    ],
    hellos: [{ name: 'the ping of a new webhook', request: () => ({ headers: FORM_TYPE, body: 'webhook_id=5' }),
      expect: {} }],
    refused: [{ name: 'another unsigned form', request: () => ({ headers: FORM_TYPE, body: 'id=5' }) }],
  },
  {
    recipe: 'xero',
    cite: 'developer.xero.com guides/webhooks: HMAC-SHA256 of the payload under the webhooks key as text, base64; '
      + 'intent to receive',
    secrets: ['OSd0eLlVIY9ZhViEqlDUh4+6n6M+Lo+eDaEJheJ6OCCg==', 'iyZ1VJ1c4zL0mGd0Q0wq==', 'AAAA'],
    signature: 'header:x-xero-signature',
    sign: ofBody('x-xero-signature', 'sha256', 'base64'),
    samples: [{
      body: '{"events":[{"resourceUrl":"https://api.xero.com/api.xro/2.0/Contacts/'
        + '717f2bfc-c6d4-41fd-b238-3f2f0c0cf777",'
        + '"resourceId":"717f2bfc-c6d4-41fd-b238-3f2f0c0cf777","eventDateUtc":"2017-06-21T01:15:39.902","eventType":'
        + '"Update",'
        + '"eventCategory":"CONTACT","tenantId":"c2cc9b6e-9458-4c7d-93cc-f02b81b0594f","tenantType":"ORGANISATION"},'
        + '{"resourceId":"87","eventDateUtc":"2017-06-21T01:16:29.587","eventType":"Create","eventCategory":"INVOICE",'
        + '"tenantId":"c2cc9b6e-9458-4c7d-93cc-f02b81b0594f"}],"lastEventSequence":2,"firstEventSequence":1,'
        + '"entropy":"S0m3r4Nd0mt3xt"}',
      events: [
        { id: 'c2cc9b6e-9458-4c7d-93cc-f02b81b0594f.717f2bfc-c6d4-41fd-b238-3f2f0c0cf777.Update.2017-06-21T01:15:39.'
          + '902',
          type: 'CONTACT.Update' },
        { id: 'c2cc9b6e-9458-4c7d-93cc-f02b81b0594f.87.Create.2017-06-21T01:16:29.587', type: 'INVOICE.Create' },
      ],
    }],
    bad: { status: 401 },
    taken: [
      { name: 'intent to receive', request: ({ sign }) => sign('{"events":[],"firstEventSequence":0,'
        + '"lastEventSequence":0,"entropy":"X"}') },
      { name: 'no events at all', request: ({ sign }) => sign('{"events":null,"firstEventSequence":0,"entropy":"X"}') },
    ],
  },
  {
    recipe: 'quickbooks',
    cite: 'developer.intuit.com webhooks: HMAC-SHA256 of the payload under the verifier token, base64; CloudEvents '
      + 'payload',
    secrets: ['92abb31b-9417-42a1-8a3f-000000000000', '92abb31b-9417-42a1-8a3f-000000000001', 'no-such-token'],
    signature: 'header:intuit-signature',
    sign: ofBody('intuit-signature', 'sha256', 'base64'),
    samples: [{
      body: '[{"specversion":"1.0","id":"88cd52aa-33b6-4351-9aa4-47572edbd068","source":"intuit.'
        + 'dsnBgbseACLLRZNxo2dfc4evmEJdxde58xeeYcZliOU=",'
        + '"type":"qbo.account.created.v1","datacontenttype":"application/json","time":"2025-09-10T21:31:25.'
        + '179851517Z","intuitentityid":"1234","intuitaccountid":"310687","data":{}},'
        + '{"specversion":"1.0","id":"x-SalesReceipt-150","type":"qbo.salesreceipt.updated.v1","time":'
        + '"2026-03-17T16:19:17Z","intuitentityid":"150","intuitaccountid":"310687"}]',
      events: [
        { id: '88cd52aa-33b6-4351-9aa4-47572edbd068', type: 'qbo.account.created.v1', at: '2025-09-10T21:31:25.179Z',
          object: '310687:1234' },
        { id: 'x-SalesReceipt-150', type: 'qbo.salesreceipt.updated.v1', at: '2026-03-17T16:19:17Z',
          object: '310687:150' },
      ],
    }],
  },
  {
    recipe: 'quickbooks-legacy',
    cite: 'blogs.intuit.com, Upcoming change to webhooks payload structure: the payload before CloudEvents',
    secrets: ['92abb31b-9417-42a1-8a3f-000000000000', '92abb31b-9417-42a1-8a3f-000000000001', 'no-such-token'],
    signature: 'header:intuit-signature',
    sign: ofBody('intuit-signature', 'sha256', 'base64'),
    samples: [{
      body: '{"eventNotifications":[{"realmId":"310687","dataChangeEvent":{"entities":[{"id":"1234","operation":'
        + '"Create","name":"Account","lastUpdated":"2025-09-08T20:52:31.657Z"}]}}]}',
      events: [{ id: digest('sha256', 'hex', '{"realmId":"310687","dataChangeEvent":{"entities":[{"id":"1234",'
        + '"operation":"Create",'
        + '"name":"Account","lastUpdated":"2025-09-08T20:52:31.657Z"}]}}'), type: 'Account.Create', at: '2025-09-08T'
        + '20:52:31.657Z' }],
    }],
  },
  {
    recipe: 'hubspot',
    cite: 'HubSpot/hubspot-api-nodejs src/utils/signature.ts, v3: HMAC-SHA256 of method, url, body, time; base64',
    secrets: HUBSPOT_SECRETS,
    url: HUBSPOT_URL,
    signature: 'header:x-hubspot-signature-v3',
    covers: ['body', 'header:x-hubspot-request-timestamp'],
    coversUrl: true,
    tolerance: 300,
    sign: ({ key, body, t, url }) => ({ headers: { ...JSON_TYPE, 'x-hubspot-request-timestamp': `${t}000`,
      'x-hubspot-signature-v3': hmac('sha256', key, 'base64', 'POST', url, body, `${t}000`) } }),
    samples: [{ body: HUBSPOT_EVENT, events: [HUBSPOT_MADE] }],
  },
  {
    recipe: 'hubspot-v1',
    cite: 'HubSpot/hubspot-api-nodejs src/utils/signature.ts, v1: SHA-256 of secret and body; vector: its signature.'
      + 'spec.ts',
    secrets: HUBSPOT_SECRETS,
    weak: 'body',
    signature: 'header:x-hubspot-signature',
    sign: ({ key, body }) => ({ headers: { ...JSON_TYPE, 'x-hubspot-signature-version': 'v1',
      'x-hubspot-signature': digest('sha256', 'hex', key, body) } }),
    samples: [{ body: HUBSPOT_EVENT, events: [HUBSPOT_MADE] }],
    taken: [{ name: 'the published vector', request: () => ({ body: HUBSPOT_EVENT, headers: { ...JSON_TYPE,
      'x-hubspot-signature': '232db2615f3d666fe21a8ec971ac7b5402d33b9a925784df3ca654d05f4817de' } }) }],
  },
  {
    recipe: 'hubspot-v2',
    cite: 'HubSpot/hubspot-api-nodejs src/utils/signature.ts, v2: SHA-256 of secret, method, url, body; vector: '
      + 'signature.spec.ts',
    secrets: HUBSPOT_SECRETS,
    url: HUBSPOT_URL,
    weak: 'body',
    signature: 'header:x-hubspot-signature',
    coversUrl: true,
    sign: ({ key, body, url }) => ({ headers: { ...JSON_TYPE, 'x-hubspot-signature-version': 'v2',
      'x-hubspot-signature': digest('sha256', 'hex', key, 'POST', url, body) } }),
    samples: [{ body: '{"portalId":27145807,"objectType":"DEAL","objectTypeId":"0-3","objectId":7036839888,'
      + '"properties":{}}',
      id: sha, type: 'DEAL', object: '7036839888' }],
    taken: [{ name: 'the published vector', request: () => ({ body: '{"example_field":"example_value"}', headers: {
      ...JSON_TYPE,
      'x-hubspot-signature': '9569219f8ba981ffa6f6f16aa0f48637d35d728c7e4d93d0d52efaa512af7900' } }) }],
  },
  {
    recipe: 'intercom',
    cite: 'developers.intercom.com webhooks: X-Hub-Signature: sha1= HMAC of the body under the client secret',
    secrets: ['00000000-1111-2222-3333-444444444444', 'f0f0f0f0-1111-2222-3333-444444444444', 'no-such-secret'],
    signature: 'header:x-hub-signature',
    sign: ofBody('x-hub-signature', 'sha1', 'hex', 'sha1='),
    samples: [{
      body: '{"type":"notification_event","app_id":"a86dr8yl","data":{"type":"notification_event_data","item":'
        + '{"type":"conversation",'
        + '"id":"195208945002873"}},"links":{},"id":"notif_5f27a9e0-0e33-4a1e-8f7c-2b6d4a9c11f0","topic":'
        + '"conversation.user.created",'
        + '"delivery_status":"pending","delivery_attempts":1,"delivered_at":0,"first_sent_at":1781524800,'
        + '"created_at":1781524800,"self":null}',
      id: 'notif_5f27a9e0-0e33-4a1e-8f7c-2b6d4a9c11f0', type: 'conversation.user.created', at: '2026-06-15T12:00:00Z',
      object: '195208945002873',
    }],
    hellos: [{ name: 'HEAD', request: () => ({ method: 'HEAD', headers: {} }), expect: {} }],
  },
  {
    recipe: 'zendesk',
    cite: 'developer.zendesk.com webhooks/verifying: base64 HMAC-SHA256 of timestamp and body; headers: Anatomy of '
      + 'a webhook request',
    secrets: ['dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ==', 'YW5vdGhlcl9zZWNyZXQ=', 'bm90IGl0'],
    signature: 'header:x-zendesk-webhook-signature',
    covers: ['body', 'header:x-zendesk-webhook-signature-timestamp'],
    tolerance: 300,
    sign: ({ key, body, t, id, method }) => {
      const ts = new Date(t * 1000).toISOString().replace('.000', '');
      return { method, headers: { ...JSON_TYPE, 'x-zendesk-account-id': '123456', 'x-zendesk-webhook-invocation-id': id,
        'x-zendesk-webhook-signature-timestamp': ts, 'x-zendesk-webhook-signature': hmac('sha256', key, 'base64', ts,
          body) } };
    },
    samples: [
      { body: '{"type":"zen:event-type:user.created","account_id":123456,"id":"2b24ef10-19d5-4740-93cf-8f98ec4776c0",'
          + '"time":"2099-07-04T05:33:18Z","zendesk_event_version":"2022-06-20","subject":"zen:user:6596848315901",'
          + '"detail":{"id":"6596848315901"},"event":{}}',
      id: ({ id }) => id, type: 'zen:event-type:user.created', at: '2099-07-04T05:33:18Z', object: '6596848315901' },
      { method: 'PUT', body: '{"ticket_id": 30482, "status": "open"}', id: ({ id }) => id },
    ],
  },
  {
    recipe: 'pipedrive',
    cite: 'pipedrive.readme.io guide-for-webhooks: HTTP Basic with the user and password of the webhook; samples: '
      + 'hookdeck/webhook-samples',
    weak: 'token',
    secrets: ['hook:p\u00e4ss:word', 'hook2:second', 'hook:wrong'],
    signature: 'header:authorization',
    covers: [],
    sign: ({ key }) => ({ headers: { ...JSON_TYPE, authorization: 'Basic ' + Buffer.from(key).toString('base64') } }),
    samples: [
      { body: '{"v":1,"meta":{"action":"added","object":"deal","company_id":11149162,"id":1,"timestamp":1680840600,'
          + '"timestamp_micro":1680840600460452,"v":1,"webhook_id":"174632"},"current":{"id":1},"event":"added.'
          + 'deal","retry":0}',
      id: '174632.1.1680840600460452', type: 'added.deal', at: '2023-04-07T04:10:00Z', object: '1' },
      { body: '{"meta":{"action":"change","entity":"deal","version":"2.0","id":"b1","entity_id":"1","webhook_id":'
        + '"99","attempt":1,"timestamp":"2024-09-27T14:25:28.123Z"},"data":{"id":1},"previous":null}',
      id: '99.deal.change.b1.2024-09-27T14:25:28.123Z', type: 'change.deal', at: '2024-09-27T14:25:28.123Z',
        object: '1' },
    ],
  },
  {
    recipe: 'close',
    cite: 'developer.close.com topics/webhooks: HMAC-SHA256 under the unhexed key of timestamp and body; hex',
    secrets: hexSecrets.map(bytesOf('hex')),
    signature: 'header:close-sig-hash',
    covers: ['body', 'header:close-sig-timestamp'],
    sign: ({ key, body, t }) => ({ headers: { ...JSON_TYPE, 'close-sig-timestamp': String(t),
      'close-sig-hash': hmac('sha256', key, 'hex', String(t), body) } }),
    samples: [{
      body: '{"event":{"id":"ev_2r8KzQyF7bWmNdE1TxJcP4","date_created":"2026-07-10T15:02:11.204000","object_type":'
        + '"lead",'
        + '"object_id":"lead_9k2R7wYtVbXmS3Ac6Fq1Zp","action":"created","changed_fields":[],"data":{"name":"Acme"}},'
        + '"subscription_id":"w"}',
      id: 'ev_2r8KzQyF7bWmNdE1TxJcP4', type: 'lead.created', object: 'lead_9k2R7wYtVbXmS3Ac6Fq1Zp',
    }],
  },
  {
    recipe: 'jobber',
    cite: 'developer.getjobber.com setting_up_webhooks: X-Jobber-Hmac-SHA256, base64, under the client secret',
    secrets: ['6f9c0e', '6f9c0f', '000000'],
    signature: 'header:x-jobber-hmac-sha256',
    sign: ofBody('x-jobber-hmac-sha256', 'sha256', 'base64'),
    samples: [{
      body: '{"data":{"webHookEvent":{"topic":"CLIENT_CREATE","appId":"3a9b","accountId":"MQ==","itemId":"MTIz",'
        + '"occurredAt":"2021-08-12T16:31:36-06:00"}}}',
      id: sha, type: 'CLIENT_CREATE', at: '2021-08-12T22:31:36Z', object: 'MTIz',
    }],
  },
  {
    recipe: 'sellsy',
    cite: 'help.sellsy.com articles/5876622: sha1 of secret and body',
    secrets: ['s3ll', 's3lly', 'nope'],
    weak: 'body',
    signature: 'header:x-webhook-signature',
    sign: ({ key, body }) => ({ headers: { ...JSON_TYPE, 'x-webhook-signature': digest('sha1', 'hex', key, body) } }),
    samples: [{ body: '{"relatedtype":"client","event":"created","relatedid":"12","timestamp":"1520000000"}', id: sha,
      type: 'client.created', object: '12' }],
  },
  {
    recipe: 'autotask',
    cite: 'autotask.net SecretKeyPayloadVerification: X-Hook-Signature: sha1= base64 of the HMAC-SHA1',
    secrets: ['autotask-1', 'autotask-2', 'autotask-3'],
    signature: 'header:x-hook-signature',
    sign: ofBody('x-hook-signature', 'sha1', 'base64', 'sha1='),
    samples: [{ body: '{"Action":"Update","Guid":"2e66","EntityType":"Ticket","Id":5,"EventTime":"2026-01-02T03:04:'
      + '05Z"}', id: sha,
      type: 'Ticket.Update', at: '2026-01-02T03:04:05Z', object: '5' }],
  },
  {
    recipe: 'connectwise-psa',
    cite: 'developer.connectwise.com webhooks, as NangoHQ/nango connectwise-psa: HMAC-SHA256 under sha256(signing '
      + 'key), base64',
    secrets: ['signing-key-1', 'signing-key-2', 'signing-key-3'].map((secret) => ({ secret, key: digest('sha256',
      undefined, secret) })),
    signature: 'header:x-content-signature',
    sign: ofBody('x-content-signature', 'sha256', 'base64'),
    samples: [{ body: '{"MessageId":"cf","Action":"updated","Type":"ticket","ID":1,"Entity":"{}"}', id: sha,
      type: 'ticket.updated',
      object: '1' }],
  },
];
