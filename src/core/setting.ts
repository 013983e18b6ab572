/** A setting as `docs/config.md` tells of it. */
export interface Setting {
  readonly name: string;
  readonly description: string;
  readonly fallback: string;
  readonly secret?: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads settings one by one, and collects what is wrong with them. */
export interface SettingReader {
  /** What is set, or the fallback; without white space around it. */
  text(name: string): string;
  /** The same; undefined when it is empty. */
  optional(name: string): string | undefined;
  /** What `parse` makes of it; what it throws is a fault of the setting. */
  parsed<T>(name: string, parse: (value: string) => T): T | undefined;
  readonly faults: string[];
}

export function readerOf(
  environment: Environment,
  settings: readonly Setting[],
  faults: string[],
): SettingReader {
  const fallbacks = new Map(settings.map(({ name, fallback }) => [name, fallback]));
  const text = (name: string): string => {
    const value = environment[name]?.trim();
    return value === undefined || value === '' ? (fallbacks.get(name) ?? '') : value;
  };
  const optional = (name: string) => (text(name) === '' ? undefined : text(name));
  return {
    text,
    optional,
    faults,
    parsed(name, parse) {
      const value = optional(name);
      if (value === undefined) return undefined;
      try {
        return parse(value);
      } catch (error) {
        faults.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
        return undefined;
      }
    },
  };
}

export function parseHttpUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (
    url === undefined ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new Error(`must be an http or https address such as https://connect.example.com, not "${value}"`);
  }
  return url.href.replace(/\/$/, '');
}

export function oneOf<const T extends string>(...choices: readonly T[]): (value: string) => T {
  return (value) => {
    const choice = choices.find((one) => one === value);
    if (choice === undefined) throw new Error(`must be one of ${choices.join(', ')}, not "${value}"`);
    return choice;
  };
}
