import type { Mutant } from './mutant.ts';

const TRANSLATE = 'src/vendors/netatmo/translate.ts';
const COMMANDS = 'src/vendors/netatmo/commands.ts';
const WEBHOOK = 'src/vendors/netatmo/webhook.ts';
const API = 'src/vendors/netatmo/api.ts';
const OF_TRANSLATE = 'src/vendors/netatmo/translate.test.ts';
const OF_COMMANDS = 'src/vendors/netatmo/netatmo.test.ts';
const OF_CONFORMANCE = 'test/conformance-of-webhooks.test.ts';
const CONFORMANCE = 'test/vendors.test.ts';

/** Netatmo, and the parts of the kit that come from it. */
export const mutants: readonly Mutant[] = [
  {
    control: 'a mode that is not recognized is reported',
    file: 'src/vendors/netatmo/index.ts',
    from: '      unrecognized: translate.unrecognizedIn,\n',
    to: '',
    tests: [CONFORMANCE],
  },
  {
    control: 'a rate limit with status 403 is no refusal',
    file: API,
    from: "limited: [11, 26, 'too_many_connections']",
    to: 'limited: []',
    tests: [OF_TRANSLATE],
  },
  {
    control: 'codes 2 and 3 refuse the token, and nothing else does',
    file: API,
    from: 'token: [2, 3]',
    to: 'token: [2, 13]',
    tests: [OF_TRANSLATE, CONFORMANCE],
  },
  {
    control: 'a valve in a home with newer modules is set with the newer call',
    file: TRANSLATE,
    from: "has('NATherm1') || (has('NRV') && !isNewer)",
    to: "has('NATherm1') || has('NRV')",
    tests: [OF_TRANSLATE, OF_COMMANDS],
  },
  {
    control: 'a room whose relay is lost is offline',
    file: TRANSLATE,
    from: ' || details.bridges.some((id) => failed.has(id))',
    to: '',
    tests: [OF_TRANSLATE],
  },
  {
    control: 'a room with one module that can be reached is online',
    file: TRANSLATE,
    from: 'own.every((id) => failed.has(id))',
    to: 'own.some((id) => failed.has(id))',
    tests: [OF_TRANSLATE],
  },
  {
    control: 'rooms with only valves cannot be switched off',
    file: TRANSLATE,
    from: "const SWITCHABLE = ['NATherm1', ",
    to: "const SWITCHABLE = ['NRV', 'NATherm1', ",
    tests: [OF_TRANSLATE, CONFORMANCE],
  },
  {
    control: 'a setpoint ends after the default duration of its home',
    file: COMMANDS,
    from: 'minutes * 60',
    to: 'minutes',
    tests: [OF_COMMANDS],
  },
  {
    control: 'setpoints are sent to Netatmo in half degrees',
    file: COMMANDS,
    from: 'const STEP_MILLI_C = 500',
    to: 'const STEP_MILLI_C = 250',
    tests: [OF_COMMANDS],
  },
  {
    control: 'a room that is on keeps the setpoint that its user gave it',
    file: COMMANDS,
    from: "if (mode === null || mode === 'off')",
    to: 'if (mode !== undefined)',
    tests: [OF_COMMANDS],
  },
  {
    control: 'a cooling home is set by its cooling setpoint',
    file: COMMANDS,
    from: "? 'cooling' : 'therm'",
    to: "? 'therm' : 'therm'",
    tests: [OF_COMMANDS],
  },
  {
    control: 'a module that did not get a command makes it fail, whatever the status',
    file: COMMANDS,
    from: 'if (error === undefined) return;',
    to: 'if (error !== null) return;',
    tests: [OF_COMMANDS],
  },
  {
    control: 'the error of another module does not fail this room',
    file: COMMANDS,
    from: 'find(({ id }) => meant.includes(id))',
    to: 'find(({ id }) => meant.includes(id) || id !== null)',
    tests: [OF_COMMANDS],
  },
  {
    control: 'a delivery names the room that changed',
    file: WEBHOOK,
    from: 'device: deviceIdOf(homeId, room)',
    to: 'device: room',
    tests: [OF_TRANSLATE, CONFORMANCE],
  },
  {
    control: 'equal deliveries of different days are different',
    file: WEBHOOK,
    from: '@${Math.floor(receivedAt / 1_000)}',
    to: '@${Math.floor(receivedAt / 1e12)}',
    tests: [OF_TRANSLATE],
  },
  {
    control: 'an unsigned delivery is refused',
    file: 'src/adapter/kit/signature.ts',
    from: 'stated.length === computed.length && timingSafeEqual(stated, computed)',
    to: 'stated.length === computed.length',
    tests: ['src/adapter/kit/signature.test.ts', CONFORMANCE],
  },
  {
    control: 'a subscription can be removed',
    file: WEBHOOK,
    from: "'/api/dropwebhook'",
    to: "'/api/addwebhook'",
    tests: [CONFORMANCE],
  },
  {
    control: 'a malformed field of a delivery is no error',
    file: WEBHOOK,
    from: '.filter((id) => fits(PlainId, id))',
    to: '.map((id) => id as string)',
    tests: [CONFORMANCE, OF_TRANSLATE],
  },
  {
    control: 'a sweep returns the same as single reads',
    file: TRANSLATE,
    from: '.find(({ id }) => id === details.room_id)',
    to: '.find(({ id }) => id !== details.home_id)',
    tests: [CONFORMANCE, OF_TRANSLATE],
  },
  {
    control: 'a refused group does not fail the rest of a sweep',
    file: 'src/adapter/kit/devices.ts',
    from: "error.code === 'vendor.refused' || error instanceof DeviceLimited) return REFUSED;",
    to: 'error instanceof DeviceLimited) return REFUSED;',
    tests: ['src/adapter/kit/devices.test.ts'],
  },
  {
    control: 'the conformance wants a delivery to name a device that is linked',
    file: 'src/adapter/conformance/webhooks.ts',
    from: 'if (change.device !== undefined && !devices.some',
    to: 'if (change.device === null && !devices.some',
    tests: [OF_CONFORMANCE],
  },
  {
    control: 'the conformance wants every byte of a delivery to be signed',
    file: 'src/adapter/conformance/webhooks.ts',
    from: 'if (verify({ body }, secret) === true)',
    to: 'if (verify({ body }, secret) === null)',
    tests: [OF_CONFORMANCE],
  },
  {
    control: 'the conformance wants a sweep to give what reads give',
    file: 'src/adapter/conformance/homes.ts',
    from: 'if (shown(swept.get(ref.id)) !== read)',
    to: 'if (shown(swept.get(ref.id)) === null)',
    tests: [OF_CONFORMANCE],
  },
];
