import type { ReachableGateways } from '../../adapter/reach.ts';
import type { Begin } from '../../core/begin.ts';
import { AppError } from '../../core/errors.ts';
import type { QuestionResult } from '../../db/bus.ts';
import type { Database } from '../../db/database.ts';
import { question } from '../../db/topic.ts';
import { type Answer, answered } from '../commands/index.ts';
import { receivedError } from '../devices/index.ts';

/** Which process a gateway is connected to; it answers with its name. */
const WHERE = question<{ readonly gateway: string }, string>('gateways.where');
const WHERE_MS = 1_000;
/** Longer than the process that does it takes. */
const DONE_MS = 40_000;

/** Work that only the process with the connection of a gateway can do. Messages and results are JSON. */
interface Relayed<M, T> {
  /** The same in all processes. */
  readonly name: string;
  /** The id of the gateway that the work needs; undefined where it needs none, and is done here. */
  gatewayOf(message: M): Promise<string | undefined>;
  work(message: M, begun: Begin): Promise<T>;
}

const UNANSWERED =
  'the instance that the gateway is connected to did not respond, and it is unknown whether it was done; retry';

/** What may be asked of any process, and is done by the one that the gateway is connected to. All of it may be done twice. */
export function createRelay({
  database: { engine, bus },
  gateways,
}: {
  readonly database: Database;
  readonly gateways: Pick<ReachableGateways, 'isHere'> | undefined;
}) {
  const self = crypto.randomUUID();
  WHERE.answer(bus, ({ gateway }) => (gateways?.isHere(gateway) === true ? self : undefined));

  return <M extends object, T>({ name, gatewayOf, work }: Relayed<M, T>) => {
    const asking = question<{ readonly holder: string; readonly message: M }, Answer<T>>(name);
    asking.answer(bus, ({ holder, message }) =>
      holder === self ? answered((begun) => work(message, begun)) : undefined,
    );

    return async (message: M, begun: Begin): Promise<T> => {
      const gateway = engine === 'sqlite' ? undefined : await gatewayOf(message);
      if (gateway === undefined || gateways?.isHere(gateway) === true) return work(message, begun);
      const found = await WHERE.ask(bus, { gateway }, { timeoutMs: WHERE_MS });
      // Here it fails with the reason why the gateway cannot be reached.
      if (found.state !== 'answered') return work(message, begun);
      await begun();
      const { message: holder, peer } = found;
      return resultOf(await asking.ask(bus, { holder, message }, { timeoutMs: DONE_MS, peer }), begun);
    };
  };
}

export type Relay = ReturnType<typeof createRelay>;

function resultOf<T>(asked: QuestionResult<Answer<T>>, begun: Begin): T {
  if (asked.state !== 'answered') {
    if (asked.state === 'lost' && !asked.isSent) begun.takeBack?.();
    throw new AppError('vendor.unreachable', UNANSWERED);
  }
  const { message } = asked;
  if ('done' in message) return message.done;
  if (message.has_begun === false) begun.takeBack?.();
  throw receivedError(message.error);
}
