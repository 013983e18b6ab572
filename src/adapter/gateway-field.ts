import Type, { type TSchema } from 'typebox';
import type { Adapter } from './adapter.ts';
import type { CredentialWords } from './words.ts';

/** The field of credentials that names a gateway. It is the platform's: adapters do not see it. */
export const GATEWAY_FIELD = 'gateway';

const SCHEMA = Type.String({
  minLength: 1,
  maxLength: 40,
  description:
    'Id of a gateway in the network of the devices, from GET /gateways. Without it they are reached directly',
});

const WORDS: CredentialWords = {
  en: {
    gateway: {
      label: 'Gateway',
      hint: 'Only if you were given the id of a gateway; leave it empty otherwise.',
    },
  },
  sv: { gateway: { label: 'Gateway', hint: 'Bara om du har fått id:t för en gateway; lämna annars tomt.' } },
};

/** The adapter with the field, where its devices are in a network of the user. */
export function withGatewayField<A extends Pick<Adapter, 'credentials' | 'isLocal' | 'words'>>(
  adapter: A,
): A {
  const { credentials, isLocal, words } = adapter;
  if (isLocal !== true) return adapter;
  // The credentials of every vendor are an object.
  const { properties = {} } = credentials as { readonly properties?: Readonly<Record<string, TSchema>> };
  return {
    ...adapter,
    credentials: { ...credentials, properties: { ...properties, [GATEWAY_FIELD]: SCHEMA } },
    ...(words === undefined
      ? {}
      : { words: { en: { ...words.en, ...WORDS.en }, sv: { ...words.sv, ...WORDS.sv } } }),
  };
}
