import { defineConfig } from '@playwright/test'

const flags =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'.split(
    ' ',
  )

/**
 * The flows of a file follow each other, two files at a time; what kills the server comes alone, at
 * the end.
 */
export default defineConfig({
  testDir: '.',
  // what git and the linter leave alone
  outputDir: '../../data/test-results',
  globalSetup: './product.ts',
  workers: 2,
  // a browser on a busy machine may be late once; twice is a fault
  retries: 1,
  // a browser that hangs must not take the run with it
  timeout: 150_000,
  reporter: 'list',
  use: {
    // names of downloads keep their Chinese only in a locale that can say them
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: flags,
      env: { ...process.env, LC_ALL: 'C.UTF-8' } as Record<string, string>,
    },
    actionTimeout: 30_000,
    navigationTimeout: 30_000,
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: true, sources: true },
  },
  projects: [
    { name: 'flows', testIgnore: 'crash.spec.ts' },
    { name: 'crash', testMatch: 'crash.spec.ts', dependencies: ['flows'] },
  ],
})
