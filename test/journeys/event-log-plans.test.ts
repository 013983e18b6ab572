import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CompiledQuery, createQueryId, type KyselyPlugin, type RootOperationNode, sql } from 'kysely';
import { createEventStore } from '../../src/domain/records/events/store.ts';
import { makePlace } from '../kit/databases.ts';

const skip = process.env.TEST_DATABASE_URL === undefined ? 'TEST_DATABASE_URL is not set' : false;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Plan[];
}

const nodesOf = (plan: Plan): string[] => [
  `${plan['Node Type']} ${plan['Index Name'] ?? ''}`.trim(),
  ...(plan.Plans ?? []).flatMap(nodesOf),
];

describe('the events of a quiet account among those of many', { skip }, () => {
  it('the events of a quiet account are found by the index of accounts, in both directions', async () => {
    const place = await makePlace('postgres');
    const database = await place.open();
    // A tenth of the events are of one account, among those of others, and it has had none since.
    await sql`
      insert into events (tx, account_id, type, occurred_at, recorded_at, data_json)
      select n, case when n <= 30000 and n % 6 = 0 then 1 else 2 + n % 9 end, 'device.state_changed', n, n, ${JSON.stringify({ note: 'x'.repeat(250) })}
      from generate_series(1, 50000) as n`.execute(database.queries);
    await sql`analyze events`.execute(database.queries);

    const asked: RootOperationNode[] = [];
    const recorder: KyselyPlugin = {
      transformQuery({ node }) {
        asked.push(node);
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const store = createEventStore({ ...database, queries: database.queries.withPlugin(recorder) });
    const last = { tx: 60_000, id: 60_000 };
    const of = { account: 1, after: { tx: 0, id: 0 }, until: last };
    const newest = await store.page({ ...of, limit: 100, order: 'newest' });
    assert.deepEqual([newest.length, newest[0]?.tx, newest.at(-1)?.tx], [100, 30_000, 29_406]);
    const oldest = await store.page({ ...of, after: { tx: 600, id: 60_000 }, limit: 100 });
    assert.deepEqual([oldest.length, oldest[0]?.tx, oldest.at(-1)?.tx], [100, 606, 1_200]);
    assert.deepEqual(await store.page({ ...of, after: { tx: 30_000, id: 60_000 }, limit: 100 }), []);
    assert.equal((await store.ahead({ ...of, order: 'newest' }, 1_000))?.tx, 24_006);
    assert.equal((await store.ahead(of, 1_000))?.tx, 6_000);

    const plans: string[][] = [];
    for (const node of asked) {
      const query = database.queries.getExecutor().compileQuery(node, createQueryId());
      const { rows } = await database.queries.executeQuery<{ 'QUERY PLAN': readonly { Plan: Plan }[] }>(
        CompiledQuery.raw(`explain (format json) ${query.sql}`, [...query.parameters]),
      );
      plans.push(nodesOf(rows[0]?.['QUERY PLAN'][0]?.Plan as Plan));
    }
    assert.equal(plans.length, 5);
    for (const nodes of plans) {
      assert.match(nodes.at(-1) ?? '', /^Index (Only )?Scan events_by_account$/, JSON.stringify(plans));
      assert.ok(!nodes.includes('Sort'), JSON.stringify(plans));
    }
    await database.close();
    await place.remove();
  });
});
