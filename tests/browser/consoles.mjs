// A browser before Adminer and phpMyAdmin, and what a person does there. The names of the consoles' own
// fields and links are here and nowhere else.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { startHelper } from '../official/live.mjs';

const PROJECT = path.join(import.meta.dirname, '..', '..');
const BUILD = process.env.HOOKONCE_BUILD ?? path.join(PROJECT, 'build');
const PICTURES = path.join(BUILD, 'test', 'browser');
const LIMIT_MS = 60000;

/**
 * Starts a site with its consoles; see world.py for what may be wanted.
 * -> {hello, ask, end: see startHelper; hookonce(...arguments) -> its output, and it must succeed}
 */
export async function startWorld(wanted) {
  const world = await startHelper(path.join(import.meta.dirname, 'world.py'), { migrate: true, consoles: [], ...wanted });
  return {
    ...world,
    async hookonce(...run) {
      const done = await world.ask({ run });
      assert.equal(done.code, 0, `hookonce ${run.join(' ')}\n${done.out}${done.err}`);
      return done.out;
    },
  };
}

/**
 * Opens the distribution's Chromium. -> {page(options) -> a page in a window of its own, close()}
 * A page reaches this machine only; whatever fails in its scripts, or is asked of another, is in page.errors.
 */
export async function openBrowser() {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', timeout: LIMIT_MS });
  return {
    async page(options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      context.setDefaultTimeout(LIMIT_MS);
      const page = await context.newPage();
      page.errors = [];
      page.on('pageerror', (error) => page.errors.push(String(error)));
      await context.route((url) => url.hostname !== '127.0.0.1', (route) => {
        page.errors.push('asked ' + route.request().url());
        return route.abort();
      });
      return page;
    },
    close: () => browser.close(),
  };
}

/** Writes build/test/browser/NAME.png: the whole page, or what the window shows. */
export async function picture(page, name, fullPage = true) {
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: path.join(PICTURES, name + '.png'), fullPage });
}

/** Adminer: `page` in it, logged in as the site's own account. */
export class Adminer {
  constructor(page, hello) {
    Object.assign(this, { page, hello });
  }

  async login() {
    await this.page.goto(this.hello.adminer);
    await this.page.fill('[name="auth[server]"]', ':' + this.hello.socket);
    await this.page.fill('[name="auth[username]"]', this.hello.user);
    await this.page.fill('[name="auth[password]"]', this.hello.password);
    await this.page.fill('[name="auth[db]"]', this.hello.database);
    await this.page.click('input[type=submit]');
    await this.page.waitForSelector('#logout');
    await this.page.waitForLoadState('load'); // or #go would take this one's for its own
  }

  /** Opens a table or view from the list at the left; -> its rows, {column: text as it is}. */
  async open(table) {
    await this.#go(() => this.page.click(`#tables a[href$="select=${table}"]`));
    return this.rows();
  }

  /** Does what opens a page of Adminer's, and waits until that is there. */
  async #go(act) {
    await Promise.all([this.page.waitForEvent('load'), act()]);
  }

  /** Shows the whole texts of the open table, of which Adminer shows 100 characters; -> its rows. */
  async wholeTexts() {
    await this.page.fill('[name=text_length]', '4000');
    await this.#go(() => this.page.click('#form input[type=submit][value=Select]'));
    return this.rows();
  }

  /** The rows that are shown. */
  rows() {
    return this.page.evaluate(() => {
      const columns = [...document.querySelectorAll('#table thead th[id]')].map((cell) => cell.id.slice(3, -1));
      return [...document.querySelectorAll('#table tbody tr')].map((row) => {
        const cells = [...row.children].slice(-columns.length);
        return Object.fromEntries(cells.map((cell, i) => [columns[i], cell.textContent]));
      });
    });
  }

  /** Shows only the rows of the open table whose column is this; -> these. */
  async search(column, value) {
    await this.page.click('a[href="#fieldset-search"]');
    await this.page.selectOption('[name="where[0][col]"]', column);
    await this.page.fill('[name="where[0][val]"]', value);
    await this.#go(() => this.page.click('#form input[type=submit][value=Select]'));
    return this.rows();
  }

  /** Fills in the form for a new row of the open table and saves it; -> what Adminer says. */
  async insert(values, name = null) {
    await this.#go(() => this.page.click('text=New item'));
    for (const [column, value] of Object.entries(values)) {
      const field = this.page.locator(`[name="fields[${column}]"]`);
      if (await field.first().getAttribute('type') === 'radio') {
        await this.page.locator('label', { has: field }).filter({ hasText: new RegExp(`^\\s*${value}\\s*$`) }).click();
      } else {
        await field.fill(value);
      }
    }
    if (name) await picture(this.page, name);
    await this.#go(() => this.page.click('input[value=Save]'));
    return (await this.page.locator('.message, .error').first().textContent()).trim();
  }
}

/** phpMyAdmin: `page` in it, logged in as the site's own account. */
export class PhpMyAdmin {
  constructor(page, hello) {
    Object.assign(this, { page, hello });
  }

  async login() {
    await this.page.goto(this.hello.phpmyadmin);
    await this.page.fill('#input_username', this.hello.user);
    await this.page.fill('#input_password', this.hello.password);
    await this.page.click('#input_go');
    await this.page.waitForSelector('#topmenu');
  }

  async #go(route, more) {
    await this.page.goto(`${this.hello.phpmyadmin}?route=${route}&db=${this.hello.database}${more}`);
  }

  /** Imports a file by the form; -> what phpMyAdmin says: [kind of notice, text]. */
  async importFile(file) {
    await this.#go('/database/import', '');
    await this.page.setInputFiles('#input_import_file', file);
    await this.page.click('#buttonGo');
    const notice = this.page.locator('#page_content .alert-success, #page_content .alert-danger').first();
    await notice.waitFor({ state: 'visible' });
    const kind = (await notice.getAttribute('class')).includes('alert-success') ? 'success' : 'danger';
    return [kind, (await notice.textContent()).trim().replace(/\s+/g, ' ')];
  }

  /** Opens a table or view; -> its rows, {column: text}; of two blanks phpMyAdmin makes one a no-break space. */
  async open(table) {
    await this.#go('/sql', `&table=${table}&pos=0`);
    await this.page.waitForSelector('.table_results, .alert-success', { state: 'attached' });
    return this.page.evaluate(() => {
      const columns = [...document.querySelectorAll('.table_results thead th[data-column]')].map((cell) => cell.dataset.column);
      return [...document.querySelectorAll('.table_results tbody tr')].map((row) => Object.fromEntries(
        [...row.querySelectorAll('td.data')].map((cell, i) => [columns[i], cell.textContent.replaceAll('\u00a0', ' ')])));
    });
  }

  /** Fills in the form for a new row and saves it; -> what phpMyAdmin says. */
  async insert(table, values, name = null) {
    await this.#go('/table/change', `&table=${table}`);
    for (const [column, value] of Object.entries(values)) {
      const row = this.page.locator('table.insertRowTable').first().locator('tr', {
        has: this.page.locator(`input[name^=fields_name][value="${column}"]`) });
      if (await row.locator('input[type=radio]').count()) {
        await row.locator(`input[type=radio][value="${value}"]`).check();
      } else if (await row.locator('td:last-child select').count()) {
        await row.locator('td:last-child select').selectOption(value);
      } else {
        await row.locator('td:last-child').locator('input:not([type=hidden]), textarea').first().fill(value);
      }
    }
    if (name) await picture(this.page, name);
    await this.page.locator('#buttonYes').last().click();
    const notice = this.page.locator('.alert-success, .alert-danger').first();
    await notice.waitFor({ state: 'visible' });
    return (await notice.textContent()).trim().replace(/\s+/g, ' ');
  }
}
