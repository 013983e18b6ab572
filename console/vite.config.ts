import { readdirSync } from 'node:fs';
import { defineConfig } from 'vite';

/** Every file of this folder is an entry that a page names; shared code is in `parts/`. */
const entries = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'vite.config.ts')
  .map((file) => [file.replace(/\.ts$/, ''), `${import.meta.dirname}/${file}`]);

export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  build: {
    outDir: 'built',
    emptyOutDir: true,
    assetsDir: '.',
    manifest: 'manifest.json',
    modulePreload: { polyfill: false },
    target: 'es2023',
    rolldownOptions: {
      input: Object.fromEntries(entries),
      output: { entryFileNames: '[name]-[hash].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});
