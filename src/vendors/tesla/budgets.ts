import type { BudgetRule } from '../../adapter/budget.ts';

const MONTH_SECONDS = 30 * 86_400;

/** Prices of the pay-per-use plan; every answer below 500 is billed. */
const MICRO_USD = { data: 1_000_000 / 500, command: 1_000_000 / 1_000, wake: 1_000_000 / 50 } as const;

const FROM_MEMORY = "estimated; adjusted to Tesla's 429 responses";

export const BUDGETS: readonly BudgetRule[] = [
  {
    name: 'credit',
    of: 'app',
    amount: 10_000_000,
    seconds: MONTH_SECONDS,
    unit: 'micro_usd',
    costs: {
      list: MICRO_USD.data,
      read: MICRO_USD.data,
      command: MICRO_USD.command,
      wake: MICRO_USD.wake,
    },
    reserve: 0.3,
    source: "Tesla's prices and its monthly discount of $10, developer.tesla.com",
  },
  {
    name: 'device_data',
    of: 'device',
    amount: 60,
    seconds: 60,
    unit: 'calls',
    costs: { list: 1, read: 1 },
    reserve: 0.5,
    source: FROM_MEMORY,
  },
  {
    name: 'device_commands',
    of: 'device',
    amount: 30,
    seconds: 60,
    unit: 'calls',
    costs: { command: 1 },
    reserve: 0,
    source: FROM_MEMORY,
  },
  {
    name: 'device_wakes',
    of: 'device',
    amount: 3,
    seconds: 60,
    unit: 'calls',
    costs: { wake: 1 },
    reserve: 0,
    source: FROM_MEMORY,
  },
];
