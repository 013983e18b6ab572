import type * as english from '../en/devices.ts';
import { plural } from '../plural.ts';

export const devices: typeof english.devices = {
  title: 'Enheter',
  search: 'Sök',
  searchHint: 'Namn eller id',
  vendor: 'Tillverkare',
  type: 'Typ',
  condition: 'Läge',
  clear: 'Rensa filter',
  count: (shown, all) =>
    shown === all ? plural(all, 'enhet', 'enheter') : `${shown} av ${plural(all, 'enhet', 'enheter')}`,
  noMatch: 'Ingen enhet passar',
  noMatchText: 'Ändra sökningen eller ett filter.',
  noUser: (user) => `Inga enheter hör till användaren ${user}.`,
  columns: {
    name: 'Namn',
    type: 'Typ',
    vendor: 'Tillverkare',
    state: 'Läge',
    power: 'Effekt',
    level: 'Nivå',
  },
  tableLabel: 'Enheter. Piltangenterna flyttar mellan rader, Enter öppnar en enhet.',
};
