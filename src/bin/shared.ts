import type { Outbound } from '../core/outbound.ts';
import type { Settings, VaultKey } from '../core/settings/index.ts';
import type { Host } from '../db/host.ts';
import type { Accounts } from '../domain/access/accounts/index.ts';
import type { ConnectReport } from '../domain/links/instances/index.ts';
import type { Requests } from '../domain/records/requests/index.ts';
import type { TokenGate } from '../http/access.ts';
import type { Exposure } from '../http/exposure.ts';
import type { Limits } from '../http/rate-limit.ts';
import type { Server } from '../http/server.ts';
import type { Assets } from '../pages/assets.ts';
import type { Market } from './market.ts';
import type { PeopleAndMail } from './open-people.ts';

export type ServiceName = 'connect' | 'grid';

/** What the services of a process have in common, and where they hand in what is to be begun, paused and closed. */
export interface Shared extends Host {
  readonly settings: Settings;
  readonly exposure: Exposure;
  readonly dataDir: string;
  readonly outbound: Outbound;
  readonly accounts: Accounts;
  readonly requests: Requests;
  readonly limits: Limits;
  readonly market: Market;
  readonly people: PeopleAndMail;
  /** Style sheets and scripts of the pages. */
  readonly assets: Assets;
  readonly vaultKeys: readonly VaultKey[];
  /** Fires when vendors that are still silent are given up. */
  readonly stopVendors: AbortSignal;
  /** A server, and the gate of its routes as far as forms need it. */
  makeServer(service: ServiceName, port: number): Server & TokenGate;
  serverOf(service: ServiceName): Server | undefined;
  /** Where a service listens; undefined until it does. */
  urlOf(service: ServiceName): string | undefined;
  /** The public address of a service: as configured, else where it listens. */
  addressOf(service: ServiceName): string | undefined;
  /** In the order of making; closed in the opposite one. */
  readonly closers: (() => Promise<unknown>)[];
  /** What nobody waits for ends as soon as the process is to stop. */
  readonly pausers: (() => Promise<void>)[];
  /** What goes on by itself once there is a server to be reached at. */
  readonly begin: (() => void)[];
  /** What Connect has to say of how this process is; empty without it. */
  readonly reports: (() => ConnectReport)[];
}
