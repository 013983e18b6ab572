import type { TestContext } from 'node:test';
import { type Core, type CoreWorld, makeCoreWorld } from '../../../../test/kit/core-world.ts';
import type { Engine } from '../../../../test/kit/databases.ts';
import { type TestVendor, testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { AppError } from '../../../core/errors.ts';
import { createSetPointStore } from './store.ts';

export const BATTERY = 'battery-1';
/** Another one of the same link. */
export const OTHER = 'battery-2';

/** What a battery was told, and when, in seconds since the start. */
export interface Told {
  readonly at: number;
  /** Watt; null: run by yourself. */
  readonly watt: number | null;
}

export interface Keeping {
  readonly core: CoreWorld;
  readonly vendor: TestVendor;
  readonly account: number;
  readonly told: Told[];
  /** Whether the battery answers. */
  isReachable: boolean;
  /** Lets time pass, second by second, with all that is due in it; `by` is the process that it is due in. */
  pass(seconds: number, by?: Core): Promise<void>;
  /** Ends the first process, as a kill would: nothing is released. */
  close(): Promise<void>;
  discharge(watt: number, forSeconds?: number): Promise<unknown>;
  /** States and errors of what is noted. */
  noted(): Promise<{ readonly state: string; readonly watt: number; readonly error: string | null }[]>;
}

/** One process with a linked battery, which keeps set-points (`null`) or ends them by itself after so many seconds. */
export async function keeping(
  test: Pick<TestContext, 'after'>,
  engine: Engine,
  revertSeconds: number | null,
): Promise<Keeping> {
  const vendor = testVendor({ revertSeconds });
  vendor.devices = [BATTERY, OTHER];
  const core = await makeCoreWorld(engine, [vendor.adapter]);
  let remove = core.remove;
  test.after(() => remove());
  const { clock } = core;
  const account = await core.newAccount();
  await core.link(account, 'testvendor');
  const begun = clock.now();
  const told: Told[] = [];
  const tell = (watt: number | null) => {
    if (!here.isReachable) throw new AppError('vendor.unreachable', 'the battery is unreachable');
    told.push({ at: (clock.now() - begun) / 1000, watt });
  };
  vendor.onCommand = async (_device, command) =>
    tell(command.type === 'set_battery_power' ? command.power_w : Number.NaN);
  vendor.onRelease = async () => tell(null);
  core.setPoints.start();
  const here: Keeping = {
    ...{ core, vendor, account, told },
    isReachable: true,
    async pass(seconds, by = core) {
      for (let second = 0; second < seconds; second += 1) {
        clock.turn(1000);
        await by.setPoints.settled();
      }
    },
    async close() {
      remove = core.place.remove;
      await core.close();
    },
    discharge: (watt, forSeconds) =>
      core.send(account, BATTERY, {
        type: 'set_battery_power',
        power_w: -watt,
        ...(forSeconds === undefined ? {} : { for_seconds: forSeconds }),
      }),
    async noted() {
      const rows = await createSetPointStore(core.database).ofDevice(account, 'testvendor', BATTERY);
      return rows.map(({ state, commandJson, error }) => ({
        state,
        watt: JSON.parse(commandJson).power_w,
        error,
      }));
    },
  };
  return here;
}
