import {
  answer,
  type Dispatched,
  type DispatchRequest,
  type FleetMember,
} from '../src/domain/plan/flex/index.ts';
import { ms, type Row, type Section, sized } from './report.ts';

const MEMBERS = sized(1_000_000, 10_000);

/** A fleet of chargers with a hundred priorities, the same every time. */
export function fleetOf(members: number): FleetMember[] {
  return Array.from({ length: members }, (_, index) => ({
    id: `charger-${index}`,
    baseline_w: 5_000 + ((index * 7_919) % 3_000),
    min_w: 0,
    max_w: 11_000,
    priority: (index * 7_907) % 100,
  }));
}

/** About half of the fleet's flexibility. */
export function halfOf(members: number): DispatchRequest {
  return { direction: 'up', amount_w: members * 2_250 };
}

/** The opponent: the straightforward implementation. */
export function plainDispatch(fleet: readonly FleetMember[], request: DispatchRequest): Dispatched {
  const setpoints: Dispatched['setpoints'] = [];
  let left = request.amount_w;
  for (const member of fleet.toSorted((a, b) => a.priority - b.priority)) {
    if (left === 0) break;
    const room =
      request.direction === 'up' ? member.max_w - member.baseline_w : member.baseline_w - member.min_w;
    const share = Math.min(room, left);
    if (share <= 0) continue;
    const delta = request.direction === 'up' ? share : -share;
    setpoints.push({ device_id: member.id, target_w: member.baseline_w + delta, delta_w: delta });
    left -= share;
  }
  return { setpoints, delivered_w: request.amount_w - left, shortfall_w: left };
}

/** A body of nearly 96 MiB with a million members; every member is recruited. */
export function largestBody(): Buffer {
  const one = (index: number) =>
    `{"id":"${String(index).padStart(34, 'charger-')}","baseline_w":0,"min_w":0,"max_w":11000,"priority":1}`;
  const members = Array.from({ length: MEMBERS }, (_, index) => one(index));
  return Buffer.from(`{"fleet":[${members}],"request":{"direction":"up","amount_w":20000000000}}`);
}

const LARGEST = sized(96, 1) * 1024 * 1024;
const MOST = Number.MAX_SAFE_INTEGER;
const REQUEST = `"request":{"direction":"up","amount_w":${MOST}}`;

/** A body of the largest size that repeats a piece. */
function filled(before: string, piece: string, after: string): Uint8Array {
  const room = LARGEST - before.length - after.length;
  const bytes = Buffer.alloc(before.length + after.length + room - (room % piece.length), piece);
  // The piece repeats after the start of the body.
  bytes.fill(piece, before.length);
  bytes.write(before);
  bytes.write(after, bytes.length - after.length);
  return bytes;
}

/** A million members that differ in their ids. */
function million(id: string, rest: string): Uint8Array {
  const members = Array.from({ length: MEMBERS }, (_, index) => {
    const scattered = (index * 7_919) % MEMBERS;
    return `{"id":"${id}${index}",${rest.replace('#', String(scattered * 1_000))}}`;
  });
  return Buffer.from(`{"fleet":[${members}],${REQUEST}}`);
}

/** The bodies that are most expensive to read. */
const BODIES: readonly (readonly [what: string, body: () => Uint8Array])[] = [
  ['48 million values that nobody wants', () => filled('{"x":[', '[],', `0],"fleet":[],${REQUEST}}`)],
  ['numbers with fractions', () => filled('{"x":[', '1.5,', `0],"fleet":[],${REQUEST}}`)],
  ['texts made of escapes', () => filled('{"x":"', '\\u00e5', `","fleet":[],${REQUEST}}`)],
  ['32 million members without fields', () => filled('{"fleet":[', '{},', `{}],${REQUEST}}`)],
  ['fleet given 9 million times', () => filled(`{${REQUEST},`, '"fleet":[],', '"x":0}')],
  ['priorities that must be sorted', () => million('', '"baseline_w":0,"min_w":0,"max_w":9,"priority":#')],
  ['ids with escapes', () => million('\\u00e5\\"\\u0001', '"baseline_w":0,"min_w":0,"max_w":9,"priority":1')],
  ['everybody skipped', () => million('', `"baseline_w":${-MOST},"min_w":0,"max_w":${MOST},"priority":1`)],
];

/** No body keeps a thread busy for long. */
export async function worstBodies(): Promise<Section[]> {
  const rows = BODIES.map(([what, body]): Row => {
    const bytes = body();
    const begun = performance.now();
    try {
      answer('dispatch', bytes);
    } catch {
      // Some are refused, after all of it has been read.
    }
    const spent = performance.now() - begun;
    return { what, figure: ms(spent), target: 'at most 3 s', met: spent <= 3_000 };
  });
  return [{ title: 'The worst bodies of up to 96 MiB', rows }];
}
