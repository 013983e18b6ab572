/** A body whose `price_area` may be in small letters, as Grid and the planner take it too. */
export function withPriceArea(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('price_area' in body)) return body;
  const { price_area: area } = body;
  return typeof area === 'string' ? { ...body, price_area: area.toUpperCase() } : body;
}
