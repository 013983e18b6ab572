import type { JsonObject } from '../../core/json.ts';
import {
  addCharger,
  modeOf,
  type SimulatedCharger,
  type SimulatedInstallation,
} from './simulated-charger.ts';

/** "UserRoles", as bits: who may charge alone, and the owner, who may too. */
export const USER = 1;
const OWNER = 3;

/** The chargers that one user sees. */
export type Home = SimulatedCharger[];

export const installationsOf = (home: Home) => [...new Set(home.map(({ installation }) => installation))];

export const installationJson = (one: SimulatedInstallation): JsonObject => ({
  Id: one.id,
  Name: `${one.name} (simulated)`,
  InstallationType: 1,
  MaxCurrent: one.maxA,
  // Nulls are left out.
  ...(one.availableA === null
    ? {}
    : {
        AvailableCurrent: Math.min(...one.availableA),
        AvailableCurrentPhase1: one.availableA[0],
        AvailableCurrentPhase2: one.availableA[1],
        AvailableCurrentPhase3: one.availableA[2],
      }),
  AvailableCurrentMode: 0,
  UseLoadBalancing: true,
  Active: true,
  NetworkType: 4,
  CurrentUserRoles: one.roles,
  AuthenticationType: 0,
  MessagingEnabled: true,
});

export const chargerJson = (one: SimulatedCharger): JsonObject => ({
  OperatingMode: modeOf(one),
  IsOnline: one.online,
  Id: one.id,
  MID: one.serial,
  DeviceId: one.serial,
  Name: one.name,
  CreatedOnDate: '2026-01-01T00:00:00',
  CircuitId: `${one.installation.id.slice(0, -4)}c1c1`,
  Active: true,
  CurrentUserRoles: one.roles,
  DeviceType: 4,
  InstallationName: `${one.installation.name} (simulated)`,
  InstallationId: one.installation.id,
  AuthenticationType: 0,
  IsAuthorizationRequired: one.needsAuthorization,
});

export const hierarchyOf = ({ id, name, maxA, chargers }: SimulatedInstallation): JsonObject => ({
  Id: id,
  Name: `${name} (simulated)`,
  NetworkType: 4,
  Circuits: [
    {
      Id: `${id.slice(0, -4)}c1c1`,
      Name: '1',
      MaxCurrent: maxA,
      Chargers: chargers.map(({ id: Id, serial, name: Name }) => ({ Id, DeviceId: serial, Name })),
    },
  ],
});

export const firmwareOf = ({ id, serial }: SimulatedCharger): JsonObject => ({
  ChargerId: id,
  DeviceId: serial,
  DeviceType: 4,
  CurrentVersion: '2.4.1.8',
  AvailableVersion: '2.4.1.8',
  IsUpToDate: true,
  IsOnline: true,
});

/** Nobody listens there: the message stream is not simulated. */
export const messagingOf = (id: string): JsonObject => ({
  Host: 'zaptec.simulated.invalid',
  Port: 5671,
  UseSSL: true,
  Username: 'simulated',
  Password: 'simulated',
  Topic: id,
  Subscription: 'simulated',
  Type: 0,
});

export const CONSTANTS: JsonObject = {
  ChargerOperationModes: {
    Unknown: 0,
    Disconnected: 1,
    Connected_Requesting: 2,
    Connected_Charging: 3,
    Connected_Finished: 5,
  },
  Commands: { StopChargingFinal: 506, ResumeCharging: 507 },
  DeviceTypes: { Unknown: 0, Smart: 1, HomeApm: 3, Apollo: 4 },
  UserRoles: { None: 0, User: 1, Owner: 2, Maintainer: 4, Administrator: 8 },
  ErrorCodes: { Unknown: 500, UnknownCommand: 519, NotSupported: 527, DeviceCommandRejected: 528 },
  Observations: {
    IsOnline: -2,
    Pulse: -1,
    TotalChargePower: 513,
    ChargerOperationMode: 710,
    FinalStopActive: 718,
  },
};

/** An id of the form that Zaptec uses; the numbers stay below 65536. */
const uuid = (place: number, charger: number) =>
  `5a9dec00-0000-4000-8000-${place.toString(16).padStart(8, '0')}${charger.toString(16).padStart(4, '0')}`;

export function usersAt(now: number): Readonly<Record<'home' | 'none' | 'large', Home>> {
  const installation = (place: number, name: string, maxA: number, roles = OWNER): SimulatedInstallation => ({
    id: uuid(place, 0),
    name,
    maxA,
    roles,
    chargers: [],
    availableA: null,
    isManaged: false,
  });
  const charger = (
    at: SimulatedInstallation,
    place: number,
    name: string,
    more: Partial<SimulatedCharger> = {},
  ) => {
    const number = at.chargers.length + 1;
    const serial = `ZAP${String(place * 100 + number).padStart(6, '0')}`;
    return addCharger(
      { id: uuid(place, number), serial, name: `${name} (simulated)`, installation: at, ...more },
      now,
    );
  };
  const shared = installation(2, 'Two cars', 32);
  const garage = installation(3, 'Underground garage', 63);
  const work = installation(4, 'At work', 32, USER);
  const parks = Array.from({ length: 10 }, (_, index) => installation(100 + index, `Car park ${index}`, 125));
  return {
    home: [
      charger(installation(1, 'House', 25), 1, 'House'),
      charger(shared, 2, 'Left'),
      charger(shared, 2, 'Right'),
      charger(garage, 3, 'Place 1', { needsAuthorization: true }),
      charger(garage, 3, 'Place 2', { online: false }),
      charger(work, 4, 'Work'),
    ],
    none: [],
    large: parks.flatMap((park, index) =>
      Array.from({ length: 50 }, (_, place) => charger(park, 100 + index, `Place ${index}-${place}`)),
    ),
  };
}
