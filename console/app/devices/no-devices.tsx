import { Empty } from '../parts/empty.tsx';
import { words } from '../words/index.ts';

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
