import { capabilitiesOf, kindOf, stateOf } from '../../adapter/adapters.ts';
import { AppError } from '../../core/errors.ts';
import { type CloudCheck, faultOf, type Simulator } from './cloud.ts';

/** How many devices the user `large` of a simulator has. */
const MANY = 500;

/** Homes with no device and with many; devices that the vendor loses, and that their owner takes away. */
export async function checkHomes({
  adapter,
  simulator,
  cloud,
  refs,
  isAlone,
  report,
}: CloudCheck): Promise<void> {
  const idsOf = async (one: Simulator) => (await adapter.link(one.session())).devices.map(({ id }) => id);
  /** The devices of another user; a device that is called at home may be a home of its own, with no other user. */
  const idsOfUser = async (name: 'none' | 'large') => {
    const user = await cloud.as(name);
    if (user !== undefined) return idsOf(user);
    if (adapter.isLocal === true) return undefined;
    throw new Error(`the simulator has no user "${name}"`);
  };
  report(
    'a home without devices is linked',
    await faultOf(async () => {
      const ids = await idsOfUser('none');
      if (ids !== undefined && ids.length > 0) throw new Error(`it has ${ids.join(', ')}`);
    }),
  );
  report(
    `a home with ${MANY} devices is linked whole`,
    await faultOf(async () => {
      const ids = await idsOfUser('large');
      if (ids === undefined) return;
      const different = new Set(ids).size;
      if (different !== MANY || ids.length !== MANY)
        throw new Error(`${ids.length} devices with ${different} ids were found: is every page read?`);
    }),
  );
  if (isAlone) return;
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
  if (adapter.sweep !== undefined)
    report(
      'a sweep gives what reads give',
      await faultOf(() => sweptAsRead({ adapter, simulator, cloud, refs })),
    );
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
      if ((await adapter.sweep?.(simulator.session(), refs))?.has(gone.id))
        throw new Error('a sweep still has it');
      const after = await idsOf(simulator);
      const expected = before.filter((id) => id !== gone.id);
      if (after.join() !== expected.join()) throw new Error(`${before.join()} became ${after.join()}`);
    }),
  );
}

/** What a sweep has of a device is what reading it gives, whether it can be reached or not; one of elsewhere costs the others nothing. */
async function sweptAsRead({
  adapter,
  simulator,
  cloud,
  refs,
}: Omit<CloudCheck, 'isAlone' | 'report'>): Promise<void> {
  const foreign = refs.map((ref) => ({
    ...ref,
    id: `${ref.id}-elsewhere`,
    details: { kept: 'by another version' },
  }));
  for (const isReachable of [false, true]) {
    for (const ref of refs) cloud.reach(ref, isReachable);
    const swept = await adapter.sweep?.(simulator.session(), [...foreign, ...refs]);
    if (swept === undefined || swept.size === 0) throw new Error('it left out every device');
    for (const ref of refs) {
      const kind = kindOf(adapter, ref.type);
      const shown = (raw: unknown) => JSON.stringify(stateOf(kind, raw, capabilitiesOf(kind, ref)));
      const read = shown(await kind.read(simulator.session(), ref));
      // What a sweep leaves out is read by itself.
      if (!swept.has(ref.id)) continue;
      if (shown(swept.get(ref.id)) !== read)
        throw new Error(`${ref.id} is ${shown(swept.get(ref.id))}, and ${read} when it is read`);
    }
  }
}
