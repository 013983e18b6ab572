import type { Linked } from '../../adapter/adapter.ts';
import { OPCUA_NUMBERS, type OpcuaConnection, type OpcuaVariable } from '../../adapter/connections.ts';
import type { Found } from '../../adapter/device.ts';
import type { Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { CONTROLS, type MappedDevice, nodesOf, READINGS, type Scalar, type Use } from './node-map.ts';
import { type Credentials, credentialsIn, plantOf } from './plant.ts';

const OBJECTS = 'i=85';
/** Node ids of OPC UA's own namespace: what every server has, and no plant. */
const IS_OWN = /^i=/;
const MOST_DEEP = 4;
const MOST_VISITED = 100;
const MOST_BELOW = 50;
const MOST_NAMED = 40;

/** Variables of a server for the author of a map, as a list in a sentence: bounded in depth and number. */
async function variablesOf(plant: OpcuaConnection): Promise<string> {
  const found: { readonly node: string; readonly path: string }[] = [];
  let level: readonly { readonly node: string; readonly path: string }[] = [{ node: OBJECTS, path: '' }];
  let visited = 0;
  for (let depth = 0; depth < MOST_DEEP && level.length > 0 && found.length < MOST_NAMED; depth += 1) {
    const asked = level.slice(0, MOST_VISITED - visited);
    visited += asked.length;
    const below = await plant.browse(
      asked.map(({ node }) => node),
      { use: 'list', most: MOST_BELOW },
    );
    const next: { node: string; path: string }[] = [];
    for (const [index, references] of below.entries())
      for (const { node, name, isVariable } of references) {
        if (IS_OWN.test(node)) continue;
        const path = `${asked[index]?.path ?? ''}/${name}`.slice(0, 100);
        (isVariable ? found : next).push({ node, path });
      }
    level = next;
  }
  const some = found.slice(0, MOST_NAMED);
  if (some.length === 0) return 'no variable below its folder Objects';
  const described = await plant.describe(
    some.map(({ node }) => node),
    { use: 'list' },
  );
  const names = some.map(({ node, path }, index) => {
    const { type = null, isWritable = false } = described[index] ?? {};
    return `${path} (${node}, ${type ?? 'unsupported'}${isWritable ? ', writable' : ''})`;
  });
  return names.join('; ') + (found.length > some.length ? '; and more' : '');
}

/** Wrong in what was given, or in what it names at the server: the user can mend either. */
const invalid = (sentence: string) => new AppError('link.credentials_invalid', sentence);

/** Proves that each node of the map is what it is said to be. */
export async function link(session: Session): Promise<Linked> {
  const credentials = credentialsIn(session);
  checkGiven(credentials);
  const plant = plantOf(session);
  try {
    const { applicationUri, fingerprint } = await plant.identity({ use: 'list' });
    if (credentials.devices.length === 0)
      throw invalid(
        `credentials.devices is empty: map nodes of ${applicationUri}${certificateOf(fingerprint)}, which has ${await variablesOf(plant)}`,
      );
    const devices = await list(session);
    return {
      vendorAccount: applicationUri,
      credentials: fingerprint === null ? credentials : { ...credentials, server_fingerprint: fingerprint },
      devices,
    };
  } catch (error) {
    if (error instanceof AppError && error.code === 'vendor.login_expired')
      throw new AppError('link.credentials_refused', error.message, { cause: error });
    throw error;
  }
}

const certificateOf = (fingerprint: string | null): string =>
  fingerprint === null ? ' (no certificate)' : ` (certificate with SHA-256 ${fingerprint})`;

/** The devices of the map, with what the server says of their nodes now. */
export async function list(session: Session): Promise<readonly Found[]> {
  const { devices } = credentialsIn(session);
  const plant = plantOf(session);
  const nodes = devices.flatMap((device, index) =>
    nodesOf(device).map(({ use, node }) => ({ device, use, node, at: `devices[${index}].${use}` })),
  );
  const described = await plant.describe(
    nodes.map(({ node }) => node),
    { use: 'list' },
  );
  const types = new Map<string, string>();
  for (const [index, { at, node, use, device }] of nodes.entries()) {
    const variable = described[index];
    if (variable === undefined) throw new Error('a node was not described');
    await checkNode(variable, { plant, at: `credentials.${at}.node`, node, use, device });
    types.set(node, variable.type ?? '');
  }
  return devices.map((device) => ({
    id: device.id,
    type: 'industrial',
    ...(device.name === undefined ? {} : { name: device.name }),
    ...(device.measures === undefined ? {} : { measures: device.measures }),
    details: {
      map: device as JsonObject,
      types: Object.fromEntries(nodesOf(device).map(({ node }) => [node, types.get(node) ?? ''])),
    },
  }));
}

function checkGiven({ security, username, password, devices, ...given }: Credentials): void {
  if (password !== undefined && username === undefined)
    throw invalid('credentials.username is missing: give it with the password, or leave out both');
  if (security === 'none' && password !== undefined && given.password_without_security !== true)
    throw invalid(
      'credentials.security is none, with which others may read the password: use sign_and_encrypt, or set password_without_security to true',
    );
  const ids = new Set<string>();
  for (const [index, device] of devices.entries()) {
    const at = `credentials.devices[${index}]`;
    if (ids.has(device.id)) throw invalid(`${at}.id is ${device.id} as of another device: give each its own`);
    ids.add(device.id);
    if (nodesOf(device).length === 0)
      throw invalid(`${at} has no node: map at least one, such as read_power`);
    if (device.measures !== undefined && device.read_power === undefined)
      throw invalid(`${at}.measures is for a meter, which has read_power: map it, or leave measures out`);
    for (const control of Object.keys(CONTROLS) as (keyof typeof CONTROLS)[]) {
      const rule = device[control];
      if (rule !== undefined && rule.least >= rule.most)
        throw invalid(`${at}.${control}.least is ${rule.least}, and must be less than most, ${rule.most}`);
      if (rule?.scale === 0) throw invalid(`${at}.${control}.scale is 0: leave it out for 1`);
    }
    if (device.on_off !== undefined && device.on_off.on === device.on_off.off)
      throw invalid(`${at}.on_off has one value for on and off: give two`);
  }
}

interface Mapped {
  readonly plant: OpcuaConnection;
  readonly at: string;
  readonly node: string;
  readonly use: Use;
  readonly device: MappedDevice;
}

/** Throws where the node cannot be what it is mapped to. */
async function checkNode(variable: OpcuaVariable, mapped: Mapped): Promise<void> {
  const { at, node, use, device, plant } = mapped;
  const { isVariable, isReadable, isWritable, type, reading } = variable;
  const wrong = (sentence: string) => invalid(`${at} ${node}: ${sentence}`);
  if (reading.status === 'BadNodeIdUnknown' || reading.status === 'BadNodeIdInvalid') {
    const { namespaces } = await plant.identity({ use: 'list' });
    throw wrong(
      `the server has no such node; its namespaces are ${namespaces.join(', ')}, and with an empty list of devices it says what it has`,
    );
  }
  if (!isVariable) throw wrong('it is no variable; name the variable that has the value');
  if (!isReadable) throw wrong('this user may not read it; let the server permit it, or map another');
  const wanted = typesFor(use, device);
  if (type === null || !wanted.includes(type))
    throw wrong(`it is of type ${type ?? 'that is not supported'}, and must be ${named(wanted)}`);
  const isWritten = use === 'on_off' || use in CONTROLS;
  if (isWritten && !isWritable)
    throw wrong(`this user may not write it; let the server permit it, or leave out ${use}`);
}

const named = (types: readonly string[]): string =>
  types === OPCUA_NUMBERS ? 'a number' : types.join(' or ');

function typesFor(use: Use, { on_off, online }: MappedDevice): readonly string[] {
  if (use in READINGS || use in CONTROLS) return OPCUA_NUMBERS;
  if (use === 'state') return [...OPCUA_NUMBERS, 'String', 'Boolean'];
  return typesOfValue(use === 'on_off' ? (on_off?.on ?? true) : (online?.is ?? true));
}

function typesOfValue(value: Scalar): readonly string[] {
  if (typeof value === 'boolean') return ['Boolean'];
  return typeof value === 'number' ? OPCUA_NUMBERS : ['String'];
}
