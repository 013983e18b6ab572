import { Component, type ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { call, endSession } from './api/call.ts';
import { queries } from './api/queries.ts';
import { BrandPage } from './brand/page.tsx';
import { DevicePage } from './device/page.tsx';
import { DevicesPage } from './devices/page.tsx';
import { EventsPage } from './events/page.tsx';
import { GatewaysPage } from './gateways/page.tsx';
import { KeysPage } from './keys/page.tsx';
import { LinksPage } from './links/page.tsx';
import { stream } from './live/index.ts';
import { OverviewPage } from './overview/page.tsx';
import { ActionButton, useAction } from './parts/action.tsx';
import { ErrorText } from './parts/failure.tsx';
import { Link } from './parts/link.tsx';
import { useTitle } from './parts/page.tsx';
import { PlannerPage } from './planner/page.tsx';
import { BASE, hrefOf, type ListPage, type Route, useAddress, useRoute } from './route.ts';
import { signedInAgain, signedOut } from './session.ts';
import { useStore } from './store.ts';
import { SubscriptionsPage } from './subscriptions/page.tsx';
import { UsagePage } from './usage/page.tsx';
import { words } from './words/index.ts';

/** Said where the session has ended and the page is not reloaded, until the same account has signed in again. */
function SignedOut() {
  const state = useStore(signedOut);
  const isOut = state !== 'no';
  useEffect(() => {
    if (!isOut) return;
    const look = () => {
      if (document.hidden) return;
      call('GET /account').then(
        () => {
          signedInAgain();
          void queries.invalidateQueries();
        },
        () => {},
      );
    };
    document.addEventListener('visibilitychange', look);
    addEventListener('focus', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      removeEventListener('focus', look);
    };
  }, [isOut]);
  return (
    <div role="alert">
      {isOut ? (
        <div class="notice notice-note">
          <strong>{words.signedOut}</strong>
          <p>{state === 'typed' ? words.signedOutText : words.signedOutIdle}</p>
          <p>
            <a class="button button-small" href={BASE} target="_blank" rel="noopener opener">
              {words.signInAgain}
            </a>
          </p>
        </div>
      ) : null}
    </div>
  );
}

/** The pages of the console: devices and events, connections, and the account. */
const GROUPS: readonly (readonly ('overview' | ListPage)[])[] = [
  ['overview', 'devices', 'planner', 'events'],
  ['links', 'subscriptions', 'gateways'],
  ['keys', 'usage', 'brand'],
];

/** The navigation; where the page is narrow, behind a button. */
function Pages({ route }: { readonly route: Route }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const here = route.page === 'device' ? 'devices' : route.page;
  useEffect(() => setOpen(false), [route]);
  return (
    <nav
      class="console-nav"
      aria-label={words.pagesLabel}
      onKeyDown={({ key }) => {
        if (key !== 'Escape' || !isOpen) return;
        setOpen(false);
        button.current?.focus();
      }}
    >
      <button
        ref={button}
        type="button"
        class="button button-small console-menu"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {words.menu}
      </button>
      <div id={id} class={isOpen ? 'console-groups is-open' : 'console-groups'}>
        {GROUPS.map((pages) => (
          <ul key={pages[0]} class="console-pages">
            {pages.map((page) => (
              <li key={page}>
                <Link href={hrefOf({ page })} isHere={page === here}>
                  {words.pages[page]}
                </Link>
              </li>
            ))}
          </ul>
        ))}
      </div>
    </nav>
  );
}

/** The console: its pages, and whether what they show is live. */
export function Shell() {
  const route = useRoute();
  const isOver = useStore(signedOut) === 'idle';
  useFocusOnNewPage(route);
  useLanguageSwitch();
  return (
    <>
      <div class="console-head">
        <Pages route={route} />
        <div class="console-side">
          <StreamLight />
          <SignOut />
        </div>
      </div>
      <SignedOut />
      <Guard key={keyOf(route)}>{isOver ? <OverPage /> : <PageOf route={route} />}</Guard>
    </>
  );
}

const keyOf = (route: Route): string =>
  route.page === 'device' ? `${route.vendor}/${route.id}` : route.page;

function PageOf({ route }: { readonly route: Route }) {
  switch (route.page) {
    case 'overview':
      return <OverviewPage />;
    case 'devices':
      return <DevicesPage />;
    case 'device':
      return <DevicePage vendor={route.vendor} id={route.id} />;
    case 'planner':
      return <PlannerPage />;
    case 'events':
      return <EventsPage />;
    case 'links':
      return <LinksPage />;
    case 'subscriptions':
      return <SubscriptionsPage />;
    case 'gateways':
      return <GatewaysPage />;
    case 'keys':
      return <KeysPage />;
    case 'usage':
      return <UsagePage />;
    case 'brand':
      return <BrandPage />;
    case 'unknown':
      return <UnknownPage />;
  }
}

function UnknownPage() {
  useTitle(words.unknownPage);
  return (
    <div class="stack">
      <h1>{words.unknownPage}</h1>
      <p>{words.unknownPageText}</p>
      <p>
        <Link class="button" href={hrefOf({ page: 'overview' })}>
          {words.toOverview}
        </Link>
      </p>
    </div>
  );
}

/** In place of a page whose session has ended, which would show the account to the next user of the browser. */
function OverPage() {
  useTitle(words.signedOut);
  return <h1>{words.title}</h1>;
}

/** Ends the session, here and where it was begun. */
function SignOut() {
  const { run, isBusy, error } = useAction();
  const signOut = async () => {
    const next = await run(endSession);
    if (next !== undefined) location.assign(next);
  };
  return (
    <>
      {error === undefined ? null : (
        <span class="fault">
          <ErrorText error={error} />
        </span>
      )}
      <ActionButton isBusy={isBusy} onClick={() => void signOut()}>
        {words.signOut}
      </ActionButton>
    </>
  );
}

/** Whether events come. What is said aloud is only that they stopped, and came again. */
function StreamLight() {
  const state = useStore(stream.state);
  return (
    <p class={`stream stream-${state}`} role="status">
      {words.streamStates[state]}
    </p>
  );
}

/** A new page begins at its heading, for eyes and for screen readers. */
function useFocusOnNewPage(route: Route): void {
  const key = keyOf(route);
  const before = useRef(key);
  useEffect(() => {
    if (before.current === key) return;
    before.current = key;
    const heading = document.querySelector<HTMLElement>('#console h1');
    scrollTo(0, 0);
    heading?.setAttribute('tabindex', '-1');
    heading?.focus({ preventScroll: true });
  }, [key]);
}

/** The switch of languages in the head of the page leads back to where the console is now. */
function useLanguageSwitch(): void {
  const here = useAddress();
  useEffect(() => {
    const link = document.querySelector<HTMLAnchorElement>('a.other-language');
    if (link === null) return;
    const target = new URL(link.href);
    target.searchParams.set('next', here);
    link.href = target.href;
  }, [here]);
}

/** An error in one page leaves the others usable. */
class Guard extends Component<{ readonly children: ComponentChildren }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static override getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    if (!this.state.isBroken) return this.props.children;
    return (
      <div class="notice notice-bad" role="alert">
        <h1>{words.unexpected}</h1>
        <p>{words.unexpectedText}</p>
        <p>
          <button type="button" class="button" onClick={() => location.reload()}>
            {words.reload}
          </button>
        </p>
      </div>
    );
  }
}
