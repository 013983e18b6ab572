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
  notReadYet: (count: string) => `${count} not read yet`,
  doAt: 'Open',
  andMore: (count: string) => `and ${count} more`,
};

export const noDevices = {
  title: 'No devices yet',
  text: 'Add ten simulated devices to look around, one of each type. They belong to the user demo, and you remove them under Links. Or link a device that somebody owns.',
  realText: 'Link the first one: its owner signs in on a page that you send.',
  simulated: 'Add simulated devices',
  real: 'Link a real device',
  failed: 'The simulated devices were not added',
};

export const devices = {
  title: 'Devices',
  search: 'Search',
  searchHint: 'Name, id, user or vendor',
  vendor: 'Vendor',
  type: 'Type',
  condition: 'State',
  clear: 'Clear filters',
  count: (shown: string, all: string) =>
    shown === all ? plural(all, 'device', 'devices') : `${shown} of ${plural(all, 'device', 'devices')}`,
  noMatch: 'No device matches',
  noMatchText: 'Change the search or a filter.',
  columns: {
    name: 'Name',
    user: 'User',
    type: 'Type',
    vendor: 'Vendor',
    state: 'State',
    power: 'Power',
    level: 'Level',
    updated: 'Updated',
  },
  tableLabel: 'Devices. Arrow keys move between rows, Enter opens a device.',
};
