import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { turnedClock } from '../../src/core/clock.ts';
import { CookieBrowser } from '../kit/cookie-browser.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

const WORDS = {
  en: { title: 'Approve it', text: 'One thing is left.' },
  sv: { title: 'Godkänn den', text: 'En sak återstår.' },
};

describe('what a user still has to do after linking', () => {
  let world: World;
  let caller: Caller;
  before(async () => {
    const { adapter } = testVendor();
    world = await makeWorld({
      engine: 'sqlite',
      clock: turnedClock(),
      adapters: [
        {
          ...adapter,
          nextSteps: (devices, { domain }) => [
            {
              id: 'pair_key',
              url: `https://vendor.example/approve/${domain}`,
              devices: devices.map(({ id }) => id),
              words: WORDS,
            },
          ],
        },
      ],
    });
    caller = await world.newAccount();
  });
  after(() => world.close());

  it('what a user still has to do after linking is part of the response of POST /link, of the session, and of its last page', async () => {
    const credentials = { user: 'anna', password: 'right' };
    const linked = await caller.call('POST', '/link', {
      vendor: 'testvendor',
      user_ref: 'anna',
      credentials,
    });
    const step = {
      id: 'pair_key',
      url: 'https://vendor.example/approve/127.0.0.1',
      ...WORDS.en,
      devices: ['light-1'],
    };
    assert.deepEqual((linked.body as { next_steps: unknown }).next_steps, [step]);
    const begun = await caller.call('POST', '/link/sessions', { user_ref: 'anna', vendor: 'testvendor' });
    const { session, url } = begun.body as { session: string; url: string };
    const browser = CookieBrowser.inLanguage('sv');
    assert.equal((await browser.post(`${url}/testvendor`, credentials)).status, 303);
    const view = await caller.call('GET', `/link/sessions/${session}`);
    assert.deepEqual((view.body as { next_steps: unknown }).next_steps, [step]);
    const page = await (await browser.get(`${url}/done`)).text();
    assert.match(page, /<h2[^>]*>Det här återstår<.*En sak återstår\./s);
    assert.match(
      page,
      /<a class="button button-primary button-wide" href="https:\/\/vendor\.example\/approve\/127\.0\.0\.1" target="_blank" rel="noopener">Godkänn den<\/a>/,
    );
  });
});
