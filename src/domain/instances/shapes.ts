import Type, { type Static } from 'typebox';

const Count = Type.Integer({ minimum: 0 });
const nullable = <T extends Parameters<typeof Type.Array>[0]>(type: T, description: string) =>
  Type.Union([type, Type.Null()], { description });

/** How a process is, as it reports itself. */
export const InstanceReport = Type.Object({
  memory_bytes: Type.Integer({ minimum: 0, description: 'Resident memory' }),
  event_loop_p99_ms: Type.Number({
    minimum: 0,
    description: 'By how much the event loop was late, the 99th percentile since the report before',
  }),
  log_lag_ms: nullable(Count, 'How far it is behind the event log; null where nothing in it follows the log'),
  streams: nullable(Count, 'Open streams of vendors; null without Connect, as the counts below'),
  event_streams: nullable(Count, 'Open streams of events to callers'),
  stations: nullable(Count, 'Connected charging stations'),
  gateways: nullable(Count, 'Connected gateways'),
  paused_vendors: Type.Array(Type.String(), {
    description: 'Vendors whose calls it pauses, since they failed again and again',
  }),
  vendors_succeeded: Type.Record(Type.String(), Type.Integer(), {
    description: 'When a call to each vendor last went well there, ms since 1970 by vendor',
  }),
  failing_checks: Type.Array(Type.Object({ check: Type.String(), message: Type.String() }), {
    description: 'Checks of /readyz that fail there',
  }),
});
export type InstanceReport = Static<typeof InstanceReport>;

/** What of it only Connect knows. */
export type ConnectReport = Pick<
  InstanceReport,
  | 'log_lag_ms'
  | 'streams'
  | 'event_streams'
  | 'stations'
  | 'gateways'
  | 'paused_vendors'
  | 'vendors_succeeded'
>;

/** A process that shares the database. Moments are ms since 1970 UTC, by the clock of the database. */
export interface Instance {
  /** `Database.instance`. */
  readonly id: string;
  readonly services: readonly string[];
  readonly version: string;
  /** The name of its machine or container. */
  readonly host: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly seenAt: number;
  /** Whether its last heartbeat is recent. */
  readonly isAlive: boolean;
  /** Null where another version wrote it in another form. */
  readonly report: InstanceReport | null;
  /** The work that it does for all, by the names of leases; null on the embedded database, where one process does everything. */
  readonly leads: readonly string[] | null;
}
