import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

/** In development there is no server that fills in the placeholders. */
export const developmentPage = (): Plugin => ({
  name: 'huodao-development-page',
  apply: 'serve',
  transformIndexHtml: {
    order: 'pre',
    handler: (html) => html.replaceAll('"./', '"/').replace('__BASE__', '/').replace('__NONCE__', '').replace('__BUILD__', ''),
  },
})

/** `version.json` tells a running page that a newer build is being served; which one it is itself stands in its head, so that no chunk changes by it. */
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

/** Writes .br and .gz beside everything worth it; index.html is filled in at run time and stays plain. */
export const precompress = (): Plugin => ({
  name: 'huodao-precompress',
  apply: 'build',
  async writeBundle({ dir }) {
    if (!dir) return
    for (const entry of await readdir(dir, { recursive: true })) {
      if (!/\.(js|css|svg|json)$/.test(entry) || entry === 'version.json') continue
      const path = join(dir, entry)
      const content = await readFile(path)
      if (content.length < 1024) continue
      await writeFile(
        `${path}.br`,
        await brotli(content, {
          params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
        }),
      )
      await writeFile(`${path}.gz`, await zip(content, { level: 9 }))
    }
  },
})
