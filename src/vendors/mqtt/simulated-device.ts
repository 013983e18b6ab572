import type { DeviceFault, Situation } from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';
import { HOUR_MS } from '../../core/durations.ts';

type Publish = (topic: string, payload: string, isRetained?: boolean) => void;

/** What a simulated device is made with. */
export interface Options {
  readonly clock: Clock;
  readonly publish: Publish;
  readonly fault: () => DeviceFault | null;
}

/** A device that is simulated: it publishes, and takes what others publish. */
export interface SimulatedDevice {
  readonly id: string;
  /** It can be asked for its state. */
  readonly isAsked?: true;
  report(): void;
  /** Has the broker keep what it retains, or forget it. */
  retain?(isThere: boolean): void;
  /** Returns the requested changes; undefined if there were none. */
  take(topic: string, payload: string): string | undefined;
  arrange(situation: Situation): void;
}

/** Something that draws power while it is on, and counts what it has drawn. */
export function load(clock: Clock, { watts, wh }: { readonly watts: number; readonly wh: number }) {
  let at = clock.now();
  const state = { isOn: true, share: 1, wh };
  const power = () => (state.isOn ? watts * state.share : 0);
  return {
    state,
    power,
    energy(): number {
      state.wh += (power() * (clock.now() - at)) / HOUR_MS;
      at = clock.now();
      return state.wh;
    },
  };
}
