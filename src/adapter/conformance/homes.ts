import { AppError } from '../../core/errors.ts';
import { capabilitiesOf, kindOf, stateOf } from '../derive.ts';
import { type CloudCheck, faultOf } from './cloud-check.ts';
import type { Simulator } from './index.ts';

/** How many devices the user `large` of a simulator has. */
const MANY = 500;

/** Homes with no device and with many; devices that the vendor loses, and that their owner takes away. */
export async function checkHomes({ adapter, simulator, cloud, refs, report }: CloudCheck): Promise<void> {
  const idsOf = async (one: Simulator) => (await adapter.link(one.session())).devices.map(({ id }) => id);
  report(
    'a home without devices is linked',
    await faultOf(async () => {
      const ids = await idsOf(await cloud.as('none'));
      if (ids.length > 0) throw new Error(`it has ${ids.join(', ')}`);
    }),
  );
  report(
    `a home with ${MANY} devices is linked whole`,
    await faultOf(async () => {
      const ids = await idsOf(await cloud.as('large'));
      const different = new Set(ids).size;
      if (different !== MANY || ids.length !== MANY)
        throw new Error(`${ids.length} devices with ${different} ids were found: is every page read?`);
    }),
  );
  for (const ref of refs) {
    const kind = kindOf(adapter, ref.type);
    const read = async () =>
      stateOf(kind, await kind.read(simulator.session(), ref), capabilitiesOf(kind, ref));
    report(
      `${ref.id}: is offline while the vendor cannot reach it, and comes back`,
      await faultOf(async () => {
        cloud.reach(ref, false);
        const { online } = await read();
        cloud.reach(ref, true);
        if (online) throw new Error('it is shown as online');
        if (!(await read()).online) throw new Error('it does not come back');
      }),
    );
  }
  const gone = refs.at(-1);
  if (gone === undefined) return;
  report(
    `${gone.id}: that its owner took away is refused, and the other devices stay`,
    await faultOf(async () => {
      const before = await idsOf(simulator);
      cloud.remove(gone);
      const kind = kindOf(adapter, gone.type);
      const error: unknown = await kind.read(simulator.session(), gone).then(
        () => new Error('it can still be read'),
        (cause: unknown) => cause,
      );
      if (!(error instanceof AppError)) throw error;
      if (error.code !== 'vendor.refused') throw new Error(`${error.code}: ${error.message}`);
      const after = await idsOf(simulator);
      const expected = before.filter((id) => id !== gone.id);
      if (after.join() !== expected.join()) throw new Error(`${before.join()} became ${after.join()}`);
    }),
  );
}
