// The status page, as the receiver gives it to a browser: light, dark, on a phone, without scripts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, picture, startWorld } from './consoles.mjs';

const TOKEN = 'status-page-token-for-the-browser-tests';
const PHONE = { viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
const HOSTILE = '<script>document.title="run"</script><img src=x onerror="document.title=1">';
let world, browser, url;

// A week of numbers with a daily wave, one slow afternoon, and some trouble last night.
const FILL = [
  `INSERT INTO hookonce_sample SELECT FROM_UNIXTIME(FLOOR(UNIX_TIMESTAMP() / 300) * 300 - s.seq * 300), 'web1', UTC_TIMESTAMP(6),
     IF(s.seq BETWEEN 100 AND 130, 400, 3), IF(s.seq BETWEEN 100 AND 130, (130 - s.seq) * 40, 2), 1, 1, 2,
     60 + 55 * SIN(s.seq / 45.8), 2, IF(s.seq BETWEEN 110 AND 118, 30, 0), IF(s.seq BETWEEN 120 AND 124, 12, 0),
     60, 400000, 4000 + 3000 * SIN(s.seq / 45.8), 9000 + 5000 * SIN(s.seq / 45.8), 25000 + 15000 * SIN(s.seq / 12), 0
   FROM seq_0_to_2015 AS s`,
  `INSERT INTO hookonce_stat (hour, source, event_type, events, failed, processed, jobs, tries, retried, last_at, counted_at)
   SELECT DATE_FORMAT(UTC_TIMESTAMP() - INTERVAL s.seq HOUR, '%Y-%m-%d %H:00:00'), 'stripe', 'invoice.paid', 700, IF(s.seq BETWEEN 8 AND 10, 40, 0),
     700, 700, 710, IF(s.seq BETWEEN 8 AND 11, 90, 3), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) FROM seq_0_to_167 AS s`,
];

before(async () => {
  world = await startWorld({
    settings: { hookonce: { page_token: 'file:page.token' } },
    files: { 'page.token': TOKEN },
    handlers: { ship: { sql: 'INSERT INTO shipment (event_id) VALUES ({event:id})' } },
    routes: { ship: { provider: 'stripe', on: '*', handler: 'ship', retry: '1 tries' } },
  });
  browser = await openBrowser();
  url = `http://127.0.0.1:${world.hello.port}/hookonce.fcgi/status`;
  const body = { id: 'evt_1', object: 'event', type: HOSTILE, created: 1790000000, data: { object: { id: 'cs_1' } }, livemode: false };
  assert.equal(await world.ask({ deliver: 'stripe', body: JSON.stringify(body) }), 200);
  assert.equal((await world.ask({ run: ['process', '--once'] })).code, 1, 'a dead letter');
  for (const statement of FILL) await world.ask({ sql: statement });
});

after(async () => {
  await browser?.close();
  await world?.end();
});

async function open(options) {
  const page = await browser.page({ extraHTTPHeaders: { Authorization: 'Bearer ' + TOKEN }, ...options });
  return { page, answer: await visit(page) };
}

/** Goes there; a busy machine may not make the page in time at once, and says so. */
async function visit(page) {
  let answer = await page.goto(url);
  for (let n = 0; n < 20 && answer.status() === 503; n += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    answer = await page.goto(url);
  }
  return answer;
}

/** Brightness of the page's ground and of its text, 0 to 255. */
function brightness(page) {
  return page.evaluate(() => [['backgroundColor', 'rgb(255, 255, 255)'], ['color', '']].map(([name, unset]) => {
    let value = getComputedStyle(document.body)[name];
    if (value === 'rgba(0, 0, 0, 0)') value = getComputedStyle(document.documentElement)[name];
    if (value === 'rgba(0, 0, 0, 0)') value = unset;
    const [red, green, blue] = value.match(/\d+/g).map(Number);
    return 0.3 * red + 0.6 * green + 0.1 * blue;
  }));
}

test('without the token there is nothing to see', async () => {
  const answer = await fetch(url);
  assert.equal(answer.status, 401);
  assert.doesNotMatch(await answer.text(), /evt_1|html/);
});

test('a user name and the token as its password open it, as a browser asks for them', async () => {
  const page = await browser.page({ httpCredentials: { username: 'me', password: TOKEN } });
  assert.equal((await visit(page)).status(), 200);
});

for (const [name, options, dark] of [
  ['light', { colorScheme: 'light' }, false], ['dark', { colorScheme: 'dark' }, true],
  ['phone-light', { ...PHONE, colorScheme: 'light' }, false], ['phone-dark', { ...PHONE, colorScheme: 'dark' }, true],
]) {
  test(`${name}: readable, nothing cut off at the right, no script, nothing fetched`, async () => {
    const { page, answer } = await open(options);
    assert.equal(answer.status(), 200);
    assert.match(answer.headers()['cache-control'], /no-store/);
    await picture(page, 'status-' + name);
    const [ground, text] = await brightness(page);
    assert.ok(dark ? ground < 80 && text > 160 : ground > 200 && text < 100, `ground ${ground}, text ${text}`);
    const seen = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      scripts: document.scripts.length, images: document.images.length, plots: document.querySelectorAll('svg').length,
      title: document.title, text: document.body.innerText,
    }));
    assert.equal(seen.wide, 0, `${seen.wide} px too wide`);
    assert.equal(seen.scripts + seen.images, 0);
    assert.ok(seen.plots >= 8, `${seen.plots} plots`);
    assert.doesNotMatch(seen.title, /run|1/);
    assert.ok(seen.text.includes('evt_1'), seen.text);
    assert.deepEqual(page.errors, []);
  });
}

test('a browser that runs no scripts shows the same', async () => {
  const { page } = await open({ javaScriptEnabled: false });
  assert.ok((await page.content()).includes('evt_1'));
});
