import { plural } from '../plural.ts';

export const overview = {
  title: 'Overview',
  drawn: 'Drawn now',
  givenBack: 'Given back now',
  produced: 'Solar production now',
  grid: 'At grid meters now',
  houses: 'At house meters now',
  reachable: 'Reachable',
  ofDevices: (reachable: string, all: string) => `${reachable} of ${all}`,
  powerText: (count: string) =>
    `From the last known power of ${plural(count, 'device', 'devices')} that can be reached.`,
  byType: 'Devices by type',
  type: 'Type',
  total: 'All',
  today: 'Today',
  todayText: 'Since midnight in Sweden.',
  drawnToday: 'Drawn',
  givenBackToday: 'Given back',
  producedToday: 'Produced',
  fromGridToday: 'Drawn by grid meters',
  toGridToday: 'Given back by grid meters',
  housesToday: 'Used by house meters',
  costToday: 'Cost',
  onceText:
    'A car is not counted while a charger of the same user charges. Grid and house meters are shown on their own, and are in no other figure.',
  knownOf: (known: string, all: string) => `known for ${known} of ${plural(all, 'device', 'devices')}`,
  costText: 'At spot prices, without VAT, tax and fees.',
  unknownCosts: {
    energy_not_known: (count: string) =>
      `${plural(count, 'device', 'devices')} whose energy today is not known`,
    counted_in_gap: (count: string) =>
      `${plural(count, 'device', 'devices')} used energy at a time that is not known`,
    no_price_area: (count: string) => `${plural(count, 'device', 'devices')} without a price area`,
    no_price: (count: string) => `${plural(count, 'device', 'devices')} without a price for part of the time`,
  },
  needs: 'Needs attention',
  nothing: 'Nothing needs attention right now.',
  nothingText: 'Links that must be signed in to again, and what users have to do, will show here.',
  relink: (vendor: string) => `${vendor} must be signed in to again`,
  relinkText: (user: string) => `Its devices are not read or controlled until ${user} does so.`,
  linkUnreachable: (vendor: string) => `${vendor} cannot be reached`,
  linkUnreachableText: (user: string) => `The link of ${user}. elnav keeps trying.`,
  subscription: (state: string) => `Subscription ${state}`,
  failing: 'deliveries fail',
  paused: 'is paused',
  since: (when: string) => `Began ${when}`,
  noDevices: 'No devices yet',
  noDevicesText:
    'Link the first one: it takes a minute with the sandbox, whose devices are simulated. The guide shows how.',
  guide: 'To the API reference',
  doAt: 'Open',
  andMore: (count: string) => `and ${count} more`,
};

export const devices = {
  title: 'Devices',
  search: 'Search',
  searchHint: 'Name or id',
  vendor: 'Vendor',
  type: 'Type',
  condition: 'State',
  clear: 'Clear filters',
  count: (shown: string, all: string) =>
    shown === all ? plural(all, 'device', 'devices') : `${shown} of ${plural(all, 'device', 'devices')}`,
  noMatch: 'No device matches',
  noMatchText: 'Change the search or a filter.',
  noUser: (user: string) => `No devices belong to the user ${user}.`,
  columns: { name: 'Name', type: 'Type', vendor: 'Vendor', state: 'State', power: 'Power', level: 'Level' },
  tableLabel: 'Devices. Arrow keys move between rows, Enter opens a device.',
};
