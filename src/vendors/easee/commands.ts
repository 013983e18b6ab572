import Type, { type Static } from 'typebox';
import type { Handlers, TimedHandler } from '../../adapter/adapter.ts';
import { each, fits, lenient, refused } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { sleep } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { calls, readCharger } from './client.ts';
import {
  type ChargerRaw,
  circuitDynamicOf,
  dynamicCurrentOf,
  isDisabled,
  isOnline,
  LEAST_A,
  MODE,
  modeOf,
  statusOf,
} from './translate.ts';

/** A command has 14 s with all its calls; the platform reads the charger once more after it. */
const MOST_MS = 10_000;
/** How long the stream may take to report the charger's response before the charger is read instead. */
const RESPONSE_MS = 5_000;
/** Responses to the commands of others that are passed over. */
const MOST_RESPONSES = 20;
/** Before each read: most chargers need a second, one on a mobile network some more. Reads are few, 100 in five minutes. */
const READ_MS = 1_500;
/** A charger that has said yes is waited for only so that the caller is shown what it did. */
const ACCEPTED_MS = 3_500;
/** What Easee sets the dynamic limit to when it resumes. */
const RESUMED_A = 32;
/** With 6 A the charger waits about five minutes before it starts, and some cars give up meanwhile; with 7 A it does not. */
const START_A = 7;
/** Ticks count 100 ns. Those of a response may come from another clock of Easee's, but not from a command before this one. */
const TICKS_APART = 5 * 10_000_000;

/**
 * What a charger says to a command. Ticks have 18 digits, and lose the last ones as numbers; they do so in the same way wherever they
 * are read.
 */
export const CommandResponse = lenient(
  { serialNumber: Type.String(), ticks: Type.Number(), wasAccepted: Type.Boolean() },
  // `id` is the number of the command.
  'id',
  'resultCode',
);

/** What Easee says of a command that it has passed on; the charger's own response names both. */
const Passed = lenient({ ticks: Type.Number() }, 'commandId');
type Passed = Static<typeof Passed>;

/** Under which the stream passes on what a charger says to commands. */
export const responseName = (charger: string): string => `response:${charger}`;

/** Start and stop are resume and pause: Easee's own start and stop are about authorization. */
export const chargeControl: Handlers<'charge_control'> = {
  async start_charge(session, device) {
    const charger = commanded(session, device);
    const raw = await charger.readOnline();
    if (statusOf(raw).charging === true) return;
    // control: a charger that its owner disabled is not started [easee/commands]
    if (isDisabled(raw)) throw refused(`charger ${device.id} ${DISABLED}`);
    const before = dynamicCurrentOf(raw);
    const isPaused = before !== null && before < LEAST_A;
    const isWaiting = modeOf(raw) === MODE.awaiting_authorization;
    const limit = isPaused ? await charger.keptLimit() : before;
    const first = limit === null ? RESUMED_A : Math.max(limit, START_A);
    if (isWaiting) {
      if (before !== null && !isPaused && first !== before) await charger.limit(first);
      await charger.carryOut('start_charging', (now) => modeOf(now) !== MODE.awaiting_authorization);
    }
    if (isPaused || !isWaiting) {
      // Resuming sets 32 A, the limit that is to hold follows. One that was not paused may keep its limit: that shows nothing.
      await charger.carryOut('resume_charging', (now) => !isPaused || dynamicCurrentOf(now) !== before);
      if (first !== RESUMED_A) await charger.limit(first);
    }
    // The limit from before holds again once the car charges; where that takes longer than a command may, 7 A stays.
    if (limit !== null && limit < first && (await charger.begins())) await charger.limit(limit);
  },

  async stop_charge(session, device) {
    const charger = commanded(session, device);
    const raw = await charger.readOnline();
    const mode = modeOf(raw);
    // Nothing charges, and a pause would hold back the next car.
    if (mode === MODE.disconnected || mode === MODE.awaiting_authorization || mode === MODE.deauthorizing)
      return;
    const before = dynamicCurrentOf(raw);
    if (before === 0) return;
    await charger.keepLimit(before);
    await charger.carryOut('pause_charging', (now) => dynamicCurrentOf(now) === 0);
  },
};

export const setCurrent: Handlers<'set_current'> = {
  async set_current(session, device, { current_a: amperes }) {
    const charger = commanded(session, device);
    if (amperes === 0) await charger.keepLimit(dynamicCurrentOf(await charger.readOnline()));
    await charger.limit(amperes);
    await charger.keepLimit(amperes);
  },
};

/** Easee ends the limit of a charger itself, after whole minutes, and goes back to the one from before. */
export const currentFor: TimedHandler<'set_current'> = async (session, device, command) => {
  const charger = commanded(session, device);
  const before = dynamicCurrentOf(await charger.readOnline());
  const { then_current_a: after = before } = command;
  if (after !== before)
    throw endsOtherwise(
      `the limit from before (${before} A)`,
      'set that one first, or leave then_current_a out',
    );
  await charger.keepLimit(before);
  await charger.limit(command.current_a, minutesOf(command.for_seconds));
};

/** Limits the circuit, which Easee shares out itself; until it is changed or the charger restarts. */
export const loadBalancing: Handlers<'load_balancing'> = {
  set_limit: (session, device, { max_a }) => commanded(session, device).limitCircuit(max_a, 0),
};

/** Easee ends the limit of a circuit itself, after whole minutes. */
export const limitFor: TimedHandler<'set_limit'> = async (session, device, command) => {
  if (command.then_a !== undefined)
    throw endsOtherwise('the limit that the installer set for the circuit', 'leave then_a out');
  await commanded(session, device).limitCircuit(command.max_a, minutesOf(command.for_seconds));
};

const endsOtherwise = (where: string, advice: string) =>
  new AppError('command.time_unsupported', `Easee goes back to ${where}, and to no other; ${advice}`);

const DISABLED = 'is disabled by its owner; it must be enabled in the Easee app first';

/** Rounded up: a limit ends no earlier than it was asked to. */
const minutesOf = (seconds: number): number => Math.ceil(seconds / 60);

/** A charger while a command is carried out, with the time that is left. */
function commanded(session: Session, device: DeviceRef) {
  const { clock, documents, signal } = session;
  const until = clock.now() + MOST_MS;
  const base = `/api/chargers/${encodeURIComponent(device.id)}/commands`;

  /**
   * Reads until the charger shows it; resolves with the reason where it does not in time. A read that fails is one of the reasons: the command was
   * sent, so that the caller must not take its failure for the command's.
   */
  async function wait(isDone: (raw: ChargerRaw) => boolean, end: number): Promise<unknown> {
    while (clock.now() + READ_MS <= end) {
      await sleep(clock, READ_MS);
      signal.throwIfAborted();
      try {
        if (isDone(await readCharger(session, device))) return undefined;
      } catch (error) {
        return error;
      }
    }
    return 'the time is over';
  }

  /** Whether the stream reported that the charger took it; false when it reported nothing. Throws when the charger refused. */
  async function isAccepted({ commandId, ticks }: Passed): Promise<boolean> {
    const end = Math.min(until, clock.now() + RESPONSE_MS);
    for (let others = 0; others < MOST_RESPONSES; others += 1) {
      const response = await session.signals.wait(responseName(device.id), Math.max(0, end - clock.now()));
      if (!fits(CommandResponse, response)) return false;
      // Behind Easee's load balancer the ticks may differ; then the number of the command names it.
      const isNamed =
        typeof commandId === 'number' && response.id === commandId && response.ticks > ticks - TICKS_APART;
      if (response.ticks !== ticks && !isNamed) continue;
      if (response.wasAccepted) return true;
      const reason = typeof response.resultCode === 'number' ? ` (result ${response.resultCode})` : '';
      throw refused(`charger ${device.id} refused the command${reason}`);
    }
    return false;
  }

  /** Sends, and waits until the charger shows that it was done, or has said that it will. */
  async function order(path: string, isDone: (raw: ChargerRaw) => boolean, json?: Json): Promise<void> {
    const response = await calls.command(session, device, { path, ...(json === undefined ? {} : { json }) });
    // One for a command, a list for settings; 0 is nothing to do, or done already.
    const passed = each([response].flat(), Passed).find(({ ticks }) => ticks > 0);
    if (passed === undefined) return;
    const accepted = await isAccepted(passed);
    const failure = await wait(isDone, accepted ? Math.min(until, clock.now() + ACCEPTED_MS) : until);
    if (failure === undefined || accepted) return;
    throw new AppError(
      'command.outcome_unknown',
      `Easee accepted the command, but charger ${device.id} has not shown its effect yet; read the device`,
      { cause: failure },
    );
  }

  return {
    carryOut: (name: string, isDone: (raw: ChargerRaw) => boolean) => order(`${base}/${name}`, isDone),

    /** Sets the volatile limit, until it is changed or for minutes. `maxChargerCurrent` is in flash, which wears out. */
    limit: (amps: number, minutes = 0) =>
      order(`${base}/set_dynamic_charger_current`, (raw) => dynamicCurrentOf(raw) === amps, {
        amps,
        minutes,
      }),

    async limitCircuit(amperes: number | undefined, minutes: number): Promise<void> {
      const { site, circuit } = device.details;
      if (amperes === undefined)
        throw new AppError('command.axis_unsupported', 'the device limits by current only; set max_a');
      if (typeof site !== 'number' || typeof circuit !== 'number')
        throw refused('the circuit of the charger is unknown; link the account again');
      const isDone = (raw: ChargerRaw) =>
        circuitDynamicOf(raw).filter((phase) => phase === amperes).length === 3;
      // Easee takes the three phases together; 0 minutes is until it is changed.
      const json = { phase1: amperes, phase2: amperes, phase3: amperes, timeToLive: minutes };
      await order(`/api/sites/${site}/circuits/${circuit}/dynamicCurrent`, isDone, json);
    },

    /** Whether the car begins to charge while there is time for one more command. */
    begins: async () =>
      (await wait((raw) => modeOf(raw) === MODE.charging, until - 2 * READ_MS)) === undefined,

    async readOnline(): Promise<ChargerRaw> {
      const raw = await readCharger(session, device);
      if (isOnline(raw)) return raw;
      throw new AppError('device.offline', `charger ${device.id} is not connected to Easee`);
    },

    /** A pause overwrites the limit, so that it is kept here until the charger is resumed. */
    async keepLimit(amperes: number | null): Promise<void> {
      if (amperes !== null && amperes > 0) await documents.put(`limit:${device.id}`, amperes);
    },

    async keptLimit(): Promise<number | null> {
      const kept = await documents.get(`limit:${device.id}`);
      return typeof kept === 'number' && kept > 0 ? kept : null;
    },
  };
}
