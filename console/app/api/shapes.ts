import type { Event, Operations } from './types.ts';

/* Names for the parts of the API that the console shows. */

export type Device = Operations['GET /devices']['response'][number];
export type DeviceState = NonNullable<Device['state']>;
export type DeviceType = Device['device_type'];
export type Capability = Device['capabilities'][number];
export type Reading = Operations['GET /devices/{id}']['response'];

/** The device that was read, as the list has it. */
export const deviceIn = (reading: Reading | undefined): Device | undefined =>
  reading && { ...reading.device, user_ref: reading.user_ref, link: reading.link };
export type Limits = NonNullable<Reading['limits']>;
export type Command = Operations['POST /devices/{id}/command']['body'];
export type SetPoint = Operations['GET /devices/{id}/set-points']['response'][number];
export type History = Operations['GET /devices/{id}/history']['response'];
export type Intervention = Operations['GET /interventions']['response'][number];
export type Link = Operations['GET /links']['response'][number];
export type Subscription = Operations['GET /subscriptions']['response'][number];
export type ChargingSession = Operations['GET /devices/{id}/sessions']['response']['sessions'][number];
export type Key = Operations['GET /account/keys']['response'][number];
export type Scope = Key['scopes'][number];
export type Account = Operations['GET /account']['response'];
export type Usage = Operations['GET /account/usage']['response'];
export type LinkSession = Operations['GET /link/sessions/{session}']['response'];
export type PlanRequest = Operations['POST /optimize/plan']['body'];
export type Plan = Operations['POST /optimize/plan']['response'];
export type PriceArea = NonNullable<Link['price_area']>;
export type Removal = Exclude<Operations['DELETE /links/{id}']['response'], void>;
export type Vendor = Operations['GET /vendors']['response'][number];
export type LoggedEvent = Event;
export type EventType = LoggedEvent['type'];

/** What the events of each type hold in `data`. */
type EventData = { [E in LoggedEvent as E['type']]: E['data'] };

/** The data of an event, where it has that type. */
export function dataOf<T extends EventType>(event: LoggedEvent, type: T): EventData[T] | undefined {
  // The form of `data` follows from the type.
  return event.type === type ? (event.data as EventData[T]) : undefined;
}
