import { brand } from './brand.ts';
import { control, device, history, sessions, simulation } from './device.ts';
import { devices } from './devices.ts';
import { events, eventTypes } from './events.ts';
import { gateways } from './gateways.ts';
import { general } from './general.ts';
import { keys } from './keys.ts';
import { connect, links } from './links.ts';
import { overview } from './overview.ts';
import { planner } from './planner.ts';
import { subscriptions } from './subscriptions.ts';
import { usage } from './usage.ts';

/** All that the console says, by page. */
export const ENGLISH = {
  ...general,
  overview,
  devices,
  device,
  history,
  control,
  simulation,
  sessions,
  planner,
  events,
  eventTypes,
  links,
  connect,
  subscriptions,
  gateways,
  keys,
  usage,
  brand,
};

export type ConsoleWords = typeof ENGLISH;
