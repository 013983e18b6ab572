import type { ComponentChildren } from 'preact';
import { useRead } from '../api/queries.ts';
import { useVendorNames } from '../api/vendors.ts';
import { useNow } from '../clock.ts';
import { ago, count, foreign } from '../format.ts';
import { devices } from '../live/index.ts';
import { Failure } from '../parts/failure.tsx';
import { Link } from '../parts/link.tsx';
import { Name } from '../parts/name.tsx';
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
  const links = useRead('GET /links');
  const interventions = useRead('GET /interventions');
  const subscriptions = useRead('GET /subscriptions', {}, REFETCH_MS);
  const names = useVendorNames();
  const at = useNow(30_000);
  // Names are known when the list of devices is there.
  useSelected(devices, ({ status }) => status);
  const failed = [links, interventions, subscriptions].find(({ error }) => error !== null)?.error ?? null;
  const isLoading = [links, interventions, subscriptions].some(({ isPending }) => isPending);
  const nameOf = (vendor: string) => names.get(vendor) ?? vendor;
  const needs: readonly Need[] = [
    ...(links.data ?? []).flatMap((link): Need[] => {
      if (link.status === 'active') return [];
      const isRelink = link.status === 'needs_relink';
      const user = foreign(link.user_ref);
      return [
        {
          key: link.id,
          since: link.status_since,
          title: isRelink ? texts.relink(nameOf(link.vendor)) : texts.linkUnreachable(nameOf(link.vendor)),
          text: isRelink ? texts.relinkText(user) : texts.linkUnreachableText(user),
          isGrave: isRelink,
          href: hrefOf({ page: 'links' }, { status: link.status, user: link.user_ref }),
        },
      ];
    }),
    ...(interventions.data ?? []).map((one): Need => {
      const name = one.device === null ? null : (devices.find(one.vendor, one.device)?.name ?? one.device);
      return {
        key: one.id,
        since: one.opened_at,
        title:
          one.device === null ? (
            one.title
          ) : (
            <>
              <Link href={hrefOf({ page: 'device', vendor: one.vendor, id: one.device })}>
                <Name text={name} />
              </Link>
              : {one.title}
            </>
          ),
        text: one.text,
        isGrave: false,
      };
    }),
    ...(subscriptions.data ?? []).flatMap((one): Need[] => {
      const isPaused = one.status === 'paused';
      if (!isPaused && one.failing_since === null) return [];
      return [
        {
          key: one.id,
          since: one.failing_since ?? one.created_at,
          title: (
            <Link href={hrefOf({ page: 'subscriptions' })}>
              {texts.subscription(isPaused ? texts.paused : texts.failing)}
            </Link>
          ),
          text: foreign(one.url),
          isGrave: isPaused,
        },
      ];
    }),
  ];
  return (
    <section class="stack-small" aria-labelledby="needs">
      <h2 id="needs">{texts.needs}</h2>
      {failed === null ? null : <Failure error={failed} />}
      {needs.length === 0 ? (
        isLoading || failed !== null ? null : (
          <div class="empty">
            <strong>{texts.nothing}</strong>
            <p>{texts.nothingText}</p>
          </div>
        )
      ) : (
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
      )}
    </section>
  );
}
