import type { ComponentChildren } from 'preact';
import { useLinks, useRead } from '../api/queries.ts';
import type { Intervention, Link as LinkOfAccount, Subscription } from '../api/shapes.ts';
import { useVendorNames } from '../api/vendors.ts';
import { useNow } from '../clock.ts';
import { ago, count, foreign } from '../format.ts';
import { devices } from '../live/index.ts';
import { Failure } from '../parts/failure.tsx';
import { Link } from '../parts/link.tsx';
import { Empty } from '../parts/page.tsx';
import { Name } from '../parts/texts.tsx';
import { hrefOf } from '../route.ts';
import { useSelected } from '../store.ts';
import { REFETCH_MS } from '../subscriptions/refetch.ts';
import { words } from '../words/index.ts';

const texts = words.overview;
const MOST = 20;

interface Need {
  readonly key: string;
  readonly since: string;
  readonly title: ComponentChildren;
  readonly text: string;
  readonly isGrave: boolean;
  /** Where it is looked into. */
  readonly href?: string;
}

/** What does not work until somebody does something. */
export function Needs() {
  const links = useLinks();
  const interventions = useRead('GET /interventions');
  const subscriptions = useRead('GET /subscriptions', {}, REFETCH_MS);
  const names = useVendorNames();
  // Names are known once the list of devices is loaded.
  useSelected(devices, ({ status }) => status);
  const reads = [links, interventions, subscriptions];
  const failed = reads.find(({ error }) => error !== null);
  const needs: readonly Need[] = [
    ...(links.data ?? []).flatMap((link) => ofLink(link, names.get(link.vendor) ?? link.vendor)),
    ...(interventions.data ?? []).map(ofIntervention),
    ...(subscriptions.data ?? []).flatMap(ofSubscription),
  ];
  const isNone = needs.length === 0 && failed === undefined && reads.every(({ isPending }) => !isPending);
  return (
    <section class="stack-small" aria-labelledby="needs">
      <h2 id="needs">{texts.needs}</h2>
      {failed?.error == null ? null : <Failure error={failed.error} onRetry={() => void failed.refetch()} />}
      {isNone ? <Empty title={texts.nothing} text={texts.nothingText} /> : null}
      {needs.length === 0 ? null : <NeedList needs={needs} />}
    </section>
  );
}

function NeedList({ needs }: { readonly needs: readonly Need[] }) {
  const at = useNow(30_000);
  return (
    <ul class="needs">
      {needs.slice(0, MOST).map(({ key, since, title, text, isGrave, href }) => (
        <li key={key} class={`notice ${isGrave ? 'notice-bad' : 'notice-note'}`}>
          <strong>{title}</strong>
          <p>{text}</p>
          <p class="small soft">
            {texts.since(ago(since, at))}
            {href === undefined ? null : (
              <>
                {' · '}
                <Link href={href}>{words.links.toLinks}</Link>
              </>
            )}
          </p>
        </li>
      ))}
      {needs.length > MOST ? <li class="soft">{texts.andMore(count(needs.length - MOST))}</li> : null}
    </ul>
  );
}

function ofLink(link: LinkOfAccount, vendor: string): readonly Need[] {
  if (link.status === 'active') return [];
  const isRelink = link.status === 'needs_relink';
  const user = foreign(link.user_ref);
  return [
    {
      key: link.id,
      since: link.status_since,
      title: isRelink ? texts.relink(vendor) : texts.linkUnreachable(vendor),
      text: isRelink ? texts.relinkText(user) : texts.linkUnreachableText(user),
      isGrave: isRelink,
      href: hrefOf({ page: 'links' }, { status: link.status, user: link.user_ref }),
    },
  ];
}

function ofIntervention({ id, opened_at, title, text, vendor, device }: Intervention): Need {
  const need = { key: id, since: opened_at, title, text, isGrave: false };
  if (device === null) return need;
  const linked = (
    <>
      <Link href={hrefOf({ page: 'device', vendor, id: device })}>
        <Name text={devices.find(vendor, device)?.name ?? device} />
      </Link>
      : {title}
    </>
  );
  return { ...need, title: linked };
}

function ofSubscription({ id, url, status, failing_since, created_at }: Subscription): readonly Need[] {
  const isPaused = status === 'paused';
  if (!isPaused && failing_since === null) return [];
  return [
    {
      key: id,
      since: failing_since ?? created_at,
      title: (
        <Link href={hrefOf({ page: 'subscriptions' })}>
          {texts.subscription(isPaused ? texts.paused : texts.failing)}
        </Link>
      ),
      text: foreign(url),
      isGrave: isPaused,
    },
  ];
}
