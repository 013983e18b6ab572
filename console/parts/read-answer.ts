/** Characters of a response that are shown. */
export const SHOWN = 200 * 1024;

export interface Read {
  readonly text: string;
  /** Whether there was more. */
  readonly isCut: boolean;
}

/** Reads the start of a body and drops the rest; `onText` gets all text received so far. */
export async function readBeginning(
  { body }: Response,
  onText: (text: string) => void = () => {},
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
      onText(text);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
