import type { NewEvent } from '../../../db/events.ts';
import type { LinkRow } from '../../vendor-calls/calls/index.ts';

type Subject = Pick<LinkRow, 'account' | 'link' | 'vendor' | 'userRef'>;

/** A vendor account was linked; `isAgain` where it had a link already. */
export const linkLinked = (link: Subject & { readonly linkedAt: number }, isAgain: boolean): NewEvent => ({
  ...subjectOf(link),
  type: 'link.linked',
  occurredAt: link.linkedAt,
  data: { relinked: isAgain },
});

export const linkRemoved = (link: Subject, at: number): NewEvent => ({
  ...subjectOf(link),
  type: 'link.removed',
  occurredAt: at,
  data: {},
});

const subjectOf = ({ account, link, vendor, userRef }: Subject) => ({ account, link, vendor, userRef });
