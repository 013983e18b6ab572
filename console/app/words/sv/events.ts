import type * as english from '../en/events.ts';
import { plural } from '../plural.ts';

export const events: typeof english.events = {
  title: 'Händelser',
  text: 'Vad som har hänt med anslutningar och enheter, det senaste först.',
  type: 'Typ',
  allTypes: 'Alla utom ändringar av läget',
  everyType: 'Alla',
  device: 'Enhetens id',
  pause: 'Pausa',
  resume: 'Fortsätt',
  waiting: (count) => `Fortsätt (${count} nya)`,
  copy: 'Kopiera som curl',
  copied: 'Kopierat. Sätt ELNAV_KEY till en API-nyckel.',
  copyText: 'Samma händelser i din terminal:',
  empty: 'Inga händelser här än',
  emptyText: 'Händelser visas här när de inträffar.',
  emptyFilter: 'Inga händelser passar filtret.',
  liveOnly: 'Ändringar av läget visas från det att sidan öppnades. Läs tidigare med API:et.',
  kept: (count) => plural(count, 'händelse', 'händelser'),
  older: 'Visa äldre',
  removedBecause: {
    not_listed: 'tillverkaren har den inte kvar på kontot',
    link_removed: 'dess anslutning togs bort',
  },
};

export const eventTypes: typeof english.eventTypes = {
  'device.linked': 'Enhet ansluten',
  'device.removed': 'Enhet borttagen',
  'device.state_changed': 'Läget ändrades',
  'device.unreachable': 'Enheten går inte att nå',
  'device.reachable': 'Enheten går att nå igen',
  'link.linked': 'Konto anslutet',
  'link.needs_relink': 'Kontot kräver ny inloggning',
  'link.recovered': 'Anslutningen fungerar igen',
  'link.removed': 'Anslutning borttagen',
  'link_session.completed': 'Anslutningssession klar',
  'link_session.failed': 'Anslutningssession avslutad utan resultat',
  'command.succeeded': 'Kommando utfört',
  'command.failed': 'Kommando inte utfört',
  'command.outcome_unknown': 'Okänt utfall av kommando',
  'intervention.opened': 'Användaren behöver göra något',
  'intervention.resolved': 'Användaren har gjort det',
  'charging.started': 'Laddning påbörjad',
  'charging.updated': 'Laddning uppdaterad',
  'charging.ended': 'Laddning avslutad',
};
