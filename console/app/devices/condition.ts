import type { Device } from '../api/shapes.ts';

/** What a device does now, in one word. */
export const CONDITIONS = ['charging', 'running', 'idle', 'off', 'unreachable', 'unread'] as const;
export type Condition = (typeof CONDITIONS)[number];

export function conditionOf({ state }: Pick<Device, 'state'>): Condition {
  if (state === undefined) return 'unread';
  if (!state.online) return 'unreachable';
  if (state.charging === true) return 'charging';
  if (state.power_on === false) return 'off';
  const isBusy = (state.power_w ?? 0) !== 0 || (state.production_w ?? 0) > 0;
  return isBusy || state.power_on === true ? 'running' : 'idle';
}
