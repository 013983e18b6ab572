import { setTimeout } from 'node:timers/promises';
import { type Clock, systemClock } from '../src/core/clock.ts';
import { MINUTE_MS } from '../src/core/durations.ts';
import { type PriceSource, sampleDay } from '../src/sources/contract/market.ts';

import { fakeSource, reportedDay } from '../test/kit/market.ts';
import type { World } from '../test/kit/world.ts';

const STEP_MS = 5 * MINUTE_MS;
/** The car is away, charges, and charges less after a command. */
const STEPS = { away: 8, charging: 18, limited: 10 };
/** Devices that are shown, of two homes. */
const HOMES = {
  anna: ['vehicle', 'solar_inverter', 'battery', 'thermostat'],
  bo: ['charger', 'heat_pump', 'light'],
};

/** How long before the present the scene begins. */
export const SCENE_MS = (STEPS.away + STEPS.charging + STEPS.limited) * STEP_MS;

/** A clock that begins in the past, and that can be set forward. */
export function jumpingClock(ago: number): Clock & { jump(ms: number): void } {
  let behind = ago;
  return {
    ...systemClock,
    now: () => systemClock.now() - behind,
    jump(ms) {
      behind -= ms;
    },
  };
}

/** Days that are stored, as costs are computed from stored prices alone. */
export function madeUpPrices(clock: Clock): PriceSource {
  return fakeSource(clock, 'made_up', {
    answer: ({ day, areas }) =>
      areas.map((area) => {
        const { eurPerMwh } = sampleDay(area, day);
        return reportedDay(area, day, { eur: (index) => (eurPerMwh[index] ?? 0) / 1_000 });
      }),
  });
}

interface Scene {
  readonly world: World;
  readonly clock: ReturnType<typeof jumpingClock>;
  readonly key: string;
}

/** Links simulated devices, and has some hours pass until the present; returns the id of a car that charges. */
export async function playScene({ world, clock, key }: Scene): Promise<string> {
  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${world.connect}${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const ids: string[] = [];
  for (const [user_ref, device_types] of Object.entries(HOMES)) {
    const linked = await send('POST', '/link', {
      vendor: 'sandbox',
      user_ref,
      price_area: 'SE3',
      credentials: { device_types },
    });
    ids.push(...(linked as { devices: readonly { id: string }[] }).devices.map(({ id }) => id));
  }
  const car = ids.find((id) => id.startsWith('vehicle'));
  if (car === undefined) throw new Error('the sandbox has no car');
  const pass = async (steps: number) => {
    for (let step = 0; step < steps; step += 1) {
      clock.jump(STEP_MS);
      for (const id of ids) await send('GET', `/devices/${id}`);
      // What is read is written to the history meanwhile.
      await setTimeout(150);
    }
  };
  await send('POST', `/sandbox/devices/${car}`, { plugged_in: false, battery_soc: 24 });
  await pass(STEPS.away);
  await send('POST', `/sandbox/devices/${car}`, { plugged_in: true });
  await pass(STEPS.charging);
  await send('POST', `/devices/${car}/command`, { type: 'set_current', current_a: 10 });
  await pass(STEPS.limited);
  return car;
}
