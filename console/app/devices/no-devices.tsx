import { call } from '../api/call.ts';
import { useRead } from '../api/queries.ts';
import { areaIn } from '../links/area.tsx';
import { ActionButton, useAction } from '../parts/action.tsx';
import { Failure } from '../parts/failure.tsx';
import { Link } from '../parts/link.tsx';
import { Empty } from '../parts/page.tsx';
import { hrefOf } from '../route.ts';
import { words } from '../words/index.ts';

const texts = words.noDevices;
const SANDBOX = 'sandbox';
/** The user that simulated devices are linked for: the page that sends them has nobody to name. */
const DEMO_USER = 'demo';

/** What an account without devices sees: two ways to the first one. */
export function NoDevices() {
  const { data: vendors } = useRead('GET /vendors');
  const { run, isBusy, error } = useAction();
  const isSimulated = vendors?.some(({ slug, configured }) => slug === SANDBOX && configured) ?? false;
  return (
    <Empty title={texts.title} text={isSimulated ? texts.text : texts.realText}>
      {error === undefined ? null : <Failure title={texts.failed} error={error} />}
      <p class="row">
        {isSimulated ? (
          <ActionButton tone="primary" isBusy={isBusy} onClick={() => void run(linkSandbox)}>
            {texts.simulated}
          </ActionButton>
        ) : null}
        <Link class="button button-small" href={hrefOf({ page: 'links' })}>
          {texts.real}
        </Link>
      </p>
    </Empty>
  );
}

/** Links one simulated device of each type. They appear by their events. */
async function linkSandbox(): Promise<void> {
  const area = areaIn(document.getElementById('console')?.dataset.area ?? '');
  await call('POST /link', {
    body: {
      vendor: SANDBOX,
      user_ref: DEMO_USER,
      credentials: {},
      ...(area === null ? {} : { price_area: area }),
    },
  });
}
