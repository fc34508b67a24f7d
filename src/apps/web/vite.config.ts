import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { guardVersion } from '../../domains/drug-guard/server/version.ts'
import { chunkGroups } from './chunks.ts'
import { phoneApp } from './phone.ts'
import { developmentPage, precompress, versionFile } from './plugins.ts'

const root = fileURLToPath(new URL('.', import.meta.url))
const { version } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as { version: string }
const build = Date.now().toString(36)

/**
 * Base is relative: the server writes the base path into the page at run time, so one build serves
 * under any BASE_PATH.
 */
export default defineConfig({
  root,
  base: './',
  define: { __VERSION__: JSON.stringify(version), __GUARD__: JSON.stringify(guardVersion) },
  plugins: [react(), developmentPage(), versionFile(build), phoneApp(build), precompress()],
  build: {
    outDir: fileURLToPath(new URL('../../../dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    // chunks name each other without their contents: what did not change keeps its address over a
    // release
    chunkImportMap: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
    rolldownOptions: {
      output: {
        entryFileNames: 'assets/[name]-[hash].js',
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
        codeSplitting: { includeDependenciesRecursively: false, groups: chunkGroups() },
      },
    },
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ['/api', '/auth', '/mobile', '/files'].map((path) => [path, 'http://127.0.0.1:8080']),
    ),
  },
})
