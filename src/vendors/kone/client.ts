import type { CallUse } from '../../adapter/budget.ts';
import type { Found } from '../../adapter/device.ts';
import { vendorFailure } from '../../adapter/failures.ts';
import type { VendorSocket } from '../../adapter/http.ts';
import { failureOfStatus } from '../../adapter/http.ts';
import * as kit from '../../adapter/kit/index.ts';
import type { Session } from '../../adapter/session.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Details } from './translate.ts';

/** A group of lifts that one controller runs: what a message to KONE is about. */
export interface Group {
  /** Without the prefix `building:`. */
  readonly building: string;
  readonly group: string;
}

type CallType = 'config' | 'ping' | 'monitor';

/** What came, as far as it was understood. */
export type Heard =
  | { readonly is: 'accepted'; readonly callType: CallType; readonly group: Group }
  | { readonly is: 'config'; readonly group: Group; readonly data: JsonObject }
  /** The controller of the group answers; `at` is by its own clock, ms since 1970. */
  | { readonly is: 'pong'; readonly group: Group; readonly at: number | null }
  /** KONE reports that it cannot reach the controller of the group. */
  | { readonly is: 'unreachable'; readonly group: Group }
  /** KONE does not have the group, or does not give it to the application. */
  | { readonly is: 'refused'; readonly group: Group; readonly error: AppError }
  /** `lift_2/doors`: of lift 2, its doors. */
  | {
      readonly is: 'event';
      readonly group: Group;
      readonly lift: string;
      readonly topic: string;
      readonly data: JsonObject;
    };

const Frame = kit.lenient({}, 'requestId', 'statusCode', 'callType', 'groupId', 'subtopic', 'data');

/** KONE's code where its own servers are well, and the building does not answer them. */
const END_TO_END_FAILURE = 1005;
const SUBTOPIC = /^lift_([\w-]{1,32})\/(\w{1,32})$/;

export const groupKey = ({ building, group }: Group): string => `${building}-${group}`;
/** The id that a lift has as a device. */
export const liftId = (group: Group, lift: string): string => `${groupKey(group)}-${lift}`;

/** A connection to KONE, on which requests are numbered and answered in any order. */
export class Connection {
  readonly #socket: VendorSocket;
  readonly #frames: AsyncIterator<string>;
  readonly #clock: Clock;
  readonly #asked = new Map<string, { readonly callType: CallType; readonly group: Group }>();
  readonly #groups = new Map<string, Group>();
  #next: Promise<IteratorResult<string>> | undefined;

  constructor(socket: VendorSocket, clock: Clock) {
    this.#socket = socket;
    this.#frames = socket.frames[Symbol.asyncIterator]();
    this.#clock = clock;
  }

  askConfig(group: Group): void {
    const requestId = this.#numbered('config', group);
    this.#send({ type: 'common-api', requestId, callType: 'config' }, group);
  }

  /** KONE closes a connection on which nothing was sent for a minute. */
  ping(group: Group): void {
    // KONE's own example sends pings without a `requestId`.
    const request_id = Number(this.#numbered('ping', group));
    this.#send({ type: 'common-api', callType: 'ping', payload: { request_id } }, group);
  }

  /** Subscribes for at most 300 s; KONE reports the current state first. `subscriber` is replaced where it subscribes again. */
  monitor(
    group: Group,
    { subscriber, subtopics }: { readonly subscriber: string; readonly subtopics: readonly string[] },
  ): void {
    const requestId = this.#numbered('monitor', group);
    const payload = { sub: subscriber, duration: MONITOR_SECONDS, subtopics: [...subtopics] };
    this.#send({ type: 'site-monitoring', requestId, callType: 'monitor', payload }, group);
  }

  /**
   * Takes what comes, until `isDone` or for `withinMs`. Throws an `AppError` where KONE refuses a request or the connection breaks.
   * @returns false once KONE has ended the connection, or no longer accepts the token that it was opened with
   */
  async listen(
    take: (heard: Heard) => void,
    { isDone, withinMs }: { readonly isDone: () => boolean; readonly withinMs: number },
  ): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const cancel = this.#clock.after(withinMs, () => resolve(undefined));
    try {
      while (!isDone()) {
        this.#next ??= this.#frames.next();
        const next = await Promise.race([this.#next, late]).catch((cause: unknown) => {
          throw vendorFailure('KONE', cause);
        });
        if (next === undefined) return true;
        this.#next = undefined;
        if (next.done === true) return false;
        const heard = this.#understood(next.value);
        if (heard === 'token ended') return false;
        if (heard !== undefined) take(heard);
      }
      return true;
    } finally {
      cancel();
    }
  }

  /** The same for a call, to which an early end is a failure. */
  async await(...call: Parameters<Connection['listen']>): Promise<void> {
    if (!(await this.listen(...call)))
      throw new AppError('vendor.unreachable', 'KONE ended the connection; retry');
  }

  close(): void {
    this.#socket.close();
  }

  /** Numbers are unique within a connection, as KONE wants them. */
  #numbered(callType: CallType, group: Group): string {
    const id = String(this.#asked.size + 1);
    this.#asked.set(id, { callType, group });
    this.#groups.set(group.group, group);
    return id;
  }

  #send(message: JsonObject, { building, group }: Group): void {
    this.#socket.send(JSON.stringify({ ...message, buildingId: `building:${building}`, groupId: group }));
  }

  #understood(text: string): Heard | 'token ended' | undefined {
    const frame = kit.messageIn(text, Frame);
    if (frame === undefined) return undefined;
    const { statusCode: status, callType, subtopic } = frame;
    const data = kit.objectIn(frame.data);
    if (typeof status === 'number') return this.#replied(status, this.#asked.get(String(frame.requestId)));
    const pinged = this.#asked.get(String(data.request_id));
    if (pinged?.callType === 'ping') return { is: 'pong', group: pinged.group, at: kit.timeIn(data.time) };
    const group = this.#groupNamed(frame.groupId);
    if (group === undefined) return undefined;
    if (callType === 'config') return { is: 'config', group, data };
    const [, lift, topic] = SUBTOPIC.exec(String(subtopic)) ?? [];
    return lift === undefined || topic === undefined ? undefined : { is: 'event', group, lift, topic, data };
  }

  /** The group of a frame that names one, or the only one that was asked about. */
  #groupNamed(name: unknown): Group | undefined {
    const [only, ...others] = this.#groups.values();
    return this.#groups.get(String(name)) ?? (name == null && others.length === 0 ? only : undefined);
  }

  #replied(
    status: number,
    asked: { readonly callType: CallType; readonly group: Group } | undefined,
  ): Heard | 'token ended' | undefined {
    if (status < 300) return asked && { is: 'accepted', ...asked };
    if (asked?.callType === 'ping' && status >= 500) return { is: 'unreachable', group: asked.group };
    if (status === END_TO_END_FAILURE) return asked && { is: 'unreachable', group: asked.group };
    // The handshake was accepted: the connection has outlived its token.
    if (status === 401) return 'token ended';
    const why = OF_A_GROUP[status];
    if (asked === undefined || why === undefined)
      throw vendorFailure('KONE', failureOfStatus('KONE', { status }));
    const { building, group } = asked.group;
    const error = new AppError('vendor.refused', `${why} group ${group} of building ${building}`);
    return { is: 'refused', group: asked.group, error };
  }
}

/** What KONE permits at most. */
const MONITOR_SECONDS = 300;

/** Statuses of a request that say nothing of other groups. The others mean what they mean over HTTP. */
const OF_A_GROUP: Readonly<Record<number, string>> = {
  403: 'KONE gives the application no access to',
  404: 'KONE does not have',
};

/** Opens a connection, with the link's token where KONE wants it. */
export async function connect(
  { connect: open, clock }: Pick<Session, 'connect' | 'clock'>,
  use: CallUse,
): Promise<Connection> {
  try {
    const socket = await open({ path: '/stream-v2', tokenQuery: 'accessToken', protocol: 'koneapi', use });
    return new Connection(socket, clock);
  } catch (cause) {
    throw vendorFailure('KONE', cause);
  }
}

const api = kit.vendorCalls('KONE');

const Resources = kit.lenient({}, 'buildings');
const Resource = kit.lenient({}, 'id');
const ConfigGroup = kit.lenient({}, 'group_id', 'lifts');
const ConfigLift = kit.lenient({}, 'lift_id', 'lift_name');
/** A number or a text; newer forms have the ids of what it belongs to before it: `lift:9990000951:1:2`. */
const LAST = /^(?:[\w-]{1,64}:){0,4}([\w-]{1,32})$/;

/** A building answers within a second; one with many groups takes longer. */
const CONFIG_MS = 8_000;

/** The building that the user named, without the prefix that KONE shows it with. */
export const buildingIn = ({ building }: JsonObject): string =>
  String(building)
    .trim()
    .replace(/^building:/, '');

/** The groups that the user named: the first one unless it is said. */
function groupsIn(credentials: JsonObject): Group[] {
  const building = buildingIn(credentials);
  const names = String(credentials.groups ?? '1').split(',');
  return [...new Set(names.map((name) => name.trim()))].map((group) => ({ building, group }));
}

/** What a token has to permit: to list what the application has, and each group. */
export const scopeFor = (credentials: JsonObject): string =>
  [
    'application/inventory',
    ...groupsIn(credentials).map(({ building, group }) => `callgiving/group:${building}:${group}`),
  ].join(' ');

/** The lifts of the linked groups; throws where the application does not have the building. */
export async function findLifts(session: Session): Promise<Found[]> {
  const building = buildingIn(session.credentials);
  const available = await findBuildings(session);
  if (available.includes(building)) return lifts(session);
  const others = available.length === 0 ? 'none' : available.join(', ');
  throw new AppError(
    'link.credentials_refused',
    `the application at KONE does not have building ${building}; it has ${others}`,
  );
}

/** The same later: a building that the application has no longer has no lifts here. */
export async function list(session: Session): Promise<Found[]> {
  const available = await findBuildings(session);
  return available.includes(buildingIn(session.credentials)) ? lifts(session) : [];
}

async function findBuildings(session: Session): Promise<string[]> {
  const request = { what: 'the buildings', use: 'list' } as const;
  const { buildings } = await api.get(session, '/api/v2/application/self/resources', Resources, request);
  if (!Array.isArray(buildings)) throw api.notUnderstood('the buildings');
  return kit
    .each(buildings, Resource)
    .flatMap(({ id }) => (typeof id === 'string' ? [buildingIn({ building: id })] : []));
}

async function lifts(session: Session): Promise<Found[]> {
  const groups = groupsIn(session.credentials);
  const connection = await connect(session, 'list');
  try {
    const configs = await configsOf(connection, groups);
    const missing = groups.find((group) => !configs.has(groupKey(group)));
    if (missing !== undefined)
      throw new AppError(
        'vendor.timeout',
        `group ${missing.group} of building ${missing.building} did not respond to KONE in time`,
      );
    return kit.listedOnce(groups.flatMap((group) => liftsIn(group, configs.get(groupKey(group)))));
  } finally {
    connection.close();
  }
}

/** What each group says of itself; one that does not answer in time is missing. */
export async function configsOf(
  connection: Connection,
  groups: readonly Group[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const configs = new Map<string, JsonObject>();
  const settled = new Set<string>();
  for (const group of groups) connection.askConfig(group);
  await connection.await(
    (heard) => {
      if (heard.is === 'refused') throw heard.error;
      if (heard.is === 'config') configs.set(groupKey(heard.group), heard.data);
      if (heard.is === 'config' || heard.is === 'unreachable') settled.add(groupKey(heard.group));
    },
    { isDone: () => groups.every((group) => settled.has(groupKey(group))), withinMs: CONFIG_MS },
  );
  return configs;
}

/** The lifts of a group; what others a building lists belongs to links of its own. */
export function liftsIn({ building, group }: Group, config: JsonObject | undefined): Found[] {
  if (!Array.isArray(config?.groups)) throw api.notUnderstood(`group ${group} of building ${building}`);
  return kit
    .each(config.groups, ConfigGroup)
    .filter(({ group_id }) => lastOf(group_id) === group)
    .flatMap(({ lifts: all }) => kit.each(all, ConfigLift))
    .flatMap(({ lift_id, lift_name }): Found[] => {
      const lift = lastOf(lift_id);
      if (lift === undefined) return [];
      const details: Details = { building, group, lift };
      const id = liftId(details, lift);
      return [{ id, type: 'elevator', ...kit.named(lift_name), site: building, details }];
    });
}

function lastOf(id: unknown): string | undefined {
  return typeof id === 'string' || typeof id === 'number' ? LAST.exec(String(id))?.[1] : undefined;
}
