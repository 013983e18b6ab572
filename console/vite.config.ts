import { readdirSync } from 'node:fs';
import { defineConfig } from 'vite';

/** Every file of this folder is an entry that a page names; shared code is in `parts/`, the console of an account in `app/`. */
const entries = readdirSync(import.meta.dirname)
  .filter((file) => /\.tsx?$/.test(file) && file !== 'vite.config.ts')
  .map((file) => [file.replace(/\.tsx?$/, ''), `${import.meta.dirname}/${file}`]);

export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  base: './',
  // The compiler's own runtime of components: nothing is imported in each file.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'built',
    emptyOutDir: true,
    assetsDir: '.',
    manifest: 'manifest.json',
    // Chunks are loaded from beside the script that asks for them.
    modulePreload: false,
    target: 'es2023',
    rolldownOptions: {
      input: Object.fromEntries(entries),
      output: { entryFileNames: '[name]-[hash].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});
