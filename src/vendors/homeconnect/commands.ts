import type { Handler } from '../../adapter/adapter.ts';
import { NeedsUser } from '../../adapter/interventions.ts';
import { refused } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { JsonObject } from '../../core/json.ts';
import { api, pathOf, READ, WRITE } from './client.ts';
import * as translate from './translate.ts';
import { delayOption, type Option, optionsToStart, Program } from './translate.ts';

/** How long a command waits for the stream to report what it did; appliances take about a second. */
const REPORTED_MS = 4_000;
const MOST_REPORTS = 10;

export const reportName = (id: string, key: string) => `${id} ${key}`;

export const turnOn: Handler<'turn_on'> = (session, device) => setPower(session, device, 'On');

/** Appliances are switched off or put to standby; the setting says which. */
export const turnOff: Handler<'turn_off'> = async (session, device) => {
  const path = pathOf(device, `/settings/${translate.POWER}`);
  const about = { headers: READ, device: device.id, what: device.id };
  const words = translate.powersIn(await api.get(session, path, translate.Setting, about));
  const off =
    words === null
      ? translate.abilitiesOf(device).off
      : words.find((word) => word === 'Off' || word === 'Standby');
  if (off === undefined) throw refused(`${device.id} can be switched off at the appliance only`);
  await setPower(session, device, off);
};

async function setPower(session: Session, device: DeviceRef, power: string): Promise<void> {
  const value = translate.POWERS + power;
  const path = pathOf(device, `/settings/${translate.POWER}`);
  await put(session, device, { path, data: { key: translate.POWER, value }, repeatable: true });
  await reported(session, device, { key: translate.POWER, is: (now) => now === value });
}

/** Starts the programme that was chosen at the appliance, as it was chosen. */
export const startProgram: Handler<'start_program'> = async (session, device) => {
  await startable(session, device, ['Ready']);
  const { key, options } = await chosen(session, device);
  await start(session, device, { key, options });
};

/** Starts it later; a programme that waits already waits so long from now. */
export const delayedStart: Handler<'delayed_start'> = async (session, device, { delay_seconds: seconds }) => {
  const operation = await startable(session, device, ['Ready', 'DelayedStart']);
  if (operation !== 'DelayedStart') {
    const { key, options, selected, available } = await chosen(session, device);
    const delay = delayOption({ program: selected, offered: available, seconds, device: device.id });
    return start(session, device, { key, options: [...options, delay] });
  }
  const program = await programAt(session, device, 'active');
  const delay = delayOption({ program, offered: program, seconds, device: device.id });
  await put(session, device, {
    path: pathOf(device, `/programs/active/options/${delay.key}`),
    data: { ...delay },
  });
};

/** Stops what runs, or waits to; nothing is to be stopped otherwise, and asking for it would be an error. */
export const stopProgram: Handler<'stop_program'> = async (session, device) => {
  const status = await statusNow(session, device);
  if (!translate.hasProgram(status.get(translate.OPERATION))) return;
  const path = pathOf(device, '/programs/active');
  await api.command(session, device, { method: 'DELETE', path, headers: READ, costs: { stops: 1 } });
  await reported(session, device, { key: translate.OPERATION, is: (now) => !translate.hasProgram(now) });
};

async function start(
  session: Session,
  device: DeviceRef,
  program: { readonly key: string; readonly options: readonly Option[] },
) {
  const data = { key: program.key, options: program.options.map((option) => ({ ...option })) };
  await put(session, device, { path: pathOf(device, '/programs/active'), data, costs: { starts: 1 } });
  await reported(session, device, { key: translate.OPERATION, is: translate.hasProgram });
}

/** The programme that was chosen at the appliance, and what starting it has to repeat. */
async function chosen(session: Session, device: DeviceRef) {
  const selected = await programAt(session, device, 'selected');
  const available = await programAt(session, device, `available/${encodeURIComponent(selected.key)}`);
  return { key: selected.key, options: optionsToStart(selected, available), selected, available };
}

const programAt = (session: Session, device: DeviceRef, where: string): Promise<Program> =>
  api.get(session, pathOf(device, `/programs/${where}`), Program, {
    headers: READ,
    device: device.id,
    what: `the programme of ${device.id}`,
  });

async function statusNow(session: Session, device: DeviceRef): Promise<ReadonlyMap<string, unknown>> {
  const about = { headers: READ, device: device.id, what: device.id };
  const { status } = await api.get(session, pathOf(device, '/status'), translate.StatusResponse, about);
  return translate.itemsIn(status);
}

/**
 * Throws unless a programme can be started now, and says what the user has to do. Home Connect would say no as well, but ten errors
 * in ten minutes block every call.
 */
async function startable(
  session: Session,
  device: DeviceRef,
  states: readonly string[],
): Promise<string | null> {
  const status = await statusNow(session, device);
  const operation = translate.operationIn(status.get(translate.OPERATION));
  const why = obstacle(status, operation, states);
  if (why === undefined) return operation;
  const refusal = refused(`${device.id} cannot start a programme: ${why.text}`);
  throw why.intervention === undefined ? refusal : new NeedsUser(why.intervention, refusal);
}

function obstacle(
  status: ReadonlyMap<string, unknown>,
  operation: string | null,
  states: readonly string[],
): { readonly text: string; readonly intervention?: string } | undefined {
  const is = (name: string) => status.get(`BSH.Common.Status.${name}`);
  if (operation === 'Inactive') return { text: 'it is switched off; switch it on first' };
  if (translate.hasProgram(status.get(translate.OPERATION)) && !states.includes(operation ?? ''))
    return {
      text:
        operation === 'DelayedStart'
          ? 'a programme is waiting to start; stop it first'
          : 'a programme is running; stop it first',
    };
  if (operation !== null && !states.includes(operation))
    return {
      text: `its state is ${operation}; look at its display, and open and close its door after a finished programme`,
    };
  // It was allowed when the programme was set to wait.
  if (operation === 'DelayedStart') return undefined;
  if (is('LocalControlActive') === true)
    return { text: 'somebody is operating it; wait a moment, then send the command again' };
  if (is('RemoteControlActive') === false)
    return {
      text: 'remote control is switched off in its settings; switch it on at the appliance',
      intervention: 'allow_remote_control',
    };
  if (is('DoorState') === 'BSH.Common.EnumType.DoorState.Open')
    return { text: 'its door is open; close it and press Remote start on the appliance' };
  if (is('RemoteControlStartAllowed') === false)
    return {
      text: 'remote start is not allowed; press Remote start on the appliance, then send the command again (it ends when the door is opened, and after a day)',
      intervention: 'allow_remote_start',
    };
  return undefined;
}

interface Put {
  readonly path: string;
  readonly data: JsonObject;
  readonly repeatable?: boolean;
  readonly costs?: Readonly<Record<string, number>>;
}

async function put(session: Session, device: DeviceRef, { data, ...request }: Put): Promise<void> {
  await api.command(session, device, { method: 'PUT', headers: WRITE, json: { data }, ...request });
}

/** Waits a moment for the stream, so that what is read next is what the command has made of the appliance. */
async function reported(
  { signals, clock }: Session,
  { id }: DeviceRef,
  { key, is }: { readonly key: string; readonly is: (now: unknown) => boolean },
): Promise<void> {
  const end = clock.now() + REPORTED_MS;
  for (let count = 0; count < MOST_REPORTS; count += 1) {
    const now = await signals.wait(reportName(id, key), Math.max(0, end - clock.now()));
    if (now === undefined || is(now)) return;
  }
}
