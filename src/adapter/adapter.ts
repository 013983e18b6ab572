import type { TSchema } from 'typebox';
import type { JsonObject } from '../core/json.ts';
import type { Language } from '../core/language.ts';
import type { BudgetRule } from './budget.ts';
import type { CommandOf, CommandTypeOf, KindRanges, SetPoints, Timed, TimedType } from './commands.ts';
import type { DeviceCertificates } from './connections.ts';
import type { AvailableCapacity, DeviceType, Found, Limits, Status } from './device.ts';
import type { DialIn } from './dial-in.ts';
import type { Discovers } from './discovers.ts';
import type { Capability, ControlCapability, ReadCapability } from './fields.ts';
import type { Interventions } from './interventions.ts';
import type { CredentialWords, Login, LoginSession, OAuth, PartnerSetting } from './login.ts';
import type { DeviceRef, Session } from './session.ts';
import type { LocalSimulatorModule, SimulatorModule } from './simulator.ts';
import type { Stream } from './stream.ts';
import type { KindNeeds } from './tokens.ts';
import type { Webhook } from './webhook.ts';

export interface Linked {
  /** Names the vendor account: linking the same one again updates the link instead of adding a second. */
  readonly vendorAccount: string;
  /** What to keep, encrypted; the credentials as given when absent. */
  readonly credentials?: JsonObject;
  readonly devices: readonly Found[];
}

/** Sends one command. Resolves when the vendor has taken it; throws an `AppError` of the `vendor.*` codes otherwise. */
export type Handler<T extends CommandTypeOf<ControlCapability>> = (
  session: Session,
  device: DeviceRef,
  command: CommandOf<T>,
) => Promise<void>;

export type Handlers<C extends ControlCapability> = { readonly [T in CommandTypeOf<C>]: Handler<T> };

/**
 * Sends a limit that the device ends by itself after `for_seconds`, whatever becomes of us meanwhile, and not before. Without a `then_…`
 * the fallback of the link holds then, else the device's own limit.
 */
export type TimedHandler<T extends TimedType> = (
  session: Session,
  device: DeviceRef,
  command: Timed<T>,
) => Promise<void>;

/** The brands that a vendor connects beside its own: people look for theirs. The link page shows the first ones. */
interface Brands {
  readonly names: readonly string[];
  /** How else a brand is written. */
  readonly also?: Readonly<Record<string, readonly string[]>>;
  /** Users sign in with the account of their brand, not with one of the vendor. */
  readonly account?: 'brand';
}

export interface DeviceKind<Raw> {
  /** One call for everything the vendor knows of this device now. */
  read(session: Session, device: DeviceRef): Promise<Raw>;
  /** The fields that no read capability guards: online, connected, charging, power_on, … */
  status(raw: Raw): Status;
  /** When the vendor measured, ms since 1970; the time of the call when absent or null. */
  observedAt?(raw: Raw): number | null;
  /**
   * Values of a reading that this version does not recognize, such as `mode "HOLIDAY"`: of a new model, firmware, programme or unit. Their
   * fields are null, the rest is there; the platform logs each once.
   */
  unrecognized?(raw: Raw): readonly string[];
  /** A read capability exists because the function that fills its field exists. */
  readonly reads: { readonly [R in ReadCapability]?: (raw: Raw) => number | null };
  /**
   * `read_energy` is what the session has taken since the cable was plugged in, or since charging began: it starts again with each, and may
   * show the one before until then. Absent for a register that only rises.
   */
  readonly energyOfSession?: true;
  /** A control capability exists because all its commands are implemented. */
  readonly controls: { readonly [C in ControlCapability]?: Handlers<C> };
  /** A command can be told to end by itself because the function for it exists; the command's control must be there too. */
  readonly timed?: { readonly [T in TimedType]?: TimedHandler<T> };
  /** Commands that the platform renews and releases, so that none stays in force for ever; the command's control must be there too. */
  readonly setPoints?: SetPoints;
  /** `start_charge` presents the card that the command names; other kinds refuse a command that names one. */
  readonly takesCards?: true;
  /** Takes capabilities from one device (old firmware, missing option); can never add one. */
  withholds?(found: Found): readonly Capability[];
  /**
   * Why, as a sentence for the caller of a command that was withheld from the device; undefined where nothing was. A kind without any capability
   * says it of each device.
   */
  whyWithheld?(found: Pick<Found, 'details'>): string | undefined;
  /**
   * The permissions that capabilities take. Users are asked for them where a kind states them for all its devices; a capability of which one
   * was not granted is withheld, and a command says which.
   */
  readonly needs?: KindNeeds;
  /** What only the user can do before the vendor accepts something, by code; the conformance proves that each opens and is resolved. */
  readonly interventions?: Interventions<Raw>;
  /** What set_temperature and set_charge_limit accept; checked before the vendor is called. */
  readonly ranges?: KindRanges;
  /** What a background read takes of limits, by their names, where that is not what `read` takes. */
  readonly readCosts?: Readonly<Record<string, number>>;
  /** What load_balancing, set_current and set_battery_power accept on this device. */
  limits?(raw: Raw): Limits;
  /** What the circuit can take in addition now; required with load_balancing. */
  availableCapacity?(raw: Raw): AvailableCapacity;
}

/** What the end user has to do besides linking, elsewhere. */
export interface NextStep {
  /** Names the step for programs: `pair_key`. */
  readonly id: string;
  /** https. */
  readonly url: string;
  /** What to do there and why: `title` for a button, `text` above it. */
  readonly words: Readonly<Record<Language, { readonly title: string; readonly text: string }>>;
  /** It is done at the device itself: the address only says more. */
  readonly isAtDevice?: true;
  /** The devices that it is for. */
  readonly devices: readonly string[];
}

/** A vendor whose devices are simulated lets their conditions be set: `POST /{slug}/devices/{id}`. */
export interface Conditions {
  readonly schema: TSchema;
  /** Answers what the kind's `read` would, were no fault set: a device that is told to fail can still be shown. */
  apply(session: Session, device: DeviceRef, conditions: JsonObject): Promise<unknown>;
}

export interface Registration {
  /** Where it is done, each once; the first is meant when none is said. */
  readonly regions: readonly string[];
  /** `domain` is the host of Connect's public address. Throws an `OperatorError` that says what to do. */
  register(session: LoginSession, at: { readonly domain: string; readonly region: string }): Promise<void>;
}

export interface Pace {
  /** While it charges, or after a command. */
  readonly active: number;
  readonly idle: number;
  /** While it sleeps or cannot be reached. */
  readonly asleep: number;
}

/**
 * A vendor: one literal that ends in `satisfies Adapter`. `kinds` holds a `DeviceKind<Raw>` for each device type, made by
 * `kind()` so that each keeps its own `Raw`.
 */
export interface Adapter {
  /** Lower case, a–z, 0–9, `_`. */
  readonly slug: string;
  readonly name: string;
  readonly brands?: Brands;
  /** What end users call it, where the name is not a proper one. */
  readonly calledIn?: Readonly<Record<Language, string>>;
  /**
   * JSON Schema of the credentials that `POST /link` takes; unknown fields are refused. `LinkCode` with `oauth`. A text that is
   * `writeOnly` is a secret, typed unseen.
   */
  readonly credentials: TSchema;
  /** How the link page asks the end user for the credentials; nobody is asked for them with `oauth`. */
  readonly words?: CredentialWords;
  /**
   * What a person does at the device right before it is linked, for the link page. Linking throws `link.not_confirmed` where it was not done.
   */
  readonly confirmation?: Readonly<Record<Language, string>>;
  /** Base addresses of the vendor, without a trailing slash: `api`, and others by the names that requests give. */
  readonly hosts?: Readonly<Record<string, string>>;
  /**
   * Its devices are in a network of the user: they are reached from here where the operator permits private networks, or through a gateway
   * there. It has `ports`, or `chosenAddress`.
   */
  readonly isLocal?: true;
  /** How its devices are found through a gateway; absent where they are not. */
  readonly discovers?: Discovers;
  /**
   * The base address that the user chose, for a vendor that each user has one of: a box at home, a server of their own. It stands for
   * every host, unless a setting or the built-in simulator does; unless the operator permits it, only https to public addresses is called.
   */
  chosenAddress?(credentials: JsonObject): string;
  /** For devices that have certificates of their own, at a `chosenAddress` or over connections; the one that is shown while linking is kept. */
  readonly deviceCertificates?: DeviceCertificates;
  /**
   * Ports at which connections are opened. Their addresses are guarded, regardless of who named them: unless the operator permits private addresses,
   * they are public and use no other port.
   */
  readonly ports?: readonly number[];
  readonly login?: Login;
  readonly oauth?: OAuth;
  /**
   * The header in which calls with a user's token also carry the API key of the operator's app: `vcc-api-key`. The key is the setting
   * `ELNAV_<SLUG>_API_KEY`, set together with the client id and secret.
   */
  readonly apiKeyHeader?: string;
  /** What the operator sets besides client id and secret; in `Partner.more`. */
  readonly partnerSettings?: readonly PartnerSetting[];
  /** The vendor's limits, the ones that it states and the ones that were seen. */
  readonly budgets?: readonly BudgetRule[];
  /** How often devices are worth asking in the background, seconds; the budgets may make it slower. */
  readonly pace?: Pace;
  readonly webhook?: Webhook;
  readonly stream?: Stream;
  /** A file that the vendor fetches from us at a path of its own; its content is a setting. */
  readonly wellKnown?: { readonly path: string; readonly setting: string; readonly contentType: string };
  /** For vendors that want to know the service that calls them; run by the operator, as often as they like. */
  readonly registration?: Registration;
  /** Its simulator, loaded only where it is wanted. */
  readonly simulator?: () => Promise<SimulatorModule>;
  /** The same of a vendor with `ports`: its simulator speaks over connections. */
  readonly localSimulator?: () => Promise<LocalSimulatorModule>;
  /** The vendor tells us of changes by itself. */
  readonly pushes: boolean;
  /** A stored state younger than this is served without asking the vendor; 0 asks always. */
  readonly pollSeconds: number;
  readonly kinds: { readonly [T in DeviceType]?: AnyKind };
  /** Reads several devices of a link with fewer calls than one for each; what it leaves out is read by itself. */
  sweep?(session: Session, devices: readonly DeviceRef[]): Promise<ReadonlyMap<string, unknown>>;
  /** Signs in with `session.credentials` and tells what is there. */
  link(session: Session): Promise<Linked>;
  /**
   * Lists the devices of a linked account again. It answers all of them or throws: a page or a home that cannot be had is an error, since
   * what is missing in lists is removed in the end. `known` is what was listed before, for what a list may leave untold. Absent where
   * the devices tell themselves.
   */
  list?(session: Session, known: readonly DeviceRef[]): Promise<readonly Found[]>;
  /** How often the devices are listed again, seconds; once a day unless it is said. */
  readonly listSeconds?: number;
  /** What the user of linked devices still has to do; `domain` is the host of Connect's public address. */
  nextSteps?(
    devices: readonly Pick<Found, 'id' | 'type' | 'details'>[],
    at: { readonly domain: string },
  ): readonly NextStep[];
  /** Called when the link is deleted, to revoke at the vendor where it can. `isLast`: no other link is of the same vendor account. */
  unlink?(session: Session, of: { readonly isLast: boolean }): Promise<void>;
  readonly conditions?: Conditions;
  readonly dialIn?: DialIn;
}

/** A `DeviceKind` whose `Raw` is known only to itself; only `kind()` makes one. */
export type AnyKind = DeviceKind<unknown>;

/** Seals a kind: what its own `read` returned is all that the platform ever hands to its other functions. */
export function kind<Raw>(declaration: DeviceKind<Raw>): AnyKind {
  return declaration as AnyKind;
}
