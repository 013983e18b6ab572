import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { COMMAND_TYPES, capabilityOf } from '../../../adapter/commands.ts';
import { AppError } from '../../../core/errors.ts';
import { parseCommand } from './index.ts';

describe('the body of a command', () => {
  it('the body of a command has a type that is known', () => {
    for (const type of ['', 'TURN_ON', 'toString', '__proto__', 'constructor', 'x'.repeat(9_999)])
      assert.throws(() => parseCommand({ type }), {
        code: 'command.type_unknown',
        message: new RegExp(COMMAND_TYPES.join(', ')),
      });
    for (const type of [null, 1, {}, ['turn_on']])
      assert.throws(() => parseCommand({ type }), { code: 'command.type_unknown' });
    for (const body of [undefined, null, [], 'turn_on', 7, {}])
      assert.throws(() => parseCommand(body), { code: 'request.invalid' });
  });

  it('the body of a command says at least one thing of a light, and one of a limit', () => {
    for (const body of [
      { type: 'set_light' },
      { type: 'set_limit' },
      { type: 'set_limit', max_a: 1, max_w: 1 },
    ])
      assert.throws(() => parseCommand(body), { code: 'request.invalid' });
    for (const body of [
      { type: 'set_light', dim: 0 },
      { type: 'set_limit', max_w: 0 },
    ])
      assert.equal(parseCommand(body), body);
  });

  it('the body of a command says what follows a limit only of one that ends, and on its own axis', () => {
    const refused: readonly [object, RegExp][] = [
      [
        { type: 'set_current', current_a: 8, then_current_a: 16 },
        /then_current_a, which requires for_seconds/,
      ],
      [{ type: 'set_limit', max_a: 8, then_a: 16 }, /then_a, which requires for_seconds/],
      [{ type: 'set_limit', max_a: 8, for_seconds: 60, then_w: 4_000 }, /then_w, which requires max_w/],
      [{ type: 'set_limit', max_w: 8_000, for_seconds: 60, then_a: 16 }, /then_a, which requires max_a/],
    ];
    for (const [body, message] of refused)
      assert.throws(() => parseCommand(body), { code: 'request.invalid', message });
    for (const body of [
      { type: 'set_current', current_a: 8, for_seconds: 60, then_current_a: 0 },
      { type: 'set_limit', max_w: 8_000, for_seconds: 60, then_w: 4_000 },
    ])
      assert.equal(parseCommand(body), body);
  });

  it('the body of a command is taken or refused, whatever it is', () => {
    const anything = fc.oneof(
      fc.anything(),
      fc.record({ type: fc.constantFrom(...COMMAND_TYPES) }, { requiredKeys: ['type'] }),
      fc.tuple(fc.constantFrom(...COMMAND_TYPES), fc.object()).map(([type, more]) => ({ ...more, type })),
    );
    fc.assert(
      fc.property(anything, (body) => {
        try {
          assert.ok(COMMAND_TYPES.includes(parseCommand(body).type));
        } catch (error) {
          assert.ok(error instanceof AppError, String(error));
        }
      }),
    );
  });

  it('the body of a command needs exactly one capability, whatever its type', () => {
    assert.equal(COMMAND_TYPES.length, 13);
    for (const type of COMMAND_TYPES) assert.equal(typeof capabilityOf(type), 'string');
  });
});
