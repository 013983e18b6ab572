import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { AppError } from '../../../core/errors.ts';
import { validator } from '../../../core/validate.ts';
import { type Cursors, EVENT_TYPE_NAMES } from '../../../domain/records/events/index.ts';
import {
  ATTEMPTS_KEPT,
  MOST_OF_ACCOUNT,
  PAYLOAD_VERSION,
  SIGNATURES,
  type SubscriptionKey,
  type Subscriptions,
} from '../../../domain/records/subscriptions/index.ts';
import { placeOf, unlessExpired } from '../events/query.ts';
import { principalOf, readPath } from '../input/parameters.ts';
import { errorResponses, responses } from '../schemas.ts';

const ID = 'Bq2k9dQz0aT1mVb7LpRw2s';
const URL_EXAMPLE = 'https://app.example.com/elnav-events';

const SubscriptionId = Type.Object({
  id: Type.String({ description: 'Id of the subscription, from GET /subscriptions', examples: [ID] }),
});

const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const moment = (description: string) => Type.String({ format: 'date-time', description });

const Url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description:
    'Where events are posted: a public address with https at port 443 or 8443, or one in a network that the operator permits (ELNAV_LOCAL_NETWORKS)',
  examples: [URL_EXAMPLE],
});
const Types = orNull(
  Type.Array(Type.String({ maxLength: 100 }), {
    minItems: 1,
    maxItems: EVENT_TYPE_NAMES.length,
    description: `Types of events: ${EVENT_TYPE_NAMES.join(', ')}. Default: all`,
    examples: [['device.state_changed', 'link.needs_relink']],
  }),
);
const ofText = (description: string) => orNull(Type.String({ minLength: 1, maxLength: 200, description }));
const Device = ofText('Only events of this device');
const UserRef = ofText('Only events of this user');

const Changes = Type.Object(
  {
    url: Type.Optional(Url),
    types: Type.Optional(Types),
    device: Type.Optional(Device),
    user_ref: Type.Optional(UserRef),
  },
  { title: 'SubscriptionChange' },
);

const NewSubscription = Type.Object(
  {
    ...Changes.properties,
    url: Url,
    version: Type.Optional(
      Type.Integer({
        minimum: PAYLOAD_VERSION,
        maximum: PAYLOAD_VERSION,
        default: PAYLOAD_VERSION,
        description: 'Version of the payload, which stays as it is for this subscription',
      }),
    ),
    signature: Type.Optional(
      Type.Enum([...SIGNATURES], {
        default: SIGNATURES[0],
        description:
          'Of Standard Webhooks: hmac-sha256 (v1) with a shared secret, or ed25519 (v1a), which you verify with the public key',
      }),
    ),
  },
  { title: 'NewSubscription' },
);

const ReplayBody = Type.Object(
  {
    after: orNull(
      Type.String({
        maxLength: 200,
        description: 'A cursor of GET /events; null: from the oldest event that is kept',
      }),
    ),
  },
  { title: 'Replay' },
);

const Subscription = Type.Object(
  {
    id: Type.String({ examples: [ID] }),
    url: Url,
    status: Type.Enum(['active', 'paused']),
    reason: orNull(
      Type.Enum(['gone', 'failing'], {
        description:
          'Why it is paused. gone: the receiver answered 410. failing: no delivery went well for 72 hours',
      }),
    ),
    types: Types,
    device: Device,
    user_ref: UserRef,
    version: Type.Integer({ examples: [PAYLOAD_VERSION] }),
    signature: Type.Enum([...SIGNATURES]),
    public_key: orNull(Type.String({ description: 'whpk_…, of ed25519' })),
    created_at: moment('When it was created'),
    lag_seconds: Type.Number({
      description:
        'Age of the oldest event that it has not got past, whether or not it wants that one; 0 without one',
      examples: [0],
    }),
    failures: Type.Integer({ description: 'Deliveries that failed since the last that went well' }),
    failing_since: orNull(moment('When the first of them failed')),
    next_attempt_at: orNull(moment('When the same events are sent again')),
    lost: orNull(
      Type.Object(
        {
          from: moment('The last moment of which nothing is missing'),
          to: moment('When the oldest event was recorded that was left'),
        },
        {
          title: 'LostEvents',
          description: 'Events that were removed because of their age before they could be delivered',
        },
      ),
    ),
  },
  { title: 'Subscription' },
);

const HmacSecret: Type.TSchema = Type.Object(
  {
    ...Subscription.properties,
    signature: Type.Literal('hmac-sha256'),
    public_key: Type.Null(),
    secret: Type.String({
      description: 'whsec_…, shown this once',
      examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
    }),
  },
  { title: 'HmacSubscription' },
);
const Ed25519Secret: Type.TSchema = Type.Object(
  {
    ...Subscription.properties,
    signature: Type.Literal('ed25519'),
    public_key: Type.String({ description: 'whpk_…', examples: ['whpk_4mZ0…'] }),
    secret: Type.Null(),
  },
  { title: 'Ed25519Subscription' },
);

/** Which fields are there follows from the kind of the signature. */
const WithSecret = Type.Object(
  { ...Subscription.properties, secret: orNull(Type.String()) },
  {
    title: 'CreatedSubscription',
    documented: Type.Union([HmacSecret, Ed25519Secret], { discriminator: { propertyName: 'signature' } }),
  },
);

const outcome = {
  status: orNull(Type.Integer({ description: 'Of the response; null without one', examples: [200] })),
  error: orNull(Type.String({ description: 'Why it failed; null where it went well' })),
  response: orNull(Type.String({ description: 'The first 1,024 bytes of its body' })),
  duration_ms: Type.Integer(),
  webhook_id: Type.String(),
};
const Attempt = Type.Object(
  {
    at: moment('When it was sent'),
    events: Type.Integer({ description: 'How many were sent' }),
    ...outcome,
  },
  { title: 'DeliveryAttempt' },
);

const CHANGEABLE = Object.keys(Changes.properties);
const checkNew = validator(NewSubscription, { name: 'body' });
const checkChanges = validator(Changes, { name: 'body' });
const checkReplay = validator(ReplayBody, { name: 'body' });

export interface SubscriptionRoutes {
  readonly subscriptions: Subscriptions;
  readonly eventCursors: Cursors;
}

const keyIn = (request: FastifyRequest): SubscriptionKey => ({
  account: principalOf(request).account,
  id: readPath(SubscriptionId, request).id,
});

/** Throws `request.invalid` for a type that does not exist. */
function typesIn(types: readonly string[] | null | undefined) {
  const names: readonly string[] = EVENT_TYPE_NAMES;
  const wrong = types?.find((type) => !names.includes(type));
  if (wrong === undefined) return types;
  throw new AppError(
    'request.invalid',
    `body.types has ${JSON.stringify(wrong)}, which is no type of event; there are ${names.join(', ')}`,
  );
}

const config = { access: 'link:write' } as const;
const tags = ['Events'];
const params = SubscriptionId;

/** Receivers of events: created, changed, tried out, and looked into. */
export function addSubscriptionRoutes(app: FastifyInstance, dependencies: SubscriptionRoutes): void {
  const { subscriptions } = dependencies;
  app.post(
    '/subscriptions',
    {
      config,
      schema: {
        operationId: 'createSubscription',
        summary: 'Have events posted to your server, from now on',
        description: `Events are posted as \`{"events": [...]}\`, the objects of GET /events, up to 100 at a time and signed by Standard Webhooks (\`webhook-id\`, \`webhook-timestamp\`, \`webhook-signature\`). Answer 2xx within 15 seconds once you have stored them: the next ones follow then, so that they come in their order. Otherwise the same are sent again with the same \`webhook-id\`, with growing pauses, for 72 hours; 410 ends it. After that the subscription is paused and keeps its cursor: POST /subscriptions/{id}/resume delivers what was missed. An event may come more than once: handle each \`id\` once. An account has ${MOST_OF_ACCOUNT} subscriptions at most.`,
        tags,
        body: NewSubscription,
        response: { 201: WithSecret, ...errorResponses([409]) },
      },
    },
    async (request, reply) => {
      const body = checkNew(request.body);
      const { url, types, device, user_ref: userRef, signature = SIGNATURES[0] } = body;
      const wanted = {
        url,
        types: typesIn(types) ?? null,
        device: device ?? null,
        userRef: userRef ?? null,
      };
      const created = await subscriptions.create(principalOf(request).account, wanted, signature);
      return reply.code(201).send(created);
    },
  );
  app.get(
    '/subscriptions',
    {
      config,
      schema: {
        operationId: 'listSubscriptions',
        summary: 'List subscriptions, with how far behind each is',
        tags,
        response: { 200: Type.Array(Subscription) },
      },
    },
    (request) => subscriptions.list(principalOf(request).account),
  );
  app.get(
    '/subscriptions/:id',
    {
      config,
      schema: {
        operationId: 'getSubscription',
        summary: 'Read a subscription',
        tags,
        params,
        response: { 200: Subscription },
      },
    },
    (request) => subscriptions.find(keyIn(request)),
  );
  app.patch(
    '/subscriptions/:id',
    {
      config,
      schema: {
        operationId: 'updateSubscription',
        summary: 'Change where events are posted, or which',
        description:
          'Fields that are left out stay; null removes a filter. What follows is sent at once, also where it had to wait.',
        tags,
        params,
        body: Changes,
        response: { 200: Subscription },
      },
    },
    (request) => {
      const { url, types, device, user_ref: userRef } = checkChanges(request.body);
      if ([url, types, device, userRef].every((field) => field === undefined))
        throw new AppError('request.invalid', `body must have at least one of ${CHANGEABLE.join(', ')}`);
      return subscriptions.change(keyIn(request), {
        ...(url === undefined ? {} : { url }),
        ...(types === undefined ? {} : { types: typesIn(types) ?? null }),
        ...(device === undefined ? {} : { device }),
        ...(userRef === undefined ? {} : { userRef }),
      });
    },
  );
  app.delete(
    '/subscriptions/:id',
    {
      config,
      schema: {
        operationId: 'deleteSubscription',
        summary: 'Delete a subscription with its attempts',
        tags,
        params,
        response: {
          204: Type.Null({ description: 'Deleted' }),
        },
      },
    },
    async (request, reply) => {
      await subscriptions.remove(keyIn(request));
      return reply.code(204).send();
    },
  );
  addDeliveryRoutes(app, dependencies);
}

/** Adds the routes of one subscription: new secret, test delivery, deliveries again, resume, and its deliveries. */
function addDeliveryRoutes(
  app: FastifyInstance,
  { subscriptions, eventCursors: cursors }: SubscriptionRoutes,
): void {
  app.post(
    '/subscriptions/:id/rotate',
    {
      config,
      schema: {
        operationId: 'rotateSubscriptionSecret',
        summary: 'Create a new secret',
        description:
          'For 24 hours deliveries have two signatures, the second one of the old secret, so that you can change it without missing one.',
        tags,
        params,
        response: { 200: WithSecret },
      },
    },
    (request) => {
      return subscriptions.rotate(keyIn(request));
    },
  );
  app.post(
    '/subscriptions/:id/test',
    {
      config,
      schema: {
        operationId: 'testSubscription',
        summary: 'Send a test event, and return what the receiver answered',
        description:
          'One event of the type `subscription.test`, signed as all are. It is sent once, also while the subscription is paused, and changes nothing.',
        tags,
        params,
        response: { 200: Type.Object(outcome, { title: 'DeliveryOutcome' }) },
      },
    },
    (request) => subscriptions.test(keyIn(request)),
  );
  app.post(
    '/subscriptions/:id/replay',
    {
      config,
      schema: {
        operationId: 'replaySubscription',
        summary: 'Deliver from a cursor on: again, or with some left out',
        description:
          'What was delivered already after the cursor is delivered again, with another `webhook-id`. A later cursor skips what is before it. A paused subscription stays paused.',
        tags,
        params,
        body: ReplayBody,
        response: responses(Subscription, [410]),
      },
    },
    (request, reply) => {
      const key = keyIn(request);
      const { after } = checkReplay(request.body);
      const { account } = key;
      return unlessExpired({ account, cursors, reply }, () =>
        subscriptions.replay(key, placeOf({ account, cursors }, after ?? undefined)),
      );
    },
  );
  app.post(
    '/subscriptions/:id/resume',
    {
      config,
      schema: {
        operationId: 'resumeSubscription',
        summary: 'Deliver again after a pause, with all that was missed',
        description:
          'It goes on where it was. Events older than the log is kept are gone; `lost` says so. One that is active and waits for its next attempt gets it at once.',
        tags,
        params,
        response: { 200: Subscription },
      },
    },
    (request) => subscriptions.resume(keyIn(request)),
  );
  app.get(
    '/subscriptions/:id/attempts',
    {
      config,
      schema: {
        operationId: 'listSubscriptionAttempts',
        summary: `List the last ${ATTEMPTS_KEPT} deliveries, the newest first`,
        tags,
        params,
        response: { 200: Type.Array(Attempt) },
      },
    },
    (request) => subscriptions.attempts(keyIn(request)),
  );
}
