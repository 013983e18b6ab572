import type { Log } from '../../../core/log.ts';
import type { Accounts } from '../../../domain/access/accounts/index.ts';
import {
  type Cursors,
  type EventFilter,
  type EventLog,
  type EventPage,
  type EventRow,
  matches,
  type Position,
  rendered,
} from '../../../domain/records/events/index.ts';
import { type EventStream, eventText } from '../../../http/event-stream.ts';

/** Events that are read at once for a stream that is behind. */
const PAGE = 100;

interface EventSendersOptions {
  readonly eventLog: Pick<EventLog, 'page' | 'attach'>;
  readonly cursors: Cursors;
  readonly accounts: Pick<Accounts, 'watchKeys'>;
  readonly log: Log;
}

/** What a stream sends, and for whom. */
export interface Wanted {
  readonly account: number;
  /** Whether its caller is still admitted. */
  readonly isAdmitted: () => Promise<boolean>;
  readonly filter: EventFilter;
}

/** Sends events of the log to open streams: first what they have missed, then what comes. */
export function createEventSenders({ eventLog, cursors, accounts, log }: EventSendersOptions) {
  const open = new Map<number, Set<Sender>>();
  /** An event is written once for all streams of its account. */
  const texts = new WeakMap<EventRow, string>();

  interface Sender extends Pick<Wanted, 'isAdmitted'> {
    readonly stream: EventStream;
  }

  const textOf = (row: EventRow): string => {
    const known = texts.get(row);
    if (known !== undefined) return known;
    const id = cursors.encode(row.account_id, { tx: row.tx, id: row.id });
    const text = eventText({ id, name: row.type, data: rendered(row) });
    texts.set(row, text);
    return text;
  };

  async function check({ isAdmitted, stream }: Sender): Promise<void> {
    if (!(await isAdmitted())) stream.end();
  }
  accounts.watchKeys((account) => {
    const concerned = account === undefined ? [...open.values()] : [open.get(account) ?? []];
    for (const senders of concerned) for (const sender of senders) void check(sender);
  });

  /** Sends what a stream has missed, and what comes, until it is closed. */
  async function send(
    stream: EventStream,
    { wanted, first }: { readonly wanted: Wanted; readonly first: EventPage },
    joined: (detach: () => void) => void,
  ): Promise<void> {
    const { account, filter } = wanted;
    const isWanted = matches(filter);
    let from: Position;
    for (let page = first; ; page = await eventLog.page({ account, after: from, filter, limit: PAGE })) {
      if (page.events.length > 0) stream.send(page.events.map(textOf).join(''));
      from = page.end;
      await stream.keepUp();
      if (stream.isClosed) return;
      if (!page.hasMore) {
        const detach = eventLog.attach(account, from, ({ events }) => {
          const text = events.filter(isWanted).map(textOf).join('');
          if (text !== '') stream.send(text);
        });
        if (detach !== undefined) {
          joined(detach);
          return;
        }
      }
    }
  }

  return {
    firstPage: (wanted: Wanted, after: Position): Promise<EventPage> =>
      eventLog.page({ account: wanted.account, after, filter: wanted.filter, limit: PAGE }),

    /** Sends to a stream; the result is called when it is closed. */
    join(stream: EventStream, wanted: Wanted, first: EventPage): () => void {
      const { account, isAdmitted } = wanted;
      const sender = { isAdmitted, stream };
      const own = open.get(account) ?? new Set();
      open.set(account, own.add(sender));
      let isClosed = false;
      let detach = () => {};
      send(stream, { wanted, first }, (given) => {
        if (isClosed) given();
        else detach = given;
      }).catch((error: unknown) => {
        log.warn({ err: error }, 'a stream of events was ended, as the log could not be read');
        stream.end();
      });
      return () => {
        isClosed = true;
        detach();
        own.delete(sender);
        if (own.size === 0 && open.get(account) === own) open.delete(account);
      };
    },
  };
}
