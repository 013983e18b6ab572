import { useLayoutEffect, useState } from 'preact/hooks';

/** A value that components follow. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(value, next)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A part of the value of a store; the component is drawn again when that part changes. */
export function useSelected<T, S>(store: Pick<Store<T>, 'get' | 'subscribe'>, select: (value: T) => S): S {
  const [selected, setSelected] = useState(() => select(store.get()));
  useLayoutEffect(() => {
    const take = () => setSelected(() => select(store.get()));
    take();
    return store.subscribe(take);
  }, [store]);
  return selected;
}

/** The value of a store; the component is drawn again when it changes. */
export function useStore<T>(store: Pick<Store<T>, 'get' | 'subscribe'>): T {
  const [, redraw] = useState<unknown>(undefined);
  const value = store.get();
  useLayoutEffect(() => {
    // It may have changed between drawing and subscribing.
    if (!Object.is(store.get(), value)) redraw({});
    return store.subscribe(() => redraw({}));
  }, [store]);
  return value;
}
