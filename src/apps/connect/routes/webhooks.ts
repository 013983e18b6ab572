import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import type { Deliveries } from '../../../domain/devices/deliveries/index.ts';
import { readPath } from '../input/parameters.ts';
import { errorResponses } from '../schemas.ts';

const NOTHING = new Uint8Array();
/** Vendors gather what they tell; the largest that is documented is a tenth of it. */
const MOST_BYTES = 256 * 1024;
const WELL_FORMED_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;

export interface WebhookRoutes {
  readonly deliveries: Pick<Deliveries, 'challenged' | 'receive'>;
  readonly clock: Clock;
}

const OneVendor = Type.Object({ vendor: Type.String({ description: 'Vendor slug' }) });

/** What vendors post, in a scope of its own: the bytes of the body are what is signed, whatever its type. */
export async function addWebhookRoutes(
  app: FastifyInstance,
  { deliveries, clock }: WebhookRoutes,
): Promise<void> {
  await app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.addHook('onRequest', (request, _reply, done) => {
      // The framework takes no body without a type, or of one that is not well-formed.
      if (!WELL_FORMED_TYPE.test(request.headers['content-type'] ?? ''))
        request.headers['content-type'] = 'application/octet-stream';
      done();
    });
    scope.post(
      '/webhooks/:vendor',
      {
        bodyLimit: MOST_BYTES,
        config: { access: 'public', kept: 'failures' },
        schema: {
          operationId: 'receiveVendorWebhook',
          summary: 'Receive a change from a vendor',
          description:
            "Body and signature are those of the vendor's own API. Returns 202 once the delivery is stored; it is applied " +
            'afterwards, once, even if it is repeated.',
          tags: ['Webhooks'],
          params: OneVendor,
          response: {
            200: Type.Unknown({
              description: 'The response to a challenge, as the vendor wants it; nothing is stored',
            }),
            202: Type.Null({ description: 'Stored; the response has no body' }),
            ...errorResponses([400, 401, 413, 429, 503]),
          },
        },
      },
      async (request, reply) => {
        const { body } = request;
        const { vendor } = readPath(OneVendor, request);
        const delivery = {
          body: body instanceof Uint8Array ? body : NOTHING,
          headers: singleHeaders(request.headers),
          receivedAt: clock.now(),
        };
        const response = deliveries.challenged(vendor, delivery);
        if (response !== undefined) return reply.code(200).send(response);
        await deliveries.receive(vendor, delivery);
        return reply.code(202).send();
      },
    );
    done();
  });
}

function singleHeaders(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const single: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && name !== '__proto__')
      single[name] = typeof value === 'string' ? value : value.join(', ');
  return single;
}
