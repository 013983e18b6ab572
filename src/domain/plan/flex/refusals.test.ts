import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../core/errors.ts';
import { answer, type Question } from './answer.ts';
import { duplicateId, FleetColumns, hashOf } from './fleet-columns.ts';

const WHOLE = 'a whole number from -9007199254740991 to 9007199254740991';
const REQUEST = '"request":{"direction":"up","amount_w":5}';
const A = '{"id":"a","baseline_w":1,"min_w":0,"max_w":2,"priority":1}';

function refusal(question: Question, json: string): string {
  try {
    answer(question, new TextEncoder().encode(json));
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    return `${error.code}: ${error.message}`;
  }
  return 'taken';
}

const member = (changed: string, from: string) => `{"fleet":[${A.replace(from, changed)}],${REQUEST}}`;

/** Body of a dispatch, and the sentence of its refusal. */
const REFUSED: readonly (readonly [body: string, sentence: string])[] = [
  ['[]', 'body must be a JSON object, not a list'],
  ['{}', 'body is missing fleet, request'],
  [`{${REQUEST}}`, 'body is missing fleet'],
  ['{"fleet":[]}', 'body is missing request'],
  [`{"fleet":{},${REQUEST}}`, 'body.fleet must be a list, not an object'],
  [`{"fleet":null,${REQUEST}}`, 'body.fleet must be a list, not null'],
  [`{"fleet":[${A},7],${REQUEST}}`, 'body.fleet[1] must be a JSON object, not 7'],
  [`{"fleet":[{}],${REQUEST}}`, 'body.fleet[0] is missing id, baseline_w, min_w, max_w, priority'],
  [member('', ',"min_w":0'), 'body.fleet[0] ("a") is missing min_w'],
  [member('"id":7', '"id":"a"'), 'body.fleet[0].id must be text, not 7'],
  [member('"id":""', '"id":"a"'), 'body.fleet[0].id must have at least 1 character'],
  [member('"min_w":3', '"min_w":0'), 'body.fleet[0] ("a").min_w must be at most max_w, but 3 is above 2'],
  [member('"min_w":0.5', '"min_w":0'), `body.fleet[0] ("a").min_w must be ${WHOLE}, not 0.5`],
  [member('"min_w":"0"', '"min_w":0'), `body.fleet[0] ("a").min_w must be ${WHOLE}, not text`],
  [member('"max_w":1e400', '"max_w":2'), `body.fleet[0] ("a").max_w must be ${WHOLE}, not 1e400`],
  [
    member('"max_w":9007199254740992', '"max_w":2'),
    `body.fleet[0] ("a").max_w must be ${WHOLE}, not 9007199254740992`,
  ],
  [
    member(`"priority":1${'0'.repeat(99)}`, '"priority":1'),
    `body.fleet[0] ("a").priority must be ${WHOLE}, not a longer number`,
  ],
  [member('"priority":null', '"priority":1'), `body.fleet[0] ("a").priority must be ${WHOLE}, not null`],
  [member('"min_w":0,"min_w":0', '"min_w":0'), 'body.fleet[0] ("a") has min_w twice'],
  [`{"fleet":[${A},${A}],${REQUEST}}`, 'body.fleet[1] ("a") has the id of body.fleet[0]; ids must be unique'],
  [
    `{"fleet":[${A},${A.replace('"a"', '"\\u0061"')}],${REQUEST}}`,
    'body.fleet[1] ("a") has the id of body.fleet[0]; ids must be unique',
  ],
  [`{"fleet":[],${REQUEST},"fleet":[]}`, 'body has fleet twice'],
  [`{"fleet":[],${REQUEST},${REQUEST}}`, 'body has request twice'],
  ['{"fleet":[],"request":"up"}', 'body.request must be a JSON object, not text'],
  ['{"fleet":[],"request":{}}', 'body.request is missing direction, amount_w'],
  [
    '{"fleet":[],"request":{"direction":"left","amount_w":1}}',
    'body.request.direction must be one of down, up, not text',
  ],
  [
    '{"fleet":[],"request":{"direction":"up","amount_w":-1}}',
    'body.request.amount_w must be a whole number from 0 to 9007199254740991, not -1',
  ],
  ['{"fleet":[],"request":{"direction":"up","amount_w":1,"amount_w":1}}', 'body.request has amount_w twice'],
];

describe('a body', () => {
  it('a body is refused with a sentence that names the member and the field', () => {
    for (const [body, sentence] of REFUSED) {
      assert.equal(refusal('dispatch', body), `request.invalid: ${sentence}`, body);
    }
  });

  it('a body is refused for its period', () => {
    const body = (period: string) => `{"fleet":[],"period":${period}}`;
    const whole = (least: number) => `must be a whole number from ${least} to 9007199254740991`;
    assert.equal(
      refusal('flexibility', body('{"index":-1,"duration_min":15}')),
      `request.invalid: body.period.index ${whole(0)}, not -1`,
    );
    assert.equal(
      refusal('flexibility', body('{"index":0,"duration_min":0}')),
      `request.invalid: body.period.duration_min ${whole(1)}, not 0`,
    );
    assert.equal(
      refusal('flexibility', body('{"index":0}')),
      'request.invalid: body.period is missing duration_min',
    );
    assert.equal(refusal('flexibility', '{"fleet":[]}'), 'request.invalid: body is missing period');
  });

  it('a body with a syntax error after another fault is refused as invalid JSON', () => {
    assert.match(refusal('dispatch', '{"fleet":[1,2,{"a":'), /^request\.malformed: .*ends too early/);
    assert.match(refusal('dispatch', `{"fleet":[7,"\\u0000"],${REQUEST}}`), /^request\.malformed: .*NUL/);
    assert.match(refusal('dispatch', ''), /^request\.malformed: .*ends too early/);
    assert.match(
      refusal('dispatch', `{"fleet":[${A.replace('a', '\\ud800')}],${REQUEST}}`),
      /lone surrogate/,
    );
    assert.match(refusal('dispatch', `{"fleet":[{"__proto__":1}],${REQUEST}}`), /__proto__/);
    assert.match(refusal('dispatch', `{"x":${'['.repeat(32)}${']'.repeat(32)}}`), /deeper than 32 levels/);
  });

  it('a body may have unknown fields, and numbers in any notation', () => {
    const loose = A.replace('"min_w":0', '"min_w":-0.0,"name":["x",{"id":"a"}]').replace(':2', ':0.2e1');
    assert.equal(
      refusal('dispatch', ` {"fleet":[${loose}],"request":{"mode":null,${REQUEST.slice(11)},"a":1}`),
      'taken',
    );
  });

  it('a body may have a million members, and not one more', () => {
    const members = Array.from({ length: 1_000_000 }, (_, index) => A.replace('"a"', `"${index}"`));
    assert.equal(refusal('dispatch', `{"fleet":[${members}],${REQUEST}}`), 'taken');
    assert.equal(
      refusal('dispatch', `{"fleet":[${members},${A}],${REQUEST}}`),
      'request.invalid: body.fleet has more than 1,000,000 members; split it into several requests',
    );
  });
});

describe('ids that were made to collide', () => {
  /** Ids of four letters whose hashes end alike, found by trying. */
  const colliding = Array.from({ length: 26 ** 4 }, (_, index) =>
    Buffer.from([index, index / 26, index / 676, index / 17_576].map((part) => 97 + (Math.floor(part) % 26))),
  ).filter((id) => (hashOf(id, 0, 4) & 0xff) === 0x5a);

  function fleetOf(ids: readonly Buffer[]): FleetColumns {
    // Longer than the ids, as a body is.
    const bytes = Buffer.concat([...ids, Buffer.alloc(ids.length * 60)]);
    const fleet = new FleetColumns(bytes);
    const member = { baseline_w: 0, min_w: 0, max_w: 0, priority: 0 };
    ids.forEach((_, index) => {
      fleet.push(member, { start: index * 4, end: index * 4 + 4, escaped: false });
    });
    return fleet;
  }

  it('ids that were made to collide are still distinguished', () => {
    assert.ok(colliding.length > 1_000, `only ${colliding.length}`);
    assert.equal(duplicateId(fleetOf(colliding)), null);
    const repeated = [...colliding, colliding[3] ?? Buffer.alloc(4)];
    assert.deepEqual(duplicateId(fleetOf(repeated)), { index: colliding.length, earlier: 3 });
  });
});
