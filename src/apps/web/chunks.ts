type Context = { getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null }
type Group = {
  readonly debugName?: string
  readonly name: string | ((id: string, context: Context) => string | null)
  readonly test?: RegExp
  readonly priority: number
}

const source = new URL('../../web/', import.meta.url).pathname
const domains = new URL('../../domains/', import.meta.url).pathname
const modules = new URL('../../../node_modules/', import.meta.url).pathname
const antd = (name: string) => `${modules}antd/es/${name}/index.js`
/** It names everything there is; what is taken from it is known only later. */
const everything = `${modules}antd/es/index.js`

/**
 * First come, first served: a chunk holds what its entrances need and no chunk above it has. What
 * others wrote and a first list shows is in `vendor`: releases of ours do not touch it, so browsers
 * keep it.
 */
const chunks: readonly { readonly name: string; readonly from: readonly string[] }[] = [
  {
    name: 'base',
    from: [
      new URL('main.tsx', import.meta.url).pathname,
      `${source}call.ts`,
      `${source}pictures/silhouettes.tsx`,
      new URL('../../shared/person.ts', import.meta.url).pathname,
      // what a buyer's phone shows of a product
      new URL('../../shared/money.ts', import.meta.url).pathname,
    ],
  },
  { name: 'goods', from: [`${domains}products/web/Commodity.tsx`] },
  {
    name: 'vendor',
    from: [
      ...['config-provider', 'theme', 'button', 'flex', 'input', 'checkbox'].map(antd),
      `${modules}antd/es/locale/en_US.js`,
    ],
  },
  { name: 'app', from: [new URL('inside.tsx', import.meta.url).pathname] },
  {
    name: 'list',
    from: [
      `${source}ListPage.tsx`,
      `${source}columns.tsx`,
      `${source}form/values.ts`,
      `${source}FormDialog.tsx`,
      `${source}form/fields.tsx`,
      `${source}Detail.tsx`,
      `${modules}@ant-design/icons/es/icons/PlusOutlined.js`,
    ],
  },
  { name: 'parts', from: ['select', 'dropdown', 'popover', 'modal', 'drawer'].map(antd) },
  { name: 'dayjs', from: [`${modules}dayjs/dayjs.min.js`] },
  { name: 'form', from: [`${source}FormPage.tsx`, `${source}FormDialogReal.tsx`] },
  { name: 'dates', from: [antd('date-picker')] },
]

/**
 * Few chunks that live long: each costs a request, and small files compress badly. Everything else
 * follows its page.
 */
export function chunkGroups(): Group[] {
  const owner = new Map<string, string>()
  const settle = (context: Context) => {
    for (const { name, from } of chunks) {
      const queue = [...from]
      for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
        if (owner.has(id) || id === everything) continue
        owner.set(
          id,
          (name === 'app' || name === 'list') && id.startsWith(modules) ? 'vendor' : name,
        )
        queue.push(...(context.getModuleInfo(id)?.importedIds ?? []))
      }
    }
  }
  const test = (names: string) => new RegExp(`/node_modules/(?:${names})/`)
  return [
    { name: 'react', test: test('react|react-dom|scheduler'), priority: 40 },
    {
      name: 'i18n',
      test: test(
        'i18next|react-i18next|use-sync-external-store|html-parse-stringify|void-elements',
      ),
      priority: 40,
    },
    { name: 'zod', test: test('zod'), priority: 40 },
    { name: 'echarts', test: test('echarts|zrender'), priority: 40 },
    {
      debugName: 'by entrance',
      name: (id, context) => {
        if (owner.size === 0) settle(context)
        return owner.get(id) ?? null
      },
      priority: 20,
    },
  ]
}
