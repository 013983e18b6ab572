export type Environment = Readonly<Record<string, string | undefined>>;

/** The kind of values of a setting. */
export interface Kind<T> {
  /** For the documents: a port from 0 to 65535. */
  readonly values: string;
  /** Never repeated in messages, nor logged. */
  readonly isSecret: boolean;
  /** Parses the value; an error becomes a fault of the setting, after its name: `must be …`. */
  parse(value: string): T;
}

/** A setting, declared once for reading, documentation and checks. */
export interface Setting<T = unknown> {
  readonly name: string;
  readonly kind: Kind<T>;
  /** A sentence without its full stop. */
  readonly description: string;
  /** The default as an operator would write it; undefined without one. */
  readonly fallback: string | undefined;
  /** The only service that reads it. */
  readonly service?: 'connect' | 'grid' | undefined;
  /** Another setting that requires this one. */
  readonly requiredWith?: string | undefined;
  /** How to create a value, when it is required and missing. */
  readonly hint?: string | undefined;
  /** Another setting: both are set, or neither. */
  readonly together?: string | undefined;
}

type Rest = Pick<Setting, 'description' | 'service' | 'requiredWith' | 'hint' | 'together'>;

/** Declares an optional setting; its value is undefined when it is not set. */
export const optional = <T>(name: string, kind: Kind<T>, rest: Rest): Setting<T | undefined> => ({
  name,
  kind,
  fallback: undefined,
  ...rest,
});

/** Declares a setting with a default. */
export const setting = <T>(
  name: string,
  kind: Kind<T>,
  rest: Rest & { readonly fallback: string },
): Setting<T> => ({ name, kind, ...rest });

/** Settings by their names in the code. */
export type Declared = Readonly<Record<string, Setting>>;

/** The values of a declaration. */
export type Values<D extends Declared> = {
  readonly [K in keyof D]: D[K] extends Setting<infer T> ? T : never;
};

/** The trimmed value; undefined when it is empty. */
function textIn(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim();
  return text === '' ? undefined : text;
}

/**
 * Reads all settings of a declaration. Faults are added to `faults`, in the order of the declaration. A faulty value is undefined, so
 * check the faults before using the values.
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
  // Each value was parsed by its own kind.
  return Object.fromEntries(values) as Values<D>;
}

/** The settings that are set. */
export const given = <T>(values: Readonly<Record<string, T | undefined>>): Readonly<Record<string, T>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );

/** Settings that are missing although others require them; a faulty setting requires nothing yet. */
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
