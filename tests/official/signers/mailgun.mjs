// Mailgun: the signature is in the body, which has three encodings.
import { FORM_TYPE, JSON_TYPE, form, hmac } from './_tools.mjs';

const BOUNDARY = '--a b=c(d)?';

/** 50 characters, another one for each delivery. */
const tokenOf = ({ id }) => (id.replaceAll('-', '') + 'c0ffee').repeat(2).slice(0, 50);

function signatureOf({ key, t, id }) {
  const [timestamp, token] = [String(t), tokenOf({ id })];
  return { timestamp, token, signature: hmac('sha256', key, 'hex', timestamp, token) };
}

/** multipart/form-data with these fields and a file of 200 kB behind them. */
function multipart(fields) {
  const part = (name, more, value) => (
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}`);
  const head = Object.entries(fields).map(([name, value]) => part(name, '', value) + '\r\n').join('')
    + part('attachment-1', '; filename="a.bin"\r\nContent-Type: application/octet-stream', '');
  return Buffer.concat([Buffer.from(head), Buffer.alloc(200 * 1024, 0xe9), Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
}

/** What a sample's body says, in the encoding that it names. */
function sign({ key, body, t, id, sample = {} }) {
  const signature = signatureOf({ key, t, id });
  switch (sample.encoding) {
    case 'urlencoded':
      return { headers: FORM_TYPE, body: form({ ...JSON.parse(body), ...signature }) };
    case 'multipart':
      return { headers: { 'content-type': `multipart/form-data; boundary="${BOUNDARY}"` },
        body: multipart({ ...signature, ...JSON.parse(body) }) };
    default:
      return { headers: JSON_TYPE, body: `{"signature":${JSON.stringify(signature)},\r\n "event-data":${body}}\r\n` };
  }
}

const mailgunLike = {
  recipe: 'mailgun',
  cite: 'documentation.mailgun.com user-manual/webhooks/securing-webhooks; mailgun/mailgun-go webhooks.go',
  secrets: ['mg-signing-key-0000000000000001', 'mg-signing-key-0000000000000002', 'mg-signing-key-0000000000000003'],
  weak: 'body',
  tolerance: 43200,
  bad: { status: 401 },
  sign,
};

const at = ({ t }) => new Date(t * 1000);
const OLD = JSON.stringify({ event: 'bounced', recipient: 'alice@example.com', domain: 'example.com', code: '550',
  'Message-Id': '<2026.2@mg.example.com>' });
const ROUTE = JSON.stringify({ recipient: 'in@mg.example.com', sender: 'bob@example.com', subject: 'Hëllo & "bye" 😀',
  'Message-Id': '<2026.3@mail.example.com>', 'body-plain': 'line1\r\nline2\r\n' });
const MIME = JSON.stringify({ recipient: 'in@mg.example.com', 'body-mime': 'Subject: x\r\n\r\ny' });

export const signers = [
  { ...mailgunLike,
    signature: 'json:/signature/signature',
    covers: ['json:/signature/timestamp', 'json:/signature/token'],
    samples: [{
      body: '{"id":"G9Bn5sl1TC6nu79C8C0bwg","timestamp":1789999998.375624,"log-level":"info","event":"delivered",'
        + '"recipient":"alice@example.com","message":{"headers":{"to":"Älice <alice@example.com>",'
        + '"message-id":"2026.1@mg.example.com"}}}',
      id: 'G9Bn5sl1TC6nu79C8C0bwg', type: 'delivered', at: '2026-09-21T14:13:18.375Z', object: '2026.1@mg.example.com',
    }],
  },
  { ...mailgunLike,
    name: 'mailgun-forms',
    signature: 'form:signature',
    covers: ['form:timestamp', 'form:token'],
    samples: [
      { body: OLD, encoding: 'urlencoded', id: (facts) => `bounced.${tokenOf(facts)}`, type: 'bounced', at },
      { body: OLD, encoding: 'multipart', id: (facts) => `bounced.${tokenOf(facts)}`, type: 'bounced', at },
      { body: ROUTE, encoding: 'multipart', id: '<2026.3@mail.example.com>', type: '', at },
      { body: MIME, encoding: 'urlencoded', id: tokenOf, type: '', at },
    ],
  },
];
