import type { StationOperations } from '../../../adapter/dial-in.ts';
import type { DeviceRef, Session } from '../../../adapter/session.ts';
import type { OperationAnswer, StationOperation, StationView } from '../../../adapter/station.ts';
import { rfc3339 } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { installationOf } from '../credentials.ts';
import { loadDetails } from './details.ts';
import { loadStation } from './roster.ts';
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
  const answer = await (isBoot ? station.setup.triggerBoot(run) : run());
  return { type: operation.type, ...answer };
}

async function describe(session: Session): Promise<StationView> {
  const { station } = session;
  const live = station instanceof Station ? station : null;
  await live?.details.stored();
  const { last_fault: fault, ...details } = await loadDetails(session.documents);
  const { max_a, fallback_a } = installationOf(session.credentials);
  const { identity } = session.credentials;
  const { installation_held_by = null } = await loadStation(session.documents, String(identity));
  return {
    connected: live !== null,
    connected_since: live === null ? null : rfc3339(live.since),
    ...details,
    last_fault: fault === null ? null : { ...fault, at: rfc3339(fault.at) },
    installation: {
      ...{ max_a, fallback_a, held_by: max_a === null ? null : installation_held_by },
      refusal: live?.fuse.refusal ?? null,
    },
    frames: [...(session.frames?.() ?? [])],
  };
}

export const operations: StationOperations = { operate, describe };
