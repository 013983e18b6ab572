import Type, { type TSchema } from 'typebox';
import { CREATORS, MOST_USAGE_DAYS, SCOPES, USAGE_DAYS } from '../../../domain/access/accounts/index.ts';

/** What an id of a key looks like, which is also in the key. */
const KEY_ID = 'q4Vb0Zs81LtK';
/** Longer than any text that is accepted: the rules of the account judge it. */
const MOST_CHARACTERS = 1_000;

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const moment = (description: string) => Type.String({ format: 'date-time', description });
const day = (description: string) => Type.String({ format: 'date', description, examples: ['2026-11-21'] });

const Scopes = Type.Array(Type.Enum([...SCOPES], { type: 'string' }), {
  minItems: 1,
  maxItems: SCOPES.length,
  examples: [['devices:read']],
});

const Limit = Type.Object(
  {
    name: Type.Enum(['burst', 'minute', 'hour', 'day'], {
      type: 'string',
      description: 'burst: calls at once; day: a UTC day',
    }),
    calls: Type.Integer({ description: 'The limit as it is now' }),
    left: Type.Integer({ description: 'Calls that are left of it' }),
    seconds: Type.Integer({ description: 'Until there are more' }),
  },
  { title: 'RateLimit' },
);

export const AccountResponse = Type.Object(
  {
    email: Type.String({ examples: ['anna@example.com'] }),
    name: Type.String({ examples: ['Anna'] }),
    tier: Type.String({ examples: ['pro'] }),
    key_id: Type.String({ description: 'Of the key that is used; console for people in the console' }),
    scopes: Type.Array(Type.Enum([...SCOPES], { type: 'string' }), {
      description: 'Of the key that is used',
    }),
    limits: Type.Array(Limit, { description: 'Of all keys of the account together' }),
    throttled_until: orNull(
      moment('Until then the limits are half of what they were, because calls kept coming over them'),
    ),
  },
  { title: 'Account' },
);

export const UsageQuery = Type.Object({
  from: Type.Optional(day(`First UTC day; by default ${USAGE_DAYS} days up to \`to\``)),
  to: Type.Optional(day(`Last UTC day; by default today. At most ${MOST_USAGE_DAYS} days are returned`)),
});

const outcomes = {
  succeeded: Type.Integer({ description: '2xx and 3xx' }),
  refused: Type.Integer({ description: '4xx: wrong requests, and those over a limit' }),
  failed: Type.Integer({ description: '5xx' }),
};

export const UsageResponse = Type.Object(
  {
    from: day('The first day'),
    to: day('The last day'),
    days: Type.Array(
      Type.Object({ day: day('UTC'), connect: Type.Object(outcomes), grid: Type.Object(outcomes) }),
      { description: 'The oldest first, those without a call too' },
    ),
    routes: Type.Array(
      Type.Object({
        service: Type.Enum(['connect', 'grid'], { type: 'string' }),
        route: Type.String({ examples: ['GET /devices/{id}'] }),
        ...outcomes,
      }),
      { description: 'Those that were called most first' },
    ),
    keys: Type.Array(
      Type.Object({
        key_id: Type.String({ description: 'console for people in the console', examples: [KEY_ID] }),
        ...outcomes,
      }),
      { description: 'Those that were used most first' },
    ),
  },
  { title: 'Usage' },
);

const address = (description: string) =>
  Type.String({ maxLength: 500, description, examples: ['https://example.com/'] });

export const NewBrand = Type.Object(
  {
    name: Type.String({
      maxLength: MOST_CHARACTERS,
      description: '1 to 60 characters',
      examples: ['Solbilar'],
    }),
    color: orNull(
      Type.String({
        maxLength: MOST_CHARACTERS,
        description: 'As in #0b5d48; null: the colour of elnav',
        examples: ['#0b5d48'],
      }),
    ),
    privacy_url: Type.Optional(
      orNull(address('Where you say how you handle the data of your users; https. Kept without it')),
    ),
    terms_url: Type.Optional(orNull(address('Where your terms are; https. Kept without it'))),
  },
  { title: 'NewBrand' },
);

export const BrandResponse = Type.Object(
  {
    name: orNull(Type.String({ description: 'null where none is set', examples: ['Solbilar'] })),
    color: orNull(Type.String({ examples: ['#0b5d48'] })),
    privacy_url: orNull(Type.String({ examples: ['https://example.com/privacy'] })),
    terms_url: orNull(Type.String({ examples: ['https://example.com/terms'] })),
  },
  { title: 'Brand' },
);

export const KeyPath = Type.Object({
  key_id: Type.String({ description: 'Id of the key, from GET /account/keys', examples: [KEY_ID] }),
});

export const NewKeyBody = Type.Object(
  {
    label: Type.String({
      maxLength: MOST_CHARACTERS,
      description: 'What the key is for, 1 to 60 characters',
      examples: ['home computer'],
    }),
    scopes: Scopes,
  },
  { title: 'NewKey' },
);

export const KeyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description:
        '1–255 characters. A second request with it within 24 h creates no second key: it is refused, since a key is returned once',
    }),
  ),
});

const keyFields = {
  id: Type.String({ description: 'The key begins with elnav_<id>_', examples: [KEY_ID] }),
  label: Type.String({ examples: ['home computer'] }),
  scopes: Type.Array(Type.Enum([...SCOPES], { type: 'string' })),
};

export const KeyResponse = Type.Object(
  {
    ...keyFields,
    created_at: moment('When it was created'),
    created_by: orNull(
      Type.Enum([...CREATORS], {
        type: 'string',
        description: 'user: the account itself; admin and setup: the operator. null where it is not known',
      }),
    ),
    last_used_at: orNull(moment('When it was last used, to the minute')),
    revoked_at: orNull(moment('When it was revoked')),
  },
  { title: 'Key' },
);

export const NewKeyResponse = Type.Object(
  {
    ...keyFields,
    api_key: Type.String({ description: 'The key itself, returned this once' }),
  },
  { title: 'CreatedKey' },
);
