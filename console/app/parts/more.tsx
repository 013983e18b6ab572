import { words } from '../words/index.ts';
import { ActionButton } from './action-button.tsx';

interface MoreProps {
  /** Whether there may be more. */
  readonly hasMore: boolean;
  readonly isLoading?: boolean;
  readonly text?: string;
  readonly onMore: () => void;
}

/** The end of a list of which only a part is shown. */
export function More({ hasMore, isLoading = false, text = words.more, onMore }: MoreProps) {
  if (!hasMore) return null;
  return (
    <p>
      <ActionButton isBusy={isLoading} onClick={onMore}>
        {isLoading ? words.loading : text}
      </ActionButton>
    </p>
  );
}
