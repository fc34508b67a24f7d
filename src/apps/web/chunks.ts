type Context = { getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null }
type Group = {
  readonly debugName?: string
  readonly name: string | ((id: string, context: Context) => string | null)
  readonly test?: RegExp
  readonly priority: number
}

const source = new URL('../../web/', import.meta.url).pathname
const modules = new URL('../../../node_modules/', import.meta.url).pathname
const antd = (name: string) => `${modules}antd/es/${name}/index.js`
/** Names every part of antd; what is imported from it is a matter of names, so it is not followed. */
const barrel = `${modules}antd/es/index.js`
/** The parts of antd that nearly every page shows. */
const common = [
  'config-provider',
  'button',
  'table',
  'pagination',
  'select',
  'dropdown',
  'popover',
  'input',
  'checkbox',
  'segmented',
  'skeleton',
  'empty',
  'alert',
]

/** First come, first served: a chunk holds what its entrances need and no chunk above it has. */
const chunks: readonly { readonly name: string; readonly from: readonly string[] }[] = [
  {
    name: 'base',
    from: [
      new URL('main.tsx', import.meta.url).pathname,
      `${source}call.ts`,
      `${source}pictures/silhouettes.tsx`,
      new URL('../../domains/session/shellContract.ts', import.meta.url).pathname,
    ],
  },
  {
    name: 'app',
    from: [
      `${source}App.tsx`,
      `${source}ListPage.tsx`,
      `${source}columns.tsx`,
      `${source}form/values.ts`,
      `${source}FormDialog.tsx`,
      `${source}form/fields.tsx`,
      `${source}Detail.tsx`,
      `${modules}@ant-design/icons/es/icons/PlusOutlined.js`,
      `${modules}dayjs/dayjs.min.js`,
      ...common.map(antd),
    ],
  },
  { name: 'overlays', from: ['modal', 'drawer'].map(antd) },
  { name: 'form', from: [`${source}FormPage.tsx`, `${source}FormDialogReal.tsx`, antd('form')] },
  { name: 'dates', from: [antd('date-picker')] },
  { name: 'trees', from: ['cascader', 'tree-select'].map(antd) },
]

/** Few chunks that live long: each costs a request, and small files compress badly. Everything else follows its page.
 * What comes from a library lies apart from what is ours: a release leaves it where it is. */
export function chunkGroups(): Group[] {
  const owner = new Map<string, string>()
  const settle = (context: Context) => {
    for (const { name, from } of chunks) {
      const queue = [...from]
      for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
        if (owner.has(id) || id === barrel) continue
        owner.set(id, id.startsWith(modules) ? `${name}-vendor` : name)
        queue.push(...(context.getModuleInfo(id)?.importedIds ?? []))
      }
    }
  }
  const test = (names: string) => new RegExp(`/node_modules/(?:${names})/`)
  return [
    { name: 'react', test: test('react|react-dom|scheduler'), priority: 40 },
    { name: 'i18n', test: test('i18next|react-i18next|use-sync-external-store|html-parse-stringify|void-elements'), priority: 40 },
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
