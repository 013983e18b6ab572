import { parseArgs } from 'node:util';
import { DEVICE_FAULTS, SIMULATED_FAULTS, SOCKET_FAULTS } from '../adapter/simulator.ts';
import { OperatorError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { PRICE_FAULTS } from '../sources/contract/market.ts';

/** Whatever has a name that a simulator may be asked for. */
export interface Candidate {
  readonly slug: string;
  readonly name: string;
  readonly kind: 'vendor' | 'source';
  /** What can go wrong with it; undefined where its simulator alone knows. */
  readonly faults: readonly string[] | undefined;
  readonly isSimulatable: boolean;
}

type SimulateArguments =
  | { readonly action: 'help' }
  | { readonly action: 'list' }
  | {
      readonly action: 'run';
      readonly slug: string;
      readonly port: number;
      readonly host: string;
      readonly fault: string | undefined;
    };

const DEFAULT_PORT = 9101;

export const HELP = `npm run simulate -- <name> [options]

Runs the simulator of a vendor, or of a source of prices or production, on a port, in the words of whom it stands for. Ends with Ctrl-C.

  --port <number>   ${DEFAULT_PORT} unless told; 0 takes a free one
  --host <address>  127.0.0.1 unless told; others reach it at any other
  --fault <name>    what goes wrong with every call but the sign-in page
                    vendors: ${SIMULATED_FAULTS.join(', ')}
                    devices at home: ${[...SOCKET_FAULTS, ...DEVICE_FAULTS].join(', ')}
                    prices:  ${PRICE_FAULTS.join(', ')}
  --list            every name
  --help            this

npm run simulate -- ocpp is a charging station instead, which dials in to elnav; it has options of its own (--help).

npm start has the simulators of vendors built in (ELNAV_SIMULATE); this is for a service of its own, or for faults.`;

/** Reads the command line; throws an `OperatorError` that says what would be right. */
export function parseSimulateArguments(
  args: readonly string[],
  candidates: readonly Candidate[],
): SimulateArguments {
  const { values, positionals } = parsed(args);
  if (values.help === true) return { action: 'help' };
  if (values.list === true) return { action: 'list' };
  const [slug, ...others] = positionals;
  if (slug === undefined)
    throw new OperatorError(`Which one? Names: ${namesOf(candidates)}. --help tells more.`);
  if (others.length > 0)
    throw new OperatorError(
      `One simulator at a time; ${others.join(' ')} is too much. Options begin with --.`,
    );
  const candidate = candidates.find((one) => one.slug === slug);
  if (candidate === undefined) {
    const like = nearest(
      slug,
      candidates.map((one) => one.slug),
    );
    throw new OperatorError(
      `There is no vendor or source ${slug}${like === undefined ? '.' : `; did you mean ${like}?`} Simulators: ${namesOf(candidates)}.`,
    );
  }
  if (!candidate.isSimulatable)
    throw new OperatorError(`${slug} has no simulator to run on a port. Simulators: ${namesOf(candidates)}.`);
  const { faults } = candidate;
  const { fault, host = '127.0.0.1' } = values;
  if (fault !== undefined && faults !== undefined && !faults.includes(fault))
    throw new OperatorError(`--fault must be one of ${faults.join(', ')}, not ${fault}.`);
  return { action: 'run', slug, port: portIn(values.port), host, fault };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        fault: { type: 'string' },
        list: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    // Its first sentence; the others are of how options are written.
    const [what = ''] = String(error instanceof Error ? error.message : error).split(/\. |\n/);
    throw new OperatorError(`${what.replace(/\.$/, '')}. --help tells more.`);
  }
}

function portIn(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PORT;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new OperatorError(`--port must be from 0 to 65535, not ${text}.`);
  return port;
}

function namesOf(candidates: readonly Candidate[]): string {
  return candidates
    .filter((one) => one.isSimulatable)
    .map((one) => one.slug)
    .join(', ');
}
