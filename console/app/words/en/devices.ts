import { plural } from '../plural.ts';

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
