import assert from 'node:assert/strict';
import { makeVendorWorld, refOf, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import { kindOf } from '../../adapter/adapters.ts';
import type { Found } from '../../adapter/device.ts';
import type { SimulatedAnswer } from '../../adapter/simulator.ts';
import { AppError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { enphase } from './index.ts';

/** The calls of a world from now on, with their query and headers. */
export function listenTo(
  here: VendorWorld,
  answer: (path: string) => SimulatedAnswer | undefined = () => undefined,
) {
  const calls: { readonly path: string; readonly query: URLSearchParams; readonly headers: JsonObject }[] =
    [];
  here.instead = ({ path, query, headers }) => {
    calls.push({ path, query, headers });
    return answer(path);
  };
  return calls;
}

/** A system whose calls about it get this. */
export async function systemThatSays(answers: {
  readonly summary?: Json;
  readonly telemetry?: SimulatedAnswer;
}) {
  const here = await makeVendorWorld(enphase);
  const { summary, telemetry } = answers;
  const solar = await here.device('698910067');
  const battery = await here.device('698906018-battery');
  listenTo(here, (path) => {
    if (path.endsWith('/summary')) return summary === undefined ? undefined : { status: 200, json: summary };
    return path.includes('/telemetry/') ? telemetry : undefined;
  });
  return { here, solar, battery };
}

/** Intervals that end `minutes` before now. */
export const intervalsOf = (
  here: VendorWorld,
  all: readonly (JsonObject & { readonly minutes: number })[],
) => ({
  status: 200,
  json: {
    total_devices: 1,
    intervals: all.map(({ minutes, ...rest }) => ({
      end_at: Math.floor(here.clock.now() / 1_000) - minutes * 60,
      ...rest,
    })),
  },
});

/** When what a read gives was measured, ms since 1970. */
export const observed = async (here: VendorWorld, device: Found) => {
  const kind = kindOf(enphase, device.type);
  return kind.observedAt?.(await kind.read(here.session(), refOf(device)));
};
/** The error that the work ends with. */
export const errorOf = (work: Promise<unknown>): Promise<AppError> =>
  work.then(
    () => assert.fail('it went well'),
    (error: unknown) => (error instanceof AppError ? error : assert.fail(String(error))),
  );
