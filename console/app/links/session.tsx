import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { useQuery } from '../api/queries.ts';
import type { LinkSession as View } from '../api/shapes.ts';
import { dateTime, foreign } from '../format.ts';
import { ActionButton } from '../parts/action.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { Failure } from '../parts/failure.tsx';
import { Link } from '../parts/link.tsx';
import { hrefOf } from '../route.ts';
import { createStore } from '../store.ts';
import { words } from '../words/index.ts';

interface Begun {
  readonly session: string;
  readonly url: string;
  readonly userRef: string;
}

/** The link session that was begun last in this tab: other pages may be looked at meanwhile. */
export const begun = createStore<Begun | undefined>(undefined);

/** Squares of nothing around a code, which cameras need. */
const MARGIN = 4;

interface QrCodeProps {
  readonly text: string;
  readonly label: string;
}

interface Code {
  readonly size: number;
  readonly path: string;
}

/** A text for the camera of a phone. What draws it is loaded when it is first needed; without it there is no code. */
function QrCode({ text, label }: QrCodeProps) {
  const [code, setCode] = useState<Code>();
  useEffect(() => {
    let isWanted = true;
    import('uqr').then(
      ({ encode }) => {
        if (isWanted) setCode(codeOf(encode(text, { ecc: 'M', border: MARGIN }).data));
      },
      () => {},
    );
    return () => {
      isWanted = false;
    };
  }, [text]);
  if (code === undefined) return <div class="qr-code" />;
  return (
    <svg class="qr-code" viewBox={`0 0 ${code.size} ${code.size}`} role="img" aria-label={label}>
      <path d={code.path} />
    </svg>
  );
}

/** Each run of dark squares in a row as a rectangle. */
function codeOf(rows: readonly (readonly boolean[])[]): Code {
  let path = '';
  for (const [y, row] of rows.entries())
    for (let x = 0; x < row.length; x += 1) {
      if (row[x] !== true) continue;
      let end = x;
      while (row[end] === true) end += 1;
      path += `M${x} ${y}h${end - x}v1H${x}z`;
      x = end;
    }
  return { size: rows.length, path };
}

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
