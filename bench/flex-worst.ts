import { answer } from '../src/domain/flex/index.ts';
import { ms, type Row, type Section } from './report.ts';

const LARGEST = 96 * 1024 * 1024;
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
  const members = Array.from({ length: 1_000_000 }, (_, index) => {
    const scattered = (index * 7_919) % 1_000_000;
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
