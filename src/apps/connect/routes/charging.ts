import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import { DAY_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import type { Devices } from '../../../domain/devices/devices/index.ts';
import { type Charging, ESTIMATES } from '../../../domain/records/charging/index.ts';
import { DeviceId, deviceIn, limitParameter, principalOf, readQuery } from '../input/parameters.ts';

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
    title: 'Transaction',
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
    title: 'MeterReading',
    examples: [
      {
        at: '2026-11-21T17:05:00Z',
        transaction_id: '1',
        samples: [{ measurand: 'Power.Active.Import', value: 11_040, unit: 'W' }],
      },
    ],
  },
);

const TransactionsQuery = Type.Object({ limit: limitParameter(MOST) });
const ReadingsQuery = Type.Object({
  from: Type.Optional(moment),
  to: Type.Optional(moment),
  limit: limitParameter(MOST),
});

export interface ChargingRoutes {
  readonly devices: Pick<Devices, 'find'>;
  readonly charging: Pick<Charging, 'transactions' | 'readings'>;
  readonly clock: Clock;
}

/** What stations have recorded: charging transactions and meter readings of a device. */
export function addChargingRoutes(app: FastifyInstance, { devices, charging, clock }: ChargingRoutes): void {
  const named = async (
    request: FastifyRequest,
    account: number,
  ): Promise<Parameters<Charging['transactions']>[0]> => {
    const { row } = await devices.find(account, deviceIn(request));
    return { account, link: row.link, deviceId: row.id };
  };

  app.get(
    '/devices/:id/transactions',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'listTransactions',
        summary: 'List the charging transactions of a device, newest first',
        tags: ['Charging'],
        params: DeviceId,
        querystring: TransactionsQuery,
        response: { 200: Type.Array(Transaction) },
      },
    },
    async (request) => {
      const { account } = principalOf(request);
      const of = await named(request, account);
      const { limit = MOST } = readQuery(TransactionsQuery, request.query);
      return charging.transactions(of, limit);
    },
  );

  app.get(
    '/devices/:id/readings',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'listMeterReadings',
        summary: 'List the meter readings of a device, oldest first',
        description: 'From `from` to `to`, which is excluded; by default the last 24 hours.',
        tags: ['Charging'],
        params: DeviceId,
        querystring: ReadingsQuery,
        response: { 200: Type.Array(Reading) },
      },
    },
    async (request) => {
      const { account } = principalOf(request);
      const of = await named(request, account);
      const { limit = MOST, ...given } = readQuery(ReadingsQuery, request.query);
      return charging.readings(of, { ...rangeOf(given, clock.now()), limit });
    },
  );
}

/** ms since 1970 UTC; `to` is not included. */
function rangeOf(
  given: { readonly from?: string; readonly to?: string },
  now: number,
): { from: number; until: number } {
  const until = given.to === undefined ? now : Date.parse(given.to);
  const from = given.from === undefined ? until - DAY_MS : Date.parse(given.from);
  if (from >= until) throw new AppError('request.invalid', 'from must be before to');
  return { from, until };
}
