import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'
import { filesOf, importMap } from './bundle.ts'

/** In development there is no server that fills in the placeholders. */
export const developmentPage = (): Plugin => ({
  name: 'huodao-development-page',
  apply: 'serve',
  transformIndexHtml: {
    order: 'pre',
    handler: (html) =>
      html
        .replaceAll('"./', '"/')
        .replace('__BASE__', '/')
        .replace('__NONCE__', '')
        .replace('__BUILD__', ''),
  },
})

/**
 * `version.json` tells a running page that a newer build is being served; which one it is itself
 * stands in its head, so that no chunk changes by it.
 */
export const versionFile = (build: string): Plugin => ({
  name: 'huodao-version',
  apply: 'build',
  transformIndexHtml: (html) => html.replace('__BUILD__', build),
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'version.json', source: JSON.stringify({ build }) })
  },
})

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/**
 * What a first visit loads, each with all it imports, and how many bytes of it may come compressed
 * (decision 36).
 */
const visits: readonly {
  readonly name: string
  readonly kinds: RegExp
  readonly most: number
  readonly from: readonly string[]
}[] = [
  {
    name: 'signing in',
    kinds: /\.js$/,
    most: 140_000,
    from: ['apps/web/main.tsx', 'domains/session/web/Login.tsx', 'domains/session/locale.ts'],
  },
  {
    // of a buyer, by the code on a lane: of 150 kB (of 1,024 bytes) the page, the heads of its
    // answers, data and a picture take 22
    name: 'the page of a product',
    kinds: /\.(js|css)$/,
    most: 132_000,
    from: [
      'apps/web/main.tsx',
      'domains/products/web/Commodity.tsx',
      'domains/products/buyerLocale.ts',
    ],
  },
  {
    // of 400 kB the page, its font and the data take 40
    name: 'the list of orders',
    kinds: /\.(js|css)$/,
    most: 360_000,
    from: [
      'apps/web/main.tsx',
      'web/App.tsx',
      'domains/orders/web/OrderList.tsx',
      'domains/orders/locale.ts',
      'antd/es/locale/zh_CN.js',
    ],
  },
]

/**
 * Fails the build that breaks a budget: sizes only, `npm run bench -- web` measures a real visit.
 */
async function checkBudgets(
  dir: string,
  bundle: Readonly<Record<string, unknown>>,
  say: (line: string) => void,
): Promise<void> {
  const real = importMap(await readFile(join(dir, 'index.html'), 'utf8'))
  for (const { name, kinds, most, from } of visits) {
    const files = filesOf(
      bundle,
      real,
      from.map((module) => new RegExp(`/${module.replaceAll('.', '\\.')}$`)),
    )
    const sizes = await Promise.all(
      [...files]
        .filter((file) => kinds.test(file))
        .map((file) => stat(join(dir, `${file}.br`)).catch(() => stat(join(dir, file)))),
    )
    const sum = sizes.reduce((all, { size }) => all + size, 0)
    say(`${name}: ${(sum / 1000).toFixed(1)} of ${most / 1000} kB`)
    if (sum > most)
      throw new Error(`${name} costs ${(sum / 1000).toFixed(1)} kB; ${most / 1000} kB are allowed`)
  }
}

/**
 * Writes .br and .gz beside everything worth it, and holds the budgets; index.html is filled in at
 * run time and stays plain.
 */
export const precompress = (): Plugin => ({
  name: 'huodao-precompress',
  apply: 'build',
  async writeBundle({ dir }, bundle) {
    if (!dir) return
    for (const entry of await readdir(dir, { recursive: true })) {
      if (!/\.(js|css|svg|json)$/.test(entry) || entry === 'version.json') continue
      const path = join(dir, entry)
      const content = await readFile(path)
      if (content.length < 1024) continue
      await writeFile(
        `${path}.br`,
        await brotli(content, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: 11,
            [constants.BROTLI_PARAM_LGWIN]: 22,
            [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
          },
        }),
      )
      await writeFile(`${path}.gz`, await zip(content, { level: 9 }))
    }
    await checkBudgets(dir, bundle, (line) => this.info(line))
  },
})
