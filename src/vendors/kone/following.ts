import * as kit from '../../adapter/kit/index.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type { AppError } from '../../core/errors.ts';
import { type Connection, type Group, groupKey, type Heard, liftId } from './client.ts';
import { Details, isHeard, isWhole, type LiftRaw, TOPICS, UNHEARD, withEvent } from './translate.ts';

/** What is reported of lifts over a connection, by the id of the device. */
export function followLifts(devices: readonly DeviceRef[]) {
  const groups = new Map<string, Group & { readonly lifts: string[] }>();
  const raws = new Map<string, LiftRaw>();
  const accepted = new Set<string>();
  /** Those that have said since the last ping whether they can be reached. */
  const answered = new Set<string>();
  const failures: AppError[] = [];
  for (const { id, details } of devices) {
    if (!kit.fits(Details, details)) continue;
    const { building, group, lift } = details;
    const members = groups.get(groupKey(details)) ?? { building, group, lifts: [] };
    groups.set(groupKey(details), members);
    members.lifts.push(lift);
    raws.set(id, UNHEARD);
  }
  const idsOf = (group: Group): string[] =>
    (groups.get(groupKey(group))?.lifts ?? []).map((lift) => liftId(group, lift));

  const rawOf = (id: string): LiftRaw => raws.get(id) ?? UNHEARD;

  function changeAll(group: Group, change: Partial<LiftRaw>): readonly string[] {
    const all = idsOf(group);
    for (const id of all) raws.set(id, { ...rawOf(id), ...change });
    return all;
  }

  /** Forgets a group of which nothing will be reported: that costs the others nothing. */
  function leaveOut(group: Group, why: AppError): void {
    for (const id of idsOf(group)) raws.delete(id);
    groups.delete(groupKey(group));
    failures.push(why);
  }

  return {
    /** Those of which something can be reported. */
    groups: (): readonly Group[] => [...groups.values()],
    all: (): ReadonlyMap<string, LiftRaw> => raws,
    rawOf,
    isAccepted: (group: Group): boolean => accepted.has(groupKey(group)),
    isOnline: (group: Group): boolean => idsOf(group).some((id) => rawOf(id).online),

    leaveOut,

    /** Throws why, where every group was left out. */
    check(): void {
      if (groups.size === 0 && failures[0] !== undefined) throw failures[0];
    },

    /** Asks for the state and for what changes, and whether the controller answers. */
    subscribe(connection: Connection, group: Group, subscriber: string): void {
      const { lifts = [] } = groups.get(groupKey(group)) ?? {};
      const which = lifts.length === 1 ? `lift_${lifts[0]}` : '+';
      const subtopics = TOPICS.map((topic) => `${which}/${topic}`);
      // Each group has a subscriber of its own.
      connection.monitor(group, { subscriber: `${subscriber}-${group.group}`, subtopics });
      this.ping(connection, group);
    },

    ping(connection: Connection, group: Group): void {
      answered.delete(groupKey(group));
      connection.ping(group);
    },

    /** @returns the devices that may be another now */
    take(heard: Heard): readonly string[] {
      const key = groupKey(heard.group);
      switch (heard.is) {
        case 'accepted':
          if (heard.callType === 'monitor') accepted.add(key);
          return [];
        case 'pong':
          answered.add(key);
          return changeAll(heard.group, { online: true, answeredAt: heard.at });
        case 'unreachable':
          // That is an answer to whatever was asked.
          answered.add(key);
          accepted.add(key);
          return changeAll(heard.group, { online: false });
        case 'event': {
          const id = liftId(heard.group, heard.lift);
          if (!raws.has(id)) return [];
          raws.set(id, withEvent(rawOf(id), heard.topic, heard.data));
          return [id];
        }
        case 'refused':
          leaveOut(heard.group, heard.error);
          return [];
        case 'config':
          return [];
      }
    },

    /** A controller that has not answered by now is not reached; the devices that are offline for it. */
    giveUp: (): readonly string[] =>
      [...groups].flatMap(([key, group]) => (answered.has(key) ? [] : changeAll(group, { online: false }))),

    areWhole: (): boolean =>
      [...groups].every(
        ([key, group]) =>
          accepted.has(key) &&
          answered.has(key) &&
          idsOf(group).every((id) => !rawOf(id).online || isWhole(rawOf(id))),
      ),

    /** Lifts that could be reached, and of which nothing was reported. */
    unheard: () =>
      [...groups.values()].flatMap((group) =>
        idsOf(group).flatMap((id) => (rawOf(id).online && !isHeard(rawOf(id)) ? [{ id, group }] : [])),
      ),
  };
}
