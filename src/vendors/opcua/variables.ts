import type { OpcuaConnection } from '../../adapter/opcua.ts';

const OBJECTS = 'i=85';
/** Node ids of OPC UA's own namespace: what every server has, and no plant. */
const IS_OWN = /^i=/;
const MOST_DEEP = 4;
const MOST_VISITED = 100;
const MOST_BELOW = 50;
const MOST_NAMED = 40;

/** Variables of a server for somebody who maps them, as a list in a sentence: bounded in depth and number. */
export async function variablesOf(plant: OpcuaConnection): Promise<string> {
  const found: { readonly node: string; readonly path: string }[] = [];
  let level: readonly { readonly node: string; readonly path: string }[] = [{ node: OBJECTS, path: '' }];
  let visited = 0;
  for (let depth = 0; depth < MOST_DEEP && level.length > 0 && found.length < MOST_NAMED; depth += 1) {
    const asked = level.slice(0, MOST_VISITED - visited);
    visited += asked.length;
    const below = await plant.browse(
      asked.map(({ node }) => node),
      { use: 'list', most: MOST_BELOW },
    );
    const next: { node: string; path: string }[] = [];
    for (const [index, references] of below.entries())
      for (const { node, name, isVariable } of references) {
        if (IS_OWN.test(node)) continue;
        const path = `${asked[index]?.path ?? ''}/${name}`.slice(0, 100);
        (isVariable ? found : next).push({ node, path });
      }
    level = next;
  }
  const some = found.slice(0, MOST_NAMED);
  if (some.length === 0) return 'no variable below its folder Objects';
  const described = await plant.describe(
    some.map(({ node }) => node),
    { use: 'list' },
  );
  const names = some.map(({ node, path }, index) => {
    const { type = null, isWritable = false } = described[index] ?? {};
    return `${path} (${node}, ${type ?? 'unsupported'}${isWritable ? ', writable' : ''})`;
  });
  return names.join('; ') + (found.length > some.length ? '; and more' : '');
}
