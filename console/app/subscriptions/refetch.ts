/** No event tells what becomes of subscriptions: they are read again while the page is seen. */
export const REFETCH_MS = 10_000;
