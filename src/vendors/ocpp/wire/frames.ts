import type { Frame } from '../../../adapter/station.ts';
import type { Clock } from '../../../core/clock.ts';
import { rfc3339 } from '../../../core/clock.ts';
import { withoutSecrets } from '../station/secrets.ts';

/** The maximum number of messages of one station, and of characters of all stations of a process. */
const MOST_FRAMES = 200;
const MOST_CHARACTERS = 16 * 1024 * 1024;
/** Only the beginning of a longer message is kept. */
const LONGEST = 4_096;

interface Heard {
  readonly at: number;
  readonly sent: boolean;
  readonly text: string;
}

/**
 * The last messages of each station, in memory. They are kept as text and parsed only when somebody reads them, since a fleet
 * sends thousands a second. When memory is full, the stations that have been silent longest lose theirs first.
 */
export class Frames {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #heard = new Map<string, Heard[]>();
  #characters = 0;

  constructor(clock: Clock, most: number = MOST_CHARACTERS) {
    this.#clock = clock;
    this.#most = most;
  }

  add(station: string, message: unknown, sent: boolean): void {
    const text = String(message).slice(0, LONGEST);
    const heard = this.#heard.get(station) ?? [];
    heard.push({ at: this.#clock.now(), sent, text });
    this.#characters += text.length;
    if (heard.length > MOST_FRAMES) this.#drop(heard);
    // The map is in order of last use: its first entry has been silent longest.
    this.#heard.delete(station);
    this.#heard.set(station, heard);
    while (this.#characters > this.#most) {
      const [quietest] = this.#heard;
      if (quietest === undefined) return;
      const [name, old] = quietest;
      this.#drop(old);
      if (old.length === 0) this.#heard.delete(name);
    }
  }

  /** Drops the messages of a station whose link was deleted. */
  forget(station: string): void {
    for (const { text } of this.#heard.get(station) ?? []) this.#characters -= text.length;
    this.#heard.delete(station);
  }

  /** The messages of a station, oldest first, without secrets. */
  of(station: string): Frame[] {
    const actions = new Map<string, string>();
    return (this.#heard.get(station) ?? []).map((heard) => frameOf(heard, actions));
  }

  #drop(heard: Heard[]): void {
    this.#characters -= heard.shift()?.text.length ?? 0;
  }
}

/** `actions` maps the calls so far, by sender and id, to their action, so that a response can be named after its call. */
function frameOf({ at, sent, text }: Heard, actions: Map<string, string>): Frame {
  const frame = { at: rfc3339(at), direction: sent ? ('sent' as const) : ('received' as const) };
  const parts = partsOf(text);
  const [type, id, first, second, third] = parts ?? [];
  if (type === 2 && typeof first === 'string') {
    actions.set(`${sent} ${String(id)}`, first);
    return { ...frame, kind: 'call', action: first, payload: withoutSecrets(second ?? null) };
  }
  const action = actions.get(`${!sent} ${String(id)}`) ?? null;
  if (type === 3) return { ...frame, kind: 'result', action, payload: withoutSecrets(first ?? null) };
  if (type === 4)
    return {
      ...frame,
      kind: 'error',
      action,
      payload: withoutSecrets({ code: first, description: second, details: third }),
    };
  // Secrets cannot be removed from a message that cannot be parsed, so its payload is left out.
  const [, name = null] = /^\[2,\s*"[^"]{0,64}",\s*"(\w{1,64})"/.exec(text) ?? [];
  return { ...frame, kind: 'unreadable', action: name, payload: null };
}

function partsOf(text: string): readonly unknown[] | null {
  try {
    const parts: unknown = JSON.parse(text);
    return Array.isArray(parts) ? parts : null;
  } catch {
    return null;
  }
}
