import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { systemClock } from '../core/clock.ts';
import { OperatorError } from '../core/errors.ts';
import { type SimulatedPlug, SimulatedStation } from '../vendors/ocpp/simulator/simulator.ts';

export const STATION_HELP = `npm run simulate -- ocpp [options]

A charging station with one connector that dials in to elnav, and says what it is asked to do. Link it first. Ends with Ctrl-C.

  --identity <text>   CP-1001 unless told
  --password <text>   a-long-station-password unless told
  --url <address>     http://127.0.0.1:8080 unless told: where Connect is
  --version <number>  1.6 (unless told) or 2.0.1
  --plugged           a car is plugged in
  --seconds <number>  ends by itself after this time
  --help              this

What it takes while it runs, a line each: plug, unplug, card <id>, state, quit.`;

export interface StationArguments {
  readonly identity: string;
  readonly password: string;
  readonly url: string;
  readonly version: '1.6' | '2.0.1';
  readonly plugged: boolean;
  /** Undefined: until it is told to. */
  readonly seconds: number | undefined;
}

/** Reads the command line after `ocpp`; throws an `OperatorError` that says what would be right. */
export function parseStationArguments(args: readonly string[]): StationArguments | 'help' {
  const values = parsed(args);
  if (values.help === true) return 'help';
  const { version = '1.6', url = 'http://127.0.0.1:8080', seconds } = values;
  if (version !== '1.6' && version !== '2.0.1')
    throw new OperatorError(`--version must be 1.6 or 2.0.1, not ${version}.`);
  if (seconds !== undefined && !/^[1-9]\d{0,6}$/.test(seconds))
    throw new OperatorError(`--seconds must be a whole number of seconds from 1, not ${seconds}.`);
  return {
    identity: values.identity ?? 'CP-1001',
    password: values.password ?? 'a-long-station-password',
    url: stationUrl(url),
    version,
    plugged: values.plugged === true,
    seconds: seconds === undefined ? undefined : Number(seconds),
  };
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        ...{ identity: text, password: text, url: text, version: text, seconds: text },
        ...{ plugged: flag, help: { ...flag, short: 'h' } },
      },
    }).values;
  } catch (error) {
    const [what = ''] = String(error instanceof Error ? error.message : error).split(/\. |\n/);
    throw new OperatorError(`${what.replace(/\.$/, '')}. --help tells more.`);
  }
}

/** Where stations of this Connect dial in, whether its own address or the one for stations was given. */
function stationUrl(given: string): string {
  if (!URL.canParse(given) || !/^(https?|wss?):$/.test(new URL(given).protocol))
    throw new OperatorError(`--url must be an address such as http://127.0.0.1:8080, not ${given}.`);
  const base = given.replace(/^http/, 'ws').replace(/\/+$/, '');
  return base.endsWith('/ocpp') ? base : `${base}/ocpp`;
}

/** The state of the connector in a line. */
function stateLine(plug: SimulatedPlug): string {
  const meter = `meter ${Math.round(plug.meterWh)} Wh`;
  if (!plug.plugged) return `no car, ${meter}`;
  if (plug.transaction === null) return `a car is plugged in and does not charge, ${meter}`;
  if (plug.amperes === 0) return `a car is plugged in and paused, ${meter}`;
  return `a car charges with ${plug.amperes} A, ${plug.watts} W, ${meter}`;
}

/** Runs a station until its time is over or it is told to quit; what it does goes to `print`, a line each. */
export async function runStation(
  given: StationArguments,
  { print, input }: { readonly print: (line: string) => void; readonly input: NodeJS.ReadableStream },
): Promise<void> {
  const { identity, password, url, version, plugged, seconds } = given;
  const ended = Promise.withResolvers<void>();
  let shown = '';
  const showState = async () => {
    await station.idle();
    const line = stateLine(station.plug(1));
    if (line !== shown) print(`  ${line}`);
    shown = line;
  };
  const station = new SimulatedStation({
    ...{ url, identity, password },
    protocol: `ocpp${version}`,
    clock: systemClock,
    reconnectMs: 2_000,
    onCall(action, params) {
      print(`elnav asks: ${action} ${JSON.stringify(params)}`);
      // The answer goes out first, and what it sets off after it.
      setTimeout(() => void showState(), 200);
    },
  });
  await station.connect().catch((error: unknown) => {
    throw new OperatorError(
      `The station ${identity} was not let in at ${url}: ${error instanceof Error ? error.message : String(error)}. Does elnav run there, and is the station linked with this identity and password?`,
      { cause: error },
    );
  });
  print(`${identity} has dialled in to ${url} with OCPP ${version}; nothing that it tells is real.`);
  const obey = async (line: string) => {
    const [word, card = ''] = line.trim().split(/\s+/);
    if (word === 'plug') await station.plugIn();
    else if (word === 'unplug') await station.unplug();
    else if (word === 'card' && card !== '') print(`  the card is ${await station.card(card)}`);
    else if (word === 'quit') return ended.resolve();
    else if (word === 'state') shown = '';
    else if (word !== '') print('plug, unplug, card <id>, state or quit');
    await showState();
  };
  if (plugged) await station.plugIn();
  await showState();
  const lines = createInterface({ input });
  lines.on('line', (line) => void obey(line).catch((error: unknown) => print(String(error))));
  // A timer of its own: the clock's does not keep the process alive.
  const timer = setTimeout(() => ended.resolve(), seconds === undefined ? 2 ** 31 - 1 : seconds * 1000);
  await ended.promise;
  clearTimeout(timer);
  lines.close();
  await station.disconnect();
}
