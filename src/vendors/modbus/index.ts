import type { Adapter } from '../../adapter/adapter.ts';
import { AppError } from '../../core/errors.ts';
import { credentials, words } from './credentials.ts';
import { absentIn, accountOf, foundIn, mapOf, readAll, readNumber, without } from './device.ts';
import { heatPump, industrial } from './kinds.ts';
import type { Fill } from './schemas.ts';

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
