import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { DAY_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import { type Charging, ESTIMATES } from '../../../domain/charging/index.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { principalOf } from '../principal.ts';
import { queryLimit, queryText } from '../query.ts';
import { answers } from '../schemas.ts';
import { DeviceId, deviceId } from './devices.ts';

const MOST = 1_000;

const orNull = (schema: Type.TSchema) => Type.Union([schema, Type.Null()]);
const moment = Type.String({ format: 'date-time' });

const Transaction = Type.Object(
  {
    transaction_id: Type.String(),
    id_tag: orNull(Type.String()),
    started_at: orNull(moment),
    ended_at: orNull(moment),
    end_reason: orNull(Type.String()),
    meter_start_wh: orNull(Type.Integer()),
    meter_stop_wh: orNull(Type.Integer()),
    energy_wh: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Energy charged; of a running transaction, up to its last reading',
    }),
    estimated: Type.Array(Type.Enum([...ESTIMATES]), {
      description:
        'Values that the station did not report, taken from the first or last reading of the transaction',
    }),
  },
  {
    examples: [
      {
        transaction_id: '1',
        id_tag: '04E91C5A123B80',
        started_at: '2026-11-21T17:02:11Z',
        ended_at: '2026-11-21T19:40:03Z',
        end_reason: 'EVDisconnected',
        meter_start_wh: 1_204_500,
        meter_stop_wh: 1_218_900,
        energy_wh: 14_400,
        estimated: [],
      },
    ],
  },
);

const Reading = Type.Object(
  {
    at: moment,
    transaction_id: orNull(Type.String()),
    samples: Type.Array(
      Type.Object({
        measurand: Type.String(),
        value: Type.Number(),
        unit: Type.String(),
        phase: Type.Optional(Type.String()),
        location: Type.Optional(Type.String()),
        context: Type.Optional(Type.String()),
      }),
    ),
  },
  {
    examples: [
      {
        at: '2026-11-21T17:05:00Z',
        transaction_id: '1',
        samples: [{ measurand: 'Power.Active.Import', value: 11_040, unit: 'W' }],
      },
    ],
  },
);

const ERRORS = [400, 401, 403, 404, 429, 503];
const limitSchema = Type.Optional(Type.Integer({ minimum: 1, maximum: MOST, default: MOST }));

interface OfDevice {
  readonly Params: { readonly id: string };
  readonly Querystring: Readonly<Record<string, unknown>>;
}

/** What stations have recorded: charging transactions and meter readings of a device. */
export function chargingRoutes(
  app: FastifyInstance,
  { devices, charging, clock }: ConnectDependencies,
): void {
  const named = async (account: number, id: string): Promise<Parameters<Charging['transactions']>[0]> => {
    const { row } = await devices.find(account, deviceId(id));
    return { account, link: row.link, deviceId: row.id };
  };

  app.get<OfDevice>(
    '/devices/:id/transactions',
    {
      config: { access: 'devices:read' },
      schema: {
        summary: 'List the charging transactions of a device, newest first',
        tags: ['Charging'],
        params: DeviceId,
        querystring: Type.Object({ limit: limitSchema }),
        response: answers(Type.Array(Transaction), ERRORS),
      },
    },
    async (request) => {
      const { account } = principalOf(request);
      return charging.transactions(
        await named(account, request.params.id),
        queryLimit(request.query.limit, MOST),
      );
    },
  );

  app.get<OfDevice>(
    '/devices/:id/readings',
    {
      config: { access: 'devices:read' },
      schema: {
        summary: 'List the meter readings of a device, oldest first',
        description: 'From `from` to `until`, which is excluded; by default the last 24 hours.',
        tags: ['Charging'],
        params: DeviceId,
        querystring: Type.Object({
          from: Type.Optional(moment),
          until: Type.Optional(moment),
          limit: limitSchema,
        }),
        response: answers(Type.Array(Reading), ERRORS),
      },
    },
    async (request) => {
      const { account } = principalOf(request);
      const of = await named(account, request.params.id);
      return charging.readings(of, {
        ...rangeOf(request.query, clock.now()),
        limit: queryLimit(request.query.limit, MOST),
      });
    },
  );
}

function rangeOf(query: OfDevice['Querystring'], now: number): { from: number; until: number } {
  const until = momentOf(query.until, 'until') ?? now;
  const from = momentOf(query.from, 'from') ?? until - DAY_MS;
  if (from >= until) throw new AppError('request.invalid', 'from must be before until');
  return { from, until };
}

function momentOf(value: unknown, name: string): number | undefined {
  const text = queryText(value, name);
  if (text === undefined) return undefined;
  const moment = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(moment))
    throw new AppError('request.invalid', `${name} must be a time such as 2026-11-21T09:00:00Z`);
  return moment;
}
