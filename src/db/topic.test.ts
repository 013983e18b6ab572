import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { makePlace, onEachEngine, type Place } from '../../test/kit/databases.ts';
import type { Database } from './database.ts';
import { question, topic } from './topic.ts';

interface Moved {
  readonly link: string;
  readonly devices?: readonly string[];
}

onEachEngine('topics', (engine) => {
  let place: Place;
  let here: Database;
  let there: Database;
  before(async () => {
    place = await makePlace(engine);
    here = await place.open();
    there = engine === 'sqlite' ? here : await place.open();
  });
  after(async () => {
    await here.close();
    if (there !== here) await there.close();
    await place.remove();
  });

  it('topics deliver a message to all listeners of that name, and to no others', async () => {
    const MOVED = topic<Moved>('moved');
    const OTHER = topic<Moved>('other');
    const received: unknown[] = [];
    MOVED.on(there.bus, ({ link, devices }) => received.push([link, devices]));
    MOVED.on(there.bus, async ({ link }) => received.push(link));
    OTHER.on(there.bus, () => received.push('other'));
    // @ts-expect-error: a message of another type does not compile.
    const wrong: Parameters<typeof MOVED.publish>[1] = { name: 'l1' };
    assert.notEqual(wrong, undefined);
    await MOVED.publishAndWait(here.bus, { link: 'l1', devices: ['d1'] });
    assert.deepEqual(received, [['l1', ['d1']], 'l1']);
  });

  it('topics have been processed, promises included, when publishAndWait resolves', async () => {
    const SLOW = topic<null>('slow');
    let isDone = false;
    SLOW.on(there.bus, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      isDone = true;
    });
    assert.deepEqual(await SLOW.publishAndWait(here.bus, null), []);
    assert.equal(isDone, true);
  });
});

onEachEngine('questions', (engine) => {
  if (engine === 'sqlite') return;
  it('questions are answered by the process that can, null included, and by none otherwise', async () => {
    const place = await makePlace(engine);
    const here = await place.open();
    const there = await place.open();
    const AGE = question<{ readonly name: string }, number | null>('age');
    const ages = new Map<string, number | null>([
      ['Ada', 36],
      ['nobody', null],
    ]);
    AGE.answer(there.bus, ({ name }) => ages.get(name));
    const ask = async (name: string) => {
      const asked = await AGE.ask(here.bus, { name }, { timeoutMs: name === 'stranger' ? 50 : 60_000 });
      return asked.state === 'answered' ? asked.message : asked.state;
    };
    assert.deepEqual([await ask('Ada'), await ask('nobody'), await ask('stranger')], [36, null, 'silent']);
    await here.close();
    await there.close();
    await place.remove();
  });
});
