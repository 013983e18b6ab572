import { READ_CAPABILITIES, READS } from '../../adapter/capabilities.ts';
import { type DeviceState, Status } from '../../adapter/device.ts';
import { AppError } from '../../core/errors.ts';
import type { DeviceRow, Seen } from './store.ts';

/** Some fields of a state, as the vendor reported them by itself. */
export interface Report {
  readonly state: Partial<DeviceState>;
  /** When it was so, ms since 1970. */
  readonly at: number;
}

const STATUS_FIELDS = Object.keys(Status.properties) as (keyof Status)[];

/**
 * What is known once a report is in; `older` when more recent things are known already, and `unknown` when there is nothing that
 * they could be added to. Fields that the device has no capability for are left out.
 */
export function withReport(
  row: Pick<DeviceRow, 'capabilities'>,
  before: Seen | null,
  report: Report,
): Seen | 'older' | 'unknown' {
  if (before === null) return 'unknown';
  if (report.at < before.observedAt) return 'older';
  const state: DeviceState = { ...before.state };
  for (const field of STATUS_FIELDS)
    if (Object.hasOwn(report.state, field)) setField(state, report.state, field);
  for (const capability of READ_CAPABILITIES) {
    const field = READS[capability];
    if (row.capabilities.includes(capability) && Object.hasOwn(report.state, field))
      setField(state, report.state, field);
  }
  // The rest of the state is as old as it was: whoever wants the whole of it still asks the vendor.
  return { ...before, state, observedAt: report.at };
}

function setField<F extends keyof DeviceState>(
  state: DeviceState,
  reported: Partial<DeviceState>,
  field: F,
): void {
  const value = reported[field];
  if (value === undefined) return;
  if (typeof value !== 'number') {
    state[field] = value as DeviceState[F];
    return;
  }
  if (!Number.isFinite(value))
    throw new AppError('vendor.answer_invalid', `the vendor's ${field} is not a number`);
  state[field] = Math.round(value) as DeviceState[F];
}
