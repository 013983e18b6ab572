import { brand, keys, usage } from './account.ts';
import { control, device, history, sessions, simulation } from './device.ts';
import { devices, overview } from './devices.ts';
import { events, eventTypes, subscriptions } from './events.ts';
import { general } from './general.ts';
import { connect, gateways, links } from './links.ts';
import { planner } from './planner.ts';

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
