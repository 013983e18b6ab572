import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { ADMIN, accountsWorld } from '../../../../test/kit/accounts.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import {
  newOperator,
  type OperatorBrowser,
  type OperatorPages,
  openOperatorPages,
} from '../../../../test/kit/operator-pages.ts';

const BAD = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;
const KEY = /elnav_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}/;

onEachEngine("the sections of the operator's pages", (engine) => {
  const world = accountsWorld(engine);
  let pages: OperatorPages;
  let operator: OperatorBrowser;
  before(async () => {
    pages = await openOperatorPages(world);
    operator = await pages.signedIn();
    await operator.turnOnChanges();
  });
  const newAccount = async (email: string, name = '', tier = 'free') =>
    (await world.accounts.users.create({ email, name, tier }, ADMIN)).id;
  const lastChange = async () => {
    const [entry] = await world.accounts.audit({ limit: 1 });
    return [entry?.actor, entry?.action, entry?.target];
  };
  const textOf = async (path: string) => {
    const { status, text } = await operator.get(path);
    assert.equal(status, 200, path);
    return text;
  };

  it("the sections of the operator's pages say that there is nothing yet, and why", async () => {
    for (const [path, sentence] of [
      ['/operator/accounts', /No account matches/],
      ['/operator/partners', /No applications\./],
      ['/operator/bans', /No address is banned/],
      ['/operator/usage', /No calls\./],
      ['/operator/audit?actor=nobody', /No changes\./],
    ] as const)
      assert.match(await textOf(path), sentence, path);
  });

  it("the sections of the operator's pages show fifty accounts a page, found by address, name, id and tier", async () => {
    const now = world.clock.now();
    const rows = Array.from({ length: 120 }, (_, at) => ({
      ...{ email: `many-${at}@example.com`, name: at === 7 ? 'Åsa 100%' : `Many ${at}`, tier: 'many' },
      ...{ created_at: now, throttled_until: null, role: null },
    }));
    await world.database.queries.insertInto('accounts').values(rows).execute();
    const rowsIn = (text: string) => text.match(/<th scope="row">/g)?.length ?? 0;
    const first = await textOf('/operator/accounts?tier=many');
    assert.deepEqual([rowsIn(first), /120 accounts/.test(first)], [50, true]);
    assert.match(first, /href="\/operator\/accounts\?tier=many&amp;page=2" rel="next"/);
    assert.doesNotMatch(first, /rel="prev"/);
    const third = await textOf('/operator/accounts?tier=many&page=3');
    assert.equal(rowsIn(third), 20);
    assert.doesNotMatch(third, /rel="next"/);
    assert.match(third, /href="\/operator\/accounts\?tier=many&amp;page=2" rel="prev"/);
    for (const question of ['many-7@EXAMPLE.com', 'Åsa', 'åSA 100%'.replace('å', 'Å'), '100%']) {
      const text = await textOf(`/operator/accounts?q=${encodeURIComponent(question)}`);
      assert.deepEqual([rowsIn(text), /many-7@example\.com/.test(text)], [1, true], question);
    }
    const id = await newAccount('by-id@example.com');
    assert.match(await textOf(`/operator/accounts?q=${id}`), /by-id@example\.com/);
    assert.match(await textOf('/operator/accounts?q=_'), /No account matches/);
    assert.match(await textOf('/operator/accounts?page=99999999999'), /many-119@/);
  });

  it("the sections of the operator's pages show one account with its keys, limits, usage, role and brand, and forms only to an operator who may change something", async () => {
    const id = await newAccount('whole@example.com', 'Whole', 'pro');
    const key = await world.accounts.keys.create(id, { label: 'Volta prod' }, ADMIN);
    await world.accounts.brands.set(id, { name: 'Volta', color: '#0b5d48' }, ADMIN);
    world.accounts.recordUsage({
      ...{ account: id, keyId: key.id, service: 'connect', route: 'GET /devices', statusClass: '2xx' },
    });
    const text = await textOf(`/operator/accounts/${id}`);
    for (const shown of [
      /whole@example\.com/,
      /Volta prod/,
      /value="20000"/,
      /has no role/,
      /#0b5d48/,
      /<svg/,
    ])
      assert.match(text, shown);
    assert.ok(!text.includes(key.api_key));
    const reader = await pages.signedIn();
    const reading = await reader.get(`/operator/accounts/${id}`);
    assert.match(reading.text, /Volta prod[\s\S]*600 calls a minute/);
    assert.doesNotMatch(reading.text, /<form class="card"|\/revoke"|\/role\/give"|sign-in-link"/);
  });

  it("the sections of the operator's pages take an address as one without the NUL characters in it", async () => {
    await newAccount('nul@example.com', '', 'nul');
    assert.match(await textOf('/operator/accounts?q=nul%00%40&tier=%00nul'), /nul@example\.com/);
    for (const filter of [
      'usage?account',
      'usage?key',
      'usage?route',
      'usage?day',
      'audit?actor',
      'requests?route',
    ])
      await textOf(`/operator/${filter}=%00a`);
    for (const change of ['partners/%00/approve', 'accounts/keys/%00/revoke', 'prices/backfill/%00/cancel'])
      assert.equal((await operator.get(`/operator/${change}`)).status, 404, change);
  });

  it("the sections of the operator's pages name a tier as it was written where it has no name of ours", async () => {
    const id = await newAccount('odd@example.com', '', 'constructor');
    for (const path of ['/operator/accounts?q=odd%40', `/operator/accounts/${id}`])
      assert.match(await textOf(path), />constructor</);
    assert.doesNotMatch(await textOf('/operator/accounts?q=odd%40'), /native code/);
  });

  it("the sections of the operator's pages revoke a key after saying what it does, and to whom", async () => {
    const { id, keyId, key } = await world.userWithKey();
    const named = await world.accounts.keys.create(id, { label: 'Volta prod' }, ADMIN);
    const { asked, made } = await operator.confirm(`/operator/accounts/keys/${named.id}/revoke`);
    assert.match(
      asked.text,
      new RegExp(`Revoke key “Volta prod” \\(${named.id}\\)\\? Programs that use it are refused`),
    );
    assert.equal(made.headers.location, `/operator/accounts/${id}?done=key-revoked#keys`);
    await assert.rejects(async () => world.accounts.authenticate(named.api_key));
    assert.equal((await world.accounts.authenticate(key)).keyId, keyId);
    assert.deepEqual(await lastChange(), ['admin', 'key.revoked', `key/${named.id}`]);
    assert.equal((await operator.get('/operator/accounts/keys/nothing/revoke')).status, 404);
    // A name turns no word of the sentence around.
    const turned = await world.accounts.keys.create(id, { label: '\u202eadd\u2066 מפתח' }, ADMIN);
    const { text } = await operator.get(`/operator/accounts/keys/${turned.id}/revoke`);
    assert.match(text, /Revoke key “\u2068add מפתח\u2069” \(/);
  });

  it("the sections of the operator's pages create a key that is shown once, with the permissions that were chosen", async () => {
    const id = await newAccount('keyed@example.com');
    const path = `/operator/accounts/${id}/keys`;
    const faulty = await operator.post(path, { label: ' ' });
    assert.equal(faulty.status, 422);
    assert.match(faulty.text, /id="key-label-fault">Write a label of 1 to 60/);
    assert.match(faulty.text, /id="key-scopes-fault">Choose at least one/);
    const { asked, made } = await operator.confirm(path, { label: 'Sol', scopes: 'devices:read' });
    assert.match(asked.text, /Create key “Sol” for keyed@example\.com with devices:read\?/);
    const key = KEY.exec(made.text)?.[0] ?? '';
    const { account, scopes } = await world.accounts.authenticate(key);
    assert.deepEqual([account, [...scopes]], [id, ['devices:read']]);
    assert.equal(made.headers['cache-control'], 'no-store');
    assert.ok(!(await textOf(`/operator/accounts/${id}`)).includes(key));
    assert.match(await textOf(path), /keyed@example\.com/);
  });

  it("the sections of the operator's pages set the limits of an account", async () => {
    const id = await newAccount('limits@example.com');
    const path = `/operator/accounts/${id}/policy`;
    const limits = { per_minute: '10', per_hour: '200', per_day: '3000', burst: '4', most_links: '300000' };
    const faulty = await operator.post(path, { ...limits, per_hour: '0', burst: 'many' });
    assert.equal(faulty.status, 422);
    assert.match(
      faulty.text,
      /id="policy-per_hour-fault"[\s\S]*value="0"[\s\S]*id="policy-burst-fault"[\s\S]*value="many"/,
    );
    assert.doesNotMatch(faulty.text, /id="policy-per_minute-fault"/);
    const { asked, made } = await operator.confirm(path, limits);
    assert.match(
      asked.text,
      /10 calls a minute, 200 an hour, 3,000 a day and 4 at once, never halved; at most 300,000 links/,
    );
    assert.equal(made.status, 303);
    const { policy } = await world.accounts.users.one(id);
    assert.deepEqual(
      [policy.per_minute, policy.per_hour, policy.per_day, policy.burst, policy.auto_throttle_enabled],
      [10, 200, 3_000, 4, false],
    );
    assert.equal(policy.most_links, 300_000);
    assert.equal(await world.accounts.users.mostLinks(id), 300_000);
    assert.deepEqual(await lastChange(), ['admin', 'policy.set', `user/${id}`]);
  });

  it("the sections of the operator's pages create an account, and say what is wrong beside its field", async () => {
    const path = '/operator/accounts/new';
    assert.match(await textOf(path), /name="email"/);
    const faulty = await operator.post(path, { email: 'nobody', name: BAD.repeat(9), tier: '' });
    assert.equal(faulty.status, 422);
    assert.match(
      faulty.text,
      /new-email-fault[\s\S]*value="nobody"[\s\S]*new-name-fault[\s\S]*new-tier-fault/,
    );
    assert.doesNotMatch(faulty.text, /<script>|<img/);
    const { asked, made } = await operator.confirm(path, {
      email: 'New@Example.com',
      name: 'Ny',
      tier: 'pro',
    });
    assert.match(asked.text, /Create an account for new@example\.com with the tier pro\?/);
    const created = await world.accounts.users.find('new@example.com');
    assert.deepEqual([created?.name, created?.tier], ['Ny', 'pro']);
    assert.equal(made.headers.location, `/operator/accounts/${created?.id}?done=account-created`);
    const taken = await operator.post(path, { email: 'new@example.com', name: '', tier: 'free' });
    assert.match(taken.text, /There is an account with this email address already/);
  });

  it("the sections of the operator's pages create a link that signs in, but none as another operator without the admin token", async () => {
    const id = await newAccount('link@example.com');
    const { made } = await operator.confirm(`/operator/accounts/${id}/sign-in-link`);
    const token = /https:\/\/grid\.elnav\.example\/auth\/magic\/verify\/([0-9A-Za-z]{43})\?for=person/.exec(
      made.text,
    )?.[1];
    const actor = { name: 'user', ip: '192.0.2.1', requestId: 'x' } as const;
    const signedIn = await pages.people.useLink({
      token: token ?? '',
      browser: undefined,
      before: undefined,
      actor,
    });
    assert.equal(signedIn.profile.id, id);
    assert.deepEqual(await lastChange(), ['admin', 'user.sign_in_link_created', `user/${id}`]);
    const [eva, bo] = [
      await newOperator(world, 'eva-l@example.com'),
      await newOperator(world, 'bo-l@example.com'),
    ];
    const asEva = await pages.as(eva);
    await asEva.turnOnChanges();
    const refused = await asEva.post(`/operator/accounts/${bo}/sign-in-link`);
    assert.deepEqual([refused.status, refused.headers['elnav-error']], [403, 'operator.token_required']);
    await asEva.confirm(`/operator/accounts/${id}/sign-in-link`);
    assert.deepEqual(await lastChange(), [`user/${eva}`, 'user.sign_in_link_created', `user/${id}`]);
  });

  it("the sections of the operator's pages decide partner applications, once", async () => {
    const { partners } = world.accounts;
    const [first, second] = [
      await partners.apply({
        company: 'Sol AB',
        email: 'sol@example.com',
        vendors: ['easee'],
        use_case: BAD,
      }),
      await partners.apply({ company: BAD, email: 'vind@example.com' }),
    ];
    const list = await textOf('/operator/partners?status=received');
    assert.match(list, /Sol AB[\s\S]*easee/);
    assert.doesNotMatch(list, /<script>|<img/);
    const approved = await operator.confirm(`/operator/partners/${first.application_id}/approve`);
    assert.match(approved.asked.text, /Approve the application of “Sol AB” \(sol@example\.com\)\?/);
    const key = KEY.exec(approved.made.text)?.[0] ?? '';
    const { account } = await world.accounts.authenticate(key);
    assert.equal((await world.accounts.users.one(account)).email, 'sol@example.com');
    const rejected = await operator.confirm(`/operator/partners/${second.application_id}/reject`);
    assert.equal(rejected.made.headers.location, '/operator/partners?done=rejected');
    assert.deepEqual(await lastChange(), ['admin', 'partner.rejected', `partner/${second.application_id}`]);
    const again = await operator.confirm(`/operator/partners/${second.application_id}/approve`);
    assert.deepEqual([again.made.status, again.made.headers['elnav-error']], [409, 'partner.decided']);
    assert.match(await textOf('/operator/partners?status=received'), /No applications/);
    assert.equal((await operator.get('/operator/partners/nothing/approve')).status, 404);
  });

  it("the sections of the operator's pages change the address, the name and the tier of an account, and say what is wrong beside its field", async () => {
    const id = await newAccount('before@example.com', 'Before');
    await newAccount('taken@example.com');
    const path = `/operator/accounts/${id}/change`;
    const own = { email: 'before@example.com', name: 'Before', tier: 'free' };
    for (const [sent, fault] of [
      [{ ...own, email: 'nobody' }, /id="change-email-fault">Write a whole email/],
      [{ ...own, email: 'TAKEN@example.com' }, /id="change-email-fault">There is an account/],
      [{ ...own, tier: '' }, /id="change-tier-fault"/],
      [own, /id="change-email-fault">Nothing is different/],
    ] as const) {
      const faulty = await operator.post(path, sent);
      assert.equal(faulty.status, 422);
      assert.match(faulty.text, fault);
    }
    const { asked, made } = await operator.confirm(path, {
      email: 'After@example.com',
      name: BAD,
      tier: 'pro',
    });
    assert.match(
      asked.text,
      /before@example\.com \(account \d+\)\? The email address becomes after@example\.com/,
    );
    assert.doesNotMatch(asked.text, /<script>|<img/);
    assert.equal(made.headers.location, `/operator/accounts/${id}?done=account-changed`);
    const { email, name, tier } = await world.accounts.users.one(id);
    assert.deepEqual([email, name, tier], ['after@example.com', BAD, 'pro']);
    assert.deepEqual(await lastChange(), ['admin', 'user.changed', `user/${id}`]);
  });

  it("the sections of the operator's pages suspend an account, and resume it", async () => {
    const { id, key } = await world.userWithKey();
    const path = `/operator/accounts/${id}`;
    const suspended = await operator.confirm(`${path}/suspend`);
    assert.match(suspended.asked.text, /Its keys and its console are refused from the next request on/);
    await assert.rejects(async () => world.accounts.authenticate(key), /suspended/);
    assert.match(await textOf(path), /Suspended since[\s\S]*Resume the account/);
    assert.match(await textOf(`/operator/accounts?q=${id}`), />Suspended</);
    const resumed = await operator.confirm(`${path}/resume`);
    assert.equal(resumed.made.headers.location, `${path}?done=resumed#state`);
    assert.equal((await world.accounts.authenticate(key)).account, id);
    assert.deepEqual(await lastChange(), ['admin', 'user.resumed', `user/${id}`]);
  });

  it("the sections of the operator's pages delete an account once its address is typed, and none with the role of an operator", async () => {
    const { id, key } = await world.userWithKey();
    const { email } = await world.accounts.users.one(id);
    const path = `/operator/accounts/${id}`;
    const wrong = await operator.post(`${path}/delete`, { confirm: `x${email}` });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /id="delete-confirm-fault">This is not the address of the account/);
    const reader = await pages.signedIn();
    assert.equal((await reader.post(`${path}/delete`, { confirm: email, confirmed: 'yes' })).status, 403);
    assert.equal((await world.accounts.authenticate(key)).account, id);
    const { asked, made } = await operator.confirm(`${path}/delete`, { confirm: email });
    assert.match(asked.text, /with everything that is stored of it\?[\s\S]*nothing brings it back/);
    assert.equal(made.headers.location, `${path}?done=deleting`);
    const shown = await textOf(`${path}?done=deleting`);
    assert.match(shown, /The account is being deleted, since/);
    assert.doesNotMatch(shown, /<form class="card"/);
    assert.ok(!shown.includes(email));
    assert.match(await textOf(`/operator/accounts?q=${id}`), />being deleted<[\s\S]*>Being deleted</);
    assert.deepEqual(await lastChange(), ['admin', 'user.deleted', `user/${id}`]);
    await assert.rejects(async () => world.accounts.authenticate(key), /unknown or was revoked/);

    const eva = await newOperator(world, 'eva-d@example.com');
    assert.match(await textOf(`/operator/accounts/${eva}`), /Take the role first/);
    const asEva = await pages.as(eva);
    await asEva.turnOnChanges();
    const own = await asEva.confirm(`/operator/accounts/${eva}/delete`, { confirm: 'eva-d@example.com' });
    assert.deepEqual([own.made.status, own.made.headers['elnav-error']], [409, 'user.is_operator']);
  });

  it("the sections of the operator's pages ban an address by hand", async () => {
    const path = '/operator/bans/add';
    const faulty = await operator.post(path, { ip: '127.0.0.1', reason: ' ', hours: '0' });
    assert.equal(faulty.status, 422);
    assert.match(
      faulty.text,
      /ban-ip-fault[\s\S]*value="127\.0\.0\.1"[\s\S]*ban-reason-fault[\s\S]*ban-hours-fault/,
    );
    const { asked, made } = await operator.confirm(path, { ip: '198.51.100.9', reason: BAD, hours: '2' });
    assert.match(asked.text, /Ban 198\.51\.100\.9 for 2 hours/);
    assert.doesNotMatch(asked.text, /<script>|<img/);
    assert.equal(made.headers.location, '/operator/bans?done=banned');
    assert.equal(world.accounts.bans.bannedUntil('198.51.100.9'), world.clock.now() + 7_200_000);
    const [ban] = await world.accounts.bans.list();
    assert.deepEqual(await lastChange(), ['admin', 'ban.added', `ban/${ban?.id}`]);
    await world.accounts.bans.lift(ban?.id ?? 0, ADMIN);
  });

  it("the sections of the operator's pages lift a ban", async () => {
    for (let time = 0; time < 10; time += 1) await world.accounts.bans.countWrong('198.51.100.7', 'API keys');
    const [ban] = await world.accounts.bans.list();
    assert.match(await textOf('/operator/bans'), /198\.51\.100\.7[\s\S]*too many wrong API keys/);
    const { asked, made } = await operator.confirm(`/operator/bans/${ban?.id}/lift`);
    assert.match(asked.text, /Lift the ban of 198\.51\.100\.7\?/);
    assert.equal(made.headers.location, '/operator/bans?done=lifted');
    assert.equal(world.accounts.bans.bannedUntil('198.51.100.7'), null);
    assert.equal((await operator.get(`/operator/bans/${ban?.id}/lift`)).status, 404);
  });

  it("the sections of the operator's pages show usage by account, key, route and day, and set the quotas of calls without a key", async () => {
    const { id, keyId } = await world.userWithKey();
    for (const route of ['GET /devices', 'GET /links'])
      world.accounts.recordUsage({ account: id, keyId, service: 'connect', route, statusClass: '2xx' });
    world.accounts.recordUsage({
      ...{ account: 0, keyId: '', service: 'grid', route: 'GET /prices', statusClass: '2xx' },
    });
    assert.match(await textOf('/operator/usage'), /without a key[\s\S]*GET \/prices/);
    const { email } = await world.accounts.users.one(id);
    for (const [query, has, hasNot] of [
      [`account=${id}`, /GET \/devices[\s\S]*GET \/links/, /GET \/prices/],
      [
        `account=${encodeURIComponent(email.toUpperCase())}`,
        /GET \/devices[\s\S]*GET \/links/,
        /GET \/prices/,
      ],
      [`key=${keyId}&route=GET+/links`, /GET \/links/, /GET \/devices/],
      ['account=nobody@example.com', /No calls\./, /GET \/devices/],
      ['day=2020-01-01', /No calls\./, /GET \/devices/],
    ] as const) {
      const text = await textOf(`/operator/usage?${query}`);
      assert.match(text, has, query);
      assert.doesNotMatch(text, hasNot, query);
    }
    const path = '/operator/usage/quotas';
    const faulty = await operator.post(path, { anon_per_ip_per_day: '-1', anon_global_per_day: '7' });
    assert.equal(faulty.status, 422);
    assert.match(faulty.text, /id="anon_per_ip_per_day-fault"/);
    const { asked } = await operator.confirm(path, { anon_per_ip_per_day: '5', anon_global_per_day: '5000' });
    assert.match(asked.text, /to 5 a day from one IP address and 5,000 a day from all together\?/);
    assert.deepEqual(world.accounts.globalPolicy(), { anon_per_ip_per_day: 5, anon_global_per_day: 5_000 });
  });

  it("the sections of the operator's pages show the audit trail by actor, action and target, in pages", async () => {
    const id = await newAccount('trail@example.com');
    for (let time = 0; time < 60; time += 1)
      await world.accounts.noteChange(ADMIN, {
        action: 'test.done',
        target: `user/${id}`,
        detail: { time, text: BAD },
      });
    const first = await textOf(`/operator/audit?target=user/${id}&action=test.done`);
    assert.equal(first.match(/<th scope="row">/g)?.length, 50);
    assert.doesNotMatch(first, /<script>|<img/);
    assert.match(first, /page=2" rel="next"/);
    const second = await textOf(`/operator/audit?target=user/${id}&action=test.done&page=2`);
    assert.equal(second.match(/<th scope="row">/g)?.length, 10);
    assert.match(await textOf(`/operator/audit?target=user/${id}&action=user.created`), /trail@example\.com/);
    assert.match(await textOf(`/operator/audit?target=user/${id}&actor=setup`), /No changes/);
  });
});
