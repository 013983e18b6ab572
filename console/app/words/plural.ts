/** A number with its noun; numbers are written as the page writes them. */
export const plural = (count: string, one: string, many: string): string =>
  `${count} ${count === '1' ? one : many}`;
