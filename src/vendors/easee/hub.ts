import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { JsonObject } from '../../core/json.ts';

/*
 * ASP.NET Core SignalR over a WebSocket, JSON protocol: records of JSON, each ended by 0x1E
 * (github.com/dotnet/aspnetcore, src/SignalR/docs/specs/HubProtocol.md).
 */

const END = '\u001e';
const MOST_RECORD = 1024 * 1024;

/** Numbers of the messages that we know. */
export const MESSAGE = { invocation: 1, completion: 3, ping: 6, close: 7 } as const;

const HubMessage = Type.Object({
  type: Type.Optional(Type.Integer()),
  target: Type.Optional(Type.String()),
  arguments: Type.Optional(Type.Array(Type.Unknown())),
  invocationId: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** Why a call or the connection failed. */
  error: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
export type HubMessage = Static<typeof HubMessage>;
const hubMessages = Compile(HubMessage);

export const asRecord = (message: JsonObject): string => `${JSON.stringify(message)}${END}`;

export const HANDSHAKE = asRecord({ protocol: 'json', version: 1 });
export const PING = asRecord({ type: MESSAGE.ping });

export const invocation = (target: string, args: JsonObject[string][], id?: string): string =>
  asRecord({
    type: MESSAGE.invocation,
    target,
    arguments: args,
    ...(id === undefined ? {} : { invocationId: id }),
  });

/** Puts records together: a frame may hold several, or a part of one. Throws when one grows too large or is not JSON. */
export function createRecords(): (frame: string) => HubMessage[] {
  let rest = '';
  return (frame) => {
    const parts = (rest + frame).split(END);
    rest = parts.pop() ?? '';
    if (rest.length > MOST_RECORD) throw new Error('a record of the stream is too large');
    return parts.filter((part) => part !== '').map(parsed);
  };
}

/** A message of another shape is an empty one: new kinds must not end the stream. */
function parsed(record: string): HubMessage {
  let message: unknown;
  try {
    message = JSON.parse(record);
  } catch {
    // The parser's own words quote the record.
    throw new Error('a record of the stream is not JSON');
  }
  return hubMessages.Check(message) ? message : {};
}
