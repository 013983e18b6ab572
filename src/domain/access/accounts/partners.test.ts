import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ADMIN, accountsWorld } from '../../../../test/kit/accounts.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { AppError } from '../../../core/errors.ts';

const withCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

onEachEngine('partner applications', (engine) => {
  const world = accountsWorld(engine);

  it('partner applications are listed as they were sent, the newest first', async () => {
    await world.accounts.partners.apply({ company: 'Old AB', email: 'old@example.com' });
    world.clock.turn(1_000);
    const { application_id } = await world.accounts.partners.apply({
      company: 'Ny Energi AB',
      email: 'Kontakt@ny.example',
      contact_name: 'Åsa',
      website: 'https://ny.example',
      use_case: 'Laddning',
      vendors: ['easee', 'tesla'],
    });
    assert.deepEqual((await world.accounts.partners.list())[0], {
      id: application_id,
      company: 'Ny Energi AB',
      email: 'kontakt@ny.example',
      contact_name: 'Åsa',
      website: 'https://ny.example',
      use_case: 'Laddning',
      vendors: ['easee', 'tesla'],
      status: 'received',
      created_at: '2026-11-21T09:00:01.000Z',
      decided_at: null,
      user_id: null,
    });
  });

  it('partner applications when approved create an account and a working key, once', async () => {
    const { partners, users, authenticate } = world.accounts;
    const { application_id } = await partners.apply({ company: 'Sol AB', email: 'sol@example.com' });
    const approved = await partners.approve(application_id, ADMIN);
    assert.equal(approved.status, 'approved');
    const principal = await authenticate(approved.key.api_key);
    assert.equal(principal.account, approved.user_id);
    const user = (await users.page({ limit: 1_000 })).users.find(({ id }) => id === approved.user_id);
    assert.deepEqual([user?.email, user?.name, user?.tier], ['sol@example.com', 'Sol AB', 'free']);
    await assert.rejects(partners.approve(application_id, ADMIN), withCode('partner.decided'));
    await assert.rejects(partners.reject(application_id, ADMIN), withCode('partner.decided'));
    assert.ok(!JSON.stringify(await world.accounts.audit({ limit: 100 })).includes(approved.key.api_key));
  });

  it('partner applications when approved add a key to an existing account with that address', async () => {
    const { partners, users } = world.accounts;
    const user = await users.create({ email: 'vind@example.com', name: 'Vind', tier: 'pro' }, ADMIN);
    const { application_id } = await partners.apply({ company: 'Vind AB', email: 'VIND@example.com' });
    assert.equal((await partners.approve(application_id, ADMIN)).user_id, user.id);
  });

  it('partner applications are decided once when several administrators decide at once', async () => {
    const { partners } = world.accounts;
    const { application_id } = await partners.apply({ company: 'Våg AB', email: 'vag@example.com' });
    const decisions = await Promise.allSettled([
      partners.approve(application_id, ADMIN),
      partners.reject(application_id, ADMIN),
      partners.approve(application_id, ADMIN),
    ]);
    assert.equal(decisions.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  it('partner applications are refused without a valid address, and not found by an unknown id', async () => {
    const { partners } = world.accounts;
    await assert.rejects(partners.apply({ company: 'X', email: 'x' }), withCode('request.invalid'));
    await assert.rejects(partners.approve('nothing', ADMIN), withCode('partner.not_found'));
  });
});
