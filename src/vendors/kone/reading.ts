import * as kit from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import { configsOf, liftsIn } from './building.ts';
import { type Connection, connect, type Group, groupKey } from './connection.ts';
import { followLifts } from './following.ts';
import { Details, type LiftRaw } from './lift.ts';

/** KONE reports the state at once, and a controller answers a ping within a second. */
const STATE_MS = 4_000;

/** One lift, with all that KONE reports of it. Throws where its group no longer has it. */
export async function readLift(session: Session, device: DeviceRef): Promise<LiftRaw> {
  kit.detailsOf(Details, device);
  const raw = (await sweep(session, [device])).get(device.id);
  if (raw === undefined) throw kit.gone('KONE', device);
  return raw;
}

/**
 * All lifts over one connection. A lift that its group no longer has is left out, and so are those of a group that does not answer or is
 * refused: each is then read by itself. Throws where that is every group.
 */
export async function sweep(
  session: Session,
  devices: readonly DeviceRef[],
): Promise<ReadonlyMap<string, LiftRaw>> {
  const lifts = followLifts(devices);
  if (lifts.groups().length === 0) return new Map();
  const connection = await connect(session, 'read');
  try {
    for (const group of lifts.groups()) lifts.subscribe(connection, group, subscriberOf(session));
    await connection.await(lifts.take, { isDone: lifts.areWhole, withinMs: STATE_MS });
    for (const group of lifts.groups())
      if (!lifts.isAccepted(group))
        lifts.leaveOut(group, new AppError('vendor.timeout', 'KONE did not respond in time'));
    lifts.check();
    lifts.giveUp();
    const gone = await findGone(connection, lifts.unheard());
    return new Map([...lifts.all()].filter(([id]) => !gone.has(id)));
  } finally {
    connection.close();
  }
}

/** Of the lifts of which nothing is reported, those that their group does not list. */
async function findGone(
  connection: Connection,
  unheard: readonly { readonly id: string; readonly group: Group }[],
): Promise<ReadonlySet<string>> {
  const groups = [...new Map(unheard.map(({ group }) => [groupKey(group), group])).values()];
  if (groups.length === 0) return new Set();
  const configs = await configsOf(connection, groups);
  const isGone = ({ id, group }: (typeof unheard)[number]) => {
    const config = configs.get(groupKey(group));
    return Array.isArray(config?.groups) && !liftsIn(group, config).some((found) => found.id === id);
  };
  return new Set(unheard.filter(isGone).map(({ id }) => id));
}

/** One of many that may be subscribed at a time: KONE replaces a subscription of the same name. */
export const subscriberOf = ({ link, clock }: Pick<Session, 'link' | 'clock'>): string =>
  `elnav-${link}-${clock.now().toString(36)}`;
