import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { useQuery } from '../api/queries.ts';
import type { LinkSession as View } from '../api/shapes.ts';
import { dateTime, foreign } from '../format.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { Failure } from '../parts/failure.tsx';
import { Link } from '../parts/link.tsx';
import { hrefOf } from '../route.ts';
import { words } from '../words/index.ts';
import { type Begun, begun } from './begun.ts';
import { QrCode } from './qr-code.tsx';

const texts = words.connect;
/** Events report at once that a session has ended; this finds what they do not report. A tab that nobody looks at does not poll. */
const REFETCH_MS = 5_000;
const TONES: Readonly<Record<View['status'], string>> = {
  open: 'mark-busy',
  linked: 'mark-good',
  failed: 'mark-bad',
  expired: 'mark-still',
};

/** The address of a link session, and what has come of it. */
export function LinkSession({ begun: { session, url, userRef } }: { readonly begun: Begun }) {
  const [ended, setEnded] = useState<View>();
  const place = useRef<HTMLDivElement>(null);
  // The button that made it is gone.
  useEffect(() => place.current?.focus(), []);
  return (
    <div class="stack" ref={place} tabIndex={-1}>
      <h3>
        {texts.pageOf} <bdi>{foreign(userRef)}</bdi>
      </h3>
      {ended === undefined ? (
        <>
          <Address url={url} />
          <Following session={session} onEnd={setEnded} />
        </>
      ) : (
        <Result view={ended} />
      )}
      <p>
        <ActionButton onClick={() => begun.set(undefined)}>{texts.another}</ActionButton>
      </p>
    </div>
  );
}

function Address({ url }: { readonly url: string }) {
  return (
    <div class="connect-address">
      <QrCode text={url} label={texts.qr} />
      <div class="stack-small">
        <p>{texts.open}</p>
        <Copyable text={url} act={texts.copy} isWrapped />
      </div>
    </div>
  );
}

interface FollowingProps {
  readonly session: string;
  readonly onEnd: (view: View) => void;
}

/** Asks what has come of a session until it has ended. One that has failed can be used again. */
function Following({ session, onEnd }: FollowingProps) {
  const { data, error } = useQuery({
    key: ['GET /link/sessions/{session}', session],
    load: async (signal) => (await call('GET /link/sessions/{session}', { path: [session], signal })).body,
    refetchMs: REFETCH_MS,
  });
  useEffect(() => {
    if (data?.status === 'linked' || data?.status === 'expired') onEnd(data);
  }, [data]);
  if (data !== undefined) return <Result view={data} />;
  return error === null ? <p class="soft">{words.loading}</p> : <Failure error={error} />;
}

function Result({ view }: { readonly view: View }) {
  const { status, reason, devices, expires_at: until } = view;
  return (
    <div class="stack-small">
      <p role="status">
        <span class={`mark mark-wrap ${TONES[status]}`}>{texts.statuses[status]}</span>
      </p>
      {status === 'open' ? <p class="hint">{texts.until(dateTime(until))}</p> : null}
      {status === 'failed' ? <p class="hint">{texts.failedText(dateTime(until))}</p> : null}
      {reason === null ? null : (
        <p class="hint">
          {words.links.reason} <code>{foreign(reason)}</code>
        </p>
      )}
      {devices.length === 0 ? null : (
        <ul>
          {devices.map(({ id, vendor, device_type: type }) => (
            <li key={`${vendor} ${id}`}>
              <Link href={hrefOf({ page: 'device', vendor, id })}>
                {words.types[type]}: <bdi>{foreign(id)}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
