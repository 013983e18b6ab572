import { limit } from '../../adapter/kit/index.ts';

/** Micro-dollars of the pay-per-use plan; every answer below 500 is billed. */
const PRICE = { data: 1_000_000 / 500, command: 1_000_000 / 1_000, wake: 1_000_000 / 50 } as const;

/**
 * What costs nothing. `GET /vehicles/{vin}`: Home Assistant's `tesla_fleet` coordinator calls it "a free API call". Energy sites: Home
 * Assistant's documentation, "Energy product APIs are free to use at this time" (home-assistant.io pull request 36184). Lists of an
 * account: TeslaFi calls that of cars "a free endpoint", so they have no price below. Tesla's own pricing categories were not found.
 */
export const FREE = { credit: 0 } as const;

/** A list of the cars themselves; what it costs was not found, so it counts as data. */
export const AS_DATA = { credit: PRICE.data } as const;

const aMinute = {
  of: 'device',
  seconds: 60,
  source: "estimated; adjusted to Tesla's 429 responses",
} as const;

export const LIMITS = [
  limit('credit', {
    of: 'app',
    microUsd: 10_000_000,
    seconds: 30 * 86_400,
    for: { read: PRICE.data, command: PRICE.command, wake: PRICE.wake },
    reserve: 0.3,
    share: 4,
    setting: {
      name: 'ELNAV_TESLA_MONTHLY_USD',
      times: 1_000_000,
      description:
        "US dollars that calls to Tesla may cost in any 30 days, for all users together; 10 is Tesla's monthly discount, and 0 leaves the calls that are free: the state of energy sites, and whether a car sleeps",
    },
    source: 'prices and monthly discount: developer.tesla.com; what is free: Home Assistant and TeslaFi',
  }),
  limit('device_data', { calls: 60, for: ['list', 'read'], reserve: 0.5, ...aMinute }),
  limit('device_commands', { calls: 30, for: ['command'], reserve: 0, ...aMinute }),
  limit('device_wakes', { calls: 3, for: ['wake'], reserve: 0, ...aMinute }),
];
