import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import type { Plugin } from 'vite'
import { filesOf, importMap } from './bundle.ts'

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** What a phone keeps to work without the network: all pages of replenishers, and what they need. */
const pages = [
  /apps\/web\/main\.tsx$/,
  /web\/App\.tsx$/,
  /web\/ConfirmDialog\.tsx$/,
  /antd\/es\/(locale\/zh_CN|modal\/index)\.js$/,
  /domains\/replenishment\/(locale\.ts|web\/.*)$/,
]
/** In kilobytes as they are stored; more than that nobody loads for a visit. */
const most = 2_200
const plain = ['boot.js', 'favicon.svg']

const icons = [
  { name: 'icon-192.png', size: 192, purpose: 'any' },
  { name: 'icon-512.png', size: 512, purpose: 'any' },
  // cut to any shape: the ground reaches to the edges
  { name: 'icon-mask-512.png', size: 512, purpose: 'maskable' },
  { name: 'icon-apple-180.png', size: 180, purpose: 'apple' },
] as const

const manifest = {
  name: '货道 Huodao',
  short_name: '货道',
  description: '补货 Replenishment',
  lang: 'zh-CN',
  id: './',
  start_url: './stock/replenish',
  scope: './',
  display: 'standalone',
  background_color: '#F3F5F7',
  theme_color: '#0B7285',
  icons: icons
    .filter(({ purpose }) => purpose !== 'apple')
    .map(({ name, size, purpose }) => ({
      src: `./${name}`,
      sizes: `${size}x${size}`,
      type: 'image/png',
      purpose,
    })),
}

const link = (rel: string, href: string) =>
  ({ tag: 'link', attrs: { rel, href }, injectTo: 'head' }) as const

/** The product as an app of a phone: manifest, icons of our mark, and the worker. */
export const phoneApp = (build: string): Plugin => ({
  name: 'huodao-phone',
  apply: 'build',
  transformIndexHtml: () => [
    link('manifest', './manifest.webmanifest'),
    link('apple-touch-icon', './icon-apple-180.png'),
  ],
  async generateBundle() {
    const source = JSON.stringify(manifest)
    this.emitFile({ type: 'asset', fileName: 'manifest.webmanifest', source })
    const mark = await readFile(here('public/favicon.svg'), 'utf8')
    for (const { name, size, purpose } of icons) {
      const drawn = purpose === 'any' ? mark : mark.replace(' rx="7"', '')
      const source = await sharp(Buffer.from(drawn), { density: (72 * size) / 28 })
        .resize(size, size)
        .png({ compressionLevel: 9 })
        .toBuffer()
      this.emitFile({ type: 'asset', fileName: name, source })
    }
  },
  writeBundle: {
    // before everything is compressed
    sequential: true,
    async handler({ dir }, bundle) {
      if (!dir) return
      const names = importMap(await readFile(join(dir, 'index.html'), 'utf8'))
      const files = [...filesOf(bundle, names, pages), ...plain]
      const sizes = await Promise.all(files.map((file) => stat(join(dir, file))))
      const sum = sizes.reduce((all, { size }) => all + size, 0) / 1000
      this.info(`the phone keeps ${files.length} files, ${sum.toFixed(0)} of ${most} kB`)
      if (sum > most) throw new Error(`a phone would keep ${sum.toFixed(0)} kB`)
      const worker = await readFile(here('phoneWorker.js'), 'utf8')
      const list = `const build = ${JSON.stringify(build)}\nconst files = ${JSON.stringify(files)}\n`
      await writeFile(join(dir, 'sw.js'), list + worker)
    },
  },
})
