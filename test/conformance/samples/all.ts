import { globSync } from 'node:fs'
import type { DomainSamples } from './kit.ts'

/** The samples of every domain; a file beside this one is found. */
const tools = ['all', 'kit']
export const domains: readonly DomainSamples[] = (
  await Promise.all(
    globSync('*.ts', { cwd: import.meta.dirname })
      .map((file) => file.slice(0, -3))
      .filter((file) => !tools.includes(file))
      .sort()
      .map(async (file) =>
        Object.values<DomainSamples | (() => unknown)>(await import(`./${file}.ts`)),
      ),
  )
)
  .flat()
  .filter((found) => typeof found === 'object')
