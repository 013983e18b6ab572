import type { Device } from '../api/shapes.ts';
import { Empty } from '../parts/page.tsx';
import { words } from '../words/index.ts';
import { type Condition, conditionOf } from './condition.ts';

/** What an account without devices sees. */
export function NoDevices() {
  const { noDevices, noDevicesText, guide } = words.overview;
  return (
    <Empty title={noDevices} text={noDevicesText}>
      <p>
        <a href="/docs">{guide}</a>
      </p>
    </Empty>
  );
}

const TONES: Readonly<Record<Condition, string>> = {
  charging: 'mark-busy',
  running: 'mark-busy',
  idle: 'mark-still',
  off: 'mark-still',
  unreachable: 'mark-bad',
  unread: 'mark-still',
};

/** What a device does, by a word and a shape. */
export function ConditionMark({ device }: { readonly device: Pick<Device, 'state' | 'interventions'> }) {
  const condition = conditionOf(device);
  const isNeedy = (device.interventions?.length ?? 0) > 0;
  return (
    <span class="marks">
      <span class={`mark ${TONES[condition]}`}>{words.conditions[condition]}</span>
      {isNeedy ? <span class="mark mark-note">{words.needsUser}</span> : null}
    </span>
  );
}
