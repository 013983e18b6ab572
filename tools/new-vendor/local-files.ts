import { controlsOf, type NewVendor, shapeOf } from './adapter-files.ts';
import { from } from './import-line.ts';
import { LIVES } from './lives.ts';

/* A device with HTTP in the network of its user: one at each address, and nobody signs in. What is written works: the vendor's own takes its place. */

export function localIndexFile(vendor: NewVendor): string {
  const { slug, name, type, kind } = vendor;
  const shape = shapeOf(vendor);
  const hasCommands = Object.keys(kind.controls).length > 0;
  const parts = ['credentialsOf', 'deviceAddress', 'gone', 'hostAt', 'httpAddressOf', 'LOOKING', 'named'];
  const names = [
    ...kind.reads.map((one) => one.name),
    'statusOf',
    ...(hasCommands ? ['Verdict'] : []),
    shape,
  ];
  const reads = kind.reads.map(({ capability, name: of }) => `${capability}: ${of}`).join(', ');
  return `${from('{ type Adapter, kind }', '../../adapter/adapter.ts')}
${hasCommands ? `${from('type { Command }', '../../adapter/commands.ts')}\n` : ''}${from('type { Found }', '../../adapter/device.ts')}
${from(`{ ${[...parts, ...(hasCommands ? ['refused'] : []), 'vendorCalls'].join(', ')} }`, '../../adapter/kit/index.ts')}
${from('type { DeviceRef, Session }', '../../adapter/session.ts')}
${from(`{ ${names.join(', ')} }`, './translate.ts')}

const api = vendorCalls('${name}');

const host = deviceAddress({
  en: 'You find it in the app of ${name}, or in the list of devices of your router.',
  sv: 'Du hittar den i ${name}s app, eller i routerns lista över enheter.',
});

/** ${kind.many} of ${name} in the network of their owner. */
export const ${slug} = {
  slug: '${slug}',
  name: '${name}',
  ...credentialsOf({ host }),
  isLocal: true,
  hosts: { api: 'http://${slug.replaceAll('_', '-')}.invalid' },
  chosenAddress: httpAddressOf,
  discovers: {
    ports: [80],
    credentialsAt: hostAt(80),
    async identify(session) {
      const { id, name } = await ask(session, { use: 'list', ...LOOKING });
      return { ...named(name), vendorAccount: id };
    },
  },
  pace: { active: 10, idle: 30, asleep: 120 },
  simulator: () => import('./simulator.ts'),
  pushes: false,
  pollSeconds: 5,
  async link(session: Session) {
    const devices = await listDevices(session);
    return { vendorAccount: devices[0].id, devices };
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

/** Everything that the device says of itself. */
const ask = (session: Session, options: Partial<typeof LOOKING> & { readonly use: 'list' | 'read' }) =>
  api.get(session, '/status', ${shape}, { what: 'its status', ...options });

async function listDevices(session: Session): Promise<[Found]> {
  const { id, name } = await ask(session, { use: 'list' });
  return [{ id, type: '${type}', ...named(name) }];
}

/** Another device may have got the address meanwhile. */
async function readDevice(session: Session, device: DeviceRef): Promise<${shape}> {
  const status = await ask(session, { use: 'read' });
  if (status.id !== device.id) throw gone('${name}', device);
  return status;
}
${
  hasCommands
    ? `
/** Sends a command; resolves when the device says that it has taken it. Each names the state that is wanted, so sending it twice does no harm. */
async function order(session: Session, device: DeviceRef, command: Command): Promise<void> {
  const request = { path: '/command', json: { ...command }, repeatable: true };
  const { accepted } = await api.command(session, device, request, Verdict);
  if (!accepted) throw refused(\`${name} did not take \${command.type}\`);
}
`
    : ''
}`;
}

export function localSimulatorFile(vendor: NewVendor): string {
  const { name, type, kind } = vendor;
  const shape = shapeOf(vendor);
  const { more = {}, settle, obey, arrange } = LIVES[type];
  const hasCommands = Object.keys(obey).length > 0;
  const fields = Object.entries(kind.fields);
  const cases = Object.entries(obey).map(
    ([command, does]) => `    case '${command}':\n      ${does.replaceAll('\n', '\n      ')}\n      break;`,
  );
  const value = cases.some((text) => text.includes('value'))
    ? `  const value = Object.values(command).find((one) => typeof one === 'number') ?? 0;\n`
    : '';
  return `${from(`{ ${hasCommands ? 'SimulatedAnswer, ' : ''}SimulatorOptions, Situation, VendorSimulator }`, '../../adapter/simulator.ts').replace('import', 'import type')}
${from('type { JsonObject }', '../../core/json.ts')}
${from('{ byAddress, simulatedVendor }', '../../proof/simulation/index.ts')}

interface Simulated${shape} {
  readonly id: string;
  readonly name: string;
  online: boolean;
  /** When its figures were so, ms since 1970. */
  at: number;
${fields.map(([field, { schema }]) => `  ${field}: ${schema.toLowerCase()};`).join('\n')}
${Object.keys(more)
  .map((field) => `  ${field}: number;`)
  .join('\n')}
}

const newDevice = (id: string, at: number): Simulated${shape} => ({
  id,
  name: 'First',
  online: true,
  at,
${[...fields.map(([field, { initial }]) => `  ${field}: ${initial},`), ...Object.entries(more).map(([field, initial]) => `  ${field}: ${initial},`)].join('\n')}
});

/** The device of ${name} in its own words. */
export function createSimulator(options: SimulatorOptions): VendorSimulator {
  const { now } = options.clock;
  const home = newDevice('${type.replaceAll('_', '-')}-1', now());
  return simulatedVendor<Simulated${shape}, Simulated${shape}>(options, {
    vendor: '${name}',
    users: { home },
    signIn: byAddress(),
    routes: {
      'GET /status': () => ({ status: 200, json: statusOf(home, now()) }),
${hasCommands ? "      'POST /command': ({ body }) => obey(home, body, now()),\n" : ''}    },
    devices: {
      find: (device, { id }) => (device.id === id ? device : undefined),
      arrange: (device, situation) => arrange(device, situation, now()),
      // It is called itself: what cannot be reached does not respond, as with every fault.
      reach: () => {},
      remove: () => {},
      add: () => {},
    },
  });
}

/** What the device says of itself. \`now\` is in ms since 1970: its state goes on in time. */
function statusOf(device: Simulated${shape}, now: number): JsonObject {
  settle(device, now);
  const { ${['id', 'name', 'online', ...fields.map(([field]) => field)].join(', ')} } = device;
  return { ${['id', 'name', 'online', ...fields.map(([field]) => field)].join(', ')} };
}

function settle(device: Simulated${shape}, now: number): void {
${settle.includes('hours') ? '  const hours = (now - device.at) / 3_600_000;\n' : ''}  device.at = now;
  ${settle}
}
${
  hasCommands
    ? `
/** The response to a command. */
function obey(device: Simulated${shape}, command: JsonObject, now: number): SimulatedAnswer {
  settle(device, now);
${value}  switch (command.type) {
${cases.join('\n')}
    default:
      return { status: 200, json: { accepted: false } };
  }
  settle(device, now);
  return { status: 200, json: { accepted: true } };
}
`
    : ''
}
/** Brings a device into a situation that a check of its commands begins in. */
function arrange(device: Simulated${shape}, ${arrange.includes('situation') ? 'situation' : '_situation'}: Situation, now: number): void {
  Object.assign(device, { at: now, ${arrange} });
  settle(device, now);
}
`;
}
