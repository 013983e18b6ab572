import Type, { type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

/*
 * What is used of Netatmo's answers. Each member of a list is judged by itself, and fields whose value may be odd are unknown here
 * and read by `translate.ts`: one room that is not understood costs the others nothing.
 */

/** Ids become parts of paths and of our own ids. */
const Id = Type.String({ pattern: '^[\\w:#-]{1,64}$' });
const RoomId = Type.String({ pattern: '^[\\w-]{1,64}$' });
const List = Type.Optional(Type.Array(Type.Unknown()));

const Envelope = Type.Object({ body: Type.Object({ errors: List }) });
const HomesBody = Type.Object({ homes: List, user: Type.Object({ id: RoomId }) });
const Home = Type.Object({
  id: RoomId,
  name: Type.Optional(Type.Unknown()),
  therm_setpoint_default_duration: Type.Optional(Type.Unknown()),
  rooms: List,
  modules: List,
});
const HomeModule = Type.Object({
  id: Id,
  type: Type.String({ maxLength: 32 }),
  room_id: Type.Optional(Type.Unknown()),
  bridge: Type.Optional(Type.Unknown()),
});
const HomeRoom = Type.Object({ id: RoomId, name: Type.Optional(Type.Unknown()), module_ids: List });
const StatusBody = Type.Object({
  errors: List,
  home: Type.Optional(Type.Object({ rooms: List, modules: List })),
});
const StatusRoom = Type.Object({
  id: RoomId,
  reachable: Type.Optional(Type.Unknown()),
  therm_measured_temperature: Type.Optional(Type.Unknown()),
  therm_setpoint_mode: Type.Optional(Type.Unknown()),
});
const StatusModule = Type.Object({ id: Id, reachable: Type.Optional(Type.Unknown()) });
const ModuleError = Type.Object({ id: Id, code: Type.Unknown() });
/** What linking kept of a room, in `DeviceRef.details`. */
const Details = Type.Object({
  home_id: RoomId,
  room_id: RoomId,
  modules: Type.Array(Type.Object({ id: Id, type: Type.String() })),
  bridges: Type.Array(Id),
  commands: Type.Enum(['setroomthermpoint', 'setstate']),
  default_minutes: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
});

export type Home = Type.Static<typeof Home>;
export type HomeRoom = Type.Static<typeof HomeRoom>;
export type HomeModule = Type.Static<typeof HomeModule>;
export type StatusRoom = Type.Static<typeof StatusRoom>;
export type StatusModule = Type.Static<typeof StatusModule>;
export type ModuleError = Type.Static<typeof ModuleError>;
export type Details = Type.Static<typeof Details>;

/** Answers the value when it has the shape. */
function taker<S extends TSchema>(schema: S) {
  const compiled = Compile(schema);
  return (value: unknown): Type.Static<S> | undefined => (compiled.Check(value) ? value : undefined);
}

export const envelopeIn = taker(Envelope);
export const homesBodyIn = taker(HomesBody);
export const homeIn = taker(Home);
export const homeModuleIn = taker(HomeModule);
export const homeRoomIn = taker(HomeRoom);
export const statusBodyIn = taker(StatusBody);
export const statusRoomIn = taker(StatusRoom);
export const statusModuleIn = taker(StatusModule);
export const moduleErrorIn = taker(ModuleError);
export const detailsIn = taker(Details);
export const idIn = taker(RoomId);

/** The members of a list that are understood. */
export function eachIn<T>(
  list: readonly unknown[] | undefined,
  take: (value: unknown) => T | undefined,
): T[] {
  return (list ?? []).flatMap((member) => take(member) ?? []);
}
