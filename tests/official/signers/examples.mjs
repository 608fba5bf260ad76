// Discord, Telegram: a public key with a handshake, a bare token.
import { sign as signature } from 'node:crypto';

import { ED25519 } from './_keys.mjs';
import { JSON_TYPE } from './_tools.mjs';

const discord = ({ key, body, t }) => ({
  headers: { ...JSON_TYPE, 'x-signature-timestamp': String(t),
    'x-signature-ed25519': signature(null, Buffer.concat([Buffer.from(String(t)), body]), key).toString('hex') },
});

export const signers = [
  {
    recipe: 'discord',
    cite: 'discord/discord-interactions-js src/index.ts: Ed25519 over timestamp and body, both in hex',
    secrets: ED25519.map((pair) => ({ secret: pair.raw.toString('hex'), key: pair.private })),
    signature: 'header:x-signature-ed25519',
    covers: ['body', 'header:x-signature-timestamp'],
    tolerance: 300,
    sign: discord,
    samples: [{
      body: '{"id":"846462639134605312","application_id":"845027738276462632","type":2,"token":"t","version":1,'
        + '"data":{"type":1,"name":"cardsearch","id":"845027738276462632"}}',
      id: '846462639134605312',
      type: '2',
    }],
    bad: { status: 401 },
    hellos: [{
      name: 'a ping',
      request: ({ sign }) => sign('{"id":"1","application_id":"2","type":1}'),
      expect: { status: 200, type: 'application/json', body: '{"type":1}' },
    }],
    refused: [{ name: 'a ping without a signature',
      request: () => ({ headers: JSON_TYPE, body: '{"id":"1","application_id":"2","type":1}' }) }],
  },
  {
    recipe: 'telegram',
    cite: 'core.telegram.org/bots/api#setwebhook: secret_token comes in X-Telegram-Bot-Api-Secret-Token',
    secrets: ['A-token_of-256-characters', 'another_token', 'no-such-token'],
    signature: 'header:x-telegram-bot-api-secret-token',
    covers: [],
    weak: 'token',
    sign: ({ key }) => ({ headers: { ...JSON_TYPE, 'x-telegram-bot-api-secret-token': key } }),
    samples: [{
      body: '{"update_id":10000,"message":{"date":1441645532,"chat":{"id":1111111,"type":"private"},"message_id":1365,'
        + '"from":{"id":1111111,"first_name":"Test"},"text":"/start"}}',
      id: '10000',
      type: '',
      at: '2015-09-07T17:05:32Z',
    }],
  },
];
