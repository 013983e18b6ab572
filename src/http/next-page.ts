/** The `Link` header that leads to the next page of a list: the same query with another cursor, by the name of its parameter. */
export function nextPage(path: string, query: unknown, next: Readonly<Record<string, string>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...(query as Readonly<Record<string, unknown>>), ...next }))
    if (typeof value === 'string') parameters.set(name, value);
  return `<${path}?${parameters}>; rel="next"`;
}
