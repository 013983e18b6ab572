import { useState } from 'preact/hooks';
import { call, send } from '../api/call.ts';
import { useQuery } from '../api/queries.ts';
import type { Device, DeviceState } from '../api/shapes.ts';
import type { Operations } from '../api/types.ts';
import { count, numberTyped } from '../format.ts';
import { ActionButton, useAction } from '../parts/action.tsx';
import { Failure } from '../parts/failure.tsx';
import { Form } from '../parts/form.tsx';
import { TextInput } from '../parts/inputs.tsx';
import { words } from '../words/index.ts';

const texts = words.simulation;
const PATH = '/sandbox/devices/{id}';
const SIMULATED = 'sandbox';
const MOST_DIGITS = 10;
/** What ends every fault. */
const RESET = { online: true, fail: null, time_scale: 1 } as const;

type Conditions = NonNullable<Operations[`POST ${typeof PATH}`]['body']>;

/** A condition as the document of the API has it. */
interface Schema {
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly 'x-device-types'?: readonly string[];
}
interface ApiDocument {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post?: {
          readonly requestBody?: {
            readonly content: {
              readonly 'application/json': {
                readonly schema: { readonly properties: Readonly<Record<string, Schema>> };
              };
            };
          };
        };
      }
    >
  >;
}

interface ConditionsProps {
  readonly device: Device;
  readonly onState: (state: DeviceState) => void;
}

/** What a simulated device lives through. Others have none of it. */
export function Conditions({ device, onState }: ConditionsProps) {
  return device.vendor === SIMULATED ? <OfSimulated {...{ device, onState }} /> : null;
}

function OfSimulated({ device, onState }: ConditionsProps) {
  const { data, error, refetch } = useQuery<Readonly<Record<string, Schema>>>({
    key: ['conditions'],
    staleMs: Number.POSITIVE_INFINITY,
    async load(signal) {
      const response = await send('GET /openapi.json', { signal });
      const { paths } = (await response.json()) as ApiDocument;
      return paths[PATH]?.post?.requestBody?.content['application/json'].schema.properties ?? {};
    },
  });
  const action = useAction();
  const [done, setDone] = useState('');
  const set = async (conditions: Conditions, what: string) => {
    setDone('');
    const answered = await action.run(() => call(`POST ${PATH}`, { path: [device.id], body: conditions }));
    if (answered === undefined) return false;
    onState(answered.body.state);
    setDone(`${what}: ${texts.done}`);
    return true;
  };
  const own = Object.entries(data ?? {}).filter(
    ([, schema]) => schema['x-device-types']?.includes(device.device_type) ?? true,
  );
  return (
    <section class="card simulation" aria-labelledby="simulation">
      <div class="card-head">
        <h2 id="simulation">{texts.title}</h2>
        <span class="mark mark-note">{texts.mark}</span>
      </div>
      <p class="hint">{texts.text}</p>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      <div class="conditions">
        {own.map(([name, schema]) => (
          <Condition
            key={name}
            {...{ name, schema, isBusy: action.isBusy }}
            onSet={(value) => set({ [name]: value }, texts.fields[name] ?? name)}
          />
        ))}
      </div>
      <div class="row">
        <ActionButton isBusy={action.isBusy} onClick={() => void set(RESET, texts.reset)}>
          {texts.reset}
        </ActionButton>
      </div>
      {action.error === undefined ? null : <Failure title={texts.failed} error={action.error} />}
      <p class="hint" role="status">
        {done}
      </p>
    </section>
  );
}

type Value = boolean | number | string | null;

interface ConditionProps {
  readonly name: string;
  readonly schema: Schema;
  readonly isBusy: boolean;
  /** Resolves with whether it was set. */
  readonly onSet: (value: Value) => Promise<boolean>;
}

/** One condition, by the form that the document gives it. Its present value is not in the API. */
function Condition({ name, schema, isBusy, onSet }: ConditionProps) {
  const label = texts.fields[name] ?? name;
  const choices = choicesOf(schema);
  if (choices === undefined) return <NumberCondition {...{ label, schema, isBusy, onSet }} />;
  return (
    <fieldset class="condition">
      <legend>{label}</legend>
      <div class="row">
        {choices.map(([text, value]) => (
          <ActionButton key={text} isBusy={isBusy} onClick={() => void onSet(value)}>
            {text}
          </ActionButton>
        ))}
      </div>
    </fieldset>
  );
}

/** The values of a condition that has few; undefined for a number. */
function choicesOf(schema: Schema): readonly (readonly [text: string, value: Value])[] | undefined {
  const forms = schema.anyOf ?? [schema];
  if (forms.some(({ type }) => type === 'integer')) return undefined;
  // What works is offered before what fails.
  const inOrder = forms.toSorted((a, b) => Number(b.type === 'null') - Number(a.type === 'null'));
  return inOrder.flatMap((form): (readonly [string, Value])[] => {
    if (form.type === 'boolean')
      return [
        [texts.yes, true],
        [texts.no, false],
      ];
    if (form.type === 'null') return [[texts.works, null]];
    return (form.enum ?? []).map((one) => [texts.faults[one] ?? one, one]);
  });
}

function NumberCondition({
  label,
  schema,
  isBusy,
  onSet,
}: Omit<ConditionProps, 'name'> & { readonly label: string }) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState('');
  const { minimum = 0, maximum = 0 } = schema;
  const range = words.control.range(count(minimum), count(maximum));
  const submit = () => {
    const value = numberTyped(text);
    if (value === undefined || !Number.isInteger(value) || value < minimum || value > maximum)
      return setFault(words.planner.wholeFrom(count(minimum), count(maximum)));
    if (isBusy) return;
    // What was not set, or was typed meanwhile, stays.
    void onSet(value).then((isSet) => {
      if (isSet) setText((now) => (now === text ? '' : now));
    });
  };
  return (
    <Form isTyped={text !== ''} onSubmit={submit}>
      <TextInput
        {...{ label, hint: range, text, fault, most: MOST_DIGITS, inputMode: 'decimal' }}
        onInput={(typed) => {
          setText(typed);
          setFault('');
        }}
      />
      <div class="row">
        <ActionButton isBusy={isBusy}>
          {words.control.send}
          <span class="hidden-visually"> {label}</span>
        </ActionButton>
      </div>
    </Form>
  );
}
