import Type from 'typebox';
import type { Adapter } from '../../adapter/adapter.ts';
import { NAME_OR_ADDRESS } from '../../adapter/kit/index.ts';
import type { CredentialWords } from '../../adapter/login.ts';
import { AppError } from '../../core/errors.ts';
import { absentIn, accountOf, foundIn, mapOf, readAll, readNumber, without } from './device.ts';
import { heatPump, industrial } from './kinds.ts';
import { PRESET_NAMES } from './presets.ts';
import { type Fill, RegisterMap } from './schemas.ts';

const { devices, serial, proof } = RegisterMap.properties;
/** Apps send a register map; it is not typed into a form. */
const byApps = { 'x-api-only': true };

export const credentials = Type.Object(
  {
    host: Type.String({
      pattern: `^ *${NAME_OR_ADDRESS} *$`,
      minLength: 1,
      maxLength: 256,
      description:
        'IP address or name of the device, or of the gateway before it, in the network of its user',
    }),
    preset: Type.Enum([...PRESET_NAMES, 'custom'], {
      description: 'The register map of a common device; custom is the map in devices',
    }),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, description: '502 unless it is said' })),
    unit: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 255, description: 'Unit number (slave id); 1 unless it is said' }),
    ),
    devices: Type.Optional({ ...devices, ...byApps }),
    serial: Type.Optional({ ...serial, ...byApps }),
    proof: Type.Optional({ ...proof, ...byApps }),
  },
  { additionalProperties: false },
);

const words: CredentialWords = {
  en: {
    host: {
      label: 'Address in your network',
      hint: 'The IP address of the device, such as 192.168.1.20. Your router lists it, or the display of the device. Switch on Modbus TCP in the settings of the device first.',
      fault: 'An address looks like 192.168.1.20.',
    },
    preset: {
      label: 'What it is',
      choices: {
        eastron_sdm630: 'Electricity meter Eastron SDM630',
        carlo_gavazzi_em340: 'Electricity meter Carlo Gavazzi EM330, EM340, ET330 or ET340',
        abb_b23: 'Electricity meter ABB B23, B24, A43 or A44',
        grundfos_cim: 'Grundfos pump with a CIM module',
        nibe_s: 'Heat pump NIBE S series',
        custom: 'Something else (only where the app has described it)',
      },
    },
    port: { label: 'Port', hint: '502, unless the device says otherwise.' },
    unit: {
      label: 'Unit number',
      hint: 'Also called slave id: 1, unless the device or the gateway before it says otherwise.',
    },
  },
  sv: {
    host: {
      label: 'Adress i ditt nätverk',
      hint: 'Enhetens IP-adress, till exempel 192.168.1.20. Den står i routerns lista eller på enhetens display. Slå först på Modbus TCP i enhetens inställningar.',
      fault: 'En adress ser ut som 192.168.1.20.',
    },
    preset: {
      label: 'Vad det är',
      choices: {
        eastron_sdm630: 'Elmätare Eastron SDM630',
        carlo_gavazzi_em340: 'Elmätare Carlo Gavazzi EM330, EM340, ET330 eller ET340',
        abb_b23: 'Elmätare ABB B23, B24, A43 eller A44',
        grundfos_cim: 'Grundfospump med CIM-modul',
        nibe_s: 'Värmepump NIBE S-serien',
        custom: 'Något annat (bara om appen har beskrivit det)',
      },
    },
    port: { label: 'Port', hint: '502 om enheten inte säger något annat.' },
    unit: {
      label: 'Enhetsnummer',
      hint: 'Kallas även slave-id: 1 om enheten eller gatewayen framför den inte säger något annat.',
    },
  },
};

/** Meters, pumps and machines that speak Modbus TCP, by a map of their registers. */
export const modbus = {
  slug: 'modbus',
  name: 'Modbus',
  credentials,
  words,
  isLocal: true,
  ports: [502],
  pace: { active: 10, idle: 30, asleep: 300 },
  pushes: false,
  pollSeconds: 5,
  localSimulator: () => import('./simulator.ts'),
  async link(session) {
    const map = mapOf(session);
    const { serial, proof } = map;
    if (proof !== undefined) {
      const number = await readNumber(session, proof);
      if (number !== proof.equals)
        throw new AppError(
          'vendor.refused',
          `register ${proof.address} is ${number}, and credentials.proof says ${proof.equals}: another device answers; check the address and the unit`,
        );
    }
    // What the map names must be there, but for what may be left out.
    const leftOut = new Map<string, Fill[]>();
    for (const device of map.devices) {
      const absent = await absentIn(session, device);
      leftOut.set(device.id, absent);
      await readAll(session, without(device, absent), { use: 'list' });
    }
    const number = serial === undefined ? null : await readNumber(session, serial);
    const account = accountOf(session, number);
    return { vendorAccount: account, devices: foundIn(map, account, leftOut) };
  },
  kinds: { industrial, heat_pump: heatPump },
} satisfies Adapter;
