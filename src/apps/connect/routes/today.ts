import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { rfc3339 } from '../../../core/clock.ts';
import { decimal } from '../../../core/decimal.ts';
import { SWEDISH_ZONE } from '../../../core/swedish-days.ts';
import { type History, UNKNOWN_COSTS } from '../../../domain/records/history/index.ts';
import { principalOf, readQuery, zoneIn } from '../input/parameters.ts';

const Query = Type.Object({
  timezone: Type.Optional(
    Type.String({
      default: SWEDISH_ZONE,
      description: 'The day begins at its midnight: a name of the IANA time zone database',
    }),
  ),
});

const devices = Type.Integer({ minimum: 0, description: 'How many devices it is the sum of' });
const sumOf = (description: string, of: string) =>
  Type.Object(
    {
      energy_wh: Type.Integer(),
      devices,
      of: Type.Integer({ minimum: 0, description: of }),
    },
    { description },
  );
const METERED = 'How many have a meter; nothing was counted of the others today';
const METERED_USERS = 'How many users have such a meter';

const Today = Type.Object(
  {
    from: Type.String({ format: 'date-time', description: 'Midnight' }),
    to: Type.String({ format: 'date-time', description: 'When it was added up, at most 30 seconds ago' }),
    timezone: Type.String(),
    drawn: sumOf(
      'What meters have counted, but for those of solar inverters and houses. A car counts while no charger of its user charges',
      METERED,
    ),
    produced: sumOf('What meters of solar inverters have counted', METERED),
    given_back: sumOf(
      'By power: that of quarters in which its mean was negative',
      'Of how many the power is known today',
    ),
    drawn_from_grid: sumOf(
      'What meters at grid connections have counted. It contains what the devices behind them have drawn, and is in no other sum. Of several meters of one user, the one that has counted most',
      METERED_USERS,
    ),
    given_to_grid: sumOf(
      'By the power of meters at grid connections: that of quarters in which its mean was negative',
      'Of how many users the power of such a meter is known today',
    ),
    used_by_houses: sumOf(
      'What meters of the consumption of houses have counted, and in no other sum. Of several meters of one user, the one that has counted most',
      METERED_USERS,
    ),
    cost: Type.Object(
      {
        amount: Type.Union([decimal('SEK', '24.182'), Type.Null()], {
          description:
            'Of the devices whose cost is known, at the spot prices of their areas, without VAT, tax and the fees of grid and supplier; an exact decimal number; null where none is known',
        }),
        currency: Type.Literal('SEK'),
        devices,
        of: Type.Integer({ minimum: 0, description: 'How many have a meter that counts what they take' }),
        unknown: Type.Object(
          Object.fromEntries(UNKNOWN_COSTS.map((why) => [why, Type.Optional(Type.Integer({ minimum: 1 }))])),
          {
            description:
              'How many devices have no cost, by the reason. energy_not_known: nothing was counted today. counted_in_gap: when it was used is not known. no_price_area: their link has none. no_price: one of the prices is missing',
          },
        ),
      },
      { description: 'What the energy that was drawn has cost' },
    ),
  },
  {
    title: 'Today',
    examples: [
      {
        from: '2026-11-20T23:00:00.000Z',
        to: '2026-11-21T17:30:00.000Z',
        timezone: SWEDISH_ZONE,
        drawn: { energy_wh: 31_400, devices: 4, of: 4 },
        produced: { energy_wh: 2_150, devices: 1, of: 1 },
        given_back: { energy_wh: 0, devices: 0, of: 5 },
        drawn_from_grid: { energy_wh: 33_900, devices: 1, of: 1 },
        given_to_grid: { energy_wh: 0, devices: 0, of: 1 },
        used_by_houses: { energy_wh: 0, devices: 0, of: 0 },
        cost: {
          ...{ amount: '24.182', currency: 'SEK', devices: 3, of: 4 },
          unknown: { no_price_area: 1 },
        },
      },
    ],
  },
);

export interface TodayRoutes {
  readonly history: Pick<History, 'today'>;
}

/** What all devices of an account have taken, given and cost today. */
export function addTodayRoutes(app: FastifyInstance, { history }: TodayRoutes): void {
  app.get(
    '/history/today',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'getToday',
        summary: 'Add up what all devices have taken, given back and cost today',
        description:
          'The sums of the histories of the devices, each for the user that has it, since midnight. Every sum says of how many devices it is. No energy is counted twice: a car is left out while a charger of its user charges, and meters of houses have sums of their own. A device whose cost is not known for all of its energy is left out of the cost. Returns what is stored and never calls a vendor.',
        tags: ['Devices'],
        querystring: Query,
        response: { 200: Today },
      },
    },
    async (request) => {
      const { timezone = SWEDISH_ZONE } = readQuery(Query, request.query);
      const zone = zoneIn(timezone);
      const today = await history.today(principalOf(request).account, zone);
      return {
        ...{ from: rfc3339(today.start), to: rfc3339(today.end), timezone: zone },
        ...{ drawn: today.drawn, produced: today.produced, given_back: today.givenBack },
        drawn_from_grid: today.drawnFromGrid,
        given_to_grid: today.givenToGrid,
        used_by_houses: today.usedByHouses,
        cost: { ...today.cost, currency: 'SEK' },
      };
    },
  );
}
