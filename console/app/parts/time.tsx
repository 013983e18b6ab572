import { dateTime } from '../format.ts';

interface TimeProps {
  readonly at: string;
  /** How it is said, such as how long ago it was. */
  readonly text: string;
  readonly class?: string;
}

/** A moment; its date and time are shown on pointing at it. */
export function Time({ at, text, ...others }: TimeProps) {
  return (
    <time dateTime={at} title={dateTime(at)} {...others}>
      {text}
    </time>
  );
}
