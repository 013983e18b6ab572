import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { ADMIN, accountsWorld } from '../../../../test/kit/accounts.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { everyDay, fakeSource, pricesOf } from '../../../../test/kit/market.ts';
import {
  type OperatorBrowser,
  type OperatorPages,
  openOperatorPages,
} from '../../../../test/kit/operator-pages.ts';

/** A field by its id (of the first box, by its name), and its fault. */
type Wrong = readonly [field: string, fault: RegExp];

interface Faulty {
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
  readonly wrong: readonly Wrong[];
}

/** What browsers check themselves. */
const CHECKED = / required[ >]| (?:pattern|min|max|step|minlength)=| type="(?:date|email|number|time|url)"/;

onEachEngine("the forms of the operator's pages", (engine) => {
  const world = accountsWorld(engine);
  let pages: OperatorPages;
  let operator: OperatorBrowser;
  let account = '';
  before(async () => {
    const { clock, database } = world;
    const sources = [fakeSource(clock, 'entsoe', { answer: everyDay })];
    const { prices } = await pricesOf(database, { clock, sources });
    pages = await openOperatorPages(world, { prices });
    operator = await pages.signedIn();
    await operator.turnOnChanges();
    const { id } = await world.accounts.users.create(
      { email: 'volta@example.com', name: '', tier: 'pro' },
      ADMIN,
    );
    account = `/operator/accounts/${id}`;
  });

  const WHOLE = />Write a whole number from 1 to 1,000,000,000/;
  const faultyForms = (): readonly Faulty[] => [
    {
      path: `${account}/keys`,
      form: { label: ' ' },
      wrong: [
        ['key-label', />Write a label of 1 to 60/],
        ['key-scopes', />Choose at least one/],
      ],
    },
    {
      path: `${account}/policy`,
      form: { per_minute: '10', per_hour: '', per_day: '3000', burst: 'many', most_links: '0' },
      wrong: [
        ['policy-per_hour', WHOLE],
        ['policy-burst', WHOLE],
      ],
    },
    {
      path: '/operator/accounts/new',
      form: { email: '', name: 'N'.repeat(201), tier: '' },
      wrong: [
        ['new-email', />Write a whole email address/],
        ['new-name', />At most 200 characters/],
        ['new-tier', />Write 1 to 64 characters/],
      ],
    },
    {
      path: '/operator/usage/quotas',
      form: { anon_per_ip_per_day: '5', anon_global_per_day: '' },
      wrong: [['anon_global_per_day', />Write a whole number from 0/]],
    },
    {
      path: '/operator/prices/backfill',
      form: { from: '', to: '', area: 'SE3' },
      wrong: [['from', />Write a day such as/]],
    },
    {
      path: '/operator/prices/backfill',
      form: { from: '2026-10-01', to: '2026-10-03' },
      wrong: [['areas', />Choose at least one price area/]],
    },
    {
      path: '/operator/sign-in',
      form: { token: '' },
      wrong: [['token', />Write the admin token/]],
    },
  ];

  it("the forms of the operator's pages leave the other forms of the page as they are stored", async () => {
    const limits = (text: string) => /<form[^>]*\/policy"[\s\S]*?<\/form>/.exec(text)?.[0] ?? '';
    const stored = limits((await operator.get(account)).text);
    assert.match(stored, /name="auto_throttle_enabled"[^>]* checked/);
    assert.equal(limits((await operator.post(`${account}/keys`, { label: ' ' })).text), stored);
  });

  it('a form that is too long is refused', async () => {
    const label = 'x'.repeat(2_000_000);
    const { status, text } = await operator.post(`${account}/keys`, { label });
    assert.equal(status, 413);
    assert.match(text, />What was sent is too long\. Nothing was done\.</);
  });

  it("the forms of the operator's pages let browsers show no messages of their own", async () => {
    const shown = [
      await pages.browser().get('/operator/sign-in'),
      ...(await Promise.all(
        [account, '/operator/accounts/new', '/operator/usage', '/operator/prices', '/operator/requests'].map(
          (path) => operator.get(path),
        ),
      )),
    ];
    const forms = shown.flatMap(({ text }) => text.match(/<form[\s\S]*?<\/form>/g) ?? []);
    const checked = forms.filter((form) => CHECKED.test(form));
    assert.deepEqual(
      checked
        .map((form) => /^<form[^>]*>/.exec(form)?.[0])
        .filter((tag) => !/ novalidate[ >]/.test(tag ?? '')),
      [],
    );
    assert.equal(checked.length, 8);
  });

  it('a fault is shown beside its field, and the page begins at the first', async () => {
    for (const { path, form, wrong } of faultyForms()) {
      const from = path === '/operator/sign-in' ? pages.browser() : operator;
      const { status, text } = await from.post(path, form);
      assert.equal(status, 422, path);
      const faults = [...text.matchAll(/<p class="fault" id="(.*?)-fault"(>.*?)<\/p>/g)];
      assert.deepEqual(
        faults.map(([, id]) => id),
        wrong.map(([id]) => id),
        path,
      );
      for (const [index, one] of wrong.entries()) assert.match(faults[index]?.[2] ?? '', one[1], path);
      assert.deepEqual(
        marked(text),
        wrong.map(([id]) => id),
        path,
      );
      const focused = text.match(/<[^>]* autofocus[ >]/g) ?? [];
      assert.equal(focused.length, 1, path);
      assert.ok(focused[0]?.includes('aria-invalid="true"'), path);
      assert.equal(text.indexOf(focused[0] ?? ''), text.search(/<[^>]*aria-invalid="true"/), path);
    }
  });
});

/** Fields that are marked as wrong and described by what is wrong; of boxes, their group. */
function marked(text: string): string[] {
  const fields = text.matchAll(/<fieldset[^>]*>[\s\S]*?<\/fieldset>|<input[^>]*>/g);
  return [...fields]
    .map(([field]) => field)
    .filter((field) => field.includes('aria-invalid="true"'))
    .map((field) => /aria-describedby="(?:[^" ]* )*?([^" ]*)-fault[ "]/.exec(field)?.[1] ?? field);
}
