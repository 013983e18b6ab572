import type { StationOperations } from '../../../adapter/dial-in.ts';
import type { DeviceRef, Session } from '../../../adapter/session.ts';
import type { OperationAnswer, StationOperation, StationView } from '../../../adapter/station.ts';
import { rfc3339 } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { installationOf } from '../credentials.ts';
import type { Connector } from './connector.ts';
import { loadDetails } from './details.ts';
import { loadStation } from './roster.ts';
import { amperesAt } from './schedule.ts';
import { isSecret, whyNotSet } from './secrets.ts';
import { placeOf, Station } from './station.ts';

/** A setting as the API returns it. */
type Setting = NonNullable<OperationAnswer['settings']>[number];

export function settingOf(key: string, value: string | undefined, readonly: boolean | null): Setting {
  return isSecret(key)
    ? { key, value: null, readonly, redacted: true }
    : { key, value: value ?? null, readonly };
}

/** The status in a station's response to an operation. */
export interface Outcome {
  readonly status: string;
}

/** The status alone; stations add fields of their own. */
export const statusOf = ({ status }: Outcome): Outcome => ({ status });

/** A schedule calculated by the station, in the fields of either protocol. */
export interface Composite {
  readonly chargingRateUnit?: string;
  readonly chargingSchedulePeriod?: readonly { readonly startPeriod: number; readonly limit: number }[];
}

export function compositeOf(
  schedule: Composite | undefined,
  startsAt: string | undefined,
): Exclude<OperationAnswer['limit'], undefined> {
  if (schedule?.chargingSchedulePeriod === undefined) return null;
  const at = Date.parse(startsAt ?? '');
  return {
    unit: schedule.chargingRateUnit === 'W' ? 'W' : 'A',
    starts_at: Number.isFinite(at) ? rfc3339(at) : null,
    periods: schedule.chargingSchedulePeriod.map(({ startPeriod, limit }) => ({
      start_seconds: startPeriod,
      limit,
    })),
  };
}

async function operate(
  session: Session,
  device: DeviceRef,
  operation: StationOperation,
): Promise<OperationAnswer> {
  const { station, connector } = placeOf(session, device);
  if (operation.type === 'set_configuration') {
    const reason = whyNotSet(operation.key);
    // control: the password of a station cannot be changed through its settings [station/operations]
    if (reason !== null) throw new AppError('station.setting_refused', reason);
  }
  const run = () => station.dialect.operate(connector, operation);
  const isBoot = operation.type === 'trigger' && operation.message === 'BootNotification';
  try {
    const answer = await (isBoot ? station.setup.triggerBoot(run) : run());
    return { type: operation.type, ...answer };
  } catch (error) {
    // Some stations restart at once: that the connection ends is all that they say.
    const isGone = error instanceof AppError && error.code === 'vendor.unreachable';
    if (operation.type !== 'reset' || !isGone) throw error;
    return { type: 'reset', status: 'Unconfirmed' };
  }
}

/** Where the power of a connector comes from. */
function powerSource(connector: Connector | undefined): 'measured' | 'derived' | null {
  if (connector === undefined || connector.transaction === null || connector.power_w === null) return null;
  return connector.derives ? 'derived' : 'measured';
}

/** Our limit in force on a connector. */
function limitOf(connector: Connector, now: number): StationView['limit'] {
  const limit = connector.transactionLimit ?? connector.defaultLimit;
  if (limit === null) return null;
  const ends = limit.ends !== null && limit.ends.at > now ? limit.ends : null;
  return {
    current_a: amperesAt(limit, now),
    ends_at: ends === null ? null : rfc3339(ends.at),
    then_current_a: ends?.follows ?? null,
  };
}

async function describe(session: Session, device: DeviceRef): Promise<StationView> {
  const { station } = session;
  const live = station instanceof Station ? station : null;
  await live?.details.stored();
  const connector = live?.find(Number(device.details.connector));
  const { last_fault: fault, restart_needed = false, ...details } = await loadDetails(session.documents);
  const { max_a, fallback_a } = installationOf(session.credentials);
  const { identity } = session.credentials;
  const { installation_held_by = null } = await loadStation(session.documents, String(identity));
  return {
    connected: live !== null,
    connected_since: live === null ? null : rfc3339(live.since),
    ...details,
    last_fault: fault === null ? null : { ...fault, at: rfc3339(fault.at) },
    limit: connector === undefined ? null : limitOf(connector, session.clock.now()),
    metering: {
      power: powerSource(connector),
      restart_needed,
    },
    installation: {
      ...{ max_a, fallback_a, held_by: max_a === null ? null : installation_held_by },
      refusal: live?.fuse.refusal ?? null,
    },
    frames: [...(session.frames?.() ?? [])],
  };
}

export const operations: StationOperations = { operate, describe };
