import { AppError } from '../core/errors.ts';
import type { Words } from '../core/language.ts';
import { type CommandType, capabilityOf } from './commands.ts';
import type { DeviceState, Found } from './device.ts';
import { CAPABILITIES, type Capability, READS, type ReadCapability } from './fields.ts';
import { type KindNeeds, missingScopes } from './tokens.ts';

/** Something that only the user can do, and where. */
export interface UserStep {
  /** What to do and why: `title` for a button, `text` above it. */
  readonly words: Words<{ readonly title: string; readonly text: string }>;
  /** https; a function where it depends on the host of Connect's public address. Absent where no page helps. */
  readonly url?: string | ((at: { readonly domain: string }) => string);
  /** It is done at the device itself: an address only says more. */
  readonly isAtDevice?: true;
}

export type Blocked = CommandType | ReadCapability;

/**
 * What keeps a device from something until its user does it. It opens and is resolved by what the vendor says, never by time: a reading,
 * a list, an error (`NeedsUser`), or the success of what it blocks.
 */
export interface Intervention<Raw> extends UserStep {
  /** What the vendor refuses until it is done. */
  readonly blocks: readonly [Blocked, ...Blocked[]];
  /** Whether a reading says that it has to be done; null where it says nothing of it. */
  inReading?(raw: Raw): boolean | null;
  /** The same of a device as it was listed. */
  inList?(device: Pick<Found, 'details'>): boolean | null;
}

/** Interventions by their codes, such as `allow_remote_start`. */
export type Interventions<Raw> = Readonly<Record<string, Intervention<Raw>>>;

/** Which interventions the vendor says are needed, by code; one that it says nothing of is absent. */
export type Said = ReadonlyMap<string, boolean>;

/** A refusal that the user can end, by the intervention of this code. */
export class NeedsUser extends AppError {
  readonly intervention: string;

  constructor(intervention: string, { code, message, cause, retryAfterSeconds }: AppError) {
    super(code, message, { cause, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) });
    this.intervention = intervention;
  }
}

/** Those of the platform. The first is of a link, the others of a device. */
export const SIGN_IN_AGAIN = 'sign_in_again';
export const GRANT_PERMISSIONS = 'grant_permissions';
export const PLUG_IN = 'plug_in';

export const PLATFORM_STEPS = {
  [SIGN_IN_AGAIN]: {
    words: {
      en: {
        title: 'Sign in again',
        text: 'The sign-in is no longer valid. Link the account again to get its devices back.',
      },
      sv: {
        title: 'Logga in igen',
        text: 'Inloggningen gäller inte längre. Anslut kontot igen för att få tillbaka enheterna.',
      },
    },
  },
  [GRANT_PERMISSIONS]: {
    words: {
      en: {
        title: 'Grant permissions',
        text: 'Permissions are missing. Link the account again, and grant everything that is asked for.',
      },
      sv: {
        title: 'Ge behörighet',
        text: 'Behörigheter saknas. Anslut kontot igen och godkänn allt som efterfrågas.',
      },
    },
  },
  [PLUG_IN]: {
    isAtDevice: true,
    words: {
      en: {
        title: 'Plug in the car',
        text: 'Charging could not start because no car is plugged in. Connect the cable to the car and to the charger.',
      },
      sv: {
        title: 'Anslut bilen',
        text: 'Laddningen kunde inte starta eftersom ingen bil är ansluten. Sätt i kabeln i bilen och i laddaren.',
      },
    },
  },
} satisfies Record<string, UserStep>;

const isRead = (blocked: Blocked): blocked is ReadCapability => Object.hasOwn(READS, blocked);

/** The part of a kind on which interventions depend. */
interface Intervened {
  readonly controls: { readonly charge_control?: object };
  readonly interventions?: Interventions<unknown>;
  readonly needs?: KindNeeds;
}

/** What each intervention of a kind blocks, with that of the platform. */
function blocksOf(kind: Intervened): ReadonlyMap<string, readonly Blocked[]> {
  const declared = Object.entries(kind.interventions ?? {});
  return new Map<string, readonly Blocked[]>([
    ...(kind.controls.charge_control === undefined ? [] : [[PLUG_IN, ['start_charge']] as const]),
    ...declared.map(([code, { blocks }]) => [code, blocks] as const),
  ]);
}

/**
 * The capabilities that an intervention keeps from a device; undefined for one that its kind does not have.
 * @param device as it was listed; what was granted counts only for missing permissions
 */
export function blockedBy(
  kind: Intervened,
  code: string,
  device: Pick<Found, 'details' | 'granted'>,
): readonly Capability[] | undefined {
  if (code === GRANT_PERMISSIONS)
    return CAPABILITIES.filter((capability) => missingScopes(kind, device, capability).length > 0);
  const blocked = blocksOf(kind)
    .get(code)
    ?.map((one) => (isRead(one) ? one : capabilityOf(one)));
  return blocked && CAPABILITIES.filter((capability) => blocked.includes(capability));
}

/** What a vendor's response to a read says. That it came ends what blocks reading, unless the response itself says otherwise. */
export function saidByReading(kind: Intervened, raw: unknown): Said {
  const said = new Map<string, boolean>();
  for (const [code, { blocks, inReading }] of Object.entries(kind.interventions ?? {})) {
    const isNeeded = inReading === undefined ? (blocks.some(isRead) ? false : null) : inReading(raw);
    if (isNeeded !== null) said.set(code, isNeeded);
  }
  return said;
}

/** What a state says, whichever way it came. */
export const saidByState = ({ connected }: DeviceState): Said =>
  new Map(connected === true ? [[PLUG_IN, false]] : []);

/** What a list says of a device. `granted`: what its user permits, where that is known. */
export function saidByList(kind: Intervened, device: Pick<Found, 'details' | 'granted'>): Said {
  const said = new Map<string, boolean>();
  for (const [code, { inList }] of Object.entries(kind.interventions ?? {})) {
    const isNeeded = inList?.(device) ?? null;
    if (isNeeded !== null) said.set(code, isNeeded);
  }
  const missing = blockedBy(kind, GRANT_PERMISSIONS, device) ?? [];
  return said.set(GRANT_PERMISSIONS, missing.length > 0);
}

/** What a failed call says. */
export const saidByError = (error: unknown): Said =>
  new Map(error instanceof NeedsUser ? [[error.intervention, true]] : []);

/** What a command says that the vendor accepted. */
export const saidBySuccess = (kind: Intervened, command: CommandType): Said =>
  new Map(
    [...blocksOf(kind)].filter(([, blocks]) => blocks.includes(command)).map(([code]) => [code, false]),
  );

/** What is to be done for an intervention; undefined for one that nobody declares. */
export function stepOf(kind: Intervened | undefined, code: string): UserStep | undefined {
  const declared = kind?.interventions?.[code];
  return (
    declared ??
    (Object.hasOwn(PLATFORM_STEPS, code) ? PLATFORM_STEPS[code as keyof typeof PLATFORM_STEPS] : undefined)
  );
}
