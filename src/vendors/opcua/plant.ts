import Type, { type Static } from 'typebox';
import { OPCUA_POLICIES, type OpcuaConnection } from '../../adapter/connections.ts';
import { detailsOf, NAME_OR_ADDRESS } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { MappedDevice } from './node-map.ts';

const MOST_DEVICES = 50;

export const Credentials = Type.Object(
  {
    host: Type.String({
      pattern: `^${NAME_OR_ADDRESS}$`,
      minLength: 1,
      maxLength: 253,
      description: 'Host name or IP address of the server',
    }),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, description: '4840 without it' })),
    path: Type.Optional(
      Type.String({
        pattern: '^/[\\w./-]{0,200}$',
        maxLength: 201,
        description: 'Of the endpoint address, where it has one: opc.tcp://host:4840/path',
      }),
    ),
    security: Type.Optional(
      Type.Enum(['sign_and_encrypt', 'sign', 'none'], { description: 'sign_and_encrypt without it' }),
    ),
    policy: Type.Optional(
      Type.Enum([...OPCUA_POLICIES], { description: 'The strongest that the server has without it' }),
    ),
    username: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'Without it the session is anonymous' }),
    ),
    password: Type.Optional(Type.String({ minLength: 1, maxLength: 256, writeOnly: true })),
    password_without_security: Type.Optional(
      Type.Boolean({
        description: 'Sends the password although security is none: others in the network may read it',
      }),
    ),
    server_fingerprint: Type.Optional(
      Type.String({
        pattern: '^[0-9A-Fa-f]{2}(?::?[0-9A-Fa-f]{2}){31}$',
        maxLength: 95,
        description:
          'SHA-256 of the certificate that the server must have; without it, the one that it has while it is linked',
      }),
    ),
    devices: Type.Array(MappedDevice, {
      'x-api-only': true,
      maxItems: MOST_DEVICES,
      description: 'Which node means what; with none, the error of linking names variables of the server',
    }),
  },
  { additionalProperties: false },
);
export type Credentials = Static<typeof Credentials>;

export const USUAL_PORT = 4_840;

/** What linking keeps of a device: its part of the map, and the types of the nodes that are written. */
const Details = Type.Object({
  map: MappedDevice,
  types: Type.Record(Type.String(), Type.String()),
});
export type Details = Static<typeof Details>;

export const detailsIn = (device: DeviceRef): Details => detailsOf(Details, device);

export const credentialsIn = ({ credentials }: Pick<Session, 'credentials'>): Credentials =>
  credentials as Credentials;

/** The connection to the server of a link. */
export function plantOf(session: Session): OpcuaConnection {
  const given = credentialsIn(session);
  const { host, port = USUAL_PORT, path, security: mode = 'sign_and_encrypt', policy } = given;
  const { username, password, server_fingerprint } = given;
  return session.connections.opcua({
    ...{ host, port, mode },
    ...(path === undefined ? {} : { path }),
    ...(policy === undefined ? {} : { policy }),
    ...(username === undefined ? {} : { username, isUsersSignIn: true }),
    ...(password === undefined ? {} : { password }),
    ...(server_fingerprint === undefined ? {} : { fingerprint: fingerprintIn(server_fingerprint) }),
  });
}

const fingerprintIn = (text: string): string => text.replaceAll(':', '').toLowerCase();
