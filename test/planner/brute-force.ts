import type { PlanRequest } from '../../src/domain/plan/planner/index.ts';

/** The best plan of an instance, found by trying every plan. */
export interface Best {
  /** W by slot. */
  readonly powers: readonly number[];
  /** Wh by slot. */
  readonly energies: readonly number[];
  readonly energy: number;
  /** Price × Wh; prices must be whole numbers. */
  readonly cost: number;
}

interface Candidate extends Best {
  /** Amperes × minutes, or Wh: the excess over the need to minimise. */
  readonly size: number;
  /** W in the order of (price, index). */
  readonly ordered: readonly number[];
}

/** The rules of the planner as documented, without any of its lemmas. */
export function bruteForce({ prices, task, device_profile }: PlanRequest): Best {
  const room = ((100 - task.current_soc) * task.capacity_wh) / 100;
  const need = Math.max(0, ((task.target_soc - task.current_soc) * task.capacity_wh) / 100);
  const kind = device_profile?.kind;
  const stopsItself = kind !== undefined && kind !== 'battery';
  const perAmpere = (device_profile?.voltage_v ?? 0) * (device_profile?.phases ?? 0);
  const levels = levelsOf(task.min_power_w, task.max_power_w, { kind, perAmpere });
  const order = prices.map((_, slot) => slot);
  order.sort((a, b) => Number(prices[a]?.price) - Number(prices[b]?.price) || a - b);
  let best: Candidate | undefined;
  const rank = (plan: Candidate): number[] => {
    const wanted = Math.ceil(need);
    const isHit = plan.energy === wanted;
    const isAbove = plan.energy >= wanted && (stopsItself || isHit || plan.energy <= room);
    const isWithin = isAbove || plan.energy < wanted;
    const size = isAbove ? plan.size : -plan.energy;
    return [isWithin ? 0 : 1, isAbove ? 0 : 1, size, plan.cost, ...plan.ordered.map((power) => -power)];
  };
  const look = (powers: readonly number[]): void => {
    const slot = powers.length;
    if (slot < prices.length) {
      for (const power of slot > task.deadline_slot_index ? [0] : levels) look([...powers, power]);
      return;
    }
    const energies = powers.map((power, at) => Math.floor((power * (prices[at]?.duration_min ?? 0)) / 60));
    const energy = energies.reduce((sum, wh) => sum + wh, 0);
    const cost = energies.reduce((sum, wh, at) => sum + wh * Number(prices[at]?.price), 0);
    const minutes = powers.reduce((sum, power, at) => sum + power * (prices[at]?.duration_min ?? 0), 0);
    const ordered = order.map((at) => (perAmpere > 0 ? (powers[at] ?? 0) : (energies[at] ?? 0)));
    const plan = { powers, energies, energy, cost, ordered, size: perAmpere > 0 ? minutes : energy };
    if (best === undefined || isLess(rank(plan), rank(best))) best = plan;
  };
  look([]);
  if (best === undefined) throw new Error('an instance without slots has no plan');
  return best;
}

function levelsOf(
  min: number,
  max: number,
  { kind, perAmpere }: { kind: string | undefined; perAmpere: number },
): number[] {
  if (perAmpere > 0) {
    const amperes = Array.from({ length: Math.floor(max / perAmpere) + 1 }, (_, ampere) => ampere);
    const least = Math.max(6, min / perAmpere);
    return [0, ...amperes.filter((ampere) => ampere >= least).map((ampere) => ampere * perAmpere)];
  }
  if (kind !== undefined && kind !== 'battery') return [0, max];
  return [0, ...Array.from({ length: max - min + 1 }, (_, more) => min + more).filter((power) => power > 0)];
}

function isLess(one: readonly number[], other: readonly number[]): boolean {
  for (const [at, value] of one.entries()) {
    const against = other[at] ?? 0;
    if (value !== against) return value < against;
  }
  return false;
}
