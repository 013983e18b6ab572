import { hash } from 'node:crypto';
import Type, { type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Linked } from '../../adapter/adapter.ts';
import type { Command } from '../../adapter/commands.ts';
import { DEVICE_TYPES, type DeviceType, DeviceTypeSchema } from '../../adapter/device.ts';
import { outcomeUnknown } from '../../adapter/failures.ts';
import { NeedsUser, PLUG_IN } from '../../adapter/interventions.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError, type ErrorCodeName } from '../../core/errors.ts';
import { ask, type CloudAnswer } from './simulator.ts';

/** A device's reading; null while the cloud cannot reach it. */
export type Answer<Reading> = Reading | null;

const REASONS = {
  out_of_range: 'command.out_of_range',
  wrong_axis: 'command.axis_unsupported',
  refused: 'vendor.refused',
  remote_start_not_allowed: 'vendor.refused',
  not_plugged_in: 'vendor.refused',
  unreachable: 'device.offline',
} as const satisfies Record<string, ErrorCodeName>;
type Reason = keyof typeof REASONS;
/** What the user does about it. */
const INTERVENTIONS: { readonly [R in Reason]?: string } = {
  remote_start_not_allowed: 'allow_remote_start',
  not_plugged_in: PLUG_IN,
};

const refusals = Compile(
  Type.Object({ reason: Type.Enum(Object.keys(REASONS) as Reason[]), message: Type.String() }),
);
const envelopes = Compile(Type.Object({ reachable: Type.Boolean(), reading: Type.Unknown() }));
const taken = Compile(Type.Object({ accepted: Type.Literal(true) }));

/** One call to the cloud; every failure becomes an `AppError`. */
async function call(session: Session, device: DeviceRef, command?: Command): Promise<unknown> {
  const answer = await withinSessionTime(session, ask(session, device, command));
  if (answer.status === 200 || answer.status === 202) return answer.body;
  if (answer.status === 429) {
    const retryAfterSeconds = answer.retryAfterSeconds ?? 60;
    throw new AppError(
      'vendor.rate_limited',
      `the rate limit of the sandbox is exceeded; retry in ${retryAfterSeconds} seconds`,
      { retryAfterSeconds },
    );
  }
  if (!refusals.Check(answer.body))
    throw command === undefined ? notUnderstood(device) : outcomeUnknown('the sandbox');
  const { reason, message } = answer.body;
  const refusal = new AppError(REASONS[reason], `sandbox ${device.id}: ${message}`);
  const intervention = INTERVENTIONS[reason];
  throw intervention === undefined ? refusal : new NeedsUser(intervention, refusal);
}

async function withinSessionTime(session: Session, answer: Promise<CloudAnswer>): Promise<CloudAnswer> {
  try {
    return await answer;
  } catch (cause) {
    if (!session.signal.aborted) throw cause;
    throw new AppError('vendor.timeout', 'the sandbox did not respond in time', { cause });
  }
}

const notUnderstood = (device: DeviceRef) =>
  new AppError('vendor.answer_invalid', `the sandbox's response about ${device.id} was not understood`);

/** A `read` that accepts only responses of this schema. */
export function reader<Reading extends TSchema>(reading: Reading) {
  const readings = Compile(reading);
  return async (session: Session, device: DeviceRef): Promise<Answer<Type.Static<Reading>>> => {
    const body = await call(session, device);
    if (!envelopes.Check(body)) throw notUnderstood(device);
    if (!body.reachable) return null;
    if (!readings.Check(body.reading)) throw notUnderstood(device);
    return body.reading;
  };
}

/** Sends any command: the sandbox uses elnav's own format. */
export async function order(session: Session, device: DeviceRef, command: Command): Promise<void> {
  if (!taken.Check(await call(session, device, command))) throw outcomeUnknown('the sandbox');
}

export const Credentials = Type.Object(
  {
    device_types: Type.Optional(
      Type.Array(DeviceTypeSchema, {
        minItems: 1,
        maxItems: DEVICE_TYPES.length,
        description: 'Device types to simulate; default one of each',
      }),
    ),
    seed: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The same user_ref and seed always give the same devices',
      }),
    ),
  },
  { additionalProperties: false },
);

const credentialsCheck = Compile(Credentials);

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Ten characters of RFC 4648 base32, 50 bits of SHA-256 over the parts. */
function token(...parts: string[]): string {
  const bytes = hash('sha256', JSON.stringify(parts), 'buffer');
  return Array.from(bytes.subarray(0, 10), (byte) => ALPHABET[byte % 32]).join('');
}

const nameOf = (type: DeviceType) => `Sandbox ${type.replaceAll('_', ' ')}`;

/** The simulated account of a user. Nothing is loaded or stored: ids follow from user_ref and seed. */
export async function link(session: Session): Promise<Linked> {
  const { credentials, userRef } = session;
  if (!credentialsCheck.Check(credentials))
    throw new AppError(
      'link.credentials_invalid',
      'the credentials of sandbox are device_types and seed, both optional',
    );
  const seed = credentials.seed ?? '';
  const types = DEVICE_TYPES.filter((type) => credentials.device_types?.includes(type) ?? true);
  return {
    vendorAccount: `sandbox-${token('account', userRef, seed)}`,
    devices: types.map((type) => ({
      id: `${type}-${token(type, userRef, seed)}`,
      type,
      name: nameOf(type),
    })),
  };
}
