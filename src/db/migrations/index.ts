import type { Migration } from 'kysely/migration';
import * as accounts from './0001-accounts.ts';
import * as devices from './0002-devices.ts';
import * as charging from './0003-charging.ts';
import * as market from './0004-market.ts';
import * as production from './0005-production.ts';
import * as linking from './0006-linking.ts';
import * as vendorBudgets from './0007-vendor-budgets.ts';
import * as webhooks from './0008-webhooks.ts';
import * as polling from './0009-polling.ts';
import * as people from './0010-people.ts';
import * as brands from './0011-brands.ts';
import * as usedSessions from './0012-used-sessions.ts';
import * as begunRequests from './0014-begun-requests.ts';
import * as keyedFingerprints from './0015-keyed-fingerprints.ts';
import * as toldOrRead from './0016-told-or-read.ts';
import * as chargingBounds from './0017-charging-bounds.ts';
import * as howSessionsEnd from './0020-how-sessions-end.ts';
import * as twoWindows from './0021-two-windows.ts';
import * as blocks from './0022-blocks.ts';
import * as lists from './0023-lists.ts';
import * as reportedFields from './0024-reported-fields.ts';
import * as sites from './0025-sites.ts';
import * as permissions from './0026-permissions.ts';
import * as gateways from './0027-gateways.ts';
import * as setPoints from './0028-set-points.ts';
import * as applicationCertificates from './0029-application-certificates.ts';
import * as events from './0030-events.ts';
import * as interventions from './0031-interventions.ts';
import * as gatewaysOfLinkSessions from './0032-gateways-of-link-sessions.ts';
import * as subscriptions from './0033-subscriptions.ts';
import * as eventReaders from './0034-event-readers.ts';
import * as history from './0035-history.ts';
import * as chargingSessions from './0036-charging-sessions.ts';
import * as costOfEnergy from './0037-cost-of-energy.ts';
import * as consoleSessions from './0038-console-sessions.ts';
import * as operators from './0039-operators.ts';
import * as requests from './0040-requests.ts';
import * as instances from './0041-instances.ts';
import * as creatorsOfKeys from './0044-creators-of-keys.ts';
import * as linksOfBrands from './0045-links-of-brands.ts';
import * as devicesShown from './0046-devices-shown.ts';

/** In order. A released migration is never edited; a later one corrects its faults. */
export const migrations: Record<string, Migration> = {
  '0001-accounts': accounts,
  '0002-devices': devices,
  '0003-charging': charging,
  '0004-market': market,
  '0005-production': production,
  '0006-linking': linking,
  '0007-vendor-budgets': vendorBudgets,
  '0008-webhooks': webhooks,
  '0009-polling': polling,
  '0010-people': people,
  '0011-brands': brands,
  '0012-used-sessions': usedSessions,
  '0014-begun-requests': begunRequests,
  '0015-keyed-fingerprints': keyedFingerprints,
  '0016-told-or-read': toldOrRead,
  '0017-charging-bounds': chargingBounds,
  '0020-how-sessions-end': howSessionsEnd,
  '0021-two-windows': twoWindows,
  '0022-blocks': blocks,
  '0023-lists': lists,
  '0024-reported-fields': reportedFields,
  '0025-sites': sites,
  '0026-permissions': permissions,
  '0027-gateways': gateways,
  '0028-set-points': setPoints,
  '0029-application-certificates': applicationCertificates,
  '0030-events': events,
  '0031-interventions': interventions,
  '0032-gateways-of-link-sessions': gatewaysOfLinkSessions,
  '0033-subscriptions': subscriptions,
  '0034-event-readers': eventReaders,
  '0035-history': history,
  '0036-charging-sessions': chargingSessions,
  '0037-cost-of-energy': costOfEnergy,
  '0038-console-sessions': consoleSessions,
  '0039-operators': operators,
  '0040-requests': requests,
  '0041-instances': instances,
  '0044-creators-of-keys': creatorsOfKeys,
  '0045-links-of-brands': linksOfBrands,
  '0046-devices-shown': devicesShown,
};
