import { ensureRuntime, runProgram } from './lib/runtime.mjs'

await ensureRuntime()
await runProgram('src/apps/release.ts', process.argv.slice(2))
