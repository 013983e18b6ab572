import { useMemo, useRef } from 'preact/hooks';
import type { Device } from '../api/shapes.ts';
import { percent, power, temperature } from '../format.ts';
import { keyOfDevice } from '../live/devices.ts';
import { Link } from '../parts/link.tsx';
import { Name } from '../parts/texts.tsx';
import { useRowKeys, useVirtualRows } from '../parts/virtual.ts';
import { hrefOf } from '../route.ts';
import { words } from '../words/index.ts';
import { ConditionMark } from './condition-mark.tsx';

/** As in the style sheet, px. */
const ROW_HEIGHT = 52;
const texts = words.devices;

interface TableProps {
  readonly list: readonly Device[];
  readonly vendorNames: ReadonlyMap<string, string>;
}

/** Devices, of which only those in view are drawn. */
export function DeviceTable({ list, vendorNames }: TableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const of = { count: list.length, rowHeight: ROW_HEIGHT, scroller };
  const rows = useVirtualRows(of);
  const keys = useRowKeys(of, rows);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the links in it
    <div class="rows-scroll" ref={scroller} onKeyDown={keys.onKeyDown}>
      <table class="rows devices" aria-label={texts.tableLabel} aria-rowcount={list.length + 1}>
        <thead>
          <tr>
            <th scope="col">{texts.columns.name}</th>
            <th scope="col" class="column-type">
              {texts.columns.type}
            </th>
            <th scope="col" class="column-vendor">
              {texts.columns.vendor}
            </th>
            <th scope="col" class="column-state">
              {texts.columns.state}
            </th>
            <th scope="col" class="number">
              {texts.columns.power}
            </th>
            <th scope="col" class="number column-level">
              {texts.columns.level}
            </th>
          </tr>
        </thead>
        <tbody>
          <Space height={rows.above} />
          {rows.items.map(({ index }) => {
            const device = list[index];
            return device === undefined ? null : (
              <Row
                key={keyOfDevice(device)}
                device={device}
                vendor={vendorNames.get(device.vendor) ?? device.vendor}
                index={index}
                isActive={index === keys.active}
                onFocus={keys.onFocus}
              />
            );
          })}
          <Space height={rows.below} />
        </tbody>
      </table>
    </div>
  );
}

const Space = ({ height }: { readonly height: number }) =>
  height === 0 ? null : (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it cannot be focused
    <tr class="rows-space" aria-hidden="true" style={{ height: `${height}px` }} />
  );

interface RowProps {
  readonly device: Device;
  readonly vendor: string;
  readonly index: number;
  readonly isActive: boolean;
  readonly onFocus: (index: number) => void;
}

/** Drawn again only when its device is another object: thousands may change each second. */
function Row({ device, vendor, index, isActive, onFocus }: RowProps) {
  return useMemo(
    () => drawRow({ device, vendor, index, isActive, onFocus }),
    [device, vendor, index, isActive],
  );
}

function drawRow({ device, vendor, index, isActive, onFocus }: RowProps) {
  const { state } = device;
  const watts = state?.power_w ?? undefined;
  const type = words.types[device.device_type];
  return (
    <tr aria-rowindex={index + 2}>
      <th scope="row">
        <Link
          class="row-link"
          href={hrefOf({ page: 'device', vendor: device.vendor, id: device.id })}
          row={{ index, isActive, onFocus }}
        >
          <Name text={device.name} />
        </Link>
        <span class="row-under">
          <ConditionMark device={device} />
          <span class="row-kind">{type}</span>
        </span>
      </th>
      <td class="column-type">{type}</td>
      <td class="column-vendor">{vendor}</td>
      <td class="column-state">
        <ConditionMark device={device} />
      </td>
      <td class="number">{watts === undefined || state?.online === false ? words.none : power(watts)}</td>
      <td class="number column-level">{levelOf(device)}</td>
    </tr>
  );
}

/** How full or how warm it is. */
function levelOf({ state }: Device): string {
  if (typeof state?.battery_soc === 'number') return percent(state.battery_soc);
  if (typeof state?.temperature_milli_c === 'number') return temperature(state.temperature_milli_c);
  return words.none;
}
