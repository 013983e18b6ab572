import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import type { Command } from '../../../adapter/commands.ts';
import { DEVICE_TYPES } from '../../../adapter/device.ts';
import { DAY_MS } from '../../../core/durations.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { MODELS } from './index.ts';

const START = Date.UTC(2026, 10, 21, 9);
const YEAR_MS = 365 * DAY_MS;

/** A command that each controllable type may receive before time passes. */
const COMMANDS: readonly Command[] = [
  { type: 'turn_off' },
  { type: 'set_charge_limit', percent: 100 },
  { type: 'stop_charge' },
  { type: 'set_current', current_a: 7 },
  { type: 'set_current', current_a: 7, for_seconds: 3_000, then_current_a: 12 },
  { type: 'set_current', current_a: 0, for_seconds: 86_400 },
  { type: 'set_limit', max_a: 9, for_seconds: 5_000, then_a: 11 },
  { type: 'set_limit', max_w: 150_000, for_seconds: 40_000 },
  { type: 'set_limit', max_a: 9 },
  { type: 'set_limit', max_w: 150_000 },
  { type: 'set_temperature', target_milli_c: 26_000 },
  { type: 'set_light', dim: 30 },
  { type: 'set_battery_power', power_w: -1_500 },
  { type: 'start_program' },
  { type: 'delayed_start', delay_seconds: 5_000 },
];

const HOURS = 5;
const METERED = [
  { type: 'charger', power: 'powerKw', meter: 'meter_wh', stepSeconds: 10 },
  { type: 'heat_pump', power: 'electricKw', meter: 'today_wh', stepSeconds: 30 },
  { type: 'elevator', power: 'powerKw', meter: 'meter_wh', stepSeconds: 1 },
  { type: 'industrial', power: 'powerKw', meter: 'meter_wh', stepSeconds: 60 },
] as const;

type Order = (state: JsonObject, command: Command, at: number) => JsonObject;

const scenario = fc.record({
  type: fc.constantFrom(...DEVICE_TYPES),
  seed: fc.stringMatching(/^[a-z]{1,5}$/),
  command: fc.constantFrom(...COMMANDS),
  first: fc.integer({ min: 0, max: 3 * DAY_MS }),
  second: fc.oneof(fc.integer({ min: 0, max: 3 * DAY_MS }), fc.integer({ min: 0, max: YEAR_MS })),
});

/** A device of the scenario's type, after its command if it supports it. */
function arranged({ type, seed, command }: { type: keyof typeof MODELS; seed: string; command: Command }) {
  const model = MODELS[type];
  const order = model.orders[command.type] as Order | undefined;
  const initial = model.initial(seed, START);
  const axisFits = command.type !== 'set_limit' || (type === 'charger') === (command.max_a !== undefined);
  return { model, state: order !== undefined && axisFits ? order(initial, command, START) : initial };
}

function assertSame(actual: Json, expected: Json, path: string): void {
  if (typeof actual === 'number' && typeof expected === 'number') {
    const tolerance = 0.001 + Math.abs(expected) * 1e-9;
    assert.ok(Math.abs(actual - expected) <= tolerance, `${path}: ${actual} is not ${expected}`);
  } else assert.deepEqual(actual, expected, path);
}

describe('every model', () => {
  it('every model reaches the same state in one step as in two, and its schema accepts it', () => {
    const property = fc.property(scenario, ({ first, second, ...rest }) => {
      const { model, state } = arranged(rest);
      const [middle, to] = [START + first, START + first + second];
      const once = model.advance(state, { from: START, to }, rest.seed);
      const half = model.advance(state, { from: START, to: middle }, rest.seed);
      const twice = model.advance(half, { from: middle, to }, rest.seed);
      assert.ok(Compile(model.schema).Check(JSON.parse(JSON.stringify(once))));
      for (const [field, value] of Object.entries(once))
        assertSame(twice[field] ?? null, value, `${rest.type} ${field}`);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('every model has a meter that never decreases, and a state of charge within bounds', () => {
    const property = fc.property(scenario, ({ first, second, ...rest }) => {
      const { model, state } = arranged(rest);
      const [middle, to] = [START + first, START + first + second];
      const earlier = model.advance(state, { from: START, to: middle }, rest.seed);
      const later = model.advance(state, { from: START, to }, rest.seed);
      const meter = (of: JsonObject) => (typeof of.meter_wh === 'number' ? of.meter_wh : 0);
      assert.ok(meter(later) >= meter(earlier));
      const { soc, limit_percent } = later;
      if (typeof soc === 'number') assert.ok(soc >= 0 && soc <= Number(limit_percent));
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('every model meters the power that it reports', () => {
    for (const { type, power, meter, stepSeconds } of METERED) {
      const model = MODELS[type];
      const start = model.initial('a', START);
      const end = model.advance(start, { from: START, to: START + HOURS * 3_600_000 }, 'a');
      let wattSeconds = 0;
      for (let second = stepSeconds / 2; second < HOURS * 3_600; second += stepSeconds) {
        const at = START + second * 1_000;
        const reading = model.reading(model.advance(start, { from: START, to: at }, 'a'), at, 'a');
        wattSeconds += Number(reading[power]) * 1_000 * stepSeconds;
      }
      const metered = Number(end[meter]) - Number(start[meter]);
      const ratio = wattSeconds / 3_600 / metered;
      assert.ok(Math.abs(ratio - 1) < 0.005, `${type}: ${metered} Wh metered, ${ratio} of it reported`);
    }
  });

  it('every model reads after ten years as fast as after ten seconds', () => {
    const started = performance.now();
    for (const type of DEVICE_TYPES) {
      const model = MODELS[type];
      const to = START + 10 * YEAR_MS;
      const state = model.advance(model.initial('a', START), { from: START, to }, 'a');
      assert.ok(Object.keys(model.reading(state, to, 'a')).length > 0);
    }
    const took = performance.now() - started;
    assert.ok(took < 200, `${took} ms for ten devices`);
  });
});
