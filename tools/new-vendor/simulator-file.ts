import { type CloudSignIn, type NewVendor, shapeOf } from './adapter-files.ts';
import { from } from './import-line.ts';

const SIGN_INS: Readonly<Record<CloudSignIn, { readonly name: string; readonly call: string }>> = {
  password: { name: 'byPassword', call: "byPassword({ path: '/token', accessSeconds: 3_600 })" },
  oauth: {
    name: 'byOAuth',
    call: "byOAuth({ authorizePath: '/oauth2/authorize', tokenPath: '/oauth2/token', accessSeconds: 3_600 })",
  },
  key: { name: 'byKey', call: "byKey({ keyOf: ({ headers }) => headers['x-api-key'] })" },
};

export function simulatorFile(vendor: NewVendor<CloudSignIn>): string {
  const { name, type, kind, signIn } = vendor;
  const shape = shapeOf(vendor);
  const one = type.replaceAll('_', '-');
  const fields = Object.entries(kind.fields);
  const hasCommands = Object.keys(kind.controls).length > 0;
  return `import Type from 'typebox';
${from('{ SITUATIONS, type SimulatedAnswer, type SimulatorOptions, type Situation, type VendorSimulator }', '../../adapter/simulator.ts')}
${hasCommands ? "import type { JsonObject } from '../../core/json.ts';\n" : ''}${from(`{ ${SIGN_INS[signIn].name}, listed, ofDevice, pageOf, simulatedVendor }`, '../../proof/simulation/index.ts')}

interface Simulated${shape} {
  readonly id: string;
  readonly name: string;
  online: boolean;
  /** When its figures were so, ms since 1970. */
  at: number;
${fields.map(([field, { schema }]) => `  ${field}: ${schema.toLowerCase()};`).join('\n')}
}

const newDevice = (id: string, name: string): Simulated${shape} => ({
  id,
  name,
  online: true,
  at: 0,
${fields.map(([field, { initial }]) => `  ${field}: ${initial},`).join('\n')}
});

/** The cloud of ${name} in its own words. */
export function createSimulator(options: SimulatorOptions): VendorSimulator {
  return simulatedVendor<Simulated${shape}[], Simulated${shape}>(options, {
    vendor: '${name}',
    users: {
      home: [newDevice('${one}-1', 'First'), newDevice('${one}-2', 'Second')],
      none: [],
      large: Array.from({ length: 500 }, (_, index) => newDevice(\`many-\${index}\`, \`Number \${index}\`)),
    },
    signIn: ${SIGN_INS[signIn].call},
    routes: {
      'GET /account': ({ user }) => ({ status: 200, json: { id: user } }),
      'GET /devices'({ home, query }) {
        const { members, ...next } = pageOf(home, query.get('cursor'));
        return { status: 200, json: { devices: members.map(({ id, name }) => ({ id, name })), ...next } };
      },
      'GET /devices/:id': ofDevice((device) => answerFor(device, options.clock.now())),
${
  hasCommands
    ? `      'POST /devices/:id': ofDevice((device, { body }) => obey(device, body, options.clock.now())),
`
    : ''
}    },
    devices: listed((device, situation) => arrange(device, situation, options.clock.now())),
  });
}

/** The response about one device. \`now\` is in ms since 1970: its state goes on in time. */
function answerFor({ id }: Simulated${shape}, _now: number): SimulatedAnswer {
  throw new Error(\`write answerFor in simulator.ts: what ${name} says of \${id}\`);
}
${
  hasCommands
    ? `
/** The response to a command. */
function obey({ id }: Simulated${shape}, body: JsonObject, _now: number): SimulatedAnswer {
  throw new Error(\`write obey in simulator.ts: what \${JSON.stringify(body)} does to \${id}\`);
}
`
    : ''
}
/** Brings a device into a situation that a check of its commands begins in. */
function arrange({ id }: Simulated${shape}, situation: Situation, _now: number): void {
  throw new Error(\`write arrange in simulator.ts: \${id} must be "\${situation}": \${SITUATIONS[situation]}\`);
}
`.replace("import Type from 'typebox';\n", '');
}
