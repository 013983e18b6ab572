import type { EventType } from '../../api/shapes.ts';
import { plural } from '../plural.ts';

export const events = {
  title: 'Events',
  text: 'What happened to links and devices, newest first.',
  type: 'Type',
  allTypes: 'All but changes of state',
  everyType: 'All',
  device: 'Device id',
  pause: 'Pause',
  resume: 'Resume',
  waiting: (count: string) => `Resume (${count} new)`,
  copy: 'Copy as curl',
  copied: 'Copied. Set ELNAV_KEY to an API key.',
  copyText: 'The same events in your terminal:',
  empty: 'No events here yet',
  emptyText: 'Events show here as they happen.',
  emptyFilter: 'No events match the filter.',
  liveOnly:
    'Changes of state are shown from the moment this page was opened. Read earlier ones with the API.',
  kept: (count: string) => plural(count, 'event', 'events'),
  older: 'Show older',
  removedBecause: {
    not_listed: 'its vendor does not list it any more',
    link_removed: 'its link was deleted',
  },
};

export const eventTypes = {
  'device.linked': 'Device linked',
  'device.removed': 'Device removed',
  'device.state_changed': 'State changed',
  'device.unreachable': 'Device unreachable',
  'device.reachable': 'Device reachable again',
  'link.linked': 'Account linked',
  'link.needs_relink': 'Account must be signed in to again',
  'link.recovered': 'Link works again',
  'link.removed': 'Link deleted',
  'link_session.completed': 'Link session completed',
  'link_session.failed': 'Link session ended without a link',
  'command.succeeded': 'Command carried out',
  'command.failed': 'Command not carried out',
  'command.outcome_unknown': 'Outcome of a command unknown',
  'intervention.opened': 'The user has something to do',
  'intervention.resolved': 'The user has done it',
  'charging.started': 'Charging session began',
  'charging.updated': 'Charging session updated',
  'charging.ended': 'Charging session ended',
} satisfies Record<EventType, string>;
