import { globSync } from 'node:fs'
import type { DomainSamples } from '../conformance/samples/kit.ts'

const folder = new URL('../conformance/samples', import.meta.url).pathname
/** The samples of every domain; a file in the folder is found. */
export const domains: readonly DomainSamples[] = (
  await Promise.all(
    globSync('*.ts', { cwd: folder })
      .map((file) => file.slice(0, -3))
      .filter((file) => file !== 'kit')
      .sort()
      .map(async (file) =>
        Object.values<DomainSamples | (() => unknown)>(
          await import(`../conformance/samples/${file}.ts`),
        ),
      ),
  )
)
  .flat()
  .filter((found) => typeof found === 'object')
