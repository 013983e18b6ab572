import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assets } from '../../../../test/kit/assets.ts';
import { AppError } from '../../../core/errors.ts';
import { choosePage } from './choose-page.ts';
import type { Reader } from './frame.ts';
import { failurePage } from './message-pages.ts';
import { NOBODY } from './who-asks.ts';

const XSS = '<img src=x onerror=alert(1)>"\'';

const choose = (reader: Reader) =>
  choosePage(reader, {
    vendors: [],
    isSimulated: () => false,
    hrefOf: () => '#',
    query: '',
    href: '/link/sessions/x',
    cancelHref: 'https://app.example.com/?status=failed',
    hasFailed: false,
  });

it("the pages carry the account's name and colour, as text", () => {
  const page = choose({
    assets,
    language: 'sv',
    path: undefined,
    ...NOBODY,
    brand: { name: XSS, color: '#ffe600', privacy_url: null, terms_url: null },
  });
  assert.doesNotMatch(page, /<img/);
  assert.match(page, /<link rel="stylesheet" href="\/assets\/brand\/ffe600\.css">/);
  assert.match(page, /<footer.*&lt;img.* via elnav<\/p>/s);
  assert.match(page, /<title>[^<]*&lt;img[^<]*<\/title>/);
  assert.match(page, /Tillbaka till &lt;img/);
  const neutral = choose({ assets, language: 'en', path: undefined, ...NOBODY });
  assert.doesNotMatch(neutral, /assets\/brand|<footer/);
  assert.match(neutral, /Back to the app/);
  const colourless = choose({
    assets,
    language: 'en',
    path: undefined,
    ...NOBODY,
    brand: { name: 'Sol', color: null, privacy_url: null, terms_url: null },
  });
  assert.doesNotMatch(colourless, /assets\/brand/);
  assert.match(colourless, /Sol via elnav/);
});

it('a session without a vendor that can be linked says so', () => {
  assert.match(
    choose({ assets, language: 'en', path: undefined, ...NOBODY }),
    /Nothing can be connected here yet/,
  );
});

it('what a vendor said is for support, cut and without tricks', () => {
  const error = new AppError('vendor.refused', `${XSS}\u202e${'x'.repeat(500)}`);
  const failure = { error, requestId: 'r-1', vendor: XSS, isByForm: false };
  const page = failurePage({ assets, language: 'en', path: undefined, ...NOBODY }, failure, null);
  assert.doesNotMatch(page, /<img|\u202e|x{301}/);
  assert.match(page, /<code>r-1<\/code>/);
  assert.doesNotMatch(page, /Try again<\/a>/);
});
