import { from } from './import-line.ts';

/** The vendor that a folder is written for. */
export interface NewVendor {
  readonly slug: string;
  readonly name: string;
  readonly isOAuth: boolean;
}

export function indexFile({ slug, name, isOAuth }: NewVendor): string {
  const linking = isOAuth
    ? `  credentials: LinkCode,
  hosts: { api: 'https://api.${slug}.example' },
  oauth: {
    authorizeUrl: 'https://auth.${slug}.example/oauth2/authorize',
    tokenUrl: 'https://auth.${slug}.example/oauth2/token',
    scopes: ['lamps'],
    pkce: true,
    clientAuthentication: 'body',
  },`
    : `  credentials: Credentials,
  words,
  hosts: { api: 'https://api.${slug}.example' },
  login: { signIn },`;
  return `${from('{ type Adapter, kind }', '../../adapter/adapter.ts')}
${isOAuth ? "import { LinkCode } from '../../adapter/login.ts';\n" : ''}import { ${isOAuth ? '' : 'Credentials, '}findDevices, readDevice, ${isOAuth ? '' : 'signIn, '}switchOff, switchOn } from './client.ts';
${from('{ type Lamp, powerOf, statusOf }', './translate.ts')}
${isOAuth ? '' : "import { words } from './words.ts';\n"}
/** Lamps of ${name}. */
export const ${slug} = {
  slug: '${slug}',
  name: '${name}',
${linking}
  simulator: () => import('./simulator.ts'),
  pushes: false,
  pollSeconds: 60,
  async link(session) {
    const { account, devices } = await findDevices(session);
    return {
      vendorAccount: account,
      devices: devices.map(({ id, name }) => ({ id, name, type: 'light' as const })),
    };
  },
  kinds: {
    light: kind<Lamp>({
      read: readDevice,
      status: statusOf,
      reads: { read_power: powerOf },
      controls: { on_off: { turn_on: switchOn, turn_off: switchOff } },
    }),
  },
} satisfies Adapter;
`;
}

/** How end users are asked for the credentials; a vendor by OAuth asks them itself. */
export function wordsFile({ name }: NewVendor): string {
  return `import type { WordsFor } from '../../adapter/words.ts';

/** How end users are asked for their account at ${name}. */
export const words = {
  en: {
    username: { label: 'User name at ${name}' },
    password: { label: 'Password at ${name}' },
  },
  sv: {
    username: { label: 'Användarnamn hos ${name}' },
    password: { label: 'Lösenord hos ${name}' },
  },
} satisfies WordsFor<'username' | 'password'>;
`;
}

const SIGN_IN = `
export const Credentials = Type.Object(
  {
    username: Type.String({ minLength: 1, maxLength: 200 }),
    password: Type.String({ minLength: 1, maxLength: 200, writeOnly: true }),
  },
  { additionalProperties: false },
);

const TokenAnswer = Compile(
  Type.Object({ access_token: Type.String({ minLength: 1 }), expires_in: Type.Number() }),
);

/** From user name and password to a token. Only a status that says that they are wrong is taken for that. */
export async function signIn({ http, clock }: LoginSession, credentials: JsonObject): Promise<Tokens> {
  try {
    const answer = await http.send({ method: 'POST', path: '/token', use: 'login', json: credentials });
    const told = understood(TokenAnswer, answer.json());
    return {
      access: told.access_token,
      refresh: null,
      expiresAt: clock.now() + told.expires_in * 1_000,
    };
  } catch (error) {
    if (error instanceof HttpFailure && error.status === 401)
      throw new AppError('link.credentials_refused', \`\${NAME} does not know this user and password\`, {
        cause: error,
      });
    throw vendorFailure(NAME, error);
  }
}
`;

export function clientFile({ name, isOAuth }: NewVendor): string {
  return `import Type from 'typebox';
import { Compile } from 'typebox/compile';
${isOAuth ? '' : "import { HttpFailure } from '../../adapter/http.ts';\nimport type { LoginSession, Tokens } from '../../adapter/login.ts';\n"}import type { DeviceRef, Session } from '../../adapter/session.ts';
${from('{ vendorFailure }', '../../adapter/vendor-failure.ts')}
${from('type { VendorRequest }', '../../adapter/vendor-http.ts')}
${from('{ AppError }', '../../core/errors.ts')}
${isOAuth ? '' : "import type { JsonObject } from '../../core/json.ts';\n"}import type { Lamp } from './translate.ts';

const NAME = '${name}';
${isOAuth ? '' : SIGN_IN}
const Account = Type.Object({
  account: Type.String({ minLength: 1, maxLength: 100 }),
  devices: Type.Array(
    Type.Object({
      id: Type.String({ minLength: 1, maxLength: 100 }),
      name: Type.String({ maxLength: 200 }),
    }),
  ),
});
type Account = Type.Static<typeof Account>;
const account = Compile(Account);

/** What tells an answer from anything else; fields that it does not name may be there. */
interface Schema<T> {
  Check(answer: unknown): answer is T;
}

/** Every call passes here, so that each failure is translated once. */
async function call<T>(session: Session, request: VendorRequest, schema: Schema<T>): Promise<T> {
  try {
    const answer = await session.http.send({ signal: session.signal, ...request });
    return understood(schema, answer.json());
  } catch (error) {
    throw vendorFailure(NAME, error);
  }
}

function understood<T>(schema: Schema<T>, answer: unknown): T {
  if (schema.Check(answer)) return answer;
  throw new AppError('vendor.answer_invalid', \`the answer of \${NAME} was not understood\`);
}

/** The account and its devices. */
export function findDevices(session: Session): Promise<Account> {
  return call(session, { path: '/devices', use: 'list' }, account);
}

/** One call for everything that is known of a device now. */
export async function readDevice(_session: Session, device: DeviceRef): Promise<Lamp> {
  throw new Error(\`write readDevice in client.ts: ask \${NAME} for \${device.id}, and check its answer with a schema\`);
}

/** Resolves when the vendor has taken it. */
async function order(_session: Session, device: DeviceRef, isOn: boolean): Promise<void> {
  throw new Error(\`write order in client.ts: tell \${NAME} to switch \${device.id} \${isOn ? 'on' : 'off'}\`);
}

export const switchOn = (session: Session, device: DeviceRef) => order(session, device, true);
export const switchOff = (session: Session, device: DeviceRef) => order(session, device, false);
`;
}

export function translateFile({ name }: NewVendor): string {
  return `${from('type { Status }', '../../adapter/device.ts')}

/** A lamp in the words of ${name}. */
export interface Lamp {
  readonly online: boolean;
  readonly on: boolean;
  readonly watt: number;
}

export function statusOf({ online, on }: Lamp): Status {
  return { online, power_on: on };
}

/** Watts, whole. */
export function powerOf({ watt }: Lamp): number {
  return Math.round(watt);
}
`;
}

export function testFile({ slug }: NewVendor): string {
  return `import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
${from('{ makeSimulatedVendor }', '../../../test/simulated-vendor.ts')}
${from('{ conforms }', '../../adapter/conformance/index.ts')}
${from(`{ ${slug} }`, './index.ts')}

describe('${slug}', () => {
  it('conforms to the adapter contract', async () => {
    const findings = await conforms(${slug}, await makeSimulatedVendor(${slug}));
    assert.ok(findings.length > 8, \`only \${findings.length} findings\`);
    assert.deepEqual(
      findings.filter(({ fault }) => fault !== null),
      [],
    );
  });
});
`;
}
