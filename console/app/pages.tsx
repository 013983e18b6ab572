import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Link } from './parts/link.tsx';
import { hrefOf, type ListPage, type Route } from './route.ts';
import { words } from './words/index.ts';

/** The pages of the console: what is going on, how it is connected, and the account. */
const GROUPS: readonly (readonly ('overview' | ListPage)[])[] = [
  ['overview', 'devices', 'planner', 'events'],
  ['links', 'subscriptions', 'gateways'],
  ['keys', 'usage', 'brand'],
];

/** The navigation; where the page is narrow, behind a button. */
export function Pages({ route }: { readonly route: Route }) {
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
