import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// The generator writes with the compiler's API in JavaScript, which TypeScript 7 does not have; this package holds one that has, and no `tsc`.
const COMPILER = new URL('../node_modules/@ts-morph/common/dist/typescript.js', import.meta.url).href;
registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? COMPILER : name, context) });

/** Writes a client of a document into a folder: calls and types, or types alone. */
export async function generateClient(input: string, folder: string, what: 'calls' | 'types' = 'calls') {
  const { createClient } = await import('@hey-api/openapi-ts');
  await createClient({
    input,
    output: { path: folder, module: { extension: '.ts' } },
    logs: { level: 'silent' },
    ...(what === 'types' ? { plugins: [{ name: '@hey-api/typescript' as const, comments: false }] } : {}),
  });
}

/** The types of a document, as a module. */
export async function generatedTypes(input: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'elnav-types-'));
  try {
    await generateClient(input, folder, 'types');
    return readFileSync(join(folder, 'types.gen.ts'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
