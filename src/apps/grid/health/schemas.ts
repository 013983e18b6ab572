import Type from 'typebox';
import { InstanceReport } from '../../../domain/links/instances/index.ts';
import { VENDOR_STATES } from '../../../domain/links/vendor-states/index.ts';
import { PRICE_AREAS } from '../../../sources/contract/market.ts';
import { Moment, nullable } from '../responses/schemas.ts';
import { PROBLEM_CODES } from './problem.ts';

const Count = Type.Integer({ minimum: 0 });
const Seconds = Type.Number({ minimum: 0 });
const Used = Type.Number({ minimum: 0, description: 'The used part; calls are held back at 1' });
const Reaches = Type.Array(
  Type.Object({
    area: Type.Enum([...PRICE_AREAS]),
    until: nullable(Type.String({ format: 'date-time', description: 'End of what is stored' })),
  }),
);
const Market = {
  status: Type.Enum(['ok', 'degraded']),
  sentence: Type.String(),
  is_on: Type.Boolean({ description: 'Whether fetching is switched on' }),
  next_attempt_at: nullable(Moment),
  areas: Reaches,
};

const { vendors_succeeded: _, ...reported } = InstanceReport.properties;

const Instance = Type.Object(
  {
    id: Type.String(),
    is_self: Type.Boolean({ description: 'The instance that responds' }),
    is_alive: Type.Boolean({ description: 'Whether it has said so within 50 seconds; each does every 15' }),
    services: Type.Array(Type.String()),
    version: Type.String(),
    host: Type.String({ description: 'The name of its machine or container' }),
    pid: Type.Integer(),
    started_at: Moment,
    seen_at: Moment,
    leads: nullable(
      Type.Array(Type.String(), {
        description:
          'Work that it does for all; null on the embedded database, where one process does everything',
      }),
    ),
    report: nullable(
      Type.Object(reported, { description: 'null where another version writes it in another form' }),
    ),
  },
  { title: 'Instance' },
);

const Vendor = Type.Object(
  {
    vendor: Type.String(),
    name: Type.String(),
    state: Type.Enum([...VENDOR_STATES]),
    links: Type.Object({ active: Count, unreachable: Count, needs_relink: Count }),
    refused_links: Type.Integer({
      minimum: 0,
      description: 'Links whose tokens it refuses although it has just issued them',
    }),
    blocked_until: nullable(
      Type.String({ format: 'date-time', description: 'Until when it refuses calls of all links' }),
    ),
    blocked_links: Type.Integer({ minimum: 0, description: 'Links that it refuses calls of' }),
    paused_by: Type.Array(Type.String(), { description: 'Ids of instances that pause their calls to it' }),
    limits: Type.Array(Type.Object({ limit: Type.String(), used: Used }), {
      description: 'Limits that all links share',
    }),
    reads: Type.Object({
      waiting: Type.Integer({ minimum: 0, description: 'Background reads that are due' }),
      late: Type.Integer({ minimum: 0, description: 'Those that are late by more than five minutes' }),
      oldest_due_at: nullable(Moment),
    }),
    deliveries_waiting: Count,
    succeeded_at: nullable(
      Type.String({
        format: 'date-time',
        description: 'When a call last went well in an instance that runs',
      }),
    ),
  },
  { title: 'VendorHealth' },
);

const Source = Type.Object(
  {
    source: Type.String(),
    kind: Type.Enum(['prices', 'production'], { description: 'Exchange rates count as prices' }),
    outcome: nullable(Type.String({ description: 'ok, not_published, or the kind of failure' })),
    sentence: Type.String({ description: 'What it answered last' }),
    asked_at: Moment,
    succeeded_at: nullable(Moment),
    failures_in_row: Count,
    next_attempt_at: nullable(
      Type.String({ format: 'date-time', description: 'Not before the end of its Retry-After' }),
    ),
  },
  { title: 'SourceHealth' },
);

const part = (of: Type.TSchema) => nullable(of);

/** How everything is, for the operator. */
export const HealthResponse = Type.Object(
  {
    state: Type.Enum(['ok', 'warning', 'critical'], { description: 'That of the worst problem' }),
    checked_at: Moment,
    problems: Type.Array(
      Type.Object({
        code: Type.Enum([...PROBLEM_CODES]),
        severity: Type.Enum(['warning', 'critical'], {
          description: '`critical`: act now. `warning`: look at it today',
        }),
        sentence: Type.String({ description: 'What is wrong' }),
        what_to_do: Type.String(),
        guide: Type.String({ description: 'The section of the guides that says more' }),
      }),
      { description: 'Worst first' },
    ),
    not_read: Type.Array(Type.Object({ part: Type.String(), reason: Type.String() }), {
      description: 'Parts that are null, and why: each is read by itself, for two seconds at most',
    }),
    checks: part(
      Type.Array(Type.Object({ check: Type.String(), is_well: Type.Boolean(), message: Type.String() }), {
        description: 'Checks of /readyz of the instance that responds',
      }),
    ),
    database: part(
      Type.Object({
        engine: Type.Enum(['sqlite', 'postgres']),
        version: Type.String(),
        bytes: Type.Integer({ minimum: 0, description: 'Size of the data' }),
        disk_free_bytes: nullable(
          Type.Integer({ minimum: 0, description: 'null with PostgreSQL, whose disk is elsewhere' }),
        ),
      }),
    ),
    instances: part(Type.Array(Instance, { description: 'Those that ended badly stay for an hour' })),
    prices: part(Type.Object(Market)),
    production: part(Type.Object({ ...Market, unit: nullable(Type.Enum(['MW', 'MWh'])) })),
    sources: part(Type.Array(Source)),
    registers: Type.Array(
      Type.Object({
        source: Type.String(),
        as_of: Type.String({ description: 'The day of its data' }),
        tables: Type.Array(Type.String()),
      }),
      { description: 'What the tables of look-ups were made of; imported by hand' },
    ),
    vendors: part(Type.Array(Vendor, { description: 'Those that somebody has linked' })),
    event_log: part(
      Type.Object({
        held_seconds: Type.Number({
          minimum: 0,
          description: 'How long the oldest event has been waiting that cannot be read yet',
        }),
        readers: Type.Array(Type.Object({ reader: Type.String(), lag_seconds: Seconds })),
      }),
    ),
    subscriptions: part(
      Type.Array(
        Type.Object({
          state: Type.String({ description: 'active, failing or paused' }),
          count: Count,
          lag_seconds: Seconds,
        }),
      ),
    ),
  },
  { title: 'Health' },
);
