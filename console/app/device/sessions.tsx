import { useRef, useState } from 'preact/hooks';
import { call, searchOf } from '../api/call.ts';
import { useQuery } from '../api/queries.ts';
import type { ChargingSession, Device } from '../api/shapes.ts';
import { clockTime, duration, energy, money, power, shortDateTime } from '../format.ts';
import { Failure } from '../parts/failure.tsx';
import { More, Sentence, Time } from '../parts/texts.tsx';
import { words } from '../words/index.ts';

const texts = words.sessions;
const AT_FIRST = 10;
const MORE = 50;
/** A running session changes with the state of the device; no event of its own reports that. */
const REFETCH_MS = 30_000;

/** Whether a device has sessions of charging. */
export const hasSessions = ({ device_type: type }: Device): boolean =>
  type === 'vehicle' || type === 'charger';

interface Shown {
  readonly sessions: readonly ChargingSession[];
  readonly hasMore: boolean;
}

/** What a vehicle or a charger has charged, the newest first. */
export function ChargingSessions({ device }: { readonly device: Device }) {
  const [pages, setPages] = useState(1);
  const result = useQuery({
    key: ['GET /devices/{id}/sessions', device.vendor, device.id, pages],
    load: (signal) => readPages(device, { pages, signal }),
    refetchMs: REFETCH_MS,
  });
  // What is shown stays while more is loaded.
  const before = useRef<Shown>(undefined);
  const shown = result.data ?? before.current;
  before.current = shown;
  return (
    <section class="stack-small" aria-labelledby="sessions">
      <div class="card-head">
        <h2 id="sessions">{texts.title}</h2>
        {shown === undefined || shown.sessions.length === 0 ? null : (
          <a href={csvOf(device)} download="">
            {texts.csv}
          </a>
        )}
      </div>
      <p class="soft small">
        {texts.text} {texts.costText}
      </p>
      {result.error === null ? null : <Failure error={result.error} onRetry={() => void result.refetch()} />}
      {shown === undefined || shown.sessions.length === 0 ? (
        result.error !== null ? null : (
          <p class="empty soft">{shown === undefined ? words.loading : texts.empty}</p>
        )
      ) : (
        <ol class="events">
          {shown.sessions.map((session) => (
            <Session key={session.id} session={session} />
          ))}
        </ol>
      )}
      <More
        hasMore={shown?.hasMore === true}
        isLoading={result.isPending}
        onMore={() => (result.error === null ? setPages(pages + 1) : void result.refetch())}
      />
    </section>
  );
}

interface Asked {
  readonly pages: number;
  readonly signal: AbortSignal;
}

async function readPages({ vendor, id }: Device, { pages, signal }: Asked): Promise<Shown> {
  const sessions: ChargingSession[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const { body } = await call('GET /devices/{id}/sessions', {
      path: [id],
      query: { vendor, limit: page === 0 ? AT_FIRST : MORE, cursor },
      signal,
    });
    sessions.push(...body.sessions);
    cursor = body.cursor ?? undefined;
    if (cursor === undefined) break;
  }
  return { sessions, hasMore: cursor !== undefined };
}

const MOST_IN_CSV = 1_000;
const csvOf = ({ vendor, id }: Device): string =>
  `/devices/${encodeURIComponent(id)}/sessions${searchOf({ vendor, format: 'csv', limit: MOST_IN_CSV })}`;

function Session({ session }: { readonly session: ChargingSession }) {
  const { energy_wh: taken, max_power_w: most, cost, currency, measured_by: by } = session;
  const isRunning = session.ended_at === null;
  return (
    <li class="charging">
      <When session={session} />
      <dl class="charging-figures">
        <div>
          <dt>{isRunning ? texts.soFar : texts.energy}</dt>
          <dd>{taken === null ? texts.unknown : energy(taken)}</dd>
          {by.energy === null ? null : <dd class="hint">{texts.by[by.energy]}</dd>}
        </div>
        <div>
          <dt>{texts.maxPower}</dt>
          <dd>{most === null ? texts.unknown : power(most)}</dd>
        </div>
        <div>
          <dt>{texts.cost}</dt>
          <dd>{cost === null ? words.none : money(cost, currency ?? 'SEK')}</dd>
        </div>
      </dl>
      {session.complete && session.cost_missing === null ? null : (
        <div class="charging-notes">
          {session.complete ? null : <p class="mark mark-note mark-wrap">{texts.incomplete}</p>}
          {session.cost_missing === null ? null : (
            <p class="hint">
              {texts.noCost} {texts.reasons[session.cost_missing] ?? <Sentence text={session.cost_missing} />}
            </p>
          )}
        </div>
      )}
    </li>
  );
}

function When({ session: { started_at: began, ended_at: ended } }: { readonly session: ChargingSession }) {
  const seconds = began === null || ended === null ? null : (Date.parse(ended) - Date.parse(began)) / 1_000;
  return (
    <div class="charging-when">
      {began === null ? (
        <span>{texts.beginUnknown}</span>
      ) : (
        <strong>
          <Time at={began} text={shortDateTime(began)} />
        </strong>
      )}
      {ended === null ? (
        <span class="mark mark-busy">{texts.running}</span>
      ) : (
        <span class="soft small">
          <Time
            at={ended}
            text={texts.ended(
              began !== null && isSameDay(began, ended) ? clockTime(ended) : shortDateTime(ended),
            )}
          />
          {seconds === null ? null : ` · ${duration(seconds)}`}
        </span>
      )}
    </div>
  );
}

const isSameDay = (a: string, b: string): boolean =>
  new Date(a).toDateString() === new Date(b).toDateString();
