import type { JsonObject } from '../core/json.ts';
import type { Session } from './session.ts';

/*
 * How devices of a vendor are found in a user's network. The platform learns from a gateway what announces itself and which ports are open,
 * and asks the adapter what is there.
 */

/** Where something answers in a user's network. */
export interface DevicePlace {
  /** An IP address. */
  readonly host: string;
  readonly port: number;
}

/** A device that was found, before anybody has linked it. */
export interface Identified {
  /** What its owner or its maker calls it; the vendor's name where it is absent. */
  readonly name?: string;
  /** Credentials that are known besides those of its place. */
  readonly credentials?: JsonObject;
  /** Fields that are optional in the schema of the credentials, and that this device needs: the password that its owner has set. */
  readonly needs?: readonly string[];
  /** `Linked.vendorAccount`, where it is known without signing in: it tells whether the device is linked already. */
  readonly vendorAccount?: string;
  /** It may be something else: only signing in tells. */
  readonly isUncertain?: true;
}

/** For a vendor with `isLocal`. */
export interface Discovers {
  /** Types of DNS-SD by which its devices announce themselves, such as `_shelly._tcp`; their ports, and `ports`, are asked there. */
  readonly services?: readonly string[];
  /** TCP ports at which its devices answer; they are looked for in the whole network, among those that gateways look for. */
  readonly ports: readonly number[];
  /** The credentials of a device at a place, as far as that tells them. */
  credentialsAt(place: DevicePlace): JsonObject;
  /**
   * What is at a place, asked with few and cheap requests that change nothing and need no sign-in; undefined where it is no device of the vendor, or
   * one that cannot be linked. What answers may be anything: a failure means the same. `session.credentials` are those of `credentialsAt`.
   */
  identify(session: Session): Promise<Identified | undefined>;
}

/** What a gateway is asked to look for. */
export interface Wanted {
  /** Types of DNS-SD. */
  readonly services: readonly string[];
  readonly ports: readonly number[];
  /** Places that it does not connect to. */
  readonly except: readonly OpenPort[];
}

/** A TCP port at which something answers. */
interface OpenPort {
  /** An IP address. */
  readonly address: string;
  readonly port: number;
}

/** What a gateway sees of its networks. */
export interface Surroundings {
  /** Those whose ports it looked at. */
  readonly networks: readonly string[];
  /** What announces itself, with the type and the addresses that it says. */
  readonly instances: readonly {
    readonly service: string;
    readonly addresses: readonly string[];
    readonly port: number;
  }[];
  readonly open: readonly OpenPort[];
  /** False where more is there, or was not looked at. */
  readonly is_complete: boolean;
}
