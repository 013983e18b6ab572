import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type NumberType, numberAt, REGISTERS, registersOf } from './values.ts';

describe('a number in registers', () => {
  it('a number in registers is read in both orders of words', () => {
    const big = Buffer.from('0001c2f70000', 'hex');
    assert.equal(numberAt(big, 0, { type: 'uint16' }), 1);
    assert.equal(numberAt(big, 1, { type: 'int16' }), 0xc2f7 - 0x1_0000);
    assert.equal(numberAt(big, 1, { type: 'float32' }), -123.5);
    assert.equal(numberAt(Buffer.from('0000c2f7', 'hex'), 0, { type: 'float32', order: 'little' }), -123.5);
    assert.equal(numberAt(Buffer.from('00020001', 'hex'), 0, { type: 'uint32', order: 'little' }), 0x1_0002);
    const wide = Buffer.from('0004000300020001', 'hex');
    assert.equal(numberAt(wide, 0, { type: 'uint64', order: 'little' }), 0x0001_0002_0003_0004);
  });

  it('a number in registers of every type is what was written', () => {
    const types = Object.keys(REGISTERS) as NumberType[];
    const order = fc.constantFrom('big' as const, 'little' as const);
    fc.assert(
      fc.property(fc.constantFrom(...types), order, fc.nat(0x7fff), (type, words, value) => {
        const registers = registersOf(value, { type, order: words });
        assert.equal(registers.length, REGISTERS[type] * 2);
        assert.equal(numberAt(Buffer.concat([Buffer.alloc(2), registers]), 1, { type, order: words }), value);
      }),
    );
  });

  it('a number in registers is refused where the registers end before it, or cannot hold it', () => {
    assert.throws(() => numberAt(Buffer.alloc(4), 1, { type: 'uint32' }), RangeError);
    assert.throws(() => registersOf(0x1_0000, { type: 'uint16' }), RangeError);
    assert.throws(() => registersOf(-1, { type: 'uint16' }), RangeError);
  });
});
