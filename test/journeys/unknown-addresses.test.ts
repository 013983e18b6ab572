import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeWorld, type World } from '../kit/world.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml', 'accept-language': 'sv' };

describe('an unknown path', () => {
  let world: World;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite' });
  });
  after(() => world?.close());

  it('an unknown path gives a person a page with links', async () => {
    for (const base of [world.grid, world.connect]) {
      const answer = await fetch(`${base}/<b>konto`, { headers: BROWSER });
      const page = await answer.text();
      assert.equal(answer.status, 404);
      assert.equal(answer.headers.get('elnav-error'), 'route.not_found');
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
      assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      assert.match(page, /<html lang="sv">.*<h1>Sidan finns inte<\/h1>.*href="\/docs"/s);
      assert.ok(!page.includes('<b>'), 'nothing of the path is repeated');
    }
  });

  it('an unknown path gives the same page where only a form is accepted', async () => {
    const answer = await fetch(`${world.grid}/auth/magic`, { headers: BROWSER });
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.get('allow'), 'POST');
    assert.match(await answer.text(), /<h1>Sidan finns inte<\/h1>/);
  });

  it('an unknown path gives a program the usual error', async () => {
    for (const [base, name] of [
      [world.grid, 'detail'],
      [world.connect, 'error'],
    ] as const) {
      const answer = await fetch(`${base}/nosuch`, { headers: { accept: '*/*' } });
      assert.equal(answer.status, 404);
      assert.deepEqual(await answer.json(), {
        [name]: 'there is no path /nosuch; GET /docs lists all',
      });
    }
  });
});
