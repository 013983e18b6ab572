import type { Found } from '../../adapter/device.ts';
import { type Cloud, type CloudCheck, type FaultOfCalls, faultOf, type Simulator } from './cloud.ts';

/** Pages that break, each in a way of its own: half a response, none, a refusal, a failure, a limit. */
const BROKEN: readonly FaultOfCalls[] = ['truncated', 'empty', 'forbidden', 'server_error', 'rate_limited'];
/** Calls of one list that are broken one after the other; those of longer lists are like them. */
const MOST_CALLS = 8;

/** Devices that come and go are seen in the next list, and half a list is never treated as a whole one. */
export async function checkListing({
  adapter,
  simulator,
  cloud,
  refs,
  isAlone,
  report,
}: CloudCheck): Promise<void> {
  const list = adapter.list?.bind(adapter);
  report('the devices can be listed again', list === undefined ? 'list is missing' : null);
  const [device] = refs;
  if (list === undefined || device === undefined) return;
  const idsOf = async (one: Simulator) => idsIn(await list(one.session(), refs));

  report(
    'a list has the devices that linking found',
    await faultOf(async () =>
      same(await idsOf(simulator), idsIn((await adapter.link(simulator.session())).devices)),
    ),
  );
  const large = (await cloud.as('large')) ?? simulator;
  report(
    'a list of which a page fails is no list',
    await faultOf(async () => {
      if (large.cloud === undefined) throw new Error('the simulator of the test has no cloud');
      const whole = await idsOf(large);
      for (const fault of BROKEN)
        await breakEach(large.cloud, fault, async () => same(await idsOf(large), whole));
    }),
  );
  if (isAlone) return;
  report(
    `${device.id}: is missing in the next list once its owner took it away, and is back once it was added`,
    await faultOf(async () => {
      const before = await idsOf(simulator);
      cloud.remove(device);
      same(
        await idsOf(simulator),
        before.filter((id) => id !== device.id),
      );
      cloud.add(device);
      same(await idsOf(simulator), before);
    }),
  );
}

/** Breaks each call of a list in turn. What is then still whole is right as well. */
async function breakEach(cloud: Cloud, fault: FaultOfCalls, listed: () => Promise<void>): Promise<void> {
  for (let after = 0; after < MOST_CALLS; after += 1) {
    const before = cloud.broken();
    cloud.fault(fault, 'calls', after);
    const outcome = await listed().then(
      () => undefined,
      (error: unknown) => error,
    );
    cloud.fault(null);
    if (outcome instanceof Difference)
      throw new Error(`with ${fault} at its call ${after + 1}: ${outcome.message}`);
    if (cloud.broken() === before) return;
  }
}

class Difference extends Error {}

function same(listed: readonly string[], expected: readonly string[]): void {
  if (listed.join() !== expected.join())
    throw new Difference(`${shown(listed)} were listed instead of ${shown(expected)}`);
}

const shown = (ids: readonly string[]): string =>
  ids.length > 10 ? `${ids.length} devices` : ids.join(', ') || 'no devices';
const idsIn = (found: readonly Found[]): string[] => found.map(({ id }) => id).toSorted();
