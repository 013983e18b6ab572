import type { CommandOf } from '../../adapter/commands.ts';
import { outOfRange } from '../../adapter/commands.ts';
import { refused } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import { type Details, detailsIn, NAME, openUnit, type Reading, readModels } from './device.ts';
import { placedIn } from './layout.ts';
import type { Block, Points } from './points.ts';
import { ratedW } from './translate.ts';

/*
 * Commands are written to control models. Neighbouring points are written together, with what is not ours as it was read, so that a device
 * never acts on half a command.
 */

/** After how long a device ends by itself what is not renewed, seconds. */
export const REVERT_SECONDS = 300;
/** Of a timer in one register; one more means "not implemented". */
const MOST_SECONDS = 0xfffe;
/** Bits of StorCtl_Mod: the rates of charging and of discharging hold. */
const BOTH_RATES = 3;

interface Work {
  readonly reading: Reading;
  readonly details: Details;
  /** Writes points of the control model, together. */
  write(block: Block<Points> | undefined, values: Readonly<Record<string, number>>): Promise<void>;
}

async function begin(session: Session, device: DeviceRef): Promise<Work> {
  const details = detailsIn(device);
  const unit = openUnit(session, details.unit);
  const { control, models } = details;
  const placed = placedIn(models, control ?? 0);
  if (placed === undefined) throw refused(`${NAME}: ${device.id} has no model for commands`);
  const wanted = new Set<number>([120, 121, 123, 124, 702, 704]);
  const reading = await readModels(
    unit,
    { ...details, models: models.filter(([id]) => wanted.has(id)) },
    { device: device.id },
  );
  return {
    reading,
    details,
    async write(block, values) {
      if (block === undefined) throw new Error('the control model was not read');
      const { at, registers } = changedIn(block, values);
      await unit.writeRegisters(placed[1] + at, registers, { device: device.id });
    },
  };
}

function changedIn(block: Block<Points>, values: Readonly<Record<string, number>>) {
  try {
    return block.changed(values);
  } catch (error) {
    if (error instanceof RangeError)
      throw refused(`${NAME} cannot say this value in the registers of the device`);
    throw error;
  }
}

/** The register for a value; nearer to zero where there is no exact one, so that no limit is exceeded. */
function registerFor(value: number, exponent: number | null): number {
  if (exponent === null) throw refused(`${NAME}: the device no longer says the scale of its set-point`);
  const exact = exponent < 0 ? value * 10 ** -exponent : value / 10 ** exponent;
  return Math.trunc(Number(exact.toFixed(6))) + 0;
}

function timer(details: Details, seconds: number | undefined, most = MOST_SECONDS): number | undefined {
  if (!details.reverts) {
    if (seconds === undefined) return undefined;
    throw new AppError(
      'command.time_unsupported',
      'the device has no timer for this; omit for_seconds, and send the next command when it is due',
    );
  }
  if (seconds !== undefined && seconds > most)
    throw outOfRange(`for_seconds must be at most ${most} for this device, not ${seconds}`);
  return seconds ?? REVERT_SECONDS;
}

/** Only what the device has. */
const implemented = <P extends Points>(
  block: Block<P>,
  values: Partial<Record<keyof P['points'] & string, number>>,
) =>
  Object.fromEntries(
    Object.entries<number | undefined>(values).filter(
      ([name, value]) => value !== undefined && block.raw(name as keyof P['points'] & string) !== null,
    ),
  ) as Record<string, number>;

type SetLimit = CommandOf<'set_limit'>;

export async function setLimit(session: Session, device: DeviceRef, command: SetLimit): Promise<void> {
  const { reading, details, write } = await begin(session, device);
  const { max_w, for_seconds, then_w } = command;
  const rated = ratedW(reading, details.control);
  if (max_w === undefined || rated === null)
    throw refused(`${NAME}: the rated power of ${device.id} is not known now`);
  const percentOf = (watt: number) => Math.min(100, (watt / rated) * 100);
  const [basic, der] = [reading.block(123), reading.block(704)];
  if (der !== undefined && details.control === 704) {
    const scale = der.scaleOf('WMaxLimPct');
    const seconds = timer(details, for_seconds, Number.MAX_SAFE_INTEGER);
    if (then_w !== undefined && der.raw('WMaxLimPctEnaRvrt') === null) throw withoutThen();
    await write(der, {
      WMaxLimPctEna: 1,
      WMaxLimPct: registerFor(percentOf(max_w), scale),
      ...(seconds === undefined ? {} : { WMaxLimPctRvrtTms: seconds }),
      ...implemented(der, {
        WMaxLimPctRvrt: registerFor(percentOf(then_w ?? rated), scale),
        WMaxLimPctEnaRvrt: then_w === undefined ? 0 : 1,
      }),
    });
    return;
  }
  if (then_w !== undefined) throw withoutThen();
  const seconds = timer(details, for_seconds);
  await write(basic, {
    WMaxLimPct: registerFor(percentOf(max_w), basic?.scaleOf('WMaxLimPct') ?? null),
    ...(seconds === undefined ? {} : { WMaxLimPct_RvrtTms: seconds }),
    WMaxLim_Ena: 1,
  });
}

const withoutThen = () =>
  new AppError(
    'command.time_unsupported',
    'the device returns to its own limit after for_seconds; omit then_w, and send the next limit when it is due',
  );

export async function releaseLimit(session: Session, device: DeviceRef): Promise<void> {
  const { reading, details, write } = await begin(session, device);
  if (details.control === 704) await write(reading.block(704), { WMaxLimPctEna: 0 });
  else await write(reading.block(123), { WMaxLim_Ena: 0 });
}

type SetPower = CommandOf<'set_battery_power'>;

export async function setBatteryPower(session: Session, device: DeviceRef, command: SetPower): Promise<void> {
  const { reading, details, write } = await begin(session, device);
  const [storage, der] = [reading.block(124), reading.block(704)];
  if (der !== undefined && details.control === 704) {
    const seconds = timer(details, command.for_seconds, Number.MAX_SAFE_INTEGER);
    // What is generated is positive: discharging.
    await write(der, {
      WSetEna: 1,
      WSetMod: 1,
      WSet: registerFor(0 - command.power_w, der.scaleOf('WSet')),
      ...(seconds === undefined ? {} : { WSetRvrtTms: seconds }),
      ...implemented(der, { WSetEnaRvrt: 0 }),
    });
    return;
  }
  const most = storage?.value('WChaMax') ?? null;
  if (most === null || most <= 0)
    throw refused(`${NAME}: the highest power of ${device.id} is not known now`);
  const rate = registerFor((command.power_w / most) * 100, storage?.scaleOf('InWRte') ?? null);
  const seconds = timer(details, command.for_seconds);
  // At most so much in, and at least: a negative rate of the one direction is a least rate of the other.
  await write(storage, {
    OutWRte: 0 - rate,
    InWRte: rate,
    ...(seconds === undefined ? {} : { InOutWRte_RvrtTms: seconds }),
  });
  await write(storage, { StorCtl_Mod: BOTH_RATES });
}

export async function releaseBattery(session: Session, device: DeviceRef): Promise<void> {
  const { reading, details, write } = await begin(session, device);
  const storage = reading.block(124);
  if (details.control === 704) return write(reading.block(704), { WSetEna: 0 });
  await write(storage, { StorCtl_Mod: 0 });
  const whole = registerFor(100, storage?.scaleOf('InWRte') ?? null);
  await write(storage, { OutWRte: whole, InWRte: whole });
}
