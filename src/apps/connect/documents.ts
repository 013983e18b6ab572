import Type from 'typebox';
import { WebhookPost } from '../../domain/records/events/index.ts';
import type { DocumentOptions } from '../../http/openapi.ts';

/** A receiver that wants the same events later. */
const RETRY = {
  description: 'Sent again, after Retry-After where it is given',
  headers: { 'Retry-After': { schema: { type: 'integer', minimum: 1 }, description: 'Seconds' } },
};

/** What the document of Connect says besides its routes. */
export const CONNECT_DOCUMENT = {
  webhooks: {
    events: {
      operationId: 'receiveEvents',
      summary: 'Receive events that a subscription posts',
      description:
        'Signed by Standard Webhooks. Respond 2xx within 15 seconds once the events are stored; otherwise the same are sent again with the same `webhook-id`, with growing pauses, for 72 hours. An event may come more than once: handle each `id` once.',
      tags: ['Events'],
      parameters: Type.Object({
        'webhook-id': Type.String({
          description: 'The same for each attempt to deliver these events',
          examples: ['msg_7c1f0b1e2d3a4b5c'],
        }),
        'webhook-timestamp': Type.String({
          pattern: '^\\d+$',
          description: 'When it was sent, seconds since 1970',
          examples: ['1795281900'],
        }),
        'webhook-signature': Type.String({
          description:
            'v1,… (HMAC-SHA256) or v1a,… (Ed25519), one for each secret that is in force, with spaces between',
          examples: ['v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='],
        }),
      }),
      body: WebhookPost,
      responses: {
        '2XX': { description: 'Received: the next events follow' },
        410: { description: 'The receiver is gone: the subscription is paused' },
        429: RETRY,
        503: RETRY,
      },
    },
  },
  service: 'connect',
  title: 'elnav Connect',
  description: 'One API for energy devices of many vendors: link, list, read and control them.',
  tags: [
    {
      name: 'Linking',
      description:
        'Your user links a vendor account once. Send the credentials that you have, or send the user to a page of this service that asks for them.',
    },
    {
      name: 'Devices',
      description:
        'Linked devices of every vendor in one format: what they are, what state they are in, and commands to control them.',
    },
    {
      name: 'Events',
      description:
        'What happened to links and devices, kept for 30 days unless the operator sets another time. Read it from a cursor, or let it be streamed; nothing is missed.',
    },
    {
      name: 'Charging',
      description:
        'Charging transactions and meter readings, charge cards, and the maintenance of charging stations.',
    },
    {
      name: 'Optimization',
      description:
        'The cheapest charging schedule by a deadline. Nothing is stored, and no device is controlled.',
    },
    {
      name: 'Flexibility',
      description:
        'How much power a fleet can add or drop, and how a change of power is spread over its members.',
    },
    {
      name: 'Requests',
      description: 'What became of a request: every response has its id in the header X-Request-Id.',
    },
    {
      name: 'Gateways',
      description: 'Small programs in the networks of users, through which devices there are linked.',
    },
    { name: 'Webhooks', description: 'Vendors report changes here. Your own program does not call it.' },
    {
      name: 'Account',
      description:
        'Your account: its limits, what it called, the look of its link pages, and its API keys, which people manage in the console.',
    },
    { name: 'Partners', description: 'Apply for an account.' },
    { name: 'Operation', description: 'For the operator of the service.' },
  ],
  start: () => [
    {
      title: 'API key',
      text: `Create a key in [the console](/console/keys), or on the server with \`npm run key\`. Send it with each request in the header \`X-Api-Key\`, or as \`Authorization: Bearer …\`.`,
    },
    {
      title: 'First call',
      text: 'Link a simulated account with [POST /link](#post-link): the vendor is `sandbox` and needs no credentials. Then list its devices with [GET /devices](#get-devices) and control one with [POST /devices/{id}/command](#post-devices-id-command).',
    },
    {
      title: 'Errors',
      text: 'Every error is a JSON object `{"error": "…"}` with a sentence, and has a stable code in the header `Elnav-Error`. See [Errors](#errors).',
    },
    {
      title: 'Rate limits',
      text: 'Each account has limits per minute, hour and day. The headers `RateLimit` and `RateLimit-Policy` show them. Over a limit, the response is 429; retry after `Retry-After` seconds.',
    },
    {
      title: 'Idempotency',
      text: 'Linking, commands and operations of stations accept the header `Idempotency-Key`. If you repeat a request with the same key within 24 hours, for example after a timeout, you get the first response and nothing is done twice.',
    },
    {
      title: 'Pagination',
      text: 'Lists come in pages. Where there is more, the header `Link` has the address of the next page, with `rel="next"`; most responses have its cursor in a field too.',
    },
  ],
  firstCalls: ['POST /link', 'GET /devices', 'POST /devices/{id}/command'],
  warnings: {
    'POST /devices/{id}/command':
      'This controls a real device, unless it is a sandbox or simulated device. I want to do this.',
    'POST /devices/{id}/station':
      'This resets or changes a real charging station, unless it is simulated. I want to do this.',
    'DELETE /links/{id}': 'This deletes the linked account with its devices and states. I want to do this.',
  },
} satisfies Partial<DocumentOptions>;
