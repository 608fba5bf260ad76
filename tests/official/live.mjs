// The live site of live.py from node's side: asking it, and posting to it.
import { spawn } from 'node:child_process';
import http from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';

const HELPER = path.join(import.meta.dirname, 'live.py');

/**
 * Starts a Python program that is a site, with the first line that it wants.
 * -> {hello: what it said first, ask(object) -> its answer, end()}
 */
export async function startHelper(program, opening) {
  const child = spawn('/usr/bin/python3', ['-B', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.write(JSON.stringify(opening) + '\n');
  const ended = new Promise((resolve) => child.on('close', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${path.basename(program)} ended`);
    return JSON.parse(value);
  };
  const hello = await next();
  let last = Promise.resolve();
  return {
    hello,
    ask(what) {
      last = last.then(() => {
        child.stdin.write(JSON.stringify(what) + '\n');
        return next();
      });
      return last;
    },
    async end() {
      child.stdin.end();
      await ended;
    },
  };
}

/**
 * Starts the site. sources: {name: keys of its section}, null for those of live.py.
 * -> {port, secrets, ask(object) -> its answer, post(source, body, headers) -> status,
 *     send(source, {method, query, headers, body}) -> {status, headers, body}, close()}
 */
export async function startSite(sources = null) {
  const { hello, ask, end } = await startHelper(HELPER, sources);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  return {
    ...hello,
    ask,
    post: async (source, body, headers) => (await send(agent, hello.port, source, { body, headers })).status,
    send: (source, request) => send(agent, hello.port, source, request),
    async close() {
      agent.destroy();
      await end();
    },
  };
}

function send(agent, port, source, { method = 'POST', query = '', headers, body = '' }) {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(body);
    const path = '/hookonce.fcgi/' + source + (query && '?' + query);
    const length = method === 'POST' || bytes.length ? { 'content-length': bytes.length } : {};
    const request = http.request(
      { agent, port, host: '127.0.0.1', method, path, headers: { ...headers, ...length }, timeout: 30000 },
      (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part));
        response.on('end', () => resolve({
          status: response.statusCode, headers: response.headers, body: Buffer.concat(parts).toString() }));
        response.on('error', reject);
      });
    request.on('timeout', () => request.destroy(new Error('no answer within 30 s')));
    request.on('error', reject);
    request.end(bytes);
  });
}

/** A receiver of ours for what hookonce sends. -> {url, requests [{url, headers, body}], close()} */
export async function startSink() {
  const requests = [];
  const server = http.createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      requests.push({ url: request.url, headers: request.headers, body: Buffer.concat(parts) });
      response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/hook`,
    requests,
    close: () => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }),
  };
}
