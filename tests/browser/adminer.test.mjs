// Adminer: what an operator who has nothing but a SQL console does there, with rights on rows only.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Adminer, openBrowser, picture, startWorld } from './consoles.mjs';

const ODD = [`evt_😀_"quoted"_'single'`, 'evt_trailing  ', 'evt_<b>bold</b>&amp;', 'evt_zero\u200bwidth'];
let world, browser, adminer, events = 0;

before(async () => {
  world = await startWorld({
    consoles: ['adminer'],
    settings: { hookonce: { sql_commands: 'retry, replay, replay-done, pause, resume' } },
    sources: { stripe: { provider: 'stripe', secret: 'whsec_YnJvd3Nlci10ZXN0LXNlY3JldA==' },
               hub: { provider: 'github', secret: 'browser-test-secret-2' } },
    handlers: { ship: { sql: 'INSERT INTO shipment (event_id) VALUES ({event:id})' } },
    routes: { ship: { provider: 'stripe', on: '*', handler: 'ship', retry: '1 tries' } },
  });
  browser = await openBrowser();
  adminer = new Adminer(await browser.page(), world.hello);
});

after(async () => {
  await browser?.close();
  await world?.end();
});

async function deliver(id, type = 'invoice.paid') {
  events += 1;
  const body = { id, object: 'event', type, created: 1790000000, data: { object: { id: 'in_' + events } }, livemode: false };
  assert.equal(await world.ask({ deliver: 'stripe', body: JSON.stringify(body) }), 200);
}

/** `hookonce process --once`; 1 says that a job was given up. */
async function processOnce(code) {
  const done = await world.ask({ run: ['process', '--once'] });
  assert.equal(done.code, code, done.out + done.err);
}

/** The newest command, as hookonce_commands shows it. */
async function lastCommand() {
  await adminer.open('hookonce_commands');
  return (await adminer.wholeTexts())[0];
}

test('the overview says what to look at, and the dead letter is found', async () => {
  await deliver('evt_first');
  await processOnce(1);
  await adminer.login();
  await picture(adminer.page, 'adminer-tables');
  const facts = await adminer.open('hookonce_overview');
  await picture(adminer.page, 'adminer-overview');
  assert.match(facts[0].value, /dead letters/);
  assert.equal(facts.find((fact) => fact.name === 'dead letters').value, '1');
  await adminer.open('hookonce_dead_letters');
  await picture(adminer.page, 'adminer-dead-letters');
  const dead = await adminer.wholeTexts();
  assert.equal(dead.length, 1);
  assert.equal(dead[0].event_id, 'evt_first');
  assert.match(dead[0].last_error, /shipment/);
});

test('it is replayed by a row in the form, and processed', async () => {
  await world.ask({ sql: 'CREATE TABLE shipment (event_id VARBINARY(255) NOT NULL PRIMARY KEY) ENGINE=InnoDB' });
  await world.ask({ restrict: true });
  const job = (await adminer.open('hookonce_dead_letters'))[0].job;
  await adminer.open('hookonce_new_command');
  assert.match(await adminer.insert({ command: 'replay', job }, 'adminer-insert'), /inserted/);
  await processOnce(0);
  const command = await lastCommand();
  await picture(adminer.page, 'adminer-commands');
  assert.equal(command.state, 'done', command.answer);
  assert.match(command.asked_by, new RegExp(`^${world.hello.user}@`));
  assert.deepEqual(await adminer.open('hookonce_dead_letters'), []);
  assert.equal((await adminer.open('hookonce_recent'))[0].status, 'processed');
  assert.equal((await world.ask({ sql: 'SELECT * FROM shipment' })).length, 1);
});

test('a source is paused by a row, receives meanwhile, and goes on when it is resumed', async () => {
  await adminer.open('hookonce_new_command');
  assert.match(await adminer.insert({ command: 'pause', source: 'stripe', reason: 'the shop moves' }), /inserted/);
  await processOnce(0);
  await deliver('evt_while_paused');
  await processOnce(0);
  const paused = await adminer.open('hookonce_paused');
  await picture(adminer.page, 'adminer-paused');
  assert.deepEqual(paused.map((row) => [row.what, row.name, row.reason]), [['source', 'stripe', 'the shop moves']]);
  assert.equal((await adminer.open('hookonce_queue'))[0].waiting_for, 'pause');
  await picture(adminer.page, 'adminer-queue');
  assert.equal((await adminer.open('hookonce_overview')).find((fact) => fact.name === 'paused').state, 'look');
  await adminer.open('hookonce_new_command');
  assert.match(await adminer.insert({ command: 'resume', source: 'stripe' }), /inserted/);
  await processOnce(0);
  assert.deepEqual(await adminer.open('hookonce_paused'), []);
  await processOnce(0);
  const event = (await adminer.open('hookonce_recent'))[0];
  assert.deepEqual([event.event_id, event.status], ['evt_while_paused', 'processed']);
});

test('ids with emoji, quotes, markup and blanks at their end are shown, found and replayed (O-PAY-02)', async () => {
  for (const id of ODD) await deliver(id);
  await processOnce(0);
  const rows = await adminer.open('hookonce_recent');
  await picture(adminer.page, 'adminer-odd-ids');
  assert.deepEqual(rows.slice(0, ODD.length).map((row) => row.event_id).reverse(), ODD);
  for (const id of ODD) {
    await adminer.open('hookonce_recent');
    const found = await adminer.search('event_id', id);
    assert.deepEqual(found.map((row) => row.event_id), [id]);
    await adminer.open('hookonce_new_command');
    assert.match(await adminer.insert({ command: 'replay', event_id: id, again: 'yes', reason: 'parcel lost' }), /inserted/);
  }
  await world.ask({ sql: 'DELETE FROM shipment' });
  await processOnce(0);
  const commands = await adminer.open('hookonce_commands');
  await picture(adminer.page, 'adminer-commands-odd');
  assert.deepEqual(commands.slice(0, ODD.length).map((row) => [row.event_id, row.state]).reverse(), ODD.map((id) => [id, 'done']));
  const shipped = await world.ask({ sql: 'SELECT event_id FROM shipment' });
  assert.deepEqual(shipped.map((row) => Buffer.from(row.event_id.hex, 'hex').toString()).sort(), [...ODD].sort());
});

test('a row that makes no sense is refused by the form, one that cannot be done has its reason in it', async () => {
  await adminer.open('hookonce_new_command');
  assert.match(await adminer.insert({ command: 'discard', job: '1' }), /discard_needs_a_reason/);
  await picture(adminer.page, 'adminer-constraint');
  for (const [values, words] of [
    [{ command: 'retry', job: '4711' }, /no such job/],
    [{ command: 'replay', event_id: 'evt_first', again: 'yes' }, null],
    [{ command: 'forget', job: '1' }, /sql_commands = .*forget/],
    [{ command: 'pause', source: 'nobody' }, /nobody/],
  ]) {
    await adminer.open('hookonce_new_command');
    const said = await adminer.insert(values);
    if (words === null) {
      assert.match(said, /again_needs_a_reason/);
      continue;
    }
    assert.match(said, /inserted/);
    await processOnce(0);
    const command = await lastCommand();
    assert.equal(command.state, 'refused', command.answer);
    assert.match(command.answer, words);
  }
  await picture(adminer.page, 'adminer-refused');
});
