import type { DeviceType } from '../../src/adapter/device.ts';
import { from } from './import-line.ts';
import type { KindTemplate } from './kinds.ts';

export const SIGN_INS = ['password', 'oauth', 'key', 'address'] as const;
export type SignInKind = (typeof SIGN_INS)[number];
/** Ways to sign in at a cloud. */
export type CloudSignIn = Exclude<SignInKind, 'address'>;

/** The vendor that a folder is written for. */
export interface NewVendor<S extends SignInKind = SignInKind> {
  readonly slug: string;
  readonly name: string;
  readonly type: DeviceType;
  readonly kind: KindTemplate;
  readonly signIn: S;
}

const LINKING: Readonly<Record<CloudSignIn, (vendor: NewVendor) => string>> = {
  password: ({ name }) => `  ...password({
    vendor: '${name}',
    user: 'email',
    async signIn({ http, clock }, { username, password }) {
      const json = { username, password };
      const response = await http.send({ method: 'POST', path: '/token', use: 'login', json });
      return tokensIn('${name}', response.json(), { now: clock.now(), before: undefined });
    },
  }),`,
  oauth: ({ slug }) => `  ...oauth2({
    authorizeUrl: 'https://auth.${slug}.example/oauth2/authorize',
    tokenUrl: 'https://auth.${slug}.example/oauth2/token',
    scopes: ['devices'],
  }),`,
  key: ({ name }) => `  ...apiKey({
    vendor: '${name}',
    headers: (key) => ({ 'x-api-key': key }),
    check: { path: '/account' },
  }),`,
};

const PARTS: Readonly<Record<CloudSignIn, readonly string[]>> = {
  password: ['password', 'tokensIn'],
  oauth: ['oauth2'],
  key: ['apiKey'],
};

/** `charger` to `Charger`. */
export const shapeOf = ({ type }: NewVendor) =>
  type
    .split('_')
    .map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}`)
    .join('');

/** The controls of a kind, each of whose commands is `order`. */
export const controlsOf = ({ kind }: NewVendor): string =>
  Object.entries(kind.controls)
    .map(
      ([capability, commands]) => `${capability}: { ${commands.map((one) => `${one}: order`).join(', ')} },`,
    )
    .join('\n        ');

export function indexFile(vendor: NewVendor<CloudSignIn>): string {
  const { slug, name, type, kind, signIn } = vendor;
  const shape = shapeOf(vendor);
  const parts = ['allPages', 'each', 'named', ...PARTS[signIn], 'vendorCalls'].toSorted();
  const hasCommands = Object.keys(kind.controls).length > 0;
  const reads = kind.reads.map(({ capability, name: of }) => `${capability}: ${of}`).join(', ');
  const names = [...kind.reads.map((one) => one.name), 'statusOf', 'Account', 'Listed', 'Page'].toSorted();
  return `${from('{ type Adapter, kind }', '../../adapter/adapter.ts')}
${hasCommands ? `${from('type { Command }', '../../adapter/commands.ts')}\n` : ''}${from('type { Found }', '../../adapter/device.ts')}
${from(`{ ${parts.join(', ')} }`, '../../adapter/kit/index.ts')}
${from('type { DeviceRef, Session }', '../../adapter/session.ts')}
${from(`{ ${names.join(', ')}, type ${shape} }`, './translate.ts')}

const api = vendorCalls('${name}');

/** ${kind.many} of ${name}. */
export const ${slug} = {
  slug: '${slug}',
  name: '${name}',
${LINKING[signIn](vendor)}
  hosts: { api: 'https://api.${slug}.example' },
  simulator: () => import('./simulator.ts'),
  pushes: false,
  pollSeconds: 60,
  async link(session) {
    const { id } = await api.get(session, '/account', Account, { use: 'list', what: 'the account' });
    return { vendorAccount: id, devices: await listDevices(session) };
  },
  list: listDevices,
  kinds: {
    ${type}: kind<${shape}>({
      read: readDevice,
      status: statusOf,
      reads: { ${reads} },
      controls: {${hasCommands ? `\n        ${controlsOf(vendor)}\n      ` : ''}},
${kind.more ?? ''}    }),
  },
} satisfies Adapter;

/** Every device of the account; a page that fails fails the whole list. */
async function listDevices(session: Session): Promise<Found[]> {
  const devices = await allPages('the devices', async (cursor?: string) => {
    const query = { cursor };
    const page = await api.get(session, '/devices', Page, { use: 'list', query, what: 'the devices' });
    return { members: each(page.devices, Listed), next: page.next };
  });
  return devices.map((one) => ({ id: one.id, type: '${type}' as const, ...named(one.name) }));
}

/** One call for everything that the vendor knows of a device now. */
async function readDevice(_session: Session, { id }: DeviceRef): Promise<${shape}> {
  throw new Error(\`write readDevice in index.ts: ask ${name} for \${id}, and check the response with ${shape}\`);
}
${
  hasCommands
    ? `
/** Sends a command; resolves when the vendor has accepted it. */
async function order(_session: Session, { id }: DeviceRef, command: Command): Promise<void> {
  throw new Error(\`write order in index.ts: send \${command.type} to \${id}\`);
}
`
    : ''
}`;
}

export function translateFile(vendor: NewVendor): string {
  const { kind, name, signIn } = vendor;
  const isLocal = signIn === 'address';
  const hasVerdict = isLocal && Object.keys(kind.controls).length > 0;
  const shape = shapeOf(vendor);
  const fields = Object.entries({ online: { schema: 'Boolean' }, ...kind.fields });
  const used = (text: string) =>
    fields.map(([field]) => field).filter((field) => new RegExp(`\\b${field}\\b`).test(text));
  const status = Object.entries(kind.status)
    .map(([member, of]) => (member === of ? member : `${member}: ${of}`))
    .join(', ');
  const reads = kind.reads.map(
    ({ name: of, of: expression, from: names }) =>
      `export const ${of} = ({ ${names.join(', ')} }: ${shape}): number => Math.round(${expression});`,
  );
  return `import Type, { type Static } from 'typebox';
${from('type { Status }', '../../adapter/device.ts')}
${from('{ lenient, PlainId }', '../../adapter/kit/index.ts')}

${
  isLocal
    ? hasVerdict
      ? `/** What it says to a command. */\nexport const Verdict = Type.Object({ accepted: Type.Boolean() });\n`
      : ''
    : `export const Account = Type.Object({ id: PlainId });
export const Page = Type.Object({ devices: Type.Array(Type.Unknown()), next: Type.Optional(Type.String()) });
export const Listed = lenient({ id: PlainId }, 'name');
`
}
/** ${kind.many} in the words of ${name}: what it says of one. */
export const ${shape} = ${isLocal ? 'lenient(' : 'Type.Object('}{
${isLocal ? '  id: PlainId,\n' : ''}${fields.map(([field, { schema }]) => `  ${field}: Type.${schema}(),`).join('\n')}
}${isLocal ? ", 'name'" : ''});
export type ${shape} = Static<typeof ${shape}>;

export function statusOf({ ${used(`online ${status}`).join(', ')} }: ${shape}): Status {
  return { online${status === '' ? '' : `, ${status}`} };
}

${reads.join('\n')}
`;
}
