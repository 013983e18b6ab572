import { useRead } from '../api/queries.ts';
import type { Device } from '../api/shapes.ts';
import { useNow } from '../clock.ts';
import { ago } from '../format.ts';
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
