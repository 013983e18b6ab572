export type Environment = Readonly<Record<string, string | undefined>>;

/** What values a setting takes. */
export interface Kind<T> {
  /** As the documents say it: a port from 0 to 65535. */
  readonly values: string;
  /** It is never repeated, nor logged. */
  readonly isSecret: boolean;
  /** What it throws is a fault of the setting, and goes on after its name: `must be …`. */
  parse(value: string): T;
}

/** A setting, declared once: it is read, described and demanded by this. */
export interface Setting<T = unknown> {
  readonly name: string;
  readonly kind: Kind<T>;
  /** A sentence without its stop. */
  readonly description: string;
  /** As an operator would write it; undefined where nothing stands in for it. */
  readonly fallback: string | undefined;
  /** The only service that reads it. */
  readonly service?: 'connect' | 'grid' | undefined;
  /** Another setting that cannot be without this one. */
  readonly requiredWith?: string | undefined;
  /** How to make one, where it is required and missing. */
  readonly hint?: string | undefined;
  /** Another setting: both are set, or neither. */
  readonly together?: string | undefined;
}

type Rest = Pick<Setting, 'description' | 'service' | 'requiredWith' | 'hint' | 'together'>;

/** Declares a setting that may be left out: its value is undefined then. */
export const optional = <T>(name: string, kind: Kind<T>, rest: Rest): Setting<T | undefined> => ({
  name,
  kind,
  fallback: undefined,
  ...rest,
});

/** Declares a setting with what stands in for it. */
export const setting = <T>(
  name: string,
  kind: Kind<T>,
  rest: Rest & { readonly fallback: string },
): Setting<T> => ({ name, kind, ...rest });

/** Settings by what the code calls them. */
export type Declared = Readonly<Record<string, Setting>>;

/** What the settings of a declaration are read as. */
export type Values<D extends Declared> = {
  readonly [K in keyof D]: D[K] extends Setting<infer T> ? T : never;
};

/** What is set, without white space around it; undefined where it is empty. */
function textIn(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim();
  return text === '' ? undefined : text;
}

/**
 * Reads all settings of a declaration. What is wrong is added to `faults`, in the order of the declaration: a value that was faulty is
 * undefined, so nothing may be done with the values before the faults are looked at.
 */
export function readAll<D extends Declared>(
  declared: D,
  environment: Environment,
  faults: string[],
): Values<D> {
  const read = ({ name, kind, fallback }: Setting): unknown => {
    const text = textIn(environment, name) ?? fallback;
    if (text === undefined) return undefined;
    try {
      return kind.parse(text);
    } catch (error) {
      faults.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  const values = Object.entries(declared).map(([key, one]) => [key, read(one)]);
  // Each was parsed by its own kind.
  return Object.fromEntries(values) as Values<D>;
}

/** Those that are set. */
export const given = <T>(values: Readonly<Record<string, T | undefined>>): Readonly<Record<string, T>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );

/** What is missing of settings that need each other; one that is faulty itself needs nothing yet. */
export function missingOf(
  settings: readonly Setting[],
  environment: Environment,
  faults: readonly string[],
): string[] {
  const isSet = (name: string): boolean => textIn(environment, name) !== undefined;
  const isFaulty = (name: string): boolean => faults.some((fault) => fault.startsWith(`${name} `));
  return settings.flatMap(({ name, requiredWith, hint, together }) => {
    if (together !== undefined && isSet(name) !== isSet(together))
      return [`${name} and ${together} must be set together`];
    if (requiredWith === undefined || isSet(name)) return [];
    if (!isSet(requiredWith) || isFaulty(requiredWith)) return [];
    return [`${name} is required with ${requiredWith}${hint === undefined ? '' : ` (${hint})`}`];
  });
}
