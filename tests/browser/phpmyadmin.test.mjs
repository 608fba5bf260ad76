// phpMyAdmin: the schema files imported by its form, and the same replay as in Adminer.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openBrowser, PhpMyAdmin, picture, startWorld } from './consoles.mjs';

const SCHEMA = path.join(import.meta.dirname, '..', '..', 'schema');
let world, browser, console_;

before(async () => {
  world = await startWorld({
    consoles: ['phpmyadmin'], migrate: false,
    handlers: { ship: { sql: 'INSERT INTO shipment (event_id) VALUES ({event:id})' } },
    routes: { ship: { provider: 'stripe', on: '*', handler: 'ship', retry: '1 tries' } },
  });
  browser = await openBrowser();
  console_ = new PhpMyAdmin(await browser.page(), world.hello);
  await console_.login();
});

after(async () => {
  await browser?.close();
  await world?.end();
});

test('the schema files are imported by the form, one after another, and hookonce calls them right', async () => {
  const files = readdirSync(SCHEMA).filter((name) => /^\d+-.*\.sql$/.test(name)).sort();
  assert.ok(files.length >= 7);
  for (const name of [...files, 'views.sql']) {
    const [kind, text] = await console_.importFile(path.join(SCHEMA, name));
    assert.equal(kind, 'success', `${name}: ${text}`);
  }
  await picture(console_.page, 'phpmyadmin-import');
  assert.match(await world.hookonce('migrate'), /up to date/);
  await world.ask({ sql: 'CREATE TABLE shipment (event_id VARBINARY(255) NOT NULL PRIMARY KEY) ENGINE=InnoDB' });
  await world.ask({ restrict: true });
  await world.hookonce('check');
});

test('a dead letter is found and replayed by a row in the form, with rights on rows only', async () => {
  const id = `evt_😀_"quoted"_'single'  `;
  const body = { id, object: 'event', type: 'invoice.paid', created: 1790000000, data: { object: { id: 'in_1' } }, livemode: false };
  await world.ask({ sql: 'RENAME TABLE shipment TO shipment_later' });
  assert.equal(await world.ask({ deliver: 'stripe', body: JSON.stringify(body) }), 200);
  assert.equal((await world.ask({ run: ['process', '--once'] })).code, 1, 'a dead letter');
  await world.ask({ sql: 'RENAME TABLE shipment_later TO shipment' });
  const facts = await console_.open('hookonce_overview');
  await picture(console_.page, 'phpmyadmin-overview');
  assert.equal(facts.find((fact) => fact.name === 'dead letters').value, '1');
  const dead = await console_.open('hookonce_dead_letters');
  await picture(console_.page, 'phpmyadmin-dead-letters');
  assert.deepEqual(dead.map((row) => row.event_id), [id]);
  assert.match(await console_.insert('hookonce_new_command', { command: 'replay', job: dead[0].job }, 'phpmyadmin-insert'), /1 row inserted/);
  await world.hookonce('process', '--once');
  const [command] = await console_.open('hookonce_commands');
  await picture(console_.page, 'phpmyadmin-commands');
  assert.equal(command.state, 'done', command.answer);
  assert.match(command.asked_by, new RegExp(`^${world.hello.user}@`));
  assert.equal((await console_.open('hookonce_recent'))[0].status, 'processed');
  assert.match(await console_.insert('hookonce_command', { command: 'retry', job: '4711' }), /1 row inserted/);
  assert.match(await console_.insert('hookonce_new_command', { command: 'discard', job: '1' }), /discard_needs_a_reason/);
});
