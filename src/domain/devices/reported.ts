import { READ_CAPABILITIES, READS } from '../../adapter/capabilities.ts';
import { type DeviceState, Status } from '../../adapter/device.ts';
import { AppError } from '../../core/errors.ts';
import type { DeviceRow, Seen } from './store.ts';

/** Some fields of a state, as the vendor reported them by itself. */
export interface Report {
  readonly state: Partial<DeviceState>;
  /** When it was so, ms since 1970. */
  readonly at: number;
  /** Values that the adapter does not recognize. */
  readonly unrecognized?: readonly string[];
}

const STATUS_FIELDS = Object.keys(Status.properties) as (keyof Status)[];

/**
 * What is known once a report is in; `older` when more recent things are known of each of its fields, and `unknown` when there is nothing
 * that they could be added to. Each field has its own moment: vendors that push report them one by one, and not in order. Fields that the
 * device has no capability for are left out.
 */
export function withReport(
  row: Pick<DeviceRow, 'capabilities'>,
  before: Seen | null,
  report: Report,
): Seen | 'older' | 'unknown' {
  if (before === null) return 'unknown';
  const { whole, fields } = before.reported ?? { whole: before.observedAt, fields: {} };
  const newer = fieldsIn(row, report).filter((field) => report.at >= (fields[field] ?? whole));
  if (newer.length === 0) return 'older';
  const state: DeviceState = { ...before.state };
  for (const field of newer) setField(state, report.state, field);
  const at = Object.fromEntries(newer.map((field) => [field, report.at]));
  // The rest of the state is as old as it was: a caller that wants the whole of it still asks the vendor.
  return {
    ...before,
    state,
    reported: { whole, fields: { ...fields, ...at } },
    observedAt: Math.max(before.observedAt, report.at),
  };
}

/** The fields of a report that the device can have. */
function fieldsIn({ capabilities }: Pick<DeviceRow, 'capabilities'>, report: Report): (keyof DeviceState)[] {
  const read = READ_CAPABILITIES.filter((capability) => capabilities.includes(capability));
  return [...STATUS_FIELDS, ...read.map((capability) => READS[capability])].filter(
    (field) => report.state[field] !== undefined,
  );
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
