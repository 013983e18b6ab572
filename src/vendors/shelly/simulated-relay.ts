import { HOUR_MS, MINUTE_MS } from '../../core/durations.ts';
import type { JsonObject } from '../../core/json.ts';

/** One relay of a simulated Shelly, with what is connected to it. */
export interface SimulatedRelay {
  readonly id: number;
  readonly name: string;
  /** What it draws while it is on, watt. */
  loadW: number;
  output: boolean;
  /** Counted until `at`, watt-hours. */
  wh: number;
  /** ms since 1970. */
  at: number;
  errors: string[];
}

/** What opens a relay by itself, watt. */
const LIMIT_W = 2_800;
const VOLTS = 230;

export const newRelay = (id: number, name: string, now: number): SimulatedRelay => ({
  id,
  name,
  loadW: 1_200,
  output: false,
  wh: 7_258.589,
  at: now,
  errors: [],
});

const powerOf = ({ output, loadW }: SimulatedRelay): number => (output ? loadW : 0);

export function settle(relay: SimulatedRelay, now: number): void {
  relay.wh += (powerOf(relay) * (now - relay.at)) / HOUR_MS;
  relay.at = now;
  if (powerOf(relay) <= LIMIT_W) return;
  relay.output = false;
  relay.errors = ['overpower'];
}

/** @returns whether it was on */
export function set(relay: SimulatedRelay, on: boolean, now: number): boolean {
  settle(relay, now);
  const was = relay.output;
  relay.output = on;
  if (on) relay.errors = [];
  settle(relay, now);
  return was;
}

/** Milliwatt-hours of the last three minutes stand beside the watt-hours of ever. */
export function statusOf(relay: SimulatedRelay, now: number): JsonObject {
  settle(relay, now);
  const power = powerOf(relay);
  const minute = Math.round((power * 1_000) / 60);
  return {
    id: relay.id,
    source: 'HTTP_in',
    output: relay.output,
    apower: power,
    voltage: VOLTS,
    current: Math.round((power / VOLTS) * 1_000) / 1_000,
    aenergy: {
      total: Math.round(relay.wh * 1_000) / 1_000,
      by_minute: [minute, minute, minute],
      minute_ts: Math.floor(now / MINUTE_MS) * 60,
    },
    temperature: { tC: 41.5, tF: 106.7 },
    ...(relay.errors.length === 0 ? {} : { errors: [...relay.errors] }),
  };
}
