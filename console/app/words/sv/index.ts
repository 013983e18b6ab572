import type { ConsoleWords } from '../en/index.ts';
import { brand, keys, usage } from './account.ts';
import { control, device, history, sessions, simulation } from './device.ts';
import { devices, overview } from './devices.ts';
import { events, eventTypes, subscriptions } from './events.ts';
import { general } from './general.ts';
import { connect, gateways, links } from './links.ts';
import { planner } from './planner.ts';

export const SWEDISH: ConsoleWords = {
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
