import { globSync, readFileSync } from 'node:fs'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { media } from './test/components/commands.ts'

/**
 * What a test reads tells where it belongs: who needs nothing of test/ and starts no server is
 * pure.
 */
const needsDatabase = /\btest\/(support|factories)\/|\/testWorld|\bstartPostgres\b/
const pure = globSync('src/**/*.test.ts').filter(
  (file) => !needsDatabase.test(readFileSync(file, 'utf8')),
)

export default defineConfig({
  test: {
    maxWorkers: 2,
    // what is awaited comes within milliseconds; a busy machine may take its time
    testTimeout: 40_000,
    expect: { poll: { timeout: 10_000 } },
    projects: [
      // the files of one worker share its modules: reading them anew took a third of the time
      { extends: true, test: { name: 'pure', include: pure, pool: 'forks', isolate: false } },
      {
        extends: true,
        test: {
          name: 'database',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: pure,
          pool: 'forks',
          globalSetup: ['test/support/globalSetup.ts'],
          hookTimeout: 180_000,
        },
      },
      {
        extends: true,
        define: { __VERSION__: '"test"', __BUILD__: '"test"', __GUARD__: '"test"' },
        // found before the first test: a package that turns up later would load the page anew
        // React as people get it: half as slow as the one for development
        oxc: { jsx: { runtime: 'automatic', development: false } },
        optimizeDeps: {
          rolldownOptions: { transform: { define: { 'process.env.NODE_ENV': '"production"' } } },
          include: ['react/jsx-runtime', 'react-dom/client'],
          entries: ['src/web/**/*.tsx', 'src/domains/*/web/**/*.tsx', 'test/components/**'],
        },
        test: {
          name: 'components',
          include: ['test/components/**/*.test.tsx'],
          setupFiles: ['test/components/setup.ts'],
          expect: { poll: { timeout: 4000 } },
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: {
                executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
                args: [
                  '--no-sandbox',
                  '--disable-gpu',
                  '--disable-quic',
                  '--no-first-run',
                  '--disable-background-networking',
                  '--disable-component-update',
                  '--disable-sync',
                ],
              },
              actionTimeout: 5000,
            }),
            instances: [{ browser: 'chromium' }],
            viewport: { width: 1440, height: 900 },
            locators: { exact: false },
            commands: { media },
          },
        },
      },
    ],
  },
})
