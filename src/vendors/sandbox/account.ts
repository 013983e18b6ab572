import { hash } from 'node:crypto';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Linked } from '../../adapter/adapter.ts';
import { DEVICE_TYPES, type DeviceType, DeviceTypeSchema } from '../../adapter/device.ts';
import type { Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';

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
