import { setImmediate } from 'node:timers/promises';
import { makeSimulatedVendor } from '../../../test/kit/simulated-vendor.ts';
import type { Adapter, Found } from '../../adapter/adapter.ts';
import type { Command } from '../../adapter/commands.ts';
import { capabilitiesOf, kindOf, stateOf } from '../../adapter/derive.ts';
import type { DeviceState, DeviceType, Limits } from '../../adapter/device.ts';
import { send } from '../../adapter/send.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { SimulatedAnswer, SimulatedRequest } from '../../adapter/simulator.ts';
import { PASSWORD } from '../../simulation/sign-in.ts';
import { tesla } from './index.ts';
import type { User } from './simulated-homes.ts';
import { createSimulator } from './simulator.ts';

/** Falls asleep within it, when nobody asks: 15 minutes, and the half minute that Tesla needs to notice. */
export const SLEEP_SECONDS = 16 * 60;

/** Tesla's simulator with somebody signed in, and short ways to do what the platform does. */
export async function world(user: User = 'home') {
  const requests: SimulatedRequest[] = [];
  const tampering: { answer: (request: SimulatedRequest) => SimulatedAnswer | undefined } = {
    answer: () => undefined,
  };
  let isByProxy = false;
  const adapter: Adapter = {
    ...tesla,
    simulator: async () => ({
      createSimulator(options) {
        const simulator = createSimulator(options);
        return {
          ...simulator,
          user: { name: user, password: PASSWORD, credentials: {} },
          handle: async (request) => {
            requests.push(request);
            const isSigned = isByProxy && request.path.includes('/command/');
            const path = isSigned ? `/proxy${request.path}` : request.path;
            return tampering.answer(request) ?? simulator.handle({ ...request, path });
          },
        };
      },
    }),
  };
  const simulated = await makeSimulatedVendor(adapter);
  const { clock } = simulated;

  /** Lets the clock run while the adapter waits on it. */
  async function settled<T>(work: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    work.then(settle, settle);
    for (;;) {
      for (let turn = 0; turn < 20 && !isSettled; turn += 1) await setImmediate();
      if (isSettled) return work;
      clock.turn(500);
    }
  }

  return {
    simulated,
    requests,
    /** Commands go through the simulated vehicle-command proxy from now on. */
    byProxy(): void {
      isByProxy = true;
    },
    /** An answer in place of the simulator's, while it gives one. */
    tampering,
    link: () => tesla.link(simulated.session()),
    async device(id: string): Promise<DeviceRef & Found> {
      const { devices } = await tesla.link(simulated.session());
      const found = devices.find((device) => device.id === id);
      if (found === undefined) throw new Error(`there is no ${id}`);
      return { account: 1, link: 'link-1', ...found, details: found.details ?? {} };
    },
    async state(device: DeviceRef, session: Session = simulated.session()): Promise<DeviceState> {
      const kind = kindOf(tesla, device.type);
      return stateOf(kind, await kind.read(session, device), capabilitiesOf(kind, device));
    },
    async limits(device: DeviceRef): Promise<Limits | undefined> {
      const kind = kindOf(tesla, device.type);
      return kind.limits?.(await kind.read(simulated.session(), device));
    },
    async observedAt(device: DeviceRef): Promise<number | null | undefined> {
      const kind = kindOf(tesla, device.type);
      return kind.observedAt?.(await kind.read(simulated.session(), device));
    },
    send: (device: DeviceRef, command: Command, session: Session = simulated.session()) =>
      settled(send(kindOf(tesla, device.type), session, device, command)),
    settled,
    pass: (seconds: number) => clock.turn(seconds * 1000),
    /** What was asked since the last time this was called, without the sign-in. */
    asked(): string[] {
      return simulated.asked.splice(0).filter((line) => !line.includes('/oauth2/'));
    },
  };
}

export const ref = (type: DeviceType, id: string): DeviceRef => ({
  account: 1,
  link: 'link-1',
  id,
  type,
  details: { region: 'eu' },
});
