import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { type Caller, makeWorld, type World } from '../../../../test/kit/world.ts';

onEachEngine('the cards of a link', (engine) => {
  let world: World;
  let caller: Caller;
  let station = '';
  let sandbox = '';
  before(async () => {
    world = await makeWorld({ engine });
    caller = await world.newAccount();
    const credentials = { identity: 'CP-1', password: 'a-station-password' };
    await caller.call('POST', '/link', { vendor: 'ocpp', user_ref: 'anna', credentials });
    await caller.call('POST', '/link', { vendor: 'sandbox', user_ref: 'anna', credentials: {} });
    const links = (await caller.call('GET', '/links')).body as { id: string; vendor: string }[];
    station = links.find(({ vendor }) => vendor === 'ocpp')?.id ?? '';
    sandbox = links.find(({ vendor }) => vendor === 'sandbox')?.id ?? '';
  });
  after(() => world.close());

  it('the cards of a link are everybody’s until they are set, and again when they are forgotten', async () => {
    const path = `/links/${station}/cards`;
    assert.deepEqual((await caller.call('GET', path)).body, { accept: 'all', cards: [] });
    const said = {
      accept: 'list',
      cards: [
        { id: '04E91C5A', name: 'Anna' },
        { id: 'LOST', blocked: true },
      ],
    };
    assert.deepEqual((await caller.call('PUT', path, said)).body, said);
    assert.deepEqual((await caller.call('GET', path)).body, said);
    assert.deepEqual((await caller.call('PUT', path, { accept: 'none' })).body, {
      accept: 'none',
      cards: [],
    });
    assert.deepEqual((await caller.call('DELETE', path)).body, { accept: 'all', cards: [] });
    assert.deepEqual((await caller.call('GET', path)).body, { accept: 'all', cards: [] });
  });

  it('the cards of a link outlive linking the station again', async () => {
    const path = `/links/${station}/cards`;
    await caller.call('PUT', path, { accept: 'none' });
    const credentials = { identity: 'CP-1', password: 'another-station-password' };
    await caller.call('POST', '/link', { vendor: 'ocpp', user_ref: 'anna', credentials });
    assert.deepEqual((await caller.call('GET', path)).body, { accept: 'none', cards: [] });
  });

  it('the cards of a link are refused with what is wrong in them', async () => {
    const refused: readonly [object, RegExp][] = [
      [{}, /is missing accept/],
      [{ accept: 'some' }, /accept/],
      [{ accept: 'list', cards: [{ id: '' }] }, /id/],
      [{ accept: 'list', cards: [{ id: 'A', bloked: true }] }, /unknown field: bloked/],
      [{ accept: 'list', cards: [{ id: 'A', expires_at: 'soon' }] }, /expires_at/],
      [{ accept: 'list', cards: [{ id: 'ab' }, { id: 'AB' }] }, /cards\[1\]\.id AB is already in the list/],
    ];
    for (const [body, sentence] of refused) {
      const answer = await caller.call('PUT', `/links/${station}/cards`, body);
      assert.equal(answer.status, 400, JSON.stringify(answer.body));
      assert.match((answer.body as { error: string }).error, sentence);
    }
  });

  it('the cards of a link are of links whose devices ask for them, and of nobody else’s', async () => {
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const body = method === 'PUT' ? { accept: 'all' } : undefined;
      const other = await caller.call(method, `/links/${sandbox}/cards`, body);
      assert.deepEqual([other.status, other.headers.get('elnav-error')], [422, 'station.unsupported']);
      const stranger = await (await world.newAccount()).call(method, `/links/${station}/cards`, body);
      assert.deepEqual([stranger.status, stranger.headers.get('elnav-error')], [404, 'link.not_found']);
    }
    const reader = await world.newAccount('devices:read');
    assert.equal((await reader.call('PUT', `/links/${station}/cards`, { accept: 'all' })).status, 403);
  });
});
