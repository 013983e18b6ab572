import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Surroundings, Wanted } from '../adapter/discovers.ts';
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import {
  DISCOVER,
  MOST_EXCEPT,
  MOST_INSTANCES,
  MOST_NETWORKS,
  MOST_OPEN,
} from '../gateway/wire/discovery.ts';
import type { GatewayTunnels } from './connections/index.ts';
import { codeOf } from './exchange.ts';

/** What a gateway may take, which gives itself 6 s. */
const GATEWAY_MS = 8_000;
const RETRY_SECONDS = 15;

const Port = Type.Integer({ minimum: 1, maximum: 65_535 });
const Address = Type.String({ minLength: 2, maxLength: 45, pattern: '^[0-9a-fA-F:.]+$' });

/** The part of a gateway's answer that is used. */
const Answer = Type.Object({
  networks: Type.Array(Type.String({ maxLength: 50 }), { maxItems: MOST_NETWORKS }),
  instances: Type.Array(
    Type.Object({
      service: Type.String({ maxLength: 70 }),
      addresses: Type.Array(Address, { minItems: 1, maxItems: 8 }),
      port: Port,
    }),
    { maxItems: MOST_INSTANCES },
  ),
  open: Type.Array(Type.Object({ address: Address, port: Port }), { maxItems: MOST_OPEN }),
  is_complete: Type.Boolean(),
});

interface LookAroundOptions {
  readonly gateways: GatewayTunnels;
  readonly clock: Clock;
}

/**
 * Asks a gateway what it sees of its networks. Throws `vendor.unreachable` where it is not connected to this process, `gateway.unsupported`
 * where its version has no such service, `gateway.discovering` where it is asked already, and `vendor.timeout` or `vendor.answer_invalid`.
 */
export function createLookAround({ gateways, clock }: LookAroundOptions) {
  const isAnswer = Compile(Answer);

  const away = async (gateway: string): Promise<AppError> =>
    new AppError(
      'vendor.unreachable',
      `no device can be looked for: ${(await gateways.whereabouts(gateway)).why}`,
    );

  async function failureOf(error: unknown, gateway: string): Promise<AppError> {
    if (error instanceof AppError) return error;
    switch (codeOf(error)) {
      case 'EGATEWAY':
        return away(gateway);
      case 'ENOTSUP':
        return new AppError(
          'gateway.unsupported',
          'the version of the gateway cannot look for devices; update elnav where it runs',
        );
      case 'EBUSY':
        return new AppError('gateway.discovering', 'the gateway is looking for devices already', {
          retryAfterSeconds: RETRY_SECONDS,
        });
      default:
        return new AppError('vendor.answer_invalid', 'the gateway could not look for devices', {
          cause: error,
        });
    }
  }

  return async (gateway: string, wanted: Wanted): Promise<Surroundings> => {
    const tunnel = gateways.of(gateway);
    if (tunnel === undefined) throw await away(gateway);
    const slow = new AbortController();
    const cancel = clock.after(GATEWAY_MS, () =>
      slow.abort(new AppError('vendor.timeout', 'the gateway did not respond in time')),
    );
    try {
      const { services, ports, except } = wanted;
      const question = {
        services: [...services],
        ports: [...ports],
        except: except.slice(0, MOST_EXCEPT).map((one) => ({ ...one })),
      };
      const answer = await tunnel.ask(DISCOVER, question, slow.signal);
      if (isAnswer.Check(answer)) return answer;
    } catch (error) {
      throw await failureOf(error, gateway);
    } finally {
      cancel();
    }
    throw new AppError('vendor.answer_invalid', 'the response of the gateway was not understood');
  };
}
