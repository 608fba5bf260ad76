// Code hosting, CI and operations: Gitea, Forgejo, Gogs, Bitbucket, Azure DevOps, Docker Hub, Vercel, Netlify, Heroku,
// CircleCI, Buildkite, Travis CI, Sentry, PagerDuty, Cloudflare, HCP Terraform, Grafana, Doppler, Contentful, Sanity,
// Hygraph.
import { createSign } from 'node:crypto';

import { RSA } from './_keys.mjs';
import { FORM_TYPE, JSON_TYPE, digest, form, hmac } from './_tools.mjs';

/** An HMAC of the body in one header, with other headers beside it. */
const ofBody = (header, algorithm, enc, prefix = '', more = () => ({})) => ({ key, body, id, t, sample }) => ({
  headers: { ...JSON_TYPE, ...more({ id, t, sample }), [header]: prefix + hmac(algorithm, key, enc, body) } });

const sha = ({ sha: digits }) => digits;
const bySha = (id) => (facts) => `${id}.${facts.sha}`;
const atSeconds = ({ t }) => new Date(t * 1000);
const base64url = (text) => Buffer.from(text).toString('base64url');

/** A JWT under a shared secret. */
function jwt(key, claims, { alg = 'HS256', hash = 'sha256' } = {}) {
  const signing = `${base64url(JSON.stringify({ alg, typ: 'JWT' }))}.${base64url(JSON.stringify(claims))}`;
  return `${signing}.${hash ? hmac(hash, key, 'base64url', signing) : ''}`;
}

/** Gitea and what comes from it: one delivery under several names, of which the recipe's own counts. */
const forge = (recipe, cite, name) => ({
  recipe,
  cite,
  secrets: ['a secret with blanks', 'another', 'none of these'],
  signature: `header:x-${name}-signature`,
  sign: ({ key, body, id }) => ({ headers: { ...JSON_TYPE, 'x-github-delivery': id, 'x-github-event': 'push',
    'x-hub-signature-256': 'sha256=' + hmac('sha256', key, 'hex', body), [`x-${name}-delivery`]: id,
    [`x-${name}-event`]: 'push', [`x-${name}-signature`]: hmac('sha256', key, 'hex', body) } }),
  samples: [{
    body: '{\n  "ref": "refs/heads/develop",\n  "before": "28e1879d029cb852e4844d9c718537df08844e03",\n'
      + '  "commits": [{"message": "Webhooks Yay! \u2603"}],\n  "repository": {"id": 140, "name": "webhooks"}\n}',
    id: ({ id }) => id, type: 'push', object: '140',
  }],
  refused: [
    { name: 'the signature of the other scheme only', request: ({ key, id }) => ({ headers: { ...JSON_TYPE,
      [`x-${name}-delivery`]: id, [`x-${name}-event`]: 'push',
      'x-hub-signature-256': 'sha256=' + hmac('sha256', key, 'hex', '{}') }, body: '{}' }) },
    { name: 'a form, of which only the payload field is signed', request: ({ key, id }) => ({ headers: { ...FORM_TYPE,
      [`x-${name}-delivery`]: id, [`x-${name}-event`]: 'push',
      [`x-${name}-signature`]: hmac('sha256', key, 'hex', '{}') }, body: form({ payload: '{}' }) }) },
  ],
});

const PING = '{"event":{"id":"01BQ","event_type":"pagey.ping","resource_type":"pagey","data":{"message":"Hello"}}}';
const NETLIFY_BODY = '{"id":"5f6b9","site_id":"0d3a9d2f","state":"ready","name":"zen","updated_at":'
  + '"2020-09-23T20:33:08.541Z"}';
const TRAVIS_BODY = '{"id":1,"number":"1","state":"passed","status":0,"started_at":"2011-11-11T11:11:11Z",'
  + '"finished_at":"2011-11-11T11:12:11Z","repository":{"id":7,"name":"minimal"},"message":"a&b=c+d \u2603"}';
const GRAFANA_BODY = '{"receiver":"hook","status":"firing","orgId":1,"alerts":[{"status":"firing","labels":{},'
  + '"startsAt":"2021-10-12T09:51:03.157076+02:00","endsAt":"0001-01-01T00:00:00Z","fingerprint":"c6eadff"}],"version":'
  + '"1","groupKey":"{}:{alertname=\\"High\\"}","title":"[FIRING:1]"}';
const BUILD = '{"event":"build.finished","build":{"id":"f62a1b4d-10f9-4790-bc1c-e2c3a0c80983","number":27,"state":'
  + '"passed","created_at":"2020-02-03 04:05:06 UTC","finished_at":"2020-02-03T04:07:06.123Z"},"sender":{"id":"8a"}}';
const BUILD_MADE = { type: 'build.finished', at: '2020-02-03T04:07:06.123Z',
  object: 'f62a1b4d-10f9-4790-bc1c-e2c3a0c80983' };

/** The signed request of Contentful's toolkit: method, path, listed headers, body. */
function contentful({ key, body, t, id, target, names = ['x-contentful-signed-headers', 'x-contentful-timestamp',
  'x-contentful-topic'] }) {
  const headers = { 'content-type': 'application/vnd.contentful.management.v1+json', 'x-contentful-topic':
    'ContentManagement.Entry.publish', 'x-contentful-webhook-name': 'hook', 'x-contentful-idempotency-key': digest(
    'sha256', 'hex', id), 'x-contentful-timestamp': `${t}123`, 'x-contentful-signed-headers': names.join(',') };
  const listed = names.map((name) => `${name}:${headers[name]}`).join(';');
  return { headers: { ...headers, 'x-contentful-signature': hmac('sha256', key, 'hex', `POST\n${target}\n${listed}\n`,
    body) } };
}

function hygraph({ key, body, t, env = 'master' }) {
  const payload = JSON.stringify({ Body: body.toString(), EnvironmentName: env, TimeStamp: t * 1000 + 36 });
  return { headers: { ...JSON_TYPE, 'gcms-signature': `sign=${hmac('sha256', key, 'base64', payload)}, env=${env}, `
    + `t=${t}036` } };
}

export const signers = [
  forge('gitea', 'go-gitea/gitea services/webhook/deliver.go: Deliver', 'gitea'),
  forge('forgejo', 'forgejo.org docs user/webhooks, and receivers that read X-Forgejo-Signature', 'forgejo'),
  forge('gogs', 'gogs/gogs internal/database/webhook.go: prepareHookTasks, deliver', 'gogs'),
  {
    recipe: 'bitbucket',
    cite: 'Yizack/nuxt-webhook-validators bitbucket.ts; headers: hookdeck/webhook-samples',
    secrets: ["It's a Secret to Everybody", 'another', 'wrong'],
    signature: 'header:x-hub-signature',
    sign: ofBody('x-hub-signature', 'sha256', 'hex', 'sha256=', ({ id }) => ({ 'x-attempt-number': '1',
      'x-event-key': 'repo:push', 'x-event-time': 'Wed, 08 Mar 2023 06:12:20 GMT', 'x-request-uuid': id,
      'x-hook-uuid': '91e2a5e1-d608-4a66-bda6-db4e1590b209' })),
    samples: [{ body: '{"push":{"changes":[]},"repository":{"type":"repository","full_name":"a/b","uuid":"{7c9a}"}}',
      id: ({ id }) => id, type: 'repo:push', at: '2023-03-08T06:12:20Z', object: '{7c9a}' }],
    refused: [{ name: 'the same with SHA-1', request: ({ key }) => ({ headers: { ...JSON_TYPE,
      'x-event-key': 'repo:push', 'x-request-uuid': '1', 'x-hub-signature': 'sha1=' + hmac('sha1', key, 'hex', '{}') },
    body: '{}' }) }],
  },
  {
    recipe: 'bitbucket-server',
    cite: 'go-playground/webhooks bitbucket-server: X-Hub-Signature, X-Event-Key, X-Request-Id',
    secrets: ['secret', 'secret2', 'secret3'],
    signature: 'header:x-hub-signature',
    sign: ofBody('x-hub-signature', 'sha256', 'hex', 'sha256=', ({ id, sample }) => ({ 'x-request-id': id,
      'x-event-key': sample?.type ?? 'pr:opened' })),
    samples: [
      { body: '{"eventKey":"pr:opened","date":"2017-09-19T09:58:11+1000","pullRequest":{"id":1,"toRef":{"repository":'
        + '{"id":84}}}}', id: ({ id }) => id, type: 'pr:opened', object: '84' },
      { body: '{"test": true}', id: ({ id }) => id, type: 'diagnostics:ping', object: '' },
    ],
  },
  {
    recipe: 'azure-devops',
    cite: 'go-playground/webhooks azuredevops: Basic authentication',
    secrets: ['hook:pa:ss w\u00f6rd', 'hook2:other', 'hook:wrong'],
    signature: 'header:authorization',
    covers: [],
    weak: 'token',
    sign: ({ key }) => ({ headers: { ...JSON_TYPE, authorization: 'Basic ' + Buffer.from(key).toString('base64') } }),
    samples: [{ body: '{"subscriptionId":"0","notificationId":1,"id":"4a5d99d6-1c75-4e53-91b9-ee80057d4ce3",'
      + '"eventType":"build.complete","resource":{"id":2},"createdDate":"2016-09-19T13:03:27.0379153Z"}',
    id: bySha('4a5d99d6-1c75-4e53-91b9-ee80057d4ce3'), type: 'build.complete', at: '2016-09-19T13:03:27.037Z',
    object: '2' }],
  },
  {
    recipe: 'docker-hub',
    cite: 'docs.docker.com docker-hub webhooks: nothing is signed, the URL is the secret',
    secrets: ['a-long-token-in-the-url', 'another', 'guessed'],
    signature: 'query:token',
    covers: [],
    weak: 'token',
    sign: ({ key }) => ({ query: `token=${key}`, headers: JSON_TYPE }),
    samples: [{ body: '{"callback_url":"https://registry.hub.docker.com/u/a/b/hook/1/","push_data":{"pushed_at":'
      + '1417566161,"tag":"latest"},"repository":{"repo_name":"a/b"}}', id: sha, at: 1417566161000,
    object: 'a/b:latest' }],
  },
  {
    recipe: 'vercel',
    cite: 'hookdeck/webhook-skills vercel verification.md: HMAC-SHA1 of the body, hex',
    secrets: ['whk_first', 'whk_second', 'whk_wrong'],
    signature: 'header:x-vercel-signature',
    sign: ofBody('x-vercel-signature', 'sha1', 'hex'),
    samples: [{ body: '{"id":"5FQ3bE5a","type":"deployment.created","createdAt":1752520920123,"region":null,"payload":'
      + '{"deployment":{"id":"dpl_5m3"},"project":{"id":"prj_8"}}}', id: '5FQ3bE5a', type: 'deployment.created',
    at: 1752520920123, object: 'dpl_5m3' }],
    refused: [{ name: 'the same with SHA-256', request: ({ key }) => ({ headers: { ...JSON_TYPE, 'x-vercel-signature':
      hmac('sha256', key, 'hex', '{"id":"1"}') }, body: '{"id":"1"}' }) }],
  },
  {
    recipe: 'netlify',
    cite: 'n8n-nodes-base NetlifyTriggerHelpers, nuxt-webhook-validators netlify.ts: HS256, iss, sha256 of the body',
    secrets: ['jws secret token', 'second', 'wrong'],
    signature: 'header:x-webhook-signature',
    sign: ({ key, body }) => ({ headers: { ...JSON_TYPE, 'x-netlify-event': 'deploy_created',
      'x-webhook-signature': jwt(key, { iss: 'netlify', sha256: digest('sha256', 'hex', body) }) } }),
    samples: [{ body: NETLIFY_BODY, id: sha, type: 'deploy_created', at: '2020-09-23T20:33:08.541Z',
      object: '0d3a9d2f' }],
    refused: [
      ['another issuer', (key) => jwt(key, { iss: 'netlify.evil', sha256: digest('sha256', 'hex', NETLIFY_BODY) })],
      ['no issuer', (key) => jwt(key, { sha256: digest('sha256', 'hex', NETLIFY_BODY) })],
      ['no digest', (key) => jwt(key, { iss: 'netlify' })],
      ['no algorithm', (key) => jwt(key, { iss: 'netlify', sha256: digest('sha256', 'hex', NETLIFY_BODY) },
        { alg: 'none', hash: null })],
      ['HS512', (key) => jwt(key, { iss: 'netlify', sha256: digest('sha256', 'hex', NETLIFY_BODY) },
        { alg: 'HS512', hash: 'sha512' })],
    ].map(([name, token]) => ({ name, request: ({ key }) => ({ headers: { ...JSON_TYPE,
      'x-webhook-signature': token(key) }, body: NETLIFY_BODY }) })),
  },
  {
    recipe: 'heroku',
    cite: 'nuxt-webhook-validators heroku.ts, getsentry/sentry heroku plugin: HMAC-SHA256 of the body, base64',
    secrets: ['heroku-secret', 'heroku-secret-2', 'wrong'],
    signature: 'header:heroku-webhook-hmac-sha256',
    sign: ofBody('heroku-webhook-hmac-sha256', 'sha256', 'base64'),
    samples: [
      { body: '{"id":"b4d2","resource":"release","action":"update","data":{"id":"r1"},"created_at":'
        + '"2016-08-31T21:55:06Z","webhook_metadata":{"event":{"id":"e1","include":"api:release"},"attempt":{"id":"a"'
        + '}}}',
      id: bySha('e1'), type: 'api:release.update', at: '2016-08-31T21:55:06Z', object: 'r1' },
      { body: '{"action":"update","resource":"build","data":{"status":"succeeded"}}', id: sha, type: 'build.update' },
    ],
  },
  {
    recipe: 'circleci',
    cite: 'circleci/circleci-docs outbound-webhooks.adoc, and its vectors',
    secrets: ['secret', 'another-secret', 'hunter123'],
    signature: 'header:circleci-signature',
    sign: ({ key, body }) => ({ headers: { ...JSON_TYPE, 'circleci-event-type': 'workflow-completed',
      'circleci-signature': `v1=${hmac('sha256', key, 'hex', body)},v2=4fcc,v3=77` } }),
    samples: [{ body: '{"id":"3888f21b-eaa7-38e3-8f3d-75a63bba8895","type":"workflow-completed","happened_at":'
      + '"2021-09-01T22:49:34.317Z","workflow":{"id":"fda08377","status":"success"}}',
    id: '3888f21b-eaa7-38e3-8f3d-75a63bba8895', type: 'workflow-completed', at: '2021-09-01T22:49:34.317Z',
    object: 'fda08377' }],
    refused: [{ name: 'a later version only', request: ({ key }) => ({ headers: { ...JSON_TYPE, 'circleci-signature':
      'v2=' + hmac('sha256', key, 'hex', '{"id":"1"}') }, body: '{"id":"1"}' }) }],
  },
  {
    recipe: 'buildkite',
    cite: 'buildkite/docs pages/apis/webhooks/_verifying_hmac_signatures.md: HMAC-SHA256 of time . body',
    secrets: ['309c9c842g8565adecpd7469x6005989', 'second-token', 'wrong-token'],
    signature: 'header:x-buildkite-signature',
    tolerance: 300,
    sign: ({ key, body, t }) => ({ headers: { ...JSON_TYPE, 'x-buildkite-event': 'build.finished',
      'x-buildkite-signature': `timestamp=${t},signature=${hmac('sha256', key, 'hex', `${t}.`, body)}` } }),
    samples: [{ body: BUILD, id: ({ t, sha: digits }) => `${t}.${digits}`, ...BUILD_MADE }],
    refused: [{ name: 'the token as it is', request: ({ key }) => ({ headers: { ...JSON_TYPE,
      'x-buildkite-token': key }, body: BUILD }) }],
  },
  {
    recipe: 'buildkite-token',
    cite: 'buildkite/docs pages/apis/webhooks/_webhook_token.md',
    secrets: ['309c9c842g8565adecpd7469x6005989', 'second-token', 'wrong-token'],
    signature: 'header:x-buildkite-token',
    covers: [],
    weak: 'token',
    sign: ({ key }) => ({ headers: { ...JSON_TYPE, 'x-buildkite-event': 'build.finished', 'x-buildkite-token': key } }),
    samples: [{ body: BUILD, id: sha, ...BUILD_MADE }],
  },
  {
    recipe: 'travis-ci',
    cite: 'travis-ci/docs-travis-ci-com user/notifications.md: RSA with SHA-1 over the field payload',
    secrets: RSA.map((pair) => ({ secret: pair.pem, key: pair.private })),
    signature: 'header:signature',
    covers: ['form:payload'],
    weak: 'fields',
    sign: ({ key, body }) => ({ headers: { ...FORM_TYPE, 'travis-repo-slug': 'svenfuchs/minimal',
      signature: createSign('RSA-SHA1').update(body).sign(key, 'base64') }, body: form({ payload: body.toString() }) }),
    samples: [{ body: TRAVIS_BODY, id: '1.passed.' + digest('sha256', 'hex', TRAVIS_BODY), type: 'passed',
      at: '2011-11-11T11:12:11Z', object: '7' }],
  },
  {
    recipe: 'sentry',
    cite: 'getsentry/sentry app_platform_event.py, docs.sentry.io webhooks: HMAC-SHA256 of the body, hex',
    secrets: ['0a1b2c3d', '4e5f6071', 'ffffffff'],
    signature: 'header:sentry-hook-signature',
    sign: ofBody('sentry-hook-signature', 'sha256', 'hex', '', ({ id, t }) => ({ 'request-id': id,
      'sentry-hook-resource': 'issue', 'sentry-hook-timestamp': String(t) })),
    samples: [{ body: '{"action":"created","installation":{"uuid":"24"},"data":{"issue":{"id":"45","title":"\\"x\\""}},'
      + '"actor":{"type":"application"}}', id: ({ id }) => id, type: 'issue.created', at: atSeconds, object: '45' }],
  },
  {
    recipe: 'pagerduty',
    cite: 'NangoHQ/nango pagerduty-webhook-routing.ts; developer.pagerduty.com webhook-signatures',
    secrets: ['pd-secret', 'pd-secret-2', 'pd-wrong'],
    signature: 'header:x-pagerduty-signature',
    sign: ofBody('x-pagerduty-signature', 'sha256', 'hex', 'v1='),
    samples: [{ body: '{"event":{"id":"01BP","event_type":"incident.triggered","resource_type":"incident",'
      + '"occurred_at":"2026-07-14T02:11:03Z","agent":null,"data":{"id":"PT4KHXT"}}}', id: '01BP',
    type: 'incident.triggered', at: '2026-07-14T02:11:03Z', object: 'PT4KHXT' }],
    taken: ['v1=00ff,v1=GOOD', 'v1=GOOD, v1=00ff'].map((list) => ({ name: list, request: ({ key }) => ({ headers: {
      ...JSON_TYPE, 'x-pagerduty-signature': list.replace('GOOD', hmac('sha256', key, 'hex', PING)) },
    body: PING }) })),
  },
  {
    recipe: 'cloudflare-notifications',
    cite: 'pulumi-cloudflare NotificationPolicyWebhooks schema: the secret comes in cf-webhook-auth',
    secrets: ['cf-secret', 'cf-secret-2', 'cf-wrong'],
    signature: 'header:cf-webhook-auth',
    covers: [],
    weak: 'token',
    sign: ({ key }) => ({ headers: { ...JSON_TYPE, 'cf-webhook-auth': key } }),
    samples: [
      { body: '{"text":"Hello World! This is a test message"}', id: sha },
      { body: '{"name":"p","text":"t","data":{},"ts":1638900000,"policy_id":"e5","alert_type":"dos_attack_l7"}',
        id: sha, type: 'dos_attack_l7', at: 1638900000000, object: 'e5' },
    ],
  },
  {
    recipe: 'cloudflare-stream',
    cite: 'cloudflare/cloudflare-docs stream/using-webhooks.mdx: HMAC-SHA256 of time . body',
    secrets: ['85011ed3a913c6ad5f9cf6c5573cc0a7', 'second', 'wrong'],
    signature: 'header:webhook-signature',
    tolerance: 300,
    sign: ({ key, body, t }) => ({ headers: { ...JSON_TYPE, 'webhook-signature': `time=${t},sig1=${hmac('sha256', key,
      'hex', `${t}.`, body)}` } }),
    samples: [{ body: '{"uid":"dd5d531a","readyToStream":true,"status":{"state":"ready"},"modified":'
      + '"2019-01-01T01:00:00.474936Z"}', id: bySha('dd5d531a.ready'), type: 'ready', at: '2019-01-01T01:00:00.474Z',
    object: 'dd5d531a' }],
  },
  {
    recipe: 'terraform-cloud',
    cite: 'receivers on GitHub (HMAC-SHA512 of the body, hex); developer.hashicorp.com notification-configurations',
    secrets: ['tfe token', 'tfe token 2', 'wrong'],
    signature: 'header:x-tfe-notification-signature',
    sign: ofBody('x-tfe-notification-signature', 'sha512', 'hex'),
    samples: [{ body: '{"payload_version":1,"run_id":"run-Fw","workspace_id":"ws-Xd","notifications":[{"message":'
      + '"Run Canceled","trigger":"run:errored","run_updated_at":"2019-01-25T18:37:04.000Z"}]}', id: sha,
    type: 'run:errored', at: '2019-01-25T18:37:04Z', object: 'run-Fw' }],
  },
  {
    recipe: 'grafana',
    cite: 'grafana/alerting http/hmac.go: HMAC-SHA256 of the body, hex',
    secrets: ['grafana-secret', 'grafana-secret-2', 'wrong'],
    signature: 'header:x-grafana-alerting-signature',
    sign: ofBody('x-grafana-alerting-signature', 'sha256', 'hex'),
    samples: [{ body: GRAFANA_BODY, id: sha, type: 'firing', at: '2021-10-12T07:51:03.157Z',
      object: '{}:{alertname="High"}' }],
  },
  {
    recipe: 'grafana-timestamp',
    cite: 'grafana/alerting http/hmac.go: HMAC-SHA256 of time : body, hex',
    secrets: ['grafana-secret', 'grafana-secret-2', 'wrong'],
    signature: 'header:x-grafana-alerting-signature',
    covers: ['body', 'header:x-grafana-alerting-timestamp'],
    tolerance: 300,
    sign: ({ key, body, t }) => ({ headers: { ...JSON_TYPE, 'x-grafana-alerting-timestamp': String(t),
      'x-grafana-alerting-signature': hmac('sha256', key, 'hex', `${t}:`, body) } }),
    samples: [{ body: GRAFANA_BODY, id: sha, type: 'firing', at: '2021-10-12T07:51:03.157Z' }],
    refused: [{ name: 'only the body signed', request: ({ key, t }) => ({ headers: { ...JSON_TYPE,
      'x-grafana-alerting-timestamp': String(t), 'x-grafana-alerting-signature': hmac('sha256', key, 'hex', '{}') },
    body: '{}' }) }],
  },
  {
    recipe: 'doppler',
    cite: 'Hookflo/tern src/platforms/algorithms.ts: sha256= and the HMAC-SHA256 of the body, hex',
    secrets: ['doppler-secret', 'doppler-secret-2', 'wrong'],
    signature: 'header:x-doppler-signature',
    again: true,
    sign: ofBody('x-doppler-signature', 'sha256', 'hex', 'sha256='),
    samples: [{ body: '{"type":"config.secrets.update","config":{"name":"prd","project":"api"},"diff":{}}',
      type: 'config.secrets.update', object: 'api.prd' }],
  },
  {
    recipe: 'contentful',
    cite: 'npm @contentful/node-apps-toolkit lib/requests: signRequest, verifyRequest',
    secrets: ['a', 'b', 'c'].map((c) => c.repeat(64)),
    signature: 'header:x-contentful-signature',
    covers: ['body', 'header:x-contentful-signed-headers', 'header:x-contentful-timestamp',
      'header:x-contentful-topic'],
    sign: contentful,
    samples: [{ body: '{"sys":{"type":"Entry","id":"2kvYpcDi","updatedAt":"2021-01-01T00:00:00.000Z"},"fields":{"t":'
      + '{"en-US":"caf\u00e9"}}}', id: ({ id }) => digest('sha256', 'hex', id), type: 'ContentManagement.Entry.publish',
    at: '2021-01-01T00:00:00Z', object: '2kvYpcDi' }],
    refused: [
      { name: 'signed for another path', request: (context) => ({ ...contentful({ ...context, body: '{}',
        target: '/other' }), body: '{}' }) },
      { name: 'a listed header is not there', request: (context) => {
        const made = contentful({ ...context, body: '{}' });
        delete made.headers['x-contentful-topic'];
        return { ...made, body: '{}' };
      } },
    ],
  },
  {
    recipe: 'sanity',
    cite: 'npm @sanity/webhook dist/index.js: HMAC-SHA256 of time . body, base64url without padding',
    secrets: ['sanity secret', 'sanity secret 2', 'wrong'],
    signature: 'header:sanity-webhook-signature',
    sign: ({ key, body, t, id }) => ({ headers: { ...JSON_TYPE, 'idempotency-key': id, 'sanity-operation': 'update',
      'sanity-document-id': 'drafts.1', 'sanity-webhook-signature': `t=${t}042,v1=${hmac('sha256', key, 'base64url',
        `${t}042.`, body)}` } }),
    samples: [{ body: '{"_id":"1","title":"caf\u00e9 \\ud83d\\ude00"}', id: ({ id }) => id, type: 'update',
      at: ({ t }) => new Date(t * 1000 + 42), object: 'drafts.1' }],
  },
  {
    recipe: 'hygraph',
    cite: 'npm @hygraph/utils index.js: generateWebhookSignature',
    secrets: ['rCNwyiloY3oJYYkxgpBXaleIiUv5MYlx', 'second', 'wrong'],
    signature: 'header:gcms-signature',
    sign: hygraph,
    samples: [{ body: '{\n\t"operation":"publish",\r\n"data":{"__typename":"Post","id":"ck1","stage":"PUBLISHED",'
      + '"t":"\\"q\\" \\\\ / \u2028 \u00e9 \ud83d\ude00 \u007f"}}', id: ({ t, sha: digits }) => `${t}036.${digits}`,
    type: 'publish', at: ({ t }) => new Date(t * 1000 + 36), object: 'ck1' }],
    taken: [{ name: 'another environment', request: (context) => ({ ...hygraph({ ...context, env: 'test-2',
      body: '{"operation":"delete"}' }), body: '{"operation":"delete"}' }) }],
  },
];
