// A browser before Adminer and phpMyAdmin, and what a person does there. The names of the consoles' own
// fields and links are here and nowhere else.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { startHelper } from '../official/live.mjs';

const PROJECT = path.join(import.meta.dirname, '..', '..');
const BUILD = process.env.HOOKONCE_BUILD ?? path.join(PROJECT, 'build');
const PICTURES = path.join(BUILD, 'test', 'browser');
const LIMIT_MS = 20000;

/** Starts a site with its consoles; see world.py for what may be wanted. -> see startHelper */
export function startWorld(wanted) {
  return startHelper(path.join(import.meta.dirname, 'world.py'), { migrate: true, consoles: [], ...wanted });
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

/** The cells of a table on the page as objects, one a row: {column: text}; texts are not trimmed. */
function readTable(table) {
  return table.evaluate((element) => {
    const columns = [...element.querySelectorAll('thead th')].map((cell) => cell.dataset.column ?? cell.textContent.trim());
    return [...element.querySelectorAll('tbody tr')].map((row) => Object.fromEntries(
      [...row.children].map((cell, i) => [columns[i], cell.textContent])));
  });
}

/** Adminer: `page` in it, logged in as the site's own account. */
export class Adminer {
  constructor(page, hello) {
    Object.assign(this, { page, hello });
    this.base = `${hello.adminer}?server=${encodeURIComponent(':' + hello.socket)}&username=${hello.user}&db=${hello.database}`;
  }

  async login() {
    await this.page.goto(this.hello.adminer);
    await this.page.fill('[name="auth[server]"]', ':' + this.hello.socket);
    await this.page.fill('[name="auth[username]"]', this.hello.user);
    await this.page.fill('[name="auth[password]"]', this.hello.password);
    await this.page.fill('[name="auth[db]"]', this.hello.database);
    await this.page.click('input[type=submit]');
    await this.page.waitForSelector('#logout');
  }
}
