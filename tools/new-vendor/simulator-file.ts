import type { NewVendor } from './adapter-files.ts';
import { from } from './import-line.ts';

const BY_PASSWORD = `  const tokens = new Map<string, { readonly user: string; readonly expiresAt: number }>();

  function token({ body }: SimulatedRequest): SimulatedAnswer {
    const { username, password } = JSON.parse(Buffer.from(body).toString()) as Record<string, string>;
    if (username === undefined || !accounts.has(username) || password !== PASSWORD)
      return { status: 401, json: { error: 'wrong user or password' } };
    const access_token = randomBase62(random, 32);
    tokens.set(access_token, { user: username, expiresAt: clock.now() + ACCESS_SECONDS * 1_000 });
    return { status: 200, json: { access_token, expires_in: ACCESS_SECONDS, simulated: true } };
  }

  const userOf = (access: string): string | undefined => {
    const known = tokens.get(access);
    return known !== undefined && known.expiresAt > clock.now() ? known.user : undefined;
  };
`;

const byOAuth = (name: string) => `  const oauth = createSimulatedOAuth({
    clock,
    random,
    partner,
    vendor: '${name}',
    users: new Map([...accounts.keys()].map((user) => [user, PASSWORD])),
    accessSeconds: ACCESS_SECONDS,
    isRotating: true,
    extra: () => ({ simulated: true }),
  });

  const userOf = (access: string): string | undefined => oauth.userOf(access)?.user;
`;

export function simulatorFile({ name, isOAuth }: NewVendor): string {
  return `${from('type { DeviceRef }', '../../adapter/session.ts')}
${isOAuth ? "import { createSimulatedOAuth } from '../../simulation/oauth.ts';\n" : ''}${from('type { SimulatedAnswer, SimulatedFault, SimulatedRequest, SimulatorOptions, VendorSimulator }', '../../adapter/simulator.ts')}
${from('{ SITUATIONS, type Situation }', '../../adapter/conformance/witnesses.ts')}
${isOAuth ? '' : "import { randomBase62 } from '../../core/ids.ts';\n"}
const PASSWORD = 'simulated';
const ACCESS_SECONDS = 3_600;

interface SimulatedLamp {
  readonly id: string;
  readonly name: string;
  online: boolean;
  on: boolean;
}

const lamp = (id: string, name: string): SimulatedLamp => ({ id, name, online: true, on: false });

/** Users: one with a device of every kind, one with none, one with many. */
function createAccounts(): ReadonlyMap<string, readonly SimulatedLamp[]> {
  return new Map([
    ['home', [lamp('lamp-1', 'Hall')]],
    ['none', []],
    ['large', Array.from({ length: 500 }, (_, index) => lamp(\`many-\${index}\`, \`Lamp \${index}\`))],
  ]);
}

/** The cloud of ${name} in its own words. */
export function createSimulator({ clock, random${isOAuth ? ', partner' : ''} }: SimulatorOptions): VendorSimulator {
  const accounts = createAccounts();
  let fault: SimulatedFault | null = null;
${isOAuth ? byOAuth(name) : BY_PASSWORD}
  function api(request: SimulatedRequest): SimulatedAnswer {
    const access = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const user = userOf(access);
    const lamps = accounts.get(user ?? '');
    if (fault === 'token_refused' || fault === 'login_lost' || user === undefined || lamps === undefined)
      return { status: 401, json: { error: 'token' } };
    if (request.method === 'GET' && request.path === '/devices')
      return {
        status: 200,
        json: { account: user, devices: lamps.map(({ id, name }) => ({ id, name })), simulated: true },
      };
    const known = lamps.find(({ id }) => request.path === \`/devices/\${id}\`);
    return known === undefined ? { status: 404, json: { error: 'no such path' } } : answerFor(known, request);
  }

  return {
    async handle(request) {
${isOAuth ? "      if (request.path === '/oauth2/authorize') return oauth.authorize(request);\n" : ''}      const broken = brokenBy(fault);
      if (broken !== undefined) return broken;
${
  isOAuth
    ? `      if (request.path === '/oauth2/token')
        return fault === 'login_lost' ? { status: 400, json: { error: 'invalid_grant' } } : oauth.token(request);`
    : `      if (request.path === '/token')
        return fault === 'login_lost' ? { status: 401, json: { error: 'token' } } : token(request);`
}
      return api(request);
    },
    fault(next) {
      fault = next;
    },
    arrange(device, situation) {
      const known = [...accounts.values()].flat().find(({ id }) => id === device.id);
      if (known === undefined) throw new Error(\`the simulator has no device \${device.id}\`);
      arrange(known, situation, device);
    },
    user: { name: 'home', password: PASSWORD, credentials: { username: 'home', password: PASSWORD } },
  };
}

/** What it answers of one lamp: reading it, and switching it. */
function answerFor(_lamp: SimulatedLamp, { method, path }: SimulatedRequest): SimulatedAnswer {
  throw new Error(\`write answerFor in simulator.ts: what ${name} answers to \${method} \${path}\`);
}

/** Brings a lamp into a situation that a witness of its commands begins in. */
function arrange(_lamp: SimulatedLamp, situation: Situation, { id }: DeviceRef): void {
  throw new Error(\`write arrange in simulator.ts: \${id} must be "\${situation}": \${SITUATIONS[situation]}\`);
}

/** Faults that answer every call alike. */
function brokenBy(fault: SimulatedFault | null): SimulatedAnswer | undefined {
  switch (fault) {
    case 'hang':
      return { status: 200, broken: 'hang' };
    case 'reset':
      return { status: 200, broken: 'reset' };
    case 'truncated':
      return { status: 200, text: '{"account":', broken: 'truncate' };
    case 'html':
      return { status: 200, headers: { 'content-type': 'text/html' }, text: '<html>Maintenance</html>' };
    case 'server_error':
      return { status: 500, json: { error: 'fault' } };
    case 'rate_limited':
      return { status: 429, headers: { 'retry-after': '30' }, json: { error: 'slower' } };
    case 'rate_limited_without_delay':
      return { status: 429, json: { error: 'slower' } };
    case 'token_refused':
    case 'login_lost':
    case 'unknown_values':
    case null:
      return undefined;
  }
}
`;
}
