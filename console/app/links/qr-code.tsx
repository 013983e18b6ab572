import { useEffect, useState } from 'preact/hooks';

/** Squares of nothing around a code, which cameras need. */
const MARGIN = 4;

interface QrCodeProps {
  readonly text: string;
  readonly label: string;
}

interface Code {
  readonly size: number;
  readonly path: string;
}

/** A text for the camera of a phone. What draws it is loaded when it is first needed; without it there is no code. */
export function QrCode({ text, label }: QrCodeProps) {
  const [code, setCode] = useState<Code>();
  useEffect(() => {
    let isWanted = true;
    import('uqr').then(
      ({ encode }) => {
        if (isWanted) setCode(codeOf(encode(text, { ecc: 'M', border: MARGIN }).data));
      },
      () => {},
    );
    return () => {
      isWanted = false;
    };
  }, [text]);
  if (code === undefined) return <div class="qr-code" />;
  return (
    <svg class="qr-code" viewBox={`0 0 ${code.size} ${code.size}`} role="img" aria-label={label}>
      <path d={code.path} />
    </svg>
  );
}

/** Each run of dark squares in a row as a rectangle. */
function codeOf(rows: readonly (readonly boolean[])[]): Code {
  let path = '';
  for (const [y, row] of rows.entries())
    for (let x = 0; x < row.length; x += 1) {
      if (row[x] !== true) continue;
      let end = x;
      while (row[end] === true) end += 1;
      path += `M${x} ${y}h${end - x}v1H${x}z`;
      x = end;
    }
  return { size: rows.length, path };
}
