import { parseArgs } from 'node:util';
import { OperatorError } from '../core/errors.ts';
import { Temporal } from '../core/temporal.ts';

/** The originals, each in its own format. */
const ORIGINALS = [
  'municipalities',
  'municipality-shapes',
  'zones',
  'grid-areas',
  'operators',
  'postal-codes',
  'postal-municipalities',
  'concessions',
  'tax-rates',
  'reduced-tax',
] as const;
export type Original = (typeof ORIGINALS)[number];

/** `--from` without a name means the first original of the command. */
const COMMANDS = {
  municipalities: ['municipalities'],
  'municipality-shapes': ['municipality-shapes'],
  zones: ['zones'],
  'grid-areas': ['grid-areas', 'operators'],
  'postal-codes': ['postal-codes', 'postal-municipalities'],
  concessions: ['concessions'],
  tax: ['tax-rates', 'reduced-tax'],
  all: [
    'municipalities',
    'municipality-shapes',
    'zones',
    'grid-areas',
    'operators',
    'postal-codes',
    'postal-municipalities',
    'concessions',
  ],
} as const satisfies Record<string, readonly Original[]>;
type Command = keyof typeof COMMANDS;

export const HELP = `npm run import -- <command> [options]

Refreshes the Swedish tables from their originals. Everything is read and checked before anything is changed.

Commands
  municipalities       codes of municipalities and counties           SCB
  municipality-shapes  borders of municipalities                      SCB, digitala gränser
  zones                shapes of SE1 to SE4                           entsoe-py
  grid-areas           grid areas and operators                       eSett Open Data
  postal-codes         postal codes, places, positions                GeoNames, swedish-geodata
  concessions          where grid owners hold concessions             Energimarknadsinspektionen
  tax                  energy tax rates, reduced municipalities       files of your own, see docs/data.md
  all                  all of them but tax

Options
  --from <what>           file or address to read in place of the original's own address; may be repeated. In full it is
                          <original>=<file or address>@<day that it is of>. Originals are
                          ${ORIGINALS.slice(0, 5).join(', ')},
                          ${ORIGINALS.slice(5).join(', ')}.
                          Without a name it is the command's first. "default" means the original's own address. With any --from,
                          only the named originals are read, and the rest comes from the current tables. The registers of
                          grid areas and operators may be given several times, oldest first
  --municipalities <what> the same as --from postal-municipalities=<what>
  --operators <what>      the same as --from operators=<what>
  --reduced <what>        the same as --from reduced-tax=<what>
  --out <folder>          where tables are written; the folder seed in ELNAV_DATA_DIR by default
  --as-of <day>           the day of the originals; today by default
  --dry-run               prints what would change, and changes nothing
  --accept-losses         accepts a table that loses more than a fifth of its rows
  --help                  this text`;

export interface Location {
  readonly original: Original;
  /** A file or an address; undefined for the original's own address. */
  readonly at: string | undefined;
  readonly asOf: string;
}

export interface Arguments {
  readonly command: Command;
  /** In the order given. */
  readonly locations: readonly Location[];
  readonly out: string | undefined;
  readonly isDryRun: boolean;
  readonly acceptsLosses: boolean;
}

/** Parses the command line; `help` for --help. Throws an `OperatorError` that says what would be valid. */
export function readArguments(argv: readonly string[], today: string): Arguments | 'help' {
  const { values, positionals } = parsed(argv);
  if (values.help === true || argv.length === 0) return 'help';
  const [name = '', ...others] = positionals;
  const command = Object.keys(COMMANDS).find((one): one is Command => one === name);
  if (command === undefined || others.length > 0) {
    throw new OperatorError(
      `"${positionals.join(' ')}" must be one of ${Object.keys(COMMANDS).join(', ')}; see npm run import -- --help.`,
    );
  }
  const asOf = day(values['as-of'] ?? today);
  const given = [
    ...(values.from ?? []).map((text) => locationOf(text, { command, asOf })),
    ...named(values.municipalities, 'postal-municipalities', asOf),
    ...named(values.operators, 'operators', asOf),
    ...named(values.reduced, 'reduced-tax', asOf),
  ];
  const permitted: readonly Original[] = command === 'all' ? ORIGINALS : COMMANDS[command];
  const foreign = given.find(({ original }) => !permitted.includes(original));
  if (foreign !== undefined) {
    throw new OperatorError(`${command} reads ${permitted.join(', ')}, not ${foreign.original}.`);
  }
  const once = given.find(
    ({ original }) =>
      !['grid-areas', 'operators', 'zones'].includes(original) &&
      given.filter((other) => other.original === original).length > 1,
  );
  if (once !== undefined) throw new OperatorError(`${once.original} can be given once.`);
  if (command === 'tax' && given.length === 0) {
    throw new OperatorError('tax needs --from <file of rates> or --reduced <file of municipalities>.');
  }
  const own = COMMANDS[command].map((original) => ({ original, at: undefined, asOf }));
  return {
    command,
    locations: given.length > 0 ? given : own,
    out: values.out,
    isDryRun: values['dry-run'] === true,
    acceptsLosses: values['accept-losses'] === true,
  };
}

function parsed(argv: readonly string[]) {
  const many = { type: 'string', multiple: true } as const;
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        from: many,
        municipalities: many,
        operators: many,
        reduced: many,
        out: { type: 'string' },
        'as-of': { type: 'string' },
        'dry-run': { type: 'boolean' },
        'accept-losses': { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`${reason}; see npm run import -- --help.`);
  }
}

function named(texts: readonly string[] | undefined, original: Original, asOf: string): Location[] {
  return (texts ?? []).map((text) => dated(text, { original, asOf }));
}

function locationOf(text: string, { command, asOf }: { command: Command; asOf: string }): Location {
  const original = ORIGINALS.find((one) => text.startsWith(`${one}=`));
  if (original !== undefined) return dated(text.slice(original.length + 1), { original, asOf });
  if (command === 'all') {
    throw new OperatorError(
      `--from ${text} must name its original: --from <original>=${text}, with one of ${ORIGINALS.join(', ')}.`,
    );
  }
  return dated(text, { original: COMMANDS[command][0], asOf });
}

function dated(text: string, { original, asOf }: { original: Original; asOf: string }): Location {
  const match = /^(.+)@(\d{4}-\d{2}-\d{2})$/.exec(text);
  const at = match?.[1] ?? text;
  if (at === '') throw new OperatorError(`--from ${original}= must name a file or an address.`);
  return { original, at: at === 'default' ? undefined : at, asOf: day(match?.[2] ?? asOf) };
}

function day(text: string): string {
  try {
    if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Temporal.PlainDate.from(text).toString();
  } catch {
    // Falls through to the sentence below.
  }
  throw new OperatorError(`"${text}" must be a day such as 2026-11-21.`);
}
