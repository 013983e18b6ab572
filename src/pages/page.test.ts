import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assets } from '../../test/kit/assets.ts';
import { html } from './html.ts';
import { renderPage } from './page.ts';
import { drawPlot } from './plot.ts';

describe('a page', () => {
  it('escapes its title', () => {
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

  it('declares its language, and has a skip link', () => {
    const page = renderPage(assets, { language: 'sv', title: 'Konto', main: html`<h1>Konto</h1>` });
    assert.match(page, /^<!doctype html>\n<html lang="sv">/);
    assert.match(page, /<title>Konto · elnav<\/title>/);
    assert.match(page, /<a class="skip" href="#main">Hoppa till innehållet<\/a>/);
    assert.match(page, /<main id="main"/);
  });

  it('has no inline style or script', () => {
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

describe('a plot', () => {
  const options = { marks: [] } as const;

  it('is SVG without its own style sheet, and has a description', async () => {
    const label = 'Prices "today" <b>';
    const svg = String(
      await drawPlot(
        (plot) => ({
          ...options,
          width: 340,
          marks: [plot.lineY([0.123456, 2.25, 3.5]), plot.axisY({ tickFormat: '.2f', ticks: [0.25, 1.25] })],
        }),
        label,
      ),
    );
    assert.match(svg, /^<svg .*? role="img"/);
    assert.match(svg, /aria-label="Prices (?:"|&quot;)today/);
    assert.equal(/<style|style=/.test(svg), false);
    assert.match(svg, />1\.25</, 'texts keep their digits');
    assert.equal(/ d="[^"]*\d\.\d\d/.test(svg), false, 'coordinates are rounded');
  });
});
