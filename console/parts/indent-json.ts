/**
 * Formats JSON with one line per value. The text is rearranged, not parsed: parsed numbers would lose digits.
 */
export function indentJson(text: string): string {
  let depth = 0;
  let written = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (token === '{' || token === '[') {
      depth += 1;
      written += token + line();
    } else if (token === '}' || token === ']') {
      depth -= 1;
      written += line() + token;
    } else if (token === ',') written += token + line();
    else if (token === ':') written += ': ';
    else written += token.length > 1 && /^[{[]/.test(token) ? `${token[0]}${token.at(-1)}` : token;
  }
  return written;
}
