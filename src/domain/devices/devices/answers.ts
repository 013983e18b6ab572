import Type from 'typebox';
import type { Adapter } from '../../../adapter/adapter.ts';
import { adapterOf } from '../../../adapter/adapters.ts';
import { AvailableCapacity, Device, DeviceState, Limits } from '../../../adapter/device.ts';
import type { Capability } from '../../../adapter/fields.ts';
import type { Clock } from '../../../core/clock.ts';
import { rfc3339 } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { OpenIntervention } from '../../vendor-calls/interventions/index.ts';
import type { Lookup } from './lookup.ts';
import type { CachedDevice, DeviceMemory } from './memory.ts';
import { nextReadOf, type ReadPlan, UNPLANNED } from './next-read.ts';
import type { Snapshot } from './store.ts';
import type { VendorReads } from './vendor-reads.ts';

const Open = Type.Optional(
  Type.Array(OpenIntervention, {
    description:
      'What its user has to do; absent where there is nothing. `GET /interventions` says what and where',
  }),
);

const whoseDevice = {
  user_ref: Type.String({ examples: ['anna'], description: 'The end user whose device it is' }),
  link: Type.String({
    examples: ['aX3kQ8r1ZbT5wN7yPc2Vd0'],
    description: 'The link that it is reached through',
  }),
};

/** The answer of `GET /devices/{id}`. */
export const DeviceReading = Type.Object(
  {
    device: Device,
    ...whoseDevice,
    state: DeviceState,
    limits: Type.Optional(Limits),
    available_capacity: Type.Optional(AvailableCapacity),
    observed_at: Type.String({ format: 'date-time', description: 'When the vendor measured the state' }),
    fetched_at: Type.String({ format: 'date-time', description: 'When this service received the state' }),
    next_read_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      examples: [null],
      description:
        'When it is read next in the background, as planned now: a hint or a command brings it forward, a limit of the vendor puts it off. A time that has passed: as soon as it can be. Null where no read is planned',
    }),
    next_read_missing: Type.Union([Type.Enum([...UNPLANNED]), Type.Null()], {
      examples: ['on_request'],
      description:
        'Why next_read_at is null. reports_itself: its vendor or the device reports what changes. on_request: it is read when you ask for it. needs_relink: it is not read until its user signs in again. not_planned_yet: it was linked just now',
    }),
    interventions: Open,
  },
  { title: 'DeviceReading' },
);
export type DeviceReading = Type.Static<typeof DeviceReading>;

/** An item of `GET /devices`. */
export const ListedDevice = Type.Object(
  {
    ...Device.properties,
    ...whoseDevice,
    state: Type.Optional(DeviceState),
    observed_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'When the vendor measured the state; absent without a state',
      }),
    ),
    interventions: Open,
  },
  { title: 'DeviceWithState' },
);

const Unconfirmed = Type.Object(
  {
    reason: Type.String({
      description: 'Why the state could not be read afterwards',
      examples: ['the rate limit of Easee is exceeded'],
    }),
    observed_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When the vendor measured `state`; null where nothing was known of the device',
    }),
  },
  {
    title: 'Unconfirmed',
    description:
      'Only where the command was carried out and the state could not be read afterwards: `state` is what was known before it',
  },
);

/** The answer of a command: the device with its refreshed state. */
export const CommandedDevice = Type.Object(
  { ...Device.properties, state: DeviceState, unconfirmed: Type.Optional(Unconfirmed) },
  { title: 'CommandedDevice' },
);
export type CommandedDevice = Type.Static<typeof CommandedDevice>;

function deviceOf({ row }: CachedDevice): Device {
  const { id, vendor, type, name, capabilities, measures } = row;
  return {
    ...{ id, vendor, device_type: type, name, capabilities: [...capabilities] },
    ...(measures === undefined ? {} : { measures }),
  };
}

const NO_PLAN: ReadPlan = { isLinkLost: false, poll: null };

function snapshotOf({ row, snapshot }: CachedDevice): Snapshot {
  if (snapshot !== null) return snapshot;
  throw new AppError('vendor.unreachable', `${row.vendor} has not reported the state of ${row.id} yet`);
}

/** What a device with a limit accepts is told before a command is refused for it. */
const LIMITED: readonly Capability[] = ['set_current', 'load_balancing', 'set_battery_power'];

function roomOf({ capabilities }: CachedDevice['row'], { limits, capacity }: Snapshot) {
  if (!LIMITED.some((one) => capabilities.includes(one))) return {};
  return {
    ...(limits === null ? {} : { limits }),
    ...(capacity === null ? {} : { available_capacity: capacity }),
  };
}

function readingOf(cached: CachedDevice, adapter: Adapter): DeviceReading {
  const { row, plan } = cached;
  const snapshot = snapshotOf(cached);
  return {
    device: deviceOf(cached),
    user_ref: row.userRef,
    link: row.link,
    state: snapshot.state,
    ...roomOf(row, snapshot),
    observed_at: rfc3339(snapshot.observedAt),
    fetched_at: rfc3339(snapshot.fetchedAt),
    ...nextReadOf(plan ?? NO_PLAN, snapshot.fetchedAt, adapter),
    // It was written by the same schema.
    ...(cached.open === null ? {} : { interventions: JSON.parse(cached.open) as OpenIntervention[] }),
  };
}

/** What a command is answered with. `unread`: it was carried out, and why the device could not be read afterwards. */
export function commandedOf(cached: CachedDevice, unread?: AppError): CommandedDevice {
  if (unread === undefined) return { ...deviceOf(cached), state: snapshotOf(cached).state };
  const { snapshot } = cached;
  return {
    ...deviceOf(cached),
    // It has just taken a command, and no more is known of it.
    state: snapshot?.state ?? { online: true },
    unconfirmed: {
      reason: unread.message,
      observed_at: snapshot === null ? null : rfc3339(snapshot.observedAt),
    },
  };
}

interface FreshAnswersOptions {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly clock: Clock;
  readonly memory: Pick<DeviceMemory, 'cached'>;
  readonly lookup: Pick<Lookup, 'find' | 'isTrusted'>;
  readonly vendorReads: VendorReads;
}

/** The answer of `GET /devices/{id}`: from memory while it is fresh, from the vendor otherwise. */
export function createFreshAnswers({ adapters, clock, memory, lookup, vendorReads }: FreshAnswersOptions) {
  return (account: number, id: string, vendor?: string): string | Promise<string> => {
    const remembered = vendor === undefined && lookup.isTrusted() ? memory.cached(account, id) : undefined;
    if (remembered?.length === 1) {
      const [cached] = remembered;
      if (cached !== undefined && isFresh(cached)) return answerOf(cached);
    }
    const askedAt = clock.now();
    return lookup.find(account, id, vendor).then(async (found) => {
      const cached = isFresh(found) ? found : await freshest(found, askedAt);
      return answerOf(isFresh(cached) ? cached : await vendorReads.refresh(cached));
    });
  };

  /**
   * Another process may have read the device since, which leaves no event where nothing but the times has changed: what is stored is looked
   * at before the vendor is asked again. For devices that are asked each time this tells nothing.
   */
  async function freshest(cached: CachedDevice, askedAt: number): Promise<CachedDevice> {
    const isAsked = vendorReads.flightOf(cached.row) !== undefined || pollMsOf(cached) === 0;
    return isAsked || cached.asOf >= askedAt ? cached : vendorReads.newestOf(cached);
  }

  function pollMsOf({ row }: CachedDevice): number {
    return (adapters.get(row.vendor)?.pollSeconds ?? 0) * 1000;
  }

  function isFresh(cached: CachedDevice): boolean {
    return cached.snapshot !== null && clock.now() - cached.snapshot.fetchedAt < pollMsOf(cached);
  }

  function answerOf(cached: CachedDevice): string {
    cached.answer ??= JSON.stringify(readingOf(cached, adapterOf(adapters, cached.row.vendor)));
    return cached.answer;
  }
}
