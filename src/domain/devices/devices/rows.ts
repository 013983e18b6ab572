import type { Selectable } from 'kysely';
import type {
  AvailableCapacity,
  DeviceState,
  DeviceType,
  HouseMeter,
  Limits,
} from '../../../adapter/device.ts';
import type { Capability } from '../../../adapter/fields.ts';
import type { DeviceRef } from '../../../adapter/session.ts';
import { rfc3339 } from '../../../core/clock.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Tables } from '../../../db/tables.ts';
import type { ReadPlan } from './next-read.ts';

/* What the rows of devices hold. */

/** What a device was like when it was last read. */
export interface Snapshot {
  readonly state: DeviceState;
  readonly limits: Limits | null;
  readonly capacity: AvailableCapacity | null;
  /** When the vendor measured, ms since 1970. */
  readonly observedAt: number;
  /** When we learnt it. */
  readonly fetchedAt: number;
  /** Fields that the vendor has reported since the last whole reading. */
  readonly reported?: Reported;
}

export interface Reported {
  /** When the rest of the state was measured. */
  readonly whole: number;
  /** When each of the fields was so. */
  readonly fields: { readonly [F in keyof DeviceState]?: number };
  /** Its link, gateway or vendor could not be reached: whatever is heard of the device next shows that it can. */
  readonly isUnreachable?: boolean;
}

/**
 * The snapshot of a device that could not be asked: what was last known stays, with its times, but nobody knows whether it is so. Undefined
 * where it says so already, and for a device that was never read.
 */
export function asUnreachable(before: Snapshot | null): Snapshot | undefined {
  if (before === null || !before.state.online) return undefined;
  const { whole, fields } = before.reported ?? { whole: before.observedAt, fields: {} };
  return {
    ...before,
    state: { ...before.state, online: false },
    reported: { whole, fields, isUnreachable: true },
  };
}

export interface DeviceRow extends DeviceRef {
  readonly vendor: string;
  readonly name: string | null;
  readonly userRef: string;
  readonly capabilities: readonly Capability[];
  readonly snapshot: Snapshot | null;
  /** Its open interventions, as JSON text. */
  readonly open: string | null;
  /** What its user permits, where capabilities depend on it and it is known. */
  readonly granted?: readonly string[];
  /** Since when lists of the account have left it out, ms since 1970. */
  readonly missingSince: number | null;
}

/** With when it is read next in the background. */
export interface PlannedRow extends DeviceRow {
  readonly plan: ReadPlan;
}

export function toRow(row: Selectable<Tables['devices']>): DeviceRow {
  return {
    account: row.account_id,
    link: row.link_id,
    id: row.id,
    vendor: row.vendor,
    type: row.device_type as DeviceType,
    name: row.name,
    userRef: row.user_ref,
    capabilities: JSON.parse(row.capabilities_json) as Capability[],
    details: JSON.parse(row.details_json) as JsonObject,
    missingSince: row.missing_since,
    open: row.interventions_json,
    ...(row.site === null ? {} : { site: row.site }),
    ...(row.measures === null ? {} : { measures: row.measures as HouseMeter }),
    ...(row.granted_json === null ? {} : { granted: JSON.parse(row.granted_json) as string[] }),
    snapshot:
      row.state_json === null || row.fetched_at === null
        ? null
        : {
            state: JSON.parse(row.state_json) as DeviceState,
            limits: parsed<Limits>(row.limits_json),
            capacity: parsed<AvailableCapacity>(row.available_capacity_json),
            observedAt: row.observed_at ?? row.fetched_at,
            fetchedAt: row.fetched_at,
            ...(row.reported_json === null ? {} : { reported: JSON.parse(row.reported_json) as Reported }),
          },
  };
}

interface PlanColumns {
  readonly link_status: string;
  readonly due_at: number | null;
  readonly planned_at: number | null;
  readonly interval_s: number | null;
  readonly hinted_at: number | null;
  readonly active_until: number | null;
}

/** A claim moves the due moment on, and keeps when the poll was planned. */
export const planOf = (row: PlanColumns): ReadPlan => ({
  isLinkLost: row.link_status === 'needs_relink',
  poll:
    row.due_at === null
      ? null
      : {
          dueAt: Math.min(row.due_at, row.planned_at ?? row.due_at),
          isUnderWay: row.planned_at !== null,
          intervalSeconds: row.interval_s ?? 0,
          hintedAt: row.hinted_at,
          activeUntil: row.active_until,
        },
});

function parsed<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}

interface ListedColumns {
  readonly vendor: string;
  readonly id: string;
  readonly device_type: string;
  readonly name: string | null;
  readonly link_id: string;
  readonly user_ref: string;
  readonly capabilities_json: string;
  readonly state_json: string | null;
  readonly observed_at: number | null;
  readonly measures: string | null;
  readonly interventions_json: string | null;
}

/** The columns that hold JSON go into the answer as they are: a page of 1,000 devices is never parsed. */
export function deviceJson(row: ListedColumns): string {
  const observed = row.observed_at === null ? '' : `,"observed_at":"${rfc3339(row.observed_at)}"`;
  const state = row.state_json === null ? '' : `,"state":${row.state_json}${observed}`;
  const measures = row.measures === null ? '' : `,"measures":"${row.measures}"`;
  const open = row.interventions_json === null ? '' : `,"interventions":${row.interventions_json}`;
  return `{"id":${JSON.stringify(row.id)},"vendor":"${row.vendor}","device_type":"${row.device_type}","name":${JSON.stringify(row.name)},"user_ref":${JSON.stringify(row.user_ref)},"link":"${row.link_id}","capabilities":${row.capabilities_json}${measures}${state}${open}}`;
}
