import { useId } from 'preact/hooks';
import type { Operations } from '../api/types.ts';
import { useVendorNames } from '../api/vendors.ts';
import { foreign } from '../format.ts';
import { Name } from '../parts/name.tsx';
import { TableScroll } from '../parts/scrolled.tsx';
import { words } from '../words/index.ts';

const texts = words.gateways;

export type Found = Operations['POST /gateways/{id}/discover']['response'];
type FoundDevice = Found['devices'][number];

/** What answers in the network of a gateway. */
export function Discovered({ found }: { readonly found: Found }) {
  const label = useId();
  const names = useVendorNames();
  return (
    <section class="stack-small" aria-labelledby={label}>
      <h3 id={label} class="heading-small">
        {texts.found(String(found.devices.length))}
      </h3>
      <p class="hint">{texts.looked(foreign(found.networks.join(', ')))}</p>
      {found.truncated ? <p class="hint">{texts.truncated}</p> : null}
      {found.devices.length === 0 ? null : (
        <TableScroll labelledBy={label}>
          <table class="item-table">
            <thead>
              <tr>
                <th scope="col">{texts.columns.name}</th>
                <th scope="col">{texts.columns.vendor}</th>
                <th scope="col">{texts.columns.address}</th>
                <th scope="col">{texts.columns.state}</th>
              </tr>
            </thead>
            <tbody>
              {found.devices.map((one) => (
                <tr key={`${one.vendor} ${one.host} ${JSON.stringify(one.link.credentials)}`}>
                  <th scope="row">
                    <Name text={one.name} />
                  </th>
                  <td>
                    <Name text={names.get(one.vendor) ?? one.vendor} />
                  </td>
                  <td>
                    <code>{foreign(one.host)}</code>
                  </td>
                  <td>{stateOf(one)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableScroll>
      )}
    </section>
  );
}

function stateOf({ is_linked: isLinked, certain, missing }: FoundDevice): string {
  if (isLinked) return texts.linked;
  const needed = missing.length === 0 ? texts.ready : texts.missing(foreign(missing.join(', ')));
  return certain ? needed : `${texts.uncertain} ${needed}`;
}
