import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assets } from '../../test/kit/assets.ts';
import { html } from './html.ts';
import { renderPage } from './page.ts';

describe('a page', () => {
  it('a page escapes its title', () => {
    const bad = '<img src=x onerror=alert(1)>"';
    const page = renderPage(assets, {
      language: 'sv',
      title: bad,
      description: bad,
      brand: { name: bad, href: undefined },
      navigation: [{ href: 'javascript:alert(1)', text: bad, isHere: true }],
      main: html`<h1>${bad}</h1>`,
      footer: bad,
    });
    assert.equal(page.includes('<img'), false);
    assert.equal(page.includes('javascript:'), false);
    assert.equal(page.split('&lt;img src=x onerror=alert(1)&gt;&quot;').length - 1, 9);
  });

  it('a page declares its language, and has a skip link', () => {
    const page = renderPage(assets, { language: 'sv', title: 'Konto', main: html`<h1>Konto</h1>` });
    assert.match(page, /^<!doctype html>\n<html lang="sv">/);
    assert.match(page, /<title>Konto · elnav<\/title>/);
    assert.match(page, /<a class="skip" href="#main">Hoppa till innehållet<\/a>/);
    assert.match(page, /<main id="main"/);
  });

  it('a page has no inline style or script', () => {
    const page = renderPage(assets, {
      language: 'en',
      title: 'x',
      scripts: ['front', 'missing'],
      main: html``,
    });
    assert.equal(/<style|style=|<script(?![^>]* src=)/.test(page), false);
    assert.equal(page.includes('missing'), false);
  });
});
