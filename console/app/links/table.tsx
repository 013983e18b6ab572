import { useState } from 'preact/hooks';
import type { Link } from '../api/shapes.ts';
import { useNow } from '../clock.ts';
import { ago, count, dateTime, foreign } from '../format.ts';
import { More, Name, Sentence, Time } from '../parts/texts.tsx';
import { words } from '../words/index.ts';
import { AreaOfLink } from './area.tsx';
import { type Removed, RemoveLink } from './remove.tsx';

const texts = words.links;
const AT_FIRST = 100;
const TONES: Readonly<Record<Link['status'], string>> = {
  active: 'mark-good',
  needs_relink: 'mark-bad',
  unreachable: 'mark-note',
};

interface TableProps {
  readonly list: readonly Link[];
  readonly nameOf: (vendor: string) => string;
}

/** Links, each with its price area and its removal. */
export function LinkTable({ list, nameOf }: TableProps) {
  const [most, setMost] = useState(AT_FIRST);
  const [asked, setAsked] = useState<Link>();
  const [said, setSaid] = useState<Removed>();
  return (
    <>
      <div role="status" tabIndex={-1} id="link-removed">
        {said === undefined ? null : <RemovalResult {...said} />}
      </div>
      <table class="link-table">
        <thead>
          <tr>
            <th scope="col">{texts.user}</th>
            <th scope="col">{texts.vendor}</th>
            <th scope="col">{texts.status}</th>
            <th scope="col" class="number">
              {texts.devices}
            </th>
            <th scope="col">{texts.lastRead}</th>
            <th scope="col">{texts.area}</th>
            <th scope="col">
              <span class="hidden-visually">{texts.remove}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.slice(0, most).map((link) => (
            <Row key={link.id} link={link} vendor={nameOf(link.vendor)} onRemove={() => setAsked(link)} />
          ))}
        </tbody>
      </table>
      <More hasMore={list.length > most} onMore={() => setMost(most + AT_FIRST)} />
      {asked === undefined ? null : (
        <RemoveLink
          link={asked}
          vendor={nameOf(asked.vendor)}
          onClose={(removed) => {
            setAsked(undefined);
            if (removed === undefined) return;
            setSaid(removed);
            // The button that had the focus goes with its row.
            document.getElementById('link-removed')?.focus();
          }}
        />
      )}
    </>
  );
}

interface RowProps {
  readonly link: Link;
  readonly vendor: string;
  readonly onRemove: () => void;
}

function Row({ link, vendor, onRemove }: RowProps) {
  const user = foreign(link.user_ref);
  return (
    <tr>
      <th scope="row">
        <Name text={link.user_ref} />
      </th>
      <td data-label={texts.vendor}>{vendor}</td>
      <td data-label={texts.status}>
        <Status link={link} />
      </td>
      <td data-label={texts.devices} class="number">
        {count(link.device_count)}
      </td>
      <td data-label={texts.lastRead}>
        <LastRead at={link.last_read_at} />
      </td>
      <td data-label={texts.area}>
        <AreaOfLink link={link} label={texts.areaOf(user, vendor)} />
      </td>
      <td>
        <button
          type="button"
          class="button button-small"
          aria-label={texts.removeOf(user, vendor)}
          onClick={onRemove}
        >
          {texts.remove}
        </button>
      </td>
    </tr>
  );
}

function Status({ link }: { readonly link: Link }) {
  const at = useNow(30_000);
  const { status, status_reason: reason, missing_permissions: missing } = link;
  return (
    <div class="link-status">
      <span class={`mark mark-wrap ${TONES[status]}`}>{texts.statuses[status]}</span>
      {status === 'active' ? null : (
        <p class="hint">
          {texts.meaning[status]} {texts.since(ago(link.status_since, at))}
        </p>
      )}
      {reason === null ? null : (
        <p class="hint">
          {texts.reason} <Sentence text={reason} />
        </p>
      )}
      {missing.length === 0 ? null : (
        <p class="hint">{texts.missing(missing.map((one) => foreign(one)).join(', '))}</p>
      )}
      {link.removed_by === null ? null : <p class="hint">{texts.removedBy(dateTime(link.removed_by))}</p>}
    </div>
  );
}

function LastRead({ at }: { readonly at: string | null }) {
  const now = useNow(30_000);
  if (at === null) return <span class="soft">{texts.never}</span>;
  return <Time at={at} text={ago(at, now)} />;
}

/** What came of a removal: some wait until a device has been released. */
function RemovalResult({ user, vendor, waits }: Removed) {
  if (waits === null) return <p class="notice notice-good">{texts.removed(user, vendor)}</p>;
  return (
    <div class="notice notice-note">
      <strong>{texts.waits(user, vendor)}</strong>
      <p>{texts.waitsText(dateTime(waits.removed_by))}</p>
      <ul>
        {waits.set_points.map(({ device, type, error }) => (
          <li key={`${device} ${type}`}>
            <bdi>{foreign(device)}</bdi>: <Sentence text={error} />
          </li>
        ))}
      </ul>
    </div>
  );
}
