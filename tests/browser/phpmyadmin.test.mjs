// phpMyAdmin: the schema files imported by its form.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openBrowser, PhpMyAdmin, picture, startWorld } from './consoles.mjs';

const SCHEMA = path.join(import.meta.dirname, '..', '..', 'schema');
let world, browser, console_;

before(async () => {
  world = await startWorld({ consoles: ['phpmyadmin'], migrate: false });
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
  assert.ok(files.length >= 6);
  for (const name of files) {
    const [kind, text] = await console_.importFile(path.join(SCHEMA, name));
    assert.equal(kind, 'success', `${name}: ${text}`);
  }
  await picture(console_.page, 'phpmyadmin-import');
  assert.match(await world.hookonce('migrate'), /up to date/);
  await world.ask({ sql: 'CREATE TABLE fx (event_id VARBINARY(255) NOT NULL) ENGINE=InnoDB' });
  await world.ask({ restrict: true });
  await world.hookonce('check');
});
