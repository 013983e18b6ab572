import { useEffect, useRef, useState } from 'preact/hooks';
import { call, newIdempotencyKey, Refused } from '../api/call.ts';
import { useRead } from '../api/queries.ts';
import type { Command, DeviceState, Reading } from '../api/shapes.ts';
import { now, useNow } from '../clock.ts';
import { useEvents } from '../events/read.ts';
import { moment } from '../format.ts';
import { ActionButton } from '../parts/action.tsx';
import { ErrorText } from '../parts/failure.tsx';
import { Time } from '../parts/texts.tsx';
import { words } from '../words/index.ts';
import { type Control, type ControlCapability, controlsOf, describeCommand } from './commands.ts';
import { ControlForm } from './control-form.tsx';
import { COMMAND_TYPES, ofDevice } from './events.tsx';
import { type LastSet, lastSetOf } from './last-set.ts';

/** The state of a command that was sent from this page. */
type Attempt = { readonly command: Command } & (
  | { readonly state: 'sending'; readonly sentAt: number }
  /** `isUnread`: the device could not be read afterwards. */
  | { readonly state: 'succeeded'; readonly isUnread: boolean }
  | { readonly state: 'failed'; readonly error: Refused }
  /** It may have been carried out. Without a response the service may know by now, and is asked again. */
  | { readonly state: 'unknown'; readonly error: Refused | undefined }
);

interface Sender {
  readonly attempt: Attempt | undefined;
  /** Resolves with whether the device carried it out, as far as is known. */
  send(command: Command): Promise<boolean>;
  /** Sends the same command under the same key, so that it is carried out once. */
  askAgain(): void;
  /** Takes back what was said of a command that was carried out: another value is being typed. */
  forget(): void;
}

/** Sends the commands of one control to a device. */
function useSender(
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
      const isUnread = body.unconfirmed !== undefined;
      if (!isUnread) onState(body.state);
      after = { command, state: 'succeeded', isUnread };
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
    forget: () => setAttempt((now) => (now?.state === 'succeeded' ? undefined : now)),
  };
}

function outcomeOf(error: unknown) {
  if (!(error instanceof Refused)) return { state: 'unknown', error: undefined } as const;
  return { state: error.code === 'command.outcome_unknown' ? 'unknown' : 'failed', error } as const;
}

const texts = words.control;

/** What came of the last command of a control: what it is, and no more than is known. */
function AttemptLine({ sender }: { readonly sender: Sender }) {
  const { attempt, askAgain } = sender;
  return (
    <div class="attempt" role="status">
      {attempt === undefined ? null : (
        <>
          <p class="attempt-line">
            <Outcome attempt={attempt} /> <span>{describeCommand(attempt.command)}</span>
          </p>
          <Explanation attempt={attempt} />
          {attempt.state === 'unknown' && attempt.error === undefined ? (
            <p>
              <ActionButton onClick={askAgain}>{texts.askAgain}</ActionButton>
            </p>
          ) : null}
        </>
      )}
    </div>
  );
}

function Outcome({ attempt }: { readonly attempt: Attempt }) {
  switch (attempt.state) {
    case 'sending':
      return <Waiting since={attempt.sentAt} />;
    case 'succeeded':
      return <span class="mark mark-good">{texts.states.succeeded}</span>;
    case 'failed':
      return <span class="mark mark-bad">{texts.states.failed}</span>;
    case 'unknown':
      return <span class="mark mark-note">{texts.states.unknown}</span>;
  }
}

/** Counts the seconds for the eye alone: read aloud every second it would drown the rest. */
function Waiting({ since }: { readonly since: number }) {
  const at = useNow(1_000) - now() + Date.now();
  const seconds = Math.max(0, Math.round((at - since) / 1_000));
  return (
    <span class="mark mark-still" role="timer">
      {texts.states.sending(String(seconds))}
    </span>
  );
}

function Explanation({ attempt }: { readonly attempt: Attempt }) {
  if (attempt.state === 'succeeded' && attempt.isUnread) return <p class="hint">{texts.unread}</p>;
  if (attempt.state !== 'failed' && attempt.state !== 'unknown') return null;
  return <p class="hint">{attempt.error === undefined ? texts.lost : <ErrorText error={attempt.error} />}</p>;
}

const controlsTexts = words.control;

interface ControlsProps {
  readonly device: Reading['device'];
  readonly limits: Reading['limits'];
  /** Capabilities that do not work until the user has done something. */
  readonly blocked: ReadonlySet<string>;
  readonly onState: (state: DeviceState) => void;
}

/** The commands of a device, made from its capabilities. */
export function Controls({ device, limits, blocked, onState }: ControlsProps) {
  const controls = controlsOf(device.capabilities, limits);
  const setOf = useLastSet(device);
  if (controls.length === 0) return <p class="soft">{controlsTexts.nothing}</p>;
  return (
    <div class="controls">
      {controls.map((control) => (
        <OneControl
          key={control.capability}
          control={control}
          device={device}
          isBlocked={blocked.has(control.capability)}
          set={'build' in control ? setOf(control.build({ numbers: {} }).type) : undefined}
          onState={onState}
        />
      ))}
    </div>
  );
}

const REFETCH_MS = 60_000;

/** What commands of each type have set on a device. */
function useLastSet(device: Reading['device']): (type: Command['type']) => LastSet | undefined {
  const { id, vendor } = device;
  const setPoints = useRead('GET /devices/{id}/set-points', { path: [id], query: { vendor } }, REFETCH_MS);
  const outcomes = ofDevice(useEvents({ types: COMMAND_TYPES, device: id }), device);
  // A command that is not held is older than a set-point that is not loaded yet.
  return (type) =>
    setPoints.data === undefined
      ? undefined
      : lastSetOf(type, { setPoints: setPoints.data, outcomes, now: now() });
}

interface OneControlProps {
  readonly control: Control;
  readonly device: Reading['device'];
  readonly isBlocked: boolean;
  readonly set: LastSet | undefined;
  readonly onState: (state: DeviceState) => void;
}

function OneControl({ control, device, isBlocked, set: known, onState }: OneControlProps) {
  const sender = useSender(device, onState);
  const { capability } = control;
  const { attempt } = sender;
  const isSending = attempt?.state === 'sending';
  // The event of a command comes after its response.
  const set: LastSet | undefined =
    attempt?.state === 'succeeded' ? { command: attempt.command, at: undefined, isHeld: false } : known;
  const about = controlsTexts.about[capability];
  return (
    <section class="control" aria-labelledby={`control-${capability}`}>
      <h3 id={`control-${capability}`}>{nameOf(capability)}</h3>
      {about === undefined ? null : <p class="hint">{about}</p>}
      {isBlocked ? <p class="hint">{controlsTexts.blocked}</p> : null}
      {known?.at === undefined ? null : <SetLine set={known} at={known.at} />}
      {'buttons' in control ? (
        <div class="row">
          {control.buttons.map((type) => (
            // Commands of this kind hold nothing but their type.
            <ActionButton key={type} isBusy={isSending} onClick={() => void sender.send({ type } as Command)}>
              {describeCommand({ type })}
            </ActionButton>
          ))}
        </div>
      ) : (
        <ControlForm
          control={control}
          isSending={isSending}
          set={set}
          onEdit={sender.forget}
          onSend={sender.send}
        />
      )}
      <AttemptLine sender={sender} />
    </section>
  );
}

/** What a control is set to, since when, and who says so. */
const SetLine = ({ set, at }: { readonly set: LastSet; readonly at: string }) => (
  <p class="small">
    {set.isHeld ? controlsTexts.heldSince : controlsTexts.lastSet}{' '}
    <strong>{describeCommand(set.command)}</strong> <Time at={at} text={moment(at)} class="hint number" />
  </p>
);

const nameOf = (capability: ControlCapability): string => controlsTexts.groups[capability];
