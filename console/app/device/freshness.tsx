import { useEffect, useRef } from 'preact/hooks';
import { Refused } from '../api/call.ts';
import { useRead } from '../api/queries.ts';
import type { Device, Reading } from '../api/shapes.ts';
import { now, useNow } from '../clock.ts';
import { ago, ahead } from '../format.ts';
import { measuredAt } from '../live/index.ts';
import { Time } from '../parts/texts.tsx';
import { words } from '../words/index.ts';

/** What the user of a device has to do before it works. */
export function Interventions({ device }: { readonly device: Device }) {
  const { data = [] } = useRead('GET /interventions', { query: { device: device.id } });
  const own = data.filter(({ vendor }) => vendor === device.vendor);
  const at = useNow(30_000);
  if (own.length === 0) return null;
  return (
    <section class="notice notice-note" aria-labelledby="needs">
      <h2 id="needs" class="notice-title">
        {words.device.needs}
      </h2>
      <ul class="needs">
        {own.map((one) => (
          <li key={one.id}>
            <strong>{one.title}</strong>
            <p>{one.text}</p>
            <p class="small soft">
              {words.overview.since(ago(one.opened_at, at))}
              {one.url === null ? null : (
                <>
                  {' · '}
                  <a href={one.url} rel="noreferrer" target="_blank">
                    {one.at_device ? words.device.moreAt : words.overview.doAt}
                  </a>
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

const texts = words.device;
/** A read that was due is stored by then. */
const STORED_MS = 3_000;

interface FreshnessProps {
  readonly device: Device;
  readonly data: Reading | undefined;
  readonly error: Error | null;
  readonly onDue: () => void;
}

/** How old the shown state is and when it is read next, in words that go on by themselves. */
export function Freshness({ device, data, error, onDue }: FreshnessProps) {
  const at = useNow(1_000);
  const measured = measuredAt(device, data?.observed_at);
  const next = error === null ? data?.next_read_at : undefined;
  useDue(next ?? undefined, onDue);
  const isLost = error instanceof Refused && error.code === 'vendor.login_expired';
  const missing = isLost ? 'needs_relink' : error === null ? data?.next_read_missing : undefined;
  return (
    <p class="soft small">
      {measured === undefined ? null : <Time at={measured} text={texts.measured(ago(measured, at))} />}
      {next == null ? null : (
        <>
          {measured === undefined ? '' : ', '}
          <Time at={next} text={Date.parse(next) > at ? texts.nextRead(ahead(next, at)) : texts.readSoon} />
        </>
      )}
      {missing == null ? null : `${measured === undefined ? '' : '. '}${texts.notRead[missing]}`}
    </p>
  );
}

/** Asks once for each read that was due, when the page is looked at: one that changed nothing leaves no event. */
function useDue(next: string | undefined, onDue: () => void): void {
  const due = useRef(onDue);
  due.current = onDue;
  useEffect(() => {
    if (next === undefined) return;
    const wait = Date.parse(next) - now() + STORED_MS;
    // What has been due for long waits for something else than time.
    if (wait <= 0 || wait > 2 ** 31 - 1) return;
    const ask = () => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', ask);
      due.current();
    };
    const timer = setTimeout(() => {
      document.addEventListener('visibilitychange', ask);
      ask();
    }, wait);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', ask);
    };
  }, [next]);
}
