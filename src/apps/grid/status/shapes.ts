import Type, { type Static } from 'typebox';
import { VENDOR_STATES } from '../../../domain/links/vendor-states/index.ts';
import { PRICE_AREAS } from '../../../sources/contract/market.ts';

const Moment = Type.String({ format: 'date-time' });
const Works = Type.Enum(['ok', 'trouble', 'unknown']);
const Figures = {
  state: Type.Enum(['ok', 'trouble', 'off'], {
    description: '`off`: the operator has switched off that figures are fetched',
  }),
};

/** What anybody may know of how the services are: no account, address or number of links. */
export const Status = Type.Object(
  {
    state: Type.Enum(['ok', 'trouble', 'down'], {
      description:
        '`ok`: all that elnav itself does works. `trouble`: a part does not. `down`: requests are refused, since the database is away. Vendors do not count',
    }),
    checked_at: Type.String({
      format: 'date-time',
      description: 'When it was looked at; a look is shared for ten seconds',
    }),
    services: Type.Object({
      grid: Works,
      connect: Type.Enum(['ok', 'trouble', 'unknown'], {
        description: '`unknown`: Connect runs in a process of its own, which this one does not ask',
      }),
    }),
    database: Type.Enum(['ok', 'down']),
    mail: Type.Enum(['ok', 'trouble']),
    prices: Type.Object({
      ...Figures,
      areas: Type.Array(
        Type.Object({
          area: Type.Enum([...PRICE_AREAS]),
          until: Type.Union([Moment, Type.Null()], {
            description: 'End of the stored prices; null: those of today are missing',
          }),
          source: Type.Union([Type.String(), Type.Null()], {
            description: "Source of today's prices; `sample` for prices that are not real",
          }),
        }),
      ),
    }),
    production: Type.Object({
      ...Figures,
      areas: Type.Array(
        Type.Object({
          area: Type.Enum([...PRICE_AREAS]),
          until: Type.Union([Moment, Type.Null()], { description: 'End of the newest figures' }),
        }),
      ),
    }),
    vendors: Type.Array(
      Type.Object({
        vendor: Type.String(),
        name: Type.String(),
        state: Type.Enum([...VENDOR_STATES], {
          description:
            'As the last calls from here say. `trouble`: it could not be reached for at least half of its links. `blocked`: it refuses our calls for a while. `unknown`: nobody has linked it here, or that could not be looked at',
        }),
      }),
    ),
  },
  { title: 'Status' },
);
export type Status = Static<typeof Status>;
