import type { Found } from '../../adapter/adapter.ts';
import * as kit from '../../adapter/kit/index.ts';
import type { Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Connection, connect, type Group, groupKey, liftId } from './connection.ts';
import type { Details } from './lift.ts';

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
