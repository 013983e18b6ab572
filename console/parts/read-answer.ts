/** As much of an answer as is shown. */
export const SHOWN = 200 * 1024;

export interface Read {
  readonly text: string;
  /** Whether there was more. */
  readonly isCut: boolean;
}

/** Reads the beginning of a body and leaves the rest; `tell` hears of all that has come so far. */
export async function readBeginning(
  { body }: Response,
  tell: (text: string) => void = () => {},
): Promise<Read> {
  if (body === null) return { text: '', isCut: false };
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { text: text + decoder.decode(), isCut: false };
      text += decoder.decode(value, { stream: true });
      if (text.length > SHOWN) return { text: text.slice(0, SHOWN), isCut: true };
      tell(text);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
