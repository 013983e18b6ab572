import type { Plan, PlanRequest } from './index.ts';

export type Slots = readonly (readonly [minutes: number, price: string | number])[];
type Task = Partial<PlanRequest['task']>;

/** A battery of ten times the need, empty now. */
export function request(slots: Slots, need: number, task: Task): PlanRequest {
  return {
    prices: slots.map(([duration_min, price]) => ({ duration_min, price })),
    task: {
      current_soc: 0,
      target_soc: need === 0 ? 0 : 10,
      capacity_wh: Math.max(1, 10 * need),
      max_power_w: 10,
      min_power_w: 0,
      deadline_slot_index: slots.length,
      ...task,
    },
  };
}

export const energies = ({ slots }: Plan) => slots.map(({ expected_energy_wh }) => expected_energy_wh);
export const hours = (count: number, price: (slot: number) => string | number): Slots =>
  Array.from({ length: count }, (_, slot) => [60, price(slot)] as const);
