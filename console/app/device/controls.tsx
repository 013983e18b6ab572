import type { Command, DeviceState, Reading } from '../api/shapes.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { words } from '../words/index.ts';
import { AttemptLine } from './attempt.tsx';
import { type Control, type ControlCapability, controlsOf, describeCommand } from './commands.ts';
import { ControlForm } from './control-form.tsx';
import { useSender } from './sending.ts';

const texts = words.control;

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
  if (controls.length === 0) return <p class="soft">{texts.nothing}</p>;
  return (
    <div class="controls">
      {controls.map((control) => (
        <OneControl
          key={control.capability}
          control={control}
          device={device}
          isBlocked={blocked.has(control.capability)}
          onState={onState}
        />
      ))}
    </div>
  );
}

interface OneControlProps {
  readonly control: Control;
  readonly device: Reading['device'];
  readonly isBlocked: boolean;
  readonly onState: (state: DeviceState) => void;
}

function OneControl({ control, device, isBlocked, onState }: OneControlProps) {
  const sender = useSender(device, onState);
  const { capability } = control;
  const isSending = sender.attempt?.state === 'sending';
  return (
    <section class="control" aria-labelledby={`control-${capability}`}>
      <h3 id={`control-${capability}`}>{nameOf(capability)}</h3>
      {isBlocked ? <p class="hint">{texts.blocked}</p> : null}
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
        <ControlForm control={control} isSending={isSending} onSend={sender.send} />
      )}
      <AttemptLine sender={sender} />
    </section>
  );
}

const nameOf = (capability: ControlCapability): string => texts.groups[capability];
