import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { type CoreWorld, makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { type Engine, onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import type { Command } from '../../../adapter/commands.ts';
import { AppError } from '../../../core/errors.ts';
import { VENDOR_TIMEOUT_MS } from '../../vendor-calls/calls/index.ts';

const failsWith = (code: string, sentence = /./) => ({
  name: 'AppError',
  code,
  message: sentence,
});

const ALL = [
  'light-1',
  'light-2',
  'charger-1',
  'industrial-1',
  'battery-1',
  'vehicle-1',
  'smart_home_appliance-1',
];

onEachEngine('commands', (engine: Engine) => {
  const vendor = testVendor();
  let core: CoreWorld;
  let account: number;
  before(async () => {
    core = await makeCoreWorld(engine, [vendor.adapter]);
  });
  after(() => core.remove());
  beforeEach(async () => {
    account = await core.newAccount();
    vendor.devices = ALL;
    vendor.calls.length = 0;
    vendor.onRead = async () => {};
    vendor.onCommand = async () => {};
    vendor.atOnce.onOne = 0;
    vendor.atOnce.inAll = 0;
    await core.link(account, 'testvendor');
  });

  const stored = () =>
    core.database.queries
      .selectFrom('commands')
      .select(['device_id', 'status', 'error', 'command_json'])
      .where('account_id', '=', account)
      .orderBy('requested_at')
      .execute();

  it('commands need the capability of their type, and nothing else', async () => {
    const refused: readonly [string, Command, RegExp][] = [
      ['light-1', { type: 'start_charge' }, /charge_control/],
      ['light-1', { type: 'set_limit', max_a: 10 }, /load_balancing/],
      ['charger-1', { type: 'turn_on' }, /on_off/],
      ['charger-1', { type: 'set_charge_limit', percent: 900 }, /charge_limit/],
      ['battery-1', { type: 'delayed_start', delay_seconds: -1 }, /delayed_start/],
    ];
    for (const [id, command, sentence] of refused)
      await assert.rejects(core.send(account, id, command), failsWith('device.capability_missing', sentence));
    await assert.rejects(
      core.send(account, 'light-9', { type: 'start_charge' }),
      failsWith('device.not_found', /light-9/),
    );
    const other = await core.newAccount();
    await assert.rejects(core.send(other, 'light-1', { type: 'turn_on' }), failsWith('device.not_found'));
    assert.equal(vendor.count('command'), 0);
    assert.deepEqual(await stored(), []);
  });

  it('commands leave nothing unknown where the credentials of the link do not open', async () => {
    const [link] = await core.links.list(account);
    assert.ok(link !== undefined);
    await core.database.queries
      .updateTable('links')
      .set({ sealed_credentials: 'AAAA' })
      .where('id', '=', link.id)
      .execute();
    core.calls.forget({ account, link: link.id });
    let isNoteTakenBack = false;
    const begun = Object.assign(async () => {}, {
      takeBack() {
        isNoteTakenBack = true;
      },
    });
    const request = { account, keyId: 'k', deviceId: 'light-1', vendor: undefined, begun };
    await assert.rejects(
      core.commands.run({ ...request, command: { type: 'turn_on' } }),
      failsWith('vault.mismatch'),
    );
    assert.equal(isNoteTakenBack, true, 'the same key of idempotency may be sent again');
    assert.equal(vendor.count('command'), 0);
  });

  it('commands are refused outside what the device accepts, with what it does accept', async () => {
    const refused: readonly [string, Command, string, RegExp][] = [
      ['vehicle-1', { type: 'set_charge_limit', percent: 101 }, 'command.out_of_range', /0 to 100, not 101/],
      ['vehicle-1', { type: 'set_charge_limit', percent: -1 }, 'command.out_of_range', /0 to 100, not -1/],
      ['charger-1', { type: 'set_current', current_a: -1 }, 'command.out_of_range', /0 \(pause\)/],
      [
        'charger-1',
        { type: 'set_current', current_a: 5 },
        'command.out_of_range',
        /0 \(pause\) or from 6 to 32/,
      ],
      ['charger-1', { type: 'set_current', current_a: 33 }, 'command.out_of_range', /from 6 to 32, not 33/],
      ['charger-1', { type: 'set_limit', max_a: 33 }, 'command.out_of_range', /from 6 to 32/],
      [
        'charger-1',
        { type: 'set_limit', max_w: 5_000 },
        'command.axis_unsupported',
        /^the device limits by current only; set max_a$/,
      ],
      [
        'industrial-1',
        { type: 'set_limit', max_a: 10 },
        'command.axis_unsupported',
        /^the device limits by power only; set max_w$/,
      ],
      [
        'charger-1',
        { type: 'set_current', current_a: 8, for_seconds: 9 },
        'command.out_of_range',
        /^for_seconds must be from 10 to 86400, not 9$/,
      ],
      [
        'charger-1',
        { type: 'set_current', current_a: 8, for_seconds: 86_401 },
        'command.out_of_range',
        /86400/,
      ],
      [
        'charger-1',
        { type: 'set_current', current_a: 8, for_seconds: 60, then_current_a: 33 },
        'command.out_of_range',
        /^then_current_a must be 0 \(pause\) or from 6 to 32, not 33$/,
      ],
      [
        'charger-1',
        { type: 'set_current', current_a: 8, for_seconds: 60, then_current_a: -1 },
        'command.out_of_range',
        /^then_current_a must be 0 \(pause\) or more/,
      ],
      [
        'charger-1',
        { type: 'set_limit', max_a: 8, for_seconds: 60 },
        'command.time_unsupported',
        /charger-1 cannot end a limit by itself; omit for_seconds/,
      ],
      [
        'charger-1',
        { type: 'start_charge', id_tag: '04A1B2C3' },
        'command.card_unsupported',
        /charger-1 takes no card with a start; omit id_tag/,
      ],
      ['industrial-1', { type: 'set_limit', max_w: 50_001 }, 'command.out_of_range', /from 1000 to 50000/],
      ['industrial-1', { type: 'set_limit', max_w: -1 }, 'command.out_of_range', /0 or more/],
      [
        'battery-1',
        { type: 'set_battery_power', power_w: 5_001 },
        'command.out_of_range',
        /from -5000 to 5000/,
      ],
      [
        'battery-1',
        { type: 'set_battery_power', power_w: -5_001 },
        'command.out_of_range',
        /from -5000 to 5000/,
      ],
      ['light-1', { type: 'set_light', dim: 101 }, 'command.out_of_range', /dim must be from 0 to 100/],
      ['light-1', { type: 'set_light', color: [0, 256, 0] }, 'command.out_of_range', /color\[1\].*255/],
      [
        'smart_home_appliance-1',
        { type: 'delayed_start', delay_seconds: 0 },
        'command.out_of_range',
        /1 to 86400/,
      ],
      [
        'smart_home_appliance-1',
        { type: 'delayed_start', delay_seconds: 86_401 },
        'command.out_of_range',
        /1 to 86400/,
      ],
    ];
    for (const [id, command, code, sentence] of refused)
      await assert.rejects(
        core.send(account, id, command),
        failsWith(code, sentence),
        JSON.stringify(command),
      );
    assert.equal(vendor.count('command'), 0);
    const taken: readonly [string, Command][] = [
      ['charger-1', { type: 'set_current', current_a: 0 }],
      ['charger-1', { type: 'set_current', current_a: 6 }],
      ['charger-1', { type: 'set_limit', max_a: 32 }],
      ['industrial-1', { type: 'set_limit', max_w: 1_000 }],
      ['battery-1', { type: 'set_battery_power', power_w: 0 }],
      ['vehicle-1', { type: 'set_charge_limit', percent: 0 }],
      ['smart_home_appliance-1', { type: 'delayed_start', delay_seconds: 86_400 }],
    ];
    for (const [id, command] of taken) assert.equal((await core.send(account, id, command)).id, id);
    assert.deepEqual(
      vendor.calls.flatMap((call) => (call.command === undefined ? [] : [[call.id, call.command]])),
      taken,
    );
  });

  it('commands run one after the other on a device, in the order of arrival', async () => {
    const gates = Array.from({ length: 6 }, () => Promise.withResolvers<void>());
    let begun = 0;
    vendor.onCommand = async () => {
      const gate = gates[begun];
      begun += 1;
      await gate?.promise;
    };
    const dims = [1, 2, 3, 4, 5, 6];
    const sent = dims.map((dim) => core.send(account, 'light-1', { type: 'set_light', dim }));
    for (const [index, gate] of gates.entries()) {
      await until(`command ${index + 1} has begun`, () => begun === index + 1);
      gate.resolve();
    }
    await Promise.all(sent);
    assert.deepEqual(
      vendor.calls.flatMap(({ command }) => (command?.type === 'set_light' ? [command.dim] : [])),
      dims,
    );
    assert.equal(vendor.atOnce.onOne, 1);
  });

  it('commands run beside each other on different devices', async () => {
    const gate = Promise.withResolvers<void>();
    vendor.onCommand = () => gate.promise;
    const sent = ['light-1', 'light-2'].map((id) => core.send(account, id, { type: 'turn_on' }));
    await until('both are at work', () => vendor.atOnce.inAll === 2);
    gate.resolve();
    await Promise.all(sent);
    assert.equal(vendor.atOnce.onOne, 1);
  });

  it('commands do not queue without end', async () => {
    const gate = Promise.withResolvers<void>();
    vendor.onCommand = () => gate.promise;
    const sent = Array.from({ length: 20 }, () => core.send(account, 'light-1', { type: 'turn_on' }));
    await until('the first is at work', () => vendor.count('command') === 1);
    await assert.rejects(core.send(account, 'light-1', { type: 'turn_on' }), failsWith('command.busy'));
    gate.resolve();
    await Promise.all(sent);
    assert.equal(vendor.count('command'), 20);
    assert.equal((await core.send(account, 'light-1', { type: 'turn_on' })).id, 'light-1');
  });

  it('commands end in time when the vendor hangs, and their outcome is kept as unknown', async () => {
    let signal: AbortSignal | undefined;
    vendor.onCommand = (_device, _command, session) => {
      signal = session.signal;
      return new Promise(() => {});
    };
    const sent = core.send(account, 'light-1', { type: 'turn_on' });
    sent.catch(() => {});
    await until('the vendor is asked', () => signal !== undefined);
    assert.ok(VENDOR_TIMEOUT_MS < 15_000);
    core.clock.turn(VENDOR_TIMEOUT_MS);
    await assert.rejects(sent, failsWith('vendor.timeout'));
    assert.equal(signal?.aborted, true);
    assert.deepEqual(
      (await stored()).map(({ status }) => status),
      ['unknown'],
    );
    vendor.onCommand = async () => {};
    assert.equal((await core.send(account, 'light-1', { type: 'turn_off' })).id, 'light-1');
  });

  it('commands are kept with how they ended', async () => {
    const ends: readonly [() => Promise<void>, string][] = [
      [async () => {}, 'done'],
      [() => Promise.reject(new AppError('vendor.refused', 'no')), 'failed'],
      [() => Promise.reject(new AppError('command.outcome_unknown', 'perhaps')), 'unknown'],
    ];
    for (const [end] of ends) {
      vendor.onCommand = end;
      await core.send(account, 'light-1', { type: 'turn_on' }).catch(() => {});
      core.clock.turn(1);
    }
    assert.deepEqual(
      (await stored()).map(({ status }) => status),
      ends.map(([, status]) => status),
    );
  });

  it('commands wait for one of a process that died until its lease is over', async () => {
    const lease = 5_000;
    const values = {
      account_id: account,
      id: 'left-behind',
      vendor: 'testvendor',
      device_id: 'light-1',
      key_id: 'k',
      command_json: '{}',
      status: 'running',
      error: null,
      requested_at: core.clock.now(),
      finished_at: null,
      lease_until: core.clock.now() + lease,
    };
    await core.database.queries.insertInto('commands').values(values).execute();
    let done = false;
    const sent = core.send(account, 'light-1', { type: 'turn_on' }).then(() => {
      done = true;
    });
    const began = core.clock.now();
    await until('the lease is over', async () => {
      // Time must not outrun the database, which runs on another clock.
      await stored();
      core.clock.turn(50);
      return done;
    });
    await sent;
    assert.ok(core.clock.now() - began > lease);
    assert.deepEqual(
      (await stored()).map(({ status }) => status),
      ['unknown', 'done'],
    );
  });
});
