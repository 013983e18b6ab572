/** The `Link` header that leads to the next page of a list: the same query with another cursor. */
export function nextPage(path: string, query: Readonly<Record<string, unknown>>, cursor: string): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (typeof value === 'string') parameters.set(name, value);
  parameters.set('cursor', cursor);
  return `<${path}?${parameters}>; rel="next"`;
}
