import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bare, refusal } from './test-bare-station.ts';
import { setCurrent } from './test-world.ts';

interface Profile {
  readonly chargingProfileKind: string;
  readonly chargingSchedule: object;
}

for (const protocol of ['ocpp1.6', 'ocpp2.0.1'] as const) {
  for (const [what, absolute] of [
    ['does not respond to', null],
    ['calls malformed', refusal('FormationViolation')],
  ] as const) {
    test(`${protocol}: a station that ${what} an absolute schedule gets a relative one, and no limit with an end`, async (t) => {
      const { world, station } = await bare(t, protocol, { options: { callTimeoutMs: 150, settleMs: 20 } });
      await station.connect();
      const profiles = () =>
        station
          .calls('SetChargingProfile')
          .map((params) => (params.csChargingProfiles ?? params.chargingProfile) as Profile);
      const kinds = () => profiles().map(({ chargingProfileKind }) => chargingProfileKind);
      station.answers.SetChargingProfile = absolute;
      await assert.rejects(setCurrent(world, 8), { name: 'AppError' });
      assert.deepEqual(kinds().slice(0, 2), ['Absolute', 'Relative'], 'one attempt in each form');

      station.received.length = 0;
      const isAbsolute = (params: object) => JSON.stringify(params).includes('"Absolute"');
      station.answers.SetChargingProfile = (params: object) =>
        isAbsolute(params) ? absolute : { status: 'Accepted' };
      await setCurrent(world, 8);
      await setCurrent(world, 9);
      assert.deepEqual(kinds(), ['Absolute', 'Relative', 'Relative']);
      assert.ok(!JSON.stringify(profiles().at(-1)).includes('startSchedule'));
      await assert.rejects(setCurrent(world, 8, { for_seconds: 60 }), { code: 'command.time_unsupported' });
    });
  }
}
