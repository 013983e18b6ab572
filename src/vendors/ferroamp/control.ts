import Type from 'typebox';
import type { CommandOf } from '../../adapter/commands.ts';
import type { MqttMessage } from '../../adapter/connections.ts';
import { messageIn, refused, word } from '../../adapter/kit/index.ts';
import { publishScript } from '../../adapter/scripts/mqtt.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { SetPoint } from '../../adapter/set-points.ts';
import { outcomeUnknown } from '../../adapter/vendor-failure.ts';
import { AppError } from '../../core/errors.ts';
import { brokerOf, placeOf } from './hub.ts';

const REQUEST = 'extapi/control/request';
/** At once: whether the hub takes the command. */
const RESPONSE = 'extapi/control/response';
/** Later: what its converters made of it. */
const RESULT = 'extapi/control/result';
const REPLIES_MS = 5_000;
const MOST_REASON = 160;

const Reply = Type.Object({
  transId: Type.Union([Type.String(), Type.Number()]),
  status: Type.String(),
  msg: Type.Optional(Type.Unknown()),
});

interface Order {
  readonly name: 'charge' | 'discharge' | 'auto';
  readonly arg?: string;
}

/**
 * Sends an order with an id of its own, and waits for the replies that carry it. Throws `vendor.refused` with the hub's reason for a `nak`. An
 * order that was acknowledged holds, whether or not a result follows.
 */
async function order(session: Session, { id }: DeviceRef, cmd: Order): Promise<void> {
  const transId = crypto.randomUUID();
  let isAcknowledged = false;
  const replyIn = (message: MqttMessage) => {
    if (message.topic !== RESPONSE && message.topic !== RESULT) return undefined;
    const reply = messageIn(message.text(), Reply);
    return String(reply?.transId) === transId ? reply : undefined;
  };
  const asked = brokerOf(session).request({
    topic: REQUEST,
    payload: JSON.stringify({ transId, cmd }),
    replyTopic: 'extapi/control/+',
    timeoutMs: REPLIES_MS,
    use: 'command',
    device: id,
    isReply(message) {
      const reply = replyIn(message);
      if (reply === undefined) return false;
      isAcknowledged ||= reply.status === 'ack';
      return reply.status !== 'ack' || message.topic === RESULT;
    },
  });
  const last = await asked.catch((error: unknown) => {
    if (isAcknowledged && error instanceof AppError && error.code === 'command.outcome_unknown')
      return undefined;
    throw error;
  });
  const reply = last === undefined ? undefined : replyIn(last);
  if (reply === undefined || reply.status === 'ack') return;
  if (reply.status !== 'nak') throw outcomeUnknown('Ferroamp');
  throw refused(`the EnergyHub refused the command: ${word(reply.msg, MOST_REASON) ?? 'it gave no reason'}`);
}

/** The order for a set-point: the hub has a word for each direction, and 0 W stops the battery, which `auto` would not. */
export async function setBatteryPower(
  session: Session,
  device: DeviceRef,
  { power_w }: CommandOf<'set_battery_power'>,
): Promise<void> {
  await order(session, device, {
    name: power_w < 0 ? 'discharge' : 'charge',
    arg: String(Math.abs(power_w)),
  });
}

const AUTO: Order = { name: 'auto' };

/** Gives the battery back to the hub. The bytes are confirmed by its broker alone. */
export const automatic = {
  release: (session, device) => order(session, device, AUTO),
  async releaseBytes(session) {
    const payload = JSON.stringify({ transId: 'elnav-gateway', cmd: AUTO });
    const script = publishScript(placeOf(session), { topic: REQUEST, payload });
    return script && [script];
  },
} satisfies SetPoint;
