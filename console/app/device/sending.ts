import { useEffect, useRef, useState } from 'preact/hooks';
import { call, newIdempotencyKey, Refused } from '../api/call.ts';
import type { Command, DeviceState } from '../api/shapes.ts';

/** What is known of a command that was sent from this page. */
export type Attempt = { readonly command: Command } & (
  | { readonly state: 'sending'; readonly sentAt: number }
  | { readonly state: 'succeeded' }
  | { readonly state: 'failed'; readonly error: Refused }
  /** It may have been carried out. Without a response the service may know by now, and is asked again. */
  | { readonly state: 'unknown'; readonly error: Refused | undefined }
);

export interface Sender {
  readonly attempt: Attempt | undefined;
  /** Resolves with whether the device carried it out, as far as is known. */
  send(command: Command): Promise<boolean>;
  /** Sends the same command under the same key, so that it is carried out once. */
  askAgain(): void;
}

/** Sends the commands of one control to a device. */
export function useSender(
  device: { readonly vendor: string; readonly id: string },
  onState: (state: DeviceState) => void,
): Sender {
  const [attempt, setAttempt] = useState<Attempt>();
  const last = useRef<{ readonly command: Command; readonly key: string } | undefined>(undefined);
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );

  async function run(command: Command, key: string): Promise<boolean> {
    last.current = { command, key };
    setAttempt({ command, state: 'sending', sentAt: Date.now() });
    let after: Attempt;
    try {
      const { body } = await call('POST /devices/{id}/command', {
        path: [device.id],
        query: { vendor: device.vendor },
        body: command,
        idempotencyKey: key,
      });
      onState(body.state);
      after = { command, state: 'succeeded' };
    } catch (error) {
      after = { command, ...outcomeOf(error) };
    }
    if (!isGone.current) setAttempt(after);
    return after.state === 'succeeded';
  }

  return {
    attempt,
    send: (command) => run(command, newIdempotencyKey()),
    askAgain() {
      if (last.current !== undefined) void run(last.current.command, last.current.key);
    },
  };
}

function outcomeOf(error: unknown) {
  if (!(error instanceof Refused)) return { state: 'unknown', error: undefined } as const;
  return { state: error.code === 'command.outcome_unknown' ? 'unknown' : 'failed', error } as const;
}
